/* SPDX-License-Identifier: Apache-2.0
 * What textures and surfaces ask of the L1, L2 and DRAM: one warp, one instruction, known places. Launch n is line n of what
 * `texture_probe names` prints, so that Nsight Compute's rows are known by their order; `texture_probe part N` makes those of
 * lines 100 N and on, `texture_probe one N` that of line N. tools/gpu/texture_counters runs it so.
 * `texture_probe rates` prints cycles: of an SM for each instruction with its data in the L1, and of one warp for each of a
 * chain of instructions that wait for each other.
 *     nvcc -arch=sm_90 -std=c++17 -O3 -o texture_probe tools/gpu/texture_probe.cu */
#include "cuda_check.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

/* ---- kernels ----------------------------------------------------------------------------------- */

enum shape {
    LINEAR, ROW, PLANE, PITCHED, BOX, LAYERS, CUBE, CUBES, GATHER, ROW_SURFACE, SURFACE, BOX_SURFACE, LAYERS_SURFACE
};

static __device__ unsigned word_of(unsigned char v) { return v; }
static __device__ unsigned word_of(unsigned short v) { return v; }
static __device__ unsigned word_of(unsigned v) { return v; }
static __device__ unsigned word_of(uint2 v) { return v.x + v.y; }
static __device__ unsigned word_of(uint4 v) { return v.x + v.y + v.z + v.w; }
static __device__ unsigned word_of(float v) { return __float_as_uint(v); }
static __device__ unsigned word_of(float2 v) { return __float_as_uint(v.x + v.y); }
static __device__ unsigned word_of(float4 v) { return __float_as_uint(v.x + v.y + v.z + v.w); }

template <int S, class T> static __device__ unsigned ask(cudaTextureObject_t t, float4 at)
{
    const int x = (int)at.x, y = (int)at.y, z = (int)at.z, layer = (int)at.w;
    if constexpr (S == LINEAR)
        return word_of(tex1Dfetch<T>(t, x));
    else if constexpr (S == ROW)
        return word_of(tex1D<T>(t, at.x));
    else if constexpr (S == PLANE || S == PITCHED)
        return word_of(tex2D<T>(t, at.x, at.y));
    else if constexpr (S == BOX)
        return word_of(tex3D<T>(t, at.x, at.y, at.z));
    else if constexpr (S == LAYERS)
        return word_of(tex2DLayered<T>(t, at.x, at.y, layer));
    else if constexpr (S == CUBE)
        return word_of(texCubemap<T>(t, at.x, at.y, at.z));
    else if constexpr (S == CUBES)
        return word_of(texCubemapLayered<T>(t, at.x, at.y, at.z, layer));
    else if constexpr (S == GATHER)
        return word_of(tex2Dgather<T>(t, at.x, at.y, 0));
    else if constexpr (S == ROW_SURFACE)
        return word_of(surf1Dread<T>(t, x * (int)sizeof(T), cudaBoundaryModeZero));
    else if constexpr (S == SURFACE)
        return word_of(surf2Dread<T>(t, x * (int)sizeof(T), y, cudaBoundaryModeZero));
    else if constexpr (S == BOX_SURFACE)
        return word_of(surf3Dread<T>(t, x * (int)sizeof(T), y, z, cudaBoundaryModeZero));
    else
        return word_of(surf2DLayeredread<T>(t, x * (int)sizeof(T), y, layer, cudaBoundaryModeZero));
}

/* Lanes whose x is below -1000 do not ask. */
template <int S, class T> __global__ void load(cudaTextureObject_t t, const float4 *at, unsigned *to, int times)
{
    const float4 place = at[threadIdx.x];
    unsigned sum = 0;
    if (place.x > -1000)
        for (int i = 0; i < times; i++)
            sum += ask<S, T>(t, make_float4(place.x + (sum == 0x12345), place.y, place.z, place.w));
    to[threadIdx.x] = sum;
}

template <class T> __global__ void store(cudaSurfaceObject_t t, const float4 *at, unsigned *, int times)
{
    const float4 place = at[threadIdx.x];
    T value;
    memset(&value, threadIdx.x, sizeof value);
    if (place.x > -1000)
        for (int i = 0; i < times; i++)
            surf2Dwrite(value, t, (int)place.x * (int)sizeof(T), (int)place.y, cudaBoundaryModeZero);
}

/* Behind the places stand the two derivatives; the fourth word of the first one is a level. */
enum { LANES = 32, BY_X = LANES, BY_Y, PLACES };

template <int S, class T> static __device__ unsigned ask_level(cudaTextureObject_t t, float4 at, float level)
{
    if constexpr (S == PLANE)
        return word_of(tex2DLod<T>(t, at.x, at.y, level));
    else
        return word_of(tex3DLod<T>(t, at.x, at.y, at.z, level));
}

template <int S, class T> __global__ void load_level(cudaTextureObject_t t, const float4 *at, unsigned *to, int)
{
    const float4 place = at[threadIdx.x];
    if (place.x > -1000)
        to[threadIdx.x] = ask_level<S, T>(t, place, at[BY_X].w + place.w);
}

