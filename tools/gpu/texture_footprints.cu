/* SPDX-License-Identifier: Apache-2.0
 * What derivatives mean: which level of detail in planes, boxes and cubes, which elements of which level a filter in a direction
 * (maxAnisotropy) takes with which weights, and which element of a face a direction finds. A line a case: its name, a hash of all result
 * words and the first eight of them; given a folder, the words of each case are written there, a file a case, and with a third word the
 * places that were asked for, too.
 *
 *     nvcc -arch=sm_90 -std=c++17 -O3 -o texture_footprints tools/gpu/texture_footprints.cu
 *     ./texture_footprints PART [FOLDER [places]]        PART: levels, elements, footprints, turns, stripes, values, counts */
#include "texture_tell.h"

#include <cmath>
#include <cstring>

static bool tells_places;

static uint32_t state;

static uint32_t next()
{
    state = state * 1664525u + 1013904223u;
    return (state ^ state >> 15) >> 4;
}

static float fraction()
{
    return (float)(next() >> 4) / 16777216.0f;
}

struct place {
    float at[3], by[2][3];
};

enum shape { PLANE, BOX, CUBE, LAYERS };

__global__ void sample(cudaTextureObject_t t, int s, bool derives, const place *places, float *to, int count, int layers)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count * layers)
        return;
    const place p = places[i / layers];
    const float4 dx = make_float4(p.by[0][0], p.by[0][1], p.by[0][2], 0), dy = make_float4(p.by[1][0], p.by[1][1], p.by[1][2], 0);
    const float2 px = make_float2(dx.x, dx.y), py = make_float2(dy.x, dy.y);
    if (s == PLANE)
        to[i] = tex2DGrad<float>(t, p.at[0], p.at[1], px, py);
    else if (s == BOX)
        to[i] = tex3DGrad<float>(t, p.at[0], p.at[1], p.at[2], dx, dy);
    else if (s == LAYERS)
        to[i] = tex2DLayeredGrad<float>(t, p.at[0], p.at[1], i % layers, px, py);
    else if (derives)
        to[i] = texCubemapGrad<float>(t, p.at[0], p.at[1], p.at[2], dx, dy);
    else
        to[i] = texCubemap<float>(t, p.at[0], p.at[1], p.at[2]);
}

