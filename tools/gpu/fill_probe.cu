/* SPDX-License-Identifier: Apache-2.0
 * What an SM gets from the L2, for src/time/: blocks of 32 warps, one an SM, read data that the L2 holds and the L1 does
 * not, by requests of one shape each, 8 of them before a wait. Prints a line a shape: path, bytes a lane, stride between
 * lanes, SMs, cycles of an SM for a request (of the SM's clock at its most), sectors of a request.
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o fill_probe fill_probe.cu; fill_probe > fill_probe.txt */
#include "cuda_check.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>

enum { WARPS = 32, AHEAD = 8, REGION = 16 << 20, REQUESTS = 512 /* of a warp */ };

template <bool ca, int bytes>
static __device__ unsigned load(const char *at)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (ca && bytes == 4)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(a) : "l"(at));
    if (ca && bytes == 8)
        asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(at));
    if (ca && bytes == 16)
        asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(at));
    if (!ca && bytes == 4)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(a) : "l"(at));
    if (!ca && bytes == 8)
        asm volatile("ld.global.cg.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(at));
    if (!ca && bytes == 16)
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(at));
    return a ^ b ^ c ^ d;
}

/* Each request has a place of its own until the region is used up; then the next ones begin at its start. */
template <bool ca, int bytes>
static __global__ void fill(const char *data, unsigned stride, unsigned span, unsigned *sink)
{
    const unsigned warp = blockIdx.x * WARPS + threadIdx.x / 32, warps = gridDim.x * WARPS, lane = threadIdx.x % 32;
    unsigned sum = 0;
    for (unsigned r = 0; r < REQUESTS; r += AHEAD) {
        unsigned part[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            part[i] = load<ca, bytes>(data + (size_t)(((r + i) * warps + warp) * span & (REGION - 1)) + lane * stride);
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            sum ^= part[i];
    }
    if (sum == 0x12345)
        *sink = sum;
}

/* The same at random: `lanes` of a warp ask for sectors beside each other of one line, the next ones for another's. */
template <int lanes>
static __global__ void fill_at_random(const char *data, unsigned *sink)
{
    const unsigned warp = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned sum = 0, seed = (warp * 32 + lane / lanes) * 2654435761u + 1;
    for (unsigned r = 0; r < REQUESTS; r += AHEAD) {
        unsigned part[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            seed = seed * 1664525u + 1013904223u;
            part[i] = load<false, 4>(data + (seed >> 8) % (REGION / 128) * 128 + lane % lanes * 32);
        }
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            sum ^= part[i];
    }
    if (sum == 0x12345)
        *sink = sum;
}

static char *data;
static unsigned *sink;
static double clock_hz;

template <int lanes>
static void measure_at_random(int sms)
{
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    float best = 1e30f;
    for (int repeat = 0; repeat < 6; repeat++) {
        float ms;
        CHECK(cudaEventRecord(begin));
        fill_at_random<lanes><<<sms, 32 * WARPS>>>(data, sink);
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        best = ms < best ? ms : best;
    }
    printf("cg random, sectors of a line %d sms %3d cycles %8.3f sectors 32\n", lanes, sms,
           best * 1e-3 * clock_hz / (WARPS * REQUESTS));
    fflush(stdout);
}

template <bool ca, int bytes>
static void measure(unsigned stride, int sms)
{
    std::set<unsigned> sectors;
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned b = 0; b < bytes; b += 4)
            sectors.insert((lane * stride + b) / 32);
    unsigned span = 128;
    while (span < 31 * stride + bytes)
        span *= 2;
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    float best = 1e30f;
    for (int repeat = 0; repeat < 6; repeat++) {
        float ms;
        CHECK(cudaEventRecord(begin));
        fill<ca, bytes><<<sms, 32 * WARPS>>>(data, stride, span, sink);
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        best = ms < best ? ms : best;
    }
    printf("%s bytes %2d stride %4u sms %3d cycles %8.3f sectors %2zu\n", ca ? "ca" : "cg", bytes, stride, sms,
           best * 1e-3 * clock_hz / (WARPS * REQUESTS), sectors.size());
    fflush(stdout);
}

int main()
{
    cudaDeviceProp p;
    int khz = 0;
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    clock_hz = khz * 1e3;
    CHECK(cudaMalloc(&data, REGION + (1 << 20)));
    CHECK(cudaMemset(data, 0, REGION + (1 << 20)));
    CHECK(cudaMalloc(&sink, 64));
    for (const int sms : {1, 16, 66, p.multiProcessorCount}) {
        for (const unsigned stride : {4u, 8u, 16u, 32u, 64u, 128u, 256u, 512u})
            measure<true, 4>(stride, sms), measure<false, 4>(stride, sms);
        for (const unsigned stride : {8u, 16u, 32u, 128u})
            measure<true, 8>(stride, sms);
        for (const unsigned stride : {16u, 32u, 64u, 128u})
            measure<true, 16>(stride, sms), measure<false, 16>(stride, sms);
        measure_at_random<1>(sms), measure_at_random<2>(sms), measure_at_random<4>(sms);
    }
    return 0;
}
