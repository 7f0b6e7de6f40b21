/* SPDX-License-Identifier: Apache-2.0
 * Texture and surface objects of the driver: its structures, turned into those of texture_object.h
 * and back. */
#include "standin/driver_served.h"

#include "base/cuda_words.h"
#include "code/texel_format.h"
#include "standin/texture_object.h"

static bool resource_of(const ifl_cuda_resource *from, ifl_resource *to)
{
    *to = (ifl_resource){.type = from->type};
    if (from->type == IFL_RESOURCE_ARRAY || from->type == IFL_RESOURCE_MIPMAPS) {
        to->array = from->of.array;
    } else if (from->type == IFL_RESOURCE_LINEAR) {
        to->address = from->of.linear.address;
        to->bytes = from->of.linear.bytes;
        return ifl_texel_of_format(from->of.linear.format, from->of.linear.channels, &to->texel);
    } else if (from->type == IFL_RESOURCE_ROWS) {
        to->address = from->of.rows.address;
        to->width = from->of.rows.width;
        to->height = from->of.rows.height;
        to->pitch = from->of.rows.pitch;
        return ifl_texel_of_format(from->of.rows.format, from->of.rows.channels, &to->texel);
    }
    return true;
}

static ifl_cuda_resource resource_from(const ifl_resource *from)
{
    ifl_cuda_resource to = {.type = from->type};
    if (from->type == IFL_RESOURCE_ARRAY || from->type == IFL_RESOURCE_MIPMAPS) {
        to.of.array = from->array;
    } else if (from->type == IFL_RESOURCE_LINEAR) {
        to.of.linear.address = from->address;
        to.of.linear.format = ifl_format_of_texel(&from->texel);
        to.of.linear.channels = from->texel.channels;
        to.of.linear.bytes = from->bytes;
    } else {
        to.of.rows.address = from->address;
        to.of.rows.format = ifl_format_of_texel(&from->texel);
        to.of.rows.channels = from->texel.channels;
        to.of.rows.width = from->width;
        to.of.rows.height = from->height;
        to.of.rows.pitch = from->pitch;
    }
    return to;
}

static ifl_texel texel_of(const ifl_resource *of)
{
    const ifl_mipmaps *levels = of->type == IFL_RESOURCE_MIPMAPS ? ifl_mipmaps_of(of->array) : NULL;
    const ifl_array *array = levels                           ? &levels->level[0]
                             : of->type == IFL_RESOURCE_ARRAY ? ifl_array_of(of->array)
                                                              : NULL;
    return array ? array->texel : of->texel;
}

/* Integers of 32 bits are never promoted (CUDA Driver API, cuTexObjectCreate). */
static ifl_sampler sampler_of(const ifl_cuda_sampler *from, const ifl_resource *of)
{
    const ifl_texel texel = texel_of(of);
    const bool is_small = texel.of != IFL_TEXEL_FLOAT && texel.bits < 32;
    ifl_sampler to = {.filter = from->filter,
                      .reads_normalized = is_small && !(from->flags & IFL_CUDA_READ_AS_INTEGER),
                      .is_srgb = (from->flags & IFL_CUDA_SRGB) != 0,
                      .is_normalized = (from->flags & IFL_CUDA_NORMALIZED_COORDINATES) != 0,
                      .anisotropy = from->anisotropy,
                      .level_filter = from->level_filter,
                      .level_bias = from->level_bias,
                      .least_level = from->least_level,
                      .most_level = from->most_level,
                      .keeps_trilinear = (from->flags & IFL_CUDA_DISABLE_TRILINEAR) != 0,
                      .is_seamless = (from->flags & IFL_CUDA_SEAMLESS) != 0};
    memcpy(to.mode, from->mode, sizeof to.mode);
    memcpy(to.border, from->border, sizeof to.border);
    return to;
}

