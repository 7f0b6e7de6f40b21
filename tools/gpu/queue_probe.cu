/* SPDX-License-Identifier: Apache-2.0
 * How many instructions wait for the L1 and for shared memory before their warp must, for src/time/: WARPS warps of one block (warp n is
 * of scheduler n % 4) each issue COUNT requests that take long, and read the clock behind each. While a queue has room a request is
 * issued every few cycles, then as often as one is served. Prints a line a warp: what, warps
 * of the block, the warp, and when each of its requests was issued.
 * `full` kernels do the same AHEAD requests before each wait, for Nsight Compute:
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o queue_probe queue_probe.cu; queue_probe > queue_probe.txt
 *     ncu --clock-control none --kernel-name regex:full --metrics smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio,\
 *         smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio,smsp__average_warps_issue_stalled_tex_throttle_per_issue_active.ratio,\
 *         smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio,smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio,\
 *         sm__cycles_active.max,smsp__inst_executed.sum queue_probe full
 * What an H200 takes: tests/gpu/h200/queues.txt. */
#include "cuda_check.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

enum { COUNT = 48, MOST_WARPS = 16, TRIPS = 64, WORDS = 1 << 20 };
enum what { ONE_LINE, EIGHT_LINES, LINES, WIDE_LINES, PAST_L1, STORES, ATOMICS, SHARED, TEXTURES, TEXTURES_THEN_LINES, LINES_THEN_SHARED, WHATS };
static const char *const NAMES[] = {"one_line", "eight_lines", "lines", "wide_lines", "past_l1", "stores", "atomics", "shared", "textures", "textures_then_lines", "lines_then_shared"};
static const int WARPS[] = {1, 2, 4, 8, 16};

// Lanes' words: all in a line, four a line, a line each; of shared memory in one bank.
static __device__ __forceinline__ unsigned place_of(what w, int lane)
{
    return w == ONE_LINE ? lane : w == EIGHT_LINES ? lane / 4 * 32 + lane % 4 : lane * 32;
}

// Each request asks for other words, as ptxas makes one of those that are alike.
static __device__ __forceinline__ unsigned ask(what w, const unsigned *from, unsigned shared, cudaTextureObject_t tex, int lane, int i)
{
    unsigned x = 0, y = 0, z = 0, u = 0;
    const int next = w == ONE_LINE ? i * 32 : w == EIGHT_LINES ? i % 8 * 4 + i / 8 * 256 : w == WIDE_LINES ? i % 8 * 4 + i / 8 * 1024 : i % 32 + i / 32 * 1024;
    const unsigned *at = from + next;
    shared += i * 4;
    if (w == TEXTURES || (w == TEXTURES_THEN_LINES && i < COUNT / 2))
        asm volatile("tex.1d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5}];" : "=r"(x), "=r"(y), "=r"(z), "=r"(u) : "l"(tex), "r"(lane * 32 + next));
    else if (w == SHARED || (w == LINES_THEN_SHARED && i >= COUNT / 2))
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(shared));
    else if (w == WIDE_LINES)
        asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(u) : "l"(at));
    else if (w == PAST_L1)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(at));
    else if (w == STORES)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(lane) : "memory");
    else if (w == ATOMICS)
        asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(x) : "l"(at) : "memory");
    else
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(at));
    return x + y + z + u;
}

// Not clock(), whose value waits in a queue itself.
static __device__ __forceinline__ unsigned long long now()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t));
    return t;
}

template <what W>
static __global__ void issues(const unsigned *from, cudaTextureObject_t tex, unsigned *when, unsigned *sink)
{
    __shared__ unsigned words[32 * 64];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int i = threadIdx.x; i < 32 * 64; i += blockDim.x)
        words[i] = i;
    const unsigned *at = from + place_of(W, lane) + (W == STORES || W == ATOMICS ? warp * 2048 : 0);
    const unsigned shared = (unsigned)__cvta_generic_to_shared(&words[lane * 64]);
    unsigned sum = 0, v[COUNT];
    unsigned long long t[COUNT + 1];
    for (int trip = 0; trip < 2; trip++) {  // the second time the code is there, and what the L1 keeps
        __syncthreads();
        t[0] = now();
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            v[i] = ask(W, at, shared, tex, lane, i);
            t[i + 1] = now();
        }
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            sum += v[i];
    }
    if (lane == 0)
