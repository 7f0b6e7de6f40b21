/* SPDX-License-Identifier: Apache-2.0
 * Meetings of a grid (cooperative groups' grid.sync), for src/time/: how long one takes with how many blocks and threads, alone and
 * between steps of a stencil whose array lies in the L2. The program prints a row a launch: NAME BLOCKS THREADS MEETINGS US (the
 * median of 9 launches, by events).
 *     nvcc -arch=native -std=c++17 -O3 -w -o meeting_probe meeting_probe.cu */
#include "cuda_check.h"

#include <algorithm>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>

enum { TRIES = 9, WORDS = 1 << 20 };

__global__ void meet(float *, float *, unsigned meetings)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (unsigned i = 0; i < meetings; i++)
        grid.sync();
}

__global__ void step(float *a, float *b, unsigned meetings)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const unsigned threads = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned i = 0; i < meetings; i++) {
        for (unsigned at = first; at < WORDS; at += threads)
            b[at] = 0.5f * (a[(at + WORDS - 1) % WORDS] + a[(at + 1) % WORDS]);
        float *other = a;
        a = b;
        b = other;
        grid.sync();
    }
}

static void time_one(const char *name, void *kernel, unsigned blocks, unsigned threads, float *a, float *b)
{
    unsigned meetings = 50;
    void *arguments[] = {&a, &b, &meetings};
    cudaEvent_t begin, end;
    float us[TRIES];
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int t = 0; t < TRIES; t++) {
        CHECK(cudaEventRecord(begin));
        CHECK(cudaLaunchCooperativeKernel(kernel, blocks, threads, arguments, 0, 0));
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&us[t], begin, end));
    }
    std::sort(us, us + TRIES);
    printf("%s %u %u %u %.2f\n", name, blocks, threads, meetings, 1e3 * us[TRIES / 2]);
}

int main()
{
    float *a, *b;
    CHECK(cudaMalloc(&a, WORDS * sizeof *a));
    CHECK(cudaMalloc(&b, WORDS * sizeof *b));
    CHECK(cudaMemset(a, 0, WORDS * sizeof *a));
    CHECK(cudaMemset(b, 0, WORDS * sizeof *b));
    static const unsigned shapes[][2] = {{132, 32}, {132, 256}, {132, 1024}, {264, 256}, {264, 1024}, {528, 256}, {1056, 64}, {1056, 256}, {66, 256}, {16, 256}, {2, 256}};
    for (const auto &s : shapes)
        time_one("meet", (void *)meet, s[0], s[1], a, b);
    for (const auto &s : shapes)
        if (s[0] >= 132)
            time_one("step", (void *)step, s[0], s[1], a, b);
    return 0;
}
