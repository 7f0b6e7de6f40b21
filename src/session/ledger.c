/* SPDX-License-Identifier: Apache-2.0
 * Launches, and what was seen of them: the observers' states of launches of the same kernel from
 * the same place are added up; profiles are made of them when somebody asks. */
#include "base/digest.h"
#include "count/observe.h"
#include "model/model.h"
#include "profile/traffic.h"
#include "session/kernel_name.h"
#include "session/session_internal.h"
#include "session/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows --------------------------------------------------------------------------------- */

static bool is_same(const ifl_ledger_row *row, const ifl_session_launch *launch)
{
    return row->kernel == launch->kernel &&
           memcmp(row->grid, launch->grid, sizeof row->grid) == 0 &&
           memcmp(row->block, launch->block, sizeof row->block) == 0 &&
           memcmp(row->cluster, launch->cluster, sizeof row->cluster) == 0 &&
           row->dynamic_shared_bytes == launch->dynamic_shared_bytes &&
           row->shared_preference == launch->shared_preference &&
           strcmp(row->site, launch->site ? launch->site : "") == 0;
}

static ifl_ledger_row *add_row(ifl_ledger *ledger, const ifl_session_launch *launch)
{
    ifl_ledger_row row = {.kernel = launch->kernel,
                          .site = strdup(launch->site ? launch->site : ""),
                          .dynamic_shared_bytes = launch->dynamic_shared_bytes,
                          .shared_preference = launch->shared_preference};
    memcpy(row.grid, launch->grid, sizeof row.grid);
    memcpy(row.block, launch->block, sizeof row.block);
    memcpy(row.cluster, launch->cluster, sizeof row.cluster);
    if (!row.site || !ifl_vec_push(&row.kinds, (ifl_launch_kind){0}) ||
        !ifl_vec_push(&ledger->rows, row)) {
        ifl_vec_free(&row.kinds);
        free(row.site);
        return NULL;
    }
    return &ledger->rows.at[ledger->rows.count - 1];
}

/* The newest first: programs repeat what they just did. */
static ifl_ledger_row *find_row(ifl_ledger *ledger, const ifl_session_launch *launch)
{
    for (size_t i = ledger->rows.count; i-- > 0;)
        if (is_same(&ledger->rows.at[i], launch))
            return &ledger->rows.at[i];
    return add_row(ledger, launch);
}

/* Takes the states of the counters over, or adds them to those that are there. */
static ifl_status add_states(void ***sum, ifl_exec_result *result, ifl_error *error)
{
    const bool is_first = !*sum;
    void **states = is_first ? calloc(ifl_observation_count, sizeof *states) : *sum;
    if (!states)
        return ifl_fail_memory(error, ifl_observation_count * sizeof *states);
    for (size_t i = 0; i < ifl_observation_count; i++) {
        if (is_first) {
            states[i] = result->states[i];
            result->states[i] = NULL;
        } else if (states[i] && result->states[i]) {
            ifl_observations[i]->observer->merge(states[i], result->states[i]);
        }
    }
    *sum = states;
    return IFL_OK;
}

static ifl_status remember(ifl_ledger_row *row, const ifl_watch *watch, ifl_exec_result *result,
                           ifl_error *error)
{
    row->launches++;
    if (row->profile)
        ifl_profile_destroy(row->profile);
    row->profile = NULL;
    if (watch->depth == IFL_WATCH_NOTHING || !result->states)
        return IFL_OK;
    row->observed++;
    row->blocks_done += result->blocks_done;
    row->seconds += result->seconds;
    return add_states(&row->states, result, error);
}

/* One that ran unobserved, with what one before it counted. */
static void remember_foreseen(ifl_ledger_row *row, void *const *states,
                              const ifl_exec_result *result)
{
    row->observed++;
    row->blocks_done += result->blocks_done;
    row->seconds += result->seconds;
    for (size_t i = 0; i < ifl_observation_count; i++)
        ifl_observations[i]->observer->merge(row->states[i], states[i]);
}

/* ---- repeats --------------------------------------------------------------------------------- */

/* How often the row's kernel was launched with these arguments before, and once more now. The
 * oldest arguments are forgotten where there are many. */
