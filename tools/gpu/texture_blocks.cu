/* SPDX-License-Identifier: Apache-2.0
 * Arrays that are compressed in blocks of 4 by 4 (BC1 to BC7), views of such, and arrays of several planes (NV12 and other formats of
 * videos): what calls make them and copy them, and what textures fetch. A line a case: its name, the calls' codes, or a hash of all result
 * words and the first eight of them; given a folder, the words of each case are written there, a file a case.
 *
 *     nvcc -arch=sm_90 -std=c++17 -O3 -o texture_blocks tools/gpu/texture_blocks.cu -lcuda
 *     ./texture_blocks PART [FOLDER]        PART: texels, filters, calls, shapes, views, planes, formats */
#include "texture_tell.h"

#include <cstring>
#include <cuda.h>

typedef std::vector<uint8_t> bytes;

static const char *name_of(cudaError_t code)
{
    cudaGetLastError();
    return cudaGetErrorName(code);
}

static uint32_t state;

static uint32_t next()
{
    state = state * 1664525u + 1013904223u;
    return (state ^ state >> 15) >> 3;
}

/* ---- kinds ----------------------------------------------------------------------------------------- */

struct kind {
    const char *name;
    cudaChannelFormatKind of;
    int bits[4];
    int bytes; /* of a block */
    int channels;
    int view; /* cudaResourceViewFormat */
};

enum { BC1, BC1S, BC2, BC2S, BC3, BC3S, BC4U, BC4S, BC5U, BC5S, BC6U, BC6S, BC7, BC7S, KINDS };
static const kind kinds[KINDS] = {
    {"bc1", cudaChannelFormatKindUnsignedBlockCompressed1, {8, 8, 8, 8}, 8, 4, 0x19},
    {"bc1srgb", cudaChannelFormatKindUnsignedBlockCompressed1SRGB, {8, 8, 8, 8}, 8, 4, 0x19},
    {"bc2", cudaChannelFormatKindUnsignedBlockCompressed2, {8, 8, 8, 8}, 16, 4, 0x1a},
    {"bc2srgb", cudaChannelFormatKindUnsignedBlockCompressed2SRGB, {8, 8, 8, 8}, 16, 4, 0x1a},
    {"bc3", cudaChannelFormatKindUnsignedBlockCompressed3, {8, 8, 8, 8}, 16, 4, 0x1b},
    {"bc3srgb", cudaChannelFormatKindUnsignedBlockCompressed3SRGB, {8, 8, 8, 8}, 16, 4, 0x1b},
    {"bc4u", cudaChannelFormatKindUnsignedBlockCompressed4, {8}, 8, 1, 0x1c},
    {"bc4s", cudaChannelFormatKindSignedBlockCompressed4, {8}, 8, 1, 0x1d},
    {"bc5u", cudaChannelFormatKindUnsignedBlockCompressed5, {8, 8}, 16, 2, 0x1e},
    {"bc5s", cudaChannelFormatKindSignedBlockCompressed5, {8, 8}, 16, 2, 0x1f},
    {"bc6u", cudaChannelFormatKindUnsignedBlockCompressed6H, {16, 16, 16}, 16, 3, 0x20},
    {"bc6s", cudaChannelFormatKindSignedBlockCompressed6H, {16, 16, 16}, 16, 3, 0x21},
    {"bc7", cudaChannelFormatKindUnsignedBlockCompressed7, {8, 8, 8, 8}, 16, 4, 0x22},
    {"bc7srgb", cudaChannelFormatKindUnsignedBlockCompressed7SRGB, {8, 8, 8, 8}, 16, 4, 0x22},
};

static cudaChannelFormatDesc channels_of(const kind &k)
{
    return cudaCreateChannelDesc(k.bits[0], k.bits[1], k.bits[2], k.bits[3], k.of);
}

/* Every mode of BC6H and BC7, those that are none too. */
static bytes random_blocks(const kind &k, int count)
{
    bytes data((size_t)count * k.bytes);
    for (uint8_t &b : data)
        b = (uint8_t)next();
    for (int i = 0; i < count; i++) {
        uint8_t &first = data[(size_t)i * k.bytes];
        if (k.of >= cudaChannelFormatKindUnsignedBlockCompressed7)
            first = i % 9 == 8 ? 0 : (uint8_t)(first << (i % 9) << 1 | 1 << i % 9);
        else if (k.of >= cudaChannelFormatKindUnsignedBlockCompressed6H)
            first = (uint8_t)((first & 0xe0) | i % 32);
    }
    return data;
}

/* ---- fetches ------------------------------------------------------------------------------------------ */

struct how {
    bool is_linear, reads_floats, is_srgb;
};

__global__ void fetch(cudaTextureObject_t t, const float4 *at, float4 *to, int count, bool levels)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    to[i] = levels ? tex2DLod<float4>(t, at[i].x, at[i].y, at[i].z) : tex2D<float4>(t, at[i].x, at[i].y);
}

/* Which mode is right is told by `made` lines: fractions ask for floats. */
static cudaError_t texture_of(cudaResourceDesc r, const how &h, cudaTextureObject_t *t, const cudaResourceViewDesc *view = nullptr)
{
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeBorder;
    d.borderColor[0] = 0.25f, d.borderColor[1] = -0.5f, d.borderColor[2] = 0.75f, d.borderColor[3] = 2;
    d.filterMode = h.is_linear ? cudaFilterModeLinear : cudaFilterModePoint;
    d.readMode = h.reads_floats ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    d.sRGB = h.is_srgb;
    d.normalizedCoords = r.resType == cudaResourceTypeMipmappedArray;
    d.maxMipmapLevelClamp = 20;
    return cudaCreateTextureObject(t, &r, &d, view);
}

