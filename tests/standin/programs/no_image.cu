// SPDX-License-Identifier: Apache-2.0
// Compiled for sm_90, run on a GPU of compute capability 7.0.
// run: --gpu v100
#include "check.h"

__global__ void set(int *x)
{
    *x = 1;
}

int main()
{
    int *x;
    CHECK(cudaMalloc(&x, sizeof *x));
    set<<<1, 1>>>(x);
    const cudaError_t code = cudaGetLastError();
    printf("launch: %d %s\n", (int)code, cudaGetErrorName(code));
    printf("wait: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
