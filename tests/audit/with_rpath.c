/* SPDX-License-Identifier: Apache-2.0
 * Linked with a libcudart.so.13 that its RPATH finds, as PyTorch is. */
#include <stdio.h>

extern int cudaRuntimeGetVersion(int *version);

int main(void)
{
    int version = 0;
    const int code = cudaRuntimeGetVersion(&version);
    printf("cudaRuntimeGetVersion: %d, %d\n", code, version / 1000);
    return 0;
}
