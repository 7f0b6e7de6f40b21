/* SPDX-License-Identifier: Apache-2.0
 * What a GPU's textures and surfaces give, bit by bit: one line a case. Lines of a GPU and of `inflight run` can be held
 * against each other with diff.
 *
 *     nvcc -arch=sm_90 -o gpu-textures tools/gpu-textures.cu && ./gpu-textures
 *
 * A line is the case's name, a hash of all result words and the first eight of them. A probe has two or eight samples only,
 * so that its line shows all that the hash is of. */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <string>
#include <vector>

typedef std::vector<float4> places;

static void check(cudaError_t code, int line)
{
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "gpu-textures.cu:%d: %s\n", line, cudaGetErrorString(code));
    exit(1);
}
#define CHECK(call) check(call, __LINE__)

/* ---- kernels ----------------------------------------------------------------------------------- */

enum shape { D1, D2, D3, L1, L2, CUBE, CUBES, ROWS, LINEAR, GATHER0, GATHER3 };

static const char *const shape_names[] = {"1d",        "2d",       "3d",      "1d-layers",
                                          "2d-layers", "cube",     "cubes",   "rows",
                                          "linear",    "gather-x", "gather-w"};

template <int S>
__global__ void sample(cudaTextureObject_t t, const float4 *at, float4 *to, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const float4 p = at[i];
    const int layer = __float_as_int(p.w);
    float4 v;
    if (S == D1)
        v = tex1D<float4>(t, p.x);
    else if (S == D2 || S == ROWS)
        v = tex2D<float4>(t, p.x, p.y);
    else if (S == D3)
        v = tex3D<float4>(t, p.x, p.y, p.z);
    else if (S == L1)
        v = tex1DLayered<float4>(t, p.x, layer);
    else if (S == L2)
        v = tex2DLayered<float4>(t, p.x, p.y, layer);
    else if (S == CUBE)
        v = texCubemap<float4>(t, p.x, p.y, p.z);
    else if (S == CUBES)
        v = texCubemapLayered<float4>(t, p.x, p.y, p.z, layer);
    else if (S == LINEAR)
        v = tex1Dfetch<float4>(t, __float_as_int(p.x));
    else
        v = tex2Dgather<float4>(t, p.x, p.y, S == GATHER0 ? 0 : 3);
    to[i] = v;
}

typedef void sampler(cudaTextureObject_t, const float4 *, float4 *, int);
static sampler *const samplers[] = {sample<D1>,     sample<D2>,      sample<D3>,     sample<L1>,
                                    sample<L2>,     sample<CUBE>,    sample<CUBES>,  sample<ROWS>,
                                    sample<LINEAR>, sample<GATHER0>, sample<GATHER3>};

/* ---- results ------------------------------------------------------------------------------------- */

static void line(const std::string &name, const void *data, size_t bytes)
{
    const uint32_t *words = (const uint32_t *)data;
    const size_t count = bytes / 4;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++)
        for (int b = 0; b < 4; b++)
            hash = (hash ^ (words[i] >> 8 * b & 0xff)) * UINT64_C(0x100000001b3);
    printf("%s %016llx", name.c_str(), (unsigned long long)hash);
    for (size_t i = 0; i < 8 && i < count; i++)
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

static const kind kinds[] = {
    {"f32x1", 32, 1, cudaChannelFormatKindFloat, false},
    {"f32x2", 32, 2, cudaChannelFormatKindFloat, false},
    {"f32x4", 32, 4, cudaChannelFormatKindFloat, false},
    {"f16x1", 16, 1, cudaChannelFormatKindFloat, false},
    {"f16x4", 16, 4, cudaChannelFormatKindFloat, false},
    {"u8x1n", 8, 1, cudaChannelFormatKindUnsigned, true},
    {"u8x4n", 8, 4, cudaChannelFormatKindUnsigned, true},
    {"s8x2n", 8, 2, cudaChannelFormatKindSigned, true},
    {"u16x1n", 16, 1, cudaChannelFormatKindUnsigned, true},
    {"s16x4n", 16, 4, cudaChannelFormatKindSigned, true},
    {"u8x1", 8, 1, cudaChannelFormatKindUnsigned, false},
    {"s8x4", 8, 4, cudaChannelFormatKindSigned, false},
    {"u16x2", 16, 2, cudaChannelFormatKindUnsigned, false},
    {"s16x1", 16, 1, cudaChannelFormatKindSigned, false},
    {"u32x1", 32, 1, cudaChannelFormatKindUnsigned, false},
    {"s32x4", 32, 4, cudaChannelFormatKindSigned, false},
};
enum {
    F32X1,
    F32X2,
    F32X4,
    F16X1,
    F16X4,
    U8X1N,
    U8X4N,
    S8X2N,
    U16X1N,
    S16X4N,
    U8X1,
    S8X4,
    U16X2,
    S16X1,
    U32X1,
    S32X4,
    KINDS
};

