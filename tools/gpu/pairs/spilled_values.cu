// SPDX-License-Identifier: Apache-2.0
// Spills: 48 accumulators under launch bounds that allow 32 registers. After: bounds that allow what it needs.
#include "pair.h"
template <int N> __device__ void filter(const float *in, float *out, int n)
{
    float a[N];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < N; k++)
        a[k] = in[(size_t)k * n + i];
#pragma unroll
    for (int t = 0; t < 8; t++)
#pragma unroll
        for (int k = 0; k < N; k++)
            a[k] = a[k] * a[(k + 7) % N] + a[(k * 5 + t) % N];
#pragma unroll
    for (int k = 0; k < N; k++)
        out[(size_t)k * n + i] = a[k];
}
extern "C" __global__ void __launch_bounds__(256, 8)
    filter_tight(const float *in, float *out, int n)
{
    filter<48>(in, out, n);
}
extern "C" __global__ void __launch_bounds__(256, 2)
    filter_loose(const float *in, float *out, int n)
{
    filter<48>(in, out, n);
}
int main()
{
    const int n = 1 << 18;
    float *in = room<float>((size_t)48 * n), *out = room<float>((size_t)48 * n);
    pair(
        "spilled_values", [=] { filter_tight<<<n / 256, 256>>>(in, out, n); },
        [=] { filter_loose<<<n / 256, 256>>>(in, out, n); });
}
