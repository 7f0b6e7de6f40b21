// SPDX-License-Identifier: Apache-2.0
// nvcc: -std=c++17
// Clusters: by __cluster_dims__ and by an attribute of the launch; shared memory of other blocks, a copy of a tensor to several
// blocks, what a launch may not ask, what may be asked about clusters, and accesses that no block has.
#include "check.h"
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/ptx>
#include <vector>

namespace cg = cooperative_groups;

enum { BINS = 256, THREADS = 128 };

// Each block takes what the next one has, three times.
__global__ void __cluster_dims__(4, 1, 1) ring(int *out)
{
    __shared__ int mine[THREADS];
    cg::cluster_group cluster = cg::this_cluster();
    int value = (int)(blockIdx.x * 1000 + threadIdx.x);
    const int *next = cluster.map_shared_rank(mine, (cluster.block_rank() + 1) % cluster.num_blocks());
    for (int i = 0; i < 3; i++) {
        mine[threadIdx.x] = value;
        cluster.sync();
        value = next[threadIdx.x] + 1;
        cluster.sync();
    }
    out[blockIdx.x * THREADS + threadIdx.x] = value;
}

// A histogram whose bins lie in all blocks of the cluster.
__global__ void histogram(const unsigned *in, unsigned *bins, int n)
{
    extern __shared__ unsigned part[];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned own = BINS / cluster.num_blocks(), rank = cluster.block_rank();
    for (unsigned i = threadIdx.x; i < own; i += blockDim.x)
        part[i] = 0;
    cluster.sync();
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += (int)(gridDim.x * blockDim.x)) {
        const unsigned bin = in[i] % BINS;
        atomicAdd(cluster.map_shared_rank(part, bin / own) + bin % own, 1);
    }
    cluster.sync();
    for (unsigned i = threadIdx.x; i < own; i += blockDim.x)
        atomicAdd(&bins[rank * own + i], part[i]);
}

// The sum of a cluster in 2 or 3 dimensions: the first block adds up what the others left.
__global__ void sums(const int *in, int *out)
{
    __shared__ int sum;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    atomicAdd(&sum, in[block * blockDim.x + threadIdx.x]);
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x == 0) {
        int all = 0;
        for (unsigned r = 0; r < cluster.num_blocks(); r++)
            all += *cluster.map_shared_rank(&sum, r);
        const dim3 of = cluster.dim_blocks(), grid = {gridDim.x / of.x, gridDim.y / of.y, 1};
        out[blockIdx.x / of.x + grid.x * (blockIdx.y / of.y + grid.y * (blockIdx.z / of.z))] = all;
    }
    cluster.sync();
}

enum { TILE = 32, BLOCKS = 4 };

// Each block of a cluster asks for a quarter of a tile, which all of them get.
__global__ void __cluster_dims__(BLOCKS, 1, 1) shared_tile(const __grid_constant__ CUtensorMap map, int *out)
{
    __shared__ alignas(128) int tile[TILE][TILE];
    __shared__ alignas(8) unsigned long long full;
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), rows = TILE / BLOCKS;
    const unsigned object = (unsigned)__cvta_generic_to_shared(&full);
    const unsigned to = (unsigned)__cvta_generic_to_shared(&tile[rank * rows][0]);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(object));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(object), "r"(TILE * TILE * 4) : "memory");
    }
    cluster.sync();
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
                     "[%1, {%2, %3}], [%4], %5;" ::"r"(to), "l"(&map), "r"(0), "r"((int)(blockIdx.x / BLOCKS * TILE + rank * rows)),
                     "r"(object), "h"((unsigned short)((1 << BLOCKS) - 1)) : "memory");
    asm volatile("{\n.reg .pred p;\nagain: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n@!p bra again;\n}" ::"r"(object)
                 : "memory");
    for (int i = (int)threadIdx.x; i < TILE * TILE; i += (int)blockDim.x)
        out[blockIdx.x * TILE * TILE + i] = (&tile[0][0])[i];
    cluster.sync();
}

// Blocks tell the first one by its barrier object that they are there.
__global__ void arrivals(unsigned *out)
{
    __shared__ alignas(8) unsigned long long object;
    __shared__ unsigned from[16];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), at = (unsigned)__cvta_generic_to_shared(&object);
    if (rank == 0 && threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(cluster.num_blocks()));
    cluster.sync();
    if (threadIdx.x == 0) {
        unsigned remote;
        *cluster.map_shared_rank(&from[rank], 0) = rank + 1;
        asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(remote) : "r"(at));
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote) : "memory");
    }
    if (rank == 0) {
        asm volatile("{\n.reg .pred p;\nagain: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n@!p bra again;\n}" ::"r"(at)
                     : "memory");
        if (threadIdx.x < cluster.num_blocks())
            atomicAdd(out, from[threadIdx.x]);
    }
    cluster.sync();
}

