/* SPDX-License-Identifier: Apache-2.0
 * See run_options.h. */
#include "standin/run_options.h"

#include <stdlib.h>
#include <string.h>

enum { OBSERVED_LAUNCHES = 4 };

static ifl_status number(const char *name, unsigned long otherwise, unsigned long most, unsigned long *out,
                         ifl_error *error)
{
    const char *text = getenv(name);
    char *end;
    *out = otherwise;
    if (!text || !*text)
        return IFL_OK;
    *out = strtoul(text, &end, 10);
    return *end || *out > most ? ifl_fail(error, IFL_USAGE, "%s is '%.40s', not a number", name, text) : IFL_OK;
}

static bool is_on(const char *name, bool otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strcmp(text, "0") != 0 : otherwise;
}

static const char *text_or(const char *name, const char *otherwise)
{
    const char *text = getenv(name);
    return text && *text ? text : otherwise;
}

ifl_status ifl_standin_options_read(ifl_standin_options *options, ifl_error *error)
{
    unsigned long threads;
    *options = (ifl_standin_options){.gpu = text_or(IFL_RUN_GPU, "h200"),
                                     .json = text_or(IFL_RUN_JSON, NULL),
                                     .html = text_or(IFL_RUN_HTML, NULL),
                                     .kernel = text_or(IFL_RUN_KERNEL, NULL),
                                     .analysis = is_on(IFL_RUN_ANALYSIS, true),
                                     .leaks = is_on(IFL_RUN_LEAKS, false),
                                     .fail = is_on(IFL_RUN_FAIL, false)};
    ifl_status status = number(IFL_RUN_LAUNCHES, OBSERVED_LAUNCHES, 1ul << 40, &options->launches, error);
    if (status == IFL_OK)
        status = number(IFL_RUN_THREADS, 0, 1024, &threads, error);
    if (status == IFL_OK)
        options->threads = (int)threads;
    return status;
}
