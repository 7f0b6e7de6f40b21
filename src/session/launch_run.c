/* SPDX-License-Identifier: Apache-2.0
 * The engine as a backend: runs one launch under every observer, and makes the profile. */
#include "base/figure.h"
#include "base/utf8.h"
#include "count/observe.h"
#include "exec/exec.h"
#include "session/backend.h"
#include "session/source_text.h"
#include "session/watch.h"

#include <stdlib.h>
#include <string.h>

typedef struct run {
    ifl_backend_state of;
    const ifl_run_options *options;
    ifl_session_launch to;
    ifl_watch watch;
    ifl_session_result ran;
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
        status = ifl_profile_warn(r->of.profile, r->of.error, "%s", r->ran.result.warnings[i]);
    return status;
}

/* What was observed, also of a run that ended early. */
static ifl_status take_result(run *r)
{
    ifl_profile *profile = r->of.profile;
    void *const *states = r->ran.result.states;
    ifl_status status = take_warnings(r);
    profile->complete = r->ran.result.complete;
    profile->blocks_done = r->ran.result.blocks_done;
    profile->seconds = r->ran.result.seconds;
    if (status == IFL_OK)
        status = ifl_profile_warn_left_out(profile, ifl_left_out_by(&r->ran.result), r->of.error);
    if (status == IFL_OK && states)
        status = ifl_profile_count_states(r->to.kernel, states, profile, r->of.error);
    if (status == IFL_OK && states)
        status = ifl_watch_report(&r->watch, &r->to, states, buffer_bytes(r->of.launch), profile,
                                  r->of.error);
    return status;
}

/* The line of source text that an error names, where it is at hand, for a caret. */
static void show_source(run *r)
{
    ifl_error *error = r->of.error;
    ifl_source_texts sources = {.module_path = r->of.launch->module->path};
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
    ifl_session *session = r->of.launch->session;
    ifl_session_launch next;
    uint64_t count = 0;
    ifl_status status = ifl_session_next(session, &next, r->of.error);
    while (status == IFL_OK && next.kernel) {
        ifl_session_result ran;
        status = ifl_session_run(session, &next, way, NULL, 0, &ran, r->of.error);
        ifl_session_end(&ran);
        count++;
        if (status == IFL_OK)
            status = ifl_session_next(session, &next, r->of.error);
    }
    if (status == IFL_OK && count)
        status =
            ifl_profile_warn(r->of.profile, r->of.error,
                             "the kernel launched %s, which ran and %s not counted here: inflight "
                             "run shows them",
                             ifl_figure_counted(count, "grid").text, count == 1 ? "is" : "are");
    return status;
}

/* "k.cu:4: illegal address: ..."; NULL without memory: the error itself is still reported. */
static const char *fault_text(run *r)
{
    const ifl_error *e = r->of.error;
    return e->file[0] && e->line > 0
               ? ifl_arena_printf(&r->of.profile->arena, "%s:%d: %s", e->file, e->line, e->text)
               : ifl_arena_text(&r->of.profile->arena, e->text, strlen(e->text));
}

static ifl_status execute(ifl_backend_state *state)
{
    run *r = (run *)state;
    ifl_session *session = state->launch->session;
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
    ifl_session_reset(session, r->to.kernel);
    ifl_status status = ifl_session_run(session, &r->to, &way, r->watch.observers, r->watch.count,
                                        &r->ran, state->error);
    if (status == IFL_OK)
        status = run_nested(r, &way);
    if (status != IFL_OK)
        show_source(r);
    if (status == IFL_OK || status == IFL_FINDING || status == IFL_INTERRUPTED) {
        const ifl_status taken = take_result(r);
        if (status == IFL_FINDING && state->error)
            state->profile->fault = fault_text(r);
        status = taken == IFL_OK ? status : taken;
    }
    ifl_session_end(&r->ran);
    return status;
}

static ifl_status begin(ifl_backend_state *state)
{
    run *r = (run *)state;
    const ifl_run_options *options = r->options;
    state->profile->repeated = options->repeated;
    if (options->registers > 0)
        state->profile->machine.registers = (uint32_t)options->registers;
    r->to = ifl_launch_shaped(state->launch);
    const ifl_status status =
        ifl_watch_begin(&r->watch, IFL_WATCH_MODEL, state->launch->session, options->devices,
                        options->device_count, &r->to, state->error);
    r->watch.time.threads = options->threads;
    r->watch.listed = options->listing;
    return status;
}

static void end(ifl_backend_state *state)
{
    ifl_watch_end(&((run *)state)->watch);
}

static const ifl_backend engine = {
    .name = "engine", .keeps_part = true, .begin = begin, .execute = execute, .end = end};

static ifl_status check_options(const ifl_run_options *options, ifl_error *error)
{
    if (options->threads < 0 || options->resident < 0 || options->quantum < 0)
        return ifl_fail(error, IFL_USAGE,
                        "threads, resident blocks and the quantum cannot be negative");
    return options->resident <= IFL_MOST_RESIDENT
               ? IFL_OK
               : ifl_fail(error, IFL_USAGE,
                          "%d resident blocks are more than the %d that one core can interleave",
                          options->resident, IFL_MOST_RESIDENT);
}

ifl_status ifl_launch_run(ifl_launch *launch, const ifl_run_options *options, ifl_profile **out,
                          ifl_error *error)
{
    static const ifl_run_options plain;
    options = options ? options : &plain;
    run r = {.of = {launch, options->threads, options->stop, NULL, error}, .options = options};
    const ifl_status status = check_options(options, error);
    *out = NULL;
    if (status != IFL_OK)
        return status;
    if (options->device_count)
        launch->sm = ifl_session_target(options->devices[0]);
    return ifl_backend_run(&engine, &r.of, out);
}
