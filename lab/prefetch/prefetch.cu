/* SPDX-License-Identifier: Apache-2.0
 *
 * prefetch: each block goes through its own slice of an array, a thread through every 128th
 * element of it, and adds up what each is worth. Trips are independent, but a thread asks for an
 * element only when it is done with the one before: few bytes are in flight where few warps fit
 * the SM. Every version moves the same bytes; they differ in when they ask for them.
 *
 *   version         what it changes, and why
 *   none            each trip waits a whole memory latency for its element
 *   registers       every P-th trip loads P elements into registers: one latency for P trips, but
 *                   the trip that loads waits for it, and P registers a word are taken
 *   shared          the same batch in shared memory: the distance is only a number now
 *   rolling         the buffer is filled before the loop, and each trip asks for the element of P
 *                   trips later. The load goes through a register: its store to shared memory waits
 *                   for it, in the same trip if a barrier stands in the loop, soon after otherwise
 *   async           the same by asynchronous copies, which pass by the registers and are waited for
 *                   when their trip comes
 *   ..._padded      the three shared ones: a thread's P slots are spread to a power of two plus
 *                   one. A warp that reads one slot each, P doubles apart, meets gcd(P, 16) of its
 *                   half's lanes in one bank; an odd distance meets none
 *   l2              asks L2 to fetch what is needed P trips later: no room in the SM is taken
 *   async_planes    async with a slot's 128 doubles side by side instead of a thread's P slots: no
 *                   conflicts and no padding (ours)
 *   bulk            a ring of 256-byte bulk copies a warp, each completing an mbarrier: one lane
 *                   asks for 32 (ours, from sm_90 on)
 *   ..._barrier     the same with a barrier of the block in every trip, as programs have that work
 *                   on more than one element at a time
 *
 * What an element is worth: the sum of its powers 0 to 32 (33 payments of 1, discounted by it), a
 * chain of 32 multiply-adds: the document's "lots of instructions". No loop over trips is unrolled:
 * a body too long for that is what prefetching is for. All versions are given the same dynamic
 * shared memory whether they use it or not, so that occupancy is the same in all.
 *
 * The launch bounds allow 64 registers, so that a batch of 16 is loaded before the first is stored.
 * Blocks have 128 threads; `elements`, a block's share, is a multiple of 128. */
#include <cuda_pipeline.h>

constexpr int block_threads = 128, powers = 32;

extern __shared__ double buffer[];

struct slice {
    const double *__restrict__ from; /* the block's own */
    int elements;
};

__device__ __forceinline__ double worth(double x)
{
    double sum = 1;
#pragma unroll
    for (int k = 0; k < powers; k++)
        sum = fma(sum, x, 1.0);
    return sum;
}

template <bool has_barrier> __device__ __forceinline__ void end_trip()
{
    if (has_barrier)
        __syncthreads();
}

template <int distance> __device__ __forceinline__ int slot_after(int slot)
{
    return slot + 1 < distance ? slot + 1 : 0;
}

/* Where a thread's P slots are. */
template <int distance, int stride> struct rows {
    static __device__ __forceinline__ double *slot(int k)
    {
        return &buffer[k + stride * threadIdx.x];
    }
};

constexpr int padded_stride(int distance, int power = 2)
{
    return power + 1 >= distance ? power + 1 : padded_stride(distance, 2 * power);
}

template <int distance> struct unpadded : rows<distance, distance> {
};
template <int distance> struct padded : rows<distance, padded_stride(distance)> {
};
template <int distance> struct planes {
    static __device__ __forceinline__ double *slot(int k)
    {
        return &buffer[k * block_threads + threadIdx.x];
    }
};

template <bool has_barrier> __device__ __forceinline__ double sum_none(const slice &s)
{
    double sum = 0;
#pragma unroll 1
    for (int i = threadIdx.x; i < s.elements; i += block_threads) {
        sum += worth(s.from[i]);
        end_trip<has_barrier>();
    }
    return sum;
}

/* An array in registers has no index: one of the values is picked. */
template <int distance>
__device__ __forceinline__ double pick(const double (&values)[distance], int which)
{
    double picked = values[0];
#pragma unroll
    for (int k = 1; k < distance; k++)
        picked = which == k ? values[k] : picked;
    return picked;
}

