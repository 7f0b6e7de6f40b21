/* SPDX-License-Identifier: Apache-2.0
 * A signal while no kernel runs has its usual effect, although the GPU was used before. What sends
 * it, by the first word: its number, "abort", "fault", or "locked": the program holds what stdio
 * needs, and goes on for as long as it does. */
#include "cu.h"

#include <signal.h>
#include <unistd.h>

static void *volatile nowhere;

static void end_by(const char *word)
{
    if (strcmp(word, "abort") == 0)
        abort();
    if (strcmp(word, "fault") == 0)
        *(volatile int *)nowhere = 0;
    if (strcmp(word, "locked") == 0)
        flockfile(stdout);
    kill(getpid(), atoi(word) ? atoi(word) : SIGTERM);
    if (strcmp(word, "locked") == 0)
        funlockfile(stdout);
}

int main(int count, char **words)
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
    end_by(count > 1 ? words[1] : "2");
    sleep(20);
    puts("not reached");
    return 0;
}
