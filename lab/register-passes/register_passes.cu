/* SPDX-License-Identifier: Apache-2.0
 *
 * register-passes: all second derivatives of a field, weighed and summed, as wave propagation in
 * tilted media needs them: xx, yy, zz, xy, xz, yz, at 16th order. The mixed ones are derivatives
 * of first derivatives: a first pass stores d/dx and d/dy of the field. What remains can be done at
 * once, or in two.
 *
 *   version              passes                                     words read and written a cell
 *   two passes           register_passes_first, register_passes_rest            3 + 4
 *   three passes         register_passes_first, register_passes_own (xx, yy,    3 + 3 + 4
 *                        zz, xy), register_passes_mixed (adds xz, yz)
 *   two passes, spilled  ..._rest_spilled: 48 registers a thread, where the 51 values of three
 *                        columns do not fit: some go to local memory and come back each plane
 *
 * Two passes move fewer words and need no array in between, but keep three columns of 17 values in
 * registers. A block owns 32 x 8 columns and walks down z. All versions add in the same order. */

constexpr int radius = 8;
constexpr int width = 32;
constexpr int height = 8;
constexpr int lead = 32; /* cells of padding left and right: rows start at lines */

/* How much each second derivative counts: the tilt of the medium. */
constexpr float of_xx = 0.75f, of_yy = 0.5f, of_zz = 0.625f;
constexpr float of_xy = 0.25f, of_xz = -0.375f, of_yz = 0.125f;

struct weights {
    float first[radius + 1], second[radius + 1];
    constexpr weights() : first(), second()
    {
        double sum = 0;
        for (int k = 1; k <= radius; k++) {
            double ratio = 1; /* (radius!)^2 / (radius - k)! / (radius + k)! */
            for (int j = 1; j <= k; j++)
                ratio *= double(radius - k + j) / (radius + j);
            double weight = (k % 2 ? 2 : -2) * ratio / (k * k);
            first[k] = (float)(weight * k / 2);
            second[k] = (float)weight;
            sum += weight;
        }
        second[0] = (float)(-2 * sum);
    }
};

typedef float tile[height + 2 * radius][width + 2 * radius];

/* Where a thread is: its cell of the tile, and in arrays padded by `radius` rows and planes and
 * `lead` cells left and right. */
struct place {
    int x, y;
    size_t pitch, plane, at;
};

static __device__ __forceinline__ place place_of(int nx, int ny)
{
    const size_t pitch = nx + 2 * lead, plane = pitch * (ny + 2 * radius);
    return {(int)threadIdx.x, (int)threadIdx.y, pitch, plane,
            radius * plane + (blockIdx.y * height + threadIdx.y + radius) * pitch +
                blockIdx.x * width + threadIdx.x + lead};
}

/* Fills the tile with the plane of `at`, left and right, above and below; `centre` is at hand. */
static __device__ __forceinline__ void fill(tile &t, const place &l, const float *at, float centre)
{
    t[l.y + radius][l.x + radius] = centre;
    t[l.y][l.x + radius] = at[-(ptrdiff_t)(radius * l.pitch)];
    t[l.y + height + radius][l.x + radius] = at[height * l.pitch];
    if (l.x < radius) {
        t[l.y + radius][l.x] = at[-radius];
        t[l.y + radius][l.x + width + radius] = at[width];
    }
}

/* 17 values of a column in registers, the cell of this plane in the middle. */
struct column {
    float value[2 * radius + 1];

    __device__ __forceinline__ void start(const float *at, size_t plane)
    {
#pragma unroll
        for (int k = 0; k < 2 * radius; k++)
            value[k + 1] = at[(ptrdiff_t)plane * (k - radius)];
    }
    __device__ __forceinline__ void advance(const float *at, size_t plane)
    {
#pragma unroll
        for (int k = 0; k < 2 * radius; k++)
            value[k] = value[k + 1];
        value[2 * radius] = at[plane * radius];
    }
    __device__ __forceinline__ float centre() const
    {
        return value[radius];
    }
    __device__ __forceinline__ float before(int k) const
    {
        return value[radius - k];
    }
    __device__ __forceinline__ float after(int k) const
    {
        return value[radius + k];
    }
};

struct along_x {
    const tile &t;
    const place &l;
    __device__ __forceinline__ float before(int k) const
    {
        return t[l.y + radius][l.x + radius - k];
    }
    __device__ __forceinline__ float after(int k) const
    {
        return t[l.y + radius][l.x + radius + k];
    }
    __device__ __forceinline__ float centre() const
    {
        return before(0);
    }
};

