// SPDX-License-Identifier: Apache-2.0
// Products of matrices as most people write them first: an element a thread out of global memory, and by tiles in shared memory, in blocks of
// several shapes; and the loads of one of the two matrices alone. Run it under Nsight Compute, which gives the time of each launch.
//     nvcc -arch=sm_90 -std=c++17 -O3 -w -o product_probe product_probe.cu; product_probe
// What an H200 takes: tests/gpu/h200/products.txt. The kernels of tests/model/plain_products.sm_90.cubin alone: -DTESTED -cubin.
#include <cstdio>

enum which { BOTH, ROWS, COLUMNS };

template <int X, int Y, int WHICH> __global__ void each(const float *a, const float *b, float *c, int n)
{
    const int x = blockIdx.x * X + threadIdx.x, y = blockIdx.y * Y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += (WHICH != COLUMNS ? a[y * n + k] : 1) * (WHICH != ROWS ? b[k * n + x] : 1);
    c[y * n + x] = sum;
}

template <int T> __global__ void tiles(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[T][T], bs[T][T];
    const int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    float sum = 0;
    for (int tile = 0; tile < n; tile += T) {
        as[threadIdx.y][threadIdx.x] = a[y * n + tile + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * n + x];
        __syncthreads();
        for (int k = 0; k < T; k++)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

static float *a, *b, *c;
template <int X, int Y> static void shape(int n)
{
    each<X, Y, BOTH><<<dim3(n / X, n / Y), dim3(X, Y)>>>(a, b, c, n);
    each<X, Y, ROWS><<<dim3(n / X, n / Y), dim3(X, Y)>>>(a, b, c, n);
    each<X, Y, COLUMNS><<<dim3(n / X, n / Y), dim3(X, Y)>>>(a, b, c, n);
}

int main()
{
    for (float **p : {&a, &b, &c}) {
        cudaMalloc(p, 1 << 24);
        cudaMemset(*p, 0, 1 << 24);
    }
    for (int n : {256, 512, 1024}) {
        shape<16, 16>(n);
        tiles<16><<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
#ifndef TESTED
        shape<32, 32>(n);
        shape<32, 8>(n);
        shape<8, 32>(n);
        shape<256, 1>(n);
        tiles<8><<<dim3(n / 8, n / 8), dim3(8, 8)>>>(a, b, c, n);
        tiles<32><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, b, c, n);
#endif
    }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