static std::vector<float> ask(cudaTextureObject_t t, int s, bool derives, const std::vector<place> &places, int layers = 1)
{
    place *in;
    float *out;
    std::vector<float> to(places.size() * layers);
    CHECK(cudaMalloc(&in, places.size() * sizeof *in));
    CHECK(cudaMalloc(&out, to.size() * sizeof *out));
    CHECK(cudaMemcpy(in, places.data(), places.size() * sizeof *in, cudaMemcpyHostToDevice));
    sample<<<(unsigned)(to.size() + 127) / 128, 128>>>(t, s, derives, in, out, (int)places.size(), layers);
    CHECK(cudaMemcpy(to.data(), out, to.size() * sizeof *out, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return to;
}

/* ---- textures ------------------------------------------------------------------------------------------ */

typedef float value_of(int level, int layer, int x, int y, int z);

static cudaMipmappedArray_t make(cudaExtent e, unsigned flags, int levels, value_of *of)
{
    const cudaChannelFormatDesc channels = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    const bool has_layers = flags & (cudaArrayLayered | cudaArrayCubemap);
    cudaMipmappedArray_t all;
    CHECK(cudaMallocMipmappedArray(&all, &channels, e, levels, flags));
    for (int n = 0; n < levels; n++) {
        cudaArray_t level;
        CHECK(cudaGetMipmappedArrayLevel(&level, all, n));
        const int w = (int)e.width >> n ? (int)e.width >> n : 1, h = (int)e.height >> n ? (int)e.height >> n : 1;
        const int d = !e.depth ? 1 : has_layers ? (int)e.depth : (int)e.depth >> n ? (int)e.depth >> n : 1;
        std::vector<float> data;
        for (int z = 0; z < d; z++)
            for (int y = 0; y < h; y++)
                for (int x = 0; x < w; x++)
                    data.push_back(of(n, z, x, y, z));
        cudaMemcpy3DParms c = {};
        c.srcPtr = make_cudaPitchedPtr(data.data(), w * sizeof(float), w, h);
        c.dstArray = level;
        c.extent = make_cudaExtent(w, h, d);
        c.kind = cudaMemcpyHostToDevice;
        CHECK(cudaMemcpy3D(&c));
    }
    return all;
}

static cudaTextureObject_t object_of(cudaMipmappedArray_t of, int levels, bool filters, bool between, unsigned anisotropy)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = of;
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = cudaAddressModeClamp;
    d.filterMode = filters ? cudaFilterModeLinear : cudaFilterModePoint;
    d.mipmapFilterMode = between ? cudaFilterModeLinear : cudaFilterModePoint;
    d.normalizedCoords = 1;
    d.maxMipmapLevelClamp = (float)(levels - 1);
    d.maxAnisotropy = anisotropy;
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}

static words words_of(const std::vector<float> &of)
{
    words to(of.size());
    memcpy(to.data(), of.data(), of.size() * 4);
    return to;
}

static void note_places(const std::string &name, const std::vector<place> &places)
{
    if (folder && tells_places)
        keep(name + "/places", places.data(), places.size() * sizeof(place));
}

/* ---- levels ---------------------------------------------------------------------------------------------- */

static float level_value(int level, int, int, int, int)
{
    return (float)level;
}

static float size_of(float least, float most)
{
    return exp2f(least + (most - least) * fraction());
}

/* Derivatives in elements of a texture of 64 in each dimension: by way along one axis, in a plane of two, anywhere; one by x only or both. */
static std::vector<place> derivatives(int way, int count, bool is_cube)
{
    std::vector<place> all;
    for (int i = 0; i < count; i++) {
        place p = {};
        for (float &x : p.at)
            x = is_cube ? 2 * fraction() - 1 : 0.25f + fraction() / 2;
        if (is_cube)
            p.at[i % 3] = i / 3 % 2 ? 1 : -1;
        for (int by = 0; by < 2; by++) {
            const float size = size_of(-1, 6.5f) / 64 * (is_cube ? 2 : 1);
            for (int d = 0; d < 3; d++)
                p.by[by][d] = size * (2 * fraction() - 1);
            if (way == 0) /* an axis */
                for (int d = 0; d < 3; d++)
                    p.by[by][d] = d == i % 3 && !by ? size : 0;
            if (way == 1 && by) /* one of the two */
                for (float &x : p.by[by])
                    x = 0;
            if (way == 2) /* one axis each */
                for (int d = 0; d < 3; d++)
                    p.by[by][d] = d == (i + by) % 3 ? size : 0;
        }
        all.push_back(p);
    }
    return all;
}

static void all_levels()
{
    enum { LEVELS = 7, COUNT = 8192 };
    static const char *const ways[] = {"axis", "one", "axes", "any"};
    static const struct {
        const char *name;
        shape s;
        cudaExtent e;
        unsigned flags;
    } of[] = {{"plane", PLANE, {64, 64, 0}, 0}, {"flat", PLANE, {256, 16, 0}, 0}, {"box", BOX, {64, 64, 64}, 0}, {"cube", CUBE, {64, 64, 6}, cudaArrayCubemap}};
    for (const auto &o : of) {
        const int levels = o.e.width == 256 ? 9 : LEVELS;
        const cudaMipmappedArray_t all = make(o.e, o.flags, levels, level_value);
        for (int way = 0; way < 4; way++)
            for (unsigned anisotropy : {1u, 2u, 4u, 16u}) {
                if (anisotropy > 1 && o.s == BOX)
                    continue;
                const std::string name = "levels/" + std::string(o.name) + "/" + ways[way] + "/" + std::to_string(anisotropy);
                state = 100 + way;
                const std::vector<place> at = derivatives(way, COUNT, o.s == CUBE);
                const cudaTextureObject_t t = object_of(all, levels, true, true, anisotropy);
                tell(name, words_of(ask(t, o.s, true, at)));
                note_places(name, at);
                CHECK(cudaDestroyTextureObject(t));
            }
        CHECK(cudaFreeMipmappedArray(all));
    }
}

/* ---- elements of cubes ------------------------------------------------------------------------------------- */

static float number_value(int, int layer, int x, int y, int)
{
    return (float)(layer << 16 | y << 8 | x);
}

/* Directions that lead to edges between elements, or close to them. */
static void all_elements()
{
    const cudaMipmappedArray_t all = make(make_cudaExtent(256, 256, 6), cudaArrayCubemap, 1, number_value);
    const cudaTextureObject_t t = object_of(all, 1, false, false, 1);
    for (int way = 0; way < 4; way++) {
        std::vector<place> at;
        state = 200 + way;
        for (int i = 0; i < 16384; i++) {
            place p = {};
            const int m = way == 0 ? 128 : way == 1 ? 264 : 1 + (int)(next() % 2000);
            const float major = way == 3 ? (1 + fraction()) * 100 : (float)m;
            for (int d = 0; d < 3; d++)
                p.at[d] = d == i % 3 ? (i / 3 % 2 ? major : -major)
                          : way == 1 ? (float)((int)(next() % 529) - 264)
                                     : major * ((float)(next() % 257) - 128) / 128;
            at.push_back(p);
        }
        const std::string name = "elements/" + std::to_string(way);
        tell(name + "/plain", words_of(ask(t, CUBE, false, at)));
        tell(name + "/derived", words_of(ask(t, CUBE, true, at)));
        note_places(name, at);
    }
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeMipmappedArray(all));
}

