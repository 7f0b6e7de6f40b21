/* SPDX-License-Identifier: Apache-2.0
 * Views of layers of cubes, and stores by the format of a surface whose elements are fractions: a line a case, its name and codes or words.
 *
 *     nvcc -arch=sm_90 -std=c++17 -O3 -o texture_rest tools/gpu/texture_rest.cu && ./texture_rest */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const cudaError_t code = (call);                                                                               \
        if (code != cudaSuccess) {                                                                                     \
            printf("texture_rest.cu:%d: %s\n", __LINE__, cudaGetErrorName(code));                                      \
            exit(2);                                                                                                   \
        }                                                                                                              \
    } while (0)

static const char *name_of(cudaError_t code)
{
    cudaGetLastError();
    return cudaGetErrorName(code);
}

/* ---- views of layers of cubes ------------------------------------------------------------------------ */

/* The six directions of each of four layers. */
__global__ void fetch(cudaTextureObject_t t, float *to, bool is_cube)
{
    const int face = threadIdx.x % 6, layer = threadIdx.x / 6;
    const float side = face % 2 ? -1 : 1, x = face / 2 == 0 ? side : 0, y = face / 2 == 1 ? side : 0, z = face / 2 == 2 ? side : 0;
    to[threadIdx.x] = is_cube ? texCubemapLayered<float>(t, x, y, z, layer) : tex2DLayered<float>(t, .5f, .5f, threadIdx.x);
}

static void view(cudaMipmappedArray_t mips, cudaArray_t array, unsigned first, unsigned last, unsigned level, bool mipped, int depth)
{
    cudaResourceDesc r = {};
    r.resType = mipped ? cudaResourceTypeMipmappedArray : cudaResourceTypeArray;
    if (mipped)
        r.res.mipmap.mipmap = mips;
    else
        r.res.array.array = array;
    cudaTextureDesc d = {};
    d.normalizedCoords = 1;
    cudaResourceViewDesc v = {};
    v.format = cudaResViewFormatFloat1;
    v.width = v.height = 4, v.depth = depth;
    v.firstLayer = first, v.lastLayer = last, v.firstMipmapLevel = level, v.lastMipmapLevel = level;
    cudaTextureObject_t t;
    const cudaError_t code = cudaCreateTextureObject(&t, &r, &d, &v);
    printf("cubes/%s/depth%d/level%u/%u-%u %s", mipped ? "levels" : "array", depth, level, first, last, name_of(code));
    if (code == cudaSuccess) {
        float *out, got[24];
        CHECK(cudaMalloc(&out, sizeof got));
        fetch<<<1, 24>>>(t, out, true);
        const cudaError_t ran = cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
        printf(" %s", name_of(ran));
        for (float x : got)
            printf(" %g", x);
        CHECK(cudaDestroyTextureObject(t));
    }
    printf("\n");
}

static void fill(cudaArray_t array, int side, int layers, int level)
{
    std::vector<float> data;
    for (int l = 0; l < layers; l++)
        for (int i = 0; i < side * side; i++)
            data.push_back((float)(100 * level + l));
    cudaMemcpy3DParms c = {};
    c.srcPtr = make_cudaPitchedPtr(data.data(), side * 4, side, side);
    c.dstArray = array;
    c.extent = make_cudaExtent(side, side, layers);
    c.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&c));
}

static void views()
{
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMipmappedArray_t mips;
    CHECK(cudaMalloc3DArray(&array, &f, make_cudaExtent(4, 4, 18), cudaArrayLayered | cudaArrayCubemap));
    fill(array, 4, 18, 0);
    CHECK(cudaMallocMipmappedArray(&mips, &f, make_cudaExtent(4, 4, 18), 3, cudaArrayLayered | cudaArrayCubemap));
    for (int n = 0; n < 3; n++) {
        cudaArray_t level;
        CHECK(cudaGetMipmappedArrayLevel(&level, mips, n));
        fill(level, 4 >> n, 18, n);
    }
    static const unsigned layers[][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 2}, {2, 2}, {0, 3}, {0, 5}, {6, 11}, {0, 11}, {6, 17}, {12, 17}, {0, 17}, {3, 8}, {1, 6}, {0, 6}, {0, 18}, {17, 17}, {2, 1}};
    for (const unsigned *l : layers)
        for (int depth : {18, 3, 0, 6})
            for (int how = 0; how < 3; how++)
                view(mips, array, l[0], l[1], how == 2, how > 0, depth);
}

/* ---- stores by format ----------------------------------------------------------------------------------- */

