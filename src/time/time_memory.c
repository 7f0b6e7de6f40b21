/* SPDX-License-Identifier: Apache-2.0
 * Requests of one SM and the servers that they pass. The other SMs are assumed to request as much
 * as this one, which has its share of the bandwidth of L2 and DRAM. */
#include "time/time_memory.h"

#include "arch/atomics.h"

#include "arch/units.h"
#include "base/digest.h"
#include "cache/line.h"
#include "cache/set_shape.h"
#include "time/time_remote.h"
#include "time/time_source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 2 * IFL_SECTOR_BYTES };

static void close_lines(ifl_time_memory *m)
{
    for (uint32_t i = 0; i < m->open_most; i++)
        m->open_lines[i] = UINT32_MAX;
}

bool ifl_time_memory_begin(ifl_time_memory *m, const ifl_sm_rates *rates)
{
    ifl_room room = m->room;
    const ifl_arch *k = &rates->arch;
    *m = (ifl_time_memory){
        .rates = rates,
        .arch = k,
        .room = room,
        .ways = (uint32_t)k->l1_ways,
        .sets = rates->l1_lines / (uint32_t)k->l1_ways,
        .lacking.most = (uint32_t)fmin(k->lacking_loads, IFL_TIME_MOST_LACKING),
        .sent_most = (uint32_t)fmin(k->sent_requests, IFL_TIME_MOST_SENT),
        .open_most = (uint32_t)fmin(k->open_lines, IFL_TIME_MOST_OPEN_LINES),
    };
    m->l2.most_load = ifl_sm_constant.most_load;
    m->dram.most_load = rates->dram_load;
    m->l2.slack = ifl_sm_constant.slack + rates->ahead_bytes / rates->l2_bytes_per_cycle;
    m->dram.slack = ifl_sm_constant.slack + rates->ahead_bytes / rates->dram_bytes_per_cycle;
    m->l2.share = rates->l2_bytes_per_cycle * rates->sms / rates->l2_bytes_of_all;
    m->dram.share = rates->dram_bytes_per_cycle * rates->sms / rates->dram_bytes_of_all;
    close_lines(m);
    m->behind.turn = rates->constants_turn;
    m->behind.first_cycles = (uint64_t)rates->indexed_first_cycles;
    ifl_constant_cache_begin(&m->indexed, &m->behind, (uint32_t)k->constant_lines,
                             (uint64_t)rates->indexed_cycles, true);
    m->lines = ifl_room_take_zeroed(&m->room, (size_t)m->sets * m->ways, sizeof *m->lines);
    m->asked = ifl_time_sources_asked();
    return m->lines && m->asked;
}

void ifl_time_memory_forget(ifl_time_memory *m)
{
    if (m->holds)
        memset(m->lines, 0, (size_t)m->sets * m->ways * sizeof *m->lines);
    m->holds = false;
}

void ifl_time_memory_free(ifl_time_memory *m)
{
    ifl_room_free(&m->room);
    free(m->asked);
    m->asked = NULL;
}

/* A number from 0 to 1. */
static double draw_from(uint64_t *drawn)
{
    const uint64_t hash = ifl_hash_number(*drawn);
    *drawn += UINT64_C(0x9e3779b97f4a7c15); /* the step of SplitMix64 */
    return (double)(hash >> 11) * 0x1p-53;
}

double ifl_time_memory_draw(ifl_time_memory *m)
{
    return draw_from(&m->drawn);
}

/* ---- behind the L1 --------------------------------------------------------------------------- */

static double serve(double *free, double now, double cycles)
{
    const double begins = fmax(*free, now);
    *free = begins + cycles;
    return begins;
}

/* Requests of all SMs wait for each other: with this the time is the smooth minimum of Little's
 * bound and the bandwidth, as it was measured (docs/model.md). Those of few SMs, which their ways in hold back, do not fill the
 * server (an H200, tools/gpu/few_sms_probe.cu: 1 to 66 SMs take the same cycles each). */
static double wait_under(const ifl_time_server *s, double latency)
{
    const double busy = fmin(s->load * s->share, s->most_load);
    return ifl_sm_constant.wait_part * latency * (1 / sqrt(1 - busy * busy) - 1);
}

static double load_left(const ifl_time_server *s, double now)
{
    return s->load * exp(-fmax(now - s->seen, 0) / ifl_sm_constant.load_cycles);
}

static void add_load(ifl_time_server *s, double now, double cycles)
{
    s->load = load_left(s, now) + cycles / ifl_sm_constant.load_cycles;
    s->seen = fmax(s->seen, now);
}

/* Reads of the DRAM wait for what is written to it in between. An H100's copies and reads of the
 * same arrays by 16 to 264 blocks, tools/gpu/copy_probe.cu: at 18 % of the bandwidth, half of it
 * written, a read takes 873 cycles in place of 762, at 33 % 965 for 774, at 55 % 1,164 for 830. */
static double wait_for_writes(const ifl_time_memory *m, double now)
{
    return ifl_sm_constant.write_wait * m->rates->dram_latency *
           fmin(load_left(&m->written, now), 1);
}

/* What an SM asks for at once goes at more than its share of the pace, as the others ask at other
 * times: it feels what it is ahead of its share by only beyond the slack. Returns when the request
 * is taken. */
