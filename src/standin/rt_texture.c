/* SPDX-License-Identifier: Apache-2.0
 * Texture and surface objects of the runtime: its structures, turned into those of texture_object.h and back. */
#include "standin/served.h"
#include "standin/texture_object.h"

#include <string.h>

/* cudaResourceDesc; what lies behind the union differs between the versions, and is zero. */
typedef struct resource {
    int type;
    union {
        void *array;
        struct {
            void *address;
            ifl_channels channels;
            size_t bytes;
        } linear;
        struct {
            void *address;
            ifl_channels channels;
            size_t width, height, pitch;
        } rows;
    } of;
} resource;

/* cudaTextureDesc, as ifl_sampler but for the last member, which the first version lacks. */
typedef struct sampler {
    int mode[IFL_TEXTURE_RANKS];
    int filter, reads_normalized, is_srgb;
    float border[IFL_TEXEL_CHANNELS];
    int is_normalized;
    unsigned anisotropy;
    int level_filter;
    float level_bias, least_level, most_level;
    int keeps_trilinear;
} sampler;

typedef struct sampler_v2 {
    sampler first;
    int is_seamless;
} sampler_v2;

static ifl_cuda_error resource_of(const resource *from, ifl_resource *to)
{
    *to = (ifl_resource){.type = from->type};
    switch (from->type) {
    case IFL_RESOURCE_ARRAY:
        to->array = from->of.array;
        return ifl_cudaSuccess;
    case IFL_RESOURCE_LINEAR:
        to->address = from->of.linear.address;
        to->bytes = from->of.linear.bytes;
        return ifl_texel_of_channels(&from->of.linear.channels, &to->texel);
    case IFL_RESOURCE_ROWS:
        to->address = from->of.rows.address;
        to->width = from->of.rows.width;
        to->height = from->of.rows.height;
        to->pitch = from->of.rows.pitch;
        return ifl_texel_of_channels(&from->of.rows.channels, &to->texel);
    default:
        return ifl_cudaSuccess;
    }
}

static resource resource_from(const ifl_resource *from)
{
    resource to = {.type = from->type};
    if (from->type == IFL_RESOURCE_ARRAY) {
        to.of.array = from->array;
    } else if (from->type == IFL_RESOURCE_LINEAR) {
        to.of.linear.address = from->address;
        to.of.linear.channels = ifl_channels_of_texel(&from->texel);
        to.of.linear.bytes = from->bytes;
    } else {
        to.of.rows.address = from->address;
        to.of.rows.channels = ifl_channels_of_texel(&from->texel);
        to.of.rows.width = from->width;
        to.of.rows.height = from->height;
        to.of.rows.pitch = from->pitch;
    }
    return to;
}

static ifl_sampler sampler_of(const sampler *from, int is_seamless)
{
    ifl_sampler to = {.filter = from->filter,
                      .reads_normalized = from->reads_normalized,
                      .is_srgb = from->is_srgb,
                      .is_normalized = from->is_normalized,
                      .anisotropy = from->anisotropy,
                      .level_filter = from->level_filter,
                      .level_bias = from->level_bias,
                      .least_level = from->least_level,
                      .most_level = from->most_level,
                      .keeps_trilinear = from->keeps_trilinear,
                      .is_seamless = is_seamless};
    memcpy(to.mode, from->mode, sizeof to.mode);
    memcpy(to.border, from->border, sizeof to.border);
    return to;
}

static sampler sampler_from(const ifl_sampler *from)
{
    sampler to = {.filter = from->filter,
                  .reads_normalized = from->reads_normalized,
                  .is_srgb = from->is_srgb,
                  .is_normalized = from->is_normalized,
                  .anisotropy = from->anisotropy,
                  .level_filter = from->level_filter,
                  .level_bias = from->level_bias,
                  .least_level = from->least_level,
                  .most_level = from->most_level,
                  .keeps_trilinear = from->keeps_trilinear};
    memcpy(to.mode, from->mode, sizeof to.mode);
    memcpy(to.border, from->border, sizeof to.border);
    return to;
}

/* ---- textures ---------------------------------------------------------------------------------------- */

