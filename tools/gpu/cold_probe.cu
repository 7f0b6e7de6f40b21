/* SPDX-License-Identifier: Apache-2.0
 * What code and constants cost that an SM does not have yet, for src/time/. Prints a line a probe:
 *
 *     code STATE line CYCLES...     cycles from one line of 128 bytes of code to the next, of one warp: after launches of
 *                                   other kernels whose code fills the caches and a fill of the L2 (cold), and again at once (warm)
 *     parameter STATE CYCLES...     cycles of a read of a kernel's parameter as an operand, one in each 64 bytes
 *     stride S operand N CYCLES...  cycles of each of N operands in constant memory, S words apart, of the first 16 rounds
 *     warps W side_by_side N ...    the same where no warp waits for them
 *     step S indexed N CYCLES...    the same of loads (LDC) whose address is in a register, one waiting for the other
 *
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o cold_probe cold_probe.cu; cold_probe > cold_probe.txt */
#include "cuda_check.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static __device__ uint32_t now()
{
    uint64_t cycles; /* of 64 bits: the clock of 32 may be read by S2UR, which takes long */
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return (uint32_t)cycles;
}

/* ---- code ---- */

/* Eight instructions: the clock, its store, and six more. */
#define WORK(x) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
#define LINE(n)                                                                                    \
    times[n] = now();                                                                              \
    WORK(x) WORK(x) WORK(x) WORK(x) WORK(x) WORK(x)
#define LINES8(n)                                                                                  \
    LINE(n) LINE(n + 1) LINE(n + 2) LINE(n + 3) LINE(n + 4) LINE(n + 5) LINE(n + 6) LINE(n + 7)
#define LINES64(n)                                                                                 \
    LINES8(n) LINES8(n + 8) LINES8(n + 16) LINES8(n + 24) LINES8(n + 32) LINES8(n + 40)             \
    LINES8(n + 48) LINES8(n + 56)

template <int KIND> __global__ void code(uint32_t *out, float *sink)
{
    __shared__ volatile uint32_t times[512];
    float x = threadIdx.x + KIND;
    LINES64(0)
    LINES64(64)
    LINES64(128)
    LINES64(192)
    LINES64(256)
    LINES64(320)
    LINES64(384)
    LINES64(448)
    if (threadIdx.x < 32)
        for (int i = threadIdx.x; i < 512; i += 32)
            out[blockIdx.x * 512 + i] = times[i];
    if (x == 1e30f)
        *sink = x;
}

static uint32_t *out;
static float *sink;
static char *filler;
enum { FILLER = 256 << 20 };

static void disturb()
{
    code<1><<<132, 32>>>(out, sink);
    code<2><<<132, 32>>>(out, sink);
    code<3><<<132, 32>>>(out, sink);
    CHECK(cudaMemset(filler, 0, FILLER));
    CHECK(cudaDeviceSynchronize());
}

static void print_code(const char *state, int blocks, int warps)
{
    std::vector<uint32_t> times(512 * (size_t)blocks);
    code<0><<<blocks, 32 * warps>>>(out, sink);
    CHECK(cudaMemcpy(times.data(), out, times.size() * 4, cudaMemcpyDeviceToHost));
    for (int b = 0; b < blocks; b += blocks > 8 ? blocks / 2 : blocks) {
        printf("code %s blocks %d warps %d block %d", state, blocks, warps, b);
        for (int i = 1; i < 512; i++)
            printf(" %u", times[512 * b + i] - times[512 * b + i - 1]);
        printf("\n");
    }
}

/* ---- constants ---- */

struct many {
    int word[1000];
};

#define READ(i)                                                                                    \
    {                                                                                              \
        const uint32_t begin = now();                                                              \
        asm volatile("add.s32 %0, %0, %1;" : "+r"(sum) : "r"(p.word[16 * (i)]) : "memory");        \
        times[i] = now() - begin;                                                                  \
    }
#define READ8(i)                                                                                   \
    READ(i) READ(i + 1) READ(i + 2) READ(i + 3) READ(i + 4) READ(i + 5) READ(i + 6) READ(i + 7)

__global__ void parameters(uint32_t *out, int *to, const many p)
{
    __shared__ volatile uint32_t times[64];
    int sum = threadIdx.x;
    READ8(0) READ8(8) READ8(16) READ8(24) READ8(32) READ8(40) READ8(48)
    for (int i = threadIdx.x; i < 56; i += 32)
        out[i] = times[i];
    if (sum == -1)
        *to = sum;
}

static __constant__ float table[16384];

/* One after the other: x waits for the operand. More of them than there are uniform registers, so that each round reads them
 * again. STRIDE: words from one to the next. */
#define TAKE(i, STRIDE) asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(x) : "f"(table[STRIDE * (i)]));
#define TAKE4(i, S) TAKE(i, S) TAKE(i + 1, S) TAKE(i + 2, S) TAKE(i + 3, S)
#define TAKE16(i, S) TAKE4(i, S) TAKE4(i + 4, S) TAKE4(i + 8, S) TAKE4(i + 12, S)
#define TAKE96(i, S)                                                                               \
    TAKE16(i, S) TAKE16(i + 16, S) TAKE16(i + 32, S) TAKE16(i + 48, S) TAKE16(i + 64, S)            \
    TAKE16(i + 80, S)

