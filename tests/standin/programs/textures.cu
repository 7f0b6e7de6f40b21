// SPDX-License-Identifier: Apache-2.0
// Texture objects of every shape, held against the rules of the CUDA C++ Programming Guide ("Texture Fetching"): elements
// that are read as they are must be equal, filtered values within what a weight of 8 bits leaves open.
#include "check.h"
#include <cstdint>
#include <cstring>
#include <vector>

enum { W = 19, H = 7, D = 5, SAMPLES = 512 };

enum shape { LINE, PLANE, BOX, LINES, PLANES, PITCHED, SHAPES };
static const char *const names[] = {"1D", "2D", "3D", "1D layered", "2D layered", "2D pitched"};

__global__ void sample(cudaTextureObject_t t, int shape, const float4 *at, float4 *to)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 p = at[i];
    to[i] = shape == LINE     ? tex1D<float4>(t, p.x)
            : shape == BOX    ? tex3D<float4>(t, p.x, p.y, p.z)
            : shape == LINES  ? tex1DLayered<float4>(t, p.x, (int)p.w)
            : shape == PLANES ? tex2DLayered<float4>(t, p.x, p.y, (int)p.w)
                              : tex2D<float4>(t, p.x, p.y);
}

static uint32_t state = 1;

static float fraction()
{
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / 16777216.0f;
}

struct texture {
    cudaTextureObject_t object;
    cudaArray_t array;
    void *memory;
    int shape;
    cudaTextureDesc how;
    size_t size[3], layers;
    std::vector<float4> data;
};

static const cudaExtent extents[] = {{W, 0, 0}, {W, H, 0}, {W, H, D},
                                     {W, 0, D}, {W, H, D}, {W, H, 0}};

static size_t most(size_t n)
{
    return n ? n : 1;
}

static void make_pitched(texture &t, cudaResourceDesc &r, const cudaChannelFormatDesc &desc)
{
    size_t pitch;
    CHECK(cudaMallocPitch(&t.memory, &pitch, W * sizeof(float4), H));
    CHECK(cudaMemcpy2D(t.memory, pitch, t.data.data(), W * sizeof(float4), W * sizeof(float4), H,
                       cudaMemcpyHostToDevice));
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D = {t.memory, desc, W, H, pitch};
}

static void make_array(texture &t, cudaResourceDesc &r, const cudaChannelFormatDesc &desc)
{
    const cudaExtent e = extents[t.shape];
    cudaMemcpy3DParms c = {};
    CHECK(cudaMalloc3DArray(&t.array, &desc, e, t.layers > 1 ? cudaArrayLayered : 0));
    c.srcPtr = make_cudaPitchedPtr(t.data.data(), W * sizeof(float4), W, most(e.height));
    c.dstArray = t.array;
    c.extent = make_cudaExtent(W, most(e.height), most(e.depth));
    c.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&c));
    r.resType = cudaResourceTypeArray;
    r.res.array.array = t.array;
}

static texture make(int shape, cudaTextureFilterMode filter, cudaTextureAddressMode mode,
                    bool normalized)
{
    texture t = {};
    cudaResourceDesc r = {};
    const cudaExtent e = extents[shape];
    const bool is_layered = shape == LINES || shape == PLANES;
    t.shape = shape;
    t.size[0] = W, t.size[1] = most(e.height), t.size[2] = is_layered ? 1 : most(e.depth);
    t.layers = is_layered ? D : 1;
    for (size_t i = 0; i < W * most(e.height) * most(e.depth); i++)
        t.data.push_back(make_float4(fraction(), fraction() - 1, fraction() * 10, (float)i));
    for (int d = 0; d < 3; d++)
        t.how.addressMode[d] = mode;
    t.how.filterMode = filter;
    t.how.normalizedCoords = normalized;
    t.how.borderColor[0] = 7, t.how.borderColor[3] = -1;
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float4>();
    if (shape == PITCHED)
        make_pitched(t, r, desc);
    else
        make_array(t, r, desc);
    CHECK(cudaCreateTextureObject(&t.object, &r, &t.how, NULL));
    return t;
}

