/* SPDX-License-Identifier: Apache-2.0
 * From the traces of a run to the time of a launch: one SM is followed, and all others are assumed
 * to do the same. */
#include "time/time_run.h"

#include "time/time_blocks.h"
#include "time/time_kept.h"
#include "time/time_stalls.h"
#include "time/time_window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t product(const uint32_t size[3])
{
    return (uint64_t)size[0] * size[1] * size[2];
}

/* ---- before the run -------------------------------------------------------------------------- */

void ifl_time_run_init(ifl_time_run *run, const ifl_device *const *devices, size_t count)
{
    *run = (ifl_time_run){.devices = devices,
                          .device_count = count < IFL_TIME_SCOPES ? count : IFL_TIME_SCOPES};
    run->observer = ifl_time_observer;
    run->observer.settings = &run->plan;
}

/* Devices of as many SMs follow the same blocks. */
static size_t add_scope(ifl_time_plan *plan, ifl_time_scope scope)
{
    for (size_t i = 0; i < plan->scope_count; i++)
        if (memcmp(&plan->scopes[i], &scope, sizeof scope) == 0)
            return i;
    plan->scopes[plan->scope_count] = scope;
    return plan->scope_count++;
}

void ifl_time_run_shape(ifl_time_run *run, const ifl_grid_demand *shape)
{
    run->plan.warps_per_block =
        (uint32_t)((product(shape->block) + IFL_WARP_LANES - 1) / IFL_WARP_LANES);
    run->plan.blocks = product(shape->grid);
    run->plan.scope_count = 0;
    ifl_time_plan_samples(&run->plan, shape->grid);
    ifl_time_plan_windows(&run->plan);
    for (size_t i = 0; i < run->device_count; i++) {
        const ifl_device *device = run->devices[i];
        const uint32_t warps = (uint32_t)device->value[IFL_DEVICE_max_warps_per_sm];
        const uint32_t least = 2 * (warps / run->plan.warps_per_block + 1);
        const ifl_placing placing = ifl_cache_placing(device, shape);
        run->scope_of[i] = add_scope(&run->plan, ifl_time_scope_of(&placing, least));
    }
}

/* ---- after it -------------------------------------------------------------------------------- */

/* Of what the SM does, how much the traces hold: blocks that were left out, and words of warps. */
typedef struct part {
    double blocks;       /* that the SM gets */
    double instructions; /* that the followed blocks issued, over those in their traces */
} part;

static part part_of(const ifl_time_run *run, const ifl_time_scope *scope,
                    const ifl_time_blocks *blocks)
{
    uint64_t all = 0, kept = 0;
    for (size_t i = 0; i < blocks->count; i++)
        for (uint32_t w = 0; w < run->plan.warps_per_block; w++) {
            all += blocks->at[i]->warps[w].instructions;
            kept += blocks->at[i]->warps[w].kept;
        }
    return (part){.blocks = blocks->of_sm > 0 ? blocks->of_sm : (double)scope->blocks,
                  .instructions = kept ? (double)all / (double)kept : 1};
}

static const char *copied(ifl_profile *profile, const char *text)
{
    return ifl_arena_text(&profile->arena, text, strlen(text));
}

/* ---- one device ------------------------------------------------------------------------------ */

static void describe(const ifl_sm_outcome *o, double clock_hz, size_t followed, uint32_t at_once,
                     const part *all, ifl_time_facts *to)
{
    to->cycles = ifl_sm_cycles(o, followed, all->blocks, all->instructions);
    to->seconds = to->cycles / clock_hz;
    to->instructions = (double)o->issued;
    to->block_instructions = (double)o->issued * all->instructions / (double)followed;
    to->issue_active = o->cycles > 0 ? (double)o->issue_cycles / o->cycles / IFL_SM_SUBCORES : 0;
    to->l1_sectors = (double)o->l1_sectors;
    to->l1_hits = (double)o->l1_hits;
    to->l2_sectors = (double)o->l2_sectors;
    to->dram_sectors = (double)o->dram_sectors;
    to->host_share = o->cycles > 0 ? fmin(o->host_cycles / o->cycles, 1) : 0;
    to->blocks = followed;
    to->sampling_error = ifl_sm_sampling_error(o, followed, all->blocks, at_once);
    to->followed = all->blocks > 0 ? (double)followed / all->blocks / all->instructions : 1;
}

/* A device, and the blocks that one of its SMs is followed with. */
typedef struct followed {
    const ifl_time_run *run;
    const ifl_device *device;
    size_t scope;
    const ifl_sites *sites;
    uint32_t per_sm;
    ifl_time_blocks blocks;
} followed;

/* Where the traces have gaps, or go on in other places, what was issued does not say how much of the
 * launch is over. */
static double instructions_of(const followed *f)
{
    const part all = part_of(f->run, &f->run->plan.scopes[f->scope], &f->blocks);
    uint64_t kept = 0;
    for (size_t i = 0; i < f->blocks.count; i++)
        kept += ifl_block_trace_instructions(f->blocks.at[i], f->run->plan.warps_per_block);
    return all.instructions > 1 ? 0 : (double)kept * all.blocks / (double)f->blocks.count;
}

static ifl_sm_case case_of(const followed *f, const ifl_sm_rates *rates, size_t count)
{
    return (ifl_sm_case){.instructions = instructions_of(f),
                         .sites = f->sites,
                         .rates = rates,
                         .blocks = f->blocks.at,
                         .block_count = count,
                         .warps_per_block = f->run->plan.warps_per_block,
                         .blocks_per_sm = f->per_sm};
}

