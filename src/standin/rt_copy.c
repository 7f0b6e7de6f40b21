/* SPDX-License-Identifier: Apache-2.0
 * Copies and fills: each becomes one operation of a stream. */
#include "standin/array.h"
#include "standin/binary.h"
#include "standin/chosen_gpu.h"
#include "standin/served.h"

/* ---- copies ---------------------------------------------------------------------------------- */

ifl_op ifl_copy_line_op(void *to, const void *from, size_t bytes, int kind)
{
    return (ifl_op){
        .kind = IFL_DO_COPY,
        .of.copy = {.to = to, .from = from, .width = bytes, .height = 1, .depth = 1, .kind = kind}};
}

ifl_op ifl_copy_sides_op(const ifl_array_side *to, const ifl_array_side *from,
                         const ifl_extent *bytes, int kind)
{
    return (ifl_op){.kind = IFL_DO_COPY,
                    .of.copy = {.to = to->start,
                                .from = from->start,
                                .to_offset = to->offset,
                                .from_offset = from->offset,
                                .to_pitch = to->pitch,
                                .from_pitch = from->pitch,
                                .to_slice = to->slice,
                                .from_slice = from->slice,
                                .width = bytes->width,
                                .height = bytes->height,
                                .depth = bytes->depth,
                                .kind = kind,
                                .to_array = to->array,
                                .from_array = from->array}};
}

ifl_cuda_error ifl_copy_kind_check(int kind)
{
    return kind >= IFL_HOST_TO_HOST && kind <= IFL_COPY_DEFAULT
               ? ifl_cudaSuccess
               : ifl_cudaErrorInvalidMemcpyDirection;
}

static ifl_cuda_error copy_line(ifl_session *session, void *to, const void *from, size_t bytes,
                                int kind, void *stream)
{
    const ifl_cuda_error code = ifl_copy_kind_check(kind);
    return code == ifl_cudaSuccess
               ? ifl_serve_op(session, stream, ifl_copy_line_op(to, from, bytes, kind))
               : code;
}

static ifl_cuda_error copy_and_wait(ifl_session *session, void *to, const void *from, size_t bytes,
                                    int kind)
{
    const ifl_cuda_error code = copy_line(session, to, from, bytes, kind, NULL);
    ifl_session_host_waits(session);
    return code;
}

IFL_SERVED ifl_cuda_error cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    SERVE(copy_and_wait(session, to, from, bytes, kind));
}
ALSO_OF_THREAD(cudaMemcpy_ptds, cudaMemcpy);

IFL_SERVED ifl_cuda_error cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                                          void *stream)
{
    SERVE(copy_line(session, to, from, bytes, kind, stream));
}
ALSO_OF_THREAD(cudaMemcpyAsync_ptsz, cudaMemcpyAsync);

/* CUDA Runtime API, cudaMemcpyPeer: it needs no access to the peer's memory. */
static ifl_cuda_error copy_between(ifl_session *session, void *to, int to_gpu, const void *from,
                                   int from_gpu, size_t bytes, void *stream)
{
    return ifl_gpu_exists(to_gpu) && ifl_gpu_exists(from_gpu)
               ? copy_line(session, to, from, bytes, IFL_DEVICE_TO_DEVICE, stream)
               : ifl_cudaErrorInvalidDevice;
}

IFL_SERVED ifl_cuda_error cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                                         size_t bytes)
{
    SERVE(copy_between(session, to, to_device, from, from_device, bytes, NULL));
}

IFL_SERVED ifl_cuda_error cudaMemcpyPeerAsync(void *to, int to_device, const void *from,
                                              int from_device, size_t bytes, void *stream)
{
    SERVE(copy_between(session, to, to_device, from, from_device, bytes, stream));
}

/* A runtime of 13.0 on an H200 says so; older ones name the pitch. */
#define BAD_PITCH (IFL_CUDART >= 13 ? ifl_cudaErrorInvalidValue : ifl_cudaErrorInvalidPitchValue)

static ifl_cuda_error copy_rows(ifl_session *session, void *to, size_t to_pitch, const void *from,
                                size_t from_pitch, size_t width, size_t height, int kind,
                                void *stream)
{
    const ifl_cuda_error code = ifl_copy_kind_check(kind);
    if (code != ifl_cudaSuccess)
        return code;
    if (width > to_pitch || width > from_pitch || to_pitch > IFL_MOST_PITCH ||
        from_pitch > IFL_MOST_PITCH)
        return BAD_PITCH;
    const ifl_array_side t = {.start = to, .pitch = to_pitch},
                         f = {.start = (void *)(uintptr_t)from, .pitch = from_pitch};
    const ifl_op op = ifl_copy_sides_op(&t, &f, &(ifl_extent){width, height, 1}, kind);
    return ifl_stream_give(session, stream, &op);
}

