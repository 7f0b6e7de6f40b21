/* SPDX-License-Identifier: Apache-2.0
 * cuGetExportTable. The driver has tables of functions that are not documented. cuBLAS and cuFFT
 * ask three of them for what documented calls say as well: the current context, its number, a
 * stream's handle and number, and the functions of a module; and a fourth to keep a value for each
 * context. Which entries these are was published by projects that serve CUDA's libraries with
 * drivers of their own. Nothing else is served, and none of the tables by which a runtime and its
 * driver prove each other genuine. */
#include "standin/context_value.h"
#include "standin/driver_served.h"
#include "standin/vendor.h"

#include "inflight.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

ifl_cuda_error cuCtxGetCurrent(void **out);
ifl_cuda_error cuCtxGetId(void *context, unsigned long long *id);
ifl_cuda_error cuStreamGetId(void *stream, unsigned long long *id);
ifl_cuda_error cuModuleGetFunctionCount(unsigned *out, void *module);
ifl_cuda_error cuModuleEnumerateFunctions(void **out, unsigned most, void *module);

static ifl_cuda_error refuse(void)
{
    return ifl_cudaErrorNotSupported;
}

/* CUDA Driver API reference, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD: handles of the streams that
 * NULL stands for. */
static ifl_cuda_error handle_of_stream(const void *context, void *stream, void **out,
                                       int is_per_thread)
{
    enum { LEGACY = 1, PER_THREAD = 2 };
    (void)context;
    if (!out)
        return ifl_cudaErrorInvalidValue;
    *out = stream ? stream : (void *)(uintptr_t)(is_per_thread ? PER_THREAD : LEGACY);
    return ifl_cudaSuccess;
}

/* Libraries ask in any thread, also in one that has called nothing of CUDA yet: the runtime's
 * context is current there for them (cuBLAS serves threads that never chose a GPU). */
static ifl_cuda_error current_context(void **out)
{
    if (ifl_state_is_runtime_used() && !ifl_state_runtime_called() && ifl_state_enter())
        ifl_state_leave();
    return cuCtxGetCurrent(out);
}

static ifl_cuda_error id_of_stream(const void *context, void *stream, unsigned long long *id)
{
    (void)context;
    return cuStreamGetId(stream, id);
}

typedef void function_visitor(void *user, void *function, void *module);

/* Says how many there are: cuFFT has a module for each kernel and takes its only function, whatever
 * its name. */
static unsigned visit_functions(const void *context, void *module, function_visitor *visit,
                                void *user)
{
    unsigned count = 0;
    (void)context;
    void **functions = visit && cuModuleGetFunctionCount(&count, module) == ifl_cudaSuccess
                           ? calloc(count, sizeof *functions)
                           : NULL;
    if (!functions || cuModuleEnumerateFunctions(functions, count, module) != ifl_cudaSuccess)
        count = 0;
    for (unsigned i = 0; i < count; i++)
        visit(user, functions[i], module);
    free(functions);
    return count;
}

/* Word 0 of a table is its size in bytes, but for that of the contexts' values; the driver's second
 * has 93 words, and what is not named here refuses. */
enum { ID_BYTES = 16, MOST_WORDS = 93 };

typedef struct entry {
    size_t table, word;
    void (*call)(void);
} entry;

static const struct {
    uint8_t id[ID_BYTES];
    size_t words;
    bool is_unsized;
} tables[] = {
    {{0x42, 0xd8, 0x5a, 0x81, 0x23, 0xf6, 0xcb, 0x47, 0x82, 0x98, 0xf6, 0xe7, 0x8a, 0x3a, 0xec,
      0xdc},
     4,
     false},
    {{0x21, 0x31, 0x8c, 0x60, 0x97, 0x14, 0x32, 0x48, 0x8c, 0xa6, 0x41, 0xff, 0x73, 0x24, 0xc8,
      0xf2},
     MOST_WORDS,
     false},
    {{0x6e, 0x16, 0x3f, 0xbe, 0xb9, 0x58, 0x44, 0x4d, 0x83, 0x5c, 0xe1, 0x82, 0xaf, 0xf1, 0x99,
      0x1e},
     8,
     false},
    {{0xc6, 0x93, 0x33, 0x6e, 0x11, 0x21, 0xdf, 0x11, 0xa8, 0xc3, 0x68, 0xf3, 0x55, 0xd8, 0x95,
      0x93},
     3,
     true},
};
enum { TABLES = sizeof tables / sizeof *tables };

static const entry entries[] = {
    {0, 2, (void (*)(void))current_context},
    {1, 4, (void (*)(void))cuCtxGetId},
    {1, 39, (void (*)(void))id_of_stream},
    {1, 51, (void (*)(void))handle_of_stream},
    {2, 7, (void (*)(void))visit_functions},
    {3, 0, (void (*)(void))ifl_context_value_put},
    {3, 1, (void (*)(void))ifl_context_value_remove},
    {3, 2, (void (*)(void))ifl_context_value_get},
};

static void (*words[TABLES][MOST_WORDS])(void);

static void fill(void)
{
    for (size_t t = 0; t < TABLES; t++) {
        for (size_t w = 0; w < tables[t].words; w++)
            words[t][w] = (void (*)(void))refuse;
        if (!tables[t].is_unsized)
            words[t][0] = (void (*)(void))(tables[t].words * sizeof words[t][0]);
    }
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        words[entries[i].table][entries[i].word] = entries[i].call;
}

static const void *find(const void *id)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill);
    for (size_t t = 0; id && t < TABLES; t++)
        if (memcmp(tables[t].id, id, ID_BYTES) == 0)
            return words[t];
    return NULL;
}

/* A library without kernels goes on, and fails with a code of its own that says less: it is told of
 * once. */
static void tell_library(const char *path)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    ifl_error error = {0}, vendor = {0};
    const bool is_vendor = ifl_vendor_check(path, &vendor) != IFL_OK;
    const ifl_status status = ifl_program_check(path, true, &error);
    if (status != IFL_OK || (is_vendor && !atomic_flag_test_and_set(&told)))
        ifl_state_tell_error(is_vendor ? &vendor : &error);
    if (status != IFL_OK)
        exit(ifl_status_exit_code(status));
}

/* What the runtimes of CUDA 11.8, 12.0 and 13.0 ask for, and give up without. */
static const uint8_t of_runtimes[ID_BYTES] = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
                                              0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};

/* A runtime inside the program, or inside a library of it, can do nothing without the tables that
 * are not served, and asks only where its calls were not led to ours (src/audit/); others that ask,
 * NVRTC for one, go on without. */
IFL_SERVED ifl_cuda_error cuGetExportTable(const void **table, const void *id)
{
    Dl_info info;
    if (!table)
        return ifl_cudaErrorInvalidValue;
    if ((*table = find(id)))
        return ifl_cudaSuccess;
    if (id && memcmp(id, of_runtimes, ID_BYTES) == 0 &&
        dladdr(__builtin_return_address(0), &info) && info.dli_fname)
        tell_library(info.dli_fname);
    return (ifl_cuda_error)IFL_CUDA_NOT_FOUND;
}
