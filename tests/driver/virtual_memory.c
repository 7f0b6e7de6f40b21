/* SPDX-License-Identifier: Apache-2.0
 * Addresses that the program reserves and maps memory at (CUDA Driver API, Virtual Memory
 * Management): two memories side by side, one memory at two places, access given and taken, and
 * what the reference refuses. */
#include "cu.h"

#include <unistd.h>

extern int cuMemAddressReserve(address *out, size_t bytes, size_t alignment, address wish,
                               unsigned long long flags);
extern int cuMemAddressFree(address at, size_t bytes);
extern int cuMemCreate(unsigned long long *out, size_t bytes, const void *properties,
                       unsigned long long flags);
extern int cuMemRelease(unsigned long long handle);
extern int cuMemMap(address at, size_t bytes, size_t offset, unsigned long long handle,
                    unsigned long long flags);
extern int cuMemUnmap(address at, size_t bytes);
extern int cuMemSetAccess(address at, size_t bytes, const void *wishes, size_t count);
extern int cuMemGetAccess(unsigned long long *flags, const void *location, address at);
extern int cuMemGetAllocationGranularity(size_t *out, const void *properties, int option);
extern int cuMemGetAllocationPropertiesFromHandle(void *out, unsigned long long handle);
extern int cuMemRetainAllocationHandle(unsigned long long *out, void *at);
extern int cuMemExportToShareableHandle(void *out, unsigned long long handle, int type,
                                        unsigned long long flags);
extern int cuMemImportFromShareableHandle(unsigned long long *out, void *file, int type);
extern int cuMemPoolCreate(void **out, const void *properties);
extern int cuMemPoolExportToShareableHandle(void *out, void *pool, int type,
                                            unsigned long long flags);
extern int cuMemPoolImportFromShareableHandle(void **out, void *file, int type,
                                              unsigned long long flags);
extern int cuLibraryGetKernelCount(unsigned *count, void *library);
extern int cuLibraryEnumerateKernels(void **out, unsigned most, void *library);

enum {
    VIRTUAL_MEMORY = 102,
    COMPRESSION = 107,
    PINNED = 1,
    DEVICE = 1,
    READ_WRITE = 3,
    FILE_HANDLE = 1
};

typedef struct of_memory {
    int type, handle_types, place, id;
    void *windows;
    unsigned char compression, flags[7];
} of_memory;
static const of_memory properties = {.type = PINNED, .place = DEVICE},
                       shareable = {.type = PINNED, .handle_types = FILE_HANDLE, .place = DEVICE},
                       compressible = {.type = PINNED, .place = DEVICE, .compression = 1},
                       unknown = {.type = PINNED, .place = DEVICE, .compression = 2};
static const struct {
    int place, id, flags;
} may = {DEVICE, 0, READ_WRITE}, may_not = {DEVICE, 0, 0};

static size_t granule;
static void *axpy, *poke;

