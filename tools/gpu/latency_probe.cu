/* SPDX-License-Identifier: Apache-2.0
 * How long one warp waits for a result, for the facts *_latency of src/arch/fact.def: a chain of instructions, each of which takes the
 * result of the one before. Prints a line a chain: name, cycles for each link.
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o latency_probe latency_probe.cu; latency_probe > latency_probe.txt */
#include "cuda_check.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

enum { TRIPS = 32, LINKS = 32, SHARED_WORDS = 8192, CELLS = 1 << 16 };

/* Two rounds, of which the first brings the code. */
#define CHAIN(NAME, TYPE, CONSTRAINT, SETUP, ASM)                                                  \
    static __global__ void NAME(long long *out, TYPE seed, unsigned stride, char *cells)           \
    {                                                                                              \
        __shared__ __align__(16) unsigned words[SHARED_WORDS];                                     \
        const unsigned base = (unsigned)__cvta_generic_to_shared(words);                           \
        TYPE x = seed;                                                                             \
        long long begin = 0, end = 0;                                                              \
        SETUP;                                                                                     \
        for (int round = 0; round < 2; round++) {                                                  \
            __syncwarp();                                                                          \
            begin = clock64();                                                                     \
            for (int t = 0; t < TRIPS; t++) {                                                      \
                _Pragma("unroll") for (int u = 0; u < LINKS; u++)                                  \
                    asm volatile(ASM : "+" CONSTRAINT(x) : "r"(base), "l"(cells) : "memory");      \
            }                                                                                      \
            end = clock64();                                                                       \
        }                                                                                          \
        out[0] = end - begin;                                                                      \
        ((TYPE *)(out + 1))[threadIdx.x] = x;                                                      \
    }

/* ptxas drops a shuffle of a value that all lanes share. */
#define A_LANE (x += (decltype(x))threadIdx.x)
#define UNSIGNED(NAME, ASM) CHAIN(NAME, unsigned, "r", A_LANE, ASM)
#define FLOAT(NAME, ASM) CHAIN(NAME, float, "f", A_LANE, ASM)
#define DOUBLE(NAME, ASM) CHAIN(NAME, double, "d", A_LANE, ASM)

FLOAT(fma, "fma.rn.f32 %0, %0, %0, %0;")
FLOAT(rcp_and_sum, "rcp.approx.ftz.f32 %0, %0; add.f32 %0, %0, %0;")
FLOAT(rsqrt, "rsqrt.approx.ftz.f32 %0, %0;")
FLOAT(root, "sqrt.approx.ftz.f32 %0, %0;")
FLOAT(ex2, "ex2.approx.ftz.f32 %0, %0;")
FLOAT(lg2, "lg2.approx.ftz.f32 %0, %0;")
FLOAT(hyperbolic, "tanh.approx.f32 %0, %0;")
FLOAT(sine_and_product, "sin.approx.ftz.f32 %0, %0;")
FLOAT(round_float, "cvt.rni.f32.f32 %0, %0;")
UNSIGNED(float_to_int, "{.reg .f32 f; mov.b32 f, %0; cvt.rni.s32.f32 %0, f;}")
UNSIGNED(int_to_float, "{.reg .f32 f; cvt.rn.f32.s32 f, %0; mov.b32 %0, f;}")
UNSIGNED(byte_to_float, "{.reg .f32 f; .reg .u16 h; cvt.u16.u32 h, %0; cvt.rn.f32.u16 f, h; mov.b32 %0, f;}")
UNSIGNED(population, "popc.b32 %0, %0;")
UNSIGNED(leading, "bfind.u32 %0, %0;")
UNSIGNED(reverse, "brev.b32 %0, %0;")
UNSIGNED(product, "mad.lo.u32 %0, %0, %0, %0;")
UNSIGNED(product_high, "mul.hi.u32 %0, %0, %0;")
UNSIGNED(product_wide, "{.reg .u64 w; .reg .u32 h; mad.wide.u32 w, %0, %0, 5; mov.b64 {%0, h}, w;}")
UNSIGNED(logic, "lop3.b32 %0, %0, %1, %0, 0x1e;")
UNSIGNED(shuffle_xor, "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;")
UNSIGNED(shuffle_lane, "shfl.sync.idx.b32 %0, %0, %0, 31, -1;")
UNSIGNED(ballot_and_compare, "{.reg .pred p; setp.ne.u32 p, %0, 7; vote.sync.ballot.b32 %0, p, -1;}")
UNSIGNED(match, "match.any.sync.b32 %0, %0, -1;")
UNSIGNED(warp_sum, "redux.sync.add.s32 %0, %0, -1;")
DOUBLE(double_sum, "add.rn.f64 %0, %0, %0;")
DOUBLE(double_product, "mul.rn.f64 %0, %0, %0;")
DOUBLE(double_fma, "fma.rn.f64 %0, %0, %0, %0;")
DOUBLE(double_rcp, "rcp.approx.ftz.f64 %0, %0;")
DOUBLE(double_to_float_and_back, "{.reg .f32 f; cvt.rn.f32.f64 f, %0; cvt.f64.f32 %0, f;}")
DOUBLE(double_to_int_and_back, "{.reg .s32 i; cvt.rni.s32.f64 i, %0; cvt.rn.f64.s32 %0, i;}")
DOUBLE(double_compare_and_choose, "{.reg .pred p; setp.gt.f64 p, %0, 0d0000000000000000; selp.f64 %0, %0, 0d0000000000000000, p;}")

