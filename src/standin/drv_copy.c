/* SPDX-License-Identifier: Apache-2.0
 * Boxes of bytes that the driver copies and fills. */
#include "base/cuda_words.h"
#include "standin/array.h"
#include "standin/copy_batch.h"
#include "standin/driver_served.h"
#include "standin/graph_node.h"

/* CUDA_MEMCPY3D and one side of it. */
typedef struct deep_side {
    size_t x, y, z, level;
    int type;
    uint8_t *host, *device;
    void *array, *session;
    size_t pitch, height;
} deep_side;

typedef struct deep_copy {
    deep_side from, to;
    size_t width, height, depth;
} deep_copy;

static deep_side deep_of(const ifl_cuda_copy_side *side)
{
    return (deep_side){.x = side->x,
                       .y = side->y,
                       .type = side->type,
                       .host = side->host,
                       .device = side->device,
                       .array = side->array,
                       .pitch = side->pitch};
}

/* cudaMemcpyKind; unified addresses say themselves what they are. */
static int kind_of(int from, int to)
{
    if (from == IFL_CUDA_UNIFIED || to == IFL_CUDA_UNIFIED)
        return IFL_COPY_DEFAULT;
    return from == IFL_CUDA_ON_HOST
               ? (to == IFL_CUDA_ON_HOST ? IFL_HOST_TO_HOST : IFL_HOST_TO_DEVICE)
               : (to == IFL_CUDA_ON_HOST ? IFL_DEVICE_TO_HOST : IFL_DEVICE_TO_DEVICE);
}

