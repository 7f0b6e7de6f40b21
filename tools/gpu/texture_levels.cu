/* SPDX-License-Identifier: Apache-2.0
 * What a GPU's mipmapped textures, sRGB elements, cubes without seams, comparisons of depths and surfaces by format give, bit
 * by bit: one line a case, as tools/gpu-textures.cu prints them: its name, a hash of all result words and the first of them.
 * Lines of a GPU and of `inflight run` can be held against each other with diff.
 *
 *     nvcc -arch=sm_90 -std=c++17 -o texture_levels tools/gpu/texture_levels.cu && ./texture_levels
 *     ./texture_levels boxes      gradients of boxes and cubes, and properties, for which code of sm_90 needs the driver
 *     ./texture_levels anisotropy what is filtered in a direction */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <string>
#include <vector>

/* What fails ends its part; the others go on. */
static void check(cudaError_t code, int line)
{
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "texture_levels.cu:%d: %s\n", line, cudaGetErrorString(code));
    (void)cudaGetLastError();
    throw code;
}
#define CHECK(call) check(call, __LINE__)

/* ---- kernels ----------------------------------------------------------------------------------- */

/* Coordinates, and what else an instruction takes: a level, derivatives, a depth. */
struct place {
    float x, y, z, w;
    float e[8];
};
typedef std::vector<place> places;

enum way {
    LEVEL1,
    LEVEL2,
    LEVEL3,
    LEVEL_ROWS,
    LEVEL_PLANES,
    LEVEL_CUBE,
    LEVEL_CUBES,
    PLAIN,
    PLAIN_CUBE,
    GRADIENT1,
    GRADIENT2,
    GRADIENT_PLANES,
    FETCH,
    GATHER,
    DEPTH,
    DEPTH_LEVEL,
    DEPTH_GATHER,
    DEPTH_CUBE,
    GRADIENT3,
    GRADIENT_CUBE
};

#define OUT "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
#define TO "{%0, %1, %2, %3}"

static __device__ float4 ask_flat(int how, cudaTextureObject_t t, const place &p)
{
    const int layer = __float_as_int(p.w);
    float4 v = {};
    switch (how) {
    case LEVEL1:
        return tex1DLod<float4>(t, p.x, p.e[0]);
    case LEVEL2:
        return tex2DLod<float4>(t, p.x, p.y, p.e[0]);
    case LEVEL3:
        return tex3DLod<float4>(t, p.x, p.y, p.z, p.e[0]);
    case LEVEL_ROWS:
        return tex1DLayeredLod<float4>(t, p.x, layer, p.e[0]);
    case LEVEL_PLANES:
        return tex2DLayeredLod<float4>(t, p.x, p.y, layer, p.e[0]);
    case LEVEL_CUBE:
        return texCubemapLod<float4>(t, p.x, p.y, p.z, p.e[0]);
    case LEVEL_CUBES:
        return texCubemapLayeredLod<float4>(t, p.x, p.y, p.z, layer, p.e[0]);
    case PLAIN:
        return tex2D<float4>(t, p.x, p.y);
    case PLAIN_CUBE:
        return texCubemap<float4>(t, p.x, p.y, p.z);
    case GRADIENT1:
        return tex1DGrad<float4>(t, p.x, p.e[0], p.e[4]);
    case GRADIENT2:
        return tex2DGrad<float4>(t, p.x, p.y, make_float2(p.e[0], p.e[1]),
                                 make_float2(p.e[4], p.e[5]));
    case GRADIENT_PLANES:
        return tex2DLayeredGrad<float4>(t, p.x, p.y, layer, make_float2(p.e[0], p.e[1]),
                                        make_float2(p.e[4], p.e[5]));
    case FETCH:
        asm volatile("tex.level.2d.v4.f32.s32 " TO ", [%4, {%5, %6}], %7;"
                     : OUT
                     : "l"(t), "r"(__float_as_int(p.x)), "r"(__float_as_int(p.y)),
                       "r"(__float_as_int(p.e[0])));
        return v;
    case GATHER:
        return tex2Dgather<float4>(t, p.x, p.y, 0);
    case DEPTH:
        asm volatile("tex.2d.v4.f32.f32 " TO ", [%4, {%5, %6}], %7;"
                     : OUT
                     : "l"(t), "f"(p.x), "f"(p.y), "f"(p.e[1]));
        return v;
    case DEPTH_LEVEL:
        asm volatile("tex.level.2d.v4.f32.f32 " TO ", [%4, {%5, %6}], %7, %8;"
                     : OUT
                     : "l"(t), "f"(p.x), "f"(p.y), "f"(p.e[0]), "f"(p.e[1]));
        return v;
    case DEPTH_GATHER:
        asm volatile("tld4.r.2d.v4.f32.f32 " TO ", [%4, {%5, %6}], %7;"
                     : OUT
                     : "l"(t), "f"(p.x), "f"(p.y), "f"(p.e[1]));
        return v;
    case DEPTH_CUBE:
        asm volatile("tex.cube.v4.f32.f32 " TO ", [%4, {%5, %6, %7, %7}], %8;"
                     : OUT
                     : "l"(t), "f"(p.x), "f"(p.y), "f"(p.z), "f"(p.e[1]));
        return v;
    }
    return v;
}

__global__ void ask(int how, cudaTextureObject_t t, const place *at, float4 *to, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = ask_flat(how, t, at[i]);
}

