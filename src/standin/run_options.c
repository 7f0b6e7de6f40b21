/* SPDX-License-Identifier: Apache-2.0
 * See run_options.h. */
#include "standin/run_options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OBSERVED_LAUNCHES = 4 };

static ifl_status number(const char *name, unsigned long otherwise, unsigned long most,
                         unsigned long *out, ifl_error *error)
{
    const char *text = getenv(name);
    char *end;
    *out = otherwise;
    if (!text || !*text)
        return IFL_OK;
    *out = strtoul(text, &end, 10);
    return *end || *out > most
               ? ifl_fail(error, IFL_USAGE, "%s is '%.40s', not a number", name, text)
               : IFL_OK;
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

/* What --code asks for; else what a driver's own two variables do (CUDA C++ Programming Guide, CUDA
 * Environment Variables). */
static ifl_status choose_code(ifl_code_choice *code, ifl_error *error)
{
    const char *text = text_or(IFL_RUN_CODE, NULL);
    const bool only_ptx = is_on("CUDA_FORCE_PTX_JIT", false),
               only_machine = is_on("CUDA_DISABLE_PTX_JIT", false);
    *code = !text && only_ptx       ? IFL_CHOOSE_PTX
            : !text && only_machine ? IFL_CHOOSE_MACHINE
                                    : IFL_CHOOSE_AS_DRIVER;
    if (text && strcmp(text, "ptx") == 0)
        *code = IFL_CHOOSE_PTX;
    else if (text && strcmp(text, "machine") == 0)
        *code = IFL_CHOOSE_MACHINE;
    else if (text && strcmp(text, "both") == 0)
        *code = IFL_CHOOSE_BOTH;
    else if (text)
        return ifl_fail(error, IFL_USAGE, "%s is '%.40s', not ptx, machine or both", IFL_RUN_CODE,
                        text);
    return IFL_OK;
}

/* "r.json" of process 12 is "r.12.json". */
static ifl_status name_for_child(const char **path, char *to, size_t room, long child,
                                 ifl_error *error)
{
    if (!*path)
        return IFL_OK;
    const char *slash = strrchr(*path, '/'), *dot = strrchr(slash ? slash : *path, '.');
    const char *end = dot ? dot : *path + strlen(*path);
    const int length = snprintf(to, room, "%.*s.%ld%s", (int)(end - *path), *path, child, end);
    if (length < 0 || (size_t)length >= room)
        return ifl_fail(error, IFL_USAGE, "'%.100s...' is too long for the path of a report",
                        *path);
    *path = to;
    return IFL_OK;
}

bool ifl_standin_is_first(void)
{
    const char *started = getenv(IFL_RUN_PROCESS);
    return started && strtol(started, NULL, 10) == (long)getpid();
}

/* A program may start others: each has a report of its own. */
static ifl_status name_reports(ifl_standin_options *options, ifl_error *error)
{
    if (!getenv(IFL_RUN_PROCESS) || ifl_standin_is_first())
        return IFL_OK;
    options->child = (long)getpid();
    const ifl_status status = name_for_child(&options->json, options->paths[0],
                                             sizeof options->paths[0], options->child, error);
    return status == IFL_OK ? name_for_child(&options->html, options->paths[1],
                                             sizeof options->paths[1], options->child, error)
                            : status;
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
                                     .fail = is_on(IFL_RUN_FAIL, false),
                                     .each = is_on(IFL_RUN_EACH, false),
                                     .every_launch = is_on(IFL_RUN_EVERY, false),
                                     .races = is_on(IFL_RUN_RACES, false),
                                     .reads = is_on(IFL_RUN_READS, false)};
    ifl_status status =
        number(IFL_RUN_LAUNCHES, OBSERVED_LAUNCHES, 1ul << 40, &options->launches, error);
    if (status == IFL_OK)
        status = number(IFL_RUN_SKIP, 0, 1ul << 40, &options->skip, error);
    if (status == IFL_OK)
        status = number(IFL_RUN_COUNT, 0, 1ul << 40, &options->most, error);
    if (status == IFL_OK)
        status = number(IFL_RUN_THREADS, 0, 4096, &threads, error);
    if (status == IFL_OK)
        options->threads = (int)threads;
    if (status == IFL_OK)
        status = choose_code(&options->code, error);
    return status == IFL_OK ? name_reports(options, error) : status;
}
