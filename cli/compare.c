/* SPDX-License-Identifier: Apache-2.0
 * inflight compare: two reports, counter by counter. */
#include "commands.h"
#include "outputs.h"
#include "setters.h"
#include "terminal.h"

#include <stdlib.h>

typedef struct request {
    ifl_compare_options options;
    const char *json;  /* NULL: not asked for; "-": in place of the text */
    const char *a, *b; /* the reports; b is NULL where one holds both launches */
} request;

static ifl_status set_threshold(void *user, const char *value, ifl_error *error)
{
    char *end;
    const double percent = strtod(value, &end);
    if (end == value || *end || !(percent >= 0 && percent <= 100))
        return ifl_cli_error(error, IFL_USAGE,
                             "--threshold takes a percentage from 0 to 100, not '%s'", value);
    ((request *)user)->options.threshold = percent / 100;
    return IFL_OK;
}

TEXT_OPTION(request, json)
SWITCH_OPTION(request, all, options.all, true)
COLOR_OPTION(request, options.color)

static const ifl_cli_option options[] = {
    {IFL_CLI_OPTION_threshold, NULL, set_threshold},
    {IFL_CLI_OPTION_all, NULL, set_all},
    {IFL_CLI_OPTION_json, NULL, set_json},
    {IFL_CLI_OPTION_color, NULL, set_color},
};

static ifl_status write_json(const void *user, FILE *out, ifl_error *error)
{
    const request *r = user;
    return ifl_compare_write(r->a, r->b, IFL_REPORT_JSON, &r->options, out, error);
}

/* That nothing is overwritten is found before anything is read. */
static ifl_status check_output(const request *r, ifl_error *error)
{
    const ifl_cli_output json = {"--json", r->json};
    ifl_status status = ifl_cli_outputs_check(&json, 1, error);
    if (status == IFL_OK)
        status = ifl_cli_outputs_spare(&json, 1, r->a, error);
    return status == IFL_OK ? ifl_cli_outputs_spare(&json, 1, r->b, error) : status;
}

/* The text unless JSON takes its place, then JSON. */
static ifl_status write_both(const request *r, ifl_error *error)
{
    ifl_status status = check_output(r, error);
    if (status == IFL_OK && !ifl_cli_is_dash(r->json))
        status = ifl_compare_write(r->a, r->b, IFL_REPORT_TEXT, &r->options, stdout, error);
    return r->json && (status == IFL_OK || status == IFL_FINDING)
               ? ifl_cli_output_write(r->json, write_json, r, error)
               : status;
}

/* That they differ has been shown: the exit status says it again, no message does. */
static int compare(request *r, char **files, int count)
{
    ifl_error error = {0};
    if (count < 1 || count > 2) {
        ifl_cli_error(&error, IFL_USAGE, "%s",
                      count ? "compare takes one or two reports"
                            : "no reports are given: inflight compare BEFORE.json AFTER.json\n"
                              "'inflight help compare' says more");
        return ifl_cli_fail(&error);
    }
    r->a = files[0];
    r->b = count == 2 ? files[1] : NULL;
    const ifl_status status = write_both(r, &error);
    if (status == IFL_FINDING)
        return ifl_status_exit_code(status);
    return status == IFL_OK ? 0 : ifl_cli_fail(&error);
}

static int run(int word_count, char **words)
{
    request r = {.options = {.width = ifl_cli_width()}};
    ifl_error error = {0};
    bool help = false;
    int first = 0;
    ifl_cli_color("auto", &r.options.color);
    if (ifl_cli_parse(&ifl_cli_compare, word_count, words, &r, &first, &help, &error) != IFL_OK)
        return ifl_cli_fail(&error);
    return help ? 0 : compare(&r, words + first, word_count - first);
}

const ifl_cli_command ifl_cli_compare = {
    .name = "compare",
    .usage = {"A.json [B.json] [OPTION]...", NULL},
    .summary = "compare two reports counter by counter: engine and GPU, or before and after",
    .text = "The reports are those of --json. With one file, its first launch is compared with its "
            "last: engine and "
            "GPU, as 'inflight analyze --on gpu --json' writes them.\n"
            "Two reports of the engine, or two of a GPU, are taken as before and after a change. "
            "The exit status is 1 if the kernel became slower by more than the threshold: by "
            "measured times, else by predicted ones. If the reports have no GPU in common, it is "
            "1 if a counter that affects the time grew. Engine and GPU should agree: between them, "
            "it is 1 if a counter differs by more than the threshold.\n"
            "Launches are paired by kernel and order. The remaining ones are paired in order, so "
            "that a kernel may "
            "have another name in B.",
    .examples = {"inflight compare before.json after.json",
                 "inflight compare both.json --threshold 1",
                 "inflight compare before.json after.json --json changes.json", NULL},
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
