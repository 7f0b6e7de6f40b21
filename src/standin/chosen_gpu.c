/* SPDX-License-Identifier: Apache-2.0
 * See chosen_gpu.h. */
#include "standin/chosen_gpu.h"

#include "inflight.h"

#include <stdlib.h>

static _Thread_local int chosen;
static bool reaches[IFL_MOST_GPUS][IFL_MOST_GPUS];

int ifl_gpu_count(void)
{
    const char *text = getenv(IFL_RUN_GPUS);
    const long count = text ? strtol(text, NULL, 10) : 1;
    return count >= 1 && count <= IFL_MOST_GPUS ? (int)count : 1;
}

bool ifl_gpu_exists(int ordinal)
{
    return ordinal >= 0 && ordinal < ifl_gpu_count();
}

int ifl_gpu_chosen(void)
{
    return chosen;
}

void ifl_gpu_choose(int ordinal)
{
    chosen = ordinal;
}

/* CUDA Runtime API, cudaDeviceEnablePeerAccess: access goes one way, from the chosen GPU to the
 * peer's memory. */
ifl_cuda_error ifl_gpu_enable_peer(int peer)
{
    if (!ifl_gpu_exists(peer) || peer == chosen)
        return ifl_cudaErrorInvalidDevice;
    if (reaches[chosen][peer])
        return ifl_cudaErrorPeerAccessAlreadyEnabled;
    reaches[chosen][peer] = true;
    return ifl_cudaSuccess;
}

ifl_cuda_error ifl_gpu_disable_peer(int peer)
{
    if (!ifl_gpu_exists(peer) || peer == chosen)
        return ifl_cudaErrorInvalidDevice;
    if (!reaches[chosen][peer])
        return ifl_cudaErrorPeerAccessNotEnabled;
    reaches[chosen][peer] = false;
    return ifl_cudaSuccess;
}

uint64_t ifl_gpu_used_bytes(const ifl_memory *memory, int ordinal)
{
    const uint32_t others = IFL_ALLOCATION_FREED | IFL_ALLOCATION_ADOPTED;
    uint64_t bytes = 0;
    for (size_t i = 0; i < ifl_memory_count(memory); i++) {
        const ifl_allocation *a = ifl_memory_at(memory, i);
        bytes += (a->flags & others || (int)a->gpu != ordinal) ? 0 : a->bytes;
    }
    return bytes;
}
