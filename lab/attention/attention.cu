// SPDX-License-Identifier: Apache-2.0
// Attention, forward: out = softmax(q * k^T / sqrt(HEAD)) * v, of `length` queries and keys a head, in bfloat16 with sums in
// float. A block's y is the head. length is a multiple of 64.
// target: sm_90a
#include <cuda_bf16.h>
#include <stdint.h>

enum { ROWS = 64, KEYS = 64, THREADS = 128 };

// ---- one query per thread, its sums in registers and local memory --------------------------------------------------

template <int HEAD>
static __device__ void by_thread(int length, float scale, const __nv_bfloat16 *q, const __nv_bfloat16 *k, const __nv_bfloat16 *v,
                                 __nv_bfloat16 *out)
{
    const size_t head = (size_t)blockIdx.y * length * HEAD;
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float query[HEAD], sum[HEAD] = {}, largest = -INFINITY, weights = 0;
    for (int d = 0; d < HEAD; d++)
        query[d] = __bfloat162float(q[head + (size_t)row * HEAD + d]) * scale;
    for (int key = 0; key < length; key++) {
        float score = 0;
        for (int d = 0; d < HEAD; d++)
            score = fmaf(query[d], __bfloat162float(k[head + (size_t)key * HEAD + d]), score);
        const float now = fmaxf(largest, score), old = exp2f(largest - now), weight = exp2f(score - now);
        weights = weights * old + weight;
        for (int d = 0; d < HEAD; d++)
            sum[d] = sum[d] * old + weight * __bfloat162float(v[head + (size_t)key * HEAD + d]);
        largest = now;
    }
    for (int d = 0; d < HEAD; d++)
        out[head + (size_t)row * HEAD + d] = __float2bfloat16(sum[d] / weights);
}

extern "C" __global__ void attention_thread_64(int length, float scale, const __nv_bfloat16 *q, const __nv_bfloat16 *k,
                                               const __nv_bfloat16 *v, __nv_bfloat16 *out)
{
    by_thread<64>(length, scale, q, k, v, out);
}

// ---- mma.sync: 16 queries a warp, 64 keys at a time ----------------------------------------------------------------

static __device__ uint32_t shared_address(const void *at)
{
    return (uint32_t)__cvta_generic_to_shared(at);
}

static __device__ void copy_16(uint32_t to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// A row of HEAD numbers has HEAD / 8 pieces of 16 bytes: where one is, so that eight rows have different banks.
template <int HEAD, bool SWIZZLED>
static __device__ int place_of(int row, int piece)
{
    return row * HEAD + (SWIZZLED ? piece ^ row & 7 : piece) * 8;
}

template <int HEAD, bool SWIZZLED>
static __device__ void copy_tile(__nv_bfloat16 *to, const __nv_bfloat16 *from)
{
    for (int i = threadIdx.x; i < KEYS * HEAD / 8; i += THREADS) {
        const int row = i / (HEAD / 8), piece = i % (HEAD / 8);
        copy_16(shared_address(to + place_of<HEAD, SWIZZLED>(row, piece)), from + (size_t)row * HEAD + piece * 8);
    }
}

template <bool TRANSPOSED>
static __device__ void load_four(uint32_t (&to)[4], const __nv_bfloat16 *at)
{
    if (TRANSPOSED)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(shared_address(at))
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(shared_address(at))
                     : "memory");
}

static __device__ void multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

static __device__ uint32_t two(float a, float b)
{
    const __nv_bfloat162 both = __floats2bfloat162_rn(a, b);
    return *(const uint32_t *)&both;
}

static __device__ float over_four(float x, bool adds)
{
    for (int lane = 1; lane < 4; lane *= 2) {
        const float other = __shfl_xor_sync(~0u, x, lane);
        x = adds ? x + other : fmaxf(x, other);
    }
    return x;
}