static void side_by_side(void)
{
    address at;
    unsigned long long memory[2];
    float a = 2, host[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    unsigned n = 8;
    OK(cuMemAddressReserve(&at, 4 * granule, 0, 0, 0));
    EXPECT(at % granule, 0);
    for (int i = 0; i < 2; i++) {
        OK(cuMemCreate(&memory[i], granule, &properties, 0));
        OK(cuMemMap(at + i * granule, granule, 0, memory[i], 0));
        OK(cuMemRelease(memory[i])); /* the mapping keeps it */
        EXPECT(cuMemRelease(memory[i]), INVALID_VALUE);
    }
    address across = at + granule - 16, y = at + 64;
    void *params[] = {&across, &y, &a, &n};
    EXPECT(cuMemcpyHtoD_v2(across, host, sizeof host), INVALID_VALUE); /* no access yet */
    OK(cuMemSetAccess(at, 2 * granule, &may, 1));
    OK(cuMemcpyHtoD_v2(across, host, sizeof host));
    OK(cuMemsetD8_v2(y, 0, sizeof host));
    OK(cuLaunchKernel(axpy, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    OK(cuMemcpyDtoH_v2(host, y, sizeof host));
    for (int i = 0; i < 8; i++)
        EXPECT(host[i], 2 * (i + 1));
    EXPECT(cuMemAddressFree(at, 4 * granule), INVALID_VALUE); /* something is mapped */
    EXPECT(cuMemUnmap(at + granule / 2, granule), INVALID_VALUE);
    OK(cuMemUnmap(at, 2 * granule));
    EXPECT(cuMemcpyDtoH_v2(host, y, sizeof host), INVALID_VALUE);
    EXPECT(cuMemAddressFree(at, granule), INVALID_VALUE);
    OK(cuMemAddressFree(at, 4 * granule));
    puts("two memories side by side");
}

static void one_at_two_places(void)
{
    address at[2];
    unsigned long long memory, same, flags;
    unsigned value = 0;
    OK(cuMemCreate(&memory, 2 * granule, &properties, 0));
    for (int i = 0; i < 2; i++) {
        OK(cuMemAddressReserve(&at[i], 2 * granule, 4 * granule, 0, 0));
        EXPECT(at[i] % (4 * granule), 0);
        OK(cuMemMap(at[i], 2 * granule, 0, memory, 0));
        OK(cuMemSetAccess(at[i], 2 * granule, &may, 1));
    }
    OK(cuMemRetainAllocationHandle(&same, (void *)(at[1] + 5)));
    EXPECT(same == memory, 1);
    OK(cuMemRelease(same));
    OK(cuMemsetD32_v2(at[0] + granule, 77, 4));
    OK(cuMemcpyDtoH_v2(&value, at[1] + granule + 12, 4));
    EXPECT(value, 77);
    OK(cuMemSetAccess(at[1], granule, &may_not, 1));
    OK(cuMemGetAccess(&flags, &may, at[1]));
    EXPECT(flags, 0);
    OK(cuMemGetAccess(&flags, &may, at[1] + granule));
    EXPECT(flags, READ_WRITE);
    EXPECT(cuMemcpyDtoH_v2(&value, at[1], 4), INVALID_VALUE);
    for (int i = 0; i < 2; i++) {
        OK(cuMemUnmap(at[i], 2 * granule));
        OK(cuMemAddressFree(at[i], 2 * granule));
    }
    OK(cuMemRelease(memory));
    EXPECT(cuMemRelease(memory), INVALID_VALUE);
    puts("one memory at two places");
}

/* CUmemPoolProps: pinned memory of the GPU 0, to be passed on as a file. */
static const struct {
    int allocation, handles, location, gpu;
    char more[72];
} shared_pool = {1, 1, 1, 0, {0}};

/* As another process would: by the number of a file. */
static void as_a_file(void)
{
    address at[2];
    unsigned long long memory[2];
    int file = -1;
    unsigned value = 0;
    void *pool, *imported;
    OK(cuMemCreate(&memory[0], granule, &shareable, 0));
    OK(cuMemExportToShareableHandle(&file, memory[0], FILE_HANDLE, 0));
    OK(cuMemImportFromShareableHandle(&memory[1], (void *)(intptr_t)file, FILE_HANDLE));
    close(file);
    EXPECT(cuMemImportFromShareableHandle(&memory[1], (void *)(intptr_t)file, FILE_HANDLE),
           INVALID_VALUE);
    EXPECT(cuMemImportFromShareableHandle(&memory[1], (void *)(intptr_t)0, FILE_HANDLE),
           INVALID_VALUE); /* not ours */
    for (int i = 0; i < 2; i++) {
        OK(cuMemAddressReserve(&at[i], granule, 0, 0, 0));
        OK(cuMemMap(at[i], granule, 0, memory[i], 0));
        OK(cuMemSetAccess(at[i], granule, &may, 1));
        OK(cuMemRelease(memory[i]));
    }
    OK(cuMemsetD32_v2(at[0] + 64, 4711, 1));
    OK(cuMemcpyDtoH_v2(&value, at[1] + 64, 4));
    EXPECT(value, 4711);
    OK(cuMemCreate(&memory[0], granule, &properties, 0)); /* was not made for that */
    EXPECT(cuMemExportToShareableHandle(&file, memory[0], FILE_HANDLE, 0), INVALID_VALUE);
    OK(cuMemRelease(memory[0]));
    OK(cuDeviceGetDefaultMemPool(&pool, 0));
    EXPECT(cuMemPoolExportToShareableHandle(&file, pool, FILE_HANDLE, 0), INVALID_VALUE);
    OK(cuMemPoolCreate(&pool, &shared_pool));
    OK(cuMemPoolExportToShareableHandle(&file, pool, FILE_HANDLE, 0));
    OK(cuMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)file, FILE_HANDLE, 0));
    close(file);
    EXPECT(cuMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)file, FILE_HANDLE, 0),
           INVALID_VALUE);
    puts("memory passed on as a file");
}

