/* SPDX-License-Identifier: Apache-2.0
 *
 * aos-soa: what changes in a cell of a shallow-water model in one step: height and two velocities,
 * in double. A cell's state has 20 members; the step needs all of its own and five of each of its
 * four neighbours, and 14 values of plain arrays (the state before, forcing, lengths of the edges
 * and viscosity on them). The grid is padded by one cell on all sides. The output has three members
 * and no padding.
 *
 *   version                 what it changes, and why
 *   aos_soa_structures      an array of structures, 160 bytes each: lanes of a warp stand 160 bytes
 *                           apart, so each load touches 32 lines and each store to the structures
 *                           of 24 bytes 6; the L1 must keep 40 lines a warp until all members have
 *                           been read
 *   aos_soa_readonly        the same through the read-only path: 32 bytes fetched where the
 *                           document's GPUs fetched 128
 *   aos_soa_arrays          a structure of arrays: lanes stand side by side. 256 bytes that start
 *                           beside a line: 3 lines a load; 2 a store
 *   aos_soa_arrays_halo     the neighbours past the L1 (ld.global.cg): where lines come whole, the
 *                           bytes beside them are not fetched */

constexpr int members = 20;
constexpr int outputs = 3;

enum { HEIGHT, U, V, BED, PRESSURE, FIRST_OWN }; /* the five that neighbours look at */
enum { OLD, FORCING = 3, LENGTH_X = 6, LENGTH_Y, VISCOSITY_X, VISCOSITY_Y };

enum path { ordinary, readonly, halo_uncached };

template <bool arrays, path through> struct state {
    const double *at;
    size_t cells;

    __device__ __forceinline__ const double *place(size_t cell, int member) const
    {
        return at + (arrays ? member * cells + cell : cell * members + member);
    }
    __device__ __forceinline__ double own(size_t cell, int member) const
    {
        const double *p = place(cell, member);
        return through == readonly ? __ldg(p) : *p;
    }
    __device__ __forceinline__ double near(size_t cell, int member) const
    {
        const double *p = place(cell, member);
        return through == readonly ? __ldg(p) : through == halo_uncached ? __ldcg(p) : *p;
    }
};

/* What flows through an edge, from the five members on its two sides. */
struct side {
    double height, u, v, head;
};

template <class states>
static __device__ __forceinline__ side neighbour(const states &s, size_t cell)
{
    return {s.near(cell, HEIGHT), s.near(cell, U), s.near(cell, V),
            s.near(cell, BED) + s.near(cell, PRESSURE)};
}

template <class states> static __device__ __forceinline__ side self(const states &s, size_t cell)
{
    return {s.own(cell, HEIGHT), s.own(cell, U), s.own(cell, V),
            s.own(cell, BED) + s.own(cell, PRESSURE)};
}

template <bool arrays, path through>
static __device__ __forceinline__ void step(int nx, int ny, const double *states,
                                            const double *fields, double *change)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;
    const size_t pitch = nx + 2, cells = pitch * (ny + 2);
    const size_t cell = (y + 1) * pitch + x + 1;
    const state<arrays, through> s = {states, cells};
    const side own = self(s, cell);
    const side west = neighbour(s, cell - 1), east = neighbour(s, cell + 1);
    const side north = neighbour(s, cell - pitch), south = neighbour(s, cell + pitch);
    auto field = [=](int number, size_t where) { return fields[number * cells + where]; };

    /* Through the four edges, by their lengths. */
    const double out = field(LENGTH_X, cell + 1), in = field(LENGTH_X, cell);
    const double down = field(LENGTH_Y, cell + pitch), up = field(LENGTH_Y, cell);
    double height = out * (east.height * east.u + own.height * own.u) -
                    in * (west.height * west.u + own.height * own.u) +
                    down * (south.height * south.v + own.height * own.v) -
                    up * (north.height * north.v + own.height * own.v);
    double u = out * (east.head - own.head) - in * (west.head - own.head);
    double v = down * (south.head - own.head) - up * (north.head - own.head);

    const double right = field(VISCOSITY_X, cell + 1), left = field(VISCOSITY_X, cell);
    const double below = field(VISCOSITY_Y, cell + pitch), above = field(VISCOSITY_Y, cell);
    u += right * (east.u - own.u) + left * (west.u - own.u) + below * (south.u - own.u) +
         above * (north.u - own.u);
    v += right * (east.v - own.v) + left * (west.v - own.v) + below * (south.v - own.v) +
         above * (north.v - own.v);

    /* The other members: a linear response of each output, five coefficients apiece. */
    height += s.own(cell, FIRST_OWN) + own.u * s.own(cell, FIRST_OWN + 1) +
              own.v * s.own(cell, FIRST_OWN + 2) + own.head * s.own(cell, FIRST_OWN + 3) +
              own.height * s.own(cell, FIRST_OWN + 4);
    u += s.own(cell, FIRST_OWN + 5) + own.u * s.own(cell, FIRST_OWN + 6) +
         own.v * s.own(cell, FIRST_OWN + 7) + own.head * s.own(cell, FIRST_OWN + 8) +
         own.height * s.own(cell, FIRST_OWN + 9);
    v += s.own(cell, FIRST_OWN + 10) + own.u * s.own(cell, FIRST_OWN + 11) +
         own.v * s.own(cell, FIRST_OWN + 12) + own.head * s.own(cell, FIRST_OWN + 13) +
         own.height * s.own(cell, FIRST_OWN + 14);

    const double changes[outputs] = {height, u, v};
    const size_t result = (size_t)y * nx + x, results = (size_t)nx * ny;
#pragma unroll
    for (int k = 0; k < outputs; k++)
        change[arrays ? k * results + result : result * outputs + k] =
            changes[k] + field(OLD + k, cell) + field(FORCING + k, cell);
}

#define VERSION(name, arrays, through)                                                             \
    extern "C" __global__ void aos_soa_##name(int nx, int ny, const double *states,                \
                                              const double *fields, double *change)                \
    {                                                                                              \
        step<arrays, through>(nx, ny, states, fields, change);                                     \
    }

VERSION(structures, false, ordinary)
VERSION(readonly, false, readonly)
VERSION(arrays, true, ordinary)
VERSION(arrays_halo, true, halo_uncached)
