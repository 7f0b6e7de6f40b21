// SPDX-License-Identifier: Apache-2.0
// Sums of tiles of 8 KiB that bulk copies bring, each awaited at once. After: a ring of four, three of them on their way.
#include "pair.h"
#include "bulk_ring.h"
enum { TILE = 2048 };
template <int STAGES> __device__ void sum_tiles(const float *in, float *out, int tiles)
{
    extern __shared__ __align__(128) float ring[];
    __shared__ uint64_t full[STAGES];
    const int mine = (tiles - blockIdx.x + gridDim.x - 1) / gridDim.x;
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES; i++)
            barrier_init(&full[i]);
    __syncthreads();
    const auto fill = [&](int t) {
        if (threadIdx.x == 0 && t < mine)
            copy_bulk(ring + t % STAGES * TILE, in + ((size_t)t * gridDim.x + blockIdx.x) * TILE, TILE * 4,
                      &full[t % STAGES]);
    };
    for (int t = 0; t < STAGES - 1; t++)
        fill(t);
    float sum = 0;
    for (int t = 0; t < mine; t++) {
        fill(t + STAGES - 1);
        barrier_wait(&full[t % STAGES], t / STAGES & 1);
        for (int i = threadIdx.x; i < TILE; i += 256)
            sum += ring[t % STAGES * TILE + i];
        __syncthreads();
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
extern "C" __global__ void __launch_bounds__(256) sum_awaited(const float *in, float *out, int tiles)
{
    sum_tiles<1>(in, out, tiles);
}
extern "C" __global__ void __launch_bounds__(256) sum_ring(const float *in, float *out, int tiles)
{
    sum_tiles<4>(in, out, tiles);
}
int main()
{
    const int tiles = 32768;
    float *in = room<float>((size_t)tiles * TILE), *out = room<float>(132 * 256);
    check(cudaFuncSetAttribute(sum_ring, cudaFuncAttributeMaxDynamicSharedMemorySize, 4 * TILE * 4));
    pair(
        "one_bulk", [=] { sum_awaited<<<132, 256, TILE * 4>>>(in, out, tiles); },
        [=] { sum_ring<<<132, 256, 4 * TILE * 4>>>(in, out, tiles); });
}