template <int S, class T> static __device__ unsigned ask_derived(cudaTextureObject_t t, float4 at, float4 x, float4 y)
{
    if constexpr (S == PLANE)
        return word_of(tex2DGrad<T>(t, at.x, at.y, make_float2(x.x, x.y), make_float2(y.x, y.y)));
    else if constexpr (S == BOX)
        return word_of(tex3DGrad<T>(t, at.x, at.y, at.z, x, y));
    else if constexpr (S == CUBE)
        return word_of(texCubemapGrad<T>(t, at.x, at.y, at.z, x, y));
    else
        return word_of(texCubemapLayeredGrad<T>(t, at.x, at.y, at.z, (int)at.w, x, y));
}

template <int S, class T> __global__ void load_derived(cudaTextureObject_t t, const float4 *at, unsigned *to, int)
{
    const float4 place = at[threadIdx.x];
    if (place.x > -1000)
        to[threadIdx.x] = ask_derived<S, T>(t, place, at[BY_X], at[BY_Y]);
}

template <int S, class T> __global__ void store_in(cudaSurfaceObject_t t, const float4 *at, unsigned *, int)
{
    const float4 place = at[threadIdx.x];
    const int x = (int)place.x * (int)sizeof(T), y = (int)place.y, z = (int)place.z, layer = (int)place.w;
    T value;
    memset(&value, threadIdx.x, sizeof value);
    if (place.x <= -1000)
        return;
    if constexpr (S == ROW_SURFACE)
        surf1Dwrite(value, t, x, cudaBoundaryModeZero);
    else if constexpr (S == BOX_SURFACE)
        surf3Dwrite(value, t, x, y, z, cudaBoundaryModeZero);
    else
        surf2DLayeredwrite(value, t, x, y, layer, cudaBoundaryModeZero);
}

template <class T> __global__ void reduce(cudaSurfaceObject_t t, const float4 *at, unsigned *, int)
{
    const float4 place = at[threadIdx.x];
    const int x = (int)place.x * (int)sizeof(T), y = (int)place.y;
    if (place.x <= -1000)
        return;
    if constexpr (sizeof(T) == 4)
        asm volatile("sured.b.add.2d.u32.zero [%0, {%1, %2}], %3;" ::"l"(t), "r"(x), "r"(y), "r"(1));
    else
        asm volatile("sured.b.max.2d.u64.zero [%0, {%1, %2}], %3;" ::"l"(t), "r"(x), "r"(y), "l"(1ll));
}

typedef void kernel(cudaTextureObject_t, const float4 *, unsigned *, int);

/* ---- what is read ------------------------------------------------------------------------------ */

enum { SIZE = 256, DEEP = 16, LAYER_COUNT = 6 };

struct texture {
    shape s;
    cudaChannelFormatDesc channels;
    bool filters, normalized; /* integers as floats of 0 to 1 */
    int levels;               /* of detail; 0: no mipmapped array, coordinates count elements */
    bool filters_levels;
    bool has_border;
};

static bool is_layers(shape s) { return s == LAYERS || s == LAYERS_SURFACE || s == CUBE || s == CUBES; }

static void *memory_of(size_t bytes)
{
    void *memory;
    CHECK(cudaMalloc(&memory, bytes));
    CHECK(cudaMemset(memory, 1, bytes));
    return memory;
}

static void describe_memory(const texture &t, cudaResourceDesc &from)
{
    const int bytes = (t.channels.x + t.channels.y + t.channels.z + t.channels.w) / 8;
    void *memory = memory_of(SIZE * SIZE * bytes * 4);
    if (t.s == LINEAR) {
        from.resType = cudaResourceTypeLinear;
        from.res.linear.devPtr = memory, from.res.linear.desc = t.channels;
        from.res.linear.sizeInBytes = SIZE * SIZE * bytes;
        return;
    }
    from.resType = cudaResourceTypePitch2D;
    from.res.pitch2D.devPtr = memory, from.res.pitch2D.desc = t.channels;
    from.res.pitch2D.width = from.res.pitch2D.height = SIZE;
    from.res.pitch2D.pitchInBytes = SIZE * bytes;
}

static void describe_array(const texture &t, cudaResourceDesc &from)
{
    const shape s = t.s;
    const bool is_box = s == BOX || s == BOX_SURFACE, is_row = s == ROW || s == ROW_SURFACE;
    const int layers = s == CUBES ? 3 * LAYER_COUNT : LAYER_COUNT;
    const cudaExtent size = make_cudaExtent(SIZE, is_row ? 0 : SIZE, is_box ? DEEP : is_layers(s) ? layers : 0);
    const unsigned flags = (s >= ROW_SURFACE ? cudaArraySurfaceLoadStore : 0) |
                           (s == CUBE || s == CUBES ? cudaArrayCubemap : 0) | (s == GATHER ? cudaArrayTextureGather : 0) |
                           (is_layers(s) && s != CUBE ? cudaArrayLayered : 0);
    if (t.levels) {
        from.resType = cudaResourceTypeMipmappedArray;
        CHECK(cudaMallocMipmappedArray(&from.res.mipmap.mipmap, &t.channels, size, t.levels, flags));
        return;
    }
    from.resType = cudaResourceTypeArray;
    CHECK(cudaMalloc3DArray(&from.res.array.array, &t.channels, size, flags));
}

