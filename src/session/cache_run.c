/* SPDX-License-Identifier: Apache-2.0
 * From a launch and devices to traces, from traces and counters to estimates. */
#include "session/cache_run.h"

#include "observe/cache_replay.h"
#include "profile/registers.h"

#include <inttypes.h>
#include <string.h>

/* Traces: of the grid, of the part of it that small L2s are played with, of an SM of each device. */
enum { WHOLE, PART, FIRST_SM, MOST_DEVICES = 62 - FIRST_SM };

static uint64_t product(const uint32_t size[3])
{
    return (uint64_t)size[0] * size[1] * size[2];
}

ifl_status ifl_cache_run_init(ifl_cache_run *run, const ifl_device *const *devices, size_t count, ifl_error *error)
{
    _Static_assert((int)IFL_TRACE_SEQUENCE_BITS == (int)IFL_TURN_BITS, "one is the other");
    *run = (ifl_cache_run){.devices = devices, .device_count = count};
    if (!count)
        return IFL_OK;
    if (count > MOST_DEVICES)
        return ifl_fail(error, IFL_USAGE, "%zu devices: at most %d at once", count, MOST_DEVICES);
    run->scopes = calloc(count + FIRST_SM, sizeof *run->scopes);
    if (!run->scopes)
        return ifl_fail_memory(error, (count + FIRST_SM) * sizeof *run->scopes);
    run->plan = (ifl_trace_plan){
        .scopes = run->scopes,
        .scope_count = count + FIRST_SM,
    };
    run->observer = ifl_cache_observer;
    run->observer.settings = &run->plan;
    return IFL_OK;
}

void ifl_cache_run_shape(ifl_cache_run *run, const uint32_t grid[3], const uint32_t block[3])
{
    run->plan.warps_per_block = (uint32_t)((product(block) + IFL_WARP_LANES - 1) / IFL_WARP_LANES);
    run->plan.blocks = product(grid);
    if (!run->scopes)
        return;
    run->scopes[WHOLE] = ifl_cache_grid_scope();
    run->scopes[PART] = ifl_cache_part_scope(run->devices, run->device_count);
    for (size_t i = 0; i < run->device_count; i++)
        run->scopes[FIRST_SM + i] = ifl_cache_scope(run->devices[i], run->plan.blocks);
}

void ifl_cache_run_free(ifl_cache_run *run)
{
    free(run->scopes);
    *run = (ifl_cache_run){0};
}

static uint64_t counter(const ifl_profile *profile, ifl_counter which)
{
    return profile->counters.known[which] ? profile->counters.value[which] : 0;
}

static uint32_t blocks_per_sm(const ifl_device *device, const ifl_profile *profile)
{
    ifl_occupancy occupancy = {0};
    ifl_occupancy_request request = {
        .threads = (int)product(profile->block),
        .registers = ifl_profile_registers(
            profile, (int)device->value[IFL_DEVICE_max_registers_per_thread], NULL),
        .shared_bytes = (int)profile->shared_bytes,
    };
    ifl_error error;
    bool done = ifl_occupancy_compute(device, &request, &occupancy, &error) == IFL_OK;
    return done && occupancy.blocks_per_sm > 0 ? (uint32_t)occupancy.blocks_per_sm : 0;
}

static const char *describe_sample(const ifl_cache_facts *facts, ifl_arena *arena)
{
    char text[160], part[48] = "";
    if (facts->l2_part < 1)
        snprintf(part, sizeof part, ", the first %.2g %% of the accesses", 100 * facts->l2_part);
    if (facts->l2_share >= 1)
        snprintf(text, sizeof text, "every request, all SMs");
    else
        snprintf(text, sizeof text,
                 "L1: one SM, %.2g %% of the loads; L2: all SMs, 1 line in %.0f%s",
                 100 * facts->l1_share, 1 / facts->l2_share, part);
    return ifl_arena_text(arena, text, strlen(text));
}

static ifl_status report_device(const ifl_cache_run *run, size_t index, const ifl_trace_state *state,
                                ifl_profile *profile, ifl_error *error)
{
    const ifl_device *device = run->devices[index];
    ifl_cache_case of = {
        .device = device,
        .rules = ifl_cache_rules_of(device),
        .blocks = profile->blocks_done,
        .warps_per_block = run->plan.warps_per_block,
        .blocks_per_sm = blocks_per_sm(device, profile),
        .shared_bytes = profile->shared_bytes,
        .turns = ifl_trace_turns(state),
        .load_sectors = counter(profile, IFL_COUNTER_global_load_sectors) +
                        counter(profile, IFL_COUNTER_local_load_sectors),
        .store_sectors = counter(profile, IFL_COUNTER_global_store_sectors),
        .local_store_sectors = counter(profile, IFL_COUNTER_local_store_sectors),
        .atomic_sectors = counter(profile, IFL_COUNTER_global_atomic_sectors),
        .sm = ifl_trace_of(state, FIRST_SM + index),
        .grid = ifl_cache_grid_trace(device, ifl_trace_of(state, WHOLE), ifl_trace_of(state, PART)),
    };
    ifl_cache_facts facts = {.device = ifl_arena_text(&profile->arena, device->id, strlen(device->id))};
    if (!of.rules || !of.blocks_per_sm || !of.blocks)
        return IFL_OK;
    ifl_status status = ifl_cache_replay(&of, &facts, error);
    if (status != IFL_OK)
        return status;
    facts.sample = describe_sample(&facts, &profile->arena);
    if (!facts.device || !facts.sample || !ifl_vec_push(&profile->caches, facts))
        return ifl_fail_memory(error, sizeof facts);
    return IFL_OK;
}

ifl_status ifl_cache_run_report(const ifl_cache_run *run, const void *state, ifl_profile *profile,
                                ifl_error *error)
{
    const ifl_trace_state *traces = state;
    ifl_status status = IFL_OK;
    if (!ifl_trace_is_whole(traces))
        return ifl_fail(error, IFL_NO_MEMORY, "no memory to follow the launch through caches");
    for (size_t i = 0; i < run->device_count && status == IFL_OK; i++)
        status = report_device(run, i, traces, profile, error);
    return status;
}
