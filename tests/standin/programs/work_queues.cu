// SPDX-License-Identifier: Apache-2.0
// Blocks, warps or threads that fetch pieces of work from a counter until there are none left. Blocks that are resident side
// by side all get some; whoever only counts what it found keeps its order.
#include <cstdio>
#include "check.h"

const int blocks = 264, threads = 256, pieces = 8 * blocks;
__device__ unsigned next_piece;

__device__ float work(float value)
{
    for (int i = 0; i < 2000; i++)
        value = value * 1.0001f + 0.5f;
    return value;
}

__global__ void by_block(float *results, unsigned *taken)
{
    __shared__ unsigned shared;
    for (;;) {
        if (threadIdx.x == 0)
            shared = atomicAdd(&next_piece, 1);
        __syncthreads();
        const unsigned piece = shared;
        if (piece >= pieces)
            break;
        results[piece * threads + threadIdx.x] = work(piece);
        if (threadIdx.x == 0)
            taken[blockIdx.x]++;
        __syncthreads();
    }
}

__global__ void by_warp(float *results, unsigned *taken)
{
    const unsigned lane = threadIdx.x % 32;
    for (;;) {
        unsigned piece = 0;
        if (lane == 0)
            piece = atomicAdd(&next_piece, 1);
        piece = __shfl_sync(0xffffffff, piece, 0);
        if (piece >= pieces)
            break;
        results[piece * threads + lane] = work(piece);
        if (lane == 0)
            atomicAdd(&taken[blockIdx.x], 1);
    }
}

// As many pieces as threads, of which each gets one. The compiler takes the first fetch out of the loop.
__global__ void by_thread(float *results, unsigned *taken)
{
    unsigned piece = atomicAdd(&next_piece, 1);
    while (piece < blocks * threads) {
        results[piece] = work(piece);
        if (threadIdx.x % 32 == 0)
            atomicAdd(&taken[blockIdx.x], 1);
        piece = atomicAdd(&next_piece, 1);
    }
}

static void report(const char *name, void (*kernel)(float *, unsigned *), float *results, unsigned *taken)
{
    const unsigned none = 0;
    static unsigned count[blocks];
    CHECK(cudaMemcpyToSymbol(next_piece, &none, sizeof none));
    CHECK(cudaMemset(taken, 0, sizeof count));
    kernel<<<blocks, threads>>>(results, taken);
    CHECK(cudaMemcpy(count, taken, sizeof count, cudaMemcpyDeviceToHost));
    unsigned sum = 0, most = 0, idle = 0;
    for (unsigned n : count) {
        sum += n;
        most = n > most ? n : most;
        idle += n == 0;
    }
    printf("%s: %u pieces, blocks without any %u, more than 64 for one: %s\n", name, sum, idle, most > 64 ? "yes" : "no");
}

int main()
{
    float *results;
    unsigned *taken;
    CHECK(cudaMalloc(&results, pieces * threads * sizeof *results));
    CHECK(cudaMalloc(&taken, blocks * sizeof *taken));
    report("by block", by_block, results, taken);
    report("by warp", by_warp, results, taken);
    report("by thread", by_thread, results, taken);
    return 0;
}