static bool is_float(const kind &k)
{
    return k.of == cudaChannelFormatKindFloat;
}

struct texture {
    cudaTextureObject_t object;
    cudaArray_t array;
    void *memory;
};

struct how {
    cudaTextureFilterMode filter;
    cudaTextureAddressMode mode;
    bool normalized;
};

static size_t element_bytes(const kind &k)
{
    return (size_t)k.size / 8 * k.channels;
}

static std::vector<uint8_t> random_data(const kind &k, size_t elements)
{
    std::vector<uint8_t> data(elements * element_bytes(k));
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

static cudaExtent extent_of(int s)
{
    switch (s) {
    case D1:
        return make_cudaExtent(37, 0, 0);
    case D3:
        return make_cudaExtent(13, 11, 7);
    case L1:
        return make_cudaExtent(37, 0, 4);
    case L2:
        return make_cudaExtent(37, 21, 4);
    case CUBE:
        return make_cudaExtent(9, 9, 6);
    case CUBES:
        return make_cudaExtent(9, 9, 12);
    case LINEAR:
        return make_cudaExtent(100, 0, 0);
    default:
        return make_cudaExtent(37, 21, 0);
    }
}

static unsigned flags_of(int s)
{
    return (s == L1 || s == L2 || s == CUBES ? cudaArrayLayered : 0) |
           (s == CUBE || s == CUBES ? cudaArrayCubemap : 0) |
           (s >= GATHER0 ? cudaArrayTextureGather : 0);
}

static size_t most(size_t n)
{
    return n ? n : 1;
}

static texture make(int s, const kind &k, const cudaExtent &e, const how &h,
                    const std::vector<uint8_t> &data)
{
    texture t = {};
    const int b[4] = {k.size, k.channels > 1 ? k.size : 0, k.channels > 2 ? k.size : 0,
                      k.channels > 3 ? k.size : 0};
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc(b[0], b[1], b[2], b[3], k.of);
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    const size_t row = e.width * element_bytes(k);
    if (s == ROWS) {
        size_t pitch;
        CHECK(cudaMallocPitch(&t.memory, &pitch, row, e.height));
        CHECK(
            cudaMemcpy2D(t.memory, pitch, data.data(), row, row, e.height, cudaMemcpyHostToDevice));
        r.resType = cudaResourceTypePitch2D;
        r.res.pitch2D.devPtr = t.memory;
        r.res.pitch2D.desc = desc;
        r.res.pitch2D.width = e.width;
        r.res.pitch2D.height = e.height;
        r.res.pitch2D.pitchInBytes = pitch;
    } else if (s == LINEAR) {
        CHECK(cudaMalloc(&t.memory, row));
        CHECK(cudaMemcpy(t.memory, data.data(), row, cudaMemcpyHostToDevice));
        r.resType = cudaResourceTypeLinear;
        r.res.linear.devPtr = t.memory;
        r.res.linear.desc = desc;
        r.res.linear.sizeInBytes = row;
    } else {
        cudaMemcpy3DParms c = {};
        CHECK(cudaMalloc3DArray(&t.array, &desc, e, flags_of(s)));
        c.srcPtr = make_cudaPitchedPtr((void *)data.data(), row, e.width, most(e.height));
        c.dstArray = t.array;
        c.extent = make_cudaExtent(e.width, most(e.height), most(e.depth));
        c.kind = cudaMemcpyHostToDevice;
        CHECK(cudaMemcpy3D(&c));
        r.resType = cudaResourceTypeArray;
        r.res.array.array = t.array;
    }
    for (int i = 0; i < 3; i++)
        d.addressMode[i] = h.mode;
    d.filterMode = h.filter;
    d.readMode = k.normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    d.normalizedCoords = h.normalized;
    d.borderColor[0] = 0.25f, d.borderColor[1] = -0.5f, d.borderColor[2] = 0.75f,
    d.borderColor[3] = 2;
    CHECK(cudaCreateTextureObject(&t.object, &r, &d, NULL));
    return t;
}

static void drop(const texture &t)
{
    CHECK(cudaDestroyTextureObject(t.object));
    if (t.array)
        CHECK(cudaFreeArray(t.array));
    CHECK(cudaFree(t.memory));
}

static void run(const std::string &name, int s, const texture &t, const places &at)
{
    float4 *in, *out;
    places to(at.size());
    const size_t bytes = at.size() * sizeof(float4);
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaMemcpy(in, at.data(), bytes, cudaMemcpyHostToDevice));
    samplers[s]<<<(unsigned)(at.size() + 127) / 128, 128>>>(t.object, in, out, (int)at.size());
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(to.data(), out, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    line(name, to.data(), bytes);
}

/* ---- places ------------------------------------------------------------------------------------------ */

static const float specials[] = {
    0.0f,     -0.0f,     NAN,           INFINITY,       -INFINITY, 1e30f,       -1e30f, 1e-40f,
    -1e-40f,  1e-10f,    -1e-10f,       1.0f,           -1.0f,     0.99999994f, 2.0f,   -2.0f,
    16777216, -16777216, 4294967296.0f, -4294967296.0f, 3e38f,     -3e38f,      0.5f,   -0.5f};
enum { SPECIALS = sizeof specials / sizeof *specials };

/* Of a dimension of `size` elements, by way: anywhere, in steps of 1/512, edges and centres, close beside them, special. */
static float coordinate(int way, float size, bool normalized)
{
    const float whole = (float)(int)(next() % (unsigned)(3 * size)) - size;
    float x = 0;
    switch (way) {
    case 0:
        x = (fraction() * 4 - 1.5f) * size;
        break;
    case 1:
        x = whole + (float)(next() % 512) / 512;
        break;
    case 2:
        x = whole + (float)(next() % 2) / 2;
        break;
    case 3:
        x = whole + (float)(next() % 1024) / 1024 + (fraction() - 0.5f) / 65536;
        break;
    default:
        return specials[next() % SPECIALS];
    }
    return normalized ? x / size : x;
}

static places everywhere(const cudaExtent &e, int s, bool normalized, int count)
{
    places at;
    const bool is_cube = s == CUBE || s == CUBES;
    for (int i = 0; i < count; i++) {
        const int way = i % 16 == 15 ? 4 : i % 4;
        float4 p;
        p.x = is_cube ? fraction() * 2 - 1 : coordinate(way, (float)e.width, normalized);
        p.y = is_cube ? fraction() * 2 - 1
                      : coordinate(way == 4 ? i / 16 % 5 : way, (float)most(e.height), normalized);
        p.z =
            is_cube ? fraction() * 2 - 1 : coordinate(i / 4 % 4, (float)most(e.depth), normalized);
        p.w = bits(i % 64 == 63 ? next() : next() % 5);
        if (s == LINEAR)
            p.x = bits(i % 8 == 7 ? next() : next() % 110 - 5);
        at.push_back(p);
    }
    return at;
}

/* ---- cases ------------------------------------------------------------------------------------------- */

static const char *const mode_names[] = {"wrap", "clamp", "mirror", "border"};

static std::string name_of(int s, const kind &k, const how &h)
{
    return std::string(shape_names[s]) + "/" + k.name + "/" + (h.filter ? "linear" : "point") +
           "/" + mode_names[h.mode] + "/" + (h.normalized ? "normalized" : "elements");
}

static void one_case(int s, int number, const how &h)
{
    enum { SAMPLES = 1024 };
    const kind &k = kinds[number];
    const cudaExtent e = extent_of(s);
    if (h.filter && !is_float(k) && !k.normalized)
        return;
    state = (uint32_t)(s * 1000 + number * 10 + h.mode * 2 + h.normalized + 1);
    const texture t = make(s, k, e, h, random_data(k, e.width * most(e.height) * most(e.depth)));
    run(name_of(s, k, h), s, t, everywhere(e, s, h.normalized, SAMPLES));
    drop(t);
}

static void all_cases()
{
    static const int few[] = {F32X1, U8X4N, S16X1};
    for (int filter = 0; filter < 2; filter++)
        for (int mode = 0; mode < 4; mode++)
            for (int normalized = 0; normalized < 2; normalized++) {
                const how h = {(cudaTextureFilterMode)filter, (cudaTextureAddressMode)mode,
                               normalized != 0};
                for (int k = 0; k < KINDS; k++)
                    one_case(D2, k, h);
                for (int s : {D1, D3, L1, L2, ROWS})
                    for (int k : few)
                        one_case(s, k, h);
                for (int s : {GATHER0, GATHER3})
                    one_case(s, F32X4, h);
            }
    for (int filter = 0; filter < 2; filter++)
        for (int s : {CUBE, CUBES})
            for (int k : few)
                one_case(s, k, {(cudaTextureFilterMode)filter, cudaAddressModeClamp, true});
    for (int k = 0; k < KINDS; k++)
        one_case(LINEAR, k, {cudaFilterModePoint, cudaAddressModeClamp, false});
}

/* ---- probes: eight samples of a texture of one channel, all shown --------------------------------------- */

__global__ void probe(cudaTextureObject_t t, const float4 *at, float *to, int rank)
{
    const float4 p = at[threadIdx.x];
    to[threadIdx.x] = rank == 1   ? tex1D<float>(t, p.x)
                      : rank == 2 ? tex2D<float>(t, p.x, p.y)
                      : rank == 3 ? tex3D<float>(t, p.x, p.y, p.z)
                      : rank == 4 ? texCubemap<float>(t, p.x, p.y, p.z)
                                  : tex2Dgather<float4>(t, p.x, p.y, 0).w;
}

static void run_probe(const std::string &name, const texture &t, int rank, const places &at)
{
    float4 *in;
    float *out, to[8];
    CHECK(cudaMalloc(&in, sizeof(float4) * 8));
    CHECK(cudaMalloc(&out, sizeof to));
    CHECK(cudaMemcpy(in, at.data(), sizeof(float4) * 8, cudaMemcpyHostToDevice));
    probe<<<1, 8>>>(t.object, in, out, rank);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(to, out, sizeof to, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    line(name, to, sizeof to);
}

template <typename T> static std::vector<uint8_t> bytes_of(const std::vector<T> &from)
{
    const uint8_t *at = (const uint8_t *)from.data();
    return std::vector<uint8_t>(at, at + from.size() * sizeof(T));
}

/* Elements that count up, so that a value says which two were filtered with which weight. */
static std::vector<uint8_t> ramp(size_t count)
{
    std::vector<float> data;
    for (size_t i = 0; i < count; i++)
        data.push_back((float)i);
    return bytes_of(data);
}

/* How coordinates become weights. */
static void probe_weights()
{
    const texture t = make(D1, kinds[F32X1], make_cudaExtent(16, 0, 0),
                           {cudaFilterModeLinear, cudaAddressModeClamp, false}, ramp(16));
    for (int start = 0; start < 40; start++) {
        places at;
        for (int i = 0; i < 8; i++) /* 1/2048 apart, in elements of different size */
            at.push_back(
                make_float4((float)(start % 10) + 0.5f + (float)(start * 8 + i) / 2048, 0, 0, 0));
        run_probe("probe/weights/" + std::to_string(start), t, 1, at);
    }
    drop(t);
    for (int mode = 0; mode < 4; mode++) {
        const texture n =
            make(D1, kinds[F32X1], make_cudaExtent(13, 0, 0),
                 {cudaFilterModeLinear, (cudaTextureAddressMode)mode, true}, ramp(13));
        for (int start = 0; start < 8; start++) {
            places at;
            for (int i = 0; i < 8; i++)
                at.push_back(make_float4(fraction() * 3 - 1, 0, 0, 0));
            run_probe(std::string("probe/weights-normalized/") + mode_names[mode] + "/" +
                          std::to_string(start),
                      n, 1, at);
        }
        drop(n);
    }
}

/* How weighted sums are made and rounded. */
static void probe_sums()
{
    static const int of[] = {F32X1, F16X1, U8X1N, U16X1N, S16X1};
    static const char *const names[] = {"", "1d", "2d", "3d"};
    state = 77;
    for (int rank = 1; rank <= 3; rank++)
        for (int k : of) {
            kind use = kinds[k];
            use.normalized = !is_float(use);
            const cudaExtent e = make_cudaExtent(8, rank > 1 ? 4 : 0, rank > 2 ? 4 : 0);
            const texture t = make(rank == 1   ? D1
                                   : rank == 2 ? D2
                                               : D3,
                                   use, e, {cudaFilterModeLinear, cudaAddressModeClamp, false},
                                   random_data(use, e.width * most(e.height) * most(e.depth)));
            for (int start = 0; start < 8; start++) {
                places at;
                for (int i = 0; i < 8; i++)
                    at.push_back(make_float4(0.5f + (float)(next() % 1792) / 256,
                                             0.5f + (float)(next() % 768) / 256,
                                             0.5f + (float)(next() % 768) / 256, 0));
                run_probe(std::string("probe/sums/") + names[rank] + "/" + use.name + "/" +
                              std::to_string(start),
                          t, rank, at);
            }
            drop(t);
        }
}

/* Elements that are no ordinary numbers, and such as differ much in size. */
static void probe_values()
{
    const std::vector<float> data = {0,      INFINITY, 1, -INFINITY, NAN,   1,     1e38f,    3e38f,
                                     1e-40f, 2e-40f,   1, 1e-8f,     -0.0f, -0.0f, 16777216, 1};
    const texture t = make(D1, kinds[F32X1], make_cudaExtent(data.size(), 0, 0),
                           {cudaFilterModeLinear, cudaAddressModeClamp, false}, bytes_of(data));
    for (int start = 0; start < 16; start++) {
        places at;
        for (int i = 0; i < 8; i++)
            at.push_back(make_float4((float)start + 0.5f + (float)i * 31 / 256, 0, 0, 0));
        run_probe("probe/values/" + std::to_string(start), t, 1, at);
    }
    drop(t);
}

static void probe_specials()
{
    for (int filter = 0; filter < 2; filter++)
        for (int mode = 0; mode < 4; mode++)
            for (int normalized = 0; normalized < 2; normalized++) {
                const how h = {(cudaTextureFilterMode)filter, (cudaTextureAddressMode)mode,
                               normalized != 0};
                const texture t = make(D1, kinds[F32X1], make_cudaExtent(13, 0, 0), h, ramp(13));
                for (int start = 0; start < SPECIALS; start += 8) {
                    places at;
                    for (int i = 0; i < 8; i++)
                        at.push_back(make_float4(specials[start + i], 0, 0, 0));
                    run_probe("probe/specials/" + name_of(D1, kinds[F32X1], h) + "/" +
                                  std::to_string(start),
                              t, 1, at);
                }
                drop(t);
            }
}

/* Which element is the nearest, close to the edge of two. */
static void probe_edges()
{
    for (int normalized = 0; normalized < 2; normalized++)
        for (int rank : {1, 5}) {
            const texture t = make(
                rank == 1 ? D1 : GATHER0, kinds[F32X1], make_cudaExtent(13, rank == 1 ? 0 : 1, 0),
                {cudaFilterModePoint, cudaAddressModeClamp, normalized != 0}, ramp(13));
            for (int edge = 1; edge < 13; edge += 2) {
                places at;
                const float x = rank == 1 ? (float)edge : (float)edge + 0.5f;
                static const float beside[] = {-1.0f / 128,   -1.0f / 512, -1.0f / 1024,
                                               -1.0f / 65536, 0,           1.0f / 65536,
                                               1.0f / 1024,   1.0f / 512};
                for (float b : beside)
                    at.push_back(make_float4(normalized ? (x + b) / 13 : x + b, 0, 0, 0));
                run_probe(std::string("probe/edges/") + (rank == 1 ? "point" : "gather") +
                              (normalized ? "/normalized/" : "/elements/") + std::to_string(edge),
                          t, rank, at);
            }
            drop(t);
        }
}

/* Faces of a cube, also where two or three coordinates are equally large. */
static void probe_cubes()
{
    for (int filter = 0; filter < 2; filter++) {
        const texture t =
            make(CUBE, kinds[F32X1], make_cudaExtent(4, 4, 6),
                 {(cudaTextureFilterMode)filter, cudaAddressModeClamp, true}, ramp(96));
        for (int sign = 0; sign < 8; sign++) {
            static const float at_of[8][3] = {{1, 0.3f, 0.2f}, {0.3f, 1, 0.2f}, {0.3f, 0.2f, 1},
                                              {1, 1, 0.4f},    {1, 0.4f, 1},    {0.4f, 1, 1},
                                              {1, 1, 1},       {0, 0, 0.5f}};
            places at;
            for (int i = 0; i < 8; i++)
                at.push_back(make_float4(sign & 1 ? -at_of[i][0] : at_of[i][0],
                                         sign & 2 ? -at_of[i][1] : at_of[i][1],
                                         sign & 4 ? -at_of[i][2] : at_of[i][2], 0));
            run_probe(std::string("probe/cubes/") + (filter ? "linear/" : "point/") +
                          std::to_string(sign),
                      t, 4, at);
        }
        for (int start = 0; start < 16; start++) {
            places at;
            for (int i = 0; i < 8; i++)
                at.push_back(
                    make_float4(fraction() * 2 - 1, fraction() * 2 - 1, fraction() * 2 - 1, 0));
            run_probe(std::string("probe/cubes/") + (filter ? "linear" : "point") + "/anywhere/" +
                          std::to_string(start),
                      t, 4, at);
        }
        drop(t);
    }
}

/* Channels that are not there, and the border, of every kind: two samples of four channels. */
static void probe_channels()
{
    for (int k = 0; k < KINDS; k++) {
        const texture t =
            make(D2, kinds[k], extent_of(D2), {cudaFilterModePoint, cudaAddressModeBorder, false},
                 random_data(kinds[k], 37 * 21));
        run(std::string("probe/channels/") + kinds[k].name, D2, t,
            {make_float4(3.5f, 2.5f, 0, 0), make_float4(-3, 2, 0, 0)});
        drop(t);
    }
}

static void probe_layers()
{
    static const int layers[] = {-1, 0, 3, 4, 65535, 65536, 65537, INT32_MIN};
    for (int i = 0; i < 8; i += 2) {
        const texture t =
            make(L2, kinds[F32X1], extent_of(L2),
                 {cudaFilterModePoint, cudaAddressModeClamp, false}, ramp(37 * 21 * 4));
        run("probe/layers/" + std::to_string(i), L2, t,
            {make_float4(3.5f, 2.5f, 0, bits((uint32_t)layers[i])),
             make_float4(3.5f, 2.5f, 0, bits((uint32_t)layers[i + 1]))});
        drop(t);
    }
}

/* ---- surfaces ---------------------------------------------------------------------------------------- */

template <typename T, cudaSurfaceBoundaryMode B>
__global__ void surface(cudaSurfaceObject_t from, cudaSurfaceObject_t to, const int4 *at, T *seen,
                        int count, int s)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const int4 p = at[i], q = at[count + i];
    const int x = p.x * (int)sizeof(T), u = q.x * (int)sizeof(T);
    T v;
    if (s == D1)
        v = surf1Dread<T>(from, x, B), surf1Dwrite<T>(v, to, u, B);
    else if (s == D2)
        v = surf2Dread<T>(from, x, p.y, B), surf2Dwrite<T>(v, to, u, q.y, B);
    else if (s == D3)
        v = surf3Dread<T>(from, x, p.y, p.z, B), surf3Dwrite<T>(v, to, u, q.y, q.z, B);
    else if (s == L1)
        v = surf1DLayeredread<T>(from, x, p.z, B), surf1DLayeredwrite<T>(v, to, u, q.z, B);
    else if (s == L2)
        v = surf2DLayeredread<T>(from, x, p.y, p.z, B),
        surf2DLayeredwrite<T>(v, to, u, q.y, q.z, B);
    else if (s == CUBE)
        v = surfCubemapread<T>(from, x, p.y, p.z, B), surfCubemapwrite<T>(v, to, u, q.y, q.z, B);
    else
        v = surfCubemapLayeredread<T>(from, x, p.y, p.z, B),
        surfCubemapLayeredwrite<T>(v, to, u, q.y, q.z, B);
    seen[i] = v;
}

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
    cudaResourceDesc r = {};
    cudaSurfaceObject_t object;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    CHECK(cudaCreateSurfaceObject(&object, &r));
    return object;
}

