/* SPDX-License-Identifier: Apache-2.0
 * Local memory as spilled registers use it, for src/time/: threads that shift a column of so many words by one in each trip, or only
 * store or load it, with a barrier a trip or without, so many blocks of 256 threads an SM; and threads that fill arrays with 16 bytes
 * at a time. Prints a line a launch (us).
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o spill_probe spill_probe.cu; ncu ... spill_probe */
#include "cuda_check.h"

#include <cstdio>
#include <cstdlib>

enum { TRIPS = 64, SMS = 132 };
enum work { SHIFT, STORE, LOAD };

template <work W, int WORDS, bool MEETS>
static __global__ void __launch_bounds__(256) spill(int *to, int n)
{
    int own[WORDS + 1];
    int x = threadIdx.x + n;
    for (int i = 0; i < WORDS; i++)
        own[i] = x;
    own[n] = x;
#pragma unroll 1
    for (int t = 0; t < TRIPS; t++) {
#pragma unroll
        for (int i = 0; i < WORDS; i++) {
            if (W == SHIFT) {
                const int y = *(volatile int *)&own[i + n];
                *(volatile int *)&own[i + n] = x;
                x = y + 1;
            } else if (W == STORE)
                *(volatile int *)&own[i + n] = x + i;
            else
                x += *(volatile int *)&own[i + n];
        }
        if (MEETS)
            __syncthreads();
    }
    if (x == 12345)
        *to = x + own[n];
}

template <int PIECES>
static __global__ void fill(int4 *to, int n)
{
    int4 own[PIECES];
#pragma unroll
    for (int i = 0; i < PIECES; i++)
        own[i] = make_int4(n, n, n, n);
    const int4 found = own[(threadIdx.x * 7 + n) % PIECES];
    if (found.x == 12345)
        *to = found;
}

static cudaEvent_t from, to;
template <typename F>
static void timed(const char *name, int words, int meets, int per_sm, F launch)
{
    float ms, least = 1e9;
    for (int r = 0; r < 3; r++) {
        CHECK(cudaEventRecord(from));
        launch();
        CHECK(cudaEventRecord(to));
        CHECK(cudaEventSynchronize(to));
        CHECK(cudaEventElapsedTime(&ms, from, to));
        least = ms < least ? ms : least;
    }
    printf("%s %d meets %d per_sm %d us %.2f\n", name, words, meets, per_sm, 1e3 * least);
}

template <work W, int WORDS>
static void all(const char *name, int *out)
{
    for (int per_sm : {1, 2, 4, 8}) {
        timed(name, WORDS, 0, per_sm, [&] { spill<W, WORDS, false><<<SMS * per_sm, 256>>>(out, 0); });
        timed(name, WORDS, 1, per_sm, [&] { spill<W, WORDS, true><<<SMS * per_sm, 256>>>(out, 0); });
    }
}

template <int PIECES>
static void fills(int4 *out)
{
    for (int waves : {1, 4, 16})
        timed("fill", 4 * PIECES, 0, waves, [&] { fill<PIECES><<<SMS * 8 * waves, 256>>>(out, 0); });
}

int main()
{
    int4 *out;
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    CHECK(cudaMalloc(&out, 64));
    all<SHIFT, 8>("shift", (int *)out), all<SHIFT, 24>("shift", (int *)out), all<SHIFT, 48>("shift", (int *)out);
    all<STORE, 8>("store", (int *)out), all<STORE, 24>("store", (int *)out), all<STORE, 48>("store", (int *)out);
    all<LOAD, 8>("load", (int *)out), all<LOAD, 24>("load", (int *)out), all<LOAD, 48>("load", (int *)out);
    fills<4>(out), fills<8>(out), fills<16>(out), fills<32>(out), fills<64>(out);
    return 0;
}