static ifl_cuda_error make(ifl_session *session, uint64_t *out, const resource *from,
                           const ifl_sampler *how, const void *view)
{
    ifl_resource to;
    if (!out || !from)
        return ifl_cudaErrorInvalidValue;
    if (view) {
        ifl_state_tell("error: views of textures (cudaResourceViewDesc) are not served yet");
        return ifl_cudaErrorNotSupported;
    }
    const ifl_cuda_error code = resource_of(from, &to);
    return code == ifl_cudaSuccess ? ifl_texture_object_make(session, &to, how, out) : code;
}

static ifl_cuda_error make_v1(ifl_session *session, uint64_t *out, const resource *from,
                              const sampler *how, const void *view)
{
    if (!how)
        return ifl_cudaErrorInvalidValue;
    const ifl_sampler of = sampler_of(how, 0);
    return make(session, out, from, &of, view);
}

static ifl_cuda_error make_v2(ifl_session *session, uint64_t *out, const resource *from,
                              const sampler_v2 *how, const void *view)
{
    if (!how)
        return ifl_cudaErrorInvalidValue;
    const ifl_sampler of = sampler_of(&how->first, how->is_seamless);
    return make(session, out, from, &of, view);
}

/* 12.0 took the second version's structure for the first's name. */
IFL_SERVED ifl_cuda_error cudaCreateTextureObject(uint64_t *out, const resource *from,
                                                  const void *how, const void *view)
{
    SERVE(IFL_CUDART >= 12 ? make_v2(session, out, from, how, view)
                           : make_v1(session, out, from, how, view));
}

IFL_SERVED ifl_cuda_error cudaCreateTextureObject_v2(uint64_t *out, const resource *from,
                                                     const void *how, const void *view)
{
    SERVE(make_v2(session, out, from, how, view));
}

static ifl_cuda_error drop(ifl_session *session, uint64_t handle, bool is_surface)
{
    return !handle || ifl_texture_object_drop(session, handle, is_surface)
               ? ifl_cudaSuccess
               : ifl_cudaErrorInvalidValue;
}

IFL_SERVED ifl_cuda_error cudaDestroyTextureObject(uint64_t handle)
{
    SERVE(drop(session, handle, false));
}

static ifl_cuda_error tell_resource(resource *out, uint64_t handle, bool is_surface)
{
    const ifl_texture_object *object = ifl_texture_object_of(handle, is_surface);
    if (!object || !out)
        return ifl_cudaErrorInvalidValue;
    *out = resource_from(&object->resource);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaGetTextureObjectResourceDesc(resource *out, uint64_t handle)
{
    SERVE(((void)session, tell_resource(out, handle, false)));
}

static ifl_cuda_error tell_sampler(void *out, uint64_t handle, bool is_v2)
{
    const ifl_texture_object *object = ifl_texture_object_of(handle, false);
    if (!object || !out)
        return ifl_cudaErrorInvalidValue;
    const sampler_v2 to = {sampler_from(&object->sampler), object->sampler.is_seamless};
    memcpy(out, &to, is_v2 ? sizeof to : sizeof to.first);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaGetTextureObjectTextureDesc(void *out, uint64_t handle)
{
    SERVE(((void)session, tell_sampler(out, handle, IFL_CUDART >= 12)));
}

IFL_SERVED ifl_cuda_error cudaGetTextureObjectTextureDesc_v2(void *out, uint64_t handle)
{
    SERVE(((void)session, tell_sampler(out, handle, true)));
}

/* No object has a view. */
IFL_SERVED ifl_cuda_error cudaGetTextureObjectResourceViewDesc(void *out, uint64_t handle)
{
    (void)out, (void)handle;
    return ifl_state_end(ifl_cudaErrorInvalidValue);
}

/* ---- surfaces ---------------------------------------------------------------------------------------- */

IFL_SERVED ifl_cuda_error cudaCreateSurfaceObject(uint64_t *out, const resource *from)
{
    SERVE(make(session, out, from, NULL, NULL));
}

IFL_SERVED ifl_cuda_error cudaDestroySurfaceObject(uint64_t handle)
{
    SERVE(drop(session, handle, true));
}

IFL_SERVED ifl_cuda_error cudaGetSurfaceObjectResourceDesc(resource *out, uint64_t handle)
{
    SERVE(((void)session, tell_resource(out, handle, true)));
}