static void copy_array(cudaArray_t array, void *host, const cudaExtent &e, size_t element,
                       bool to_array)
{
    cudaMemcpy3DParms c = {};
    const cudaPitchedPtr memory =
        make_cudaPitchedPtr(host, e.width * element, e.width, most(e.height));
    if (to_array)
        c.srcPtr = memory, c.dstArray = array;
    else
        c.srcArray = array, c.dstPtr = memory;
    c.extent = make_cudaExtent(e.width, most(e.height), most(e.depth));
    c.kind = to_array ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&c));
}

/* Reads anywhere, inside and out; writes each element once, and outside. */
static std::vector<int4> surface_places(const cudaExtent &e, bool is_outside)
{
    const int w = (int)e.width, h = (int)most(e.height), d = (int)most(e.depth), count = w * h * d;
    std::vector<int4> at;
    for (int i = 0; i < count; i++)
        at.push_back(make_int4((int)(next() % (unsigned)(w + 4)) - 2,
                               (int)(next() % (unsigned)(h + 4)) - 2, (int)(next() % (unsigned)d),
                               0));
    for (int i = 0; i < count; i++)
        at.push_back(
            make_int4(i % w - (is_outside && i % 7 == 0 ? 2 * w : 0), i / w % h, i / w / h, 0));
    return at;
}

