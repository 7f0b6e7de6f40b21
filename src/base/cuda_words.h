/* SPDX-License-Identifier: Apache-2.0
 * Structures of cuda.h, as programs give them to our driver and we give them to a GPU's. */
#ifndef IFL_BASE_CUDA_WORDS_H
#define IFL_BASE_CUDA_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* CUDA_ARRAY_DESCRIPTOR */
typedef struct ifl_cuda_array {
    size_t width, height;
    int format;
    unsigned channels;
} ifl_cuda_array;
_Static_assert(sizeof(ifl_cuda_array) == 24, "the size of CUDA_ARRAY_DESCRIPTOR");

/* CUmemorytype */
enum { IFL_CUDA_ON_HOST = 1, IFL_CUDA_ON_DEVICE = 2, IFL_CUDA_IN_ARRAY = 3, IFL_CUDA_UNIFIED = 4 };

/* One side of CUDA_MEMCPY2D. */
typedef struct ifl_cuda_copy_side {
    size_t x, y;
    int type;
    uint8_t *host, *device;
    void *array;
    size_t pitch;
} ifl_cuda_copy_side;

typedef struct ifl_cuda_copy {
    ifl_cuda_copy_side from, to;
    size_t width, height; /* in bytes, in rows */
} ifl_cuda_copy;
_Static_assert(sizeof(ifl_cuda_copy) == 128, "the size of CUDA_MEMCPY2D");

/* CUresourcetype, and cudaResourceType */
enum { IFL_RESOURCE_ARRAY, IFL_RESOURCE_MIPMAPS, IFL_RESOURCE_LINEAR, IFL_RESOURCE_ROWS };

/* CUDA_RESOURCE_DESC */
typedef struct ifl_cuda_resource {
    int type;
    union {
        void *array;
        struct {
            void *address;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        struct {
            void *address;
            int format;
            unsigned channels;
            size_t width, height, pitch;
        } rows;
        int reserved[32];
    } of;
    unsigned flags;
} ifl_cuda_resource;
_Static_assert(sizeof(ifl_cuda_resource) == 144, "the size of CUDA_RESOURCE_DESC");

/* CU_TRSF_*: flags of CUDA_TEXTURE_DESC */
enum {
    IFL_CUDA_READ_AS_INTEGER = 0x01,
    IFL_CUDA_NORMALIZED_COORDINATES = 0x02,
    IFL_CUDA_SRGB = 0x10,
    IFL_CUDA_DISABLE_TRILINEAR = 0x20,
    IFL_CUDA_SEAMLESS = 0x40
};

/* CUDA_TEXTURE_DESC */
typedef struct ifl_cuda_sampler {
    int mode[3];
    int filter;
    unsigned flags, anisotropy;
    int level_filter;
    float level_bias, least_level, most_level;
    float border[4];
    int reserved[12];
} ifl_cuda_sampler;
_Static_assert(sizeof(ifl_cuda_sampler) == 104, "the size of CUDA_TEXTURE_DESC");

#endif
