/* SPDX-License-Identifier: Apache-2.0
 * Rules on what the threads of a launch share out among them, beyond the source documents: how many
 * there are, what each does before the block meets, values that several of them load, places that
 * several of them update. */
#include "advice/lanes.h"
#include "advice/merging.h"
#include "advice/situation.h"
#include "base/figure.h"

#include <math.h>

static double of(const ifl_situation *s, ifl_counter which)
{
    return ifl_situation_count(&s->profile->counters, which);
}

/* The line of this kind of access with the most requests. */
static const ifl_profile_line *busiest(const ifl_situation *s, ifl_traffic_kind kind)
{
    const ifl_counter requests = ifl_traffic_counters_of(kind).requests;
    const ifl_profile_line *most = NULL;
    for (size_t i = 0; i < s->profile->lines.count; i++) {
        const ifl_profile_line *line = &s->profile->lines.at[i];
        if (ifl_line_is(line, kind) &&
            (!most || ifl_situation_count(&line->counters, requests) >
                          ifl_situation_count(&most->counters, requests)))
            most = line;
    }
    return most;
}

/* ---- a grid that leaves SMs empty ------------------------------------------------------------ */

/* Work that can be shared out shows as waits one after the other; where the data decide the
 * addresses, it is a chain. */
bool ifl_rule_more_threads(const ifl_situation *s, ifl_remedy *to)
{
    const double filled = 0.5, loop = 8, waves = s->model.waves.waves;
    to->line = busiest(s, IFL_TRAFFIC_global_load);
    if (!to->line || waves > filled || !s->work.waits_known || s->work.waits < loop ||
        to->line->pattern.kind == IFL_PATTERN_IRREGULAR)
        return false;
    const double among = fmin(1 / waves, s->work.waits);
    ifl_remedy_share_out(among, to);
    to->change = (ifl_change){.known = true, .cut = (uint32_t)among};
    to->symptom =
        ifl_situation_say(s,
                          "the grid fills %s of the warps that the GPU holds; each waits for "
                          "loads %s",
                          waves < 0.005 ? "less than 1 %" : ifl_figure_share(waves).text,
                          ifl_figure_times(s->work.waits).text);
    return true;
}

/* ---- what one thread does for its block ------------------------------------------------------- */

/* Of the loads, those of one word where most of what is issued is for lone lanes. */
static double lone_loads(const ifl_situation *s, double share)
{
    const double most_of_it = 0.5;
    double lone = 0, all = 0;
    for (size_t i = 0; i < s->profile->lines.count; i++) {
        const ifl_profile_line *line = &s->profile->lines.at[i];
        const double requests =
            ifl_line_is(line, IFL_TRAFFIC_global_load) ? ifl_line_requests(line) : 0;
        all += requests;
        lone += line->pattern.kind == IFL_PATTERN_BROADCAST ? requests : 0;
    }
    return share > most_of_it && all > 0 ? lone / all : 0;
}

bool ifl_rule_share_lone_work(const ifl_situation *s, ifl_remedy *to)
{
    const double least = 0.2, share = ifl_lanes_lone_share(s->profile);
    if (share < least)
        return false;
    const double fewer = ifl_remedy_part(to, 1 - share + share / 32);
    to->work.instructions *= fewer;
    to->work.int32 *= fewer;
    to->work.fp32 *= fewer;
    to->work.fp64 *= fewer;
    to->work.special *= fewer;
    to->work.cycles *= fewer;
    to->work.shared_waits *= fewer;
    ifl_remedy_waits(1 - lone_loads(s, share) * 31 / 32, to);
    to->change.lone = ifl_lanes_lone_sites(s->profile, s->arena, &to->change.site_count);
    to->change.known = to->change.lone;
    to->symptom = ifl_situation_say(
        s, "one or two lanes execute %.0f %% of the instructions issued", 100 * share);
    return true;
}

/* ---- what is not in the GPU's memory --------------------------------------------------------- */

bool ifl_rule_copy_to_gpu(const ifl_situation *s, ifl_remedy *to)
{
    const double worth = 0.1;
    to->change = (ifl_change){.known = true, .no_host = true};
    to->symptom = ifl_situation_say(
        s, "the bus to the host's memory is busy for %s of the time",
        ifl_figure_share(s->model.term_us[IFL_TERM_HOST] / s->model.time_us.mid).text);
    return ifl_situation_spends(s, IFL_TERM_HOST, worth);
}

/* ---- a block that meets after one element a thread ------------------------------------------- */

