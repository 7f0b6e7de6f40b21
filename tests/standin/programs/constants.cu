// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <vector>

__constant__ float taps[5] = {1, 2, 3, 2, 1};
__device__ int calls = 3;

__global__ void filter(const float *from, float *to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = -2; k <= 2; k++)
        if (i + k >= 0 && i + k < n)
            sum += taps[k + 2] * from[i + k];
    if (i < n)
        to[i] = sum;
    if (i == 0)
        calls++;
}

static int run(const float *weights, const std::vector<float> &from)
{
    const int n = (int)from.size();
    std::vector<float> to(n), wanted(n);
    for (int i = 0; i < n; i++)
        for (int k = -2; k <= 2; k++)
            if (i + k >= 0 && i + k < n)
                wanted[i] += weights[k + 2] * from[i + k];
    float *F = on_gpu(from.data(), n), *T = on_gpu(to.data(), n);
    filter<<<(n + 63) / 64, 64>>>(F, T, n);
    from_gpu(to.data(), T, n);
    return compare("filtered", to.data(), wanted.data(), n);
}

int main()
{
    const float first[] = {1, 2, 3, 2, 1}, second[] = {0, -1, 4, -1, 0};
    std::vector<float> from(2000);
    for (int i = 0; i < 2000; i++)
        from[i] = (float)(i % 9);
    int bad = run(first, from), count;
    size_t bytes;
    CHECK(cudaMemcpyToSymbol(taps, second, sizeof second));
    bad |= run(second, from);
    CHECK(cudaMemcpyFromSymbol(&count, calls, sizeof count));
    CHECK(cudaGetSymbolSize(&bytes, taps));
    printf("calls: %d, bytes: %zu\n", count, bytes);
    return bad;
}
