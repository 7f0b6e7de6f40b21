/* SPDX-License-Identifier: Apache-2.0
 * One line of a budget file on its way to the budget: what budget.c and budget_limit.c share. */
#ifndef IFL_CHECK_BUDGET_WORDS_H
#define IFL_CHECK_BUDGET_WORDS_H

#include "check/budget.h"

typedef struct ifl_budget_line {
    const ifl_keyfile *reader;
    const ifl_keyfile_entry *entry;
    const char *value;   /* in the budget's memory */
    const char **kernel; /* the pattern of the last `kernel = ` */
    ifl_error *error;
} ifl_budget_line;

/* IFL_BAD_INPUT at `offset` bytes into the value. */
ifl_status ifl_budget_fail(const ifl_budget_line *line, size_t offset, const char *format, ...)
    IFL_PRINTF(3, 4);

ifl_status ifl_budget_take_limit(ifl_budget *budget, const ifl_budget_line *line);
ifl_status ifl_budget_take_watch(ifl_budget *budget, const ifl_budget_line *line);
ifl_status ifl_budget_take_allowance(ifl_budget *budget, const ifl_budget_line *line);

#endif
