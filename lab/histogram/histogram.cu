// SPDX-License-Identifier: Apache-2.0
// counts[v] += 1 for each of n numbers of 16 bits: 65,536 counts do not fit the shared memory of one block.
// target: sm_90a
#include <cooperative_groups.h>
#include <stdint.h>

namespace cg = cooperative_groups;

enum { SLICES = 8, SLICE = 65536 / SLICES };

extern "C" __global__ void histogram_global(int n, const uint16_t *numbers, unsigned *counts)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[numbers[i]], 1);
}

// A slice of the counts a block; every number is read by SLICES blocks.
extern "C" __global__ void histogram_slices(int n, const uint16_t *numbers, unsigned *counts)
{
    __shared__ unsigned mine[SLICE];
    const unsigned first = blockIdx.y * SLICE;
    for (int i = threadIdx.x; i < SLICE; i += blockDim.x)
        mine[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (numbers[i] - first < SLICE)
            atomicAdd(&mine[numbers[i] - first], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < SLICE; i += blockDim.x)
        if (mine[i])
            atomicAdd(&counts[first + i], mine[i]);
}

// The blocks of a cluster keep a slice each, and add to those of the others.
extern "C" __global__ void __cluster_dims__(SLICES) histogram_cluster(int n, const uint16_t *numbers, unsigned *counts)
{
    __shared__ unsigned mine[SLICE];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < SLICE; i += blockDim.x)
        mine[i] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(cluster.map_shared_rank(mine, numbers[i] / SLICE) + numbers[i] % SLICE, 1);
    cluster.sync();
    for (int i = threadIdx.x; i < SLICE; i += blockDim.x)
        if (mine[i])
            atomicAdd(&counts[cluster.block_rank() * SLICE + i], mine[i]);
}
