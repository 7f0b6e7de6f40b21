/* SPDX-License-Identifier: Apache-2.0
 * Where and when the clusters of a grid run, for src/device/block_places.c: clusters that work for a given time, and the lab's histogram
 * in distributed shared memory. Prints a line a launch: what it is, blocks of a cluster, threads and KiB of shared memory of a block,
 * clusters, how long each works; and then one for each cluster: its number, when it began and ended in ns since the first began, and the
 * SMs of its blocks. `judge` prints of more of them only what Nsight Compute does not: kernel, blocks, threads.
 *
 *     nvcc -arch=sm_90 -std=c++17 -O3 -o cluster_place_probe cluster_place_probe.cu; cluster_place_probe > cluster_places.txt */
#include "cuda_check.h"

#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace cg = cooperative_groups;

enum { MOST_BLOCKS = 16384, HOLD = 100000, NUMBERS = 1 << 25 };
enum way { EQUAL, MIXED, FIRST, LATER, WAYS };
static const char *const ways[] = {"equal", "mixed", "first", "later"};

struct span {
    unsigned long long begin, end;
    unsigned sm;
};

static __device__ unsigned mixed(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

static __device__ unsigned long long now()
{
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

static __device__ void note(span *out, unsigned long long begin)
{
    unsigned sm;
    asm("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x == 0)
        out[blockIdx.x] = {begin, now(), sm};
}

/* Cycles of a block: as long as all others; by cluster half to one and a half of it; in each cluster the first block ten times as long;
 * clusters one after the other a little longer. */
static __device__ long long cycles_of(int way, unsigned cluster, unsigned rank)
{
    switch (way) {
    case MIXED:
        return HOLD / 2 + (long long)(mixed(cluster) % HOLD);
    case FIRST:
        return rank ? HOLD / 4 : HOLD * 5 / 2;
    case LATER:
        return HOLD + cluster * 400;
    }
    return HOLD;
}

static __global__ void place(int way, span *out)
{
    const unsigned long long begin = now();
    const long long start = clock64();
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned size = cluster.num_blocks();
    const long long cycles = cycles_of(way, blockIdx.x / size, blockIdx.x % size);
    while (clock64() - start < cycles)
        ;
    note(out, begin);
}

template <int SLICES> static __global__ void histogram(int n, const uint16_t *numbers, unsigned *counts, span *out)
{
    enum { SLICE = 65536 / 8 };
    const unsigned long long begin = now();
    __shared__ unsigned mine[SLICE];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < SLICE; i += blockDim.x)
        mine[i] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(cluster.map_shared_rank(mine, numbers[i] / SLICE % SLICES) + numbers[i] % SLICE, 1);
    cluster.sync();
    for (int i = threadIdx.x; i < SLICE; i += blockDim.x)
        if (mine[i])
            atomicAdd(&counts[cluster.block_rank() * SLICE + i], mine[i]);
    note(out, begin);
}

/* Work that does not wait for a clock: of each block as much, or of the first of a cluster ten times as much. */
template <int SIZE, bool DIFFERS> static __global__ void __cluster_dims__(SIZE) works(int trips, float *to)
{
    __shared__ float own[12288];
    const int all = DIFFERS && cg::this_cluster().block_rank() == 0 ? 10 * trips : trips;
    float x = (float)threadIdx.x;
    for (int i = 0; i < all; i++)
        x = x * 1.0001f + 0.5f;
    own[threadIdx.x] = x;
    __syncthreads();
    to[blockIdx.x * blockDim.x + threadIdx.x] = own[blockDim.x - 1 - threadIdx.x];
}

static __global__ void fill(int n, uint16_t *numbers)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        numbers[i] = (uint16_t)mixed(i);
}

static span *out, host[MOST_BLOCKS];
static uint16_t *numbers;
static unsigned *counts;
static cudaLaunchAttribute attribute;

static cudaLaunchConfig_t config_of(int clusters, int size, int threads, int kib)
{
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {(unsigned)size, 1, 1};
    config.gridDim = clusters * size;
    config.blockDim = threads;
    config.dynamicSmemBytes = kib << 10;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return config;
}

static void print(const char *name, const char *way, int clusters, int size, int threads, int kib)
{
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, out, sizeof(span) * clusters * size, cudaMemcpyDeviceToHost));
    unsigned long long first = host[0].begin;
    for (int b = 1; b < clusters * size; b++)
        first = host[b].begin < first ? host[b].begin : first;
    printf("launch %s %d %d %d %d %s\n", name, size, threads, kib, clusters, way);
    for (int c = 0; c < clusters; c++) {
        unsigned long long begin = host[c * size].begin, end = host[c * size].end;
        for (int b = 1; b < size; b++) {
            const span &s = host[c * size + b];
            begin = s.begin < begin ? s.begin : begin;
            end = s.end > end ? s.end : end;
        }
        printf("%d %llu %llu", c, begin - first, end - first);
        for (int b = 0; b < size; b++)
            printf(" %u", host[c * size + b].sm);
        printf("\n");
    }
}