__global__ void ask_box(int how, cudaTextureObject_t t, const place *at, float4 *to, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const place p = at[i];
    const float4 dx = make_float4(p.e[0], p.e[1], p.e[2], 0),
                 dy = make_float4(p.e[4], p.e[5], p.e[6], 0);
    to[i] = how == GRADIENT3 ? tex3DGrad<float4>(t, p.x, p.y, p.z, dx, dy)
                             : texCubemapGrad<float4>(t, p.x, p.y, p.z, dx, dy);
}

#define ASK(name, place_, ...)                                                                     \
    asm volatile("txq." name ".b32 %0, " place_ ";" : "=r"(to[n++]) : __VA_ARGS__)

__global__ void properties(cudaTextureObject_t t, int *to)
{
    int n = 0;
    ASK("width", "[%1]", "l"(t));
    ASK("height", "[%1]", "l"(t));
    ASK("depth", "[%1]", "l"(t));
    n++;
    for (int level = -1; level < 7; level++) {
        ASK("level.width", "[%1], %2", "l"(t), "r"(level));
        ASK("level.height", "[%1], %2", "l"(t), "r"(level));
        ASK("level.depth", "[%1], %2", "l"(t), "r"(level));
    }
}

/* Code for GPUs asks a table of the driver's for these. */
__global__ void other_properties(cudaTextureObject_t t, int *to)
{
    int n = 0;
    ASK("num_mipmap_levels", "[%1]", "l"(t));
    ASK("array_size", "[%1]", "l"(t));
    ASK("normalized_coords", "[%1]", "l"(t));
}

__global__ void store(int count, cudaSurfaceObject_t s, const uint32_t *from)
{
    for (int x = 0; x < 8; x++, from += 4)
        if (count == 1)
            asm volatile("sust.p.2d.b32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(x), "r"(1),
                         "r"(from[0]));
        else if (count == 2)
            asm volatile("sust.p.2d.v2.b32.zero [%0, {%1, %2}], {%3, %4};" ::"l"(s), "r"(x), "r"(1),
                         "r"(from[0]), "r"(from[1]));
        else
            asm volatile("sust.p.2d.v4.b32.zero [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(s), "r"(x),
                         "r"(1), "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3]));
}

#define COMBINE(operation, x)                                                                      \
    asm volatile("sured.p." operation ".2d.b32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(x), "r"(1), \
                 "r"(from[x]))

__global__ void combine(cudaSurfaceObject_t s, const uint32_t *from)
{
    COMBINE("add", 0);
    COMBINE("min", 1);
    COMBINE("max", 2);
    COMBINE("and", 3);
    COMBINE("or", 4);
    COMBINE("add", 9);
    COMBINE("min", 5);
    COMBINE("max", 6);
}

/* ---- results ------------------------------------------------------------------------------------- */

static void line(const std::string &name, const void *data, size_t bytes, size_t shown = 8)
{
    const uint32_t *words = (const uint32_t *)data;
    const size_t count = bytes / 4;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++)
        for (int b = 0; b < 4; b++)
            hash = (hash ^ (words[i] >> 8 * b & 0xff)) * UINT64_C(0x100000001b3);
    printf("%s %016llx", name.c_str(), (unsigned long long)hash);
    for (size_t i = 0; i < shown && i < count; i++)
        printf(" %08x", words[i]);
    printf("\n");
}

/* ---- numbers that are the same everywhere ---------------------------------------------------------- */

static uint32_t state;

static uint32_t next()
{
    state = state * 1664525u + 1013904223u;
    return state ^ state >> 15;
}

static float fraction() /* [0, 1) */
{
    return (float)(next() >> 8) / 16777216.0f;
}

static float bits(uint32_t word)
{
    float x;
    memcpy(&x, &word, sizeof x);
    return x;
}

/* ---- textures -------------------------------------------------------------------------------------- */

struct kind {
    const char *name;
    int size, channels;
    cudaChannelFormatKind of;
    bool normalized;
};

static const kind f32x1 = {"f32x1", 32, 1, cudaChannelFormatKindFloat, false},
                  f32x4 = {"f32x4", 32, 4, cudaChannelFormatKindFloat, false},
                  f16x1 = {"f16x1", 16, 1, cudaChannelFormatKindFloat, false},
                  f16x4 = {"f16x4", 16, 4, cudaChannelFormatKindFloat, false},
                  u8x1n = {"u8x1n", 8, 1, cudaChannelFormatKindUnsigned, true},
                  u8x4n = {"u8x4n", 8, 4, cudaChannelFormatKindUnsigned, true},
                  u16x1n = {"u16x1n", 16, 1, cudaChannelFormatKindUnsigned, true},
                  s16x1n = {"s16x1n", 16, 1, cudaChannelFormatKindSigned, true},
                  u8x4 = {"u8x4", 8, 4, cudaChannelFormatKindUnsigned, false},
                  s8x4 = {"s8x4", 8, 4, cudaChannelFormatKindSigned, false},
                  u16x2 = {"u16x2", 16, 2, cudaChannelFormatKindUnsigned, false},
                  s16x1 = {"s16x1", 16, 1, cudaChannelFormatKindSigned, false},
                  u32x1 = {"u32x1", 32, 1, cudaChannelFormatKindUnsigned, false},
                  s32x1 = {"s32x1", 32, 1, cudaChannelFormatKindSigned, false};

static bool is_float(const kind &k)
{
    return k.of == cudaChannelFormatKindFloat;
}

static size_t element_bytes(const kind &k)
{
    return (size_t)k.size / 8 * k.channels;
}

static cudaChannelFormatDesc channels_of(const kind &k)
{
    return cudaCreateChannelDesc(k.size, k.channels > 1 ? k.size : 0, k.channels > 2 ? k.size : 0,
                                 k.channels > 3 ? k.size : 0, k.of);
}

static size_t most(size_t n)
{
    return n ? n : 1;
}

typedef std::vector<uint8_t> bytes;

static bytes random_data(const kind &k, size_t elements)
{
    bytes data(elements * element_bytes(k));
    if (is_float(k) && k.size == 32)
        for (size_t i = 0; i < data.size(); i += 4) {
            const float value = fraction() * 2 - 1;
            memcpy(&data[i], &value, 4);
        }
    else if (is_float(k))
        for (size_t i = 0; i < data.size(); i += 2) {
            const uint16_t half = (uint16_t)((next() & 0x83ff) | (8 + next() % 12) << 10);
            memcpy(&data[i], &half, 2);
        }
    else
        for (size_t i = 0; i < data.size(); i++)
            data[i] = (uint8_t)(next() >> 9);
    return data;
}

static bytes of_floats(const std::vector<float> &from)
{
    const uint8_t *at = (const uint8_t *)from.data();
    return bytes(at, at + from.size() * sizeof(float));
}

static bytes constant(size_t count, float value)
{
    return of_floats(std::vector<float>(count, value));
}

static bytes ramp(size_t count)
{
    std::vector<float> data;
    for (size_t i = 0; i < count; i++)
        data.push_back((float)i);
    return of_floats(data);
}

static void fill(cudaArray_t array, const kind &k, const cudaExtent &e, const bytes &data)
{
    cudaMemcpy3DParms c = {};
    const size_t row = e.width * element_bytes(k);
    c.srcPtr = make_cudaPitchedPtr((void *)data.data(), row, e.width, most(e.height));
    c.dstArray = array;
    c.extent = make_cudaExtent(e.width, most(e.height), most(e.depth));
    c.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&c));
}

