/* SPDX-License-Identifier: Apache-2.0
 * How fast code comes that is gone through again and again, for src/time/: one block whose warps repeat a loop of so many KiB
 * of FFMAs, none of which waits for another. Prints a line a case: KiB, warps, cycles of a scheduler for an instruction of the
 * first trip, and of the others.
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o code_probe code_probe.cu; code_probe > code_probe.txt */
#include "cuda_check.h"

#include <cstdio>
#include <cstdlib>

enum { TRIPS = 9, CHAINS = 8, KIB_INSTRUCTIONS = 64 };

template <int kib>
static __global__ void straight(long long *out, float a, float b)
{
    float x[CHAINS];
    for (int i = 0; i < CHAINS; i++)
        x[i] = threadIdx.x + i;
    __syncthreads();
    for (int t = 0; t < TRIPS; t++) {
        const long long begin = clock64();
#pragma unroll
        for (int i = 0; i < kib * KIB_INSTRUCTIONS; i++)
            asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[i % CHAINS]) : "f"(a), "f"(b));
        const long long end = clock64();
        if (threadIdx.x % 32 == 0)
            out[t * 32 + threadIdx.x / 32] = end - begin;
    }
    float sum = 0;
    for (int i = 0; i < CHAINS; i++)
        sum += x[i];
    if (sum == 12345)
        out[0] = 0;
}

template <int kib>
static void measure()
{
    static long long *out;
    long long host[TRIPS * 32];
    if (!out)
        CHECK(cudaMalloc(&out, sizeof host));
    for (const int warps : {1, 4, 8, 16, 32}) {
        for (int repeat = 0; repeat < 2; repeat++)
            straight<kib><<<1, 32 * warps>>>(out, 1.5f, 0.5f);
        CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
        double sum = 0;
        for (int t = 1; t < TRIPS; t++)
            for (int w = 0; w < warps; w++)
                sum += (double)host[t * 32 + w];
        const double issued = (warps > 4 ? warps / 4 : 1) * kib * KIB_INSTRUCTIONS;
        printf("kib %3d warps %2d first %.3f others %.3f\n", kib, warps, (double)host[0] / issued, sum / warps / (TRIPS - 1) / issued);
    }
    fflush(stdout);
}

int main()
{
    measure<8>(), measure<16>(), measure<24>(), measure<32>(), measure<48>(), measure<64>(), measure<80>(), measure<96>();
    measure<112>(), measure<128>(), measure<160>(), measure<256>(), measure<512>();
    return 0;
}
