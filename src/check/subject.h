/* SPDX-License-Identifier: Apache-2.0
 * Subjects: the kernels in a run's JSON reports, and their figures by name. It knows the reports of
 * docs/json.md, docs/sass.md and docs/lab.md, and nothing of limits. */
#ifndef IFL_CHECK_SUBJECT_H
#define IFL_CHECK_SUBJECT_H

#include "check/budget.h"

#include <jansson.h>

typedef struct ifl_subject {
    const ifl_budget_run *run;
    const char *kernel; /* as people write it; a second launch of the same kernel has " #2" */
    const char
        *before; /* its name in the baseline: `kernel` where it was not renamed; NULL: not there */
    json_t *launch;      /* owned */
    const char **places; /* one a line of the launch: see ifl_place_keys */
    size_t line_count;
} ifl_subject;

typedef IFL_VEC(ifl_subject) ifl_subjects;

/* Adds what a report holds; a second report of the same run, for another GPU, adds its models
 * only. */
ifl_status ifl_subjects_add(ifl_subjects *subjects, ifl_arena *arena, const ifl_budget_run *run,
                            json_t *report, ifl_error *error);
void ifl_subjects_free(ifl_subjects *subjects);

#define IFL_NO_MODEL ((size_t)-1)
#define IFL_ALL_LINES ((size_t)-1)

/* What an ifl_lookup is given: one line of the report, the lines at a place together, or the whole
 * launch with one model or none. */
typedef struct ifl_view {
    const ifl_subject *subject;
    const char *at; /* as in a limit; NULL: no place */
    size_t line;    /* IFL_ALL_LINES: not one line */
    size_t model;
} ifl_view;

bool ifl_view_lookup(const void *view, const char *name, ifl_estimate *value);
/* The GPU of a model; NULL past the last. */
const char *ifl_subject_gpu(const ifl_subject *subject, size_t model);
json_t *ifl_subject_line(const ifl_subject *subject, size_t line);
/* Whether a pattern means the kernel: its signature, its name without arguments and namespaces, or
 * its mangled name. */
bool ifl_subject_fits(const ifl_subject *subject, const char *pattern);
/* A text of an object, "" where there is none. */
const char *ifl_json_text(const json_t *object, const char *key);

#endif
