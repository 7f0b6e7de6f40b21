// SPDX-License-Identifier: Apache-2.0
// How long does a block keep its place on an SM, for src/time/time_sm.c? Blocks that do nothing, store, load from the DRAM (every thread a
// word of its own), from the L2 (all blocks the same words) and twice, with room for one to eight of them on an SM, by their shared memory.
// Nsight Compute tells, in the order of the launches:
//     nvcc -arch=sm_90 -O3 -w -o turn_probe turn_probe.cu
//     ncu --clock-control none --metrics gpu__time_duration.sum,sm__cycles_active.max turn_probe
// What an H200 takes: tests/gpu/h200/turns.txt.
#include <cstdio>

__global__ void nothing(const float *in, float *out) {}
__global__ void store(const float *in, float *out) { out[(size_t)blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void load(const float *in, float *out)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] == 12345)
        out[i] = 1;
}
__global__ void load_l2(const float *in, float *out)
{
    const size_t i = (size_t)blockIdx.x % 132 * blockDim.x + threadIdx.x;
    if (__ldcg(in + i) == 12345)
        out[i] = 1;
}
// The second load waits for the first.
__global__ void load_twice(const float *in, float *out)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int zero = in[i] == 12345;
    if (in[i + (16u << 20) + zero] == 12345)
        out[i] = 1;
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, 256u << 20);
    cudaMalloc(&out, 64u << 20);
    cudaMemset(in, 0, 256u << 20);
    cudaMemset(out, 0, 64u << 20);
    void (*const kernels[])(const float *, float *) = {nothing, store, load, load_l2, load_twice};
    for (auto kernel : kernels) {
        cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
        for (int threads : {32, 256, 1024})
            for (int places : {1, 2, 4, 8})
                if (threads * places <= 2048)
                    kernel<<<132 * 64, threads, (200 << 10) / places>>>(in, out);
    }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
