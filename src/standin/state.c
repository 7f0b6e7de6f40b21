/* SPDX-License-Identifier: Apache-2.0
 * See state.h. Options come from the environment, where `inflight run` puts them. */
#include "standin/state.h"

#include "base/utf8.h"
#include "base/vec.h"
#include "standin/binary.h"
#include "standin/error_log.h"
#include "standin/failed_call.h"
#include "standin/handle.h"
#include "standin/later.h"
#include "standin/launch_log.h"
#include "standin/run_options.h"
#include "standin/signals.h"
#include "standin/summary.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    bool is_tried;
    ifl_session *session;
    ifl_standin_options options;
    ifl_cuda_error broken;
    bool is_broken_told; /* a call has given it back */
    bool is_forked;
    bool is_runtime_used;     /* by any thread */
    int exit_status;          /* the program's own */
    bool is_unsupported;      /* a kernel was not run */
    bool has_faulted;         /* a kernel did */
    volatile bool is_ending;  /* a signal ends the program when the report is written */
    IFL_VEC(char *) warnings; /* told already, each without its numbers */
} state;

static _Thread_local ifl_cuda_error last_error;

/* A call of the driver that this thread is in. */
static _Thread_local struct {
    unsigned depth;
    const void *from;
    ifl_cuda_error error_before;
    bool runtime_called;
} driver;

/* How often this thread holds the lock. */
static _Thread_local unsigned held;

/* A thread may enter again: a host function runs while its stream is served. */
static void make_lock(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&state.lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static void take_lock(void)
{
    pthread_mutex_lock(&state.lock);
    held++;
}

static void leave_lock(void)
{
    held--;
    pthread_mutex_unlock(&state.lock);
}

unsigned ifl_state_let_go(void)
{
    const unsigned times = held;
    for (unsigned i = 0; i < times; i++)
        leave_lock();
    return times;
}

void ifl_state_take_again(unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        take_lock();
}

void ifl_state_rest(unsigned microseconds)
{
    const unsigned times = ifl_state_let_go();
    usleep(microseconds);
    ifl_state_take_again(times);
}

/* As with CUDA, which a process that was forked after its first call cannot use: the GPU stays its
 * parent's, and so does the report. Other threads, which are not here any more, may have held the
 * locks and changed what they guard. */
static void forget_in_child(void)
{
    if (!state.is_tried)
        return;
    state.is_forked = true;
    state.session = NULL;
    ifl_signals_forget();
    ifl_error_log_forget();
    make_lock();
    ifl_handles_forget();
    ifl_binaries_forget();
    ifl_later_forget();
    held = 0;
}

__attribute__((constructor)) static void begin(void)
{
    make_lock();
    pthread_atfork(NULL, NULL, forget_in_child);
}

bool ifl_state_is_forked(void)
{
    return state.is_forked;
}

ifl_cuda_error ifl_state_absence(void)
{
    return state.is_forked ? ifl_cudaErrorInitializationError : ifl_cudaErrorNoDevice;
}

/* What kernels print goes where the program's own printf goes, in order with it. */
static void print(void *user, const char *text, size_t length)
{
    (void)user;
    fwrite(text, 1, length, stdout);
}

/* A warning says at its end how often and where first: launches of a kernel in a loop say the same but
 * for that. */
static void warn(void *user, const char *kernel, const char *site, const char *text)
{
    const char *end = strstr(text, "; first block");
    while (end && end > text && strncmp(end, ", ", 2) != 0)
        end--;
    const int same = (int)(end ? end - text : (long)strlen(text));
    char *kept = NULL;
    (void)user;
    if (asprintf(&kept, "%s: %.*s", kernel, same, text) < 0)
        return;
    for (size_t i = 0; i < state.warnings.count; i++)
        if (strcmp(state.warnings.at[i], kept) == 0) {
            free(kept);
            return;
        }
    if (!ifl_vec_push(&state.warnings, kept))
        free(kept);
    ifl_state_tell("warning: %s\n  in %s, launched from %s", text, kernel, site ? site : "?");
}

static int write_report(void);

/* A call that another thread is in may come to its end first; the lock is kept, since nothing is to
 * follow. */
static void report_before_signal(void)
{
    enum { SECONDS = 5 };
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += SECONDS;
    if (pthread_mutex_timedlock(&state.lock, &until) != 0 || !state.session)
        return;
    state.is_ending = true;
    write_report();
}

static void note_exit_status(int status, void *user)
{
    (void)user;
    state.exit_status = status;
}

/* What a launch needs and frees, some 100 KiB, must not go back to the system and come from it with
 * each launch: glibc raises its thresholds to what was freed once (mallopt(3), M_MMAP_THRESHOLD).
 * Through a volatile pointer, since a compiler leaves such a pair out. */
static void raise_thresholds(void)
{
    enum { BYTES = 4 << 20 };
    void *volatile once = malloc(BYTES);
    free(once);
}

static void make_context(void)
{
    ifl_error error = {0};
    state.is_tried = true;
    raise_thresholds();
    if (ifl_standin_options_read(&state.options, &error) != IFL_OK) {
        ifl_state_tell_error(&error);
        return;
    }
    const ifl_session_options options = {.gpu = state.options.gpu,
                                         .code = state.options.code,
                                         .analysis = state.options.analysis,
                                         .observed_launches = state.options.launches,
                                         .observed_kernel = state.options.kernel,
                                         .skipped_launches = state.options.skip,
                                         .most_launches = state.options.most,
                                         .threads = state.options.threads,
                                         .stop = ifl_signals_stop(),
                                         .print = print,
                                         .every_launch = state.options.every_launch,
                                         .check_races = state.options.races,
                                         .check_reads = state.options.reads,
                                         .warn = warn};
    if (ifl_session_new(&options, &state.session, &error) != IFL_OK)
        ifl_state_tell_error(&error);
    else
        ifl_signals_watch(report_before_signal);
    ifl_launches_begin(state.options.each);
    on_exit(note_exit_status, NULL);
}

static size_t limits[IFL_LIMITS] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, IFL_LIMIT_NOT_SET};