IFL_SERVED ifl_cuda_error cudaMemcpy2D(void *to, size_t to_pitch, const void *from,
                                       size_t from_pitch, size_t width, size_t height, int kind)
{
    SERVE(copy_rows(session, to, to_pitch, from, from_pitch, width, height, kind, NULL));
}
ALSO_OF_THREAD(cudaMemcpy2D_ptds, cudaMemcpy2D);

IFL_SERVED ifl_cuda_error cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                            size_t from_pitch, size_t width, size_t height,
                                            int kind, void *stream)
{
    SERVE(copy_rows(session, to, to_pitch, from, from_pitch, width, height, kind, stream));
}
ALSO_OF_THREAD(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync);

/* Where an array takes part, the box and its places in the array and in memory too count elements:
 * on an H100 (runtime 13.0, driver 580) a box of 3 x 2 ints that begins at x = 4 in rows of 16 bytes
 * is refused, and in rows of 32 it is not. */
size_t ifl_copy_unit(const void *to_array, const void *from_array)
{
    const ifl_array *to = ifl_array_of(to_array), *of = to ? to : ifl_array_of(from_array);
    return of ? ifl_texel_bytes(&of->texel) : 1;
}

/* One side of a box of bytes: an array, or memory with pitched rows. */
static ifl_cuda_error find_side(const void *handle, const ifl_pitched *memory,
                                const ifl_position *at, size_t unit, const ifl_extent *box,
                                ifl_array_side *out)
{
    const ifl_array *array = ifl_array_of(handle);
    ifl_position place = *at;
    if (handle && !array)
        return ifl_cudaErrorInvalidResourceHandle;
    if (__builtin_mul_overflow(at->x, unit, &place.x))
        return ifl_cudaErrorInvalidValue;
    if (array)
        return ifl_array_find(array, &place, box, out);
    const ifl_box_side side = {place.x, place.y, place.z, memory->pitch, memory->height};
    *out = (ifl_array_side){.start = memory->at, .pitch = memory->pitch};
    return memory->at ? ifl_box_find(&side, box, &out->offset, &out->slice)
                      : ifl_cudaErrorInvalidValue;
}

/* False where the arrays' elements differ in size, or no number holds the bytes. */
static bool box_in_bytes(const ifl_copy3d *box, size_t unit, ifl_extent *bytes)
{
    const bool is_between = ifl_array_of(box->to_array) && ifl_array_of(box->from_array);
    *bytes = box->extent;
    return (!is_between || ifl_copy_unit(box->from_array, NULL) == unit) &&
           !__builtin_mul_overflow(box->extent.width, unit, &bytes->width);
}

static ifl_position block_at(const ifl_position *at)
{
    return (ifl_position){at->x / IFL_TEXEL_BLOCK_SIDE, at->y / IFL_TEXEL_BLOCK_SIDE, at->z};
}

/* Of compressed arrays it counts texels, and takes the blocks that they lie in: an H200,
 * tools/gpu/texture_blocks.cu, `3d`. */
static ifl_copy3d box_of_blocks(const ifl_copy3d *texels)
{
    ifl_copy3d box = *texels;
    const ifl_array *to = ifl_array_of(box.to_array), *of = to ? to : ifl_array_of(box.from_array);
    if (!of || !of->texel.blocks)
        return box;
    box.to_position = block_at(&box.to_position);
    box.from_position = block_at(&box.from_position);
    box.extent.width = ifl_texel_units(&of->texel, box.extent.width);
    box.extent.height = ifl_texel_units(&of->texel, box.extent.height);
    return box;
}

ifl_cuda_error ifl_copy_box_op(const ifl_copy3d *texels, ifl_op *op)
{
    ifl_array_side to, from;
    ifl_extent bytes;
    const ifl_copy3d blocks = texels ? box_of_blocks(texels) : (ifl_copy3d){0};
    const ifl_copy3d *box = texels ? &blocks : NULL;
    const size_t unit = box ? ifl_copy_unit(box->to_array, box->from_array) : 1;
    if (!box || !box_in_bytes(box, unit, &bytes))
        return ifl_cudaErrorInvalidValue;
    ifl_cuda_error code = ifl_copy_kind_check(box->kind);
    if (code == ifl_cudaSuccess)
        code = find_side(box->to_array, &box->to, &box->to_position, unit, &bytes, &to);
    if (code == ifl_cudaSuccess)
        code = find_side(box->from_array, &box->from, &box->from_position, unit, &bytes, &from);
    if (code != ifl_cudaSuccess)
        return code;
    *op = ifl_copy_sides_op(&to, &from, &bytes, box->kind);
    return ifl_cudaSuccess;
}

/* One side as it was given, from where its box begins. */
typedef struct told_side {
    ifl_position at;
    ifl_pitched memory;
} told_side;

