/* SPDX-License-Identifier: Apache-2.0
 * Launches each kernel of two_codes.cu, that of a name twice. Prints what it finds in memory: with
 * --code both, what the machine code left there. */
#include "cu.h"

enum { THREADS = 64, NON_BLOCKING = 1 };

static void *module, *streams[2];
static uint32_t words[THREADS];

static void launch(const char *name, unsigned threads, address at, void *stream)
{
    void *kernel, *arguments[] = {&at};
    OK(cuModuleGetFunction(&kernel, module, name));
    OK(cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, 0, stream, arguments, NULL));
}

static void show(const char *name, int times)
{
    address at;
    uint32_t sum = 0;
    OK(cuMemAlloc_v2(&at, sizeof words));
    for (int i = 0; i < times; i++)
        launch(name, THREADS, at, NULL);
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH_v2(words, at, sizeof words));
    OK(cuMemFree_v2(at));
    for (int i = 0; i < THREADS; i++)
        sum += words[i];
    printf("%s %u\n", name, sum);
}

/* A kernel of the other stream writes what this one waits for. */
static void show_waiting(void)
{
    address at;
    OK(cuMemAlloc_v2(&at, sizeof words));
    launch("waits", 1, at, streams[0]);
    launch("only_machine", 1, at, streams[1]);
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH_v2(words, at, sizeof words));
    OK(cuMemFree_v2(at));
    printf("waits %u %u\n", words[0], words[1]);
}

int main(int count, char **args)
{
    int device;
    void *context;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuCtxCreate_v2(&context, 0, device));
    OK(cuModuleLoad(&module, count > 1 ? args[1] : ""));
    for (int i = 0; i < 2; i++)
        OK(cuStreamCreate(&streams[i], NON_BLOCKING));
    show("differs", 3);
    show("fuses", 2);
    show("counts", 2);
    show("allocates", 1);
    show("faults", 2);
    show("only_machine", 1);
    show("only_ptx", 1);
    show_waiting();
    return 0;
}
