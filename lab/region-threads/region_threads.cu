/* SPDX-License-Identifier: Apache-2.0
 *
 * region-threads: the limiter of a spectral-element climate model. An element holds 26 levels of
 * 4 x 4 doubles. In each level by itself no value may be below `least`, while the sum is kept: what
 * lies below is raised to `least`, what lies above comes nearer to it by one factor for all. (A
 * level whose sum is too small for that is turned round, limited, and turned back.) All in place:
 * 128 bytes read and written a level.
 *
 *   version               what it changes, and why
 *   region_threads_one    a thread a level: lanes of a warp stand 128 bytes apart, so every request
 *                         touches a line for each lane, and each line is asked for 16 times
 *   region_threads_many   sixteen threads a level, a value each: a warp touches two levels that
 *                         stand side by side, 2 lines. The data stay where they are; the sums go
 *                         through shuffles
 *
 * Both add in the same order, as a tree (0+8, 1+9, ...; then 4, 2, 1 apart), so that the results
 * are equal to the bit. */

constexpr int points = 16;
constexpr unsigned all_lanes = 0xffffffffu;

/* How far a value is above `least`, in a level whose excesses over `least` have this sum. */
static __device__ __forceinline__ double raised(double sum, double excess)
{
    return fmax(sum < 0 ? -excess : excess, 0.0);
}

/* The value that keeps the sum: `kept` is the sum of the raised excesses. */
static __device__ __forceinline__ double limited(double least, double sum, double kept,
                                                 double excess)
{
    double factor = kept > 0 ? sum / kept : 1.0;
    return fma(excess, factor, least);
}

/* The sum of 2 * half values, the upper half added to the lower until one is left. */
template <int half> static __device__ __forceinline__ double tree_sum(const double *values)
{
    double part[half];
#pragma unroll
    for (int i = 0; i < half; i++)
        part[i] = values[i] + values[i + half];
    return tree_sum<half / 2>(part);
}

template <> __device__ __forceinline__ double tree_sum<0>(const double *values)
{
    return values[0];
}

extern "C" __global__ void region_threads_one(int levels, double least, double *q)
{
    int level = blockIdx.x * blockDim.x + threadIdx.x;
    if (level >= levels)
        return;
    double *at = q + (size_t)level * points;
    double value[points];
#pragma unroll
    for (int i = 0; i < points; i++)
        value[i] = at[i] - least;
    double sum = tree_sum<points / 2>(value);
#pragma unroll
    for (int i = 0; i < points; i++)
        value[i] = raised(sum, value[i]);
    double kept = tree_sum<points / 2>(value);
#pragma unroll
    for (int i = 0; i < points; i++)
        at[i] = limited(least, sum, kept, value[i]);
}

/* The sum over the sixteen lanes that share a level, in all of them. */
static __device__ __forceinline__ double lanes_sum(double value)
{
#pragma unroll
    for (int step = points / 2; step > 0; step /= 2)
        value += __shfl_xor_sync(all_lanes, value, step);
    return value;
}

/* The grid has sixteen threads for each level and no more. */
extern "C" __global__ void region_threads_many(int levels, double least, double *q)
{
    double *at = q + (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    double value = *at - least;
    double sum = lanes_sum(value);
    value = raised(sum, value);
    *at = limited(least, sum, lanes_sum(value), value);
}
