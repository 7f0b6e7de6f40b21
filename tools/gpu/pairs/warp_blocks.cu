// SPDX-License-Identifier: Apache-2.0
// Blocks of one warp: 32 blocks an SM hold half of its warps. After: blocks of 256.
#include "pair.h"
extern "C" __global__ void add(const float *a, const float *b, float *c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
int main()
{
    const int n = 1 << 24;
    float *a = room<float>(n), *b = room<float>(n), *c = room<float>(n);
    pair(
        "warp_blocks", [=] { add<<<n / 32, 32>>>(a, b, c, n); },
        [=] { add<<<n / 256, 256>>>(a, b, c, n); });
}
