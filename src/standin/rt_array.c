/* SPDX-License-Identifier: Apache-2.0
 * CUDA arrays, and the copies that only they have. Copies of boxes are in rt_copy.c. */
#include "standin/array.h"
#include "standin/served.h"

#include <stdlib.h>

/* ---- arrays ---------------------------------------------------------------------------------- */

IFL_SERVED ifl_channels cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return (ifl_channels){{x, y, z, w}, kind};
}

static ifl_cuda_error make(ifl_session *session, ifl_array **out, const ifl_channels *channels,
                           ifl_extent extent, unsigned flags, const char *call, const void *from)
{
    ifl_array asked = {
        .width = extent.width, .height = extent.height, .depth = extent.depth, .flags = flags};
    if (!out || !channels)
        return ifl_cudaErrorInvalidValue;
    const ifl_cuda_error code = ifl_texel_of_channels(channels, &asked.texel);
    return code == ifl_cudaSuccess ? ifl_array_make(session, &asked, call, from, out) : code;
}

IFL_SERVED ifl_cuda_error cudaMallocArray(ifl_array **out, const ifl_channels *channels,
                                          size_t width, size_t height, unsigned flags)
{
    SERVE_UNSAFE(flags & (IFL_ARRAY_LAYERED | IFL_ARRAY_CUBE)
                     ? ifl_cudaErrorInvalidValue
                     : make(session, out, channels, (ifl_extent){width, height, 0}, flags,
                            "cudaMallocArray", __builtin_return_address(0)));
}

IFL_SERVED ifl_cuda_error cudaMalloc3DArray(ifl_array **out, const ifl_channels *channels,
                                            ifl_extent extent, unsigned flags)
{
    SERVE_UNSAFE(make(session, out, channels, extent, flags, "cudaMalloc3DArray",
                      __builtin_return_address(0)));
}

