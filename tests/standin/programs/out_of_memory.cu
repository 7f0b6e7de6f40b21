// SPDX-License-Identifier: Apache-2.0
#include "check.h"

int main()
{
    void *x = (void *)1;
    size_t available, all, later;
    CHECK(cudaMemGetInfo(&available, &all));
    printf("sensible: %d\n", available <= all && all > (size_t)1 << 30);
    printf("twice all: %s\n", cudaGetErrorName(cudaMalloc(&x, 2 * all)));
    printf("last: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("a pool of 80 %% of what is free: %s\n",
           cudaGetErrorName(cudaMalloc(&x, available / 5 * 4)));
    CHECK(cudaFree(x));
    CHECK(cudaMalloc(&x, (size_t)64 << 20));
    CHECK(cudaMemGetInfo(&later, &all));
    printf("less than before: %d\n", later < available);
    CHECK(cudaFree(x));
    return 0;
}
