// SPDX-License-Identifier: Apache-2.0
// A kernel with 6 KiB of shared memory that prefers a large L1: an H200 gives shared memory 8 KiB, and an SM holds one block.
#include "check.h"

__global__ void turn(int *to)
{
    __shared__ int values[1536];
    values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    to[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

int main()
{
    int *to;
    CHECK(cudaMalloc(&to, 256 * sizeof *to));
    turn<<<1000, 256>>>(to);
    CHECK(cudaFuncSetCacheConfig(turn, cudaFuncCachePreferL1));
    turn<<<1001, 256>>>(to);
    CHECK(cudaFuncSetCacheConfig(turn, cudaFuncCachePreferNone));
    CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    turn<<<1002, 256>>>(to);
    CHECK(cudaFuncSetAttribute(turn, cudaFuncAttributePreferredSharedMemoryCarveout, 10));
    turn<<<1003, 256>>>(to);
    int value;
    CHECK(cudaMemcpy(&value, to, sizeof value, cudaMemcpyDeviceToHost));
    printf("%d\n", value);
    return 0;
}
