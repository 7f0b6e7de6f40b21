/* SPDX-License-Identifier: Apache-2.0
 * Bank conflicts: a tile that is read by columns. 32 floats of a column lie 128 bytes apart, in one bank; a row of 33
 * floats puts them into 32 banks. */
constexpr int tile = 32, rows = 8;

template <int width>
static __device__ __forceinline__ void transpose(int n, const float *in, float *out)
{
    __shared__ float stage[tile][width];
    int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
    for (int k = 0; k < tile; k += rows)
        stage[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * tile + threadIdx.x;
    y = blockIdx.x * tile + threadIdx.y;
    for (int k = 0; k < tile; k += rows)
        out[(size_t)(y + k) * n + x] = stage[threadIdx.x][threadIdx.y + k];
}

extern "C" __global__ void slow(int n, const float *in, float *out)
{
    transpose<tile>(n, in, out);
}

extern "C" __global__ void fast(int n, const float *in, float *out)
{
    transpose<tile + 1>(n, in, out);
}
