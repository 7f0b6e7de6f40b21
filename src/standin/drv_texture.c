/* SPDX-License-Identifier: Apache-2.0
 * Texture and surface objects of the driver: its structures, turned into those of texture_object.h
 * and back. */
#include "standin/driver_served.h"

#include "standin/driver_texel.h"
#include "standin/texture_object.h"

/* CUDA_RESOURCE_DESC */
typedef struct resource {
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
} resource;

enum {
    READ_AS_INTEGER = 0x01,
    NORMALIZED_COORDINATES = 0x02,
    SRGB = 0x10,
    DISABLE_TRILINEAR = 0x20,
    SEAMLESS = 0x40
};

/* CUDA_TEXTURE_DESC */
typedef struct sampler {
    int mode[IFL_TEXTURE_RANKS];
    int filter;
    unsigned flags, anisotropy;
    int level_filter;
    float level_bias, least_level, most_level;
    float border[IFL_TEXEL_CHANNELS];
    int reserved[12];
} sampler;

static bool resource_of(const resource *from, ifl_resource *to)
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

static resource resource_from(const ifl_resource *from)
{
    resource to = {.type = from->type};
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
static ifl_sampler sampler_of(const sampler *from, const ifl_resource *of)
{
    const ifl_texel texel = texel_of(of);
    const bool is_small = texel.of != IFL_TEXEL_FLOAT && texel.bits < 32;
    ifl_sampler to = {.filter = from->filter,
                      .reads_normalized = is_small && !(from->flags & READ_AS_INTEGER),
                      .is_srgb = (from->flags & SRGB) != 0,
                      .is_normalized = (from->flags & NORMALIZED_COORDINATES) != 0,
                      .anisotropy = from->anisotropy,
                      .level_filter = from->level_filter,
                      .level_bias = from->level_bias,
                      .least_level = from->least_level,
                      .most_level = from->most_level,
                      .keeps_trilinear = (from->flags & DISABLE_TRILINEAR) != 0,
                      .is_seamless = (from->flags & SEAMLESS) != 0};
    memcpy(to.mode, from->mode, sizeof to.mode);
    memcpy(to.border, from->border, sizeof to.border);
    return to;
}

static sampler sampler_from(const ifl_sampler *from)
{
    sampler to = {.filter = from->filter,
                  .anisotropy = from->anisotropy,
                  .level_filter = from->level_filter,
                  .level_bias = from->level_bias,
                  .least_level = from->least_level,
                  .most_level = from->most_level,
                  .flags = (from->reads_normalized ? 0u : READ_AS_INTEGER) |
                           (from->is_normalized ? NORMALIZED_COORDINATES : 0u) |
                           (from->is_srgb ? SRGB : 0u) |
                           (from->keeps_trilinear ? DISABLE_TRILINEAR : 0u) |
                           (from->is_seamless ? SEAMLESS : 0u)};
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

static ifl_cuda_error make_in(uint64_t *out, const ifl_resource *from, const ifl_sampler *how)
{
    SERVE(code_of(ifl_texture_object_make(session, from, how, out)));
}

static ifl_cuda_error make(uint64_t *out, const resource *from, const sampler *how,
                           const void *view)
{
    ifl_resource to;
    if (!out || !from || !resource_of(from, &to))
        return ifl_cudaErrorInvalidValue;
    if (view) {
        ifl_state_tell("error: views of textures (CUDA_RESOURCE_VIEW_DESC) are not served yet");
        return ifl_cudaErrorNotSupported;
    }
    if (!how)
        return make_in(out, &to, NULL);
    const ifl_sampler of = sampler_of(how, &to);
    return make_in(out, &to, &of);
}

IFL_SERVED ifl_cuda_error cuTexObjectCreate(uint64_t *out, const resource *from, const sampler *how,
                                            const void *view)
{
    DRIVE(how ? make(out, from, how, view) : ifl_cudaErrorInvalidValue);
}

IFL_SERVED ifl_cuda_error cuSurfObjectCreate(uint64_t *out, const resource *from)
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

static ifl_cuda_error tell_resource(resource *out, uint64_t handle, bool is_surface)
{
    const ifl_texture_object *object = ifl_texture_object_of(handle, is_surface);
    if (!object || !out)
        return ifl_cudaErrorInvalidValue;
    *out = resource_from(&object->resource);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuTexObjectGetResourceDesc(resource *out, uint64_t handle)
{
    DRIVE(tell_resource(out, handle, false));
}

IFL_SERVED ifl_cuda_error cuSurfObjectGetResourceDesc(resource *out, uint64_t handle)
{
    DRIVE(tell_resource(out, handle, true));
}

static ifl_cuda_error tell_sampler(sampler *out, uint64_t handle)
{
    const ifl_texture_object *object = ifl_texture_object_of(handle, false);
    if (!object || !out)
        return ifl_cudaErrorInvalidValue;
    *out = sampler_from(&object->sampler);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuTexObjectGetTextureDesc(sampler *out, uint64_t handle)
{
    DRIVE(tell_sampler(out, handle));
}
