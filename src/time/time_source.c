/* SPDX-License-Identifier: Apache-2.0
 * The shares of the caches' simulation, drawn for one line after the other. */
#include "time/time_source.h"

#include "arch/units.h"

#include <math.h>
#include <stdlib.h>

enum {
    LINES = 1 << 28,    /* that a trace can name */
    HALVES_OF_LINE = 2, /* of two sectors, which the DRAM brings together */
    RECENT = 1 << 12    /* fetches */
};

/* Pages that no line lies in cost nothing. */
uint8_t *ifl_time_sources_asked(void)
{
    return calloc(LINES * HALVES_OF_LINE / 8, 1);
}

/* Has this SM not asked for these halves of the line before? */
bool ifl_time_source_is_first(ifl_time_memory *m, uint64_t line, unsigned sectors)
{
    const uint64_t at = line % LINES * HALVES_OF_LINE;
    const unsigned halves = ((sectors & 3) != 0) | (unsigned)((sectors & 0xc) != 0) << 1;
    const unsigned first = halves & ~(unsigned)(m->asked[at / 8] >> at % 8);
    m->asked[at / 8] |= (uint8_t)(halves << at % 8);
    if (m->rates->phases.known && m->fetches >= RECENT) {
        m->fetches /= 2;
        m->first_fetches /= 2;
    }
    m->fetches++;
    m->first_fetches += first != 0;
    return first != 0;
}

/* Of the lines that the L2 is asked for now, the share that comes from DRAM. */
static double missed_now(const ifl_time_memory *m)
{
    const ifl_cache_phases *p = &m->rates->phases;
    const double missed = 1 - m->rates->l2_hit;
    return p->known && m->phase >= 0 && p->far_mean > 0
               ? fmin(1, missed * p->far[m->phase] / p->far_mean)
               : missed;
}

/* The same, and of those that are on their way from there for others. If this is not known, all SMs
 * run the same code side by side in the first wave: a line that this one asks for the first time has
 * just been asked for by the others. */
static double late_now(const ifl_time_memory *m, double missed)
{
    const ifl_cache_phases *p = &m->rates->phases;
    if (m->rates->l2_hit >= 1)
        return 0;
    if (!p->known)
        return m->is_later ? missed : 1;
    return fmax(missed, m->phase >= 0 ? p->late[m->phase] : p->late_mean);
}

/* What comes from the DRAM comes for those who ask first: of all fetches `missed` do, and so
 * `missed` over the share of the first ones among these, and of the others what is left. */
static double dram_share(const ifl_time_memory *m, bool first, double missed)
{
    const double firsts = (double)m->first_fetches / (double)m->fetches;
    if (first)
        return fmin(1, missed / firsts);
    return missed > firsts && firsts < 1 ? (missed - firsts) / (1 - firsts) : 0;
}

/* Who asks first waits for what is on its way. */
static double on_its_way_share(const ifl_time_memory *m, double missed)
{
    const double firsts = (double)m->first_fetches / (double)m->fetches,
                 others = late_now(m, missed) - missed;
    return others <= 0 ? 0 : firsts > missed ? fmin(1, others / (firsts - missed)) : 1;
}

/* Requests are of two kinds: those that find all in the L2, and those whose lines each come from
 * DRAM with the probability that one does beside another (docs/model.md, "Work"). */
static bool comes_from_dram(ifl_time_memory *m, ifl_time_choice *choice, double missed)
{
    const double together = fmax(m->rates->dram_together, missed);
    if (!choice->is_drawn)
        choice->has_dram = ifl_time_memory_draw(m) * together < missed;
    choice->is_drawn = true;
    return choice->has_dram && ifl_time_memory_draw(m) < together;
}

/* Where it is the GPU's own no cache has it when the launch begins. */
static ifl_time_source of_host(const ifl_time_memory *m, bool first)
{
    if (m->rates->host_latency > 0)
        return IFL_TIME_FROM_HOST;
    return first ? IFL_TIME_FROM_DRAM : IFL_TIME_FROM_L2;
}

ifl_time_source ifl_time_source_of(ifl_time_memory *m, uint64_t line, unsigned sectors,
                                   ifl_time_choice *choice)
{
    const bool first = ifl_time_source_is_first(m, line, sectors);
    if (choice->of_host)
        return of_host(m, first);
    const double missed = missed_now(m), share = dram_share(m, first, missed);
    const bool comes =
        first ? ifl_time_memory_draw(m) < share
              : comes_from_dram(m, choice, missed) && ifl_time_memory_draw(m) * missed < share;
    if (comes)
        return IFL_TIME_FROM_DRAM;
    const double others = first ? on_its_way_share(m, missed) : 0;
    return others >= 1 || (others > 0 && ifl_time_memory_draw(m) < others) ? IFL_TIME_ON_ITS_WAY
                                                                           : IFL_TIME_FROM_L2;
}
