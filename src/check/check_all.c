/* SPDX-License-Identifier: Apache-2.0
 * See check_api.h: reads the budgets, makes their runs side by side, judges one budget after the
 * other. */
#include "check/check_api.h"

#include "base/file.h"
#include "check/judge.h"
#include "check/run_job.h"

#include <string.h>

typedef struct checking {
    const ifl_check_options *options;
    IFL_VEC(ifl_budget) budgets;
    IFL_VEC(ifl_baseline) baselines; /* one a budget; empty where it has none, or is made anew */
    IFL_VEC(ifl_run_job) jobs;
    ifl_verdict *verdict;
} checking;

/* ---- what to run ----------------------------------------------------------------------------- */

/* A program has one GPU at a time; everything else takes all in one run. */
static ifl_status add_jobs(checking *c, ifl_budget *budget, const ifl_budget_run *run,
                           ifl_error *error)
{
    const bool is_program = strcmp(run->words[0], "run") == 0 && budget->gpus.count;
    const size_t count = is_program ? budget->gpus.count : 1;
    for (size_t i = 0; i < count; i++) {
        const ifl_run_job job = {
            .budget = budget, .run = run, .gpu = is_program ? budget->gpus.at[i] : NULL};
        if (!ifl_vec_push(&c->jobs, job))
            return ifl_fail_memory(error, sizeof job);
    }
    return IFL_OK;
}

/* Before anything runs: a budget without its baseline would check nothing. */
static ifl_status read_baseline(checking *c, ifl_budget *budget, ifl_error *error)
{
    ifl_error own;
    ifl_baseline baseline = {0};
    const char *path =
        budget->baseline && !c->options->update ? ifl_budget_path(budget, budget->baseline) : NULL;
    if (path) {
        const ifl_status status = ifl_baseline_read(path, &baseline, &own);
        if (status == IFL_NO_FILE)
            return ifl_fail_at(
                error, status, &budget->baseline_place,
                "cannot read the baseline '%.200s'; `inflight check --update` writes it", path);
        if (status != IFL_OK) {
            *error = own;
            return status;
        }
    }
    return ifl_vec_push(&c->baselines, baseline) ? IFL_OK : ifl_fail_memory(error, sizeof baseline);
}

static ifl_status read_budgets(checking *c, const char *const *paths, size_t count,
                               ifl_error *error)
{
    ifl_status status = IFL_OK;
    if (!ifl_vec_reserve(&c->budgets, count)) /* jobs point into the array */
        return ifl_fail_memory(error, count * sizeof *c->budgets.at);
    for (size_t i = 0; i < count && status == IFL_OK; i++) {
        ifl_budget *budget = &c->budgets.at[i];
        status = ifl_budget_read(paths[i], budget, error);
        c->budgets.count += status == IFL_OK;
        if (status == IFL_OK)
            status = read_baseline(c, budget, error);
        for (size_t j = 0; status == IFL_OK && j < budget->runs.count; j++)
            status = add_jobs(c, budget, &budget->runs.at[j], error);
    }
    return status;
}

/* ---- what came of it ------------------------------------------------------------------------- */

/* Our own exit statuses; a program's own are findings. */
static ifl_status status_of_exit(int exit_status)
{
    for (ifl_status status = IFL_OK; status < IFL_STATUS_COUNT; status++)
        if (ifl_status_exit_code(status) == exit_status)
            return status;
    return IFL_INTERNAL;
}

static size_t line_bytes(const char *line)
{
    const size_t most = 400, length = strcspn(line, "\n");
    return length < most ? length : most;
}

/* The line in which the child says what is wrong: its first error, as what follows may be the line
 * of a file that is at fault, or a hint; else the last that it wrote. */
static const char *telling_line(const char *output)
{
    static const char own[] = "inflight: error: ";
    const char *mark = strstr(output, "error: "), *end = output + strlen(output);
    while (end > output && end[-1] == '\n')
        end--;
    const char *line = mark ? mark : end;
    while (line > output && line[-1] != '\n')
        line--;
    return strncmp(line, own, strlen(own)) == 0 ? line + strlen(own) : line;
}