static uint64_t count_repeats(ifl_ledger_row *row, const ifl_session_launch *launch)
{
    enum { MOST = sizeof row->arguments / sizeof *row->arguments };
    const uint64_t hash =
        ifl_hash_bytes(IFL_HASH_BASIS, launch->params, launch->kernel->image.demands.param_bytes);
    for (size_t i = 0; i < row->argument_count && i < MOST; i++)
        if (row->arguments[i].hash == hash)
            return row->arguments[i].launches++;
    row->arguments[row->argument_count++ % MOST] = (ifl_repeats){hash, 1};
    return 0;
}

/* Words that are addresses of allocations count as the same, but for those of the host's memory. */
static uint64_t hash_without_pointers(const ifl_session *session, const ifl_session_launch *launch)
{
    static const uint64_t pinned = IFL_ALLOCATION_PINNED;
    const size_t bytes = launch->kernel->image.demands.param_bytes;
    uint64_t hash = IFL_HASH_BASIS;
    for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
        const size_t count = bytes - at < sizeof(uint64_t) ? bytes - at : sizeof(uint64_t);
        uint64_t word = 0;
        memcpy(&word, launch->params + at, count);
        if (ifl_memory_is_pinned(session->memory, word))
            hash = ifl_hash_words(hash, &pinned, 1);
        else if (count < sizeof word || !ifl_memory_find(session->memory, word))
            hash = ifl_hash_bytes(hash, launch->params + at, count);
    }
    return hash;
}

static bool is_further(const ifl_ledger_row *row, const ifl_launch_kind *kind)
{
    return kind - row->kinds.at > IFL_LAUNCH_KINDS;
}

static bool may_follow_further(const ifl_session *session)
{
    return session->ledger.further < IFL_FURTHER_WORK;
}

/* A new kind has a place of its own, or is one with all others. */
static ifl_launch_kind *kind_of(const ifl_session *session, ifl_ledger_row *row,
                                const ifl_session_launch *launch)
{
    const uint64_t hash = hash_without_pointers(session, launch);
    const size_t count = row->kinds.count;
    for (size_t i = 1; i < count; i++)
        if (row->kinds.at[i].hash == hash)
            return &row->kinds.at[i];
    const bool has_place =
        count <= IFL_LAUNCH_KINDS || (count <= IFL_MOST_KINDS && may_follow_further(session));
    return has_place && ifl_vec_push(&row->kinds, (ifl_launch_kind){.hash = hash})
               ? &row->kinds.at[count]
               : &row->kinds.at[0];
}

/* A search through a graph begins with launches that have little to do: the 1st, 2nd, 4th, 8th ...
 * are asked about, and where their work differs the first ones all. */
static bool is_for_model(const ifl_launch_kind *kind)
{
    enum { FIRST = 16 };
    return (kind->launches & (kind->launches + 1)) == 0 ||
           (kind->is_unsteady && kind->launches < FIRST);
}

/* As Nsight Compute's --launch-skip and --launch-count have it: of launches of the kernel that is
 * asked for. */
static bool is_in_window(ifl_session *session, const ifl_session_launch *launch)
{
    const ifl_session_options *options = &session->options;
    const ifl_ready_kernel *kernel = launch->kernel;
    if (!options->skipped_launches && !options->most_launches)
        return true;
    if (options->observed_kernel &&
        !ifl_kernel_is(kernel->kernel->name, kernel->signature, options->observed_kernel))
        return false;
    const uint64_t before = session->ledger.fitting++;
    return before >= options->skipped_launches &&
           (!options->most_launches || before - options->skipped_launches < options->most_launches);
}

static ifl_watch_depth depth_of(ifl_session *session, ifl_ledger_row *row, ifl_launch_kind *kind,
                                const ifl_session_launch *launch)
{
    const ifl_session_options *options = &session->options;
    if (!options->analysis)
        return IFL_WATCH_NOTHING;
    if (!is_in_window(session, launch)) {
        row->outside++;
        return IFL_WATCH_NOTHING;
    }
    const uint64_t repeats = count_repeats(row, launch);
    const bool is_asked =
        is_for_model(kind) && (!is_further(row, kind) || may_follow_further(session));
    kind->launches++;
    if (is_asked)
        return IFL_WATCH_MODEL;
    const bool is_observed =
        !options->observed_launches || kind->is_unsteady || repeats < options->observed_launches;
    return is_observed ? IFL_WATCH_COUNTERS : IFL_WATCH_NOTHING;
}

