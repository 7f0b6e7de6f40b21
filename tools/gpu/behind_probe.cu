/* SPDX-License-Identifier: Apache-2.0
 * What a load waits for behind stores of its SM, for src/time/: warps that each store so many whole lines, which the L2 has, and then
 * load a line from the L2. Prints a line a case: SMs, warps, lines stored by each, cycles of the load (mean and most of the warps).
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o behind_probe behind_probe.cu; behind_probe > behinds.txt */
#include "cuda_check.h"

#include <cstdio>
#include <cstdlib>

enum { MOST = 64, WARPS = 32, TRIPS = 6 };

template <int STORES>
static __global__ void behind(int *to, const int *from, unsigned *out, int n)
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int *mine = to + ((size_t)blockIdx.x * WARPS + warp) * MOST * 32 + lane;
    const int *read = from + ((size_t)blockIdx.x * WARPS + warp) * TRIPS * 32 + lane;
    unsigned last = 0;
    for (int t = 0; t < TRIPS; t++) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < STORES; i++)
            mine[i * 32] = t + i;
        const unsigned begin = clock();
        int x;
        asm volatile("ld.global.cg.b32 %0, [%1];" : "=r"(x) : "l"(read + t * 32));
        asm volatile("add.s32 %0, %0, %1;" : "+r"(x) : "r"(n));
        const unsigned end = clock() + (x == 12345);
        last = end - begin;
        for (int i = 0; i < 20; i++)
            __nanosleep(1000);
    }
    if (lane == 0)
        out[blockIdx.x * WARPS + warp] = last;
}

template <int STORES>
static void run(int *to, int *from, unsigned *out)
{
    static unsigned host[132 * WARPS];
    for (const int sms : {1, 132})
        for (const int warps : {1, 4, 8, 16, 32}) {
            for (int r = 0; r < 2; r++)
                behind<STORES><<<sms, 32 * warps>>>(to, from, out, 0);
            CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
            double sum = 0;
            unsigned most = 0;
            for (int b = 0; b < sms; b++)
                for (int w = 0; w < warps; w++) {
                    const unsigned one = host[b * WARPS + w];
                    sum += one;
                    most = one > most ? one : most;
                }
            printf("sms %d warps %d stores %d mean %.0f most %u\n", sms, warps, STORES, sum / sms / warps, most);
        }
}

int main()
{
    int *to, *from;
    unsigned *out;
    CHECK(cudaMalloc(&to, (size_t)132 * WARPS * MOST * 128));
    CHECK(cudaMalloc(&from, (size_t)132 * WARPS * TRIPS * 128));
    CHECK(cudaMalloc(&out, 132 * WARPS * 4));
    CHECK(cudaMemset(to, 0, (size_t)132 * WARPS * MOST * 128));
    CHECK(cudaMemset(from, 0, (size_t)132 * WARPS * TRIPS * 128));
    run<0>(to, from, out), run<1>(to, from, out), run<2>(to, from, out), run<4>(to, from, out), run<8>(to, from, out), run<16>(to, from, out),
        run<32>(to, from, out), run<64>(to, from, out);
    return 0;
}
