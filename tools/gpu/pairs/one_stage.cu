// SPDX-License-Identifier: Apache-2.0
// Tiles that cp.async brings and that are awaited at once. After: three stages.
#include "pair.h"
#include "tile_product.h"
extern "C" __global__ void __launch_bounds__(256) product_awaited(int n, const __half *a, const __half *b, float *c)
{
    multiply_tiles<128, 4, 2, 1, true>(n, a, b, c);
}
extern "C" __global__ void __launch_bounds__(256) product_stages(int n, const __half *a, const __half *b, float *c)
{
    multiply_tiles<128, 4, 2, 3, true>(n, a, b, c);
}
int main()
{
    const int n = 2048;
    __half *a = room<__half>((size_t)n * n), *b = room<__half>((size_t)n * n);
    float *c = room<float>((size_t)n * n);
    const dim3 grid(n / 128, n / 128);
    pair(
        "one_stage", [=] { product_awaited<<<grid, 256>>>(n, a, b, c); },
        [=] { product_stages<<<grid, 256>>>(n, a, b, c); });
}
