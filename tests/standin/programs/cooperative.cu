// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void rounds(int *x, int n, int times)
{
    cg::grid_group grid = cg::this_grid();
    for (int r = 0; r < times; r++) {
        for (unsigned i = grid.thread_rank(); i < (unsigned)n; i += grid.size())
            x[(r + 1) * n + i] = x[r * n + (i + 1) % n] + 1;
        grid.sync();
    }
}

__global__ void tiles(int *to)
{
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<8>(block);
    int mine = block.thread_rank();
    for (int d = tile.size() / 2; d; d /= 2)
        mine += tile.shfl_down(mine, d);
    if (tile.thread_rank() == 0)
        to[tile.meta_group_rank()] = mine;
}

int main()
{
    int n = 1000, times = 5, *x, got[1000], sums[16], bad = 0;
    CHECK(cudaMalloc(&x, (times + 1) * n * sizeof(int)));
    CHECK(cudaMemset(x, 0, (times + 1) * n * sizeof(int)));
    void *arguments[] = {&x, &n, &times};
    CHECK(cudaLaunchCooperativeKernel((void *)rounds, dim3(4), dim3(128), arguments, 0, 0));
    CHECK(cudaMemcpy(got, x + times * n, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        bad += got[i] != times;
    printf("wrong after %d rounds: %d\n", times, bad);
    tiles<<<1, 128>>>(x);
    CHECK(cudaMemcpy(sums, x, sizeof sums, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 16; t++)
        bad += sums[t] != 8 * 8 * t + 28;
    printf("wrong: %d\n", bad);
    printf("too large: %s\n", cudaGetErrorName(cudaLaunchCooperativeKernel(
                                  (void *)rounds, dim3(1 << 20), dim3(128), arguments, 0, 0)));
    int per_sm;
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, rounds, 128, 0));
    const int most = per_sm * properties.multiProcessorCount;
    times = 0;
    CHECK(cudaLaunchCooperativeKernel((void *)rounds, dim3(most), dim3(128), arguments, 0, 0));
    CHECK(cudaDeviceSynchronize());
    printf("one more: %s\n", cudaGetErrorName(cudaLaunchCooperativeKernel(
                                 (void *)rounds, dim3(most + 1), dim3(128), arguments, 0, 0)));
    return bad != 0;
}
