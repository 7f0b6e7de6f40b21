// SPDX-License-Identifier: Apache-2.0
// What the warps of a block take one after the other: their start, special registers, constants, requests to memory, for src/time/time_sm.c.
// Blocks that have an SM for themselves, by their shared memory, look at their threads' indices and end, or store and load often.
// Nsight Compute tells, in the order of the launches (kernel; blocks, threads):
//     nvcc -arch=sm_90 -O3 -w -o special_probe special_probe.cu
//     ncu --clock-control none --metrics gpu__time_duration.sum,sm__cycles_active.max special_probe
// What an H200 takes: tests/gpu/h200/specials.txt.
#include <cstdio>

__constant__ unsigned table[1024];

__global__ void nothing(unsigned *out) {}
__global__ void thread(unsigned *out)
{
    if (threadIdx.x == 12345)
        *out = 1;
}
__global__ void block(unsigned *out)
{
    if (blockIdx.x == 123456)
        *out = 1;
}
__global__ void blocks_xyz(unsigned *out)
{
    if (blockIdx.x + blockIdx.y + blockIdx.z == 123456)
        *out = 1;
}
__global__ void threads_xyz(unsigned *out)
{
    if (threadIdx.x + threadIdx.y + threadIdx.z == 123456)
        *out = 1;
}
__global__ void sm(unsigned *out)
{
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    if (id == 123456)
        *out = 1;
}
__global__ void lane(unsigned *out)
{
    unsigned id;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(id));
    if (id == 123456)
        *out = 1;
}
__global__ void both(unsigned *out)
{
    if (threadIdx.x + blockIdx.x == 123456)
        *out = 1;
}
__global__ void index(unsigned *out)
{
    if (threadIdx.x + blockIdx.x * blockDim.x == 12345678)
        *out = 1;
}
__global__ void first(unsigned *out)
{
    if (threadIdx.x == 0)
        *out = 1;
}
__global__ void store(unsigned *out) { out[threadIdx.x + blockIdx.x * blockDim.x] = 1; }
__global__ void store_shared(unsigned *out)
{
    extern __shared__ volatile unsigned words[];
    words[threadIdx.x] = 1;
}
template <int TIMES> __global__ void constants(unsigned *out, unsigned index)
{
    unsigned sum = 0, at = index + (threadIdx.x >> 10);
#pragma unroll
    for (int k = 0; k < TIMES; k++)
        sum ^= table[at + k * 4];
    if (sum == 12345)
        *out = sum;
}
template <int TIMES> __global__ void stores(unsigned *out)
{
#pragma unroll
    for (int k = 0; k < TIMES; k++)
        out[(size_t)k * 135168 + blockIdx.x * blockDim.x + threadIdx.x] = k;
}
template <int TIMES> __global__ void loads(unsigned *in)
{
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < TIMES; k++)
        sum += __ldcg(in + (size_t)k % 4 * 135168 + blockIdx.x * blockDim.x + threadIdx.x);
    if (sum == 12345)
        *in = sum;
}
int main()
{
    unsigned *out;
    cudaMalloc(&out, 64u << 20);
    cudaMemset(out, 0, 64u << 20);
    void (*const kernels[])(unsigned *) = {nothing, thread, block, both, index, first, store, store_shared, blocks_xyz, threads_xyz, sm, lane};
    for (auto kernel : kernels) {
        cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
        for (int threads : {32, 256, 512, 1024})
            kernel<<<132 * 64, threads, 200 << 10>>>(out);
    }
    for (int blocks : {4, 132})
        for (int threads : {32, 256, 1024}) {
            constants<4><<<blocks, threads>>>(out, 3);
            constants<32><<<blocks, threads>>>(out, 3);
            stores<4><<<blocks, threads>>>(out);
            stores<32><<<blocks, threads>>>(out);
            loads<4><<<blocks, threads>>>(out);
            loads<32><<<blocks, threads>>>(out);
        }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