static cudaTextureObject_t make(const texture &t)
{
    cudaResourceDesc from = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t object;
    if (t.s == LINEAR || t.s == PITCHED)
        describe_memory(t, from);
    else
        describe_array(t, from);
    how.filterMode = t.filters ? cudaFilterModeLinear : cudaFilterModePoint;
    how.readMode = t.normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = t.has_border ? cudaAddressModeBorder : cudaAddressModeClamp;
    how.normalizedCoords = t.levels > 0;
    how.mipmapFilterMode = t.filters_levels ? cudaFilterModeLinear : cudaFilterModePoint;
    how.maxMipmapLevelClamp = (float)(t.levels ? t.levels - 1 : 0);
    if (t.s >= ROW_SURFACE)
        CHECK(cudaCreateSurfaceObject(&object, &from));
    else if (t.channels.f >= cudaChannelFormatKindUnsignedBlockCompressed1 && t.channels.f <= cudaChannelFormatKindUnsignedBlockCompressed7SRGB &&
             cudaCreateTextureObject(&object, &from, &how, nullptr) != cudaSuccess) { /* integers or fractions: what is taken */
        how.readMode = cudaReadModeElementType;
        CHECK(cudaCreateTextureObject(&object, &from, &how, nullptr));
    } else
        CHECK(cudaCreateTextureObject(&object, &from, &how, nullptr));
    return object;
}

/* ---- places ------------------------------------------------------------------------------------ */

struct places {
    std::string name;
    std::function<float4(int)> of;
};

static float4 at(float x, float y = 0, float z = 0, float w = 0) { return make_float4(x, y, z, w); }

static const float4 nowhere = {-10000, 0, 0, 0};

/* A number that looks random, the same in each run. */
static int chance(int lane, int which)
{
    uint32_t v = lane * 2654435761u + which * 40503u + 12345;
    v ^= v >> 15, v *= 2246822519u, v ^= v >> 13, v *= 3266489917u, v ^= v >> 16;
    return (int)(v & 0xffff);
}

static const std::vector<places> on_line = {
    {"row", [](int l) { return at(l); }},
    {"row+1", [](int l) { return at(l + 1); }},
    {"row+4", [](int l) { return at(l + 4); }},
    {"row+8", [](int l) { return at(l + 8); }},
    {"back", [](int l) { return at(31 - l); }},
    {"same", [](int) { return at(5); }},
    {"pairs", [](int l) { return at(l / 2); }},
    {"quads", [](int l) { return at(l / 4); }},
    {"step2", [](int l) { return at(l * 2); }},
    {"step4", [](int l) { return at(l * 4); }},
    {"step8", [](int l) { return at(l * 8); }},
    {"mixed", [](int l) { return at(l % 4 * 8 + l / 4); }},
    {"random32", [](int l) { return at(chance(l, 0) % 32); }},
    {"random256", [](int l) { return at(chance(l, 0) % 256); }},
    {"lanes1", [](int l) { return l < 1 ? at(l) : nowhere; }},
    {"lanes4", [](int l) { return l < 4 ? at(l) : nowhere; }},
    {"lanes8", [](int l) { return l < 8 ? at(l) : nowhere; }},
    {"every4", [](int l) { return l % 4 == 0 ? at(l) : nowhere; }},
};

static const std::vector<places> on_plane = {
    {"row", [](int l) { return at(l, 0); }},
    {"row+1", [](int l) { return at(l + 1, 3); }},
    {"column", [](int l) { return at(0, l); }},
    {"column+1", [](int l) { return at(3, l + 1); }},
    {"8x4", [](int l) { return at(l % 8, l / 8); }},
    {"4x8", [](int l) { return at(l % 4, l / 4); }},
    {"2x16", [](int l) { return at(l % 2, l / 2); }},
    {"16x2", [](int l) { return at(l % 16, l / 16); }},
    {"16x2+1", [](int l) { return at(l % 16 + 1, l / 16 + 1); }},
    {"squares", [](int l) { return at(l % 2 + l / 4 % 4 * 2, l / 2 % 2 + l / 16 * 2); }},
    {"diagonal", [](int l) { return at(l, l); }},
    {"same", [](int) { return at(5, 5); }},
    {"step2", [](int l) { return at(l * 2, 0); }},
    {"step8", [](int l) { return at(l * 8 % 256, 0); }},
    {"rows2", [](int l) { return at(0, l * 2); }},
    {"random8", [](int l) { return at(chance(l, 0) % 8, chance(l, 1) % 8); }},
    {"random32", [](int l) { return at(chance(l, 0) % 32, chance(l, 1) % 32); }},
    {"random256", [](int l) { return at(chance(l, 0) % 256, chance(l, 1) % 256); }},
    {"lanes1", [](int l) { return l < 1 ? at(l, 0) : nowhere; }},
    {"lanes4", [](int l) { return l < 4 ? at(l, 0) : nowhere; }},
    {"every4", [](int l) { return l % 4 == 0 ? at(l, 0) : nowhere; }},
    {"outside", [](int l) { return at(l - 20, -3); }},
};

static const std::vector<places> in_box = {
    {"row", [](int l) { return at(l, 0, 0); }},
    {"column", [](int l) { return at(0, l, 0); }},
    {"depth", [](int l) { return at(l / 16, 0, l % 16); }},
    {"4x4x2", [](int l) { return at(l % 4, l / 4 % 4, l / 16); }},
    {"2x2x8", [](int l) { return at(l % 2, l / 2 % 2, l / 4); }},
    {"8x4", [](int l) { return at(l % 8, l / 8, 3); }},
    {"random8", [](int l) { return at(chance(l, 0) % 8, chance(l, 1) % 8, chance(l, 2) % 8); }},
    {"random256", [](int l) { return at(chance(l, 0) % 256, chance(l, 1) % 256, chance(l, 2) % 16); }},
};