static told_side tell_side(void *array, void *start, size_t offset, size_t pitch, size_t slice,
                           size_t unit, const ifl_op_copy *c)
{
    const size_t rest = slice ? offset % slice : offset, x = pitch ? rest % pitch : rest;
    told_side side = {.at = {x / unit, pitch ? rest / pitch : 0, slice ? offset / slice : 0}};
    if (!array)
        side.memory = (ifl_pitched){start, pitch ? pitch : c->width, c->width,
                                    pitch && slice ? slice / pitch : c->height};
    return side;
}

void ifl_copy_op_box(const ifl_op_copy *c, size_t unit_bytes, ifl_copy3d *box)
{
    const told_side to = tell_side(c->to_array, c->to, c->to_offset, c->to_pitch, c->to_slice,
                                   unit_bytes, c),
                    from = tell_side(c->from_array, (void *)(uintptr_t)c->from, c->from_offset,
                                     c->from_pitch, c->from_slice, unit_bytes, c);
    *box = (ifl_copy3d){.from_array = c->from_array,
                        .from_position = from.at,
                        .from = from.memory,
                        .to_array = c->to_array,
                        .to_position = to.at,
                        .to = to.memory,
                        .extent = {c->width / unit_bytes, c->height, c->depth},
                        .kind = c->kind};
}

ifl_cuda_error ifl_copy_box_give(ifl_session *session, const ifl_copy3d *box, void *stream)
{
    ifl_op op;
    const ifl_cuda_error code = ifl_copy_box_op(box, &op);
    return code == ifl_cudaSuccess ? ifl_stream_give(session, stream, &op) : code;
}

IFL_SERVED ifl_cuda_error cudaMemcpy3D(const ifl_copy3d *box)
{
    SERVE(ifl_copy_box_give(session, box, NULL));
}
ALSO_OF_THREAD(cudaMemcpy3D_ptds, cudaMemcpy3D);

IFL_SERVED ifl_cuda_error cudaMemcpy3DAsync(const ifl_copy3d *box, void *stream)
{
    SERVE(ifl_copy_box_give(session, box, stream));
}
ALSO_OF_THREAD(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync);

/* ---- variables ------------------------------------------------------------------------------- */

static ifl_cuda_error find(ifl_session *session, const void *symbol, size_t bytes, size_t offset,
                           uint8_t **at)
{
    ifl_placed_variable a;
    const ifl_cuda_error code = ifl_variable_resolve(session, symbol, &a);
    if (code != ifl_cudaSuccess)
        return code;
    *at = (uint8_t *)(uintptr_t)(a.address + offset);
    return offset > a.bytes || bytes > a.bytes - offset ? ifl_cudaErrorInvalidValue
                                                        : ifl_cudaSuccess;
}

ifl_cuda_error ifl_copy_to_symbol_op(ifl_session *session, const void *symbol, const void *from,
                                     size_t bytes, size_t offset, int kind, ifl_op *op)
{
    uint8_t *at = NULL;
    const ifl_cuda_error code = find(session, symbol, bytes, offset, &at);
    *op = ifl_copy_line_op(at, from, bytes, kind);
    return code == ifl_cudaSuccess ? ifl_copy_kind_check(kind) : code;
}

ifl_cuda_error ifl_copy_from_symbol_op(ifl_session *session, void *to, const void *symbol,
                                       size_t bytes, size_t offset, int kind, ifl_op *op)
{
    uint8_t *at = NULL;
    const ifl_cuda_error code = find(session, symbol, bytes, offset, &at);
    *op = ifl_copy_line_op(to, at, bytes, kind);
    return code == ifl_cudaSuccess ? ifl_copy_kind_check(kind) : code;
}

static ifl_cuda_error to_symbol(ifl_session *session, const void *symbol, const void *from,
                                size_t bytes, size_t offset, int kind, void *stream)
{
    ifl_op op;
    const ifl_cuda_error code =
        ifl_copy_to_symbol_op(session, symbol, from, bytes, offset, kind, &op);
    return code == ifl_cudaSuccess ? ifl_stream_give(session, stream, &op) : code;
}

static ifl_cuda_error from_symbol(ifl_session *session, void *to, const void *symbol, size_t bytes,
                                  size_t offset, int kind, void *stream)
{
    ifl_op op;
    const ifl_cuda_error code =
        ifl_copy_from_symbol_op(session, to, symbol, bytes, offset, kind, &op);
    return code == ifl_cudaSuccess ? ifl_stream_give(session, stream, &op) : code;
}

IFL_SERVED ifl_cuda_error cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes,
                                             size_t offset, int kind)
{
    SERVE(to_symbol(session, symbol, from, bytes, offset, kind, NULL));
}
ALSO_OF_THREAD(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol);

