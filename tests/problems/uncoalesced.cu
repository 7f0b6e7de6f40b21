/* SPDX-License-Identifier: Apache-2.0
 * Uncoalesced stores: the naive transpose in blocks of 16 x 16. A warp is two rows of its block, so that it stores two
 * neighbouring words in each of 16 rows. */
extern "C" __global__ void slow(int n, const float *in, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[(size_t)x * n + y] = in[(size_t)y * n + x];
}

constexpr int tile = 32, rows = 8;

/* A tile is turned over in shared memory: whole rows are loaded and stored. */
extern "C" __global__ void fast(int n, const float *in, float *out)
{
    __shared__ float stage[tile][tile + 1];
    int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + threadIdx.y;
    for (int k = 0; k < tile; k += rows)
        stage[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * tile + threadIdx.x;
    y = blockIdx.x * tile + threadIdx.y;
    for (int k = 0; k < tile; k += rows)
        out[(size_t)(y + k) * n + x] = stage[threadIdx.x][threadIdx.y + k];
}
