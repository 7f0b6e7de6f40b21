/* SPDX-License-Identifier: Apache-2.0
 * Launches, and what was seen of them: the observers' states of launches of the same kernel from the same place are
 * added up; profiles are made of them when somebody asks. */
#include "host/context_internal.h"
#include "host/watch.h"
#include "model/model.h"
#include "observe/observe.h"
#include "run/lines.h"

#include <stdlib.h>
#include <string.h>

/* ---- entries --------------------------------------------------------------------------------- */

static bool is_same(const ifl_ledger_entry *entry, const ifl_host_launch *launch)
{
    return entry->kernel == launch->kernel && memcmp(entry->grid, launch->grid, sizeof entry->grid) == 0 &&
           memcmp(entry->block, launch->block, sizeof entry->block) == 0 &&
           entry->dynamic_shared_bytes == launch->dynamic_shared_bytes &&
           strcmp(entry->site, launch->site ? launch->site : "") == 0;
}

static ifl_ledger_entry *add_entry(ifl_ledger *ledger, const ifl_host_launch *launch)
{
    ifl_ledger_entry entry = {.kernel = launch->kernel,
                              .site = strdup(launch->site ? launch->site : ""),
                              .dynamic_shared_bytes = launch->dynamic_shared_bytes};
    memcpy(entry.grid, launch->grid, sizeof entry.grid);
    memcpy(entry.block, launch->block, sizeof entry.block);
    if (!entry.site || !ifl_vec_push(&ledger->entries, entry)) {
        free(entry.site);
        return NULL;
    }
    return &ledger->entries.at[ledger->entries.count - 1];
}

/* The newest first: programs repeat what they just did. */
static ifl_ledger_entry *find_entry(ifl_ledger *ledger, const ifl_host_launch *launch)
{
    for (size_t i = ledger->entries.count; i-- > 0;)
        if (is_same(&ledger->entries.at[i], launch))
            return &ledger->entries.at[i];
    return add_entry(ledger, launch);
}

/* Takes the states of the counters over, or adds them to those that are there. */
static ifl_status add_states(ifl_ledger_entry *entry, ifl_simt_result *result, ifl_error *error)
{
    const bool is_first = !entry->states;
    if (is_first)
        entry->states = calloc(ifl_observation_count, sizeof *entry->states);
    if (!entry->states)
        return ifl_fail_memory(error, ifl_observation_count * sizeof *entry->states);
    for (size_t i = 0; i < ifl_observation_count; i++) {
        if (is_first) {
            entry->states[i] = result->states[i];
            result->states[i] = NULL;
        } else if (entry->states[i] && result->states[i]) {
            ifl_observations[i]->observer->merge(entry->states[i], result->states[i]);
        }
    }
    return IFL_OK;
}

static ifl_status remember(ifl_ledger_entry *entry, const ifl_watch *watch, ifl_simt_result *result, ifl_error *error)
{
    entry->launches++;
    entry->is_partial |= !result->complete;
    if (entry->profile)
        ifl_profile_destroy(entry->profile);
    entry->profile = NULL;
    if (watch->depth == IFL_WATCH_NOTHING || !result->states)
        return IFL_OK;
    entry->observed++;
    entry->blocks_done += result->blocks_done;
    entry->seconds += result->seconds;
    return add_states(entry, result, error);
}

/* ---- repeats --------------------------------------------------------------------------------- */

/* FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t hash_of(const uint8_t *bytes, size_t count)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

/* How often the entry's kernel was launched with these arguments before, and once more now. The oldest arguments are
 * forgotten where there are many. */
static uint64_t count_repeats(ifl_ledger_entry *entry, const ifl_host_launch *launch)
{
    enum { MOST = sizeof entry->arguments / sizeof *entry->arguments };
    const uint64_t hash = hash_of(launch->params, launch->kernel->function->param_bytes);
    for (size_t i = 0; i < entry->argument_count && i < MOST; i++)
        if (entry->arguments[i].hash == hash)
            return entry->arguments[i].launches++;
    entry->arguments[entry->argument_count++ % MOST] = (ifl_ledger_arguments){hash, 1};
    return 0;
}

/* A search through a graph begins with launches that have little to do: the 1st, 2nd, 4th, 8th ... are asked about. */
static bool is_for_model(uint64_t launches_before)
{
    return (launches_before & (launches_before + 1)) == 0;
}