static const std::vector<places> in_layers = {
    {"row", [](int l) { return at(l, 0, 0, 2); }},
    {"8x4", [](int l) { return at(l % 8, l / 8, 0, 1); }},
    {"layers", [](int l) { return at(l, 0, 0, l % 6); }},
    {"layers8", [](int l) { return at(l % 8, 0, 0, l / 8); }},
};

static const std::vector<places> on_cube = {
    {"face", [](int l) { return at(256, l * 2 + 1, 1); }},
    {"faces", [](int l) { return l < 16 ? at(256, l * 2 + 1, 1) : at(1, 256, l * 2 + 1); }},
};

/* Of a question with levels of detail. */
static const std::vector<places> few_on_plane = {
    {"8x4", [](int l) { return at(l % 8, l / 8); }},
    {"same", [](int) { return at(4, 4); }},
    {"random256", [](int l) { return at(chance(l, 0) % 256, chance(l, 1) % 256); }},
    {"lanes1", [](int l) { return l < 1 ? at(l, 0) : nowhere; }},
};

static const std::vector<places> few_in_box = {
    {"4x4x2", [](int l) { return at(l % 4, l / 4 % 4, l / 16); }},
    {"same", [](int) { return at(4, 4, 4); }},
    {"random256", [](int l) { return at(chance(l, 0) % 256, chance(l, 1) % 256, chance(l, 2) % 16); }},
    {"lanes1", [](int l) { return l < 1 ? at(l, 0, 0) : nowhere; }},
    {"lane2", [](int l) { return l == 2 ? at(l, 0, 0) : nowhere; }},
    {"lanes8", [](int l) { return l < 8 ? at(l, 0, 0) : nowhere; }},
};

/* Directions, of which 256 are half a face. */
static const std::vector<places> few_on_cube = {
    {"face", [](int l) { return at(256, l * 2 + 1, 1, 1); }},
    {"same", [](int) { return at(256, 9, 17, 2); }},
    {"faces", [](int l) { return l < 16 ? at(256, l * 2 + 1, 1, l % 3) : at(1, 256, l * 2 + 1, l % 3); }},
    {"random", [](int l) { return at(chance(l, 0) % 512 - 256, chance(l, 1) % 512 - 256, chance(l, 2) % 512 - 256, l % 3); }},
    {"lanes1", [](int l) { return l < 1 ? at(256, l * 2 + 1, 1, 1) : nowhere; }},
};

/* A quad of two lanes at one place, a third far away, and the one that is asked about a step from the first: which of them do
 * filters take together? */
struct around {
    std::vector<int> steps, rows, slices;
    float4 first;
};

static std::vector<places> pairs_of(const around &a, bool last)
{
    std::vector<places> all;
    for (int z : a.slices)
        for (int y : a.rows)
            for (int x : a.steps) {
                char name[64];
                const float4 one = a.first, other = at(one.x + x, one.y + y, one.z + z), far = at(one.x + 100, one.y + 100, one.z);
                snprintf(name, sizeof name, "%s%g,%g:%d,%d,%d", last ? "last" : "first", one.x, one.y, x, y, z);
                all.push_back({name, [=](int l) {
                                   return l > 3 ? nowhere : l == 0 ? one : l == 1 ? other : last == (l == 2) ? far : last ? other : one;
                               }});
            }
    return all;
}

/* Which lanes of a quad ask. */
static std::vector<places> some_lanes()
{
    std::vector<places> all;
    for (int mask = 1; mask < 16; mask++)
        all.push_back({"mask" + std::to_string(mask), [=](int l) { return l < 4 && mask >> l & 1 ? at(l * 8, l, l) : nowhere; }});
    return all;
}

/* Lanes of one quad on different levels. */
static const std::vector<places> with_levels_of_lanes = {
    {"halves", [](int l) { return at(l % 8 * 4, l / 8 * 4, l, l % 2 * .5f); }},
    {"quarters", [](int l) { return at(l % 8 * 4, l / 8 * 4, l, l % 4 * .25f); }},
    {"second", [](int l) { return at(l % 8 * 4, l / 8 * 4, l, l % 4 == 1 ? .5f : 0); }},
    {"third", [](int l) { return at(l % 8 * 4, l / 8 * 4, l, l % 4 == 2 ? .5f : 0); }},
    {"whole", [](int l) { return at(l % 8 * 4, l / 8 * 4, l, l % 4); }},
    {"pairs", [](int l) { return at(l % 8 * 4, l / 8 * 4, l, l / 2 % 2); }},
};

static const std::vector<places> outside = {
    {"all", [](int l) { return at(-20 - l, -20); }},
    {"quads", [](int l) { return at(l / 4 % 2 ? l : -20 - l, 3); }},
    {"lanes", [](int l) { return at(l % 2 ? l : -20 - l, 3); }},
};

/* Derivatives, in elements, or a level. */
struct step {
    const char *name;
    float4 x, y;
};

static const std::vector<step> levels = {{"0", at(0, 0, 0, 0), at(0)}, {"0.5", at(0, 0, 0, .5f), at(0)},
                                         {"1", at(0, 0, 0, 1), at(0)}};
