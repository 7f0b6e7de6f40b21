// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <cassert>

__global__ void positive(const int *x)
{
    assert(x[threadIdx.x] >= 0);
}

int main()
{
    int x[32] = {};
    x[17] = -1;
    int *X = on_gpu(x, 32);
    positive<<<1, 32>>>(X);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
