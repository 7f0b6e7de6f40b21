/* SPDX-License-Identifier: Apache-2.0
 * From work and rates to time. Each bound alone gives a time. Bounds that overlap are joined by a
 * power mean, separately for full waves and the last, partial one. Knows neither profiles nor
 * devices. */
#include "model/model.h"

#include <math.h>
#include <string.h>

static const bool overlaps[IFL_TERM_COUNT] = {
    [IFL_TERM_DRAM] = true,       [IFL_TERM_L2] = true,      [IFL_TERM_L1] = true,
    [IFL_TERM_SHARED] = true,     [IFL_TERM_ATOMICS] = true, [IFL_TERM_ISSUE] = true,
    [IFL_TERM_ARITHMETIC] = true, [IFL_TERM_TENSOR] = true,  [IFL_TERM_LATENCY] = true,
};
/* Bounds that each SM has of its own: an idle SM's share cannot be used by the others. */
static const bool is_of_sm[IFL_TERM_COUNT] = {
    [IFL_TERM_L1] = true,         [IFL_TERM_SHARED] = true, [IFL_TERM_ISSUE] = true,
    [IFL_TERM_ARITHMETIC] = true, [IFL_TERM_TENSOR] = true,
};

static double over(double work, double rate)
{
    return rate > 0 ? work / rate : 0;
}

static double atomics_of(const ifl_work *w, const ifl_rates *r)
{
    const double all = over(w->atomic_passes * r->arch.atomic_bytes, r->l2_bytes_per_s),
                 pass = r->arch.atomic_part_cycles / r->clock_hz, of_slice = w->slice_passes * pass,
                 in_step = all * r->arch.atomic_step_passes + w->part_passes * pass / 2;
    return fmax(of_slice, w->atomics_in_step ? in_step : all);
}

static void find_terms(const ifl_rates *r, const ifl_work *w, double *term)
{
    const double moved = w->dram_bytes + w->padding_bytes;
    term[IFL_TERM_DRAM] = over(moved * (1 - w->random), r->dram_bytes_per_s[w->writes]) +
                          over(moved * w->random, r->dram_random_bytes_per_s);
    term[IFL_TERM_L2] = over(w->l2_bytes, r->l2_bytes_per_s);
    term[IFL_TERM_L1] = over(w->l1_passes, r->l1_passes_per_s);
    term[IFL_TERM_SHARED] = over(w->shared_passes, r->shared_passes_per_s);
    term[IFL_TERM_ATOMICS] = atomics_of(w, r);
    term[IFL_TERM_ISSUE] = over(w->instructions, r->issue_per_s);
    term[IFL_TERM_ARITHMETIC] =
        fmax(fmax(over(w->fp32, r->fp32_per_s), over(w->fp64, r->fp64_per_s)),
             fmax(over(w->int32, r->int32_per_s), over(w->special, r->special_per_s)));
    term[IFL_TERM_ARITHMETIC] = fmax(term[IFL_TERM_ARITHMETIC], over(w->convert, r->convert_per_s));
    term[IFL_TERM_TENSOR] = over(w->tensor_cycles, IFL_SM_SUBCORES * r->sms * r->clock_hz);
    term[IFL_TERM_LAUNCH] = w->is_repeated ? r->launch_s : r->cold_launch_s;
}

/* A block starts warp by warp, and its last warp ends it. */
double ifl_block_cycles(const ifl_rates *rates, double warps)
{
    return rates->arch.block_cycles + rates->arch.warp_start_cycles * warps;
}

/* How long a block stays when nothing else is on the GPU: its waits one after the other, and what
 * lies between. */
static double residency_of(const ifl_rates *r, const ifl_work *w, double latency)
{
    const double cycles = ifl_block_cycles(r, w->warps_per_block) + w->cycles +
                          w->shared_waits * r->arch.shared_cycles;
    return cycles / r->clock_hz +
           latency * (w->waits + ifl_model_constants.wait_spread * w->spread);
}

static double latency_of(const ifl_rates *r, const ifl_work *w)
{
    const double l2 =
        r->l2_latency_s + w->waits_in_other_half * (r->l2_other_half_latency_s - r->l2_latency_s);
    return w->waits_in_l1 * r->l1_latency_s + w->waits_in_l2 * l2 +
           (1 - w->waits_in_l1 - w->waits_in_l2) * r->dram_latency_s;
}

/* A line that is on its way has its place in the L1 already: no more can be on their way than that
 * has places. */
static double in_flight_of(const ifl_rates *r, const ifl_work *w)
{
    const double asked = 1 - w->l1_hit;
    const double far = asked > 0 ? 1 - w->l2_hit / asked : 0;
    const double latency = far * r->dram_latency_s + (1 - far) * r->l2_latency_s;
    return over(w->missed_lines * latency, r->arch.lines_in_flight * w->l1_lines * r->sms);
}

