// SPDX-License-Identifier: Apache-2.0
// Surface objects: what one kernel writes another reads, inside and outside of the array (CUDA C++ Programming Guide,
// "Surface Memory": the first coordinate counts bytes; outside, reads give zero and writes nothing, or the edge).
#include "check.h"
#include <vector>

enum { W = 13, H = 6, D = 4 };

template <typename T> __global__ void write(cudaSurfaceObject_t s, int is_layered)
{
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    T v;
    unsigned char *at = (unsigned char *)&v;
    for (int i = 0; i < (int)sizeof v; i++)
        at[i] = (unsigned char)(x + 20 * y + 40 * z + i);
    if (is_layered)
        surf2DLayeredwrite(v, s, x * (int)sizeof v, y, z, cudaBoundaryModeZero);
    else
        surf3Dwrite(v, s, x * (int)sizeof v, y, z, cudaBoundaryModeZero);
}

template <typename T> __global__ void read(cudaSurfaceObject_t s, T *to, int is_layered, int clamps)
{
    const int x = (int)threadIdx.x - 1, y = (int)threadIdx.y - 1, z = threadIdx.z,
              bytes = (int)sizeof(T);
    const int i = (z * (H + 2) + y + 1) * (W + 2) + x + 1;
    if (is_layered)
        to[i] = clamps ? surf2DLayeredread<T>(s, x * bytes, y, z, cudaBoundaryModeClamp)
                       : surf2DLayeredread<T>(s, x * bytes, y, z, cudaBoundaryModeZero);
    else
        to[i] = clamps ? surf3Dread<T>(s, x * bytes, y, z, cudaBoundaryModeClamp)
                       : surf3Dread<T>(s, x * bytes, y, z, cudaBoundaryModeZero);
}

static int clamped(int at, int size)
{
    return at < 0 ? 0 : at >= size ? size - 1 : at;
}

template <typename T> static void one_type(const char *name, const cudaChannelFormatDesc &desc)
{
    const size_t count = (W + 2) * (H + 2) * D, bytes = count * sizeof(T);
    for (int how = 0; how < 4; how++) {
        const bool is_layered = how & 1, clamps = how & 2;
        cudaArray_t array;
        cudaSurfaceObject_t s;
        cudaResourceDesc r = {};
        T *there;
        std::vector<unsigned char> got(bytes), want(bytes);
        CHECK(cudaMalloc3DArray(&array, &desc, make_cudaExtent(W, H, D),
                                cudaArraySurfaceLoadStore | (is_layered ? cudaArrayLayered : 0)));
        r.resType = cudaResourceTypeArray;
        r.res.array.array = array;
        CHECK(cudaCreateSurfaceObject(&s, &r));
        CHECK(cudaMalloc(&there, bytes));
        write<T><<<1, dim3(W + 3, H + 3, D)>>>(s, is_layered);
        read<T><<<1, dim3(W + 2, H + 2, D)>>>(s, there, is_layered, clamps);
        CHECK(cudaMemcpy(got.data(), there, bytes, cudaMemcpyDeviceToHost));
        for (int i = 0; i < (int)bytes; i++) {
            const int e = i / (int)sizeof(T), x = e % (W + 2) - 1, y = e / (W + 2) % (H + 2) - 1,
                      z = e / (W + 2) / (H + 2);
            const bool is_inside = x >= 0 && x < W && y >= 0 && y < H;
            const int value = clamped(x, W) + 20 * clamped(y, H) + 40 * z + i % (int)sizeof(T);
            want[(size_t)i] = is_inside || clamps ? (unsigned char)value : 0;
        }
        printf("%s, %s, ", is_layered ? "layers" : "a box", clamps ? "clamped" : "zero outside");
        compare(name, got.data(), want.data(), bytes);
        CHECK(cudaDestroySurfaceObject(s));
        CHECK(cudaFreeArray(array));
        CHECK(cudaFree(there));
    }
}

int main()
{
    one_type<unsigned char>("8 bits", cudaCreateChannelDesc<unsigned char>());
    one_type<ushort1>("16 bits", cudaCreateChannelDesc<ushort1>());
    one_type<float>("32 bits", cudaCreateChannelDesc<float>());
    one_type<int2>("64 bits", cudaCreateChannelDesc<int2>());
    one_type<float4>("128 bits", cudaCreateChannelDesc<float4>());
    return 0;
}
