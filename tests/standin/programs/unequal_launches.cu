// SPDX-License-Identifier: Apache-2.0
// Launches of one kernel from one place that do unequal work: by an argument, and by what is in memory.
// check_unequal.sh holds their times against launches that are observed alone.
#include "check.h"

__global__ void walk(const float *from, float *to, const int *turns, int extra)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < *turns + extra; k++)
        sum += from[(i + k * 8192) & 0xfffff];
    to[i] = sum;
}

int main()
{
    const int blocks = 512, threads = 256, in_memory[] = {4, 4, 96, 4, 24, 192}, as_argument[] = {8, 128, 8, 128};
    float *from, *to;
    int *turns;
    CHECK(cudaMalloc(&from, (1 << 20) * sizeof *from));
    CHECK(cudaMalloc(&to, blocks * threads * sizeof *to));
    CHECK(cudaMalloc(&turns, sizeof *turns));
    CHECK(cudaMemset(from, 0, (1 << 20) * sizeof *from));
    for (int many : in_memory) {
        CHECK(cudaMemcpy(turns, &many, sizeof many, cudaMemcpyHostToDevice));
        walk<<<blocks, threads>>>(from, to, turns, 0);
    }
    CHECK(cudaMemset(turns, 0, sizeof *turns));
    for (int many : as_argument)
        walk<<<blocks, threads>>>(from, to, turns, many);
    CHECK(cudaDeviceSynchronize());
    printf("done\n");
    return 0;
}
