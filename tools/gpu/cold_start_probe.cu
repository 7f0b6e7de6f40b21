// SPDX-License-Identifier: Apache-2.0
// What a launch waits for that finds no constants and no code in the caches, for src/time/: under Nsight Compute, which empties them.
//     nvcc -arch=sm_90 -std=c++17 -O3 -w -o cold_start_probe cold_start_probe.cu
//     ncu --cache-control all --clock-control none --metrics ... cold_start_probe SET STAMPS
// Each launch is one of Nsight Compute's rows. What kernels with a clock (`stamps`) saw is written to the file STAMPS: the launch,
// its SM, warp, and the clock at its start and behind each step, less that of the SM's first warp.
#include "cuda_check.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static __device__ __forceinline__ uint32_t now()
{
    uint64_t cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return (uint32_t)cycles;
}

static __device__ __forceinline__ uint32_t sm_id()
{
    uint32_t id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

struct many {
    int word[1000];
};

__constant__ float table[16384];

enum { STEPS = 8, WORDS = STEPS + 2 };

// ---- constants, looked at by the counters alone ----

#define TAKE(from) asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(x) : "f"(from));

/* K lines of 64 bytes of the parameters, the first of which is the second that a kernel reads anyway. */
template <int K> __global__ void parameter(const many p, float *to)
{
    float x = 1;
#pragma unroll
    for (int i = 0; i < K; i++)
        TAKE(__int_as_float(p.word[16 * i]))
    if (x == 1e30f)
        asm volatile("trap;");
}

/* K lines of a constant variable, STEP words apart. */
template <int K, int STEP> __global__ void variable()
{
    float x = 1;
#pragma unroll
    for (int i = 0; i < K; i++)
        TAKE(table[STEP * i])
    if (x == 1e30f)
        asm volatile("trap;");
}

/* The same by loads. */
template <int K, int STEP> __global__ void indexed()
{
    int at = threadIdx.x >> 10;
#pragma unroll
    for (int i = 0; i < K; i++)
        at = __float_as_int(table[at + STEP * i]);
    if (at == 12345)
        asm volatile("trap;");
}

// ---- code ----

#define WORK(x) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
#define LINE WORK(x) WORK(x) WORK(x) WORK(x) WORK(x) WORK(x) WORK(x) WORK(x)
#define LINE4 LINE LINE LINE LINE
#define LINE16 LINE4 LINE4 LINE4 LINE4

template <int LINES> __global__ void straight()
{
    float x = threadIdx.x;
#define IF(bit, BODY)                                                                              \
    if (LINES & bit) {                                                                             \
        BODY                                                                                       \
    }
    IF(1, LINE)
    IF(2, LINE LINE)
    IF(4, LINE4)
    IF(8, LINE4 LINE4)
    IF(16, LINE16)
    IF(32, LINE16 LINE16)
    IF(64, LINE16 LINE16 LINE16 LINE16)
    IF(128, LINE16 LINE16 LINE16 LINE16 LINE16 LINE16 LINE16 LINE16)
    if (x == 1e30f)
        asm volatile("trap;");
}

/* Eight jumps forwards over LINES lines, none of which is issued. */
#define HOPS(NAME, BODY)                                                                           \
    __global__ void NAME()                                                                         \
    {                                                                                              \
        uint32_t at = threadIdx.x;                                                                 \
        float x = at;                                                                              \
        _Pragma("unroll 1") for (int i = 0; i < 1; i++)                                            \
        {                                                                                          \
            JUMP(0, BODY) JUMP(1, BODY) JUMP(2, BODY) JUMP(3, BODY) JUMP(4, BODY) JUMP(5, BODY)     \
            JUMP(6, BODY) JUMP(7, BODY)                                                            \
        }                                                                                          \
        if (x == 1e30f)                                                                            \
            asm volatile("trap;");                                                                 \
    }
#define JUMP(n, BODY)                                                                              \
    asm volatile("{.reg .pred p; setp.lt.u32 p, %1, 2000; @p bra.uni to%=; " BODY " to%=: fma.rn.f32 %0, %0, %0, %0;}" \
                 : "+f"(x) : "r"(at + n));
#define B1 "fma.rn.f32 %0, %0, %0, %0;"
#define B8 B1 B1 B1 B1 B1 B1 B1 B1
#define B32 B8 B8 B8 B8
HOPS(hops1, B8)
HOPS(hops2, B8 B8)
HOPS(hops4, B32)
HOPS(hops8, B32 B32)
HOPS(hops16, B32 B32 B32 B32)

/* A call of code far behind. */
__device__ __noinline__ float far_call(float x)
{
    LINE4
    return x;
}
__global__ void calls(int)
{
    float x = threadIdx.x;
    x = far_call(x);
    LINE4
    x = far_call(x);
    if (x == 1e30f)
        asm volatile("trap;");
}

// ---- with clocks ----

#define STAMP(i) t[i] = now();
#define KEEP                                                                                       \
    if ((threadIdx.x & 31) == 0) {                                                                 \
        uint32_t *o = out + (size_t)WORDS * (blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5)); \
        for (int i = 0; i <= STEPS; i++)                                                           \
            o[i] = t[i];                                                                           \
        o[STEPS + 1] = sm_id();                                                                    \
    }                                                                                              \
    if (x == 1e30f)                                                                                \
        asm volatile("trap;");

