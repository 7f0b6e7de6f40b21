/* SPDX-License-Identifier: Apache-2.0
 * One launch on the engine: checks it, runs it under every observer, and makes the profile. */
#include "observe/observe.h"
#include "run/cache_run.h"
#include "run/launch_common.h"
#include "run/lines.h"
#include "run/machine_code.h"
#include "run/program_order.h"
#include "run/reach.h"
#include "run/source_text.h"
#include "run/utf8.h"
#include "simt/simt.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Observers that come after those of ifl_observations; the last is there only where devices are asked for. */
enum { ORDER, CACHES };

typedef struct run {
    ifl_launch *launch;
    const ifl_run_options *options;
    const ifl_function *function;
    uint64_t static_shared_bytes;
    bool *reached;
    int32_t *line_of;
    const ifl_observer **observers; /* those of ifl_observations, then that of the caches */
    ifl_cache_run caches;
    ifl_profile *profile;
    ifl_simt_result result;
    ifl_error *error;
} run;

/* ---- checks ---------------------------------------------------------------------------------- */

static ifl_status check(const run *r)
{
    if (r->options->threads < 0 || r->options->resident < 0 || r->options->quantum < 0)
        return ifl_fail(r->error, IFL_USAGE,
                        "threads, resident blocks and the quantum cannot be negative");
    return ifl_launch_check(r->launch, r->static_shared_bytes, r->error);
}

/* ---- the profile ----------------------------------------------------------------------------- */

static ifl_status describe(run *r)
{
    const ifl_launch *launch = r->launch;
    if (!r->profile->machine.registers && r->options->registers > 0)
        r->profile->machine.registers = (uint32_t)r->options->registers;
    const ifl_status status =
        ifl_launch_describe(launch, r->static_shared_bytes, "engine", r->profile, r->error);
    if (status != IFL_OK)
        return status;
    return ifl_lines_build(launch->program, r->reached, launch->module->path, r->line_of,
                           r->profile, r->error);
}

static ifl_status take_warnings(run *r)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < r->result.warning_count && status == IFL_OK; i++)
        status = ifl_profile_warn(r->profile, r->error, "%s", r->result.warnings[i]);
    return status;
}

static uint64_t buffer_bytes(const ifl_launch *launch)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < launch->arguments.count; i++) {
        bool is_seen = !launch->buffers || !launch->buffers[i];
        for (size_t j = 0; j < i && !is_seen; j++)
            is_seen = launch->buffers[j] == launch->buffers[i];
        bytes += is_seen ? 0 : launch->buffers[i]->bytes;
    }
    return bytes;
}

/* The observer of the order comes after those of observe/. */
static ifl_status take_order(run *r)
{
    const void *state = r->result.states ? r->result.states[ifl_observation_count + ORDER] : NULL;
    if (!state)
        return IFL_OK;
    r->profile->program.buffer_bytes = buffer_bytes(r->launch);
    return ifl_order_report(state, r->launch->program, r->launch->function, &r->profile->program, r->error);
}

/* What was observed, also of a run that ended early. */
static ifl_status take_result(run *r)
{
    ifl_profile *profile = r->profile;
    ifl_status status = take_warnings(r);
    profile->complete = r->result.complete;
    profile->blocks_done = r->result.blocks_done;
    profile->seconds = r->result.seconds;
    for (size_t i = 0; i < ifl_observation_count && status == IFL_OK && r->result.states; i++)
        if (r->result.states[i])
            status = ifl_observations[i]->report(r->result.states[i], r->launch->program,
                                                 r->line_of, profile, r->error);
    ifl_lines_settle(profile);
    if (status == IFL_OK)
        status = take_order(r);
    if (status == IFL_OK)
        status = ifl_machine_code_describe(r->launch, profile, r->error);
    if (status == IFL_OK && r->options->device_count && r->result.states &&
        r->result.states[ifl_observation_count + CACHES])
        status = ifl_cache_run_report(&r->caches, r->result.states[ifl_observation_count + CACHES], profile, r->error);
    return status;
}

/* ---- the run --------------------------------------------------------------------------------- */

