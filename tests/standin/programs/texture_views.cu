// SPDX-License-Identifier: Apache-2.0
// Views of textures: some levels of a mipmapped array, some layers, other formats of the same size, and what is no view. CUDA
// Runtime API, cudaCreateTextureObject. An H200 (driver 580) prints the same: it
// accepts a level more than there are, and a question about a view that there is not.
#include "check.h"
#include <cstring>

__global__ void read_levels(cudaTextureObject_t texture, float *out)
{
    for (int level = 0; level < 4; level++)
        out[level] = tex2DLod<float>(texture, 0.5f, 0.5f, level);
}

__global__ void read_layers(cudaTextureObject_t texture, float *out)
{
    for (int layer = 0; layer < 3; layer++)
        out[layer] = tex2DLayered<float>(texture, 1.5f, 1.5f, layer);
}

__global__ void read_words(cudaTextureObject_t texture, unsigned *out)
{
    for (int i = 0; i < 4; i++)
        out[i] = tex2D<unsigned>(texture, i + 0.5f, 0.5f);
}

__global__ void read_bytes(cudaTextureObject_t texture, uchar4 *out)
{
    *out = tex2D<uchar4>(texture, 1.5f, 0.5f);
}

static const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();

static cudaError_t make(cudaTextureObject_t *out, const cudaResourceDesc &resource, const cudaResourceViewDesc *view)
{
    cudaTextureDesc how = {};
    how.maxMipmapLevelClamp = 10;
    how.normalizedCoords = resource.resType == cudaResourceTypeMipmappedArray;
    const cudaError_t code = cudaCreateTextureObject(out, &resource, &how, view);
    cudaGetLastError();
    return code;
}

static cudaResourceViewDesc all(cudaResourceViewFormat format, size_t width, size_t height, size_t depth)
{
    cudaResourceViewDesc view = {};
    view.format = format;
    view.width = width;
    view.height = height;
    view.depth = depth;
    return view;
}

static void fill(cudaArray_t array, size_t width, size_t height, size_t depth, const float *from)
{
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr((void *)from, width * sizeof *from, width, height);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(width, height, depth);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
}

static void show(const char *what, const float *from, int count)
{
    float got[4];
    from_gpu(got, from, count);
    printf("%s:", what);
    for (int i = 0; i < count; i++)
        printf(" %g", got[i]);
    printf("\n");
}

static void levels(float *out)
{
    cudaMipmappedArray_t mipmaps;
    cudaResourceDesc resource = {};
    cudaTextureObject_t whole, some;
    float values[64];
    CHECK(cudaMallocMipmappedArray(&mipmaps, &floats, make_cudaExtent(8, 8, 0), 4));
    for (int level = 0; level < 4; level++) {
        cudaArray_t array;
        for (float &value : values)
            value = 10 + level;
        CHECK(cudaGetMipmappedArrayLevel(&array, mipmaps, level));
        fill(array, 8 >> level, 8 >> level, 1, values);
    }
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmaps;
    cudaResourceViewDesc view = all(cudaResViewFormatFloat1, 8, 8, 0), told;
    view.firstMipmapLevel = 1;
    view.lastMipmapLevel = 2;
    CHECK(make(&whole, resource, NULL));
    CHECK(make(&some, resource, &view));
    read_levels<<<1, 1>>>(whole, out);
    show("all levels", out, 4);
    read_levels<<<1, 1>>>(some, out);
    show("two levels", out, 4);
    CHECK(cudaGetTextureObjectResourceViewDesc(&told, some));
    printf("told: %d\n", memcmp(&told, &view, sizeof view) == 0);
    view.lastMipmapLevel = 4;
    printf("a fifth level: %s\n", cudaGetErrorName(make(&some, resource, &view)));
    view = all(cudaResViewFormatFloat1, 4, 4, 0);
    printf("another size: %s\n", cudaGetErrorName(make(&some, resource, &view)));
}

static void layers(float *out)
{
    cudaArray_t array;
    cudaResourceDesc resource = {};
    cudaTextureObject_t texture;
    float values[64];
    for (int i = 0; i < 64; i++)
        values[i] = i;
    CHECK(cudaMalloc3DArray(&array, &floats, make_cudaExtent(4, 4, 4), cudaArrayLayered));
    fill(array, 4, 4, 4, values);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaResourceViewDesc view = all(cudaResViewFormatNone, 4, 4, 4);
    view.firstLayer = 1;
    view.lastLayer = 2;
    printf("without a format: %s\n", cudaGetErrorName(make(&texture, resource, &view)));
    view.format = cudaResViewFormatFloat1;
    CHECK(make(&texture, resource, &view));
    read_layers<<<1, 1>>>(texture, out);
    show("two layers", out, 2);
}

static void formats()
{
    cudaArray_t array;
    cudaResourceDesc resource = {};
    cudaTextureObject_t texture;
    static const float values[] = {1, -2, 0.5f, 0};
    unsigned *words, got[4];
    uchar4 bytes;
    CHECK(cudaMalloc(&words, sizeof got));
    CHECK(cudaMallocArray(&array, &floats, 4, 1));
    fill(array, 4, 1, 1, values);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaResourceViewDesc view = all(cudaResViewFormatUnsignedInt1, 4, 1, 0);
    CHECK(make(&texture, resource, &view));
    read_words<<<1, 1>>>(texture, words);
    from_gpu(got, words, 4);
    printf("as words: %08x %08x %08x %08x\n", got[0], got[1], got[2], got[3]);
    view.format = cudaResViewFormatUnsignedChar4;
    CHECK(make(&texture, resource, &view));
    read_bytes<<<1, 1>>>(texture, (uchar4 *)words);
    from_gpu(&bytes, (uchar4 *)words, 1);
    printf("as bytes: %d %d %d %d\n", bytes.x, bytes.y, bytes.z, bytes.w);
    view.format = cudaResViewFormatFloat2;
    printf("twice as large: %s\n", cudaGetErrorName(make(&texture, resource, &view)));
    view.format = cudaResViewFormatFloat1;
    view.lastLayer = 1;
    printf("layers of none: %s\n", cudaGetErrorName(make(&texture, resource, &view)));
    CHECK(make(&texture, resource, NULL));
    printf("no view: %s\n", cudaGetErrorName(cudaGetTextureObjectResourceViewDesc(&view, texture)));
}

int main()
{
    float *out;
    CHECK(cudaMalloc(&out, 4 * sizeof *out));
    levels(out);
    layers(out);
    formats();
}
