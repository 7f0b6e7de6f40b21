/* SPDX-License-Identifier: Apache-2.0
 * Calls something of the driver that is not served: references of textures are not. */
#include "cu.h"

extern int cuTexRefCreate(void **out);

int main(void)
{
    (void)kernels;
    OK(cuInit(0));
    void *reference;
    cuTexRefCreate(&reference);
    puts("went on");
    return 0;
}
