/* SPDX-License-Identifier: Apache-2.0
 * One run of a budget as a child process: its arguments, the files that it reads, and its outcome.
 * It knows nothing of limits. */
#ifndef IFL_CHECK_RUN_JOB_H
#define IFL_CHECK_RUN_JOB_H

#include "base/process.h"
#include "base/sha256.h"
#include "check/budget.h"
#include "check/check_api.h"

#include <jansson.h>
#include <pthread.h>

/* What a run's report depends on. */
typedef struct ifl_run_inputs {
    bool is_known; /* all that the run reads is in the key; else nothing of it is kept */
    char key[IFL_SHA256_TEXT];
} ifl_run_inputs;

typedef struct ifl_run_job {
    size_t number; /* among all runs */
    ifl_budget *budget;
    const ifl_budget_run *run;
    const char *gpu; /* a program has one at a time; NULL: all that the budget names */
    /* what came of it */
    int exit_status; /* of the child; 128 + N: ended by signal N */
    json_t *report;  /* NULL: none was written */
    char *output;    /* of malloc: the child's standard error */
    bool is_cached;
    ifl_status status;
    ifl_error error;
} ifl_run_job;

typedef struct ifl_digest {
    const char *path;
    char text[IFL_SHA256_TEXT];
} ifl_digest;

/* Digests of files, each taken once, for several threads. */
typedef struct ifl_digests {
    pthread_mutex_t lock;
    ifl_arena arena;
    IFL_VEC(ifl_digest) known;
} ifl_digests;

void ifl_digests_start(ifl_digests *digests);
/* "-" for a file that cannot be read; false without memory. */
bool ifl_digests_find(ifl_digests *digests, const char *path, char text[IFL_SHA256_TEXT]);
void ifl_digests_free(ifl_digests *digests);

/* False without memory. */
bool ifl_run_inputs_find(ifl_run_inputs *inputs, const ifl_run_job *job,
                         const ifl_check_options *options, ifl_digests *digests);

/* True: the job has its outcome now. */
bool ifl_run_cache_read(ifl_run_job *job, const ifl_run_inputs *inputs, const char *folder,
                        ifl_digests *digests);
/* A cache that cannot be written is none: no error. */
void ifl_run_cache_write(const ifl_run_job *job, const ifl_run_inputs *inputs, const char *folder,
                         ifl_digests *digests);

/* Runs it with its files in the folder, and waits. */
void ifl_run_child(ifl_run_job *job, const ifl_check_options *options, const ifl_scratch *scratch,
                   int threads);
void ifl_run_job_free(ifl_run_job *job);

/* All of them, several at a time. IFL_INTERRUPTED where options->stop said so. */
ifl_status ifl_run_all(ifl_run_job *jobs, size_t count, const ifl_check_options *options,
                       ifl_error *error);

#endif
