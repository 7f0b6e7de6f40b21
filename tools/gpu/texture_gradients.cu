/* SPDX-License-Identifier: Apache-2.0
 * What tex.grad gives of boxes, cubes and layers of cubes, for which machine code of sm_80 and later calls functions of the driver: one
 * line a case, its name, a hash of all result words and the first of them, as tools/gpu/texture_levels.cu prints them. Words that a rule
 * gives are checked too, and the program fails where they differ: derivatives along one axis that are 2^n elements long mean level n, and
 * of one level derivatives change nothing.
 *
 *     nvcc -arch=sm_90 -std=c++17 -o texture_gradients tools/gpu/texture_gradients.cu && ./texture_gradients */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <string>
#include <vector>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const cudaError_t code = (call);                                                                               \
        if (code != cudaSuccess) {                                                                                     \
            fprintf(stderr, "texture_gradients.cu:%d: %s\n", __LINE__, cudaGetErrorString(code));                      \
            exit(2);                                                                                                   \
        }                                                                                                              \
    } while (0)

struct place {
    float at[3], by_x[3], by_y[3];
    int layer, offset[3];
    float level;
};

enum how { BOX, BOX_OFFSET, BOX_LEVEL, BOX_HALVES, CUBE, CUBE_PLAIN, CUBE_DEPTH, CUBES, CUBES_PLAIN, CUBES_HALVES, RESIDENT };

#define OUT "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
#define AT "f"(p.at[0]), "f"(p.at[1]), "f"(p.at[2])
#define BY                                                                                                             \
    "f"(p.by_x[0]), "f"(p.by_x[1]), "f"(p.by_x[2]), "f"(p.by_y[0]), "f"(p.by_y[1]), "f"(p.by_y[2])

__global__ void ask(int how, cudaTextureObject_t t, const place *places, uint4 *to, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const place p = places[i];
    uint4 v = {};
    switch (how) {
    case BOX:
        asm volatile("tex.grad.3d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6,%7,%7}], {%8,%9,%10,%10}, {%11,%12,%13,%13};"
                     : OUT : "l"(t), AT, BY);
        break;
    case BOX_OFFSET:
        asm volatile("tex.grad.3d.v4.u32.f32 {%0,%1,%2,%3}, [%4, {%5,%6,%7,%7}], {%8,%9,%10,%10}, {%11,%12,%13,%13}, "
                     "{%14,%15,%16,%16};"
                     : OUT : "l"(t), AT, BY, "r"(p.offset[0]), "r"(p.offset[1]), "r"(p.offset[2]));
        break;
    case BOX_LEVEL:
        asm volatile("tex.level.3d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6,%7,%7}], %8;"
                     : OUT : "l"(t), AT, "f"(p.level));
        break;
    case BOX_HALVES:
        asm volatile("tex.grad.3d.v2.f16x2.f32 {%0,%1}, [%2, {%3,%4,%5,%5}], {%6,%7,%8,%8}, {%9,%10,%11,%11};"
                     : "=r"(v.x), "=r"(v.y) : "l"(t), AT, BY);
        break;
    case CUBE:
        asm volatile("tex.grad.cube.v4.s32.f32 {%0,%1,%2,%3}, [%4, {%5,%6,%7,%7}], {%8,%9,%10,%10}, {%11,%12,%13,%13};"
                     : OUT : "l"(t), AT, BY);
        break;
    case CUBE_PLAIN:
        asm volatile("tex.cube.v4.s32.f32 {%0,%1,%2,%3}, [%4, {%5,%6,%7,%7}];" : OUT : "l"(t), AT);
        break;
    case CUBE_DEPTH:
        asm volatile("tex.grad.cube.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6,%7,%7}], {%8,%9,%10,%10}, {%11,%12,%13,%13}, %14;"
                     : OUT : "l"(t), AT, BY, "f"(p.level));
        break;
    case CUBES:
        asm volatile("tex.grad.acube.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%14,%5,%6,%7}], {%8,%9,%10,%10}, {%11,%12,%13,%13};"
                     : OUT : "l"(t), AT, BY, "r"(p.layer));
        break;
    case CUBES_PLAIN:
        asm volatile("tex.acube.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%8,%5,%6,%7}];" : OUT : "l"(t), AT, "r"(p.layer));
        break;
    case CUBES_HALVES:
        asm volatile("tex.grad.acube.v2.f16x2.f32 {%0,%1}, [%2, {%12,%3,%4,%5}], {%6,%7,%8,%8}, {%9,%10,%11,%11};"
                     : "=r"(v.x), "=r"(v.y) : "l"(t), AT, BY, "r"(p.layer));
        break;
    case RESIDENT:
        asm volatile("{ .reg .pred p; tex.grad.3d.v4.f32.f32 {%0,%1,%2,%3}|p, [%4, {%5,%6,%7,%7}], {%8,%9,%10,%10}, "
                     "{%11,%12,%13,%13}; @!p mov.b32 %0, -1; }"
                     : OUT : "l"(t), AT, BY);
        break;
    }
    to[i] = v;
}