/* ---- launching ------------------------------------------------------------------------------- */

/* A launch that runs, watched. */
struct ifl_kept {
    ifl_session_launch launch;
    ifl_watch watch;
    const ifl_device *device; /* that the watch follows */
    size_t row, kind;         /* of the ledger, which moves its rows; of the row */
    ifl_watch_depth asked;    /* what the watch would have, were the counts not foreseen */
    void *const *foreseen;    /* states of a launch that counted the same; NULL: it is watched */
    ifl_session_result ran;
    ifl_nested nested; /* while it waits: the session's, of its kernel */
    bool has_waited;
    ifl_beside beside;    /* its PTX, which ran before */
    ifl_profile *results; /* what the two left in memory; NULL: it has not been compared */
};

static void describe_row(const ifl_ledger_row *row, ifl_profile *profile)
{
    profile->complete = !row->is_partial;
    profile->blocks_done = row->blocks_done;
    profile->launches = row->observed;
    profile->made = row->launches;
    profile->seconds = row->seconds;
}

/* Names, sizes and counters, of the states of one launch or of several. */
static ifl_status fill_profile(const ifl_ledger_row *row, ifl_ready_kernel *kernel,
                               void *const *states, ifl_profile *profile, ifl_error *error)
{
    ifl_session_launch launch = {.kernel = kernel,
                                 .dynamic_shared_bytes = row->dynamic_shared_bytes,
                                 .shared_preference = row->shared_preference};
    memcpy(launch.grid, row->grid, sizeof launch.grid);
    memcpy(launch.block, row->block, sizeof launch.block);
    memcpy(launch.cluster, row->cluster, sizeof launch.cluster);
    ifl_status status = ifl_profile_describe(&launch, "engine", profile, error);
    profile->site = ifl_profile_copy_text(profile, row->site);
    describe_row(row, profile);
    if (status == IFL_OK && !profile->site)
        status = ifl_fail_memory(error, strlen(row->site));
    if (status == IFL_OK)
        status = ifl_profile_warn_left_out(profile, row->left_out, error);
    return status == IFL_OK ? ifl_profile_count_states(kernel, states, profile, error) : status;
}

/* Adds to a profile of machine code where the PTX of the same launches differs, or why that is not
 * known. */
static ifl_status compare_with_ptx(const ifl_ledger_row *row, void *const *states,
                                   const ifl_profile *results, ifl_profile *profile,
                                   ifl_error *error)
{
    if (row->beside.why[0])
        return ifl_profile_warn(profile, error, "PTX and machine code are not compared: %s",
                                row->beside.why);
    if (!states)
        return IFL_OK;
    ifl_profile *ptx = ifl_profile_new();
    if (!ptx)
        return ifl_fail_memory(error, sizeof *ptx);
    ifl_status status = fill_profile(row, row->kernel->beside, states, ptx, error);
    if (status == IFL_OK)
        status = ifl_profile_compare_code(profile, ptx, error);
    if (status == IFL_OK && results)
        status = ifl_outputs_copy(&results->outputs, profile, error);
    ifl_profile_destroy(ptx);
    return status;
}

static bool is_among(const ifl_allocation *a, const ifl_allocation *const *others, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (others[i] == a)
            return true;
    return false;
}

/* A word of the parameters that is an address of an allocation is a pointer to it, also in the
 * middle of a structure. */
static ifl_status find_buffers(const ifl_session_launch *launch, const ifl_memory *memory,
                               uint64_t *bytes, ifl_error *error)
{
    const size_t words = launch->kernel->image.demands.param_bytes / sizeof(uint64_t);
    const ifl_allocation **found = calloc(words + 1, sizeof *found);
    size_t count = 0;
    if (!found)
        return ifl_fail_memory(error, words * sizeof *found);
    *bytes = 0;
    for (size_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, launch->params + i * sizeof word, sizeof word);
        const ifl_allocation *a = ifl_memory_find(memory, word);
        if (!a || a->flags & IFL_ALLOCATION_FREED || is_among(a, found, count))
            continue;
        found[count++] = a;
        *bytes += a->bytes;
    }
    free(found);
    return IFL_OK;
}