template <int distance, bool has_barrier>
__device__ __forceinline__ double sum_registers(const slice &s)
{
    double sum = 0, values[distance] = {};
    int which = 0;
#pragma unroll 1
    for (int i = threadIdx.x; i < s.elements; i += block_threads) {
        if (which == 0)
#pragma unroll
            for (int k = 0; k < distance; k++)
                if (i + k * block_threads < s.elements)
                    values[k] = s.from[i + k * block_threads];
        sum += worth(pick(values, which));
        which = slot_after<distance>(which);
        end_trip<has_barrier>();
    }
    return sum;
}

/* Into slots 0 to P - 1, all loads before the first store. */
template <int distance, typename place>
__device__ __forceinline__ void load_batch(const slice &s, int i)
{
    double values[distance];
#pragma unroll
    for (int k = 0; k < distance; k++)
        values[k] = i + k * block_threads < s.elements ? s.from[i + k * block_threads] : 0;
#pragma unroll
    for (int k = 0; k < distance; k++)
        *place::slot(k) = values[k];
}

template <int distance, typename place, bool has_barrier>
__device__ __forceinline__ double sum_shared(const slice &s)
{
    double sum = 0;
    int slot = 0;
#pragma unroll 1
    for (int i = threadIdx.x; i < s.elements; i += block_threads) {
        if (slot == 0)
            load_batch<distance, place>(s, i);
        sum += worth(*place::slot(slot));
        slot = slot_after<distance>(slot);
        end_trip<has_barrier>();
    }
    return sum;
}

template <int distance, typename place, bool has_barrier>
__device__ __forceinline__ double sum_rolling(const slice &s)
{
    double sum = 0;
    int slot = 0;
    load_batch<distance, place>(s, threadIdx.x);
#pragma unroll 1
    for (int i = threadIdx.x; i < s.elements; i += block_threads) {
        const int later = i + distance * block_threads;
        const double value = *place::slot(slot);
        if (later < s.elements)
            *place::slot(slot) = s.from[later];
        sum += worth(value);
        slot = slot_after<distance>(slot);
        end_trip<has_barrier>();
    }
    return sum;
}

/* A copy is closed into a group of its own even where there is none left to make: so the group of
 * a trip is always the P-th last. */
__device__ __forceinline__ void copy_async(double *slot, const slice &s, int i)
{
    if (i < s.elements)
        __pipeline_memcpy_async(slot, &s.from[i], sizeof *slot);
    __pipeline_commit();
}

template <int distance, typename place, bool has_barrier>
__device__ __forceinline__ double sum_async(const slice &s)
{
    double sum = 0;
    int slot = 0;
#pragma unroll
    for (int k = 0; k < distance; k++)
        copy_async(place::slot(k), s, threadIdx.x + k * block_threads);
#pragma unroll 1
    for (int i = threadIdx.x; i < s.elements; i += block_threads) {
        __pipeline_wait_prior(distance - 1);
        const double value = *place::slot(slot);
        copy_async(place::slot(slot), s, i + distance * block_threads);
        sum += worth(value);
        slot = slot_after<distance>(slot);
        end_trip<has_barrier>();
    }
    return sum;
}

__device__ __forceinline__ void prefetch_l2(const slice &s, int i)
{
    if (i < s.elements)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(&s.from[i]));
}

template <int distance, bool has_barrier> __device__ __forceinline__ double sum_l2(const slice &s)
{
    double sum = 0;
#pragma unroll
    for (int k = 0; k < distance; k++)
        prefetch_l2(s, threadIdx.x + k * block_threads);
#pragma unroll 1
    for (int i = threadIdx.x; i < s.elements; i += block_threads) {
        prefetch_l2(s, i + distance * block_threads);
        sum += worth(s.from[i]);
        end_trip<has_barrier>();
    }
    return sum;
}

/* ---- bulk copies ----------------------------------------------------------------------------- */

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

constexpr int lanes = 32;
constexpr unsigned row_bytes = lanes * sizeof(double);

