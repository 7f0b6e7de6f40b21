// SPDX-License-Identifier: Apache-2.0
#include "check.h"

__global__ void chains(int *to)
{
    int *mine = (int *)malloc(16 * sizeof(int));
    if (!mine)
        return;
    for (int i = 0; i < 16; i++)
        mine[i] = threadIdx.x * i;
    int sum = 0;
    for (int i = 0; i < 16; i++)
        sum += mine[i];
    free(mine);
    to[threadIdx.x] = sum;
}

int main()
{
    int *x, got[64], bad = 0;
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 8 << 20));
    CHECK(cudaMalloc(&x, sizeof got));
    chains<<<1, 64>>>(x);
    CHECK(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        bad += got[i] != 120 * i;
    printf("wrong: %d\n", bad);
    return bad != 0;
}