static cudaTextureDesc usual(const kind &k, cudaTextureFilterMode filter,
                             cudaTextureFilterMode levels)
{
    cudaTextureDesc d = {};
    for (int i = 0; i < 3; i++)
        d.addressMode[i] = cudaAddressModeClamp;
    d.filterMode = filter;
    d.readMode = k.normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    d.normalizedCoords = 1;
    d.mipmapFilterMode = levels;
    d.maxMipmapLevelClamp = 100;
    d.borderColor[0] = 0.25f, d.borderColor[1] = -0.5f, d.borderColor[2] = 0.75f,
    d.borderColor[3] = 2;
    return d;
}

struct texture {
    cudaTextureObject_t object;
    cudaArray_t array;
    cudaMipmappedArray_t levels;
};

static texture plain(const kind &k, const cudaExtent &e, unsigned flags, const cudaTextureDesc &d,
                     const bytes &data)
{
    texture t = {};
    cudaResourceDesc r = {};
    const cudaChannelFormatDesc desc = channels_of(k);
    CHECK(cudaMalloc3DArray(&t.array, &desc, e, flags));
    fill(t.array, k, e, data);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = t.array;
    CHECK(cudaCreateTextureObject(&t.object, &r, &d, NULL));
    return t;
}

typedef bytes contents(const kind &k, size_t count, int level);

static bytes numbered(const kind &, size_t count, int level)
{
    return constant(count, 256.0f * level);
}

static bytes anything(const kind &k, size_t count, int)
{
    return random_data(k, count);
}

static size_t half_of(size_t n, int level)
{
    return n ? most(n >> level) : 0;
}

static cudaExtent level_extent(const cudaExtent &e, unsigned flags, int level)
{
    return make_cudaExtent(half_of(e.width, level), half_of(e.height, level),
                           flags & (cudaArrayLayered | cudaArrayCubemap) ? e.depth
                                                                         : half_of(e.depth, level));
}

static cudaMipmappedArray_t levels_of(const kind &k, const cudaExtent &e, unsigned flags, int count,
                                      contents *of)
{
    cudaMipmappedArray_t levels;
    const cudaChannelFormatDesc desc = channels_of(k);
    CHECK(cudaMallocMipmappedArray(&levels, &desc, e, count, flags));
    for (int level = 0; level < count; level++) {
        cudaArray_t array;
        cudaExtent there;
        const cudaExtent wanted = level_extent(e, flags, level);
        CHECK(cudaGetMipmappedArrayLevel(&array, levels, level));
        CHECK(cudaArrayGetInfo(NULL, &there, NULL, array));
        if (there.width != wanted.width || there.height != wanted.height ||
            there.depth != wanted.depth)
            printf("level %d is %zu x %zu x %zu\n", level, there.width, there.height, there.depth);
        fill(array, k, wanted,
             of(k, wanted.width * most(wanted.height) * most(wanted.depth), level));
    }
    return levels;
}

