/* SPDX-License-Identifier: Apache-2.0
 * Texture and surface objects, as the runtime and the driver both make them: what is read, and how.
 * What a kernel needs of one is in the session's table (code/texture.h); this keeps what programs
 * ask back. */
#ifndef IFL_STANDIN_TEXTURE_OBJECT_H
#define IFL_STANDIN_TEXTURE_OBJECT_H

#include "base/cuda_words.h"
#include "standin/array.h"

typedef struct ifl_resource {
    int type; /* IFL_RESOURCE_* */
    void *array;
    void *address;
    ifl_texel texel;             /* of linear memory and rows */
    size_t width, height, pitch; /* of rows */
    size_t bytes;                /* of linear memory */
} ifl_resource;

/* In the order and the types of cudaTextureDesc. */
typedef struct ifl_sampler {
    int mode[IFL_TEXTURE_RANKS]; /* ifl_outside */
    int filter;                  /* 0 the nearest, 1 linear */
    int reads_normalized;
    int is_srgb;
    float border[IFL_TEXEL_CHANNELS];
    int is_normalized; /* coordinates */
    unsigned anisotropy;
    int level_filter;
    float level_bias, least_level, most_level;
    int keeps_trilinear; /* disableTrilinearOptimization */
    int is_seamless;
} ifl_sampler;

/* In the order and the types of cudaResourceViewDesc, and of the driver's. */
typedef struct ifl_resource_view {
    int format; /* cudaResourceViewFormat */
    size_t width, height, depth;
    unsigned first_level, last_level, first_layer, last_layer;
    unsigned reserved[16];
} ifl_resource_view;

typedef struct ifl_texture_object {
    uint32_t handle;
    bool is_surface;
    ifl_resource_view view;
    ifl_resource resource;
    ifl_sampler sampler;
} ifl_texture_object;

/* `sampler` NULL: a surface object. `view` may be NULL. */
ifl_cuda_error ifl_texture_object_make(ifl_session *session, const ifl_resource *resource,
                                       const ifl_sampler *sampler, const ifl_resource_view *view,
                                       uint64_t *out);
/* Zeros where it has none. cudaErrorInvalidValue where there is no texture. An H200 (driver 580)
 * accepts the question of one without a view, other than CUDA's document says. */
ifl_cuda_error ifl_texture_object_tell_view(uint64_t handle, ifl_resource_view *out);
/* NULL: there is none. */
const ifl_texture_object *ifl_texture_object_of(uint64_t handle, bool is_surface);
/* False: there is none. */
bool ifl_texture_object_drop(ifl_session *session, uint64_t handle, bool is_surface);

#endif
