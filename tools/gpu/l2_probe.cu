// SPDX-License-Identifier: Apache-2.0
// Arrays that stay in the L2, or nearly: what does a launch take that reads them, writes them, copies them and adds them, for
// src/time/time_memory.c? Nsight Compute tells, with its caches flushed, in the order of the launches (kernel; words of a thread; MiB of an array):
//     gpu__time_duration.sum, dram__bytes_read.sum, dram__bytes_write.sum
//     nvcc -arch=sm_90 -O3 -w -o l2_probe l2_probe.cu
// What an H200 took: tests/gpu/h200/l2.txt.
#include <cstdio>

template <class T> __device__ float sum(T v);
template <> __device__ float sum(float v) { return v; }
template <> __device__ float sum(float4 v) { return v.x + v.y + v.z + v.w; }
template <class T> __device__ T of(float x);
template <> __device__ float of(float x) { return x; }
template <> __device__ float4 of(float x) { return {x, x, x, x}; }
__device__ float add(float a, float b) { return a + b; }
__device__ float4 add(float4 a, float4 b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }

template <class T> __global__ void reads(const T *a, T *out)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (sum(a[i]) == 12345)
        out[i] = a[i];
}
template <class T> __global__ void writes(T *out, float x)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = of<T>(x);
}
template <class T> __global__ void copies(const T *a, T *out)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i];
}
template <class T> __global__ void adds(const T *a, const T *b, T *out)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = add(a[i], b[i]);
}
// Four words of a thread, one after the other of the same block, as compilers of tiles make them.
template <class T> __global__ void copies_by_four(const T *a, T *out)
{
    const size_t i = (size_t)blockIdx.x * 4 * blockDim.x + threadIdx.x;
    T v[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        v[k] = a[i + k * blockDim.x];
#pragma unroll
    for (int k = 0; k < 4; k++)
        out[i + k * blockDim.x] = v[k];
}

template <class T> static void launch(size_t bytes, char *a, char *b, char *c)
{
    const unsigned blocks = bytes / sizeof(T) / 256;
    reads<T><<<blocks, 256>>>((T *)a, (T *)c);
    writes<T><<<blocks, 256>>>((T *)c, 1.f);
    copies<T><<<blocks, 256>>>((T *)a, (T *)c);
    adds<T><<<blocks, 256>>>((T *)a, (T *)b, (T *)c);
    copies_by_four<T><<<blocks / 4, 256>>>((T *)a, (T *)c);
}
int main()
{
    const size_t most = 64u << 20;
    char *at[3];
    for (char *&p : at) {
        cudaMalloc(&p, most);
        cudaMemset(p, 0, most);
    }
    for (size_t mib : {1, 2, 4, 8, 12, 16, 24, 32, 64}) {
        launch<float>(mib << 20, at[0], at[1], at[2]);
        launch<float4>(mib << 20, at[0], at[1], at[2]);
    }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
