/* SPDX-License-Identifier: Apache-2.0
 * A program that finds the driver at run time, by its file and by the names of cuGetProcAddress. */
#include "cu.h"

#include <dlfcn.h>

typedef int (*get_address)(const char *, void **, int, uint64_t, int *);

int main(void)
{
    int found;
    void *got, *library = dlopen("libcuda.so.1", RTLD_NOW);
    EXPECT(library != NULL, 1);
    get_address get;
    *(void **)&get = dlsym(library, "cuGetProcAddress_v2");
    EXPECT(get != NULL, 1);
    /* CUDA Driver API: the newest that the version asked for has. */
    OK(get("cuMemAlloc", &got, 12000, 0, &found));
    EXPECT(found == 0 && got == dlsym(library, "cuMemAlloc_v2"), 1);
    OK(get("cuMemAlloc", &got, 2000, 0, &found));
    EXPECT(found == 0 && got == dlsym(library, "cuMemAlloc"), 1);
    OK(get("cuCtxCreate", &got, 11000, 0, &found));
    EXPECT(found == 0 && got == dlsym(library, "cuCtxCreate_v2"), 1);
    OK(get("cuLaunchKernel", &got, 12000, 0, &found));
    EXPECT(found == 0 && got == dlsym(library, "cuLaunchKernel"), 1);
    OK(get("cuLaunchKernel", &got, 12000, 2, &found));
    EXPECT(found == 0 && got == dlsym(library, "cuLaunchKernel_ptsz"), 1);
    OK(get("cuLaunchKernelEx", &got, 11000, 0, &found));
    EXPECT(found == 2 && got == NULL, 1);
    OK(get("cuNoSuchCall", &got, 13000, 0, &found));
    EXPECT(found == 1 && got == NULL, 1);
    puts("found by name");
    return 0;
}
