/* SPDX-License-Identifier: Apache-2.0
 *
 * haxpy: y = alpha * x + y for bfloat16 arrays and a float alpha, one rounding to float and one to
 * bfloat16. n is any number from 1 on; x and y begin at any even address. Wide accesses need
 * aligned addresses, so what lies before the first and after the last whole vector is done one by
 * one.
 *
 *   version            what it changes, and why
 *   haxpy_scalar       one element a thread: 2 bytes a lane are 2 sectors a request, and the whole
 *                      set-up is paid for them
 *   haxpy_pairs        two elements (4 bytes) a lane: half of the requests
 *   haxpy_vector       eight elements (16 bytes) a lane, the head and the tail peeled off
 *   haxpy_coarsened    two such vectors a thread, all loads before the first store: twice the bytes
 *                      in flight a warp
 *   haxpy_four         (ours) four vectors a thread
 *   haxpy_streaming    (ours) two vectors a thread; lines are used once, so nothing is kept for
 *                      later: loads do not allocate in L1, stores go first when L2 makes room
 *   haxpy_four_streaming  (ours) both
 *   haxpy_persistent   (ours) as many blocks as fit at once, each walking through the array
 *
 * Where x and y are not offset alike, a vector of y has its elements of x in two neighbouring
 * aligned vectors, which are loaded both (the second one comes from L1) and shifted together.
 *
 * haxpy_NAME_all solves many small problems at once, one each blockIdx.y, for every n and offset:
 * the same code, to be checked exhaustively. */

typedef unsigned short bf16;

constexpr int lane_elements = 8; /* of 2 bytes in 16 */
constexpr unsigned vector_bytes = 16;

struct problem {
    unsigned n;
    float alpha;
    const bf16 *__restrict__ x;
    bf16 *__restrict__ y;
    unsigned block, blocks, threads, thread;
};

/* ---- elements -------------------------------------------------------------------------------- */

static __device__ __forceinline__ float low(unsigned pair)
{
    return __uint_as_float(pair << 16);
}

static __device__ __forceinline__ float high(unsigned pair)
{
    return __uint_as_float(pair & 0xffff0000u);
}

static __device__ __forceinline__ unsigned axpy_pair(float alpha, unsigned x, unsigned y)
{
    unsigned result;
    const float a = fmaf(alpha, high(x), high(y)), b = fmaf(alpha, low(x), low(y));
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(a), "f"(b));
    return result;
}

static __device__ __forceinline__ void axpy_one(const problem &p, unsigned i)
{
    unsigned short result;
    const float value = fmaf(p.alpha, low(p.x[i]), low(p.y[i]));
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result) : "f"(value));
    p.y[i] = result;
}

static __device__ __forceinline__ uint4 axpy_vector(float alpha, uint4 x, uint4 y)
{
    return make_uint4(axpy_pair(alpha, x.x, y.x), axpy_pair(alpha, x.y, y.y),
                      axpy_pair(alpha, x.z, y.z), axpy_pair(alpha, x.w, y.w));
}

/* Elements before the first address that is a multiple of `bytes`. */
static __device__ __forceinline__ unsigned head_of(const problem &p, unsigned bytes)
{
    const unsigned head = ((unsigned)-(size_t)p.y & (bytes - 1)) / sizeof(bf16);
    return head < p.n ? head : p.n;
}

static __device__ __forceinline__ bool offset_alike(const problem &p, unsigned bytes)
{
    return (((size_t)p.x ^ (size_t)p.y) & (bytes - 1)) == 0;
}

/* The elements outside of [head, end), by the first threads of the first block: never more than
 * 14, and a block has a warp at least. */
static __device__ __forceinline__ void edges(const problem &p, unsigned head, unsigned end)
{
    if (p.block != 0)
        return;
    if (p.thread < head)
        axpy_one(p, p.thread);
    else if (p.thread - head < p.n - end)
        axpy_one(p, p.thread - head + end);
}

/* ---- how memory is accessed ------------------------------------------------------------------ */

struct plain {
    static __device__ __forceinline__ uint4 load_x(const uint4 *at)
    {
        return __ldg(at);
    }
    static __device__ __forceinline__ uint4 load_y(const uint4 *at)
    {
        return *at;
    }
    static __device__ __forceinline__ void store(uint4 *at, uint4 value)
    {
        *at = value;
    }
};

struct once {
    static __device__ __forceinline__ uint4 load_x(const uint4 *at)
    {
        uint4 v;
        asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(at));
        return v;
    }
    static __device__ __forceinline__ uint4 load_y(const uint4 *at)
    {
        uint4 v;
        asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(at)
                     : "memory");
        return v;
    }
    static __device__ __forceinline__ void store(uint4 *at, uint4 value)
    {
        __stcs(at, value);
    }
};

/* ---- vectors --------------------------------------------------------------------------------- */

