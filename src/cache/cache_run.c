/* SPDX-License-Identifier: Apache-2.0
 * From a launch and devices to traces, from traces and counters to estimates. */
#include "cache/cache_run.h"

#include "base/figure.h"
#include "cache/cache_estimates.h"
#include "cache/cache_scope.h"
#include "cache/l1_size.h"
#include "device/block_places.h"
#include "device/shared_size.h"
#include "profile/registers.h"
#include "profile/traffic.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Traces: of the grid, of the part of it that small L2s are played with, of two SMs of each kind
 * of device. */
enum { WHOLE, PART, SMS, MOST_DEVICES = (IFL_TRACE_SCOPES - SMS) / 2 };

void ifl_cache_workspace_free(ifl_cache_workspace *workspace)
{
    ifl_trace_index_free(&workspace->whole);
    ifl_trace_index_free(&workspace->part);
    ifl_trace_index_free(&workspace->sm);
    ifl_cache_space_free(&workspace->space);
}

/* ---- before the run -------------------------------------------------------------------------- */

ifl_status ifl_cache_run_init(ifl_cache_run *run, const ifl_device *const *devices, size_t count,
                              ifl_error *error)
{
    _Static_assert((int)IFL_TRACE_SEQUENCE_BITS == (int)IFL_TURN_BITS, "one is the other");
    *run = (ifl_cache_run){.devices = devices, .device_count = count};
    if (!count)
        return IFL_OK;
    if (count > MOST_DEVICES)
        return ifl_fail(error, IFL_USAGE, "%zu devices: at most %d at once", count, MOST_DEVICES);
    run->scope_of = calloc(count, sizeof *run->scope_of);
    if (!run->scope_of)
        return ifl_fail_memory(error, count * sizeof *run->scope_of);
    run->plan = (ifl_trace_plan){.scopes = run->scopes};
    run->observer = ifl_cache_observer;
    run->observer.settings = &run->plan;
    return IFL_OK;
}

/* Devices of as many SMs follow the same blocks. */
static size_t add_scope(ifl_cache_run *run, const ifl_trace_scope *scope)
{
    for (size_t i = SMS; i < run->plan.scope_count; i++)
        if (memcmp(&run->scopes[i], scope, sizeof *scope) == 0)
            return i;
    run->scopes[run->plan.scope_count] = *scope;
    return run->plan.scope_count++;
}

static uint32_t blocks_per_sm(const ifl_device *device, const ifl_grid_demand *shape)
{
    ifl_occupancy occupancy = {0};
    const ifl_occupancy_request request = {
        .threads = (int)ifl_place_count(shape->block),
        .registers = (int)shape->registers,
        .shared_bytes = (int)shape->shared_bytes,
        .shared_limit =
            (int)ifl_shared_limit(device, shape->shared_preference, shape->shared_bytes),
    };
    ifl_error error;
    const bool done = ifl_occupancy_compute(device, &request, &occupancy, &error) == IFL_OK;
    return done && occupancy.blocks_per_sm > 0
               ? ifl_place_each((uint32_t)device->value[IFL_DEVICE_sms],
                                (uint32_t)occupancy.blocks_per_sm, ifl_cluster_size(shape->cluster))
               : 0;
}

ifl_placing ifl_cache_placing(const ifl_device *device, const ifl_grid_demand *shape)
{
    const uint32_t sms = (uint32_t)device->value[IFL_DEVICE_sms];
    const uint64_t blocks = ifl_place_count(shape->grid);
    const bool matters = ifl_places_by_gpc(sms, blocks, ifl_cluster_size(shape->cluster));
    ifl_placing placing = {
        .sms = sms, .per_sm = matters ? blocks_per_sm(device, shape) : 0, .blocks = blocks};
    memcpy(placing.cluster, shape->cluster, sizeof placing.cluster);
    memcpy(placing.grid, shape->grid, sizeof placing.grid);
    return placing;
}

