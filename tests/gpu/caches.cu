// SPDX-License-Identifier: Apache-2.0
// Kernels that ask what the caches of a GPU do, for Nsight Compute: tools/gpu-session counts their hits, and
// gpu.caches holds the simulated ones against those counts. caches.ptx is this file as PTX (tools/make-lab); caches.list
// has the launches. All kernels take the same arguments:
//     n        elements of data and of offsets, where the kernel uses these
//     m        threads that have work, elements of results
//     times    repetitions
//     offsets  a permutation of 0 .. n-1
// Usage: caches LIST; prints a line for each launch that failed.
#include <cstdint>

typedef unsigned long long u64;

enum { SUMMANDS = 32 };

#define ARGUMENTS                                                                                                      \
    u64 n, u64 m, u64 times, const u64 *__restrict__ offsets, const float *__restrict__ data, float *results
#define PLAIN_ARGUMENTS u64 n, u64 m, u64 times, u64 *offsets, float *data, float *results
#define KERNEL extern "C" __global__ void

__device__ u64 thread_index()
{
    return threadIdx.x + (u64)blockDim.x * blockIdx.x;
}

// Document 002's reference: the sum lives in memory.
KERNEL lookup_original(PLAIN_ARGUMENTS)
{
    u64 i = thread_index();
    if (i >= m)
        return;
    u64 offset = offsets[i];
    for (u64 t = 0; t < times; t++) {
        for (int s = 0; s < SUMMANDS; s++)
            if (offset + s < n)
                results[i] += data[offset + s];
        offset = offsets[offset];
    }
}

// Which way a load goes.
struct Readonly {
    template <typename T> static __device__ T load(const T *from) { return __ldg(from); }
};
struct PastL1 {
    template <typename T> static __device__ T load(const T *from) { return __ldcg(from); }
};

template <typename WAY> static __device__ void lookup(ARGUMENTS)
{
    u64 i = thread_index();
    if (i >= m)
        return;
    u64 offset = WAY::load(&offsets[i]);
    float sum = 0;
    for (u64 t = 0; t < times; t++) {
#pragma unroll 8
        for (int s = 0; s < SUMMANDS && offset + s < n; s++)
            sum += WAY::load(&data[offset + s]);
        offset = WAY::load(&offsets[offset]);
    }
    results[i] = sum;
}

// Document 002: the sum in a register, loads through the read-only path.
KERNEL lookup_registers(ARGUMENTS)
{
    lookup<Readonly>(n, m, times, offsets, data, results);
}

// The same loads past the L1.
KERNEL lookup_bypass(ARGUMENTS)
{
    lookup<PastL1>(n, m, times, offsets, data, results);
}

// Document 002: four elements a load; offsets rounded down to 16 bytes.
KERNEL lookup_wide(ARGUMENTS)
{
    u64 i = thread_index();
    if (i >= m)
        return;
    u64 offset = __ldg(&offsets[i]);
    float sum = 0;
    for (u64 t = 0; t < times; t++) {
        u64 first = offset & ~(u64)3;
#pragma unroll 4
        for (int s = 0; s < SUMMANDS && first + s + 4 <= n; s += 4) {
            float4 v = __ldg((const float4 *)&data[first + s]);
            sum += v.x + v.y + v.z + v.w;
        }
        offset = __ldg(&offsets[offset]);
    }
    results[i] = sum;
}

// One sector of 32 bytes at a random place: what DRAM moves for it.
KERNEL sector_random(ARGUMENTS)
{
    u64 i = thread_index();
    if (i >= m)
        return;
    u64 at = i;
    float sum = 0;
    for (u64 t = 0; t < times; t++) {
        at = (at * 6364136223846793005ull + 1442695040888963407ull) % n;
        sum += __ldcg(&data[at & ~(u64)7]);
    }
    results[i] = sum;
}

