/* SPDX-License-Identifier: Apache-2.0
 * Three launches of a kernel that reads below its own shared memory, and what it read elsewhere.
 * usage: below_shared CUBIN KERNEL      (of sm_90, 64 threads, with one parameter) */
#include "cu.h"

#include <stdlib.h>

enum { MOST = 1 << 20, THREADS = 64, LAUNCHES = 3 };

int main(int argc, char **argv)
{
    static char bytes[MOST];
    int values[THREADS];
    void *context, *module, *function;
    address to;
    (void)kernels;
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    if (!file || !fread(bytes, 1, sizeof bytes, file))
        return 2;
    fclose(file);
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuMemAlloc_v2(&to, sizeof values));
    OK(cuModuleLoadData(&module, bytes));
    OK(cuModuleGetFunction(&function, module, argv[2]));
    void *arguments[] = {&to};
    for (int i = 0; i < LAUNCHES; i++)
        OK(cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL));
    OK(cuMemcpyDtoH_v2(values, to, sizeof values));
    printf("%d %d\n", values[1], values[THREADS - 1]);
    return 0;
}
