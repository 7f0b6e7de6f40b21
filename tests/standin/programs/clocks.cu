// SPDX-License-Identifier: Apache-2.0
// Time goes on between launches: what takes its seeds from a clock gets others in each.
#include "check.h"

__global__ void read_clocks(long long *to)
{
    unsigned long long ns;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
    to[0] = clock();
    to[1] = clock64();
    to[2] = (long long)ns;
}

int main()
{
    long long *device, first[3], second[3];
    CHECK(cudaMalloc(&device, sizeof first));
    read_clocks<<<1, 1>>>(device);
    CHECK(cudaMemcpy(first, device, sizeof first, cudaMemcpyDeviceToHost));
    read_clocks<<<1, 1>>>(device);
    CHECK(cudaMemcpy(second, device, sizeof second, cudaMemcpyDeviceToHost));
    printf("clock differs: %d\n", first[0] != second[0]);
    printf("clock64 differs: %d\n", first[1] != second[1]);
    printf("globaltimer is later: %d\n", first[2] < second[2]);
    return 0;
}
