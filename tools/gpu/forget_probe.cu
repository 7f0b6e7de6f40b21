/* SPDX-License-Identifier: Apache-2.0
 * Which fences make the L1 forget what it holds, for src/cache/ and src/time/: a block reads 4 KiB, and reads them again behind what
 * is named. Nsight Compute tells the sectors that the L1 was asked for by loads and those that it had:
 *     l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum, l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
 *     nvcc -arch=native -std=c++17 -O3 -w -o forget_probe forget_probe.cu */
#include "cuda_check.h"

#include <cstdio>
#include <cstdlib>

enum { WARPS = 32, THREADS = WARPS * 32 };

static __device__ float read(const float *from)
{
    float v;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(from) : "memory");
    return v;
}

template <typename F> static __device__ void twice(float *from, float *to, F between)
{
    const float first = read(from + threadIdx.x);
    __syncthreads();
    between();
    __syncthreads();
    to[threadIdx.x] = first + read(from + threadIdx.x);
}

__global__ void nothing(float *from, float *to, int *word)
{
    twice(from, to, [] {});
}
__global__ void fence_of_all(float *from, float *to, int *word)
{
    twice(from, to, [] { __threadfence(); });
}
__global__ void fence_of_one_warp(float *from, float *to, int *word)
{
    twice(from, to, [] {
        if (threadIdx.x < 32)
            __threadfence();
    });
}
__global__ void fence_of_one_thread(float *from, float *to, int *word)
{
    twice(from, to, [] {
        if (threadIdx.x == 0)
            __threadfence();
    });
}
__global__ void fence_of_block(float *from, float *to, int *word)
{
    twice(from, to, [] { __threadfence_block(); });
}
__global__ void fence_of_system(float *from, float *to, int *word)
{
    twice(from, to, [] { __threadfence_system(); });
}
__global__ void acquire_of_one_thread(float *from, float *to, int *word)
{
    twice(from, to, [word] {
        int v = 0;
        if (threadIdx.x == 0)
            asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(v) : "l"(word) : "memory");
    });
}
__global__ void atomic_of_one_thread(float *from, float *to, int *word)
{
    twice(from, to, [word] {
        if (threadIdx.x == 0)
            atomicAdd(word, 1);
    });
}
__global__ void stored_before(float *from, float *to, int *word)
{
    from[threadIdx.x] = threadIdx.x;
    __syncthreads();
    __threadfence();
    __syncthreads();
    to[threadIdx.x] = read(from + threadIdx.x);
}

int main()
{
    float *from, *to;
    int *word;
    CHECK(cudaMalloc(&from, THREADS * sizeof *from));
    CHECK(cudaMalloc(&to, THREADS * sizeof *to));
    CHECK(cudaMalloc(&word, sizeof *word));
    CHECK(cudaMemset(from, 0, THREADS * sizeof *from));
    void (*const kernels[])(float *, float *, int *) = {nothing, fence_of_all, fence_of_one_warp, fence_of_one_thread, fence_of_block, fence_of_system, acquire_of_one_thread, atomic_of_one_thread, stored_before};
    for (auto kernel : kernels) {
        kernel<<<1, THREADS>>>(from, to, word);
        CHECK(cudaDeviceSynchronize());
    }
    return 0;
}
