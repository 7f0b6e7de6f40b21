// SPDX-License-Identifier: Apache-2.0
// Barriers whose number and count of threads are known at run time only, and a barrier of all threads that lanes reach apart
// (PTX ISA, barrier: without .aligned they need not come together).
#include "check.h"
#include <vector>

__device__ void meet(int number, int count) { asm volatile("barrier.sync %0, %1;" ::"r"(number), "r"(count) : "memory"); }
__device__ void meet_aligned(int number, int count) { asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(count) : "memory"); }

// Two halves of the block, each with a barrier of its own, which they pass 10 and 7 times: one for all would never open.
__global__ void halves(int *to, int threads, bool aligned)
{
    __shared__ int cell[128];
    const int half = threadIdx.x / threads, i = threadIdx.x % threads;
    int value = i;
    for (int turn = 0; turn < (half ? 7 : 10); turn++) {
        cell[threadIdx.x] = value;
        aligned ? meet_aligned(1 + half, threads) : meet(1 + half, threads);
        value += cell[half * threads + (i + 33) % threads];
        aligned ? meet_aligned(1 + half, threads) : meet(1 + half, threads);
    }
    to[threadIdx.x] = value;
}

// The two branches have a barrier each; every thread passes one of them.
__global__ void apart(int *to, int number)
{
    __shared__ int cell[64];
    cell[threadIdx.x] = threadIdx.x;
    if (threadIdx.x % 3 == 0) {
        asm volatile("barrier.sync %0;" ::"r"(number) : "memory");
        to[threadIdx.x] = cell[63 - threadIdx.x];
    } else {
        asm volatile("barrier.sync %0;" ::"r"(number) : "memory");
        to[threadIdx.x] = cell[(threadIdx.x + 40) % 64] + 100;
    }
}

static int wrong_halves(const std::vector<int> &found)
{
    int wrong = 0;
    for (int half = 0; half < 2; half++) {
        std::vector<int> value(64), next(64);
        for (int i = 0; i < 64; i++)
            value[i] = i;
        for (int turn = 0; turn < (half ? 7 : 10); turn++, value = next)
            for (int i = 0; i < 64; i++)
                next[i] = value[i] + value[(i + 33) % 64];
        for (int i = 0; i < 64; i++)
            wrong += found[64 * half + i] != value[i];
    }
    return wrong;
}

int main()
{
    std::vector<int> host(128);
    int *to = on_gpu(host.data(), 128);
    for (int aligned = 0; aligned < 2; aligned++) {
        halves<<<1, 128>>>(to, 64, aligned);
        CHECK(cudaMemcpy(host.data(), to, 128 * sizeof(int), cudaMemcpyDefault));
        printf("%d\n", wrong_halves(host));
    }
    apart<<<1, 64>>>(to, 3);
    CHECK(cudaMemcpy(host.data(), to, 64 * sizeof(int), cudaMemcpyDefault));
    int wrong = 0;
    for (int i = 0; i < 64; i++)
        wrong += host[i] != (i % 3 == 0 ? 63 - i : (i + 40) % 64 + 100);
    printf("%d\n", wrong);
    return 0;
}
