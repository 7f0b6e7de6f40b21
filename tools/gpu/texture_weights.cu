/* SPDX-License-Identifier: Apache-2.0
 * What a linear filter makes of elements of every size: all weights between chosen elements, and places in planes and boxes whose
 * elements are random. A line a case, its name, a hash of all result words and the first eight of them; given a folder, the words of each
 * case are written there, a file a case, so that a rule can be sought.
 *
 *     nvcc -arch=sm_90 -std=c++17 -O3 -o texture_weights tools/gpu/texture_weights.cu && ./texture_weights [FOLDER] */
#include "texture_tell.h"

#include <cstring>

static uint32_t state;

static uint32_t next()
{
    state = state * 1664525u + 1013904223u;
    return state ^ state >> 15;
}

/* ---- kinds --------------------------------------------------------------------------------------- */

struct kind {
    const char *name;
    int bits, channels;
    cudaChannelFormatKind of;
    bool is_srgb;
};

enum { S8, S8X2, S8X4, U8, U8X4, S16, U16, SRGB, F16, F32, KINDS };
static const kind kinds[KINDS] = {
    {"s8x1", 8, 1, cudaChannelFormatKindSigned, false},    {"s8x2", 8, 2, cudaChannelFormatKindSigned, false},
    {"s8x4", 8, 4, cudaChannelFormatKindSigned, false},    {"u8x1", 8, 1, cudaChannelFormatKindUnsigned, false},
    {"u8x4", 8, 4, cudaChannelFormatKindUnsigned, false},  {"s16x1", 16, 1, cudaChannelFormatKindSigned, false},
    {"u16x1", 16, 1, cudaChannelFormatKindUnsigned, false}, {"srgb", 8, 1, cudaChannelFormatKindUnsigned, true},
    {"f16x1", 16, 1, cudaChannelFormatKindFloat, false},   {"f32x1", 32, 1, cudaChannelFormatKindFloat, false},
};

static size_t bytes_of(const kind &k)
{
    return (size_t)k.bits / 8 * k.channels;
}

__global__ void sample(cudaTextureObject_t t, int rank, const float4 *at, float4 *to, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const float4 p = at[i];
    to[i] = rank == 1 ? tex1D<float4>(t, p.x) : rank == 2 ? tex2D<float4>(t, p.x, p.y)
          : rank == 3 ? tex3D<float4>(t, p.x, p.y, p.z) : rank == 4 ? tex2DLod<float4>(t, p.x, p.y, p.w)
                      : tex3DLod<float4>(t, p.x, p.y, p.z, p.w);
}

/* Of a texture that is there: the first `channels` words of each place. */
static void ask(const std::string &name, cudaTextureObject_t t, int rank, int channels, const std::vector<float4> &at)
{
    float4 *in, *out;
    std::vector<float4> read(at.size());
    CHECK(cudaMalloc(&in, at.size() * sizeof *in));
    CHECK(cudaMalloc(&out, at.size() * sizeof *out));
    CHECK(cudaMemcpy(in, at.data(), at.size() * sizeof *in, cudaMemcpyHostToDevice));
    sample<<<(unsigned)(at.size() + 127) / 128, 128>>>(t, rank, in, out, (int)at.size());
    CHECK(cudaMemcpy(read.data(), out, at.size() * sizeof *out, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    std::vector<uint32_t> words;
    for (const float4 &v : read) {
        uint32_t w[4];
        memcpy(w, &v, sizeof w);
        words.insert(words.end(), w, w + channels);
    }
    tell(name, words);
}

static void fill(cudaArray_t array, const kind &k, const uint8_t *data, cudaExtent e)
{
    cudaMemcpy3DParms c = {};
    const size_t height = e.height ? e.height : 1, depth = e.depth ? e.depth : 1;
    c.srcPtr = make_cudaPitchedPtr((void *)data, e.width * bytes_of(k), e.width, height);
    c.dstArray = array;
    c.extent = make_cudaExtent(e.width, height, depth);
    c.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&c));
}

