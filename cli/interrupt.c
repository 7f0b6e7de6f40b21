/* SPDX-License-Identifier: Apache-2.0
 * See interrupt.h. */
#include "interrupt.h"

#include "terminal.h"

#include <inflight.h>
#include <signal.h>
#include <stddef.h>

/* What a signal handler may write to. */
static volatile int stop_asked;
static volatile double asked_at_s;

/* The signal's usual effect, without files that are not complete. */
static void end(int number)
{
    ifl_outputs_drop();
    signal(number, SIG_DFL);
    raise(number);
}

void ifl_cli_end_cleanly(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction action = {.sa_handler = end, .sa_flags = SA_NODEFER}, now;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            sigaction(numbers[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a write that fails, and is told */
}

/* The first Ctrl-C stops the run and reports what was counted; a later one has its usual effect.
 * One that comes at once is no second wish: timeout(1) signals the process and then its group. */
static void ask_to_stop(int number)
{
    const double patience_s = 0.3;
    if (stop_asked && ifl_cli_now_s() - asked_at_s > patience_s) {
        end(number);
    } else if (!stop_asked) {
        asked_at_s = ifl_cli_now_s();
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
