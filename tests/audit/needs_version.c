/* SPDX-License-Identifier: Apache-2.0
 * Needs a version of a symbol of a library with a name that auditwheel changed. */
#include <stdio.h>

extern int cudaRuntimeGetVersion(int *version);
extern int run(void);

int run(void)
{
    int version = 0;
    const int code = cudaRuntimeGetVersion(&version);
    printf("cudaRuntimeGetVersion: %d, %d\n", code, version / 1000);
    return 0;
}