static void drop(const texture &t)
{
    CHECK(cudaDestroyTextureObject(t.object));
    CHECK(cudaFreeArray(t.array));
    CHECK(cudaFree(t.memory));
}

// ---- the guide's rules ----

static bool is_inside(const texture &t, int d, long i)
{
    return i >= 0 && i < (long)t.size[d];
}

static long moved_inside(const texture &t, int d, long i)
{
    const long n = (long)t.size[d], period = ((i % (2 * n)) + 2 * n) % (2 * n);
    if (t.how.addressMode[d] == cudaAddressModeWrap && t.how.normalizedCoords)
        return period % n;
    if (t.how.addressMode[d] == cudaAddressModeMirror && t.how.normalizedCoords)
        return period < n ? period : 2 * n - 1 - period;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static float4 element(const texture &t, const long *i, size_t layer)
{
    long at[3];
    for (int d = 0; d < 3; d++) {
        if (t.how.addressMode[d] == cudaAddressModeBorder && !is_inside(t, d, i[d]))
            return make_float4(7, 0, 0, -1);
        at[d] = moved_inside(t, d, i[d]);
    }
    return t
        .data[(((layer + (size_t)at[2]) * t.size[1]) + (size_t)at[1]) * t.size[0] + (size_t)at[0]];
}

static float4 expected(const texture &t, const float4 &p)
{
    // 1D textures are read at row 0 of a plane (the compiler's code, and what an H200 gives): half
    // of what is filtered lies above it, which is seen where the border is close.
    const float coordinate[3] = {p.x, t.shape == LINE ? 0 : p.y, p.z};
    const int rank = t.shape == LINES ? 1 : t.shape == BOX ? 3 : 2;
    const bool is_linear = t.how.filterMode == cudaFilterModeLinear;
    long first[3] = {0, 0, 0};
    double weight[3] = {0, 0, 0}, sum[4] = {0, 0, 0, 0};
    for (int d = 0; d < rank; d++) {
        const double u =
            (t.how.normalizedCoords ? (double)coordinate[d] * (double)t.size[d] : coordinate[d]) -
            (is_linear ? 0.5 : 0);
        first[d] = (long)std::floor(u);
        weight[d] = is_linear ? u - (double)first[d] : 0;
    }
    const size_t layer = (size_t)(p.w < 0 ? 0 : p.w >= (float)t.layers ? (float)t.layers - 1 : p.w);
    for (int corner = 0; corner < 8; corner++) {
        long at[3];
        double w = 1;
        for (int d = 0; d < 3; d++) {
            const int is_second = corner >> d & 1;
            at[d] = first[d] + is_second;
            w *= is_second ? weight[d] : 1 - weight[d];
        }
        if (w == 0)
            continue;
        const float4 v = element(t, at, layer);
        sum[0] += w * v.x, sum[1] += w * v.y, sum[2] += w * v.z, sum[3] += w * v.w;
    }
    return make_float4((float)sum[0], (float)sum[1], (float)sum[2], (float)sum[3]);
}

// ---- what is asked ----

// Away from the edges of elements by 1/64, where the nearest one is not in doubt.
static float coordinate(size_t size, bool normalized)
{
    const float whole = std::floor((fraction() * 3 - 1) * (float)size),
                x = whole + 1.0f / 64 + fraction() * 31 / 32;
    return normalized ? x / (float)size : x;
}

static size_t wrong_of(const texture &t)
{
    std::vector<float4> at, got(SAMPLES);
    size_t wrong = 0;
    for (int i = 0; i < SAMPLES; i++)
        at.push_back(make_float4(coordinate(t.size[0], t.how.normalizedCoords),
                                 coordinate(t.size[1], t.how.normalizedCoords),
                                 coordinate(t.size[2], t.how.normalizedCoords),
                                 (float)(i % (D + 2))));
    float4 *in = on_gpu(at.data(), SAMPLES), *out = on_gpu(at.data(), SAMPLES);
    sample<<<SAMPLES / 128, 128>>>(t.object, t.shape, in, out);
    from_gpu(got.data(), out, SAMPLES);
    for (int i = 0; i < SAMPLES; i++) {
        const float4 want = expected(t, at[(size_t)i]), is = got[(size_t)i];
        // a weight is off by at most 1/512, in three dimensions; the fourth channel counts elements
        const float open = t.how.filterMode == cudaFilterModeLinear ? 3.0f / 512 : 0;
        wrong += !(std::fabs(is.x - want.x) <= open * 8 && std::fabs(is.y - want.y) <= open * 8 &&
                   std::fabs(is.z - want.z) <= open * 10 &&
                   std::fabs(is.w - want.w) <= open * W * H * D);
    }
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return wrong;
}

static void all_shapes()
{
    for (int shape = 0; shape < SHAPES; shape++) {
        size_t wrong = 0;
        for (int how = 0; how < 16; how++) {
            const texture t = make(shape, (cudaTextureFilterMode)(how & 1),
                                   (cudaTextureAddressMode)(how >> 1 & 3), how >> 3);
            wrong += wrong_of(t);
            drop(t);
        }
        printf("%s: %zu of %d wrong\n", names[shape], wrong, 16 * SAMPLES);
    }
}

// ---- elements of other types ----

template <typename T, typename R> __global__ void fetch(cudaTextureObject_t t, R *to)
{
    to[threadIdx.x] = tex1Dfetch<R>(t, (int)threadIdx.x - 2);
}

template <typename T, typename R, typename F>
static void one_type(const char *name, const std::vector<T> &data, cudaTextureReadMode mode, F from)
{
    enum { COUNT = 32 };
    T *memory = on_gpu(data.data(), data.size());
    cudaResourceDesc r = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    R got[COUNT], want[COUNT], *out;
    r.resType = cudaResourceTypeLinear;
    r.res.linear = {memory, cudaCreateChannelDesc<T>(), data.size() * sizeof(T)};
    how.readMode = mode;
    CHECK(cudaCreateTextureObject(&t, &r, &how, NULL));
    CHECK(cudaMalloc(&out, sizeof got));
    fetch<T, R><<<1, COUNT>>>(t, out);
    from_gpu(got, out, COUNT);
    for (int i = 0; i < COUNT; i++)
        want[i] = i < 2 || i - 2 >= (int)data.size() ? (R)0 : from(data[(size_t)(i - 2)]);
    compare(name, got, want, COUNT);
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFree(memory));
    CHECK(cudaFree(out));
}

