/* SPDX-License-Identifier: Apache-2.0
 * Arrays of every kind of channels that CUDA Runtime API names (cudaChannelFormatKind): whether they can be made, what
 * cudaGetChannelDesc says of them, what CUarray_format they have, and what textures fetch of them, to the nearest and filtered,
 * as bits; a line each. Under `inflight run` it prints the same but for what docs/machine-code.md says is refused:
 *     nvcc -arch=sm_90 -std=c++17 -O3 -o texture_formats tools/gpu/texture_formats.cu -lcuda
 *     ./texture_formats > gpu.txt; inflight run -- ./texture_formats > here.txt; diff gpu.txt here.txt */
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

enum { WIDTH = 16, HEIGHT = 16, PLACES = 12, MOST_BYTES = WIDTH * HEIGHT * 8 };

struct kind {
    const char *name;
    int number, bits[4];
    int unit, bytes; /* texels of a block in each direction, and its bytes */
};

static const kind kinds[] = {
    {"nv12", cudaChannelFormatKindNV12, {8, 8, 8, 0}, 1, 1},
    {"un8x1", cudaChannelFormatKindUnsignedNormalized8X1, {8}, 1, 1},
    {"un8x2", cudaChannelFormatKindUnsignedNormalized8X2, {8, 8}, 1, 2},
    {"un8x4", cudaChannelFormatKindUnsignedNormalized8X4, {8, 8, 8, 8}, 1, 4},
    {"un16x1", cudaChannelFormatKindUnsignedNormalized16X1, {16}, 1, 2},
    {"un16x2", cudaChannelFormatKindUnsignedNormalized16X2, {16, 16}, 1, 4},
    {"un16x4", cudaChannelFormatKindUnsignedNormalized16X4, {16, 16, 16, 16}, 1, 8},
    {"sn8x1", cudaChannelFormatKindSignedNormalized8X1, {8}, 1, 1},
    {"sn8x2", cudaChannelFormatKindSignedNormalized8X2, {8, 8}, 1, 2},
    {"sn8x4", cudaChannelFormatKindSignedNormalized8X4, {8, 8, 8, 8}, 1, 4},
    {"sn16x1", cudaChannelFormatKindSignedNormalized16X1, {16}, 1, 2},
    {"sn16x2", cudaChannelFormatKindSignedNormalized16X2, {16, 16}, 1, 4},
    {"sn16x4", cudaChannelFormatKindSignedNormalized16X4, {16, 16, 16, 16}, 1, 8},
    {"un1010102", cudaChannelFormatKindUnsignedNormalized1010102, {10, 10, 10, 2}, 1, 4},
    {"bc1", cudaChannelFormatKindUnsignedBlockCompressed1, {8, 8, 8, 8}, 4, 8},
    {"bc1srgb", cudaChannelFormatKindUnsignedBlockCompressed1SRGB, {8, 8, 8, 8}, 4, 8},
    {"bc2", cudaChannelFormatKindUnsignedBlockCompressed2, {8, 8, 8, 8}, 4, 16},
    {"bc2srgb", cudaChannelFormatKindUnsignedBlockCompressed2SRGB, {8, 8, 8, 8}, 4, 16},
    {"bc3", cudaChannelFormatKindUnsignedBlockCompressed3, {8, 8, 8, 8}, 4, 16},
    {"bc3srgb", cudaChannelFormatKindUnsignedBlockCompressed3SRGB, {8, 8, 8, 8}, 4, 16},
    {"bc4u", cudaChannelFormatKindUnsignedBlockCompressed4, {8}, 4, 8},
    {"bc4s", cudaChannelFormatKindSignedBlockCompressed4, {8}, 4, 8},
    {"bc5u", cudaChannelFormatKindUnsignedBlockCompressed5, {8, 8}, 4, 16},
    {"bc5s", cudaChannelFormatKindSignedBlockCompressed5, {8, 8}, 4, 16},
    {"bc6u", cudaChannelFormatKindUnsignedBlockCompressed6H, {16, 16, 16}, 4, 16},
    {"bc6s", cudaChannelFormatKindSignedBlockCompressed6H, {16, 16, 16}, 4, 16},
    {"bc7", cudaChannelFormatKindUnsignedBlockCompressed7, {8, 8, 8, 8}, 4, 16},
    {"bc7srgb", cudaChannelFormatKindUnsignedBlockCompressed7SRGB, {8, 8, 8, 8}, 4, 16},
};

__global__ void fetch(cudaTextureObject_t texture, const float2 *at, float4 *out)
{
    const int i = threadIdx.x;
    out[i] = tex2D<float4>(texture, at[i].x, at[i].y);
}

static cudaChannelFormatDesc channels_of(const kind &k)
{
    return cudaCreateChannelDesc(k.bits[0], k.bits[1], k.bits[2], k.bits[3], (cudaChannelFormatKind)k.number);
}