static ifl_status profile_of_one(const ifl_session *session, const ifl_watch *watch,
                                 const ifl_session_launch *launch, const ifl_exec_result *result,
                                 const ifl_ledger_row *row, ifl_profile *to, ifl_error *error)
{
    uint64_t buffer_bytes = 0;
    ifl_status status = fill_profile(row, row->kernel, result->states, to, error);
    to->blocks_done = result->blocks_done;
    to->seconds = result->seconds;
    to->launches = 1;
    to->nth = row->launches + 1;
    to->made = row->launches + 1;
    if (status == IFL_OK)
        status = find_buffers(launch, session->memory, &buffer_bytes, error);
    return status == IFL_OK
               ? ifl_watch_report(watch, launch, result->states, buffer_bytes, to, error)
               : status;
}

/* What the formula makes of the launch's counters, as if nothing had followed its caches and its
 * warps; 0: nothing. */
static double find_rough_us(const ifl_session *session, const ifl_watch *watch,
                            const ifl_session_launch *launch, const ifl_exec_result *result,
                            const ifl_ledger_row *row)
{
    const ifl_watch counters = {
        .depth = IFL_WATCH_COUNTERS, .count = ifl_observation_count, .workspace = watch->workspace};
    ifl_modelled modelled;
    ifl_profile *one = ifl_profile_new();
    const bool is_modelled =
        one && profile_of_one(session, &counters, launch, result, row, one, NULL) == IFL_OK &&
        ifl_model_find(one, session->device, &modelled, NULL) == IFL_OK;
    if (one)
        ifl_profile_destroy(one);
    return is_modelled ? modelled.model.time_us.mid : 0;
}

/* Of a launch that is followed, either takes about as long here. */
static uint64_t work_of(const ifl_counters *c)
{
    const uint64_t instructions =
        c->value[c->known[IFL_COUNTER_instructions] ? IFL_COUNTER_instructions
                                                    : IFL_COUNTER_ptx_instructions];
    return instructions + ifl_traffic_off_chip(c, IFL_ACCESS_LOAD).sectors +
           ifl_traffic_off_chip(c, IFL_ACCESS_STORE).sectors;
}

/* What the model makes of this launch; its profile is kept where it takes longest. A launch that
 * the model has no time for has none. */
static ifl_status take_model(const ifl_session *session, const ifl_kept *kept, ifl_ledger_row *row,
                             ifl_launch_kind *kind, ifl_error *error)
{
    const ifl_watch *watch = &kept->watch;
    const ifl_exec_result *result = &kept->ran.result;
    ifl_modelled modelled;
    ifl_profile *one = ifl_profile_new();
    if (!one)
        return ifl_fail_memory(error, sizeof *one);
    ifl_status status = profile_of_one(session, watch, &kept->launch, result, row, one, error);
    if (status == IFL_OK)
        status = compare_with_ptx(row, kept->beside.has_run ? kept->beside.ran.result.states : NULL,
                                  kept->results, one, error);
    const bool is_modelled =
        status == IFL_OK && ifl_model_find(one, session->device, &modelled, NULL) == IFL_OK;
    kind->work = work_of(&one->counters);
    if (is_modelled) {
        row->model_us = kind->model_us = modelled.model.time_us.mid;
        kind->rough_us = find_rough_us(session, watch, &kept->launch, result, row);
        kind->digest = ifl_observations_digest(result->states);
    }
    if (status == IFL_OK && (!row->worst || row->model_us > row->worst_us)) {
        ifl_profile *other = row->worst;
        row->worst = one;
        row->worst_us = row->model_us;
        row->is_modelled = is_modelled;
        if (is_modelled)
            row->modelled = modelled;
        one = other;
    }
    if (one)
        ifl_profile_destroy(one);
    return status;
}

static bool is_counted(const ifl_watch *watch, const ifl_exec_result *result)
{
    return watch->depth != IFL_WATCH_NOTHING && result->states;
}

