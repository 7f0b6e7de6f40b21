/* SPDX-License-Identifier: Apache-2.0
 * A signal while no kernel runs has its usual effect, although the GPU was used before. What sends
 * it, by the first word, where N is its number: "N" and "queueN" the program itself, by kill() and
 * sigqueue(); "childN" another process; "abort", "fault" and "trap" what the program does; "locked":
 * the program holds what stdio needs, and goes on for as long as it does.
 * With a handler of its own: "before" and "after" the first use of the GPU; the program goes on.
 * "overN" has one that calls the handler that was there, as those of chains do. */
#include "cu.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile nowhere;
static volatile sig_atomic_t handled;
static void (*handler_before)(int);

static void handle(int number)
{
    handled = number;
}

static void pass_on(int number)
{
    handler_before(number);
}

/* N of a word that starts with `with`; 0: it does not. */
static int number_behind(const char *word, const char *with)
{
    const size_t length = strlen(with);
    return strncmp(word, with, length) == 0 ? atoi(word + length) : 0;
}

static void send_from_child(int number)
{
    const pid_t child = fork();
    if (!child) {
        kill(getppid(), number);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void trap(void)
{
#ifdef __x86_64__
    __asm__ volatile("int3");
#else
    raise(SIGTRAP);
#endif
}

static void end_by(const char *word)
{
    static const char *const sent[] = {"", "before", "after", "over"};
    if (strcmp(word, "abort") == 0)
        abort();
    if (strcmp(word, "fault") == 0)
        *(volatile int *)nowhere = 0;
    if (strcmp(word, "trap") == 0)
        trap();
    if (strcmp(word, "locked") == 0) {
        flockfile(stdout);
        kill(getpid(), SIGTERM);
        funlockfile(stdout);
    }
    if (number_behind(word, "queue"))
        sigqueue(getpid(), number_behind(word, "queue"), (union sigval){0});
    if (number_behind(word, "child"))
        send_from_child(number_behind(word, "child"));
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++)
        if (number_behind(word, sent[i]))
            kill(getpid(), number_behind(word, sent[i]));
}

int main(int count, char **words)
{
    void *context, *module, *kernel;
    address at;
    void *params[] = {&at};
    const char *word = count > 1 ? words[1] : "2";
    if (number_behind(word, "before"))
        signal(number_behind(word, "before"), handle);
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuMemAlloc_v2(&at, 64));
    OK(cuModuleLoadData(&module, kernels));
    OK(cuModuleGetFunction(&kernel, module, "poke"));
    OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    if (number_behind(word, "after"))
        signal(number_behind(word, "after"), handle);
    if (number_behind(word, "over"))
        handler_before = signal(number_behind(word, "over"), pass_on);
    puts("before");
    fflush(stdout);
    end_by(word);
    if (handled)
        return 0;
    sleep(20);
    puts("not reached");
    return 0;
}
