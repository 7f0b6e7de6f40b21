/* SPDX-License-Identifier: Apache-2.0
 * Texture and surface objects of the runtime: its structures, turned into those of texture_object.h
 * and back. */
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

/* ifl_sampler is cudaTextureDesc; the first version lacks the last member. */
enum { SAMPLER_V1_BYTES = offsetof(ifl_sampler, is_seamless) };
_Static_assert(SAMPLER_V1_BYTES == 68 && sizeof(ifl_sampler) == 72,
               "cudaTextureDesc of CUDA 11 and 12");

static ifl_cuda_error resource_of(const resource *from, ifl_resource *to)
{
    *to = (ifl_resource){.type = from->type};
    switch (from->type) {
    case IFL_RESOURCE_ARRAY:
    case IFL_RESOURCE_MIPMAPS:
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
    if (from->type == IFL_RESOURCE_ARRAY || from->type == IFL_RESOURCE_MIPMAPS) {
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

/* ---- textures -------------------------------------------------------------------------------- */

static ifl_cuda_error make(ifl_session *session, uint64_t *out, const resource *from,
                           const ifl_sampler *how, const ifl_resource_view *view)
{
    ifl_resource to;
    if (!out || !from)
        return ifl_cudaErrorInvalidValue;
    const ifl_cuda_error code = resource_of(from, &to);
    return code == ifl_cudaSuccess ? ifl_texture_object_make(session, &to, how, view, out) : code;
}

static bool has_floats(const resource *from)
{
    ifl_resource to;
    if (!from || resource_of(from, &to) != ifl_cudaSuccess)
        return false;
    const ifl_array *array = to.type == IFL_RESOURCE_ARRAY ? ifl_array_of(to.array) : NULL;
    const ifl_mipmaps *levels = to.type == IFL_RESOURCE_MIPMAPS ? ifl_mipmaps_of(to.array) : NULL;
    return (array && array->texel.of == IFL_TEXEL_FLOAT) ||
           (levels && levels->level[0].texel.of == IFL_TEXEL_FLOAT);
}

/* The runtime asks for integers as they are where the array has integers. What a view makes bytes or
 * halves of integers of floats is read normalized: an H200 (driver 580) gives 192 / 255 for 192. */
static bool is_normalized_by_view(const resource *from, const ifl_resource_view *view)
{
    enum { LAST_SMALL = 12 }; /* cudaResViewFormatSignedShort4 */
    return view && view->format >= 1 && view->format <= LAST_SMALL && has_floats(from);
}

/* CUDA Runtime API, cudaCreateTextureObject: the border's color is set with this mode only. */
static bool has_border(const ifl_sampler *s)
{
    bool found = false;
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS; d++)
        found |= s->mode[d] == IFL_OUTSIDE_BORDER;
    return found;
}

static ifl_cuda_error make_of(ifl_session *session, uint64_t *out, const resource *from,
                              const void *how, size_t how_bytes, const ifl_resource_view *view)
{
    ifl_sampler of = {0};
    if (!how)
        return ifl_cudaErrorInvalidValue;
    memcpy(&of, how, how_bytes);
    if (!has_border(&of))
        memset(of.border, 0, sizeof of.border);
    of.reads_normalized |= is_normalized_by_view(from, view);
    return make(session, out, from, &of, view);
}

/* 12.0 took the second version's structure for the first's name. */
enum { SAMPLER_BYTES = IFL_CUDART >= 12 ? sizeof(ifl_sampler) : SAMPLER_V1_BYTES };

IFL_SERVED ifl_cuda_error cudaCreateTextureObject(uint64_t *out, const resource *from,
                                                  const void *how, const ifl_resource_view *view)
{
    SERVE(make_of(session, out, from, how, SAMPLER_BYTES, view));
}

IFL_SERVED ifl_cuda_error cudaCreateTextureObject_v2(uint64_t *out, const resource *from,
                                                     const void *how, const ifl_resource_view *view)
{
    SERVE(make_of(session, out, from, how, sizeof(ifl_sampler), view));
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
    SERVE(tell_resource(out, handle, false));
}

static ifl_cuda_error tell_sampler(void *out, uint64_t handle, size_t bytes)
{
    const ifl_texture_object *object = ifl_texture_object_of(handle, false);
    if (!object || !out)
        return ifl_cudaErrorInvalidValue;
    memcpy(out, &object->sampler, bytes);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaGetTextureObjectTextureDesc(void *out, uint64_t handle)
{
    SERVE(tell_sampler(out, handle, SAMPLER_BYTES));
}

IFL_SERVED ifl_cuda_error cudaGetTextureObjectTextureDesc_v2(void *out, uint64_t handle)
{
    SERVE(tell_sampler(out, handle, sizeof(ifl_sampler)));
}

IFL_SERVED ifl_cuda_error cudaGetTextureObjectResourceViewDesc(ifl_resource_view *out,
                                                               uint64_t handle)
{
    SERVE(ifl_texture_object_tell_view(handle, out));
}

/* ---- surfaces -------------------------------------------------------------------------------- */

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
    SERVE(tell_resource(out, handle, true));
}
