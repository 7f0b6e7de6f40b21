/* SPDX-License-Identifier: Apache-2.0
 * A run is a command of this program in a process of its own, with the budget's folder as its
 * working directory: a fault or an endless loop in a kernel cannot affect the check. */
#include "base/figure.h"
#include "base/file.h"
#include "check/run_job.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_OUTPUT_BYTES = 64 << 20 };

typedef struct child {
    ifl_run_job *job;
    const ifl_check_options *options;
    ifl_arena arena;
    const char *report, *output; /* its own files */
    IFL_VEC(const char *) words;
} child;

static bool add(child *c, const char *word)
{
    return word && ifl_vec_push(&c->words, word);
}

static bool add_gpus(child *c)
{
    const ifl_run_job *job = c->job;
    bool is_added = true;
    if (strcmp(job->run->words[0], "sass") == 0)
        return true;
    if (job->gpu)
        return add(c, "--gpu") && add(c, job->gpu);
    for (size_t i = 0; i < job->budget->gpus.count && is_added; i++)
        is_added = add(c, "--gpu") && add(c, job->budget->gpus.at[i]);
    return is_added;
}

/* The command, our options, its own words. */
static bool make_words(child *c, int threads)
{
    const ifl_budget_run *run = c->job->run;
    bool is_made = add(c, c->options->program) && add(c, run->words[0]) && add(c, "--json") &&
                   add(c, c->report) && add_gpus(c);
    if (threads && strcmp(run->words[0], "sass") != 0)
        is_made =
            is_made && add(c, "--threads") && add(c, ifl_arena_printf(&c->arena, "%d", threads));
    if (strcmp(run->words[0], "sass") == 0 && ifl_budget_needs_listing(c->job->budget))
        is_made = is_made && add(c, "--listing");
    for (size_t i = 1; i < run->count && is_made; i++)
        is_made = add(c, run->words[i]);
    return is_made && ifl_vec_push(&c->words, NULL);
}

/* Files of its own in the folder of all runs. */
static ifl_status name_files(child *c, const ifl_scratch *scratch, int threads, ifl_error *error)
{
    c->report = ifl_arena_printf(&c->arena, "%s/%zu.json", scratch->path, c->job->number);
    c->output = ifl_arena_printf(&c->arena, "%s/%zu.txt", scratch->path, c->job->number);
    return c->report && c->output && make_words(c, threads) ? IFL_OK
                                                            : ifl_fail_memory(error, sizeof *c);
}

static ifl_status run_it(child *c, const ifl_scratch *scratch, ifl_error *error)
{
    const ifl_process process = {.words = c->words.at,
                                 .log = c->output,
                                 .folder = c->job->budget->folder,
                                 .group = scratch->keeper,
                                 .errors_only = true,
                                 .stop = c->options->stop};
    return ifl_process_run(&process, &c->job->exit_status, error);
}

static ifl_status read_output(child *c, ifl_error *error)
{
    size_t bytes;
    ifl_error ignored;
    c->job->report = access(c->report, R_OK) == 0 ? json_load_file(c->report, 0, NULL) : NULL;
    if (ifl_file_read(c->output, MAX_OUTPUT_BYTES, &c->job->output, &bytes, &ignored) != IFL_OK)
        c->job->output = strdup("");
    return c->job->output ? IFL_OK : ifl_fail_memory(error, 1);
}

static void clean_up(child *c)
{
    if (c->report && c->output) {
        unlink(c->report);
        unlink(c->output);
    }
    ifl_vec_free(&c->words);
    ifl_arena_free(&c->arena);
}

void ifl_run_child(ifl_run_job *job, const ifl_check_options *options, const ifl_scratch *scratch,
                   int threads)
{
    child c = {.job = job, .options = options};
    job->status = name_files(&c, scratch, threads, &job->error);
    if (job->status == IFL_OK)
        job->status = run_it(&c, scratch, &job->error);
    if (job->status == IFL_OK)
        job->status = read_output(&c, &job->error);
    clean_up(&c);
}

void ifl_run_job_free(ifl_run_job *job)
{
    json_decref(job->report);
    free(job->output);
}
