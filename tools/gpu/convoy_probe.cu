// SPDX-License-Identifier: Apache-2.0
// Blocks that read the same numbers from the DRAM, one load a trip: does the one that asks first keep the others' pace? For
// src/time/time_memory.c. Prints a line a launch: how many blocks read each number, whether they are neighbours in the grid (then on
// several SMs) or an SM apart (then on one), threads of a block, numbers in 1,024, whether the L2 has them, cycles a trip of the
// slowest and of the mean block, and the launch in ns by events.
//     nvcc -arch=sm_90 -O3 -w -o convoy_probe convoy_probe.cu
//     convoy_probe; ncu --clock-control none --cache-control all --metrics gpu__time_duration.sum,... convoy_probe once
// What an H200 takes: tests/gpu/h200/convoys.txt.
#include "cuda_check.h"

#include <cstdint>
#include <cstring>
#include <vector>

enum { PARTS = 132 };

// The part of the numbers that a block reads: of blocks that follow each other the same, or every PARTS-th the same.
static __device__ int part_of(int copies, int neighbours)
{
    return neighbours ? blockIdx.x / copies : blockIdx.x % PARTS;
}

template <class T> static __device__ void count(int n, const T *numbers, int copies, int neighbours, float *trip)
{
    __shared__ unsigned counts[1024];
    const long long begin = clock64();
    const int stride = PARTS * blockDim.x;
    for (int i = part_of(copies, neighbours) * blockDim.x + threadIdx.x; i < n; i += stride) {
        const unsigned number = numbers[i];
        if (number < 1024)
            atomicAdd(&counts[number], 1);
    }
    if (threadIdx.x == 0)
        trip[blockIdx.x] = (clock64() - begin) / ((float)n / stride);
}
extern "C" __global__ void halves(int n, const uint16_t *numbers, int copies, int neighbours, float *trip)
{
    count(n, numbers, copies, neighbours, trip);
}
extern "C" __global__ void words(int n, const unsigned *numbers, int copies, int neighbours, float *trip)
{
    count(n, numbers, copies, neighbours, trip);
}

static void tell(const char *kernel, int copies, int neighbours, int threads, int n, int warm, const float *trip, float ms)
{
    const int blocks = PARTS * copies;
    std::vector<float> of(blocks);
    CHECK(cudaMemcpy(of.data(), trip, 4 * blocks, cudaMemcpyDeviceToHost));
    double most = 0, sum = 0;
    for (float one : of) {
        most = one > most ? one : most;
        sum += one;
    }
    printf("%s %d %d %d %d %d %.0f %.0f %.0f\n", kernel, copies, neighbours, threads, n >> 10, warm, most, sum / blocks, ms * 1e6);
}

int main(int argc, char **argv)
{
    const bool once = argc > 1 && !strcmp(argv[1], "once");
    const size_t most = 1 << 24, other = 256 << 20;
    uint16_t *small;
    unsigned *large;
    char *flush;
    float *trip, ms;
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaMalloc(&small, most * 2));
    CHECK(cudaMalloc(&large, most * 4));
    CHECK(cudaMalloc(&flush, other));
    CHECK(cudaMalloc(&trip, 4 * PARTS * 8));
    CHECK(cudaMemset(small, 5, most * 2));
    CHECK(cudaMemset(large, 5, most * 4));
    for (int threads : {32, 256})
        for (int wide : {0, 1})
            for (int neighbours : {0, 1})
                for (int copies : {1, 2, 4, 6, 8})
                    for (int warm = 0; warm <= !once; warm++) {
                        const int n = threads == 32 ? 1 << 21 : 1 << 24;
                        if (!warm)
                            CHECK(cudaMemset(flush, 1, other));
                        CHECK(cudaEventRecord(begin));
                        if (wide)
                            words<<<PARTS * copies, threads>>>(n, large, copies, neighbours, trip);
                        else
                            halves<<<PARTS * copies, threads>>>(n, small, copies, neighbours, trip);
                        CHECK(cudaEventRecord(end));
                        CHECK(cudaDeviceSynchronize());
                        CHECK(cudaEventElapsedTime(&ms, begin, end));
                        tell(wide ? "words" : "halves", copies, neighbours, threads, n, warm, trip, ms);
                    }
}
