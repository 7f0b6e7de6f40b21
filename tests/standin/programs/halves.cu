// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector>

__global__ void half_axpy(__half factor, const __half2 *x, __half2 *y, int pairs)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs)
        y[i] = __hfma2(__half2half2(factor), x[i], y[i]);
}

__global__ void bf16_scale(const __nv_bfloat16 *x, float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = __bfloat162float(__hmul(x[i], __float2bfloat16(3.0f)));
}

int main()
{
    const int n = 2048;
    std::vector<__half> x(n), y(n);
    std::vector<__nv_bfloat16> b(n);
    std::vector<float> got(n), wanted(n), scaled(n), scale_wanted(n);
    for (int i = 0; i < n; i++) {
        x[i] = __float2half((float)(i % 100));
        y[i] = __float2half((float)(i % 7));
        b[i] = __float2bfloat16((float)(i % 40));
        wanted[i] = 2.0f * (i % 100) + i % 7; /* exact in 11 bits */
        scale_wanted[i] = 3.0f * (i % 40);    /* exact in 8 bits */
    }
    __half *X = on_gpu(x.data(), n), *Y = on_gpu(y.data(), n);
    __nv_bfloat16 *B = on_gpu(b.data(), n);
    float *S = on_gpu(scaled.data(), n);
    half_axpy<<<n / 256, 128>>>(__float2half(2.0f), (const __half2 *)X, (__half2 *)Y, n / 2);
    bf16_scale<<<n / 128, 128>>>(B, S, n);
    from_gpu(y.data(), Y, n);
    from_gpu(scaled.data(), S, n);
    for (int i = 0; i < n; i++)
        got[i] = __half2float(y[i]);
    return compare("half", got.data(), wanted.data(), n) |
           compare("bfloat16", scaled.data(), scale_wanted.data(), n);
}