/* ---- footprints ---------------------------------------------------------------------------------------------- */

enum { SIZE = 32, LAYER_COUNT = 1024 + 256 + 64 + 16 + 4 + 1 };

/* Each layer has one element of one level that is 1. */
static float hot_value(int level, int layer, int x, int y, int)
{
    int first = 0;
    for (int n = 0; n < level; n++)
        first += (SIZE >> n) * (SIZE >> n);
    return layer == first + y * (SIZE >> level) + x ? 1 : 0;
}

static place footprint(float x, float y, float xx, float xy, float yx, float yy)
{
    return {{x / SIZE, y / SIZE, 0}, {{xx / SIZE, xy / SIZE, 0}, {yx / SIZE, yy / SIZE, 0}}};
}

static std::vector<place> footprint_places()
{
    static const float longs[] = {1, 1.1f, 1.25f, 1.5f, 1.75f, 1.9f, 2, 2.1f, 2.5f, 3, 3.5f, 4, 4.5f, 5, 6, 7, 8, 10, 12, 14, 16, 20},
                       shorts[] = {0.25f, 0.5f, 1, 1.5f, 2};
    std::vector<place> all;
    state = 300;
    for (float l : longs)
        for (float s : shorts) {
            all.push_back(footprint(16, 16, l, 0, 0, s));
            all.push_back(footprint(16.5f, 16.5f, 0, l, s, 0));
        }
    for (int i = 0; i < 200; i++) {
        const float angle = fraction() * 6.2831853f, l = size_of(0, 4.2f), s = l * size_of(-4, 0), x = 12 + 8 * fraction(),
                    y = 12 + 8 * fraction();
        all.push_back(footprint(x, y, l * cosf(angle), l * sinf(angle), -s * sinf(angle), s * cosf(angle)));
    }
    for (int i = 0; i < 200; i++) {
        const float l = size_of(-1, 4), s = size_of(-1, 4);
        all.push_back(footprint(12 + 8 * fraction(), 12 + 8 * fraction(), l * (2 * fraction() - 1), l * (2 * fraction() - 1),
                                s * (2 * fraction() - 1), s * (2 * fraction() - 1)));
    }
    return all;
}

/* Along a row, of each ratio, and of each width in the other direction. */
static std::vector<place> ratio_places()
{
    std::vector<place> all;
    for (int wide = 0; wide < 3; wide++)
        for (int i = 0; i <= 320; i++)
            all.push_back(footprint(16.5f, 16.5f, exp2f((float)i / 64 + (float)(wide - 1) * 0.75f), 0, 0, exp2f((float)(wide - 1) * 0.75f)));
    for (int i = 0; i < 300; i++)
        all.push_back(footprint(16.5f, 16.5f, 1 + (float)i / 20, 0, 0, 1));
    return all;
}