__global__ void store(cudaSurfaceObject_t s, const uint4 *words)
{
    const uint4 w = words[threadIdx.x];
    asm volatile("sust.p.2d.v4.b32.trap [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(s), "r"(threadIdx.x), "r"(0), "r"(w.x), "r"(w.y), "r"(w.z), "r"(w.w));
}

static void stores()
{
    static const struct {
        const char *name;
        cudaChannelFormatKind kind;
        int bits[4], bytes;
    } kinds[] = {
        {"un8x1", cudaChannelFormatKindUnsignedNormalized8X1, {8}, 1},     {"un8x2", cudaChannelFormatKindUnsignedNormalized8X2, {8, 8}, 2},
        {"un8x4", cudaChannelFormatKindUnsignedNormalized8X4, {8, 8, 8, 8}, 4}, {"un16x1", cudaChannelFormatKindUnsignedNormalized16X1, {16}, 2},
        {"un16x4", cudaChannelFormatKindUnsignedNormalized16X4, {16, 16, 16, 16}, 8}, {"sn8x1", cudaChannelFormatKindSignedNormalized8X1, {8}, 1},
        {"sn8x4", cudaChannelFormatKindSignedNormalized8X4, {8, 8, 8, 8}, 4}, {"sn16x1", cudaChannelFormatKindSignedNormalized16X1, {16}, 2},
        {"sn16x4", cudaChannelFormatKindSignedNormalized16X4, {16, 16, 16, 16}, 8}, {"un1010102", cudaChannelFormatKindUnsignedNormalized1010102, {10, 10, 10, 2}, 4},
    };
    enum { COUNT = 256 };
    std::vector<uint4> words;
    uint32_t state = 7;
    static const float specials[] = {0, 1, -1, .5f, -.5f, 2, -2, 1e-8f, .25f, .75f, 1 / 255.f, .5f / 255, 1.5f / 255, 254.5f / 255, 1e30f, -1e30f};
    for (int i = 0; i < COUNT; i++) {
        uint32_t w[4];
        for (uint32_t &x : w) {
            state = state * 1664525u + 1013904223u;
            const float value = i < 16 ? specials[i] : ((float)(state >> 8) / 16777216.0f * 2.5f - 1.25f);
            memcpy(&x, &value, 4);
            if (i >= 224)
                x = i < 240 ? (uint32_t)i : i < 248 ? (uint32_t)-i : 0x7fc00000u + i * 0x10000u;
        }
        words.push_back(make_uint4(w[0], w[1], w[2], w[3]));
    }
    uint4 *in;
    CHECK(cudaMalloc(&in, COUNT * sizeof *in));
    CHECK(cudaMemcpy(in, words.data(), COUNT * sizeof *in, cudaMemcpyHostToDevice));
    for (const auto &k : kinds) {
        const cudaChannelFormatDesc f = cudaCreateChannelDesc(k.bits[0], k.bits[1], k.bits[2], k.bits[3], k.kind);
        cudaArray_t array;
        CHECK(cudaMallocArray(&array, &f, COUNT, 1, cudaArraySurfaceLoadStore));
        cudaResourceDesc r = {};
        r.resType = cudaResourceTypeArray;
        r.res.array.array = array;
        cudaSurfaceObject_t s;
        const cudaError_t code = cudaCreateSurfaceObject(&s, &r);
        printf("stores/%s/object %s\n", k.name, name_of(code));
        if (code != cudaSuccess)
            continue;
        store<<<1, COUNT>>>(s, in);
        std::vector<uint8_t> got(COUNT * k.bytes);
        const cudaError_t ran = cudaMemcpy2DFromArray(got.data(), got.size(), array, 0, 0, got.size(), 1, cudaMemcpyDeviceToHost);
        printf("stores/%s/ran %s\n", k.name, name_of(ran));
        if (ran != cudaSuccess)
            return;
        for (int i = 0; i < COUNT; i += 16) {
            printf("stores/%s/%d", k.name, i);
            for (int b = 0; b < 16 * k.bytes; b++)
                printf("%s%02x", b % k.bytes ? "" : " ", got[i * k.bytes + b]);
            printf("\n");
        }
        CHECK(cudaDestroySurfaceObject(s));
        CHECK(cudaFreeArray(array));
    }
}

int main(int count, char **args)
{
    CHECK(cudaFree(0));
    setvbuf(stdout, nullptr, _IOLBF, 0);
    if (count < 2 || !strcmp(args[1], "views"))
        views();
    if (count < 2 || !strcmp(args[1], "stores"))
        stores();
    return 0;
}
