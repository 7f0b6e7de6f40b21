// SPDX-License-Identifier: Apache-2.0
// Memory of the host, in place (cudaMallocHost): what one load takes, how many are on their way, what the caches keep of it, what stores
// take. Run it under Nsight Compute, which gives the time of each launch.
//     nvcc -arch=sm_90 -std=c++17 -O3 -w -o host_probe host_probe.cu; host_probe
// What an H200 takes: tests/gpu/h200/hosts.txt.
#include <cstdio>
#include <cuda_runtime.h>

// One after the other, each in a line of its own; `rounds` times over them.
__global__ void chain(const int *p, int steps, int rounds, int *sink)
{
    int at = 0;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < steps; i++)
            at = p[at + i * 32];
    if (at == 12345)
        *sink = at;
}
// Each thread `loads` words, a row of all threads at a time, all on their way together; `apart` words from thread to thread.
template <int LOADS> __global__ void rows(const int *p, int apart, int *sink)
{
    const size_t thread = blockIdx.x * (size_t)blockDim.x + threadIdx.x, threads = gridDim.x * (size_t)blockDim.x;
    int v[LOADS], sum = 0;
#pragma unroll
    for (int i = 0; i < LOADS; i++)
        v[i] = p[(thread + i * threads) * apart];
#pragma unroll
    for (int i = 0; i < LOADS; i++)
        sum += v[i];
    if (sum == 12345)
        *sink = sum;
}
// All blocks the same rows.
__global__ void same(const int *p, int loads, int *sink)
{
    int sum = 0;
    for (int i = 0; i < loads; i++)
        sum += p[i * blockDim.x + threadIdx.x];
    if (sum == 12345)
        *sink = sum;
}
__global__ void copy(const int4 *from, int4 *to)
{
    const size_t thread = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    to[thread] = from[thread];
}
__global__ void fill(int *p, int apart)
{
    p[(blockIdx.x * (size_t)blockDim.x + threadIdx.x) * apart] = 1;
}
__global__ void add(int *p, int apart)
{
    atomicAdd(p + (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * apart, 1);
}

int main()
{
    const size_t bytes = (size_t)64 << 20;
    int *p, *q, *gpu, *sink;
    cudaMallocHost(&p, bytes);
    cudaMallocHost(&q, bytes);
    cudaMalloc(&gpu, bytes);
    cudaMalloc(&sink, 4);
    for (size_t i = 0; i < bytes / 4; i++)
        p[i] = q[i] = 0;
    for (int steps : {1, 2, 4, 16})
        for (int rounds : {1, 4})
            chain<<<1, 32>>>(p, steps, rounds, sink);
    for (int threads : {32, 256, 1024}) {
        rows<1><<<1, threads>>>(p, 1, sink);
        rows<8><<<1, threads>>>(p, 1, sink);
        rows<1><<<1, threads>>>(p, 32, sink);
    }
    for (int blocks : {16, 132, 1056, 8448, 65536})
        rows<1><<<blocks, 256>>>(p, 1, sink);
    for (int blocks : {132, 1056, 8192})
        rows<8><<<blocks, 256>>>(p, 1, sink);
    rows<1><<<132, 256>>>(p, 8, sink);
    rows<1><<<132, 256>>>(p, 32, sink);
    rows<1><<<1056, 256>>>(p, 32, sink);
    for (int blocks : {1, 132})
        for (int loads : {1, 16})
            same<<<blocks, 256>>>(p, loads, sink);
    for (int blocks : {1, 132, 1056, 8192}) {
        copy<<<blocks, 256>>>((int4 *)p, (int4 *)gpu);
        copy<<<blocks, 256>>>((int4 *)gpu, (int4 *)p);
        copy<<<blocks, 256>>>((int4 *)p, (int4 *)q);
    }
    for (int blocks : {1, 132, 1056, 65536})
        fill<<<blocks, 256>>>(p, 1);
    fill<<<1, 32>>>(p, 32);
    fill<<<132, 256>>>(p, 32);
    for (int blocks : {1, 132})
        add<<<blocks, 256>>>(p, 1);
    add<<<1, 32>>>(p, 0);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
