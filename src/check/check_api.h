/* SPDX-License-Identifier: Apache-2.0
 * Budgets: what `inflight check` uses beside inflight.h; no part of the library. */
#ifndef IFL_CHECK_CHECK_API_H
#define IFL_CHECK_CHECK_API_H

#include "inflight.h"

typedef struct ifl_check_options {
    const char *program; /* this program: runs are commands of it */
    const char *
        /* what `run` puts before a program's own, a file that stands for all; NULL: not known */
        libraries;
    const char *cache;        /* a folder; NULL: nothing is kept */
    int jobs;                 /* runs at the same time; 0: as many as there are cores */
    bool update;              /* write the baselines anew */
    const volatile int *stop; /* not 0: end early */
    void (*progress)(void *user, size_t done,
                     size_t runs); /* from one thread at a time; may be NULL */
    void *progress_user;
} ifl_check_options;

typedef struct ifl_verdict ifl_verdict;

/* Runs what the budgets name and holds it against them. IFL_OK also where they are exceeded: the
 * verdict says so. */
ifl_status ifl_check(const char *const *budgets, size_t count, const ifl_check_options *options,
                     ifl_verdict **out, ifl_error *error);
void ifl_verdict_free(ifl_verdict *verdict);
/* Whether a limit of severity "error" is exceeded; `strict`: or one of severity "warning". */
bool ifl_verdict_fails(const ifl_verdict *verdict, bool strict);
/* "text", "json", "sarif", "junit", "github", "gitlab", "markdown"; NULL past the last. */
const char *ifl_verdict_format(size_t index);
/* IFL_USAGE for a format that there is not. */
ifl_status ifl_verdict_write(const ifl_verdict *verdict, const char *format, FILE *out,
                             ifl_error *error);

/* ---- a kernel against a reference (docs/against.md) ------------------------------------------ */

typedef struct ifl_against_options {
    const char *program;
    const char *reference; /* a launch file; or NAME.so or a program, with NAME.launch beside it */
    const char *candidate; /* a launch file */
    const char *gpu;       /* NULL: h200 */
    int trials;            /* 0: 3 */
    uint64_t seed;         /* of the inputs; 0: one that nobody knows before */
    int seconds;           /* of processor time, for each run of the candidate; 0: 300 */
    double tolerance;      /* 0: by the type of the elements */
    double claimed_us;     /* 0: nothing is claimed */
    const volatile int *stop;
} ifl_against_options;

/* Writes the verdict, inflight-against/1, and tells whether the candidate passed. */
ifl_status ifl_against(const ifl_against_options *options, FILE *out, bool *passed,
                       ifl_error *error);

/* Lets this process take some seconds of processor time, read two folders and what programs need,
 * write into `own`, and open no socket. What the system cannot do is left, and ifl_confinement says
 * what it can; false where it can and did not. */
bool ifl_confine(const char *folder, const char *inputs, const char *own, const char *program,
                 int seconds);
/* "landlock" or "none"; "seccomp" or "none". */
void ifl_confinement(const char **files, const char **network);

#endif
