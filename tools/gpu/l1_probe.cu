/* SPDX-License-Identifier: Apache-2.0
 * What requests cost that the L1 or shared memory serves, for src/time/: 32 warps of one SM load from where each pattern
 * sends their lanes, again and again. Prints a line a pattern: space, bytes a lane, name, lines, cycles for a request.
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o l1_probe l1_probe.cu; l1_probe > l1_probe.txt */
#include "cuda_check.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>

enum { WARPS = 32, TRIPS = 64, UNROLL = 8, BYTES = 32768 };

template <bool shared, int bytes>
static __device__ unsigned load(uint64_t at)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    const unsigned low = (unsigned)at;
    if (shared && bytes == 4)
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(a) : "r"(low));
    if (shared && bytes == 8)
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(low));
    if (shared && bytes == 16)
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(low));
    if (!shared && bytes == 4)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(a) : "l"(at));
    if (!shared && bytes == 8)
        asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(at));
    if (!shared && bytes == 16)
        asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(at));
    return a ^ b ^ c ^ d;
}

/* `step` is 0: the compiler does not know, and loads each time. */
template <bool shared, int bytes>
static __global__ void read(long long *spans, const char *data, const unsigned *offsets, unsigned step, unsigned *sink)
{
    __shared__ __align__(16) char words[BYTES];
    const uint64_t base = shared ? (uint64_t)__cvta_generic_to_shared(words) : (uint64_t)data;
    uint64_t at = base + offsets[threadIdx.x % 32];
    unsigned sum = 0;
    long long begin = 0;
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        begin = clock64();
        for (int t = 0; t < TRIPS; t++) {
            unsigned part[UNROLL];
#pragma unroll
            for (int u = 0; u < UNROLL; u++, at += step)
                part[u] = load<shared, bytes>(at);
#pragma unroll
            for (int u = 0; u < UNROLL; u++)
                sum ^= part[u];
        }
    }
    const long long end = clock64();
    if (threadIdx.x % 32 == 0)
        spans[threadIdx.x / 32] = begin, spans[WARPS + threadIdx.x / 32] = end;
    if (sum == 0x12345)
        *sink = sum + words[sum % BYTES];
}

static char *data;
static unsigned *sink, *offsets;
static long long *spans;

template <bool shared, int bytes>
static void measure(const char *name, const std::function<unsigned(unsigned)> &place)
{
    unsigned host[32];
    std::set<unsigned> lines;
    long long found[2 * WARPS];
    double best = 1e30;
    for (unsigned i = 0; i < 32; i++) {
        host[i] = place(i) % (BYTES - 16) / bytes * bytes;
        lines.insert(host[i] / 128);
    }
    CHECK(cudaMemcpy(offsets, host, sizeof host, cudaMemcpyHostToDevice));
    for (int repeat = 0; repeat < 3; repeat++) {
        read<shared, bytes><<<1, 32 * WARPS>>>(spans, data, offsets, 0, sink);
        CHECK(cudaMemcpy(found, spans, sizeof found, cudaMemcpyDeviceToHost));
        long long begin = found[0], end = 0;
        for (int w = 0; w < WARPS; w++) {
            begin = found[w] < begin ? found[w] : begin;
            end = found[WARPS + w] > end ? found[WARPS + w] : end;
        }
        const double cycles = (double)(end - begin) / (WARPS * TRIPS * UNROLL);
        best = cycles < best ? cycles : best;
    }
    printf("%-6s %2d %-18s lines %2zu cycles %.3f\n", shared ? "shared" : "global", bytes, name, lines.size(), best);
    fflush(stdout);
}

static unsigned mixed(unsigned i)
{
    i = (i + 1) * 2654435761u;
    return i ^ i >> 15;
}

template <bool shared, int bytes>
static void measure_all()
{
    char name[32];
    for (const unsigned stride : {0u, 4u, 8u, 12u, 16u, 20u, 32u, 48u, 64u, 96u, 128u, 132u, 136u, 144u, 160u, 192u, 256u, 264u, 512u, 516u, 1020u}) {
        snprintf(name, sizeof name, "stride_%u", stride);
        measure<shared, bytes>(name, [=](unsigned i) { return i * stride; });
    }
    for (const unsigned offset : {4u, 16u, 32u, 64u, 124u}) {
        snprintf(name, sizeof name, "offset_%u", offset);
        measure<shared, bytes>(name, [=](unsigned i) { return i * bytes + offset; });
    }
    for (const unsigned apart : {64u, 128u, 192u, 256u, 320u, 512u, 576u, 4096u}) {
        snprintf(name, sizeof name, "two_rows_%u", apart);
        measure<shared, bytes>(name, [=](unsigned i) { return i / 16 * apart + i % 16 * bytes; });
    }
    for (const unsigned apart : {128u, 160u, 512u, 544u}) {
        snprintf(name, sizeof name, "four_rows_%u", apart);
        measure<shared, bytes>(name, [=](unsigned i) { return i / 8 * apart + i % 8 * bytes; });
    }
    for (const unsigned apart : {128u, 144u, 512u, 516u, 528u}) {
        snprintf(name, sizeof name, "two_words_%u", apart);
        measure<shared, bytes>(name, [=](unsigned i) { return i / 16 * apart; });
    }
    for (const unsigned size : {256u, 1024u, 4096u, 32768u}) {
        snprintf(name, sizeof name, "random_%u", size);
        measure<shared, bytes>(name, [=](unsigned i) { return mixed(i) % size; });
    }
    measure<shared, bytes>("one_lane_a_line_8", [](unsigned i) { return i % 8 * 132; });
    measure<shared, bytes>("one_lane_a_line_16", [](unsigned i) { return i % 16 * 132; });
    measure<shared, bytes>("reversed", [](unsigned i) { return (31 - i) * bytes; });
}

int main()
{
    CHECK(cudaMalloc(&data, BYTES));
    CHECK(cudaMemset(data, 0, BYTES));
    CHECK(cudaMalloc(&sink, 64));
    CHECK(cudaMalloc(&offsets, 128));
    CHECK(cudaMalloc(&spans, 2 * WARPS * sizeof *spans));
    measure_all<false, 4>();
    measure_all<false, 8>();
    measure_all<false, 16>();
    measure_all<true, 4>();
    measure_all<true, 8>();
    measure_all<true, 16>();
    return 0;
}
