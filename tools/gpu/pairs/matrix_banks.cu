// SPDX-License-Identifier: Apache-2.0
// ldmatrix of rows of 64 bytes: four passes for each eight of them. After: the pieces of 16 bytes of a row are swapped by its number.
#include "pair.h"
#include "tile_product.h"
extern "C" __global__ void __launch_bounds__(128) product_rows(int n, const __half *a, const __half *b, float *c)
{
    multiply_tiles<64, 2, 2, 3, false>(n, a, b, c);
}
extern "C" __global__ void __launch_bounds__(128) product_swizzled(int n, const __half *a, const __half *b, float *c)
{
    multiply_tiles<64, 2, 2, 3, true>(n, a, b, c);
}
int main()
{
    const int n = 2048;
    __half *a = room<__half>((size_t)n * n), *b = room<__half>((size_t)n * n);
    float *c = room<float>((size_t)n * n);
    const dim3 grid(n / 64, n / 64);
    pair(
        "matrix_banks", [=] { product_rows<<<grid, 128>>>(n, a, b, c); },
        [=] { product_swizzled<<<grid, 128>>>(n, a, b, c); });
}
