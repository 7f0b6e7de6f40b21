/* SPDX-License-Identifier: Apache-2.0
 * Which of its warps a scheduler issues from, and what an instruction of another unit costs those beside it, for src/time/.
 *     order NAME block warp warpid begin end     warps of one SM, cycles since its first one began: they all have as much to do
 *     beside NAME F cycles                       a scheduler with 16 warps, each repeating F FFMAs and one of NAME: cycles a
 *                                                turn of a warp; "none" is the FFMAs alone
 *     nvcc -arch=native -std=c++17 -O3 -w -o order_probe order_probe.cu; order_probe > order_probe.txt */
#include "cuda_check.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct span {
    long long begin, end;
    unsigned sm, warp;
};

static __device__ unsigned sm_here()
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

static __device__ unsigned warp_here()
{
    unsigned warp;
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    return warp;
}

static __device__ void note(span *out, long long begin)
{
    const long long end = clock64();
    if (threadIdx.x % 32 == 0)
        out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = {begin, end, sm_here(), warp_here()};
}

/* ---- order ---------------------------------------------------------------------------------- */

enum { CHAINS = 8, UNROLL = 64, TRIPS = 64 };

#define ORDER(NAME, TYPE, DISTANCE, STEP)                                                          \
    static __global__ void NAME(span *out, const float *data, int a_, int b_, unsigned *sink)      \
    {                                                                                              \
        const long long begin = clock64();                                                         \
        TYPE x[CHAINS], a = (TYPE)(a_ + 1), b = (TYPE)(b_ + 3);                                    \
        for (int i = 0; i < CHAINS; i++)                                                           \
            x[i] = (TYPE)(threadIdx.x + i);                                                        \
        for (int t = 0; t < TRIPS; t++) {                                                          \
            _Pragma("unroll") for (int u = 0; u < UNROLL; u++)                                     \
            {                                                                                      \
                TYPE &v = x[u % DISTANCE];                                                         \
                STEP;                                                                              \
            }                                                                                      \
        }                                                                                          \
        note(out, begin);                                                                          \
        TYPE sum = 0;                                                                              \
        for (int i = 0; i < CHAINS; i++)                                                           \
            sum += x[i];                                                                           \
        if (sum == (TYPE)12345)                                                                    \
            *sink = (unsigned)sum;                                                                 \
    }
ORDER(fma, float, 8, asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(v) : "f"(a), "f"(b)))
ORDER(fma_chain, float, 1, asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(v) : "f"(a), "f"(b)))
ORDER(lop, unsigned, 8, asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(v) : "r"(a), "r"(b)))
ORDER(mixed, float, 8,
      if (u % 3) asm volatile("min.f32 %0, %0, %1;" : "+f"(v) : "f"(a));
      else asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(v) : "f"(a), "f"(b)))

/* Each trip reads four words a lane that no cache has. */
static __global__ void loads(span *out, const float *data, int a, int b, unsigned *sink)
{
    const long long begin = clock64();
    const size_t all = (size_t)gridDim.x * blockDim.x;
    const float *at = data + blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < 16; t++, at += 4 * all) {
        float x[4];
        for (int i = 0; i < 4; i++)
            asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(x[i]) : "l"(at + i * all));
        sum += x[0] + x[1] + x[2] + x[3];
    }
    note(out, begin);
    if (sum == 12345)
        *sink = 1;
}

typedef void kernel(span *, const float *, int, int, unsigned *);

static void order(const char *name, kernel *k, int blocks, int threads, const float *data, unsigned *sink)
{
    const int warps = blocks * threads / 32;
    span *out;
    CHECK(cudaMalloc(&out, warps * sizeof *out));
    for (int i = 0; i < 2; i++)
        k<<<blocks, threads>>>(out, data, 1, 2, sink);
    CHECK(cudaDeviceSynchronize());
    std::vector<span> all(warps);
    CHECK(cudaMemcpy(all.data(), out, warps * sizeof *out, cudaMemcpyDeviceToHost));
    long long first = 0;
    for (const span &s : all)
        if (s.sm == 0 && (!first || s.begin < first))
            first = s.begin;
    for (int i = 0; i < warps; i++)
        if (all[i].sm == 0)
            printf("order %s_%d %d %d %u %lld %lld\n", name, threads, i / (threads / 32), i % (threads / 32), all[i].warp,
                   all[i].begin - first, all[i].end - first);
    CHECK(cudaFree(out));
}

/* ---- beside --------------------------------------------------------------------------------- */

