/* SPDX-License-Identifier: Apache-2.0
 * What goes to the terminal besides reports: errors, progress, hints; and whether it may be
 * coloured. */
#ifndef IFL_CLI_TERMINAL_H
#define IFL_CLI_TERMINAL_H

#include <inflight.h>

/* Prints an error as `FILE:LINE:COL: error: text`, with the line and a caret where there is a text,
 * on stderr. Returns the exit status of the program. Output that nobody reads any more is no
 * error. */
int ifl_cli_fail(const ifl_error *error);
/* Fills in an error; returns `status`. */
ifl_status ifl_cli_error(ifl_error *error, ifl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints text from outside, without what a terminal must not see. */
void ifl_cli_put(const char *text, size_t bytes, FILE *out);

/* "auto", "always", "never"; false for another word. Auto follows NO_COLOR, TERM and whether stdout
 * is a terminal. */
bool ifl_cli_color(const char *when, bool *color);
/* Columns of stdout; 0 where it is not a terminal and COLUMNS is not set. */
int ifl_cli_width(void);
/* The same for a table: 100 where nothing says how wide it may be. */
int ifl_cli_table_width(void);
/* Columns for prose: 88, or fewer on a narrower terminal. */
int ifl_cli_prose_width(void);
/* The words of `text`, up to a line end, wrapped to that width and ended with a line end; the first
 * line begins at column `at` already, the others at `indent`. */
void ifl_cli_print_wrapped(const char *text, int at, int indent, FILE *out);

/* The candidate that `word` is a misspelling of, NULL where it is near to none. `at` gives the candidates, NULL past
 * the last. */
const char *ifl_cli_closest(const char *word, const char *(*at)(const void *user, size_t index),
                            const void *user);

/* Seconds, of a clock that only goes on. */
double ifl_cli_now_s(void);

typedef struct ifl_cli_progress {
    bool shown;    /* a line is on the terminal now */
    bool terminal; /* stderr is one */
    double start, last;
} ifl_cli_progress;

void ifl_cli_progress_start(ifl_cli_progress *progress);
/* An ifl_run_options.progress; `user` is the ifl_cli_progress. */
void ifl_cli_progress_update(void *user, uint64_t blocks_done, uint64_t blocks);
void ifl_cli_progress_erase(ifl_cli_progress *progress);

#endif