static cudaTextureObject_t object_of(cudaMipmappedArray_t levels, const cudaTextureDesc &d)
{
    cudaTextureObject_t t;
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = levels;
    CHECK(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}

static void drop(const texture &t)
{
    CHECK(cudaDestroyTextureObject(t.object));
    CHECK(cudaFreeArray(t.array));
}

static std::vector<float4> answers(int how, cudaTextureObject_t t, const places &at)
{
    place *in;
    float4 *out;
    std::vector<float4> to(at.size());
    CHECK(cudaMalloc(&in, at.size() * sizeof *in));
    CHECK(cudaMalloc(&out, at.size() * sizeof *out));
    CHECK(cudaMemcpy(in, at.data(), at.size() * sizeof *in, cudaMemcpyHostToDevice));
    const unsigned blocks = (unsigned)(at.size() + 127) / 128;
    if (how < GRADIENT3)
        ask<<<blocks, 128>>>(how, t, in, out, (int)at.size());
    else
        ask_box<<<blocks, 128>>>(how, t, in, out, (int)at.size());
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(to.data(), out, at.size() * sizeof *out, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return to;
}

/* The first channel of each place, eight a line, all shown. */
static void show(const std::string &name, int how, cudaTextureObject_t t, const places &at)
{
    const std::vector<float4> to = answers(how, t, at);
    for (size_t start = 0; start < to.size(); start += 8) {
        float first[8] = {};
        for (size_t i = 0; i < 8 && start + i < to.size(); i++)
            first[i] = to[start + i].x;
        line(name + "/" + std::to_string(start / 8), first, sizeof first);
    }
}

static void sum_up(const std::string &name, int how, cudaTextureObject_t t, const places &at)
{
    const std::vector<float4> to = answers(how, t, at);
    line(name, to.data(), to.size() * sizeof to[0]);
}

/* ---- which level ------------------------------------------------------------------------------------- */

static const float specials[] = {0.0f,   -0.0f, NAN,    INFINITY, -INFINITY, 1e30f, -1e30f, 1e-40f,
                                 1e-10f, -1.0f, 0.999f, 6.999f,   7.0f,      7.5f,  3e38f,  -3e38f};

static place at_level(float x, float y, float level)
{
    return place{x, y, 0, 0, {level}};
}

/* Steps of 1/2048 around the eighths, then anything, then specials. */
static places some_levels()
{
    places at;
    for (int eighth = -4; eighth < 60; eighth++)
        for (int i = -4; i < 4; i++)
            at.push_back(at_level(0.5f, 0.5f, (float)eighth / 8 + (float)i / 2048));
    for (int i = 0; i < 128; i++)
        at.push_back(at_level(0.5f, 0.5f, fraction() * 8 - 1));
    for (float s : specials)
        at.push_back(at_level(0.5f, 0.5f, s));
    return at;
}

static const struct {
    float bias, least, most;
} limits[] = {{0, 0, 100},
              {0.5f, 0, 100},
              {-1.25f, 0, 100},
              {0, 1.5f, 3.25f},
              {0.3f, 1.1f, 3.7f},
              {100, 0, 100},
              {0, 2, 2},
              {0, 3, 1},
              {-20, 0, 4},
              {15.99f, 0, 15},
              {0, -1, 100},
              {1.0f / 512, 0, 100},
              {1.0f / 256, 0, 100},
              {0, 1.0f / 512, 100},
              {0, 0, 6.0f / 512 + 2}};

static void which_level()
{
    state = 4;
    const cudaMipmappedArray_t levels =
        levels_of(f32x1, make_cudaExtent(64, 64, 0), 0, 7, numbered);
    const places steps = some_levels();
    const places few(steps.end() - 80, steps.end());
    for (int of_levels = 0; of_levels < 2; of_levels++)
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
            cudaTextureDesc d =
                usual(f32x1, cudaFilterModeLinear, (cudaTextureFilterMode)of_levels);
            d.mipmapLevelBias = limits[i].bias;
            d.minMipmapLevelClamp = limits[i].least;
            d.maxMipmapLevelClamp = limits[i].most;
            const cudaTextureObject_t t = object_of(levels, d);
            const std::string name =
                std::string("level/") + (of_levels ? "linear/" : "point/") + std::to_string(i);
            show(name, LEVEL2, t, i ? few : steps);
            show(name + "/plain", PLAIN, t, places(few.begin(), few.begin() + 8));
            CHECK(cudaDestroyTextureObject(t));
        }
    for (int normalized = 0; normalized < 2; normalized++) {
        cudaTextureDesc d = usual(f32x1, cudaFilterModePoint, cudaFilterModePoint);
        d.normalizedCoords = normalized;
        cudaTextureObject_t t;
        cudaResourceDesc r = {};
        r.resType = cudaResourceTypeMipmappedArray;
        r.res.mipmap.mipmap = levels;
        const cudaError_t code = cudaCreateTextureObject(&t, &r, &d, NULL);
        printf("level/made/%d %d\n", normalized, (int)code);
        (void)cudaGetLastError();
    }
    CHECK(cudaFreeMipmappedArray(levels));
}

static places gradients(int rank)
{
    places at;
    for (int i = 0; i < 64; i++) /* one direction, from 1 to 2 elements */
        at.push_back(place{0.5f, 0.5f, 0.5f, 0, {(1 + (float)i / 64) / 64}});
    for (int i = 0; i < 64; i++) /* around a power of two */
        at.push_back(place{0.5f, 0.5f, 0.5f, 0, {0, 0, 0, 0, (4 + (float)(i - 32) / 1024) / 64}});
    for (int i = 0; i < 256; i++) {
        place p = {0.5f, 0.5f, 0.5f, 0, {}};
        for (int d = 0; d < 2 * rank; d++)
            p.e[d / rank * 4 + d % rank] = (fraction() * 2 - 1) * (float)(1 << next() % 6) / 64;
        at.push_back(p);
    }
    for (float s : specials)
        at.push_back(place{0.5f, 0.5f, 0.5f, 0, {s / 64, 0, 0, 0, 1.0f / 64}});
    return at;
}

static void which_gradient(bool of_boxes)
{
    state = 5;
    const struct {
        const char *name;
        int how, rank;
        cudaExtent extent;
        unsigned flags;
        bool is_box;
    } shapes[] = {
        {"1d", GRADIENT1, 1, make_cudaExtent(64, 0, 0), 0, false},
        {"2d", GRADIENT2, 2, make_cudaExtent(64, 64, 0), 0, false},
        {"wide", GRADIENT2, 2, make_cudaExtent(96, 40, 0), 0, false},
        {"planes", GRADIENT_PLANES, 2, make_cudaExtent(64, 64, 3), cudaArrayLayered, false},
        {"3d", GRADIENT3, 3, make_cudaExtent(64, 64, 64), 0, true},
        {"cube", GRADIENT_CUBE, 3, make_cudaExtent(64, 64, 6), cudaArrayCubemap, true}};
    for (const auto &s : shapes) {
        if (s.is_box != of_boxes)
            continue;
        const cudaMipmappedArray_t levels = levels_of(
            f32x1, s.extent, s.flags, s.rank == 2 && s.extent.width == 96 ? 6 : 7, numbered);
        for (int of_levels = 0; of_levels < 2; of_levels++) {
            cudaTextureDesc d =
                usual(f32x1, cudaFilterModeLinear, (cudaTextureFilterMode)of_levels);
            cudaTextureObject_t t = object_of(levels, d);
            show(std::string("gradient/") + s.name + (of_levels ? "/linear" : "/point"), s.how, t,
                 gradients(s.rank));
            CHECK(cudaDestroyTextureObject(t));
        }
        CHECK(cudaFreeMipmappedArray(levels));
    }
}

static void which_plane()
{
    which_gradient(false);
}

static void which_box()
{
    which_gradient(true);
}

/* ---- values of two levels ------------------------------------------------------------------------------- */

static places anywhere(int how, float levels, int count)
{
    places at;
    for (int i = 0; i < count; i++) {
        place p = {fraction() * 2 - 0.5f,
                   fraction() * 2 - 0.5f,
                   fraction() * 2 - 0.5f,
                   bits(next() % 4),
                   {}};
        if (how == LEVEL_CUBE || how == LEVEL_CUBES)
            p.x = p.x * 2 - 1, p.y = p.y * 2 - 1, p.z = p.z * 2 - 1;
        p.e[0] = i % 4 == 3 ? (float)(int)(fraction() * levels) : fraction() * (levels + 1) - 0.5f;
        at.push_back(p);
    }
    return at;
}

static void values()
{
    static const char *const modes[] = {"wrap", "clamp", "mirror", "border"};
    const struct {
        const char *name;
        int how, levels;
        cudaExtent extent;
        unsigned flags;
    } shapes[] = {
        {"1d", LEVEL1, 6, make_cudaExtent(37, 0, 0), 0},
        {"2d", LEVEL2, 6, make_cudaExtent(37, 21, 0), 0},
        {"3d", LEVEL3, 4, make_cudaExtent(13, 11, 7), 0},
        {"rows", LEVEL_ROWS, 6, make_cudaExtent(37, 0, 4), cudaArrayLayered},
        {"planes", LEVEL_PLANES, 6, make_cudaExtent(37, 21, 4), cudaArrayLayered},
        {"cube", LEVEL_CUBE, 4, make_cudaExtent(9, 9, 6), cudaArrayCubemap},
        {"cubes", LEVEL_CUBES, 4, make_cudaExtent(9, 9, 12), cudaArrayCubemap | cudaArrayLayered}};
    const kind *kinds[] = {&f32x1, &f32x4, &f16x1, &u8x1n, &u8x4n, &u16x1n, &s16x1n, &u8x4};
    state = 6;
    for (const auto &s : shapes)
        for (const kind *k : kinds) {
            const cudaMipmappedArray_t levels =
                levels_of(*k, s.extent, s.flags, s.levels, anything);
            const bool is_filtered = is_float(*k) || k->normalized;
            for (int filter = 0; filter < (is_filtered ? 2 : 1); filter++)
                for (int of_levels = 0; of_levels < (is_filtered ? 2 : 1); of_levels++)
                    for (int mode = 0; mode < 4; mode++) {
                        cudaTextureDesc d = usual(*k, (cudaTextureFilterMode)filter,
                                                  (cudaTextureFilterMode)of_levels);
                        for (int i = 0; i < 3; i++)
                            d.addressMode[i] = (cudaTextureAddressMode)mode;
                        const std::string name = std::string("values/") + s.name + "/" + k->name +
                                                 (filter ? "/linear" : "/point") +
                                                 (of_levels ? "-linear/" : "-point/") + modes[mode];
                        const places at = anywhere(s.how, (float)s.levels, 64);
                        if (mode != 1 && (s.how == LEVEL_CUBE || s.how == LEVEL_CUBES))
                            continue;
                        const cudaTextureObject_t t = object_of(levels, d);
                        if (mode == 1)
                            show(name, s.how, t, at);
                        sum_up(name + "/all", s.how, t, at);
                        CHECK(cudaDestroyTextureObject(t));
                    }
            CHECK(cudaFreeMipmappedArray(levels));
        }
}

static void fetches()
{
    state = 7;
    const cudaMipmappedArray_t levels =
        levels_of(f32x1, make_cudaExtent(37, 21, 0), cudaArrayTextureGather, 6, anything);
    cudaTextureDesc d = usual(f32x1, cudaFilterModePoint, cudaFilterModePoint);
    for (int i = 0; i < 2; i++) {
        places at, between;
        d.minMipmapLevelClamp = i ? 1.5f : 0;
        d.maxMipmapLevelClamp = i ? 3 : 100;
        d.mipmapLevelBias = i ? 1 : 0;
        for (int n = 0; n < 64; n++)
            at.push_back(place{bits(next() % 20), bits(next() % 10), 0, 0, {bits(n % 9 - 1)}});
        for (int n = 0; n < 16; n++)
            between.push_back(place{fraction(), fraction()});
        const cudaTextureObject_t t = object_of(levels, d);
        show("fetch/" + std::to_string(i), FETCH, t, at);
        show("gather/" + std::to_string(i), GATHER, t, between);
        CHECK(cudaDestroyTextureObject(t));
    }
}

static void told(const std::string &name, cudaTextureObject_t t, bool others)
{
    int *to, got[32] = {};
    CHECK(cudaMalloc(&to, sizeof got));
    CHECK(cudaMemset(to, 0, sizeof got));
    if (others)
        other_properties<<<1, 1>>>(t, to);
    else
        properties<<<1, 1>>>(t, to);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(to));
    line("properties/" + name, got, sizeof got, others ? 3 : 28);
}