/* Every word of shared memory holds its own address. Lane i begins `stride` bytes after lane i - 1. */
#define OWN_ADDRESSES                                                                              \
    for (unsigned i = threadIdx.x; i < SHARED_WORDS; i += 32)                                      \
        words[i] = base + i * 4;                                                                   \
    x = base + threadIdx.x * stride
#define SHARED(NAME, ASM) CHAIN(NAME, unsigned, "r", OWN_ADDRESSES, ASM)
SHARED(shared_4, "ld.shared.u32 %0, [%0];")
SHARED(shared_8, "{.reg .u32 b; ld.shared.v2.u32 {%0, b}, [%0];}")
SHARED(shared_16, "{.reg .u32 b, c, d; ld.shared.v4.u32 {%0, b, c, d}, [%0];}")
CHAIN(shared_matrix, unsigned, "r", OWN_ADDRESSES; for (unsigned i = threadIdx.x; i < SHARED_WORDS; i += 32) words[i] = base; x = base,
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%0];")
SHARED(shared_generic, "{.reg .u64 a, g; cvt.u64.u32 a, %0; cvta.shared.u64 g, a; ld.u32 %0, [g];}")
SHARED(shared_add, "atom.shared.add.u32 %0, [%1], %0;")
SHARED(shared_add_one, "{.reg .u32 a; and.b32 a, %0, 4; add.u32 a, a, %1; atom.shared.add.u32 %0, [a], 1;}")
SHARED(shared_swap, "atom.shared.exch.b32 %0, [%1], %0;")
SHARED(shared_compare_swap, "atom.shared.cas.b32 %0, [%1], %0, 5;")

__constant__ unsigned offsets[4096]; /* zeros */
static __global__ void constant_indexed(long long *out, unsigned seed, unsigned stride, char *)
{
    unsigned x = threadIdx.x * stride;
    long long begin = 0, end = 0;
    for (int round = 0; round < 2; round++) {
        begin = clock64();
#pragma unroll 1
        for (int t = 0; t < TRIPS; t++) {
#pragma unroll
            for (int u = 0; u < LINKS; u++)
                x = *(const volatile unsigned *)((const char *)offsets + x);
        }
        end = clock64();
    }
    out[0] = end - begin;
    ((unsigned *)(out + 1))[threadIdx.x] = x;
}

/* Every 8 bytes of global memory hold their own address; atomics take the last ones. */
#define OWN_CELL x = (unsigned long long)cells + threadIdx.x * stride
#define GLOBAL(NAME, ASM) CHAIN(NAME, unsigned long long, "l", OWN_CELL, ASM)
GLOBAL(global_4, "{.reg .u32 a, b; mov.b64 {a, b}, %0; ld.global.ca.u32 a, [%0]; mov.b64 %0, {a, b};}")
GLOBAL(global_8, "ld.global.ca.u64 %0, [%0];")
GLOBAL(global_16, "{.reg .u64 b; ld.global.ca.v2.u64 {%0, b}, [%0];}")
GLOBAL(global_read_only, "ld.global.nc.u64 %0, [%0];")
GLOBAL(l2_8, "ld.global.cg.u64 %0, [%0];")
GLOBAL(l2_16, "{.reg .u64 b; ld.global.cg.v2.u64 {%0, b}, [%0];}")
GLOBAL(l2_swap, "atom.global.exch.b64 %0, [%2 + 524280], %0;")
CHAIN(l2_add_apart, unsigned long long, "l", OWN_CELL; cells += 262144 + threadIdx.x * stride,
      "{.reg .u32 a, b; mov.b64 {a, b}, %0; atom.global.add.u32 a, [%2], a; mov.b64 %0, {a, b};}")
CHAIN(l2_add_one_lane, unsigned long long, "l", OWN_CELL,
      "{.reg .u32 a, b, l; .reg .pred p; mov.u32 l, %%tid.x; setp.eq.u32 p, l, 0; mov.b64 {a, b}, %0; @p atom.global.add.u32 a, [%2 + 524280], a; mov.b64 %0, {a, b};}")
GLOBAL(l2_add, "{.reg .u32 a, b; mov.b64 {a, b}, %0; atom.global.add.u32 a, [%2 + 524280], a; mov.b64 %0, {a, b};}")

#define MATRIX(NAME, ASM)                                                                          \
    static __global__ void NAME(long long *out, float seed, unsigned, char *)                      \
    {                                                                                              \
        float x[4] = {seed, seed, seed, seed};                                                     \
        unsigned a[4] = {1, 2, 3, 4};                                                              \
        long long begin = 0, end = 0;                                                              \
        for (int round = 0; round < 2; round++) {                                                  \
            begin = clock64();                                                                     \
            for (int t = 0; t < TRIPS; t++) {                                                      \
                _Pragma("unroll") for (int u = 0; u < LINKS; u++)                                  \
                    asm volatile(ASM                                                               \
                                 : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3])                  \
                                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]));                    \
            }                                                                                      \
            end = clock64();                                                                       \
        }                                                                                          \
        out[0] = end - begin;                                                                      \
        ((float *)(out + 1))[threadIdx.x] = x[0] + x[1] + x[2] + x[3];                             \
    }