static double serve_shared(ifl_time_server *s, double now, double cycles, double latency)
{
    const double ahead = fmax(s->free - now, 0);
    add_load(s, now, cycles);
    s->free = now + ahead + cycles;
    return now + fmax(ahead - s->slack, wait_under(s, latency));
}

/* As many lines can be on their way as the L1 has places for: the next one waits for the first of
 * them. */
static double wait_for_place(const ifl_time_memory *m, double now)
{
    const uint32_t most = (uint32_t)fmin(m->rates->lines_in_flight, IFL_TIME_IN_FLIGHT - 1);
    if (!most)
        return now;
    return fmax(now,
                m->in_flight[(m->in_flight_at + IFL_TIME_IN_FLIGHT - most) % IFL_TIME_IN_FLIGHT]);
}

static double lone_pieces_of(unsigned sectors)
{
    return ((sectors & 3) == 1 || (sectors & 3) == 2) +
           ((sectors & 0xc) == 4 || (sectors & 0xc) == 8);
}

/* Turns of the L2 for what the DRAM brings. */
static double fetch_turns(const ifl_sm_rates *r, unsigned sectors)
{
    const double lone = lone_pieces_of(sectors),
                 whole = ((double)__builtin_popcount(sectors) - lone) / 2;
    return r->lone_fetch * lone + r->whole_fetch * whole;
}

static double count_of(unsigned sectors)
{
    return (double)__builtin_popcount(sectors);
}

/* Some lines come sooner from the DRAM and some later, by the state of its banks, by refresh and by
 * the half of the L2 that they come through. What waits for several waits for the last one. The
 * mean is the latency. Lines of one place come together. The first place has the mean, so that small
 * launches have no luck. */
static double drawn_of(ifl_time_memory *m, uint64_t line)
{
    const double mean = 1 - exp(-1);
    const uint64_t together = (uint64_t)m->arch->dram_place_bytes / IFL_LINE_BYTES;
    const uint64_t place = line / together + 1;
    ifl_time_place *known = &m->places[place % IFL_TIME_PLACES];
    if (known->place != place)
        *known = (ifl_time_place){place, m->places_drawn ? draw_from(&m->places_drawn) : mean};
    m->places_drawn += !m->places_drawn;
    return known->drawn;
}

static double dram_latency(ifl_time_memory *m, uint64_t line)
{
    const double spread = m->rates->dram_spread;
    return m->rates->dram_latency * (1 - spread - spread * log(1 - drawn_of(m, line)));
}

/* What other sectors of the line were fetched for is there no sooner than they are: of four warps
 * that read 32 bytes of a line each, two have the DRAM's latency by the counters, and all wait. */
static ifl_time_arrival *arrival_of(ifl_time_memory *m, uint64_t line)
{
    return &m->arrivals[line % IFL_TIME_ARRIVALS];
}

void ifl_time_memory_come_to(ifl_time_memory *memory, double issued, double all)
{
    const double share = all > 0 ? issued / all : -1;
    memory->phase = share < 0 ? -1 : (int)fmin(share * IFL_CACHE_PHASES, IFL_CACHE_PHASES - 1);
}

/* Of what the L2 has now, the share that the other half has. */
static double far_share_now(const ifl_time_memory *m)
{
    const ifl_cache_phases *p = &m->rates->phases;
    const double all = m->rates->far_share;
    if (!p->known || m->phase < 0 || p->other_mean <= 0 || p->far[m->phase] >= 1)
        return all;
    return fmin(1, all * p->other[m->phase] / p->other_mean * (1 - p->far_mean) /
                       (1 - p->far[m->phase]));
}

/* A DRAM that nobody has asked for anything gives half of what it gives later. */
static double starting(const ifl_sm_rates *r, double now)
{
    return r->is_first ? 1 + exp(-now / r->arch.dram_start_cycles) : 1;
}

/* Sectors of a line that the L1 lacks: when they come. `share`: of the L2's best bandwidth. */
static double fetch(ifl_time_memory *m, uint64_t line, unsigned sectors, double now,
                    ifl_time_source from, double share)
{
    const ifl_sm_rates *r = m->rates;
    if (from == IFL_TIME_FROM_HOST)
        return ifl_time_host_pass(&m->host, r, IFL_HOST_TO_GPU, count_of(sectors), now) +
               r->host_latency;
    const bool from_dram = from == IFL_TIME_FROM_DRAM;
    const double bytes_taken =
        fmax(count_of(sectors), r->line_sectors) * IFL_SECTOR_BYTES * r->joined +
        (from_dram ? fetch_turns(r, sectors) * PIECE_BYTES : 0);
    const double cycles = bytes_taken / (r->l2_bytes_per_cycle * share);
    const double l2 = serve_shared(&m->l2, now, cycles, r->l2_latency);
    double ends =
        l2 + (ifl_time_memory_draw(m) < far_share_now(m) ? r->l2_far_latency : r->l2_latency);
    m->l2_sectors += (uint64_t)count_of(sectors);
    if (from_dram) {
        const double bytes = count_of(sectors) * r->dram_sector_bytes;
        m->dram_sectors += (uint64_t)count_of(sectors);
        const double taken = bytes / r->dram_bytes_per_cycle * starting(r, l2);
        ends = serve_shared(&m->dram, l2, taken, r->dram_latency) + wait_for_writes(m, l2) +
               dram_latency(m, line);
        *arrival_of(m, line) = (ifl_time_arrival){line, ends};
    } else if (from == IFL_TIME_ON_ITS_WAY) {
        ends = fmax(ends, l2 + dram_latency(m, line) * r->arch.on_its_way);
    } else if (arrival_of(m, line)->line == line) {
        ends = fmax(ends, arrival_of(m, line)->at);
    }
    return ends;
}