static ifl_cuda_error drop(ifl_session *session, const void *handle)
{
    ifl_array *array = ifl_array_of(handle);
    if (!handle)
        return ifl_cudaSuccess;
    if (array && array->is_part && array->flags & IFL_ARRAY_VIDEO)
        return ifl_cudaSuccess; /* a plane, which stays: an H200, tools/gpu/texture_blocks.cu */
    if (!array || array->is_part)
        return ifl_cudaErrorInvalidValue;
    ifl_array_drop(session, array);
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaFreeArray(const void *array)
{
    SERVE_UNSAFE(drop(session, array));
}

static ifl_cuda_error describe(const void *handle, ifl_channels *channels, ifl_extent *extent,
                               unsigned *flags)
{
    const ifl_array *array = ifl_array_of(handle);
    if (!array)
        return ifl_cudaErrorInvalidResourceHandle;
    if (channels)
        *channels = ifl_channels_of_texel(&array->texel);
    if (extent)
        *extent = (ifl_extent){array->width, array->height, array->depth};
    if (flags)
        *flags = array->flags;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaArrayGetInfo(ifl_channels *channels, ifl_extent *extent,
                                           unsigned *flags, const void *array)
{
    SERVE(describe(array, channels, extent, flags));
}

IFL_SERVED ifl_cuda_error cudaGetChannelDesc(ifl_channels *channels, const void *array)
{
    SERVE(channels ? describe(array, channels, NULL, NULL) : ifl_cudaErrorInvalidValue);
}

/* ---- planes --------------------------------------------------------------------------------- */

static ifl_cuda_error tell_plane(ifl_array **out, const void *handle, unsigned place)
{
    const ifl_array *array = ifl_array_of(handle);
    if (!out || !array || !array->plane || place >= IFL_ARRAY_PLANES)
        return ifl_cudaErrorInvalidValue;
    *out = &array->plane[place];
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaArrayGetPlane(ifl_array **out, const void *array, unsigned place)
{
    SERVE(tell_plane(out, array, place));
}

/* ---- levels of detail ------------------------------------------------------------------------ */

static ifl_cuda_error make_levels(ifl_session *session, ifl_mipmaps **out,
                                  const ifl_channels *channels, ifl_extent extent, unsigned levels,
                                  unsigned flags, const void *from)
{
    ifl_array asked = {
        .width = extent.width, .height = extent.height, .depth = extent.depth, .flags = flags};
    if (!out || !channels)
        return ifl_cudaErrorInvalidValue;
    const ifl_cuda_error code = ifl_texel_of_channels(channels, &asked.texel);
    return code == ifl_cudaSuccess
               ? ifl_mipmaps_make(session, &asked, levels, "cudaMallocMipmappedArray", from, out)
               : code;
}

IFL_SERVED ifl_cuda_error cudaMallocMipmappedArray(ifl_mipmaps **out, const ifl_channels *channels,
                                                   ifl_extent extent, unsigned levels,
                                                   unsigned flags)
{
    SERVE_UNSAFE(
        make_levels(session, out, channels, extent, levels, flags, __builtin_return_address(0)));
}

static ifl_cuda_error drop_levels(ifl_session *session, const void *handle)
{
    ifl_mipmaps *mipmaps = ifl_mipmaps_of(handle);
    if (mipmaps)
        ifl_mipmaps_drop(session, mipmaps);
    return mipmaps || !handle ? ifl_cudaSuccess : ifl_cudaErrorInvalidValue;
}

IFL_SERVED ifl_cuda_error cudaFreeMipmappedArray(const void *mipmaps)
{
    SERVE_UNSAFE(drop_levels(session, mipmaps));
}

static ifl_cuda_error tell_level(ifl_array **out, const void *handle, unsigned level)
{
    ifl_mipmaps *mipmaps = ifl_mipmaps_of(handle);
    if (!out || !mipmaps || level >= mipmaps->count)
        return ifl_cudaErrorInvalidValue;
    *out = &mipmaps->level[level];
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cudaGetMipmappedArrayLevel(ifl_array **out, const void *mipmaps,
                                                     unsigned level)
{
    SERVE(tell_level(out, mipmaps, level));
}

/* ---- copies of rows -------------------------------------------------------------------------- */

/* An array with a place in it, or memory with the pitch of its rows. */
typedef struct side {
    bool is_array;
    const void *array;
    size_t x, y;
    void *memory;
    size_t pitch;
} side;

static ifl_cuda_error find(const side *s, size_t width, size_t height, ifl_array_side *out)
{
    const ifl_array *array = ifl_array_of(s->array);
    const ifl_position at = {s->x, s->y, 0};
    const ifl_extent box = {width, height, 1};
    if (s->is_array)
        return array ? ifl_array_find(array, &at, &box, out) : ifl_cudaErrorInvalidResourceHandle;
    if (width > s->pitch || s->pitch > IFL_MOST_PITCH)
        return ifl_cudaErrorInvalidValue;
    *out = (ifl_array_side){.start = s->memory, .offset = s->x, .pitch = s->pitch};
    return ifl_cudaSuccess;
}

static ifl_cuda_error copy(ifl_session *session, const side *to, const side *from, size_t width,
                           size_t height, int kind, void *stream)
{
    ifl_array_side t, f;
    ifl_cuda_error code = kind < IFL_HOST_TO_HOST || kind > IFL_COPY_DEFAULT
                              ? ifl_cudaErrorInvalidMemcpyDirection
                              : find(to, width, height, &t);
    if (code == ifl_cudaSuccess)
        code = find(from, width, height, &f);
    if (code != ifl_cudaSuccess)
        return code;
    const ifl_op op = ifl_copy_sides_op(&t, &f, &(ifl_extent){width, height, 1}, kind);
    return ifl_stream_give(session, stream, &op);
}

#define ARRAY(array, x, y)                                                                         \
    &(const side)                                                                                  \
    {                                                                                              \
        true, (array), (x), (y), NULL, 0                                                           \
    }
#define MEMORY(memory, pitch)                                                                      \
    &(const side)                                                                                  \
    {                                                                                              \
        false, NULL, 0, 0, (void *)(uintptr_t)(memory), (pitch)                                    \
    }

IFL_SERVED ifl_cuda_error cudaMemcpy2DToArray(const void *to, size_t x, size_t y, const void *from,
                                              size_t pitch, size_t width, size_t height, int kind)
{
    SERVE(copy(session, ARRAY(to, x, y), MEMORY(from, pitch), width, height, kind, NULL));
}
ALSO_OF_THREAD(cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArray);

IFL_SERVED ifl_cuda_error cudaMemcpy2DToArrayAsync(const void *to, size_t x, size_t y,
                                                   const void *from, size_t pitch, size_t width,
                                                   size_t height, int kind, void *stream)
{
    SERVE(copy(session, ARRAY(to, x, y), MEMORY(from, pitch), width, height, kind, stream));
}
ALSO_OF_THREAD(cudaMemcpy2DToArrayAsync_ptsz, cudaMemcpy2DToArrayAsync);

IFL_SERVED ifl_cuda_error cudaMemcpy2DFromArray(void *to, size_t pitch, const void *from, size_t x,
                                                size_t y, size_t width, size_t height, int kind)
{
    SERVE(copy(session, MEMORY(to, pitch), ARRAY(from, x, y), width, height, kind, NULL));
}
ALSO_OF_THREAD(cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArray);

IFL_SERVED ifl_cuda_error cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, const void *from,
                                                     size_t x, size_t y, size_t width,
                                                     size_t height, int kind, void *stream)
{
    SERVE(copy(session, MEMORY(to, pitch), ARRAY(from, x, y), width, height, kind, stream));
}
ALSO_OF_THREAD(cudaMemcpy2DFromArrayAsync_ptsz, cudaMemcpy2DFromArrayAsync);

IFL_SERVED ifl_cuda_error cudaMemcpy2DArrayToArray(const void *to, size_t to_x, size_t to_y,
                                                   const void *from, size_t x, size_t y,
                                                   size_t width, size_t height, int kind)
{
    SERVE(copy(session, ARRAY(to, to_x, to_y), ARRAY(from, x, y), width, height, kind, NULL));
}
ALSO_OF_THREAD(cudaMemcpy2DArrayToArray_ptds, cudaMemcpy2DArrayToArray);

/* ---- copies of elements in a row ------------------------------------------------------------- */

size_t ifl_array_row_bytes(const ifl_array *array)
{
    return ifl_texel_units(&array->texel, array->width) * ifl_texel_bytes(&array->texel);
}

/* The bytes from (x, y) on go over into the rows below: a piece of the first row, whole rows, a
 * piece of the last. */
static ifl_cuda_error copy_flat(ifl_session *session, const void *handle, size_t x, size_t y,
                                void *memory, size_t bytes, bool is_to, int kind, void *stream)
{
    const ifl_array *array = ifl_array_of(handle);
    ifl_cuda_error code = array ? ifl_cudaSuccess : ifl_cudaErrorInvalidResourceHandle;
    const size_t row = array ? ifl_array_row_bytes(array) : 1,
                 rows = array && array->height ? ifl_texel_units(&array->texel, array->height) : 1;
    if (array && (x >= row || y >= rows || bytes > row * (rows - y) - x))
        return ifl_cudaErrorInvalidValue;
    for (size_t done = 0; done < bytes && code == ifl_cudaSuccess;) {
        const size_t left = bytes - done, rest = row - x;
        const size_t width = x || left < row ? (left < rest ? left : rest) : row,
                     height = width < row ? 1 : left / row;
        const side in_array = {true, handle, x, y, NULL, 0},
                   plain = {false, NULL, 0, 0, (void *)((uintptr_t)memory + done), width};
        code = is_to ? copy(session, &in_array, &plain, width, height, kind, stream)
                     : copy(session, &plain, &in_array, width, height, kind, stream);
        done += width * height;
        y += height;
        x = 0;
    }
    return code;
}

IFL_SERVED ifl_cuda_error cudaMemcpyToArray(const void *to, size_t x, size_t y, const void *from,
                                            size_t bytes, int kind)
{
    SERVE(copy_flat(session, to, x, y, (void *)(uintptr_t)from, bytes, true, kind, NULL));
}
ALSO_OF_THREAD(cudaMemcpyToArray_ptds, cudaMemcpyToArray);

IFL_SERVED ifl_cuda_error cudaMemcpyToArrayAsync(const void *to, size_t x, size_t y,
                                                 const void *from, size_t bytes, int kind,
                                                 void *stream)
{
    SERVE(copy_flat(session, to, x, y, (void *)(uintptr_t)from, bytes, true, kind, stream));
}
ALSO_OF_THREAD(cudaMemcpyToArrayAsync_ptsz, cudaMemcpyToArrayAsync);

IFL_SERVED ifl_cuda_error cudaMemcpyFromArray(void *to, const void *from, size_t x, size_t y,
                                              size_t bytes, int kind)
{
    SERVE(copy_flat(session, from, x, y, to, bytes, false, kind, NULL));
}
ALSO_OF_THREAD(cudaMemcpyFromArray_ptds, cudaMemcpyFromArray);

IFL_SERVED ifl_cuda_error cudaMemcpyFromArrayAsync(void *to, const void *from, size_t x, size_t y,
                                                   size_t bytes, int kind, void *stream)
{
    SERVE(copy_flat(session, from, x, y, to, bytes, false, kind, stream));
}
ALSO_OF_THREAD(cudaMemcpyFromArrayAsync_ptsz, cudaMemcpyFromArrayAsync);

#if IFL_CUDART < 13
/* Rows of both may begin and end anywhere: by way of memory of the host. */
static ifl_cuda_error copy_by_host(ifl_session *session, const void *to, ifl_position to_place,
                                   const void *from, ifl_position place, size_t bytes)
{
    enum { BY_ADDRESS = 4 };
    const ifl_array *source = ifl_array_of(from);
    if (!source)
        return ifl_cudaErrorInvalidResourceHandle;
    if (bytes > source->bytes)
        return ifl_cudaErrorInvalidValue;
    void *between = malloc(bytes + 1);
    ifl_cuda_error code = between ? copy_flat(session, from, place.x, place.y, between, bytes,
                                              false, BY_ADDRESS, NULL)
                                  : ifl_cudaErrorMemoryAllocation;
    if (code == ifl_cudaSuccess)
        code =
            copy_flat(session, to, to_place.x, to_place.y, between, bytes, true, BY_ADDRESS, NULL);
    free(between);
    return code;
}

IFL_SERVED ifl_cuda_error cudaMemcpyArrayToArray(const void *to, size_t to_x, size_t to_y,
                                                 const void *from, size_t x, size_t y, size_t bytes,
                                                 int kind)
{
    (void)kind;
    SERVE(copy_by_host(session, to, (ifl_position){to_x, to_y, 0}, from, (ifl_position){x, y, 0},
                       bytes));
}
ALSO_OF_THREAD(cudaMemcpyArrayToArray_ptds, cudaMemcpyArrayToArray);
#endif
