/* SPDX-License-Identifier: Apache-2.0
 * What one SM does in a cycle, for src/time/ (loads: l1_probe.cu): blocks of so many warps on one SM repeat one instruction (or a few), and
 * thread 0 of each warp notes the clock. Prints a line a probe: name, warps, cycles for each instruction of the SM.
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o sm_probe sm_probe.cu; sm_probe > sm_probe.txt */
#include "cuda_check.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

enum { TRIPS = 64, UNROLL = 16 };

struct span {
    long long begin, end;
};

static __device__ void note(span *out, long long begin)
{
    const long long end = clock64();
    if (threadIdx.x % 32 == 0)
        out[threadIdx.x / 32] = {begin, end};
}

/* ---- arithmetic: eight chains a thread, so that no result is waited for with four warps or more ---- */

#define CHAINS 8
#define ARITHMETIC(NAME, TYPE, STEP)                                                               \
    static __global__ void NAME(span *out, const char *, int a_, int b_, unsigned *sink)           \
    {                                                                                              \
        TYPE x[CHAINS], a = (TYPE)(a_ + 1), b = (TYPE)(b_ + 3);                                    \
        for (int i = 0; i < CHAINS; i++)                                                           \
            x[i] = (TYPE)(threadIdx.x + i);                                                        \
        __syncthreads();                                                                           \
        const long long begin = clock64();                                                         \
        for (int t = 0; t < TRIPS; t++) {                                                          \
            _Pragma("unroll") for (int u = 0; u < UNROLL; u++)                                     \
            {                                                                                      \
                TYPE &v = x[u % CHAINS];                                                           \
                STEP;                                                                              \
            }                                                                                      \
        }                                                                                          \
        note(out, begin);                                                                          \
        TYPE sum = 0;                                                                              \
        for (int i = 0; i < CHAINS; i++)                                                           \
            sum += x[i];                                                                           \
        if (sum == (TYPE)0x7fff1234)                                                               \
            *sink = (unsigned)sum;                                                                 \
    }
ARITHMETIC(ffma, float, asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(v) : "f"(a), "f"(b)))
ARITHMETIC(ffma_own, float, asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(v) : "f"(x[(u + 1) % CHAINS]), "f"(x[(u + 3) % CHAINS])))
ARITHMETIC(fadd, float, asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(v) : "f"(a)))
ARITHMETIC(fmul, float, asm volatile("mul.rn.f32 %0, %0, %1;" : "+f"(v) : "f"(a)))
ARITHMETIC(dfma, double, asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(v) : "d"(a), "d"(b)))
ARITHMETIC(dadd, double, asm volatile("add.rn.f64 %0, %0, %1;" : "+d"(v) : "d"(a)))
ARITHMETIC(imad, int, asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(v) : "r"(a), "r"(b)))
/* Both halves are used, or the compiler makes less of it. */
#define WIDE(v, a) asm volatile("{.reg .u64 w; .reg .u32 l, h; mul.wide.u32 w, %0, %1; mov.b64 {l, h}, w; xor.b32 %0, l, h;}" : "+r"(v) : "r"(a))
ARITHMETIC(imad_wide_lop, unsigned, WIDE(v, a))
ARITHMETIC(imad_wide_lop_twice, unsigned, WIDE(v, a); WIDE(v, b))
ARITHMETIC(imad_wide_lop_imad, unsigned, WIDE(v, a); asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(v) : "r"(a), "r"(b)))
ARITHMETIC(imad_wide_lop_ffma, unsigned, WIDE(v, a); asm volatile("{.reg .f32 f; mov.b32 f, %0; fma.rn.f32 f, f, f, f; mov.b32 %0, f;}" : "+r"(v)))
ARITHMETIC(imad_high, int, asm volatile("mad.hi.s32 %0, %0, %1, %2;" : "+r"(v) : "r"(a), "r"(b)))
ARITHMETIC(iadd, int, asm volatile("add.s32 %0, %0, %1;" : "+r"(v) : "r"(a)))
ARITHMETIC(lop, int, asm volatile("xor.b32 %0, %0, %1;" : "+r"(v) : "r"(a)))
ARITHMETIC(shift, int, asm volatile("shf.l.wrap.b32 %0, %0, %1, %2;" : "+r"(v) : "r"(a), "r"(b)))
ARITHMETIC(popc, unsigned, asm volatile("popc.b32 %0, %0;" : "+r"(v)))
ARITHMETIC(ex2, float, asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(v)))
ARITHMETIC(rsqrt_, float, asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(v)))
ARITHMETIC(i2f, float, asm volatile("{.reg .b32 t; mov.b32 t, %0; cvt.rn.f32.s32 %0, t;}" : "+f"(v)))
ARITHMETIC(f2i, float, asm volatile("{.reg .b32 t; cvt.rzi.s32.f32 t, %0; mov.b32 %0, t;}" : "+f"(v)))
ARITHMETIC(f2d, double, asm volatile("{.reg .f32 t; cvt.rn.f32.f64 t, %0; cvt.f64.f32 %0, t;}" : "+d"(v)))
ARITHMETIC(shuffle, int, v = __shfl_xor_sync(~0u, v, 1))
ARITHMETIC(setp_sel, int, asm volatile("{.reg .pred p; setp.lt.s32 p, %0, %1; selp.s32 %0, %1, %2, p;}" : "+r"(v) : "r"(a), "r"(b)))
ARITHMETIC(ffma_iadd, float,
           asm volatile("{.reg .b32 t; fma.rn.f32 %0, %0, %1, %2; mov.b32 t, %0; add.s32 t, t, 3; mov.b32 %0, t;}"
                        : "+f"(v) : "f"(a), "f"(b)))