/* What goes past the L1 needs no place there. */
static double fetch_into_l1(ifl_time_memory *m, uint64_t line, unsigned sectors, double now,
                            ifl_time_source from)
{
    const double ends = fetch(m, line, sectors, wait_for_place(m, now), from, m->arch->l2_share);
    m->in_flight[m->in_flight_at] = ends;
    m->in_flight_at = (m->in_flight_at + 1) % IFL_TIME_IN_FLIGHT;
    return ends;
}

/* What a neighbour writes the rest of takes the L2 longer (an H200: stores of 128 bytes of floats
 * by warps of blocks of 64 take 101 µs in place of 42 where their first byte is not a sector's,
 * tools/gpu/store_probe.cu). */
static void write_ends(ifl_time_memory *m, uint32_t ends, double now)
{
    const ifl_sm_rates *r = m->rates;
    if (ends == IFL_STORE_ONE_END || ends == IFL_STORE_TWO_ENDS)
        serve_shared(&m->l2, now, ends * r->end_turns * PIECE_BYTES / r->l2_bytes_per_cycle, 0);
}

/* What becomes of sectors that are written: their part of what the DRAM writes and fills. `held`: what
 * each at least holds up of what the DRAM brings, in its turns. */
static void write_back(ifl_time_memory *m, double sectors, double held, double now)
{
    const ifl_sm_rates *r = m->rates;
    const double cycles = sectors * IFL_SECTOR_BYTES / r->dram_bytes_per_cycle;
    serve_shared(&m->dram, now, cycles * fmax(r->dram_store_share, held), 0);
    add_load(&m->written, now, cycles * r->dram_store_share);
}

static bool is_of_host(const ifl_time_memory *m, ifl_request_cost cost)
{
    return cost.of_host && m->rates->host_latency > 0;
}

/* When the L2 takes it. Several sectors of a line that are written in part take longer. */
static double store_behind(ifl_time_memory *m, unsigned sectors, bool in_parts, double now)
{
    const ifl_sm_rates *r = m->rates;
    const double turns =
        r->store_pieces + (in_parts && sectors & (sectors - 1) ? r->part_turns : 0);
    const double l2 = serve_shared(&m->l2, now, turns * PIECE_BYTES / r->l2_bytes_per_cycle, 0);
    write_back(m, count_of(sectors), m->arch->stored_turn, l2);
    return l2;
}

/* The L1 gathers what is stored in the same lines by one store after the other before it sends them
 * on: it has so many lines open at a time, whichever warps they are of, and closes them when no store
 * comes. */
static bool is_gathered(ifl_time_memory *m, uint32_t word, uint32_t lines)
{
    const uint32_t line = word >> IFL_LINE_SECTORS;
    bool is_open = false;
    for (uint32_t i = 0; i < m->open_most; i++)
        is_open |= m->open_lines[i] == line;
    m->open_lines[m->open_at] = line;
    m->open_at = (m->open_at + 1) % m->open_most;
    return is_open && lines <= m->arch->gathered_lines;
}

/* ---- the L1 ---------------------------------------------------------------------------------- */

static ifl_time_line *set_of(const ifl_time_memory *m, uint64_t line)
{
    return &m->lines[(size_t)ifl_set_of(ifl_line_place(line), 0, m->sets) * m->ways];
}

static ifl_time_line *find_line(const ifl_time_memory *m, uint64_t line)
{
    ifl_time_line *set = m->sets ? set_of(m, line) : NULL;
    for (uint32_t way = 0; set && way < m->ways; way++)
        if (set[way].line == line + 1)
            return &set[way];
    return NULL;
}

