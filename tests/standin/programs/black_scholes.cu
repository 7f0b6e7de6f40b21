// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <vector>

__host__ __device__ inline float spread(float d)
{
    return 0.5f * erfcf(-d * 0.70710678f);
}

__host__ __device__ inline float price(float s, float x, float t)
{
    const float r = 0.02f, v = 0.3f, root = sqrtf(t);
    const float d1 = (logf(s / x) + (r + 0.5f * v * v) * t) / (v * root), d2 = d1 - v * root;
    return s * spread(d1) - x * expf(-r * t) * spread(d2);
}

__global__ void prices(const float *s, const float *x, const float *t, float *to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = price(s[i], x[i], t[i]);
}

int main()
{
    const int n = 4000;
    std::vector<float> s(n), x(n), t(n), got(n), wanted(n);
    for (int i = 0; i < n; i++) {
        s[i] = 5 + i % 25;
        x[i] = 1 + i % 99;
        t[i] = 0.25f + (i % 40) * 0.25f;
        wanted[i] = price(s[i], x[i], t[i]);
    }
    float *S = on_gpu(s.data(), n), *X = on_gpu(x.data(), n), *T = on_gpu(t.data(), n),
          *P = on_gpu(got.data(), n);
    prices<<<(n + 127) / 128, 128>>>(S, X, T, P, n);
    from_gpu(got.data(), P, n);
    return compare("prices", got.data(), wanted.data(), n, 1e-5);
}
