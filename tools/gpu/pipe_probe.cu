/* SPDX-License-Identifier: Apache-2.0
 * Which of Nsight Compute's pipelines counts an instruction: a kernel of two warps for each, named after it, that executes it 64 times. `empty` is
 * what all of them have beside it. Every kernel is launched twice, since some pipelines differ from run to run.
 *
 *     nvcc -arch=sm_90a -std=c++17 -O3 -w -o pipe_probe pipe_probe.cu
 *     ncu --csv --page raw --metrics regex:sm__inst_executed_pipe_.* ./pipe_probe */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum { TIMES = 64, THREADS = 64 };

struct room {
    unsigned *global;
    unsigned zero;
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    unsigned indexed[64];
};

__constant__ unsigned table[1024];

/* Of each: its name, and what is repeated. g: 64 bits of global memory, s: 32 of shared memory, z: 0, v: a result. */
#define PROBE(NAME, STEP)                                                                          \
    __global__ void NAME(const __grid_constant__ room r)                                           \
    {                                                                                              \
        extern __shared__ __align__(1024) unsigned shared[];                                       \
        const unsigned s = (unsigned)__cvta_generic_to_shared(shared) + threadIdx.x * 16;          \
        unsigned *g = r.global + threadIdx.x * 4;                                                  \
        unsigned z = r.zero, v = z, w = z, x = z, y = z, sum = threadIdx.x;                        \
        uint64_t d = z;                                                                            \
        asm volatile("mbarrier.init.shared.b64 [%0], 100000;" ::"r"(s));                           \
        _Pragma("unroll") for (int i = 0; i < TIMES; i++)                                          \
        {                                                                                          \
            STEP;                                                                                  \
            sum += v + w + x + y + (unsigned)d;                                                    \
        }                                                                                          \
        r.global[4096 + threadIdx.x] = sum + s + (g == nullptr);                                   \
    }