static const std::vector<step> steps = {
    {"none", at(0), at(0)},       {"x1", at(1), at(0)},       {"x1y1", at(1), at(0, 1)}, {"x5y3", at(5), at(0, 3)},
    {"x3", at(3), at(0)},         {"y3", at(0), at(0, 3)},    {"z2", at(0, 0, 2), at(0)}, {"mixed", at(2, 1, .5f), at(-1, 2, 1)},
};
static const std::vector<step> steps_of_faces = {
    {"none", at(0), at(0)}, {"y8", at(0, 8), at(0)}, {"y8z8", at(0, 8), at(0, 0, 8)}, {"mixed", at(3, 5, 4), at(-4, 3, 9)}};

/* ---- cases ------------------------------------------------------------------------------------- */

enum { PART = 100 };

static bool only_names;
static int part, part_size = PART, made; /* launches up to now, those of other parts too */
static float4 *device_places;
static unsigned *results;

/* What is asked of one texture: objects are made when the first launch of the part needs them. */
struct question {
    const char *what;
    kernel *k;
    texture of;
    float offset;
    int times;
    float scale; /* of coordinates, where elements are not counted */
    cudaTextureObject_t object;
};

static float4 shifted(float4 p, const question &q)
{
    return at((p.x + q.offset) * q.scale, (p.y + q.offset) * q.scale,
              (p.z + q.offset) * (q.scale < 1 ? 1.f / DEEP : q.scale), p.w);
}

static void launch(question &q, const places &p, const step &s)
{
    float4 host[PLACES];
    for (int lane = 0; lane < LANES; lane++) {
        const float4 place = p.of(lane);
        host[lane] = place.x == nowhere.x ? place : shifted(place, q);
    }
    question still = q;
    still.offset = 0;
    host[BY_X] = shifted(s.x, still), host[BY_Y] = shifted(s.y, still);
    if (!q.object)
        q.object = make(q.of);
    CHECK(cudaMemcpy(device_places, host, sizeof host, cudaMemcpyHostToDevice));
    q.k<<<1, LANES>>>(q.object, device_places, results, q.times);
    CHECK(cudaDeviceSynchronize());
}

static void ask_all(question q, const std::vector<places> &all, const std::vector<step> &some)
{
    for (const step &s : some)
        for (const places &p : all) {
            const bool is_part = made++ / part_size == part;
            if (only_names)
                printf("%s %s%s%s\n", q.what, s.name, *s.name ? "/" : "", p.name.c_str());
            else if (is_part)
                launch(q, p, s);
        }
}

static void probe(const char *what, kernel *k, const texture &of, const std::vector<places> &all, float offset, int times = 1)
{
    ask_all({what, k, of, offset, times, 1}, all, {{"", at(0), at(0)}});
}

template <class T> static cudaChannelFormatDesc channels() { return cudaCreateChannelDesc<T>(); }

static texture object(shape s, cudaChannelFormatDesc c, bool filters = false, bool normalized = false)
{
    return {s, c, filters, normalized};
}

#define THREE_WIDTHS(DO) DO(unsigned, "4") DO(uint4, "16") DO(unsigned char, "1")
#define OTHER_WIDTHS(DO) DO(uint2, "8") DO(unsigned short, "2")

/* What matters most comes first. */
static void all()
{
#define LINE(T, bytes) probe("linear " bytes, load<LINEAR, T>, object(LINEAR, channels<T>()), on_line, 0);
    THREE_WIDTHS(LINE)
#define POINTS(T, bytes) probe("plane " bytes, load<PLANE, T>, object(PLANE, channels<T>()), on_plane, .5f);
    THREE_WIDTHS(POINTS)
#define PITCH(T, bytes) probe("pitched " bytes, load<PITCHED, T>, object(PITCHED, channels<T>()), on_plane, .5f);
    THREE_WIDTHS(PITCH)
#define LOADS(T, bytes) probe("surface " bytes, load<SURFACE, T>, object(SURFACE, channels<T>()), on_plane, 0);
    THREE_WIDTHS(LOADS)
#define STORES(T, bytes) probe("stores " bytes, store<T>, object(SURFACE, channels<T>()), on_plane, 0);
    THREE_WIDTHS(STORES)
    for (float offset : {.5f, .75f, 1.f}) {
        char name[64];
        snprintf(name, sizeof name, "plane-filter-%g 4", offset);
        probe(name, load<PLANE, float>, object(PLANE, channels<float>(), true), on_plane, offset);
    }
    probe("plane-filter-1 16", load<PLANE, float4>, object(PLANE, channels<float4>(), true), on_plane, 1);
    probe("plane-filter-1 8", load<PLANE, float2>, object(PLANE, channels<float2>(), true), on_plane, 1);
    probe("plane-filter-1 1", load<PLANE, float>, object(PLANE, channels<unsigned char>(), true, true), on_plane, 1);
    probe("plane-filter-1 4x1", load<PLANE, float4>, object(PLANE, channels<uchar4>(), true, true), on_plane, 1);
    probe("pitched-filter-1 4", load<PITCHED, float>, object(PITCHED, channels<float>(), true), on_plane, 1);
    probe("row 4", load<ROW, unsigned>, object(ROW, channels<unsigned>()), on_line, .5f);
    probe("row 16", load<ROW, uint4>, object(ROW, channels<uint4>()), on_line, .5f);
    probe("row-filter-1 4", load<ROW, float>, object(ROW, channels<float>(), true), on_line, 1);
    probe("box 4", load<BOX, unsigned>, object(BOX, channels<unsigned>()), in_box, .5f);
    probe("box 16", load<BOX, uint4>, object(BOX, channels<uint4>()), in_box, .5f);
    probe("box 1", load<BOX, unsigned char>, object(BOX, channels<unsigned char>()), in_box, .5f);
    probe("box-filter-1 4", load<BOX, float>, object(BOX, channels<float>(), true), in_box, 1);
    probe("box-surface 4", load<BOX_SURFACE, unsigned>, object(BOX_SURFACE, channels<unsigned>()), in_box, 0);
    probe("layers 4", load<LAYERS, unsigned>, object(LAYERS, channels<unsigned>()), in_layers, .5f);
    probe("layers-surface 4", load<LAYERS_SURFACE, unsigned>, object(LAYERS_SURFACE, channels<unsigned>()), in_layers, 0);
    probe("row-surface 4", load<ROW_SURFACE, unsigned>, object(ROW_SURFACE, channels<unsigned>()), on_line, 0);
    probe("cube 4", load<CUBE, unsigned>, object(CUBE, channels<unsigned>()), on_cube, 0);
    probe("gather 4", load<GATHER, uint4>, object(GATHER, channels<unsigned>()), on_plane, 1);
    probe("plane-thrice 4", load<PLANE, unsigned>, object(PLANE, channels<unsigned>()), on_plane, .5f, 3);
    probe("linear-thrice 4", load<LINEAR, unsigned>, object(LINEAR, channels<unsigned>()), on_line, 0, 3);
    probe("surface-thrice 4", load<SURFACE, unsigned>, object(SURFACE, channels<unsigned>()), on_plane, 0, 3);
    probe("stores-thrice 4", store<unsigned>, object(SURFACE, channels<unsigned>()), on_plane, 0, 3);
    OTHER_WIDTHS(LINE)
    OTHER_WIDTHS(POINTS)
    OTHER_WIDTHS(PITCH)
    OTHER_WIDTHS(LOADS)
    OTHER_WIDTHS(STORES)
}