static void ask_properties(bool others)
{
    const struct {
        const char *name;
        int levels;
        cudaExtent extent;
        unsigned flags;
    } shapes[] = {{"1d", 6, make_cudaExtent(37, 0, 0), 0},
                  {"2d", 6, make_cudaExtent(37, 21, 0), 0},
                  {"3d", 4, make_cudaExtent(13, 11, 7), 0},
                  {"rows", 3, make_cudaExtent(37, 0, 4), cudaArrayLayered},
                  {"planes", 6, make_cudaExtent(37, 21, 4), cudaArrayLayered},
                  {"cube", 4, make_cudaExtent(9, 9, 6), cudaArrayCubemap},
                  {"cubes", 4, make_cudaExtent(9, 9, 12), cudaArrayCubemap | cudaArrayLayered}};
    for (const auto &s : shapes) {
        const cudaMipmappedArray_t levels = levels_of(f32x1, s.extent, s.flags, s.levels, anything);
        const cudaTextureDesc d = usual(f32x1, cudaFilterModePoint, cudaFilterModePoint);
        const cudaTextureObject_t t = object_of(levels, d);
        told(s.name, t, others);
        const texture p = plain(
            f32x1, s.extent, s.flags, d,
            random_data(f32x1, s.extent.width * most(s.extent.height) * most(s.extent.depth)));
        told(std::string(s.name) + "/plain", p.object, others);
        drop(p);
        CHECK(cudaDestroyTextureObject(t));
        CHECK(cudaFreeMipmappedArray(levels));
    }
}

