/* SPDX-License-Identifier: Apache-2.0
 * Which SM each block of a grid runs on: blocks that work for a while, or of which only the first ones do. Prints a line a
 * grid: blocks, threads of each, blocks that work, and the SM of each of the first 1,056 blocks.
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o place_probe place_probe.cu; place_probe > place_probe.txt */
#include "cuda_check.h"

#include <cstdio>
#include <cstdlib>

static __global__ void place(unsigned *sm, unsigned busy, long long cycles)
{
    const long long begin = clock64();
    if (threadIdx.x == 0)
        asm("mov.u32 %0, %%smid;" : "=r"(sm[blockIdx.x]));
    while (blockIdx.x < busy && clock64() - begin < cycles)
        ;
}

int main()
{
    enum { MOST = 100096, SHOWN = 1056 };
    static const unsigned cases[][3] = {
        {132, 1024, 132}, {264, 1024, 264}, {264, 256, 264},  {391, 256, 391},   {528, 256, 528},      {1056, 256, 1056},
        {1056, 256, 391}, {1056, 64, 1056}, {2112, 64, 2112}, {4224, 256, 391},  {100096, 256, 391},   {100096, 256, 132},
        {264, 512, 264},  {300, 128, 300},  {66, 256, 66},    {10000, 128, 500}, {100096, 1024, 391}};
    static unsigned host[MOST];
    unsigned *sm;
    CHECK(cudaMalloc(&sm, sizeof host));
    for (const auto &c : cases) {
        place<<<c[0], c[1]>>>(sm, c[2], 200000);
        CHECK(cudaMemcpy(host, sm, c[0] * sizeof *sm, cudaMemcpyDeviceToHost));
        printf("%u x %u, %u work:", c[0], c[1], c[2]);
        for (unsigned b = 0; b < c[0] && b < SHOWN; b++)
            printf(" %u", host[b]);
        printf("\n");
    }
    return 0;
}
