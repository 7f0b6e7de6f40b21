/* SPDX-License-Identifier: Apache-2.0
 * Copies by the TMA of known size and place, to be run under Nsight Compute: what its counters count of each. A launch is one
 * block, and one thread of it makes COPIES copies; the arguments are in the printed line, in the order of the launches.
 *     nvcc -arch=sm_90a -std=c++17 -O3 -w -o bulk_probe bulk_probe.cu; ncu ... ./bulk_probe [NUMBER]   of one launch, from 0 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const int status = (int)(call);                                                            \
        if (status) {                                                                              \
            fprintf(stderr, "%s: error %d\n", #call, status);                                      \
            exit(5);                                                                               \
        }                                                                                          \
    } while (0)

enum { COPIES = 64, ROOM = 64 << 20, SHARED = 64 << 10 };

static __device__ uint32_t address(const void *at)
{
    return (uint32_t)__cvta_generic_to_shared(at);
}

static __device__ void begin(uint64_t *barrier, unsigned bytes)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(barrier)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
    if (bytes)
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(barrier)), "r"(bytes) : "memory");
}

static __device__ void wait(uint64_t *barrier)
{
    uint32_t done;
    do
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(address(barrier))
                     : "memory");
    while (!done);
}

static __device__ void wait_group()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/* ---- bytes ---- */

__global__ void bulk_load(const char *from, unsigned bytes, size_t apart)
{
    extern __shared__ __align__(1024) char room[];
    __shared__ uint64_t barrier;
    begin(&barrier, bytes * COPIES);
    for (int i = 0; i < COPIES; i++)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(room)),
                     "l"(from + i * apart), "r"(bytes), "r"(address(&barrier))
                     : "memory");
    wait(&barrier);
}

__global__ void bulk_store(char *to, unsigned bytes, size_t apart)
{
    extern __shared__ __align__(1024) char room[];
    for (int i = 0; i < COPIES; i++)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to + i * apart), "r"(address(room)), "r"(bytes)
                     : "memory");
    wait_group();
}

__global__ void bulk_add(char *to, unsigned bytes, size_t apart)
{
    extern __shared__ __align__(1024) char room[];
    for (int i = 0; i < COPIES; i++)
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(to + i * apart),
                     "r"(address(room)), "r"(bytes)
                     : "memory");
    wait_group();
}

__global__ void bulk_prefetch(const char *from, unsigned bytes, size_t apart)
{
    for (int i = 0; i < COPIES; i++)
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from + i * apart), "r"(bytes) : "memory");
}

/* ---- boxes of a tensor of two dimensions: one below the other ---- */

__global__ void box_load(const __grid_constant__ CUtensorMap map, int x, int rows, unsigned bytes)
{
    extern __shared__ __align__(1024) char room[];
    __shared__ uint64_t barrier;
    begin(&barrier, bytes * COPIES);
    for (int i = 0; i < COPIES; i++)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                         address(room)),
                     "l"(&map), "r"(x), "r"(i * rows), "r"(address(&barrier))
                     : "memory");
    wait(&barrier);
}

__global__ void box_store(const __grid_constant__ CUtensorMap map, int x, int rows, unsigned)
{
    extern __shared__ __align__(1024) char room[];
    for (int i = 0; i < COPIES; i++)
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(x), "r"(i * rows),
                     "r"(address(room))
                     : "memory");
    wait_group();
}

__global__ void box_add(const __grid_constant__ CUtensorMap map, int x, int rows, unsigned)
{
    extern __shared__ __align__(1024) char room[];
    for (int i = 0; i < COPIES; i++)
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(x),
                     "r"(i * rows), "r"(address(room))
                     : "memory");
    wait_group();
}

/* Each of the two blocks of a cluster asks for its half of the copies, for both. */
__global__ void __cluster_dims__(2) box_both(const __grid_constant__ CUtensorMap map, int x, int rows, unsigned bytes)
{
    extern __shared__ __align__(1024) char room[];
    __shared__ uint64_t barrier;
    const unsigned rank = blockIdx.x;
    begin(&barrier, bytes * COPIES);
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    for (int i = rank; i < COPIES; i += 2)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, "
                     "%3}], [%4], %5;" ::"r"(address(room)),
                     "l"(&map), "r"(x), "r"(i * rows), "r"(address(&barrier)), "h"((short)3)
                     : "memory");
    wait(&barrier);
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

/* Shared memory of the other block of the cluster, by a warp: 32 words at so many words apart. */
__global__ void __cluster_dims__(2) other_block(int stride, int stores)
{
    __shared__ unsigned words[4096];
    unsigned at, sum = 0;
    const unsigned mine = address(&words[threadIdx.x * stride & 4095]);
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(mine), "r"(blockIdx.x ^ 1));
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    for (int i = 0; i < COPIES; i++) {
        unsigned got = 0;
        if (stores)
            asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(i) : "memory");
        else
            asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(got) : "r"(at) : "memory");
        sum += got;
    }
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (sum == 0x12345)
        words[0] = sum;
}

