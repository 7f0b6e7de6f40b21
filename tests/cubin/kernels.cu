// SPDX-License-Identifier: Apache-2.0
// Kernels with every fact that a cubin tells: inlining two levels deep, static and dynamic shared
// memory, launch bounds, named barriers, a local array, a function that is called, templates in a
// namespace, parameters with padding.
namespace shape {
struct pair {
    float low, high;
};

__device__ inline float square(float v)
{
    return v * v;
}

__device__ inline float norm(pair p)
{
    return square(p.low) + square(p.high);
}

template <typename T> __global__ void scale(int n, T a, const T *x, T *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i];
}

template __global__ void scale<double>(int, double, const double *, double *);
} // namespace shape

extern "C" __global__ void norms(int n, const shape::pair *p, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = shape::norm(p[i]) *
             shape::norm({p[i].high, 3.0f});
}

extern "C" __global__ void __launch_bounds__(64, 2) named_barriers(int *x)
{
    __shared__ int sum[3];
    if (threadIdx.x < 3)
        sum[threadIdx.x] = x[threadIdx.x];
    asm volatile("bar.sync 3, 64;" ::: "memory");
    const int mine = sum[threadIdx.x % 3];
    asm volatile("bar.sync 5, 64;" ::: "memory");
    x[threadIdx.x] = mine;
}

extern "C" __global__ void dynamic_shared(float *x)
{
    extern __shared__ float tile[];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[threadIdx.x ^ 1];
}

extern "C" __global__ void local_array(const int *index, int *out)
{
    int table[24];
#pragma unroll 1
    for (int i = 0; i < 24; i++)
        table[i] = index[i] * 3;
    out[threadIdx.x] = table[index[threadIdx.x]];
}

__device__ __noinline__ int twice(int v, int *seen)
{
    *seen += v;
    return v * 2;
}

extern "C" __global__ void calls(int *x, int *seen)
{
    x[threadIdx.x] = twice(x[threadIdx.x], seen) + twice(x[threadIdx.x + 32], seen);
}
