// SPDX-License-Identifier: Apache-2.0
// Offsets of elements: of -8 to 7 in each dimension, of gathers too, beside levels and layers (PTX ISA 9.0, "tex", "tld4").
#include "check.h"

enum { W = 24, H = 6, LAYERS = 5 };

#define TEX(name, place, offsets, ...)                                                             \
    asm(name " {%0, %1, %2, %3}, [%4, " place "], " offsets ";"                                    \
        : "=f"(a), "=f"(b), "=f"(c), "=f"(d)                                                       \
        : __VA_ARGS__)

// Element (x, y) of the plane is 100 y + x, of layer z 100 (y + H z) + x.
__global__ void look(cudaTextureObject_t plane, cudaTextureObject_t layers, float *to)
{
    float a, b, c, d;
    TEX("tex.2d.v4.f32.f32", "{%5, %6}", "{%7, %8}", "l"(plane), "f"(8.5f), "f"(2.5f), "r"(7), "r"(-2));
    to[0] = a; // 15, 0
    TEX("tex.2d.v4.f32.s32", "{%5, %6}", "{%7, %8}", "l"(plane), "r"(9), "r"(1), "r"(-8), "r"(3));
    to[1] = a; // 1, 4
    TEX("tld4.r.2d.v4.f32.f32", "{%5, %6}", "{%7, %8}", "l"(plane), "f"(8.f), "f"(2.f), "r"(5), "r"(1));
    to[2] = a, to[3] = b, to[4] = c, to[5] = d; // of 12, 13 and 2, 3
    TEX("tex.level.2d.v4.f32.f32", "{%5, %6}", "%9, {%7, %8}", "l"(plane), "f"(8.5f), "f"(2.5f), "r"(-3), "r"(1),
        "f"(to[0]));
    to[6] = a; // 5, 3
    TEX("tex.a2d.v4.f32.f32", "{%9, %5, %6, %6}", "{%7, %8}", "l"(layers), "f"(8.5f), "f"(2.5f), "r"(-3), "r"(1),
        "r"((int)to[0] / 10));
    to[7] = a; // 5, 3 of layer 1
    TEX("tex.2d.v4.f32.f32", "{%5, %6}", "{%7, %8}", "l"(plane), "f"(8.5f), "f"(2.5f), "r"((int)to[7]), "r"((int)to[1]));
    to[8] = a; // 905 and 401 are -7 and 1 in four bits
}

static cudaTextureObject_t texture_of(cudaArray_t array)
{
    cudaResourceDesc r = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    CHECK(cudaCreateTextureObject(&t, &r, &how, nullptr));
    return t;
}

int main()
{
    const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    static float image[LAYERS * H][W];
    for (int i = 0; i < LAYERS * W * H; i++)
        image[i / W][i % W] = 100.f * (i / W) + i % W;
    cudaArray_t plane, layers;
    cudaMemcpy3DParms copy = {};
    CHECK(cudaMallocArray(&plane, &floats, W, H, cudaArrayTextureGather));
    CHECK(cudaMalloc3DArray(&layers, &floats, make_cudaExtent(W, H, LAYERS), cudaArrayLayered));
    CHECK(cudaMemcpy2DToArray(plane, 0, 0, image, sizeof image[0], sizeof image[0], H, cudaMemcpyHostToDevice));
    copy.srcPtr = make_cudaPitchedPtr(image, sizeof image[0], W, H);
    copy.dstArray = layers;
    copy.extent = make_cudaExtent(W, H, LAYERS);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    const float want[9] = {15, 401, 312, 313, 213, 212, 305, 905, 301};
    float got[9], *there = on_gpu(want, 9);
    CHECK(cudaMemset(there, 0, sizeof got));
    look<<<1, 1>>>(texture_of(plane), texture_of(layers), there);
    from_gpu(got, there, 9);
    return compare("offsets", got, want, 9);
}
