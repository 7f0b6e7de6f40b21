// SPDX-License-Identifier: Apache-2.0
// Doubles by accident: literals without f in a kernel of floats. After: with f.
#include "pair.h"
extern "C" __global__ void blend(const float *a, const float *b, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0.3 * a[i] + 0.7 * b[i];
}
extern "C" __global__ void blend_f(const float *a, const float *b, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0.3f * a[i] + 0.7f * b[i];
}
int main()
{
    const int n = 1 << 24;
    float *a = room<float>(n), *b = room<float>(n), *out = room<float>(n);
    pair(
        "literals", [=] { blend<<<n / 256, 256>>>(a, b, out, n); },
        [=] { blend_f<<<n / 256, 256>>>(a, b, out, n); });
}
