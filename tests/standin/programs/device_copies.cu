// SPDX-License-Identifier: Apache-2.0
// nvcc: -rdc=true -lcudadevrt
// Kernels that fill and copy memory by the device runtime, whose own kernels the program has as machine code alone (CUDA C++
// Programming Guide, "CUDA Dynamic Parallelism", "Memory Footprint" and "API Reference").
#include "check.h"
#include <vector>

enum { N = 1000 };

__global__ void add(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

__global__ void parent(int *from, int *to, int *errors)
{
    errors[0] = cudaMemsetAsync(from, 0, N * sizeof(int), 0);
    add<<<N / 40, 40>>>(from);
    errors[1] = cudaMemcpyAsync(to, from, N * sizeof(int), cudaMemcpyDeviceToDevice, 0);
    errors[2] = cudaMemcpy2DAsync(to + N, 48, from, 40, 24, 10, cudaMemcpyDeviceToDevice, 0);
    add<<<1, 40>>>(from);
}

int main()
{
    std::vector<int> host(2 * N, 7);
    int *from = on_gpu(host.data(), N), *to = on_gpu(host.data(), 2 * N), *errors = on_gpu(host.data(), 3);
    parent<<<1, 1>>>(from, to, errors);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host.data(), errors, 3 * sizeof(int), cudaMemcpyDefault));
    printf("%d %d %d\n", host[0], host[1], host[2]);
    CHECK(cudaMemcpy(host.data(), to, 2 * N * sizeof(int), cudaMemcpyDefault));
    int ones = 0, sevens = 0;
    for (int i = 0; i < N; i++)
        ones += host[i] == 1;
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 12; j++)
            sevens += host[N + 12 * i + j] == (j < 6 ? 1 : 7);
    printf("%d %d\n", ones, sevens);
    CHECK(cudaMemcpy(host.data(), from, N * sizeof(int), cudaMemcpyDefault));
    printf("%d %d\n", host[39], host[40]);
    return 0;
}
