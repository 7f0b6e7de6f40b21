// SPDX-License-Identifier: Apache-2.0
// Loads of bytes, halves and words that warps of an SM share (`pending`: a line for SHARE of them), that the L1 has (`kept`), that come from
// the DRAM (`streams`), and both (`beside`). Nsight Compute tells, in the order of the launches:
//     nvcc -arch=sm_90 -O3 -w -o share_probe share_probe.cu
//     ncu --clock-control none --metrics gpu__time_duration.sum,sm__cycles_active.avg,sm__cycles_active.max,\
//         l1tex__t_requests_pipe_lsu.sum,l1tex__m_xbar2l1tex_read_sectors.sum share_probe
// What an H200 takes: tests/gpu/h200/shares.txt.
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>
// Lines of a region that stays in the L2, each read by SHARE warps of a block, U loads before a wait.
template <class T, int U, int SHARE> __global__ void pending(const T *p, int *out, int steps)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, group = (blockIdx.x * (blockDim.x / 32) + warp) / SHARE;
    const T *q = p + (size_t)(group % 512) * 32 * U * 16 + lane;
    int sum = 0;
    for (int i = 0; i < steps; i++) {
        T v[U];
#pragma unroll
        for (int k = 0; k < U; k++)
            v[k] = q[(size_t)k * 32];
#pragma unroll
        for (int k = 0; k < U; k++)
            sum += (int)v[k];
        q += 32 * U;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// Words of a few lines that stay in the L1, coalesced or one address for all lanes.
template <class T, int U, bool ONE> __global__ void kept(const T *p, int *out, int steps)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const T *q = p + warp * 32 * U + (ONE ? 0 : lane);
    int sum = 0;
    for (int i = 0; i < steps; i++) {
        T v[U];
#pragma unroll
        for (int k = 0; k < U; k++)
            v[k] = q[k * 32 + (i & 3) * 512];
#pragma unroll
        for (int k = 0; k < U; k++)
            sum += (int)v[k];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// A warp reads a row from DRAM, U loads of 32 elements before a wait.
template <class T, int U> __global__ void streams(const T *p, int *out, int columns, size_t pitch)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const T *q = (const T *)((const char *)p + row * pitch) + lane;
    int sum = 0;
    for (int c = 0; c < columns; c += 32 * U) {
        T v[U];
#pragma unroll
        for (int k = 0; k < U; k++)
            v[k] = q[c + k * 32];
#pragma unroll
        for (int k = 0; k < U; k++)
            sum += (int)v[k];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// The same beside words that all warps read.
template <class T, class X, int U> __global__ void beside(const T *p, const X *x, int *out, int columns)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const T *q = p + (size_t)row * columns + lane;
    int sum = 0;
    for (int c = 0; c < columns; c += 32 * U) {
        T v[U];
        X w[U];
#pragma unroll
        for (int k = 0; k < U; k++) {
            v[k] = q[c + k * 32];
            w[k] = x[c + k * 32 + lane];
        }
#pragma unroll
        for (int k = 0; k < U; k++)
            sum += (int)v[k] * (int)w[k];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
char *p;
int *o;
template <class T, int U, int S> void pend() { pending<T, U, S><<<132, 1024>>>((T *)p, o, 256); pending<T, U, S><<<264, 1024>>>((T *)p, o, 256); }
template <class T, int U> void pends() { pend<T, U, 1>(); pend<T, U, 2>(); pend<T, U, 8>(); pend<T, U, 32>(); }
template <class T> void keeps() { kept<T, 8, false><<<264, 1024>>>((T *)p, o, 256); kept<T, 8, true><<<264, 1024>>>((T *)p, o, 256); }
template <class T, int U> void stream(int columns)
{
    streams<T, U><<<1024, 256>>>((T *)p, o, columns, columns * sizeof(T));
    streams<T, U><<<512, 256>>>((T *)p, o, columns, columns * sizeof(T));
    streams<T, U><<<1023, 256>>>((T *)p, o, columns, columns * sizeof(T) + 640);
}
int main()
{
    cudaMalloc(&p, 1 << 29);
    cudaMemset(p, 0, 1 << 29);
    cudaMalloc(&o, 1 << 24);
    keeps<int8_t>(); keeps<short>(); keeps<int>();
    pends<int8_t, 4>(); pends<short, 4>(); pends<int, 4>(); pends<int, 1>(); pends<short, 1>();
    stream<int8_t, 1>(4096); stream<int8_t, 4>(4096); stream<int8_t, 8>(4096);
    stream<short, 1>(4096); stream<short, 4>(4096); stream<int, 1>(4096); stream<int, 4>(4096);
    beside<int8_t, int8_t, 4><<<1024, 256>>>((int8_t *)p, (int8_t *)p + (1 << 28), o, 8192);
    beside<int8_t, int, 4><<<1024, 256>>>((int8_t *)p, (int *)p + (1 << 26), o, 8192);
    beside<short, short, 4><<<1024, 256>>>((short *)p, (short *)p + (1 << 27), o, 8192);
    beside<short, int, 4><<<1024, 256>>>((short *)p, (int *)p + (1 << 26), o, 8192);
    beside<int, int, 4><<<1024, 256>>>((int *)p, (int *)p + (1 << 26), o, 8192);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
