/* SPDX-License-Identifier: Apache-2.0
 *
 * offset: a time step of the wave equation, 8th order in space: wave = 2 p - wave + velocity *
 * (discrete Laplacian of p), in float. The grid is padded by four cells on all sides, so that the
 * stencil never leaves it. A block owns 64 x 16 columns and walks down z: nine values of its column
 * stay in registers, the plane that it is in goes through shared memory.
 *
 *   version                    what it changes, and why
 *   offset_step, packed        rows of 4 + 512 + 4 floats: 2080 bytes, a multiple of 32 but not of
 *                              128, and the first cell 16 bytes into its row. No warp starts at a
 *                              line: 2 lines where 1 would do, 5 sectors where 4 would
 *   offset_step, aligned       the same kernel; rows of a multiple of 128 bytes, and the array
 *                              begun 16 bytes before a line, so that the first cell stands at one
 *   offset_step_early          packed and aligned (ours): velocity and wave asked for before the
 *                              barrier, together with the next plane: two long waits become one
 *   offset_step_readonly       packed, with the loads of p through the read-only path: fewer bytes
 *                              fetched for nothing on GPUs whose L1 fetches whole lines; as many
 *                              lines a request as before
 *
 * A plane of a block of 32 warps takes 144 load requests: its own cells, the wave before, the
 * velocity (32 each), the halo above and below (16), the halo left and right (32, a line each even
 * where packed). Packed they touch 256 lines: 1.78 a request. */

constexpr int radius = 4;
constexpr int width = 64;
constexpr int height = 16;

/* Coefficients of the second derivative, 8th order. */
static __device__ __forceinline__ float weight(int distance)
{
    constexpr float of[radius + 1] = {-205.0f / 72, 8.0f / 5, -1.0f / 5, 8.0f / 315, -1.0f / 560};
    return of[distance];
}

template <bool readonly> static __device__ __forceinline__ float load(const float *p)
{
    return readonly ? __ldg(p) : *p;
}

/* `rows` counts a plane's rows with their padding, `pitch` a row's floats; the arrays begin at the
 * first cell of the padding. */
template <bool readonly, bool early>
static __device__ __forceinline__ void step(int pitch, int rows, int planes, const float *p,
                                            const float *velocity, float *wave)
{
    __shared__ float tile[height + 2 * radius][width + 2 * radius];
    const int x = threadIdx.x, y = threadIdx.y;
    const size_t plane = (size_t)pitch * rows;
    size_t at =
        (size_t)(blockIdx.y * height + y + radius) * pitch + blockIdx.x * width + x + radius;

    float column[2 * radius + 1];
#pragma unroll
    for (int k = 0; k < 2 * radius; k++)
        column[k + 1] = load<readonly>(p + at + k * plane);
    at += radius * plane;
    for (int z = 0; z < planes; z++, at += plane) {
#pragma unroll
        for (int k = 0; k < 2 * radius; k++)
            column[k] = column[k + 1];
        column[2 * radius] = load<readonly>(p + at + radius * plane);
        const float centre = column[radius];
        float speed, before;
        if (early) {
            speed = velocity[at];
            before = wave[at];
        }
        __syncthreads();
        tile[y + radius][x + radius] = centre;
        if (y < radius) {
            tile[y][x + radius] = load<readonly>(p + at - radius * pitch);
            tile[y + height + radius][x + radius] = load<readonly>(p + at + height * pitch);
        }
        if (x < radius) {
            tile[y + radius][x] = load<readonly>(p + at - radius);
            tile[y + radius][x + width + radius] = load<readonly>(p + at + width);
        }
        __syncthreads();
        float sum = 3 * weight(0) * centre;
#pragma unroll
        for (int k = 1; k <= radius; k++) {
            float around = tile[y + radius][x + radius - k] + tile[y + radius][x + radius + k];
            around += tile[y + radius - k][x + radius] + tile[y + radius + k][x + radius];
            around += column[radius - k] + column[radius + k];
            sum = fmaf(weight(k), around, sum);
        }
        if (!early) {
            speed = velocity[at];
            before = wave[at];
        }
        wave[at] = fmaf(speed, sum, fmaf(2.0f, centre, -before));
    }
}

extern "C" __global__ void __launch_bounds__(width *height)
    offset_step(int pitch, int rows, int planes, const float *p, const float *velocity, float *wave)
{
    step<false, false>(pitch, rows, planes, p, velocity, wave);
}

extern "C" __global__ void __launch_bounds__(width *height)
    offset_step_readonly(int pitch, int rows, int planes, const float *p, const float *velocity,
                         float *wave)
{
    step<true, false>(pitch, rows, planes, p, velocity, wave);
}

extern "C" __global__ void __launch_bounds__(width *height)
    offset_step_early(int pitch, int rows, int planes, const float *p, const float *velocity,
                      float *wave)
{
    step<false, true>(pitch, rows, planes, p, velocity, wave);
}
