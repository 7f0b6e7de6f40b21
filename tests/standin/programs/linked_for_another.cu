// SPDX-License-Identifier: Apache-2.0
// nvcc: -gencode arch=compute_75,code=[sm_75,compute_75] -rdc=true parts/separate_device.cu -lcudadevrt
// Linked code for sm_75 alone, as nvcc -rdc=true makes it by default: the driver links for its GPU, from what it makes of each
// unit's PTX and from the machine code of the device runtime, which has no PTX ("JIT Linking" of the documentation of nvcc).
#include "check.h"
#include <vector>

extern __constant__ int factor;
extern __device__ int scale(int x);

__global__ void child(int *x, int first) { x[first + threadIdx.x] = scale(x[first + threadIdx.x]); }

__global__ void parent(int *x)
{
    child<<<1, 10>>>(x, 10 * threadIdx.x);
}

int main()
{
    const int n = 100;
    std::vector<int> x(n), wanted(n);
    int three = 3;
    for (int i = 0; i < n; i++) {
        x[i] = i;
        wanted[i] = 3 * i;
    }
    int *X = on_gpu(x.data(), n);
    CHECK(cudaMemcpyToSymbol(factor, &three, sizeof three));
    parent<<<1, 10>>>(X);
    CHECK(cudaDeviceSynchronize());
    from_gpu(x.data(), X, n);
    return compare("linked for another GPU", x.data(), wanted.data(), n);
}
