/* SPDX-License-Identifier: Apache-2.0
 * What a launch takes by itself, and small launches that store, load and copy, for src/model/ and src/time/. Run it under Nsight Compute:
 *     nvcc -arch=sm_90 -O3 -w -o floor_probe floor_probe.cu
 *     ncu --clock-control none --cache-control all --metrics gpu__time_duration.sum,sm__cycles_active.max floor_probe
 * What an H200 takes: tests/gpu/h200/floors.txt. */
#include <cstdio>

#define KERNEL(name) extern "C" __global__ void name(const float *in, float *out)

KERNEL(nothing)
{
}

KERNEL(store)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

KERNEL(load)
{
    float v = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (v == 123.f)
        out[0] = v;
}

KERNEL(copy)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + 1;
}

KERNEL(compute)
{
    float v = threadIdx.x;
    for (int k = 0; k < 2000; k++)
        v = v * 1.0001f + 1;
    if (v == 123.f)
        out[0] = v;
}

/* All blocks add to the same words in the same order, or each begins elsewhere. */
extern "C" __global__ void red(unsigned *bins, int words)
{
    for (int i = threadIdx.x; i < words; i += blockDim.x)
        atomicAdd(&bins[i], 1);
}

extern "C" __global__ void red_turned(unsigned *bins, int words)
{
    for (int i = threadIdx.x; i < words; i += blockDim.x)
        atomicAdd(&bins[(i + blockIdx.x * 1024) % words], 1);
}

int main()
{
    float *in, *out;
    unsigned *bins;
    cudaMalloc(&bins, 1 << 22);
    cudaMemset(bins, 0, 1 << 22);
    cudaMalloc(&in, 1 << 26);
    cudaMalloc(&out, 1 << 26);
    cudaMemset(in, 0, 1 << 26);
    void (*const kernels[])(const float *, float *) = {nothing, store, load, copy, compute};
    for (int threads : {32, 256, 1024})
        for (int blocks : {1, 2, 16, 66, 132, 264, 528, 1056, 2112, 4224})
            for (auto kernel : kernels)
                kernel<<<blocks, threads>>>(in, out);
    for (int words : {256, 1024, 2048, 4096, 8192, 16384, 65536}) {
        red<<<1056, 256>>>(bins, words);
        if (words >= 4096)
            red_turned<<<1056, 256>>>(bins, words);
    }
    return cudaDeviceSynchronize();
}
