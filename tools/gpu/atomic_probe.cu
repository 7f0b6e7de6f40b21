/* SPDX-License-Identifier: Apache-2.0
 * Atomics of all SMs on few words, and fences, for src/time/. Prints a line a probe: name, blocks, words, bytes between them,
 * nanoseconds for a warp's instruction of the whole GPU (median of 9).
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o atomic_probe atomic_probe.cu; atomic_probe > atomic_probe.txt
 *     atomic_probe NAME       that probe alone, each launch once */
#include "cuda_check.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { TRIPS = 32, THREADS = 256, ROOM = 64 << 20 };

/* Lane l of warp w uses word (w * per_warp + l % lanes) % words: asm, so that the compiler combines nothing. */
#define ATOMIC(NAME, TEXT, OUT)                                                                                \
    static __global__ void NAME(unsigned *data, unsigned words, unsigned apart, unsigned lanes, unsigned *sink) \
    {                                                                                                          \
        const unsigned warp = (blockIdx.x * THREADS + threadIdx.x) / 32;                                       \
        unsigned *at = data + (size_t)((warp * lanes + threadIdx.x % lanes) % words) * apart, got = 0;         \
        for (int t = 0; t < TRIPS; t++)                                                                        \
            asm volatile(TEXT : OUT(got) : "l"(at), "r"(t + 1) : "memory");                                     \
        if (got == 0x12345678)                                                                                 \
            *sink = got;                                                                                       \
    }
ATOMIC(red_add, "red.global.add.u32 [%1], %2;", "+r")
ATOMIC(atom_add, "atom.global.add.u32 %0, [%1], %2;", "=r")
ATOMIC(atom_max, "atom.global.max.u32 %0, [%1], %2;", "=r")
ATOMIC(atom_exch, "atom.global.exch.b32 %0, [%1], %2;", "=r")
ATOMIC(atom_inc, "atom.global.inc.u32 %0, [%1], %2;", "=r")
ATOMIC(atom_cas, "atom.global.cas.b32 %0, [%1], 1, %2;", "=r")
ATOMIC(red_max, "red.global.max.u32 [%1], %2;", "+r")
ATOMIC(red_and, "red.global.and.b32 [%1], %2;", "+r")
ATOMIC(sys_add, "atom.global.sys.add.u32 %0, [%1], %2;", "=r")
ATOMIC(red_sys, "red.global.sys.add.u32 [%1], %2;", "+r")
ATOMIC(red_float, "{ .reg .f32 f; cvt.rn.f32.u32 f, %2; red.global.add.f32 [%1], f; }", "+r")
ATOMIC(atom_float, "{ .reg .f32 f; cvt.rn.f32.u32 f, %2; atom.global.add.f32 f, [%1], f; mov.b32 %0, f; }", "=r")
ATOMIC(red_float2, "{ .reg .f32 f; cvt.rn.f32.u32 f, %2; red.global.add.v2.f32 [%1], {f, f}; }", "+r")
ATOMIC(red_float4, "{ .reg .f32 f; cvt.rn.f32.u32 f, %2; red.global.add.v4.f32 [%1], {f, f, f, f}; }", "+r")
ATOMIC(atom_float4, "{ .reg .f32 f, g, h, i; cvt.rn.f32.u32 f, %2; atom.global.add.v4.f32 {f, g, h, i}, [%1], {f, f, f, f}; mov.b32 %0, f; }", "=r")
ATOMIC(red_double, "{ .reg .f64 f; cvt.rn.f64.u32 f, %2; red.global.add.f64 [%1], f; }", "+r")
ATOMIC(red_long, "{ .reg .u64 f; cvt.u64.u32 f, %2; red.global.add.u64 [%1], f; }", "+r")
ATOMIC(store, "st.global.u32 [%1], %2;", "+r")
ATOMIC(fence_gpu, "fence.acq_rel.gpu; // %1 %2", "+r")
ATOMIC(fence_sc, "fence.sc.gpu; // %1 %2", "+r")
ATOMIC(fence_sys, "fence.sc.sys; // %1 %2", "+r")
ATOMIC(store_fence, "st.global.u32 [%1], %2; fence.acq_rel.gpu;", "+r")
ATOMIC(store_sc, "st.global.u32 [%1], %2; fence.sc.gpu;", "+r")
ATOMIC(store_sys, "st.global.u32 [%1], %2; fence.sc.sys;", "+r")