static void all_types()
{
    const cudaTextureReadMode plain = cudaReadModeElementType,
                              normalized = cudaReadModeNormalizedFloat;
    const std::vector<unsigned char> u8 = {0, 1, 127, 128, 255, 77};
    const std::vector<signed char> s8 = {0, 1, 127, -128, -127, -1, 77};
    const std::vector<unsigned short> u16 = {0, 1, 32768, 65535};
    const std::vector<short> s16 = {0, 1, 32767, -32768, -32767};
    one_type<unsigned char, unsigned char>("unsigned char", u8, plain,
                                           [](unsigned char v) { return v; });
    one_type<signed char, signed char>("signed char", s8, plain, [](signed char v) { return v; });
    one_type<short, short>("short", s16, plain, [](short v) { return v; });
    one_type<unsigned, unsigned>("unsigned", {0u, 1u, 0x80000000u, 0xffffffffu}, plain,
                                 [](unsigned v) { return v; });
    one_type<float, float>("float", {0, 1, -2.5f, 1e30f}, plain, [](float v) { return v; });
    one_type<unsigned char, float>("unsigned char as a fraction", u8, normalized,
                                   [](unsigned char v) { return (float)v / 255; });
    one_type<signed char, float>("signed char as a fraction", s8, normalized,
                                 [](signed char v) { return v == -128 ? -1 : (float)v / 127; });
    one_type<unsigned short, float>("unsigned short as a fraction", u16, normalized,
                                    [](unsigned short v) { return (float)v / 65535; });
    one_type<short, float>("short as a fraction", s16, normalized,
                           [](short v) { return v == -32768 ? -1 : (float)v / 32767; });
}