struct along_y {
    const tile &t;
    const place &l;
    __device__ __forceinline__ float before(int k) const
    {
        return t[l.y + radius - k][l.x + radius];
    }
    __device__ __forceinline__ float after(int k) const
    {
        return t[l.y + radius + k][l.x + radius];
    }
    __device__ __forceinline__ float centre() const
    {
        return before(0);
    }
};

template <class line> static __device__ __forceinline__ float first(const line &at)
{
    constexpr weights w;
    float sum = 0;
#pragma unroll
    for (int k = 1; k <= radius; k++)
        sum = fmaf(w.first[k], at.after(k) - at.before(k), sum);
    return sum;
}

template <class line> static __device__ __forceinline__ float second(const line &at)
{
    constexpr weights w;
    float sum = w.second[0] * at.centre();
#pragma unroll
    for (int k = 1; k <= radius; k++)
        sum = fmaf(w.second[k], at.before(k) + at.after(k), sum);
    return sum;
}

#define PARAMETERS int nx, int ny, int nz, const float *p, float *px, float *py, float *sum

extern "C" __global__ void __launch_bounds__(width *height) register_passes_first(PARAMETERS)
{
    __shared__ tile t;
    place l = place_of(nx, ny);
    for (int z = 0; z < nz; z++, l.at += l.plane) {
        __syncthreads();
        fill(t, l, p + l.at, p[l.at]);
        __syncthreads();
        px[l.at] = first(along_x{t, l});
        py[l.at] = first(along_y{t, l});
    }
}

/* xx, yy, zz and xy: from tiles of p and px. */
static __device__ __forceinline__ float own_derivatives(const tile &of_p, const tile &of_px,
                                                        const place &l, const column &p)
{
    float sum = of_xx * second(along_x{of_p, l});
    sum = fmaf(of_yy, second(along_y{of_p, l}), sum);
    sum = fmaf(of_zz, second(p), sum);
    return fmaf(of_xy, first(along_y{of_px, l}), sum);
}

static __device__ __forceinline__ void rest(PARAMETERS)
{
    __shared__ tile of_p, of_px;
    place l = place_of(nx, ny);
    column c, cx, cy;
    c.start(p + l.at, l.plane);
    cx.start(px + l.at, l.plane);
    cy.start(py + l.at, l.plane);
    for (int z = 0; z < nz; z++, l.at += l.plane) {
        c.advance(p + l.at, l.plane);
        cx.advance(px + l.at, l.plane);
        cy.advance(py + l.at, l.plane);
        __syncthreads();
        fill(of_p, l, p + l.at, c.centre());
        fill(of_px, l, px + l.at, cx.centre());
        __syncthreads();
        float all = own_derivatives(of_p, of_px, l, c);
        all = fmaf(of_xz, first(cx), all);
        sum[l.at] = fmaf(of_yz, first(cy), all);
    }
}

extern "C" __global__ void __launch_bounds__(width *height) register_passes_rest(PARAMETERS)
{
    rest(nx, ny, nz, p, px, py, sum);
}

/* Five blocks of 256 threads an SM leave 48 registers a thread. */
extern "C" __global__ void __launch_bounds__(width *height, 5)
    register_passes_rest_spilled(PARAMETERS)
{
    rest(nx, ny, nz, p, px, py, sum);
}

extern "C" __global__ void __launch_bounds__(width *height) register_passes_own(PARAMETERS)
{
    __shared__ tile of_p, of_px;
    place l = place_of(nx, ny);
    column c;
    c.start(p + l.at, l.plane);
    for (int z = 0; z < nz; z++, l.at += l.plane) {
        c.advance(p + l.at, l.plane);
        __syncthreads();
        fill(of_p, l, p + l.at, c.centre());
        fill(of_px, l, px + l.at, px[l.at]);
        __syncthreads();
        sum[l.at] = own_derivatives(of_p, of_px, l, c);
    }
}

extern "C" __global__ void __launch_bounds__(width *height) register_passes_mixed(PARAMETERS)
{
    place l = place_of(nx, ny);
    column cx, cy;
    cx.start(px + l.at, l.plane);
    cy.start(py + l.at, l.plane);
    for (int z = 0; z < nz; z++, l.at += l.plane) {
        cx.advance(px + l.at, l.plane);
        cy.advance(py + l.at, l.plane);
        float all = fmaf(of_xz, first(cx), sum[l.at]);
        sum[l.at] = fmaf(of_yz, first(cy), all);
    }
}
