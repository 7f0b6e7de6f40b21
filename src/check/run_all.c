/* SPDX-License-Identifier: Apache-2.0
 * Runs side by side: threads take the next job until none is left. */
#include "check/run_job.h"

#include "base/crew.h"

#include <stdlib.h>

typedef struct crew {
    ifl_run_job *jobs;
    size_t count;
    const ifl_check_options *options;
    ifl_scratch scratch; /* for all of them */
    ifl_digests digests;
    pthread_mutex_t lock; /* of what follows */
    size_t next, done;
    int threads; /* of a run's engine; 0: all cores */
} crew;

static bool is_stopped(const crew *c)
{
    return c->options->stop && *c->options->stop;
}

static ifl_run_job *take(crew *c)
{
    pthread_mutex_lock(&c->lock);
    ifl_run_job *job = c->next < c->count && !is_stopped(c) ? &c->jobs[c->next] : NULL;
    if (job)
        job->number = c->next++;
    pthread_mutex_unlock(&c->lock);
    return job;
}

static void tell(crew *c)
{
    pthread_mutex_lock(&c->lock);
    c->done += !is_stopped(c); /* else it was ended */
    if (c->options->progress)
        c->options->progress(c->options->progress_user, c->done, c->count);
    pthread_mutex_unlock(&c->lock);
}

static void do_job(crew *c, ifl_run_job *job)
{
    ifl_run_inputs inputs = {.is_known = false};
    const bool is_kept =
        c->options->cache && ifl_run_inputs_find(&inputs, job, c->options, &c->digests);
    if (is_kept && ifl_run_cache_read(job, &inputs, c->options->cache, &c->digests))
        return;
    ifl_run_child(job, c->options, &c->scratch, c->threads);
    if (is_kept && job->status == IFL_OK && job->exit_status <= 1 && job->report)
        ifl_run_cache_write(job, &inputs, c->options->cache, &c->digests);
}

static void *work(void *user)
{
    crew *c = user;
    for (ifl_run_job *job; (job = take(c)) != NULL; tell(c))
        do_job(c, job);
    return NULL;
}

static int count_workers(const ifl_check_options *options, size_t jobs, int *threads)
{
    const int cores = (int)ifl_crew_cores();
    int workers = options->jobs ? options->jobs : cores;
    if ((size_t)workers > jobs)
        workers = jobs ? (int)jobs : 1;
    *threads = workers > 1 ? cores / workers > 1 ? cores / workers : 1 : 0;
    return workers;
}

static ifl_status work_together(crew *c, int workers, ifl_error *error)
{
    ifl_crew_work((unsigned)workers, work, c);
    return is_stopped(c) ? ifl_fail(error, IFL_INTERRUPTED, "stopped: %zu of %zu runs were made",
                                    c->done, c->count)
                         : IFL_OK;
}

ifl_status ifl_run_all(ifl_run_job *jobs, size_t count, const ifl_check_options *options,
                       ifl_error *error)
{
    crew c = {.jobs = jobs, .count = count, .options = options, .lock = PTHREAD_MUTEX_INITIALIZER};
    const int workers = count_workers(options, count, &c.threads);
    ifl_status status = ifl_scratch_make(&c.scratch, error);
    if (status != IFL_OK)
        return status;
    ifl_digests_start(&c.digests);
    status = work_together(&c, workers, error);
    ifl_digests_free(&c.digests);
    pthread_mutex_destroy(&c.lock);
    ifl_scratch_remove(&c.scratch);
    return status;
}