// ---- cubes and gathers ----

__global__ void turn(cudaTextureObject_t t, const float4 *at, float *to, int is_layered)
{
    const float4 p = at[threadIdx.x];
    to[threadIdx.x] = is_layered ? texCubemapLayered<float>(t, p.x, p.y, p.z, (int)p.w)
                                 : texCubemap<float>(t, p.x, p.y, p.z);
}

// Every face has one value: directions near the six axes.
static void cubes(bool is_layered)
{
    enum { N = 4 };
    const int layers = is_layered ? 3 : 1;
    std::vector<float> data;
    std::vector<float4> at;
    float got[18], want[18];
    for (int i = 0; i < 6 * layers * N * N; i++)
        data.push_back((float)(i / (N * N)));
    for (int i = 0; i < 6 * layers; i++) {
        const float sign = i % 2 ? -3 : 3, a = 0.7f, b = -1.1f;
        at.push_back(i % 6 < 2   ? make_float4(sign, a, b, (float)(i / 6))
                     : i % 6 < 4 ? make_float4(a, sign, b, (float)(i / 6))
                                 : make_float4(a, b, sign, (float)(i / 6)));
        want[i] = (float)i;
    }
    cudaArray_t array;
    cudaMemcpy3DParms c = {};
    cudaResourceDesc r = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    const cudaExtent e = make_cudaExtent(N, N, (size_t)(6 * layers));
    CHECK(cudaMalloc3DArray(&array, &desc, e,
                            cudaArrayCubemap | (is_layered ? cudaArrayLayered : 0)));
    c.srcPtr = make_cudaPitchedPtr(data.data(), N * sizeof(float), N, N);
    c.dstArray = array;
    c.extent = e;
    c.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&c));
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    how.filterMode = cudaFilterModeLinear;
    how.normalizedCoords = 1;
    CHECK(cudaCreateTextureObject(&t, &r, &how, NULL));
    float *out = on_gpu(got, 18);
    turn<<<1, 6 * layers>>>(t, on_gpu(at.data(), at.size()), out, is_layered);
    from_gpu(got, out, (size_t)(6 * layers));
    compare(is_layered ? "cubes" : "a cube", got, want, (size_t)(6 * layers), 1e-6);
}

__global__ void gather(cudaTextureObject_t t, float4 *to)
{
    to[0] = tex2Dgather<float4>(t, 3.0f, 2.0f, 0);
}

// The four elements around (3, 2), counter-clockwise from the lower left.
static void gathers()
{
    float data[H * W];
    cudaArray_t array;
    cudaResourceDesc r = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    for (int i = 0; i < H * W; i++)
        data[i] = (float)i;
    CHECK(cudaMallocArray(&array, &desc, W, H, cudaArrayTextureGather));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, data, W * sizeof(float), W * sizeof(float), H,
                              cudaMemcpyHostToDevice));
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    CHECK(cudaCreateTextureObject(&t, &r, &how, NULL));
    float4 got, *out = on_gpu(&got, 1);
    gather<<<1, 1>>>(t, out);
    from_gpu(&got, out, 1);
    const float want[] = {2 * W + 2, 2 * W + 3, W + 3, W + 2};
    compare("a gather", &got.x, want, 4);
}

int main()
{
    all_shapes();
    all_types();
    cubes(false);
    cubes(true);
    gathers();
    return 0;
}