#define STEP_OF(i, from)                                                                           \
    TAKE(from)                                                                                     \
    asm volatile("" : "+f"(x)::"memory");                                                          \
    STAMP(i)

__global__ void stamps_parameter(uint32_t *out, const many p)
{
    uint32_t t[STEPS + 1];
    float x = 1;
    STAMP(0)
    STEP_OF(1, __int_as_float(p.word[16]))
    STEP_OF(2, __int_as_float(p.word[32]))
    STEP_OF(3, __int_as_float(p.word[48]))
    STEP_OF(4, __int_as_float(p.word[64]))
    STEP_OF(5, __int_as_float(p.word[80]))
    STEP_OF(6, __int_as_float(p.word[96]))
    STEP_OF(7, __int_as_float(p.word[512]))
    STEP_OF(8, __int_as_float(p.word[528]))
    KEEP
}
__global__ void stamps_variable(uint32_t *out)
{
    uint32_t t[STEPS + 1];
    float x = 1;
    STAMP(0)
    STEP_OF(1, table[0])
    STEP_OF(2, table[16])
    STEP_OF(3, table[32])
    STEP_OF(4, table[64])
    STEP_OF(5, table[80])
    STEP_OF(6, table[128])
    STEP_OF(7, table[1024])
    STEP_OF(8, table[4096])
    KEEP
}
#define LOAD_OF(i, from)                                                                           \
    at = __float_as_int(table[at + from]);                                                         \
    asm volatile("" : "+r"(at)::"memory");                                                         \
    STAMP(i)
__global__ void stamps_indexed(uint32_t *out)
{
    uint32_t t[STEPS + 1];
    float x = 1;
    int at = threadIdx.x >> 10;
    STAMP(0)
    LOAD_OF(1, 0)
    LOAD_OF(2, 16)
    LOAD_OF(3, 32)
    LOAD_OF(4, 64)
    LOAD_OF(5, 80)
    LOAD_OF(6, 128)
    LOAD_OF(7, 1024)
    LOAD_OF(8, 4096)
    x += at;
    KEEP
}
/* 4, 4, 8, 8, 16, 16, 32 and 32 lines of code. */
__global__ void stamps_code(uint32_t *out)
{
    uint32_t t[STEPS + 1];
    float x = threadIdx.x;
    STAMP(0)
    LINE4 STAMP(1) LINE4 STAMP(2) LINE4 LINE4 STAMP(3) LINE4 LINE4 STAMP(4) LINE16 STAMP(5) LINE16 STAMP(6)
    LINE16 LINE16 STAMP(7) LINE16 LINE16 STAMP(8)
    KEEP
}

// ---- as people write them ----

