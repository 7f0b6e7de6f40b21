/* SPDX-License-Identifier: Apache-2.0
 * Streams of structures whose members threads read and write one by one, for src/time/: what partly written sectors and lines cost
 * in the L2, in arrays that fit in it and in others. Each kernel is launched once, for Nsight Compute, which flushes the caches
 * before each; without it, each is timed by itself, after a fill of 256 MB.
 *
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o stream_probe stream_probe.cu
 *     ncu --csv --page raw --print-units base --metrics ... ./stream_probe once       ./stream_probe > stream_probe.txt */
#include "cuda_check.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

template <class T, int MEMBERS> __global__ void write_all(const T *, T *to, int count)
{
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < count)
        for (int m = 0; m < MEMBERS; m++)
            ((volatile T *)to)[i * MEMBERS + m] = (T)m;
}

template <class T, int MEMBERS> __global__ void write_first(const T *, T *to, int count)
{
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < count)
        to[i * MEMBERS] = (T)i;
}

template <class T, int MEMBERS> __global__ void copy_all(const T *from, T *to, int count)
{
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < count)
        for (int m = 0; m < MEMBERS; m++)
            ((volatile T *)to)[i * MEMBERS + m] = ((volatile T *)from)[i * MEMBERS + m];
}

template <class T, int MEMBERS> __global__ void read_all(const T *from, T *to, int count)
{
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    T sum = 0;
    if (i < count)
        for (int m = 0; m < MEMBERS; m++)
            sum += ((volatile T *)from)[i * MEMBERS + m];
    if (sum == (T)77)
        *to = sum;
}

static char *from, *to, *filler;
static bool once;
enum { FILLER = 256 << 20, TIMES = 7 };

template <class T>
static void probe(const char *name, void (*kernel)(const T *, T *, int), int members, long bytes)
{
    const int count = bytes / (members * sizeof(T)), blocks = (count + 255) / 256;
    if (once) {
        kernel<<<blocks, 256>>>((T *)from, (T *)to, count);
        CHECK(cudaDeviceSynchronize());
        return;
    }
    float ms[TIMES];
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (float &one : ms) {
        CHECK(cudaMemset(filler, 0, FILLER));
        CHECK(cudaEventRecord(begin));
        kernel<<<blocks, 256>>>((T *)from, (T *)to, count);
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&one, begin, end));
    }
    std::sort(ms, ms + TIMES);
    printf("%s element %zu members %d bytes %ld us %.2f %.2f %.2f\n", name, sizeof(T), members, bytes, ms[TIMES / 2] * 1e3,
           ms[0] * 1e3, ms[TIMES - 1] * 1e3);
}

#define ALL(KERNEL, BYTES)                                                                         \
    probe<float>(#KERNEL, KERNEL<float, 1>, 1, BYTES);                                             \
    probe<float>(#KERNEL, KERNEL<float, 2>, 2, BYTES);                                             \
    probe<float>(#KERNEL, KERNEL<float, 3>, 3, BYTES);                                             \
    probe<float>(#KERNEL, KERNEL<float, 4>, 4, BYTES);                                             \
    probe<float>(#KERNEL, KERNEL<float, 8>, 8, BYTES);

int main(int argc, char **argv)
{
    once = argc > 1 && strcmp(argv[1], "once") == 0;
    CHECK(cudaMalloc(&from, 128 << 20));
    CHECK(cudaMalloc(&to, 128 << 20));
    CHECK(cudaMalloc(&filler, FILLER));
    CHECK(cudaMemset(from, 0, 128 << 20));
    for (long bytes : {12l << 20, 96l << 20}) {
        ALL(write_all, bytes)
        ALL(write_first, bytes)
        ALL(copy_all, bytes)
        ALL(read_all, bytes)
        probe<uint8_t>("write_all", write_all<uint8_t, 1>, 1, bytes);
        probe<uint8_t>("copy_all", copy_all<uint8_t, 1>, 1, bytes);
        probe<double>("write_all", write_all<double, 1>, 1, bytes);
        probe<double>("copy_all", copy_all<double, 1>, 1, bytes);
    }
}
