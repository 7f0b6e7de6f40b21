/* SPDX-License-Identifier: Apache-2.0
 * Launches one kernel of a fat binary again and again. */
#include "cu.h"

enum { LAUNCHES = 5, BLOCK = 64, COUNT = 256 };

static __attribute__((noinline)) void launch(void *function, address y)
{
    int n = COUNT;
    float a = 2.0f;
    void *arguments[] = {&n, &a, &y};
    OK(cuLaunchKernel(function, COUNT / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL, arguments, NULL));
}

int main(int argc, char **argv)
{
    void *context, *module, *function;
    address y;
    float result;
    if (argc != 2)
        return 2;
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuModuleLoad(&module, argv[1]));
    OK(cuModuleGetFunction(&function, module, "_Z5scaleIfEviT_PS0_"));
    OK(cuMemAlloc_v2(&y, COUNT * sizeof(float)));
    OK(cuMemsetD32_v2(y, 0x3f800000, COUNT));
    for (int i = 0; i < LAUNCHES; i++)
        launch(function, y);
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH_v2(&result, y, sizeof result));
    printf("%g\n", result);
    return 0;
}