bool ifl_rule_reduce_first(const ifl_situation *s, ifl_remedy *to)
{
    const double elements = 4, few_loads = 2.5, few_stores = 0.5, meetings = 3, worth = 0.5;
    const double loads = of(s, IFL_COUNTER_global_load_requests),
                 stores = of(s, IFL_COUNTER_global_store_requests);
    to->line = busiest(s, IFL_TRAFFIC_global_load);
    if (!to->line || loads > few_loads * s->warps || stores > few_stores * loads ||
        of(s, IFL_COUNTER_barriers) < meetings * s->warps ||
        !(ifl_situation_spends(s, IFL_TERM_ISSUE, worth) ||
          ifl_situation_spends(s, IFL_TERM_SHARED, worth) ||
          ifl_situation_spends(s, IFL_TERM_ARITHMETIC, worth) || s->waits))
        return false;
    const double times = ifl_remedy_part(to, elements);
    to->work.blocks /= times;
    to->work.instructions /= times;
    to->work.int32 /= times;
    to->work.fp32 /= times;
    to->work.fp64 /= times;
    to->work.special /= times;
    to->work.shared_passes /= times;
    to->work.spread += to->work.waits * log2(times);
    to->symptom = ifl_situation_say(
        s, "a warp makes %s and waits at %s", ifl_figure_amount(loads / s->warps, "load").text,
        ifl_figure_amount(of(s, IFL_COUNTER_barriers) / s->warps, "barrier").text);
    return true;
}

/* ---- values that many threads load ----------------------------------------------------------- */

/* Each value comes to an SM, or to shared memory, once and is loaded again and again from there. */
static double reuse_of(const ifl_situation *s, ifl_term term)
{
    if (term == IFL_TERM_SHARED) {
        const double stores = of(s, IFL_COUNTER_shared_store_requests);
        return stores > 0 ? of(s, IFL_COUNTER_shared_load_requests) / stores : 0;
    }
    return s->work.dram_bytes > 0 ? of(s, IFL_COUNTER_global_load_useful_bytes) / s->work.dram_bytes
                                  : 0;
}

/* The neighbours of an aligned access touch a sector more each, which the L1 has: they are what is loaded again. */
static double neighbours_excess(const ifl_situation *s)
{
    double excess = 0;
    for (size_t i = 0; i < s->profile->lines.count; i++) {
        const ifl_profile_line *line = &s->profile->lines.at[i];
        if (ifl_line_is(line, IFL_TRAFFIC_global_load) &&
            line->pattern.kind == IFL_PATTERN_OFFSET && ifl_profile_has_aligned(s->profile, line))
            excess += ifl_line_sectors(line) - ifl_line_ideal(line);
    }
    return excess;
}

static bool is_without_excess(const ifl_situation *s, ifl_term term)
{
    const double most = 1.2;
    if (term == IFL_TERM_SHARED)
        return of(s, IFL_COUNTER_shared_load_wavefronts) <=
               most * of(s, IFL_COUNTER_shared_load_wavefronts_ideal);
    return of(s, IFL_COUNTER_global_load_sectors) - neighbours_excess(s) <=
           most * of(s, IFL_COUNTER_global_load_sectors_ideal);
}

/* Lanes that race load the word before each try: nobody else uses what they load. */
static bool is_of_atomics(const ifl_situation *s)
{
    const double much = 0.25;
    return of(s, IFL_COUNTER_shared_atomic_requests) >
           much * of(s, IFL_COUNTER_shared_load_requests);
}

/* Loads for each result, their indexes, checks of bounds and loops: what is issued beside the
 * arithmetic. Two results of a thread share it, as they share the loads. */
static void share_overhead(const ifl_situation *s, double fewer, double requests, ifl_remedy *to)
{
    const double arithmetic = s->work.fp32 + s->work.fp64 + s->work.special,
                 beside = fmax(s->work.instructions - arithmetic, requests);
    to->work.instructions -= (1 - fewer) * beside;
    to->work.int32 *= fewer;
    to->work.cycles *= to->work.instructions / s->work.instructions;
}