static void queries()
{
    ask_properties(false);
}

static void other_queries()
{
    ask_properties(true);
}

/* ---- sRGB -------------------------------------------------------------------------------------------- */

static void colours()
{
    const kind *kinds[] = {&u8x1n, &u8x4n};
    state = 8;
    for (const kind *k : kinds) {
        bytes data;
        for (int i = 0; i < 256; i++)
            for (int c = 0; c < k->channels; c++)
                data.push_back((uint8_t)i);
        cudaTextureDesc d = usual(*k, cudaFilterModePoint, cudaFilterModePoint);
        d.sRGB = 1;
        const texture t = plain(*k, make_cudaExtent(256, 0, 0), 0, d, data);
        places at;
        for (int i = 0; i < 256; i++)
            at.push_back(place{((float)i + 0.5f) / 256});
        show(std::string("srgb/") + k->name, LEVEL1, t.object, at);
        sum_up(std::string("srgb/all/") + k->name, LEVEL1, t.object,
               at); /* with the last channel */
        drop(t);
        d.readMode = cudaReadModeElementType;
        const texture whole = plain(*k, make_cudaExtent(256, 0, 0), 0, d, data);
        sum_up(std::string("srgb/whole/") + k->name, LEVEL1, whole.object, at);
        drop(whole);
        d = usual(*k, cudaFilterModeLinear, cudaFilterModePoint);
        d.sRGB = 1;
        const texture between = plain(*k, make_cudaExtent(256, 0, 0), 0, d, random_data(*k, 256));
        for (place &p : at)
            p.x = fraction();
        show(std::string("srgb/linear/") + k->name, LEVEL1, between.object, at);
        sum_up(std::string("srgb/linear/all/") + k->name, LEVEL1, between.object, at);
        drop(between);
        const texture plane = plain(*k, make_cudaExtent(16, 16, 0), 0, d, random_data(*k, 256));
        for (place &p : at)
            p.y = fraction();
        show(std::string("srgb/plane/") + k->name, LEVEL2, plane.object, at);
        drop(plane);
        for (int mode = 3; mode < 4; mode++) { /* a border */
            d = usual(*k, cudaFilterModePoint, cudaFilterModePoint);
            d.addressMode[0] = cudaAddressModeBorder;
            d.sRGB = 1;
            const texture border = plain(*k, make_cudaExtent(256, 0, 0), 0, d, data);
            sum_up(std::string("srgb/border/") + k->name, LEVEL1, border.object,
                   places(2, place{2.0f}));
            drop(border);
        }
    }
}