/* Of each place how many layers count, and each of them with its weight's bits. */
static void ask_weights(const std::string &name, cudaTextureObject_t t, const std::vector<place> &at, int layers)
{
    const std::vector<float> got = ask(t, LAYERS, true, at, layers);
    words to;
    for (size_t i = 0; i < at.size(); i++) {
        const size_t start = to.size();
        to.push_back(0);
        for (int layer = 0; layer < layers; layer++) {
            const float w = got[i * layers + layer];
            if (w == 0)
                continue;
            uint32_t bits;
            memcpy(&bits, &w, sizeof bits);
            to[start]++;
            to.push_back(layer);
            to.push_back(bits);
        }
    }
    tell(name, to);
    note_places(name, at);
}

static void ask_footprints(const std::string &name_of, const std::vector<place> &at, const std::vector<unsigned> &most)
{
    for (int levels : {6, 1}) {
        const cudaMipmappedArray_t all = make(make_cudaExtent(SIZE, SIZE, LAYER_COUNT), cudaArrayLayered, levels, hot_value);
        for (unsigned anisotropy : most)
            for (int between = 0; between < (levels > 1 ? 2 : 1); between++) {
                const std::string name = name_of + "/" + std::to_string(levels) + "/" + std::to_string(anisotropy) + (between ? "/between" : "/level");
                const cudaTextureObject_t t = object_of(all, levels, true, between > 0, anisotropy);
                ask_weights(name, t, at, LAYER_COUNT);
                CHECK(cudaDestroyTextureObject(t));
            }
        CHECK(cudaFreeMipmappedArray(all));
    }
}

static void all_footprints()
{
    ask_footprints("footprints", footprint_places(), {1, 2, 3, 4, 8, 16});
    ask_footprints("ratios", ratio_places(), {2, 4, 16});
}

/* One derivative alone, each way from the axis to the diagonal and beyond, at the middle of an element and between two. */
static std::vector<place> single_places()
{
    std::vector<place> all;
    for (int a = 0; a <= 24; a++)
        for (int b = 0; b <= 24; b++)
            all.push_back(footprint(16.5f, 16.5f, (float)a / 2, (float)b / 2, 0, 0));
    for (int i = 0; i <= 256; i++)
        all.push_back(footprint(16.5f, 16.5f, 4, (float)i / 64, 0, 0));
    for (int i = 0; i <= 256; i++)
        all.push_back(footprint(16 + (float)i / 256, 16.25f, 3, 2, 0, 0));
    return all;
}

/* Derivatives at right angles that turn. */
static std::vector<place> turn_places()
{
    std::vector<place> all;
    for (float r : {1.5f, 2.0f, 3.0f, 4.0f, 6.0f, 8.0f, 12.0f})
        for (int i = 0; i <= 64; i++) {
            const float angle = (float)i * 6.2831853f / 256;
            all.push_back(footprint(16.5f, 16.5f, r * cosf(angle), r * sinf(angle), -sinf(angle), cosf(angle)));
        }
    for (int i = 0; i <= 256; i++)
        all.push_back(footprint(16.5f, 16.5f, 6, 0, (float)i / 64, 1));
    return all;
}

static void all_turns()
{
    const cudaMipmappedArray_t all = make(make_cudaExtent(SIZE, SIZE, LAYER_COUNT), cudaArrayLayered, 1, hot_value);
    for (bool filters : {true, false})
        for (unsigned anisotropy : {16u, 6u}) {
            const std::string tail = std::to_string(anisotropy) + (filters ? "/linear" : "/point");
            const cudaTextureObject_t t = object_of(all, 1, filters, false, anisotropy);
            ask_weights("single/" + tail, t, single_places(), LAYER_COUNT);
            ask_weights("turns/" + tail, t, turn_places(), LAYER_COUNT);
            ask_weights("ratio/" + tail, t, ratio_places(), LAYER_COUNT);
            CHECK(cudaDestroyTextureObject(t));
        }
    CHECK(cudaFreeMipmappedArray(all));
}

