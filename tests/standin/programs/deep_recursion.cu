// SPDX-License-Identifier: Apache-2.0
// A recursion that needs more than the 1 KiB of stack that a thread has by default: 200 frames of at least 256 bytes.
#include "check.h"

static __device__ __noinline__ int deeper(int depth, int x)
{
    volatile int kept[64];
    kept[depth % 64] = x;
    return depth == 0 ? x : deeper(depth - 1, x + 1) + kept[depth % 64] - x;
}

__global__ void recurses(int *to, int depth)
{
    to[threadIdx.x] = deeper(depth, threadIdx.x);
}

int main()
{
    const int depth = 200;
    int *x, got[64], wanted[64];
    size_t bytes = 0;
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 128 << 10));
    CHECK(cudaDeviceGetLimit(&bytes, cudaLimitStackSize));
    CHECK(cudaMalloc(&x, sizeof got));
    recurses<<<1, 64>>>(x, depth);
    CHECK(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        wanted[i] = i + depth;
    printf("stack: %zu bytes\n", bytes);
    return compare("recurses", got, wanted, 64);
}
