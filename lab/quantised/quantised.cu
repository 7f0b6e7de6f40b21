// SPDX-License-Identifier: Apache-2.0
// y = W * x with W quantised: bytes of fp8 (e4m3) with a scale a row, or four bits (0 to 15, 8 is zero) with a scale for every 128
// columns. x in bfloat16, sums in float. rows is a multiple of 256, columns of 1024.
// target: sm_90a
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <stdint.h>

static __device__ float sum_of_warp(float x)
{
    for (int lane = 16; lane; lane /= 2)
        x += __shfl_xor_sync(~0u, x, lane);
    return x;
}

static __device__ float2 from_fp8(uint16_t two)
{
    return __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(two, __NV_E4M3)));
}

static __device__ float2 from_bf16(uint32_t two)
{
    return make_float2(__uint_as_float(two << 16), __uint_as_float(two & 0xffff0000u));
}

// Four bytes of weights and eight of x.
static __device__ float four_fp8(uint32_t weights, uint2 x, float sum)
{
    const float2 a = from_fp8((uint16_t)weights), b = from_fp8((uint16_t)(weights >> 16)), c = from_bf16(x.x), d = from_bf16(x.y);
    return fmaf(b.y, d.y, fmaf(b.x, d.x, fmaf(a.y, c.y, fmaf(a.x, c.x, sum))));
}

// ---- fp8 -----------------------------------------------------------------------------------------------------------

extern "C" __global__ void quantised_fp8_thread(int columns, const uint8_t *w, const float *scale, const __nv_bfloat16 *x, float *y)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int c = 0; c < columns; c++)
        sum = fmaf(from_fp8(w[(size_t)row * columns + c]).x, __bfloat162float(x[c]), sum);
    y[row] = sum * scale[row];
}

extern "C" __global__ void quantised_fp8_warp(int columns, const uint8_t *w, const float *scale, const __nv_bfloat16 *x, float *y)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int c = lane; c < columns; c += 32)
        sum = fmaf(from_fp8(w[(size_t)row * columns + c]).x, __bfloat162float(x[c]), sum);
    sum = sum_of_warp(sum);
    if (lane == 0)
        y[row] = sum * scale[row];
}

extern "C" __global__ void quantised_fp8_wide(int columns, const uint8_t *w, const float *scale, const __nv_bfloat16 *x, float *y)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
#pragma unroll 2
    for (int c = lane * 16; c < columns; c += 512) {
        const uint4 weights = *(const uint4 *)(w + (size_t)row * columns + c);
        const uint4 first = *(const uint4 *)(x + c), second = *(const uint4 *)(x + c + 8);
        sum = four_fp8(weights.x, make_uint2(first.x, first.y), sum);
        sum = four_fp8(weights.y, make_uint2(first.z, first.w), sum);
        sum = four_fp8(weights.z, make_uint2(second.x, second.y), sum);
        sum = four_fp8(weights.w, make_uint2(second.z, second.w), sum);
    }
    sum = sum_of_warp(sum);
    if (lane == 0)
        y[row] = sum * scale[row];
}

// ---- four bits -----------------------------------------------------------------------------------------------------

// Eight of them.
static __device__ float eight_int4(uint32_t weights, uint4 x)
{
    const uint32_t of_x[4] = {x.x, x.y, x.z, x.w};
    float sum = 0;
    for (int i = 0; i < 4; i++) {
        const float2 two = from_bf16(of_x[i]);
        sum = fmaf((float)(int)(weights >> 8 * i & 15) - 8, two.x, sum);
        sum = fmaf((float)(int)(weights >> (8 * i + 4) & 15) - 8, two.y, sum);
    }
    return sum;
}

