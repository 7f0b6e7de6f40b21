/* SPDX-License-Identifier: Apache-2.0
 * A run is a command of this program in a process of its own, with the budget's folder as its
 * working directory: a fault or an endless loop in a kernel cannot affect the check. */
#include "base/figure.h"
#include "base/file.h"
#include "check/run_job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, MAX_OUTPUT_BYTES = 64 << 20 };

extern char **environ;

typedef struct child {
    ifl_run_job *job;
    const ifl_check_options *options;
    ifl_arena arena;
    char folder[PATH_BYTES]; /* its own, for what it writes */
    const char *report, *output;
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

static ifl_status make_folder(child *c, int threads, ifl_error *error)
{
    const char *temporary = getenv("TMPDIR");
    snprintf(c->folder, sizeof c->folder, "%s/inflight-check.XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(c->folder)) {
        c->folder[0] = '\0';
        return ifl_fail_file(error, "make a folder in",
                             temporary && *temporary ? temporary : "/tmp");
    }
    c->report = ifl_arena_printf(&c->arena, "%s/report.json", c->folder);
    c->output = ifl_arena_printf(&c->arena, "%s/output", c->folder);
    return c->report && c->output && make_words(c, threads) ? IFL_OK
                                                            : ifl_fail_memory(error, sizeof *c);
}

static int start(const child *c, pid_t *process)
{
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    failed = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    failed =
        failed ? failed : posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    failed = failed ? failed
                    : posix_spawn_file_actions_addopen(&actions, 2, c->output,
                                                       O_WRONLY | O_CREAT | O_TRUNC, 0600);
    failed =
        failed ? failed : posix_spawn_file_actions_addchdir_np(&actions, c->job->budget->folder);
    failed = failed ? failed
                    : posix_spawn(process, c->options->program, &actions, NULL,
                                  (char *const *)c->words.at, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static ifl_status run_it(child *c, ifl_error *error)
{
    pid_t process;
    int how = 0;
    const int failed = start(c, &process);
    if (failed)
        return ifl_fail(error, IFL_INTERNAL, "cannot start '%.200s': %s", c->options->program,
                        strerror(failed));
    while (waitpid(process, &how, 0) < 0 && errno == EINTR)
        ;
    c->job->exit_status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
    return IFL_OK;
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
    if (c->folder[0]) {
        unlink(c->report);
        unlink(c->output);
        rmdir(c->folder);
    }
    ifl_vec_free(&c->words);
    ifl_arena_free(&c->arena);
}

void ifl_run_child(ifl_run_job *job, const ifl_check_options *options, int threads)
{
    child c = {.job = job, .options = options};
    job->status = make_folder(&c, threads, &job->error);
    if (job->status == IFL_OK)
        job->status = run_it(&c, &job->error);
    if (job->status == IFL_OK)
        job->status = read_output(&c, &job->error);
    clean_up(&c);
}

void ifl_run_job_free(ifl_run_job *job)
{
    json_decref(job->report);
    free(job->output);
}
