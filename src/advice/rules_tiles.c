/* SPDX-License-Identifier: Apache-2.0
 * Rules on tiles in shared memory: the banks of their rows, how they come there, how many are on
 * their way, and how often each is loaded. */
#include "advice/situation.h"
#include "base/figure.h"

#include <math.h>
#include <string.h>

static double of(const ifl_situation *s, ifl_counter which)
{
    return ifl_situation_count(&s->profile->counters, which);
}

/* ---- the banks of their rows ----------------------------------------------------------------- */

/* Rows that tensor copies bring lie one behind the other: no padding is possible. */
static bool has_tensor_copies(const ifl_situation *s)
{
    for (size_t i = 0; i < s->profile->lines.count; i++)
        if (s->profile->lines.at[i].traits & IFL_TRAIT_TENSOR_COPY)
            return true;
    return false;
}

bool ifl_rule_swizzle_shared(const ifl_situation *s, ifl_remedy *to)
{
    if (!ifl_remedy_without_conflicts(s, true, to))
        return false;
    if (has_tensor_copies(s))
        to->remedy = "swizzle the tile: a description of the tensor with a swizzle as wide as the "
                     "rows, up to 128 "
                     "bytes, and the same exclusive or in the addresses that read it";
    return true;
}

/* ---- how many are on their way --------------------------------------------------------------- */

/* The line that brings most of what is loaded, if that comes by asynchronous copies; else NULL. */
static const ifl_profile_line *main_copy(const ifl_situation *s)
{
    const double most_part = 0.5;
    const ifl_profile_line *found = NULL;
    double copied = 0, all = 0, most = 0;
    for (size_t i = 0; i < s->profile->lines.count; i++) {
        const ifl_profile_line *line = &s->profile->lines.at[i];
        const double sectors = ifl_line_sectors(line);
        if (ifl_access_plain_kind(line->kind) != IFL_ACCESS_LOAD)
            continue;
        all += sectors;
        if (!ifl_line_is_copied(line))
            continue;
        copied += sectors;
        if (sectors > most)
            found = line;
        most = fmax(most, sectors);
    }
    return copied > most_part * all ? found : NULL;
}

/* Of what the followed warps stood still for, the share of data from far. */
static double far_share(const ifl_situation *s)
{
    const ifl_time_facts *f = ifl_profile_sm_time(s->profile, s->device->id);
    double all = 0;
    for (int r = 0; f && r < IFL_STALLS; r++)
        all += r == IFL_STALL_selected ? 0 : f->stalls[r];
    return all > 0 ? f->stalls[IFL_STALL_long_scoreboard] / all : 0;
}

/* The DRAM's bandwidth used, over what can be reached, by the time that is predicted. */
static double busy_of(const ifl_situation *s)
{
    return s->work.dram_bytes / (s->model.time_us.mid * 1e-6) /
           s->rates.dram_bytes_per_s[s->work.writes];
}

/* Room for two more tiles, as far as the shared memory is one; the waits that are left. */
static bool copy_ahead(const ifl_situation *s, ifl_remedy *to)
{
    enum { STAGES = 3 };
    const int blocks = ifl_situation_blocks_with_shared(s, STAGES);
    if (!blocks)
        return false;
    if (s->work.waits_known)
        ifl_remedy_waits(1.0 / STAGES, to);
    if (blocks < to->blocks_per_sm)
        to->blocks_per_sm += to->share * (blocks - to->blocks_per_sm);
    to->change =
        (ifl_change){.known = true,
                     .at_hand = true,
                     .ahead_bytes = (STAGES - 1) * (double)s->profile->shared_bytes *
                                    s->model.occupancy.blocks_per_sm,
                     .blocks_per_sm = (uint32_t)fmin(blocks, s->model.occupancy.blocks_per_sm)};
    return true;
}

bool ifl_rule_deeper_pipeline(const ifl_situation *s, ifl_remedy *to)
{
    const double idle = 0.85, worth = 0.25;
    const double waiting = far_share(s);
    to->line = main_copy(s);
    if (!to->line || busy_of(s) > idle || waiting < worth || !copy_ahead(s, to))
        return false;
    to->symptom = ifl_situation_say(s,
                                    "warps wait for copies for %.0f %% of the time that they "
                                    "stall; %.0f %% of the bandwidth is "
                                    "used",
                                    100 * waiting, 100 * busy_of(s));
    return true;
}

/* ---- how often each is loaded ---------------------------------------------------------------- */

static double loaded_bytes(const ifl_situation *s)
{
    return 32 * (double)ifl_traffic_off_chip(&s->profile->counters, IFL_ACCESS_LOAD).sectors;
}

/* A thread makes twice the results, and has half the blocks beside its own; with both sides twice as
 * long a block has twice the threads, too. What brings the tiles is done once for all. Barrier
 * objects leave blocks as they are: then only the loads are fewer. */
