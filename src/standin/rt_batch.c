/* SPDX-License-Identifier: Apache-2.0
 * Copies that are given in batches, whose order among themselves does not matter, and boxes between
 * GPUs. */
#include "standin/chosen_gpu.h"
#include "standin/copy_batch.h"
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