bool ifl_rule_results_a_thread(const ifl_situation *s, ifl_remedy *to)
{
    const double often = 8, worth = 0.55, idle = 0.7, some = 0.4;
    const bool on_chip = s->model.term_us[IFL_TERM_SHARED] > s->model.term_us[IFL_TERM_L1];
    const ifl_term term = on_chip ? IFL_TERM_SHARED : IFL_TERM_L1;
    const double reuse = reuse_of(s, term);
    const bool issues =
        !ifl_situation_spends(s, term, worth) && ifl_situation_spends(s, IFL_TERM_ISSUE, worth);
    if (!ifl_situation_spends(s, term, issues ? some : worth) || s->busy > idle || reuse < often ||
        !is_without_excess(s, term) || (on_chip && is_of_atomics(s)))
        return false;
    const double fewer = ifl_remedy_part(to, 0.5);
    const double requests =
        on_chip ? of(s, IFL_COUNTER_shared_load_requests) : of(s, IFL_COUNTER_global_load_requests);
    to->line = on_chip ? busiest(s, IFL_TRAFFIC_shared_load) : busiest(s, IFL_TRAFFIC_global_load);
    *(on_chip ? &to->work.shared_passes : &to->work.l1_passes) *= fewer;
    if (issues)
        share_overhead(s, fewer, requests, to);
    else
        to->work.instructions -= (1 - fewer) * requests;
    to->symptom =
        ifl_situation_say(s,
                          on_chip ? "%s loads from shared memory for each store to it"
                                  : "each byte that comes from DRAM is loaded %s",
                          (on_chip ? ifl_figure_real(reuse) : ifl_figure_times(reuse)).text);
    if (!on_chip)
        to->remedy = "stage what threads share in shared memory, and let each thread compute "
                     "several results from "
                     "what it loads";
    return true;
}

/* ---- a word of shared memory that a warp updates ------------------------------------------------ */

/* Lanes that race repeat a load, a sum, the swap, a test and a branch: what is issued about as often as they try. */
static void spare_tries(const ifl_situation *s, double requests, double spared, ifl_remedy *to)
{
    const double loads = fmin(of(s, IFL_COUNTER_shared_load_requests), requests);
    const double tries = ifl_lanes_issued_often(s->profile, requests / 2);
    const double left = 1 - spared * fmin(tries / s->work.instructions, 1);
    to->work.shared_passes -= fmin(spared * (of(s, IFL_COUNTER_shared_atomic_wavefronts) + loads),
                                   spared * s->work.shared_passes);
    to->work.instructions *= left;
    to->work.int32 *= left;
    to->work.fp32 *= left;
    to->work.cycles *= left;
    to->work.shared_waits *= left;
}

bool ifl_rule_reduce_in_warp(const ifl_situation *s, ifl_remedy *to)
{
    const double meet = 4, worth = 0.4, warp = 32;
    const double requests = of(s, IFL_COUNTER_shared_atomic_requests),
                 serial = of(s, IFL_COUNTER_shared_atomic_serial);
    to->line = busiest(s, IFL_TRAFFIC_shared_atomic);
    if (!to->line || !(ifl_situation_spends(s, IFL_TERM_SHARED, worth) ||
                       ifl_situation_spends(s, IFL_TERM_ISSUE, worth)))
        return false;
    const double racing = ifl_lanes_racing(s->profile, to->line), meeting = serial / requests;
    if (racing >= meet)
        spare_tries(s, requests, to->share * (1 - 1 / warp), to);
    else if (meeting >= meet)
        to->work.shared_passes -= to->share * (serial - requests);
    else
        return false;
    to->symptom =
        racing >= meet
            ? ifl_situation_say(s, "a warp tries %s, with %s racing for one word",
                                ifl_figure_times(requests / s->warps).text,
                                ifl_figure_amount(racing, "lane").text)
            : ifl_situation_say(s, "%s of a request update the same word of shared memory",
                                ifl_figure_amount(meeting, "lane").text);
    return true;
}

/* ---- places that many threads update --------------------------------------------------------- */

/* One lane updates for its warp, but many warps of a block do so, all on the same 512 bytes: each takes two passes there. */
static bool warps_meet(const ifl_situation *s, const ifl_profile_line *line, double requests)
{
    const double passes = 2, most = 0.9, warps = 2;
    return line->pattern.kind == IFL_PATTERN_BROADCAST && requests >= warps * s->work.blocks &&
           of(s, IFL_COUNTER_global_atomic_busiest_part) >= most * passes * requests;
}

static const char *say_atomics(const ifl_situation *s, double requests, double serial)
{
    if (serial <= requests)
        return ifl_situation_say(s, "%s per block, each of one word, all in the same 512 bytes",
                                 ifl_figure_amount(requests / s->work.blocks, "atomic").text);
    return ifl_situation_say(
        s, "%s per warp, each of %s, with %s on one address",
        ifl_figure_amount(requests / s->warps, "atomic").text,
        ifl_figure_amount(of(s, IFL_COUNTER_global_atomic_sectors_touched) / requests, "sector")
            .text,
        ifl_figure_amount(serial / requests, "lane").text);
}