/* As the one that the model was asked for last. */
static bool did_the_same(const ifl_launch_kind *kind, void *const *states)
{
    return kind->model_us > 0 && ifl_observations_digest(states) == kind->digest;
}

/* Its time where the model was not asked: that of the last of its kind for which it was, as much
 * longer as the formula says by the counters of both. */
static void estimate(const ifl_session *session, const ifl_watch *watch,
                     const ifl_session_launch *launch, const ifl_exec_result *result,
                     ifl_ledger_row *row, ifl_launch_kind *kind)
{
    enum { SAME = 100 }; /* a hundredth more or less is */
    const bool is_known = is_counted(watch, result) && kind->rough_us > 0;
    const double rough = !is_known ? 0
                         : did_the_same(kind, result->states)
                             ? kind->rough_us
                             : find_rough_us(session, watch, launch, result, row);
    if (kind->model_us > 0)
        row->model_us = rough > 0 ? kind->model_us * rough / kind->rough_us : kind->model_us;
    kind->is_unsteady |= rough > 0 && fabs(rough - kind->rough_us) > kind->rough_us / SAME;
}

static ifl_status begin_watched(ifl_session *session, ifl_kept *kept, bool may_wait,
                                ifl_error *error)
{
    const ifl_session_options *options = &session->options;
    const ifl_session_way way = {.threads = options->threads,
                                 .check_reads = options->check_reads,
                                 .check_races = options->check_races,
                                 .may_wait = may_wait,
                                 .stop = options->stop,
                                 .print = options->print,
                                 .print_user = options->print_user};
    ifl_repeat_begin(session, &session->ledger.rows.at[kept->row].repeats, &kept->launch);
    return ifl_session_begin(session, &kept->launch, &way, kept->watch.observers, kept->watch.count,
                             &kept->ran, error);
}

static void note_repeat(ifl_session *session, const ifl_kept *kept, ifl_ledger_row *row)
{
    const ifl_exec_result *result = &kept->ran.result;
    const ifl_repeat figures = {
        .blocks_done = result->blocks_done, .model_us = row->model_us, .seconds = result->seconds};
    ifl_repeat_note(session, &row->repeats, &kept->launch, kept->asked,
                    kept->foreseen ? kept->foreseen : result->states, &figures);
}

/* How far the GPU's clock goes on. A launch that was stopped takes what the formula makes of what it
 * counted until then: neither the time of a whole one, nor that of the CPU. */
static double time_of(const ifl_session *session, const ifl_kept *kept, ifl_status end,
                      const ifl_ledger_row *row)
{
    const ifl_exec_result *result = &kept->ran.result;
    if (end == IFL_OK)
        return row->model_us > 0 ? row->model_us : result->seconds * 1e6;
    return is_counted(&kept->watch, result)
               ? find_rough_us(session, &kept->watch, &kept->launch, result, row)
               : 0;
}

/* ---- beside its PTX -------------------------------------------------------------------------- */

/* Do they differ more than those of the row's launches before? */
static bool is_news(const ifl_ledger_row *row, const ifl_profile *results)
{
    const ifl_profile *before = row->beside.results;
    return !before || ifl_outputs_worst(&results->outputs) > ifl_outputs_worst(&before->outputs);
}

/* Once a row, where they differ as they must not. */
static void tell_results(const ifl_session *session, const ifl_kept *kept,
                         const ifl_ledger_row *row)
{
    const ifl_session_options *options = &session->options;
    const ifl_outputs *now = &kept->results->outputs;
    char text[1024];
    if (!options->warn || !is_news(row, kept->results) ||
        ifl_outputs_worst(now) != IFL_OUTPUT_DIFFERENT)
        return;
    ifl_outputs_tell(now, text, sizeof text);
    options->warn(options->warn_user, kept->launch.kernel->signature, kept->launch.site, text);
}

/* The PTX's counts, and the results of the launch that differ most. */
static ifl_status remember_beside(ifl_kept *kept, ifl_ledger_row *row, ifl_error *error)
{
    if (is_news(row, kept->results)) {
        ifl_profile *other = row->beside.results;
        row->beside.results = kept->results;
        kept->results = other;
    }
    return add_states(&row->beside.states, &kept->beside.ran.result, error);
}