static uint32_t state = 1;

static uint32_t next()
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static float fraction()
{
    return next() / 16777216.0f;
}

/* ---- textures ---------------------------------------------------------------------------------- */

static cudaMipmappedArray_t levels_of(cudaChannelFormatDesc format, cudaExtent extent, unsigned flags, unsigned count)
{
    cudaMipmappedArray_t levels;
    CHECK(cudaMallocMipmappedArray(&levels, &format, extent, count, flags));
    const size_t texel = (format.x + format.y + format.z + format.w) / 8;
    for (unsigned n = 0; n < count; n++) {
        cudaArray_t level;
        CHECK(cudaGetMipmappedArrayLevel(&level, levels, n));
        const bool is_cube = flags & cudaArrayCubemap;
        const cudaExtent e = make_cudaExtent(extent.width >> n, extent.height >> n, is_cube ? extent.depth : extent.depth >> n);
        std::vector<float> words(e.width * e.height * e.depth * texel / 4);
        for (float &w : words)
            w = fraction() + (float)n;
        cudaMemcpy3DParms copy = {};
        copy.srcPtr = make_cudaPitchedPtr(words.data(), e.width * texel, e.width, e.height);
        copy.dstArray = level;
        copy.extent = e;
        copy.kind = cudaMemcpyHostToDevice;
        CHECK(cudaMemcpy3D(&copy));
    }
    return levels;
}

static cudaTextureObject_t object_of(cudaMipmappedArray_t levels, unsigned count, cudaTextureFilterMode filter,
                                     cudaTextureFilterMode between)
{
    cudaResourceDesc of = {};
    of.resType = cudaResourceTypeMipmappedArray;
    of.res.mipmap.mipmap = levels;
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = cudaAddressModeWrap;
    d.filterMode = filter;
    d.mipmapFilterMode = between;
    d.normalizedCoords = 1;
    d.maxMipmapLevelClamp = (float)(count - 1);
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &of, &d, NULL));
    return t;
}

/* ---- questions --------------------------------------------------------------------------------- */

enum { PLACES = 512 };
typedef std::vector<place> places;

static std::vector<uint4> answers(int how, cudaTextureObject_t t, const places &at)
{
    place *from;
    uint4 *to;
    std::vector<uint4> all(at.size());
    CHECK(cudaMalloc(&from, at.size() * sizeof *from));
    CHECK(cudaMalloc(&to, at.size() * sizeof *to));
    CHECK(cudaMemcpy(from, at.data(), at.size() * sizeof *from, cudaMemcpyHostToDevice));
    ask<<<(unsigned)(at.size() + 63) / 64, 64>>>(how, t, from, to, (int)at.size());
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(all.data(), to, all.size() * sizeof *to, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    return all;
}

static void show(const std::string &name, const std::vector<uint4> &all)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < all.size() * sizeof(uint4); i++)
        hash = (hash ^ ((const uint8_t *)all.data())[i]) * 1099511628211u;
    printf("%s %016llx", name.c_str(), (unsigned long long)hash);
    for (int i = 0; i < 2; i++)
        printf(" %08x %08x %08x %08x", all[i].x, all[i].y, all[i].z, all[i].w);
    printf("\n");
}