static int held(const cudaLaunchConfig_t &config)
{
    int most = 0;
    CHECK(cudaOccupancyMaxActiveClusters(&most, place, &config));
    return most;
}

static void measure(int size, int threads, int kib)
{
    cudaLaunchConfig_t config = config_of(1, size, threads, kib);
    const int most = held(config);
    for (int way = 0; way < WAYS; way++)
        for (int times : {2, 4, 5, 6, 9}) { /* quarters of what the GPU holds */
            const int clusters = most * times / 4 + (times > 4);
            if ((way == FIRST && times < 6) || (way == LATER && times < 9) || clusters * size > MOST_BLOCKS)
                continue;
            config = config_of(clusters, size, threads, kib);
            CHECK(cudaLaunchKernelEx(&config, place, way, out));
            print("place", ways[way], clusters, size, threads, kib);
        }
}

template <int SLICES> static void measure_histogram(int blocks)
{
    const cudaLaunchConfig_t config = config_of(blocks / SLICES, SLICES, 256, 0);
    for (int repeat = 0; repeat < 3; repeat++) {
        CHECK(cudaLaunchKernelEx(&config, histogram<SLICES>, NUMBERS, (const uint16_t *)numbers, counts, out));
        if (repeat)
            print("histogram", "numbers", blocks / SLICES, SLICES, 256, 32);
    }
}

template <int SIZE> static void judge_works(float *to)
{
    for (int clusters : {20, 60, 132, 150, 200, 300})
        for (int threads : {256, 1024}) {
            if (clusters * SIZE > 2400)
                continue;
            works<SIZE, false><<<clusters * SIZE, threads>>>(4000, to);
            works<SIZE, true><<<clusters * SIZE, threads>>>(1000, to);
            CHECK(cudaDeviceSynchronize());
            printf("works %d %d %d\n", SIZE, clusters * SIZE, threads);
        }
}

template <int SLICES> static void judge_histogram(int blocks, int threads)
{
    const cudaLaunchConfig_t config = config_of(blocks / SLICES, SLICES, threads, 0);
    CHECK(cudaLaunchKernelEx(&config, histogram<SLICES>, NUMBERS / 4, (const uint16_t *)numbers, counts, out));
    CHECK(cudaDeviceSynchronize());
    printf("histogram %d %d %d\n", SLICES, blocks, threads);
}

static int judge()
{
    float *to;
    CHECK(cudaMalloc(&to, 2400 * 1024 * sizeof *to));
    judge_works<2>(to);
    judge_works<4>(to);
    judge_works<8>(to);
    for (int threads : {128, 256, 512})
        for (int blocks : {400, 640, 800, 960, 1056, 1200, 1600}) {
            judge_histogram<8>(blocks, threads);
            judge_histogram<4>(blocks, threads);
            judge_histogram<2>(blocks, threads);
        }
    return 0;
}

int main(int count, char **)
{
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMalloc(&numbers, NUMBERS * sizeof *numbers));
    CHECK(cudaMalloc(&counts, 65536 * sizeof *counts));
    fill<<<1056, 256>>>(NUMBERS, numbers);
    if (count > 1)
        return judge();
    CHECK(cudaFuncSetAttribute(place, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    CHECK(cudaFuncSetAttribute(place, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    for (int size : {1, 2, 4, 8, 16})
        for (int kib : {200, 100, 70, 32})
            measure(size, 256, kib);
    measure(3, 128, 200);
    measure(6, 128, 100);
    measure(8, 1024, 0);
    measure(2, 512, 0);
    measure_histogram<8>(1056);
    measure_histogram<4>(1056);
    measure_histogram<2>(1056);
    measure_histogram<8>(736);
    measure_histogram<8>(1472);
    return 0;
}
