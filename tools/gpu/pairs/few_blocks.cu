// SPDX-License-Identifier: Apache-2.0
// A small grid: 16 blocks for 132 SMs, each thread with a long loop. After: as many threads as fill the GPU.
#include "pair.h"
extern "C" __global__ void scale(const float *in, float *out, int n, float f)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = f * in[i] + 1.0f;
}
int main()
{
    const int n = 1 << 22;
    float *in = room<float>(n), *out = room<float>(n);
    pair(
        "few_blocks", [=] { scale<<<16, 256>>>(in, out, n, 2.0f); },
        [=] { scale<<<1056, 256>>>(in, out, n, 2.0f); });
}
