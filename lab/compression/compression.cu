/* SPDX-License-Identifier: Apache-2.0
 *
 * compression: z = alpha * x + y, every access already as good as it can be. Then only fewer
 * bytes help: the numbers are kept in memory in a narrower type, or as indexes into a small table,
 * and computed with as before. A thread takes four elements.
 *
 *   version                      what it changes, and why              bytes an element
 *   compression_f64              doubles                                             24
 *   compression_f64_as_f32       kept as floats, computed in double                  12
 *   compression_f64_as_index     x and y as 1-byte indexes of 16 doubles             10
 *   compression_f32              floats                                              12
 *   compression_f32_as_f16       kept as halfs, computed in float                     6
 *   compression_f32_as_index     x and y as 1-byte indexes of 16 floats               6
 *   compression_f32_as_f16_wide  eight halfs a thread (ours): halving the bytes of an element also
 *                                halves the bytes in flight, and this gives them back
 *
 * n is a multiple of the elements of a block. The table is 64 or 128 bytes and stays in the L1. */

#include <cuda_fp16.h>

constexpr int each = 4;
constexpr int wide = 8;

/* `count` neighbouring elements of which a thread loads and stores 16 bytes, or all, at a time. */
template <class type, int count>
struct alignas(sizeof(type) * count < 16 ? sizeof(type) * count : 16) pack {
    type at[count];
};

template <class compute> static __device__ __forceinline__ compute widened(float v)
{
    return v;
}

template <class compute> static __device__ __forceinline__ compute widened(double v)
{
    return v;
}

template <class compute> static __device__ __forceinline__ compute widened(__half v)
{
    return __half2float(v);
}

template <class result> static __device__ __forceinline__ result narrowed(double v)
{
    return (result)v;
}

template <class result> static __device__ __forceinline__ result narrowed(float v)
{
    return v;
}

template <> __device__ __forceinline__ __half narrowed<__half>(float v)
{
    return __float2half_rn(v);
}

template <class compute, class stored, int count>
static __device__ __forceinline__ void converted(int pack_index, compute alpha, const stored *x,
                                                 const stored *y, stored *z)
{
    const auto a = ((const pack<stored, count> *)x)[pack_index];
    const auto b = ((const pack<stored, count> *)y)[pack_index];
    pack<stored, count> c;
#pragma unroll
    for (int k = 0; k < count; k++)
        c.at[k] = narrowed<stored>(
            (compute)fma(alpha, widened<compute>(a.at[k]), widened<compute>(b.at[k])));
    ((pack<stored, count> *)z)[pack_index] = c;
}

static __device__ __forceinline__ int thread()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* Four doubles side by side would be two loads of 16 bytes, 32 bytes apart from lane to lane: they
 * are taken as two pairs, a block's width apart. */
extern "C" __global__ void compression_f64(int, double alpha, const double *__restrict__ x,
                                           const double *__restrict__ y, double *__restrict__ z)
{
    const int first = blockIdx.x * blockDim.x * 2 + threadIdx.x;
    const double2 a = ((const double2 *)x)[first], b = ((const double2 *)y)[first];
    const double2 c = ((const double2 *)x)[first + blockDim.x];
    const double2 d = ((const double2 *)y)[first + blockDim.x];
    ((double2 *)z)[first] = make_double2(fma(alpha, a.x, b.x), fma(alpha, a.y, b.y));
    ((double2 *)z)[first + blockDim.x] = make_double2(fma(alpha, c.x, d.x), fma(alpha, c.y, d.y));
}

extern "C" __global__ void compression_f64_as_f32(int, double alpha, const float *__restrict__ x,
                                                  const float *__restrict__ y,
                                                  float *__restrict__ z)
{
    converted<double, float, each>(thread(), alpha, x, y, z);
}

extern "C" __global__ void compression_f32(int, float alpha, const float *__restrict__ x,
                                           const float *__restrict__ y, float *__restrict__ z)
{
    converted<float, float, each>(thread(), alpha, x, y, z);
}

extern "C" __global__ void compression_f32_as_f16(int, float alpha, const __half *__restrict__ x,
                                                  const __half *__restrict__ y,
                                                  __half *__restrict__ z)
{
    converted<float, __half, each>(thread(), alpha, x, y, z);
}

extern "C" __global__ void compression_f32_as_f16_wide(int, float alpha,
                                                       const __half *__restrict__ x,
                                                       const __half *__restrict__ y,
                                                       __half *__restrict__ z)
{
    converted<float, __half, wide>(thread(), alpha, x, y, z);
}

extern "C" __global__ void compression_f32_as_index(int, float alpha,
                                                    const unsigned char *__restrict__ x,
                                                    const unsigned char *__restrict__ y,
                                                    float *__restrict__ z,
                                                    const float *__restrict__ table)
{
    const int i = thread();
    const uchar4 a = ((const uchar4 *)x)[i], b = ((const uchar4 *)y)[i];
    ((float4 *)z)[i] =
        make_float4(fmaf(alpha, table[a.x], table[b.x]), fmaf(alpha, table[a.y], table[b.y]),
                    fmaf(alpha, table[a.z], table[b.z]), fmaf(alpha, table[a.w], table[b.w]));
}

/* Pairs of results a block's width apart, as in compression_f64. */
extern "C" __global__ void compression_f64_as_index(int, double alpha,
                                                    const unsigned char *__restrict__ x,
                                                    const unsigned char *__restrict__ y,
                                                    double *__restrict__ z,
                                                    const double *__restrict__ table)
{
    const int first = blockIdx.x * blockDim.x * 2 + threadIdx.x;
    const uchar2 a = ((const uchar2 *)x)[first], b = ((const uchar2 *)y)[first];
    const uchar2 c = ((const uchar2 *)x)[first + blockDim.x];
    const uchar2 d = ((const uchar2 *)y)[first + blockDim.x];
    ((double2 *)z)[first] =
        make_double2(fma(alpha, table[a.x], table[b.x]), fma(alpha, table[a.y], table[b.y]));
    ((double2 *)z)[first + blockDim.x] =
        make_double2(fma(alpha, table[c.x], table[d.x]), fma(alpha, table[c.y], table[d.y]));
}
