/* SPDX-License-Identifier: Apache-2.0
 * Two JSON reports (docs/json.md) side by side: counter by counter, for the launches and their
 * memory instructions, and the times. It reads files of any origin: nothing in them is trusted. */
#ifndef IFL_PROFILE_COMPARE_REPORTS_H
#define IFL_PROFILE_COMPARE_REPORTS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"

/* A number of JSON, exact where it is an integer. */
typedef struct ifl_figure_value {
    bool known;
    bool is_integer;
    int64_t integer;
    double number; /* of integers too, rounded */
} ifl_figure_value;

typedef struct ifl_compared {
    const char *name;
    ifl_figure_value a, b;
    double relative; /* |b - a| over the larger; 0 where one is not known */
    bool
        /* counts PTX on the engine and machine code on a GPU, and one side is each: no
         * difference */
        of_code;
    bool differs; /* by more than the threshold; only where both are known */
} ifl_compared;

typedef IFL_VEC(ifl_compared) ifl_compared_list;

typedef struct ifl_compared_line {
    const char *place; /* "axpy.cu:12" */
    const char *op;
    bool in_a, in_b;
    ifl_compared_list counters; /* those that differ, where it is in both */
} ifl_compared_line;

/* What the model predicts for a GPU that both reports name. */
typedef struct ifl_compared_model {
    ifl_compared time; /* µs; its name is the GPU's */
    const char *limiter_a, *limiter_b;
} ifl_compared_model;

typedef struct ifl_compared_launch {
    const char *kernel_a, *kernel_b; /* signatures */
    const char *backend_a, *backend_b;
    IFL_VEC(ifl_compared_model) models;
    ifl_compared_list counters; /* in the order of A's, then those of B alone */
    ifl_compared_list times;
    IFL_VEC(ifl_compared_line) lines; /* those that differ, or stand in one only */
    size_t lines_in_both;
} ifl_compared_launch;

typedef struct ifl_comparison {
    ifl_arena arena;
    IFL_VEC(ifl_compared_launch) launches;
    size_t compared, differing; /* counters, of launches and of lines, known on both sides */
    size_t unmatched; /* launches and lines that one side lacks, where the other has lines at all */
    size_t launches_alone; /* of these, launches */
    bool
        /* two backends beside each other: they are to be equal. Else one is before, one after a
         * change */
        is_check;
    size_t
        worse; /* after the change: launches that take longer, or, where no time is known on both sides, counters of
                         what takes time that are larger */
} ifl_comparison;

/* Is there something to be told by an exit status: a difference where there is to be none, or a
 * change for the worse? */
bool ifl_comparison_is_finding(const ifl_comparison *comparison);

/* Compares the reports `text_a` and `text_b` (named by the paths in messages): launches of the same
 * place in both where there are as many, else of the same kernel, in order, and then those that are
 * left. `text_b` NULL: the first launch of A with its last. IFL_BAD_INPUT for what is no report.
 * `threshold` is the relative difference that is still equal. */
ifl_status ifl_reports_compare(const char *path_a, const char *text_a, size_t bytes_a,
                               const char *path_b, const char *text_b, size_t bytes_b,
                               double threshold, ifl_comparison *out, ifl_error *error);
void ifl_comparison_free(ifl_comparison *comparison);

#endif
