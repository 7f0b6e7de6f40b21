/* SPDX-License-Identifier: Apache-2.0
 * What accesses to the shared memory of other blocks of a cluster cost by the size of the cluster, by which block is asked, by lanes and by
 * how many blocks ask, for src/time/. Each SM has one block of eight or 32 warps. Prints a line a launch: the operation, whom a lane asks, its
 * words, blocks of a cluster, clusters, which blocks of a cluster ask, warps, lanes, cycles for each instruction of an asking SM, and for
 * the first cluster the SMs of its blocks.
 *
 *     nvcc -arch=sm_90 -std=c++17 -O3 -o remote_probe remote_probe.cu; remote_probe > remotes.txt */
#include "cuda_check.h"

#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>

enum { TRIPS = 16, UNROLL = 8, WORDS = 32768, BYTES = 4 * WORDS, MOST_BLOCKS = 132, MOST_WARPS = 32, REPEATS = 3 };
enum op { LOAD, STORE, RED, ATOM, GENERIC, LOAD8, LOAD16, STORE16, OPS };
enum target { OWN, BESIDE, NEXT, SECOND, OTHERS, ALL, TARGETS };
enum words { SAME, ROW, SECTOR, RANDOM, LINE, PAIR, OCTET, FOUR, WAYS };
static const char *const ops[] = {"load", "store", "red", "atom", "generic", "load8", "load16", "store16"};
static const char *const targets[] = {"own", "beside", "next", "second", "others", "all"};
static const char *const ways[] = {"same", "row", "sector", "random", "line", "pair", "octet", "four"};

struct span {
    long long begin, end;
    unsigned sm;
};

struct question {
    int target, way, lanes, asking; /* blocks of a cluster that ask */
};

static __device__ unsigned mixed(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

static __device__ unsigned rank_of(const question &q, unsigned own, unsigned count, unsigned random)
{
    switch (q.target) {
    case BESIDE:
        return own ^ 1;
    case NEXT:
        return (own + 1) % count;
    case SECOND:
        return own ^ 2;
    case OTHERS:
        return (own + 1 + random % (count - 1)) % count;
    case ALL:
        return random % count;
    }
    return own;
}

static __device__ unsigned address_of(unsigned at, unsigned rank)
{
    unsigned to;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(at), "r"(rank));
    return to;
}

static __device__ __host__ constexpr int words_of(int op)
{
    return op == LOAD8 ? 2 : op == LOAD16 || op == STORE16 ? 4 : 1;
}

/* The same word; words in a row; a word of each sector in a row; any; of each line one sector; two sectors; of four lines a sector each, of
 * which all is asked for; of eight half a sector. */
static __device__ unsigned index_of(int way, unsigned lane, unsigned warp, unsigned random, unsigned wide)
{
    switch (way) {
    case ROW:
        return threadIdx.x * wide % WORDS;
    case SECTOR:
        return (lane * 8 + warp * 256) % WORDS;
    case RANDOM:
        return random % (WORDS / wide) * wide;
    case LINE:
        return (lane * 33 + warp * 1024) % WORDS;
    case PAIR:
        return (lane / 2 * 32 + lane % 2 * 8 + lane / 2 % 8 + lane / 16 * 16 + warp * 512) % WORDS;
    case OCTET:
        return (lane / 8 * 32 + lane + warp * 128) % WORDS;
    case FOUR:
        return (lane / 4 * 32 + lane + warp * 256) % WORDS;
    }
    return warp * wide;
}

