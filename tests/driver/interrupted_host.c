/* SPDX-License-Identifier: Apache-2.0
 * Ctrl-C while no kernel runs has its usual effect, although the GPU was used before. */
#include "cu.h"

#include <signal.h>
#include <unistd.h>

int main(void)
{
    void *context, *module, *kernel;
    address at;
    void *params[] = {&at};
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuMemAlloc_v2(&at, 64));
    OK(cuModuleLoadData(&module, kernels));
    OK(cuModuleGetFunction(&kernel, module, "poke"));
    OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    puts("before");
    fflush(stdout);
    kill(getpid(), SIGINT);
    sleep(1);
    puts("not reached");
    return 0;
}
