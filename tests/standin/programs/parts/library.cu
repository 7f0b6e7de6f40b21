// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__device__ int base = 40;

__global__ void add(int *x)
{
    *x += base;
    base = 0; /* a library that is loaded anew has its own again */
}

extern "C" int add_on_gpu(int value)
{
    int *x, sum = -1;
    cudaMalloc(&x, sizeof *x);
    cudaMemcpy(x, &value, sizeof value, cudaMemcpyHostToDevice);
    add<<<1, 1>>>(x);
    cudaMemcpy(&sum, x, sizeof sum, cudaMemcpyDeviceToHost);
    cudaFree(x);
    return sum;
}
