/* SPDX-License-Identifier: Apache-2.0
 *
 * bank-width: a 3D stencil of 8th or 16th order on two wavefields that influence each other. Each
 * reads its neighbours in x and y from shared memory: 4 * radius reads a cell and field. A block
 * owns 32 x 8 columns and walks down z; the neighbours in z stay in registers.
 *
 *   version               what it changes, and why
 *   bank_width_split_8    the fields apart, in global and in shared memory: words of 4 bytes
 *   bank_width_pair_8     the fields side by side as float2: half as many reads, of 8 bytes. With
 *                         banks of 8 bytes (Kepler's other mode) each is served at once, at double
 *                         throughput; with banks of 4 bytes it takes two wavefronts, so that only
 *                         instructions are saved
 *   bank_width_split_16   the same at 16th order: twice the reads from shared memory
 *   bank_width_pair_16 */

constexpr int width = 32;
constexpr int height = 8;
constexpr int lead = 32; /* cells of padding left and right: rows start at lines */

/* Coefficients of the second derivative to order 2 * radius. */
template <int radius> struct second_derivative {
    float at[radius + 1];
    constexpr second_derivative() : at()
    {
        double sum = 0;
        for (int k = 1; k <= radius; k++) {
            double ratio = 1; /* (radius!)^2 / (radius - k)! / (radius + k)! */
            for (int j = 1; j <= k; j++)
                ratio *= double(radius - k + j) / (radius + j);
            double weight = (k % 2 ? 2 : -2) * ratio / (k * k);
            at[k] = (float)weight;
            sum += weight;
        }
        at[0] = (float)(-2 * sum);
    }
};

/* Where the two fields of a cell stand: n cells apart, or side by side. */
struct split {
    template <int rows, int columns> struct tile {
        float p[rows][columns], q[rows][columns];
        __device__ __forceinline__ float2 get(int y, int x) const
        {
            return make_float2(p[y][x], q[y][x]);
        }
        __device__ __forceinline__ void put(int y, int x, float2 v)
        {
            p[y][x] = v.x;
            q[y][x] = v.y;
        }
    };
    static __device__ __forceinline__ float2 load(const float *at, size_t n, size_t i)
    {
        return make_float2(at[i], at[n + i]);
    }
    static __device__ __forceinline__ void store(float *at, size_t n, size_t i, float2 v)
    {
        at[i] = v.x;
        at[n + i] = v.y;
    }
};

struct pair {
    template <int rows, int columns> struct tile {
        float2 both[rows][columns];
        __device__ __forceinline__ float2 get(int y, int x) const
        {
            return both[y][x];
        }
        __device__ __forceinline__ void put(int y, int x, float2 v)
        {
            both[y][x] = v;
        }
    };
    static __device__ __forceinline__ float2 load(const float *at, size_t, size_t i)
    {
        return ((const float2 *)at)[i];
    }
    static __device__ __forceinline__ void store(float *at, size_t, size_t i, float2 v)
    {
        ((float2 *)at)[i] = v;
    }
};

static __device__ __forceinline__ float2 plus(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}

/* `in` is padded by `radius` rows and planes, and by `lead` cells left and right; `out` is not. */
template <class layout, int radius>
static __device__ __forceinline__ void stencil(int nx, int ny, int nz, const float *in, float *out)
{
    __shared__ typename layout::template tile<height + 2 * radius, width + 2 * radius> tile;
    constexpr second_derivative<radius> weight;
    const int x = threadIdx.x, y = threadIdx.y;
    const size_t pitch = nx + 2 * lead, plane = pitch * (ny + 2 * radius);
    const size_t cells = plane * (nz + 2 * radius), results = (size_t)nx * ny * nz;
    size_t at = (blockIdx.y * height + y + radius) * pitch + blockIdx.x * width + x + lead;
    size_t result = (size_t)(blockIdx.y * height + y) * nx + blockIdx.x * width + x;

    float2 column[2 * radius + 1];
#pragma unroll
    for (int k = 0; k < 2 * radius; k++)
        column[k + 1] = layout::load(in, cells, at + k * plane);
    at += radius * plane;
    for (int z = 0; z < nz; z++, at += plane, result += (size_t)nx * ny) {
#pragma unroll
        for (int k = 0; k < 2 * radius; k++)
            column[k] = column[k + 1];
        column[2 * radius] = layout::load(in, cells, at + radius * plane);
        __syncthreads();
        tile.put(y + radius, x + radius, column[radius]);
        if (y < radius) {
            tile.put(y, x + radius, layout::load(in, cells, at - radius * pitch));
            tile.put(y + height + radius, x + radius, layout::load(in, cells, at + height * pitch));
        }
        if (x < radius) {
            tile.put(y + radius, x, layout::load(in, cells, at - radius));
            tile.put(y + radius, x + width + radius, layout::load(in, cells, at + width));
        }
        __syncthreads();
        const float centre = 3 * weight.at[0];
        float2 sum = make_float2(centre * column[radius].x, centre * column[radius].y);
#pragma unroll
        for (int k = 1; k <= radius; k++) {
            float2 around =
                plus(tile.get(y + radius, x + radius - k), tile.get(y + radius, x + radius + k));
            around = plus(around, plus(tile.get(y + radius - k, x + radius),
                                       tile.get(y + radius + k, x + radius)));
            around = plus(around, plus(column[radius - k], column[radius + k]));
            sum.x = fmaf(weight.at[k], around.x, sum.x);
            sum.y = fmaf(weight.at[k], around.y, sum.y);
        }
        layout::store(out, results, result,
                      make_float2(fmaf(0.5f, sum.y, sum.x), fmaf(-0.25f, sum.x, sum.y)));
    }
}

#define VERSION(name, layout, radius)                                                              \
    extern "C" __global__ void __launch_bounds__(width *height)                                    \
        bank_width_##name(int nx, int ny, int nz, const float *in, float *out)                     \
    {                                                                                              \
        stencil<layout, radius>(nx, ny, nz, in, out);                                              \
    }

VERSION(split_8, split, 4)
VERSION(pair_8, pair, 4)
VERSION(split_16, split, 8)
VERSION(pair_16, pair, 8)
