// SPDX-License-Identifier: Apache-2.0
// Shared memory of 100 KiB a block, so that an SM holds two. After: 48 KiB, so that it holds four.
#include "pair.h"
extern "C" __global__ void staged(const float *in, float *out, int n)
{
    extern __shared__ float stage[];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        stage[threadIdx.x] = in[i];
        __syncthreads();
        out[i] = stage[blockDim.x - 1 - threadIdx.x];
        __syncthreads();
    }
}
int main()
{
    const int n = 1 << 24, large = 100 << 10, small = 48 << 10;
    float *in = room<float>(n), *out = room<float>(n);
    check(cudaFuncSetAttribute(staged, cudaFuncAttributeMaxDynamicSharedMemorySize, large));
    pair(
        "much_shared", [=] { staged<<<4096, 256, large>>>(in, out, n); },
        [=] { staged<<<4096, 256, small>>>(in, out, n); });
}
