/* SPDX-License-Identifier: Apache-2.0
 * How long a load that the L1 or shared memory has is waited for while other warps of the SM load what they lack, for
 * src/time/: warp 0 follows a chain of hits; the others begin some loads each that the L2 or the DRAM answers, and wait.
 * Prints a line a case: what warp 0 does, what the others do, how many warps they are, loads before each wait, cycles for
 * a link of warp 0's chain, cycles for a request of the others.
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o beside_probe beside_probe.cu; beside_probe > beside_probe.txt */
#include "cuda_check.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

enum { LINKS = 2048, AHEAD = 8 };
enum chain { GLOBAL_HITS, SHARED_HITS };
enum beside { NOTHING, L1_HITS, L1_MISSES, PAST_L1, L2_MISSES, STORES };
static const char *const chains[] = {"global_hits", "shared_hits"};
static const char *const besides[] = {"nothing", "l1_hits", "l1_misses", "past_l1", "l2_misses", "stores"};

static __device__ unsigned load(const char *at, beside what)
{
    unsigned v = 0;
    if (what == PAST_L1)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at));
    else if (what == STORES)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(v));
    else if (what != NOTHING)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(at));
    return v;
}

static __global__ void both(long long *out, const char *cells, char *data, size_t region, chain own, beside what, unsigned step,
                            unsigned stride, unsigned *sink)
{
    __shared__ volatile int done;
    __shared__ unsigned word[32];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x < 32)
        word[lane] = (unsigned)__cvta_generic_to_shared(&word[lane]);
    if (threadIdx.x == 0)
        done = 0;
    __syncthreads();
    if (!warp) {
        uint64_t x = (uint64_t)cells + lane * 8;
        unsigned y = (unsigned)__cvta_generic_to_shared(&word[lane]);
        for (int i = 0; i < 256; i++)
            asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(x));
        const long long begin = clock64();
        for (int i = 0; i < LINKS; i++) {
            if (own == GLOBAL_HITS)
                asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(x));
            else
                asm volatile("ld.shared.u32 %0, [%0];" : "+r"(y));
        }
        const long long end = clock64();
        done = 1;
        if (!lane)
            out[0] = end - begin;
        if (x + y == 0x12345)
            *sink = 1;
        return;
    }
    unsigned sum = 0, made = 0;
    size_t at = (size_t)warp * 65536 + lane * stride;
    const long long begin = clock64();
    for (; !done && what != NOTHING; made++) {
        unsigned part[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++, at += step)
            part[i] = load(data + (at & (region - 1)), what);
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            sum ^= part[i];
        asm volatile("" ::"r"(sum) : "memory");
    }
    if (threadIdx.x == 32)
        out[1] = clock64() - begin, out[2] = made * AHEAD;
    if (sum == 0x12345)
        *sink = sum;
}

int main()
{
    enum { CELLS = 64 };
    long long *out, found[3];
    char *cells, *data;
    unsigned *sink;
    uint64_t own[CELLS];
    const size_t most = (size_t)1 << 30;
    CHECK(cudaMalloc(&out, 64));
    CHECK(cudaMalloc(&cells, sizeof own));
    CHECK(cudaMalloc(&data, most));
    CHECK(cudaMemset(data, 0, most));
    CHECK(cudaMalloc(&sink, 64));
    for (int i = 0; i < CELLS; i++)
        own[i] = (uint64_t)cells + i * 8;
    CHECK(cudaMemcpy(cells, own, sizeof own, cudaMemcpyHostToDevice));
    for (const chain c : {GLOBAL_HITS, SHARED_HITS})
        for (const beside b : {NOTHING, L1_HITS, L1_MISSES, PAST_L1, L2_MISSES, STORES})
            for (const int warps : {1, 4, 7, 15})
                for (const unsigned stride : {4u, 128u}) {
                    const size_t region = b == L1_HITS ? 16384 : b == L2_MISSES ? most : (size_t)8 << 20;
                    const unsigned step = b == L1_HITS ? 0 : stride * 32;
                    if (b == NOTHING && (warps > 1 || stride > 4))
                        continue;
                    for (int repeat = 0; repeat < 3; repeat++)
                        both<<<1, 32 * (1 + warps)>>>(out, cells, data, region, c, b, step, stride, sink);
                    CHECK(cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost));
                    printf("%-11s beside %-9s warps %2d stride %3u link %.2f others %.2f\n", chains[c], besides[b], warps, stride,
                           (double)found[0] / LINKS, found[2] ? (double)found[1] / (found[2] * warps) : 0.0);
                }
    return 0;
}