#define SPECIAL(NAME, REGISTER) PROBE(NAME, asm volatile("mov.u32 %0, " REGISTER ";" : "=r"(v)))
#define LIST(PROBE, SPECIAL)                                                                       \
    PROBE(empty, ;)                                                                                \
    SPECIAL(tid_x, "%tid.x")                                                                       \
    SPECIAL(tid_y, "%tid.y")                                                                       \
    SPECIAL(ctaid_x, "%ctaid.x")                                                                   \
    SPECIAL(ctaid_y, "%ctaid.y")                                                                   \
    SPECIAL(ctaid_z, "%ctaid.z")                                                                   \
    SPECIAL(laneid, "%laneid")                                                                     \
    SPECIAL(warpid, "%warpid")                                                                     \
    SPECIAL(smid, "%smid")                                                                         \
    SPECIAL(nsmid, "%nsmid")                                                                       \
    SPECIAL(lanemask_lt, "%lanemask_lt")                                                           \
    SPECIAL(lanemask_eq, "%lanemask_eq")                                                           \
    SPECIAL(clock32, "%clock")                                                                     \
    SPECIAL(cluster_rank, "%cluster_ctarank")                                                      \
    SPECIAL(cluster_id, "%clusterid.x")                                                            \
    SPECIAL(dynamic_bytes, "%dynamic_smem_size")                                                   \
    PROBE(clock_64, asm volatile("mov.u64 %0, %%clock64;" : "=l"(d)))                              \
    PROBE(timer, asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(d)))                             \
    PROBE(grid_id, asm volatile("mov.u64 %0, %%gridid;" : "=l"(d)))                                \
    PROBE(load_shared, asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(s)))        \
    PROBE(store_shared, asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(s), "r"(z)))         \
    PROBE(atom_shared, asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(v) : "r"(s)))        \
    PROBE(load_global, asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(g)))        \
    PROBE(store_global, asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(g), "r"(z)))         \
    PROBE(red_global, asm volatile("red.global.add.u32 [%0], 1;" ::"l"(g)))                        \
    PROBE(atom_global, asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(v) : "l"(g)))        \
    PROBE(load_generic, asm volatile("ld.volatile.u32 %0, [%1];" : "=r"(v) : "l"(g)))              \
    PROBE(load_constant, v = table[(sum + z) & 1023])                                              \
    PROBE(load_constant_same, v = table[z + i * 3]; z ^= v)                                        \
    PROBE(load_parameter, v = r.indexed[sum & 63])                                                 \
    PROBE(past_4, asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(s), "l"(g)))       \
    PROBE(past_16, asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(s), "l"(g)))     \
    PROBE(past_commit, asm volatile("cp.async.commit_group;"))                                     \
    PROBE(past_arrive, asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(s)))   \
    PROBE(ldmatrix_1, asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v) : "r"(s)))       \
    PROBE(ldmatrix_4, asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(v), "=r"(w), "=r"(x), "=r"(y) : "r"(s))) \
    PROBE(stmatrix_4, asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(s), "r"(z)))       \
    PROBE(movmatrix, asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(v) : "r"(sum)))             \
    PROBE(shuffle, asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, -1;" : "=r"(v) : "r"(sum)))     \
    PROBE(ballot, asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 5; vote.sync.ballot.b32 %0, p, -1; }" : "=r"(v) : "r"(sum)))    \
    PROBE(any, asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 5; vote.sync.any.pred q, p, -1; selp.u32 %0, 1, 0, q; }" : "=r"(v) : "r"(sum))) \
    PROBE(match_any, asm volatile("match.any.sync.b32 %0, %1, -1;" : "=r"(v) : "r"(sum)))          \
    PROBE(redux, asm volatile("redux.sync.add.u32 %0, %1, -1;" : "=r"(v) : "r"(sum)))              \
    PROBE(active, asm volatile("activemask.b32 %0;" : "=r"(v)))                                    \
    PROBE(elect, asm volatile("{ .reg .pred p; elect.sync %0|p, -1; }" : "=r"(v)))                 \
    PROBE(barrier_block, asm volatile("barrier.sync.aligned 0;" ::: "memory"))                     \
    PROBE(barrier_some, asm volatile("barrier.sync.aligned 1, 64;" ::: "memory"))                  \
    PROBE(barrier_register, asm volatile("barrier.sync.aligned %0, 64;" ::"r"(z) : "memory"))      \
    PROBE(barrier_red, asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 5; barrier.red.popc.aligned.u32 %0, 0, p; }" : "=r"(v) : "r"(sum))) \
    PROBE(barrier_warp, asm volatile("bar.warp.sync -1;" ::: "memory"))                            \
    PROBE(barrier_warp_mask, asm volatile("bar.warp.sync %0;" ::"r"(~z) : "memory"))               \
    PROBE(barrier_cluster, asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory"))         \
    PROBE(fence_block, asm volatile("fence.acq_rel.cta;" ::: "memory"))                            \
    PROBE(fence_gpu, asm volatile("fence.acq_rel.gpu;" ::: "memory"))                              \
    PROBE(fence_cluster, asm volatile("fence.acq_rel.cluster;" ::: "memory"))                      \
    PROBE(fence_proxy, asm volatile("fence.proxy.async;" ::: "memory"))                            \
    PROBE(object_arrive, asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(d) : "r"(s)))  \
    PROBE(object_look, asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 1; selp.u32 %0, 1, 0, p; }" : "=r"(v) : "r"(s))) \
    PROBE(object_try, asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 1; selp.u32 %0, 1, 0, p; }" : "=r"(v) : "r"(s))) \
    PROBE(object_expect, asm volatile("mbarrier.expect_tx.relaxed.cta.shared.b64 [%0], 0;" ::"r"(s)))          \
    PROBE(prefetch_l2, asm volatile("prefetch.global.L2 [%0];" ::"l"(g)))                          \
    PROBE(prefetch_l1, asm volatile("prefetch.global.L1 [%0];" ::"l"(g)))                          \
    PROBE(map_shared, asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(v) : "r"(s), "r"(z)))         \
    PROBE(load_other, asm volatile("ld.volatile.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(s)))        \
    PROBE(sleep_no, asm volatile("nanosleep.u32 0;"))                                              \
    PROBE(group_fence, asm volatile("wgmma.fence.sync.aligned;" ::: "memory"))                     \
    PROBE(group_commit, asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"))             \
    PROBE(bulk_commit, asm volatile("cp.async.bulk.commit_group;"))                                \
    PROBE(bulk_wait, asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"))                     \
    PROBE(bulk_reads, asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"))               \
    PROBE(product, asm volatile("{ .reg .f32 a, b; mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {a, b, a, b}, {%1, %1}, {%1}, {0f00000000, 0f00000000, 0f00000000, 0f00000000}; mov.b32 %0, a; }" : "=r"(v) : "r"(sum))) \
    PROBE(count_bits, asm volatile("popc.b32 %0, %1;" : "=r"(v) : "r"(sum)))                       \
    PROBE(halves, asm volatile("fma.rn.f16x2 %0, %1, %1, %1;" : "=r"(v) : "r"(sum)))               \
    PROBE(halves_add, asm volatile("add.rn.f16x2 %0, %1, %1;" : "=r"(v) : "r"(sum)))               \
    PROBE(halves_compare, asm volatile("set.lt.f16x2.f16x2 %0, %1, %1;" : "=r"(v) : "r"(sum)))     \
    PROBE(halves_most, asm volatile("max.f16x2 %0, %1, %2;" : "=r"(v) : "r"(sum), "r"(i)))         \
    PROBE(doubles, asm volatile("{ .reg .f64 a; mov.b64 a, {%1, %1}; fma.rn.f64 a, a, a, a; mov.b64 {%0, _}, a; }" : "=r"(v) : "r"(sum)))    \
    PROBE(local, { volatile unsigned kept[4]; kept[sum & 3] = i; v = kept[i & 3]; })               \
    PROBE(texture, v = tex1Dfetch<unsigned>(r.texture, (int)(sum & 15)))                           \
    PROBE(surface_load, v = surf1Dread<unsigned>(r.surface, (int)(sum & 7) * 4))                   \
    PROBE(surface_store, surf1Dwrite(sum, r.surface, (int)(sum & 7) * 4))                          \
    PROBE(part, if (sum & 1) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(s), "r"(z)); else asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(g), "r"(z))) \
    PROBE(switched, switch (sum & 7) { case 0: v = sum * 3; break; case 1: asm volatile("mov.u32 %0, 1;" : "=r"(v)); break; case 2: asm volatile("popc.b32 %0, %1;" : "=r"(v) : "r"(sum)); break; case 3: asm volatile("brev.b32 %0, %1;" : "=r"(v) : "r"(sum)); break; case 4: asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(g)); break; case 5: asm volatile("mov.u32 %0, %%clock;" : "=r"(v)); break; case 6: asm volatile("bfind.u32 %0, %1;" : "=r"(v) : "r"(sum)); break; case 7: asm volatile("add.u32 %0, %1, 3;" : "=r"(v) : "r"(sum)); break; })
LIST(PROBE, SPECIAL)

struct row {
    const char *name;
    void (*kernel)(room);
};
#define ROW(NAME, STEP) {#NAME, NAME},
#define SPECIAL_ROW(NAME, REGISTER) ROW(NAME, )
static const row rows[] = {LIST(ROW, SPECIAL_ROW)};

int main()
{
    room r = {};
    cudaArray_t array;
    const cudaChannelFormatDesc word = cudaCreateChannelDesc<unsigned>();
    cudaMalloc(&r.global, 1 << 16);
    cudaMemset(r.global, 0, 1 << 16);
    cudaResourceDesc of = {};
    of.resType = cudaResourceTypeLinear;
    of.res.linear.devPtr = r.global;
    of.res.linear.desc = word;
    of.res.linear.sizeInBytes = 1 << 16;
    cudaTextureDesc how = {};
    cudaCreateTextureObject(&r.texture, &of, &how, nullptr);
    cudaMallocArray(&array, &word, 64, 0, cudaArraySurfaceLoadStore);
    of.resType = cudaResourceTypeArray;
    of.res.array.array = array;
    cudaCreateSurfaceObject(&r.surface, &of);
    for (int twice = 0; twice < 2; twice++)
        for (const row &k : rows) {
            k.kernel<<<1, THREADS, 4096>>>(r);
            if (cudaDeviceSynchronize() != cudaSuccess) {
                fprintf(stderr, "%s: %s\n", k.name, cudaGetErrorString(cudaGetLastError()));
                return 2;
            }
        }
    return 0;
}
