// SPDX-License-Identifier: Apache-2.0
// nvcc: -lcuda
// The driver's copies of bytes in a row to and from arrays (cuMemcpyHtoA, AtoH, DtoA, AtoD, AtoA): which of them go over into the next row.
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

static unsigned char data[4096], back[4096];

static void tell(const char *name, size_t at, size_t bytes, CUresult code)
{
    unsigned sum = 0;
    for (size_t i = 0; i < sizeof back; i++)
        sum = sum * 31 + back[i];
    printf("%s %zu+%zu: %d %08x\n", name, at, bytes, (int)code, sum);
}

static CUarray make(CUarray_format format, unsigned channels, size_t width, size_t height)
{
    CUDA_ARRAY_DESCRIPTOR d = {};
    CUarray array = nullptr;
    d.Format = format;
    d.NumChannels = channels;
    d.Width = width;
    d.Height = height;
    if (cuArrayCreate(&array, &d) != CUDA_SUCCESS)
        printf("not made\n");
    return array;
}

static void ask(const char *name, CUarray_format format, unsigned channels, size_t width, size_t height, size_t row, size_t rows)
{
    static const size_t cases[][2] = {{0, 1}, {0, 2}, {2, 1}, {1, 1}, {0, 3}, {1, 2}, {0, 8}, {3, 2}, {4, 1}, {2, 3}, {2, 2}};
    const CUarray array = make(format, channels, width, height), other = make(format, channels, width, height);
    CUdeviceptr p;
    cuMemAlloc(&p, sizeof data);
    cuMemcpyHtoD(p, data, sizeof data);
    printf("%s: %zu rows of %zu bytes\n", name, rows, row);
    for (const auto &c : cases) { /* quarters of a row */
        const size_t at = c[0] * row / 4, bytes = c[1] * row / 4;
        memset(back, 0xcc, sizeof back);
        tell("to", at, bytes, cuMemcpyHtoA(array, at, data, bytes));
        tell("from", at, bytes, cuMemcpyAtoH(back, array, at, bytes));
        tell("to of the device", at, bytes, cuMemcpyDtoA(array, at, p, bytes));
        tell("from of the device", at, bytes, cuMemcpyAtoD(p, array, at, bytes));
        tell("between", at, bytes, cuMemcpyAtoA(other, at, array, at, bytes));
        tell("to, in a stream", at, bytes, cuMemcpyHtoAAsync(array, at, data, bytes, 0));
        cuCtxSynchronize();
    }
    cuMemFree(p);
    cuArrayDestroy(array);
    cuArrayDestroy(other);
}

int main()
{
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 7 + i / 256);
    cudaFree(0);
    ask("a row of floats", CU_AD_FORMAT_FLOAT, 1, 16, 0, 64, 1);
    ask("one row of a plane", CU_AD_FORMAT_FLOAT, 1, 16, 1, 64, 1);
    ask("a plane of floats", CU_AD_FORMAT_FLOAT, 1, 16, 4, 64, 4);
    ask("a plane of bytes", CU_AD_FORMAT_UNSIGNED_INT8, 4, 16, 4, 64, 4);
    ask("a row of blocks", CU_AD_FORMAT_BC1_UNORM, 4, 32, 4, 64, 1);
    ask("blocks", CU_AD_FORMAT_BC1_UNORM, 4, 32, 16, 64, 4);
    return 0;
}
