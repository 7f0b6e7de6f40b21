// SPDX-License-Identifier: Apache-2.0
// What l1tex__t_sectors_pipe_lsu_mem_global_op_red and _op_atom count of one request whose lanes meet: a launch of one warp for
// each request, whose lanes add to words of an array of lines.
//
//     nvcc -arch=sm_90 -O3 -o atomic_sectors_probe atomic_sectors_probe.cu
//     ncu --csv --page raw --metrics l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum \
//         atomic_sectors_probe > counts.csv
//
// It prints a line for each launch: the kernel and the word of each lane, in the order of the launches.
#include "cuda_check.h"

#include <cstdint>
#include <cstdio>

enum { LANES = 32, LINE = 32 /* words */ };

struct words {
    uint32_t at[LANES];
};

__global__ void reduce(unsigned *to, words of)
{
    atomicAdd(&to[of.at[threadIdx.x]], 1u);
}

__global__ void fetch(unsigned *to, words of, unsigned *old)
{
    old[threadIdx.x] = atomicAdd(&to[of.at[threadIdx.x]], 1u);
}

static unsigned *to, *old;

static void launch(bool fetches, const words &of)
{
    if (fetches)
        fetch<<<1, LANES>>>(to, of, old);
    else
        reduce<<<1, LANES>>>(to, of);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("%s", fetches ? "fetch" : "reduce");
    for (uint32_t word : of.at)
        printf(" %u", word);
    printf("\n");
}

// Each lane has a line of its own, but for lane j, which has word `word` of lane i's line.
static words pair(int i, int j, uint32_t word)
{
    words of;
    for (int lane = 0; lane < LANES; lane++)
        of.at[lane] = (uint32_t)lane * LINE;
    of.at[j] = of.at[i] + word;
    return of;
}

static uint32_t draw(uint32_t below)
{
    static uint64_t state = 0x2545f4914f6cdd1d;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 11) % below);
}

// Some words, and a lane at each with the same chance.
static words drawn(uint32_t range, uint32_t step)
{
    words of;
    for (uint32_t &word : of.at)
        word = draw(range) * step;
    return of;
}

int main()
{
    static const uint32_t ranges[] = {2, 5, 16, 40, 100, 300, 1000}, steps[] = {1, 3, 8, 32};
    CHECK(cudaMalloc(&to, 1 << 20));
    CHECK(cudaMalloc(&old, LANES * sizeof *old));
    CHECK(cudaMemset(to, 0, 1 << 20));
    for (int i = 0; i < LANES; i += 3)
        for (int j = i + 1; j < LANES; j += 3)
            launch(false, pair(i, j, 0));
    for (int i = 0; i < LANES; i += 5)
        for (int j = i + 1; j < LANES; j += 5)
            for (uint32_t word : {3u, 8u})
                launch(false, pair(i, j, word));
    for (int i = 0; i < LANES; i += 6)
        for (int j = i + 1; j < LANES; j += 6)
            launch(true, pair(i, j, 0));
    for (uint32_t range : ranges)
        for (uint32_t step : steps)
            for (int n = 0; n < 4; n++)
                launch(n == 3, drawn(range, step));
}
