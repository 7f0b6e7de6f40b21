// SPDX-License-Identifier: Apache-2.0
// nvcc: -rdc=true parts/separate_device.cu
#include "check.h"
#include <vector>

extern __device__ int calls;
extern __constant__ int factor;
extern __device__ int scale(int x);
extern __device__ int (*const operations[2])(int);

static __device__ int offset(int x)
{
    return x + 1;
}

__global__ void apply(int *x, int n)
{
    __shared__ int last[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    last[threadIdx.x] = i < n ? offset(scale(x[i])) : 0;
    __syncthreads();
    if (i < n)
        x[i] = operations[i % 2](last[threadIdx.x]);
    if (i < n)
        atomicAdd(&calls, 1);
}

int main()
{
    const int n = 1000;
    std::vector<int> x(n), wanted(n);
    int count, three = 3;
    for (int i = 0; i < n; i++) {
        x[i] = i;
        wanted[i] = i % 2 ? -(3 * i + 1) : 2 * (3 * i + 1);
    }
    int *X = on_gpu(x.data(), n);
    CHECK(cudaMemcpyToSymbol(factor, &three, sizeof three));
    apply<<<(n + 63) / 64, 64>>>(X, n);
    from_gpu(x.data(), X, n);
    CHECK(cudaMemcpyFromSymbol(&count, calls, sizeof count));
    printf("calls: %d\n", count);
    return compare("separate", x.data(), wanted.data(), n);
}