void ifl_cache_run_shape(ifl_cache_run *run, const ifl_grid_demand *shape)
{
    run->plan.warps_per_block =
        (uint32_t)((ifl_place_count(shape->block) + IFL_WARP_LANES - 1) / IFL_WARP_LANES);
    run->plan.blocks = ifl_place_count(shape->grid);
    if (!run->device_count)
        return;
    run->scopes[WHOLE] = ifl_cache_grid_scope();
    run->scopes[PART] = ifl_cache_part_scope(run->devices, run->device_count, WHOLE);
    run->plan.scope_count = SMS;
    for (size_t i = 0; i < run->device_count; i++) {
        const ifl_placing placing = ifl_cache_placing(run->devices[i], shape);
        const ifl_trace_scope middle = ifl_cache_sm_scope(run->devices[i], &placing),
                              first = ifl_cache_first_sm_scope(run->devices[i], &placing);
        run->scope_of[i] = (ifl_cache_sm_scopes){add_scope(run, &middle), add_scope(run, &first)};
    }
}

void ifl_cache_run_free(ifl_cache_run *run)
{
    free(run->scope_of);
    run->scope_of = NULL;
    run->device_count = 0;
}

/* ---- after it -------------------------------------------------------------------------------- */

/* But those of the host's memory, which are not followed. */
static uint64_t sectors_of(const ifl_profile *profile, ifl_access_kind plain)
{
    static const ifl_counter of_host[IFL_ACCESS_KINDS] = {
        [IFL_ACCESS_LOAD] = IFL_COUNTER_host_load_sectors,
        [IFL_ACCESS_STORE] = IFL_COUNTER_host_store_sectors,
        [IFL_ACCESS_ATOMIC] = IFL_COUNTER_host_atomic_sectors,
    };
    const ifl_counters *c = &profile->counters;
    const uint64_t all = ifl_traffic_off_chip(c, plain).sectors,
                   host = c->known[of_host[plain]] ? c->value[of_host[plain]] : 0;
    return all - (host < all ? host : all);
}

uint32_t ifl_cache_blocks_per_sm(const ifl_device *device, const ifl_profile *profile)
{
    const int most = (int)device->value[IFL_DEVICE_max_registers_per_thread];
    const ifl_grid_demand shape = {
        .block = {profile->block[0], profile->block[1], profile->block[2]},
        .cluster = {profile->cluster[0], profile->cluster[1], profile->cluster[2]},
        .registers = (uint32_t)ifl_profile_registers(profile, most, NULL),
        .shared_bytes = profile->shared_bytes,
        .shared_preference = profile->shared_preference,
    };
    return blocks_per_sm(device, &shape);
}

static const char *describe_sample(const ifl_cache_facts *facts, ifl_arena *arena)
{
    char text[200], part[80] = "";
    if (facts->l2_part < 1)
        snprintf(part, sizeof part, ", the first %s %% of the accesses",
                 ifl_figure_real(100 * facts->l2_part).text);
    if (facts->l2_share >= 1)
        snprintf(text, sizeof text, "every request, all SMs");
    else
        snprintf(text, sizeof text, "L1: one SM, %s %% of the loads; L2: all SMs, 1 line in %.0f%s",
                 ifl_figure_real(100 * facts->l1_share).text, 1 / facts->l2_share, part);
    return ifl_arena_text(arena, text, strlen(text));
}

/* What the devices have in common: the traces in order, each made when the first device needs
 * it. */
typedef struct report {
    const ifl_cache_run *run;
    const ifl_trace_state *state;
    ifl_cache_workspace *workspace;
    bool has_whole, has_part;
    size_t sm_scope; /* whose trace workspace->sm is; 0: of none yet */
} report;

static bool index_of(const report *r, size_t scope, bool is_numbered, ifl_trace_index *to)
{
    return ifl_trace_index_build(to, ifl_trace_of(r->state, scope), r->run->plan.warps_per_block,
                                 is_numbered);
}

static const ifl_trace_index *grid_index(report *r, const ifl_device *device)
{
    const ifl_trace *whole = ifl_trace_of(r->state, WHOLE), *part = ifl_trace_of(r->state, PART);
    const bool takes_part = part != whole && ifl_cache_takes_part(device, whole->share);
    ifl_trace_index *index = takes_part ? &r->workspace->part : &r->workspace->whole;
    bool *has = takes_part ? &r->has_part : &r->has_whole;
    *has = *has || index_of(r, takes_part ? PART : WHOLE, true, index);
    return *has ? index : NULL;
}

