/* SPDX-License-Identifier: Apache-2.0
 * The estimate of the first queue, its bounds widened by what the others change. */
#include "cache/cache_estimates.h"

#include <math.h>

static ifl_cache_estimate exact(double value)
{
    return (ifl_cache_estimate){value, value, value};
}

static double between(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

static ifl_cache_estimate estimate(const ifl_cache_outcome *o, ifl_cache_tally which, double times,
                                   double most)
{
    double v = o->value[which], s = o->spread[which];
    return (ifl_cache_estimate){between(v * times, 0, most), between((v - s) * times, 0, most),
                                between((v + s) * times, 0, most)};
}

static ifl_cache_estimate sum(ifl_cache_estimate a, ifl_cache_estimate b)
{
    return (ifl_cache_estimate){a.value + b.value, a.low + b.low, a.high + b.high};
}

/* Of `asked`, as its value is, what does not miss: never less than nothing. */
static ifl_cache_estimate hits_of(double asked, ifl_cache_estimate misses, double most)
{
    return (ifl_cache_estimate){between(asked - misses.value, 0, most),
                                between(asked - misses.high, 0, most),
                                between(asked - misses.low, 0, most)};
}

/* Where the sample has no two lines of a turn, each is taken to be on its own. */
static void describe_turns(const ifl_cache_outcomes *o, ifl_cache_facts *to)
{
    const ifl_turns *l1 = &o->l1_turns, *l2 = &o->l2_turns;
    to->turns_in_l1 = l1->loading > 0 ? l1->in_l1 / l1->loading : 0;
    to->lines_from_dram = l2->asked > 0 ? l2->far / l2->asked : 0;
    to->from_dram_together =
        l2->far_beside > 0 ? l2->far_together / l2->far_beside : to->lines_from_dram;
}

static void describe(const ifl_cache_case *of, const ifl_cache_outcome *o, ifl_cache_facts *to)
{
    const double sector = 32, any = 1e300;
    double local = of->rules->local_is_written_back ? 0 : (double)of->local_store_sectors;
    ifl_cache_estimate local_writes = of->rules->local_is_written_back
                                          ? estimate(o, IFL_TALLY_LOCAL_WRITES, 1, any)
                                          : exact(local);
    const double through_l1 = (double)(of->load_sectors - of->copied_sectors);
    to->l1_load_sectors = exact(through_l1);
    to->copied_sectors = (double)of->copied_sectors;
    to->l1_load_hits =
        hits_of((double)of->load_sectors, estimate(o, IFL_TALLY_L1_MISSES, 1, any), through_l1);
    to->l2_read_sectors = estimate(o, IFL_TALLY_FETCHED, 1, any);
    to->l2_write_sectors = sum(exact((double)of->store_sectors), local_writes);
    to->l2_atomic_sectors = exact((double)of->atomic_sectors);
    to->l2_read_hits = hits_of(to->l2_read_sectors.value, estimate(o, IFL_TALLY_L2_MISSES, 1, any),
                               to->l2_read_sectors.value);
    to->l2_hits = sum(sum(to->l2_read_hits, to->l2_write_sectors),
                      estimate(o, IFL_TALLY_ATOMIC_HITS, 1, (double)of->atomic_sectors));
    to->dram_read_bytes = estimate(o, IFL_TALLY_DRAM_READS, sector, any);
    to->dram_write_bytes = estimate(o, IFL_TALLY_DRAM_WRITES, sector, any);
    to->dirty_bytes = estimate(o, IFL_TALLY_DIRTY, sector, of->device->value[IFL_DEVICE_l2_bytes]);
    to->prefetched_sectors = o->value[IFL_TALLY_PREFETCHED];
    to->prefetch_misses = o->value[IFL_TALLY_PREFETCH_MISSES];
    to->atomic_misses = fmin(o->value[IFL_TALLY_ATOMIC_MISSES], to->l2_atomic_sectors.value);
    to->dram_padding = o->value[IFL_TALLY_DRAM_PADDING];
    to->joined_sectors = o->value[IFL_TALLY_JOINED];
    to->given_sectors = o->value[IFL_TALLY_GIVEN];
    to->l2_read_pieces = o->value[IFL_TALLY_PIECES];
    to->l2_lone_misses = o->value[IFL_TALLY_LONE_MISSES];
}

static void widen_one(ifl_cache_estimate *to, const ifl_cache_estimate *with)
{
    to->low = with->low < to->low ? with->low : to->low;
    to->high = with->high > to->high ? with->high : to->high;
}

/* Another order asks the L2 for other sectors: what counts is which share of them hits. */
static ifl_cache_estimate as_of(double asked, double other, ifl_cache_estimate hits)
{
    const double times = other > 0 ? asked / other : 1;
    return (ifl_cache_estimate){hits.value * times, hits.low * times, hits.high * times};
}

static void widen(ifl_cache_facts *to, ifl_cache_facts *with)
{
    const double asked = to->l2_read_sectors.value, other = with->l2_read_sectors.value;
    const double stored = to->l2_write_sectors.value + to->l2_atomic_sectors.value;
    with->l2_read_hits = as_of(asked, other, with->l2_read_hits);
    with->l2_hits = as_of(asked + stored, other + stored, with->l2_hits);
#define WIDEN(name, unit, doc) widen_one(&to->name, &with->name);
    IFL_CACHE_ESTIMATES(WIDEN)
#undef WIDEN
}

static void describe_sample(const ifl_cache_case *of, ifl_cache_facts *to)
{
    const uint64_t sms = (uint64_t)of->device->value[IFL_DEVICE_sms];
    const bool is_whole = ifl_cache_is_whole(of);
    const double loads = (double)of->load_sectors;
    to->l1_bytes = of->l1_bytes;
    to->l2_bytes = (uint64_t)of->device->value[IFL_DEVICE_l2_bytes];
    to->blocks_per_sm = of->blocks_per_sm;
    to->l2_share = exp2(-(double)of->grid->share);
    to->l2_part = 1 / ifl_cache_cut(of);
    to->l1_share = is_whole || !loads ? 1 : (double)of->sm->load_sectors / loads;
    to->sampled_sms = is_whole ? (uint32_t)(of->blocks < sms ? of->blocks : sms) : 1;
}

void ifl_cache_estimate_all(const ifl_cache_case *of, const ifl_cache_outcomes *outcomes,
                            ifl_cache_facts *out)
{
    const double loads = (double)of->load_sectors;
    describe_sample(of, out);
    describe_turns(outcomes, out);
    out->thin_unused = of->grid->thin_unused;
    out->phases = outcomes->phases;
    out->phases.known &= ifl_cache_cut(of) <= 1; /* otherwise they are those of its beginning */
    describe(of, &outcomes->of_queue[0], out);
    for (int q = 1; q < IFL_CACHE_QUEUES; q++) {
        ifl_cache_facts facts = *out;
        describe(of, &outcomes->of_queue[q], &facts);
        widen(out, &facts);
    }
    out->half_l1_load_hits = of->blocks_per_sm < 2 ? 0
                                                   : between(loads - outcomes->half_l1_misses, 0,
                                                             out->l1_load_sectors.value);
}
