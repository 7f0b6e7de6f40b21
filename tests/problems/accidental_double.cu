/* SPDX-License-Identifier: Apache-2.0
 * Double precision by accident: a literal without the f makes each step a step in double, with two conversions. */
extern "C" __global__ void slow(int n, const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i], y = x;
#pragma unroll
    for (int k = 0; k < 16; k++)
        y = y * x + 0.1;
    out[i] = y;
}

extern "C" __global__ void fast(int n, const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i], y = x;
#pragma unroll
    for (int k = 0; k < 16; k++)
        y = y * x + 0.1f;
    out[i] = y;
}
