/* SPDX-License-Identifier: Apache-2.0
 * What sequences of requests cost one SM, for src/time/: warps load from and store to shared memory in turn, and store to
 * global memory from registers that they then write anew. Prints a line a case: space, sequence, bytes a lane, bytes from
 * lane to lane, warps, SMs, cycles for a request of one SM.
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o request_probe request_probe.cu; request_probe > request_probe.txt */
#include "cuda_check.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

enum { TRIPS = 64, SHARED_BYTES = 32768, MOST_WARPS = 32 };

struct quad {
    unsigned x, y, z, w;
};

template <int bytes> static __device__ void load(unsigned at, quad &v)
{
    if (bytes == 4)
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v.x) : "r"(at));
    if (bytes == 8)
        asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(at));
    if (bytes == 16)
        asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(at));
}

template <int bytes> static __device__ void store(unsigned at, const quad &v)
{
    if (bytes == 4)
        asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(at), "r"(v.x));
    if (bytes == 8)
        asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %2};" ::"r"(at), "r"(v.x), "r"(v.y));
    if (bytes == 16)
        asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w));
}

template <int bytes> static __device__ void put(char *at, const quad &v)
{
    if (bytes == 4)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(v.x) : "memory");
    if (bytes == 8)
        asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(at), "r"(v.x), "r"(v.y) : "memory");
    if (bytes == 16)
        asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}

static __device__ void change(quad &v)
{
    v.x = v.x * 3 + 1, v.y = v.y * 5 + 1, v.z = v.z * 7 + 1, v.w = v.w * 9 + 1;
}

/* Bit u of `stores`: the u-th of 8 requests is a store. */
template <int bytes, unsigned stores>
static __global__ void shared(long long *spans, unsigned lane_step, unsigned step, unsigned *sink)
{
    __shared__ __align__(16) char words[SHARED_BYTES];
    unsigned at = (unsigned)__cvta_generic_to_shared(words) + threadIdx.x % 32 * lane_step + threadIdx.x / 32 * 512;
    quad v[8] = {};
    long long begin = 0;
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        begin = clock64();
        for (int t = 0; t < TRIPS; t++) {
#pragma unroll
            for (int u = 0; u < 8; u++, at += step)
                if (stores >> u & 1)
                    store<bytes>(at, v[u]);
                else
                    load<bytes>(at, v[u]);
            v[t % 2].x ^= t;
        }
    }
    const long long end = clock64();
    if (threadIdx.x % 32 == 0 && blockIdx.x == 0)
        spans[threadIdx.x / 32] = begin, spans[MOST_WARPS + threadIdx.x / 32] = end;
    unsigned sum = 0;
    for (int u = 0; u < 8; u++)
        sum ^= v[u].x ^ v[u].y ^ v[u].z ^ v[u].w;
    if (sum == 0x12345)
        *sink = sum;
}

/* Each warp stores again and again to 16 KiB of its own; `anew`: values that it computes between. */
template <int bytes, bool anew>
static __global__ void global(long long *spans, char *data, unsigned lane_step, unsigned *sink)
{
    char *home = data + ((size_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 16384;
    const unsigned lane = threadIdx.x % 32 * lane_step;
    quad v = {threadIdx.x, 1, 2, 3};
    long long begin = 0;
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        begin = clock64();
        for (int t = 0; t < TRIPS; t++) {
#pragma unroll
            for (int u = 0; u < 8; u++) {
                put<bytes>(home + (lane + (t * 8 + u) * 512) % 16384, v);
                if (anew)
                    change(v);
            }
        }
    }
    const long long end = clock64();
    if (threadIdx.x % 32 == 0 && blockIdx.x == 0)
        spans[threadIdx.x / 32] = begin, spans[MOST_WARPS + threadIdx.x / 32] = end;
    if (v.x + v.y + v.z + v.w == 0x12345)
        *sink = v.x;
}

static long long *spans;
static unsigned *sink;
static char *data;

static double cycles(int warps)
{
    CHECK(cudaDeviceSynchronize());
    long long begin = spans[0], end = spans[MOST_WARPS];
    for (int w = 0; w < warps; w++) {
        begin = spans[w] < begin ? spans[w] : begin;
        end = spans[MOST_WARPS + w] > end ? spans[MOST_WARPS + w] : end;
    }
    return (double)(end - begin) / (8.0 * TRIPS * warps);
}

template <int bytes, unsigned stores> static void shared_case(const char *name)
{
    for (int warps : {1, 4, 8, 16, 32})
        for (int ways : {1, 2}) {
            shared<bytes, stores><<<1, warps * 32>>>(spans, bytes * ways, 0, sink);
            printf("shared %s %d %d %d 1 %.3f\n", name, bytes, bytes * ways, warps, cycles(warps));
        }
}

template <int bytes> static void shared_cases()
{
    shared_case<bytes, 0>("LLLLLLLL");
    shared_case<bytes, 0xff>("SSSSSSSS");
    shared_case<bytes, 0xaa>("LSLSLSLS");
    shared_case<bytes, 0xcc>("LLSSLLSS");
    shared_case<bytes, 0xf0>("LLLLSSSS");
    shared_case<bytes, 0x80>("LLLLLLLS");
    shared_case<bytes, 0x88>("LLLSLLLS");
}

template <int bytes, bool anew> static void global_cases()
{
    for (int sms : {1, 132})
        for (int lane_step : {bytes, 32, 128})
            for (int warps : {1, 2, 4, 8, 16, 32}) {
                global<bytes, anew><<<sms, warps * 32>>>(spans, data, lane_step, sink);
                printf("global %s %d %d %d %d %.3f\n", anew ? "anew" : "same", bytes, lane_step, warps, sms, cycles(warps));
            }
}

int main()
{
    CHECK(cudaMallocManaged(&spans, 2 * MOST_WARPS * sizeof *spans));
    CHECK(cudaMalloc(&sink, sizeof *sink));
    CHECK(cudaMalloc(&data, 132 * (size_t)MOST_WARPS * 16384));
    shared_cases<4>();
    shared_cases<8>();
    shared_cases<16>();
    global_cases<4, false>();
    global_cases<4, true>();
    global_cases<8, true>();
    global_cases<16, false>();
    global_cases<16, true>();
    return 0;
}