// STAGES tiles of keys and values are in shared memory; the next ones are copied while one is used where there are two.
template <int HEAD, bool SWIZZLED, int STAGES>
static __device__ void by_matrices(int length, float scale, const __nv_bfloat16 *q, const __nv_bfloat16 *k, const __nv_bfloat16 *v,
                                   __nv_bfloat16 *out)
{
    extern __shared__ __align__(128) __nv_bfloat16 tiles[];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t head = (size_t)blockIdx.y * length * HEAD;
    const __nv_bfloat16 *keys_of = k + head, *values_of = v + head;
    __nv_bfloat16 *keys = tiles, *values = tiles + STAGES * KEYS * HEAD;
    uint32_t query[HEAD / 16][4];
    copy_tile<HEAD, SWIZZLED>(keys, q + head + (size_t)blockIdx.x * ROWS * HEAD);
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    for (int d = 0; d < HEAD / 16; d++)
        load_four<false>(query[d], keys + place_of<HEAD, SWIZZLED>(warp * 16 + lane % 16, 2 * d + lane / 16));
    __syncthreads();
    float sum[HEAD / 8][4] = {}, largest[2] = {-INFINITY, -INFINITY}, weights[2] = {};
    if (STAGES > 1) {
        copy_tile<HEAD, SWIZZLED>(keys, keys_of);
        copy_tile<HEAD, SWIZZLED>(values, values_of);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (int tile = 0; tile < length / KEYS; tile++) {
        const int next = STAGES > 1 ? tile + 1 : tile;
        if (next < length / KEYS) {
            copy_tile<HEAD, SWIZZLED>(keys + next % STAGES * KEYS * HEAD, keys_of + (size_t)next * KEYS * HEAD);
            copy_tile<HEAD, SWIZZLED>(values + next % STAGES * KEYS * HEAD, values_of + (size_t)next * KEYS * HEAD);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 1) : "memory");
        __syncthreads();
        const __nv_bfloat16 *key = keys + tile % STAGES * KEYS * HEAD, *value = values + tile % STAGES * KEYS * HEAD;
        float score[KEYS / 8][4] = {};
        for (int d = 0; d < HEAD / 16; d++)
            for (int j = 0; j < KEYS / 16; j++) {
                uint32_t b[4];
                load_four<false>(b, key + place_of<HEAD, SWIZZLED>(j * 16 + lane / 16 * 8 + lane % 8, 2 * d + lane / 8 % 2));
                multiply(score[2 * j], query[d], b[0], b[1]);
                multiply(score[2 * j + 1], query[d], b[2], b[3]);
            }
        for (int half = 0; half < 2; half++) {
            float most = largest[half];
            for (int j = 0; j < KEYS / 8; j++)
                most = fmaxf(most, fmaxf(score[j][2 * half], score[j][2 * half + 1]) * scale);
            most = over_four(most, false);
            const float old = exp2f(largest[half] - most);
            weights[half] *= old;
            for (int d = 0; d < HEAD / 8; d++) {
                sum[d][2 * half] *= old;
                sum[d][2 * half + 1] *= old;
            }
            for (int j = 0; j < KEYS / 8; j++)
                for (int i = 2 * half; i < 2 * half + 2; i++) {
                    score[j][i] = exp2f(score[j][i] * scale - most);
                    weights[half] += score[j][i];
                }
            largest[half] = most;
        }
        for (int j = 0; j < KEYS / 16; j++) {
            const uint32_t weight[4] = {two(score[2 * j][0], score[2 * j][1]), two(score[2 * j][2], score[2 * j][3]),
                                        two(score[2 * j + 1][0], score[2 * j + 1][1]), two(score[2 * j + 1][2], score[2 * j + 1][3])};
            for (int d = 0; d < HEAD / 16; d++) {
                uint32_t b[4];
                load_four<true>(b, value + place_of<HEAD, SWIZZLED>(j * 16 + lane % 16, 2 * d + lane / 16));
                multiply(sum[2 * d], weight, b[0], b[1]);
                multiply(sum[2 * d + 1], weight, b[2], b[3]);
            }
        }
        __syncthreads();
    }
    for (int half = 0; half < 2; half++) {
        const float all = over_four(weights[half], true);
        const int row = blockIdx.x * ROWS + warp * 16 + half * 8 + lane / 4;
        for (int d = 0; d < HEAD / 8; d++)
            *(uint32_t *)(out + head + (size_t)row * HEAD + d * 8 + lane % 4 * 2) =
                two(sum[d][2 * half] / all, sum[d][2 * half + 1] / all);
    }
}

#define ATTENTION(name, head, swizzled, stages)                                                                            \
    extern "C" __global__ void __launch_bounds__(THREADS)                                                                  \
        attention_##name(int length, float scale, const __nv_bfloat16 *q, const __nv_bfloat16 *k, const __nv_bfloat16 *v,  \
                         __nv_bfloat16 *out)                                                                               \
    {                                                                                                                      \
        by_matrices<head, swizzled, stages>(length, scale, q, k, v, out);                                                  \
    }