static ifl_cuda_sampler sampler_from(const ifl_sampler *from)
{
    ifl_cuda_sampler to = {.filter = from->filter,
                           .anisotropy = from->anisotropy,
                           .level_filter = from->level_filter,
                           .level_bias = from->level_bias,
                           .least_level = from->least_level,
                           .most_level = from->most_level,
                           .flags = (from->reads_normalized ? 0u : IFL_CUDA_READ_AS_INTEGER) |
                                    (from->is_normalized ? IFL_CUDA_NORMALIZED_COORDINATES : 0u) |
                                    (from->is_srgb ? IFL_CUDA_SRGB : 0u) |
                                    (from->keeps_trilinear ? IFL_CUDA_DISABLE_TRILINEAR : 0u) |
                                    (from->is_seamless ? IFL_CUDA_SEAMLESS : 0u)};
    memcpy(to.mode, from->mode, sizeof to.mode);
    memcpy(to.border, from->border, sizeof to.border);
    return to;
}

/* ---- objects --------------------------------------------------------------------------------- */

/* The driver has one code for what does not go together. */
static ifl_cuda_error code_of(ifl_cuda_error code)
{
    return code == ifl_cudaErrorInvalidNormSetting || code == ifl_cudaErrorInvalidFilterSetting
               ? ifl_cudaErrorInvalidValue
               : code;
}

static ifl_cuda_error make_in(uint64_t *out, const ifl_resource *from, const ifl_sampler *how,
                              const ifl_resource_view *view)
{
    SERVE(code_of(ifl_texture_object_make(session, from, how, view, out)));
}

static ifl_cuda_error make(uint64_t *out, const ifl_cuda_resource *from,
                           const ifl_cuda_sampler *how, const ifl_resource_view *view)
{
    ifl_resource to;
    if (!out || !from || !resource_of(from, &to))
        return ifl_cudaErrorInvalidValue;
    if (!how)
        return make_in(out, &to, NULL, NULL);
    const ifl_sampler of = sampler_of(how, &to);
    return make_in(out, &to, &of, view);
}

IFL_SERVED ifl_cuda_error cuTexObjectCreate(uint64_t *out, const ifl_cuda_resource *from,
                                            const ifl_cuda_sampler *how,
                                            const ifl_resource_view *view)
{
    DRIVE(how ? make(out, from, how, view) : ifl_cudaErrorInvalidValue);
}

IFL_SERVED ifl_cuda_error cuSurfObjectCreate(uint64_t *out, const ifl_cuda_resource *from)
{
    DRIVE(make(out, from, NULL, NULL));
}

static ifl_cuda_error drop(uint64_t handle, bool is_surface)
{
    SERVE(ifl_texture_object_drop(session, handle, is_surface) ? ifl_cudaSuccess
                                                               : ifl_cudaErrorInvalidValue);
}

IFL_SERVED ifl_cuda_error cuTexObjectDestroy(uint64_t handle)
{
    DRIVE(drop(handle, false));
}

IFL_SERVED ifl_cuda_error cuSurfObjectDestroy(uint64_t handle)
{
    DRIVE(drop(handle, true));
}

static ifl_cuda_error tell_resource(ifl_cuda_resource *out, uint64_t handle, bool is_surface)
{
    const ifl_texture_object *object = ifl_texture_object_of(handle, is_surface);
    if (!object || !out)
        return ifl_cudaErrorInvalidValue;
    *out = resource_from(&object->resource);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuTexObjectGetResourceDesc(ifl_cuda_resource *out, uint64_t handle)
{
    DRIVE(tell_resource(out, handle, false));
}

IFL_SERVED ifl_cuda_error cuSurfObjectGetResourceDesc(ifl_cuda_resource *out, uint64_t handle)
{
    DRIVE(tell_resource(out, handle, true));
}

static ifl_cuda_error tell_sampler(ifl_cuda_sampler *out, uint64_t handle)
{
    const ifl_texture_object *object = ifl_texture_object_of(handle, false);
    if (!object || !out)
        return ifl_cudaErrorInvalidValue;
    *out = sampler_from(&object->sampler);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuTexObjectGetTextureDesc(ifl_cuda_sampler *out, uint64_t handle)
{
    DRIVE(tell_sampler(out, handle));
}
