// SPDX-License-Identifier: Apache-2.0
// Atomics on the last of an odd number of halves: ptxas makes loops of them that load and swap the
// whole word around the half, whose other half lies past the end of the allocation.
#include "check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename T> __global__ void add(T *to, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&to[i % count], T(1.0f));
}

__global__ void claim(unsigned short *to, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicCAS(&to[i % count], (unsigned short)0, (unsigned short)(1 + i % count));
}

template <typename T> static void sum(const char *name, int count)
{
    T *there, here[3];
    CHECK(cudaMalloc(&there, count * sizeof(T)));
    CHECK(cudaMemset(there, 0, count * sizeof(T)));
    add<<<2, 96>>>(there, count);
    CHECK(cudaMemcpy(here, there, count * sizeof(T), cudaMemcpyDeviceToHost));
    printf("%s:", name);
    for (int i = 0; i < count; i++)
        printf(" %g", (float)here[i]);
    printf("\n");
    CHECK(cudaFree(there));
}

int main()
{
    sum<__half>("a half", 1);
    sum<__half>("three halves", 3);
    sum<__nv_bfloat16>("three of bfloat16", 3);
    unsigned short *there, here[3];
    CHECK(cudaMalloc(&there, sizeof here));
    CHECK(cudaMemset(there, 0, sizeof here));
    claim<<<1, 32>>>(there, 3);
    CHECK(cudaMemcpy(here, there, sizeof here, cudaMemcpyDeviceToHost));
    printf("words of 16 bits: %d %d %d\n", here[0], here[1], here[2]);
    return 0;
}
