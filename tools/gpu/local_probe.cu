/* SPDX-License-Identifier: Apache-2.0
 * Arrays of a thread's own in local memory, indexed by a number that is computed, for src/time/. Prints a line a probe: what
 * each trip does, the words of the array, how lanes differ, blocks, and the cycles of an SM for a warp's trip (median of 9).
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o local_probe local_probe.cu; local_probe > local_probe.txt
 *     ncu --csv --page raw --metrics gpu__time_duration.sum,... local_probe once      one launch a probe, for counters */
#include "cuda_check.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { TRIPS = 256, THREADS = 128, SMS = 132, REPEATS = 9 };
enum work { LOAD, STORE, BOTH };
enum lanes { SAME, APART, RANDOM };

static __device__ unsigned word_of(lanes how, unsigned trip)
{
    const unsigned thread = blockIdx.x * THREADS + threadIdx.x;
    if (how == SAME)
        return trip * 5;
    return how == APART ? trip * 5 + threadIdx.x : (thread * 256 + trip) * 2654435761u >> 12;
}

template <work WORK, int WORDS> static __global__ void probe(lanes how, unsigned *sink)
{
    unsigned own[WORDS], sum = 0;
    for (int i = 0; i < WORDS; i++)
        own[i] = i;
#pragma unroll 4
    for (unsigned t = 0; t < TRIPS; t++) {
        const unsigned at = word_of(how, t) % WORDS;
        if (WORK == LOAD)
            sum += own[at];
        else if (WORK == STORE)
            own[at] = t;
        else
            own[at]++;
    }
    for (int i = 0; WORK != LOAD && i < WORDS; i++)
        sum += own[i];
    if (sum == 0x12345678)
        *sink = sum;
}

static bool once;
static unsigned *sink;
static cudaEvent_t from, to;

template <work WORK, int WORDS> static void run(lanes how, unsigned blocks)
{
    static const char *const works[] = {"load", "store", "both"}, *const hows[] = {"same", "apart", "random"};
    float times[REPEATS];
    for (int i = once ? 0 : -1; i < (once ? 1 : REPEATS); i++) {
        float ms = 0;
        CHECK(cudaEventRecord(from));
        probe<WORK, WORDS><<<blocks, THREADS>>>(how, sink);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(to));
        CHECK(cudaEventSynchronize(to));
        CHECK(cudaEventElapsedTime(&ms, from, to));
        if (i >= 0)
            times[i] = ms;
    }
    std::sort(times, times + (once ? 1 : REPEATS));
    const double trips = (double)blocks / SMS * (THREADS / 32) * TRIPS, us = times[once ? 0 : REPEATS / 2] * 1e3;
    printf("%-5s words %3d %-6s blocks %4u us %8.2f ns_trip %7.2f\n", works[WORK], WORDS, hows[how], blocks, us, us * 1e3 / trips);
}

template <int WORDS> static void run_all(unsigned blocks)
{
    for (const lanes how : {SAME, APART, RANDOM}) {
        run<LOAD, WORDS>(how, blocks);
        run<STORE, WORDS>(how, blocks);
        run<BOTH, WORDS>(how, blocks);
    }
}

int main(int argc, char **argv)
{
    once = argc > 1 && !strcmp(argv[1], "once");
    CHECK(cudaMalloc(&sink, 64));
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    run_all<4>(SMS * 8);
    run_all<8>(SMS * 8);
    run_all<16>(SMS * 8);
    run_all<32>(SMS * 8);
    run_all<64>(SMS * 8);
    run_all<256>(SMS * 8);
    run_all<16>(SMS);
    run_all<16>(SMS * 64);
    return 0;
}