/* ---- columns and rows ------------------------------------------------------------------------------------------ */

enum { WIDE = 64 };

/* Each layer has one column that is 1, or one row. */
static float stripe_value(int, int layer, int x, int y, int)
{
    return (layer < WIDE ? x : y) == layer % WIDE ? 1 : 0;
}

static place stripe_place(float x, float y, float xx, float xy, float yx, float yy)
{
    return {{x / WIDE, y / WIDE, 0}, {{xx / WIDE, xy / WIDE, 0}, {yx / WIDE, yy / WIDE, 0}}};
}

/* By way: each ratio along a row; the same anywhere, each way along and across, of any width; derivatives that are perpendicular; any. */
static std::vector<place> stripe_places(int way)
{
    std::vector<place> all;
    state = 500 + way;
    for (int i = 0; i < 4608; i++) {
        const float r = 1 + (float)i / 256, s = way ? size_of(-1, 1) : 1, x = way ? 24 + 16 * fraction() : 32.5f,
                    y = way ? 24 + 16 * fraction() : 32.5f, angle = fraction() * 6.2831853f;
        const bool turned = way && next() & 1, swapped = way && next() & 1;
        float along[2] = {r * s, 0}, across[2] = {0, s};
        if (turned)
            along[1] = along[0], along[0] = 0, across[0] = across[1], across[1] = 0;
        if (way == 2)
            along[0] = r * s * cosf(angle), along[1] = r * s * sinf(angle), across[0] = -s * sinf(angle), across[1] = s * cosf(angle);
        for (int d = 0; d < 2 && way == 3; d++)
            along[d] = r * (2 * fraction() - 1), across[d] = r * (2 * fraction() - 1);
        all.push_back(swapped ? stripe_place(x, y, across[0], across[1], along[0], along[1])
                              : stripe_place(x, y, along[0], along[1], across[0], across[1]));
    }
    return all;
}

static void all_stripes()
{
    const cudaMipmappedArray_t all = make(make_cudaExtent(WIDE, WIDE, 2 * WIDE), cudaArrayLayered, 1, stripe_value);
    for (int way = 0; way < 4; way++)
        for (unsigned anisotropy : {16u, 5u, 2u}) {
            const std::string name = "stripes/" + std::to_string(way) + "/" + std::to_string(anisotropy);
            const cudaTextureObject_t t = object_of(all, 1, true, false, anisotropy);
            ask_weights(name, t, stripe_places(way), 2 * WIDE);
            CHECK(cudaDestroyTextureObject(t));
        }
    CHECK(cudaFreeMipmappedArray(all));
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* What sums of all taps become: elements at random, floats of several sizes, halves, and bytes as fractions, in eight layers. */
template <class T> static cudaMipmappedArray_t make_values(const cudaChannelFormatDesc &channels, T (*of)())
{
    enum { LAYERS_OF_VALUES = 8 };
    cudaMipmappedArray_t all;
    cudaArray_t level;
    CHECK(cudaMallocMipmappedArray(&all, &channels, make_cudaExtent(WIDE, WIDE, LAYERS_OF_VALUES), 1, cudaArrayLayered));
    CHECK(cudaGetMipmappedArrayLevel(&level, all, 0));
    std::vector<T> data;
    state = 700;
    for (int i = 0; i < WIDE * WIDE * LAYERS_OF_VALUES; i++)
        data.push_back(of());
    cudaMemcpy3DParms c = {};
    c.srcPtr = make_cudaPitchedPtr(data.data(), WIDE * sizeof(T), WIDE, WIDE);
    c.dstArray = level;
    c.extent = make_cudaExtent(WIDE, WIDE, LAYERS_OF_VALUES);
    c.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&c));
    if (folder && tells_places)
        keep("values/elements/" + std::to_string(sizeof(T)), data.data(), data.size() * sizeof(T));
    return all;
}

