/* SPDX-License-Identifier: Apache-2.0
 *
 * transpose: out[x][y] = in[y][x], doubles, n x n, n a multiple of 32. Every version moves each
 * element once. What differs is who stands beside whom when a warp reads and writes: 32 threads
 * that read neighbours in a row own neighbours in a column when they write.
 *
 *   version           what it changes, and why
 *   transpose_naive   each thread writes what it has read: a warp reads 2 lines and writes to 32,
 *                     8 bytes in each
 *   transpose_staged  a block turns a tile of 32 x 32 over in shared memory, so that reading and
 *                     writing both go along rows. Now the columns are read from shared memory: 32
 *                     doubles lie 256 bytes apart, all of a half-warp in one bank
 *   transpose_padded  a row of 33 doubles: a column's elements lie on different banks
 *   transpose_short   the same with a block of 32 x 8 threads, four rows each: four loads a thread
 *                     on their way at once, and blocks small enough for eight on an SM (ours) */

constexpr int tile = 32;
constexpr int short_rows = 8;

extern "C" __global__ void transpose_naive(int n, const double *in, double *out)
{
    int x = blockIdx.x * tile + threadIdx.x;
    int y = blockIdx.y * tile + threadIdx.y;
    out[(size_t)x * n + y] = in[(size_t)y * n + x];
}

/* A tile by blocks of 32 x `rows` threads; a row of it is `width` doubles in shared memory. */
template <int width, int rows>
static __device__ __forceinline__ void through_shared(int n, const double *in, double *out)
{
    __shared__ double stage[tile * width];
    int x = blockIdx.x * tile + threadIdx.x;
    int y = blockIdx.y * tile + threadIdx.y;
#pragma unroll
    for (int k = 0; k < tile; k += rows)
        stage[(threadIdx.y + k) * width + threadIdx.x] = in[(size_t)(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * tile + threadIdx.x;
    y = blockIdx.x * tile + threadIdx.y;
#pragma unroll
    for (int k = 0; k < tile; k += rows)
        out[(size_t)(y + k) * n + x] = stage[threadIdx.x * width + threadIdx.y + k];
}

extern "C" __global__ void transpose_staged(int n, const double *in, double *out)
{
    through_shared<tile, tile>(n, in, out);
}

extern "C" __global__ void transpose_padded(int n, const double *in, double *out)
{
    through_shared<tile + 1, tile>(n, in, out);
}

extern "C" __global__ void transpose_short(int n, const double *__restrict__ in,
                                           double *__restrict__ out)
{
    through_shared<tile + 1, short_rows>(n, in, out);
}
