// SPDX-License-Identifier: Apache-2.0
// A block sums up one element a thread in a tree of eight barriers. After: each thread adds four elements first.
#include "pair.h"
template <int EACH> static __device__ void sum_block(const float *in, float *sums)
{
    __shared__ float part[256];
    float own = 0;
    for (int k = 0; k < EACH; k++)
        own += in[((size_t)blockIdx.x * EACH + k) * 256 + threadIdx.x];
    part[threadIdx.x] = own;
    for (int half = 128; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
}
extern "C" __global__ void sum_1(const float *in, float *sums)
{
    sum_block<1>(in, sums);
}
extern "C" __global__ void sum_4(const float *in, float *sums)
{
    sum_block<4>(in, sums);
}
int main()
{
    const int n = 1 << 25;
    float *in = room<float>(n), *sums = room<float>(n / 256);
    pair(
        "tree", [=] { sum_1<<<n / 256, 256>>>(in, sums); },
        [=] { sum_4<<<n / 1024, 256>>>(in, sums); });
}
