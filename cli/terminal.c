/* SPDX-License-Identifier: Apache-2.0
 * Errors, progress, hints, colours: what goes to the terminal besides reports. */
#include "terminal.h"

#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* ---- errors ---------------------------------------------------------------------------------- */

ifl_status ifl_cli_error(ifl_error *error, ifl_status status, const char *format, ...)
{
    va_list list;
    *error = (ifl_error){.status = status};
    va_start(list, format);
    vsnprintf(error->text, sizeof error->text, format, list);
    va_end(list);
    return status;
}

/* Foreign text must not drive the terminal; tabs stay, so that the caret can follow them. */
void ifl_cli_put(const char *text, size_t bytes, FILE *out)
{
    char *copy = strndup(text, bytes);
    if (!copy)
        return;
    ifl_text_clean(copy);
    fputs(copy, out);
    free(copy);
}

static void put_safe(const char *text, size_t bytes)
{
    ifl_cli_put(text, bytes, stderr);
}

static void print_place(const ifl_error *error)
{
    if (!error->file[0]) {
        fputs("inflight: ", stderr);
        return;
    }
    put_safe(error->file, strlen(error->file));
    if (error->line > 0)
        fprintf(stderr, ":%d", error->line);
    if (error->line > 0 && error->column > 0)
        fprintf(stderr, ":%d", error->column);
    fputs(": ", stderr);
}

/* Lines after the first are indented. */
static void print_text(const char *text)
{
    for (const char *line = text; line;) {
        size_t bytes = strcspn(line, "\n");
        fputs(line == text ? "" : "  ", stderr);
        put_safe(line, bytes);
        fputc('\n', stderr);
        line = line[bytes] && line[bytes + 1] ? line + bytes + 1 : NULL;
    }
}

/* The column counts bytes; the caret stands under the character that begins there. */
static void print_caret(const ifl_error *error)
{
    size_t length = strlen(error->source), column = error->column > 0 ? (size_t)error->column : 0;
    if (!length)
        return;
    fputs("  ", stderr);
    put_safe(error->source, length);
    fputc('\n', stderr);
    if (!column || column > length + 1)
        return;
    fputs("  ", stderr);
    for (size_t i = 0; i + 1 < column; i++)
        if ((error->source[i] & 0xc0) != 0x80)
            fputc(error->source[i] == '\t' ? '\t' : ' ', stderr);
    fputs("^\n", stderr);
}

/* Whoever reads the pipe has seen enough, as `| head` does. A pipe without a reader polls as an
 * error. */
static bool reader_has_left(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return ferror(stdout) && poll(&out, 1, 0) > 0 && (out.revents & POLLERR);
}

int ifl_cli_fail(const ifl_error *error)
{
    fflush(stdout);
    if (error->status == IFL_NO_FILE && reader_has_left())
        return 0;
    print_place(error);
    fputs("error: ", stderr);
    print_text(error->text[0] ? error->text : ifl_status_text(error->status));
    print_caret(error);
    return ifl_status_exit_code(error->status);
}

/* ---- colours, width -------------------------------------------------------------------------- */

/* no-color.org: NO_COLOR counts when it is set and not empty. */
static bool color_is_welcome(void)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(no_color && *no_color) &&
           !(terminal && strcmp(terminal, "dumb") == 0);
}

bool ifl_cli_color(const char *when, bool *color)
{
    if (strcmp(when, "auto") == 0)
        *color = color_is_welcome();
    else if (strcmp(when, "always") == 0)
        *color = true;
    else if (strcmp(when, "never") == 0)
        *color = false;
    else
        return false;
    return true;
}

