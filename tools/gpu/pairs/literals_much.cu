// SPDX-License-Identifier: Apache-2.0
// The same in a polynomial: doubles by accident take the time. After: with f.
#include "pair.h"
extern "C" __global__ void gauss(const float *a, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = a[i];
    for (int k = 0; k < 16; k++)
        x = 0.5 * x * x - 0.25 * x + 1.5;
    out[i] = x;
}
extern "C" __global__ void gauss_f(const float *a, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = a[i];
    for (int k = 0; k < 16; k++)
        x = 0.5f * x * x - 0.25f * x + 1.5f;
    out[i] = x;
}
int main()
{
    const int n = 1 << 24;
    float *a = room<float>(n), *out = room<float>(n);
    pair(
        "literals_much", [=] { gauss<<<n / 256, 256>>>(a, out, n); },
        [=] { gauss_f<<<n / 256, 256>>>(a, out, n); });
}
