/* SPDX-License-Identifier: Apache-2.0
 * What one SM gets from the DRAM while few others ask, for src/time/: BLOCKS blocks, one an SM, of WARPS warps read words that neither cache
 * has, AHEAD loads of a line (or of one of WIDE bytes a lane) before each wait. Before each launch 256 MB of others are read. Prints a line a
 * case: KiB of shared memory that a block asks for, blocks, warps, loads ahead, bytes a lane, bytes that lines are off, cycles of the slowest block, bytes a cycle of an SM.
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o lone_probe lone_probe.cu; lone_probe > lone_probe.txt
 * What an H200 takes: tests/gpu/h200/lone.txt. */
#include "cuda_check.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

enum { REQUESTS = 256 /* of a warp */, OTHERS = 256 << 20, MOST_SMS = 132, REPEATS = 3 };

template <class T, int AHEAD>
static __global__ void reads(const char *from, int offset, unsigned long long *cycles, unsigned *sink)
{
    const int warps = blockDim.x / 32;
    const T *at = (const T *)(from + offset + (size_t)blockIdx.x * REQUESTS * blockDim.x * sizeof(T)) + threadIdx.x;
    unsigned sum = 0;
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < REQUESTS; i += AHEAD) {
        T v[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            v[k] = at[(size_t)(i + k) * 32 * warps];
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            sum += ((const unsigned *)&v[k])[0];
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = (unsigned long long)(clock64() - begin);
}

static __global__ void others(const uint4 *from, unsigned *sink)
{
    unsigned sum = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < OTHERS / sizeof(uint4); i += (size_t)gridDim.x * blockDim.x)
        sum += from[i].x;
    sink[threadIdx.x] = sum;
}

static char *from, *rest;
static unsigned long long *cycles;
static unsigned *sink;

template <class T, int AHEAD>
static void run(int kib, int blocks, int warps, int offset)
{
    unsigned long long host[MOST_SMS], all[REPEATS];
    for (int r = 0; r < REPEATS; r++) {
        others<<<1056, 256>>>((const uint4 *)rest, sink);
        reads<T, AHEAD><<<blocks, 32 * warps, kib << 10>>>(from, offset, cycles, sink);
        CHECK(cudaMemcpy(host, cycles, sizeof *host * blocks, cudaMemcpyDeviceToHost));
        all[r] = *std::max_element(host, host + blocks);
    }
    std::sort(all, all + REPEATS);
    const double bytes = (double)REQUESTS * warps * 32 * sizeof(T);
    printf("%d %d %d %d %d %d %llu %.2f\n", kib, blocks, warps, AHEAD, (int)sizeof(T), offset, all[REPEATS / 2], bytes / (double)all[REPEATS / 2]);
}

template <class T, int AHEAD>
static void runs()
{
    CHECK(cudaFuncSetAttribute(reads<T, AHEAD>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    for (int kib : {0, 40, 100, 200})
        for (int blocks : {1, 8, 132})
            for (int warps : {4, 16, 32})
                run<T, AHEAD>(kib, blocks, warps, 0);
    run<T, AHEAD>(0, 1, 32, sizeof(T)), run<T, AHEAD>(0, 132, 32, sizeof(T));
}

int main()
{
    CHECK(cudaMalloc(&from, (size_t)MOST_SMS * REQUESTS * 1024 * 16 + 256));
    CHECK(cudaMalloc(&rest, OTHERS));
    CHECK(cudaMalloc(&cycles, MOST_SMS * sizeof *cycles));
    CHECK(cudaMalloc(&sink, MOST_SMS * 1024 * sizeof *sink));
    CHECK(cudaMemset(from, 0, (size_t)MOST_SMS * REQUESTS * 1024 * 16 + 256));
    CHECK(cudaMemset(rest, 0, OTHERS));
    runs<unsigned, 1>(), runs<unsigned, 4>(), runs<unsigned, 16>(), runs<uint4, 1>(), runs<uint4, 4>(), runs<uint4, 16>();
    return 0;
}
