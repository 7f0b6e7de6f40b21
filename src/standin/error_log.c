/* SPDX-License-Identifier: Apache-2.0
 * See error_log.h. The reference has 25,600 bytes for the log; here that is 100 messages of 256. The
 * form of a line is that of the CUDA Programming Guide, "Error Log Management": [time][thread]
 * [source][severity] message. Callbacks get the message alone, since their level is told apart. */
#include "standin/error_log.h"

#include "standin/handle.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    LEVEL_ERROR = 0,
    LEVEL_WARNING = 1,
    MESSAGES = 100,
    MESSAGE_BYTES = 256,
    MOST_LISTENERS = 16
};

typedef struct listener {
    ifl_log_callback callback;
    void *user;
} listener;

static struct {
    pthread_mutex_t lock;
    char line[MESSAGES][MESSAGE_BYTES]; /* the newest ones, each with its end of line */
    unsigned next;
    bool is_ended;
} logged = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local bool is_in_callback;

/* ---- messages that come ---------------------------------------------------------------------- */

/* On one line, without what stderr has before the text. The level. */
static int clean(const char *text, char *to, size_t size)
{
    static const char error[] = "error: ", warning[] = "warning: ";
    const bool is_warning = strncmp(text, warning, strlen(warning)) == 0;
    const bool is_error = strncmp(text, error, strlen(error)) == 0;
    size_t length = 0;
    text += is_warning ? strlen(warning) : is_error ? strlen(error) : 0;
    for (; *text && length + 1 < size; text++) {
        const bool is_blank = *text == '\n' || *text == ' ';
        if (!is_blank || (length && to[length - 1] != ' '))
            to[length++] = is_blank ? ' ' : *text;
    }
    to[length] = '\0';
    return is_warning ? LEVEL_WARNING : LEVEL_ERROR;
}

static void keep(int level, const char *message)
{
    char *line = logged.line[logged.next++ % MESSAGES];
    struct timespec now;
    struct tm clock;
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &clock);
    const int length = snprintf(line, MESSAGE_BYTES - 1, "[%02d:%02d:%02d.%03ld][%ld][CUDA][%c] %s",
                                clock.tm_hour, clock.tm_min, clock.tm_sec, now.tv_nsec / 1000000,
                                (long)gettid(), level == LEVEL_WARNING ? 'W' : 'E', message);
    strcpy(line + (length < MESSAGE_BYTES - 1 ? length : MESSAGE_BYTES - 2), "\n");
}

static size_t copy_listeners(listener *to)
{
    size_t count = 0, at = 0;
    for (const listener *l;
         count < MOST_LISTENERS && (l = ifl_handle_next(IFL_HANDLE_LOG, &at)) != NULL;)
        to[count++] = *l;
    return count;
}

/* A callback may make calls: what these say is kept, but no callback hears it. */
void ifl_error_log_add(const char *text)
{
    char message[2048];
    listener listeners[MOST_LISTENERS];
    const int level = clean(text, message, sizeof message);
    pthread_mutex_lock(&logged.lock);
    const bool is_kept = !logged.is_ended;
    if (is_kept)
        keep(level, message);
    const size_t count = is_kept && !is_in_callback ? copy_listeners(listeners) : 0;
    pthread_mutex_unlock(&logged.lock);
    for (size_t i = 0; i < count; i++) {
        is_in_callback = true;
        listeners[i].callback(listeners[i].user, level, message, strlen(message));
        is_in_callback = false;
    }
}

static const char *text_of(int code)
{
    static const struct {
        int number;
        const char *text;
    } texts[] = {
#define ERROR(name, number, text) {number, text},
#include "standin/cuda_error.def"
#undef ERROR
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].number == code)
            return texts[i].text;
    return "an unknown error";
}

void ifl_error_log_call(const char *call, int code, const char *name)
{
    char text[MESSAGE_BYTES];
    snprintf(text, sizeof text, "Returning %d (%s, %s) from %s", code, name, text_of(code), call);
    ifl_error_log_add(text);
}

void ifl_error_log_end(void)
{
    pthread_mutex_lock(&logged.lock);
    logged.is_ended = true;
    pthread_mutex_unlock(&logged.lock);
}

void ifl_error_log_forget(void)
{
    pthread_mutex_init(&logged.lock, NULL);
}

/* ---- callbacks ------------------------------------------------------------------------------- */

void *ifl_error_log_listen(ifl_log_callback callback, void *user)
{
    listener *l = malloc(sizeof *l);
    if (!l)
        return NULL;
    *l = (listener){callback, user};
    pthread_mutex_lock(&logged.lock);
    const bool is_added = ifl_handle_add(IFL_HANDLE_LOG, l);
    pthread_mutex_unlock(&logged.lock);
    if (!is_added)
        free(l);
    return is_added ? l : NULL;
}

bool ifl_error_log_leave(void *handle)
{
    pthread_mutex_lock(&logged.lock);
    listener *l = ifl_handle_find(IFL_HANDLE_LOG, handle);
    if (l)
        ifl_handle_remove(l);
    pthread_mutex_unlock(&logged.lock);
    free(l);
    return l != NULL;
}

/* ---- messages that are read ------------------------------------------------------------------ */

static const char shortened[] = "[earlier messages are not here]\n";

unsigned ifl_error_log_next(void)
{
    pthread_mutex_lock(&logged.lock);
    const unsigned next = logged.next;
    pthread_mutex_unlock(&logged.lock);
    return next;
}

static size_t length_of(unsigned message)
{
    return strlen(logged.line[message % MESSAGES]);
}

/* The first of the messages from `from` on that fit, with those behind it, into so many bytes. */
static unsigned first_that_fits(unsigned from, size_t bytes)
{
    unsigned first = logged.next;
    for (; first > from && length_of(first - 1) <= bytes; first--)
        bytes -= length_of(first - 1);
    return first;
}

static size_t copy_lines(unsigned from, char *to)
{
    size_t length = 0;
    for (; from < logged.next; from++) {
        memcpy(to + length, logged.line[from % MESSAGES], length_of(from));
        length += length_of(from);
    }
    return length;
}

static bool read_lines(unsigned from, char *to, size_t size, size_t *length)
{
    const unsigned oldest = logged.next > MESSAGES ? logged.next - MESSAGES : 0;
    const size_t head = strlen(shortened), room = size - 1;
    unsigned first = from < oldest ? oldest : from;
    *length = 0;
    if (from >= logged.next)
        return true;
    if (from < oldest || first_that_fits(first, room) > first) {
        first = first_that_fits(first, room > head ? room - head : 0);
        if (first == logged.next)
            return false;
        memcpy(to, shortened, head);
        *length = head;
    }
    *length += copy_lines(first, to + *length);
    return true;
}

bool ifl_error_log_read(unsigned from, char *to, size_t size, size_t *length, unsigned *next)
{
    pthread_mutex_lock(&logged.lock);
    const bool is_read = read_lines(from, to, size, length);
    *next = logged.next;
    pthread_mutex_unlock(&logged.lock);
    to[*length] = '\0';
    return is_read;
}
