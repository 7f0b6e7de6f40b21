/* SPDX-License-Identifier: Apache-2.0
 * From work and rates to time. Each bound alone is a time; bounds that overlap are joined by a power mean, full waves
 * and the last, partial one apart. Knows neither profiles nor devices. */
#include "model/model.h"

#include <math.h>
#include <string.h>

static const bool overlaps[IFL_TERM_COUNT] = {
    [IFL_TERM_DRAM] = true,       [IFL_TERM_L2] = true,      [IFL_TERM_L1] = true,
    [IFL_TERM_SHARED] = true,     [IFL_TERM_ATOMICS] = true, [IFL_TERM_ISSUE] = true,
    [IFL_TERM_ARITHMETIC] = true, [IFL_TERM_LATENCY] = true,
};
/* Bounds that each SM has of its own: an idle SM's share cannot be used by the others. */
static const bool is_of_sm[IFL_TERM_COUNT] = {
    [IFL_TERM_L1] = true,
    [IFL_TERM_SHARED] = true,
    [IFL_TERM_ISSUE] = true,
    [IFL_TERM_ARITHMETIC] = true,
};

static double over(double work, double rate)
{
    return rate > 0 ? work / rate : 0;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static void find_terms(const ifl_rates *r, const ifl_work *w, double *term)
{
    const double l2_work =
        (1 - r->line_share) * w->l2_bytes + r->line_share * w->l2_lines * IFL_LINE_SIZE;
    term[IFL_TERM_DRAM] = over(w->dram_bytes * (1 - w->random), r->dram_bytes_per_s[w->writes]) +
                          over(w->dram_bytes * w->random, r->dram_random_bytes_per_s);
    term[IFL_TERM_L2] = over(l2_work, r->l2_bytes_per_s);
    term[IFL_TERM_L1] = over(w->l1_passes, r->l1_passes_per_s);
    term[IFL_TERM_SHARED] = over(w->shared_passes, r->shared_passes_per_s);
    term[IFL_TERM_ATOMICS] = over(w->atomic_passes * IFL_SECTOR_SIZE, r->l2_bytes_per_s);
    term[IFL_TERM_ISSUE] = over(w->instructions, r->issue_per_s);
    term[IFL_TERM_ARITHMETIC] =
        larger(larger(over(w->fp32, r->fp32_per_s), over(w->fp64, r->fp64_per_s)),
               larger(over(w->int32, r->int32_per_s), over(w->special, r->special_per_s)));
    term[IFL_TERM_ARITHMETIC] =
        larger(term[IFL_TERM_ARITHMETIC], over(w->convert, r->convert_per_s));
    term[IFL_TERM_LAUNCH] = ifl_model_constants.launch_s;
}

/* A block starts warp by warp, and its last warp ends it. */
double ifl_block_cycles(double warps)
{
    return ifl_model_constants.block_cycles + ifl_model_constants.warp_start_cycles * warps;
}

/* How long a block stays when nothing else is on the GPU: its waits one after the other, and what lies between. */
static double residency_of(const ifl_rates *r, const ifl_work *w, double latency)
{
    const ifl_model_values *c = &ifl_model_constants;
    const double cycles =
        ifl_block_cycles(w->warps_per_block) + w->cycles + w->shared_waits * c->shared_cycles;
    return cycles / r->clock_hz + latency * (w->waits + c->wait_spread * w->spread);
}

/* A wait ends with the last of its loads: one line that is far makes the wait a far one. */
static double latency_of(const ifl_rates *r, const ifl_work *w)
{
    const double lines = larger(w->loads_a_wait, 1), near = w->l1_hit + w->l2_hit;
    const double all_l1 = pow(w->l1_hit, lines), all_near = pow(near < 1 ? near : 1, lines);
    return all_l1 * r->l1_latency_s + (all_near - all_l1) * r->l2_latency_s +
           (1 - all_near) * r->dram_latency_s;
}

/* Warps that meet at barriers are all in the same phase, so that one resource works after the other, but for what
 * other blocks of the SM do meanwhile. */
static double power_of(const ifl_work *w, double blocks_per_sm)
{
    const double apart = blocks_per_sm / (blocks_per_sm + ifl_model_constants.barrier_blocks);
    return 1 + (ifl_model_constants.resource_power - 1) * (w->barriers ? apart : 1);
}

/* Joins the bounds, each multiplied: those of the whole GPU by `share`, those of the SMs by `sm_share`. Resources work at
 * the same time, so that the busiest one counts; waiting keeps it from being busy. */
static double join(const double *term, double power, double share, double sm_share, double wait)
{
    const double overlap = ifl_model_constants.overlap_power;
    double sum = 0;
    for (int t = 0; t < IFL_TERM_COUNT; t++)
        if (overlaps[t] && t != IFL_TERM_LATENCY)
            sum += pow(term[t] * (is_of_sm[t] ? sm_share : share), power);
    return pow(pow(sum, overlap / power) + pow(wait, overlap), 1 / overlap);
}

void ifl_timing_find(const ifl_rates *rates, const ifl_work *work, double blocks_per_sm,
                     ifl_timing *out)
{
    memset(out, 0, sizeof *out);
    find_terms(rates, work, out->term);
    const double waves = work->blocks / (rates->sms * blocks_per_sm);
    const ifl_schedule s = ifl_schedule_find(rates, work, blocks_per_sm);
    const double power = power_of(work, blocks_per_sm);
    out->latency = latency_of(rates, work);
    const double start = ifl_model_constants.block_start_cycles * blocks_per_sm / rates->clock_hz;
    out->residency = work->waits_known ? larger(residency_of(rates, work, out->latency), start) : 0;
    out->term[IFL_TERM_LATENCY] = waves * out->residency;
    const double even = join(out->term, power, 1, 1, out->term[IFL_TERM_LATENCY]);
    const double total =
        join(out->term, power, 1 - s.tail_share, 1 - s.tail_share, s.even * out->residency) +
        join(out->term, power, s.tail_share, larger(s.tail_share, s.tail_sm_share),
             (s.end - s.even) * out->residency);
    out->term[IFL_TERM_TAIL] = larger(total - even, 0);
    out->total = even + out->term[IFL_TERM_TAIL] + out->term[IFL_TERM_LAUNCH];
    if (!work->waits_known)
        out->term[IFL_TERM_LATENCY] = -1;
}

/* Little's law with the power mean: latency × bandwidth is where both bounds are equal; to come near the bandwidth
 * takes more. */
double ifl_bytes_needed_per_sm(const ifl_rates *rates, bool writes)
{
    const ifl_model_values *c = &ifl_model_constants;
    const double more = pow(pow(c->saturated, -c->overlap_power) - 1, -1 / c->overlap_power);
    return more * rates->dram_latency_s * rates->dram_bytes_per_s[writes] / rates->sms;
}