/* ---- shared memory ---- */

#define SHARED(NAME, STEP)                                                                         \
    static __global__ void NAME(span *out, const char *, int stride, int lanes, unsigned *sink)    \
    {                                                                                              \
        __shared__ unsigned words[4096];                                                           \
        for (int i = threadIdx.x; i < 4096; i += blockDim.x)                                       \
            words[i] = 0;                                                                          \
        unsigned sum = 0, index = threadIdx.x % 32 % lanes * stride % 4096;                        \
        const unsigned at = (unsigned)__cvta_generic_to_shared(&words[index]);                     \
        __syncthreads();                                                                           \
        const long long begin = clock64();                                                         \
        for (int t = 0; t < TRIPS; t++) {                                                          \
            _Pragma("unroll") for (int u = 0; u < UNROLL; u++)                                     \
            {                                                                                      \
                unsigned v = 0;                                                                    \
                STEP;                                                                              \
                sum ^= v;                                                                          \
            }                                                                                      \
        }                                                                                          \
        note(out, begin);                                                                          \
        if (sum == 0x12345)                                                                        \
            *sink = sum;                                                                           \
    }
SHARED(shared_add, asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(at)))
SHARED(shared_fetch, asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(v) : "r"(at)))
SHARED(shared_max, asm volatile("red.shared.max.s32 [%0], %1;" ::"r"(at), "r"(sum)))
SHARED(shared_swap, asm volatile("atom.shared.cas.b32 %0, [%1], %2, 7;" : "=r"(v) : "r"(at), "r"(u)))
SHARED(shared_fadd, asm volatile("red.shared.add.f32 [%0], %1;" ::"r"(at), "f"(1.0f)))

/* ---- a table of constants, indexed by each lane ---- */

__constant__ unsigned table[4096];
static __global__ void constants(span *out, const char *, int stride, int lanes, unsigned *sink)
{
    unsigned sum = threadIdx.x % 32 % lanes * stride;
    __syncthreads();
    const long long begin = clock64();
    for (int t = 0; t < TRIPS; t++)
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            sum += table[(sum + u) & 4095];
    note(out, begin);
    if (sum == 0x12345)
        *sink = sum;
}

