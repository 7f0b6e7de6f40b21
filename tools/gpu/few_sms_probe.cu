// SPDX-License-Identifier: Apache-2.0
// What an SM gets from the L2, and takes there, where few of them ask: loads, stores and atomics by one block of 1,024 threads an SM, each
// warp with four of them on their way, in a set that the L2 has. For src/time/time_memory.c. Prints a line a launch: what, SMs, threads of a block,
// cycles of an SM from one request of a warp to the next, of the slowest and of the mean SM.
//     nvcc -arch=sm_90 -O3 -w -o few_sms_probe few_sms_probe.cu; few_sms_probe
// What an H200 takes: tests/gpu/h200/few_sms.txt.
#include "cuda_check.h"

#include <vector>

enum { BYTES = 8 << 20, TRIPS = 64, AT_ONCE = 4 };

// Places that lanes go to: sectors of their own at random, or consecutive words of a line at random.
struct apart {
    static __device__ unsigned word(unsigned chance) { return (chance >> 7) % (BYTES / 32) * 8; }
};
struct together {
    static __device__ unsigned word(unsigned chance)
    {
        return __shfl_sync(~0u, chance >> 7, 0) % (BYTES / 128) * 32 + threadIdx.x % 32;
    }
};

struct load {
    static __device__ unsigned at(unsigned *p)
    {
        unsigned v;
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p));
        return v;
    }
};
struct load_past {
    static __device__ unsigned at(unsigned *p)
    {
        unsigned v;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p));
        return v;
    }
};
struct store {
    static __device__ unsigned at(unsigned *p)
    {
        asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(1) : "memory");
        return 0;
    }
};
struct add {
    static __device__ unsigned at(unsigned *p)
    {
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(1) : "memory");
        return 0;
    }
};
struct add_fetched {
    static __device__ unsigned at(unsigned *p) { return atomicAdd(p, 1); }
};
struct swap {
    static __device__ unsigned at(unsigned *p) { return atomicCAS(p, 1u << 31, 1); }
};

template <class HOW, class WHERE> __global__ void ask(unsigned *data, unsigned *sink, long long *cycles)
{
    unsigned chance = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345, sum = 0;
    __syncthreads();
    const long long begin = clock64();
    for (int t = 0; t < TRIPS; t++) {
        unsigned found[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            chance = chance * 1664525u + 1013904223u;
            found[i] = HOW::at(data + WHERE::word(chance));
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            sum ^= found[i];
    }
    if (sum == 12345)
        *sink = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - begin;
}

template <class HOW, class WHERE> static void measure(const char *what, unsigned *data, unsigned *sink, long long *cycles)
{
    for (int threads : {128, 1024})
        for (int blocks : {1, 2, 4, 8, 16, 33, 66, 132}) {
            std::vector<long long> of(blocks);
            for (int repeat = 0; repeat < 2; repeat++)
                ask<HOW, WHERE><<<blocks, threads>>>(data, sink, cycles);
            CHECK(cudaGetLastError());
            CHECK(cudaMemcpy(of.data(), cycles, blocks * sizeof of[0], cudaMemcpyDeviceToHost));
            double most = 0, sum = 0;
            for (long long one : of) {
                most = one > most ? one : most;
                sum += one;
            }
            const double requests = (double)TRIPS * AT_ONCE * threads / 32;
            printf("%s %d %d %.2f %.2f\n", what, blocks, threads, most / requests, sum / blocks / requests);
        }
}

int main()
{
    unsigned *data, *sink;
    long long *cycles;
    CHECK(cudaMalloc(&data, BYTES));
    CHECK(cudaMalloc(&sink, 4));
    CHECK(cudaMalloc(&cycles, 132 * sizeof *cycles));
    CHECK(cudaMemset(data, 0, BYTES));
    measure<load, apart>("load_apart", data, sink, cycles);
    measure<load, together>("load_together", data, sink, cycles);
    measure<load_past, apart>("load_past_apart", data, sink, cycles);
    measure<load_past, together>("load_past_together", data, sink, cycles);
    measure<store, apart>("store_apart", data, sink, cycles);
    measure<store, together>("store_together", data, sink, cycles);
    measure<add, apart>("add_apart", data, sink, cycles);
    measure<add, together>("add_together", data, sink, cycles);
    measure<add_fetched, apart>("fetched_apart", data, sink, cycles);
    measure<add_fetched, together>("fetched_together", data, sink, cycles);
    measure<swap, apart>("swap_apart", data, sink, cycles);
    measure<swap, together>("swap_together", data, sink, cycles);
}