static ifl_watch_depth depth_of(const ifl_context *context, ifl_ledger_entry *entry, const ifl_host_launch *launch)
{
    const ifl_context_options *options = &context->options;
    if (!options->analysis)
        return IFL_WATCH_NOTHING;
    const uint64_t repeats = count_repeats(entry, launch);
    if (is_for_model(entry->launches))
        return IFL_WATCH_MODEL;
    return !options->observed_launches || repeats < options->observed_launches ? IFL_WATCH_COUNTERS
                                                                               : IFL_WATCH_NOTHING;
}

/* ---- launching ------------------------------------------------------------------------------- */

static ifl_simt_launch describe(ifl_context *context, const ifl_host_launch *launch, const ifl_watch *watch)
{
    const ifl_context_options *options = &context->options;
    const ifl_host_kernel *kernel = launch->kernel;
    ifl_simt_launch to = {
        .program = kernel->program,
        .function = (uint32_t)(kernel->function - kernel->program->functions),
        .kernel_name = kernel->signature,
        .dynamic_shared_bytes = launch->dynamic_shared_bytes,
        .params = launch->params,
        .memory = context->memory,
        .variable_address = ifl_loaded_addresses(kernel->loaded, kernel->program),
        .threads = options->threads,
        .stop = options->stop,
        .print = options->print,
        .print_user = options->print_user,
        .observers = watch->observers,
        .observer_count = watch->count,
    };
    memcpy(to.grid, launch->grid, sizeof to.grid);
    memcpy(to.block, launch->block, sizeof to.block);
    return to;
}

static ifl_status fill_profile(const ifl_ledger_entry *entry, void *const *states, ifl_profile *profile,
                               ifl_error *error);

static ifl_status profile_of_one(const ifl_context *context, const ifl_watch *watch, const ifl_host_launch *launch,
                                 const ifl_simt_result *result, const ifl_ledger_entry *entry, ifl_profile *to,
                                 ifl_error *error)
{
    const ifl_status status = fill_profile(entry, result->states, to, error);
    to->blocks_done = result->blocks_done;
    to->seconds = result->seconds;
    to->launches = 1;
    to->nth = entry->launches + 1;
    to->made = entry->launches + 1;
    return status == IFL_OK ? ifl_watch_report(watch, launch, context->memory, result->states, to, error) : status;
}

/* What the model makes of this launch; its profile is kept where it takes longest. A launch that the model has no time
 * for has none. */
static ifl_status take_model(const ifl_context *context, const ifl_watch *watch, const ifl_host_launch *launch,
                             const ifl_simt_result *result, ifl_ledger_entry *entry, ifl_error *error)
{
    ifl_model model;
    ifl_profile *one = ifl_profile_new();
    if (!one)
        return ifl_fail_memory(error, sizeof *one);
    const ifl_status status = profile_of_one(context, watch, launch, result, entry, one, error);
    if (status == IFL_OK && ifl_profile_model(one, context->device, &model, NULL) == IFL_OK)
        entry->model_us = model.time_us.mid;
    if (status == IFL_OK && (!entry->worst || entry->model_us > entry->worst_us)) {
        ifl_profile *other = entry->worst;
        entry->worst = one;
        entry->worst_us = entry->model_us;
        one = other;
    }
    if (one)
        ifl_profile_destroy(one);
    return status;
}

static ifl_status run_watched(ifl_context *context, const ifl_host_launch *launch, const ifl_watch *watch,
                              ifl_ledger_entry *entry, ifl_fault_kind *fault, ifl_error *error)
{
    const ifl_simt_launch to = describe(context, launch, watch);
    ifl_simt_result result;
    const ifl_status ran = ifl_simt_run(&to, &result, error);
    ifl_status status = ran;
    *fault = result.fault;
    if (ran == IFL_OK && watch->depth == IFL_WATCH_MODEL && result.states)
        status = take_model(context, watch, launch, &result, entry, error);
    if (status == IFL_OK || ran == IFL_FINDING || ran == IFL_INTERRUPTED) {
        const ifl_status kept = remember(entry, watch, &result, error);
        status = kept == IFL_OK ? ran : kept;
    }
    context->clock_us += entry->model_us > 0 ? entry->model_us : result.seconds * 1e6;
    ifl_simt_result_free(&to, &result);
    return status;
}

ifl_status ifl_context_launch(ifl_context *context, const ifl_host_launch *launch, ifl_fault_kind *fault,
                              ifl_error *error)
{
    ifl_watch watch;
    ifl_ledger_entry *entry = find_entry(&context->ledger, launch);
    *fault = IFL_FAULT_NONE;
    if (!entry)
        return ifl_fail_memory(error, sizeof *entry);
    ifl_status status =
        ifl_watch_begin(&watch, depth_of(context, entry, launch), context->device, launch, error);
    if (status == IFL_OK)
        status = run_watched(context, launch, &watch, entry, fault, error);
    ifl_watch_end(&watch);
    return status;
}

