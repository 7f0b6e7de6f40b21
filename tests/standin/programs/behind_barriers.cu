// SPDX-License-Identifier: Apache-2.0
// What warps do behind a barrier with too few of them, as programs have it that are right on a GPU, where all warps go on at once
// and the first one's next request is sooner done than the others' next but one. Programs with such kernels are right on an H200.
#include "check.h"
#include <vector>

enum { THREADS = 1024, ROUNDS = 5, BINS = 64, TIMES = 16 };

// Other warps store the next round's sums while the first one may still read this round's.
__global__ void sum(const int *from, int n, int *to)
{
    __shared__ int of_warp[THREADS / 32];
    __shared__ int all;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        all = 0;
    int at = threadIdx.x + ROUNDS * blockIdx.x * blockDim.x;
#pragma unroll
    for (int round = 0; round < ROUNDS; round++, at += blockDim.x) {
        int value = at < n ? from[at] : 0;
        for (int d = 16; d > 0; d /= 2)
            value += __shfl_down_sync(~0u, value, d);
        if (lane == 0)
            of_warp[warp] = value;
        __syncthreads();
        if (warp == 0) {
            value = of_warp[lane];
            for (int d = 16; d > 0; d /= 2)
                value += __shfl_down_sync(~0u, value, d);
            if (lane == 0)
                all += value;
        }
    }
    if (threadIdx.x == 0)
        atomicAdd(to, all);
}

// The first thread clears what all count up, behind sums of floats, whose compare-and-swap makes warps take turns.
__global__ void count(int *to)
{
    __shared__ float bins[BINS];
    __shared__ int found;
    for (int round = 0; round < TIMES; round++) {
        bins[threadIdx.x] = 0;
        __syncthreads();
        if (threadIdx.x >= BINS - 2 - round)
            atomicAdd(&bins[0], 1.0f);
        __syncthreads();
        if (threadIdx.x == 0)
            found = 0;
        if (bins[0] > 0)
            atomicAdd(&found, 1);
        __syncthreads();
        if (threadIdx.x == 0)
            to[round] = found;
        __syncthreads();
    }
}

int main()
{
    const int n = 1000000;
    std::vector<int> ones(n, 1), counts(TIMES + 1, 0);
    int *from = on_gpu(ones.data(), n), *to = on_gpu(counts.data(), TIMES + 1);
    sum<<<(n + ROUNDS * THREADS - 1) / (ROUNDS * THREADS), THREADS>>>(from, n, to + TIMES);
    count<<<1, BINS>>>(to);
    from_gpu(counts.data(), to, TIMES + 1);
    printf("sum %d, counts", counts[TIMES]);
    for (int i = 0; i < TIMES; i++)
        printf(" %d", counts[i]);
    printf("\n");
}
