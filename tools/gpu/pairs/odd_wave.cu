// SPDX-License-Identifier: Apache-2.0
// A tail: 140 equal blocks, one on an SM at a time, on 132 SMs. After: an eighth of the work a block, as advised.
#include "pair.h"
extern "C" __global__ void __launch_bounds__(1024)
    smooth_one(const float *in, float *out, int per, int times)
{
    extern __shared__ float s[];
    for (int k = 0; k < per; k++) {
        const int i = (blockIdx.x * per + k) * blockDim.x + threadIdx.x;
        s[threadIdx.x] = in[i];
        __syncthreads();
        float v = s[threadIdx.x];
        for (int t = 0; t < times; t++)
            v = v * 0.999f + s[(threadIdx.x + t) & 1023];
        __syncthreads();
        out[i] = v;
    }
}
int main()
{
    const int n = 140 * 16 * 1024;
    float *in = room<float>(2 * n), *out = room<float>(2 * n);
    check(
        cudaFuncSetAttribute(smooth_one, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 * 1024));
    // 1,120 blocks of 2 parts on 132 places: 9 rounds of 2 in place of 2 of 16.
    pair(
        "odd_wave", [=] { smooth_one<<<140, 1024, 120 * 1024>>>(in, out, 16, 256); },
        [=] { smooth_one<<<1120, 1024, 120 * 1024>>>(in, out, 2, 256); });
}
