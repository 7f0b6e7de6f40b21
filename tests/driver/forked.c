/* SPDX-License-Identifier: Apache-2.0
 * A process that forks while another of its threads launches kernels. CUDA cannot be used in a
 * child that was forked after the first call: each call there says cudaErrorInitializationError,
 * and the child ends like any other. */
#include "cu.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

extern int cudaMalloc(void **out, size_t bytes);
extern int cudaStreamCreate(void **out);
extern int cudaFree(void *at);

enum { CHILDREN = 60, INITIALIZATION_ERROR = 3 };

static atomic_bool is_over;
static void *kernel, *at;

static void *launch_on(void *user)
{
    void *params[] = {&at};
    OK(cuCtxSetCurrent(user));
    while (!is_over)
        OK(cuLaunchKernel(kernel, 4, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    return NULL;
}

/* What it does at its end (destructors, handlers of exit) must not wait for the parent's threads
 * either. */
static void be_a_child(void)
{
    void *memory, *stream;
    address found;
    const int codes[] = {cudaMalloc(&memory, 4),   cudaStreamCreate(&stream), cudaFree(at),
                         cuMemAlloc_v2(&found, 4), cuCtxSynchronize(),        cuInit(0)};
    int wrong = 0;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        wrong += codes[i] != INITIALIZATION_ERROR;
    exit(wrong);
}

int main(void)
{
    pthread_t thread;
    void *module, *context;
    int statuses = 0;
    OK(cudaMalloc(&at, 64));
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuModuleLoadData(&module, kernels));
    OK(cuModuleGetFunction(&kernel, module, "poke"));
    OK(pthread_create(&thread, NULL, launch_on, context));
    for (int i = 0; i < CHILDREN; i++) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0)
            be_a_child();
        usleep(1000);
        OK(waitpid(child, &status, 0) != child);
        statuses |= status;
    }
    is_over = true;
    pthread_join(thread, NULL);
    EXPECT(statuses, 0);
    printf("%d children ended\n", CHILDREN);
    return 0;
}
