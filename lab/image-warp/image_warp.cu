// SPDX-License-Identifier: Apache-2.0
// An image of n * n floats turned about its centre: each pixel is what lies between four of the image, whose edge goes on
// outside. The reference makes the same coordinates, multiplication by multiplication.
#include <stdint.h>

struct place {
    float x, y;
};

// Where the pixel comes from: its centre, turned by the angle of the given cosine and sine.
static __device__ place turned(int n, float c, float s, int column, int row)
{
    const float middle = 0.5f * (n - 1), x = column - middle, y = row - middle;
    return {fmaf(c, x, fmaf(-s, y, middle)), fmaf(s, x, fmaf(c, y, middle))};
}

static __device__ int inside(int at, int n)
{
    return min(max(at, 0), n - 1);
}

static __device__ float loaded(int n, const float *image, place at)
{
    const float left = floorf(at.x), top = floorf(at.y), wx = at.x - left, wy = at.y - top;
    const int x0 = inside((int)left, n), x1 = inside((int)left + 1, n);
    const int y0 = inside((int)top, n) * n, y1 = inside((int)top + 1, n) * n;
    const float above = fmaf(wx, image[y0 + x1] - image[y0 + x0], image[y0 + x0]);
    const float below = fmaf(wx, image[y1 + x1] - image[y1 + x0], image[y1 + x0]);
    return fmaf(wy, below - above, above);
}

// Four loads a pixel; a warp has 32 pixels of a row.
extern "C" __global__ void image_warp_loads(int n, float c, float s, const float *__restrict__ image, float *out)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    out[row * n + column] = loaded(n, image, turned(n, c, s, column, row));
}

// A warp has 8 by 4 pixels.
extern "C" __global__ void image_warp_squares(int n, float c, float s, const float *__restrict__ image, float *out)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int column = blockIdx.x * 32 + warp % 4 * 8 + lane % 8, row = blockIdx.y * 8 + warp / 4 * 4 + lane / 8;
    out[row * n + column] = loaded(n, image, turned(n, c, s, column, row));
}

// One fetch a pixel, which filters; a warp has 32 pixels of a row.
extern "C" __global__ void image_warp_texture(int n, float c, float s, cudaTextureObject_t image, float *out)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    const place at = turned(n, c, s, column, row);
    out[row * n + column] = tex2D<float>(image, at.x + 0.5f, at.y + 0.5f);
}

// The same; a warp has 8 by 4 pixels.
extern "C" __global__ void image_warp_texture_squares(int n, float c, float s, cudaTextureObject_t image, float *out)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int column = blockIdx.x * 32 + warp % 4 * 8 + lane % 8, row = blockIdx.y * 8 + warp / 4 * 4 + lane / 8;
    const place at = turned(n, c, s, column, row);
    out[row * n + column] = tex2D<float>(image, at.x + 0.5f, at.y + 0.5f);
}

// Four pixels a thread, one below the other at distances of a warp's four rows: four fetches are on their way at once.
extern "C" __global__ void image_warp_texture_four(int n, float c, float s, cudaTextureObject_t image, float *out)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int column = blockIdx.x * 32 + warp % 4 * 8 + lane % 8, row = blockIdx.y * 32 + warp / 4 * 16 + lane / 8;
    float pixel[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const place at = turned(n, c, s, column, row + 4 * i);
        pixel[i] = tex2D<float>(image, at.x + 0.5f, at.y + 0.5f);
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        out[(row + 4 * i) * n + column] = pixel[i];
}
