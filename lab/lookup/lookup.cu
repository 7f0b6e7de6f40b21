/* SPDX-License-Identifier: Apache-2.0
 *
 * lookup: m walks through a table. A step sums `summands` neighbouring elements of `data` from a
 * random place on, and reads the next place from `places`; a walk takes iterations[walk] steps.
 * The places are known only as the walk goes, and the 32 lanes of a warp are at 32 of them.
 *
 *   version    what it changes, and why
 *   original   a thread a walk; every element is added to the result in memory: a load of one word
 *              from each of 32 sectors, and a load and a store of the result beside it
 *   registers  adds up in a register, and to memory once a step; eight elements are asked for at a
 *              time (compilers of today test for the table's end once for the eight)
 *   nol1       the same with loads that leave L1 out, as a Kepler's do unless told otherwise (ours)
 *   l1         the same with loads that L1 may keep: a sector serves its lane eight times if it is
 *              still there when the lane returns
 *   readonly   the same through the read-only path: on Kepler a cache of its own, 32 bytes a miss
 *   wide       16 bytes a load: a quarter (float) or half (double) of the requests, and as much
 *              more of each sector used at once. Places must be multiples of 16 bytes
 *   wide_x2    two wide loads before the first use: twice the bytes in flight a thread
 *   wide_x4    four of them. The more are out, the more sectors a cache has to keep meanwhile
 *   wide_x8    eight of them: in float, all that a step needs (ours)
 *   ..._readonly  the wide ones through the read-only path
 *   lanes      eight lanes share a walk: their 16 bytes each are 128 neighbouring ones, so that a
 *              request is four whole lines instead of 32 sectors; the next place is asked for
 *              before the elements are waited for, and the result is written once (ours)
 *   stride     readonly by fewer threads: each takes walks that lie a whole grid apart, so that the
 *              grid says how many warps an SM holds (ours, for occupancy-cache)
 *   refill     the same, and lanes whose walk is done take the next one instead of idling until
 *              the longest walk of the warp is done (ours, for walks of different lengths)
 *
 * `_float` and `_double` are the same with another element. The unrolling of wide loads is left to
 * no compiler: today's would put four loads first where only one is meant. */

enum path { path_any, path_l1, path_l2, path_readonly };

template <path through, typename value> __device__ __forceinline__ value fetch(value *from)
{
    if (through == path_l1)
        return __ldca(from);
    if (through == path_l2)
        return __ldcg(from);
    if (through == path_readonly)
        return __ldg(from);
    return *from;
}

template <typename element> struct sixteen_bytes;
template <> struct sixteen_bytes<float> {
    typedef float4 type;
};
template <> struct sixteen_bytes<double> {
    typedef double2 type;
};

__device__ __forceinline__ float sum_of(float4 v)
{
    return v.x + v.y + (v.z + v.w);
}

__device__ __forceinline__ double sum_of(double2 v)
{
    return v.x + v.y;
}

/* Nothing is __restrict__ or const, so that a plain load stays one. */
template <typename element> struct task {
    long n, m;
    long *places;
    element *data;
    int *iterations;
    int summands;
    element *results;
};

template <typename element> __device__ __forceinline__ void original(task<element> t)
{
    const long walk = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (walk >= t.m)
        return;
    const int steps = t.iterations[walk];
    long place = t.places[walk];
    for (int i = 0; i < steps; i++) {
        for (int s = 0; s < t.summands; s++)
            t.results[walk] += t.data[place + s];
        place = t.places[place];
    }
}

template <path through, typename element>
__device__ __forceinline__ element sum_of_step(task<element> t, long place)
{
    element sum = 0;
#pragma unroll 8
    for (int s = 0; s < t.summands && place + s < t.n; s++)
        sum += fetch<through>(&t.data[place + s]);
    return sum;
}

template <path through, typename element>
__device__ __forceinline__ void walk_registers(task<element> t, long walk)
{
    const int steps = fetch<through>(&t.iterations[walk]);
    long place = fetch<through>(&t.places[walk]);
    for (int i = 0; i < steps; i++) {
        const element sum = sum_of_step<through>(t, place);
        place = fetch<through>(&t.places[place]);
        t.results[walk] += sum;
    }
}

template <path through, typename element> __device__ __forceinline__ void registers(task<element> t)
{
    const long walk = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (walk < t.m)
        walk_registers<through>(t, walk);
}

template <typename element> __device__ __forceinline__ void stride(task<element> t)
{
    const long threads = (long)gridDim.x * blockDim.x;
    for (long walk = (long)blockIdx.x * blockDim.x + threadIdx.x; walk < t.m; walk += threads)
        walk_registers<path_readonly>(t, walk);
}

