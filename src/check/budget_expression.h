/* SPDX-License-Identifier: Apache-2.0
 * Sums and ratios of counters: "global_load_sectors / global_load_requests". Values are ranges,
 * since a modelled time is one. It does not know where a counter comes from. */
#ifndef IFL_CHECK_BUDGET_EXPRESSION_H
#define IFL_CHECK_BUDGET_EXPRESSION_H

#include "base/arena.h"
#include "base/error.h"

typedef struct ifl_expression ifl_expression;

/* Gives a name's value; false where it is not known. */
typedef bool ifl_lookup(const void *user, const char *name, ifl_estimate *value);

/* Parses the first `length` bytes of `text` into memory of the arena. Errors are IFL_BAD_INPUT with
 * the column in `text`, from 1. */
ifl_status ifl_expression_parse(ifl_arena *arena, const char *text, size_t length,
                                const ifl_expression **out, ifl_error *error);
/* False where a name is not known, or a divisor is 0. */
bool ifl_expression_value(const ifl_expression *expression, ifl_lookup *lookup, const void *user,
                          ifl_estimate *value);
/* Whether values of parts add up to that of the whole: sums and differences of names. */
bool ifl_expression_adds_up(const ifl_expression *expression);
/* Whether a name in it begins so. */
bool ifl_expression_has(const ifl_expression *expression, const char *start);
/* The first name in it, for messages; never NULL. */
const char *ifl_expression_name(const ifl_expression *expression);
/* A number with a decimal point or Ki, Mi, Gi, Ti behind it, or 2^N. Returns what follows it; NULL
 * where there is none. */
const char *ifl_expression_number(const char *text, double *value);

#endif