size_t ifl_state_limit(int limit)
{
    return limit >= 0 && limit < IFL_LIMITS ? limits[limit] : 0;
}

void ifl_state_set_limit(int limit, size_t value)
{
    if (limit >= 0 && limit < IFL_LIMITS)
        limits[limit] = value;
}

static int cache_config;

int ifl_state_cache_config(void)
{
    return cache_config;
}

void ifl_state_set_cache_config(int config)
{
    cache_config = config;
}

void ifl_state_lock(void)
{
    take_lock();
}

void ifl_state_unlock(void)
{
    leave_lock();
}

ifl_session *ifl_state_enter(void)
{
    driver.runtime_called |= !driver.depth;
    take_lock();
    state.is_runtime_used |= !driver.depth;
    if (!state.is_tried)
        make_context();
    if (!state.session)
        leave_lock();
    return state.session;
}

ifl_session *ifl_state_enter_if_any(void)
{
    take_lock();
    if (!state.session)
        leave_lock();
    return state.session;
}

void ifl_state_leave(void)
{
    leave_lock();
}

/* ---- errors ---------------------------------------------------------------------------------- */

static _Thread_local bool is_default_own;

void ifl_state_default_is_own(void)
{
    is_default_own = true;
}

bool ifl_state_is_default_own(void)
{
    return is_default_own;
}

/* What follows a kernel's fault is not told: the fault is. */
static void note_failure(const char *call, const void *from, int code, bool is_driver)
{
    if (code == ifl_cudaSuccess || code == ifl_cudaErrorNotReady)
        return;
    take_lock();
    if (state.broken == ifl_cudaSuccess)
        ifl_failed_call_log(call, code, is_driver);
    if (state.session && state.broken == ifl_cudaSuccess)
        ifl_failed_call_note(call, from, code, is_driver);
    leave_lock();
}

ifl_cuda_error ifl_state_end_call(const char *call, const void *from, ifl_cuda_error code)
{
    if (!driver.depth)
        note_failure(call, from, code, false);
    is_default_own &= driver.depth != 0;
    if (code != ifl_cudaSuccess && code == state.broken)
        state.is_broken_told = true;
    if (code != ifl_cudaSuccess && code != ifl_cudaErrorNotReady)
        last_error = code;
    return code;
}