#pragma unroll
        for (int i = 0; i <= COUNT; i++)
            when[warp * (COUNT + 1) + i] = (unsigned)(t[i] - t[0]);
    sink[threadIdx.x] = sum;
}

template <what W, int AHEAD>
static __global__ void full(const unsigned *from, cudaTextureObject_t tex, unsigned *sink)
{
    __shared__ unsigned words[32 * 64];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int i = threadIdx.x; i < 32 * 64; i += blockDim.x)
        words[i] = i;
    __syncthreads();
    const unsigned *at = from + place_of(W, lane) + (W == STORES || W == ATOMICS ? warp * 2048 : 0);
    const unsigned shared = (unsigned)__cvta_generic_to_shared(&words[lane * 64]);
    unsigned sum = 0;
#pragma unroll 1
    for (int trip = 0; trip < TRIPS; trip++) {
        unsigned v[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            v[i] = ask(W, at, shared, tex, lane, W == LINES_THEN_SHARED || W == TEXTURES_THEN_LINES ? (i + trip % 2) % AHEAD * (COUNT / AHEAD) : (i + trip * AHEAD) % 32);
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            sum += v[i];
    }
    sink[threadIdx.x] = sum;
}

template <what W>
static void run(bool is_full, const unsigned *from, cudaTextureObject_t tex, unsigned *when, unsigned *sink)
{
    for (int warps : WARPS) {
        if (is_full) {
            full<W, 1><<<1, 32 * warps>>>(from, tex, sink);
            full<W, 2><<<1, 32 * warps>>>(from, tex, sink);
            full<W, 4><<<1, 32 * warps>>>(from, tex, sink);
            full<W, 8><<<1, 32 * warps>>>(from, tex, sink);
            full<W, 16><<<1, 32 * warps>>>(from, tex, sink);
            CHECK(cudaDeviceSynchronize());
            continue;
        }
        unsigned t[MOST_WARPS][COUNT + 1];
        issues<W><<<1, 32 * warps>>>(from, tex, when, sink);
        CHECK(cudaMemcpy(t, when, sizeof t, cudaMemcpyDeviceToHost));
        for (int w = 0; w < warps; w++) {
            printf("%s %d %d", NAMES[W], warps, w);
            for (int i = 1; i <= COUNT; i++)
                printf(" %u", t[w][i]);
            printf("\n");
        }
    }
}

int main(int argc, char **argv)
{
    unsigned *from, *when, *sink;
    CHECK(cudaMalloc(&from, WORDS * sizeof *from));
    CHECK(cudaMemset(from, 0, WORDS * sizeof *from));
    CHECK(cudaMalloc(&when, MOST_WARPS * (COUNT + 1) * sizeof *when));
    CHECK(cudaMalloc(&sink, 32 * MOST_WARPS * sizeof *sink));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = from;
    resource.res.linear.desc = cudaCreateChannelDesc<unsigned>();
    resource.res.linear.sizeInBytes = WORDS / 8 * sizeof *from;
    cudaTextureDesc description = {};
    cudaTextureObject_t tex = 0;
    CHECK(cudaCreateTextureObject(&tex, &resource, &description, nullptr));
    const bool is_full = argc > 1;
    (void)argv;
    run<ONE_LINE>(is_full, from, tex, when, sink), run<EIGHT_LINES>(is_full, from, tex, when, sink), run<LINES>(is_full, from, tex, when, sink);
    run<WIDE_LINES>(is_full, from, tex, when, sink), run<PAST_L1>(is_full, from, tex, when, sink), run<STORES>(is_full, from, tex, when, sink);
    run<ATOMICS>(is_full, from, tex, when, sink), run<SHARED>(is_full, from, tex, when, sink), run<TEXTURES>(is_full, from, tex, when, sink);
    run<TEXTURES_THEN_LINES>(is_full, from, tex, when, sink), run<LINES_THEN_SHARED>(is_full, from, tex, when, sink);
    return 0;
}