__device__ __forceinline__ unsigned shared_address(const void *generic)
{
    return (unsigned)__cvta_generic_to_shared(generic);
}

__device__ __forceinline__ void make_barrier(unsigned barrier)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}

/* By one lane: 32 doubles from s.from[i] on. */
__device__ __forceinline__ void copy_row(double *to, const slice &s, int i, unsigned barrier)
{
    if (i >= s.elements)
        return;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                 "r"(row_bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
                 "l"(__cvta_generic_to_global(&s.from[i])), "r"(row_bytes), "r"(barrier)
                 : "memory");
}

__device__ __forceinline__ void wait_row(unsigned barrier, unsigned phase)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(barrier),
                 "r"(phase)
                 : "memory");
}

template <int distance, bool has_barrier> __device__ __forceinline__ double sum_bulk(const slice &s)
{
    __shared__ unsigned long long arrived[block_threads / lanes][distance];
    const int warp = threadIdx.x / lanes, lane = threadIdx.x % lanes;
    double *const ring = &buffer[warp * distance * lanes];
    const unsigned barriers = shared_address(arrived[warp]);
    if (lane == 0) {
#pragma unroll
        for (int k = 0; k < distance; k++)
            make_barrier(barriers + 8 * k);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#pragma unroll
        for (int k = 0; k < distance; k++)
            copy_row(ring + k * lanes, s, threadIdx.x + k * block_threads, barriers + 8 * k);
    }
    __syncwarp();
    double sum = 0;
    int slot = 0;
    unsigned phase = 0;
#pragma unroll 1
    for (int i = threadIdx.x; i < s.elements; i += block_threads) {
        wait_row(barriers + 8 * slot, phase);
        const double value = ring[slot * lanes + lane];
        __syncwarp(); /* all have read: the row may be overwritten */
        if (lane == 0)
            copy_row(ring + slot * lanes, s, i + distance * block_threads, barriers + 8 * slot);
        sum += worth(value);
        slot = slot_after<distance>(slot);
        phase ^= slot == 0;
        end_trip<has_barrier>();
    }
    return sum;
}

#endif

/* ---- the kernels ----------------------------------------------------------------------------- */

#define KERNEL(name, ...)                                                                          \
    extern "C" __global__ void __launch_bounds__(block_threads, 8) prefetch_##name(                \
        int elements, const double *__restrict__ array, double *__restrict__ results)              \
    {                                                                                              \
        const size_t block = blockIdx.x;                                                           \
        const slice s = {array + block * elements, elements};                                      \
        results[block * block_threads + threadIdx.x] = __VA_ARGS__(s);                             \
    }
#define COMMON(P, suffix, barrier)                                                                 \
    KERNEL(registers##suffix##_##P, sum_registers<P, barrier>)                                     \
    KERNEL(shared##suffix##_##P, sum_shared<P, unpadded<P>, barrier>)                              \
    KERNEL(rolling##suffix##_##P, sum_rolling<P, unpadded<P>, barrier>)                            \
    KERNEL(async##suffix##_##P, sum_async<P, unpadded<P>, barrier>)                                \
    KERNEL(shared_padded##suffix##_##P, sum_shared<P, padded<P>, barrier>)                         \
    KERNEL(rolling_padded##suffix##_##P, sum_rolling<P, padded<P>, barrier>)                       \
    KERNEL(async_padded##suffix##_##P, sum_async<P, padded<P>, barrier>)                           \
    KERNEL(l2##suffix##_##P, sum_l2<P, barrier>)                                                   \
    KERNEL(async_planes##suffix##_##P, sum_async<P, planes<P>, barrier>)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define DISTANCE(P, suffix, barrier)                                                               \
    COMMON(P, suffix, barrier)                                                                     \
    KERNEL(bulk##suffix##_##P, sum_bulk<P, barrier>)
#else
#define DISTANCE COMMON
#endif

KERNEL(none, sum_none<false>)
KERNEL(none_barrier, sum_none<true>)
DISTANCE(2, , false)
DISTANCE(4, , false)
DISTANCE(6, , false)
DISTANCE(6, _barrier, true)
DISTANCE(8, , false)
DISTANCE(12, , false)
DISTANCE(16, , false)
