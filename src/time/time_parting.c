/* SPDX-License-Identifier: Apache-2.0
 * See time_parting.h. */
#include "time/time_parting.h"

double ifl_match_later(const ifl_arch *arch, uint64_t *free, uint32_t more, uint64_t now)
{
    const uint64_t begins = *free > now ? *free : now;
    *free = begins + (uint64_t)(arch->match_turn_cycles * (more + arch->match_turns));
    return (double)(begins - now) + arch->match_value_cycles * more - arch->match_first_cycles;
}

static bool is_switch(const ifl_site *site)
{
    return site->control.step == IFL_STEP_INDIRECT;
}

uint64_t ifl_parting_later(const ifl_arch *arch, const ifl_site *site, uint32_t more)
{
    return (uint64_t)(more * (is_switch(site) ? arch->way_cycles : arch->mask_cycles));
}

uint64_t ifl_parting_dispatch(const ifl_arch *arch, const ifl_site *site, uint32_t more)
{
    return is_switch(site) ? (uint64_t)(more * arch->way_dispatch_cycles) : 0;
}

uint64_t ifl_launching_later(const ifl_arch *arch, uint32_t *launches)
{
    const uint32_t count = *launches;
    *launches = 0;
    return count ? (uint64_t)(arch->nested_call_cycles + (count - 1) * arch->nested_lane_cycles)
                 : 0;
}
