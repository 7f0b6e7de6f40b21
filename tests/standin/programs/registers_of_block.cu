// SPDX-License-Identifier: Apache-2.0
// A block whose threads have more registers than an SM is not launched (CUDA Runtime API,
// cudaErrorLaunchOutOfResources): 128 values of each thread are alive at the barrier, and an SM has
// 65,536 registers.
#include "check.h"

__global__ void keep(volatile int *x)
{
    int kept[128];
#pragma unroll
    for (int i = 0; i < 128; i++)
        kept[i] = x[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 128; i++)
        x[i] = kept[i] + 1;
}

int main()
{
    int *x;
    CHECK(cudaMalloc(&x, 128 * sizeof *x));
    cudaFuncAttributes of;
    CHECK(cudaFuncGetAttributes(&of, keep));
    printf("more than 128 registers: %d\n", of.numRegs > 128);
    for (int threads = 256; threads <= 1024; threads += 256) {
        keep<<<1, threads>>>(x);
        printf("%d threads: %s\n", threads, cudaGetErrorName(cudaGetLastError()));
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
