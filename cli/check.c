/* SPDX-License-Identifier: Apache-2.0
 * inflight check: budgets, for continuous integration. */
#include "check/check_api.h"

#include "commands.h"
#include "interrupt.h"
#include "outputs.h"
#include "setters.h"
#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_OUTPUTS = 16, PATH_BYTES = 4096 };

typedef struct request {
    const char *format;
    struct {
        char format[16];
        const char *path;
    } outputs[MOST_OUTPUTS];
    size_t output_count;
    const char *cache;
    bool no_cache, update, strict;
    int jobs;
    ifl_against_options against;
} request;

/* ---- options --------------------------------------------------------------------------------- */

static const char *format_at(const void *user, size_t index)
{
    (void)user;
    return ifl_verdict_format(index);
}

static ifl_status check_format(const char *name, ifl_error *error)
{
    for (size_t i = 0; ifl_verdict_format(i); i++)
        if (strcmp(ifl_verdict_format(i), name) == 0)
            return IFL_OK;
    const char *close = ifl_cli_closest(name, format_at, NULL);
    return ifl_cli_error(
        error, IFL_USAGE, "there is no format '%.40s'; %s%s%s", name, close ? "did you mean '" : "",
        close ? close : "the formats are text, json, sarif, junit, github, gitlab and markdown",
        close ? "'?" : "");
}

static ifl_status set_format(void *user, const char *value, ifl_error *error)
{
    ((request *)user)->format = value;
    return check_format(value, error);
}

static ifl_status add_output(request *r, const char *format, size_t length, const char *path,
                             ifl_error *error)
{
    if (r->output_count == MOST_OUTPUTS)
        return ifl_cli_error(error, IFL_USAGE, "more than %d outputs", MOST_OUTPUTS);
    snprintf(r->outputs[r->output_count].format, sizeof r->outputs->format, "%.*s",
             (int)(length < 15 ? length : 15), format);
    r->outputs[r->output_count].path = path;
    return check_format(r->outputs[r->output_count++].format, error);
}

static ifl_status set_output(void *user, const char *value, ifl_error *error)
{
    const char *equals = strchr(value, '=');
    if (!equals || !equals[1])
        return ifl_cli_error(
            error, IFL_USAGE,
            "--output takes FORMAT=FILE, for instance sarif=check.sarif, not '%.100s'", value);
    return add_output(user, value, (size_t)(equals - value), equals + 1, error);
}

static ifl_status set_json(void *user, const char *value, ifl_error *error)
{
    request *r = user;
    if (!ifl_cli_is_dash(value))
        return add_output(r, "json", strlen("json"), value, error);
    if (r->format && strcmp(r->format, "json") != 0)
        return ifl_cli_error(error, IFL_USAGE, "--format and --json both go to standard output");
    r->format = "json"; /* instead of the text, as everywhere */
    return IFL_OK;
}

static ifl_status set_cache(void *user, const char *value, ifl_error *error)
{
    (void)error;
    ((request *)user)->cache = value;
    return IFL_OK;
}

static ifl_status set_jobs(void *user, const char *value, ifl_error *error)
{
    return ifl_cli_number("--jobs", value, 1, 1024, &((request *)user)->jobs, error);
}

#define AGAINST_TEXT(field)                                                                        \
    static ifl_status set_##field(void *user, const char *value, ifl_error *error)                 \
    {                                                                                              \
        (void)error;                                                                               \
        ((request *)user)->against.field = value;                                                  \
        return IFL_OK;                                                                             \
    }
AGAINST_TEXT(reference)
AGAINST_TEXT(gpu)

#define AGAINST_NUMBER(field, name)                                                                \
    static ifl_status set_##field(void *user, const char *value, ifl_error *error)                 \
    {                                                                                              \
        char *end;                                                                                 \
        const double number = strtod(value, &end);                                                 \
        if (end == value || *end || !(number > 0 && number < HUGE_VAL))                            \
            return ifl_cli_error(error, IFL_USAGE, "--" name " takes a number above 0, not '%s'",  \
                                 value);                                                           \
        ((request *)user)->against.field = number;                                                 \
        return IFL_OK;                                                                             \
    }
AGAINST_NUMBER(tolerance, "tolerance")
AGAINST_NUMBER(claimed_us, "claimed-us")

static ifl_status set_trials(void *user, const char *value, ifl_error *error)
{
    return ifl_cli_number("--trials", value, 1, 1000, &((request *)user)->against.trials, error);
}

static ifl_status set_seconds(void *user, const char *value, ifl_error *error)
{
    return ifl_cli_number("--seconds", value, 1, 86400, &((request *)user)->against.seconds, error);
}