static cudaResourceDesc resource_of(cudaArray_t array)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    return r;
}

static words read(cudaTextureObject_t t, const std::vector<float4> &at, int channels, bool levels = false)
{
    float4 *in, *out;
    std::vector<float4> read(at.size());
    words to;
    CHECK(cudaMalloc(&in, at.size() * sizeof *in));
    CHECK(cudaMalloc(&out, at.size() * sizeof *out));
    CHECK(cudaMemcpy(in, at.data(), at.size() * sizeof *in, cudaMemcpyHostToDevice));
    fetch<<<(unsigned)(at.size() + 127) / 128, 128>>>(t, in, out, (int)at.size(), levels);
    CHECK(cudaMemcpy(read.data(), out, at.size() * sizeof *out, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    for (const float4 &v : read) {
        uint32_t w[4];
        memcpy(w, &v, sizeof w);
        to.insert(to.end(), w, w + channels);
    }
    return to;
}

/* Of each block the first so many texels of its first row, or of all rows. */
static std::vector<float4> texels_of(int wide, int high, int columns, int rows)
{
    std::vector<float4> at;
    for (int by = 0; by < high; by += 4)
        for (int bx = 0; bx < wide; bx += 4)
            for (int y = by; y < by + rows && y < high; y++)
                for (int x = bx; x < bx + columns && x < wide; x++)
                    at.push_back(make_float4(x + 0.5f, y + 0.5f, 0, 0));
    return at;
}

/* Whether a copy counts rows of blocks or of texels: of two rows of blocks eight rows are too many, or all. */
static bool rows_are_blocks = true;

static void find_rows()
{
    const cudaChannelFormatDesc channels = channels_of(kinds[BC4U]);
    cudaArray_t array;
    const bytes data(128);
    if (cudaMallocArray(&array, &channels, 8, 8) != cudaSuccess)
        return;
    rows_are_blocks = cudaMemcpy2DToArray(array, 0, 0, data.data(), 16, 16, 8, cudaMemcpyHostToDevice) != cudaSuccess;
    cudaGetLastError();
    printf("rows are %s\n", rows_are_blocks ? "blocks" : "texels");
    CHECK(cudaFreeArray(array));
}

static cudaError_t copy_to(cudaArray_t array, const kind &k, int wide, int high, const bytes &data)
{
    const size_t row = (size_t)(wide + 3) / 4 * k.bytes;
    return cudaMemcpy2DToArray(array, 0, 0, data.data(), row, row, rows_are_blocks ? (high + 3) / 4 : high, cudaMemcpyHostToDevice);
}

static bool floats_of(const kind &k)
{
    return k.of != cudaChannelFormatKindUnsignedBlockCompressed6H && k.of != cudaChannelFormatKindSignedBlockCompressed6H;
}

static cudaTextureObject_t object_of(cudaArray_t array, const kind &k, bool is_linear, const char **code)
{
    cudaTextureObject_t t = 0;
    cudaError_t made = texture_of(resource_of(array), {is_linear, floats_of(k), false}, &t);
    if (made != cudaSuccess) { /* of sRGB */
        cudaGetLastError();
        made = texture_of(resource_of(array), {is_linear, floats_of(k), true}, &t);
    }
    *code = name_of(made);
    return made == cudaSuccess ? t : 0;
}

static void one(const std::string &name, const kind &k, int wide, int high, const bytes &data, const std::vector<float4> &at, bool is_linear)
{
    cudaArray_t array;
    const char *code;
    const cudaChannelFormatDesc channels = channels_of(k);
    cudaError_t made = cudaMallocArray(&array, &channels, wide, high);
    if (made != cudaSuccess) {
        printf("%s made: %s\n", name.c_str(), name_of(made));
        return;
    }
    made = copy_to(array, k, wide, high, data);
    if (made != cudaSuccess)
        printf("%s copied: %s\n", name.c_str(), name_of(made));
    const cudaTextureObject_t t = object_of(array, k, is_linear, &code);
    if (t)
        tell(name, read(t, at, name.find("/outside") != std::string::npos ? 4 : k.channels));
    else
        printf("%s object: %s\n", name.c_str(), code);
    if (t)
        CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeArray(array));
}

/* ---- texels: what blocks decode to ---------------------------------------------------------------------- */

/* All pairs of each channel's ends: five bits, six, five; the four codes in a row. */
static void put_colours(uint8_t *to, int i)
{
    const unsigned r0 = i / 64 % 32, r1 = i % 32, g0 = i / 64, g1 = i % 64, b0 = i / 32 % 32, b1 = i / 2 % 32;
    const uint16_t c[2] = {(uint16_t)(r0 << 11 | g0 << 5 | b0), (uint16_t)(r1 << 11 | g1 << 5 | b1)};
    memcpy(to, c, sizeof c);
    memset(to + 4, 0xe4, 4);
}

/* A pair of ends, and the eight codes in two rows: 0 1 2 3, 4 5 6 7. */
static void put_ends(uint8_t *to, int a, int b)
{
    static const uint8_t codes[6] = {0x88, 0xc6, 0xfa, 0x88, 0xc6, 0xfa};
    to[0] = (uint8_t)a, to[1] = (uint8_t)b;
    memcpy(to + 2, codes, sizeof codes);
}

static void all_texels()
{
    for (const kind &k : kinds) {
        const int size = k.of >= cudaChannelFormatKindUnsignedBlockCompressed6H ? 256 : 128;
        state = 17;
        one("texels/" + std::string(k.name) + "/random", k, size, size, random_blocks(k, size * size / 16), texels_of(size, size, 4, 4), false);
        one("texels/" + std::string(k.name) + "/outside", k, 8, 8, random_blocks(k, 4), {make_float4(-1, 0, 0, 0), make_float4(9, 9, 0, 0), make_float4(0, 0, 0, 0), make_float4(7, 7, 0, 0)}, false);
    }
    for (int number : {BC1, BC1S, BC2, BC3}) {
        enum { SIZE = 256, BLOCKS = SIZE / 4 * SIZE / 4 };
        const kind &k = kinds[number];
        bytes data((size_t)BLOCKS * k.bytes);
        for (int i = 0; i < BLOCKS; i++)
            put_colours(&data[(size_t)(i + 1) * k.bytes - 8], i);
        one("texels/" + std::string(k.name) + "/pairs", k, SIZE, SIZE, data, texels_of(SIZE, SIZE, 4, 1), false);
    }
    for (int number : {BC3, BC4U, BC4S, BC5S}) {
        enum { SIZE = 1024, BLOCKS = 65536 };
        const kind &k = kinds[number];
        bytes data((size_t)BLOCKS * k.bytes);
        for (int i = 0; i < BLOCKS; i++)
            put_ends(&data[(size_t)i * k.bytes], i / 256, i % 256);
        one("texels/" + std::string(k.name) + "/ends", k, SIZE, SIZE, data, texels_of(SIZE, SIZE, 4, 2), false);
    }
}

static void all_filters()
{
    for (const kind &k : kinds) {
        enum { SIZE = 64, PLACES = 2048 };
        std::vector<float4> at;
        state = 23;
        for (int i = 0; i < PLACES; i++)
            at.push_back(make_float4((float)(next() % 17000) / 256 - 1, (float)(next() % 17000) / 256 - 1, 0, 0));
        one("filters/" + std::string(k.name), k, SIZE, SIZE, random_blocks(k, SIZE / 4 * SIZE / 4), at, true);
    }
}

/* ---- calls ------------------------------------------------------------------------------------------------ */

static const int sizes[][2] = {{4, 4}, {16, 16}, {1, 1}, {2, 2}, {3, 4}, {5, 7}, {6, 10}, {8, 4}, {10, 6}, {16, 0}, {7, 0}};

static void describe(const std::string &name, cudaArray_t array)
{
    cudaChannelFormatDesc told = {};
    cudaExtent extent = {};
    unsigned flags = 0;
    CUDA_ARRAY3D_DESCRIPTOR format = {};
    cudaError_t code = cudaArrayGetInfo(&told, &extent, &flags, array);
    printf("%s/described %s: %d %d %d %d kind %d, %zu %zu %zu, %#x;", name.c_str(), name_of(code), told.x, told.y, told.z, told.w,
           (int)told.f, extent.width, extent.height, extent.depth, flags);
    const CUresult asked = cuArray3DGetDescriptor(&format, (CUarray)array);
    printf(" driver %d: %#x of %u, %zu %zu %zu, %#x\n", (int)asked, (unsigned)format.Format, format.NumChannels, format.Width,
           format.Height, format.Depth, format.Flags);
}

/* What all texels are now. */
static void look(const std::string &name, cudaArray_t array, const kind &k, int wide, int high)
{
    const char *code;
    const cudaTextureObject_t t = object_of(array, k, false, &code);
    if (!t) {
        printf("%s/object %s\n", name.c_str(), code);
        return;
    }
    std::vector<float4> at;
    for (int y = 0; y < (high ? high : 1); y++)
        for (int x = 0; x < wide; x++)
            at.push_back(make_float4(x + 0.5f, y + 0.5f, 0, 0));
    const words got = read(t, at, k.channels);
    printf("%s/texels %016llx\n", name.c_str(), (unsigned long long)hash_of((const uint8_t *)got.data(), got.size() * 4));
    CHECK(cudaDestroyTextureObject(t));
}

/* Copies both ways in two dimensions: places and sizes as the call takes them. */
static void copies_2d(const std::string &name, cudaArray_t array, const kind &k, int wide, int high)
{
    const int B = k.bytes, across = (wide + 3) / 4, down = ((high ? high : 1) + 3) / 4;
    const int ways[][4] = {{0, 0, across * B, down}, {0, 0, across * B, high ? high : 1}, {0, 0, wide * B, high ? high : 1},
                           {0, 0, across * B, down * 4}, {0, 0, across * B, down + 1}, {0, 0, B, 1}, {B, 0, B, 1}, {0, 1, B, 1}, {0, 2, B, 1}, {0, 4, B, 1},
                           {0, 4, B, 4}, {0, 0, B, 4}, {B, 1, B, 1}, {4, 0, B, 1}, {0, 0, B - 4, 1}, {0, 0, 4, 4}, {4, 4, 4, 4}, {0, 0, (across + 1) * B, 1}};
    state = 31;
    bytes data(65536), zero(65536);
    for (uint8_t &b : data)
        b = (uint8_t)next();
    for (const int *w : ways) {
        const std::string way = name + "/2d/" + std::to_string(w[0]) + "," + std::to_string(w[1]) + "," + std::to_string(w[2]) + "," + std::to_string(w[3]);
        cudaMemcpy2DToArray(array, 0, 0, zero.data(), 1024, across * B, down, cudaMemcpyHostToDevice);
        cudaGetLastError();
        const cudaError_t code = cudaMemcpy2DToArray(array, w[0], w[1], data.data(), 1024, w[2], w[3], cudaMemcpyHostToDevice);
        printf("%s/to %s\n", way.c_str(), name_of(code));
        if (code == cudaSuccess)
            look(way, array, k, wide, high);
        bytes back(65536, 0xcc);
        const cudaError_t from = cudaMemcpy2DFromArray(back.data(), 1024, array, w[0], w[1], w[2], w[3], cudaMemcpyDeviceToHost);
        printf("%s/from %s %016llx\n", way.c_str(), name_of(from), (unsigned long long)hash_of(back.data(), back.size()));
        CUDA_MEMCPY2D c = {};
        c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = data.data(), c.srcPitch = 1024;
        c.dstMemoryType = CU_MEMORYTYPE_ARRAY, c.dstArray = (CUarray)array, c.dstXInBytes = w[0], c.dstY = w[1];
        c.WidthInBytes = w[2], c.Height = w[3];
        printf("%s/driver %d\n", way.c_str(), (int)cuMemcpy2D(&c));
    }
}

/* In three dimensions extents count elements where an array takes part. */
static void copies_3d(const std::string &name, cudaArray_t array, const kind &k, int wide, int high)
{
    const int across = (wide + 3) / 4, down = ((high ? high : 1) + 3) / 4;
    const int ways[][4] = {{0, 0, wide, high ? high : 1}, {0, 0, across, down}, {0, 0, across * 4, down * 4}, {0, 0, across, high ? high : 1},
                           {0, 0, 4, 4}, {0, 0, 1, 1}, {4, 0, 4, 4}, {1, 0, 1, 1}, {0, 1, 1, 1}, {0, 4, 4, 4}, {4, 4, 4, 4}, {2, 2, 2, 2}};
    state = 37;
    bytes data(65536), zero(65536);
    for (uint8_t &b : data)
        b = (uint8_t)next();
    for (const int *w : ways) {
        const std::string way = name + "/3d/" + std::to_string(w[0]) + "," + std::to_string(w[1]) + "," + std::to_string(w[2]) + "," + std::to_string(w[3]);
        cudaMemcpy2DToArray(array, 0, 0, zero.data(), 1024, across * k.bytes, down, cudaMemcpyHostToDevice);
        cudaGetLastError();
        cudaMemcpy3DParms c = {};
        c.srcPtr = make_cudaPitchedPtr(data.data(), 1024, 1024, 64);
        c.dstArray = array;
        c.dstPos = make_cudaPos(w[0], w[1], 0);
        c.extent = make_cudaExtent(w[2], w[3], 1);
        c.kind = cudaMemcpyHostToDevice;
        const cudaError_t code = cudaMemcpy3D(&c);
        printf("%s/to %s\n", way.c_str(), name_of(code));
        if (code == cudaSuccess)
            look(way, array, k, wide, high);
        bytes back(65536, 0xcc);
        cudaMemcpy3DParms f = {};
        f.dstPtr = make_cudaPitchedPtr(back.data(), 1024, 1024, 64);
        f.srcArray = array;
        f.srcPos = c.dstPos;
        f.extent = c.extent;
        f.kind = cudaMemcpyDeviceToHost;
        const cudaError_t from = cudaMemcpy3D(&f);
        printf("%s/from %s %016llx\n", way.c_str(), name_of(from), (unsigned long long)hash_of(back.data(), back.size()));
    }
}

static void flat_copies(const std::string &name, cudaArray_t array, const kind &k, int wide, int high)
{
    const int across = (wide + 3) / 4, down = ((high ? high : 1) + 3) / 4;
    state = 41;
    bytes data(65536);
    for (uint8_t &b : data)
        b = (uint8_t)next();
    for (int size : {across * down * k.bytes, k.bytes, k.bytes / 2, wide * (high ? high : 1) * k.bytes}) {
        const cudaError_t code = cudaMemcpyToArray(array, 0, 0, data.data(), size, cudaMemcpyHostToDevice);
        printf("%s/flat/%d/to %s\n", name.c_str(), size, name_of(code));
        if (code == cudaSuccess)
            look(name + "/flat/" + std::to_string(size), array, k, wide, high);
        bytes back(65536, 0xcc);
        const cudaError_t from = cudaMemcpyFromArray(back.data(), array, 0, 0, size, cudaMemcpyDeviceToHost);
        printf("%s/flat/%d/from %s %016llx\n", name.c_str(), size, name_of(from), (unsigned long long)hash_of(back.data(), back.size()));
        const CUresult driver = cuMemcpyHtoA((CUarray)array, 0, data.data(), size);
        printf("%s/flat/%d/driver %d\n", name.c_str(), size, (int)driver);
    }
}

static void modes(const std::string &name, cudaArray_t array)
{
    for (int i = 0; i < 8; i++) {
        cudaTextureObject_t t;
        const cudaError_t code = texture_of(resource_of(array), {i % 2 > 0, i / 2 % 2 > 0, i / 4 > 0}, &t);
        printf("%s/object/%s%s%s %s\n", name.c_str(), i % 2 ? "linear" : "point", i / 2 % 2 ? "/floats" : "/as-is", i / 4 ? "/srgb" : "", name_of(code));
        if (code == cudaSuccess && i % 2 == 0) {
            const words got = read(t, texels_of(4, 4, 4, 1), 4);
            tell(name + "/object/" + std::to_string(i) + "/texels", got);
        }
        if (code == cudaSuccess)
            CHECK(cudaDestroyTextureObject(t));
    }
    cudaSurfaceObject_t s;
    const cudaResourceDesc r = resource_of(array);
    const cudaError_t code = cudaCreateSurfaceObject(&s, &r);
    printf("%s/surface %s\n", name.c_str(), name_of(code));
    if (code == cudaSuccess)
        CHECK(cudaDestroySurfaceObject(s));
}

static void all_calls()
{
    for (int number = 0; number < KINDS; number++) {
        const kind &k = kinds[number];
        const cudaChannelFormatDesc channels = channels_of(k);
        for (const int *size : sizes) {
            const std::string name = "calls/" + std::string(k.name) + "/" + std::to_string(size[0]) + "x" + std::to_string(size[1]);
            cudaArray_t array;
            cudaError_t code = cudaMallocArray(&array, &channels, size[0], size[1]);
            printf("%s/made %s\n", name.c_str(), name_of(code));
            if (code != cudaSuccess)
                continue;
            describe(name, array);
            const bool is_few = number == BC1 || number == BC7;
            if (is_few || size[0] == 16 || size[0] == 5)
                copies_2d(name, array, k, size[0], size[1]);
            if (is_few)
                copies_3d(name, array, k, size[0], size[1]);
            if (is_few)
                flat_copies(name, array, k, size[0], size[1]);
            if (size[0] == 16 && size[1]) {
                state = 43;
                code = copy_to(array, k, 16, 16, random_blocks(k, 16));
                modes(name, array);
            }
            CHECK(cudaFreeArray(array));
        }
        for (unsigned flags : {(unsigned)cudaArraySurfaceLoadStore, (unsigned)cudaArrayTextureGather, (unsigned)cudaArrayColorAttachment, (unsigned)cudaArraySparse}) {
            cudaArray_t array;
            const cudaError_t code = cudaMallocArray(&array, &channels, 16, 16, flags);
            printf("calls/%s/flags/%u %s\n", k.name, flags, name_of(code));
            if (code == cudaSuccess)
                CHECK(cudaFreeArray(array));
        }
        /* other bits of channels, and linear memory */
        for (int i = 0; i < 6; i++) {
            static const int bits[6][4] = {{0, 0, 0, 0}, {8, 0, 0, 0}, {8, 8, 0, 0}, {8, 8, 8, 0}, {32, 32, 0, 0}, {16, 16, 16, 16}};
            const cudaChannelFormatDesc other = cudaCreateChannelDesc(bits[i][0], bits[i][1], bits[i][2], bits[i][3], k.of);
            cudaArray_t array;
            const cudaError_t code = cudaMallocArray(&array, &other, 16, 16);
            printf("calls/%s/bits/%d %s\n", k.name, i, name_of(code));
            if (code == cudaSuccess)
                CHECK(cudaFreeArray(array));
        }
        void *memory;
        cudaTextureObject_t t;
        CHECK(cudaMalloc(&memory, 65536));
        cudaResourceDesc r = {};
        r.resType = cudaResourceTypePitch2D;
        r.res.pitch2D = {memory, channels, 16, 16, 512};
        cudaError_t code = texture_of(r, {false, floats_of(k), false}, &t);
        printf("calls/%s/rows %s\n", k.name, name_of(code));
        r = {};
        r.resType = cudaResourceTypeLinear;
        r.res.linear = {memory, channels, 4096};
        code = texture_of(r, {false, floats_of(k), false}, &t);
        printf("calls/%s/linear %s\n", k.name, name_of(code));
        CHECK(cudaFree(memory));
    }
}

/* ---- shapes: levels, layers, boxes, cubes ----------------------------------------------------------------- */

static void levels_of(const kind &k, int wide, int high, unsigned asked, unsigned flags, int depth)
{
    const cudaChannelFormatDesc channels = channels_of(k);
    const std::string name = "levels/" + std::string(k.name) + "/" + std::to_string(wide) + "x" + std::to_string(high) + "x" + std::to_string(depth) + "/" + std::to_string(asked);
    cudaMipmappedArray_t levels;
    cudaError_t code = cudaMallocMipmappedArray(&levels, &channels, make_cudaExtent(wide, high, depth), asked, flags);
    printf("%s/made %s\n", name.c_str(), name_of(code));
    if (code != cudaSuccess)
        return;
    state = 53;
    for (unsigned n = 0; n < 8; n++) {
        cudaArray_t level;
        code = cudaGetMipmappedArrayLevel(&level, levels, n);
        const std::string of = name + "/" + std::to_string(n);
        printf("%s/got %s\n", of.c_str(), name_of(code));
        if (code != cudaSuccess)
            continue;
        describe(of, level);
        const int w = wide >> n ? wide >> n : 1, h = high >> n ? high >> n : 1;
        if (!depth)
            copies_2d(of, level, k, w, h);
        const bytes data = random_blocks(k, 64 * 64);
        code = copy_to(level, k, w, h, data);
        printf("%s/copied %s\n", of.c_str(), name_of(code));
    }
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = levels;
    for (int i = 0; i < 2 && !depth; i++) {
        cudaTextureObject_t t;
        code = texture_of(r, {i > 0, floats_of(k), false}, &t);
        printf("%s/object %s\n", name.c_str(), name_of(code));
        if (code != cudaSuccess)
            continue;
        std::vector<float4> at;
        for (int n = 0; n < 1024; n++)
            at.push_back(make_float4((float)(next() % 1024) / 1024, (float)(next() % 1024) / 1024, (float)(next() % 5), 0));
        tell(name + (i ? "/linear" : "/point"), read(t, at, k.channels, true));
        CHECK(cudaDestroyTextureObject(t));
    }
    CHECK(cudaFreeMipmappedArray(levels));
}

__global__ void fetch_deep(cudaTextureObject_t t, float4 *to, int shape, int wide, int high)
{
    const int x = threadIdx.x % wide, y = threadIdx.x / wide % high, z = threadIdx.x / wide / high;
    to[threadIdx.x] = shape == 0 ? tex2DLayered<float4>(t, x + 0.5f, y + 0.5f, z)
                    : shape == 1 ? tex3D<float4>(t, x + 0.5f, y + 0.5f, z + 0.5f)
                    : shape == 2 ? tex1DLayered<float4>(t, x + 0.5f, z)
                    : shape == 4 ? texCubemapLayered<float4>(t, x + 0.5f - wide / 2, 4 * wide, y + 0.5f - high / 2, 0) : texCubemap<float4>(t, x + 0.5f - wide / 2, 4 * wide, y + 0.5f - high / 2);
}

static void deep(const kind &k, const char *shape_name, int shape, cudaExtent e, unsigned flags)
{
    const cudaChannelFormatDesc channels = channels_of(k);
    const std::string name = "deep/" + std::string(k.name) + "/" + shape_name;
    cudaArray_t array;
    cudaError_t code = cudaMalloc3DArray(&array, &channels, e, flags);
    printf("%s/made %s\n", name.c_str(), name_of(code));
    if (code != cudaSuccess)
        return;
    describe(name, array);
    const int across = (int)(e.width + 3) / 4, down = ((int)e.height + 3) / 4;
    const size_t ways[][3] = {{e.width, e.height ? e.height : 1, e.depth}, {(size_t)across, (size_t)(down ? down : 1), e.depth}};
    state = 59;
    const bytes data = random_blocks(k, 4096);
    for (const size_t *w : ways) {
        cudaMemcpy3DParms c = {};
        c.srcPtr = make_cudaPitchedPtr((void *)data.data(), (size_t)across * k.bytes, e.width, w[1]);
        c.dstArray = array;
        c.extent = make_cudaExtent(w[0], w[1], w[2]);
        c.kind = cudaMemcpyHostToDevice;
        code = cudaMemcpy3D(&c);
        printf("%s/3d/%zu,%zu,%zu %s\n", name.c_str(), w[0], w[1], w[2], name_of(code));
        CUDA_MEMCPY3D d = {};
        d.srcMemoryType = CU_MEMORYTYPE_HOST, d.srcHost = data.data(), d.srcPitch = (size_t)across * k.bytes, d.srcHeight = w[1];
        d.dstMemoryType = CU_MEMORYTYPE_ARRAY, d.dstArray = (CUarray)array;
        d.WidthInBytes = (size_t)across * k.bytes, d.Height = w[1], d.Depth = w[2];
        printf("%s/driver/%zu,%zu %d\n", name.c_str(), w[1], w[2], (int)cuMemcpy3D(&d));
        const char *made;
        const cudaTextureObject_t t = object_of(array, k, false, &made);
        printf("%s/object %s\n", name.c_str(), made);
        if (!t)
            continue;
        float4 *out;
        std::vector<float4> got(256);
        CHECK(cudaMalloc(&out, got.size() * sizeof *out));
        fetch_deep<<<1, 256>>>(t, out, shape, (int)e.width, (int)(e.height ? e.height : 1));
        CHECK(cudaMemcpy(got.data(), out, got.size() * sizeof *out, cudaMemcpyDeviceToHost));
        CHECK(cudaFree(out));
        words to(1024);
        memcpy(to.data(), got.data(), 4096);
        tell(name + "/texels/" + std::to_string(w[1]), to);
        CHECK(cudaDestroyTextureObject(t));
    }
    CHECK(cudaFreeArray(array));
}

static void all_shapes()
{
    for (int number : {BC1, BC4U, BC6S, BC7}) {
        const kind &k = kinds[number];
        levels_of(k, 16, 16, 5, 0, 0);
        levels_of(k, 32, 16, 9, 0, 0);
        levels_of(k, 20, 12, 4, 0, 0);
        levels_of(k, 6, 6, 2, 0, 0);
        levels_of(k, 16, 16, 5, cudaArrayLayered, 3);
        deep(k, "layers", 0, make_cudaExtent(8, 8, 4), cudaArrayLayered);
        deep(k, "layers-odd", 0, make_cudaExtent(6, 7, 4), cudaArrayLayered);
        deep(k, "rows", 2, make_cudaExtent(8, 0, 4), cudaArrayLayered);
        deep(k, "box", 1, make_cudaExtent(8, 8, 4), 0);
        deep(k, "box-odd", 1, make_cudaExtent(8, 8, 3), 0);
        deep(k, "cube", 3, make_cudaExtent(16, 16, 6), cudaArrayCubemap);
        deep(k, "cubes", 4, make_cudaExtent(16, 16, 12), cudaArrayCubemap | cudaArrayLayered);
    }
}

/* ---- views --------------------------------------------------------------------------------------------------- */

static void views_of(const kind &k, int bits, int channels, cudaChannelFormatKind of)
{
    enum { SIZE = 16 };
    const cudaChannelFormatDesc format = cudaCreateChannelDesc(bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 3 ? bits : 0, of);
    const std::string name = "views/" + std::string(k.name) + "/" + std::to_string(bits) + "x" + std::to_string(channels) + "/" + std::to_string((int)of);
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, SIZE, SIZE));
    state = 61;
    const bytes data = random_blocks(k, SIZE * SIZE);
    const size_t row = (size_t)SIZE * bits / 8 * channels;
    if (row * SIZE <= data.size())
        CHECK(cudaMemcpy2DToArray(array, 0, 0, data.data(), row, row, SIZE, cudaMemcpyHostToDevice));
    for (int i = 0; i < 16; i++) {
        cudaResourceViewDesc view = {};
        view.format = (cudaResourceViewFormat)k.view;
        view.width = view.height = i / 8 ? SIZE : 4 * SIZE;
        const how h = {i % 2 > 0, i / 2 % 2 > 0, i / 4 % 2 > 0};
        cudaTextureObject_t t;
        const cudaError_t code = texture_of(resource_of(array), h, &t, &view);
        const std::string way = name + "/" + std::to_string(view.width) + (i % 2 ? "/linear" : "/point") + (i / 2 % 2 ? "/floats" : "/as-is") + (i / 4 % 2 ? "/srgb" : "");
        printf("%s %s\n", way.c_str(), name_of(code));
        if (code != cudaSuccess)
            continue;
        tell(way + "/texels", read(t, texels_of(4 * SIZE, 4 * SIZE, i % 2 ? 1 : 4, 1), 4));
        CHECK(cudaDestroyTextureObject(t));
    }
    CHECK(cudaFreeArray(array));
}