// Each block reads its own n / gridDim elements `times` times: the capacity and the replacement of the L1.
KERNEL reread_block(ARGUMENTS)
{
    u64 each = n / gridDim.x, first = each * blockIdx.x;
    float sum = 0;
    for (u64 t = 0; t < times; t++) {
        for (u64 i = threadIdx.x; i < each; i += blockDim.x)
            sum += __ldca(&data[first + i]);
        __syncthreads();
    }
    results[thread_index()] = sum;
}

// The whole grid reads n elements `times` times, past the L1: the capacity and the replacement of the L2.
KERNEL reread_grid(ARGUMENTS)
{
    float sum = 0;
    for (u64 t = 0; t < times; t++)
        for (u64 i = thread_index(); i < n; i += (u64)gridDim.x * blockDim.x)
            sum += __ldcg(&data[i]);
    results[thread_index()] = sum;
}

// The whole grid writes n elements `times` times: how much of it is left in the L2?
KERNEL store_grid(PLAIN_ARGUMENTS)
{
    for (u64 t = 0; t < times; t++)
        for (u64 i = thread_index(); i < n; i += (u64)gridDim.x * blockDim.x)
            data[i] = (float)(i + t);
}

// Each thread reads what it wrote, `times` times, past the L1.
KERNEL store_reread(PLAIN_ARGUMENTS)
{
    u64 i = thread_index();
    if (i >= n)
        return;
    data[i] = (float)i;
    __threadfence();
    __syncthreads();
    float sum = 0;
    for (u64 t = 0; t < times; t++) {
        sum += __ldcg(&data[i]);
        __syncthreads();
    }
    if (sum < 0)
        results[0] = sum;
}

// n elements read, as many written.
KERNEL copy_grid(PLAIN_ARGUMENTS)
{
    for (u64 i = thread_index(); i < n; i += (u64)gridDim.x * blockDim.x)
        results[i] = data[i];
}

// Stores, then loads of what a neighbour in the warp stored: do stores leave lines in the L1?
KERNEL store_load(PLAIN_ARGUMENTS)
{
    u64 i = thread_index();
    if (i >= m)
        return;
    data[i] = (float)i;
    __syncthreads();
    results[i] = data[i ^ 1];
}

// Loads, then a store to the same place, then loads again: do stores throw lines out of the L1?
KERNEL load_store_load(PLAIN_ARGUMENTS)
{
    u64 i = thread_index();
    if (i >= m)
        return;
    float a = data[i];
    data[i] = a + 1;
    __syncthreads();
    results[i] = a + data[i ^ 1];
}

// Four bytes of each sector are stored: does the L2 read the rest?
KERNEL store_sparse(PLAIN_ARGUMENTS)
{
    u64 i = thread_index();
    if (i < m)
        data[8 * i] = (float)i;
}

// Document 004's array of structures: 20 doubles each, a thread reads all of its own.
KERNEL structures(ARGUMENTS)
{
    u64 i = thread_index();
    if (i >= m)
        return;
    const double *own = (const double *)data + 20 * i;
    double sum = 0;
    for (int k = 0; k < 20; k++)
        sum += __ldca(&own[k]);
    results[i] = (float)sum;
}

// Document 004's naive transpose of doubles, times x times.
KERNEL transpose(PLAIN_ARGUMENTS)
{
    u64 x = threadIdx.x % 32 + 32 * (blockIdx.x % (times / 32)), y0 = 32 * (blockIdx.x / (times / 32));
    double *from = (double *)data, *to = (double *)results;
    for (u64 y = y0 + threadIdx.x / 32; y < y0 + 32; y += blockDim.x / 32)
        to[x * times + y] = from[y * times + x];
}

