/* SPDX-License-Identifier: Apache-2.0
 * CUB's algorithms for a whole GPU (scan, reduce, select, partition, radix and merge sort, runs, histogram, segments) on 2^18, 2^21 and
 * 2^24 words, for src/time/. Run by tools/gpu-patterns; tools/patterns-judge compares.
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o cub_probe cub_probe.cu; cub_probe */
#include "cuda_check.h"

#include <cub/cub.cuh>

#include <cstdio>
#include <cstdlib>

/* Once for the bytes that it needs, once for what it does. */
#define TWICE(CALL)                                                                                \
    do {                                                                                           \
        size_t bytes = 0;                                                                          \
        void *none = nullptr;                                                                      \
        {                                                                                          \
            void *&temp = none;                                                                    \
            CHECK(CALL);                                                                           \
        }                                                                                          \
        if (bytes > ROOM)                                                                          \
            exit(1);                                                                               \
        {                                                                                          \
            void *&temp = scratch;                                                                 \
            CHECK(CALL);                                                                           \
        }                                                                                          \
        CHECK(cudaDeviceSynchronize());                                                            \
    } while (0)

enum : size_t { ROOM = 512 << 20, MOST = 1 << 24 };

struct is_odd {
    __device__ bool operator()(unsigned v) const { return v & 1; }
};

__global__ void fill(unsigned *a, long n, unsigned mask)
{
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned x = (unsigned)i * 2654435761u;
        x ^= x >> 15;
        x *= 2246822519u;
        x ^= x >> 13;
        a[i] = x & mask;
    }
}

__global__ void ends(int *a, int n, int step)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        a[i] = i * step;
}

int main()
{
    unsigned *a, *b, *c, *few, *sorted;
    int *count, *offsets;
    void *scratch;
    CHECK(cudaMalloc(&scratch, ROOM));
    for (unsigned **array : {&a, &b, &c, &few, &sorted})
        CHECK(cudaMalloc(array, MOST * sizeof(unsigned)));
    CHECK(cudaMalloc(&count, sizeof *count));
    CHECK(cudaMalloc(&offsets, (MOST / 64 + 1) * sizeof *offsets));
    CHECK(cudaMemset(sorted, 0, MOST * sizeof(unsigned)));
    for (int n : {1 << 18, 1 << 21, 1 << 24}) {
        fill<<<n / 256, 256>>>(a, n, ~0u);
        fill<<<n / 256, 256>>>(few, n, 255);
        TWICE(cub::DeviceScan::ExclusiveSum(temp, bytes, a, b, n));
        TWICE(cub::DeviceScan::InclusiveSum(temp, bytes, (double *)a, (double *)b, n / 2));
        TWICE(cub::DeviceReduce::Sum(temp, bytes, a, b, n));
        TWICE(cub::DeviceSelect::If(temp, bytes, a, b, count, n, is_odd()));
        TWICE(cub::DevicePartition::If(temp, bytes, a, b, count, n, is_odd()));
        TWICE(cub::DeviceRadixSort::SortKeys(temp, bytes, a, b, n));
        TWICE(cub::DeviceRadixSort::SortPairs(temp, bytes, a, b, few, c, n));
        TWICE(cub::DeviceRunLengthEncode::Encode(temp, bytes, few, b, c, count, n));
        TWICE(cub::DeviceReduce::ReduceByKey(temp, bytes, few, b, a, c, count, cuda::std::plus<>(), n));
        TWICE(cub::DeviceHistogram::HistogramEven(temp, bytes, (unsigned char *)few, (int *)b, 257, 0, 256, n));
        TWICE(cub::DeviceMergeSort::SortKeys(temp, bytes, sorted, n, cuda::std::less<>()));
        ends<<<n / 64 / 256 + 1, 256>>>(offsets, n / 64, 64);
        TWICE(cub::DeviceSegmentedReduce::Sum(temp, bytes, a, b, n / 64, offsets, offsets + 1));
        TWICE(cub::DeviceRunLengthEncode::NonTrivialRuns(temp, bytes, few, (int *)b, (int *)c, count, n));
        TWICE(cub::DeviceSelect::Unique(temp, bytes, few, b, count, n));
    }
    printf("done\n");
    return 0;
}
