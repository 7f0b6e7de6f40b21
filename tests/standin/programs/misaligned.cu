// SPDX-License-Identifier: Apache-2.0
#include "check.h"

__global__ void odd(const char *x, float4 *to)
{
    *to = *(const float4 *)(x + 4);
}

int main()
{
    char *x;
    CHECK(cudaMalloc(&x, 4096));
    odd<<<1, 1>>>(x, (float4 *)(x + 1024));
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