/* What the machine code left against what its PTX left; where that cannot be said, the row says
 * why. */
static void take_beside(const ifl_session *session, ifl_kept *kept, ifl_status end,
                        ifl_ledger_row *row)
{
    ifl_beside *beside = &kept->beside;
    ifl_error own = {0};
    if (beside->has_run && end != IFL_OK)
        snprintf(beside->why, sizeof beside->why, "the machine code did not come to its end");
    else if (beside->has_run && kept->has_waited)
        snprintf(beside->why, sizeof beside->why,
                 "it waits for memory that the host or another kernel changes");
    else if (beside->has_run &&
             ifl_beside_compare(session, &kept->launch, beside, &kept->results, &own) != IFL_OK)
        snprintf(beside->why, sizeof beside->why, "%.500s", own.text);
    beside->has_run &= !beside->why[0];
    if (beside->why[0])
        memcpy(row->beside.why, beside->why, sizeof beside->why);
    if (beside->has_run)
        tell_results(session, kept, row);
}

static bool needs_model(const ifl_kept *kept, const ifl_launch_kind *kind)
{
    void *const *states = kept->ran.result.states;
    return kept->watch.depth == IFL_WATCH_MODEL && states &&
           (kept->beside.has_run || !did_the_same(kind, states));
}

/* It has come to an end, the status says to which. */
static ifl_status take_watched(ifl_session *session, ifl_kept *kept, ifl_status end,
                               ifl_fault_kind *fault, ifl_error *error)
{
    const ifl_session_options *options = &session->options;
    const ifl_session_launch *launch = &kept->launch;
    ifl_exec_result *result = &kept->ran.result;
    ifl_ledger_row *row = &session->ledger.rows.at[kept->row];
    ifl_launch_kind *kind = &row->kinds.at[kept->kind];
    ifl_status status = end;
    *fault = result->fault;
    row->left_out |=
        (uint8_t)(ifl_left_out_by(result) | (kept->has_waited ? IFL_LEFT_OUT_WAITS : 0));
    row->is_partial |= !result->complete && (end == IFL_FINDING || end == IFL_INTERRUPTED);
    for (size_t i = 0; options->warn && i < result->warning_count; i++)
        options->warn(options->warn_user, launch->kernel->signature, launch->site,
                      result->warnings[i]);
    take_beside(session, kept, end, row);
    if (end == IFL_OK && needs_model(kept, kind))
        status = take_model(session, kept, row, kind, error);
    else if (end == IFL_OK)
        estimate(session, &kept->watch, launch, result, row, kind);
    if (kept->asked == IFL_WATCH_MODEL && is_further(row, kind))
        session->ledger.further += kind->work;
    const double us = time_of(session, kept, end, row); /* before the row takes the counts */
    if (end == IFL_OK && is_counted(&kept->watch, result))
        ifl_foreseen_note(session, &row->foreseen, launch, result->states);
    if (status == IFL_OK || end == IFL_FINDING || end == IFL_INTERRUPTED) {
        const ifl_status remembered = remember(row, &kept->watch, result, error);
        status = remembered == IFL_OK ? end : remembered;
    }
    if (end == IFL_OK && kept->foreseen)
        remember_foreseen(row, kept->foreseen, result);
    if (status == IFL_OK && kept->beside.has_run)
        status = remember_beside(kept, row, error);
    session->clock_us += us;
    if (status == IFL_OK && !kept->has_waited)
        note_repeat(session, kept, row);
    return status;
}

static void free_kept(ifl_kept *kept)
{
    ifl_beside_free(&kept->beside);
    if (kept->results)
        ifl_profile_destroy(kept->results);
    ifl_session_end(&kept->ran);
    ifl_watch_end(&kept->watch);
    free(kept);
}

/* What kernels launch is taken by the session for the one that runs. */
static void exchange_nested(ifl_session *session, ifl_kept *kept)
{
    const ifl_nested other = session->nested;
    session->nested = kept->nested;
    kept->nested = other;
}

