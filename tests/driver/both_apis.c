/* SPDX-License-Identifier: Apache-2.0
 * The runtime and the driver in one program: memory, kernels and contexts of one are the
 * other's. */
#include "cu.h"

#include <dlfcn.h>
#include <pthread.h>

extern int cudaMalloc(void **out, size_t bytes);
extern int cudaFree(void *at);
extern int cudaMallocManaged(void **out, size_t bytes, unsigned flags);
extern int cudaGetLastError(void);
extern int cudaDeviceGetPCIBusId(char *to, int room, int device);
extern int cuDeviceGetPCIBusId(char *to, int room, int device);
extern int cuFuncSetAttribute(void *function, int attribute, int value);
extern int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *is_active);
extern int cudaLibraryLoadData(void **out, const void *image, int *options, void **values,
                               unsigned count, int *more, void **more_values, unsigned more_count);
extern int cudaLibraryGetKernel(void **out, void *library, const char *name);
extern int cudaGetDriverEntryPointByVersion(const char *name, void **out, unsigned version,
                                            unsigned long long flags, int *found);

/* The runtime makes the driver ready for all threads, and leaves a thread that has not called it
 * without a context. */
static void *other_thread(void *unused)
{
    void *context = &unused;
    unsigned flags;
    int is_active = 0;
    OK(cuDevicePrimaryCtxGetState(0, &flags, &is_active));
    EXPECT(is_active, 1);
    OK(cuCtxGetCurrent(&context));
    EXPECT(context == NULL, 1);
    /* cuBLAS asks this table for the context, in threads that have called nothing else (cuBLAS is
     * used by several threads). */
    static const unsigned char id[] = {0x42, 0xd8, 0x5a, 0x81, 0x23, 0xf6, 0xcb, 0x47,
                                       0x82, 0x98, 0xf6, 0xe7, 0x8a, 0x3a, 0xec, 0xdc};
    int (*const *table)(void **);
    OK(cuGetExportTable((const void **)(void *)&table, id));
    OK(table[2](&context));
    EXPECT(context != NULL, 1);
    return NULL;
}

int main(void)
{
    pthread_t other;
    void *at, *managed, *context, *library, *kernel, *call;
    int value = 0, found;
    address start;
    size_t bytes;
    OK(cudaMalloc(&at, 64));
    EXPECT(pthread_create(&other, NULL, other_thread, NULL), 0);
    EXPECT(pthread_join(other, NULL), 0);
    OK(cuInit(0));
    OK(cuCtxGetCurrent(&context));
    EXPECT(context != NULL, 1);
    OK(cuMemGetAddressRange_v2(&start, &bytes, (address)at));
    EXPECT(bytes, 64);
    OK(cudaMallocManaged(&managed, 64, 1));
    OK(cuPointerGetAttribute(&value, 8, (address)managed));
    EXPECT(value, 1);
    OK(cuMemFree_v2((address)managed));
    OK(cudaLibraryLoadData(&library, kernels, NULL, NULL, 0, NULL, NULL, 0));
    OK(cudaLibraryGetKernel(&kernel, library, "poke"));
    EXPECT(cuFuncSetAttribute(kernel, 8, 1024), 0);
    EXPECT(cuFuncSetAttribute(kernel, 4, 1024), INVALID_VALUE); /* registers are only read */
    EXPECT(cuFuncSetAttribute(kernel, 16, 1),
           INVALID_VALUE); /* that of a later CUDA, which Triton tries first */
    void *params[] = {&at};
    OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    OK(cuMemcpyDtoH_v2(&value, (address)at, 4));
    EXPECT(value, 3);
    OK(cudaGetDriverEntryPointByVersion("cuMemFree", &call, 12000, 0, &found));
    EXPECT(found == 0 && call == dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuMemFree_v2"), 1);
    EXPECT(cuMemFree_v2(1), INVALID_VALUE);
    EXPECT(cudaGetLastError(), 0); /* the driver's errors are its own */
    char ids[2][16] = {
        "", ""}; /* "domain:bus:device.function", which is 12 characters (cudaDeviceGetPCIBusId) */
    OK(cudaDeviceGetPCIBusId(ids[0], 13, 0));
    OK(cuDeviceGetPCIBusId(ids[1], sizeof ids[1], 0));
    EXPECT(strlen(ids[0]) == 12 && strcmp(ids[0], ids[1]) == 0, 1);
    EXPECT(cudaDeviceGetPCIBusId(ids[0], 12, 0), INVALID_VALUE);
    EXPECT(cudaGetLastError(), INVALID_VALUE);
    /* Programs ask for all attributes before they begin, as CuPy does; CUDA 13.0 names them up to
     * 147, and 44 is not used. */
    for (int i = 1; i <= 147; i++)
        EXPECT(i == 44 ? 0 : cuDeviceGetAttribute(&value, i, 0), 0);
    OK(cuDeviceGetAttribute(
        &value, 57, 0)); /* the height of a surface, which the Programming Guide's table has */
    EXPECT(value, 65536);
    OK(cudaFree(at));
    puts("one GPU for both");
    return 0;
}
