/* SPDX-License-Identifier: Apache-2.0
 * What device-side printf, malloc and free take, for src/time/: N threads, each once or several times. Prints to stderr a line a
 * case: call, threads, arguments or bytes, times each, microseconds (median, least, most of 5).
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o calls_probe calls_probe.cu; calls_probe > /dev/null 2> calls_probe.txt */
#include "cuda_check.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

template <int arguments> __global__ void prints(int times, int threads)
{
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me < threads)
        for (int t = 0; t < times; t++)
            if (arguments == 0)
                printf("x\n");
            else if (arguments == 1)
                printf("%d\n", me);
            else
                printf("%d %d %f %f\n", me, t, 1.0f, 2.0f);
}

__global__ void mallocs(int times, int threads, size_t bytes, void **to, bool frees)
{
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me < threads)
        for (int t = 0; t < times; t++)
            if (frees)
                free(to[(size_t)t * threads + me]);
            else
                to[(size_t)t * threads + me] = malloc(bytes);
}

template <class F> static void time(const char *name, int threads, int size, int times, F launch)
{
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    float took[5];
    for (int t = -1; t < 5; t++) {
        CHECK(cudaDeviceSynchronize());
        launch(begin, end);
        CHECK(cudaDeviceSynchronize());
        if (t >= 0)
            CHECK(cudaEventElapsedTime(&took[t], begin, end));
    }
    std::sort(took, took + 5);
    fprintf(stderr, "%s %d %d %d %.2f %.2f %.2f\n", name, threads, size, times, took[2] * 1e3, took[0] * 1e3, took[4] * 1e3);
}

int main()
{
    void **to;
    CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 64 << 20));
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 256 << 20));
    CHECK(cudaMalloc(&to, 8 * 65536 * sizeof *to));
    for (int threads : {0, 1, 2, 32, 64, 1024, 8192})
        for (int times : {1, 4}) {
            const int blocks = (threads + 255) / 256 + (threads == 0);
#define PRINTS(n) time("printf", threads, n, times, [&](cudaEvent_t begin, cudaEvent_t end) {                          \
                cudaEventRecord(begin); prints<n><<<blocks, 256>>>(times, threads); cudaEventRecord(end); })
            PRINTS(0);
            PRINTS(1);
            PRINTS(4);
        }
    for (int threads : {1, 2, 32, 64, 1024, 8192})
        for (int bytes : {16, 256, 4096})
            for (int times : {1, 4}) {
                const int blocks = (threads + 255) / 256;
                time("malloc", threads, bytes, times, [&](cudaEvent_t begin, cudaEvent_t end) {
                    cudaEventRecord(begin); mallocs<<<blocks, 256>>>(times, threads, bytes, to, false); cudaEventRecord(end);
                    mallocs<<<blocks, 256>>>(times, threads, bytes, to, true); });
                time("free", threads, bytes, times, [&](cudaEvent_t begin, cudaEvent_t end) {
                    mallocs<<<blocks, 256>>>(times, threads, bytes, to, false);
                    cudaEventRecord(begin); mallocs<<<blocks, 256>>>(times, threads, bytes, to, true); cudaEventRecord(end); });
            }
    return 0;
}