ATTENTION(plain_64, 64, false, 1)
ATTENTION(swizzled_64, 64, true, 1)
ATTENTION(ahead_64, 64, true, 2)
ATTENTION(plain_128, 128, false, 1)
ATTENTION(swizzled_128, 128, true, 1)
ATTENTION(ahead_128, 128, true, 2)

// ---- the simple ones for heads of 128, and keys and values in shared memory ----------------------------------------

extern "C" __global__ void attention_thread_128(int length, float scale, const __nv_bfloat16 *q, const __nv_bfloat16 *k,
                                                const __nv_bfloat16 *v, __nv_bfloat16 *out)
{
    by_thread<128>(length, scale, q, k, v, out);
}

static __device__ float2 from_two(uint32_t two)
{
    return make_float2(__uint_as_float(two << 16), __uint_as_float(two & 0xffff0000u));
}

// Four lanes share a query: each has every fourth piece of 8 numbers of it and of its sums.
template <int HEAD>
static __device__ void by_tiles(int length, float scale, const __nv_bfloat16 *q, const __nv_bfloat16 *k, const __nv_bfloat16 *v,
                                __nv_bfloat16 *out)
{
    enum { PIECES = HEAD / 32 };
    __shared__ uint4 keys[32][HEAD / 8], values[32][HEAD / 8];
    const int part = threadIdx.x % 4, row = blockIdx.x * (THREADS / 4) + threadIdx.x / 4;
    const size_t head = (size_t)blockIdx.y * length * HEAD;
    const uint4 *mine = (const uint4 *)(q + head + (size_t)row * HEAD), *of_k = (const uint4 *)(k + head),
                *of_v = (const uint4 *)(v + head);
    float2 query[PIECES][4], sum[PIECES][4] = {};
    float largest = -INFINITY, weights = 0;
    for (int i = 0; i < PIECES; i++) {
        const uint4 piece = mine[4 * i + part];
        const uint32_t words[4] = {piece.x, piece.y, piece.z, piece.w};
        for (int j = 0; j < 4; j++)
            query[i][j] = make_float2(from_two(words[j]).x * scale, from_two(words[j]).y * scale);
    }
    for (int first = 0; first < length; first += 32) {
        __syncthreads();
        for (int i = threadIdx.x; i < 32 * HEAD / 8; i += THREADS) {
            keys[i / (HEAD / 8)][i % (HEAD / 8)] = of_k[(size_t)first * (HEAD / 8) + i];
            values[i / (HEAD / 8)][i % (HEAD / 8)] = of_v[(size_t)first * (HEAD / 8) + i];
        }
        __syncthreads();
        for (int key = 0; key < 32; key++) {
            float score = 0;
            for (int i = 0; i < PIECES; i++) {
                const uint4 piece = keys[key][4 * i + part];
                const uint32_t words[4] = {piece.x, piece.y, piece.z, piece.w};
                for (int j = 0; j < 4; j++) {
                    const float2 two = from_two(words[j]);
                    score = fmaf(query[i][j].x, two.x, fmaf(query[i][j].y, two.y, score));
                }
            }
            score = over_four(score, true);
            const float now = fmaxf(largest, score), old = exp2f(largest - now), weight = exp2f(score - now);
            weights = weights * old + weight;
            largest = now;
            for (int i = 0; i < PIECES; i++) {
                const uint4 piece = values[key][4 * i + part];
                const uint32_t words[4] = {piece.x, piece.y, piece.z, piece.w};
                for (int j = 0; j < 4; j++) {
                    const float2 two = from_two(words[j]);
                    sum[i][j].x = fmaf(weight, two.x, sum[i][j].x * old);
                    sum[i][j].y = fmaf(weight, two.y, sum[i][j].y * old);
                }
            }
        }
    }
    for (int i = 0; i < PIECES; i++) {
        uint32_t words[4];
        for (int j = 0; j < 4; j++)
            words[j] = two(sum[i][j].x / weights, sum[i][j].y / weights);
        ((uint4 *)(out + head + (size_t)row * HEAD))[4 * i + part] = make_uint4(words[0], words[1], words[2], words[3]);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) attention_tiled_64(int length, float scale, const __nv_bfloat16 *q,
                                                                         const __nv_bfloat16 *k, const __nv_bfloat16 *v,
                                                                         __nv_bfloat16 *out)
{
    by_tiles<64>(length, scale, q, k, v, out);
}

extern "C" __global__ void __launch_bounds__(THREADS) attention_tiled_128(int length, float scale, const __nv_bfloat16 *q,
                                                                          const __nv_bfloat16 *k, const __nv_bfloat16 *v,
                                                                          __nv_bfloat16 *out)
{
    by_tiles<128>(length, scale, q, k, v, out);
}

// ---- wgmma on 128 keys at a time, which tensor copies bring in two stages ------------------------------------------

// What cuTensorMapEncodeTiled makes: CUtensorMap without its header.
struct __align__(64) tensor_map {
    uint64_t words[16];
};

enum { TILE = 128, BOX_BYTES = TILE * 64 * 2, STAGES_AHEAD = 2 }; // a box is 64 numbers of 128 rows

static __device__ void barrier_init(uint64_t *barrier, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}

static __device__ void barrier_arrive(uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

static __device__ void barrier_expect(uint64_t *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}

static __device__ void barrier_wait(uint64_t *barrier, unsigned parity)
{
    uint32_t done;
    do
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
    while (!done);
}

static __device__ void copy_box(void *to, const tensor_map *map, int x, int y, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                     shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier))
                 : "memory");
}

