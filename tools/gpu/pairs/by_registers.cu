// SPDX-License-Identifier: Apache-2.0
// Rows that pass registers on their way to shared memory, where each thread combines several of them. After: a bulk copy, two ahead.
#include "pair.h"
#include "bulk_ring.h"
enum { ROW = 4096, TAPS = 8, STAGES = 3 };
static __device__ float combine(const float *row, int i)
{
    float sum = 0;
    for (int k = 0; k < TAPS; k++)
        sum = fmaf(row[(i + k * 37) % ROW], 0.125f, sum);
    return sum;
}
extern "C" __global__ void __launch_bounds__(256) combine_rows(const float *in, float *out, int rows)
{
    extern __shared__ __align__(128) float row[];
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        for (int i = threadIdx.x; i < ROW; i += 256)
            row[i] = in[(size_t)r * ROW + i];
        __syncthreads();
        for (int i = threadIdx.x; i < ROW; i += 256)
            out[(size_t)r * ROW + i] = combine(row, i);
        __syncthreads();
    }
}
extern "C" __global__ void __launch_bounds__(256) combine_copied(const float *in, float *out, int rows)
{
    extern __shared__ __align__(128) float ring[];
    __shared__ uint64_t full[STAGES];
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES; i++)
            barrier_init(&full[i]);
    __syncthreads();
    const auto fill = [&](int t) {
        const int r = blockIdx.x + t * gridDim.x;
        if (threadIdx.x == 0 && r < rows)
            copy_bulk(ring + t % STAGES * ROW, in + (size_t)r * ROW, ROW * 4, &full[t % STAGES]);
    };
    for (int t = 0; t < STAGES - 1; t++)
        fill(t);
    for (int t = 0; blockIdx.x + t * gridDim.x < rows; t++) {
        const int r = blockIdx.x + t * gridDim.x;
        fill(t + STAGES - 1);
        barrier_wait(&full[t % STAGES], t / STAGES & 1);
        for (int i = threadIdx.x; i < ROW; i += 256)
            out[(size_t)r * ROW + i] = combine(ring + t % STAGES * ROW, i);
        __syncthreads();
    }
}
int main()
{
    const int rows = 16384;
    float *in = room<float>((size_t)rows * ROW), *out = room<float>((size_t)rows * ROW);
    check(cudaFuncSetAttribute(combine_copied, cudaFuncAttributeMaxDynamicSharedMemorySize, STAGES * ROW * 4));
    pair(
        "by_registers", [=] { combine_rows<<<528, 256, ROW * 4>>>(in, out, rows); },
        [=] { combine_copied<<<528, 256, STAGES * ROW * 4>>>(in, out, rows); });
}
