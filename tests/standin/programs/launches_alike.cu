// SPDX-License-Identifier: Apache-2.0
// Kernels launched again and again, by turns and with another argument, grid, size of block, shared memory or stack: nothing of the
// launch before is left in them.
#include "check.h"

enum { MOST = 256 };

__global__ void place(int *out, int add, int words)
{
    extern __shared__ int shared[];
    const int threads = blockDim.x * blockDim.y, t = threadIdx.y * blockDim.x + threadIdx.x;
    for (int i = t; i < words; i += threads)
        shared[i] = i;
    __syncthreads();
    out[blockIdx.x * threads + t] = add + 1000 * threadIdx.y + 10 * threadIdx.x + gridDim.x + shared[words - 1 - t % words];
}

__device__ int nest(volatile int *before, int depth)
{
    volatile int own[16];
    for (int i = 0; i < 16; i++)
        own[i] = before[i] + i;
    return depth ? nest(own, depth - 1) + own[3] : own[15];
}

__global__ void fold(int *out, int depth)
{
    volatile int start[16] = {};
    out[threadIdx.x] = nest(start, depth);
}

__global__ void twice(int *out, int of)
{
    out[threadIdx.x] = 2 * of;
}

static int wrong_places(int *out, dim3 grid, dim3 block, int add, int words)
{
    static int host[MOST];
    int wrong = 0;
    place<<<grid, block, words * sizeof(int)>>>(out, add, words);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (unsigned b = 0; b < grid.x; b++)
        for (unsigned t = 0; t < block.x * block.y; t++)
            wrong += host[b * block.x * block.y + t] !=
                     add + 1000 * int(t / block.x) + 10 * int(t % block.x) + int(grid.x) + words - 1 - int(t) % words;
    return wrong;
}

static int folded(int *out, int depth)
{
    int first;
    twice<<<1, 32>>>(out, depth);
    CHECK(cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost));
    printf("%d ", first);
    fold<<<1, 32>>>(out, depth);
    CHECK(cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost));
    return first;
}

int main()
{
    int *out, wrong = 0;
    CHECK(cudaMalloc(&out, MOST * sizeof *out));
    for (int round = 0; round < 3; round++) {
        wrong += wrong_places(out, 1, 64, round, 64);
        wrong += wrong_places(out, 4, 64, 7 * round, 64);
        wrong += wrong_places(out, 4, 64, round, 12000);
        wrong += wrong_places(out, 4, dim3(8, 8), round, 64);
        wrong += wrong_places(out, 2, dim3(32, 2), 5, 12000);
        wrong += wrong_places(out, 1, dim3(16, 3), 5, 12000);
    }
    printf("%d wrong\n", wrong);
    const int few = folded(out, 2);
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 64 << 10));
    const int many = folded(out, 300);
    const int again = folded(out, 2);
    printf("\n%d %d %d\n", few, many, again);
    return 0;
}