__global__ void __cluster_dims__(2, 1, 1) beyond(int *out, int offset)
{
    __shared__ int words[32];
    cg::cluster_group cluster = cg::this_cluster();
    words[threadIdx.x] = 1;
    cluster.sync();
    if (cluster.block_rank() == 0)
        out[threadIdx.x] = cluster.map_shared_rank(words, 1)[offset + (int)threadIdx.x];
    cluster.sync();
}

static cudaLaunchConfig_t in_clusters(dim3 grid, unsigned threads, dim3 cluster, cudaLaunchAttribute *attribute)
{
    cudaLaunchConfig_t config = {};
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = cluster.x;
    attribute->val.clusterDim.y = cluster.y;
    attribute->val.clusterDim.z = cluster.z;
    config.gridDim = grid;
    config.blockDim = {threads, 1, 1};
    config.attrs = attribute;
    config.numAttrs = 1;
    return config;
}

static void run_ring()
{
    enum { GRID = 8 };
    int *out, wrong = 0;
    std::vector<int> got(GRID * THREADS);
    CHECK(cudaMalloc(&out, got.size() * sizeof(int)));
    ring<<<GRID, THREADS>>>(out);
    CHECK(cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
    for (int b = 0; b < GRID; b++)
        for (int t = 0; t < THREADS; t++)
            wrong += got[b * THREADS + t] != (b / 4 * 4 + (b + 3) % 4) * 1000 + t + 3;
    printf("ring: %d wrong\n", wrong);
    CHECK(cudaFree(out));
}

static void run_histogram(unsigned blocks)
{
    enum { N = 10000 };
    std::vector<unsigned> in(N), got(BINS), want(BINS);
    for (unsigned i = 0; i < N; i++)
        in[i] = i * i / 7, want[in[i] % BINS]++;
    unsigned *from, *bins;
    CHECK(cudaMalloc(&from, N * sizeof(unsigned)));
    CHECK(cudaMalloc(&bins, BINS * sizeof(unsigned)));
    CHECK(cudaMemcpy(from, in.data(), N * sizeof(unsigned), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(bins, 0, BINS * sizeof(unsigned)));
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config = in_clusters({16, 1, 1}, THREADS, {blocks, 1, 1}, &attribute);
    config.dynamicSmemBytes = BINS / blocks * sizeof(unsigned);
    CHECK(cudaLaunchKernelEx(&config, histogram, (const unsigned *)from, bins, (int)N));
    CHECK(cudaMemcpy(got.data(), bins, BINS * sizeof(unsigned), cudaMemcpyDeviceToHost));
    printf("histogram in clusters of %u: %s\n", blocks, got == want ? "right" : "wrong");
    CHECK(cudaFree(from));
    CHECK(cudaFree(bins));
}

static void run_sums()
{
    enum { BLOCKS_IN_ALL = 4 * 4 * 2, N = BLOCKS_IN_ALL * 32 };
    std::vector<int> in(N), got(4);
    for (int i = 0; i < N; i++)
        in[i] = i;
    int *from, *out;
    CHECK(cudaMalloc(&from, N * sizeof(int)));
    CHECK(cudaMalloc(&out, 4 * sizeof(int)));
    CHECK(cudaMemcpy(from, in.data(), N * sizeof(int), cudaMemcpyHostToDevice));
    cudaLaunchAttribute attribute;
    const cudaLaunchConfig_t config = in_clusters({4, 4, 2}, 32, {2, 2, 2}, &attribute);
    CHECK(cudaLaunchKernelEx(&config, sums, (const int *)from, out));
    CHECK(cudaMemcpy(got.data(), out, 4 * sizeof(int), cudaMemcpyDeviceToHost));
    printf("sums: %d %d %d %d\n", got[0], got[1], got[2], got[3]);
    CHECK(cudaFree(from));
    CHECK(cudaFree(out));
}

static void run_tile()
{
    enum { CLUSTERS = 3 };
    typedef CUresult encode(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *,
                            const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found));
    std::vector<int> in(CLUSTERS * TILE * TILE), got(CLUSTERS * BLOCKS * TILE * TILE);
    for (size_t i = 0; i < in.size(); i++)
        in[i] = (int)i * 3;
    int *from, *out, wrong = 0;
    CHECK(cudaMalloc(&from, in.size() * sizeof(int)));
    CHECK(cudaMalloc(&out, got.size() * sizeof(int)));
    CHECK(cudaMemcpy(from, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
    CUtensorMap map;
    const cuuint64_t size[2] = {TILE, CLUSTERS * TILE}, stride[1] = {TILE * sizeof(int)};
    const cuuint32_t box[2] = {TILE, TILE / BLOCKS}, step[2] = {1, 1};
    if (((encode *)entry)(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, from, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                          CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                          CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        printf("no description of the tensor\n");
    shared_tile<<<CLUSTERS * BLOCKS, 64>>>(map, out);
    CHECK(cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < got.size(); i++)
        wrong += got[i] != in[i / (BLOCKS * TILE * TILE) * TILE * TILE + i % (TILE * TILE)];
    printf("tile to %d blocks: %d wrong\n", BLOCKS, wrong);
    CHECK(cudaFree(from));
    CHECK(cudaFree(out));
}

static void run_arrivals(unsigned blocks)
{
    unsigned *out, got = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(out, 0, sizeof got));
    cudaLaunchAttribute attribute;
    const cudaLaunchConfig_t config = in_clusters({2 * blocks, 1, 1}, 32, {blocks, 1, 1}, &attribute);
    CHECK(cudaLaunchKernelEx(&config, arrivals, out));
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    printf("arrivals in clusters of %u: %u\n", blocks, got);
    CHECK(cudaFree(out));
}

static void tell(const char *what, cudaError_t code)
{
    printf("%s: %s\n", what, cudaGetErrorName(code));
    cudaGetLastError();
}

static void launch_wrongly()
{
    int *out;
    CHECK(cudaMalloc(&out, 4096));
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config = in_clusters({6, 1, 1}, 32, {4, 1, 1}, &attribute);
    tell("a grid of 6 in clusters of 4", cudaLaunchKernelEx(&config, sums, (const int *)out, out));
    config = in_clusters({16, 1, 1}, 32, {16, 1, 1}, &attribute);
    tell("clusters of 16", cudaLaunchKernelEx(&config, arrivals, (unsigned *)out));
    CHECK(cudaFuncSetAttribute(arrivals, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    tell("clusters of 16, which are allowed", cudaLaunchKernelEx(&config, arrivals, (unsigned *)out));
    CHECK(cudaDeviceSynchronize());
    config = in_clusters({8, 1, 1}, THREADS, {2, 1, 1}, &attribute);
    tell("clusters of 2 where the kernel says 4", cudaLaunchKernelEx(&config, ring, out));
    ring<<<6, THREADS>>>(out);
    tell("a grid of 6 where the kernel says 4", cudaGetLastError());
    CHECK(cudaFree(out));
}

static void ask()
{
    cudaFuncAttributes a;
    int size = 0, active = 0;
    cudaLaunchAttribute attribute;
    CHECK(cudaFuncGetAttributes(&a, ring));
    printf("ring must be in clusters: %d, of %d,%d,%d\n", a.clusterDimMustBeSet, a.requiredClusterWidth, a.requiredClusterHeight,
           a.requiredClusterDepth);
    tell("another size for it", cudaFuncSetAttribute(ring, cudaFuncAttributeRequiredClusterWidth, 2));
    cudaLaunchConfig_t config = in_clusters({64, 1, 1}, THREADS, {4, 1, 1}, &attribute);
    CHECK(cudaOccupancyMaxActiveClusters(&active, sums, &config));
    CHECK(cudaOccupancyMaxPotentialClusterSize(&size, sums, &config));
    printf("clusters of 4 at once: %s, the largest has %d blocks\n", active >= 132 ? "many" : "few", size);
    CHECK(cudaFuncSetAttribute(sums, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    CHECK(cudaOccupancyMaxPotentialClusterSize(&size, sums, &config));
    printf("with permission %d\n", size);
}

int main()
{
    run_ring();
    for (unsigned blocks : {1u, 2u, 4u, 8u})
        run_histogram(blocks);
    run_sums();
    run_tile();
    run_arrivals(8);
    launch_wrongly();
    ask();
    int *out;
    CHECK(cudaMalloc(&out, 4096));
    beyond<<<2, 32>>>(out, 1 << 20);
    const cudaError_t code = cudaDeviceSynchronize();
    printf("far past a block's shared memory: %s\n", code == cudaSuccess ? "nothing" : "an error");
    return 0;
}