// A 3D stencil of order 8 in single precision, rows of `times` floats without padding but the halo.
KERNEL stencil(ARGUMENTS)
{
    u64 row = times, plane = row * times;
    u64 x = 4 + threadIdx.x % 32 + 32 * (blockIdx.x % ((times - 8) / 32));
    u64 y = 4 + threadIdx.x / 32 + blockDim.x / 32 * (blockIdx.x / ((times - 8) / 32));
    if (y >= times - 4)
        return;
    for (u64 z = 4; (z + 4) * plane < n; z++) {
        const float *at = data + z * plane + y * row + x;
        float sum = 0;
        for (int r = 1; r <= 4; r++)
            sum += at[r] + at[-r] + at[r * (long)row] + at[-r * (long)row] + at[r * (long)plane] +
                   at[-r * (long)plane];
        results[z * plane + y * row + x] = sum + at[0];
    }
}

#ifndef __CUDA_ARCH__
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static const struct {
    const char *name;
    const void *kernel;
} kernels[] = {
#define NAMED(name) {#name, (const void *)name}
    NAMED(lookup_original), NAMED(lookup_registers), NAMED(lookup_wide), NAMED(lookup_bypass), NAMED(sector_random),
    NAMED(reread_block),    NAMED(reread_grid),      NAMED(store_load),  NAMED(load_store_load), NAMED(store_sparse),
    NAMED(store_grid),  NAMED(store_reread), NAMED(copy_grid),
    NAMED(structures),      NAMED(transpose),        NAMED(stencil),
};

static std::vector<u64> permutation(u64 n)
{
    std::vector<u64> p(n);
    u64 state = 1;
    for (u64 i = 0; i < n; i++)
        p[i] = i;
    for (u64 i = n; i > 1; i--) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        u64 j = (u64)(((unsigned __int128)state * i) >> 64);
        u64 kept = p[i - 1];
        p[i - 1] = p[j];
        p[j] = kept;
    }
    return p;
}

struct buffers {
    u64 offsets, data, results; /* bytes */
    u64 *at_offsets;
    float *at_data, *at_results;
};

static void renew(buffers *b, u64 offsets, u64 data, u64 results)
{
    if (b->offsets != offsets) {
        std::vector<u64> p = permutation(offsets);
        cudaFree(b->at_offsets);
        cudaMalloc(&b->at_offsets, 8 * offsets);
        cudaMemcpy(b->at_offsets, p.data(), 8 * offsets, cudaMemcpyHostToDevice);
        b->offsets = offsets;
    }
    cudaFree(b->at_data);
    cudaFree(b->at_results);
    cudaMalloc(&b->at_data, 4 * data);
    cudaMalloc(&b->at_results, 4 * results);
    cudaMemset(b->at_data, 0, 4 * data);
    cudaMemset(b->at_results, 0, 4 * results);
}

// A line of caches.list: KERNEL GRID BLOCK SHARED n m times OFFSETS DATA RESULTS, the last three in elements.
static int launch_line(buffers *b, const char *line)
{
    char name[64];
    unsigned grid, block, shared;
    u64 n, m, times, offsets, data, results;
    if (sscanf(line, "%63s %u %u %u %llu %llu %llu %llu %llu %llu", name, &grid, &block, &shared, &n, &m, &times,
               &offsets, &data, &results) != 10)
        return 1;
    renew(b, offsets, data, results);
    void *arguments[] = {&n, &m, &times, &b->at_offsets, &b->at_data, &b->at_results};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        if (strcmp(kernels[k].name, name) == 0) {
            cudaFuncSetAttribute(kernels[k].kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
            cudaLaunchKernel(kernels[k].kernel, dim3(grid), dim3(block), arguments, shared, 0);
            cudaError_t error = cudaDeviceSynchronize();
            if (error != cudaSuccess)
                printf("%s: %s", cudaGetErrorString(error), line);
            return error != cudaSuccess;
        }
    printf("no such kernel: %s", line);
    return 1;
}

int main(int argc, char **argv)
{
    char line[512];
    int failures = 0;
    buffers b = {};
    FILE *list = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!list)
        return 2;
    while (fgets(line, sizeof line, list))
        if (*line != '#' && *line != '\n')
            failures += launch_line(&b, line);
    fclose(list);
    return failures > 0;
}
#endif
