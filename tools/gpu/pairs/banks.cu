// SPDX-License-Identifier: Apache-2.0
// Bank conflicts: columns of a tile of 32 words a row. After: one word of padding.
#include "pair.h"
template <int PAD> __device__ void rotate(const float *in, float *out, int times)
{
    __shared__ float tile[32][32 + PAD];
    const int x = threadIdx.x % 32, y = threadIdx.x / 32;
    for (int k = y; k < 32; k += 8)
        tile[k][x] = in[(blockIdx.x * 32 + k) * 32 + x];
    __syncthreads();
    float sum = 0;
    for (int t = 0; t < times; t++)
        for (int k = y; k < 32; k += 8)
            sum += tile[x][(k + t) & 31];
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
extern "C" __global__ void banks(const float *in, float *out, int times)
{
    rotate<0>(in, out, times);
}
extern "C" __global__ void banks_padded(const float *in, float *out, int times)
{
    rotate<1>(in, out, times);
}
int main()
{
    float *in = room<float>(4096 * 1024), *out = room<float>(4096 * 256);
    pair(
        "banks", [=] { banks<<<4096, 256>>>(in, out, 16); },
        [=] { banks_padded<<<4096, 256>>>(in, out, 16); });
}
