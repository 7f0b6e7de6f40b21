/* SPDX-License-Identifier: Apache-2.0
 * What passes between a program and the CUDA runtime: the sizes, numbers and layouts of the CUDA
 * Runtime API reference (versions 11.8, 12.9 and 13.0), in our own words. Handles are pointers to
 * structures of ours. */
#ifndef IFL_STANDIN_ABI_H
#define IFL_STANDIN_ABI_H

#include <stddef.h>
#include <stdint.h>

/* The major version of the runtime that this file is compiled for. */
#ifndef IFL_CUDART
#define IFL_CUDART 13
#endif

#define IFL_SERVED __attribute__((visibility("default")))

typedef enum ifl_cuda_error {
#define ERROR(name, number, text) ifl_##name = number,
#include "standin/cuda_error.def"
#undef ERROR
} ifl_cuda_error;

typedef struct ifl_dim3 {
    uint32_t x, y, z;
} ifl_dim3;

/* cudaMemcpyKind */
enum {
    IFL_HOST_TO_HOST,
    IFL_HOST_TO_DEVICE,
    IFL_DEVICE_TO_HOST,
    IFL_DEVICE_TO_DEVICE,
    IFL_COPY_DEFAULT
};

/* cudaMemoryType */
enum { IFL_MEMORY_UNREGISTERED, IFL_MEMORY_HOST, IFL_MEMORY_DEVICE, IFL_MEMORY_MANAGED };

typedef struct ifl_pointer_attributes {
    int type;
    int device;
    void *device_pointer;
    void *host_pointer;
#if IFL_CUDART >= 13
    long reserved[8];
#endif
} ifl_pointer_attributes;

typedef struct ifl_pitched {
    void *at;
    size_t pitch, width, height; /* bytes, bytes, rows */
} ifl_pitched;

typedef struct ifl_position {
    size_t x, y, z; /* bytes, rows, slices */
} ifl_position;

typedef struct ifl_extent {
    size_t width, height, depth; /* bytes, rows, slices */
} ifl_extent;

typedef struct ifl_copy3d {
    void *from_array;
    ifl_position from_position;
    ifl_pitched from;
    void *to_array;
    ifl_position to_position;
    ifl_pitched to;
    ifl_extent extent;
    int kind;
} ifl_copy3d;

typedef struct ifl_function_attributes {
    size_t shared_bytes, constant_bytes, local_bytes;
    int max_threads, registers, ptx_version, binary_version, cache_mode_ca, max_dynamic_shared,
        carveout;
#if IFL_CUDART >= 12
    int cluster_must_be_set, cluster_width, cluster_height, cluster_depth, cluster_policy,
        non_portable;
    int reserved[16];
#endif
} ifl_function_attributes;

/* The head of what nvcc puts into .nvFatBinSegment. */
enum { IFL_FATBIN_WRAPPER_MAGIC = 0x466243b1, IFL_FATBIN_WRAPPER_LINKED = 2 };
typedef struct ifl_fatbin_wrapper {
    uint32_t magic, version;
    const void *fatbin;
    void *
        /* version 2: NULL-terminated list of the fat binaries that were linked into this one */
        linked;
} ifl_fatbin_wrapper;

#endif
