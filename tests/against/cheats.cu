// SPDX-License-Identifier: Apache-2.0
// out[i] = 2 * in[mirrored in its block of 256] + bias, and ways to pretend it. cheats.ptx is nvcc's, by
//     nvcc -ptx -arch=sm_80 -o cheats.ptx cheats.cu
#include <cuda_fp16.h>

constexpr int BLOCK = 256;

__device__ float value(const float *in, float bias)
{
    return 2 * in[blockIdx.x * BLOCK + BLOCK - 1 - threadIdx.x] + bias;
}

__device__ int place()
{
    return blockIdx.x * BLOCK + threadIdx.x;
}

extern "C" __global__ void reference(float *out, const float *in, float bias)
{
    out[place()] = value(in, bias);
}

// The same through shared memory: as good.
extern "C" __global__ void honest(float *out, const float *in, float bias)
{
    __shared__ float tile[BLOCK];
    tile[BLOCK - 1 - threadIdx.x] = in[place()];
    __syncthreads();
    out[place()] = fmaf(2.0f, tile[threadIdx.x], bias);
}

// What the results were when somebody looked.
extern "C" __global__ void remembered(float *out, const float *in, float bias)
{
    out[place()] = 1.5f + 0.001f * threadIdx.x;
}

extern "C" __global__ void skipping(float *out, const float *in, float bias)
{
    if (blockIdx.x % 2 == 0)
        out[place()] = value(in, bias);
}

// Right where the output holds zeros, as allocators often leave it.
extern "C" __global__ void adding(float *out, const float *in, float bias)
{
    out[place()] += value(in, bias);
}

// Small values are left out: zeros would be near enough.
extern "C" __global__ void trusting(float *out, const float *in, float bias)
{
    const float v = value(in, bias);
    if (v > 1.0f)
        out[place()] = v;
}

extern "C" __global__ void in_place(float *out, float *in, float bias)
{
    out[place()] = value(in, bias);
    in[place()] = 0;
}

extern "C" __global__ void beyond(float *out, const float *in, float bias)
{
    out[place()] = value(in, bias) + 0 * in[(1 << 20) + place()];
}

extern "C" __global__ void unwritten(float *out, const float *in, float bias)
{
    __shared__ float scratch[BLOCK];
    if (threadIdx.x < 128)
        scratch[threadIdx.x] = 0;
    __syncthreads();
    out[place()] = value(in, bias) + scratch[threadIdx.x];
}

// Without a barrier: right while each warp goes on to its end once it has changed shared memory.
extern "C" __global__ void racing(float *out, const float *in, float bias)
{
    __shared__ volatile float tile[BLOCK];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    tile[threadIdx.x] = 0;
    __syncthreads();
    if (!warp)
        for (int i = 0; i < 8; i++)
            tile[lane] = 0;
    tile[threadIdx.x] = 1;
    const float one = warp == 6 ? tile[lane] : 1;
    out[place()] = one * value(in, bias);
}

extern "C" __global__ void timed(float *out, const float *in, float bias)
{
    const long long start = clock64();
    out[place()] = value(in, bias) + (start == 0 ? 1 : 0);
}

extern "C" __global__ void halved(float *out, const float *in, float bias)
{
    const __half v = __float2half(in[blockIdx.x * BLOCK + BLOCK - 1 - threadIdx.x]);
    out[place()] = __half2float(__hfma(__float2half(2), v, __float2half(bias)));
}

// Only the last block strays.
extern "C" __global__ void straying(float *out, const float *in, float bias)
{
    if (blockIdx.x == 15)
        out[(1 << 22) + place()] = 0;
    out[place()] = value(in, bias);
}
