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