/* Filters that take several passes, surfaces of other shapes, reductions. */
static void more()
{
    probe("box-filter-1 16", load<BOX, float4>, object(BOX, channels<float4>(), true), in_box, 1);
    probe("box-filter-1 8", load<BOX, float2>, object(BOX, channels<float2>(), true), in_box, 1);
    probe("box-filter-1 2", load<BOX, float>, object(BOX, channels<unsigned short>(), true, true), in_box, 1);
    probe("box-filter-1 4x1", load<BOX, float4>, object(BOX, channels<uchar4>(), true, true), in_box, 1);
    probe("box-filter-1 4x2", load<BOX, float4>, object(BOX, channels<ushort4>(), true, true), in_box, 1);
    probe("box-filter-0.5 16", load<BOX, float4>, object(BOX, channels<float4>(), true), in_box, .5f);
    probe("box-filter-0.75 4", load<BOX, float>, object(BOX, channels<float>(), true), in_box, .75f);
    probe("plane-filter-1 4x2", load<PLANE, float4>, object(PLANE, channels<ushort4>(), true, true), on_plane, 1);
    probe("plane-filter-0.5 16", load<PLANE, float4>, object(PLANE, channels<float4>(), true), on_plane, .5f);
    probe("plane-filter-0.75 16", load<PLANE, float4>, object(PLANE, channels<float4>(), true), on_plane, .75f);
    probe("pitched-filter-1 16", load<PITCHED, float4>, object(PITCHED, channels<float4>(), true), on_plane, 1);
    probe("row-filter-1 16", load<ROW, float4>, object(ROW, channels<float4>(), true), on_line, 1);
    probe("gather 16", load<GATHER, uint4>, object(GATHER, channels<uint4>()), on_plane, 1);
    probe("layers 16", load<LAYERS, uint4>, object(LAYERS, channels<uint4>()), in_layers, .5f);
    probe("layers-filter-1 4", load<LAYERS, float>, object(LAYERS, channels<float>(), true), in_layers, 1);
    probe("layers-filter-1 16", load<LAYERS, float4>, object(LAYERS, channels<float4>(), true), in_layers, 1);
    probe("cube 16", load<CUBE, uint4>, object(CUBE, channels<uint4>()), few_on_cube, 0);
    probe("cube-filter 4", load<CUBE, float>, object(CUBE, channels<float>(), true), few_on_cube, 0);
    probe("cube-filter 16", load<CUBE, float4>, object(CUBE, channels<float4>(), true), few_on_cube, 0);
    probe("cubes 4", load<CUBES, unsigned>, object(CUBES, channels<unsigned>()), few_on_cube, 0);
    probe("box-surface 16", load<BOX_SURFACE, uint4>, object(BOX_SURFACE, channels<uint4>()), in_box, 0);
    probe("row-stores 4", store_in<ROW_SURFACE, unsigned>, object(ROW_SURFACE, channels<unsigned>()), on_line, 0);
    probe("box-stores 4", store_in<BOX_SURFACE, unsigned>, object(BOX_SURFACE, channels<unsigned>()), in_box, 0);
    probe("layers-stores 4", store_in<LAYERS_SURFACE, unsigned>, object(LAYERS_SURFACE, channels<unsigned>()), in_layers, 0);
    probe("reductions 4", reduce<unsigned>, object(SURFACE, channels<unsigned>()), on_plane, 0);
    probe("reductions 8", reduce<unsigned long long>, object(SURFACE, channels<uint2>()), few_on_plane, 0);
}

