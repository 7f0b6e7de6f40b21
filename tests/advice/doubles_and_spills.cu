/* SPDX-License-Identifier: Apache-2.0
 * Faults that only machine code shows, and the same without them (cases.txt). Made by
 *     nvcc -O3 -arch=sm_90 -cubin doubles_and_spills.cu -o doubles_and_spills.sm_90.cubin */

/* exp and a literal without an f: the polynomials are those of doubles, with their constants. */
extern "C" __global__ void bells_double(const float *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = in[i];
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += exp(-0.5 * (x - k) * (x - k));
    out[i] = sum;
}

extern "C" __global__ void bells_float(const float *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = in[i];
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += expf(-0.5f * (x - k) * (x - k));
    out[i] = sum;
}

/* 48 values that mix: as many registers would do if a thread had them. */
static __device__ __forceinline__ void mix(const float *in, float *out, int n)
{
    float v[48];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 48; k++)
        v[k] = in[i + k * n];
#pragma unroll
    for (int r = 0; r < 3; r++)
#pragma unroll
        for (int k = 0; k < 48; k++)
            v[k] = v[k] * v[(k * 7 + r) % 48] + v[(k * 11 + 5) % 48];
#pragma unroll
    for (int k = 0; k < 48; k++)
        out[i + k * n] = v[k];
}

/* Two blocks of 1,024 threads on an SM: 32 registers a thread. One block may have 64 each, with which ptxas spills nothing
 * although its stack held 108 words before. */
extern "C" __global__ void __launch_bounds__(1024, 2) mix_in_32(const float *in, float *out, int n)
{
    mix(in, out, n);
}

extern "C" __global__ void __launch_bounds__(1024, 1) mix_in_64(const float *in, float *out, int n)
{
    mix(in, out, n);
}

/* Sixteen counts a thread, at indexes that the data decide: in local memory, and in shared memory. */
extern "C" __global__ void bins_local(const unsigned char *in, unsigned *out, int each)
{
    unsigned bins[16] = {0};
    const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (int k = 0; k < each; k++)
        bins[in[(size_t)k * all + i] & 15]++;
    for (int b = 0; b < 16; b++)
        out[(size_t)b * all + i] = bins[b];
}

extern "C" __global__ void bins_shared(const unsigned char *in, unsigned *out, int each)
{
    __shared__ unsigned bins[16][128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (int b = 0; b < 16; b++)
        bins[b][threadIdx.x] = 0;
    for (int k = 0; k < each; k++)
        bins[in[(size_t)k * all + i] & 15][threadIdx.x]++;
    for (int b = 0; b < 16; b++)
        out[(size_t)b * all + i] = bins[b][threadIdx.x];
}

/* A polynomial whose literals lack the f, and with it. */
extern "C" __global__ void polynomial_double(const float *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 16; k++)
        x = 0.5 * x * x - 0.25 * x + 1.5;
    out[i] = x;
}

extern "C" __global__ void polynomial_float(const float *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 16; k++)
        x = 0.5f * x * x - 0.25f * x + 1.5f;
    out[i] = x;
}
