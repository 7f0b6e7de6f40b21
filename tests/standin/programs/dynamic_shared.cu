// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <vector>

extern __shared__ int space[];

__global__ void reverse(int *x, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        space[i] = x[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        x[i] = space[n - 1 - i];
}

int main()
{
    const int n = 20000;
    std::vector<int> x(n), wanted(n);
    for (int i = 0; i < n; i++)
        x[i] = wanted[n - 1 - i] = i;
    int *X = on_gpu(x.data(), n);
    reverse<<<1, 256, n * sizeof(int)>>>(X, n);
    printf("without asking: %s\n", cudaGetErrorName(cudaGetLastError()));
    CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               n * sizeof(int)));
    reverse<<<1, 256, n * sizeof(int)>>>(X, n);
    CHECK(cudaGetLastError());
    from_gpu(x.data(), X, n);
    printf("far too much: %s\n",
           cudaGetErrorName(cudaFuncSetAttribute(
               reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20)));
    return compare("reversed", x.data(), wanted.data(), n);
}