template <int OP> static __device__ void ask(unsigned at, unsigned *generic, unsigned &sum)
{
    unsigned v = 0;
    if (OP == LOAD)
        asm volatile("ld.volatile.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(at));
    if (OP == STORE)
        asm volatile("st.volatile.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(sum));
    if (OP == RED)
        asm volatile("red.shared::cluster.add.u32 [%0], 1;" ::"r"(at));
    if (OP == ATOM)
        asm volatile("atom.shared::cluster.add.u32 %0, [%1], 1;" : "=r"(v) : "r"(at));
    if (OP == GENERIC)
        asm volatile("red.add.u32 [%0], 1;" ::"l"(generic));
    unsigned w = 0, x = 0, y = 0;
    if (OP == LOAD8)
        asm volatile("ld.volatile.shared::cluster.v2.u32 {%0, %1}, [%2];" : "=r"(v), "=r"(w) : "r"(at));
    if (OP == LOAD16)
        asm volatile("ld.volatile.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v), "=r"(w), "=r"(x), "=r"(y) : "r"(at));
    if (OP == STORE16)
        asm volatile("st.volatile.shared::cluster.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(sum));
    sum ^= w ^ x ^ y;
    sum ^= v;
}

template <int OP> static __global__ void probe(const question q, span *out, unsigned *data)
{
    extern __shared__ unsigned words[];
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    const unsigned lane = threadIdx.x % 32, own = cluster.block_rank(), count = cluster.num_blocks();
    const bool asks = (int)lane < q.lanes && (int)own < q.asking;
    unsigned at[UNROLL], *generic[UNROLL], sum = 0;
    for (unsigned u = 0; u < UNROLL; u++) {
        const unsigned random = mixed(threadIdx.x * UNROLL + u + own * 8192),
                       index = index_of(q.way, lane, threadIdx.x / 32, random, words_of(OP)),
                       rank = rank_of(q, own, count, random >> 16);
        at[u] = address_of((unsigned)__cvta_generic_to_shared(&words[index]), rank);
        generic[u] = cluster.map_shared_rank(&words[index], rank);
    }
    cluster.sync();
    const long long begin = clock64();
    if (asks)
        for (int t = 0; t < TRIPS; t++)
#pragma unroll
            for (int u = 0; u < UNROLL; u++)
                ask<OP>(at[u], generic[u], sum);
    if (sum == 0x12345)
        *data = sum;
    const long long end = clock64();
    unsigned sm;
    asm("mov.u32 %0, %%smid;" : "=r"(sm));
    if (lane == 0)
        out[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = {begin, end, sm};
    cluster.sync();
}

static span *out, host[MOST_BLOCKS * MOST_WARPS];
static unsigned *data;
static void (*const probes[OPS])(question, span *, unsigned *) = {probe<LOAD>, probe<STORE>, probe<RED>, probe<ATOM>, probe<GENERIC>, probe<LOAD8>, probe<LOAD16>, probe<STORE16>};

static cudaLaunchAttribute attribute;

static cudaLaunchConfig_t config_of(int blocks, int cluster, int warps)
{
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {(unsigned)cluster, 1, 1};
    config.gridDim = blocks;
    config.blockDim = 32 * warps;
    config.dynamicSmemBytes = BYTES;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return config;
}

/* The median over asking blocks of what a block's warps took together, of an instruction of a warp. */
static double cycles_of(const question &q, int blocks, int cluster, int warps)
{
    static double cycles[MOST_BLOCKS];
    int count = 0;
    for (int b = 0; b < blocks; b++) {
        if (b % cluster >= q.asking)
            continue;
        long long begin = host[b * warps].begin, end = host[b * warps].end;
        for (int w = 1; w < warps; w++) {
            begin = host[b * warps + w].begin < begin ? host[b * warps + w].begin : begin;
            end = host[b * warps + w].end > end ? host[b * warps + w].end : end;
        }
        cycles[count++] = (double)(end - begin) / TRIPS / UNROLL / warps;
    }
    qsort(cycles, count, sizeof *cycles, [](const void *a, const void *b) {
        return (*(double *)a > *(double *)b) - (*(double *)a < *(double *)b);
    });
    return cycles[count / 2];
}

static void measure(int op, const question &q, int cluster, int warps, int clusters)
{
    const int blocks = clusters * cluster;
    double best = 1e30;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        const cudaLaunchConfig_t config = config_of(blocks, cluster, warps);
        CHECK(cudaLaunchKernelEx(&config, probes[op], q, out, data));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(host, out, sizeof(span) * blocks * warps, cudaMemcpyDeviceToHost));
        const double cycles = cycles_of(q, blocks, cluster, warps);
        best = cycles < best ? cycles : best;
    }
    printf("%s %s %s %d %d %d %d %d %.2f", ops[op], targets[q.target], ways[q.way], cluster, clusters, q.asking, warps, q.lanes, best);
    for (int b = 0; b < cluster; b++)
        printf(" %u", host[b * warps].sm);
    printf("\n");
}

static void measure_lanes(int op, int target, int way, int cluster, int clusters)
{
    for (int lanes : {1, 2, 4, 8, 16, 32})
        for (int warps : {8, 32})
            if (warps == 8 || lanes == 32)
                measure(op, {target, way, lanes, cluster}, cluster, warps, clusters);
    measure(op, {target, way, 32, 1}, cluster, 8, clusters);
}

static bool is_of_use(int target, int cluster)
{
    return target == OWN || (cluster > 1 && (target != SECOND || cluster > 2) && (target != OTHERS || cluster > 2));
}

int main()
{
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMalloc(&data, sizeof *data));
    for (int op = 0; op < OPS; op++)
        CHECK(cudaFuncSetAttribute(probes[op], cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES));
    for (int cluster : {1, 2, 4, 8}) {
        const cudaLaunchConfig_t config = config_of(cluster, cluster, 32);
        int most;
        CHECK(cudaOccupancyMaxActiveClusters(&most, probes[0], &config));
        for (int op = 0; op < OPS; op++)
            for (int target = 0; target < TARGETS; target++)
                for (int way = 0; way < WAYS && is_of_use(target, cluster); way++)
                    for (int clusters : {1, most})
                        if (way <= RANDOM || words_of(op) == 1)
                            measure_lanes(op, target, way, cluster, clusters);
    }
    return 0;
}
