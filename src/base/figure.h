/* SPDX-License-Identifier: Apache-2.0
 * Figures and foreign text as people read them: grouped counts, bytes in SI units, percentages,
 * text without control characters. Knows nothing of profiles. */
#ifndef IFL_BASE_FIGURE_H
#define IFL_BASE_FIGURE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* A prediction has no more than three figures to tell; a measured time has four. */
enum { IFL_FIGURE_SIZE = 40, IFL_PREDICTED_DIGITS = 3, IFL_MEASURED_DIGITS = 4 };

/* One figure as text, by value, so that several can stand in one printf. */
typedef struct ifl_figure {
    char text[IFL_FIGURE_SIZE];
} ifl_figure;

ifl_figure ifl_figure_count(uint64_t value); /* 2,097,152 */
ifl_figure ifl_figure_counted(uint64_t count,
                              const char *what); /* 1 block, 2,048 blocks, 2 launches */
ifl_figure ifl_figure_bytes(uint64_t bytes);     /* 268.4 MB; M is 10^6 */
ifl_figure ifl_figure_percent(uint64_t part,
                              uint64_t whole); /* 25 %; 100 % only where it is exact */
ifl_figure ifl_figure_share(double share);     /* 25 %, <1 % */
ifl_figure ifl_figure_ratio(uint64_t total, uint64_t requests); /* 1.78, 32.0 */
ifl_figure ifl_figure_mean(uint64_t total, uint64_t count);     /* 19, 0.25: no zeros at the end */
ifl_figure
ifl_figure_real(double value); /* three figures, never an exponent: 0.25, 17, 3.88, 8,192 */
ifl_figure ifl_figure_amount(double value, const char *what); /* 1 atomic, 2.5 atomics */
/* 950 ns, 13.7 µs, 1.71 s: `digits` that count, 1 to 999 of a unit; <1 ns, ? where it is no time. */
ifl_figure ifl_figure_time(double us, int digits);
/* 249–359 µs: both ends in the unit that `us` has. */
ifl_figure ifl_figure_time_range(double low_us, double high_us, double us);
ifl_figure ifl_figure_times(double times);          /* never, once, about once, 17 times */
ifl_figure ifl_figure_size(const uint32_t size[3]); /* 256×1,024; ones at the end left out */

/* Bytes of the UTF-8 character at `text`: 1 to 4, or 0 where the bytes are not valid UTF-8. */
size_t ifl_utf8_length(const char *text);
/* Columns on a terminal, one a character. */
size_t ifl_utf8_width(const char *text);
/* Bytes of the longest start of `text` that is at most `columns` wide. */
size_t ifl_utf8_cut(const char *text, size_t columns);

/* `text` in at most `columns`, with an ellipsis in its middle where it is wider: its first `head`
 * bytes and `tail`, which is "" where nothing is left out. Names of templates differ at their ends. */
typedef struct ifl_cut {
    size_t head;
    const char *tail;
} ifl_cut;
ifl_cut ifl_cut_middle(const char *text, size_t columns);

/* A copy that is valid UTF-8: each wrong byte becomes U+FFFD. NULL without memory. */
char *ifl_clean_utf8(ifl_arena *arena, const char *text);
/* The same for one line on a terminal: control characters become spaces, spaces at both ends go. */
char *ifl_clean_line(ifl_arena *arena, const char *text);
/* printf into the arena; NULL without memory. */
char *ifl_arena_printf(ifl_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