/* Nothing repeats, and the first bytes are the least and largest. */
static void fill(unsigned char *bytes)
{
    static const unsigned char first[] = {0, 0x80, 0xff, 0x7f, 0x80, 0x80, 0x01, 0x00};
    unsigned state = 1;
    for (int i = 0; i < MOST_BYTES; i++) {
        state = state * 1664525 + 1013904223;
        bytes[i] = i < (int)sizeof first ? first[i] : state >> 24;
    }
}

static const char *name_of(cudaError_t code)
{
    cudaGetLastError();
    return cudaGetErrorName(code);
}

static void describe(const kind &k, cudaArray_t array)
{
    cudaChannelFormatDesc told = {};
    CUDA_ARRAY3D_DESCRIPTOR format = {};
    const cudaError_t code = cudaGetChannelDesc(&told, array);
    const CUresult asked = cuArray3DGetDescriptor(&format, (CUarray)array);
    printf("%s described %s: %d %d %d %d kind %d; driver %d: format %#x of %u\n", k.name, name_of(code), told.x, told.y,
           told.z, told.w, (int)told.f, (int)asked, (unsigned)format.Format, format.NumChannels);
}

static void read_with(const kind &k, cudaArray_t array, cudaTextureFilterMode filter, cudaTextureReadMode mode, bool srgb)
{
    static const float2 places[PLACES] = {{0.5f, 0.5f}, {1.5f, 0.5f}, {2.5f, 0.5f},   {3.5f, 3.5f},  {5.5f, 2.5f}, {15.5f, 15.5f},
                                          {1, 1},       {1.25f, 0.5f}, {2.75f, 1.125f}, {4, 4},      {7.3f, 9.6f}, {16.5f, -1}};
    const char *how_name = filter == cudaFilterModeLinear ? "linear" : "point",
               *mode_name = mode == cudaReadModeElementType ? "as is" : "as floats";
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = filter;
    how.readMode = mode;
    how.sRGB = srgb;
    cudaTextureObject_t texture;
    cudaError_t code = cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    if (code != cudaSuccess) {
        printf("%s %s %s%s: %s\n", k.name, how_name, mode_name, srgb ? " srgb" : "", name_of(code));
        return;
    }
    float2 *at;
    float4 *out, read[PLACES] = {};
    cudaMalloc(&at, sizeof places);
    cudaMalloc(&out, sizeof read);
    cudaMemcpy(at, places, sizeof places, cudaMemcpyHostToDevice);
    fetch<<<1, PLACES>>>(texture, at, out);
    code = cudaMemcpy(read, out, sizeof read, cudaMemcpyDeviceToHost);
    if (code != cudaSuccess)
        printf("%s %s %s: %s\n", k.name, how_name, mode_name, name_of(code));
    for (int i = 0; i < PLACES && code == cudaSuccess; i++) {
        unsigned word[4];
        memcpy(word, &read[i], sizeof word);
        printf("%s %s %s%s %g,%g: %08x %08x %08x %08x\n", k.name, how_name, mode_name, srgb ? " srgb" : "", places[i].x,
               places[i].y, word[0], word[1], word[2], word[3]);
    }
    cudaDestroyTextureObject(texture);
    cudaFree(at);
    cudaFree(out);
}

static void ask(const kind &k)
{
    static unsigned char bytes[MOST_BYTES];
    const cudaChannelFormatDesc channels = channels_of(k);
    const size_t row = (size_t)WIDTH / k.unit * k.bytes, rows = HEIGHT / k.unit;
    cudaArray_t array;
    cudaError_t code = cudaMallocArray(&array, &channels, WIDTH, HEIGHT);
    printf("%s made: %s\n", k.name, name_of(code));
    if (code != cudaSuccess)
        return;
    describe(k, array);
    fill(bytes);
    code = cudaMemcpy2DToArray(array, 0, 0, bytes, row, row, rows, cudaMemcpyHostToDevice);
    printf("%s copied: %s\n", k.name, name_of(code));
    read_with(k, array, cudaFilterModePoint, cudaReadModeElementType, false);
    read_with(k, array, cudaFilterModePoint, cudaReadModeNormalizedFloat, false);
    read_with(k, array, cudaFilterModeLinear, cudaReadModeElementType, false);
    read_with(k, array, cudaFilterModeLinear, cudaReadModeNormalizedFloat, false);
    read_with(k, array, cudaFilterModePoint, cudaReadModeNormalizedFloat, true);
    cudaFreeArray(array);
    cudaArray_t surface;
    code = cudaMallocArray(&surface, &channels, WIDTH, HEIGHT, cudaArraySurfaceLoadStore);
    printf("%s made for surfaces: %s\n", k.name, name_of(code));
    if (code == cudaSuccess)
        cudaFreeArray(surface);
}

int main()
{
    for (const kind &k : kinds)
        ask(k);
    return 0;
}
