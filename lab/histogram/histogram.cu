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

// ---- eight numbers a load ------------------------------------------------------------------------------------------

template <typename F>
static __device__ void each_of_eight(uint4 eight, F add)
{
    const uint32_t words[4] = {eight.x, eight.y, eight.z, eight.w};
    for (int i = 0; i < 4; i++) {
        add(words[i] & 0xffff);
        add(words[i] >> 16);
    }
}

extern "C" __global__ void __cluster_dims__(SLICES) histogram_cluster_wide(int n, const uint4 *numbers, unsigned *counts)
{
    __shared__ unsigned mine[SLICE];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < SLICE; i += blockDim.x)
        mine[i] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 8; i += gridDim.x * blockDim.x)
        each_of_eight(numbers[i], [&](unsigned number) {
            atomicAdd(cluster.map_shared_rank(mine, number / SLICE) + number % SLICE, 1);
        });
    cluster.sync();
    for (int i = threadIdx.x; i < SLICE; i += blockDim.x)
        if (mine[i])
            atomicAdd(&counts[cluster.block_rank() * SLICE + i], mine[i]);
}

// Clusters of two, with 128 KB each: half of the atomics stay in the block.
extern "C" __global__ void __cluster_dims__(2) __launch_bounds__(1024)
    histogram_cluster_two(int n, const uint4 *numbers, unsigned *counts)
{
    extern __shared__ unsigned half[];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < 32768; i += blockDim.x)
        half[i] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 8; i += gridDim.x * blockDim.x)
        each_of_eight(numbers[i], [&](unsigned number) {
            atomicAdd(cluster.map_shared_rank(half, number / 32768) + number % 32768, 1);
        });
    cluster.sync();
    for (int i = threadIdx.x; i < 32768; i += blockDim.x)
        if (half[i])
            atomicAdd(&counts[cluster.block_rank() * 32768 + i], half[i]);
}

// ---- counts of 16 bits: all of them in one block's shared memory ---------------------------------------------------

// Who makes a count 32,768 moves these to global memory; until then no more than the block's other threads add to it.
extern "C" __global__ void __launch_bounds__(1024) histogram_packed(int n, const uint4 *numbers, unsigned *counts)
{
    extern __shared__ unsigned pairs[];
    for (int i = threadIdx.x; i < 32768; i += blockDim.x)
        pairs[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 8; i += gridDim.x * blockDim.x)
        each_of_eight(numbers[i], [&](unsigned number) {
            const unsigned shift = number % 2 * 16, before = atomicAdd(&pairs[number / 2], 1u << shift) >> shift & 0xffff;
            if (before == 32767) {
                atomicSub(&pairs[number / 2], 32768u << shift);
                atomicAdd(&counts[number], 32768);
            }
        });
    __syncthreads();
    for (int i = threadIdx.x; i < 65536; i += blockDim.x) {
        const unsigned count = pairs[i / 2] >> i % 2 * 16 & 0xffff;
        if (count)
            atomicAdd(&counts[i], count);
    }
}