/* ---- profiles -------------------------------------------------------------------------------- */

static ifl_status describe_profile(const ifl_ledger_entry *entry, ifl_profile *profile, ifl_error *error)
{
    const ifl_host_kernel *kernel = entry->kernel;
    const ifl_module *module = kernel->loaded->module;
    const char *const texts[] = {kernel->function->name, kernel->signature, module->path,
                                 kernel->program->target, entry->site};
    const char **const to[] = {&profile->kernel, &profile->signature, &profile->file, &profile->target,
                                &profile->site};
    for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
        *to[i] = ifl_arena_text(&profile->arena, texts[i], strlen(texts[i]));
        if (!*to[i])
            return ifl_fail_memory(error, strlen(texts[i]));
    }
    memcpy(profile->grid, entry->grid, sizeof profile->grid);
    memcpy(profile->block, entry->block, sizeof profile->block);
    profile->shared_bytes = kernel->static_shared_bytes + entry->dynamic_shared_bytes;
    profile->backend = "engine";
    profile->complete = !entry->is_partial;
    profile->blocks_done = entry->blocks_done;
    profile->launches = entry->observed;
    profile->made = entry->launches;
    profile->seconds = entry->seconds;
    return IFL_OK;
}

static ifl_status fill_profile(const ifl_ledger_entry *entry, void *const *states, ifl_profile *profile,
                               ifl_error *error)
{
    const ifl_host_kernel *kernel = entry->kernel;
    int32_t *line_of = calloc(kernel->program->instruction_count + 1, sizeof *line_of);
    if (!line_of)
        return ifl_fail_memory(error, kernel->program->instruction_count);
    ifl_status status = describe_profile(entry, profile, error);
    if (status == IFL_OK)
        status = ifl_lines_build(kernel->program, kernel->reached, kernel->loaded->module->path, line_of,
                                 profile, error);
    for (size_t i = 0; i < ifl_observation_count && status == IFL_OK; i++)
        if (states[i])
            status = ifl_observations[i]->report(states[i], kernel->program, line_of, profile, error);
    free(line_of);
    if (status == IFL_OK)
        ifl_lines_settle(profile);
    return status;
}

static bool is_worst_all(const ifl_ledger_entry *entry)
{
    return entry->worst && entry->observed == 1;
}

static ifl_status make_profile(ifl_ledger_entry *entry, ifl_error *error)
{
    if (entry->worst)
        entry->worst->made = entry->launches;
    if (entry->profile || !entry->states || is_worst_all(entry))
        return IFL_OK;
    entry->profile = ifl_profile_new();
    return entry->profile ? fill_profile(entry, entry->states, entry->profile, error)
                          : ifl_fail_memory(error, sizeof *entry->profile);
}

ifl_status ifl_context_entries(ifl_context *context, const ifl_host_entry **entries, size_t *count,
                               ifl_error *error)
{
    ifl_ledger *ledger = &context->ledger;
    ifl_status status = IFL_OK;
    ledger->shown.count = 0;
    for (size_t i = 0; i < ledger->entries.count && status == IFL_OK; i++) {
        ifl_ledger_entry *entry = &ledger->entries.at[i];
        status = make_profile(entry, error);
        const ifl_host_entry shown = {.kernel = entry->kernel->function->name,
                                      .signature = entry->kernel->signature,
                                      .site = entry->site,
                                      .launches = entry->launches,
                                      .observed = entry->observed,
                                      .model_us = entry->worst_us,
                                      .seconds = entry->seconds,
                                      .worst = entry->worst,
                                      .profile = is_worst_all(entry) ? entry->worst : entry->profile};
        if (status == IFL_OK && !ifl_vec_push(&ledger->shown, shown))
            status = ifl_fail_memory(error, sizeof shown);
    }
    *entries = ledger->shown.at;
    *count = ledger->shown.count;
    return status;
}

static void free_entry(ifl_ledger_entry *entry)
{
    for (size_t i = 0; entry->states && i < ifl_observation_count; i++)
        if (entry->states[i])
            ifl_observations[i]->observer->destroy(entry->states[i]);
    free(entry->states);
    free(entry->site);
    if (entry->profile)
        ifl_profile_destroy(entry->profile);
    if (entry->worst)
        ifl_profile_destroy(entry->worst);
}

void ifl_ledger_free(ifl_ledger *ledger)
{
    for (size_t i = 0; i < ledger->entries.count; i++)
        free_entry(&ledger->entries.at[i]);
    ifl_vec_free(&ledger->entries);
    ifl_vec_free(&ledger->shown);
}
