// SPDX-License-Identifier: Apache-2.0
// Loads of bytes, halves and words that the L1 has or lacks: naive products in tiles of threads, and rows that a warp adds up with a vector
// that all read. Nsight Compute tells, in the order of the launches:
//     nvcc -arch=sm_90 -O3 -w -o narrow_probe narrow_probe.cu
//     ncu --clock-control none --metrics gpu__time_duration.sum,sm__cycles_active.avg,l1tex__t_requests_pipe_lsu.sum,\
//         l1tex__data_pipe_lsu_wavefronts.sum,l1tex__m_xbar2l1tex_read_sectors.sum narrow_probe
// What an H200 takes: tests/gpu/h200/narrow.txt.
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>
template <class T> __global__ void product(const T *a, const T *b, float *c, int n, int pitch)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y,
              column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += (float)a[row * pitch + k] * (float)b[k * pitch + column];
    c[row * n + column] = sum;
}
template <class T> __global__ void isum(const T *a, const T *b, int *c, int n, int pitch)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y,
              column = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum += (int)a[row * pitch + k] * (int)b[k * pitch + column];
    c[row * n + column] = sum;
}
template <class T, class X> __global__ void rows(int columns, const T *w, const X *x, float *y)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int c = lane; c < columns; c += 32)
        sum += (float)w[(size_t)row * columns + c] * (float)x[c];
    for (int k = 16; k; k /= 2)
        sum += __shfl_xor_sync(~0u, sum, k);
    if (lane == 0)
        y[row] = sum;
}
int main()
{
    char *p;
    float *c;
    cudaMalloc(&p, 1 << 28);
    cudaMemset(p, 0, 1 << 28);
    cudaMalloc(&c, 1 << 24);
    const dim3 g(32, 32), b(16, 16), b2(32, 8), g2(16, 64);
    for (int pitch : {512, 528}) {
        isum<int8_t><<<g, b>>>((int8_t *)p, (int8_t *)p + (1 << 24), (int *)c, 512, pitch);
        isum<int16_t><<<g, b>>>((int16_t *)p, (int16_t *)p + (1 << 23), (int *)c, 512, pitch);
        isum<int><<<g, b>>>((int *)p, (int *)p + (1 << 22), (int *)c, 512, pitch);
        product<__half><<<g, b>>>((__half *)p, (__half *)p + (1 << 23), c, 512, pitch);
        product<float><<<g, b>>>((float *)p, (float *)p + (1 << 22), c, 512, pitch);
        product<__half><<<g2, b2>>>((__half *)p, (__half *)p + (1 << 23), c, 512, pitch);
        product<float><<<g2, b2>>>((float *)p, (float *)p + (1 << 22), c, 512, pitch);
    }
    for (int columns : {4096, 8192}) {
        rows<int8_t, float><<<1024, 256>>>(columns, (int8_t *)p, (float *)p + (1 << 24), c);
        rows<int8_t, __half><<<1024, 256>>>(columns, (int8_t *)p, (__half *)p + (1 << 24), c);
        rows<__half, float><<<1024, 256>>>(columns, (__half *)p, (float *)p + (1 << 25), c);
        rows<float, float><<<1024, 256>>>(columns, (float *)p, (float *)p + (1 << 25), c);
        rows<__half, __half><<<1024, 256>>>(columns, (__half *)p, (__half *)p + (1 << 25), c);
        rows<int8_t, int8_t><<<1024, 256>>>(columns, (int8_t *)p, (int8_t *)p + (1 << 25), c);
    }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
