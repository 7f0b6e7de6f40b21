// SPDX-License-Identifier: Apache-2.0
// The address of a managed variable means the same on the host and in kernels: passed as an argument, asked for, and written to memory.
#include "check.h"

__managed__ int one = 5;
__managed__ int many[64];
__managed__ int *kept;

__global__ void use(int *p, int *q)
{
    if (threadIdx.x == 0)
        *p += 3;
    __syncthreads();
    q[threadIdx.x] = threadIdx.x + one;
    kept = &many[7];
}

int main()
{
    cudaPointerAttributes about;
    void *symbol;
    use<<<1, 64>>>(&one, many);
    CHECK(cudaDeviceSynchronize());
    printf("%d %d %d\n", one, many[63], *kept);
    many[7] = 1;
    printf("%d\n", kept == &many[7] && *kept == 1);
    CHECK(cudaPointerGetAttributes(&about, many));
    printf("%d\n", about.type == cudaMemoryTypeManaged && about.hostPointer == many);
    CHECK(cudaGetSymbolAddress(&symbol, one));
    printf("%d\n", symbol == &one);
    return 0;
}