static void all_views()
{
    for (int number : {BC1, BC2, BC3, BC4U, BC4S, BC5U, BC5S, BC6U, BC6S, BC7}) {
        views_of(kinds[number], 32, kinds[number].bytes / 4, cudaChannelFormatKindUnsigned);
        views_of(kinds[number], 32, kinds[number].bytes / 4, cudaChannelFormatKindSigned);
        views_of(kinds[number], 32, kinds[number].bytes / 4, cudaChannelFormatKindFloat);
        views_of(kinds[number], 32, 6 - kinds[number].bytes / 4, cudaChannelFormatKindUnsigned);
        views_of(kinds[number], 16, 4, cudaChannelFormatKindUnsigned);
    }
    /* a compressed array as what it is, and as another */
    for (int number : {BC1, BC4U, BC7}) {
        const kind &k = kinds[number];
        const cudaChannelFormatDesc format = channels_of(k);
        cudaArray_t array;
        CHECK(cudaMallocArray(&array, &format, 16, 16));
        for (int view = 0; view <= 0x22; view++) {
            cudaResourceViewDesc v = {};
            v.format = (cudaResourceViewFormat)view;
            v.width = v.height = 16;
            cudaTextureObject_t t;
            const cudaError_t code = texture_of(resource_of(array), {false, floats_of(k), false}, &t, &v);
            printf("views/%s/itself/%d %s\n", k.name, view, name_of(code));
            if (code == cudaSuccess)
                CHECK(cudaDestroyTextureObject(t));
        }
        CHECK(cudaFreeArray(array));
    }
}