static char *memory;
static int number, only = -1;

/* Is this launch wanted? */
static bool is_next()
{
    return only < 0 || number++ == only;
}

static void bytes_at(const char *name, void (*kernel)(const char *, unsigned, size_t), unsigned bytes, size_t offset)
{
    if (!is_next())
        return;
    printf("%s bytes %u offset %zu\n", name, bytes, offset);
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    kernel<<<1, 1, SHARED>>>(memory + offset, bytes, 65536);
    CHECK(cudaDeviceSynchronize());
}

typedef void box_kernel(const CUtensorMap, int, int, unsigned);

static CUresult (*encode)(CUtensorMap *, CUtensorMapDataType, unsigned, void *, const cuuint64_t *, const cuuint64_t *,
                          const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                          CUtensorMapFloatOOBfill);

/* Words of 4 bytes; rows of the tensor `pitch` bytes apart, `width` words long. */
static void boxes(const char *name, box_kernel *kernel, unsigned words, unsigned rows, unsigned pitch, int x, unsigned width, int promotion,
                  unsigned step, int blocks)
{
    CUtensorMap map;
    const cuuint64_t size[2] = {width, 16384}, stride[1] = {pitch};
    const cuuint32_t box[2] = {words, rows}, steps[2] = {1, step};
    const unsigned bytes = words * 4 * ((rows + step - 1) / step);
    if (!is_next())
        return;
    printf("%s words %u rows %u pitch %u x %d width %u promotion %d step %u\n", name, words, rows, pitch, x, width, promotion, step);
    CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, memory, size, stride, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                 CU_TENSOR_MAP_SWIZZLE_NONE, (CUtensorMapL2promotion)promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    kernel<<<blocks, 1, SHARED>>>(map, x, (int)rows, bytes);
    CHECK(cudaDeviceSynchronize());
}

int main(int count, char **words)
{
    only = count > 1 ? atoi(words[1]) : -1;
    cudaDriverEntryPointQueryResult found;
    CHECK(cudaMalloc(&memory, ROOM));
    CHECK(cudaMemset(memory, 0, ROOM));
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found));
    static const struct {
        const char *name;
        void (*kernel)(const char *, unsigned, size_t);
    } plain[] = {{"bulk_load", bulk_load},
                 {"bulk_store", (void (*)(const char *, unsigned, size_t))bulk_store},
                 {"bulk_add", (void (*)(const char *, unsigned, size_t))bulk_add},
                 {"bulk_prefetch", bulk_prefetch}};
    for (const auto &p : plain) {
        for (const unsigned bytes : {16, 32, 64, 128, 256, 1024, 4096, 8192})
            bytes_at(p.name, p.kernel, bytes, 0);
        for (const unsigned offset : {16, 32, 64, 96, 112})
            bytes_at(p.name, p.kernel, 64, offset);
        bytes_at(p.name, p.kernel, 1024, 16);
        bytes_at(p.name, p.kernel, 1024, 64);
    }
    static const struct {
        const char *name;
        box_kernel *kernel;
        int blocks;
    } shapes[] = {{"box_load", box_load, 1}, {"box_store", box_store, 1}, {"box_add", box_add, 1}, {"box_both", box_both, 2}};
    for (const auto &s : shapes) {
        for (const unsigned words : {4, 8, 16, 32, 64, 128})
            boxes(s.name, s.kernel, words, 16, 2048, 0, 512, 0, 1, s.blocks);
        for (const int x : {4, 8, 12, 16, 28, 500, 508}) /* multiples of 16 bytes: an H200 takes no others */
            boxes(s.name, s.kernel, 16, 16, 2048, x, 512, 0, 1, s.blocks);
        boxes(s.name, s.kernel, 16, 16, 2048, 500, 510, 0, 1, s.blocks);
        boxes(s.name, s.kernel, 32, 16, 128, 0, 32, 0, 1, s.blocks);
        boxes(s.name, s.kernel, 8, 16, 32, 0, 8, 0, 1, s.blocks);
        boxes(s.name, s.kernel, 4, 16, 16, 0, 4, 0, 1, s.blocks);
        boxes(s.name, s.kernel, 16, 16, 64, 0, 16, 0, 1, s.blocks);
        for (const int promotion : {1, 2, 3})
            boxes(s.name, s.kernel, 8, 16, 2048, 0, 512, promotion, 1, s.blocks);
    }
    for (const int x : {-4, -12, -16}) /* below 0 for loads alone */
        boxes("box_load", box_load, 16, 16, 2048, x, 512, 0, 1, 1);
    boxes("box_load", box_load, 16, 16, 2048, 0, 512, 0, 2, 1);
    boxes("box_load", box_load, 16, 1, 2048, 0, 512, 0, 1, 1);
    for (const int stores : {0, 1})
        for (const int stride : {1, 2, 32}) {
            if (!is_next())
                continue;
            printf("other_block stride %d stores %d\n", stride, stores);
            other_block<<<2, 32>>>(stride, stores);
            CHECK(cudaDeviceSynchronize());
        }
    return 0;
}