/* Word k of the 16 bytes that begin `words` words and `half` half-words into a and b. */
static __device__ __forceinline__ uint4 shifted(uint4 a, uint4 b, unsigned elements)
{
    unsigned w[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
    for (int k = 0; k < 6; k++)
        w[k] = elements & 4 ? w[k + 2] : w[k];
#pragma unroll
    for (int k = 0; k < 5; k++)
        w[k] = elements & 2 ? w[k + 1] : w[k];
    const unsigned bits = elements & 1 ? 16 : 0;
    return make_uint4(__funnelshift_r(w[0], w[1], bits), __funnelshift_r(w[1], w[2], bits),
                      __funnelshift_r(w[2], w[3], bits), __funnelshift_r(w[3], w[4], bits));
}

/* x and y are offset differently. The aligned vectors of x reach past the ends of the array at the
 * first and the last vector of y: those go one by one. */
template <typename access>
static __device__ __forceinline__ void one_apart(const problem &p, unsigned head, unsigned vectors,
                                                 unsigned v)
{
    const bf16 *x = p.x + head;
    const unsigned before = ((size_t)x & (vector_bytes - 1)) / sizeof(bf16);
    const uint4 *from = (const uint4 *)(x - before);
    uint4 *to = (uint4 *)(p.y + head);
    if (v == 0 || v + 1 == vectors) {
        for (unsigned i = 0; i < lane_elements; i++)
            axpy_one(p, head + v * lane_elements + i);
        return;
    }
    const uint4 b = shifted(plain::load_x(from + v), plain::load_x(from + v + 1), before);
    access::store(to + v, axpy_vector(p.alpha, b, access::load_y(to + v)));
}

/* COUNT vectors, `step` apart; all loads before the first store. */
template <typename access, int count>
static __device__ __forceinline__ void some_alike(const problem &p, unsigned head, unsigned first,
                                                  unsigned step)
{
    const uint4 *from = (const uint4 *)(p.x + head) + first;
    uint4 *to = (uint4 *)(p.y + head) + first;
    uint4 a[count], b[count];
#pragma unroll
    for (int k = 0; k < count; k++) {
        a[k] = access::load_x(from + k * step);
        b[k] = access::load_y(to + k * step);
    }
#pragma unroll
    for (int k = 0; k < count; k++)
        access::store(to + k * step, axpy_vector(p.alpha, a[k], b[k]));
}

/* The vectors of one tile: COUNT times as many as the block has threads. */
template <typename access, int count>
static __device__ __forceinline__ void tile(const problem &p, unsigned head, unsigned vectors,
                                            unsigned first, bool alike)
{
    if (alike && first + (count - 1) * p.threads < vectors) {
        some_alike<access, count>(p, head, first, p.threads);
        return;
    }
#pragma unroll 1
    for (int k = 0; k < count; k++, first += p.threads) {
        if (first >= vectors)
            break;
        if (alike)
            some_alike<access, 1>(p, head, first, 0);
        else
            one_apart<access>(p, head, vectors, first);
    }
}

template <typename access, int count>
static __device__ __forceinline__ void wide(const problem &p)
{
    const unsigned head = head_of(p, vector_bytes), vectors = (p.n - head) / lane_elements;
    const bool alike = offset_alike(p, vector_bytes);
    tile<access, count>(p, head, vectors, p.block * p.threads * count + p.thread, alike);
    edges(p, head, head + vectors * lane_elements);
}

template <typename access, int count>
static __device__ __forceinline__ void walk(const problem &p)
{
    const unsigned head = head_of(p, vector_bytes), vectors = (p.n - head) / lane_elements;
    const unsigned step = p.blocks * p.threads * count;
    const bool alike = offset_alike(p, vector_bytes);
    for (unsigned first = p.block * p.threads * count + p.thread; first < vectors; first += step)
        tile<access, count>(p, head, vectors, first, alike);
    edges(p, head, head + vectors * lane_elements);
}

/* ---- versions -------------------------------------------------------------------------------- */

static __device__ __forceinline__ void scalar(const problem &p)
{
    const unsigned i = p.block * p.threads + p.thread;
    if (i < p.n)
        axpy_one(p, i);
}

static __device__ __forceinline__ void pairs(const problem &p)
{
    const unsigned head = head_of(p, sizeof(unsigned)), count = (p.n - head) / 2;
    const unsigned i = p.block * p.threads + p.thread;
    if (i < count) {
        unsigned *y = (unsigned *)(p.y + head) + i;
        const bf16 *x = p.x + head + 2 * i;
        const unsigned both = offset_alike(p, sizeof(unsigned)) ? __ldg((const unsigned *)x)
                                                                : x[0] | (unsigned)x[1] << 16;
        *y = axpy_pair(p.alpha, both, *y);
    }
    edges(p, head, head + 2 * count);
}

static __device__ __forceinline__ void vector(const problem &p)
{
    wide<plain, 1>(p);
}

static __device__ __forceinline__ void coarsened(const problem &p)
{
    wide<plain, 2>(p);
}

static __device__ __forceinline__ void four(const problem &p)
{
    wide<plain, 4>(p);
}

static __device__ __forceinline__ void streaming(const problem &p)
{
    wide<once, 2>(p);
}

static __device__ __forceinline__ void four_streaming(const problem &p)
{
    wide<once, 4>(p);
}

static __device__ __forceinline__ void persistent(const problem &p)
{
    walk<plain, 4>(p);
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* A problem has its slot of both arrays; the offset in it grows by an element with each problem, that
 * of x is `apart` elements more. 128 neighbours have the same n. */
constexpr unsigned offsets = 128;

#define VERSION(name)                                                                              \
    extern "C" __global__ void __launch_bounds__(256)                                              \
        haxpy_##name(int n, float alpha, const bf16 *__restrict__ x, bf16 *__restrict__ y)         \
    {                                                                                              \
        name({(unsigned)n, alpha, x, y, blockIdx.x, gridDim.x, blockDim.x, threadIdx.x});          \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(256) haxpy_##name##_all(                          \
        int first_n, int apart, int slot_elements, float alpha, const bf16 *__restrict__ x,        \
        bf16 *__restrict__ y)                                                                      \
    {                                                                                              \
        const unsigned slot = blockIdx.y, at = slot % offsets;                                     \
        name({first_n + slot / offsets, alpha, x + slot * slot_elements + (at + apart) % offsets,  \
              y + slot * slot_elements + at, blockIdx.x, gridDim.x, blockDim.x, threadIdx.x});     \
    }

VERSION(scalar)
VERSION(pairs)
VERSION(vector)
VERSION(coarsened)
VERSION(four)
VERSION(streaming)
VERSION(four_streaming)
VERSION(persistent)