static ifl_status go_on(ifl_session *session, ifl_kept **waits, bool *is_idle,
                        ifl_fault_kind *fault, ifl_error *error)
{
    ifl_kept *kept = *waits;
    const ifl_exec_pause pause = ifl_engine_go_on(kept->ran.run);
    *is_idle = pause == IFL_RUN_STILL_WAITS;
    kept->has_waited |= pause != IFL_RUN_IS_OVER;
    if (pause != IFL_RUN_IS_OVER) {
        exchange_nested(session, kept);
        return IFL_OK;
    }
    const ifl_status end = ifl_session_finish(session, &kept->ran, error);
    const ifl_status status = take_watched(session, kept, end, fault, error);
    ifl_nested_free(&kept->nested);
    free_kept(kept);
    *waits = NULL;
    return status;
}

/* A launch that need not run counts as it did the time before. */
static void count_again(ifl_session *session, ifl_ledger_row *row, const ifl_repeat *repeat,
                        ifl_watch_depth depth)
{
    row->launches++;
    row->repeated++;
    if (repeat->model_us > 0)
        row->model_us = repeat->model_us;
    session->clock_us += row->model_us > 0 ? row->model_us : repeat->seconds * 1e6;
    session->skipped_us += repeat->seconds * 1e6;
    if (depth == IFL_WATCH_NOTHING)
        return;
    if (row->profile)
        ifl_profile_destroy(row->profile);
    row->profile = NULL;
    row->observed++;
    row->blocks_done += repeat->blocks_done;
    for (size_t i = 0; i < ifl_observation_count; i++)
        ifl_observations[i]->observer->merge(row->states[i], repeat->states[i]);
}

/* The states of an earlier launch where this one would count the same, and the model has been asked
 * about it. */
static void *const *foresee(const ifl_session *session, const ifl_ledger_row *row,
                            const ifl_launch_kind *kind, const ifl_session_launch *launch,
                            ifl_watch_depth depth)
{
    const ifl_foreseen *seen =
        depth == IFL_WATCH_NOTHING ? NULL : ifl_foreseen_find(session, &row->foreseen, launch);
    return seen && kind->model_us > 0 && seen->digest == kind->digest ? seen->states : NULL;
}

static ifl_kept *new_kept(const ifl_session *session, const ifl_session_launch *launch,
                          const ifl_ledger_row *row, const ifl_launch_kind *kind,
                          ifl_watch_depth depth)
{
    ifl_kept *kept = calloc(1, sizeof *kept);
    if (!kept)
        return NULL;
    kept->asked = depth;
    kept->foreseen = foresee(session, row, kind, launch, depth);
    kept->row = (size_t)(row - session->ledger.rows.at);
    kept->kind = (size_t)(kind - row->kinds.at);
    kept->device = session->device;
    kept->launch = *launch;
    kept->launch.site = row->site;
    return kept;
}

/* Where one launch of a row cannot be compared, their sum cannot. */
static bool is_beside(const ifl_session *session, const ifl_kept *kept, ifl_watch_depth depth)
{
    return session->options.code == IFL_CHOOSE_BOTH && depth != IFL_WATCH_NOTHING &&
           !session->ledger.rows.at[kept->row].beside.why[0];
}

static ifl_status run_watched(ifl_session *session, ifl_kept *kept, ifl_kept **waits,
                              ifl_fault_kind *fault, ifl_error *error)
{
    bool is_idle;
    ifl_kept *runs = kept;
    if (!kept)
        return ifl_fail_memory(error, sizeof *kept);
    const ifl_watch_depth depth = kept->foreseen ? IFL_WATCH_NOTHING : kept->asked;
    ifl_status status =
        ifl_watch_begin(&kept->watch, depth, session, &kept->device, 1, &kept->launch, error);
    kept->watch.time.threads = session->options.threads;
    if (status == IFL_OK && is_beside(session, kept, depth))
        status = ifl_beside_run(session, &kept->launch, &kept->beside, error);
    if (status == IFL_OK)
        status = begin_watched(session, kept, waits != NULL, error);
    if (status != IFL_OK) {
        free_kept(kept);
        return status;
    }
    status = go_on(session, &runs, &is_idle, fault, error);
    if (waits)
        *waits = runs;
    return status;
}