/* ---- waits: cycles of a chain ---- */

static __global__ void barriers(span *out, const char *, int, int, unsigned *)
{
    __syncthreads();
    const long long begin = clock64();
    for (int t = 0; t < TRIPS; t++)
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            asm volatile("bar.sync 0;");
    note(out, begin);
}

static __global__ void branches(span *out, const char *, int a, int, unsigned *sink)
{
    unsigned x = threadIdx.x / 32 + a;
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 1
    for (int t = 0; t < TRIPS * UNROLL; t++)
        asm volatile("xor.b32 %0, %0, %1;" : "+r"(x) : "r"(t));
    note(out, begin);
    if (x == 0x12345)
        *sink = x;
}

typedef void (*probe)(span *, const char *, int, int, unsigned *);

static void run(const char *name, probe kernel, int warps, int a, int b)
{
    static span *out;
    static char *data;
    static unsigned *sink;
    static span host[32];
    if (!out) {
        CHECK(cudaMalloc(&out, sizeof host));
        CHECK(cudaMalloc(&data, 1 << 20));
        CHECK(cudaMemset(data, 0, 1 << 20));
        CHECK(cudaMalloc(&sink, 64));
    }
    double best = 1e30;
    for (int repeat = 0; repeat < 5; repeat++) {
        kernel<<<1, 32 * warps>>>(out, data, a, b, sink);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(host, out, sizeof(span) * warps, cudaMemcpyDeviceToHost));
        long long begin = host[0].begin, end = host[0].end;
        for (int w = 1; w < warps; w++) {
            begin = host[w].begin < begin ? host[w].begin : begin;
            end = host[w].end > end ? host[w].end : end;
        }
        const double cycles = (double)(end - begin) / ((double)warps * TRIPS * UNROLL);
        best = cycles < best ? cycles : best;
    }
    printf("%-14s warps %2d a %5d b %3d cycles %.3f\n", name, warps, a, b, best);
    fflush(stdout);
}

int main()
{
    static const int counts[] = {1, 4, 8, 16, 32};
    static const struct {
        const char *name;
        probe kernel;
    } plain[] = {{"ffma", ffma},       {"ffma_own", ffma_own}, {"fadd", fadd},     {"fmul", fmul},       {"dfma", dfma},
                 {"dadd", dadd},       {"imad", imad}, {"imad_wide_lop", imad_wide_lop}, {"imad_wide_lop_twice", imad_wide_lop_twice}, {"imad_wide_lop_imad", imad_wide_lop_imad}, {"imad_wide_lop_ffma", imad_wide_lop_ffma}, {"imad_high", imad_high},         {"iadd", iadd},     {"lop", lop},         {"shift", shift},
                 {"popc", popc},       {"ex2", ex2},           {"rsqrt", rsqrt_},  {"i2f", i2f},         {"f2i", f2i},
                 {"f2d_d2f", f2d},     {"shuffle", shuffle},   {"setp_sel", setp_sel}, {"ffma_iadd", ffma_iadd},
                 {"barriers", barriers}, {"branches", branches}};
    for (const auto &p : plain)
        for (const int warps : counts)
            run(p.name, p.kernel, warps, 1, 2);
    for (const int warps : {8, 32}) {
        static const struct {
            const char *name;
            probe kernel;
        } shared[] = {{"shared_add", shared_add},
                      {"shared_fetch", shared_fetch}, {"shared_max", shared_max}, {"shared_swap", shared_swap},
                      {"shared_fadd", shared_fadd}, {"constants", constants}};
        for (const auto &p : shared) {
            for (const int stride : {1, 2, 4, 32})
                run(p.name, p.kernel, warps, stride, 32);
            for (const int lanes : {1, 2, 8})
                run(p.name, p.kernel, warps, 1, lanes);
        }
    }
    return 0;
}
