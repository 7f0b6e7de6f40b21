// SPDX-License-Identifier: Apache-2.0
// Tiles of 64 x 64: each number comes from the L2 as often as there are tiles beside it. After: tiles of 128 x 128, half as often.
#include "pair.h"
#include "tile_product.h"
extern "C" __global__ void __launch_bounds__(128) product_64(int n, const __half *a, const __half *b, float *c)
{
    multiply_tiles<64, 2, 2, 3, true>(n, a, b, c);
}
extern "C" __global__ void __launch_bounds__(256) product_128(int n, const __half *a, const __half *b, float *c)
{
    multiply_tiles<128, 4, 2, 3, true>(n, a, b, c);
}
int main()
{
    const int n = 4096;
    __half *a = room<__half>((size_t)n * n), *b = room<__half>((size_t)n * n);
    float *c = room<float>((size_t)n * n);
    pair(
        "small_tiles", [=] { product_64<<<dim3(n / 64, n / 64), 128>>>(n, a, b, c); },
        [=] { product_128<<<dim3(n / 128, n / 128), 256>>>(n, a, b, c); });
}
