/* SPDX-License-Identifier: Apache-2.0
 * Which reads of the same bytes by several SMs reach the L2 as one, for src/time/: its coalescer of requests (LRC in Nsight Compute's
 * guide) joins some. One block an SM reads 256 KiB past the L1, in order, which lies in the L2; the blocks of a stream read the same bytes,
 * each `delay` cycles after the one before it. Launches, in this order, and of each the blocks of a stream:
 *     all         every block reads the one stream
 *     near C      the C blocks of a cluster, which one GPC has
 *     far C       the blocks of one rank in their clusters of C, one a cluster
 * with 1, 8 and 32 warps a block, each with four loads of 16 bytes a lane outstanding, and delays of 0 to 30,000 cycles. `paced`: a block
 * goes on only every 4,096 cycles, so that who is behind stays as far behind. Each is launched twice: the first brings the bytes to the L2.
 * The program prints a row a launch: NAME C STREAMS BLOCKS WARPS DELAY CYCLES (of the slowest block, from its start); then the SMs of
 * the clusters of 16 of some launches ("gpc SM SM ..."), and the SM of each of 132 blocks without clusters ("block SM"). Under Nsight
 * Compute with --replay-mode application (others put memory aside, which empties the L2) the sectors that the L1s ask for and that the
 * L2 looks up tell what was joined.
 *     nvcc -arch=native -std=c++17 -O3 -w -o shared_read_probe shared_read_probe.cu */
#include "cuda_check.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { STREAM_BYTES = 256 << 10, UNROLL = 4, MOST_BLOCKS = 1024, SHARED_BYTES = 160 << 10 };

struct way {
    unsigned cluster, is_near, is_all, delay, period; /* cycles; 0: goes on at once */
};

static __device__ unsigned cluster_rank()
{
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}

static __device__ uint4 read(const uint4 *at)
{
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(at));
    return v;
}

/* All blocks are resident: they start together. */
static __device__ void meet(unsigned *arrived)
{
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < gridDim.x)
            ;
    }
    __syncthreads();
}

__global__ void shared_reads(const uint4 *data, way w, unsigned *arrived, unsigned *cycles, unsigned *sink)
{
    extern __shared__ unsigned keeps_others_away[];
    const unsigned rank = cluster_rank(), cluster = blockIdx.x / w.cluster,
                   stream = w.is_all ? 0 : w.is_near ? cluster : rank,
                   place = w.is_all ? blockIdx.x : w.is_near ? rank : cluster;
    const uint4 *from = data + (size_t)stream * (STREAM_BYTES / sizeof(uint4));
    unsigned sum = 0;
    meet(arrived);
    const long long start = clock64(), begin = start + (long long)w.delay * place;
    while (clock64() < begin)
        ;
    const long long first = clock64();
    long long next = begin;
    for (unsigned i = threadIdx.x; i < STREAM_BYTES / sizeof(uint4); i += UNROLL * blockDim.x, next += w.period) {
        uint4 v[UNROLL];
        while (w.period && clock64() < next)
            ;
        for (unsigned u = 0; u < UNROLL; u++)
            v[u] = read(from + i + u * blockDim.x);
        for (unsigned u = 0; u < UNROLL; u++)
            sum += v[u].x ^ v[u].y ^ v[u].z ^ v[u].w;
    }
    if (sum == 0x12345678)
        *sink = sum + keeps_others_away[0];
    atomicMax(cycles, (unsigned)(clock64() - first));
}

__global__ void where(unsigned *sm, long long cycles)
{
    extern __shared__ unsigned keeps_others_away[];
    const long long begin = clock64();
    if (threadIdx.x == 0)
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm[blockIdx.x]));
    while (clock64() - begin < cycles)
        ;
}

static const uint4 *data;
static unsigned *words; /* arrived, cycles, sink */

static void launch(const char *name, way w, unsigned warps)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {w.cluster, 1, 1};
    config.blockDim = {warps * 32, 1, 1};
    config.dynamicSmemBytes = SHARED_BYTES;
    config.attrs = &attribute;
    config.numAttrs = 1;
    config.gridDim = {w.cluster, 1, 1};
    int clusters = 0;
    CHECK(cudaOccupancyMaxActiveClusters(&clusters, shared_reads, &config));
    const unsigned blocks = clusters * w.cluster;
    config.gridDim = {blocks, 1, 1};
    for (int run = 0; run < 2; run++) {
        CHECK(cudaMemset(words, 0, 3 * sizeof *words));
        CHECK(cudaLaunchKernelEx(&config, shared_reads, data, w, words, words + 1, words + 2));
    }
    unsigned cycles;
    CHECK(cudaMemcpy(&cycles, words + 1, sizeof cycles, cudaMemcpyDeviceToHost));
    printf("%s %u %u %u %u %u %u\n", name, w.cluster, w.is_all ? 1 : w.is_near ? clusters : w.cluster, blocks, warps, w.delay, cycles);
}

/* Blocks of a cluster lie in one GPC. */
static void tell_places(unsigned cluster)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {cluster, 1, 1};
    config.blockDim = {32, 1, 1};
    config.dynamicSmemBytes = SHARED_BYTES;
    config.attrs = &attribute;
    config.numAttrs = 1;
    config.gridDim = {cluster, 1, 1};
    int clusters = 0;
    unsigned *sm, at[MOST_BLOCKS];
    CHECK(cudaOccupancyMaxActiveClusters(&clusters, where, &config));
    config.gridDim = {clusters * cluster, 1, 1};
    CHECK(cudaMalloc(&sm, sizeof at));
    CHECK(cudaLaunchKernelEx(&config, where, sm, 100000ll));
    CHECK(cudaMemcpy(at, sm, sizeof at, cudaMemcpyDeviceToHost));
    for (int c = 0; c < clusters; c++) {
        printf("%s", cluster > 1 ? "gpc" : "block");
        for (unsigned i = 0; i < cluster; i++)
            printf(" %u", at[c * cluster + i]);
        printf("\n");
    }
    CHECK(cudaFree(sm));
}

int main()
{
    static const unsigned delays[] = {0, 100, 300, 1000, 3000, 10000, 30000}, warps[] = {1, 8, 32}, clusters[] = {2, 4, 8, 16},
                          paces[] = {0, 50, 100, 150, 200, 250, 300, 350, 400, 500, 600, 800, 1000};
    for (auto kernel : {(const void *)shared_reads, (const void *)where}) {
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES));
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    }
    void *all;
    CHECK(cudaMalloc(&all, (size_t)132 * STREAM_BYTES));
    CHECK(cudaMemset(all, 1, (size_t)132 * STREAM_BYTES));
    CHECK(cudaMalloc(&words, 3 * sizeof *words));
    data = (const uint4 *)all;
    for (unsigned n : warps)
        launch("near", {1, 1, 0, 0, 0}, n);
    for (unsigned n : {1u, 8u})
        for (unsigned delay : paces)
            for (unsigned cluster : {2u, 4u, 8u})
                if (cluster == 2 || delay <= 300)
                    launch("paced", {cluster, 1, 0, delay, 4096}, n);
    for (unsigned n : warps)
        for (unsigned delay : delays) {
            if (delay <= 3000)
                launch("all", {1, 0, 1, delay, 0}, n);
            for (unsigned cluster : clusters) {
                launch("near", {cluster, 1, 0, delay, 0}, n);
                if (delay <= 10000)
                    launch("far", {cluster, 0, 0, delay, 0}, n);
            }
        }
    tell_places(16);
    tell_places(16);
    tell_places(8);
    tell_places(2);
    tell_places(1);
    return 0;
}
