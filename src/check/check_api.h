/* SPDX-License-Identifier: Apache-2.0
 * Budgets: what `inflight check` uses beside inflight.h; no part of the library. */
#ifndef IFL_CHECK_CHECK_API_H
#define IFL_CHECK_CHECK_API_H

#include "inflight.h"

typedef struct ifl_check_options {
    const char *program;   /* this program: runs are commands of it */
    const char *libraries; /* what `run` puts before a program's own, a file that stands for all; NULL: not known */
    const char *cache;     /* a folder; NULL: nothing is kept */
    int jobs;              /* runs at the same time; 0: as many as there are cores */
    bool update;           /* write the baselines anew */
    const volatile int *stop; /* not 0: end early */
    void (*progress)(void *user, size_t done, size_t runs); /* from one thread at a time; may be NULL */
    void *progress_user;
} ifl_check_options;

typedef struct ifl_verdict ifl_verdict;

/* Runs what the budgets name and holds it against them. IFL_OK also where they are exceeded: the verdict says so. */
ifl_status ifl_check(const char *const *budgets, size_t count, const ifl_check_options *options, ifl_verdict **out,
                     ifl_error *error);
void ifl_verdict_free(ifl_verdict *verdict);
/* Whether a limit of severity "error" is exceeded; `strict`: or one of severity "warning". */
bool ifl_verdict_fails(const ifl_verdict *verdict, bool strict);
/* "text", "json", "sarif", "junit", "github", "gitlab", "markdown"; NULL past the last. */
const char *ifl_verdict_format(size_t index);
/* IFL_USAGE for a format that there is not. */
ifl_status ifl_verdict_write(const ifl_verdict *verdict, const char *format, FILE *out, ifl_error *error);

#endif
