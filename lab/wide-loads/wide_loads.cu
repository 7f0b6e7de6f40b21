/* SPDX-License-Identifier: Apache-2.0
 *
 * wide-loads: for each point the best of kmax sums, result[pt] = max(0, small[k] + big[k * ld +
 * pt]), in double. The small array is the same for all points and stays in L1; the big one is read
 * once. What limits is neither bandwidth nor arithmetic but how many loads a warp has out at a
 * time: registers are the landing places of loads.
 *
 *   version           what it changes, and why
 *   wide_loads_plain  one element a load: a trip of the inner loop is eight k, sixteen loads
 *   wide_loads_small  two neighbouring k of the small array in a 16-byte load: twelve loads for the
 *                     same work, fewer addresses, more registers left to land in
 *   wide_loads_both   two neighbouring points of the big array in a load as well: a trip is four k
 *                     of two points, six loads for the same work
 *   ..._bounded       __launch_bounds__(1024, 1): the compiler may use the 64 registers that a
 *                     thread has when one block of 1024 threads fills the SM
 *   ..._halves        __launch_bounds__(512, 2): the same registers, two blocks that do not wait
 *                     for each other
 *
 * 16-byte loads need addresses that are multiples of 16. An array that begins 8 bytes off gets its
 * first element by itself, an odd number leaves one at the end; where ld is odd the rows of the big
 * array lie differently, and none of its loads is wide. */

struct arrays {
    int points, kmax, ld;
    const double *__restrict__ small_array;
    const double *__restrict__ big_array;
    double *__restrict__ result;
};

static __device__ __forceinline__ bool is_off(const double *at)
{
    return ((size_t)at & (sizeof(double2) - 1)) != 0;
}

static __device__ __forceinline__ double better(double best, double small_value, double big_value)
{
    return fmax(best, small_value + big_value);
}

/* One point, one element a load. */
static __device__ __forceinline__ double best_plain(const arrays &a, int pt)
{
    double best = 0;
#pragma unroll 8
    for (int k = 0; k < a.kmax; k++)
        best = better(best, a.small_array[k], a.big_array[(size_t)k * a.ld + pt]);
    return best;
}

/* One point, two elements of the small array a load. */
static __device__ __forceinline__ double best_wide(const arrays &a, int pt)
{
    double best = 0;
    int k = is_off(a.small_array);
    if (k && a.kmax > 0)
        best = better(best, a.small_array[0], a.big_array[pt]);
#pragma unroll 4
    for (; k + 1 < a.kmax; k += 2) {
        const double2 s = *(const double2 *)(a.small_array + k);
        best = better(best, s.x, a.big_array[(size_t)k * a.ld + pt]);
        best = better(best, s.y, a.big_array[(size_t)(k + 1) * a.ld + pt]);
    }
    if (k < a.kmax)
        best = better(best, a.small_array[k], a.big_array[(size_t)k * a.ld + pt]);
    return best;
}

/* Two points, two elements of either array a load. `pt` is such that its element of the big array
 * is aligned. */
static __device__ __forceinline__ void two_points(const arrays &a, int pt)
{
    double2 best = {0, 0};
    int k = is_off(a.small_array);
    if (k && a.kmax > 0) {
        const double2 b = *(const double2 *)(a.big_array + pt);
        best = {better(0, a.small_array[0], b.x), better(0, a.small_array[0], b.y)};
    }
#pragma unroll 2
    for (; k + 1 < a.kmax; k += 2) {
        const double2 s = *(const double2 *)(a.small_array + k);
        const double2 b = *(const double2 *)(a.big_array + (size_t)k * a.ld + pt);
        const double2 c = *(const double2 *)(a.big_array + (size_t)(k + 1) * a.ld + pt);
        best.x = better(better(best.x, s.x, b.x), s.y, c.x);
        best.y = better(better(best.y, s.x, b.y), s.y, c.y);
    }
    if (k < a.kmax) {
        const double2 b = *(const double2 *)(a.big_array + (size_t)k * a.ld + pt);
        best = {better(best.x, a.small_array[k], b.x), better(best.y, a.small_array[k], b.y)};
    }
    a.result[pt] = best.x;
    a.result[pt + 1] = best.y;
}

static __device__ __forceinline__ void plain(const arrays &a)
{
    for (int pt = blockIdx.x * blockDim.x + threadIdx.x; pt < a.points;
         pt += gridDim.x * blockDim.x)
        a.result[pt] = best_plain(a, pt);
}

static __device__ __forceinline__ void wide_small(const arrays &a)
{
    for (int pt = blockIdx.x * blockDim.x + threadIdx.x; pt < a.points;
         pt += gridDim.x * blockDim.x)
        a.result[pt] = best_wide(a, pt);
}

/* Pairs, then the points that are in none: all where the rows lie differently, else the first and
 * the last at most. */
static __device__ __forceinline__ void wide_both(const arrays &a)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    const int first = is_off(a.big_array);
    int pt = thread, end = a.points, step = threads;
    if (!(a.ld & 1)) {
        for (pt = first + 2 * thread; pt + 1 < a.points; pt += 2 * threads)
            two_points(a, pt);
        pt = thread ? a.points : first ? 0 : max(a.points - 1, 0);
        end = (a.points - first) & 1 ? a.points : first;
        step = max(a.points - 1, 1);
    }
    for (; pt < end; pt += step)
        a.result[pt] = best_plain(a, pt);
}

#define PARAMETERS                                                                                 \
    int points, int kmax, int ld, const double *__restrict__ small_array,                          \
        const double *__restrict__ big_array, double *__restrict__ result
#define ARRAYS                                                                                     \
    {                                                                                              \
        points, kmax, ld, small_array, big_array, result                                           \
    }

#define VERSIONS(name, work)                                                                       \
    extern "C" __global__ void wide_loads_##name(PARAMETERS)                                       \
    {                                                                                              \
        work(ARRAYS);                                                                              \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(1024, 1) wide_loads_##name##_bounded(PARAMETERS)  \
    {                                                                                              \
        work(ARRAYS);                                                                              \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(512, 2) wide_loads_##name##_halves(PARAMETERS)    \
    {                                                                                              \
        work(ARRAYS);                                                                              \
    }

VERSIONS(plain, plain)
VERSIONS(small, wide_small)
VERSIONS(both, wide_both)
