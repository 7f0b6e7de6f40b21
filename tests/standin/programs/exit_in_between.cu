// SPDX-License-Identifier: Apache-2.0
#include "check.h"

__global__ void store(int *x)
{
    x[threadIdx.x] = threadIdx.x;
}

static void deep(int *x, int level)
{
    if (level)
        return deep(x, level - 1);
    store<<<1, 64>>>(x);
    printf("leaving\n");
    exit(5);
}

int main()
{
    int *x;
    CHECK(cudaMalloc(&x, 256));
    deep(x, 10);
    return 0;
}
