/* SPDX-License-Identifier: Apache-2.0
 * What the driver API says of calls that are wrong: the codes are those of its reference. */
#include "cu.h"

static void *context, *module, *poke;

static void before_a_context(void)
{
    int count;
    address at;
    EXPECT(cuDeviceGetCount(&count), NOT_INITIALIZED);
    EXPECT(cuMemAlloc_v2(&at, 4), NOT_INITIALIZED);
    EXPECT(cuInit(1), INVALID_VALUE);
    OK(cuInit(0));
    EXPECT(cuMemAlloc_v2(&at, 4), INVALID_CONTEXT);
    EXPECT(cuDeviceGet(&count, 1), INVALID_DEVICE);
    /* The reference lists no CUDA_ERROR_INVALID_CONTEXT for pools; Taichi sets this before any. */
    enum { RELEASE_THRESHOLD = 4 };
    uint64_t most = UINT64_MAX, back = 0;
    void *pool;
    OK(cuDeviceGetDefaultMemPool(&pool, 0));
    OK(cuMemPoolSetAttribute(pool, RELEASE_THRESHOLD, &most));
    OK(cuMemPoolGetAttribute(pool, RELEASE_THRESHOLD, &back));
    EXPECT(back == most, 1);
    OK(cuCtxCreate_v2(&context, 0, 0));
    puts("without cuInit, and without a context");
}

static void bad_modules(void)
{
    char log[200] = "";
    int options[] = {5, 6};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    const char *bad = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n  "
                      "nonsense.u32 %r1;\n}\n";
    EXPECT(cuModuleLoadDataEx(&module, bad, 2, options, values), INVALID_PTX);
    EXPECT(strstr(log, "line 6") != NULL, 1);
    EXPECT((size_t)values[1], strlen(log) + 1);
    EXPECT(cuModuleLoad(&module, "no-such-file.ptx"), FILE_NOT_FOUND);
    OK(cuModuleLoadDataEx(&module, kernels, 0, NULL, NULL));
    EXPECT(cuModuleGetFunction(&poke, module, "nothing"), NOT_FOUND);
    OK(cuModuleGetFunction(&poke, module, "poke"));
    puts("PTX that is none, with its line in the log");
}

static void bad_handles(void)
{
    int unknown = 0;
    address at;
    size_t bytes;
    void *function;
    EXPECT(cuModuleGetFunction(&function, &unknown, "poke"), INVALID_HANDLE);
    EXPECT(cuModuleUnload(&unknown), INVALID_HANDLE);
    EXPECT(cuLaunchKernel(&unknown, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), INVALID_HANDLE);
    EXPECT(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), INVALID_HANDLE);
    EXPECT(cuCtxDestroy_v2(&unknown), INVALID_CONTEXT);
    EXPECT(cuModuleGetGlobal_v2(&at, &bytes, module, "nothing"), NOT_FOUND);
    puts("handles that are none");
}

static void bad_sizes(void)
{
    address at;
    char byte;
    void *params[] = {&at};
    EXPECT(cuMemAlloc_v2(&at, 0), INVALID_VALUE);
    EXPECT(cuMemAlloc_v2(&at, (size_t)1 << 60), OUT_OF_MEMORY);
    OK(cuMemAlloc_v2(&at, 16));
    EXPECT(cuMemcpyDtoH_v2(&byte, at, 17), INVALID_VALUE);
    EXPECT(cuLaunchKernel(poke, 1, 1, 1, 2048, 1, 1, 0, NULL, params, NULL), INVALID_VALUE);
    OK(cuMemFree_v2(at));
    EXPECT(cuMemFree_v2(at), INVALID_VALUE);
    puts("sizes that do not fit");
}

/* The fault stays until the context is gone. */
static void bad_access(void)
{
    address nowhere = 64, at;
    void *params[] = {&nowhere};
    const char *name, *text;
    OK(cuLaunchKernel(poke, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    EXPECT(cuCtxSynchronize(), ILLEGAL_ADDRESS);
    EXPECT(cuMemAlloc_v2(&at, 4), ILLEGAL_ADDRESS);
    OK(cuGetErrorName(ILLEGAL_ADDRESS, &name));
    OK(cuGetErrorString(ILLEGAL_ADDRESS, &text));
    printf("%s: %s\n", name, text);
    OK(cuCtxDestroy_v2(context));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuMemAlloc_v2(&at, 4));
    OK(cuCtxDestroy_v2(context));
    puts("an access that no allocation holds, until its context is gone");
}

int main(void)
{
    before_a_context();
    bad_modules();
    bad_handles();
    bad_sizes();
    bad_access();
    return 0;
}
