// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <vector>

const int TILE = 16;

__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[TILE][TILE], t[TILE][TILE];
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        s[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        t[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += s[threadIdx.y][i] * t[i][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

int main()
{
    const int n = 96;
    std::vector<float> a(n * n), b(n * n), c(n * n), wanted(n * n);
    for (int i = 0; i < n * n; i++) {
        a[i] = (float)(i % 7);
        b[i] = (float)(i % 5) - 2;
    }
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            for (int k = 0; k < n; k++)
                wanted[y * n + x] += a[y * n + k] * b[k * n + x];
    float *A = on_gpu(a.data(), n * n), *B = on_gpu(b.data(), n * n), *C = on_gpu(c.data(), n * n);
    multiply<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(A, B, C, n);
    from_gpu(c.data(), C, n * n);
    return compare("product", c.data(), wanted.data(), n * n);
}
