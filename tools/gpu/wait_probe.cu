/* SPDX-License-Identifier: Apache-2.0
 * What fences wait for, and what accesses to the shared memory of another block of the cluster cost, for src/time/. Prints a
 * line a probe: name, blocks of a cluster, clusters, warps of a block, and cycles for each instruction of an SM; of chains those
 * of one instruction.
 *     nvcc -arch=sm_90 -std=c++17 -O3 -w -o wait_probe wait_probe.cu; wait_probe > wait_probe.txt
 *     wait_probe KERNEL       launches that one alone once, with clusters of 4 on the whole GPU, for Nsight Compute */
#include "cuda_check.h"

#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { TRIPS = 32, UNROLL = 8, WORDS = 8192 };

struct span {
    long long begin, end;
};

static __device__ void note(span *out, long long begin)
{
    const long long end = clock64();
    if (threadIdx.x % 32 == 0)
        out[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = {begin, end};
}

/* ---- fences ---- */

#define FENCE(NAME, STEP)                                                                          \
    static __global__ void NAME(span *out, unsigned *data, int)                                    \
    {                                                                                              \
        unsigned *at = data + blockIdx.x * blockDim.x + threadIdx.x;                               \
        __syncthreads();                                                                           \
        const long long begin = clock64();                                                         \
        for (int t = 0; t < TRIPS; t++) {                                                          \
            _Pragma("unroll") for (int u = 0; u < UNROLL; u++)                                     \
            {                                                                                      \
                STEP;                                                                              \
            }                                                                                      \
        }                                                                                          \
        note(out, begin);                                                                          \
    }
#define STORE asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(t + u) : "memory")
#define RED asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(t + u) : "memory")
FENCE(fence_cta, asm volatile("fence.acq_rel.cta;" ::: "memory"))
FENCE(fence_gpu, asm volatile("fence.acq_rel.gpu;" ::: "memory"))
FENCE(fence_sys, asm volatile("fence.acq_rel.sys;" ::: "memory"))
FENCE(fence_sc_gpu, asm volatile("fence.sc.gpu;" ::: "memory"))
FENCE(store_only, STORE)
FENCE(store_fence_cta, STORE; asm volatile("fence.acq_rel.cta;" ::: "memory"))
FENCE(store_fence_gpu, STORE; asm volatile("fence.acq_rel.gpu;" ::: "memory"))
FENCE(store_fence_sys, STORE; asm volatile("fence.acq_rel.sys;" ::: "memory"))
FENCE(store_fence_sc, STORE; asm volatile("fence.sc.gpu;" ::: "memory"))
FENCE(store_membar, STORE; __threadfence())
FENCE(red_membar, RED; __threadfence())
FENCE(store4_membar, STORE; STORE; STORE; STORE; __threadfence())
FENCE(store_membar_block, STORE; __threadfence_block())

/* ---- shared memory of the next block of the cluster ---- */

static __device__ unsigned next_block(unsigned address)
{
    unsigned rank, count, mapped;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"((rank + 1) % count));
    return mapped;
}

#define REMOTE(NAME, WORD, STEP)                                                                   \
    static __global__ void NAME(span *out, unsigned *data, int stride)                             \
    {                                                                                              \
        __shared__ __align__(16) unsigned words[WORDS];                                            \
        for (int i = threadIdx.x; i < WORDS; i += blockDim.x)                                      \
            words[i] = 0;                                                                          \
        const unsigned index = threadIdx.x % 32 * stride * (WORD) % WORDS;                         \
        unsigned at = next_block((unsigned)__cvta_generic_to_shared(&words[index]));               \
        unsigned sum = 0;                                                                          \
        cooperative_groups::this_cluster().sync();                                                 \
        const long long begin = clock64();                                                         \
        for (int t = 0; t < TRIPS; t++) {                                                          \
            _Pragma("unroll") for (int u = 0; u < UNROLL; u++)                                     \
            {                                                                                      \
                unsigned v = 0, w = 0, x = 0, y = 0;                                               \
                STEP;                                                                              \
                sum ^= v ^ w ^ x ^ y;                                                              \
            }                                                                                      \
        }                                                                                          \
        if (sum == 0x12345)                                                                        \
            *data = sum;                                                                           \
        note(out, begin);                                                                          \
        cooperative_groups::this_cluster().sync();                                                 \
    }
REMOTE(remote_chain, 1, asm volatile("ld.volatile.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(at)); at += v)
REMOTE(remote_load4, 1, asm volatile("ld.volatile.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(at)))
REMOTE(remote_load8, 2, asm volatile("ld.volatile.shared::cluster.v2.u32 {%0, %1}, [%2];" : "=r"(v), "=r"(w) : "r"(at)))
REMOTE(remote_load16, 4,
       asm volatile("ld.volatile.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v), "=r"(w), "=r"(x), "=r"(y) : "r"(at)))
REMOTE(remote_store4, 1, asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(t)))
REMOTE(remote_store16, 4, asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(t)))
REMOTE(remote_red, 1, asm volatile("red.shared::cluster.add.u32 [%0], 1;" ::"r"(at)))
REMOTE(remote_atom, 1, asm volatile("atom.shared::cluster.add.u32 %0, [%1], 1;" : "=r"(v) : "r"(at)))
REMOTE(cluster_barrier, 1,
       asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory"))

/* ---- running ---- */

typedef void (*probe)(span *, unsigned *, int);
static const struct {
    const char *name;
    probe kernel;
    bool is_remote, has_stride, is_chain;
} probes[] = {
    {"fence_cta", fence_cta},
    {"fence_gpu", fence_gpu},
    {"fence_sys", fence_sys},
    {"fence_sc_gpu", fence_sc_gpu},
    {"store_only", store_only},
    {"store_fence_cta", store_fence_cta},
    {"store_fence_gpu", store_fence_gpu},
    {"store_fence_sys", store_fence_sys},
    {"store_fence_sc", store_fence_sc},
    {"store_membar", store_membar},
    {"red_membar", red_membar},
    {"store4_membar", store4_membar},
    {"store_membar_block", store_membar_block},
    {"remote_chain", remote_chain, true, false, true},
    {"remote_load4", remote_load4, true, true},
    {"remote_load8", remote_load8, true, true},
    {"remote_load16", remote_load16, true, true},
    {"remote_store4", remote_store4, true, true},
    {"remote_store16", remote_store16, true, true},
    {"remote_red", remote_red, true, true},
    {"remote_atom", remote_atom, true, true},
    {"cluster_barrier", cluster_barrier, true, false, true},
};
enum { PROBES = sizeof probes / sizeof *probes, MOST_BLOCKS = 132, MOST_WARPS = 32 };

static span *out, host[MOST_BLOCKS * MOST_WARPS];
static unsigned *data;

static void launch(int p, int blocks, int cluster, int warps, int stride)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {(unsigned)cluster, 1, 1};
    config.gridDim = blocks;
    config.blockDim = 32 * warps;
    config.attrs = &attribute;
    config.numAttrs = cluster > 1;
    CHECK(cudaLaunchKernelEx(&config, probes[p].kernel, out, data, stride));
    CHECK(cudaDeviceSynchronize());
}

/* The median over blocks of what a block's warps took together. */
static void measure(int p, int blocks, int cluster, int warps, int stride)
{
    static double cycles[MOST_BLOCKS];
    double best = 1e30;
    for (int repeat = 0; repeat < 3; repeat++) {
        launch(p, blocks, cluster, warps, stride);
        CHECK(cudaMemcpy(host, out, sizeof(span) * blocks * warps, cudaMemcpyDeviceToHost));
        for (int b = 0; b < blocks; b++) {
            long long begin = host[b * warps].begin, end = host[b * warps].end;
            for (int w = 1; w < warps; w++) {
                begin = host[b * warps + w].begin < begin ? host[b * warps + w].begin : begin;
                end = host[b * warps + w].end > end ? host[b * warps + w].end : end;
            }
            cycles[b] = (double)(end - begin) / TRIPS / UNROLL / (probes[p].is_chain ? 1 : warps);
        }
        qsort(cycles, blocks, sizeof *cycles, [](const void *a, const void *b) {
            return (*(double *)a > *(double *)b) - (*(double *)a < *(double *)b);
        });
        best = cycles[blocks / 2] < best ? cycles[blocks / 2] : best;
    }
    printf("%-18s cluster %d clusters %3d warps %2d stride %2d cycles %.2f\n", probes[p].name, cluster,
           blocks / cluster, warps, stride, best);
    fflush(stdout);
}

int main(int count, char **words)
{
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMalloc(&data, MOST_BLOCKS * 1024 * sizeof *data));
    for (int p = 0; p < PROBES && count > 1; p++)
        if (strcmp(words[1], probes[p].name) == 0) {
            launch(p, 128, probes[p].is_remote ? 4 : 1, 8, 1);
            return 0;
        }
    for (int p = 0; p < PROBES; p++)
        for (int warps : {1, 4, 8, 32})
            if (!probes[p].is_remote)
                for (int blocks : {1, 132})
                    measure(p, blocks, 1, warps, 1);
            else
                for (int cluster : {1, 2, 4, 8})
                    for (int blocks : {cluster, 128 / cluster * cluster})
                        for (int stride : {1, 2, 8, 32})
                            if (stride == 1 || (probes[p].has_stride && warps == 8 && cluster != 8))
                                measure(p, blocks, cluster, warps, stride);
    return 0;
}
