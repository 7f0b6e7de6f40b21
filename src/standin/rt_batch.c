/* SPDX-License-Identifier: Apache-2.0
 * Copies that are given in batches, whose order among themselves does not matter, and boxes between
 * GPUs. */
#include "standin/chosen_gpu.h"
#include "standin/copy_batch.h"
#include "standin/managed_range.h"
#include "standin/served.h"

#if IFL_CUDART >= 13
IFL_SERVED ifl_cuda_error cudaMemcpyBatchAsync(void *const *to, const void *const *from,
                                               const size_t *bytes, size_t count,
                                               const ifl_copy_attributes *attributes,
                                               const size_t *first, size_t attribute_count,
                                               void *stream)
{
    const ifl_copy_batch batch = {to, from, bytes, count, attributes, first, attribute_count};
    SERVE(ifl_copy_batch_give(session, &batch, stream, NULL));
}
ALSO_OF_THREAD(cudaMemcpyBatchAsync_ptsz, cudaMemcpyBatchAsync);
#elif IFL_CUDART == 12
IFL_SERVED ifl_cuda_error cudaMemcpyBatchAsync(void *const *to, const void *const *from,
                                               const size_t *bytes, size_t count,
                                               const ifl_copy_attributes *attributes,
                                               const size_t *first, size_t attribute_count,
                                               size_t *failed, void *stream)
{
    const ifl_copy_batch batch = {to, from, bytes, count, attributes, first, attribute_count};
    SERVE(ifl_copy_batch_give(session, &batch, stream, failed));
}
ALSO_OF_THREAD(cudaMemcpyBatchAsync_ptsz, cudaMemcpyBatchAsync);
#endif

/* ---- boxes ----------------------------------------------------------------------------------- */

#if IFL_CUDART >= 12

/* cudaMemcpy3DOperand */
typedef struct operand {
    int type;
    union {
        struct {
            void *at;
            size_t row, rows; /* in elements; 0: as the copy's extent */
            ifl_location hint;
        } memory;
        struct {
            void *array;
            ifl_position offset;
        } array;
    } of;
} operand;
enum { OPERAND_MEMORY = 1, OPERAND_ARRAY = 2 };

/* cudaMemcpy3DBatchOp */
typedef struct box_op {
    operand from, to;
    ifl_extent extent;
    int order;
    unsigned flags;
} box_op;

static void *array_of(const operand *side)
{
    return side->type == OPERAND_ARRAY ? side->of.array.array : NULL;
}

static bool is_side(const operand *side, const ifl_extent *extent)
{
    const bool fits = !side->of.memory.row || side->of.memory.row >= extent->width;
    const bool is_deep = !side->of.memory.rows || side->of.memory.rows >= extent->height;
    return side->type == OPERAND_ARRAY ||
           (side->type == OPERAND_MEMORY && side->of.memory.at && fits && is_deep);
}

/* False where no number holds a row. */
static bool lay_out(const operand *side, const ifl_extent *extent, size_t unit, ifl_pitched *memory,
                    ifl_position *position)
{
    const size_t row = side->of.memory.row ? side->of.memory.row : extent->width;
    if (side->type == OPERAND_ARRAY) {
        *position = side->of.array.offset;
        return true;
    }
    memory->at = side->of.memory.at;
    memory->height = side->of.memory.rows ? side->of.memory.rows : extent->height;
    memory->width = row;
    return !__builtin_mul_overflow(row, unit, &memory->pitch);
}

static ifl_cuda_error give_box(ifl_session *session, const box_op *op, void *stream)
{
    enum { BY_ADDRESS = 4, FLAGS = 1 };
    const bool is_right = op->extent.width && op->extent.height && op->extent.depth &&
                          ifl_copy_is_order(op->order) && !(op->flags & ~(unsigned)FLAGS) &&
                          is_side(&op->from, &op->extent) && is_side(&op->to, &op->extent);
    if (!is_right)
        return ifl_cudaErrorInvalidValue;
    ifl_copy3d box = {.from_array = array_of(&op->from),
                      .to_array = array_of(&op->to),
                      .extent = op->extent,
                      .kind = BY_ADDRESS};
    const size_t unit = ifl_copy_unit(box.to_array, box.from_array);
    return lay_out(&op->from, &op->extent, unit, &box.from, &box.from_position) &&
                   lay_out(&op->to, &op->extent, unit, &box.to, &box.to_position)
               ? ifl_copy_box_give(session, &box, stream)
               : ifl_cudaErrorInvalidValue;
}

