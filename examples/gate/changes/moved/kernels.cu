// SPDX-License-Identifier: Apache-2.0
// Three kernels as a project has them: each is held by kernels.budget.

constexpr int TILE = 32;
constexpr int TAPS = 8;

// x = x / 2 + shift
extern "C" __global__ void scale(float *x, float shift, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] * 0.5f + shift;
}

// A filter with TAPS taps along n values.
extern "C" __global__ void smooth(float *out, const float *in, const float *weights, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + TAPS > n)
        return;
    float sum = 0;
    for (int tap = 0; tap < TAPS; tap++)
        sum += in[i + tap] * weights[tap];
    out[i] = sum;
}

// out = in transposed; n is a multiple of TILE. Blocks of 32 by 8.
extern "C" __global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    const int x = blockIdx.x * TILE + threadIdx.x;
    const int y = blockIdx.y * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += 8)
        tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * n + x];
    __syncthreads();
    const int across = blockIdx.y * TILE + threadIdx.x;
    const int down = blockIdx.x * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += 8)
        out[(down + row) * n + across] = tile[threadIdx.x][threadIdx.y + row];
}