static ifl_status fail_run(const ifl_run_job *job, ifl_error *error)
{
    const char *line = telling_line(job->output);
    ifl_status status = status_of_exit(job->exit_status);
    if (status == IFL_OK || status == IFL_FINDING)
        status = IFL_BAD_INPUT;
    if (!line_bytes(line))
        line = "without a message";
    return ifl_fail_at(error, status, &job->run->place, "the run failed with exit status %d: %.*s",
                       job->exit_status, (int)line_bytes(line), line);
}

/* Exit status 1 is a finding of ours, and any but 0 one of a program's. */
static ifl_status take_job(ifl_judge *judge, ifl_run_job *job, ifl_error *error)
{
    const bool is_program = strcmp(job->run->words[0], "run") == 0;
    if (job->status != IFL_OK) {
        *error = job->error;
        return job->status;
    }
    judge->verdict->runs++;
    judge->verdict->cached += job->is_cached;
    if (job->exit_status && (job->exit_status == 1 || (is_program && job->report)))
        return ifl_judge_fault(judge, job->run, job->output, error);
    if (job->exit_status || !job->report)
        return fail_run(job, error);
    return ifl_subjects_add(judge->subjects, &judge->budget->arena, job->run, job->report, error);
}

static ifl_status take_jobs(checking *c, ifl_judge *judge, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < c->jobs.count && status == IFL_OK; i++)
        if (c->jobs.at[i].budget == judge->budget)
            status = take_job(judge, &c->jobs.at[i], error);
    return status;
}

/* ---- baselines ------------------------------------------------------------------------------- */

static ifl_status write_baseline(ifl_baseline *baseline, const char *path, ifl_error *error)
{
    ifl_file file;
    ifl_status status = ifl_file_create(&file, path, error);
    if (status != IFL_OK)
        return status;
    status = ifl_baseline_write(baseline, file.stream, error);
    if (status == IFL_OK)
        return ifl_file_commit(&file, error);
    ifl_file_abandon(&file);
    return status;
}

/* With the baseline that there is, or making a new one; a budget may have none. */
static ifl_status judge_with_baseline(checking *c, ifl_judge *judge, ifl_baseline *baseline,
                                      ifl_error *error)
{
    ifl_budget *budget = judge->budget;
    if (budget->baseline) {
        judge->update = c->options->update ? baseline : NULL;
        judge->baseline = c->options->update ? NULL : baseline;
    }
    const ifl_status status = ifl_judge_all(judge, error);
    if (status != IFL_OK || !judge->update || judge->has_fault)
        return status;
    const char *path = ifl_budget_path(budget, budget->baseline);
    return path ? write_baseline(baseline, path, error)
                : ifl_fail_memory(error, strlen(budget->baseline));
}

static ifl_status judge_budget(checking *c, size_t index, ifl_error *error)
{
    ifl_subjects subjects = {0};
    ifl_judge judge = {
        .budget = &c->budgets.at[index], .subjects = &subjects, .verdict = c->verdict};
    ifl_status status = take_jobs(c, &judge, error);
    if (status == IFL_OK)
        status = judge_with_baseline(c, &judge, &c->baselines.at[index], error);
    ifl_subjects_free(&subjects);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void free_all(checking *c)
{
    for (size_t i = 0; i < c->jobs.count; i++)
        ifl_run_job_free(&c->jobs.at[i]);
    ifl_vec_free(&c->jobs);
    for (size_t i = 0; i < c->budgets.count; i++)
        ifl_budget_free(&c->budgets.at[i]);
    ifl_vec_free(&c->budgets);
    for (size_t i = 0; i < c->baselines.count; i++)
        ifl_baseline_free(&c->baselines.at[i]);
    ifl_vec_free(&c->baselines);
}

ifl_status ifl_check(const char *const *budgets, size_t count, const ifl_check_options *options,
                     ifl_verdict **out, ifl_error *error)
{
    checking c = {.options = options, .verdict = calloc(1, sizeof *c.verdict)};
    if (!c.verdict)
        return ifl_fail_memory(error, sizeof *c.verdict);
    ifl_status status = read_budgets(&c, budgets, count, error);
    if (status == IFL_OK)
        status = ifl_run_all(c.jobs.at, c.jobs.count, options, error);
    for (size_t i = 0; i < c.budgets.count && status == IFL_OK; i++)
        status = judge_budget(&c, i, error);
    free_all(&c);
    ifl_verdict_sort(c.verdict);
    if (status == IFL_OK)
        *out = c.verdict;
    else
        ifl_verdict_free(c.verdict);
    return status;
}
