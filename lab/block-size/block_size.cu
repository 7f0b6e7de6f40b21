/* SPDX-License-Identifier: Apache-2.0
 *
 * block-size: how many warps an SM holds when a warp wants much of it. The kernel stands in for one
 * of a weather model on a grid of columns with six neighbours (GPU Performance Analysis gives its resources,
 * not its code): a warp is a column, a lane a level. Each step the neighbours' winds are brought to
 * the column's own heights, averaged by weight, and their spread about the average is summed up.
 *
 * Shared memory of a warp: 12 rows of 32 floats for the neighbours' winds, which lanes read from
 * each other, and 18 rows for what a lane keeps for itself between the two passes over the
 * neighbours: 30 * 128 = 3840 bytes, as in the document.
 *
 *   version           what it changes, and why
 *   block_size_32     blocks of one warp: the document's Fermi holds 8 blocks an SM, so 8 warps
 *   block_size_64     blocks of two warps: 12 warps, now limited by shared memory
 *   block_size_lean   the 18 rows become registers, since no other lane ever reads them: 1536 bytes
 *                     a warp, 16 warps, limited by registers */

constexpr int levels = 32;
constexpr int sides = 6;

/* What a lane keeps of each side: two winds and a weight. */
template <bool lean> struct kept_values;

template <> struct kept_values<true> {
    float u[sides], v[sides], weight[sides];
};

template <> struct kept_values<false> {
    float u[sides][levels], v[sides][levels], weight[sides][levels];
};

static __device__ __forceinline__ float &mine(float &value)
{
    return value;
}
static __device__ __forceinline__ float &mine(float (&row)[levels])
{
    return row[threadIdx.x % levels];
}

struct winds {
    float u[sides][levels], v[sides][levels];
};

struct sums {
    float u, v, spread;
};

/* The winds of one side at this lane's height: `slope` of a level higher than the neighbour's. */
static __device__ __forceinline__ float at_height(const float *wind, float slope)
{
    const int level = threadIdx.x % levels, low = min(level, levels - 2);
    return fmaf(level - low + slope, wind[low + 1] - wind[low], wind[low]);
}

template <int unroll, class kept_type>
static __device__ __forceinline__ void add_step(const winds &winds, kept_type &kept,
                                                const float *slopes, sums &sum)
{
#pragma unroll
    for (int e = 0; e < sides; e++) {
        const float slope = slopes[e];
        mine(kept.u[e]) = at_height(winds.u[e], slope);
        mine(kept.v[e]) = at_height(winds.v[e], slope);
        mine(kept.weight[e]) = 1 / (0.5f + slope);
    }
    float all = 0, u = 0, v = 0, spread = 0;
#pragma unroll unroll
    for (int e = 0; e < sides; e++) {
        const float weight = mine(kept.weight[e]);
        all += weight;
        u = fmaf(weight, mine(kept.u[e]), u);
        v = fmaf(weight, mine(kept.v[e]), v);
    }
    u /= all;
    v /= all;
#pragma unroll unroll
    for (int e = 0; e < sides; e++) {
        const float away_u = mine(kept.u[e]) - u, away_v = mine(kept.v[e]) - v;
        spread = fmaf(mine(kept.weight[e]), fmaf(away_u, away_u, away_v * away_v), spread);
    }
    sum.u += u;
    sum.v += v;
    sum.spread += spread;
}

/* u, v: steps x columns x levels; near, slopes: columns x sides; out: 3 x columns x levels. */
template <int unroll, class kept_type>
static __device__ __forceinline__ void column(int columns, int steps, const float *u,
                                              const float *v, const int *near, const float *slopes,
                                              float *out, winds &winds, kept_type &kept)
{
    const int level = threadIdx.x % levels;
    const int own = (blockIdx.x * blockDim.x + threadIdx.x) / levels;
    const size_t values = (size_t)columns * levels;
    sums sum = {};
    for (int t = 0; t < steps; t++) {
#pragma unroll
        for (int e = 0; e < sides; e++) {
            const size_t at = t * values + (size_t)near[own * sides + e] * levels + level;
            winds.u[e][level] = u[at];
            winds.v[e][level] = v[at];
        }
        __syncwarp();
        add_step<unroll>(winds, kept, slopes + own * sides, sum);
        __syncwarp();
    }
    const size_t at = (size_t)own * levels + level;
    out[at] = sum.u;
    out[values + at] = sum.v;
    out[2 * values + at] = sum.spread;
}

/* The loops that read what a lane keeps stay loops where that is in shared memory: unrolled, the compiler
 * would take the registers by itself. */
template <int warps>
static __device__ __forceinline__ void in_shared(int columns, int steps, const float *u,
                                                 const float *v, const int *near,
                                                 const float *slopes, float *out)
{
    __shared__ winds wind[warps];
    __shared__ kept_values<false> kept[warps];
    const int warp = threadIdx.x / levels;
    column<1>(columns, steps, u, v, near, slopes, out, wind[warp], kept[warp]);
}

template <int warps>
static __device__ __forceinline__ void in_registers(int columns, int steps, const float *u,
                                                    const float *v, const int *near,
                                                    const float *slopes, float *out)
{
    __shared__ winds wind[warps];
    kept_values<true> kept;
    column<sides>(columns, steps, u, v, near, slopes, out, wind[threadIdx.x / levels], kept);
}

#define VERSION(name, warps, kernel)                                                               \
    extern "C" __global__ void __launch_bounds__(warps *levels)                                    \
        block_size_##name(int columns, int steps, const float *u, const float *v, const int *near, \
                          const float *slopes, float *out)                                         \
    {                                                                                              \
        kernel<warps>(columns, steps, u, v, near, slopes, out);                                    \
    }

VERSION(32, 1, in_shared)
VERSION(64, 2, in_shared)
VERSION(lean, 2, in_registers)