/* In the place of the one that was not used for longest. */
static ifl_time_line *place_line(ifl_time_memory *m, uint64_t line)
{
    m->holds = true;
    ifl_time_line *set = m->sets ? set_of(m, line) : NULL, *oldest = set;
    for (uint32_t way = 1; set && way < m->ways; way++)
        if (set[way].used < oldest->used)
            oldest = &set[way];
    if (oldest)
        *oldest =
            (ifl_time_line){.line = line + 1, .there = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    return oldest;
}

/* Sectors that the line does not have and that nobody has asked for. */
static unsigned missing_of(const ifl_time_line *line, unsigned sectors)
{
    unsigned missing = 0;
    for (unsigned s = 0; s < IFL_LINE_SECTORS; s++)
        if (sectors >> s & 1 && (!line || line->there[s] == HUGE_VAL))
            missing |= 1u << s;
    return missing;
}

typedef struct load {
    double ends;
    double missed, late; /* lines that the L1 lacks; these and those that are on their way */
    ifl_time_choice choice;
} load;

/* What the SM stores and adds goes first: on an H200 a load that the L2 has takes a warp 280 cycles, and behind 32, 64 and 128
 * lines that the SM stores 114, 222 and 340 to 395 more, but no more than 440 behind others (tools/gpu/behind_probe.cu). The L1
 * asks for a line a cycle, and for no more sectors than can come. Returns when it asks. */
static double ask_behind(ifl_time_memory *m, unsigned sectors, double now)
{
    return serve(&m->miss_free, fmax(now, fmax(m->added, m->port_free)),
                 fmax(1, count_of(sectors) * IFL_SECTOR_BYTES / m->arch->port_bytes_per_cycle));
}

/* Past the L1: what another request has asked for is shared while it is on its way; how often, the
 * caches' simulation says. */
static double load_past(ifl_time_memory *m, uint64_t number, unsigned sectors, double now, load *l)
{
    if (!l->choice.of_host && ifl_time_memory_draw(m) < m->rates->shared_past)
        return now + m->rates->l2_latency;
    l->missed++;
    const double asked = ask_behind(m, sectors, now),
                 taken =
                     l->choice.of_host ? asked : serve(&m->past_free, asked, m->rates->past_turn);
    return fetch(m, number, sectors, taken, ifl_time_source_of(m, number, sectors, &l->choice),
                 m->arch->l2_share);
}

/* Which lines stay depends on the order of the warps, and many on their way push each other out
 * sooner here than in the hardware: fewer hits than the caches' simulation has, which was held
 * against counters, there are not. */
static bool is_granted(const ifl_time_memory *m, const load *l)
{
    return !l->choice.of_host && (double)m->l1_hits + ifl_sm_constant.granted_sectors <
                                     m->rates->l1_hit * (double)m->l1_sectors;
}

/* Through it. */
static double load_through(ifl_time_memory *m, uint64_t number, unsigned sectors, double now,
                           load *l)
{
    ifl_time_line *line = find_line(m, number);
    const unsigned lost = line ? line->lost & sectors : 0,
                   missing = (is_granted(m, l) ? 0 : missing_of(line, sectors)) | lost;
    double ends = missing ? fetch_into_l1(m, number, missing, ask_behind(m, missing, now),
                                          ifl_time_source_of(m, number, missing, &l->choice))
                          : 0;
    const double comes = ends;
    m->l1_hits += l->choice.of_host ? 0 : (uint64_t)count_of(sectors & (~missing | lost));
    if (line)
        line->lost &= ~lost;
    if (missing && !line)
        line = place_line(m, number);
    for (unsigned s = 0; line && s < IFL_LINE_SECTORS; s++) {
        if (missing >> s & 1)
            line->there[s] = comes;
        if (sectors >> s & 1 && line->there[s] != HUGE_VAL)
            ends = fmax(ends, line->there[s]);
    }
    if (line)
        line->used = now;
    l->missed += missing != 0;
    return ends;
}

static void load_line(ifl_time_memory *m, uint64_t number, unsigned sectors, bool keeps, double now,
                      load *l)
{
    m->l1_sectors += l->choice.of_host ? 0 : (uint64_t)count_of(sectors);
    const double ends =
        keeps ? load_through(m, number, sectors, now, l) : load_past(m, number, sectors, now, l);
    l->ends = fmax(l->ends, ends);
    l->late += ends > now + m->rates->l1_latency;
}

static bool uses_l1(uint8_t path)
{
    return path != IFL_PATH_PAST && path != IFL_PATH_BYPASS;
}

static uint64_t line_at(const uint32_t *words, uint32_t index, unsigned *sectors)
{
    *sectors = words[index] & ((1u << IFL_LINE_SECTORS) - 1);
    return words[index] >> IFL_LINE_SECTORS;
}

/* Consecutive words that are not aligned to lines. */
static bool is_across(ifl_request_cost cost, const uint32_t *words)
{
    bool follows = cost.lines == cost.passes + 1;
    for (uint32_t i = 1; i < cost.lines && follows; i++)
        follows = words[i] >> IFL_LINE_SECTORS == (words[i - 1] >> IFL_LINE_SECTORS) + 1;
    return follows;
}

/* Of a load whose lines the L1 has. */
static double passes_of_hits(const ifl_sm_rates *r, ifl_request_cost cost)
{
    return fmax(cost.passes, (cost.lines + 2) / r->tag_lines + r->data_beside_tags * cost.passes);
}

/* The least that a load takes of which something is not there (tools/gpu/late_probe.cu). One whose wavefronts have
 * words of two lines each looks up one after the other: an H200, convolve_row of tests/model/everyday 2.3 cycles
 * a load, late_probe's requests for two lines 2.5; those that find their lines there 1.1. */
static double least_of_late(const ifl_arch *arch, const ifl_site_access *access,
                            ifl_request_cost cost, const uint32_t *words)
{
    const bool is_narrow = access->bytes > 0 && access->bytes < IFL_WORD_BYTES;
    const double least = is_narrow ? arch->late_narrow_passes : arch->late_passes;
    return is_across(cost, words) ? fmax(2 * arch->miss_passes * cost.passes, least) : least;
}

/* What is of a line that it lacks comes by itself later, in a pass of its own. An H100, requests
 * for 8, 16, 32 such lines: 9.1, 16.6, 32.7 cycles, whatever banks they lie in
 * (tools/gpu/fill_probe.cu). */
static double passes_of_load(const ifl_arch *arch, const ifl_site_access *access,
                             ifl_request_cost cost, const uint32_t *words, double hits,
                             const load *l)
{
    const double passes = l->missed < cost.lines ? hits + arch->miss_passes * l->missed
                                                 : fmax(cost.passes, l->missed);
    return l->late > 0 && uses_l1(access->path)
               ? fmax(passes, least_of_late(arch, access, cost, words))
               : passes;
}

/* Lines of one request follow each other while those of another one pass between them. */
static double lines_apart(const ifl_time_memory *m, uint32_t lines)
{
    return lines > 2 ? m->arch->line_apart_cycles * (lines - 2) : 0;
}

/* An asynchronous copy past the L1 fills shared memory as lines come, which their fetching counts:
 * on an H200 such copies of whole lines take 1.1 to 1.9 wavefronts
 * (l1tex__data_pipe_lsu_wavefronts_mem_shared, lab/attention), not four. */
static bool is_filled(const ifl_site_access *access)
{
    return access->kind == IFL_ACCESS_LOAD && access->space == IFL_SPACE_GLOBAL &&
           access->path == IFL_PATH_PAST && access->is_copied;
}

/* Its sectors come one after the other. */
static double fill_past(ifl_time_memory *m, ifl_request_cost cost, const uint32_t *words,
                        double ends)
{
    double cycles = 0;
    for (uint32_t i = 0; i < cost.lines; i++) {
        unsigned sectors;
        line_at(words, i, &sectors);
        cycles += m->arch->past_sector_cycles * count_of(sectors);
    }
    m->fill_free = fmax(m->fill_free, ends - cycles) + cycles;
    return m->fill_free;
}

static ifl_served take_load(ifl_time_memory *m, const ifl_site_access *access,
                            ifl_request_cost cost, const uint32_t *words, double now)
{
    const double passes = passes_of_hits(m->rates, cost),
                 begins = fmax(m->l1_free, fmax(ifl_time_lacking_room(&m->lacking), now));
    const double latency =
        access->kind == IFL_ACCESS_TEXTURE_LOAD || access->kind == IFL_ACCESS_SURFACE_LOAD
            ? m->arch->texture_latency
            : m->rates->l1_latency;
    const double behind = fmax(passes - 1, lines_apart(m, cost.lines));
    load l = {.ends = begins + behind + latency, .choice.of_host = cost.of_host};
    for (uint32_t i = 0; i < cost.lines; i++) {
        unsigned sectors;
        const uint64_t line = line_at(words, i, &sectors);
        load_line(m, line, sectors, uses_l1(access->path), begins + lines_apart(m, i + 1), &l);
    }
    m->l1_free =
        begins + (is_filled(access) ? m->arch->past_fill_passes
                                    : passes_of_load(m->arch, access, cost, words, passes, &l));
    if (is_filled(access))
        l.ends = fill_past(m, cost, words, l.ends);
    if (l.missed > 0)
        ifl_time_lacking_add(&m->lacking, begins, l.ends);
    return (ifl_served){begins, l.ends, 0, 0};
}

/* They are used one after the other, though no time passes. */
static double next_use(ifl_time_memory *m, double now)
{
    enum { USES = 1000000 }; /* in a cycle */
    return m->passed_use = fmax(m->passed_use, now) + 1.0 / USES;
}

static void pass_load(ifl_time_memory *m, const ifl_site_access *access, uint64_t number,
                      unsigned sectors, double now)
{
    ifl_time_line *line = uses_l1(access->path) ? find_line(m, number) : NULL;
    const unsigned missing = missing_of(line, sectors);
    if (missing)
        ifl_time_source_is_first(m, number, missing);
    if (missing && !line && uses_l1(access->path))
        line = place_line(m, number);
    for (unsigned s = 0; line && s < IFL_LINE_SECTORS; s++)
        if (missing >> s & 1)
            line->there[s] = now;
    if (line)
        line->used = next_use(m, now);
}

/* What was written is there for later loads (docs/caches.md, "Rules of the L1"). Which words were
 * written a trace does not say. Those of whole lines and of a thread's own memory are there; of
 * sectors that were written in part, what is loaded is taken to be there where it often is. */
static bool is_kept(const ifl_time_memory *m, const ifl_site_access *access, unsigned sectors)
{
    return access->path == IFL_PATH_LOCAL ||
           (access->path != IFL_PATH_BYPASS &&
            (m->rates->keeps_parts || sectors == (1u << IFL_LINE_SECTORS) - 1));
}

/* A sector that a warp stores in several parts, between which the L1 sent on what others stored, so that
 * it gathered nothing: the next load finds nothing of it. Measured (again_probe, H200, states of six
 * words that each warp loads and stores again): with one warp on an SM the L1 has all words again,
 * in 22 to 60 % of the turns with 8 and 32 warps a load misses; of one word it has all. */
static void note_sent(ifl_time_memory *m, uint64_t number, unsigned sectors, double now)
{
    ifl_time_line *line = find_line(m, number);
    const bool follows = line && m->sends > line->last_send;
    m->sends++;
    if (!line)
        return;
    line->last_send = m->sends;
    for (unsigned s = 0; s < IFL_LINE_SECTORS; s++) {
        if (!(sectors >> s & 1))
            continue;
        line->lost |=
            (unsigned)(follows && line->sent[s] && now - line->sent[s] < m->arch->resent_cycles)
            << s;
        line->sent[s] = now;
    }
}

static void keep_stored(ifl_time_memory *m, uint64_t number, unsigned sectors, double now)
{
    ifl_time_line *line = find_line(m, number);
    if (!line)
        line = place_line(m, number);
    for (unsigned s = 0; line && s < IFL_LINE_SECTORS; s++)
        if (sectors >> s & 1)
            line->there[s] = fmin(line->there[s], now);
}

void ifl_time_memory_pass(ifl_time_memory *m, const ifl_site_access *access, ifl_time_lines lines,
                          double now)
{
    for (uint32_t i = 0; i < lines.count; i++) {
        unsigned sectors;
        const uint64_t number = line_at(lines.words, i, &sectors);
        if (access->kind != IFL_ACCESS_STORE && access->kind != IFL_ACCESS_ATOMIC)
            pass_load(m, access, number, sectors, now);
        else if (access->kind == IFL_ACCESS_STORE && is_kept(m, access, sectors))
            keep_stored(m, number, sectors, now);
    }
}

static double leave_sm(ifl_time_memory *m, double sectors, double now)
{
    const double cycles = sectors / m->arch->port_store_sectors_per_cycle;
    return serve(&m->port_free, now, cycles) + cycles;
}

/* Of a line that is stored so, what counts in a slice is that it comes, not how much of it is written. */
static bool is_slight(ifl_request_cost cost, unsigned sectors)
{
    return cost.lines <= IFL_SLIGHT_LINES && count_of(sectors) <= IFL_SLIGHT_SECTORS;
}

/* Such lines meet in a slice of the L2, with those of all SMs: `*changed = 1` of all who change something.
 * Returns when the slice has taken it. */
static double store_in_slice(ifl_time_memory *m, double now)
{
    const double turn = m->rates->store_turn;
    return serve(&m->stores_free, now, turn) + turn;
}

/* What an SM asks of the L2 goes there in order, and no more than some is on its way: lines that are
 * stored until they have left the SM, atomics until the L2 has them. The next waits for room. */
static double room_for(const ifl_time_memory *m, uint32_t count)
{
    return count ? m->sent[(m->sent_at + count - 1) % m->sent_most] : 0;
}

static void send(ifl_time_memory *m, uint32_t count, double taken)
{
    for (uint32_t i = 0; i < count; i++)
        m->sent[m->sent_at++ % m->sent_most] = taken;
}

/* When the L2 has it, or the bus to the host. */
static double take_behind(ifl_time_memory *m, unsigned sectors, ifl_request_cost cost, double now)
{
    if (is_of_host(m, cost))
        return ifl_time_host_pass(&m->host, m->rates, IFL_HOST_FROM_GPU, count_of(sectors), now);
    const double taken = store_behind(m, sectors, cost.ends == IFL_STORE_IN_PARTS, now);
    return is_slight(cost, sectors) ? fmax(taken, store_in_slice(m, now)) : taken;
}

/* A line that the L1 sends on: when it has left the SM, and the L2 has it. */
static void send_line(ifl_time_memory *m, const ifl_site_access *access, uint64_t number,
                      unsigned sectors, ifl_request_cost cost, ifl_served *served)
{
    if (access->path != IFL_PATH_LOCAL)
        note_sent(m, number, sectors, served->begins);
    const double goes = fmax(served->begins, room_for(m, 1));
    const double taken = take_behind(m, sectors, cost, goes);
    served->leaves = leave_sm(m, count_of(sectors), goes);
    served->done = fmax(served->done, taken);
    send(m, 1, served->leaves);
    m->stored_until = fmax(m->stored_until, goes);
    m->l1_free = fmax(m->l1_free, goes);
}

static ifl_served take_store(ifl_time_memory *m, const ifl_site_access *access,
                             ifl_request_cost cost, const uint32_t *words, double now)
{
    const double passes = fmax(cost.passes, 1),
                 free = fmax(fmax(m->l2.free, m->stores_free), m->host.way_free[IFL_HOST_FROM_GPU]),
                 begins = serve(&m->l1_free, fmax(now, free - m->arch->store_ahead_cycles), passes),
                 idle = cost.lines == 1 ? m->arch->gather_lone_cycles : m->arch->gather_cycles;
    ifl_served served = {begins, begins, 0, 0};
    if (begins > m->stored_until + idle)
        close_lines(m);
    m->stored_until = begins + passes;
    for (uint32_t i = 0; i < cost.lines; i++) {
        unsigned sectors;
        const uint64_t number = line_at(words, i, &sectors);
        if (is_kept(m, access, sectors))
            keep_stored(m, number, sectors, begins);
        if (!is_gathered(m, words[i], cost.lines))
            send_line(m, access, number, sectors, cost, &served);
        else if (!is_of_host(m, cost))
            write_back(m, count_of(sectors), 0, begins); /* the L2 gets it with another one */
    }
    if (!is_of_host(m, cost))
        write_ends(m, cost.ends, begins);
    served.leaves = fmax(served.leaves, begins + passes);
    return served;
}

/* The L1 has nothing of the line any more (ifl_l1_atomic). */
static void drop_line(ifl_time_memory *m, uint64_t number)
{
    ifl_time_line *line = find_line(m, number);
    for (unsigned s = 0; line && s < IFL_LINE_SECTORS; s++)
        line->there[s] = HUGE_VAL;
}

static ifl_served take_atomic_of_host(ifl_time_memory *m, ifl_request_cost cost,
                                      const uint32_t *words, double now)
{
    const double begins = serve(&m->l1_free, now, fmax(cost.passes, 1)),
                 others = fmax((double)cost.serial - 1, 0);
    double ends = begins;
    for (uint32_t i = 0; i < cost.lines; i++) {
        unsigned sectors;
        drop_line(m, line_at(words, i, &sectors));
        ends = fmax(ends, ifl_time_host_add(&m->host, m->rates, count_of(sectors), others, begins));
    }
    return (ifl_served){begins, ends, begins + fmax(cost.passes, 1), ends};
}

/* An atomic is done where its line lives, in either half of the L2 as often; of several lines the last one counts. */
static double far_part(const ifl_sm_rates *r, uint32_t lines)
{
    return (r->l2_far_latency - r->l2_latency) * (1 - exp2(-(double)lines));
}

static ifl_served take_atomic(ifl_time_memory *m, const ifl_site_access *access,
                              ifl_request_cost cost, const uint32_t *words, double now)
{
    const ifl_sm_rates *r = m->rates;
    uint32_t sector_count = 0;
    uint64_t line = 0;
    for (uint32_t i = 0; i < cost.lines; i++) {
        unsigned sectors;
        line = line_at(words, i, &sectors);
        sector_count += count_of(sectors);
        drop_line(m, line);
    }
    const uint32_t sent = (uint32_t)fmax(fmax(sector_count, cost.serial), 1);
    const double begins = serve(&m->l1_free, fmax(now, room_for(m, sent)), fmax(cost.passes, 1));
    const double bytes = fmax(sector_count, cost.serial) *
                         (access->is_fetched ? r->fetched_atomic_bytes : r->atomic_bytes);
    const double l2 = serve_shared(&m->l2, begins, bytes / r->l2_bytes_per_cycle, r->l2_latency);
    const bool from_dram = ifl_time_memory_draw(m) < r->atomic_miss;
    write_back(m, sector_count, m->arch->stored_turn, l2);
    const double there = from_dram ? l2 + wait_under(&m->dram, r->dram_latency) +
                                         wait_for_writes(m, l2) + dram_latency(m, line)
                                   : l2;
    const double waited = serve(&m->atomics_free, l2, r->atomic_turn) - l2;
    send(m, sent, l2 + waited);
    m->added = fmax(m->added, l2 + waited);
    return (ifl_served){begins,
                        fmax(there, l2 + r->l2_latency) + bytes / r->l2_bytes_per_cycle +
                            r->atomic_latency + far_part(r, cost.lines) + waited,
                        begins + fmax(cost.passes, 1), 0};
}

/* One address after the other (CUDA C++ Programming Guide, constant memory); the first in the warp's
 * turn. What the lines are behind the caches is there no sooner. */
static ifl_served take_constant(ifl_time_memory *m, ifl_request_cost cost, const uint32_t *lines,
                                double now)
{
    const double latency = m->rates->result[IFL_DELAY_CONSTANT][IFL_PIPES];
    const double more = m->arch->address_cycles * fmax((double)cost.passes - 1, 0);
    const double begins = serve(&m->turn_free, now, more);
    double there = begins;
    for (uint32_t i = 0; i < cost.lines; i++)
        there = fmax(there, (double)ifl_constant_cache_take(&m->indexed, (uint16_t)lines[i],
                                                            (uint64_t)begins));
    return (ifl_served){begins, there + more + latency, 0, 0};
}

/* A load of four words a lane takes a little longer than the two wavefronts that it has at least. */
static double least_of_quads(const ifl_arch *arch, const ifl_site_access *access)
{
    enum { QUAD = 4 * IFL_WORD_BYTES };
    return access->kind == IFL_ACCESS_LOAD && access->bytes == QUAD ? arch->quad_passes : 1;
}

static ifl_served take_shared(ifl_time_memory *m, const ifl_site_access *access,
                              ifl_request_cost cost, double now)
{
    /* Of lanes on one word, those that a sum counts or that race to swap take one pass together. */
    const uint32_t passes =
        cost.serial > cost.passes && !access->passes_merge ? cost.serial : cost.passes;
    const double taken = is_filled(access) ? 1 : fmax(passes, least_of_quads(m->arch, access)),
                 begins = serve(&m->l1_free, now, taken);
    return (ifl_served){begins,
                        begins + m->arch->wavefront_apart_cycles * (taken - 1) +
                            m->rates->result[IFL_DELAY_SHARED][IFL_PIPES],
                        0, 0};
}

double ifl_time_memory_exchange(ifl_time_memory *m, double passes, double now)
{
    return serve(&m->l1_free, now, passes);
}

/* Brings lines to the L2, which nothing waits for. */
static ifl_served take_prefetch(ifl_time_memory *m, ifl_request_cost cost, const uint32_t *words,
                                double now)
{
    const double begins = serve(&m->l1_free, now, fmax(cost.passes, 1));
    for (uint32_t i = 0; i < cost.lines; i++) {
        unsigned sectors;
        const uint64_t number = line_at(words, i, &sectors);
        const bool comes = ifl_time_source_is_first(m, number, sectors) &&
                           ifl_time_memory_draw(m) < m->rates->prefetch_miss;
        fetch(m, number, sectors, begins, comes ? IFL_TIME_FROM_DRAM : IFL_TIME_FROM_L2, 1);
    }
    return (ifl_served){begins, begins, 0, 0};
}

static void take_copied(ifl_time_memory *m, unsigned sectors, ifl_request_cost cost, double now)
{
    if (is_of_host(m, cost))
        ifl_time_host_pass(&m->host, m->rates, IFL_HOST_FROM_GPU, count_of(sectors), now);
    else
        store_behind(m, sectors, false, now);
}

/* Copies by the TMA do not pass the L1, and reach the L2's best bandwidth: an H200 brings 41 bytes
 * a cycle and SM to lab/product's wgmma. */
static ifl_served take_copy(ifl_time_memory *m, const ifl_site_access *access,
                            ifl_request_cost cost, const uint32_t *words, double now)
{
    load l = {.ends = now, .choice.of_host = cost.of_host};
    for (uint32_t i = 0; i < cost.lines; i++) {
        unsigned sectors;
        const uint64_t number = line_at(words, i, &sectors);
        if (access->kind == IFL_ACCESS_COPY_LOAD)
            l.ends = fmax(l.ends, fetch(m, number, sectors, now,
                                        ifl_time_source_of(m, number, sectors, &l.choice), 1));
        else
            take_copied(m, sectors, cost, now);
    }
    return (ifl_served){now, l.ends, 0, 0};
}

ifl_served ifl_time_memory_take(ifl_time_memory *m, const ifl_site_access *access,
                                ifl_request_cost cost, const uint32_t *words, double now)
{
    if (cost.served == IFL_REQUEST_CONSTANT)
        return take_constant(m, cost, words, now);
    if (cost.served == IFL_REQUEST_SHARED)
        return take_shared(m, access, cost, now);
    if (cost.served == IFL_REQUEST_REMOTE)
        return ifl_time_remote_take(m, access, cost, now);
    if (ifl_access_is_copy(access->kind))
        return take_copy(m, access, cost, words, now);
    const ifl_access_kind kind = ifl_access_plain_kind(access->kind);
    if (kind == IFL_ACCESS_PREFETCH)
        return take_prefetch(m, cost, words, now);
    if (kind == IFL_ACCESS_STORE)
        return take_store(m, access, cost, words, now);
    if (kind == IFL_ACCESS_ATOMIC && is_of_host(m, cost))
        return take_atomic_of_host(m, cost, words, now);
    if (kind == IFL_ACCESS_ATOMIC)
        return take_atomic(m, access, cost, words, now);
    return take_load(m, access, cost, words, now);
}

void ifl_time_memory_keep_apart(ifl_time_memory *m, double *free, double now, ifl_served *served)
{
    const double latency = m->rates->result[IFL_DELAY_SHARED][IFL_PIPES],
                 apart = served->ends - served->begins - latency,
                 first = fmax(*free, fmax(now, m->barrier_passed)),
                 last =
                     fmax(first + apart, served->begins + apart / m->arch->wavefront_apart_cycles);
    served->begins = last - apart;
    served->ends = last + latency;
    *free = last + m->arch->wavefront_apart_cycles;
    m->last_wavefront = fmax(m->last_wavefront, last);
}

void ifl_time_memory_open_barrier(ifl_time_memory *m, double now)
{
    m->barrier_passed =
        fmax(fmax(now, m->l1_free), m->last_wavefront + 1) + m->arch->barrier_pass_cycles;
    m->l1_free = m->barrier_passed;
}

void ifl_time_memory_keep_conflicts_apart(const ifl_time_memory *m, const ifl_site_access *access,
                                          double passes, double *free, ifl_served *served)
{
    const double begins = fmax(*free, served->begins);
    if (access->kind != IFL_ACCESS_LOAD ||
        passes * IFL_WORD_BYTES <= fmax(access->bytes, IFL_WORD_BYTES))
        return;
    *free = begins + m->arch->wavefront_apart_cycles * passes;
    served->ends =
        fmax(served->ends, *free - m->arch->wavefront_apart_cycles + m->rates->l1_latency);
}

double ifl_time_memory_ends(const ifl_time_memory *m)
{
    return fmax(fmax(fmax(m->l1_free, m->remote_free), fmax(m->l2.free, m->dram.free)),
                fmax(m->atomics_free, m->host.done));
}