template <class T> static void with_levels(const char *bytes)
{
    for (int filters = 0; filters < 2; filters++)
        for (int between = 0; between < 2; between++) {
            char name[2][64];
            const char *how = filters ? between ? "-trilinear" : "-filter" : between ? "-between" : "";
            snprintf(name[0], sizeof name[0], "plane-level%s %s", how, bytes);
            snprintf(name[1], sizeof name[1], "box-level%s %s", how, bytes);
            const texture plane = {PLANE, channels<T>(), filters > 0, false, 4, between > 0},
                          box = {BOX, channels<T>(), filters > 0, false, 4, between > 0};
            ask_all({name[0], load_level<PLANE, T>, plane, 1, 1, 1.f / SIZE}, few_on_plane, levels);
            ask_all({name[1], load_level<BOX, T>, box, 1, 1, 1.f / SIZE}, few_in_box, levels);
        }
}

/* Those of boxes and cubes are calls of functions of the driver. */
template <int S, class T>
static void derived(const char *shape_name, const char *bytes, int count, const std::vector<places> &all,
                    const std::vector<step> &some)
{
    for (int how = 0; how < 3; how++) {
        static const char *const words[] = {"", "-filter", "-trilinear"};
        const bool is_cube = S == CUBE || S == CUBES;
        char name[64];
        if (how == 2 && count < 2)
            continue;
        snprintf(name, sizeof name, "%s-derived-%d%s %s", shape_name, count, words[how], bytes);
        const texture of = {(shape)S, channels<T>(), how > 0, false, count, how > 1};
        ask_all({name, load_derived<S, T>, of, is_cube ? 0.f : 1.f, 1, is_cube ? 1.f : 1.f / SIZE}, all, some);
    }
}

/* Which lanes filters take together, and what counts as a request. */
static void quads()
{
    const std::vector<int> wide = {-8, -4, -3, -2, -1, 0, 1, 2, 3, 4, 8}, few = {-4, -3, -1, 0, 1, 3, 4}, up = {0, 1, 2, 4, 8, 16},
                           none = {0};
    const texture plane = object(PLANE, channels<float4>(), true), box = object(BOX, channels<float>(), true);
    probe("plane-pairs 16", load<PLANE, float4>, plane, pairs_of({wide, wide, none, at(16, 16)}, false), .5f);
    probe("plane-pairs 16", load<PLANE, float4>, plane, pairs_of({few, few, none, at(19, 21)}, false), .5f);
    probe("plane-pairs 16", load<PLANE, float4>, plane, pairs_of({few, few, none, at(16, 16)}, true), .5f);
    probe("row-pairs 16", load<ROW, float4>, object(ROW, channels<float4>(), true), pairs_of({wide, none, none, at(16)}, false), .5f);
    probe("box-pairs 4", load<BOX, float>, box, pairs_of({up, none, none, at(16, 16, 4)}, false), .5f);
    probe("box-pairs 4", load<BOX, float>, box, pairs_of({none, up, none, at(16, 16, 4)}, false), .5f);
    probe("box-pairs 4", load<BOX, float>, box, pairs_of({none, none, {0, 1, 2, 4, 8}, at(16, 16, 4)}, false), .5f);
    probe("box-lanes 16", load<BOX, float4>, object(BOX, channels<float4>(), true), some_lanes(), 1);
    probe("plane-lanes 16", load<PLANE, float4>, plane, some_lanes(), 1);
    for (int filters = 0; filters < 2; filters++) {
        const char *const how = filters ? "-trilinear" : "-between";
        char name[64];
        snprintf(name, sizeof name, "plane-levels%s 16", how);
        ask_all({name, load_level<PLANE, float4>, {PLANE, channels<float4>(), filters > 0, false, 4, true}, 1, 1, 1.f / SIZE},
                with_levels_of_lanes, {levels[0]});
        snprintf(name, sizeof name, "box-levels%s 16", how);
        ask_all({name, load_level<BOX, float4>, {BOX, channels<float4>(), filters > 0, false, 4, true}, 1, 1, 1.f / SIZE},
                with_levels_of_lanes, {levels[0]});
    }
    ask_all({"box-levels-filter 16", load_level<BOX, float4>, {BOX, channels<float4>(), true, false, 4, false}, 1, 1, 1.f / SIZE},
            with_levels_of_lanes, {levels[0]});
    texture border = object(PLANE, channels<unsigned>());
    border.has_border = true;
    probe("plane-border 4", load<PLANE, unsigned>, border, outside, .5f);
    border = object(BOX, channels<float4>(), true);
    border.has_border = true;
    probe("box-border-filter 16", load<BOX, float4>, border, outside, 1);
    probe("linear-outside 4", load<LINEAR, unsigned>, object(LINEAR, channels<unsigned>()), outside, 0);
}

static void with_derivatives()
{
    derived<BOX, float4>("box", "16", 4, few_in_box, steps);
    derived<BOX, float4>("box", "16", 1, few_in_box, steps);
    derived<CUBE, float4>("cube", "16", 1, few_on_cube, steps_of_faces);
    derived<CUBES, float4>("cubes", "16", 1, few_on_cube, steps_of_faces);
    derived<BOX, float>("box", "4", 4, few_in_box, steps);
    derived<BOX, float>("box", "4", 1, few_in_box, steps);
    derived<CUBE, float>("cube", "4", 1, few_on_cube, steps_of_faces);
    derived<CUBES, float>("cubes", "4", 1, few_on_cube, steps_of_faces);
    derived<PLANE, float>("plane", "4", 4, few_on_plane, steps);
    derived<PLANE, float4>("plane", "16", 4, few_on_plane, steps);
}