IFL_SERVED ifl_cuda_error cudaMemcpyToSymbolAsync(const void *symbol, const void *from,
                                                  size_t bytes, size_t offset, int kind,
                                                  void *stream)
{
    SERVE(to_symbol(session, symbol, from, bytes, offset, kind, stream));
}
ALSO_OF_THREAD(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync);

IFL_SERVED ifl_cuda_error cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                                               size_t offset, int kind)
{
    SERVE(from_symbol(session, to, symbol, bytes, offset, kind, NULL));
}
ALSO_OF_THREAD(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol);

IFL_SERVED ifl_cuda_error cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes,
                                                    size_t offset, int kind, void *stream)
{
    SERVE(from_symbol(session, to, symbol, bytes, offset, kind, stream));
}
ALSO_OF_THREAD(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync);

static ifl_cuda_error symbol_address(ifl_session *session, void **out, const void *symbol)
{
    uint8_t *at = NULL;
    if (!out)
        return ifl_cudaErrorInvalidValue;
    const ifl_cuda_error code = find(session, symbol, 0, 0, &at);
    *out = code == ifl_cudaSuccess ? at : NULL;
    return code;
}

IFL_SERVED ifl_cuda_error cudaGetSymbolAddress(void **out, const void *symbol)
{
    SERVE(symbol_address(session, out, symbol));
}

static ifl_cuda_error symbol_size(ifl_session *session, size_t *out, const void *symbol)
{
    ifl_placed_variable a;
    if (!out)
        return ifl_cudaErrorInvalidValue;
    const ifl_cuda_error code = ifl_variable_resolve(session, symbol, &a);
    if (code == ifl_cudaSuccess)
        *out = a.bytes;
    return code;
}

IFL_SERVED ifl_cuda_error cudaGetSymbolSize(size_t *out, const void *symbol)
{
    SERVE(symbol_size(session, out, symbol));
}

/* ---- fills ----------------------------------------------------------------------------------- */

static ifl_cuda_error fill(ifl_session *session, void *to, size_t pitch, size_t slice, int value,
                           ifl_extent extent, void *stream)
{
    ifl_op op;
    const ifl_op_set of = {.to = to,
                           .pitch = pitch,
                           .slice = slice,
                           .width = extent.width,
                           .height = extent.height,
                           .depth = extent.depth,
                           .element_bytes = 1,
                           .value = (uint8_t)value};
    const ifl_cuda_error code = ifl_fill_op(&of, &op);
    return code == ifl_cudaSuccess ? ifl_stream_give(session, stream, &op) : code;
}

static ifl_cuda_error fill_box(ifl_session *session, const ifl_pitched *block, int value,
                               ifl_extent extent, void *stream)
{
    size_t slice;
    if (__builtin_mul_overflow(block->pitch, block->height, &slice))
        return ifl_cudaErrorInvalidValue;
    return fill(session, block->at, block->pitch, slice, value, extent, stream);
}

IFL_SERVED ifl_cuda_error cudaMemset(void *to, int value, size_t bytes)
{
    SERVE(fill(session, to, 0, 0, value, (ifl_extent){bytes, 1, 1}, NULL));
}
ALSO_OF_THREAD(cudaMemset_ptds, cudaMemset);

IFL_SERVED ifl_cuda_error cudaMemsetAsync(void *to, int value, size_t bytes, void *stream)
{
    SERVE(fill(session, to, 0, 0, value, (ifl_extent){bytes, 1, 1}, stream));
}
ALSO_OF_THREAD(cudaMemsetAsync_ptsz, cudaMemsetAsync);

IFL_SERVED ifl_cuda_error cudaMemset2D(void *to, size_t pitch, int value, size_t width,
                                       size_t height)
{
    SERVE(fill(session, to, pitch, 0, value, (ifl_extent){width, height, 1}, NULL));
}
ALSO_OF_THREAD(cudaMemset2D_ptds, cudaMemset2D);

IFL_SERVED ifl_cuda_error cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                                            size_t height, void *stream)
{
    SERVE(fill(session, to, pitch, 0, value, (ifl_extent){width, height, 1}, stream));
}
ALSO_OF_THREAD(cudaMemset2DAsync_ptsz, cudaMemset2DAsync);

IFL_SERVED ifl_cuda_error cudaMemset3D(ifl_pitched block, int value, ifl_extent extent)
{
    SERVE(fill_box(session, &block, value, extent, NULL));
}
ALSO_OF_THREAD(cudaMemset3D_ptds, cudaMemset3D);

IFL_SERVED ifl_cuda_error cudaMemset3DAsync(ifl_pitched block, int value, ifl_extent extent,
                                            void *stream)
{
    SERVE(fill_box(session, &block, value, extent, stream));
}
ALSO_OF_THREAD(cudaMemset3DAsync_ptsz, cudaMemset3DAsync);
