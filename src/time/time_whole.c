/* SPDX-License-Identifier: Apache-2.0
 * From the SM that was followed to the launch: the blocks of it that were not, and the other SMs. */
#include "time/time_sm.h"

#include <math.h>

double ifl_sm_cycles(const ifl_sm_outcome *o, size_t followed, double blocks, double repeats)
{
    const double steps = (double)(o->last_blocks - o->half_blocks);
    const double pace = steps > 0 ? (o->last_cycles - o->half_cycles) / steps
                                  : o->cycles / fmax((double)followed, 1);
    return (o->cycles + fmax(blocks - (double)followed, 0) * pace) * repeats +
           o->behind_cycles * sqrt(repeats);
}

double ifl_sm_sampling_error(const ifl_sm_outcome *o, size_t followed, double blocks,
                             uint32_t at_once)
{
    const double left = fmax(1 - (double)followed / fmax(blocks, 1), 0),
                 firsts = (double)o->half_blocks - at_once,
                 steps = (double)(o->last_blocks - o->half_blocks);
    if (left <= 0 || firsts <= 0 || steps <= 0)
        return 0;
    const double first = o->half_cycles / firsts,
                 second = (o->last_cycles - o->half_cycles) / steps;
    return left * fabs(first - second) / fmax(fmax(first, second), 1);
}

/* How many standard deviations the last of so many ends behind the mean: the extreme of normal
 * distributions, to the first order. */
static double deviations_of_last(double warps)
{
    return sqrt(2 * log(fmax(warps, 1)));
}

/* Loads take longer or shorter by chance, and each warp has its own: the last of all SMs ends behind
 * the one that was followed. Of loops over the grid on an H100 (tools/gpu/end_probe.cu) the mean SM
 * has ended after 93 to 97 % of the launch; loads from a DRAM that is not busy differ by 123 to 149
 * cycles of 708 to 787, about as much as `dram_spread` has them differ. Where blocks take the places
 * of those that have ended, the mean SM ends after 98 to 99 %. */
double ifl_sm_behind(const ifl_sm_case *of, uint32_t waits)
{
    const ifl_sm_rates *r = of->rates;
    const double warps = (double)of->block_count * of->warps_per_block;
    if (of->block_count > of->blocks_per_sm)
        return 0;
    return r->dram_spread * r->dram_latency * sqrt(waits) *
           (deviations_of_last(warps * fmax(r->sms, 1)) - deviations_of_last(warps));
}
