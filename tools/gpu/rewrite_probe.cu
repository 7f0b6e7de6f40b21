// SPDX-License-Identifier: Apache-2.0
// Words that are read, changed and written back again and again, as states of random numbers are: how long does a load wait for what the same warp, or
// warps of other SMs, have stored in that line? Run it under Nsight Compute, which gives the time of each launch and what the L1 had.
//     nvcc -arch=sm_90 -std=c++17 -O3 -w -o rewrite_probe rewrite_probe.cu; rewrite_probe
// What an H200 takes: tests/gpu/h200/rewrites.txt.
#include <cstdio>

enum kind { WEAK, VOLATILE, PAST, ADDED, STORED_ADDED, READ_ADDED };
enum { TIMES = 32, LINE = 32 /* words */ };

template <int KIND> static __device__ unsigned load(const unsigned *p)
{
    unsigned v;
    if (KIND == VOLATILE)
        asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    else if (KIND == PAST)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    else
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
template <int KIND> static __device__ void store(unsigned *p, unsigned v)
{
    if (KIND == VOLATILE)
        asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
    else
        asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

/* Warps have `places`, `apart` words from each other; lanes are `step` words apart, and each has `WORDS` in a row; sums
 * go to words 32 bytes further on. */
template <int KIND, int WORDS> __global__ void rewrite(unsigned *p, int places, int apart, int step)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    unsigned *at = p + (size_t)(warp % places) * apart + threadIdx.x % 32 * step;
    unsigned sum = 0;
    for (int t = 0; t < TIMES; t++) {
        unsigned v[WORDS];
        if (KIND == WEAK || KIND == VOLATILE || KIND == PAST || KIND == READ_ADDED)
#pragma unroll
            for (int w = 0; w < WORDS; w++)
                v[w] = load<KIND>(at + w);
#pragma unroll
        for (int w = 0; w < WORDS; w++) {
            if (KIND == WEAK || KIND == VOLATILE || KIND == PAST)
                store<KIND>(at + w, v[w] + 1);
            if (KIND == STORED_ADDED)
                store<KIND>(at + w, t);
            if (KIND == ADDED || KIND == STORED_ADDED || KIND == READ_ADDED)
                asm volatile("red.global.add.u32 [%0], 1;" ::"l"(at + w + 8) : "memory");
            if (KIND == READ_ADDED)
                sum += v[w];
        }
    }
    if (sum == 12345)
        *p = 1;
}

static unsigned *p;
template <int KIND, int WORDS> static void shapes()
{
    for (int step : {0, 1})
        for (int blocks : {1, 132, 1056})
            for (int threads : {32, 256})
                for (int places : {1, 16, 8448})
                    rewrite<KIND, WORDS><<<blocks, threads>>>(p, places, 2 * LINE, step);
}

int main()
{
    cudaMalloc(&p, 1 << 26);
    cudaMemset(p, 0, 1 << 26);
    shapes<WEAK, 1>();
    shapes<WEAK, 6>();
    shapes<VOLATILE, 1>();
    shapes<PAST, 1>();
    shapes<ADDED, 1>();
    shapes<STORED_ADDED, 1>();
    shapes<READ_ADDED, 1>();
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