/* ---- cubes ------------------------------------------------------------------------------------------- */

static places edges()
{
    places at;
    for (int face = 0; face < 6; face++) /* along the middle of a face, over its edge */
        for (int across = 0; across < 2; across++)
            for (int i = 0; i < 16; i++) {
                const float major = face % 2 ? -1.0f : 1.0f, minor = (float)(i - 8) / 8 + 1.0f / 64;
                float v[3];
                v[face / 2] = major;
                v[(face / 2 + 1) % 3] = across ? 0.125f : minor;
                v[(face / 2 + 2) % 3] = across ? minor : 0.125f;
                at.push_back(place{v[0], v[1], v[2]});
            }
    for (int corner = 0; corner < 8; corner++)
        for (int i = 0; i < 8; i++) {
            const float off[3] = {i & 1 ? 0.96f : 1, i & 2 ? 0.97f : 1, i & 4 ? 0.98f : 1};
            at.push_back(place{corner & 1 ? -off[0] : off[0], corner & 2 ? -off[1] : off[1],
                               corner & 4 ? -off[2] : off[2]});
        }
    for (int i = 0; i < 128; i++)
        at.push_back(place{fraction() * 2 - 1, fraction() * 2 - 1, fraction() * 2 - 1});
    return at;
}

static void cubes()
{
    const kind *kinds[] = {&f32x1, &u8x1n};
    state = 9;
    const places at = edges();
    for (int seamless = 0; seamless < 2; seamless++)
        for (int size : {1, 2, 4, 5})
            for (const kind *k : kinds) {
                const size_t count = (size_t)size * size * 6;
                cudaTextureDesc d = usual(*k, cudaFilterModeLinear, cudaFilterModePoint);
                d.seamlessCubemap = seamless;
                bytes data = is_float(*k) ? ramp(count) : random_data(*k, count);
                const texture t =
                    plain(*k, make_cudaExtent(size, size, 6), cudaArrayCubemap, d, data);
                show("cube/" + std::to_string(seamless) + "/" + std::to_string(size) + "/" +
                         k->name,
                     PLAIN_CUBE, t.object, at);
                drop(t);
                if (is_float(*k) &&
                    size > 2) { /* one element of a corner alone counts, at all corners */
                    std::vector<float> ones;
                    for (size_t i = 0; i < count; i++)
                        ones.push_back(i % 7 == 3 ? 65536.0f : (float)(i % 5));
                    const texture u = plain(*k, make_cudaExtent(size, size, 6), cudaArrayCubemap, d,
                                            of_floats(ones));
                    show("cube/" + std::to_string(seamless) + "/" + std::to_string(size) +
                             "/sparse",
                         PLAIN_CUBE, u.object, at);
                    drop(u);
                }
            }
}

/* ---- depths ------------------------------------------------------------------------------------------- */

static void depths()
{
    const kind *kinds[] = {&f32x1, &f32x4, &f16x1, &u8x1n, &u16x1n, &s16x1n};
    state = 10;
    for (const kind *k : kinds)
        for (int filter = 0; filter < 2; filter++) {
            places at;
            for (int i = 0; i < 64; i++)
                at.push_back(place{fraction() * 1.5f - 0.25f,
                                   fraction() * 1.5f - 0.25f,
                                   fraction() - 0.5f,
                                   0,
                                   {0, i < 16 ? 0.5f : fraction() * 3 - 1}});
            for (int i = 0; i < 8; i++)
                at.push_back(place{0.5f, 0.5f, 0.5f, 0, {0, specials[i]}});
            cudaTextureDesc d = usual(*k, (cudaTextureFilterMode)filter, cudaFilterModePoint);
            const std::string name = std::string(k->name) + (filter ? "/linear" : "/point");
            const texture t = plain(*k, make_cudaExtent(16, 16, 0), cudaArrayTextureGather, d,
                                    random_data(*k, 256));
            show("depth/" + name, DEPTH, t.object, at);
            sum_up("depth/all/" + name, DEPTH, t.object, at);
            sum_up("depth/without/" + name, PLAIN, t.object, at);
            show("depth/level/" + name, DEPTH_LEVEL, t.object, at);
            show("depth/gather/" + name, DEPTH_GATHER, t.object, at);
            sum_up("depth/gather/all/" + name, DEPTH_GATHER, t.object, at);
            drop(t);
            const texture c =
                plain(*k, make_cudaExtent(4, 4, 6), cudaArrayCubemap, d, random_data(*k, 96));
            show("depth/cube/" + name, DEPTH_CUBE, c.object, at);
            drop(c);
        }
}

/* ---- surfaces by format ----------------------------------------------------------------------------------- */

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
    cudaSurfaceObject_t s;
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    CHECK(cudaCreateSurfaceObject(&s, &r));
    return s;
}

static uint32_t word(float x)
{
    uint32_t w;
    memcpy(&w, &x, sizeof w);
    return w;
}

