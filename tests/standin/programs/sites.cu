// SPDX-License-Identifier: Apache-2.0
// Where launches and allocations stand in the source, of a program that was built with -g.
// nvcc: -g
// run: --leaks
#include "check.h"

__global__ void set(int **x)
{
    *x = (int *)malloc(100);
}

static int **allocate()
{
    int **x;
    cudaMalloc(&x, 8);
    return x;
}

int main()
{
    int **x = allocate();
    set<<<1, 1>>>(x);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