/* Each lane's word is another one each time, as in a histogram. */
#define SCATTER(NAME, TEXT, OUT)                                                                               \
    static __global__ void NAME(unsigned *data, unsigned words, unsigned apart, unsigned, unsigned *sink)       \
    {                                                                                                          \
        const unsigned thread = blockIdx.x * THREADS + threadIdx.x;                                            \
        unsigned got = 0;                                                                                      \
        for (int t = 0; t < TRIPS; t++) {                                                                      \
            unsigned mixed = (thread * TRIPS + t) * 2654435761u;                                               \
            mixed = (mixed ^ mixed >> 15) * 2246822519u;                                                       \
            unsigned *at = data + (size_t)((mixed ^ mixed >> 13) % words) * apart;                             \
            asm volatile(TEXT : OUT(got) : "l"(at), "r"(t + 1) : "memory");                                     \
        }                                                                                                      \
        if (got == 0x12345678)                                                                                 \
            *sink = got;                                                                                       \
    }
SCATTER(scatter_red, "red.global.add.u32 [%1], %2;", "+r")
SCATTER(scatter_atom, "atom.global.add.u32 %0, [%1], %2;", "=r")
SCATTER(scatter_float, "{ .reg .f32 f; cvt.rn.f32.u32 f, %2; red.global.add.f32 [%1], f; }", "+r")

typedef void probe(unsigned *, unsigned, unsigned, unsigned, unsigned *);

static unsigned *data, *sink;
static cudaEvent_t from, to;
static const char *only;

static void run(const char *name, probe *kernel, unsigned blocks, unsigned words, unsigned bytes_apart, unsigned lanes)
{
    enum { REPEATS = 9 };
    float times[REPEATS];
    const int repeats = only ? 1 : REPEATS;
    if ((size_t)words * bytes_apart > ROOM || (only && strcmp(only, name)))
        return;
    for (int i = only ? 0 : -1; i < repeats; i++) {
        float ms = 0;
        CHECK(cudaEventRecord(from));
        kernel<<<blocks, THREADS>>>(data, words, bytes_apart / 4, lanes, sink);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(to));
        CHECK(cudaEventSynchronize(to));
        CHECK(cudaEventElapsedTime(&ms, from, to));
        if (i >= 0)
            times[i] = ms;
    }
    std::sort(times, times + repeats);
    const double warps = (double)blocks * THREADS / 32 * TRIPS;
    printf("%-12s blocks %4u words %6u apart %5u lanes %2u us %9.2f to %9.2f ns_warp %8.3f\n", name, blocks, words, bytes_apart, lanes,
           times[repeats / 2] * 1e3, times[repeats - 1] * 1e3, times[repeats / 2] * 1e6 / warps);
}

#define ONE(name) {#name, name}
static const struct {
    const char *name;
    probe *kernel;
} atomics[] = {ONE(red_add), ONE(atom_add),  ONE(atom_max),   ONE(atom_exch),  ONE(atom_inc), ONE(atom_cas), ONE(red_max), ONE(red_and),
               ONE(sys_add), ONE(red_sys),   ONE(red_float),  ONE(atom_float), ONE(red_double), ONE(red_long), ONE(store)},
  vectors[] = {ONE(red_float2), ONE(red_float4), ONE(atom_float4)},
  scattered[] = {ONE(scatter_red), ONE(scatter_atom), ONE(scatter_float)},
  fences[] = {ONE(fence_gpu), ONE(fence_sc), ONE(fence_sys), ONE(store_fence), ONE(store_sc), ONE(store_sys)};

int main(int argc, char **argv)
{
    only = argc > 1 ? argv[1] : NULL;
    CHECK(cudaMalloc(&data, ROOM));
    CHECK(cudaMemset(data, 0, ROOM));
    CHECK(cudaMalloc(&sink, 64));
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    for (const auto &a : atomics) {
        for (const unsigned blocks : {1, 132, 1056})
            for (const unsigned lanes : {1, 2, 8, 32})
                run(a.name, a.kernel, blocks, lanes, 8, lanes);           /* the same word or words for every warp */
        for (const unsigned words : {32, 128, 512, 4096, 65536})
            for (const unsigned apart : {8, 32, 128, 512})
                run(a.name, a.kernel, 1056, words, apart, 32);
        for (const unsigned words : {8, 32, 512, 8192})                   /* a word a warp */
            run(a.name, a.kernel, 1056, words, 128, 1);
    }
    for (const auto &a : vectors)                                         /* 8 or 16 bytes a lane, side by side and apart */
        for (const unsigned words : {1, 32, 64, 128, 256, 1024, 4096, 65536})
            for (const unsigned apart : {16, 32, 128})
                run(a.name, a.kernel, 1056, words, apart, 32);
    for (const auto &a : scattered)
        for (unsigned words = 1; words <= 1 << 22; words *= words < 64 ? 2 : 4)
            run(a.name, a.kernel, 1056, words, 4, 32);
    for (const auto &f : fences)
        for (const unsigned blocks : {1, 132, 1056})
            run(f.name, f.kernel, blocks, 65536, 128, 1);
    return 0;
}