/* As those of a verdict: what every reader of JSON keeps. */
static ifl_status set_seed(void *user, const char *value, ifl_error *error)
{
    char *end;
    errno = 0;
    const long long seed = strtoll(value, &end, 10);
    if (end == value || *end || errno || seed < 1 || seed >> 53)
        return ifl_cli_error(error, IFL_USAGE,
                             "--seed takes a whole number from 1 to 2^53 - 1, not '%s'", value);
    ((request *)user)->against.seed = (uint64_t)seed;
    return IFL_OK;
}

FLAG_OPTION(request, no_cache)
FLAG_OPTION(request, update)
FLAG_OPTION(request, strict)

static const ifl_cli_option options[] = {
    {IFL_CLI_OPTION_update, NULL, set_update},
    {IFL_CLI_OPTION_format, NULL, set_format},
    {IFL_CLI_OPTION_output, NULL, set_output},
    {IFL_CLI_OPTION_json, "the same as --output json=FILE", set_json},
    {IFL_CLI_OPTION_strict, NULL, set_strict},
    {IFL_CLI_OPTION_jobs, NULL, set_jobs},
    {IFL_CLI_OPTION_cache, NULL, set_cache},
    {IFL_CLI_OPTION_no_cache, NULL, set_no_cache},
    {IFL_CLI_OPTION_against, NULL, set_reference},
    {IFL_CLI_OPTION_gpu, "with --against: the candidate is modelled on it (h200)", set_gpu},
    {IFL_CLI_OPTION_trials, NULL, set_trials},
    {IFL_CLI_OPTION_seed, NULL, set_seed},
    {IFL_CLI_OPTION_tolerance, NULL, set_tolerance},
    {IFL_CLI_OPTION_seconds, NULL, set_seconds},
    {IFL_CLI_OPTION_claimed_us, NULL, set_claimed_us},
};

/* ---- surroundings ---------------------------------------------------------------------------- */

static ifl_status find_program(char path[PATH_BYTES], ifl_error *error)
{
    const ssize_t length = readlink("/proc/self/exe", path, PATH_BYTES - 1);
    if (length <= 0)
        return ifl_cli_error(error, IFL_INTERNAL,
                             "cannot find this program's own path: /proc/self/exe cannot be "
                             "read");
    path[length] = '\0';
    return IFL_OK;
}

/* NULL where there is no place for one. */
static const char *find_cache(const request *r, char path[PATH_BYTES])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (r->no_cache)
        return NULL;
    if (r->cache)
        return r->cache;
    if (cache && cache[0] == '/')
        snprintf(path, PATH_BYTES, "%s/inflight/check", cache);
    else if (home && *home)
        snprintf(path, PATH_BYTES, "%s/.cache/inflight/check", home);
    else
        return NULL;
    return path;
}

static void show_progress(void *user, size_t done, size_t runs)
{
    (void)user;
    fprintf(stderr, "\r\033[K%zu of %zu runs%s", done, runs, done == runs ? "\r\033[K" : "");
    fflush(stderr);
}

/* ---- the command ----------------------------------------------------------------------------- */

static ifl_status check_outputs(const request *r, char **files, int count, ifl_error *error)
{
    ifl_cli_output outputs[MOST_OUTPUTS];
    for (size_t i = 0; i < r->output_count; i++)
        outputs[i] = (ifl_cli_output){"--output", r->outputs[i].path};
    ifl_status status = ifl_cli_outputs_check(outputs, r->output_count, error);
    for (int i = 0; i < count && status == IFL_OK; i++)
        status = ifl_cli_outputs_spare(outputs, r->output_count, files[i], error);
    return status;
}

typedef struct written {
    const ifl_verdict *verdict;
    const char *format;
} written;

static ifl_status write_verdict(const void *user, FILE *out, ifl_error *error)
{
    const written *w = user;
    return ifl_verdict_write(w->verdict, w->format, out, error);
}

static ifl_status write_all(const request *r, const ifl_verdict *verdict, ifl_error *error)
{
    ifl_status status = ifl_verdict_write(verdict, r->format ? r->format : "text", stdout, error);
    for (size_t i = 0; i < r->output_count && status == IFL_OK; i++) {
        const written w = {verdict, r->outputs[i].format};
        status = ifl_cli_output_write(r->outputs[i].path, write_verdict, &w, error);
    }
    return status;
}