static ifl_cuda_error give_boxes(ifl_session *session, size_t count, const box_op *ops,
                                 size_t *failed, unsigned long long flags, void *stream)
{
    const ifl_stream *of = ifl_stream_of(stream);
    if (failed)
        *failed = SIZE_MAX;
    if (!of)
        return ifl_cudaErrorInvalidResourceHandle;
    if (ifl_stream_is_legacy(of) || !count || !ops || flags)
        return ifl_cudaErrorInvalidValue;
    ifl_cuda_error code = ifl_cudaSuccess;
    for (size_t i = 0; i < count && code == ifl_cudaSuccess; i++) {
        code = give_box(session, &ops[i], stream);
        if (code != ifl_cudaSuccess && failed)
            *failed = i;
    }
    return code;
}

#if IFL_CUDART == 12
IFL_SERVED ifl_cuda_error cudaMemcpy3DBatchAsync(size_t count, const box_op *ops, size_t *failed,
                                                 unsigned long long flags, void *stream)
{
    SERVE(give_boxes(session, count, ops, failed, flags, stream));
}
#else
IFL_SERVED ifl_cuda_error cudaMemcpy3DBatchAsync(size_t count, const box_op *ops,
                                                 unsigned long long flags, void *stream)
{
    SERVE(give_boxes(session, count, ops, NULL, flags, stream));
}

IFL_SERVED ifl_cuda_error cudaMemcpy3DWithAttributesAsync(const box_op *op,
                                                          unsigned long long flags, void *stream)
{
    SERVE(give_boxes(session, 1, op, NULL, flags, stream));
}
ALSO_OF_THREAD(cudaMemcpy3DWithAttributesAsync_ptsz, cudaMemcpy3DWithAttributesAsync);

IFL_SERVED ifl_cuda_error cudaMemcpyWithAttributesAsync(void *to, const void *from, size_t bytes,
                                                        const ifl_copy_attributes *attributes,
                                                        void *stream)
{
    static const size_t first = 0;
    const ifl_copy_batch batch = {&to, &from, &bytes, 1, attributes, &first, 1};
    SERVE(ifl_copy_batch_give(session, &batch, stream, NULL));
}
ALSO_OF_THREAD(cudaMemcpyWithAttributesAsync_ptsz, cudaMemcpyWithAttributesAsync);
#endif
ALSO_OF_THREAD(cudaMemcpy3DBatchAsync_ptsz, cudaMemcpy3DBatchAsync);
#endif

/* ---- between GPUs ---------------------------------------------------------------------------- */

/* cudaMemcpy3DPeerParms */
typedef struct peer_box {
    void *from_array;
    ifl_position from_position;
    ifl_pitched from;
    int from_gpu;
    void *to_array;
    ifl_position to_position;
    ifl_pitched to;
    int to_gpu;
    ifl_extent extent;
} peer_box;

static ifl_cuda_error copy_peer(ifl_session *session, const peer_box *peer, void *stream)
{
    if (!peer)
        return ifl_cudaErrorInvalidValue;
    if (!ifl_gpu_exists(peer->from_gpu) || !ifl_gpu_exists(peer->to_gpu))
        return ifl_cudaErrorInvalidDevice;
    const ifl_copy3d box = {.from_array = peer->from_array,
                            .from_position = peer->from_position,
                            .from = peer->from,
                            .to_array = peer->to_array,
                            .to_position = peer->to_position,
                            .to = peer->to,
                            .extent = peer->extent,
                            .kind = IFL_DEVICE_TO_DEVICE};
    return ifl_copy_box_give(session, &box, stream);
}

IFL_SERVED ifl_cuda_error cudaMemcpy3DPeer(const peer_box *peer)
{
    SERVE(copy_peer(session, peer, NULL));
}
ALSO_OF_THREAD(cudaMemcpy3DPeer_ptds, cudaMemcpy3DPeer);

IFL_SERVED ifl_cuda_error cudaMemcpy3DPeerAsync(const peer_box *peer, void *stream)
{
    SERVE(copy_peer(session, peer, stream));
}
ALSO_OF_THREAD(cudaMemcpy3DPeerAsync_ptsz, cudaMemcpy3DPeerAsync);
