// SPDX-License-Identifier: Apache-2.0
// nvcc: -rdc=true
// Virtual functions that call each other, in code that nvlink has linked: it does not know how deep they go, and says 4294967295
// bytes of stack. The launch gets what the context gives.
#include "check.h"

struct shape {
    __device__ virtual int count(shape *const *all, int depth) const = 0;
};

struct one : shape {
    __device__ int count(shape *const *all, int depth) const override
    {
        return depth ? 1 + all[depth % 2]->count(all, depth - 1) : 0;
    }
};

struct two : shape {
    __device__ int count(shape *const *all, int depth) const override
    {
        return depth ? 2 + all[depth % 2]->count(all, depth - 1) : 0;
    }
};

__global__ void make(shape **all)
{
    all[0] = new one;
    all[1] = new two;
}

__global__ void count(shape *const *all, int *counts)
{
    counts[threadIdx.x] = all[threadIdx.x % 2]->count(all, threadIdx.x % 8);
}

int main()
{
    shape **all;
    int *counts, found[32];
    CHECK(cudaMalloc(&all, 2 * sizeof *all));
    CHECK(cudaMalloc(&counts, sizeof found));
    make<<<1, 1>>>(all);
    count<<<1, 32>>>(all, counts);
    CHECK(cudaMemcpy(found, counts, sizeof found, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++)
        printf("%d%c", found[i], i < 7 ? ' ' : '\n');
    return 0;
}