static bool same(const char *what, const std::vector<uint4> &a, const std::vector<uint4> &b)
{
    const bool is_same = !memcmp(a.data(), b.data(), a.size() * sizeof(uint4));
    if (!is_same)
        fprintf(stderr, "%s: what a rule gives is something else\n", what);
    return is_same;
}

static places anywhere(bool is_direction)
{
    places all(PLACES);
    for (place &p : all) {
        for (int d = 0; d < 3; d++) {
            p.at[d] = is_direction ? fraction() * 2 - 1 : fraction() * 2 - 0.5f;
            p.by_x[d] = (fraction() - 0.5f) / 16, p.by_y[d] = (fraction() - 0.5f) / 16;
            p.offset[d] = (int)(next() % 16) - 8;
        }
        p.layer = (int)(next() % 3);
        p.level = fraction();
    }
    return all;
}

/* Along one axis 2^n elements, of one of both directions of the screen; the other one none. */
static places along(const float size[3])
{
    places all = anywhere(false);
    for (place &p : all) {
        const int n = (int)(next() % 4), d = (int)(next() % 3);
        memset(p.by_x, 0, sizeof p.by_x), memset(p.by_y, 0, sizeof p.by_y);
        (next() % 2 ? p.by_x : p.by_y)[d] = (float)(1 << n) / size[d];
        p.level = (float)n;
    }
    return all;
}

int main()
{
    bool all_well = true;
    const cudaChannelFormatDesc words = cudaCreateChannelDesc(32, 32, 32, 32, cudaChannelFormatKindFloat);
    const cudaMipmappedArray_t box = levels_of(words, make_cudaExtent(32, 16, 8), 0, 4);
    const float size[3] = {32, 16, 8};
    for (int filter = 0; filter < 2; filter++) {
        const std::string name = filter ? "linear" : "point";
        const cudaTextureObject_t t = object_of(box, 4, (cudaTextureFilterMode)filter, cudaFilterModePoint);
        const places at = along(size);
        const std::vector<uint4> by_rule = answers(BOX_LEVEL, t, at);
        all_well &= same("box", answers(BOX, t, at), by_rule);
        all_well &= same("resident", answers(RESIDENT, t, at), by_rule);
        show("box/axis/" + name, by_rule);
        show("box/offset/" + name, answers(BOX_OFFSET, t, at));
        show("box/halves/" + name, answers(BOX_HALVES, t, at));
        show("box/any/" + name, answers(BOX, t, anywhere(false)));
        CHECK(cudaDestroyTextureObject(t));
        const cudaTextureObject_t between = object_of(box, 4, (cudaTextureFilterMode)filter, cudaFilterModeLinear);
        show("box/between/" + name, answers(BOX, between, anywhere(false)));
        CHECK(cudaDestroyTextureObject(between));
    }
    const cudaMipmappedArray_t cube = levels_of(words, make_cudaExtent(16, 16, 6), cudaArrayCubemap, 1);
    const cudaMipmappedArray_t cubes =
        levels_of(words, make_cudaExtent(16, 16, 18), cudaArrayCubemap | cudaArrayLayered, 1);
    for (int filter = 0; filter < 2; filter++) {
        const std::string name = filter ? "linear" : "point";
        const places at = anywhere(true);
        const cudaTextureObject_t one = object_of(cube, 1, (cudaTextureFilterMode)filter, cudaFilterModePoint);
        const std::vector<uint4> plain = answers(CUBE_PLAIN, one, at);
        all_well &= same("cube", answers(CUBE, one, at), plain);
        show("cube/" + name, plain);
        show("cube/depth/" + name, answers(CUBE_DEPTH, one, at));
        const cudaTextureObject_t many = object_of(cubes, 1, (cudaTextureFilterMode)filter, cudaFilterModePoint);
        const std::vector<uint4> all_plain = answers(CUBES_PLAIN, many, at);
        all_well &= same("cubes", answers(CUBES, many, at), all_plain);
        show("cubes/" + name, all_plain);
        show("cubes/halves/" + name, answers(CUBES_HALVES, many, at));
        CHECK(cudaDestroyTextureObject(one));
        CHECK(cudaDestroyTextureObject(many));
    }
    printf("%s\n", all_well ? "all as the rules say" : "not as the rules say");
    return !all_well;
}