ifl_status ifl_session_keep(ifl_session *session, const ifl_session_launch *launch,
                            ifl_kept **waits, ifl_fault_kind *fault, ifl_error *error)
{
    ifl_ledger_row *row = find_row(&session->ledger, launch);
    *fault = IFL_FAULT_NONE;
    if (waits)
        *waits = NULL;
    if (!row)
        return ifl_fail_memory(error, sizeof *row);
    ifl_launch_kind *kind = kind_of(session, row, launch);
    const ifl_watch_depth depth = depth_of(session, row, kind, launch);
    const ifl_repeat *repeat = ifl_repeat_take(session, &row->repeats, launch, depth);
    if (repeat) {
        count_again(session, row, repeat, depth);
        return IFL_OK;
    }
    return run_watched(session, new_kept(session, launch, row, kind, depth), waits, fault, error);
}

ifl_status ifl_session_keep_on(ifl_session *session, ifl_kept **waits, bool *is_idle,
                               ifl_fault_kind *fault, ifl_error *error)
{
    *fault = IFL_FAULT_NONE;
    exchange_nested(session, *waits);
    return go_on(session, waits, is_idle, fault, error);
}

const ifl_session_launch *ifl_kept_launch(const ifl_kept *kept)
{
    return &kept->launch;
}

void ifl_session_drop(ifl_session *session, ifl_kept *kept)
{
    exchange_nested(session, kept);
    ifl_session_finish(session, &kept->ran, NULL);
    ifl_nested_free(&kept->nested);
    free_kept(kept);
}

/* ---- profiles -------------------------------------------------------------------------------- */

static bool is_worst_all(const ifl_ledger_row *row)
{
    return row->worst && row->observed == 1;
}

static ifl_status make_profile(ifl_ledger_row *row, ifl_error *error)
{
    if (row->worst)
        row->worst->made = row->launches;
    if (row->profile || !row->states || is_worst_all(row))
        return IFL_OK;
    row->profile = ifl_profile_new();
    if (!row->profile)
        return ifl_fail_memory(error, sizeof *row->profile);
    const ifl_status status = fill_profile(row, row->kernel, row->states, row->profile, error);
    return status == IFL_OK
               ? compare_with_ptx(row, row->beside.states, row->beside.results, row->profile, error)
               : status;
}

ifl_status ifl_session_entries(ifl_session *session, const ifl_ledger_entry **entries,
                               size_t *count, ifl_error *error)
{
    ifl_ledger *ledger = &session->ledger;
    ifl_status status = IFL_OK;
    ledger->shown.count = 0;
    for (size_t i = 0; i < ledger->rows.count && status == IFL_OK; i++) {
        ifl_ledger_row *row = &ledger->rows.at[i];
        status = make_profile(row, error);
        const ifl_ledger_entry shown = {.kernel = row->kernel->kernel->name,
                                        .signature = row->kernel->signature,
                                        .site = row->site,
                                        .launches = row->launches,
                                        .observed = row->observed,
                                        .repeated = row->repeated,
                                        .model_us = row->worst_us,
                                        .seconds = row->seconds,
                                        .worst = row->worst,
                                        .modelled = row->is_modelled ? &row->modelled : NULL,
                                        .profile = is_worst_all(row) ? row->worst : row->profile};
        if (status == IFL_OK && !ifl_vec_push(&ledger->shown, shown))
            status = ifl_fail_memory(error, sizeof shown);
    }
    *entries = ledger->shown.at;
    *count = ledger->shown.count;
    return status;
}

static void free_row(ifl_ledger_row *row)
{
    ifl_observations_free(row->states);
    ifl_observations_free(row->beside.states);
    ifl_repeats_free(&row->repeats);
    ifl_foreseen_free(&row->foreseen);
    ifl_vec_free(&row->kinds);
    free(row->site);
    if (row->profile)
        ifl_profile_destroy(row->profile);
    if (row->worst)
        ifl_profile_destroy(row->worst);
    if (row->beside.results)
        ifl_profile_destroy(row->beside.results);
}

void ifl_ledger_free(ifl_ledger *ledger)
{
    for (size_t i = 0; i < ledger->rows.count; i++)
        free_row(&ledger->rows.at[i]);
    ifl_vec_free(&ledger->rows);
    ifl_vec_free(&ledger->shown);
}
