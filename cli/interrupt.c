/* SPDX-License-Identifier: Apache-2.0
 * Ctrl-C, for the commands that run for long. */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

/* What a signal handler may write to. */
static volatile int stop_asked;
static volatile double asked_at_s;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The first Ctrl-C stops the run and reports what was counted; a later one has its usual effect.
 * One that comes at once is no second wish: timeout(1) signals the process and then its group. */
static void ask_to_stop(int number)
{
    const double patience_s = 0.3;
    if (stop_asked && now_s() - asked_at_s > patience_s) {
        signal(number, SIG_DFL);
        raise(number);
    } else if (!stop_asked) {
        asked_at_s = now_s();
        stop_asked = 1;
    }
}

const volatile int *ifl_cli_catch_signals(void)
{
    struct sigaction action = {.sa_handler = ask_to_stop};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &stop_asked;
}
