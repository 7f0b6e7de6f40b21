/* SPDX-License-Identifier: Apache-2.0
 * See lanes.h. */
#include "advice/lanes.h"

#include "arch/units.h"
#include "profile/traffic.h"

#include <math.h>
#include <string.h>

static double of(const ifl_profile *profile, ifl_counter which)
{
    return profile->counters.known[which] ? (double)profile->counters.value[which] : 0;
}

static bool is_lone(const ifl_issued_run *run)
{
    enum { LONE = 2 };
    return run->threads <= LONE * run->warps;
}

static uint32_t instructions_of(const ifl_issued_run *run)
{
    return (run->last - run->first) / IFL_INSTRUCTION_BYTES + 1;
}

/* Machine code that ran: each instruction's lanes are known. */
static double lone_of_issued(const ifl_profile *profile)
{
    double lone = 0, all = 0;
    for (size_t i = 0; i < profile->issued.count; i++) {
        const ifl_issued_run *run = &profile->issued.at[i];
        const double issued = instructions_of(run) * (double)run->warps;
        all += issued;
        lone += is_lone(run) ? issued : 0;
    }
    return all > 0 ? lone / all : 0;
}

const uint8_t *ifl_lanes_lone_sites(const ifl_profile *profile, ifl_arena *arena, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < profile->issued.count; i++) {
        const ifl_issued_run *run = &profile->issued.at[i];
        const size_t end = (size_t)run->site + instructions_of(run);
        *count = end > *count ? end : *count;
    }
    uint8_t *lone = *count ? ifl_arena_alloc(arena, *count) : NULL;
    for (size_t i = 0; lone && i < profile->issued.count; i++) {
        const ifl_issued_run *run = &profile->issued.at[i];
        memset(lone + run->site, is_lone(run), instructions_of(run));
    }
    return lone;
}

/* Of PTX no more is known than the average, and how often warps split. */
static double lone_on_average(const ifl_profile *profile)
{
    const double few = 4, splits_of_a_block = 2;
    const double blocks = (double)profile->grid[0] * profile->grid[1] * profile->grid[2],
                 issued = of(profile, IFL_COUNTER_ptx_instructions),
                 lanes = of(profile, IFL_COUNTER_thread_instructions);
    if (issued <= 0 || lanes > few * issued ||
        of(profile, IFL_COUNTER_divergent_branches) > splits_of_a_block * blocks)
        return 0;
    return fmin((IFL_WARP_LANES - lanes / issued) / (IFL_WARP_LANES - 1), 1);
}

double ifl_lanes_lone_share(const ifl_profile *profile)
{
    const uint32_t *block = profile->block;
    if ((uint64_t)block[0] * block[1] * block[2] < IFL_WARP_LANES)
        return 0; /* no warp is full */
    return profile->issued.count ? lone_of_issued(profile) : lone_on_average(profile);
}

/* Lanes of the instruction at a site, on average; 0: not known. */
static double lanes_at(const ifl_profile *profile, uint32_t site)
{
    for (size_t i = 0; i < profile->issued.count; i++) {
        const ifl_issued_run *run = &profile->issued.at[i];
        if (site >= run->site && site < run->site + instructions_of(run))
            return run->warps ? (double)run->threads / (double)run->warps : 0;
    }
    return 0;
}

double ifl_lanes_issued_often(const ifl_profile *profile, double least)
{
    double sum = 0;
    for (size_t i = 0; i < profile->issued.count; i++) {
        const ifl_issued_run *run = &profile->issued.at[i];
        sum += (double)run->warps >= least ? instructions_of(run) * (double)run->warps : 0;
    }
    return sum;
}

double ifl_lanes_racing(const ifl_profile *profile, const ifl_profile_line *line)
{
    const bool is_race = line->space == IFL_SPACE_SHARED && line->kind == IFL_ACCESS_ATOMIC &&
                         line->pattern.kind == IFL_PATTERN_BROADCAST &&
                         (line->traits & IFL_TRAIT_SWAP);
    return is_race ? lanes_at(profile, line->site) : 0;
}

bool ifl_lanes_are_scattered(const ifl_profile *profile, const ifl_traffic *traffic,
                             uint32_t access_bytes, uint32_t instructions, double *lanes)
{
    const double few = 8, meetings = 3, fewer = 2;
    const uint32_t *block = profile->block;
    const double blocks = (double)profile->grid[0] * profile->grid[1] * profile->grid[2],
                 threads = (double)block[0] * block[1] * block[2];
    if (!traffic->requests || !access_bytes || !instructions)
        return false;
    const double barriers =
        of(profile, IFL_COUNTER_barriers) / (blocks * ceil(threads / IFL_WARP_LANES));
    *lanes = (double)traffic->useful_bytes / access_bytes / (double)traffic->requests;
    /* of an instruction and a block: as they are, and the fewest, one a step at least */
    const double requests = (double)traffic->requests / instructions / blocks,
                 fewest = fmax(requests * *lanes / IFL_WARP_LANES, barriers);
    return *lanes <= few && barriers >= meetings && requests > fewer * fewest;
}

static ifl_traffic on_chip(const ifl_profile_line *line)
{
    ifl_traffic sum = ifl_traffic_get(&line->counters, IFL_TRAFFIC_shared_load);
    const ifl_traffic stores = ifl_traffic_get(&line->counters, IFL_TRAFFIC_shared_store);
    ifl_traffic_add(&sum, &stores);
    return sum;
}

/* 32 words at random in 32 banks: the fullest bank has 3.5 of them on average. */
bool ifl_banks_are_random(const ifl_profile_line *line)
{
    const double most = 6;
    const ifl_traffic t = on_chip(line);
    return line->pattern.kind == IFL_PATTERN_IRREGULAR &&
           (double)t.wavefronts <= most * (double)t.wavefronts_ideal;
}

bool ifl_banks_are_of_rows(const ifl_profile *profile, const ifl_profile_line *line)
{
    return line->pattern.kind == IFL_PATTERN_COALESCED && profile->block[0] < IFL_WARP_LANES &&
           profile->block[1] > 1;
}
