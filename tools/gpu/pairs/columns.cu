// SPDX-License-Identifier: Apache-2.0
// Uncoalesced: a thread a row, so that neighbouring threads are a row apart. After: a warp a row.
#include "pair.h"
extern "C" __global__ void row_sums(const float *a, float *sums, int rows, int width)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = 0; i < width; i++)
        sum += a[(size_t)row * width + i];
    sums[row] = sum;
}
extern "C" __global__ void row_sums_warp(const float *a, float *sums, int rows, int width)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = lane; i < width; i += 32)
        sum += a[(size_t)row * width + i];
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0)
        sums[row] = sum;
}
int main()
{
    const int rows = 65536, width = 512;
    float *a = room<float>((size_t)rows * width), *sums = room<float>(rows);
    pair(
        "columns", [=] { row_sums<<<rows / 256, 256>>>(a, sums, rows, width); },
        [=] { row_sums_warp<<<rows / 8, 256>>>(a, sums, rows, width); });
}