/* Elements that are compressed in blocks of 4 by 4. */
static void compressed()
{
    static const struct {
        const char *name;
        cudaChannelFormatDesc channels;
    } kinds[] = {{"bc1", {8, 8, 8, 8, cudaChannelFormatKindUnsignedBlockCompressed1}},
                 {"bc4u", {8, 0, 0, 0, cudaChannelFormatKindUnsignedBlockCompressed4}},
                 {"bc7", {8, 8, 8, 8, cudaChannelFormatKindUnsignedBlockCompressed7}}};
    for (const auto &k : kinds)
        for (float offset : {.5f, 1.f}) {
            char name[64];
            snprintf(name, sizeof name, offset < 1 ? "plane %s" : "plane-filter-1 %s", k.name);
            probe(name, load<PLANE, float4>, object(PLANE, k.channels, offset == 1, true), on_plane, offset);
        }
}

/* ---- rates ------------------------------------------------------------------------------------- */

enum { TRIPS = 64, UNROLL = 8 };

template <int S, class T> __global__ void spin(cudaTextureObject_t t, int side, unsigned *to, long long *cycles, bool waits)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const float x = lane % side + .5f, y = lane / side + warp % 8 + .5f;
    unsigned sum = 0;
    __syncthreads();
    const long long begin = clock64();
    for (int i = 0; i < TRIPS; i++)
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const float off = waits ? (float)(sum >> 31) : 0;
            sum += ask<S, T>(t, make_float4(x + (u + UNROLL * (i & 7)) + off, y, .5f, 0));
        }
    const long long end = clock64();
    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    if (lane == 0)
        cycles[2 * warp] = begin, cycles[2 * warp + 1] = end;
}

template <int S, class T> static void rate(const char *what, int side, cudaTextureObject_t object)
{
    static long long *cycles;
    if (!cycles)
        CHECK(cudaMallocManaged(&cycles, 64 * sizeof *cycles));
    for (int warps : {1, 4, 8, 32})
        for (bool waits : {false, true}) {
            if (waits && warps > 1)
                continue;
            for (int again = 0; again < 2; again++) {
                spin<S, T><<<1, warps * 32>>>(object, side, results, cycles, waits);
                CHECK(cudaDeviceSynchronize());
            }
            long long begin = cycles[0], end = cycles[1];
            for (int w = 1; w < warps; w++)
                begin = std::min(begin, cycles[2 * w]), end = std::max(end, cycles[2 * w + 1]);
            printf("rate %s side %d warps %d %s %.2f\n", what, side, warps, waits ? "chain" : "free",
                   (double)(end - begin) / TRIPS / UNROLL / warps);
        }
}

static void rates()
{
    for (int side : {32, 8}) {
        rate<LINEAR, unsigned>("linear 4", side, make(object(LINEAR, channels<unsigned>())));
        rate<LINEAR, uint4>("linear 16", side, make(object(LINEAR, channels<uint4>())));
        rate<PLANE, unsigned char>("plane 1", side, make(object(PLANE, channels<unsigned char>())));
        rate<PLANE, unsigned>("plane 4", side, make(object(PLANE, channels<unsigned>())));
        rate<PLANE, uint2>("plane 8", side, make(object(PLANE, channels<uint2>())));
        rate<PLANE, uint4>("plane 16", side, make(object(PLANE, channels<uint4>())));
        rate<PLANE, float>("plane-filter 1", side, make(object(PLANE, channels<unsigned char>(), true, true)));
        rate<PLANE, float>("plane-filter 4", side, make(object(PLANE, channels<float>(), true)));
        rate<PLANE, float2>("plane-filter 8", side, make(object(PLANE, channels<float2>(), true)));
        rate<PLANE, float4>("plane-filter 16", side, make(object(PLANE, channels<float4>(), true)));
        rate<PITCHED, unsigned>("pitched 4", side, make(object(PITCHED, channels<unsigned>())));
        rate<BOX, unsigned>("box 4", side, make(object(BOX, channels<unsigned>())));
        rate<BOX, float>("box-filter 4", side, make(object(BOX, channels<float>(), true)));
        rate<SURFACE, unsigned>("surface 4", side, make(object(SURFACE, channels<unsigned>())));
        rate<SURFACE, uint4>("surface 16", side, make(object(SURFACE, channels<uint4>())));
    }
}

int main(int count, char **word)
{
    const bool is_rates = count > 1 && !strcmp(word[1], "rates");
    only_names = count > 1 && !strcmp(word[1], "names");
    part_size = count > 1 && !strcmp(word[1], "one") ? 1 : PART;
    part = count > 2 ? atoi(word[2]) : 0;
    if (!only_names) {
        CHECK(cudaMalloc(&device_places, PLACES * sizeof *device_places));
        CHECK(cudaMalloc(&results, 1024 * sizeof *results));
    }
    if (is_rates) {
        rates();
        return 0;
    }
    all();
    more();
    with_levels<float>("4");
    with_levels<float4>("16");
    with_derivatives();
    quads();
    compressed();
    return 0;
}