template <int HEAD>
static __device__ void copy_rows(uint8_t *to, const tensor_map *map, int row, uint64_t *barrier)
{
    barrier_expect(barrier, HEAD / 64 * BOX_BYTES);
    for (int box = 0; box < HEAD / 64; box++)
        copy_box(to + box * BOX_BYTES, map, box * 64, row, barrier);
}

// Rows of 128 bytes, swizzled by 128 bytes, eight of them 1,024 bytes (PTX ISA, matrix descriptor): keys and queries lie along
// the products, values across them, where a box follows the other.
static __device__ uint64_t along(const void *tile)
{
    return (shared_address(tile) & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

static __device__ uint64_t across(const void *tile)
{
    return (shared_address(tile) & 0x3ffff) >> 4 | (uint64_t)(BOX_BYTES >> 4) << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

#define EIGHT(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])

static __device__ void multiply_keys(float (&d)[64], uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
                 "}, %64, %65, 1, 1, 1, 0, 0;"
                 : EIGHT(d, 0), EIGHT(d, 8), EIGHT(d, 16), EIGHT(d, 24), EIGHT(d, 32), EIGHT(d, 40),
                   EIGHT(d, 48), EIGHT(d, 56)
                 : "l"(a), "l"(b));
}

static __device__ void multiply_values(float (&d)[32], const uint32_t (&a)[4], uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
                 "}, {%32, %33, %34, %35}, %36, 1, 1, 1, 1;"
                 : EIGHT(d, 0), EIGHT(d, 8), EIGHT(d, 16), EIGHT(d, 24)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

static __device__ void multiply_values(float (&d)[64], const uint32_t (&a)[4], uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
                 "}, {%64, %65, %66, %67}, %68, 1, 1, 1, 1;"
                 : EIGHT(d, 0), EIGHT(d, 8), EIGHT(d, 16), EIGHT(d, 24), EIGHT(d, 32), EIGHT(d, 40),
                   EIGHT(d, 48), EIGHT(d, 56)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// The running maximum and sum of two rows of 128 scores, which become weights; the sums of before are scaled.
template <int HEAD>
static __device__ void fold(float (&score)[TILE / 2], float (&sum)[HEAD / 2], float (&largest)[2], float (&weights)[2], float scale)
{
    for (int half = 0; half < 2; half++) {
        float most = largest[half];
        for (int i = 2 * half; i < TILE / 2; i += 4)
            most = fmaxf(most, fmaxf(score[i], score[i + 1]) * scale);
        most = over_four(most, false);
        const float old = exp2f(largest[half] - most);
        weights[half] *= old;
        for (int i = 2 * half; i < HEAD / 2; i += 4) {
            sum[i] *= old;
            sum[i + 1] *= old;
        }
        for (int i = 2 * half; i < TILE / 2; i += 4)
            for (int j = i; j < i + 2; j++) {
                score[j] = exp2f(score[j] * scale - most);
                weights[half] += score[j];
            }
        largest[half] = most;
    }
}

// Group 0 copies; groups 1 and 2 have 64 queries each.
template <int HEAD>
static __device__ void by_groups(int length, float scale, const tensor_map *q, const tensor_map *k, const tensor_map *v,
                                 __nv_bfloat16 *out)
{
    enum { BYTES = HEAD / 64 * BOX_BYTES };
    extern __shared__ __align__(1024) uint8_t boxes[];
    __shared__ uint64_t query_full, key_full[STAGES_AHEAD], value_full[STAGES_AHEAD], key_empty[STAGES_AHEAD], value_empty[STAGES_AHEAD];
    uint8_t *query = boxes, *keys = boxes + BYTES, *values = keys + STAGES_AHEAD * BYTES;
    const int group = threadIdx.x / 128, lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    const int first = blockIdx.y * length;
    if (threadIdx.x == 0) {
        barrier_init(&query_full, 1);
        for (int i = 0; i < STAGES_AHEAD; i++) {
            barrier_init(&key_full[i], 1);
            barrier_init(&value_full[i], 1);
            barrier_init(&key_empty[i], 2);
            barrier_init(&value_empty[i], 2);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x != 0)
            return;
        copy_rows<HEAD>(query, q, first + blockIdx.x * TILE, &query_full);
        for (int tile = 0; tile < length / TILE; tile++) {
            const int stage = tile % STAGES_AHEAD, parity = (tile / STAGES_AHEAD & 1) ^ 1;
            barrier_wait(&key_empty[stage], parity);
            copy_rows<HEAD>(keys + stage * BYTES, k, first + tile * TILE, &key_full[stage]);
            barrier_wait(&value_empty[stage], parity);
            copy_rows<HEAD>(values + stage * BYTES, v, first + tile * TILE, &value_full[stage]);
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float sum[HEAD / 2] = {}, largest[2] = {-INFINITY, -INFINITY}, weights[2] = {};
    barrier_wait(&query_full, 0);
    for (int tile = 0; tile < length / TILE; tile++) {
        const int stage = tile % STAGES_AHEAD, parity = tile / STAGES_AHEAD & 1;
        float score[TILE / 2] = {};
        barrier_wait(&key_full[stage], parity);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int d = 0; d < HEAD / 16; d++) { // 16 numbers are 32 bytes: 2 in a descriptor
            const int box = d / 4 * BOX_BYTES;
            multiply_keys(score, along(query + box + (group - 1) * (BOX_BYTES / 2)) + d % 4 * 2,
                          along(keys + stage * BYTES + box) + d % 4 * 2);
        }
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (threadIdx.x % 128 == 0)
            barrier_arrive(&key_empty[stage]);
        fold<HEAD>(score, sum, largest, weights, scale);
        uint32_t weight[TILE / 16][4];
        for (int j = 0; j < TILE / 16; j++)
            for (int i = 0; i < 4; i++)
                weight[j][i] = two(score[8 * j + 2 * i], score[8 * j + 2 * i + 1]);
        barrier_wait(&value_full[stage], parity);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int j = 0; j < TILE / 16; j++) // 16 rows are 2,048 bytes
            multiply_values(sum, weight[j], across(values + stage * BYTES) + j * 128);
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (threadIdx.x % 128 == 0)
            barrier_arrive(&value_empty[stage]);
    }
    for (int half = 0; half < 2; half++) {
        const float all = over_four(weights[half], true);
        const int row = blockIdx.x * TILE + (group - 1) * 64 + warp * 16 + half * 8 + lane / 4;
        for (int d = 0; d < HEAD / 8; d++)
            *(uint32_t *)(out + ((size_t)first + row) * HEAD + d * 8 + lane % 4 * 2) =
                two(sum[4 * d + 2 * half] / all, sum[4 * d + 2 * half + 1] / all);
    }
}

extern "C" __global__ void __launch_bounds__(384)
    attention_wgmma_64(int length, float scale, const __grid_constant__ tensor_map q, const __grid_constant__ tensor_map k,
                       const __grid_constant__ tensor_map v, __nv_bfloat16 *out)
{
    by_groups<64>(length, scale, &q, &k, &v, out);
}

extern "C" __global__ void __launch_bounds__(384)
    attention_wgmma_128(int length, float scale, const __grid_constant__ tensor_map q, const __grid_constant__ tensor_map k,
                        const __grid_constant__ tensor_map v, __nv_bfloat16 *out)
{
    by_groups<128>(length, scale, &q, &k, &v, out);
}