#define OPERAND(NAME, BODY)                                                                        \
    __global__ void operand_##NAME(uint32_t *out, float *sink)                                     \
    {                                                                                              \
        float x = threadIdx.x;                                                                     \
        _Pragma("unroll 1") for (int round = 0; round < 16; round++)                               \
        {                                                                                          \
            const uint32_t begin = now();                                                          \
            BODY const uint32_t end = now();                                                       \
            if (threadIdx.x == 0)                                                                  \
                out[round] = end - begin;                                                          \
        }                                                                                          \
        if (x == 1e30f)                                                                            \
            *sink = x;                                                                             \
    }
OPERAND(96x4, TAKE96(0, 4))
OPERAND(96x5, TAKE96(0, 5))
OPERAND(96x6, TAKE96(0, 6))
OPERAND(96x8, TAKE96(0, 8))
OPERAND(96x10, TAKE96(0, 10))
OPERAND(96x16, TAKE96(0, 16))
OPERAND(96x32, TAKE96(0, 32))
OPERAND(96x64, TAKE96(0, 64))
OPERAND(192x16, TAKE96(0, 16) TAKE96(96, 16))
OPERAND(384x16, TAKE96(0, 16) TAKE96(96, 16) TAKE96(192, 16) TAKE96(288, 16))
OPERAND(768x16, TAKE96(0, 16) TAKE96(96, 16) TAKE96(192, 16) TAKE96(288, 16) TAKE96(384, 16) TAKE96(480, 16) TAKE96(576, 16) TAKE96(672, 16))

/* Operands that nothing waits for: how many an SM takes at once. */
#define DROP(i) asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(y[(i) % 4]) : "f"(x), "f"(table[16 * (i)]));
#define DROP4(i) DROP(i) DROP(i + 1) DROP(i + 2) DROP(i + 3)
#define DROP16(i) DROP4(i) DROP4(i + 4) DROP4(i + 8) DROP4(i + 12)
#define DROP64(i) DROP16(i) DROP16(i + 16) DROP16(i + 32) DROP16(i + 48)
__global__ void side_by_side(uint32_t *out, float *sink)
{
    float x = threadIdx.x, y[4] = {};
#pragma unroll 1
    for (int round = 0; round < 16; round++) {
        const uint32_t begin = now();
        DROP64(0) DROP64(64)
        const uint32_t end = now();
        if (threadIdx.x == 0)
            out[16 * (blockIdx.x) + round] = end - begin;
    }
    if (y[0] + y[1] + y[2] + y[3] == 1e30f)
        *sink = x;
}

__global__ void indexed(uint32_t *out, int lines, int step)
{
    int at = 0;
    for (int round = 0; round < 16; round++) {
        const uint32_t begin = now();
#pragma unroll 1
        for (int i = 0; i < lines; i++)
            at = __float_as_int(table[at + step * i]);
        const uint32_t end = now();
        if (threadIdx.x == 0)
            out[round] = end - begin + (at & 1);
    }
}

static void print_rounds(const char *name, int lines)
{
    uint32_t cycles[16];
    CHECK(cudaMemcpy(cycles, out, sizeof cycles, cudaMemcpyDeviceToHost));
    printf("%s %d", name, lines);
    for (uint32_t c : cycles)
        printf(" %.1f", (double)c / lines);
    printf("\n");
}

int main()
{
    CHECK(cudaMalloc(&out, 4 << 20));
    CHECK(cudaMalloc(&sink, 64));
    CHECK(cudaMalloc(&filler, FILLER));
    for (int blocks : {1, 132})
        for (int warps : {1, 8}) {
            disturb();
            print_code("cold", blocks, warps);
            print_code("warm", blocks, warps);
        }
    for (int disturbed = 1; disturbed >= 0; disturbed--) {
        uint32_t cycles[56];
        if (disturbed)
            disturb();
        parameters<<<1, 32>>>(out, (int *)sink, many{});
        CHECK(cudaMemcpy(cycles, out, sizeof cycles, cudaMemcpyDeviceToHost));
        printf("parameter %s", disturbed ? "cold" : "warm");
        for (uint32_t c : cycles)
            printf(" %u", c);
        printf("\n");
    }
#define RUN(READS, STRIDE)                                                                         \
    disturb();                                                                                     \
    operand_##READS##x##STRIDE<<<1, 32>>>(out, sink);                                              \
    printf("stride %d ", STRIDE);                                                                  \
    print_rounds("operand", READS);
    RUN(96, 4) RUN(96, 5) RUN(96, 6) RUN(96, 8) RUN(96, 10) RUN(96, 16) RUN(96, 32) RUN(96, 64)
    RUN(192, 16) RUN(384, 16) RUN(768, 16)
    for (int warps : {1, 4, 16, 32}) {
        disturb();
        side_by_side<<<1, 32 * warps>>>(out, sink);
        printf("warps %d ", warps);
        print_rounds("side_by_side", 128);
    }
    for (int step : {1, 4, 16, 64})
        for (int lines : {1, 4, 8, 16, 24, 32, 48, 64, 128, 256, 512, 1024}) {
            if (step * lines > 16384)
                continue;
            disturb();
            indexed<<<1, 32>>>(out, lines, step);
            printf("step %d ", step);
            print_rounds("indexed", lines);
        }
}