__global__ void fill(float *out, float v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = v;
}
__global__ void copy(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}
__global__ void gelu(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0.5f * in[i] * (1 + tanhf(0.7978845608f * (in[i] + 0.044715f * in[i] * in[i] * in[i])));
}
__global__ void waves(double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = sin(0.1 * i) * exp(-0.01 * i);
}
__global__ void weights(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = table[0] + table[100] * i + table[200];
}
__global__ void sums(const float *in, float *out, int n)
{
    __shared__ float part[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0;
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        __syncthreads();
        if (threadIdx.x < s)
            part[threadIdx.x] += part[threadIdx.x + s];
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}
__global__ void integers(int *out, int n, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i / d + i % (d + 3);
}

// ---- fences ----

template <int TRIPS> __global__ void fences(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int t = 0; t < TRIPS; t++)
        __threadfence();
    out[i] = i;
}
template <int TRIPS> __global__ void fences_stores(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int t = 0; t < TRIPS; t++) {
        out[i] = i + t;
        __threadfence();
    }
}
template <int TRIPS> __global__ void fences_system(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int t = 0; t < TRIPS; t++) {
        out[i] = i + t;
        __threadfence_system();
    }
}
/* A sum of all blocks by the last one. */
__global__ void last_block(const float *in, float *part, unsigned *count, float *out, int n)
{
    __shared__ float sums[32];
    __shared__ bool is_last;
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += in[i];
    for (int d = 16; d; d /= 2)
        s += __shfl_xor_sync(0xffffffff, s, d);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++)
            s += sums[w];
        part[blockIdx.x] = s;
        __threadfence();
        is_last = atomicAdd(count, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        float all = 0;
        for (int i = 0; i < gridDim.x; i++)
            all += ((volatile float *)part)[i];
        *out = all;
    }
}
/* Atomics whose old value the next one needs, each thread's in a line of its own. */
template <int TRIPS> __global__ void chained_atomics(unsigned *data)
{
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * 32, v = 0;
#pragma unroll 1
    for (int t = 0; t < TRIPS; t++)
        v = atomicAdd(data + i + (v & 3), 4);
    data[i] = v;
}
template <int TRIPS> __global__ void chained_loads(unsigned *data)
{
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * 32, v = 0;
#pragma unroll 1
    for (int t = 0; t < TRIPS; t++)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(data + i + (v & 3)));
    data[i] = v;
}

// ---- sets ----

static char *memory;
static uint32_t *stamps;
static FILE *told;

static void tell(const char *name, int blocks, int threads)
{
    const int warps = blocks * (threads / 32);
    std::vector<uint32_t> words((size_t)WORDS * warps);
    CHECK(cudaMemcpy(words.data(), stamps, words.size() * 4, cudaMemcpyDeviceToHost));
    uint32_t first[256];
    memset(first, 255, sizeof first);
    for (int w = 0; w < warps; w++) {
        const uint32_t *o = &words[(size_t)WORDS * w], sm = o[STEPS + 1] & 255;
        if (first[sm] == UINT32_MAX || (int32_t)(o[0] - first[sm]) < 0)
            first[sm] = o[0];
    }
    for (int w = 0; w < warps; w++) {
        const uint32_t *o = &words[(size_t)WORDS * w], sm = o[STEPS + 1] & 255;
        fprintf(told, "%s %d %d %u %d", name, blocks, threads, sm, w);
        for (int i = 0; i <= STEPS; i++)
            fprintf(told, " %u", o[i] - first[sm]);
        fprintf(told, "\n");
    }
}

