/* SPDX-License-Identifier: Apache-2.0
 * What reductions on surfaces by bytes (sured.b) and by elements (sured.p) leave in memory: a line a case, 24 words of the row,
 * beside those of a store, which say that the surface is what it is taken for.
 *     nvcc -arch=sm_90 -o surface_reductions tools/gpu/surface_reductions.cu && ./surface_reductions */
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

enum { W = 24, H = 6 };

#define ONE(n, text, ...)                                                                          \
    case n:                                                                                        \
        asm volatile(text ";" ::"l"(s), __VA_ARGS__);                                              \
        break

__global__ void change(cudaSurfaceObject_t s, int which)
{
    const int x = threadIdx.x;
    switch (which) {
        ONE(0, "sust.b.2d.b32.trap [%0, {%1, %2}], %3", "r"(4 * x), "r"(1), "r"(x + 1));
        ONE(1, "sured.b.add.2d.u32.trap [%0, {%1, %2}], %3", "r"(4 * x), "r"(1), "r"(x + 1));
        ONE(2, "sured.b.add.2d.u32.zero [%0, {%1, %2}], %3", "r"(4 * x), "r"(1), "r"(x + 1));
        ONE(3, "sured.b.add.2d.u32.clamp [%0, {%1, %2}], %3", "r"(4 * x), "r"(1), "r"(x + 1));
        ONE(4, "sured.p.add.2d.b32.zero [%0, {%1, %2}], %3", "r"(x), "r"(1), "r"(x + 1));
        ONE(5, "sured.p.add.2d.b32.trap [%0, {%1, %2}], %3", "r"(x), "r"(1), "r"(x + 1));
        ONE(6, "sured.p.max.2d.b32.zero [%0, {%1, %2}], %3", "r"(x), "r"(1), "r"(x + 1));
        ONE(7, "sured.b.add.2d.u64.zero [%0, {%1, %2}], %3", "r"(8 * x), "r"(1),
            "l"((1ull << 32) + 2));
        ONE(8, "sured.b.min.2d.s32.zero [%0, {%1, %2}], %3", "r"(4 * x), "r"(1), "r"(-x));
        ONE(9, "sured.b.or.2d.b32.zero [%0, {%1, %2}], %3", "r"(4 * x), "r"(1), "r"(1 << x));
    }
}

int main()
{
    static const char *const names[] = {
        "store b",        "add b trap", "add b zero", "add b clamp", "add p b32 zero",
        "add p b32 trap", "max p b32",  "add b u64",  "min b s32",   "or b b32"};
    for (int kind = 0; kind < 3; kind++)
        for (int which = 0; which < 10; which++) {

            const cudaChannelFormatDesc words = kind == 0   ? cudaCreateChannelDesc<int>()
                                                : kind == 1 ? cudaCreateChannelDesc<unsigned>()
                                                            : cudaCreateChannelDesc<uint2>();
            const int elements = kind == 2 ? W / 2 : W;
            uint32_t image[H][W] = {};
            cudaArray_t array;
            cudaResourceDesc r = {};
            cudaSurfaceObject_t s;
            cudaMallocArray(&array, &words, elements, H, cudaArraySurfaceLoadStore);
            cudaMemcpy2DToArray(array, 0, 0, image, sizeof image[0], sizeof image[0], H,
                                cudaMemcpyHostToDevice);
            r.resType = cudaResourceTypeArray;
            r.res.array.array = array;
            cudaCreateSurfaceObject(&s, &r);
            change<<<1, which == 7 || kind == 2 ? W / 2 : W>>>(s, which);
            const cudaError_t code = cudaDeviceSynchronize();
            cudaMemcpy2DFromArray(image, sizeof image[0], array, 0, 0, sizeof image[0], H,
                                  cudaMemcpyDeviceToHost);
            printf("%s/%s %d:",
                   kind == 0   ? "s32"
                   : kind == 1 ? "u32"
                               : "u32x2",
                   names[which], (int)code);
            for (int x = 0; x < W; x++)
                printf(" %x", image[1][x]);
            int others = 0;
            for (int y = 0; y < H; y++)
                for (int x = 0; x < W; x++)
                    others += y != 1 && image[y][x];
            printf(" others %d\n", others);
            if (code != cudaSuccess)
                cudaDeviceReset();
        }
    return 0;
}
