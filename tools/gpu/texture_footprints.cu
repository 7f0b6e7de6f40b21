/* SPDX-License-Identifier: Apache-2.0
 * What derivatives mean: which level of detail in planes, boxes and cubes, which elements of which level a filter in a direction
 * (maxAnisotropy) takes with which weights, and which element of a face a direction finds. A line a case: its name, a hash of all result
 * words and the first eight of them; given a folder, the words of each case are written there, a file a case, and with a third word the
 * places that were asked for, too.
 *
 *     nvcc -arch=sm_90 -std=c++17 -O3 -o texture_footprints tools/gpu/texture_footprints.cu
 *     ./texture_footprints PART [FOLDER [places]]        PART: levels, elements, footprints, stripes */
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

int main(int count, char **args)
{
    static const struct {
        const char *name;
        void (*run)();
    } parts[] = {{"levels", all_levels}, {"elements", all_elements}, {"footprints", all_footprints}, {"stripes", all_stripes}};
    folder = count > 2 ? args[2] : nullptr;
    tells_places = count > 3;
    CHECK(cudaFree(0));
    setvbuf(stdout, nullptr, _IOLBF, 0);
    for (const auto &part : parts)
        if (count < 2 || strcmp(args[1], part.name) == 0)
            part.run();
    return 0;
}
