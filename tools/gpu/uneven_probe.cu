// SPDX-License-Identifier: Apache-2.0
// Grids of which few blocks, or lanes, have most of the work, for src/time/time_blocks.c. Run it under Nsight Compute:
//     nvcc -arch=sm_90 -O3 -w -o uneven_probe uneven_probe.cu
//     ncu --clock-control none --cache-control all --metrics gpu__time_duration.sum uneven_probe
// What an H200 takes: tests/gpu/h200/uneven.txt.
#include <cstdio>

// By chance, most of the time little: 1 / u of u from 0.004 to 1.
__device__ int few_large(unsigned i, int most)
{
    unsigned h = i * 2654435761u;
    h ^= h >> 15;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    return (int)(most * 0.004f / (0.004f + (h & 0xffff) / 65536.0f));
}
__device__ int work_of(int shape, int most)
{
    const int b = blockIdx.x, n = gridDim.x;
    switch (shape) {
    case 0: return b % 64 ? 0 : most;         // some of them
    case 1: return b < 512 ? most : 0;        // the first
    case 2: return b >= n - 512 ? most : 0;   // the last
    default: return few_large(b, most);
    }
}
extern "C" __global__ void compute(float *out, int shape, int most)
{
    float x = threadIdx.x;
    for (int n = work_of(shape, most), i = 0; i < n; i++)
        x = x * 1.0001f + 0.5f;
    out[(blockIdx.x * blockDim.x + threadIdx.x) % (1 << 20)] = x;
}
extern "C" __global__ void memory(const float *in, float *out, int shape, int most)
{
    float x = 0;
    const int n = work_of(shape, most);
    for (int i = 0; i < n; i++)
        x += in[(blockIdx.x * 4099u + i * blockDim.x + threadIdx.x) % (1u << 24)];
    if (n)
        out[(blockIdx.x * blockDim.x + threadIdx.x) % (1 << 20)] = x;
}
// Each thread sums a row that has as many elements as chance gives it.
extern "C" __global__ void rows(const float *in, float *out, int most)
{
    const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0;
    for (int n = few_large(row, most), i = 0; i < n; i++)
        x += in[(row * 37u + i * 1031u) % (1u << 20)];
    out[row] = x;
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, 4ull << 24);
    cudaMalloc(&out, 4ull << 24);
    cudaMemset(in, 0, 4ull << 24);
    for (int blocks : {1024, 4096, 20000, 65536, 262144})
        for (int shape = 0; shape < 4; shape++) {
            compute<<<blocks, 128>>>(out, shape, 4000);
            memory<<<blocks, 128>>>(in, out, shape, 400);
        }
    for (int blocks : {16, 79, 132, 300, 782, 4096})
        rows<<<blocks, 256>>>(in, out, 1000);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