/* ---- planes ---------------------------------------------------------------------------------------------------- */

/* Textures of one or two channels of 8 or 16 bits, as integers. */
__global__ void fetch_words(cudaTextureObject_t t, uint2 *to, int wide)
{
    const uint2 v = tex2D<uint2>(t, threadIdx.x % wide + 0.5f, threadIdx.x / wide + 0.5f);
    to[threadIdx.x] = v;
}

static void look_words(const std::string &name, cudaArray_t array, int wide, bool floats)
{
    cudaTextureObject_t t;
    const cudaError_t code = texture_of(resource_of(array), {false, floats, false}, &t);
    printf("%s/object/%d %s\n", name.c_str(), floats, name_of(code));
    if (code != cudaSuccess)
        return;
    uint2 *out;
    words to(256);
    CHECK(cudaMalloc(&out, 1024));
    fetch_words<<<1, 128>>>(t, out, wide);
    const cudaError_t ran = cudaMemcpy(to.data(), out, 1024, cudaMemcpyDeviceToHost);
    if (ran != cudaSuccess)
        printf("%s/ran %s\n", name.c_str(), name_of(ran));
    tell(name + "/words/" + std::to_string(floats), to);
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFree(out));
}

static void planes_of(int format, unsigned channels, int wide, int high, unsigned flags)
{
    const std::string name = "planes/" + std::to_string(format) + "x" + std::to_string(channels) + "/" + std::to_string(wide) + "x" + std::to_string(high) + "/" + std::to_string(flags);
    CUDA_ARRAY3D_DESCRIPTOR d = {};
    CUarray array;
    d.Width = wide, d.Height = high, d.Format = (CUarray_format)format, d.NumChannels = channels, d.Flags = flags;
    const CUresult made = cuArray3DCreate(&array, &d);
    printf("%s/made %d\n", name.c_str(), (int)made);
    if (made != CUDA_SUCCESS)
        return;
    describe(name, (cudaArray_t)array);
    state = 67;
    bytes data(65536);
    for (uint8_t &b : data)
        b = (uint8_t)next();
    const int ways[][2] = {{wide, high}, {wide, high / 2}, {wide, high * 3 / 2}, {wide * 2, high}, {wide * 3, high}, {wide * 4, high}, {2, 1}};
    for (const int *w : ways) {
        const cudaError_t code = cudaMemcpy2DToArray((cudaArray_t)array, 0, 0, data.data(), 256, w[0], w[1], cudaMemcpyHostToDevice);
        printf("%s/2d/%d,%d/to %s\n", name.c_str(), w[0], w[1], name_of(code));
        bytes back(65536, 0xcc);
        const cudaError_t from = cudaMemcpy2DFromArray(back.data(), 256, (cudaArray_t)array, 0, 0, w[0], w[1], cudaMemcpyDeviceToHost);
        printf("%s/2d/%d,%d/from %s %016llx\n", name.c_str(), w[0], w[1], name_of(from), (unsigned long long)hash_of(back.data(), back.size()));
    }
    for (unsigned n = 0; n < 4; n++) {
        CUarray plane;
        const CUresult got = cuArrayGetPlane(&plane, array, n);
        const std::string of = name + "/plane" + std::to_string(n);
        printf("%s/got %d\n", of.c_str(), (int)got);
        if (got != CUDA_SUCCESS)
            continue;
        describe(of, (cudaArray_t)plane);
        CUDA_ARRAY3D_DESCRIPTOR p = {};
        cuArray3DGetDescriptor(&p, plane);
        const bool is_small = p.Format == CU_AD_FORMAT_UNSIGNED_INT8 || p.Format == CU_AD_FORMAT_UNORM_INT8X1 || p.Format == CU_AD_FORMAT_UNORM_INT8X2;
        const size_t row = p.Width * p.NumChannels * (is_small ? 1 : 2);
        cudaError_t code = cudaMemcpy2DToArray((cudaArray_t)plane, 0, 0, data.data() + 4096 * n, 256, row, p.Height, cudaMemcpyHostToDevice);
        printf("%s/2d/%zu,%zu %s\n", of.c_str(), row, p.Height, name_of(code));
        look_words(of, (cudaArray_t)plane, (int)p.Width ? (int)p.Width : 1, false);
        look_words(of, (cudaArray_t)plane, (int)p.Width ? (int)p.Width : 1, true);
        printf("%s/destroyed %d\n", of.c_str(), (int)cuArrayDestroy(plane));
        CUarray again;
        printf("%s/again %d\n", of.c_str(), (int)cuArrayGetPlane(&again, array, n));
    }
    look_words(name, (cudaArray_t)array, wide, false);
    look_words(name, (cudaArray_t)array, wide, true);
    printf("%s/destroyed %d\n", name.c_str(), (int)cuArrayDestroy(array));
}