/* `summands` is a multiple of what `count` loads of 16 bytes hold. */
template <path through, int count, typename element>
__device__ __forceinline__ void wide(task<element> t)
{
    typedef typename sixteen_bytes<element>::type vector;
    constexpr int lanes = sizeof(vector) / sizeof(element);
    const long walk = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (walk >= t.m)
        return;
    const int steps = fetch<through>(&t.iterations[walk]);
    long place = fetch<through>(&t.places[walk]);
    for (int i = 0; i < steps; i++) {
        element sum = 0;
#pragma unroll 1
        for (int s = 0; s < t.summands; s += count * lanes) {
            vector v[count];
#pragma unroll
            for (int k = 0; k < count; k++)
                v[k] = fetch<through>((vector *)&t.data[place + s + k * lanes]);
#pragma unroll
            for (int k = 0; k < count; k++)
                sum += sum_of(v[k]);
        }
        place = fetch<through>(&t.places[place]);
        t.results[walk] += sum;
    }
}

/* ---- eight lanes a walk ---------------------------------------------------------------------- */

constexpr int team_lanes = 8;

__device__ __forceinline__ unsigned team_mask()
{
    return 0xffu << (threadIdx.x & 31 & ~(team_lanes - 1));
}

/* What a team's lane adds in one step: 16 bytes of every 128. */
template <typename element>
__device__ __forceinline__ element share_of_step(const task<element> &t, long place)
{
    typedef typename sixteen_bytes<element>::type vector;
    constexpr int lanes = sizeof(vector) / sizeof(element);
    element sum = 0;
#pragma unroll 2
    for (int s = (threadIdx.x & (team_lanes - 1)) * lanes; s < t.summands; s += team_lanes * lanes)
        sum += sum_of(__ldg((const vector *)&t.data[place + s]));
    return sum;
}

template <typename element>
__device__ __forceinline__ void add_team(const task<element> &t, long walk, element sum)
{
#pragma unroll
    for (int distance = team_lanes / 2; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(team_mask(), sum, distance);
    if ((threadIdx.x & (team_lanes - 1)) == 0)
        t.results[walk] += sum;
}

template <typename element> __device__ __forceinline__ void lanes(task<element> t)
{
    const long walk = ((long)blockIdx.x * blockDim.x + threadIdx.x) / team_lanes;
    if (walk >= t.m)
        return;
    const int steps = __ldg(&t.iterations[walk]);
    long place = __ldg(&t.places[walk]);
    element sum = 0;
    for (int i = 0; i < steps; i++) {
        const long next = __ldg(&t.places[place]);
        sum += share_of_step(t, place);
        place = next;
    }
    add_team(t, walk, sum);
}

/* A team takes walks that lie as many apart as there are teams. Teams of a warp begin walks at
 * different times, but take their steps together. */
template <typename element> __device__ __forceinline__ void refill(task<element> t)
{
    const long teams = (long)gridDim.x * blockDim.x / team_lanes;
    long walk = ((long)blockIdx.x * blockDim.x + threadIdx.x) / team_lanes;
    if (walk >= t.m)
        return;
    int left = __ldg(&t.iterations[walk]);
    long place = __ldg(&t.places[walk]);
    element sum = 0;
    for (;;) {
        while (left == 0) {
            add_team(t, walk, sum);
            walk += teams;
            if (walk >= t.m)
                return;
            left = __ldg(&t.iterations[walk]);
            place = __ldg(&t.places[walk]);
            sum = 0;
        }
        const long next = __ldg(&t.places[place]);
        sum += share_of_step(t, place);
        place = next;
        left--;
    }
}

/* ---- the kernels ----------------------------------------------------------------------------- */

#define KERNEL(version, element, bounds, ...)                                                      \
    extern "C" __global__ void bounds lookup_##version##_##element(long n, long m, long *places,   \
                                                                   element *data, int *iterations, \
                                                                   int summands, element *results) \
    {                                                                                              \
        __VA_ARGS__(task<element>{n, m, places, data, iterations, summands, results});             \
    }
#define VERSION(version, ...)                                                                      \
    KERNEL(version, float, , __VA_ARGS__)                                                          \
    KERNEL(version, double, , __VA_ARGS__)

VERSION(original, original)
VERSION(registers, registers<path_any>)
VERSION(nol1, registers<path_l2>)
VERSION(l1, registers<path_l1>)
VERSION(readonly, registers<path_readonly>)
VERSION(wide, wide<path_any, 1>)
VERSION(wide_readonly, wide<path_readonly, 1>)
VERSION(wide_x2, wide<path_any, 2>)
VERSION(wide_x2_readonly, wide<path_readonly, 2>)
VERSION(wide_x4, wide<path_any, 4>)
VERSION(wide_x4_readonly, wide<path_readonly, 4>)
KERNEL(wide_x8_readonly, float, __launch_bounds__(1024, 1), wide<path_readonly, 8>)
KERNEL(wide_x8_readonly, double, __launch_bounds__(1024, 1), wide<path_readonly, 8>)
KERNEL(stride, float, , stride)
VERSION(lanes, lanes)
VERSION(refill, refill)
