// SPDX-License-Identifier: Apache-2.0
// Loads past the L1 of few words, which all SMs ask the same slices of the L2 for. Run it under Nsight Compute, which gives the time of each launch.
//     nvcc -arch=sm_90 -std=c++17 -O3 -w -o hot_load_probe hot_load_probe.cu; hot_load_probe
// What an H200 takes: tests/gpu/h200/hot_loads.txt.
#include <cstdio>

enum { LOADS = 32 };

static __device__ unsigned past(const unsigned *p)
{
    unsigned v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
}
static __device__ unsigned mixed(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352d;
    x ^= x >> 15;
    x *= 0x846ca68b;
    return x ^ x >> 16;
}

// Lanes ask for words at random among `words`, for a row of 32, or all for one.
enum kind { APART, ROW, ONE };
template <int KIND> __global__ void hot(const unsigned *p, unsigned words)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned sum = 0;
#pragma unroll 4
    for (int i = 0; i < LOADS; i++) {
        const unsigned at = KIND == APART ? mixed(thread * LOADS + i) : mixed(thread / 32 * LOADS + i);
        sum += past(p + (KIND == ROW ? at % (words / 32) * 32 + lane : at % words));
    }
    if (sum == 12345)
        asm volatile("trap;");
}
// ... and for the same with sums among them, a 32nd as often.
__global__ void hot_added(unsigned *p, unsigned words)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
#pragma unroll 4
    for (int i = 0; i < LOADS; i++)
        sum += past(p + mixed(thread * LOADS + i) % words);
    atomicAdd(p + mixed(thread) % words, sum == 12345);
}

static unsigned *p;
static void shapes(int blocks)
{
    for (unsigned words : {32u, 64u, 128u, 256u, 1024u, 4096u, 16384u, 65536u, 1u << 19, 1u << 22}) {
        hot<APART><<<blocks, 256>>>(p, words);
        hot<ROW><<<blocks, 256>>>(p, words);
        hot<ONE><<<blocks, 256>>>(p, words);
        hot_added<<<blocks, 256>>>(p, words);
    }
    hot<ONE><<<blocks, 256>>>(p, 1);
}

int main()
{
    cudaMalloc(&p, 1 << 24);
    cudaMemset(p, 0, 1 << 24);
    shapes(132);
    shapes(1056);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
