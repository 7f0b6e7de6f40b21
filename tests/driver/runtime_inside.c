/* SPDX-License-Identifier: Apache-2.0
 * Looks like a program with a static CUDA runtime: kernels are in it, and no library is asked to
 * register them. It loads the driver as that runtime does, and asks for a table that is not
 * documented. */
#include "cu.h"

#include <dlfcn.h>

__attribute__((section(".nv_fatbin"), used)) static const char kernels_here[8] = "kernels";

int main(void)
{
    typedef int table_call(const void **table, const void *id);
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    const void *table = NULL;
    table_call *call = NULL;
    (void)kernels;
    if (driver)
        *(void **)&call = dlsym(driver, "cuGetExportTable");
    if (call)
        call(&table, "\x6b\xd5\xfb\x6c\x5b\xf4\xe7\x4a\x89\x87\xd9\x39\x12\xfd\x9d\xf9");
    puts("went on");
    return 0;
}