static void ask_values(const char *kind, cudaMipmappedArray_t all, bool is_normalized)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = all;
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = cudaAddressModeClamp;
    d.filterMode = cudaFilterModeLinear;
    d.readMode = is_normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    d.normalizedCoords = 1;
    for (unsigned anisotropy : {2u, 16u}) {
        cudaTextureObject_t t;
        d.maxAnisotropy = anisotropy;
        CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
        for (int way : {0, 1}) {
            const std::string name = "values/" + std::string(kind) + "/" + std::to_string(way) + "/" + std::to_string(anisotropy);
            const std::vector<place> at = stripe_places(way);
            tell(name, words_of(ask(t, LAYERS, true, at, 8)));
            note_places(name, at);
        }
        CHECK(cudaDestroyTextureObject(t));
    }
    CHECK(cudaFreeMipmappedArray(all));
}

static float float_value()
{
    return (2 * fraction() - 1) * exp2f((float)(next() % 12));
}

static uint16_t half_value()
{
    return (uint16_t)((next() & 0x83ff) | (10 + next() % 10) << 10);
}

static uint8_t byte_value()
{
    return (uint8_t)next();
}

static void all_values()
{
    ask_values("floats", make_values(cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat), float_value), false);
    ask_values("halves", make_values(cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat), half_value), false);
    ask_values("bytes", make_values(cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned), byte_value), true);
}

/* ---- requests ------------------------------------------------------------------------------------------------------ */

/* Launches of one warp, each of which asks once: for Nsight Compute, which counts requests and sectors. A line a launch: bytes of an element,
 * maxAnisotropy, lanes that ask, elements from one lane to the next, derivative along a row or a column, of how many elements. */
template <class T> __global__ void ask_once(cudaTextureObject_t t, float x, float y, float apart, float along, float down, unsigned lanes, T *to)
{
    if (threadIdx.x < lanes)
        to[threadIdx.x] = tex2DGrad<T>(t, (x + apart * (float)threadIdx.x) / WIDE, y / WIDE, make_float2(along / WIDE, down / WIDE),
                                       make_float2(down > 0 ? 1.0f / WIDE : 0, down > 0 ? 0 : 1.0f / WIDE));
}

template <class T> static void count_requests(const cudaChannelFormatDesc &channels)
{
    cudaMipmappedArray_t all;
    void *to;
    CHECK(cudaMalloc(&to, 32 * sizeof(T)));
    CHECK(cudaMallocMipmappedArray(&all, &channels, make_cudaExtent(WIDE, WIDE, 0), 1, 0));
    for (unsigned anisotropy : {1u, 2u, 16u}) {
        const cudaTextureObject_t t = object_of(all, 1, true, false, anisotropy);
        for (unsigned lanes : {1u, 4u, 32u})
            for (float apart : {0.0f, 1.0f, 4.0f})
                for (float r : {1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 5.0f, 8.0f, 12.0f, 16.0f})
                    for (bool down : {false, true}) {
                        if ((lanes == 1 && apart > 0) || (anisotropy < 16 && r > 4))
                            continue;
                        printf("%zu %u %u %g %s %g\n", sizeof(T), anisotropy, lanes, apart, down ? "down" : "along", r);
                        ask_once<T><<<1, 32>>>(t, 8.25f, 32.25f, apart, down ? 0 : r, down ? r : 0, lanes, (T *)to);
                    }
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaDestroyTextureObject(t));
    }
    CHECK(cudaFreeMipmappedArray(all));
    CHECK(cudaFree(to));
}

static void all_counts()
{
    count_requests<float>(cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat));
    count_requests<float4>(cudaCreateChannelDesc(32, 32, 32, 32, cudaChannelFormatKindFloat));
}

int main(int count, char **args)
{
    static const struct {
        const char *name;
        void (*run)();
    } parts[] = {{"levels", all_levels}, {"elements", all_elements}, {"footprints", all_footprints}, {"turns", all_turns}, {"stripes", all_stripes}, {"values", all_values}, {"counts", all_counts}};
    folder = count > 2 ? args[2] : nullptr;
    tells_places = count > 3;
    CHECK(cudaFree(0));
    setvbuf(stdout, nullptr, _IOLBF, 0);
    for (const auto &part : parts)
        if (count < 2 || strcmp(args[1], part.name) == 0)
            part.run();
    return 0;
}
