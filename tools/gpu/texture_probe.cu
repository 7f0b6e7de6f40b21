/* SPDX-License-Identifier: Apache-2.0
 * What textures and surfaces ask of the L1, L2 and DRAM: one warp, one instruction, known places. Launch n is line n of what
 * `texture_probe names` prints, so that Nsight Compute's rows are known by their order; `texture_probe part N` makes those of
 * lines 100 N and on, `texture_probe one N` that of line N. tools/gpu/texture_counters runs it so.
 * `texture_probe rates` prints cycles: of an SM for each instruction with its data in the L1, and of one warp for each of a
 * chain of instructions that wait for each other.
 *     nvcc -arch=sm_90 -std=c++17 -O3 -o texture_probe tools/gpu/texture_probe.cu */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t status = (call);                                                         \
        if (status != cudaSuccess) {                                                               \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                        \
            exit(5);                                                                               \
        }                                                                                          \
    } while (0)

/* ---- kernels ----------------------------------------------------------------------------------- */

enum shape { LINEAR, ROW, PLANE, PITCHED, BOX, LAYERS, CUBE, GATHER, ROW_SURFACE, SURFACE, BOX_SURFACE, LAYERS_SURFACE };

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

typedef void kernel(cudaTextureObject_t, const float4 *, unsigned *, int);

/* ---- what is read ------------------------------------------------------------------------------ */

enum { SIZE = 256, DEEP = 16, LAYER_COUNT = 6 };

static cudaTextureObject_t make(shape s, cudaChannelFormatDesc channels, bool filters, bool normalized)
{
    cudaResourceDesc from = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t object;
    const bool is_surface = s >= ROW_SURFACE, is_box = s == BOX || s == BOX_SURFACE,
               is_layers = s == LAYERS || s == LAYERS_SURFACE || s == CUBE, is_row = s == ROW || s == ROW_SURFACE;
    const int bytes = (channels.x + channels.y + channels.z + channels.w) / 8;
    if (s == LINEAR || s == PITCHED) {
        void *memory;
        CHECK(cudaMalloc(&memory, SIZE * SIZE * bytes * 4));
        CHECK(cudaMemset(memory, 1, SIZE * SIZE * bytes * 4));
        from.resType = s == LINEAR ? cudaResourceTypeLinear : cudaResourceTypePitch2D;
        if (s == LINEAR) {
            from.res.linear.devPtr = memory, from.res.linear.desc = channels;
            from.res.linear.sizeInBytes = SIZE * SIZE * bytes;
        } else {
            from.res.pitch2D.devPtr = memory, from.res.pitch2D.desc = channels;
            from.res.pitch2D.width = from.res.pitch2D.height = SIZE;
            from.res.pitch2D.pitchInBytes = SIZE * bytes;
        }
    } else {
        cudaArray_t array;
        const cudaExtent size = make_cudaExtent(SIZE, is_row ? 0 : SIZE, is_box ? DEEP : is_layers ? LAYER_COUNT : 0);
        CHECK(cudaMalloc3DArray(&array, &channels, size,
                                (is_surface ? cudaArraySurfaceLoadStore : 0) | (s == CUBE ? cudaArrayCubemap : 0) |
                                    (s == GATHER ? cudaArrayTextureGather : 0) |
                                    (s == LAYERS || s == LAYERS_SURFACE ? cudaArrayLayered : 0)));
        from.resType = cudaResourceTypeArray, from.res.array.array = array;
    }
    how.filterMode = filters ? cudaFilterModeLinear : cudaFilterModePoint;
    how.readMode = normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
    if (is_surface)
        CHECK(cudaCreateSurfaceObject(&object, &from));
    else
        CHECK(cudaCreateTextureObject(&object, &from, &how, nullptr));
    return object;
}

/* ---- places ------------------------------------------------------------------------------------ */

struct places {
    const char *name;
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

/* ---- cases ------------------------------------------------------------------------------------- */

enum { PART = 100 };

static bool only_names;
static int part, part_size = PART, made; /* launches up to now, those of other parts too */
static float4 *device_places;
static unsigned *results;

static void probe(const char *what, kernel *k, cudaTextureObject_t object, const std::vector<places> &all, float offset,
                  int times = 1)
{
    for (const places &p : all) {
        float4 host[32];
        const bool is_part = made++ / part_size == part;
        for (int lane = 0; lane < 32; lane++) {
            host[lane] = p.of(lane);
            host[lane].x += offset, host[lane].y += offset, host[lane].z += offset;
        }
        if (only_names) {
            printf("%s %s\n", what, p.name);
            continue;
        }
        if (!is_part)
            continue;
        CHECK(cudaMemcpy(device_places, host, sizeof host, cudaMemcpyHostToDevice));
        k<<<1, 32>>>(object, device_places, results, times);
        CHECK(cudaDeviceSynchronize());
    }
}

template <class T> static cudaChannelFormatDesc channels() { return cudaCreateChannelDesc<T>(); }

static cudaTextureObject_t object(shape s, cudaChannelFormatDesc c, bool filters = false, bool normalized = false)
{
    return only_names ? 0 : make(s, c, filters, normalized);
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
        rate<LINEAR, unsigned>("linear 4", side, object(LINEAR, channels<unsigned>()));
        rate<LINEAR, uint4>("linear 16", side, object(LINEAR, channels<uint4>()));
        rate<PLANE, unsigned char>("plane 1", side, object(PLANE, channels<unsigned char>()));
        rate<PLANE, unsigned>("plane 4", side, object(PLANE, channels<unsigned>()));
        rate<PLANE, uint2>("plane 8", side, object(PLANE, channels<uint2>()));
        rate<PLANE, uint4>("plane 16", side, object(PLANE, channels<uint4>()));
        rate<PLANE, float>("plane-filter 1", side, object(PLANE, channels<unsigned char>(), true, true));
        rate<PLANE, float>("plane-filter 4", side, object(PLANE, channels<float>(), true));
        rate<PLANE, float2>("plane-filter 8", side, object(PLANE, channels<float2>(), true));
        rate<PLANE, float4>("plane-filter 16", side, object(PLANE, channels<float4>(), true));
        rate<PITCHED, unsigned>("pitched 4", side, object(PITCHED, channels<unsigned>()));
        rate<BOX, unsigned>("box 4", side, object(BOX, channels<unsigned>()));
        rate<BOX, float>("box-filter 4", side, object(BOX, channels<float>(), true));
        rate<SURFACE, unsigned>("surface 4", side, object(SURFACE, channels<unsigned>()));
        rate<SURFACE, uint4>("surface 16", side, object(SURFACE, channels<uint4>()));
    }
}

int main(int count, char **word)
{
    const bool is_rates = count > 1 && !strcmp(word[1], "rates");
    only_names = count > 1 && !strcmp(word[1], "names");
    part_size = count > 1 && !strcmp(word[1], "one") ? 1 : PART;
    part = count > 2 ? atoi(word[2]) : 0;
    if (!only_names) {
        CHECK(cudaMalloc(&device_places, 32 * sizeof *device_places));
        CHECK(cudaMalloc(&results, 1024 * sizeof *results));
    }
    is_rates ? rates() : all();
    return 0;
}