static int check_budgets(request *r, char **files, int count)
{
    char program[PATH_BYTES], cache[PATH_BYTES], libraries[PATH_BYTES + 64];
    ifl_error error = {0};
    ifl_verdict *verdict = NULL;
    ifl_check_options wanted = {.program = program,
                                .libraries = ifl_cli_standin_library(libraries, sizeof libraries),
                                .cache = find_cache(r, cache),
                                .jobs = r->jobs,
                                .update = r->update,
                                .stop = ifl_cli_catch_signals(),
                                .progress = isatty(STDERR_FILENO) ? show_progress : NULL};
    ifl_status status = check_outputs(r, files, count, &error);
    if (status == IFL_OK)
        status = find_program(program, &error);
    if (status == IFL_OK)
        status = ifl_check((const char *const *)files, (size_t)count, &wanted, &verdict, &error);
    if (status == IFL_OK)
        status = write_all(r, verdict, &error);
    const bool fails = verdict && ifl_verdict_fails(verdict, r->strict);
    ifl_verdict_free(verdict);
    if (status != IFL_OK)
        return ifl_cli_fail(&error);
    return fails ? ifl_status_exit_code(IFL_FINDING) : 0;
}

bool ifl_cli_confine(const ifl_cli_confinement *to)
{
    return ifl_confine(to->folder, to->inputs, to->own, to->program, to->seconds);
}

/* Options of budgets and of --against do not go together. */
static ifl_status check_together(const request *r, ifl_error *error)
{
    const ifl_against_options *a = &r->against;
    const bool has_judging =
        a->gpu || a->trials || a->seed || a->seconds || a->tolerance > 0 || a->claimed_us > 0;
    const bool has_budgets = r->format || r->output_count || r->cache || r->no_cache || r->update ||
                             r->strict || r->jobs;
    if (!a->reference && has_judging)
        return ifl_cli_error(error, IFL_USAGE,
                             "--gpu, --trials, --seed, --seconds, --tolerance and --claimed-us "
                             "need --against; a budget names its GPUs itself");
    if (a->reference && has_budgets)
        return ifl_cli_error(error, IFL_USAGE,
                             "--against writes one verdict, in JSON, to standard output: the "
                             "options of budgets cannot be combined with it");
    return IFL_OK;
}

static int judge_candidate(request *r, char **files, int count)
{
    char program[PATH_BYTES];
    ifl_error error = {0};
    bool passed = false;
    ifl_status status = count == 1 ? find_program(program, &error)
                                   : ifl_cli_error(&error, IFL_USAGE,
                                                   "--against takes one candidate: inflight "
                                                   "check --against REFERENCE CANDIDATE.launch");
    r->against.program = program;
    r->against.candidate = files[0];
    r->against.stop = ifl_cli_catch_signals();
    if (status == IFL_OK)
        status = ifl_against(&r->against, stdout, &passed, &error);
    if (status != IFL_OK)
        return ifl_cli_fail(&error);
    return passed ? 0 : ifl_status_exit_code(IFL_FINDING);
}

static int run(int word_count, char **words)
{
    request r = {0};
    ifl_error error = {0};
    bool help = false;
    int first = 0;
    ifl_status status = ifl_cli_parse(&ifl_cli_check, word_count, words, &r, &first, &help, &error);
    if (status == IFL_OK && help)
        return 0;
    if (status == IFL_OK)
        status = check_together(&r, &error);
    if (status == IFL_OK && first == word_count)
        status = ifl_cli_error(
            &error, IFL_USAGE, "no %s\n'inflight help check' says more",
            r.against.reference
                ? "candidate is given: inflight check --against REFERENCE CANDIDATE.launch"
                : "budget is given: inflight check FILE...");
    if (status != IFL_OK)
        return ifl_cli_fail(&error);
    return (r.against.reference ? judge_candidate : check_budgets)(&r, words + first,
                                                                   word_count - first);
}

const ifl_cli_command ifl_cli_check = {
    .name = "check",
    .usage = {"FILE... [OPTION]...", "--against REFERENCE CANDIDATE.launch [OPTION]...", NULL},
    .summary =
        "check kernels against performance budgets: for continuous integration, without a GPU",
    .text = "A budget is a file of `key = value` lines: what to run, and limits on the counts. The "
            "document "
            "\"Performance budgets\" (check.md) has the details.\n"
            "Counts are exact and the same on every machine. A modelled time exceeds a limit only "
            "if its whole "
            "range does.\n"
            "The exit status is 1 if a limit of severity 'error' is exceeded or a run faults. If "
            "something cannot be run or read, it is a different one ('inflight help "
            "exit-status').\n"
            "With --against, inflight judges a kernel that nobody has reviewed: it compares its "
            "results with a "
            "reference on unpredictable inputs, looks for faults and for reads of memory that was "
            "never written, "
            "and reports counts and time, as one short JSON verdict (\"A judge for kernels\", "
            "against.md).\n"
            "Runs whose code and launch did not change are not repeated; --no-cache repeats them.",
    .examples = {"inflight check kernels.budget", "inflight check kernels.budget --update",
                 "inflight check *.budget --format github --output sarif=check.sarif", NULL},
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