static const ifl_trace_index *sm_index(report *r, size_t scope)
{
    if (r->sm_scope != scope && !index_of(r, scope, false, &r->workspace->sm))
        return NULL;
    r->sm_scope = scope;
    return &r->workspace->sm;
}

/* Where only the first blocks have something to do, an SM in the middle says nothing: the SM of the
 * first block is followed where the other one has less than a part of what an SM has on average. */
static const ifl_trace_index *chosen_sm(report *r, size_t i, const ifl_cache_case *of)
{
    enum { PART_OF_AVERAGE = 8 };
    const ifl_cache_sm_scopes *scopes = &r->run->scope_of[i];
    const ifl_trace_index *middle = sm_index(r, scopes->middle);
    const double sms = r->run->devices[i]->value[IFL_DEVICE_sms],
                 used = fmin((double)of->blocks, sms);
    return middle &&
                   (double)middle->load_sectors * used * PART_OF_AVERAGE < (double)of->load_sectors
               ? sm_index(r, scopes->first)
               : middle;
}

static ifl_cache_case case_of(const report *r, size_t i, const ifl_cache_rules *rules,
                              const ifl_profile *profile)
{
    const ifl_device *device = r->run->devices[i];
    ifl_cache_case of = {
        .device = device,
        .rules = rules,
        .blocks = profile->blocks_done,
        .placing = r->run->scopes[r->run->scope_of[i].middle].placing,
        .blocks_per_sm = ifl_cache_blocks_per_sm(device, profile),
        .turns = ifl_trace_turns(r->state),
        .load_sectors = sectors_of(profile, IFL_ACCESS_LOAD),
        .copied_sectors = ifl_traffic_get(&profile->counters, IFL_TRAFFIC_bulk_load).sectors,
        .local_store_sectors = ifl_traffic_get(&profile->counters, IFL_TRAFFIC_local_store).sectors,
        .atomic_sectors = sectors_of(profile, IFL_ACCESS_ATOMIC),
    };
    of.store_sectors = sectors_of(profile, IFL_ACCESS_STORE) - of.local_store_sectors;
    of.l1_bytes = ifl_cache_l1_bytes(device, rules, profile->shared_preference, of.blocks_per_sm,
                                     profile->shared_bytes);
    return of;
}

static ifl_status report_device(report *r, size_t i, ifl_profile *profile, ifl_error *error)
{
    const ifl_device *device = r->run->devices[i];
    ifl_cache_outcomes outcomes;
    ifl_cache_rules rules;
    if (!ifl_cache_rules_find(device->value[IFL_DEVICE_compute_capability], &rules))
        return IFL_OK;
    ifl_cache_case of = case_of(r, i, &rules, profile);
    ifl_cache_facts facts = {.device =
                                 ifl_arena_text(&profile->arena, device->id, strlen(device->id))};
    if (!of.blocks_per_sm || !of.blocks)
        return IFL_OK;
    of.grid = grid_index(r, device);
    of.sm = of.grid && !ifl_cache_is_whole(&of) ? chosen_sm(r, i, &of) : NULL;
    if (!of.grid || (!ifl_cache_is_whole(&of) && !of.sm))
        return ifl_fail_memory(error, IFL_TRACE_RECORDS * sizeof(ifl_touch));
    const ifl_status status = ifl_cache_replay(&of, &r->workspace->space, &outcomes, error);
    if (status != IFL_OK)
        return status;
    ifl_cache_estimate_all(&of, &outcomes, &facts);
    facts.sample = describe_sample(&facts, &profile->arena);
    if (!facts.device || !facts.sample || !ifl_vec_push(&profile->caches, facts))
        return ifl_fail_memory(error, sizeof facts);
    return IFL_OK;
}

ifl_status ifl_cache_run_report(const ifl_cache_run *run, const void *state,
                                ifl_cache_workspace *workspace, ifl_profile *profile,
                                ifl_error *error)
{
    report r = {.run = run, .state = state, .workspace = workspace};
    ifl_status status = IFL_OK;
    if (!ifl_trace_is_whole(r.state))
        return ifl_fail(error, IFL_NO_MEMORY, "no memory to follow the launch through caches");
    for (size_t i = 0; i < run->device_count && status == IFL_OK; i++)
        status = report_device(&r, i, profile, error);
    return status;
}
