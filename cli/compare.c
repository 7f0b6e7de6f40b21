/* SPDX-License-Identifier: Apache-2.0
 * inflight compare: two reports, counter by counter. */
#include "commands.h"
#include "setters.h"
#include "terminal.h"

#include <stdlib.h>

typedef struct request {
    ifl_compare_options options;
    bool json;
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

FLAG_OPTION(request, json)
SWITCH_OPTION(request, all, options.all, true)
COLOR_OPTION(request, options.color)

static const ifl_cli_option options[] = {
    {0, "threshold", "PERCENT",
     "the difference that still counts as equal, relative to the larger value (0)", set_threshold},
    {0, "all", NULL, "show all counters, also those that are equal or exist on one side only",
     set_all},
    {0, "json", NULL, "write JSON instead of the text", set_json},
    {0, "color", "WHEN", "auto, always or never", set_color},
};

/* That they differ has been shown: the exit status says it again, no message does. */
static int compare(const request *r, char **files, int count)
{
    ifl_error error = {0};
    if (count < 1 || count > 2) {
        ifl_cli_error(&error, IFL_USAGE, "%s",
                      count ? "compare takes one or two reports" : "which reports?");
        return ifl_cli_fail(&error);
    }
    const ifl_status status =
        ifl_compare_write(files[0], count == 2 ? files[1] : NULL,
                          r->json ? IFL_REPORT_JSON : IFL_REPORT_TEXT, &r->options, stdout, &error);
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
    if (help) {
        ifl_cli_print_command(&ifl_cli_compare, stdout);
        return 0;
    }
    return compare(&r, words + first, word_count - first);
}

const ifl_cli_command ifl_cli_compare = {
    .name = "compare",
    .usage = {"A.json [B.json] [OPTION]...", NULL},
    .summary = "compare two reports counter by counter: engine and GPU, or before and after",
    .text = "The reports are those of --json. With one file, its first launch is compared with its "
            "last: engine and "
            "GPU, as 'inflight analyze --on gpu --json' writes them.\n"
            "Two reports of the engine, or two of a GPU, are taken as before and after a change. "
            "The exit status is "
            "1 if the kernel became slower by more than the threshold, measured or otherwise "
            "predicted, or, if no "
            "GPU is in both reports, if a counter that affects the time grew. Engine and GPU "
            "should agree: the exit "
            "status is 1 if a counter differs by more than the threshold.\n"
            "Launches are paired by kernel and order. The remaining ones are paired in order, so "
            "that a kernel may "
            "have another name in B.",
    .examples = {"inflight compare before.json after.json",
                 "inflight compare both.json --threshold 1", NULL},
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
