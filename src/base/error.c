/* SPDX-License-Identifier: Apache-2.0
 * Status words, exit codes and the filling of ifl_error. */
#include "base/error.h"

#include <string.h>

static const struct {
    const char *text;
    int exit_code; /* docs/exit-status.md; 130 is the shells' 128 + SIGINT */
} statuses[IFL_STATUS_COUNT] = {
    [IFL_OK] = {"done", 0},
    [IFL_FINDING] = {"a fault in the kernel, or a threshold passed", 1},
    [IFL_USAGE] = {"wrong usage", 2},
    [IFL_BAD_INPUT] = {"bad input", 3},
    [IFL_UNSUPPORTED] = {"not supported", 4},
    [IFL_NO_GPU] = {"no GPU", 5},
    [IFL_INTERNAL] = {"internal error", 6},
    [IFL_NO_MEMORY] = {"out of memory", 3},
    [IFL_NO_FILE] = {"file error", 3},
    [IFL_INTERRUPTED] = {"interrupted", 130},
};

const char *ifl_status_text(ifl_status status)
{
    return (unsigned)status < IFL_STATUS_COUNT ? statuses[status].text : "unknown status";
}

int ifl_status_exit_code(ifl_status status)
{
    return (unsigned)status < IFL_STATUS_COUNT ? statuses[status].exit_code : 6;
}

const char *ifl_version(void)
{
    return IFL_VERSION;
}

static void copy_line(char *to, size_t size, const char *line)
{
    size_t length = line ? strcspn(line, "\r\n") : 0;
    if (length >= size)
        length = size - 1;
    if (length)
        memcpy(to, line, length);
    to[length] = '\0';
}

ifl_status ifl_fail_list(ifl_error *error, ifl_status status, const ifl_place *place,
                         const char *format, va_list list)
{
    if (!error)
        return status;
    error->status = status;
    error->line = place ? place->line : 0;
    error->column = place ? place->column : 0;
    copy_line(error->file, sizeof error->file, place ? place->file : NULL);
    copy_line(error->source, sizeof error->source, place ? place->line_text : NULL);
    vsnprintf(error->text, sizeof error->text, format, list);
    return status;
}

ifl_status ifl_fail(ifl_error *error, ifl_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    ifl_fail_list(error, status, NULL, format, list);
    va_end(list);
    return status;
}

ifl_status ifl_fail_at(ifl_error *error, ifl_status status, const ifl_place *place,
                       const char *format, ...)
{
    va_list list;
    va_start(list, format);
    ifl_fail_list(error, status, place, format, list);
    va_end(list);
    return status;
}

ifl_status ifl_fail_memory(ifl_error *error, size_t bytes)
{
    return ifl_fail(error, IFL_NO_MEMORY, "cannot allocate %zu bytes", bytes);
}
