// SPDX-License-Identifier: Apache-2.0
// What CUDA C has no functions for: queries, offsets of elements, results of 16 bits, residency, reductions on surfaces
// (PTX ISA 9.0, "txq", "suq", "tex", "tld4", "sured").
// run: --code ptx
#include "check.h"
#include <cuda_fp16.h>

enum { W = 24, H = 6, LAYERS = 5 };

__global__ void ask(cudaTextureObject_t plane, cudaTextureObject_t layers, cudaSurfaceObject_t s, int *to)
{
    asm("txq.width.b32 %0, [%1];" : "=r"(to[0]) : "l"(plane));
    asm("txq.height.b32 %0, [%1];" : "=r"(to[1]) : "l"(plane));
    asm("txq.array_size.b32 %0, [%1];" : "=r"(to[2]) : "l"(layers));
    asm("txq.normalized_coords.b32 %0, [%1];" : "=r"(to[3]) : "l"(plane));
    asm("txq.num_mipmap_levels.b32 %0, [%1];" : "=r"(to[4]) : "l"(plane));
    asm("suq.width.b32 %0, [%1];" : "=r"(to[5]) : "l"(s));
    asm("suq.height.b32 %0, [%1];" : "=r"(to[6]) : "l"(s));
    asm("suq.memory_layout.b32 %0, [%1];" : "=r"(to[7]) : "l"(s));
}

// Element (x, y) of the plane is 100 y + x.
__global__ void look(cudaTextureObject_t t, float *to)
{
    float a, b, c, d;
    asm("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {%7, %8};"
        : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
        : "l"(t), "f"(8.5f), "f"(2.5f), "r"(7), "r"(-2));
    to[0] = a; // 15, 0
    asm("tex.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}], {%7, %8};"
        : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
        : "l"(t), "r"(9), "r"(1), "r"(-8), "r"(3));
    to[1] = a; // 1, 4
    asm("tld4.r.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {%7, %8};"
        : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
        : "l"(t), "f"(8.f), "f"(2.f), "r"(5), "r"(1));
    to[2] = a, to[3] = b, to[4] = c, to[5] = d; // of 12, 13 and 2, 3
    unsigned short h[4];
    unsigned pair[2];
    asm("tex.2d.v4.f16.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
        : "=h"(h[0]), "=h"(h[1]), "=h"(h[2]), "=h"(h[3])
        : "l"(t), "f"(3.5f), "f"(5.5f));
    to[6] = __half2float(__ushort_as_half(h[0]));
    asm("tex.2d.v2.f16x2.f32 {%0, %1}, [%2, {%3, %4}];" : "=r"(pair[0]), "=r"(pair[1]) : "l"(t), "f"(4.5f), "f"(5.5f));
    to[7] = __half2float(__ushort_as_half((unsigned short)pair[0]));
    bool is_resident = false;
    to[8] = tex2D<float>(t, 1.5f, 1.5f, &is_resident) + is_resident;
}

__global__ void reduce(cudaSurfaceObject_t s)
{
    const int x = threadIdx.x % W;
    asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(4 * x), "r"(0), "r"(threadIdx.x));
    asm volatile("sured.b.min.2d.s32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(4 * x), "r"(1), "r"(-(int)threadIdx.x));
    asm volatile("sured.b.max.2d.u32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(4 * x), "r"(2 + 20 * (x % 2)), "r"(threadIdx.x));
    asm volatile("sured.b.or.2d.b32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(4 * x + 1000), "r"(3), "r"(1 << threadIdx.x % 32));
    asm volatile("sured.b.add.2d.u64.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(8 * (x / 2)), "r"(4), "l"((1ull << 32) + 2));
}

static cudaTextureObject_t texture_of(cudaArray_t array)
{
    cudaResourceDesc r = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    CHECK(cudaCreateTextureObject(&t, &r, &how, nullptr));
    return t;
}

int main()
{
    const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>(), words = cudaCreateChannelDesc<int>();
    float image[H][W];
    int zeros[H][W] = {}, got[H][W];
    for (int i = 0; i < W * H; i++)
        image[i / W][i % W] = 100.f * (i / W) + i % W;
    cudaArray_t plane, layers, surface;
    CHECK(cudaMallocArray(&plane, &floats, W, H, cudaArrayTextureGather));
    CHECK(cudaMalloc3DArray(&layers, &floats, make_cudaExtent(W, H, LAYERS), cudaArrayLayered));
    CHECK(cudaMallocArray(&surface, &words, W, H, cudaArraySurfaceLoadStore));
    CHECK(cudaMemcpy2DToArray(plane, 0, 0, image, sizeof image[0], sizeof image[0], H, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2DToArray(surface, 0, 0, zeros, sizeof zeros[0], sizeof zeros[0], H, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    cudaSurfaceObject_t s;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = surface;
    CHECK(cudaCreateSurfaceObject(&s, &r));
    const cudaTextureObject_t t = texture_of(plane);

    const int want_asked[8] = {W, H, LAYERS, 0, 1, W, H, 0};
    int asked[8], *asked_there = on_gpu(want_asked, 8);
    ask<<<1, 1>>>(t, texture_of(layers), s, asked_there);
    from_gpu(asked, asked_there, 8);
    compare("queries", asked, want_asked, 8);

    const float want_seen[9] = {15, 401, 312, 313, 213, 212, 503, 504, 102};
    float seen[9], *seen_there = on_gpu(want_seen, 9);
    look<<<1, 1>>>(t, seen_there);
    from_gpu(seen, seen_there, 9);
    compare("offsets and halves", seen, want_seen, 9);

    // 48 threads: x and x + 24 meet.
    int want[H][W] = {};
    for (int x = 0; x < W; x++) {
        want[0][x] = x + x + W;
        want[1][x] = -(x + W);
        want[2][x] = x % 2 ? 0 : x + W;
        want[3][W - 1] |= 1 << x % 32 | 1 << (x + W) % 32;
        want[4][x] += x % 2 ? 4 : 8;
    }
    reduce<<<1, 2 * W>>>(s);
    CHECK(cudaMemcpy2DFromArray(got, sizeof got[0], surface, 0, 0, sizeof got[0], H, cudaMemcpyDeviceToHost));
    compare("reductions", &got[0][0], &want[0][0], W * H);
    return 0;
}