MATRIX(mma_half_16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%4,%5}, {%0,%1,%2,%3};")
MATRIX(mma_half_8, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%4}, {%0,%1,%2,%3};")
MATRIX(mma_tf32_8, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%4,%5}, {%0,%1,%2,%3};")

static long long *answer;
static char *cells;

template <class T>
static void measure(const char *name, void (*kernel)(long long *, T, unsigned, char *), T seed, unsigned stride = 0)
{
    long long cycles = 0;
    kernel<<<1, 32>>>(answer, seed, stride, cells);
    CHECK(cudaMemcpy(&cycles, answer, sizeof cycles, cudaMemcpyDeviceToHost));
    if (stride)
        printf("%s_%u %.2f\n", name, stride, (double)cycles / (TRIPS * LINKS));
    else
        printf("%s %.2f\n", name, (double)cycles / (TRIPS * LINKS));
}
#define MEASURE(NAME, SEED) measure(#NAME, NAME, SEED)
#define STRIDES(NAME, SEED, ...)                                                                   \
    for (unsigned stride : {__VA_ARGS__})                                                          \
    measure(#NAME, NAME, SEED, stride)

static void fill_cells()
{
    uint64_t *own = (uint64_t *)malloc(CELLS * 8);
    for (size_t i = 0; own && i < CELLS; i++)
        own[i] = (uint64_t)cells + i * 8;
    CHECK(cudaMemcpy(cells, own, CELLS * 8, cudaMemcpyHostToDevice));
    free(own);
}

int main()
{
    CHECK(cudaMalloc(&answer, 4096));
    CHECK(cudaMalloc(&cells, CELLS * 8));
    fill_cells();
    MEASURE(fma, 1.5f), MEASURE(rcp_and_sum, 1.5f), MEASURE(rsqrt, 1.5f), MEASURE(root, 1.5f), MEASURE(ex2, 1.5f);
    MEASURE(lg2, 1.5f), MEASURE(hyperbolic, 1.5f), MEASURE(sine_and_product, 1.5f), MEASURE(round_float, 1.5f);
    MEASURE(float_to_int, 3u), MEASURE(int_to_float, 3u), MEASURE(byte_to_float, 3u), MEASURE(population, 3u);
    MEASURE(leading, 3u), MEASURE(reverse, 3u), MEASURE(product, 3u), MEASURE(product_high, 3u), MEASURE(product_wide, 3u), MEASURE(logic, 3u);
    MEASURE(shuffle_xor, 3u), MEASURE(shuffle_lane, 3u), MEASURE(ballot_and_compare, 3u), MEASURE(match, 3u);
    MEASURE(warp_sum, 3u), MEASURE(double_sum, 1.5), MEASURE(double_product, 1.5), MEASURE(double_fma, 1.5);
    MEASURE(double_rcp, 1.5), MEASURE(double_to_float_and_back, 1.5), MEASURE(double_to_int_and_back, 1.5);
    MEASURE(double_compare_and_choose, 1.5);
    MEASURE(shared_4, 0u), MEASURE(shared_8, 0u), MEASURE(shared_16, 0u), MEASURE(shared_matrix, 0u);
    MEASURE(shared_generic, 0u), MEASURE(shared_add, 0u), MEASURE(shared_add_one, 0u), MEASURE(shared_swap, 0u);
    MEASURE(shared_compare_swap, 0u), MEASURE(constant_indexed, 0u);
    STRIDES(shared_4, 0u, 4, 8, 16, 32, 64, 128);
    STRIDES(shared_8, 0u, 8, 16);
    STRIDES(shared_16, 0u, 16, 32);
    STRIDES(constant_indexed, 0u, 4, 64);
    MEASURE(global_4, 0ull), MEASURE(global_8, 0ull), MEASURE(global_16, 0ull), MEASURE(global_read_only, 0ull);
    MEASURE(l2_8, 0ull), MEASURE(l2_16, 0ull), MEASURE(l2_swap, 0ull), MEASURE(l2_add, 0ull);
    STRIDES(global_4, 0ull, 8, 16, 32, 64, 128);
    STRIDES(global_8, 0ull, 8, 16, 32, 64, 128);
    STRIDES(global_16, 0ull, 16, 32, 128);
    STRIDES(l2_8, 0ull, 8, 32, 128);
    STRIDES(l2_16, 0ull, 16, 32, 128);
    MEASURE(l2_add_one_lane, 0ull);
    STRIDES(l2_add_apart, 0ull, 8, 32, 128);
    MEASURE(mma_half_16, 1.5f), MEASURE(mma_half_8, 1.5f), MEASURE(mma_tf32_8, 1.5f);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