/* What is asked for is what the memory says of itself. */
static void compress(int device)
{
    unsigned long long memory;
    int supported = 0;
    of_memory made;
    OK(cuDeviceGetAttribute(&supported, COMPRESSION, device));
    EXPECT(supported, 1);
    OK(cuMemCreate(&memory, granule, &compressible, 0));
    OK(cuMemGetAllocationPropertiesFromHandle(&made, memory));
    EXPECT(made.compression, 1);
    OK(cuMemRelease(memory));
    EXPECT(cuMemCreate(&memory, granule, &unknown, 0), INVALID_VALUE);
    puts("memory that may be compressed");
}

static void refuse(void)
{
    address at;
    unsigned long long memory;
    EXPECT(cuMemAddressReserve(&at, granule + 1, 0, 0, 0), INVALID_VALUE);
    EXPECT(cuMemAddressReserve(&at, granule, 3, 0, 0), INVALID_VALUE);
    EXPECT(cuMemCreate(&memory, 100, &properties, 0), INVALID_VALUE);
    EXPECT(cuMemCreate(&memory, granule << 40, &properties, 0), OUT_OF_MEMORY);
    OK(cuMemCreate(&memory, granule, &properties, 0));
    OK(cuMemAddressReserve(&at, 2 * granule, 0, 0, 0));
    EXPECT(cuMemMap(at, 2 * granule, 0, memory, 0), INVALID_VALUE); /* larger than the memory */
    EXPECT(cuMemMap(at + 2 * granule, granule, 0, memory, 0), INVALID_VALUE);
    OK(cuMemMap(at, granule, 0, memory, 0));
    EXPECT(cuMemMap(at, granule, 0, memory, 0), INVALID_VALUE);
    EXPECT(cuMemSetAccess(at, 2 * granule, &may, 1), INVALID_VALUE);
    OK(cuMemUnmap(at, granule));
    OK(cuMemAddressFree(at, 2 * granule));
    OK(cuMemRelease(memory));
    puts("refused what is wrong");
}

static void list_kernels(void)
{
    void *library, *found[3] = {NULL, NULL, NULL};
    unsigned count = 0;
    OK(cuLibraryLoadData(&library, kernels, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernelCount(&count, library));
    EXPECT(count, 2);
    OK(cuLibraryEnumerateKernels(found, 3, library));
    OK(cuLibraryGetKernel(&axpy, library, "axpy"));
    OK(cuLibraryGetKernel(&poke, library, "poke"));
    EXPECT((found[0] == axpy && found[1] == poke) || (found[0] == poke && found[1] == axpy), 1);
    EXPECT(found[2] == NULL, 1);
    OK(cuKernelGetFunction(&axpy, axpy));
    puts("two kernels in the library");
}

int main(void)
{
    int device, supported = 0;
    void *context;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDeviceGetAttribute(&supported, VIRTUAL_MEMORY, device));
    EXPECT(supported, 1);
    OK(cuCtxCreate_v2(&context, 0, device));
    OK(cuMemGetAllocationGranularity(&granule, &properties, 0));
    EXPECT(granule, 2 << 20);
    list_kernels();
    side_by_side();
    one_at_two_places();
    as_a_file();
    compress(device);
    refuse();
    return 0;
}