#define STAMPS(NAME, ...)                                                                          \
    NAME<<<blocks, threads>>>(__VA_ARGS__);                                                        \
    tell(#NAME, blocks, threads);

static void run_stamps(int blocks, int threads)
{
    STAMPS(stamps_parameter, stamps, many{})
    STAMPS(stamps_variable, stamps)
    STAMPS(stamps_indexed, stamps)
    STAMPS(stamps_code, stamps)
}

static void run_constants(int blocks, int threads)
{
    parameter<1><<<blocks, threads>>>(many{}, nullptr);
    parameter<2><<<blocks, threads>>>(many{}, nullptr);
    parameter<3><<<blocks, threads>>>(many{}, nullptr);
    parameter<8><<<blocks, threads>>>(many{}, nullptr);
    variable<1, 16><<<blocks, threads>>>();
    variable<4, 16><<<blocks, threads>>>();
    variable<4, 64><<<blocks, threads>>>();
    indexed<1, 16><<<blocks, threads>>>();
    indexed<4, 64><<<blocks, threads>>>();
}

static void run_code(int blocks, int threads)
{
    straight<1><<<blocks, threads>>>();
    straight<2><<<blocks, threads>>>();
    straight<4><<<blocks, threads>>>();
    straight<8><<<blocks, threads>>>();
    straight<16><<<blocks, threads>>>();
    straight<32><<<blocks, threads>>>();
    straight<64><<<blocks, threads>>>();
    straight<128><<<blocks, threads>>>();
    hops1<<<blocks, threads>>>();
    hops2<<<blocks, threads>>>();
    hops4<<<blocks, threads>>>();
    hops8<<<blocks, threads>>>();
    hops16<<<blocks, threads>>>();
    calls<<<blocks, threads>>>(0);
}

static void run_usual(int blocks, int threads)
{
    float *a = (float *)memory, *b = a + (4 << 20);
    const int n = blocks * threads;
    fill<<<blocks, threads>>>(b, 1, n);
    copy<<<blocks, threads>>>(a, b, n);
    gelu<<<blocks, threads>>>(a, b, n);
    waves<<<blocks, threads>>>((double *)b, n);
    weights<<<blocks, threads>>>(b, n);
    sums<<<blocks, threads>>>(a, b, n);
    integers<<<blocks, threads>>>((int *)b, n, 7);
}

static void run_fences(int blocks, int threads)
{
    float *a = (float *)memory, *b = a + (4 << 20);
    unsigned *words = (unsigned *)memory;
    fences<4><<<blocks, threads>>>(words);
    fences<16><<<blocks, threads>>>(words);
    fences_stores<4><<<blocks, threads>>>(words);
    fences_stores<16><<<blocks, threads>>>(words);
    fences_system<4><<<blocks, threads>>>(words);
    CHECK(cudaMemset(memory, 0, 64 << 20));
    last_block<<<blocks, threads>>>(a, b, (unsigned *)(b + 8192), b + 8200, 1 << 20);
    if (threads == 32) {
        chained_atomics<16><<<blocks, threads>>>(words);
        chained_loads<16><<<blocks, threads>>>(words);
    }
}

int main(int argc, char **argv)
{
    const char *set = argc > 1 ? argv[1] : "usual";
    const int times = argc > 3 ? atoi(argv[3]) : 1;
    const struct {
        const char *name;
        void (*run)(int, int);
        std::vector<int> blocks, threads;
    } sets[] = {{"stamps", run_stamps, {1, 2, 8, 33, 66, 132, 264}, {32, 256}},
                {"constants", run_constants, {1, 4, 16, 66, 132, 264}, {32, 256, 1024}},
                {"code", run_code, {1, 16, 132}, {32, 256, 1024}},
                {"fences", run_fences, {1, 132, 528}, {32, 256, 1024}},
                {"usual", run_usual, {1, 8, 66, 132, 528}, {32, 128, 256, 1024}}};
    told = argc > 2 ? fopen(argv[2], "w") : stdout;
    CHECK(cudaMalloc(&memory, 64 << 20));
    CHECK(cudaMemset(memory, 0, 64 << 20));
    CHECK(cudaMalloc(&stamps, 16 << 20));
    for (int i = 0; i < times; i++)
        for (const auto &s : sets)
            if (strcmp(set, s.name) == 0)
                for (int blocks : s.blocks)
                    for (int threads : s.threads)
                        s.run(blocks, threads);
    CHECK(cudaDeviceSynchronize());
    fclose(told);
    return 0;
}
