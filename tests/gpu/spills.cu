/* SPDX-License-Identifier: Apache-2.0
 * Kernels that keep values in local memory because of few registers: what a GPU does with them. Prints event times; with the word
 * `once` one launch each, for Nsight Compute. h200/spills.txt has both.
 *     nvcc -O3 -arch=sm_90 -I lab/register-passes -o spills tests/gpu/spills.cu */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include "register_passes.cu"

#define REST(cap) \
    extern "C" __global__ void __maxnreg__(cap) rest_##cap(PARAMETERS) { rest(nx, ny, nz, p, px, py, sum); }
REST(32) REST(40) REST(44) REST(52) REST(56)
extern "C" __global__ void __launch_bounds__(256, 5) rest_48(PARAMETERS) { rest(nx, ny, nz, p, px, py, sum); }
extern "C" __global__ void __launch_bounds__(256) rest_98(PARAMETERS) { rest(nx, ny, nz, p, px, py, sum); }

/* `count` values live through a loop, each used once a trip. */
template <int count> static __device__ __forceinline__ void many(int trips, const float *in, float *out)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    float v[count];
#pragma unroll
    for (int k = 0; k < count; k++)
        v[k] = in[(t + k * 32) % (1 << 20)];
    for (int i = 0; i < trips; i++) {
        const float x = in[(t + i * all) & ((1 << 22) - 1)];
#pragma unroll
        for (int k = 0; k < count; k++)
            v[k] = fmaf(v[k], x, 0.5f + k);
    }
    float sum = 0;
#pragma unroll
    for (int k = 0; k < count; k++)
        sum += v[k];
    out[t] = sum;
}
#define MANY(count, cap) \
    extern "C" __global__ void __maxnreg__(cap) many_##count##_##cap(int trips, const float *in, float *out) { many<count>(trips, in, out); }
MANY(40, 32) MANY(64, 32) MANY(64, 64) MANY(96, 40) MANY(96, 64) MANY(160, 64)
MANY(64, 96) MANY(96, 128)

/* Straight through: a bitonic sort of `count` values in registers, many short blocks. */
template <int count> static __device__ __forceinline__ void sort(const float *in, float *out)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    float v[count];
#pragma unroll
    for (int k = 0; k < count; k++)
        v[k] = in[t + (size_t)k * all];
#pragma unroll
    for (int size = 2; size <= count; size *= 2)
#pragma unroll
        for (int step = size / 2; step; step /= 2)
#pragma unroll
            for (int k = 0; k < count; k++)
                if (!(k & step)) {
                    const float a = v[k], b = v[k | step], low = fminf(a, b), high = fmaxf(a, b);
                    v[k] = k & size ? high : low;
                    v[k | step] = k & size ? low : high;
                }
#pragma unroll
    for (int k = 0; k < count; k++)
        out[t + (size_t)k * all] = v[k];
}
#define SORT(count, cap) \
    extern "C" __global__ void __maxnreg__(cap) sort_##count##_##cap(int unused, const float *in, float *out) { sort<count>(in, out); }
SORT(32, 32) SORT(64, 32) SORT(64, 48) SORT(64, 64) SORT(64, 80) SORT(32, 64)

typedef void rest_kernel(PARAMETERS);
typedef void plain_kernel(int, const float *, float *);
struct row { const char *name; const void *f; int grid, block, n, stencil; };
#define R(name, nx) {#name, (const void *)name, nx, 0, 0, 1}
#define P(name, grid, block, n) {#name, (const void *)name, grid, block, n, 0}
static const row rows[] = {
    R(rest_98, 512), R(rest_56, 512), R(rest_52, 512), R(rest_48, 512), R(rest_44, 512), R(rest_40, 512), R(rest_32, 512),
    R(rest_48, 128), R(rest_48, 256), R(rest_32, 128), R(rest_32, 1024),
    P(many_40_32, 132, 256, 1000), P(many_40_32, 528, 256, 1000), P(many_40_32, 1056, 256, 1000), P(many_40_32, 4224, 256, 250),
    P(many_64_32, 132, 256, 1000), P(many_64_32, 264, 256, 1000), P(many_64_32, 528, 256, 1000), P(many_64_32, 792, 256, 1000), P(many_64_32, 1056, 256, 1000),
    P(many_64_64, 528, 256, 1000), P(many_64_96, 528, 256, 1000),
    P(many_96_40, 132, 256, 500), P(many_96_40, 528, 256, 500), P(many_96_40, 792, 256, 500), P(many_96_64, 528, 256, 500), P(many_96_128, 528, 256, 500),
    P(many_160_64, 132, 256, 500), P(many_160_64, 264, 256, 500), P(many_160_64, 528, 256, 500),
    P(many_64_32, 2112, 128, 500), P(many_64_32, 132, 1024, 500), P(many_64_32, 4224, 256, 20), P(many_96_40, 16384, 256, 4),
    P(sort_32_32, 8192, 256, 0), P(sort_32_64, 8192, 256, 0), P(sort_64_32, 4096, 256, 0), P(sort_64_48, 4096, 256, 0),
    P(sort_64_64, 4096, 256, 0), P(sort_64_80, 4096, 256, 0), P(sort_64_32, 264, 256, 0), P(sort_64_32, 8192, 128, 0),
};

static float *a[4];
static void launch(const row &r)
{
    if (r.stencil) {
        int nx = r.grid, ny = 256, nz = 256;
        void *w[] = {&nx, &ny, &nz, &a[0], &a[1], &a[2], &a[3]};
        cudaLaunchKernel(r.f, dim3(nx / 32, ny / 8), dim3(32, 8), w, 0, 0);
    } else {
        int n = r.n;
        void *w[] = {&n, &a[0], &a[3]};
        cudaLaunchKernel(r.f, dim3(r.grid), dim3(r.block), w, 0, 0);
    }
}

int main(int count, char **words)
{
    const bool once = count > 1 && !strcmp(words[1], "once");
    const size_t bytes = (size_t)(1024 + 64) * (256 + 16) * (256 + 16) * 4;
    for (int i = 0; i < 4; i++) {
        if (cudaMalloc(&a[i], bytes) != cudaSuccess)
            return 5;
        cudaMemset(a[i], i, bytes);
    }
    cudaEvent_t from, to;
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    for (const row &r : rows) {
        float best = 1e9f, sum = 0;
        for (int i = 0; i < (once ? 1 : 7); i++) {
            float ms;
            cudaEventRecord(from);
            launch(r);
            cudaEventRecord(to);
            cudaEventSynchronize(to);
            cudaEventElapsedTime(&ms, from, to);
            best = ms < best ? ms : best;
            sum += i ? ms : 0;
        }
        cudaFuncAttributes f;
        cudaFuncGetAttributes(&f, r.f);
        int blocks = 0;
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, r.f, r.stencil ? 256 : r.block, 0);
        printf("%s grid=%d block=%d n=%d regs=%d local=%d blocks=%d best_us=%.2f mean_us=%.2f %s\n", r.name, r.grid, r.block, r.n, f.numRegs,
               (int)f.localSizeBytes, blocks, best * 1e3, sum / 6 * 1e3, cudaGetErrorString(cudaGetLastError()));
    }
    return 0;
}
