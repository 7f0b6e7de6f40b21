/* SPDX-License-Identifier: Apache-2.0
 * See signals.h. A handler may call almost nothing (signal-safety(7)): it wakes a thread that
 * writes the report, and waits for it. Where the program was stopped inside of malloc or stdio that
 * thread may need what the program holds; so the wait has an end, after which the program goes on
 * until the report is written. */
#include "standin/signals.h"

#include "base/file.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

/* Those that end a program (signal(7)); `is_fault`: of what it just did, unless it was sent. */
static const struct {
    int number;
    bool is_fault;
} endings[] = {
    {SIGINT, false},  {SIGTERM, false}, {SIGHUP, false},  {SIGQUIT, false}, {SIGPIPE, false},
    {SIGALRM, false}, {SIGUSR1, false}, {SIGUSR2, false}, {SIGXCPU, false}, {SIGABRT, true},
    {SIGSEGV, true},  {SIGBUS, true},   {SIGFPE, true},   {SIGILL, true},   {SIGTRAP, true},
};
enum { ENDINGS = sizeof endings / sizeof *endings };

/* Where a signal came from. */
typedef enum source {
    OUTSIDE, /* a process, or a timer: no thread stands still for it */
    ITSELF, /* the thread that got it, by abort() or raise(), or by an instruction that it is past */
    FAULT   /* the same, by an instruction that it makes again and faults at again */
} source;

static struct {
    void (*report)(void);
    sem_t wake;
    volatile int stop;
    volatile int kernels;         /* that run */
    volatile sig_atomic_t number; /* the signal that ends the program */
    volatile sig_atomic_t source;
    volatile sig_atomic_t is_done;
} watched;

const volatile int *ifl_signals_stop(void)
{
    return &watched.stop;
}

int ifl_signals_exit_status(void)
{
    enum { OF_SHELLS = 128 };
    return OF_SHELLS + (int)watched.number;
}

void ifl_state_kernel_begin(void)
{
    watched.kernels++;
}

void ifl_state_kernel_end(void)
{
    watched.kernels--;
}

static bool is_fault(int number)
{
    for (size_t i = 0; i < ENDINGS; i++)
        if (endings[i].number == number)
            return endings[i].is_fault;
    return false;
}

static void end_by(int number)
{
    sigset_t one;
    signal(number, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, number);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    kill(getpid(), number);
}

/* ---- the thread that reports ----------------------------------------------------------------- */

static void *write_when_woken(void *unused)
{
    while (sem_wait(&watched.wake) != 0)
        continue;
    watched.report();
    watched.is_done = 1;
    if (watched.source == OUTSIDE) /* else the thread that got it ends the program */
        end_by(watched.number);
    return unused;
}

static bool start_thread(void)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    if (sem_init(&watched.wake, 0, 0) != 0)
        return false;
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const bool is_started = pthread_create(&thread, NULL, write_when_woken, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started && pthread_detach(thread) == 0;
}

/* ---- handlers -------------------------------------------------------------------------------- */

static void wait_for_report(void)
{
    enum { STEPS = 200 };
    const struct timespec step = {.tv_nsec = 10 * 1000 * 1000};
    for (int i = 0; i < STEPS && !watched.is_done; i++)
        nanosleep(&step, NULL);
}

static void on_signal(int number, siginfo_t *info, void *context);

/* `info` is there only where the signal came straight here: a handler that was put over this one
 * may have called it with the number alone, or have put it back by signal(). */
static source source_of(int number, const siginfo_t *info)
{
    struct sigaction now;
    if (!is_fault(number))
        return OUTSIDE;
    if (sigaction(number, NULL, &now) != 0 || !(now.sa_flags & SA_SIGINFO) ||
        now.sa_sigaction != on_signal)
        return ITSELF;
    if (info->si_code > 0) /* from the kernel (sigaction(2)) */
        return number == SIGTRAP ? ITSELF : FAULT;
    return info->si_code == SI_TKILL && info->si_pid == getpid() ? ITSELF : OUTSIDE;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    const source from = source_of(number, info);
    const bool ends_kernel = watched.kernels && !watched.stop && from == OUTSIDE;
    (void)context;
    if (!watched.report) {
        end_by(number);
        return;
    }
    watched.number = number;
    watched.source = from;
    watched.stop = 1;
    if (ends_kernel)
        return;
    sem_post(&watched.wake);
    wait_for_report();
    if (from == FAULT)
        signal(number, SIG_DFL);
    else if (from == ITSELF)
        end_by(number);
}

static bool is_default(int number)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_DFL;
}

static bool is_ours(int number)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && now.sa_sigaction == on_signal;
}

void ifl_signals_watch(void (*report)(void))
{
    const struct sigaction catcher = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    if (!start_thread())
        return;
    watched.report = report;
    for (size_t i = 0; i < ENDINGS; i++)
        if (is_default(endings[i].number))
            sigaction(endings[i].number, &catcher, NULL);
}

void ifl_signals_forget(void)
{
    watched.report = NULL;
    watched.stop = watched.kernels = 0;
}

/* ---- while reports are written --------------------------------------------------------------- */

static void end_cleanly(int number)
{
    ifl_files_drop();
    end_by(number);
}

void ifl_signals_guard(void)
{
    const struct sigaction catcher = {.sa_handler = end_cleanly, .sa_flags = SA_NODEFER};
    for (size_t i = 0; i < ENDINGS; i++)
        if (!endings[i].is_fault && (is_default(endings[i].number) || is_ours(endings[i].number)))
            sigaction(endings[i].number, &catcher, NULL);
    if (is_default(SIGXFSZ))
        signal(SIGXFSZ, SIG_IGN);
}
