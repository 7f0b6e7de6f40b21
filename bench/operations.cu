// SPDX-License-Identifier: Apache-2.0
// Kernels that do one thing over and over, for bench_operations. operations.sm_90.cubin is made of this file by
//     nvcc -arch=sm_90 -cubin -o operations.sm_90.cubin operations.cu        (CUDA 13.0)
#include <cuda_fp16.h>

// `n` times `step` on the thread's element `v`; `t` is the thread.
#define REPEAT(name, type, step)                                                                   \
    extern "C" __global__ void name(type *p, int n)                                                \
    {                                                                                              \
        const int t = threadIdx.x + blockIdx.x * blockDim.x;                                       \
        type v = p[t];                                                                             \
        _Pragma("unroll 8") for (int i = 0; i < n; i++)                                            \
        {                                                                                          \
            step;                                                                                  \
        }                                                                                          \
        p[t] = v;                                                                                  \
    }

REPEAT(fused_f32, float, v = v * v + 1.f)
REPEAT(fused_f64, double, v = v * v + 1.)
REPEAT(fused_f16x2, __half2, v = __hfma2(v, v, v))
REPEAT(product_u32, int, v = v * v + t)
REPEAT(product_u64, long long, v = v * v + t)
REPEAT(quotient_u32, unsigned, v = v / (unsigned)n + 1000003u + t)
REPEAT(quotient_s32, int, v = v / ((n | 1) + i) + 1000003 + t)
REPEAT(quotient_f32, float, v = 1.5f / (v + 2.f))
REPEAT(quotient_f64, double, v = 1.5 / (v + 2.))
REPEAT(root_f32, float, v = sqrtf(v) + 1.f)
REPEAT(inverse_root_f32, float, v = rsqrtf(v) + 1.f)
REPEAT(exponential_f32, float, v = __expf(v) * 0.1f)
REPEAT(logarithm_f32, float, v = __logf(v + 3.f))
REPEAT(sine_f32, float, v = __sinf(v) + 1.f)
REPEAT(exponential_f64, double, v = exp(v) * 0.1)
REPEAT(converted, int, v = (int)((float)v * 1.1f))
REPEAT(narrowed_f64, double, v = (double)(float)v * 0.75 + 1.)
REPEAT(packed_f16x2, float, v = __low2float(__floats2half2_rn(v, v + 1.f)) + 1.f)
REPEAT(compared_f16x2, __half2, v = __hgt2(v, __hneg2(v)))
REPEAT(from_byte, unsigned, v += __float_as_uint((float)(v & 255)))
REPEAT(from_s64, long long, v += __float_as_uint((float)v))
REPEAT(wide_product, unsigned long long, v = (unsigned long long)(unsigned)v * n + v)
REPEAT(cut_f32, float, v = __saturatef(v * v + 0.5f))
REPEAT(voted, unsigned, v += __ballot_sync(~0u, v & 1))
REPEAT(agreed, unsigned, v += __any_sync(~0u, v == 7))
REPEAT(reduced, unsigned, v += __reduce_add_sync(~0u, v))
REPEAT(matched, unsigned, v = __match_any_sync(~0u, v & 7) + t)
REPEAT(shuffled, float, v += __shfl_xor_sync(~0u, v, 1 << (i & 3)))

extern "C" __global__ void local_array(int *p, int n)
{
    int a[64], v = 0;
    for (int i = 0; i < 64; i++)
        a[i] = p[(threadIdx.x + i) & 1023];
    for (int i = 0; i < n; i++) {
        v += a[(v + i) & 63];
        a[(i * 7 + v) & 63] = v;
    }
    p[threadIdx.x] = v;
}

extern "C" __global__ void shared_array(int *p, int n)
{
    __shared__ int a[1024];
    int v = 0;
    a[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    for (int i = 0; i < n; i++) {
        v += a[(v + i) & 1023];
        a[threadIdx.x] = v;
    }
    p[threadIdx.x] = v;
}

extern "C" __global__ void gathered(int *p, int n)
{
    int v = threadIdx.x;
    for (int i = 0; i < n; i++)
        v = v * 1103515245 + 12345 + p[v & 1023];
    p[threadIdx.x] = v;
}

extern "C" __global__ void diverged(int *p, int n)
{
    int v = threadIdx.x;
    for (int i = 0; i < n; i++)
        if (v >> (i & 7) & 1)
            for (int k = 0; k < (v & 3); k++)
                v = v * 3 + p[v & 1023];
        else
            v = v / 3 + i;
    p[threadIdx.x] = v;
}

extern "C" __global__ void atomic_global(int *p, int n)
{
    for (int i = 0; i < n; i++)
        atomicAdd(&p[(threadIdx.x * 17 + i) & 1023], threadIdx.x);
}

extern "C" __global__ void atomic_shared(int *p, int n)
{
    __shared__ int a[256];
    a[threadIdx.x & 255] = 0;
    __syncthreads();
    for (int i = 0; i < n; i++)
        atomicAdd(&a[(threadIdx.x * 17 + i) & 255], i);
    p[threadIdx.x] = a[threadIdx.x & 255];
}