static cudaChannelFormatDesc channels_of(const kind &k)
{
    return cudaCreateChannelDesc(k.bits, k.channels > 1 ? k.bits : 0, k.channels > 2 ? k.bits : 0, k.channels > 3 ? k.bits : 0, k.of);
}

static cudaTextureDesc how_of(const kind &k)
{
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = cudaAddressModeClamp;
    d.filterMode = cudaFilterModeLinear;
    d.readMode = k.of == cudaChannelFormatKindFloat ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
    d.sRGB = k.is_srgb;
    return d;
}

static void one(const std::string &name, const kind &k, int rank, cudaExtent e, const std::vector<uint8_t> &data, const std::vector<float4> &at)
{
    cudaArray_t array;
    const cudaChannelFormatDesc channels = channels_of(k);
    CHECK(cudaMalloc3DArray(&array, &channels, e));
    fill(array, k, data.data(), e);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    const cudaTextureDesc d = how_of(k);
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    ask(name, t, rank, k.channels, at);
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeArray(array));
}

/* ---- pairs in a row -------------------------------------------------------------------------------- */

/* Elements 2 i and 2 i + 1 are a pair; all 256 weights between them. */
static void pairs(const std::string &name, const kind &k, const std::vector<int> &of)
{
    const size_t size = bytes_of(k) / k.channels;
    std::vector<uint8_t> data(of.size() * bytes_of(k));
    for (size_t i = 0; i < of.size() * k.channels; i++)
        memcpy(&data[i * size], &of[i / k.channels], size);
    std::vector<float4> at;
    for (size_t i = 0; i < of.size() / 2; i++)
        for (int w = 0; w < 256; w++)
            at.push_back(make_float4((float)(2 * i) + 0.5f + (float)w / 256, 0, 0, 0));
    one(name, k, 1, make_cudaExtent(of.size(), 0, 0), data, at);
}

static void all_pairs()
{
    static const int others[] = {0, -1, 127, -128, 85};
    for (int k : {S8, U8, SRGB})
        for (int other : others) {
            std::vector<int> of;
            for (int a = 0; a < 256; a++)
                of.push_back(other & 0xff), of.push_back(a);
            pairs("pairs/" + std::string(kinds[k].name) + "/" + std::to_string(other), kinds[k], of);
        }
    for (int k : {S8X2, S8X4, U8X4, S16, U16}) {
        std::vector<int> of;
        state = 5;
        for (int i = 0; i < 256; i++)
            of.push_back(next() >> 9);
        for (int v : {0, 1, 0, 0x7fff, 0, 0x8000, 0, 0x8001, 0, 0xffff, 0x8000, 0x7fff})
            of.push_back(v);
        pairs("pairs/" + std::string(kinds[k].name) + "/random", kinds[k], of);
    }
}

/* ---- planes, boxes, levels --------------------------------------------------------------------------- */

static std::vector<uint8_t> random_data(const kind &k, size_t elements)
{
    std::vector<uint8_t> data(elements * bytes_of(k));
    for (size_t i = 0; i < data.size(); i++)
        data[i] = (uint8_t)(next() >> 9);
    if (k.of == cudaChannelFormatKindFloat && k.bits == 16)
        for (size_t i = 0; i < data.size(); i += 2) {
            const uint16_t half = (uint16_t)((next() & 0x83ff) | (8 + next() % 12) << 10);
            memcpy(&data[i], &half, 2);
        }
    if (k.of == cudaChannelFormatKindFloat && k.bits == 32)
        for (size_t i = 0; i < data.size(); i += 4) {
            const float value = (float)(next() >> 8) / 8388608.0f - 1;
            memcpy(&data[i], &value, 4);
        }
    return data;
}

static float place(int size)
{
    return 0.5f + (float)(next() % (unsigned)((size - 1) * 256)) / 256;
}