static void all_planes()
{
    for (unsigned flags : {0u, (unsigned)CUDA_ARRAY3D_SURFACE_LDST, (unsigned)CUDA_ARRAY3D_VIDEO_ENCODE_DECODE})
        planes_of(CU_AD_FORMAT_NV12, 3, 16, 8, flags);
    planes_of(CU_AD_FORMAT_NV12, 3, 15, 8, 0);
    planes_of(CU_AD_FORMAT_NV12, 3, 16, 7, 0);
    planes_of(CU_AD_FORMAT_NV12, 3, 16, 0, 0);
    for (unsigned n : {1u, 2u, 4u})
        planes_of(CU_AD_FORMAT_NV12, n, 16, 8, 0);
    for (int format = 0x9f; format <= 0xb5; format++)
        for (unsigned n = 1; n <= 4; n++)
            for (unsigned flags : {0u, (unsigned)CUDA_ARRAY3D_VIDEO_ENCODE_DECODE})
                if (format != CU_AD_FORMAT_NV12)
                    planes_of(format, n, 16, 8, flags);
    static const int bits[][4] = {{8, 8, 8, 0}, {8, 8, 8, 8}, {8, 0, 0, 0}, {8, 8, 0, 0}};
    for (const int *b : bits)
        for (int size = 0; size < 3; size++) {
            const cudaChannelFormatDesc d = cudaCreateChannelDesc(b[0], b[1], b[2], b[3], cudaChannelFormatKindNV12);
            cudaArray_t array;
            const int wide = size == 1 ? 15 : 16, high = size == 2 ? 7 : 8;
            const cudaError_t code = cudaMallocArray(&array, &d, wide, high);
            printf("nv12/%d%d%d%d/%dx%d/made %s\n", b[0], b[1], b[2], b[3], wide, high, name_of(code));
            if (code != cudaSuccess)
                continue;
            describe("nv12/array", array);
            for (unsigned n = 0; n < 3; n++) {
                cudaArray_t plane;
                const cudaError_t got = cudaArrayGetPlane(&plane, array, n);
                printf("nv12/plane%u %s\n", n, name_of(got));
                if (got == cudaSuccess)
                    describe("nv12/plane" + std::to_string(n), plane);
                if (got == cudaSuccess)
                    printf("nv12/plane%u/freed %s\n", n, name_of(cudaFreeArray(plane)));
            }
            printf("nv12/freed %s\n", name_of(cudaFreeArray(array)));
        }
    const cudaChannelFormatDesc plain = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned);
    cudaArray_t array, plane;
    CHECK(cudaMallocArray(&array, &plain, 16, 16));
    printf("nv12/plain/plane %s\n", name_of(cudaArrayGetPlane(&plane, array, 0)));
}

