// SPDX-License-Identifier: Apache-2.0
#include "check.h"

__global__ void past_the_end(int *x, int n)
{
    x[n + threadIdx.x] = 1;
}

int main()
{
    int *x, y;
    CHECK(cudaMalloc(&x, 4096));
    past_the_end<<<1, 32>>>(x, 1 << 28);
    printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("wait: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("copy: %s\n", cudaGetErrorName(cudaMemcpy(&y, x, 4, cudaMemcpyDeviceToHost)));
    printf("allocate: %s\n", cudaGetErrorName(cudaMalloc(&x, 4)));
    return 3;
}