ifl_cuda_error ifl_state_broken(void)
{
    return state.broken;
}

void ifl_state_break(ifl_cuda_error code)
{
    state.broken = code;
}

void ifl_state_break_faulted(ifl_cuda_error code)
{
    state.has_faulted = true;
    state.broken = code;
}

void ifl_state_break_unsupported(void)
{
    state.is_unsupported = true;
    state.broken = ifl_cudaErrorNotSupported;
}

/* A launch returns before its kernel has faulted: only a later call tells of it, and then all
 * do. */
ifl_cuda_error ifl_state_last_error(bool forget)
{
    const ifl_cuda_error code = state.is_broken_told ? state.broken : last_error;
    if (forget)
        last_error = ifl_cudaSuccess;
    return code;
}

void ifl_state_tell(const char *format, ...)
{
    char text[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    ifl_error_log_add(text);
    fflush(stdout);
    /* Texts may come from the program and its files: what a terminal must not see is left out,
     * line by line. */
    fputs("inflight: ", stderr);
    for (char *line = text, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        ifl_utf8_clean(line);
        fprintf(stderr, "%s\n", line);
    }
}

void ifl_state_tell_error(const ifl_error *error)
{
    char column[16] = "";
    if (error->column > 0)
        snprintf(column, sizeof column, ":%d", error->column);
    if (error->file[0] && error->line)
        ifl_state_tell("%s:%d%s: error: %s", error->file, error->line, column, error->text);
    else
        ifl_state_tell("error: %s", error->text);
    char source[sizeof error->source];
    snprintf(source, sizeof source, "%s", error->source);
    ifl_utf8_clean(source);
    if (source[0])
        fprintf(stderr, "    %s\n", source);
}

void ifl_state_site(const void *address, char *to, size_t size)
{
    const void *from = driver.depth ? driver.from : address;
    if (state.is_forked)
        snprintf(to, size, "%p", from); /* a thread of the parent may have been looking */
    else
        ifl_site_describe(from, to, size);
}

_Noreturn void ifl_state_stop_at(const char *call, const void *from)
{
    char site[160];
    ifl_state_site(from, site, sizeof site);
    ifl_state_tell("error: %s is not served yet (called from %s)", call, site);
    exit(ifl_status_exit_code(IFL_UNSUPPORTED));
}

/* ---- the driver's calls ---------------------------------------------------------------------- */

void ifl_state_driver_begin(const void *from)
{
    ifl_state_lock();
    if (driver.depth++)
        return;
    driver.from = from;
    driver.error_before = last_error;
}

void ifl_state_driver_end(void)
{
    if (!--driver.depth) {
        last_error = driver.error_before;
        is_default_own = false;
    }
    ifl_state_unlock();
}

void ifl_state_driver_gave(const char *call, int code)
{
    if (!driver.depth)
        note_failure(call, driver.from, code, true);
}

bool ifl_state_runtime_called(void)
{
    return driver.runtime_called;
}

bool ifl_state_is_runtime_used(void)
{
    return state.is_runtime_used;
}

/* ---- the end --------------------------------------------------------------------------------- */

static int write_report(void)
{
    ifl_signals_guard();
    ifl_error_log_end();
    ifl_later_drop(state.session);
    const int status = ifl_standin_summary(state.session, &state.options);
    ifl_failed_calls_free();
    ifl_session_free(state.session);
    state.session = NULL;
    const int found = state.is_unsupported ? ifl_status_exit_code(IFL_UNSUPPORTED)
                      : (state.warnings.count || state.has_faulted) && state.options.fail
                          ? ifl_status_exit_code(IFL_FINDING)
                          : 0;
    for (size_t i = 0; i < state.warnings.count; i++)
        free(state.warnings.at[i]);
    ifl_vec_free(&state.warnings);
    return status ? status : found;
}

__attribute__((destructor)) static void finish(void)
{
    while (state.is_ending)
        pause();
    if (!state.session) {
        if (ifl_standin_is_first())
            ifl_state_tell("no kernel was launched");
        return;
    }
    if (ifl_later_is_any()) /* its thread does nothing more */
        ifl_state_lock();
    const int status = write_report();
    if (status && !state.exit_status) {
        fflush(NULL);
        _exit(status);
    }
}
