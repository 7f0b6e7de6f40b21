// SPDX-License-Identifier: Apache-2.0
#include "check.h"

__global__ void hello(const char *unused, double x)
{
    if (threadIdx.x < 2)
        printf("thread %d of %u: %5.2f %s %x %lld %%\n", threadIdx.x, blockDim.x, x, "text", 255,
               -5ll);
}

int main()
{
    printf("before\n");
    fflush(stdout);
    hello<<<1, 32>>>(nullptr, 2.5);
    CHECK(cudaDeviceSynchronize());
    printf("after\n");
    return 7;
}
