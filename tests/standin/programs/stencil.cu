// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <utility>
#include <vector>

__global__ void step(const float *from, float *to, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1)
        return;
    const int i = y * w + x;
    to[i] = 0.25f * (from[i - 1] + from[i + 1] + from[i - w] + from[i + w]);
}

static void reference(const std::vector<float> &from, std::vector<float> &to, int w, int h)
{
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            const int i = y * w + x;
            to[i] = 0.25f * (from[i - 1] + from[i + 1] + from[i - w] + from[i + w]);
        }
}

int main()
{
    const int w = 150, h = 90, steps = 20;
    std::vector<float> a(w * h), b, got(w * h);
    for (int i = 0; i < w * h; i++)
        a[i] = (float)(i % 11);
    b = a;
    float *A = on_gpu(a.data(), w * h), *B = on_gpu(a.data(), w * h);
    for (int s = 0; s < steps; s++) {
        step<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(A, B, w, h);
        std::swap(A, B);
        reference(a, b, w, h);
        std::swap(a, b);
    }
    from_gpu(got.data(), A, w * h);
    return compare("grid", got.data(), a.data(), w * h, 1e-6);
}