static ifl_simt_launch describe_to_engine(const run *r)
{
    const ifl_launch *launch = r->launch;
    const ifl_run_options *options = r->options;
    ifl_simt_launch to = {
        .program = launch->program,
        .function = launch->function,
        .kernel_name = r->profile->signature,
        .dynamic_shared_bytes = launch->dynamic_shared_bytes,
        .params = launch->params,
        .memory = launch->memory,
        .threads = options->threads,
        .resident = options->resident,
        .quantum = options->quantum,
        .check_reads = options->check_reads,
        .stop = options->stop,
        .progress = options->progress,
        .progress_user = options->progress_user,
        .print = options->print,
        .print_user = options->print_user,
        .vector_width = options->vector_width,
        .observers = r->observers,
        .observer_count = ifl_observation_count + CACHES + (options->device_count ? 1 : 0),
    };
    memcpy(to.grid, launch->grid, sizeof to.grid);
    memcpy(to.block, launch->block, sizeof to.block);
    return to;
}

/* The line of source text that an error names, where it is at hand, for a caret. */
static void show_source(run *r)
{
    ifl_error *error = r->error;
    ifl_source_texts sources = {.module_path = r->launch->module->path};
    size_t bytes = 0;
    if (!error || error->source[0] || error->line <= 0)
        return;
    const char *text =
        ifl_source_raw_line(&sources, error->file, (uint32_t)error->line, &bytes);
    if (text) {
        bytes = bytes < sizeof error->source ? bytes : sizeof error->source - 1;
        memcpy(error->source, text, bytes);
        error->source[bytes] = '\0';
        ifl_utf8_clean(error->source);
    }
    ifl_source_texts_free(&sources);
}

static ifl_status execute(run *r)
{
    const ifl_simt_launch to = describe_to_engine(r);
    ifl_status status = ifl_simt_run(&to, &r->result, r->error);
    if (status != IFL_OK)
        show_source(r);
    if (status == IFL_OK || status == IFL_FINDING || status == IFL_INTERRUPTED) {
        const ifl_status taken = take_result(r);
        if (taken != IFL_OK)
            status = taken;
    }
    ifl_simt_result_free(&to, &r->result);
    return status;
}

static ifl_status allocate(run *r)
{
    const ifl_program *program = r->launch->program;
    r->reached = calloc(program->function_count + 1, sizeof *r->reached);
    r->line_of = calloc(program->instruction_count + 1, sizeof *r->line_of);
    r->observers = calloc(ifl_observation_count + CACHES + 1, sizeof *r->observers);
    r->profile = ifl_profile_new();
    if (!r->reached || !r->line_of || !r->observers || !r->profile)
        return ifl_fail_memory(r->error, (program->instruction_count + 1) * sizeof *r->line_of);
    for (size_t i = 0; i < ifl_observation_count; i++)
        r->observers[i] = ifl_observations[i]->observer;
    r->observers[ifl_observation_count + ORDER] = &ifl_order_observer;
    r->observers[ifl_observation_count + CACHES] = &r->caches.observer;
    return IFL_OK;
}

static ifl_status follow_caches(run *r)
{
    const ifl_status status =
        ifl_cache_run_init(&r->caches, r->options->devices, r->options->device_count,
                           r->launch->program, r->reached, r->error);
    if (status == IFL_OK)
        ifl_cache_run_shape(&r->caches, r->launch->grid, r->launch->block);
    return status;
}

static ifl_status run_all(run *r)
{
    ifl_status status = allocate(r);
    if (status == IFL_OK)
        status = ifl_reach(r->launch->program, r->launch->function, r->reached, r->error);
    if (status != IFL_OK)
        return status;
    r->static_shared_bytes = ifl_reach_shared_bytes(r->launch->program, r->reached);
    status = check(r);
    if (status == IFL_OK)
        status = follow_caches(r);
    if (status == IFL_OK)
        status = ifl_simt_check(r->launch->program, r->launch->function, r->error);
    if (status == IFL_OK)
        status = describe(r);
    if (status == IFL_OK)
        status = ifl_launch_prepare(r->launch, r->options->threads, r->options->stop, r->error);
    return status == IFL_OK ? execute(r) : status;
}

ifl_status ifl_launch_run(ifl_launch *launch, const ifl_run_options *options, ifl_profile **out,
                          ifl_error *error)
{
    static const ifl_run_options plain;
    run r = {
        .launch = launch,
        .options = options ? options : &plain,
        .function = &launch->program->functions[launch->function],
        .error = error,
    };
    const ifl_status status = run_all(&r);
    free(r.reached);
    free(r.line_of);
    free(r.observers);
    ifl_cache_run_free(&r.caches);
    const bool has_profile = status == IFL_OK || status == IFL_FINDING || status == IFL_INTERRUPTED;
    *out = has_profile ? r.profile : NULL;
    if (!has_profile)
        ifl_profile_free(r.profile);
    return status;
}