extern "C" __global__ void quantised_int4_warp(int columns, const uint8_t *w, const float *scale, const __nv_bfloat16 *x, float *y)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int c = lane * 2; c < columns; c += 64) {
        const uint8_t weights = w[((size_t)row * columns + c) / 2];
        const float2 two = from_bf16(*(const uint32_t *)(x + c));
        const float both = fmaf((float)(weights & 15) - 8, two.x, ((float)(weights >> 4) - 8) * two.y);
        sum = fmaf(both, scale[((size_t)row * columns + c) / 128], sum);
    }
    sum = sum_of_warp(sum);
    if (lane == 0)
        y[row] = sum;
}

extern "C" __global__ void quantised_int4_wide(int columns, const uint8_t *w, const float *scale, const __nv_bfloat16 *x, float *y)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
#pragma unroll 2
    for (int c = lane * 32; c < columns; c += 1024) {
        const uint4 weights = *(const uint4 *)(w + ((size_t)row * columns + c) / 2);
        const uint4 *of_x = (const uint4 *)(x + c);
        float part = eight_int4(weights.x, of_x[0]);
        part += eight_int4(weights.y, of_x[1]);
        part += eight_int4(weights.z, of_x[2]);
        part += eight_int4(weights.w, of_x[3]);
        sum = fmaf(part, scale[((size_t)row * columns + c) / 128], sum);
    }
    sum = sum_of_warp(sum);
    if (lane == 0)
        y[row] = sum;
}

extern "C" __global__ void quantised_int4_thread(int columns, const uint8_t *w, const float *scale, const __nv_bfloat16 *x, float *y)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int c = 0; c < columns; c += 2) {
        const uint8_t weights = w[((size_t)row * columns + c) / 2];
        const float2 two = from_bf16(*(const uint32_t *)(x + c));
        const float both = fmaf((float)(weights & 15) - 8, two.x, ((float)(weights >> 4) - 8) * two.y);
        sum = fmaf(both, scale[((size_t)row * columns + c) / 128], sum);
    }
    y[row] = sum;
}

// The bits 0x4300 and four bits w below are the bfloat16 128 + w: no conversion. 136 times the sum of x goes first.
static __device__ float eight_of_row(uint32_t weights, const float (&x)[32], int first, float sum)
{
    for (int i = 0; i < 8; i++)
        sum = fmaf(__uint_as_float((i < 4 ? weights << 4 * (4 - i) : weights >> 4 * (i - 4)) & 0xf0000 | 0x43000000u), x[first + i], sum);
    return sum;
}

// Four rows a warp share what is done for x.
extern "C" __global__ void __launch_bounds__(256)
    quantised_int4_rows(int columns, const uint8_t *w, const float *scale, const __nv_bfloat16 *x, float *y)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 4, lane = threadIdx.x % 32;
    float sum[4] = {};
    for (int c = lane * 32; c < columns; c += 1024) {
        uint4 weights[4];
        float of_x[32], scales[4], all = 0;
        for (int r = 0; r < 4; r++) {
            const size_t at = (size_t)(row + r) * columns + c;
            weights[r] = *(const uint4 *)(w + at / 2);
            scales[r] = scale[at / 128];
        }
        for (int i = 0; i < 4; i++) {
            const uint4 eight = ((const uint4 *)(x + c))[i];
            const uint32_t words[4] = {eight.x, eight.y, eight.z, eight.w};
            for (int j = 0; j < 4; j++) {
                const float2 two = from_bf16(words[j]);
                of_x[8 * i + 2 * j] = two.x, of_x[8 * i + 2 * j + 1] = two.y;
                all += two.x + two.y;
            }
        }
        for (int r = 0; r < 4; r++) {
            float part = -136 * all;
            part = eight_of_row(weights[r].x, of_x, 0, part);
            part = eight_of_row(weights[r].y, of_x, 8, part);
            part = eight_of_row(weights[r].z, of_x, 16, part);
            part = eight_of_row(weights[r].w, of_x, 24, part);
            sum[r] = fmaf(part, scales[r], sum[r]);
        }
    }
    for (int r = 0; r < 4; r++) {
        const float whole = sum_of_warp(sum[r]);
        if (lane == 0)
            y[row + r] = whole;
    }
}
