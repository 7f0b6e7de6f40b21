/* SPDX-License-Identifier: Apache-2.0
 * One launch on the engine: checks it, runs it under every observer, and makes the profile. */
#include "base/figure.h"
#include "base/utf8.h"
#include "count/observe.h"
#include "exec/exec.h"
#include "session/launch.h"
#include "session/source_text.h"
#include "session/watch.h"

#include <stdlib.h>
#include <string.h>

typedef struct run {
    ifl_launch *launch;
    const ifl_run_options *options;
    ifl_session_launch to;
    ifl_watch watch;
    ifl_profile *profile;
    ifl_session_result ran;
    ifl_error *error;
} run;

static uint64_t buffer_bytes(const ifl_launch *launch)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < launch->arguments.count; i++) {
        bool is_seen = !launch->buffers[i];
        for (size_t j = 0; j < i && !is_seen; j++)
            is_seen = launch->buffers[j] == launch->buffers[i];
        bytes += is_seen ? 0 : launch->buffers[i]->bytes;
    }
    return bytes;
}

static ifl_status take_warnings(run *r)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < r->ran.result.warning_count && status == IFL_OK; i++)
        status = ifl_profile_warn(r->profile, r->error, "%s", r->ran.result.warnings[i]);
    return status;
}

/* What was observed, also of a run that ended early. */
static ifl_status take_result(run *r)
{
    ifl_profile *profile = r->profile;
    void *const *states = r->ran.result.states;
    ifl_status status = take_warnings(r);
    profile->complete = r->ran.result.complete;
    profile->blocks_done = r->ran.result.blocks_done;
    profile->seconds = r->ran.result.seconds;
    if (status == IFL_OK)
        status = ifl_profile_warn_left_out(profile, ifl_left_out_by(&r->ran.result), r->error);
    if (status == IFL_OK && states)
        status = ifl_profile_count_states(r->to.kernel, states, profile, r->error);
    if (status == IFL_OK && states)
        status =
            ifl_watch_report(&r->watch, &r->to, states, buffer_bytes(r->launch), profile, r->error);
    return status;
}

/* The line of source text that an error names, where it is at hand, for a caret. */
static void show_source(run *r)
{
    ifl_error *error = r->error;
    ifl_source_texts sources = {.module_path = r->launch->module->path};
    size_t bytes = 0;
    if (!error || error->source[0] || error->line <= 0)
        return;
    const char *text = ifl_source_raw_line(&sources, error->file, (uint32_t)error->line, &bytes);
    if (text) {
        bytes = bytes < sizeof error->source ? bytes : sizeof error->source - 1;
        memcpy(error->source, text, bytes);
        error->source[bytes] = '\0';
        ifl_utf8_clean(error->source);
    }
    ifl_source_texts_free(&sources);
}

/* What the kernel launched, and what that launched: for what it leaves in memory, not to be
 * counted. */
static ifl_status run_nested(run *r, const ifl_session_way *way)
{
    ifl_session *session = r->launch->session;
    ifl_session_launch next;
    uint64_t count = 0;
    ifl_status status = ifl_session_next(session, &next, r->error);
    while (status == IFL_OK && next.kernel) {
        ifl_session_result ran;
        status = ifl_session_run(session, &next, way, NULL, 0, &ran, r->error);
        ifl_session_end(&ran);
        count++;
        if (status == IFL_OK)
            status = ifl_session_next(session, &next, r->error);
    }
    if (status == IFL_OK && count)
        status =
            ifl_profile_warn(r->profile, r->error,
                             "the kernel launched %s, which ran and %s not counted here: inflight "
                             "run shows them",
                             ifl_figure_counted(count, "grid").text, count == 1 ? "is" : "are");
    return status;
}

/* "k.cu:4: illegal address: ..."; NULL without memory: the error itself is still reported. */
static const char *fault_text(run *r)
{
    const ifl_error *e = r->error;
    return e->file[0] && e->line > 0
               ? ifl_arena_printf(&r->profile->arena, "%s:%d: %s", e->file, e->line, e->text)
               : ifl_arena_text(&r->profile->arena, e->text, strlen(e->text));
}

static ifl_status execute(run *r)
{
    const ifl_run_options *options = r->options;
    const ifl_session_way way = {
        .device = options->device_count ? options->devices[0] : NULL,
        .threads = options->threads,
        .resident = options->resident,
        .quantum = options->quantum,
        .check_reads = options->check_reads,
        .check_races = options->check_races,
        .vector_width = options->vector_width,
        .stop = options->stop,
        .progress = options->progress,
        .progress_user = options->progress_user,
        .print = options->print,
        .print_user = options->print_user,
    };
    ifl_status status = ifl_session_run(r->launch->session, &r->to, &way, r->watch.observers,
                                        r->watch.count, &r->ran, r->error);
    if (status == IFL_OK)
        status = run_nested(r, &way);
    if (status != IFL_OK)
        show_source(r);
    if (status == IFL_OK || status == IFL_FINDING || status == IFL_INTERRUPTED) {
        const ifl_status taken = take_result(r);
        if (status == IFL_FINDING && r->error)
            r->profile->fault = fault_text(r);
        status = taken == IFL_OK ? status : taken;
    }
    ifl_session_end(&r->ran);
    return status;
}

static ifl_status describe(run *r)
{
    r->profile = ifl_profile_new();
    if (!r->profile)
        return ifl_fail_memory(r->error, sizeof *r->profile);
    r->profile->repeated = r->options->repeated;
    if (r->options->registers > 0)
        r->profile->machine.registers = (uint32_t)r->options->registers;
    return ifl_launch_describe(r->launch, "engine", r->profile, r->error);
}

static ifl_status run_all(run *r)
{
    const ifl_run_options *options = r->options;
    if (options->threads < 0 || options->resident < 0 || options->quantum < 0)
        return ifl_fail(r->error, IFL_USAGE,
                        "threads, resident blocks and the quantum cannot be negative");
    if (options->resident > IFL_MOST_RESIDENT)
        return ifl_fail(r->error, IFL_USAGE,
                        "%d resident blocks are more than the %d that one core can interleave",
                        options->resident, IFL_MOST_RESIDENT);
    if (options->device_count)
        r->launch->sm = ifl_session_target(options->devices[0]);
    ifl_status status = ifl_launch_ready(r->launch, r->error);
    if (status != IFL_OK)
        return status;
    r->to = ifl_launch_shaped(r->launch);
    status = ifl_watch_begin(&r->watch, IFL_WATCH_MODEL, r->launch->session, options->devices,
                             options->device_count, &r->to, r->error);
    r->watch.time.threads = options->threads;
    r->watch.listed = options->listing;
    if (status == IFL_OK)
        status = describe(r);
    if (status == IFL_OK)
        status = ifl_launch_prepare(r->launch, options->threads, options->stop, r->error);
    if (status != IFL_OK)
        return status;
    ifl_session_reset(r->launch->session, r->to.kernel);
    return execute(r);
}

ifl_status ifl_launch_run(ifl_launch *launch, const ifl_run_options *options, ifl_profile **out,
                          ifl_error *error)
{
    static const ifl_run_options plain;
    run r = {.launch = launch, .options = options ? options : &plain, .error = error};
    const ifl_status status = run_all(&r);
    ifl_watch_end(&r.watch);
    const bool has_profile = status == IFL_OK || status == IFL_FINDING || status == IFL_INTERRUPTED;
    *out = has_profile ? r.profile : NULL;
    if (!has_profile)
        ifl_profile_free(r.profile);
    return status;
}
