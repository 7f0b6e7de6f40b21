/* SPDX-License-Identifier: Apache-2.0
 * inflight analyze --on gpu: the launch on a real GPU, and on the engine beside it. */
#include "analyze.h"
#include "interrupt.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, OWN_WORDS = 32 };

/* ---- counters -------------------------------------------------------------------------------- */

static void add_option(const char **words, size_t *count, const char *name, const char *value)
{
    if (!value)
        return;
    words[(*count)++] = name;
    words[(*count)++] = value;
}

/* The same launch once more in a process of its own, for Nsight Compute to look at: only this
 * kernel, once. */
static ifl_status count(const ifl_cli_request *request, ifl_profile *profile, ifl_error *error)
{
    char self[PATH_BYTES], device[16];
    size_t used = 0;
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return ifl_cli_error(error, IFL_INTERNAL, "cannot find this program's own path");
    self[length] = '\0';
    const char **words = calloc(OWN_WORDS + (size_t)request->argument_count, sizeof *words);
    if (!words)
        return ifl_cli_error(error, IFL_NO_MEMORY, "out of memory");
    snprintf(device, sizeof device, "%d", request->device);
    words[used++] = self;
    words[used++] = "analyze";
    add_option(words, &used, "--on", "gpu");
    words[used++] = "--no-check";
    words[used++] = "--no-timing";
    add_option(words, &used, "--device", device);
    add_option(words, &used, "--kernel", request->kernel);
    add_option(words, &used, "--grid", request->grid);
    add_option(words, &used, "--block", request->block);
    add_option(words, &used, "--shared", request->shared);
    add_option(words, &used, "--arch", request->arch);
    words[used++] = "--";
    words[used++] = request->file;
    for (int i = 0; i < request->argument_count; i++)
        words[used++] = request->arguments[i];
    const ifl_status status = ifl_profile_count(profile, words, error);
    free(words);
    return status;
}

/* ---- the runs -------------------------------------------------------------------------------- */

static ifl_gpu_options options_of(const ifl_cli_request *request, const ifl_profile *engine)
{
    return (ifl_gpu_options){
        .time = !request->no_timing,
        .between = request->between,
        .samples = request->samples,
        .subtract_floor = request->subtract_floor,
        .carveout_given = request->carveout >= 0,
        .carveout_percent = request->carveout,
        .threads = request->threads,
        .stop = ifl_cli_catch_signals(),
        .engine = engine,
    };
}

typedef struct both {
    ifl_profile *engine, *gpu;
} both;

/* A result that differs is said last, after the report that shows it. */
static ifl_status run_both(const ifl_cli_request *request, ifl_gpu *gpu, ifl_launch *launch,
                           ifl_launch *reference, both *out, ifl_error *finding, ifl_error *error)
{
    ifl_status status = IFL_OK;
    if (reference)
        status = ifl_cli_run_engine(request, reference, &out->engine, error);
    const ifl_gpu_options options = options_of(request, out->engine);
    if (status == IFL_OK)
        status = ifl_launch_run_on(launch, gpu, &options, &out->gpu, error);
    if (status == IFL_OK && reference) {
        status = ifl_launch_compare(launch, reference, out->gpu, finding);
        if (status == IFL_FINDING)
            status = IFL_OK;
        else if (status != IFL_OK)
            *error = *finding;
    }
    return status;
}

static int report_both(const ifl_cli_request *request, const both *runs)
{
    const ifl_profile *const two[] = {runs->engine, runs->gpu};
    const ifl_profile *const one[] = {runs->gpu};
    return runs->engine ? ifl_cli_report(request, two, 2, true)
                        : ifl_cli_report(request, one, 1, true);
}

static int run_on(const ifl_cli_request *request, ifl_gpu *gpu, ifl_launch *launch,
                  ifl_launch *reference)
{
    both runs = {0};
    ifl_error error = {0}, finding = {0};
    int result = 0;
    ifl_status status = run_both(request, gpu, launch, reference, &runs, &finding, &error);
    if (status == IFL_OK && request->counters)
        status = count(request, runs.gpu, &error);
    if (status == IFL_OK) {
        const int reported = report_both(request, &runs),
                  saved = ifl_cli_save_buffers(request, launch);
        result = reported ? reported : saved;
        if (finding.status == IFL_FINDING)
            result = ifl_cli_fail(&finding);
    } else {
        result = ifl_cli_fail(&error);
    }
    ifl_profile_free(runs.engine);
    ifl_profile_free(runs.gpu);
    return result;
}

int ifl_cli_run_on_gpu(const ifl_cli_request *request, ifl_launch *launch, ifl_launch *reference)
{
    ifl_gpu *gpu = NULL;
    ifl_error error = {0};
    if (ifl_gpu_open(request->device, &gpu, &error) != IFL_OK)
        return ifl_cli_fail(&error);
    const int result = run_on(request, gpu, launch, reference);
    ifl_gpu_close(gpu);
    return result;
}
