// SPDX-License-Identifier: Apache-2.0
// Neighbouring threads store a row apart. After: through a tile in shared memory, an element a thread.
#include "pair.h"
extern "C" __global__ void turn(const float *in, float *out, int n)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    out[(size_t)x * n + y] = in[(size_t)y * n + x];
}
extern "C" __global__ void turn_tile(const float *in, float *out, int n)
{
    __shared__ float tile[32][33];
    tile[threadIdx.y][threadIdx.x] =
        in[(size_t)(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    out[(size_t)(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] =
        tile[threadIdx.x][threadIdx.y];
}
int main()
{
    const int n = 8192;
    float *in = room<float>((size_t)n * n), *out = room<float>((size_t)n * n);
    const dim3 grid(n / 32, n / 32), block(32, 32);
    pair(
        "column_writes", [=] { turn<<<grid, block>>>(in, out, n); },
        [=] { turn_tile<<<grid, block>>>(in, out, n); });
}
