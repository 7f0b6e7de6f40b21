/* SPDX-License-Identifier: Apache-2.0
 * Copies by few and by many blocks, from arrays that the L2 has and others, for src/time/: what one SM moves, and how many of
 * them it takes to fill the memory. Prints a line a case: MiB, bytes a lane, loads before each wait, blocks, threads, microseconds
 * (median, least, most of 7), bytes moved a nanosecond and block.
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o copy_probe copy_probe.cu; copy_probe > copy_probe.txt */
#include "cuda_check.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

template <class T, int loads> __global__ void copy(const T *from, T *to, long count)
{
    const long step = (long)gridDim.x * blockDim.x;
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < count; i += loads * step) {
        T v[loads];
#pragma unroll
        for (int u = 0; u < loads; u++)
            v[u] = __ldcg(from + i + u * step);
#pragma unroll
        for (int u = 0; u < loads; u++)
            to[i + u * step] = v[u];
    }
}

template <class T, int loads> __global__ void read(const T *from, T *to, long count)
{
    const long step = (long)gridDim.x * blockDim.x;
    float sum = 0;
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < count; i += loads * step) {
        T v[loads];
#pragma unroll
        for (int u = 0; u < loads; u++)
            v[u] = __ldcg(from + i + u * step);
#pragma unroll
        for (int u = 0; u < loads; u++)
            sum += *(float *)&v[u];
    }
    if (sum == 12345.678f)
        *(float *)to = sum;
}

static char *from, *to;
static cudaEvent_t begin, end;

template <class T, int loads, bool copies> static void one(long mib, int blocks, int threads)
{
    const long count = (mib << 20) / sizeof(T) / ((long)blocks * threads * loads) * blocks * threads * loads;
    float times[7];
    for (int t = -1; t < 7; t++) {
        CHECK(cudaEventRecord(begin));
        if (copies)
            copy<T, loads><<<blocks, threads>>>((T *)from, (T *)to, count);
        else
            read<T, loads><<<blocks, threads>>>((T *)from, (T *)to, count);
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        if (t >= 0)
            CHECK(cudaEventElapsedTime(&times[t], begin, end));
    }
    std::sort(times, times + 7);
    printf("%s %ld %zu %d %d %d %.2f %.2f %.2f %.2f\n", copies ? "copy" : "read", mib, sizeof(T), loads, blocks, threads,
           times[3] * 1e3, times[0] * 1e3, times[6] * 1e3, (copies ? 2.0 : 1.0) * count * sizeof(T) / (times[3] * 1e6) / blocks);
}

template <class T, int loads> static void some()
{
    for (long mib : {8l, 128l})
        for (int blocks : {1, 16, 33, 64, 132, 264})
            for (int threads : {256, 1024}) {
                if (mib > 8 && blocks < 16)
                    continue;
                one<T, loads, true>(mib, blocks, threads);
                one<T, loads, false>(mib, blocks, threads);
            }
}

int main()
{
    CHECK(cudaMalloc(&from, 128 << 20));
    CHECK(cudaMalloc(&to, 128 << 20));
    CHECK(cudaMemset(from, 0, 128 << 20));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    some<float, 1>();
    some<float, 4>();
    some<float4, 1>();
    some<float4, 4>();
    return 0;
}