/* Places and widths are in bytes, of arrays too. */
static ifl_cuda_error find_side(const deep_side *side, const ifl_extent *box, ifl_array_side *out)
{
    const ifl_box_side of = (ifl_box_side){side->x, side->y, side->z, side->pitch, side->height};
    const ifl_position at = {side->x, side->y, side->z};
    if (side->type == IFL_CUDA_IN_ARRAY) {
        const ifl_array *array = ifl_array_of(side->array);
        return array ? ifl_array_find(array, &at, box, out)
                     : (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE;
    }
    if (side->type < IFL_CUDA_ON_HOST || side->type > IFL_CUDA_UNIFIED)
        return ifl_cudaErrorInvalidValue;
    *out = (ifl_array_side){.start = side->type == IFL_CUDA_ON_HOST ? side->host : side->device,
                            .pitch = side->pitch};
    return ifl_box_find(&of, box, &out->offset, &out->slice);
}

static ifl_cuda_error copy_op(const deep_copy *copy, ifl_op *op)
{
    ifl_array_side to, from;
    const ifl_extent box = {copy->width, copy->height, copy->depth};
    ifl_cuda_error code = find_side(&copy->from, &box, &from);
    if (code == ifl_cudaSuccess)
        code = find_side(&copy->to, &box, &to);
    if (code != ifl_cudaSuccess)
        return code;
    *op = ifl_copy_sides_op(&to, &from, &box, kind_of(copy->from.type, copy->to.type));
    return ifl_cudaSuccess;
}

static ifl_cuda_error give(void *stream, const ifl_op *op)
{
    SERVE(ifl_stream_give(session, stream, op));
}

static ifl_cuda_error copy_deep(const deep_copy *copy, void *stream)
{
    ifl_op op;
    if (!copy)
        return ifl_cudaErrorInvalidValue;
    const ifl_cuda_error code = copy_op(copy, &op);
    return code == ifl_cudaSuccess ? give(stream, &op) : code;
}

static ifl_cuda_error copy_flat(const ifl_cuda_copy *copy, void *stream)
{
    if (!copy)
        return ifl_cudaErrorInvalidValue;
    const deep_copy deep = {deep_of(&copy->from), deep_of(&copy->to), copy->width, copy->height, 1};
    return copy_deep(&deep, stream);
}

IFL_SERVED ifl_cuda_error cuMemcpy2D_v2(const ifl_cuda_copy *copy)
{
    DRIVE(copy_flat(copy, NULL));
}
ALSO_OF_THREAD(cuMemcpy2D_v2_ptds, cuMemcpy2D_v2);
ALSO(cuMemcpy2DUnaligned_v2, cuMemcpy2D_v2);
ALSO_OF_THREAD(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2D_v2);

IFL_SERVED ifl_cuda_error cuMemcpy2DAsync_v2(const ifl_cuda_copy *copy, void *stream)
{
    DRIVE(copy_flat(copy, stream));
}
ALSO_OF_THREAD(cuMemcpy2DAsync_v2_ptsz, cuMemcpy2DAsync_v2);

IFL_SERVED ifl_cuda_error cuMemcpy3D_v2(const deep_copy *copy)
{
    DRIVE(copy_deep(copy, NULL));
}
ALSO_OF_THREAD(cuMemcpy3D_v2_ptds, cuMemcpy3D_v2);
ALSO(cuMemcpy3DPeer, cuMemcpy3D_v2);
ALSO_OF_THREAD(cuMemcpy3DPeer_ptds, cuMemcpy3D_v2);

IFL_SERVED ifl_cuda_error cuMemcpy3DAsync_v2(const deep_copy *copy, void *stream)
{
    DRIVE(copy_deep(copy, stream));
}
ALSO_OF_THREAD(cuMemcpy3DAsync_v2_ptsz, cuMemcpy3DAsync_v2);
ALSO(cuMemcpy3DPeerAsync, cuMemcpy3DAsync_v2);
ALSO_OF_THREAD(cuMemcpy3DPeerAsync_ptsz, cuMemcpy3DAsync_v2);

/* ---- in batches ------------------------------------------------------------------------------ */

static ifl_cuda_error give_batch(const ifl_copy_batch *batch, size_t *failed, void *stream)
{
    SERVE(ifl_copy_batch_give(session, batch, stream, failed));
}

IFL_SERVED ifl_cuda_error cuMemcpyBatchAsync(void *const *to, const void *const *from,
                                             const size_t *bytes, size_t count,
                                             const ifl_copy_attributes *attributes,
                                             const size_t *first, size_t attribute_count,
                                             size_t *failed, void *stream)
{
    const ifl_copy_batch batch = {to, from, bytes, count, attributes, first, attribute_count};
    DRIVE(give_batch(&batch, failed, stream));
}
ALSO_OF_THREAD(cuMemcpyBatchAsync_ptsz, cuMemcpyBatchAsync);

IFL_SERVED ifl_cuda_error cuMemcpyBatchAsync_v2(void *const *to, const void *const *from,
                                                const size_t *bytes, size_t count,
                                                const ifl_copy_attributes *attributes,
                                                const size_t *first, size_t attribute_count,
                                                void *stream)
{
    const ifl_copy_batch batch = {to, from, bytes, count, attributes, first, attribute_count};
    DRIVE(give_batch(&batch, NULL, stream));
}
ALSO_OF_THREAD(cuMemcpyBatchAsync_v2_ptsz, cuMemcpyBatchAsync_v2);

/* ---- in graphs ------------------------------------------------------------------------------- */

static ifl_made_op make(const deep_copy *copy)
{
    ifl_made_op made = {.code = ifl_cudaErrorInvalidValue};
    if (copy)
        made.code = copy_op(copy, &made.op);
    return made;
}

IFL_SERVED ifl_cuda_error cuGraphAddMemcpyNode(ifl_node **out, const void *graph,
                                               ifl_node *const *after, size_t count,
                                               const deep_copy *copy, void *session)
{
    (void)session;
    DRIVE(ifl_made_add(out, graph, after, count, make(copy)));
}

IFL_SERVED ifl_cuda_error cuGraphMemcpyNodeSetParams(const void *node, const deep_copy *copy)
{
    DRIVE(ifl_made_set(ifl_node_of(node), make(copy)));
}

static ifl_cuda_error set_exec(const void *exec, const void *node, const deep_copy *copy)
{
    SERVE(ifl_made_set_exec(session, ifl_exec_twin(exec, node), make(copy)));
}

IFL_SERVED ifl_cuda_error cuGraphExecMemcpyNodeSetParams(const void *exec, const void *node,
                                                         const deep_copy *copy, void *context)
{
    (void)context;
    DRIVE(set_exec(exec, node, copy));
}

/* One side of what the runtime's call tells; places in arrays count elements there. */
static deep_side side_from(const ifl_position *at, const ifl_pitched *memory, void *array, int type)
{
    return (deep_side){.x = at->x,
                       .y = at->y,
                       .z = at->z,
                       .type = array ? IFL_CUDA_IN_ARRAY : type,
                       .host = type == IFL_CUDA_ON_HOST ? memory->at : NULL,
                       .device = type == IFL_CUDA_ON_HOST ? NULL : memory->at,
                       .array = array,
                       .pitch = memory->pitch,
                       .height = memory->height};
}

static ifl_cuda_error tell(const ifl_node *node, deep_copy *out)
{
    static const int from[] = {IFL_CUDA_ON_HOST, IFL_CUDA_ON_HOST, IFL_CUDA_ON_DEVICE,
                               IFL_CUDA_ON_DEVICE, IFL_CUDA_UNIFIED},
                     to[] = {IFL_CUDA_ON_HOST, IFL_CUDA_ON_DEVICE, IFL_CUDA_ON_HOST,
                             IFL_CUDA_ON_DEVICE, IFL_CUDA_UNIFIED};
    ifl_copy3d box;
    if (!node || !out || node->op.kind != IFL_DO_COPY)
        return ifl_cudaErrorInvalidValue;
    const ifl_op_copy *c = &node->op.of.copy;
    ifl_copy_op_box(c, 1, &box);
    *out =
        (deep_copy){.from = side_from(&box.from_position, &box.from, box.from_array, from[c->kind]),
                    .to = side_from(&box.to_position, &box.to, box.to_array, to[c->kind]),
                    .width = c->width,
                    .height = c->height,
                    .depth = c->depth};
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuGraphMemcpyNodeGetParams(const void *node, deep_copy *out)
{
    DRIVE(tell(ifl_node_of(node), out));
}

/* ---- fills ----------------------------------------------------------------------------------- */

static ifl_cuda_error fill(void *to, size_t pitch, unsigned element_bytes, uint32_t value,
                           size_t width, size_t height, void *stream)
{
    ifl_op op;
    const ifl_op_set of = {.to = to,
                           .pitch = pitch,
                           .width = width,
                           .height = height,
                           .depth = 1,
                           .element_bytes = element_bytes,
                           .value = value};
    const ifl_cuda_error code = ifl_fill_op(&of, &op);
    return code == ifl_cudaSuccess ? give(stream, &op) : code;
}

#define FILL(bits, type)                                                                           \
    IFL_SERVED ifl_cuda_error cuMemsetD##bits##_v2(void *to, type value, size_t count)             \
    {                                                                                              \
        DRIVE(fill(to, 0, (bits) / 8, value, count, 1, NULL));                                     \
    }                                                                                              \
    ALSO_OF_THREAD(cuMemsetD##bits##_v2_ptds, cuMemsetD##bits##_v2);                               \
    IFL_SERVED ifl_cuda_error cuMemsetD##bits##Async(void *to, type value, size_t count,           \
                                                     void *stream)                                 \
    {                                                                                              \
        DRIVE(fill(to, 0, (bits) / 8, value, count, 1, stream));                                   \
    }                                                                                              \
    ALSO_OF_THREAD(cuMemsetD##bits##Async_ptsz, cuMemsetD##bits##Async);                           \
    IFL_SERVED ifl_cuda_error cuMemsetD2D##bits##_v2(void *to, size_t pitch, type value,           \
                                                     size_t width, size_t height)                  \
    {                                                                                              \
        DRIVE(fill(to, pitch, (bits) / 8, value, width, height, NULL));                            \
    }                                                                                              \
    ALSO_OF_THREAD(cuMemsetD2D##bits##_v2_ptds, cuMemsetD2D##bits##_v2);                           \
    IFL_SERVED ifl_cuda_error cuMemsetD2D##bits##Async(void *to, size_t pitch, type value,         \
                                                       size_t width, size_t height, void *stream)  \
    {                                                                                              \
        DRIVE(fill(to, pitch, (bits) / 8, value, width, height, stream));                          \
    }                                                                                              \
    ALSO_OF_THREAD(cuMemsetD2D##bits##Async_ptsz, cuMemsetD2D##bits##Async)
FILL(8, uint8_t);
FILL(16, uint16_t);
FILL(32, uint32_t);
