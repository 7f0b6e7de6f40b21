/* SPDX-License-Identifier: Apache-2.0
 * Launches a kernel that cannot be run here, and does not look at what the calls give: machine code
 * whose S2R are made words that no instruction has.
 * usage: not_run CUBIN KERNEL      (of sm_90, with one parameter) */
#include "cu.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    CUDA_ERROR_NOT_SUPPORTED = 801,
    MOST = 1 << 20,
    INSTRUCTION = 16,
    OPCODE = 0xfff,
    S2R = 0x919
};

static void spoil(char *bytes, size_t size)
{
    for (size_t at = 0; at + INSTRUCTION <= size; at += INSTRUCTION) {
        uint16_t low;
        memcpy(&low, bytes + at, sizeof low);
        if ((low & OPCODE) != S2R)
            continue;
        low |= OPCODE;
        memcpy(bytes + at, &low, sizeof low);
    }
}

int main(int argc, char **argv)
{
    static char bytes[MOST];
    void *context, *module, *function;
    address to;
    (void)kernels;
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    if (!file)
        return 2;
    spoil(bytes, fread(bytes, 1, sizeof bytes, file));
    fclose(file);
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuMemAlloc_v2(&to, 64));
    OK(cuModuleLoadData(&module, bytes));
    OK(cuModuleGetFunction(&function, module, argv[2]));
    void *arguments[] = {&to};
    const int launched = cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL);
    if (launched == CUDA_ERROR_NOT_SUPPORTED && cuCtxSynchronize() == launched)
        return 0;
    puts("went on");
    return 0;
}
