/* SPDX-License-Identifier: Apache-2.0
 * Filling an ifl_error. Every function here returns the status it is given, so that a failure is
 * one line:
 *     return ifl_fail(error, IFL_BAD_INPUT, "...");
 * `error` may be NULL everywhere: the status alone then speaks. */
#ifndef IFL_BASE_ERROR_H
#define IFL_BASE_ERROR_H

#include "inflight.h"

#include <stdarg.h>

#define IFL_PRINTF(text, list) __attribute__((format(printf, text, list)))

/* Where a text error is. `text` is the start of the whole text or NULL; `line` picks the line for
 * the caret. */
typedef struct ifl_place {
    const char *file;
    int line;
    int column;
    const char *
        /* start of the line at fault, ended by a newline or NUL; NULL when there is none */
        line_text;
} ifl_place;

ifl_status ifl_fail(ifl_error *error, ifl_status status, const char *format, ...) IFL_PRINTF(3, 4);
ifl_status ifl_fail_at(ifl_error *error, ifl_status status, const ifl_place *place,
                       const char *format, ...) IFL_PRINTF(4, 5);
ifl_status ifl_fail_list(ifl_error *error, ifl_status status, const ifl_place *place,
                         const char *format, va_list list) IFL_PRINTF(4, 0);
ifl_status ifl_fail_memory(ifl_error *error, size_t bytes);

#endif
