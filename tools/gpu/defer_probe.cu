/* SPDX-License-Identifier: Apache-2.0
 * What a warp still issues behind a barrier that others have not come to, for src/time/: of two warps the one waits, and has an
 * instruction, or a chain of them, between the barrier and a load from shared memory; the other comes 20,000 cycles later. Prints
 * a line a case: cycles of the chain by itself, and from when the late warp has come to when the first one has loaded.
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o defer_probe defer_probe.cu; defer_probe > defers.txt */
#include "cuda_check.h"

#include <cstdio>
#include <cstdlib>

enum { LATE = 20000, CHAIN = 128 };
enum what { NOTHING, FMAS, INTEGERS, DOUBLES, ROOTS, SHUFFLES, VOTES, CONSTANTS, SPECIALS, LOOP, CLOCK, BRANCH, SHARED, GLOBAL, SECOND, STORES, CONVERTS, WHATS };
static const char *const NAMES[] = {"nothing", "fmas", "integers", "doubles", "roots", "shuffles", "votes", "constants", "specials", "loop", "clock", "branch", "shared", "global", "second_barrier", "stores", "converts"};
__constant__ int table[1024];
__device__ int words[4096];

template <what W>
static __device__ __forceinline__ int chain(int x, int n, volatile int *shared)
{
    float f = __int_as_float(x);
    double d = x;
    if (W == FMAS)
#pragma unroll
        for (int i = 0; i < CHAIN; i++)
            asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(f));
    if (W == INTEGERS)
#pragma unroll
        for (int i = 0; i < CHAIN; i++)
            asm volatile("mad.lo.s32 %0, %0, %0, %0;" : "+r"(x));
    if (W == DOUBLES)
#pragma unroll
        for (int i = 0; i < CHAIN; i++)
            asm volatile("fma.rn.f64 %0, %0, %0, %0;" : "+d"(d));
    if (W == ROOTS)
#pragma unroll
        for (int i = 0; i < CHAIN; i++)
            asm volatile("sqrt.approx.ftz.f32 %0, %0;" : "+f"(f));
    if (W == SHUFFLES)
#pragma unroll
        for (int i = 0; i < CHAIN; i++)
            asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(x));
    if (W == VOTES)
#pragma unroll
        for (int i = 0; i < CHAIN; i++)
            asm volatile("{ .reg .pred p; setp.ne.s32 p, %0, 0; vote.sync.ballot.b32 %0, p, -1; }" : "+r"(x));
    if (W == CONSTANTS)
#pragma unroll
        for (int i = 0; i < CHAIN; i++)
            x = table[x & 1023];
    if (W == SPECIALS)
#pragma unroll
        for (int i = 0; i < CHAIN; i++)
            asm volatile("{ .reg .u32 r; mov.u32 r, %%smid; add.u32 %0, %0, r; }" : "+r"(x));
    if (W == CONVERTS)
#pragma unroll
        for (int i = 0; i < CHAIN; i++)
            asm volatile("{ .reg .f64 r; cvt.rn.f64.s32 r, %0; cvt.rni.s32.f64 %0, r; }" : "+r"(x));
    if (W == LOOP) {
#pragma unroll 1
        for (int i = 0; i < n; i++)
            asm volatile("mad.lo.s32 %0, %0, %0, %0;" : "+r"(x));
    }
    if (W == BRANCH && n == 12345)
        asm volatile("mad.lo.s32 %0, %0, %0, %0;" : "+r"(x));
    if (W == SHARED)
#pragma unroll
        for (int i = 0; i < CHAIN; i++)
            x = shared[x & 63];
    if (W == GLOBAL)
#pragma unroll
        for (int i = 0; i < CHAIN; i++)
            x = *(volatile int *)&words[x & 1023];
    if (W == STORES)
#pragma unroll
        for (int i = 0; i < CHAIN; i++)
            *(volatile int *)&words[1024 + (threadIdx.x & 31) + 32 * i % 2048] = x;
    if (W == SECOND)
        asm volatile("bar.sync 1, 32;" ::: "memory");
    return x + __float_as_int(f) + (int)d;
}

template <what W>
static __global__ void probe(long long *out, int n, int late)
{
    __shared__ int shared[64];
    shared[threadIdx.x] = 0;
    __syncthreads();
    int x = n >> 20;
    if (threadIdx.x >= 32) {
        const long long begin = clock64();
        while (clock64() - begin < late)
            continue;
        if (threadIdx.x == 32)
            out[0] = clock64();
        __syncthreads();
        return;
    }
    const long long own = clock64();
    x = chain<W>(x, n, shared);
    shared[x & 1] = x;
    const long long alone = clock64() - own;
    __syncthreads();
    const long long seen = W == CLOCK ? clock64() : 0;
    x = chain<W>(x, n, shared);
    x += ((volatile int *)shared)[x & 63];
    asm volatile("add.s32 %0, %0, 1;" : "+r"(x));
    const long long end = clock64() + (x == 12345);
    if (threadIdx.x == 0)
        out[1] = alone, out[2] = end, out[3] = seen, out[4] = x;
}

template <what W>
static void run(long long *out)
{
    long long host[5];
    for (int repeat = 0; repeat < 3; repeat++) {
        probe<W><<<1, 64>>>(out, 128, LATE);
        CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    }
    printf("%s alone %lld behind %lld", NAMES[W], host[1], host[2] - host[0]);
    if (W == CLOCK)
        printf(" clock %lld", host[3] - host[0]);
    printf("\n");
}

int main()
{
    long long *out;
    CHECK(cudaMalloc(&out, 5 * sizeof *out));
    run<NOTHING>(out), run<FMAS>(out), run<INTEGERS>(out), run<DOUBLES>(out), run<ROOTS>(out), run<SHUFFLES>(out), run<VOTES>(out);
    run<CONSTANTS>(out), run<SPECIALS>(out), run<LOOP>(out), run<CLOCK>(out), run<BRANCH>(out), run<SHARED>(out), run<GLOBAL>(out);
    run<SECOND>(out), run<STORES>(out), run<CONVERTS>(out);
    return 0;
}
