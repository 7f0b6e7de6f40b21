// SPDX-License-Identifier: Apache-2.0
// Contended atomics: every thread adds to one of 8 words. After: first in shared memory.
#include "pair.h"
extern "C" __global__ void count_all(const int *in, int *counts, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&counts[in[i] & 7], 1);
}
extern "C" __global__ void count_shared(const int *in, int *counts, int n)
{
    __shared__ int own[8];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 8)
        own[threadIdx.x] = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&own[in[i] & 7], 1);
    __syncthreads();
    if (threadIdx.x < 8)
        atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}
__global__ void fill(int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    in[i] = (unsigned)i * 2654435761u >> 7;
}
int main()
{
    const int n = 1 << 22;
    int *in = room<int>(n), *counts = room<int>(8);
    fill<<<n / 256, 256>>>(in, n);
    pair(
        "hot_word", [=] { count_all<<<n / 256, 256>>>(in, counts, n); },
        [=] { count_shared<<<n / 256, 256>>>(in, counts, n); });
}
