/* SPDX-License-Identifier: Apache-2.0
 * What the L2 and DRAM take for stores, for src/time/: columns of blocks go down the rows of an array, each warp's store covers
 * consecutive elements, from an offset on that is a sector's start or not. Prints a line a probe: element's bytes, threads of a
 * block, offset, stride in elements, microseconds (median, least, most).
 *     nvcc -arch=sm_90 -std=c++17 -O3 -o store_probe store_probe.cu; store_probe > store_probe.txt */
#include "cuda_check.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

enum { WIDTH = 8704, ROWS = 80, TIMES = 5 };

template <class T> __global__ void fill(char *to, int stride)
{
    const long pitch = WIDTH * sizeof(T), column = blockIdx.x * (long)blockDim.x + threadIdx.x;
    char *at = to + blockIdx.y * ROWS * pitch + column * stride * sizeof(T);
#pragma unroll 8
    for (int row = 0; row < ROWS; row++)
        *(T *)(at + row * pitch) = 1;
}

static char *array;

template <class T> static void probe(int threads, int offset, int stride)
{
    const int bands = 256 / sizeof(T); /* 178 MB in all */
    const dim3 grid(WIDTH / threads / stride, bands > 128 ? 128 : bands);
    float ms[TIMES];
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    fill<T><<<grid, threads>>>(array + offset, stride);
    for (float &one : ms) {
        CHECK(cudaEventRecord(begin));
        fill<T><<<grid, threads>>>(array + offset, stride);
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&one, begin, end));
    }
    std::sort(ms, ms + TIMES);
    printf("bytes %zu threads %d offset %d stride %d us %.2f %.2f %.2f\n", sizeof(T), threads, offset, stride,
           ms[TIMES / 2] * 1e3, ms[0] * 1e3, ms[TIMES - 1] * 1e3);
}

int main()
{
    CHECK(cudaMalloc(&array, 1 << 28));
    for (int offset : {0, 8, 16, 32}) {
        for (int threads : {32, 64, 128, 256, 512})
            probe<float>(threads, offset, 1);
        probe<uint8_t>(64, offset, 1);
        probe<uint16_t>(64, offset, 1);
        probe<double>(64, offset, 1);
    }
    for (int stride : {2, 4, 8})
        for (int offset : {0, 16})
            probe<float>(64, offset, stride);
}