bool ifl_rule_fewer_atomics(const ifl_situation *s, ifl_remedy *to)
{
    const double worth = 0.4, meet = 1.2;
    const uint32_t *block = s->profile->block;
    const double threads = (double)block[0] * block[1] * block[2];
    const double requests = of(s, IFL_COUNTER_global_atomic_requests),
                 serial = of(s, IFL_COUNTER_global_atomic_serial);
    to->line = busiest(s, IFL_TRAFFIC_global_atomic);
    if (!to->line || !ifl_situation_spends(s, IFL_TERM_ATOMICS, worth))
        return false;
    const bool lanes_meet = serial >= meet * requests;
    if (!lanes_meet && !warps_meet(s, to->line, requests))
        return false;
    const double joined = lanes_meet ? threads : requests / s->work.blocks;
    /* half of the effect: as many orders of magnitude, as a warp is among the threads of a block */
    const double fewer = pow(1 / fmax(joined, 1), to->share);
    const double sectors = of(s, IFL_COUNTER_global_atomic_sectors_touched);
    to->work.shared_passes += (1 - fewer) * serial;
    to->work.atomic_passes *= fewer;
    to->work.part_passes *= fewer;
    to->work.slice_passes *= fewer;
    to->work.l2_bytes -= fmin((1 - fewer) * sectors * 32, to->work.l2_bytes / 2);
    to->symptom = say_atomics(s, requests, serial);
    return true;
}

/* Blocks that gather on chip first: of as many as the GPU holds, each merges once. */
bool ifl_rule_merge_once(const ifl_situation *s, ifl_remedy *to)
{
    const double worth = 0.4, few_waves = 1.5, waves = s->model.waves.waves;
    const double requests = of(s, IFL_COUNTER_global_atomic_requests),
                 bytes = 32 * of(s, IFL_COUNTER_global_atomic_sectors_touched);
    if (waves < few_waves || !ifl_situation_spends(s, IFL_TERM_ATOMICS, worth) ||
        !ifl_blocks_merge(s->profile))
        return false;
    /* half of the effect: as many orders of magnitude. An H100 merges 16,384 histograms of 16 MiB of
     * bytes in 168 us and 1,056 in 39 (steps.cu of tests/advice): 4.3 times as fast. */
    const double times = pow(waves, to->share);
    to->line = busiest(s, IFL_TRAFFIC_global_atomic);
    to->work.each = NULL;
    to->work.blocks /= times;
    to->work.waits *= times;
    to->work.spread *= times;
    to->work.cycles *= times;
    to->work.shared_waits *= times;
    to->work.atomic_passes /= times;
    to->work.part_passes /= times;
    to->work.slice_passes /= times;
    to->work.l2_bytes -= fmin((1 - 1 / times) * bytes, to->work.l2_bytes / 2);
    to->symptom = ifl_situation_say(
        s,
        "each of %s makes %s of a warp on places that all of them update; the GPU holds %s at "
        "once",
        ifl_figure_amount(s->work.blocks, "block").text,
        ifl_figure_amount(requests / s->work.blocks, "atomic request").text,
        ifl_figure_count((uint64_t)(s->work.blocks / waves + 0.5)).text);
    return true;
}

/* ---- integer divisions -------------------------------------------------------------------------- */

/* ptxas takes the reciprocal of a divisor that it does not know in floating point, rounded up (I2F.RP,
 * MUFU.RCP, F2I), and corrects the quotient: 17 instructions for an unsigned remainder of 32 bits
 * (ptxas 13.0, sm_90, tests/advice/steps.cu), three of them of the XU. Signed ones take more. What
 * several quotients have in common it computes once, so that reciprocals are counted. */
bool ifl_rule_integer_division(const ifl_situation *s, ifl_remedy *to)
{
    const double each = 17, replaced_by = 1, of_xu = 3, least = 0.1, worth = 0.6;
    const double divisions =
        s->profile->machine.ran ? ifl_opcodes_count(&s->profile->opcodes, IFL_TRAIT_DIVISOR) : 0;
    const double spared = to->share * divisions * (each - replaced_by);
    if (divisions * each < least * s->work.instructions ||
        !(ifl_situation_spends(s, IFL_TERM_ISSUE, worth) ||
          ifl_situation_spends(s, IFL_TERM_ARITHMETIC, worth)))
        return false;
    const double left = 1 - fmin(spared / s->work.instructions, 1);
    to->work.instructions *= left;
    to->work.cycles *= left;
    to->work.int32 -= fmin(spared * (each - of_xu) / each, to->work.int32);
    to->work.special -= fmin(to->share * divisions * of_xu, to->work.special);
    to->symptom = ifl_situation_say(
        s, "%s per warp by values that the compiler does not know, of about 17 instructions each",
        ifl_figure_amount(divisions / s->warps, "integer division").text);
    return true;
}
