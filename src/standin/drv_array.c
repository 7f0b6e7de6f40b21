/* SPDX-License-Identifier: Apache-2.0
 * CUDA arrays as the driver describes them. */
#include "standin/driver_served.h"

#include "base/cuda_words.h"
#include "code/texel_format.h"

/* CUDA_ARRAY3D_DESCRIPTOR */
typedef struct deep_array {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
} deep_array;

/* Other formats of videos than NV12 (CUDA Driver API, CUarray_format) are told of by name where they
 * are asked for as such: an H200 takes none otherwise. */
static ifl_cuda_error texel_of(const deep_array *words, ifl_texel *texel)
{
    enum { NV12 = 0xb0, FIRST_LEFT_OUT = 0x9f, LAST_LEFT_OUT = 0xb5 };
    if (ifl_texel_of_format(words->format, words->channels, texel))
        return ifl_cudaSuccess;
    if (words->format < FIRST_LEFT_OUT || words->format > LAST_LEFT_OUT || words->format == NV12 ||
        !(words->flags & IFL_ARRAY_VIDEO))
        return ifl_cudaErrorInvalidValue;
    ifl_state_tell("error: arrays of videos' formats other than NV12 are not served");
    return ifl_cudaErrorNotSupported;
}

static ifl_cuda_error make_in(ifl_session *session, ifl_array **out, const deep_array *words,
                              const char *call, const void *from)
{
    ifl_array asked = {.width = words->width,
                       .height = words->height,
                       .depth = words->depth,
                       .flags = words->flags};
    const ifl_cuda_error code = texel_of(words, &asked.texel);
    return code == ifl_cudaSuccess ? ifl_array_make(session, &asked, call, from, out) : code;
}

static ifl_cuda_error make(ifl_array **out, const deep_array *words, const char *call,
                           const void *from)
{
    SERVE(make_in(session, out, words, call, from));
}

static ifl_cuda_error make_flat(ifl_array **out, const ifl_cuda_array *words, const void *from)
{
    if (!out || !words)
        return ifl_cudaErrorInvalidValue;
    const deep_array deep = {words->width, words->height, 0, words->format, words->channels, 0};
    return make(out, &deep, "cuArrayCreate", from);
}

IFL_SERVED ifl_cuda_error cuArrayCreate_v2(ifl_array **out, const ifl_cuda_array *words)
{
    DRIVE(make_flat(out, words, __builtin_return_address(0)));
}

IFL_SERVED ifl_cuda_error cuArray3DCreate_v2(ifl_array **out, const deep_array *words)
{
    DRIVE(!out || !words ? ifl_cudaErrorInvalidValue
                         : make(out, words, "cuArray3DCreate", __builtin_return_address(0)));
}

static ifl_cuda_error describe(deep_array *out, const void *handle)
{
    const ifl_array *array = ifl_array_of(handle);
    if (!array)
        return (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE;
    *out = (deep_array){array->width,          array->height,
                        array->depth,          ifl_format_of_texel(&array->texel),
                        array->texel.channels, array->flags};
    return ifl_cudaSuccess;
}

static ifl_cuda_error describe_flat(ifl_cuda_array *out, const void *handle)
{
    deep_array deep;
    const ifl_cuda_error code = out ? describe(&deep, handle) : ifl_cudaErrorInvalidValue;
    if (code == ifl_cudaSuccess)
        *out = (ifl_cuda_array){deep.width, deep.height, deep.format, deep.channels};
    return code;
}

IFL_SERVED ifl_cuda_error cuArrayGetDescriptor_v2(ifl_cuda_array *out, const void *array)
{
    DRIVE(describe_flat(out, array));
}

IFL_SERVED ifl_cuda_error cuArray3DGetDescriptor_v2(deep_array *out, const void *array)
{
    DRIVE(out ? describe(out, array) : ifl_cudaErrorInvalidValue);
}

IFL_SERVED ifl_cuda_error cuArrayDestroy(void *array)
{
    DRIVE(ifl_array_of(array) ? cudaFreeArray(array) : (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE);
}

/* ---- levels of detail ------------------------------------------------------------------------ */

static ifl_cuda_error make_levels_in(ifl_session *session, ifl_mipmaps **out,
                                     const deep_array *words, unsigned levels, const void *from)
{
    ifl_array asked = {.width = words->width,
                       .height = words->height,
                       .depth = words->depth,
                       .flags = words->flags};
    const ifl_cuda_error code = texel_of(words, &asked.texel);
    return code == ifl_cudaSuccess
               ? ifl_mipmaps_make(session, &asked, levels, "cuMipmappedArrayCreate", from, out)
               : code;
}

static ifl_cuda_error make_levels(ifl_mipmaps **out, const deep_array *words, unsigned levels,
                                  const void *from)
{
    SERVE(make_levels_in(session, out, words, levels, from));
}

IFL_SERVED ifl_cuda_error cuMipmappedArrayCreate(ifl_mipmaps **out, const deep_array *words,
                                                 unsigned levels)
{
    DRIVE(!out || !words ? ifl_cudaErrorInvalidValue
                         : make_levels(out, words, levels, __builtin_return_address(0)));
}

IFL_SERVED ifl_cuda_error cuMipmappedArrayGetLevel(ifl_array **out, const void *mipmaps,
                                                   unsigned level)
{
    DRIVE(ifl_mipmaps_of(mipmaps) ? cudaGetMipmappedArrayLevel(out, mipmaps, level)
                                  : (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE);
}

IFL_SERVED ifl_cuda_error cuMipmappedArrayDestroy(const void *mipmaps)
{
    DRIVE(ifl_mipmaps_of(mipmaps) ? cudaFreeMipmappedArray(mipmaps)
                                  : (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE);
}