static void formats()
{
    const kind *kinds[] = {&f32x1, &f32x4, &f16x1, &f16x4, &u8x4,
                           &s8x4,  &u16x2, &s16x1, &u32x1, &s32x1};
    static const float reals[] = {1,     -2.5f,   0.333333343f, 65504,   65519.9f,    65520,
                                  1e9f,  -1e9f,   NAN,          -0.0f,   1.00048828f, 1.00146484f,
                                  6e-8f, 2.9e-8f, 1e-40f,       INFINITY};
    static const int wholes[] = {
        0,    1,      127,    128,   255,   256,   -1,         -128,
        -129, -32768, -32769, 32767, 65535, 65536, 0x7fffffff, (int)0x80000000};
    for (const kind *k : kinds)
        for (int count : {1, 2, 4})
            for (int second = 0; second < 2; second++) {
                const size_t row = 16 * element_bytes(*k);
                const cudaChannelFormatDesc desc = channels_of(*k);
                cudaArray_t array;
                std::vector<uint32_t> from(32), back(row * 2 / 4);
                for (int i = 0; i < 32; i++) {
                    const int n = (i + second * 7) % 16;
                    from[i] = is_float(*k) ? word(reals[n]) : (uint32_t)wholes[n];
                }
                uint32_t *in;
                CHECK(cudaMallocArray(&array, &desc, 16, 2, cudaArraySurfaceLoadStore));
                fill(array, *k, make_cudaExtent(16, 2, 0), bytes(row * 2, 0x5a));
                const cudaSurfaceObject_t s = surface_of(array);
                CHECK(cudaMalloc(&in, 128));
                CHECK(cudaMemcpy(in, from.data(), 128, cudaMemcpyHostToDevice));
                store<<<1, 1>>>(count, s, in);
                CHECK(cudaGetLastError());
                CHECK(cudaMemcpy2DFromArray(back.data(), row, array, 0, 0, row, 2,
                                            cudaMemcpyDeviceToHost));
                line(std::string("format/") + k->name + "/" + std::to_string(count) + "/" +
                         std::to_string(second),
                     (const uint8_t *)back.data() + row, row / 2, 32);
                CHECK(cudaDestroySurfaceObject(s));
                CHECK(cudaFreeArray(array));
                CHECK(cudaFree(in));
            }
}

static void combinations()
{
    const kind *kinds[] = {&u32x1, &s32x1};
    for (const kind *k : kinds) {
        cudaArray_t array;
        const cudaChannelFormatDesc desc = channels_of(*k);
        uint32_t from[16], old[32], back[32], *in;
        for (int i = 0; i < 16; i++)
            from[i] = i % 2 ? 0xfffffff0u + i : 0x70000000u + i * 0x1111;
        for (int i = 0; i < 32; i++)
            old[i] = i % 3 ? 0x7fffff00u + i : 0x80000005u + i;
        CHECK(cudaMallocArray(&array, &desc, 16, 2, cudaArraySurfaceLoadStore));
        CHECK(cudaMemcpy2DToArray(array, 0, 0, old, 64, 64, 2, cudaMemcpyHostToDevice));
        CHECK(cudaMalloc(&in, 64));
        CHECK(cudaMemcpy(in, from, 64, cudaMemcpyHostToDevice));
        const cudaSurfaceObject_t s = surface_of(array);
        combine<<<1, 1>>>(s, in);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy2DFromArray(back, 64, array, 0, 0, 64, 2, cudaMemcpyDeviceToHost));
        line(std::string("combine/") + k->name, back + 16, 64, 16);
        CHECK(cudaDestroySurfaceObject(s));
    }
}

/* ---- in a direction ---------------------------------------------------------------------------------------- */

static void anisotropy()
{
    state = 11;
    const cudaMipmappedArray_t levels =
                                   levels_of(f32x1, make_cudaExtent(64, 64, 0), 0, 7, anything),
                               number =
                                   levels_of(f32x1, make_cudaExtent(64, 64, 0), 0, 7, numbered);
    for (unsigned most : {2u, 4u, 16u}) {
        cudaTextureDesc d = usual(f32x1, cudaFilterModeLinear, cudaFilterModeLinear);
        d.maxAnisotropy = most;
        const cudaTextureObject_t t = object_of(levels, d), n = object_of(number, d);
        places at;
        for (int i = 0; i < 64; i++)
            at.push_back(
                place{fraction(),
                      fraction(),
                      0,
                      0,
                      {(float)(i + 1) / 512, i % 2 ? 0 : fraction() / 64, 0, 0, 0, 1.0f / 64}});
        show("anisotropy/" + std::to_string(most), GRADIENT2, t, at);
        show("anisotropy/number/" + std::to_string(most), GRADIENT2, n, at);
        show("anisotropy/level/" + std::to_string(most), LEVEL2, n, at);
    }
}

static bool part(void (*of)())
{
    try {
        of();
        return true;
    } catch (cudaError_t) {
        return false;
    }
}

int main(int count, char **word)
{
    static void (*const usual_parts[])() = {which_level, which_plane, values, fetches,
                                            queries,     colours,     cubes,  depths,
                                            formats,     combinations};
    const std::string asked = count > 1 ? word[1] : "";
    bool all_well = true;
    if (asked == "boxes")
        return !(part(which_box) & part(other_queries));
    if (asked == "anisotropy")
        return !part(anisotropy);
    for (auto *of : usual_parts)
        all_well = part(of) && all_well;
    return !all_well;
}
