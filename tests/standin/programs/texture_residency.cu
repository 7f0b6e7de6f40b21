// SPDX-License-Identifier: Apache-2.0
// Whether what was looked up is resident: all of an array that is not sparse is (PTX ISA 9.0, "tex": "p is set to True if data from
// texture memory at specified coordinates is resident"). GPUs' instructions set a predicate for what is not.
#include "check.h"

enum { W = 8, H = 4, LEVEL = 0 };

__global__ void look(cudaTextureObject_t t, float *to)
{
    bool is_resident[4] = {};
    const float x = threadIdx.x + 0.5f;
    float sum = tex2D<float>(t, x, 1.5f, &is_resident[0]) + tex2DLod<float>(t, x, 2.5f, LEVEL, &is_resident[1]);
    sum += tex2Dgather<float4>(t, x, 1.f, &is_resident[2], 0).w;
    sum += tex2DGrad<float>(t, x, 3.5f, make_float2(0, 0), make_float2(0, 0), &is_resident[3]);
    for (int i = 0; i < 4; i++)
        sum += is_resident[i] ? 1000 << i : 0;
    to[threadIdx.x] = sum;
}

int main()
{
    const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    float image[H][W], want[W], got[W];
    for (int i = 0; i < W * H; i++)
        image[i / W][i % W] = 100.f * (i / W) + i % W;
    for (int i = 0; i < W; i++) // of each row one, and four that are there
        want[i] = image[1][i] + image[2][i] + image[0][i] + image[3][i] + 15000;
    cudaArray_t plane;
    CHECK(cudaMallocArray(&plane, &floats, W, H, cudaArrayTextureGather));
    CHECK(cudaMemcpy2DToArray(plane, 0, 0, image, sizeof image[0], sizeof image[0], H, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = plane;
    CHECK(cudaCreateTextureObject(&t, &r, &how, nullptr));
    float *there = on_gpu(want, W);
    look<<<1, W>>>(t, there);
    from_gpu(got, there, W);
    return compare("residency", got, want, W);
}