/* ---- formats: which the driver takes ---------------------------------------------------------------------------- */

static void all_formats()
{
    for (int format = 0; format <= 0xd0; format++)
        for (unsigned n = 0; n <= 5; n++) {
            CUDA_ARRAY3D_DESCRIPTOR d = {};
            CUarray array;
            d.Width = d.Height = 16, d.Format = (CUarray_format)format, d.NumChannels = n;
            const CUresult code = cuArray3DCreate(&array, &d);
            if (code != CUDA_ERROR_INVALID_VALUE)
                printf("formats/%#x/%u %d\n", (unsigned)format, n, (int)code);
            if (code == CUDA_SUCCESS) {
                describe("formats/" + std::to_string(format), (cudaArray_t)array);
                CUDA_ARRAY_MEMORY_REQUIREMENTS needs = {};
                const CUresult asked = cuArrayGetMemoryRequirements(&needs, array, 0);
                printf("formats/%#x/%u/needs %d %zu %zu\n", (unsigned)format, n, (int)asked, needs.size, needs.alignment);
                cuArrayDestroy(array);
            }
        }
}

int main(int count, char **args)
{
    static const struct {
        const char *name;
        void (*run)();
    } parts[] = {{"texels", all_texels}, {"filters", all_filters}, {"calls", all_calls}, {"shapes", all_shapes},
                 {"views", all_views}, {"planes", all_planes}, {"formats", all_formats}};
    folder = count > 2 ? args[2] : nullptr;
    CHECK(cudaFree(0));
    setvbuf(stdout, nullptr, _IOLBF, 0);
    find_rows();
    for (const auto &part : parts)
        if (count < 2 || strcmp(args[1], part.name) == 0)
            part.run();
    return 0;
}