#define BESIDE(NAME, F, STEP)                                                                      \
    static __global__ void NAME##_##F(span *out, const float *data, int a_, int b_, unsigned *sink) \
    {                                                                                              \
        __shared__ unsigned words[64]; /* each holds its own address */                            \
        words[threadIdx.x % 64] = (unsigned)__cvta_generic_to_shared(words + threadIdx.x % 64);    \
        float x[8], a = a_ + 1, b = b_ + 3;                                                        \
        const unsigned shared = (unsigned)__cvta_generic_to_shared(words + threadIdx.x % 32 * 2);  \
        unsigned r[4] = {shared, shared, shared, shared}, k[4];                     \
        unsigned short h[4] = {1, 2, 3, 4};                                                        \
        const float *q[4];                                                                         \
        for (int i = 0; i < 4; i++) {                                                              \
            k[i] = threadIdx.x * 4 & a_; /* 0 */                                                   \
            q[i] = data + threadIdx.x % 32 * 2;                                                    \
        }                                                                                          \
        double d[4] = {1. * a_, 2, 3, 4};                                                          \
        for (int i = 0; i < 8; i++)                                                                \
            x[i] = (float)(threadIdx.x + i);                                                       \
        __syncthreads();                                                                           \
        const long long begin = clock64();                                                         \
        for (int t = 0; t < 64; t++) {                                                             \
            _Pragma("unroll") for (int u = 0; u < 4; u++)                                          \
            {                                                                                      \
                unsigned &w = r[u], &y = k[u];                                                     \
                double &z = d[u];                                                                  \
                STEP;                                                                              \
                _Pragma("unroll") for (int f = 0; f < F; f++)                                      \
                    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[f % 8]) : "f"(a), "f"(b));  \
            }                                                                                      \
        }                                                                                          \
        note(out, begin);                                                                          \
        float sum = (float)(r[0] + r[1] + r[2] + r[3] + d[0] + d[1] + d[2] + d[3] + k[0] + k[1] + k[2] + k[3] + h[0] + h[1] + h[2] + h[3] + (size_t)q[0] + (size_t)q[1] + (size_t)q[2] + (size_t)q[3]); \
        for (int i = 0; i < 8; i++)                                                                \
            sum += x[i];                                                                           \
        if (sum == 12345)                                                                          \
            *sink = 1;                                                                             \
    }
#define BOTH(NAME, STEP) BESIDE(NAME, 16, STEP) BESIDE(NAME, 32, STEP)
static __constant__ unsigned table[64];

BOTH(none, )
BOTH(ex2, asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+r"(w)))
BOTH(rsqrt, asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+r"(w)))
BOTH(i2f, asm volatile("cvt.rn.f16.s32 %0, %1;" : "=h"(h[u]) : "r"((int)h[u])))
BOTH(frnd, asm volatile("cvt.rzi.f32.f32 %0, %0;" : "+r"(w)))
BOTH(popc, asm volatile("popc.b32 %0, %0;" : "+r"(w)))
BOTH(lds, asm volatile("ld.shared.u32 %0, [%0];" : "+r"(w)))
BOTH(lds2, asm volatile("ld.shared.v2.u32 {%0, %1}, [%0];" : "+r"(w), "=r"(y)))
BOTH(sts, asm volatile("st.shared.u32 [%0], %1;" ::"r"(w), "r"(y)))
BOTH(ldg, asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(q[u])))
BOTH(ldg_past, asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(q[u])))
BOTH(shfl, asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 0x1f, -1;" : "+r"(w)))
BOTH(ldc, asm volatile("{.reg .u64 t; cvt.u64.u32 t, %0; ld.const.u32 %0, [t];}" : "+r"(y)))
BOTH(lop3, asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(w) : "r"(b_), "r"(a_)))
BOTH(imad, asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(w) : "r"(b_), "r"(a_)))
BOTH(dadd, asm volatile("add.rn.f64 %0, %0, %1;" : "+d"(z) : "d"(1.5)))

static void beside(const char *name, int f, kernel *k, const float *data, unsigned *sink)
{
    enum { THREADS = 1024, WARPS = THREADS / 32, TURNS = 64 * 4, ON_SCHEDULER = 2 * WARPS / 4 };
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    const int warps = 2 * p.multiProcessorCount * WARPS;
    span *out;
    CHECK(cudaMalloc(&out, warps * sizeof *out));
    for (int i = 0; i < 2; i++)
        k<<<2 * p.multiProcessorCount, THREADS>>>(out, data, 1, 2, sink);
    CHECK(cudaDeviceSynchronize());
    std::vector<span> all(warps);
    CHECK(cudaMemcpy(all.data(), out, warps * sizeof *out, cudaMemcpyDeviceToHost));
    long long first = 0, last = 0;
    for (const span &s : all)
        if (s.sm == 0) {
            first = !first || s.begin < first ? s.begin : first;
            last = std::max(last, s.end);
        }
    printf("beside %s %d %.2f\n", name, f, double(last - first) / TURNS / ON_SCHEDULER);
    CHECK(cudaFree(out));
}

static __global__ void point_at_themselves(float *data)
{
    float **at = (float **)data + threadIdx.x;
    *at = (float *)at;
}

int main()
{
    float *data;
    unsigned *sink;
    const size_t words = size_t(1) << 29;
    CHECK(cudaMalloc(&data, words * 4));
    CHECK(cudaMemset(data, 0, words * 4));
    CHECK(cudaMalloc(&sink, 4));
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    const int sms = p.multiProcessorCount;
    order("fma", fma, 8 * sms, 256, data, sink);
    order("fma_waves", fma, 20 * sms, 256, data, sink);
    order("fma_chain", fma_chain, 20 * sms, 256, data, sink);
    order("lop", lop, 20 * sms, 256, data, sink);
    order("mixed", mixed, 20 * sms, 256, data, sink);
    order("fma_one", fma, sms, 1024, data, sink);
    order("loads", loads, 20 * sms, 256, data, sink);
    point_at_themselves<<<1, 32>>>(data);
#define RUN(NAME) beside(#NAME, 16, NAME##_16, data, sink), beside(#NAME, 32, NAME##_32, data, sink);
    RUN(none) RUN(ex2) RUN(rsqrt) RUN(i2f) RUN(frnd) RUN(popc) RUN(lds) RUN(lds2) RUN(sts) RUN(ldg)
    RUN(ldg_past) RUN(shfl) RUN(ldc) RUN(lop3) RUN(imad) RUN(dadd)
}
