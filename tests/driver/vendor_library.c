/* SPDX-License-Identifier: Apache-2.0
 * Built under the names of NVIDIA's libraries: asks the driver, as the runtime inside of those
 * does, for a table that is not documented. WITH_KERNELS: it has some. */
#include "cu.h"

extern int ask(void);

#ifdef WITH_KERNELS
__attribute__((section(".nv_fatbin"), used)) static const char kernels_here[8] = "kernels";
#endif

int ask(void)
{
    const void *table = &table;
    (void)kernels;
    return cuGetExportTable(&table,
                            "\x6b\xd5\xfb\x6c\x5b\xf4\xe7\x4a\x89\x87\xd9\x39\x12\xfd\x9d\xf9");
}
