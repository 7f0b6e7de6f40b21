// SPDX-License-Identifier: Apache-2.0
// Stores of all blocks to the same few lines: how long each request keeps the part of the L2 that has them, by how many sectors of a line it
// stores, in whole or in part, by how many lines, and by how many places the warps are spread; with a load before each, and without.
// Run it under Nsight Compute, which gives the time of each launch and how many stores the L2 got.
//     nvcc -arch=sm_90 -std=c++17 -O3 -w -o hot_store_probe hot_store_probe.cu; hot_store_probe
// What an H200 takes: tests/gpu/h200/hot_stores.txt.
#include <cstdio>

/* Lanes store a word each: `row` of them side by side, rows `pitch` words apart; warps go to `places`, `apart` words from each other. */
template <bool LOADS> __global__ void hot(volatile int *p, int active, int row, int pitch, int places, int apart, int times)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    volatile int *at = p + (size_t)(warp % places) * apart + lane / row * pitch + lane % row;
    if (lane < active)
        for (int k = 0; k < times; k++)
            *at = LOADS ? *at + 1 : k;
}

__global__ void wide(volatile int4 *p, int active, int places, int apart, int times)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int *at = (int *)(p + (size_t)(warp % places) * apart + lane);
    if (lane < active)
        for (int k = 0; k < times; k++)
            asm volatile("st.volatile.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(at), "r"(k));
}

int main()
{
    enum { APART = 4096 };
    int *p;
    cudaMalloc(&p, 1 << 28);
    cudaMemset(p, 0, 1 << 28);
    static const int shape[][3] = {
        {1, 32, 0},  {8, 32, 0},   {16, 32, 0},   {24, 32, 0},    {32, 32, 0},   // 1 word; 1, 2, 3, 4 sectors of a line
        {32, 16, 32}, {32, 16, 1024}, {32, 8, 1024}, {32, 4, 1024}, {32, 1, 1024}, // 2, 2, 4, 8, 32 lines
        {2, 1, 8},   {4, 1, 8},    {4, 1, 32},    {12, 32, 0},    {32, 2, 8},     // sectors in part
    };
    for (const int *s : shape)
        for (int places : {1, 2, 16, 256, 8192}) {
            hot<false><<<1056, 256>>>(p, s[0], s[1], s[2], places, APART, 1);
            hot<false><<<264, 256>>>(p, s[0], s[1], s[2], places, APART, 32);
        }
    for (const int *s : shape)
        for (int places : {1, 16, 8192})
            hot<true><<<264, 256>>>(p, s[0], s[1], s[2], places, APART, 16);
    for (int active : {1, 2, 8, 32})
        for (int places : {1, 16, 8192})
            wide<<<264, 256>>>((volatile int4 *)p, active, places, APART / 4, 32);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
