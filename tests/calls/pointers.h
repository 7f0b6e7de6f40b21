/* SPDX-License-Identifier: Apache-2.0
 * The structures that calls of CUDA are given, laid out as its references have them. */
#ifndef IFL_TEST_POINTERS_H
#define IFL_TEST_POINTERS_H

#include "words.h"

typedef struct pitched {
    word at, pitch, width, height;
} pitched;

typedef struct triple {
    word x, y, z;
} triple;

/* cudaMemcpy3DParms */
typedef struct box {
    word from_array;
    triple from_position;
    pitched from;
    word to_array;
    triple to_position;
    pitched to;
    triple extent;
    int kind;
} box;

/* CUDA_MEMCPY3D, and CUDA_MEMCPY2D */
typedef struct deep_side {
    word x, y, z, level;
    unsigned type;
    word host, device, array, context, pitch, height;
} deep_side;

typedef struct deep_box {
    deep_side from, to;
    word width, height, depth;
} deep_box;

typedef struct flat_side {
    word x, y;
    unsigned type;
    word host, device, array, pitch;
} flat_side;

typedef struct flat_box {
    flat_side from, to;
    word width, height;
} flat_box;

/* cudaKernelNodeParams, CUDA_KERNEL_NODE_PARAMS_v2 */
typedef struct kernel_params {
    word function;
    unsigned grid[3], block[3], shared_bytes;
    word arguments, extra, kernel, context;
} kernel_params;

typedef struct set_params {
    word to, pitch;
    unsigned value, element_bytes;
    word width, height;
} set_params;

/* cudaGraphNodeParams: the type, and the kind's structure */
typedef struct any_params {
    int type, reserved[3];
    union {
        kernel_params kernel;
        set_params set;
        word words[29];
    } of;
    word unused;
} any_params;

/* cudaGraphInstantiateParams */
typedef struct instantiation {
    word flags, stream, bad;
    int result;
} instantiation;

typedef struct host_params {
    word call, user;
} host_params;

/* cudaMemAllocNodeParams */
/* cudaMemPoolProps; of location 1, a GPU. */
typedef struct pool_params {
    int allocation, handles;
    int location, gpu;
    char more[72];
} pool_params;

typedef struct memory_params {
    char pool[88];
    word access, access_count, bytes, address;
} memory_params;

/* cudaLaunchConfig_t and CUlaunchConfig; launch attributes are 72 bytes, the number first. */
typedef struct configuration {
    unsigned grid[3], block[3];
    word shared_bytes, stream, attributes;
    unsigned attribute_count;
} configuration;

typedef struct driver_configuration {
    unsigned grid[3], block[3], shared_bytes;
    word stream, attributes;
    unsigned attribute_count;
} driver_configuration;

/* cudaChannelFormatDesc; cudaResourceDesc, of the memory that it tells of; cudaTextureDesc;
 * CUDA_ARRAY_DESCRIPTOR and CUDA_ARRAY3D_DESCRIPTOR. */
typedef struct channels {
    int bits[4], kind;
} channels;

typedef struct resource {
    int type;
    union {
        word array;
        struct {
            word at;
            channels channels;
            word bytes;
        } linear;
        struct {
            word at;
            channels channels;
            word width, height, pitch;
        } rows;
        char room[128];
    } of;
} resource;

typedef struct sampler {
    int modes[3], filter, reads, more[13];
} sampler;

/* CUDA_RESOURCE_DESC of rows, CUDA_TEXTURE_DESC */
typedef struct driver_resource {
    int type;
    word at;
    unsigned format, channels;
    word width, height, pitch;
    char room[96];
    unsigned flags;
} driver_resource;

typedef struct driver_sampler {
    int modes[3], filter;
    unsigned flags, more[21];
} driver_sampler;

typedef struct flat_array {
    word width, height;
    unsigned format, channels;
} flat_array;

typedef struct deep_array {
    word width, height, depth;
    unsigned format, channels, flags;
} deep_array;

/* Everything that a pointer of a call may lead to, as it is where nothing is wrong. */
typedef union pointed {
    word nodes[1];
    box box;
    deep_box deep_box;
    flat_box flat_box;
    kernel_params kernel_params;
    set_params set_params;
    host_params host_params;
    memory_params memory_params;
    pool_params pool_params;
    configuration configuration;
    driver_configuration driver_configuration;
    channels channels;
    resource resource;
    sampler sampler;
    driver_resource driver_resource;
    driver_sampler driver_sampler;
    any_params any_params;
    instantiation instantiation;
    flat_array flat_array;
    deep_array deep_array;
    word arguments[1];
    int numbers[1];
    word places[1];
    int mode;
    word room;
} pointed;

/* False where the kind is a function or a text, which is no structure. */
bool fill_pointed(word_kind kind, pointed *out);
/* The kernel's one parameter. */
extern word kernel_argument;

#endif