static void find_rates(const followed *f, const ifl_profile *profile, ifl_sm_rates *rates)
{
    const ifl_time_scope *scope = &f->run->plan.scopes[f->scope];
    const double all = (double)f->run->plan.blocks, own = part_of(f->run, scope, &f->blocks).blocks;
    ifl_sm_rates_find(f->device, profile, f->blocks.sms > 0 ? all / f->blocks.sms : own, rates);
}

static bool follow_first(const followed *f, size_t count, const ifl_sm_rates *rates,
                         ifl_sm_outcome *outcome)
{
    const ifl_sm_case of = case_of(f, rates, count);
    return ifl_sm_run(&of, outcome);
}

/* How much faster blocks go side by side than one alone. */
static bool find_degree(const followed *f, const ifl_profile *profile, double *degree)
{
    ifl_sm_outcome one = {0}, many = {0};
    const size_t count = f->blocks.count < f->per_sm ? f->blocks.count : f->per_sm;
    ifl_sm_rates rates;
    find_rates(f, profile, &rates);
    const bool done = follow_first(f, 1, &rates, &one) && follow_first(f, count, &rates, &many);
    if (done)
        *degree = ((double)many.issued / many.cycles) / fmax((double)one.issued / one.cycles, 1e-9);
    return done;
}

static bool choose_blocks(followed *f, const ifl_time_traces *traces, const ifl_profile *profile)
{
    const ifl_time_plan *plan = &f->run->plan;
    double degree;
    bool done = ifl_time_blocks_own(traces, f->scope, &f->blocks);
    if (!done || !f->blocks.count ||
        !ifl_time_blocks_differ(plan, f->scope, f->per_sm, &profile->work))
        return done;
    done = find_degree(f, profile, &degree);
    ifl_time_blocks_free(&f->blocks);
    return done && ifl_time_blocks_last(traces, plan, f->scope, f->per_sm, degree, &profile->work,
                                        &f->blocks);
}

static bool follow_sm(const followed *f, ifl_profile *profile)
{
    const part all = part_of(f->run, &f->run->plan.scopes[f->scope], &f->blocks);
    ifl_time_facts facts = {.device = copied(profile, f->device->id), .longer = f->blocks.longer};
    ifl_sm_outcome outcome = {.sites = calloc(f->sites->count, sizeof *outcome.sites)};
    ifl_sm_rates rates;
    find_rates(f, profile, &rates);
    bool done = facts.device && outcome.sites && follow_first(f, f->blocks.count, &rates, &outcome);
    if (done) {
        describe(&outcome, rates.clock_hz, f->blocks.count, f->per_sm, &all, &facts);
        done = ifl_time_stalls_take(f->sites, &outcome, profile, &facts) &&
               ifl_vec_push(&profile->sm_times, facts);
    }
    free(outcome.sites);
    return done;
}

/* For what-ifs. */
static bool keep(const followed *f, ifl_profile *profile)
{
    const ifl_time_scope *scope = &f->run->plan.scopes[f->scope];
    const part all = part_of(f->run, scope, &f->blocks);
    ifl_sm_rates rates;
    find_rates(f, profile, &rates);
    const ifl_time_sm sm = {.of = case_of(f, &rates, f->blocks.count),
                            .sm_blocks = all.blocks,
                            .blocks = (double)f->run->plan.blocks,
                            .sms = scope->placing.sms,
                            .blocks_differ = f->blocks.longer > 0};
    const ifl_what_if one = {.device = copied(profile, f->device->id),
                             .state = ifl_time_keep(&sm),
                             .threads = f->run->threads,
                             .find = ifl_time_kept_find,
                             .free = ifl_time_kept_free};
    if (one.device && one.state && ifl_vec_push(&profile->what_ifs, one))
        return true;
    ifl_time_kept_free(one.state);
    return false;
}

static ifl_status report_device(const ifl_time_run *run, const ifl_time_traces *traces, size_t i,
                                const ifl_sites *sites, ifl_profile *profile, ifl_error *error)
{
    followed f = {.run = run,
                  .device = run->devices[i],
                  .scope = run->scope_of[i],
                  .sites = sites,
                  .per_sm = ifl_cache_blocks_per_sm(run->devices[i], profile)};
    bool done = !f.per_sm || choose_blocks(&f, traces, profile);
    if (done && f.blocks.count)
        done = follow_sm(&f, profile) && keep(&f, profile);
    ifl_time_blocks_free(&f.blocks);
    return done ? IFL_OK : ifl_fail_memory(error, sites->count * sizeof(ifl_site_stalls));
}

ifl_status ifl_time_run_report(const ifl_time_run *run, const void *state, const ifl_sites *sites,
                               ifl_profile *profile, ifl_error *error)
{
    const ifl_time_traces *traces = state;
    ifl_status status = IFL_OK;
    if (!sites->count || !sites->at[0].control.known)
        return IFL_OK;
    if (!ifl_time_traces_are_whole(traces))
        return ifl_fail(error, IFL_NO_MEMORY, "no memory to follow the warps of an SM");
    for (size_t i = 0; i < run->device_count && status == IFL_OK; i++)
        status = report_device(run, traces, i, sites, profile, error);
    return status;
}
