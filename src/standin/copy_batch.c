/* SPDX-License-Identifier: Apache-2.0
 * See copy_batch.h. */
#include "standin/copy_batch.h"

#include "standin/op.h"
#include "standin/stream.h"

/* cudaMemcpySrcAccessOrder: of the stream, during the call, any. */
bool ifl_copy_is_order(int order)
{
    enum { MOST = 3 };
    return order > 0 && order <= MOST;
}

/* CUDA Runtime API, cudaMemcpyBatchAsync: the first attributes are for the first copy, all others
 * for later ones in turn. */
static bool are_attributes(const ifl_copy_batch *b)
{
    if (!b->attributes || !b->first || !b->attribute_count || b->attribute_count > b->count ||
        b->first[0])
        return false;
    for (size_t i = 0; i < b->attribute_count; i++)
        if (!ifl_copy_is_order(b->attributes[i].order) || b->first[i] >= b->count ||
            (i && b->first[i] <= b->first[i - 1]))
            return false;
    return true;
}

ifl_cuda_error ifl_copy_batch_give(ifl_session *session, const ifl_copy_batch *b, void *stream,
                                   size_t *failed)
{
    enum { BY_ADDRESS = 4 }; /* cudaMemcpyDefault */
    const ifl_stream *of = ifl_stream_of(stream);
    if (failed)
        *failed = SIZE_MAX;
    if (!of)
        return ifl_cudaErrorInvalidResourceHandle;
    if (ifl_stream_is_legacy(of) || !b->to || !b->from || !b->bytes || !b->count ||
        !are_attributes(b))
        return ifl_cudaErrorInvalidValue;
    for (size_t i = 0; i < b->count; i++) {
        const ifl_op op = {.kind = IFL_DO_COPY,
                           .of.copy = {.to = b->to[i],
                                       .from = b->from[i],
                                       .width = b->bytes[i],
                                       .height = 1,
                                       .depth = 1,
                                       .kind = BY_ADDRESS}};
        const ifl_cuda_error code = ifl_stream_give(session, stream, &op);
        if (code == ifl_cudaSuccess)
            continue;
        if (failed)
            *failed = i;
        return code;
    }
    return ifl_cudaSuccess;
}
