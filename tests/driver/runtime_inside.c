/* SPDX-License-Identifier: Apache-2.0
 * Looks like a program with a static CUDA runtime: kernels are in it, and no library is asked to register them. It loads
 * the driver as that runtime does, and asks for a table that is not documented. */
#include "cu.h"

__attribute__((section(".nv_fatbin"), used)) static const char kernels_here[8] = "kernels";

int main(void)
{
    (void)kernels;
    puts("went on");
    return 0;
}
