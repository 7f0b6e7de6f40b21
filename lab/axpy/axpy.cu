/* SPDX-License-Identifier: Apache-2.0
 *
 * axpy: y = alpha * x + y, as a progression. Every version computes the same result; each changes
 * one thing, in the order in which the bottleneck moves. The naive kernel issues 19 instructions to
 * move 12 bytes: on a GPU with much bandwidth per SM it is the instructions, and the bytes in
 * flight, that run out first.
 *
 *   version                what it changes, and why
 *   axpy_naive             one element a thread: the whole set-up (parameters, index, bounds) is
 *                          paid per element
 *   axpy_coarsened         four elements a thread, a block apart: the set-up is paid once for four,
 *                          while a warp still touches 32 neighbours at a time
 *   axpy_hoisted           one bounds test for the four: the common path has no branch between its
 *                          loads
 *   axpy_restrict          __restrict__: x cannot change under a store to y, so all loads may go
 *                          first (and x through the non-coherent path): more bytes in flight a warp
 *   axpy_bounded           __launch_bounds__(256): the register budget follows the block size that
 *                          is really used
 *   axpy_persistent        as many blocks as fit at once, each striding through the array: set-up
 *                          is paid once a thread for the whole problem; no tail of late blocks
 *   axpy_float4            16 bytes a lane: a quarter of the memory instructions and of the address
 *                          arithmetic
 *   axpy_float4_coarsened  two vectors a thread: twice the bytes in flight again
 *   axpy_wide              32 bytes a lane, which sm_100 loads and stores in one instruction: half
 *                          the instructions for the same bytes in flight
 *
 * n counts what x and y point at: floats, or vectors of 4 or 8. The vector versions so leave a
 * remainder to their launcher, and x and y have to be aligned to the vector. In the persistent
 * version n + 4 * stride must fit an int. */

constexpr int block_threads = 256;
constexpr int elements_per_thread = 4;
constexpr int vectors_per_thread = 2;

extern "C" __global__ void axpy_naive(int n, float alpha, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = alpha * x[i] + y[i];
}

extern "C" __global__ void axpy_coarsened(int n, float alpha, const float *x, float *y)
{
    int first = blockIdx.x * blockDim.x * elements_per_thread + threadIdx.x;
#pragma unroll
    for (int k = 0; k < elements_per_thread; k++) {
        int i = first + k * blockDim.x;
        if (i < n)
            y[i] = alpha * x[i] + y[i];
    }
}

/* What the next three versions share; they differ in what they promise the compiler. The last of
 * the four elements decides for all; only the last block of the grid ever takes the other path. */
static __device__ __forceinline__ void axpy_four(int n, float alpha, const float *x, float *y)
{
    int step = blockDim.x;
    int first = blockIdx.x * step * elements_per_thread + threadIdx.x;
    if (first + (elements_per_thread - 1) * step < n) {
#pragma unroll
        for (int k = 0; k < elements_per_thread; k++)
            y[first + k * step] = alpha * x[first + k * step] + y[first + k * step];
    } else {
#pragma unroll
        for (int k = 0; k < elements_per_thread; k++)
            if (first + k * step < n)
                y[first + k * step] = alpha * x[first + k * step] + y[first + k * step];
    }
}

extern "C" __global__ void axpy_hoisted(int n, float alpha, const float *x, float *y)
{
    axpy_four(n, alpha, x, y);
}

extern "C" __global__ void axpy_restrict(int n, float alpha, const float *__restrict__ x,
                                         float *__restrict__ y)
{
    axpy_four(n, alpha, x, y);
}

extern "C" __global__ void __launch_bounds__(block_threads)
    axpy_bounded(int n, float alpha, const float *__restrict__ x, float *__restrict__ y)
{
    axpy_four(n, alpha, x, y);
}

extern "C" __global__ void __launch_bounds__(block_threads)
    axpy_persistent(int n, float alpha, const float *__restrict__ x, float *__restrict__ y)
{
    int stride = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int base = first; base < n; base += stride * elements_per_thread) {
#pragma unroll
        for (int k = 0; k < elements_per_thread; k++) {
            int i = base + k * stride;
            if (i < n)
                y[i] = alpha * x[i] + y[i];
        }
    }
}

static __device__ __forceinline__ float4 axpy_of(float alpha, float4 x, float4 y)
{
    return make_float4(alpha * x.x + y.x, alpha * x.y + y.y, alpha * x.z + y.z, alpha * x.w + y.w);
}

extern "C" __global__ void axpy_float4(int n, float alpha, const float4 *__restrict__ x,
                                       float4 *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = axpy_of(alpha, x[i], y[i]);
}

extern "C" __global__ void axpy_float4_coarsened(int n, float alpha, const float4 *__restrict__ x,
                                                 float4 *__restrict__ y)
{
    int step = blockDim.x;
    int first = blockIdx.x * step * vectors_per_thread + threadIdx.x;
    if (first + (vectors_per_thread - 1) * step < n) {
        float4 a[vectors_per_thread], b[vectors_per_thread];
#pragma unroll
        for (int k = 0; k < vectors_per_thread; k++) {
            a[k] = x[first + k * step];
            b[k] = y[first + k * step];
        }
#pragma unroll
        for (int k = 0; k < vectors_per_thread; k++)
            y[first + k * step] = axpy_of(alpha, a[k], b[k]);
    } else {
#pragma unroll
        for (int k = 0; k < vectors_per_thread; k++)
            if (first + k * step < n)
                y[first + k * step] = axpy_of(alpha, x[first + k * step], y[first + k * step]);
    }
}

#if __CUDA_ARCH__ >= 1000
struct alignas(32) float8 {
    float at[8];
};

/* CUDA C has no 32-byte vector type: only PTX reaches these instructions. A generic address of
 * global memory is its address in the global space too (PTX ISA, "Generic Addressing"), so the
 * pointers need no conversion. */
static __device__ __forceinline__ float8 load(const float8 *p)
{
    float8 v;
    asm volatile("ld.global.v8.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                 : "=f"(v.at[0]), "=f"(v.at[1]), "=f"(v.at[2]), "=f"(v.at[3]), "=f"(v.at[4]),
                   "=f"(v.at[5]), "=f"(v.at[6]), "=f"(v.at[7])
                 : "l"(p)
                 : "memory");
    return v;
}

static __device__ __forceinline__ void store(float8 *p, float8 v)
{
    asm volatile("st.global.v8.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8};"
                 :
                 : "l"(p), "f"(v.at[0]), "f"(v.at[1]), "f"(v.at[2]), "f"(v.at[3]), "f"(v.at[4]),
                   "f"(v.at[5]), "f"(v.at[6]), "f"(v.at[7])
                 : "memory");
}

extern "C" __global__ void axpy_wide(int n, float alpha, const float8 *x, float8 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float8 a = load(x + i);
        float8 b = load(y + i);
#pragma unroll
        for (int k = 0; k < 8; k++)
            b.at[k] = alpha * a.at[k] + b.at[k];
        store(y + i, b);
    }
}
#endif
