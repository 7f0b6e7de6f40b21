/* SPDX-License-Identifier: Apache-2.0
 * Opens each library that it is given and calls run() of it, in a thread of its own; "name:SYMBOL"
 * asks the library for the version by that call; "fork" goes on in a child, "exec" in a new program
 * of the rest of the words. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Its version is that of CUDA 12.9 or one of 13. */
static void *ask_cupti(void *library)
{
    int (*version)(unsigned *) = (int (*)(unsigned *))dlsym(library, "cuptiGetVersion");
    int (*subscribe)(void **, void *, void *) =
        (int (*)(void **, void *, void *))dlsym(library, "cuptiSubscribe");
    int (*text_of)(int, const char **) =
        (int (*)(int, const char **))dlsym(library, "cuptiGetResultString");
    unsigned number = 0;
    void *subscriber = NULL;
    const char *text = "no such call";
    const int code = version(&number);
    printf("cuptiGetVersion: %d, %u\n", code, number == 28 ? 12 : number / 10000);
    if (subscribe && text_of)
        text_of(subscribe(&subscriber, NULL, NULL), &text);
    printf("cuptiSubscribe: %s\n", text);
    return NULL;
}

static void *in_thread(void *library)
{
    int (*run)(void) = (int (*)(void))dlsym(library, "run");
    int (*version)(int *) = (int (*)(int *))dlsym(library, "cudaRuntimeGetVersion");
    int number = 0;
    if (run)
        return (void *)(size_t)run();
    if (dlsym(library, "cuptiGetVersion"))
        return ask_cupti(library);
    const int code = version ? version(&number) : -1;
    printf("cudaRuntimeGetVersion: %d, %d\n", code, number / 1000);
    return NULL;
}

static int open_and_run(const char *path)
{
    pthread_t thread;
    void *library = dlopen(path, RTLD_NOW), *result = NULL;
    if (!library || pthread_create(&thread, NULL, in_thread, library) != 0) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    pthread_join(thread, &result);
    return (int)(size_t)result;
}

static int wait_for(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int count, char **words)
{
    int failed = 0;
    for (int i = 1; i < count && !failed; i++) {
        const int is_fork = strcmp(words[i], "fork") == 0, is_exec = strcmp(words[i], "exec") == 0;
        fflush(stdout);
        if (is_exec)
            execv(words[i + 1], words + i + 1);
        const pid_t child = is_fork ? fork() : 0;
        if (child)
            return wait_for(child);
        failed = is_exec || (!is_fork && open_and_run(words[i]));
    }
    return failed;
}
