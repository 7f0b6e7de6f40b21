/* SPDX-License-Identifier: Apache-2.0
 * A program that uses the kernels through CUDA's driver API: what `inflight check` runs beside
 * single launches.
 *     cc -g -o pipeline pipeline.c -ldl */
#include "passes.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 512 };

static void *driver;

static void *call(const char *name)
{
    void *function = dlsym(driver, name);
    if (!function) {
        fprintf(stderr, "pipeline: the driver has no %s\n", name);
        exit(2);
    }
    return function;
}

static void expect(int code, const char *what)
{
    if (code) {
        fprintf(stderr, "pipeline: %s: error %d\n", what, code);
        exit(1);
    }
}

static void launch(void *function, unsigned grid, unsigned rows, unsigned block, unsigned high,
                   void **arguments)
{
    int (*launch_kernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                         unsigned, void *, void **, void **);
    *(void **)&launch_kernel = call("cuLaunchKernel");
    expect(launch_kernel(function, grid, rows, 1, block, high, 1, 0, NULL, arguments, NULL),
           "cuLaunchKernel");
}

int main(void)
{
    int (*init)(unsigned), (*retain)(void **, int), (*use)(void *), (*load)(void **, const char *);
    int (*find)(void **, void *, const char *), (*allocate)(uint64_t *, size_t),
        (*clear)(uint64_t, unsigned, size_t);
    int (*wait)(void);
    void *context, *module, *transpose, *scale;
    uint64_t a, b;
    int n = N;
    float shift = 1;
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) {
        fprintf(stderr, "pipeline: %s\n", dlerror());
        return 2;
    }
    *(void **)&init = call("cuInit");
    *(void **)&retain = call("cuDevicePrimaryCtxRetain");
    *(void **)&use = call("cuCtxSetCurrent");
    *(void **)&load = call("cuModuleLoad");
    *(void **)&find = call("cuModuleGetFunction");
    *(void **)&allocate = call("cuMemAlloc_v2");
    *(void **)&clear = call("cuMemsetD32_v2");
    *(void **)&wait = call("cuCtxSynchronize");
    expect(init(0), "cuInit");
    expect(retain(&context, 0), "cuDevicePrimaryCtxRetain");
    expect(use(context), "cuCtxSetCurrent");
    expect(load(&module, "kernels.ptx"), "cuModuleLoad");
    expect(find(&transpose, module, "transpose"), "cuModuleGetFunction");
    expect(find(&scale, module, "scale"), "cuModuleGetFunction");
    expect(allocate(&a, sizeof(float) * N * N), "cuMemAlloc");
    expect(allocate(&b, sizeof(float) * N * N), "cuMemAlloc");
    expect(clear(a, 0, (size_t)N * N), "cuMemsetD32");
    int total = N * N;
    for (int pass = 0; pass < PASSES; pass++) {
        launch(transpose, N / 32, N / 32, 32, 8, (void *[]){&b, &a, &n});
        launch(scale, (unsigned)(total / 256), 1, 256, 1, (void *[]){&b, &shift, &total});
    }
    expect(wait(), "cuCtxSynchronize");
    return 0;
}
