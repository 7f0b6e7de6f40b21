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

/* The layouts of CUDA: sizeof and offsetof in driver_types.h and vector_types.h of CUDA 13.0, and of __fatBinC_Wrapper_t in
 * fatbinary_section.h. Where 11 and 12 differ, the members are those of the API references of 11.8 and 12.9. */
#define IFL_SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), "the size of CUDA's " #type)
#define IFL_AT(type, member, bytes)                                                                \
    _Static_assert(offsetof(type, member) == (bytes), "the place of CUDA's " #type "." #member)
IFL_SIZE(ifl_dim3, 12);
IFL_AT(ifl_dim3, z, 8);
IFL_SIZE(ifl_pointer_attributes, IFL_CUDART >= 13 ? 88 : 24);
IFL_AT(ifl_pointer_attributes, device, 4);
IFL_AT(ifl_pointer_attributes, device_pointer, 8);
IFL_AT(ifl_pointer_attributes, host_pointer, 16);
IFL_SIZE(ifl_pitched, 32);
IFL_AT(ifl_pitched, pitch, 8);
IFL_AT(ifl_pitched, height, 24);
IFL_SIZE(ifl_position, 24);
IFL_AT(ifl_position, z, 16);
IFL_SIZE(ifl_extent, 24);
IFL_AT(ifl_extent, depth, 16);
IFL_SIZE(ifl_copy3d, 160);
IFL_AT(ifl_copy3d, from_position, 8);
IFL_AT(ifl_copy3d, from, 32);
IFL_AT(ifl_copy3d, to_array, 64);
IFL_AT(ifl_copy3d, to, 96);
IFL_AT(ifl_copy3d, extent, 128);
IFL_AT(ifl_copy3d, kind, 152);
IFL_SIZE(ifl_function_attributes, IFL_CUDART >= 12 ? 144 : 56);
IFL_AT(ifl_function_attributes, local_bytes, 16);
IFL_AT(ifl_function_attributes, max_threads, 24);
IFL_AT(ifl_function_attributes, cache_mode_ca, 40);
IFL_AT(ifl_function_attributes, max_dynamic_shared, 44);
IFL_AT(ifl_function_attributes, carveout, 48);
#if IFL_CUDART >= 12
IFL_AT(ifl_function_attributes, cluster_must_be_set, 52);
IFL_AT(ifl_function_attributes, non_portable, 72);
#endif
IFL_SIZE(ifl_fatbin_wrapper, 24);
IFL_AT(ifl_fatbin_wrapper, fatbin, 8);
IFL_AT(ifl_fatbin_wrapper, linked, 16);
#undef IFL_SIZE
#undef IFL_AT

#endif
