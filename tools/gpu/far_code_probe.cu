/* SPDX-License-Identifier: Apache-2.0
 * Which code of a kernel is at hand when it begins, for src/time/: a kernel of so many parts of 12 KiB (512 FFMAs and the loads
 * of their operands, 743 instructions), of which a launch goes through some, from a first one on. Under Nsight Compute code is
 * cold. Prints a line a launch: parts of the kernel, the first part and how many are gone through, threads, cycles of each part
 * for an FFMA.
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o far_code_probe far_code_probe.cu; ncu --clock-control none far_code_probe */
#include "cuda_check.h"

#include <cstdio>
#include <cstdlib>

enum { CHAINS = 8, PART_INSTRUCTIONS = 512, MOST_PARTS = 24 };

template <int part>
static __device__ __forceinline__ void go_through(float *x, float a, float b, long long *out)
{
    const long long begin = clock64();
#pragma unroll
    for (int i = 0; i < PART_INSTRUCTIONS; i++)
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[i % CHAINS]) : "f"(a), "f"(b));
    if (threadIdx.x == 0)
        out[part] = clock64() - begin;
}

template <int part, int parts>
static __device__ __forceinline__ void go_on(float *x, float a, float b, long long *out, int first, int stop)
{
    if (part >= first && part < stop)
        go_through<part>(x, a, b, out);
    if constexpr (part + 1 < parts)
        go_on<part + 1, parts>(x, a, b, out, first, stop);
}

template <int parts>
static __global__ void far_code(long long *out, float a, float b, int first, int stop)
{
    float x[CHAINS];
    for (int i = 0; i < CHAINS; i++)
        x[i] = threadIdx.x + i;
    go_on<0, parts>(x, a, b, out, first, stop);
    float sum = 0;
    for (int i = 0; i < CHAINS; i++)
        sum += x[i];
    if (sum == 12345)
        out[0] = 0;
}

template <int parts>
static void measure(int first, int count, int threads)
{
    static long long *out;
    long long host[MOST_PARTS] = {0};
    if (!out)
        CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemset(out, 0, sizeof host));
    far_code<parts><<<1, threads>>>(out, 1.5f, 0.5f, first, first + count);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("of %d first %d parts %d threads %d:", parts, first, count, threads);
    for (int i = first; i < first + count && i < parts; i++)
        printf(" %.2f", (double)host[i] / PART_INSTRUCTIONS);
    printf("\n");
    fflush(stdout);
}

template <int parts>
static void all()
{
    for (int first = 0; first < parts; first += parts > 8 ? 3 : 1)
        measure<parts>(first, 1, 32);
    measure<parts>(0, parts, 32);
    measure<parts>(parts / 2, parts / 2, 32);
    measure<parts>(parts - 1, 1, 256);
    measure<parts>(0, parts, 256);
}

int main()
{
    all<4>(), all<8>(), all<12>(), all<24>();
    return 0;
}
