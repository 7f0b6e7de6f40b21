// SPDX-License-Identifier: Apache-2.0
// A loop that waits for one load a trip. After: four trips' loads before the first use.
#include "pair.h"
extern "C" __global__ void sum_one(const float *a, float *sums, int each)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < each; k++)
        sum += a[(size_t)k * all + i];
    sums[i] = sum;
}
extern "C" __global__ void sum_four(const float *a, float *sums, int each)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    float sum = 0;
#pragma unroll 4
    for (int k = 0; k < each; k++)
        sum += a[(size_t)k * all + i];
    sums[i] = sum;
}
int main()
{
    const int each = 512, blocks = 264;
    float *a = room<float>((size_t)each * blocks * 256), *sums = room<float>(blocks * 256);
    pair(
        "one_at_a_time", [=] { sum_one<<<blocks, 256>>>(a, sums, each); },
        [=] { sum_four<<<blocks, 256>>>(a, sums, each); });
}
