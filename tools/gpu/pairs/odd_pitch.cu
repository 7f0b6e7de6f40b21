// SPDX-License-Identifier: Apache-2.0
// Rows of 1,001 words, so that most warps do not start at a sector. After: rows padded to 1,024.
#include "pair.h"
extern "C" __global__ void scale_rows(const float *in, float *out, int rows, int width, int pitch)
{
    for (int row = blockIdx.x; row < rows; row += gridDim.x)
        for (int x = threadIdx.x; x < width; x += blockDim.x)
            out[(size_t)row * pitch + x] = 2 * in[(size_t)row * pitch + x];
}
int main()
{
    const int rows = 16384, width = 1001;
    float *in = room<float>((size_t)rows * 1024), *out = room<float>((size_t)rows * 1024);
    pair(
        "odd_pitch", [=] { scale_rows<<<1056, 256>>>(in, out, rows, width, 1001); },
        [=] { scale_rows<<<1056, 256>>>(in, out, rows, width, 1024); });
}