int ifl_cli_width(void)
{
    enum { LEAST = 40, MOST = 1000 };
    struct winsize size = {0};
    const char *columns = getenv("COLUMNS");
    long width = columns ? strtol(columns, NULL, 10) : 0;
    if (width <= 0 && isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    return width <= 0 || width > MOST ? 0 : width < LEAST ? LEAST : (int)width;
}

int ifl_cli_table_width(void)
{
    enum { TABLE = 100 }; /* as reports */
    const int width = ifl_cli_width();
    return width > 0 ? width : TABLE;
}

int ifl_cli_prose_width(void)
{
    enum { PROSE = 88 };
    const int width = ifl_cli_width();
    return width > 0 && width < PROSE ? width : PROSE;
}

void ifl_cli_print_wrapped(const char *text, int at, int indent, FILE *out)
{
    const int width = ifl_cli_prose_width();
    int column = at;
    bool is_first = true;
    for (const char *word = text; *word;) {
        const int bytes = (int)strcspn(word, " \n");
        if (!is_first && column + 1 + bytes > width) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (!is_first) {
            fputc(' ', out);
            column++;
        }
        is_first = false;
        fprintf(out, "%.*s", bytes, word);
        column += bytes;
        word += bytes;
        if (*word == '\n')
            break;
        word += *word == ' ';
    }
    fputc('\n', out);
}

/* ---- the closest word ------------------------------------------------------------------------ */

enum { LONGEST_WORD = 40 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Letters to insert, drop, change or swap with the next one to make one word of the other (optimal
 * string alignment). */
static size_t distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST_WORD + 1];
    const size_t length = strlen(b);
    for (size_t j = 0; j <= length; j++)
        rows[0][j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            row[j] = least(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                two_above[j - 2] + 1 < row[j])
                row[j] = two_above[j - 2] + 1;
        }
    }
    return rows[strlen(a) % 3][length];
}

/* How many slips of the finger a word may have: one in three letters, of the shorter of the two.
 * "foo" is not a misspelt "on": two of its three letters are others. */
static size_t slips(const char *word, const char *candidate)
{
    const size_t a = strlen(word), b = strlen(candidate), shorter = a < b ? a : b;
    return (shorter + 1) / 3;
}

const char *ifl_cli_closest(const char *word, const char *(*at)(const void *user, size_t index),
                            const void *user)
{
    const char *best = NULL;
    size_t best_distance = SIZE_MAX;
    for (size_t i = 0; at(user, i); i++) {
        const char *candidate = at(user, i);
        if (strlen(candidate) > LONGEST_WORD)
            continue;
        const size_t d = distance(word, candidate);
        if (d <= slips(word, candidate) && d < best_distance) {
            best_distance = d;
            best = candidate;
        }
    }
    return best;
}

/* ---- progress -------------------------------------------------------------------------------- */

enum { PROGRESS_PER_S = 10 };
static const double progress_first_s = 0.5; /* what is over sooner needs no progress */

double ifl_cli_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void ifl_cli_progress_start(ifl_cli_progress *progress)
{
    *progress = (ifl_cli_progress){.terminal = isatty(STDERR_FILENO), .start = ifl_cli_now_s()};
    progress->last = progress->start + progress_first_s - 1.0 / PROGRESS_PER_S;
}

static void print_left(double seconds)
{
    if (seconds < 100)
        fprintf(stderr, "%.0f s left", seconds);
    else if (seconds < 100 * 60)
        fprintf(stderr, "%.0f min left", seconds / 60);
    else
        fprintf(stderr, "%.0f h left", seconds / 3600);
}

void ifl_cli_progress_update(void *user, uint64_t blocks_done, uint64_t blocks)
{
    ifl_cli_progress *progress = user;
    double now = progress->terminal ? ifl_cli_now_s() : 0;
    if (!progress->terminal || !blocks || now - progress->last < 1.0 / PROGRESS_PER_S)
        return;
    double rate = (double)blocks_done / (now - progress->start);
    progress->last = now;
    progress->shown = true;
    fprintf(stderr, "\r\033[K%" PRIu64 " of %" PRIu64 " blocks (%.0f %%), %.*f blocks/s",
            blocks_done, blocks, 100.0 * (double)blocks_done / (double)blocks, rate < 10 ? 1 : 0,
            rate);
    if (rate > 0) {
        fputs(", ", stderr);
        print_left((double)(blocks - blocks_done) / rate);
    }
    fflush(stderr);
}

void ifl_cli_progress_erase(ifl_cli_progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