static double power_mean(double a, double b, double power)
{
    return pow(pow(a, power) + pow(b, power), 1 / power);
}

/* Warps that meet at barriers are all in the same phase: what an SM does for itself comes after the
 * waiting, not beside it, but for what other blocks of the SM do meanwhile. */
static double waiting_power(const ifl_rates *r, const ifl_work *w, double blocks_per_sm)
{
    const ifl_model_values *c = &ifl_model_constants;
    const double others = fmin(blocks_per_sm, fmax(w->blocks / r->sms, 1)) - 1;
    const double apart = others / (others + c->barrier_blocks);
    return w->barriers ? 1 + (c->overlap_power - 1) * apart : c->overlap_power;
}

/* Joins the bounds, each multiplied: those of the whole GPU by `share`, those of the SMs by
 * `sm_share`. Resources work at the same time, so that the busiest one counts; waiting keeps it
 * from being busy. */
static double join(const double *term, const ifl_work *w, double waiting, double share,
                   double sm_share, double wait)
{
    const ifl_model_values *c = &ifl_model_constants;
    double own = 0, common = 0;
    for (int t = 0; t < IFL_TERM_COUNT; t++)
        if (overlaps[t] && t != IFL_TERM_LATENCY)
            *(is_of_sm[t] ? &own : &common) +=
                pow(term[t] * (is_of_sm[t] ? sm_share : share), c->resource_power);
    own = pow(own, 1 / c->resource_power);
    common = pow(common, 1 / c->resource_power);
    if (w->barriers)
        return power_mean(power_mean(own, wait, waiting), common, c->overlap_power);
    return power_mean(power_mean(own, common, c->resource_power), wait, c->overlap_power);
}

/* Blocks that all start at once leave no tail, but an SM may have one more than another: its work
 * over the average. Clusters leave SMs empty. */
static double most_of_an_sm(const ifl_rates *rates, const ifl_work *work, double blocks_per_sm)
{
    return work->blocks < ifl_places_of(rates, work, blocks_per_sm)
               ? ifl_most_blocks(rates, work, blocks_per_sm, work->blocks) * rates->sms /
                     work->blocks
               : rates->sms / ifl_sms_used(rates, work, blocks_per_sm);
}

/* An SM starts its blocks one after the other: those that it holds, which may be fewer than fit. */
static double start_of(const ifl_rates *rates, const ifl_work *work, double blocks_per_sm)
{
    const double used = ifl_sms_used(rates, work, blocks_per_sm),
                 held = fmin(blocks_per_sm, ceil(work->blocks / used));
    return rates->arch.block_start_cycles * held / rates->clock_hz;
}

void ifl_timing_find(const ifl_rates *rates, const ifl_work *work, double blocks_per_sm,
                     ifl_timing *out)
{
    memset(out, 0, sizeof *out);
    find_terms(rates, work, out->term);
    const double waves = work->blocks / ifl_places_of(rates, work, blocks_per_sm);
    const ifl_schedule s = ifl_schedule_find(rates, work, blocks_per_sm);
    const double waiting = waiting_power(rates, work, blocks_per_sm);
    out->latency = latency_of(rates, work);
    const double start = start_of(rates, work, blocks_per_sm);
    const double in_flight = in_flight_of(rates, work) / fmax(waves, 1);
    out->residency = work->waits_known
                         ? fmax(fmax(residency_of(rates, work, out->latency), start), in_flight)
                         : 0;
    out->term[IFL_TERM_LATENCY] = fmax(waves, 1) * out->residency;
    const double most = most_of_an_sm(rates, work, blocks_per_sm);
    const double even = join(out->term, work, waiting, 1, most, out->term[IFL_TERM_LATENCY]);
    const double total =
        join(out->term, work, waiting, 1 - s.tail_share, 1 - s.tail_share,
             s.even * out->residency) +
        join(out->term, work, waiting, s.tail_share, fmax(s.tail_share, s.tail_sm_share),
             (s.end - s.even) * out->residency);
    out->term[IFL_TERM_TAIL] = fmax(total - even, 0);
    for (int t = 0; t < IFL_TERM_COUNT; t++)
        out->term[t] *= is_of_sm[t] ? most : 1;
    out->total = even + out->term[IFL_TERM_TAIL] + out->term[IFL_TERM_LAUNCH];
    if (!work->waits_known)
        out->term[IFL_TERM_LATENCY] = -1;
}

/* Little's law with the power mean: latency × bandwidth is where both bounds are equal; to come
 * near the bandwidth takes more. */
double ifl_bytes_needed_per_sm(const ifl_rates *rates, bool writes)
{
    const ifl_model_values *c = &ifl_model_constants;
    const double more = pow(pow(c->saturated, -c->overlap_power) - 1, -1 / c->overlap_power);
    return more * rates->dram_latency_s * rates->dram_bytes_per_s[writes] / rates->sms;
}
