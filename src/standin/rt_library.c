/* SPDX-License-Identifier: Apache-2.0
 * Libraries of kernels that a program loads itself, and the driver's calls by name. Both are the
 * driver's: handles pass from one to the other, so that they are asked of libcuda.so.1. */
#include "standin/binary.h"
#include "standin/served.h"

#include <dlfcn.h>
#include <pthread.h>

/* cudaDriverEntryPointQueryResult is CUdriverProcAddressQueryResult. */
enum { NOT_FOUND = 1, NEWEST = 13000 };

/* A call of the driver; NULL: there is none. The runtime has made its session current before. */
static void *driver_call(const char *name)
{
    static void *driver;
    if (!ifl_state_enter())
        return NULL;
    if (!driver)
        driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *call = driver ? dlsym(driver, name) : NULL;
    ifl_state_leave();
    return call;
}

#define DELEGATE(name, type, ...)                                                                  \
    do {                                                                                           \
        type call;                                                                                 \
        *(void **)&call = driver_call(name);                                                       \
        return ifl_state_end(call ? call(__VA_ARGS__) : ifl_cudaErrorInsufficientDriver);          \
    } while (0)

typedef ifl_cuda_error (*load)(void **, const void *, int *, void **, unsigned, int *, void **,
                               unsigned);
typedef ifl_cuda_error (*take_one)(void *);
typedef ifl_cuda_error (*find_kernel)(void **, void *, const char *);
typedef ifl_cuda_error (*find_variable)(void **, size_t *, void *, const char *);
typedef ifl_cuda_error (*count_all)(unsigned *, void *);
typedef ifl_cuda_error (*list_all)(void **, unsigned, void *);
typedef ifl_cuda_error (*find_call)(const char *, void **, int, uint64_t, int *);

IFL_SERVED ifl_cuda_error cudaLibraryLoadData(void **out, const void *image, int *options,
                                              void **values, unsigned count, int *more,
                                              void **more_values, unsigned more_count)
{
    DELEGATE("cuLibraryLoadData", load, out, image, options, values, count, more, more_values,
             more_count);
}

IFL_SERVED ifl_cuda_error cudaLibraryLoadFromFile(void **out, const char *path, int *options,
                                                  void **values, unsigned count, int *more,
                                                  void **more_values, unsigned more_count)
{
    DELEGATE("cuLibraryLoadFromFile", load, out, path, options, values, count, more, more_values,
             more_count);
}

IFL_SERVED ifl_cuda_error cudaLibraryUnload(void *library)
{
    DELEGATE("cuLibraryUnload", take_one, library);
}

IFL_SERVED ifl_cuda_error cudaLibraryGetKernel(void **out, void *library, const char *name)
{
    DELEGATE("cuLibraryGetKernel", find_kernel, out, library, name);
}

IFL_SERVED ifl_cuda_error cudaLibraryGetKernelCount(unsigned *out, void *library)
{
    DELEGATE("cuLibraryGetKernelCount", count_all, out, library);
}

IFL_SERVED ifl_cuda_error cudaLibraryEnumerateKernels(void **out, unsigned most, void *library)
{
    DELEGATE("cuLibraryEnumerateKernels", list_all, out, most, library);
}

IFL_SERVED ifl_cuda_error cudaLibraryGetGlobal(void **at, size_t *bytes, void *library,
                                               const char *name)
{
    DELEGATE("cuLibraryGetGlobal", find_variable, at, bytes, library, name);
}

IFL_SERVED ifl_cuda_error cudaLibraryGetManaged(void **at, size_t *bytes, void *library,
                                                const char *name)
{
    DELEGATE("cuLibraryGetManaged", find_variable, at, bytes, library, name);
}

/* ---- handles of the program's own ------------------------------------------------------------ */

static ifl_cuda_error function_of(ifl_session *session, void **out, const void *host)
{
    if (!out)
        return ifl_cudaErrorInvalidValue;
    ifl_function_record *function = ifl_function_find(host);
    const ifl_cuda_error code =
        function ? ifl_function_resolve(session, function) : ifl_cudaErrorInvalidDeviceFunction;
    *out = code == ifl_cudaSuccess ? function : NULL;
    return code;
}

IFL_SERVED ifl_cuda_error cudaGetFuncBySymbol(void **out, const void *host)
{
    SERVE(function_of(session, out, host));
}

/* ---- the driver's calls ---------------------------------------------------------------------- */

static ifl_cuda_error entry(const char *name, void **out, int version, uint64_t flags, int *found)
{
    enum { DEFAULT, PER_THREAD = 2 }; /* cudaGetDriverEntryPointFlags */
    int result = NOT_FOUND;
    find_call call;
    if (flags == DEFAULT && ifl_state_is_default_own())
        flags = PER_THREAD;
    *(void **)&call = driver_call("cuGetProcAddress_v2");
    if (!call || !out)
        return out ? ifl_cudaErrorInsufficientDriver : ifl_cudaErrorInvalidValue;
    const ifl_cuda_error code = call(name, out, version, flags, &result);
    if (found)
        *found = result;
    return code == ifl_cudaSuccess && result && !found ? ifl_cudaErrorSymbolNotFound : code;
}

/* From 12.0 on a fourth argument says what was found; programs of 11 pass none. */
#if IFL_CUDART >= 12
IFL_SERVED ifl_cuda_error cudaGetDriverEntryPoint(const char *name, void **out,
                                                  unsigned long long flags, int *found)
{
    return ifl_state_end(entry(name, out, NEWEST, flags, found));
}
#else
IFL_SERVED ifl_cuda_error cudaGetDriverEntryPoint(const char *name, void **out,
                                                  unsigned long long flags)
{
    return ifl_state_end(entry(name, out, NEWEST, flags, NULL));
}
#endif
ALSO_OF_THREAD(cudaGetDriverEntryPoint_ptsz, cudaGetDriverEntryPoint);

IFL_SERVED ifl_cuda_error cudaGetDriverEntryPointByVersion(const char *name, void **out,
                                                           unsigned version,
                                                           unsigned long long flags, int *found)
{
    return ifl_state_end(entry(name, out, (int)version, flags, found));
}
ALSO_OF_THREAD(cudaGetDriverEntryPointByVersion_ptsz, cudaGetDriverEntryPointByVersion);

/* ---- tables that are not documented ---------------------------------------------------------- */

static ifl_cuda_error refuse_entry(void)
{
    return ifl_cudaErrorNotSupported;
}

/* Word 0 is the size in bytes. */
enum { TABLE_WORDS = 128 };
static const void *refusing[TABLE_WORDS];

static void fill_refusing(void)
{
    refusing[0] = (const void *)sizeof refusing;
    for (size_t i = 1; i < TABLE_WORDS; i++)
        refusing[i] = (const void *)refuse_entry;
}

/* What the driver has (drv_table.c). cuBLASLt calls what it finds in a table without having looked
 * whether there is one: of a table that is not served each entry refuses, and it chooses another
 * kernel. */
IFL_SERVED ifl_cuda_error cudaGetExportTable(const void **table, const void *id)
{
    typedef ifl_cuda_error table_call(const void **, const void *);
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    table_call *call;
    *(void **)&call = driver_call("cuGetExportTable");
    if (!table || !id || !call)
        return ifl_state_end(table && id ? ifl_cudaErrorInsufficientDriver
                                         : ifl_cudaErrorInvalidValue);
    pthread_once(&once, fill_refusing);
    if (call(table, id) != ifl_cudaSuccess)
        *table = refusing;
    return ifl_cudaSuccess;
}