static void grow_tiles(const ifl_situation *s, bool both, ifl_remedy *to)
{
    enum { MOST_THREADS = 1024 };
    const ifl_profile_line *copy = main_copy(s);
    const uint32_t *block = s->profile->block;
    const bool widens = both && 2 * block[0] * block[1] * block[2] <= MOST_THREADS;
    to->change = (ifl_change){.known = true};
    if (copy && copy->kind == IFL_ACCESS_COPY_LOAD)
        return;
    to->change.join = 2;
    to->change.joins_words = true;
    to->change.widen = widens ? 2 : 1;
    to->change.blocks_per_sm =
        (uint32_t)fmax(s->model.occupancy.blocks_per_sm / (widens ? 4.0 : 2.0), 1);
}

bool ifl_rule_wider_tiles(const ifl_situation *s, ifl_remedy *to)
{
    const double worth = 0.5, often = 4, idle = 0.5, most = 1.2, sector = 32;
    const ifl_traffic t = ifl_traffic_off_chip(&s->profile->counters, IFL_ACCESS_LOAD);
    const double loaded = loaded_bytes(s), past_l1 = loaded * (1 - s->work.l1_hit),
                 stored = sector * of(s, IFL_COUNTER_global_store_sectors);
    const bool is_staged = main_copy(s) || of(s, IFL_COUNTER_shared_store_requests) > 0,
               are_loads_many = ifl_situation_spends(s, IFL_TERM_L2, worth) ||
                                ifl_situation_spends(s, IFL_TERM_L1, worth);
    if (!is_staged || !are_loads_many || s->busy > idle || past_l1 < often * s->work.dram_bytes ||
        past_l1 < often * stored || (double)t.sectors > most * (double)t.sectors_ideal)
        return false;
    /* Twice the side are a quarter of the blocks, which must still fill the SMs. */
    const double blocks = s->work.blocks, filled = 0.9 * s->rates.sms;
    const bool both = blocks / 4 >= filled && ifl_situation_blocks_with_shared(s, 2) > 0;
    if (!both && (blocks / 2 < filled || ifl_situation_blocks_with_shared(s, 1.5) <= 0))
        return false;
    const double less = both ? 0.5 : 0.75, part = ifl_remedy_part(to, less),
                 share = past_l1 / (past_l1 + stored);
    to->work.l2_bytes *= 1 - share * (1 - part);
    to->work.load_bytes *= part;
    to->work.missed_lines *= part;
    to->work.l1_passes *= 1 - share * (1 - part);
    grow_tiles(s, both, to);
    to->change.loads = less;
    to->line = main_copy(s);
    to->symptom = ifl_situation_say(s, "each byte that comes from DRAM is loaded from the L2 %s",
                                    ifl_figure_times(past_l1 / s->work.dram_bytes).text);
    if (!both)
        to->remedy =
            "tiles of twice the width, so that each number that is loaded serves more results";
    return true;
}

/* ---- how they come there --------------------------------------------------------------------- */

/* Share of the standing still before stores to shared memory: for what they store. */
static double staging_share(const ifl_situation *s)
{
    const ifl_time_facts *f = ifl_profile_sm_time(s->profile, s->device->id);
    double sum = 0;
    for (size_t i = 0; f && i < f->site_count; i++)
        if (f->sites[i].space == IFL_SPACE_SHARED && f->sites[i].kind == IFL_ACCESS_STORE)
            sum += f->sites[i].share;
    return sum;
}

bool ifl_rule_bulk_copies(const ifl_situation *s, ifl_remedy *to)
{
    const double first = 8.0, bulk = 9.0, idle = 0.85, worth = 0.2, loop = 4;
    const double capability = s->device->value[IFL_DEVICE_compute_capability];
    const double loads = of(s, IFL_COUNTER_global_load_requests),
                 stores = of(s, IFL_COUNTER_shared_store_requests), waiting = staging_share(s);
    if (capability < first || busy_of(s) > idle || waiting < worth || main_copy(s) ||
        stores < loads / 2 || stores > 2 * loads || stores < loop * s->warps || !copy_ahead(s, to))
        return false;
    to->work.instructions -= to->share * stores;
    to->change.no_staging = true;
    to->symptom = ifl_situation_say(
        s,
        "%s to shared memory per warp, which waits before them for %.0f %% of the "
        "time that it stalls",
        ifl_figure_amount(stores / s->warps, "store").text, 100 * waiting);
    if (capability >= bulk)
        to->remedy =
            "bulk copies (cp.async.bulk, tensor copies) past the registers, begun a tile or "
            "two ahead";
    else
        to->remedy = "cp.async past the registers, begun a tile or two ahead";
    return true;
}