/* A plane of one element beside three zeros, at the four corners, and random ones. */
static void planes()
{
    enum { SIZE = 16, PLACES = 4096 };
    for (int k = 0; k < KINDS; k++) {
        state = 900 + k;
        const std::vector<uint8_t> data = random_data(kinds[k], SIZE * SIZE);
        std::vector<float4> at;
        for (int i = 0; i < PLACES; i++)
            at.push_back(make_float4(place(SIZE), place(SIZE), 0, 0));
        one("plane/" + std::string(kinds[k].name), kinds[k], 2, make_cudaExtent(SIZE, SIZE, 0), data, at);
    }
}

/* Four colours, and every fourth weight of both directions. */
static void quads()
{
    enum { QUADS = 128, STEP = 4 };
    std::vector<uint8_t> data(4 * QUADS);
    std::vector<float4> at;
    state = 7;
    for (int i = 0; i < 4 * QUADS; i++)
        data[i] = (uint8_t)(i % (2 * QUADS) < QUADS ? next() >> 9 : 128 + (next() >> 9) % 128);
    for (int i = 0; i < QUADS; i++)
        for (int x = 0; x < 256; x += STEP)
            for (int y = 0; y < 256; y += STEP)
                at.push_back(make_float4((float)(2 * i) + 0.5f + (float)x / 256, 0.5f + (float)y / 256, 0, 0));
    one("quads/srgb", kinds[SRGB], 2, make_cudaExtent(2 * QUADS, 2, 0), data, at);
}

static void boxes()
{
    enum { SIZE = 8, PLACES = 4096 };
    for (int k = 0; k < KINDS; k++) {
        state = 300 + k;
        const std::vector<uint8_t> data = random_data(kinds[k], SIZE * SIZE * SIZE);
        std::vector<float4> at;
        for (int i = 0; i < PLACES; i++)
            at.push_back(make_float4(place(SIZE), place(SIZE), place(SIZE), 0));
        one("box/" + std::string(kinds[k].name), kinds[k], 3, make_cudaExtent(SIZE, SIZE, SIZE), data, at);
    }
}

static void between_levels(const kind &k, int rank, int seed)
{
    enum { SIZE = 16, PLACES = 4096 };
    const cudaExtent e = make_cudaExtent(SIZE, SIZE, rank == 3 ? SIZE : 0);
    const cudaChannelFormatDesc channels = channels_of(k);
    cudaMipmappedArray_t levels;
    state = seed;
    CHECK(cudaMallocMipmappedArray(&levels, &channels, e, 3));
    for (int n = 0; n < 3; n++) {
        cudaArray_t level;
        CHECK(cudaGetMipmappedArrayLevel(&level, levels, n));
        const cudaExtent of = make_cudaExtent(SIZE >> n, SIZE >> n, rank == 3 ? SIZE >> n : 0);
        fill(level, k, random_data(k, of.width * of.height * (of.depth ? of.depth : 1)).data(), of);
    }
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = levels;
    cudaTextureDesc d = how_of(k);
    d.normalizedCoords = 1;
    d.mipmapFilterMode = cudaFilterModeLinear;
    d.maxMipmapLevelClamp = 2;
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    std::vector<float4> at;
    for (int i = 0; i < PLACES; i++)
        at.push_back(make_float4(place(SIZE) / SIZE, place(SIZE) / SIZE, place(SIZE) / SIZE, (float)(next() % 512) / 256));
    ask(std::string(rank == 3 ? "box" : "plane") + "-levels/" + k.name, t, rank == 3 ? 5 : 4, k.channels, at);
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeMipmappedArray(levels));
}

int main(int count, char **words)
{
    folder = count > 1 ? words[1] : nullptr;
    all_pairs();
    planes();
    quads();
    boxes();
    for (int k = 0; k < KINDS; k++) {
        between_levels(kinds[k], 2, 40 + k);
        between_levels(kinds[k], 3, 60 + k);
    }
    return 0;
}
