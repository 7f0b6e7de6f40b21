// SPDX-License-Identifier: Apache-2.0
// Arrays of normalised kinds (CUDA Runtime API, cudaChannelFormatKind): what they are described as, what a texture reads
// of them, which is a fraction whatever its read mode (Programming Guide, "Texture Object API": the full range of an integer
// stands for 0 to 1, or -1 to 1), and the words that a surface sees.
#include "check.h"
#include <cmath>
#include <cstring>

enum { WIDTH = 4 };

__global__ void read_floats(cudaTextureObject_t texture, float4 *out)
{
    for (int x = 0; x < WIDTH; x++)
        out[x] = tex2D<float4>(texture, x + 0.5f, 0.5f);
}

__global__ void read_bytes(cudaSurfaceObject_t surface, unsigned char *out, int count)
{
    for (int i = 0; i < count; i++)
        out[i] = surf2Dread<unsigned char>(surface, i, 0);
}

struct kind {
    const char *name;
    cudaChannelFormatKind kind;
    int bits, channels;
    bool is_signed;
};

static const kind kinds[] = {
    {"unsigned 8 x 1", cudaChannelFormatKindUnsignedNormalized8X1, 8, 1, false},
    {"unsigned 8 x 2", cudaChannelFormatKindUnsignedNormalized8X2, 8, 2, false},
    {"unsigned 8 x 4", cudaChannelFormatKindUnsignedNormalized8X4, 8, 4, false},
    {"unsigned 16 x 1", cudaChannelFormatKindUnsignedNormalized16X1, 16, 1, false},
    {"unsigned 16 x 2", cudaChannelFormatKindUnsignedNormalized16X2, 16, 2, false},
    {"unsigned 16 x 4", cudaChannelFormatKindUnsignedNormalized16X4, 16, 4, false},
    {"signed 8 x 1", cudaChannelFormatKindSignedNormalized8X1, 8, 1, true},
    {"signed 8 x 2", cudaChannelFormatKindSignedNormalized8X2, 8, 2, true},
    {"signed 8 x 4", cudaChannelFormatKindSignedNormalized8X4, 8, 4, true},
    {"signed 16 x 1", cudaChannelFormatKindSignedNormalized16X1, 16, 1, true},
    {"signed 16 x 2", cudaChannelFormatKindSignedNormalized16X2, 16, 2, true},
    {"signed 16 x 4", cudaChannelFormatKindSignedNormalized16X4, 16, 4, true},
    {"10, 10, 10, 2", cudaChannelFormatKindUnsignedNormalized1010102, 10, 4, false},
};

static bool is_packed(const kind &k)
{
    return k.bits == 10;
}

static int element_bytes(const kind &k)
{
    return is_packed(k) ? 4 : k.bits / 8 * k.channels;
}

// The channel of element `x` as the texture should read it.
static float fraction(const kind &k, const unsigned char *bytes, int x, int channel)
{
    if (channel >= k.channels)
        return 0;
    const unsigned char *element = bytes + x * element_bytes(k);
    const int bits = is_packed(k) && channel == 3 ? 2 : k.bits;
    unsigned word = 0;
    memcpy(&word, is_packed(k) ? element : element + channel * k.bits / 8, is_packed(k) ? 4 : k.bits / 8);
    const unsigned raw = (is_packed(k) ? word >> 10 * channel : word) & ((1u << bits) - 1);
    if (!k.is_signed)
        return (float)(raw / (double)((1u << bits) - 1));
    const int value = raw >> (bits - 1) ? (int)raw - (1 << bits) : (int)raw;
    return (float)fmax(value / (double)((1 << (bits - 1)) - 1), -1.0);
}

static void ask(const kind &k)
{
    unsigned char bytes[WIDTH * 8], seen[sizeof bytes];
    float4 read[WIDTH];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = i == 0 ? 0x80 : i == 1 ? 0xff : i == 3 ? 0x80 : 37 * i + 11;
    const int size = element_bytes(k) * WIDTH, bits = k.bits;
    const cudaChannelFormatDesc asked =
        is_packed(k) ? cudaCreateChannelDesc(10, 10, 10, 2, k.kind)
                     : cudaCreateChannelDesc(bits, k.channels > 1 ? bits : 0, k.channels > 2 ? bits : 0,
                                             k.channels > 2 ? bits : 0, k.kind);
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &asked, WIDTH, 1, cudaArraySurfaceLoadStore));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, bytes, size, size, 1, cudaMemcpyHostToDevice));
    cudaChannelFormatDesc told;
    CHECK(cudaGetChannelDesc(&told, array));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    // The other mode is refused, as an H200 does.
    const cudaTextureReadMode mode = is_packed(k) ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
    how.readMode = is_packed(k) ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    if (cudaCreateTextureObject(&texture, &resource, &how, nullptr) != cudaErrorInvalidNormSetting)
        printf("%s: the other mode is taken\n", k.name);
    how.readMode = mode;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    float4 *floats = on_gpu(read, WIDTH);
    unsigned char *words = on_gpu(bytes, sizeof bytes);
    read_floats<<<1, 1>>>(texture, floats);
    read_bytes<<<1, 1>>>(surface, words, size);
    from_gpu(read, floats, WIDTH);
    from_gpu(seen, words, sizeof bytes);
    bool are_fractions = true;
    for (int x = 0; x < WIDTH; x++) {
        const float channel[] = {read[x].x, read[x].y, read[x].z, read[x].w};
        for (int c = 0; c < 4; c++)
            are_fractions = are_fractions && channel[c] == fraction(k, bytes, x, c);
    }
    printf("%s: described %s, read %s, words %s\n", k.name, memcmp(&told, &asked, sizeof told) ? "wrong" : "right",
           are_fractions ? "right" : "wrong", memcmp(seen, bytes, size) ? "wrong" : "right");
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaFreeArray(array));
}

int main()
{
    for (const kind &k : kinds)
        ask(k);
    // Channels that are not those of the kind.
    const cudaChannelFormatDesc wrong = cudaCreateChannelDesc(8, 8, 0, 0, cudaChannelFormatKindUnsignedNormalized8X4);
    cudaArray_t array;
    printf("two channels of four: %s\n", cudaMallocArray(&array, &wrong, WIDTH, 1) ? "refused" : "taken");
    cudaGetLastError();
    return 0;
}
