/* SPDX-License-Identifier: Apache-2.0
 * A budget: what to run, and the limits on what it counts. It knows the words of a budget file
 * (docs/check.md), not how anything is run. */
#ifndef IFL_CHECK_BUDGET_H
#define IFL_CHECK_BUDGET_H

#include "base/arena.h"
#include "base/keyfile.h"
#include "base/vec.h"
#include "check/budget_expression.h"

typedef enum ifl_severity {
    IFL_SEVERITY_NOTE,
    IFL_SEVERITY_WARNING,
    IFL_SEVERITY_ERROR
} ifl_severity;

const char *ifl_severity_name(ifl_severity severity);

typedef enum ifl_budget_comparison {
    IFL_AT_MOST,
    IFL_AT_LEAST,
    IFL_BELOW,
    IFL_ABOVE,
    IFL_EQUAL
} ifl_budget_comparison;

const char *ifl_comparison_name(ifl_budget_comparison comparison);

typedef struct ifl_limit {
    ifl_severity severity;
    const char *text;            /* as written, from the expression on */
    const char *expression_text; /* its left side: the name of the fact in a baseline */
    const ifl_expression *expression;
    ifl_budget_comparison comparison;
    bool is_relative;      /* to the baseline: the bound is baseline * factor + offset */
    double factor, offset; /* absolute: the bound is the offset */
    const char *at;     /* FILE:LINE, FILE, or a part of the source line; NULL: the whole kernel */
    const char *gpu;    /* NULL: each */
    const char *kernel; /* pattern of the kernels that it holds for */
    ifl_place place;
} ifl_limit;

/* What is told of the findings of a report (docs/advice.md). */
typedef struct ifl_budget_watch {
    ifl_severity severity;
    const char *rule, *kernel; /* patterns */
    bool only_new;             /* those that the baseline does not have */
    ifl_place place;
} ifl_budget_watch;

typedef struct ifl_allowance {
    const char *rule, *kernel, *at, *why; /* patterns; `at` as in a limit; NULL: any */
} ifl_allowance;

typedef struct ifl_budget_run {
    const char *text;         /* as written: its name in reports and baselines */
    const char *const *words; /* of `inflight`, the command first; NULL ends them */
    size_t count;
    ifl_place place;
} ifl_budget_run;

typedef struct ifl_budget {
    ifl_arena arena;
    const char *file, *folder; /* the folder is "." where the file's name has none */
    char *text;                /* of the file: places point into it */
    IFL_VEC(ifl_budget_run) runs;
    IFL_VEC(const char *) gpus;
    IFL_VEC(const char *) inputs; /* further files that the runs read */
    IFL_VEC(ifl_limit) limits;
    IFL_VEC(ifl_budget_watch) watches;
    IFL_VEC(ifl_allowance) allowances;
    const char *baseline; /* path, relative to the folder; NULL: none */
    ifl_place baseline_place;
} ifl_budget;

ifl_status ifl_budget_read(const char *path, ifl_budget *out, ifl_error *error);
void ifl_budget_free(ifl_budget *budget);
/* Whether a limit counts opcodes, whose places a listing of machine code has. */
bool ifl_budget_needs_listing(const ifl_budget *budget);
/* "dir/file" of a path relative to the budget's folder; NULL without memory. */
const char *ifl_budget_path(ifl_budget *budget, const char *relative);

/* The same into a buffer, for several threads at a time. False where there is no room. */
bool ifl_budget_join(const ifl_budget *budget, const char *relative, char *path, size_t room);

#endif