template <typename T, cudaSurfaceBoundaryMode B>
static void surface_case(const char *type, int s, const cudaChannelFormatDesc &desc)
{
    const cudaExtent e = extent_of(s);
    const size_t count = e.width * most(e.height) * most(e.depth);
    cudaArray_t from, to;
    int4 *places_there;
    T *seen_there;
    state = (uint32_t)(sizeof(T) * 100 + (unsigned)s + 1);
    std::vector<T> data(count), seen(count), written(count);
    for (size_t i = 0; i < count * sizeof(T); i++)
        ((uint8_t *)data.data())[i] = (uint8_t)(next() >> 9);
    /* where two writes fall on one element the last one to come is not known: outside only where they do nothing */
    const std::vector<int4> at = surface_places(e, B == cudaBoundaryModeZero);
    CHECK(cudaMalloc3DArray(&from, &desc, e, flags_of(s) | cudaArraySurfaceLoadStore));
    CHECK(cudaMalloc3DArray(&to, &desc, e, flags_of(s) | cudaArraySurfaceLoadStore));
    copy_array(from, data.data(), e, sizeof(T), true);
    memset((void *)written.data(), 0, count * sizeof(T));
    copy_array(to, written.data(), e, sizeof(T), true);
    CHECK(cudaMalloc(&places_there, at.size() * sizeof(int4)));
    CHECK(cudaMalloc(&seen_there, count * sizeof(T)));
    CHECK(cudaMemcpy(places_there, at.data(), at.size() * sizeof(int4), cudaMemcpyHostToDevice));
    const cudaSurfaceObject_t from_object = surface_of(from), to_object = surface_of(to);
    surface<T, B><<<(unsigned)(count + 127) / 128, 128>>>(from_object, to_object, places_there,
                                                          seen_there, (int)count, s);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(seen.data(), seen_there, count * sizeof(T), cudaMemcpyDeviceToHost));
    copy_array(to, written.data(), e, sizeof(T), false);
    const std::string name = std::string("surface/") + shape_names[s] + "/" + type +
                             (B == cudaBoundaryModeZero ? "/zero" : "/clamp");
    line(name + "/read", seen.data(), count * sizeof(T));
    line(name + "/written", written.data(), count * sizeof(T));
    CHECK(cudaDestroySurfaceObject(from_object));
    CHECK(cudaDestroySurfaceObject(to_object));
    CHECK(cudaFreeArray(from));
    CHECK(cudaFreeArray(to));
    CHECK(cudaFree(places_there));
    CHECK(cudaFree(seen_there));
}

template <cudaSurfaceBoundaryMode B> static void all_surfaces()
{
    const cudaChannelFormatKind u = cudaChannelFormatKindUnsigned;
    for (int s : {D1, D2, D3, L1, L2, CUBE, CUBES}) {
        surface_case<unsigned char, B>("8", s, cudaCreateChannelDesc(8, 0, 0, 0, u));
        surface_case<unsigned short, B>("16", s, cudaCreateChannelDesc(16, 0, 0, 0, u));
        surface_case<unsigned int, B>("32", s, cudaCreateChannelDesc(32, 0, 0, 0, u));
        surface_case<uint2, B>("64", s, cudaCreateChannelDesc(32, 32, 0, 0, u));
        surface_case<uint4, B>("128", s, cudaCreateChannelDesc(32, 32, 32, 32, u));
    }
}

int main()
{
    all_cases();
    probe_weights();
    probe_sums();
    probe_values();
    probe_specials();
    probe_edges();
    probe_cubes();
    probe_channels();
    probe_layers();
    all_surfaces<cudaBoundaryModeZero>();
    all_surfaces<cudaBoundaryModeClamp>();
    return 0;
}
