// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include <vector>

__global__ void plain(const int *from, int *to, int w, int h)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32 && y + j < h; j += 8)
        if (x < w)
            to[x * h + y + j] = from[(y + j) * w + x];
}

__global__ void tiled(const int *from, int *to, int w, int h)
{
    __shared__ int tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < w && y + j < h)
            tile[threadIdx.y + j][threadIdx.x] = from[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < h && y + j < w)
            to[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main()
{
    const int w = 200, h = 130;
    std::vector<int> from(w * h), to(w * h), wanted(w * h);
    for (int i = 0; i < w * h; i++) {
        from[i] = i;
        wanted[i % w * h + i / w] = i;
    }
    int *F = on_gpu(from.data(), w * h), *T = on_gpu(to.data(), w * h);
    const dim3 grid((w + 31) / 32, (h + 31) / 32), block(32, 8);
    plain<<<grid, block>>>(F, T, w, h);
    from_gpu(to.data(), T, w * h);
    int bad = compare("plain", to.data(), wanted.data(), w * h);
    CHECK(cudaMemset(T, 0, w * h * sizeof(int)));
    tiled<<<grid, block>>>(F, T, w, h);
    from_gpu(to.data(), T, w * h);
    return bad | compare("tiled", to.data(), wanted.data(), w * h);
}
