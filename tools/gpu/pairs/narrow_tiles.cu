// SPDX-License-Identifier: Apache-2.0
// Blocks of 8 x 32 threads: a warp is four rows of 32 bytes that do not start at a sector. After: blocks of 32 x 8.
#include "pair.h"
extern "C" __global__ void brighten(const float *in, float *out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width - 1 && y < height)
        out[(size_t)y * width + x] = in[(size_t)y * width + x + 1] * 1.5f;
}
int main()
{
    const int width = 4100, height = 4096;
    float *in = room<float>((size_t)width * height), *out = room<float>((size_t)width * height);
    pair(
        "narrow_tiles",
        [=] {
            brighten<<<dim3((width + 7) / 8, height / 32), dim3(8, 32)>>>(in, out, width, height);
        },
        [=] {
            brighten<<<dim3((width + 31) / 32, height / 8), dim3(32, 8)>>>(in, out, width, height);
        });
}
