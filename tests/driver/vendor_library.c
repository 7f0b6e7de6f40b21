/* SPDX-License-Identifier: Apache-2.0
 * Built under the names of NVIDIA's libraries: asks the driver, as the runtime inside of those does, for a table that is not
 * documented. WITH_KERNELS: it has some. */
#include "cu.h"

extern int cuGetExportTable(const void **table, const void *id);
extern int ask(void);

#ifdef WITH_KERNELS
__attribute__((section(".nv_fatbin"), used)) static const char kernels_here[8] = "kernels";
#endif

int ask(void)
{
    const void *table = &table;
    (void)kernels;
    return cuGetExportTable(&table, "\x6e\x16\x3f\xbe\xb9\x58\x44\x4d\x83\x5c\xe1\x82\xaf\xf1\x99\x1e");
}
