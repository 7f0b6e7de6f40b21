/* SPDX-License-Identifier: Apache-2.0
 * See time_parting.h. */
#include "time/time_parting.h"

/* An H200 takes 6, 28, 72 and 160 cycles more for a MATCH of lanes with 2, 4, 8 and 16 values than for
 * one, and a scheduler does one of 4, 8 and 16 in 40, 72 and 136 (tools/gpu/join_probe.cu, `sync_tiles`). */
double ifl_match_later(uint64_t *free, uint32_t more, uint64_t now)
{
    enum { VALUE = 11, FIRST_LESS = 5, VALUE_BUSY = 8, BEYOND = 2 };
    const uint64_t begins = *free > now ? *free : now;
    *free = begins + VALUE_BUSY * ((uint64_t)more + BEYOND);
    return (double)(begins - now + VALUE * (uint64_t)more) - FIRST_LESS;
}

/* An H200: a switch of 2, 4 and 7 ways takes 60, 134 and 257 cycles more than of one, and where a
 * scheduler has 8 warps 10 more of each way (tools/gpu/join_probe.cu, `cases`); two WARPSYNCs of eight
 * masks 205 and 181 (Nsight Compute's samples of a stereo matching, draw 26). */
enum { WAY = 44, WAY_BUSY = 10, MASK = 27 };

static bool is_switch(const ifl_site *site)
{
    return site->control.step == IFL_STEP_INDIRECT;
}

uint64_t ifl_parting_later(const ifl_site *site, uint32_t more)
{
    return (uint64_t)more * (is_switch(site) ? WAY : MASK);
}

uint64_t ifl_parting_dispatch(const ifl_site *site, uint32_t more)
{
    return is_switch(site) ? (uint64_t)more * WAY_BUSY : 0;
}
