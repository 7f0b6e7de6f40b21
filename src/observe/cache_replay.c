/* SPDX-License-Identifier: Apache-2.0
 * Playing traces to caches.
 *
 * When a request comes is not known, the order in which an SM makes them nearly is (sm_order.h): the L1 of one SM is
 * played so. How long a line stays in it says what the L1s of the others leave to the L2, which sees the whole grid:
 * blocks in waves, each resident warp taking a turn a round. Other lengths of the SM's queue are played too, and what
 * they change is part of the bounds. */
#include "observe/cache_replay.h"

#include "observe/cache_levels.h"
#include "observe/cache_turns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 16, LINE_BYTES = 128, TURN = 256 }; /* time has 256 units a turn */

typedef enum tally {
    L1_MISSES,    /* sectors */
    FETCHED,      /* asked of the L2 by loads */
    PIECES,       /* of two sectors that they lie in */
    LONE_MISSES,  /* pieces that the L2 lacks and of which one sector is asked */
    LOCAL_WRITES, /* of local memory, to the L2 */
    L2_MISSES,
    ATOMIC_HITS,
    DRAM_READS,
    DRAM_WRITES,
    DIRTY,
    TALLIES
} tally;

/* Sectors by what became of them, apart for groups of lines: how much the groups differ says how far the sample can
 * be off. */
typedef struct sums {
    uint64_t of[TALLIES][GROUPS];
} sums;

/* Requests that pass through an SM at once. The first is the estimate (docs/caches.md: nearest to an H200), the others
 * are for the bounds. */
static const uint32_t queues[] = {160, 80, 320};
enum { QUEUES = sizeof queues / sizeof *queues };
/* From one request of a turn to the next, of the same warp: a few warps' requests are mixed. */
enum { STEP = 3 };

/* ---- when ------------------------------------------------------------------------------------ */

typedef struct schedule {
    uint32_t warps_per_block;
    uint64_t wave_blocks; /* that are resident at once */
    uint64_t duration;    /* of a block */
} schedule;

static uint64_t start_of(const schedule *s, uint64_t warp)
{
    return warp / s->warps_per_block / s->wave_blocks * s->duration;
}

static uint64_t time_of(const schedule *s, uint64_t warp, uint32_t position)
{
    uint64_t turn = position >> IFL_TRACE_SEQUENCE_BITS;
    uint64_t sequence = position & ((1u << IFL_TRACE_SEQUENCE_BITS) - 1);
    return start_of(s, warp) + ifl_line_hash(warp + 1) % TURN + turn * TURN + sequence * STEP;
}

static uint64_t end_of(const schedule *s, uint64_t warp)
{
    return start_of(s, warp) + s->duration + TURN;
}

static schedule schedule_of(const ifl_cache_case *of)
{
    uint64_t warps = of->blocks * of->warps_per_block;
    schedule s = {.warps_per_block = of->warps_per_block,
                  .wave_blocks = (uint64_t)of->device->value[IFL_DEVICE_sms] * of->blocks_per_sm};
    s.duration = (uint64_t)((double)of->turns * TURN / (double)(warps ? warps : 1));
    return s;
}

/* ---- what a request does --------------------------------------------------------------------- */

typedef struct player {
    const ifl_cache_case *of;
    const ifl_trace *trace;
    schedule schedule;
    uint32_t queue;
    ifl_l1 *l1; /* one an SM, or one for all SMs whose lines are told apart by their number */
    uint32_t l1_count;
    ifl_l2 l2;
    bool has_l2;
    sums sums;
    uint8_t *reach; /* of each record, an ifl_reach */
    ifl_turns turns;
    uint64_t now;
} player;

static void add(player *p, tally which, uint64_t line, uint64_t sectors)
{
    uint64_t place = ifl_line_place(line);
    uint32_t group = p->trace->share < 60 ? place >> (60 - p->trace->share) & (GROUPS - 1) : 0;
    p->sums.of[which][group] += sectors;
}

static void answer_l2(player *p, uint64_t line, ifl_l2_answer answer)
{
    add(p, DRAM_READS, line, answer.dram_reads);
    add(p, DRAM_WRITES, line, answer.dram_writes);
}

typedef struct where {
    ifl_l1 *l1;
    uint64_t key; /* the line's number in it */
    ifl_l2_asker asker;
} where;

static void write_l2(player *p, uint64_t line, uint8_t sectors, uint8_t whole, uint8_t bytes,
                     const where *w)
{
    if (p->has_l2 && sectors)
        answer_l2(p, line, ifl_l2_write(&p->l2, line, sectors, whole, bytes, &w->asker));
}

static uint64_t sm_of(const player *p, const ifl_trace_record *r)
{
    return r->warp / p->of->warps_per_block % (uint64_t)p->of->device->value[IFL_DEVICE_sms];
}

/* Blocks in a row go to SMs at the same half of an H200's L2, about 33 of them (docs/caches.md). */
static uint32_t half_of(uint32_t sm, uint32_t sms)
{
    return sm * 4 / sms % 2;
}

static where place_of(player *p, const ifl_trace_record *r)
{
    enum { SM_SHIFT = 48 }; /* above the numbers of all lines */
    uint32_t sm = (uint32_t)sm_of(p, r);
    uint32_t near = half_of(sm, (uint32_t)p->of->device->value[IFL_DEVICE_sms]);
    uint64_t ends = r->path == IFL_PATH_LOCAL ? end_of(&p->schedule, r->warp) : UINT64_MAX;
    ifl_l2_asker asker = {near, p->now, ends};
    if (p->l1_count > 1)
        return (where){&p->l1[sm], r->line, asker};
    return (where){p->l1, r->line ^ (uint64_t)sm << SM_SHIFT, asker};
}

static void write_back(player *p, const where *w, const ifl_l1_answer *answer)
{
    uint64_t line = answer->victim & ((UINT64_C(1) << 48) - 1);
    if (!answer->written_back)
        return;
    add(p, LOCAL_WRITES, line, (uint64_t)__builtin_popcount(answer->written_back));
    write_l2(p, line, answer->written_back, answer->written_back, 0, w);
}

static uint64_t pieces_of(uint8_t sectors)
{
    return (uint64_t)((sectors & 0x3) != 0) + ((sectors & 0xc) != 0);
}

static uint64_t lone_pieces_of(uint8_t sectors)
{
    return 2 * pieces_of(sectors) - (uint64_t)__builtin_popcount(sectors);
}

static void play_load(player *p, const ifl_trace_record *r, const where *w)
{
    uint8_t sectors = r->sectors & 0xf;
    ifl_l1_answer l1 = ifl_l1_load(w->l1, w->key, sectors, (ifl_path)r->path, p->now);
    add(p, L1_MISSES, r->line, (uint64_t)__builtin_popcount(sectors & (uint8_t)~l1.hits));
    write_back(p, w, &l1);
    uint8_t *reach = &p->reach[r - p->trace->records.at];
    if (*reach == IFL_REACH_JOINED)
        return;
    *reach = l1.fetched ? IFL_REACH_L2 : IFL_REACH_L1;
    add(p, FETCHED, r->line, (uint64_t)__builtin_popcount(l1.fetched));
    add(p, PIECES, r->line, pieces_of(l1.fetched));
    if (!p->has_l2 || !l1.fetched)
        return;
    ifl_l2_answer l2 = ifl_l2_read(&p->l2, r->line, l1.fetched, &w->asker);
    add(p, L2_MISSES, r->line, (uint64_t)__builtin_popcount(l1.fetched) - l2.hits);
    if (l2.from_dram)
        *reach = IFL_REACH_DRAM;
    if (!l2.hits)
        add(p, LONE_MISSES, r->line, lone_pieces_of(l1.fetched));
    answer_l2(p, r->line, l2);
}

static void play_store(player *p, const ifl_trace_record *r, const where *w)
{
    bool stays;
    uint8_t sectors = r->sectors & 0xf, whole = r->sectors >> IFL_LINE_SECTORS;
    ifl_l1_answer l1 =
        ifl_l1_store(w->l1, w->key, sectors, whole, (ifl_path)r->path, p->now, &stays);
    write_back(p, w, &l1);
    if (stays)
        return;
    if (r->path == IFL_PATH_LOCAL)
        add(p, LOCAL_WRITES, r->line, (uint64_t)__builtin_popcount(sectors));
    write_l2(p, r->line, sectors, whole, r->bytes, w);
}

static void play_atomic(player *p, const ifl_trace_record *r, const where *w)
{
    uint8_t sectors = r->sectors & 0xf;
    ifl_l1_atomic(w->l1, w->key, sectors);
    if (!p->has_l2)
        return;
    ifl_l2_answer l2 = ifl_l2_atomic(&p->l2, r->line, sectors, &w->asker);
    add(p, ATOMIC_HITS, r->line, l2.hits);
    answer_l2(p, r->line, l2);
}

static void (*const plays[IFL_ACCESS_KINDS])(player *, const ifl_trace_record *, const where *) = {
    [IFL_ACCESS_LOAD] = play_load,
    [IFL_ACCESS_STORE] = play_store,
    [IFL_ACCESS_ATOMIC] = play_atomic,
};

static void play_record(player *p, const ifl_trace_record *r)
{
    where w = place_of(p, r);
    plays[r->kind](p, r, &w);
}

/* ---- in which order -------------------------------------------------------------------------- */

/* The records by warp, those of an SM together; a warp's stay in its program's order. */
static ifl_keyed *by_warp(const player *p, bool by_sm)
{
    enum { WARP_BITS = 44 };
    const size_t count = p->trace->records.count;
    ifl_keyed *all = malloc((count + 1) * sizeof *all);
    for (size_t i = 0; all && i < count; i++) {
        const ifl_trace_record *r = &p->trace->records.at[i];
        all[i] = (ifl_keyed){(by_sm ? sm_of(p, r) << WARP_BITS : 0) | r->warp, r};
    }
    if (all && ifl_keyed_sort(all, count))
        return all;
    free(all);
    return NULL;
}

static bool open_reach(player *p)
{
    p->reach = calloc(p->trace->records.count + 1, sizeof *p->reach);
    if (!p->reach || !p->of->rules->joins_loads || !ifl_turns_may_join(p->trace))
        return p->reach != NULL;
    ifl_keyed *all = by_warp(p, false);
    if (all)
        ifl_turns_join(p->trace, all, p->reach);
    free(all);
    return all != NULL;
}

/* By the rounds of the whole grid. */
static bool play_rounds(player *p)
{
    const size_t count = p->trace->records.count;
    ifl_keyed *warps = by_warp(p, false), *rounds = malloc((count + 1) * sizeof *rounds);
    bool done = warps && rounds;
    for (size_t i = 0; done && i < count; i++)
        rounds[i] =
            (ifl_keyed){time_of(&p->schedule, warps[i].record->warp, warps[i].record->position),
                        warps[i].record};
    done = done && ifl_keyed_sort(rounds, count);
    for (size_t i = 0; done && i < count; i++) {
        p->now = rounds[i].key;
        if (rounds[i].record->kind != IFL_TRACE_BARRIER)
            play_record(p, rounds[i].record);
    }
    if (done)
        p->turns = ifl_turns_count(p->trace, warps, p->reach);
    free(rounds);
    free(warps);
    return done;
}

static bool play_request(player *p, ifl_sm_order *order)
{
    uint32_t count = 0;
    const ifl_keyed *records = ifl_sm_order_next(order, &count);
    p->now = order->turns * TURN / order->slots;
    for (uint32_t i = 0; records && i < count; i++)
        play_record(p, records[i].record);
    return records != NULL;
}

/* The SMs at the same pace, a request each. */
static void play_together(player *p, ifl_sm_order *orders, uint32_t count)
{
    for (uint32_t left = count; left;) {
        left = 0;
        for (uint32_t i = 0; i < count; i++)
            left += play_request(p, &orders[i]);
    }
}

/* Each SM in its own order. */
static bool play_sms(player *p)
{
    const size_t count = p->trace->records.count;
    const uint32_t sms = (uint32_t)p->of->device->value[IFL_DEVICE_sms];
    ifl_keyed *all = by_warp(p, true);
    ifl_sm_order *orders = calloc(sms, sizeof *orders);
    bool done = all && orders;
    uint32_t used = 0;
    for (size_t first = 0, end = 0; done && first < count; first = end) {
        while (end < count && sm_of(p, all[end].record) == sm_of(p, all[first].record))
            end++;
        done = ifl_sm_order_init(&orders[used++], &all[first], end - first, p->of->warps_per_block,
                                 p->of->blocks_per_sm, p->queue);
    }
    if (done)
        play_together(p, orders, used);
    for (uint32_t i = 0; orders && i < used; i++)
        ifl_sm_order_free(&orders[i]);
    if (done)
        p->turns = ifl_turns_count(p->trace, all, p->reach);
    free(orders);
    free(all);
    return done;
}

/* ---- the caches of a player ------------------------------------------------------------------ */

static uint32_t lines_of(double bytes, uint32_t share)
{
    double lines = bytes / LINE_BYTES / exp2(share);
    return lines < 1 ? 1 : lines > 1 << 30 ? 1 << 30 : (uint32_t)(lines + 0.5);
}

static void close_player(player *p)
{
    for (uint32_t i = 0; p->l1 && i < p->l1_count; i++)
        ifl_l1_free(&p->l1[i]);
    free(p->l1);
    free(p->reach);
    ifl_l2_free(&p->l2);
}

/* Of the memory that it shares an H200's L1 has never more than this (docs/caches.md, reread_block). */
static uint32_t l1_lines(const ifl_cache_case *of, uint64_t l1_bytes)
{
    const double most = of->device->value[IFL_DEVICE_l1_bytes_per_sm] * 15 / 16;
    return lines_of((double)l1_bytes < most ? (double)l1_bytes : most, 0);
}

/* L1s of their real size, one an SM. */
static bool open_l1s(player *p, uint64_t l1_bytes)
{
    const ifl_cache_rules *rules = p->of->rules;
    p->l1_count = (uint32_t)p->of->device->value[IFL_DEVICE_sms];
    p->l1 = calloc(p->l1_count, sizeof *p->l1);
    for (uint32_t i = 0; p->l1 && i < p->l1_count; i++) {
        uint32_t read_only = lines_of(rules->read_only_kib * 1024.0, 0);
        uint32_t lines = l1_lines(p->of, l1_bytes);
        if (!ifl_l1_init(&p->l1[i], rules, lines, read_only, UINT64_MAX))
            return false;
    }
    return p->l1 != NULL;
}

/* One for all SMs, in which a line stays for as long as it does in an L1 of real size. */
static bool open_aging_l1(player *p, uint64_t age_limit)
{
    uint32_t lines = (uint32_t)p->trace->records.count;
    p->l1_count = 1;
    p->l1 = calloc(1, sizeof *p->l1);
    return p->l1 && ifl_l1_init(p->l1, p->of->rules, lines, lines, age_limit);
}

static bool open_l2(player *p)
{
    p->has_l2 = true;
    const uint32_t share = p->trace->share;
    return ifl_l2_init(&p->l2, p->of->rules,
                       lines_of(p->of->device->value[IFL_DEVICE_l2_bytes], share), share);
}

static void take_dirty(player *p)
{
    for (uint32_t h = 0; h < p->l2.halves; h++) {
        const ifl_lru *lines = &p->l2.half[h].lines;
        for (uint32_t i = 0; i < ifl_lru_places(lines); i++) {
            const ifl_lru_line *line = ifl_lru_at(lines, i);
            if (line && line->ends > p->now)
                add(p, DIRTY, line->line, (uint64_t)__builtin_popcount(line->dirty));
        }
    }
}

/* How long a line stays in an L1 without being used. */
static uint64_t age_in(const player *p)
{
    uint64_t evictions = 0, ages = 0;
    for (uint32_t i = 0; i < p->l1_count; i++) {
        evictions += p->l1[i].evictions;
        ages += p->l1[i].ages;
    }
    return evictions ? ages / evictions : UINT64_MAX;
}

/* ---- estimates ------------------------------------------------------------------------------- */

typedef struct outcome {
    double value[TALLIES], spread[TALLIES]; /* spread: two standard deviations */
    ifl_turns l1_turns, l2_turns;           /* as the L1 saw them, as the L2 did */
} outcome;

/* A sum over a sample of lines, and how far it may be from that over all: the groups are as many small samples. */
static void scale(const sums *s, uint32_t share, tally which, outcome *to)
{
    double sum = 0, squares = 0, scale = exp2(share);
    for (int g = 0; g < GROUPS; g++)
        sum += (double)s->of[which][g];
    for (int g = 0; g < GROUPS; g++) {
        double off = (double)s->of[which][g] - sum / GROUPS;
        squares += off * off;
    }
    to->value[which] = sum * scale;
    to->spread[which] = share ? 2 * sqrt(squares * GROUPS / (GROUPS - 1)) * scale : 0;
}

static void scale_all(const sums *s, uint32_t share, double factor, outcome *to)
{
    for (int t = 0; t < TALLIES; t++) {
        scale(s, share, (tally)t, to);
        to->value[t] *= factor;
        to->spread[t] *= factor;
    }
}

/* The whole launch fits the trace: nothing is left to chance but the order. */
static bool replay_all(const ifl_cache_case *of, uint32_t queue, uint64_t l1_bytes, outcome *out)
{
    player p = {.of = of, .trace = of->grid, .schedule = schedule_of(of), .queue = queue};
    bool done = open_reach(&p) && open_l1s(&p, l1_bytes) && open_l2(&p) && play_sms(&p);
    if (done) {
        take_dirty(&p);
        scale_all(&p.sums, 0, 1, out);
        out->l1_turns = out->l2_turns = p.turns;
    }
    close_player(&p);
    return done;
}

static bool replay_sm(const ifl_cache_case *of, uint32_t queue, uint64_t l1_bytes, outcome *out,
                      uint64_t *age)
{
    player p = {.of = of, .trace = of->sm, .schedule = schedule_of(of), .queue = queue};
    bool done = open_reach(&p) && open_l1s(&p, l1_bytes) && play_sms(&p);
    if (done) {
        double loads = (double)ifl_trace_load_sectors(of->sm);
        double factor = loads > 0 ? (double)of->load_sectors / loads : 0;
        scale_all(&p.sums, 0, factor, out);
        out->l1_turns = p.turns;
        *age = age_in(&p);
    }
    close_player(&p);
    return done;
}

/* How often the grid's trace, of the lines that it has, would have to come for all of their accesses. */
static double cut_of(const ifl_cache_case *of)
{
    const double kept = (double)ifl_trace_sectors(of->grid) * exp2(of->grid->share);
    const double all = (double)(of->load_sectors + of->store_sectors + of->local_store_sectors +
                                of->atomic_sectors);
    return ifl_trace_is_cut(of->grid) && kept > 0 ? all / kept : 1;
}

/* What is left in the L2 does not grow with the launch. */
static bool replay_grid(const ifl_cache_case *of, uint64_t age, outcome *out)
{
    player p = {.of = of, .trace = of->grid, .schedule = schedule_of(of)};
    bool done = open_reach(&p) && open_aging_l1(&p, age) && open_l2(&p) && play_rounds(&p);
    if (done) {
        take_dirty(&p);
        scale_all(&p.sums, of->grid->share, cut_of(of), out);
        scale(&p.sums, of->grid->share, DIRTY, out);
        out->l2_turns = p.turns;
    }
    close_player(&p);
    return done;
}

static bool replay_sampled(const ifl_cache_case *of, uint32_t queue, uint64_t l1_bytes,
                           outcome *out)
{
    outcome sm;
    uint64_t age = UINT64_MAX;
    if (!replay_sm(of, queue, l1_bytes, &sm, &age) || !replay_grid(of, age, out))
        return false;
    for (int t = L1_MISSES; t <= PIECES; t++) {
        out->value[t] = sm.value[t];
        out->spread[t] = sm.spread[t];
    }
    out->l1_turns = sm.l1_turns;
    return true;
}

/* ---- figures --------------------------------------------------------------------------------- */

static ifl_cache_estimate exact(double value)
{
    return (ifl_cache_estimate){value, value, value};
}

static double between(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

static ifl_cache_estimate estimate(const outcome *o, tally which, double times, double most)
{
    double v = o->value[which], s = o->spread[which];
    return (ifl_cache_estimate){between(v * times, 0, most), between((v - s) * times, 0, most),
                                between((v + s) * times, 0, most)};
}

static ifl_cache_estimate rest(double all, ifl_cache_estimate part)
{
    return (ifl_cache_estimate){all - part.value, all - part.high, all - part.low};
}

static ifl_cache_estimate sum(ifl_cache_estimate a, ifl_cache_estimate b)
{
    return (ifl_cache_estimate){a.value + b.value, a.low + b.low, a.high + b.high};
}

/* Of `asked`, as its value is, what does not miss: never less than nothing. */
static ifl_cache_estimate hits_of(double asked, ifl_cache_estimate misses)
{
    return (ifl_cache_estimate){between(asked - misses.value, 0, asked),
                                between(asked - misses.high, 0, asked),
                                between(asked - misses.low, 0, asked)};
}

/* Where the sample has no two lines of a turn, each is taken to be on its own. */
static void describe_turns(const outcome *o, ifl_cache_facts *to)
{
    const ifl_turns *l1 = &o->l1_turns, *l2 = &o->l2_turns;
    to->turns_in_l1 = l1->loading > 0 ? l1->in_l1 / l1->loading : 0;
    to->lines_from_dram = l2->asked > 0 ? l2->far / l2->asked : 0;
    to->from_dram_together =
        l2->far_beside > 0 ? l2->far_together / l2->far_beside : to->lines_from_dram;
}

static void describe(const ifl_cache_case *of, const outcome *o, ifl_cache_facts *to)
{
    const double sector = 32, any = 1e300;
    double local = of->rules->local_is_written_back ? 0 : (double)of->local_store_sectors;
    ifl_cache_estimate local_writes =
        of->rules->local_is_written_back ? estimate(o, LOCAL_WRITES, 1, any) : exact(local);
    to->l1_load_sectors = exact((double)of->load_sectors);
    to->l1_load_hits =
        rest((double)of->load_sectors, estimate(o, L1_MISSES, 1, (double)of->load_sectors));
    to->l2_read_sectors = estimate(o, FETCHED, 1, any);
    to->l2_write_sectors = sum(exact((double)of->store_sectors), local_writes);
    to->l2_atomic_sectors = exact((double)of->atomic_sectors);
    to->l2_read_hits = hits_of(to->l2_read_sectors.value, estimate(o, L2_MISSES, 1, any));
    to->l2_hits = sum(sum(to->l2_read_hits, to->l2_write_sectors),
                      estimate(o, ATOMIC_HITS, 1, (double)of->atomic_sectors));
    to->dram_read_bytes = estimate(o, DRAM_READS, sector, any);
    to->dram_write_bytes = estimate(o, DRAM_WRITES, sector, any);
    to->dirty_bytes = estimate(o, DIRTY, sector, of->device->value[IFL_DEVICE_l2_bytes]);
    to->l2_read_pieces = o->value[PIECES];
    to->l2_lone_misses = o->value[LONE_MISSES];
    describe_turns(o, to);
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

static bool is_whole(const ifl_cache_case *of)
{
    return of->grid->level == 0;
}

static void describe_sample(const ifl_cache_case *of, ifl_cache_facts *to)
{
    const uint64_t sms = (uint64_t)of->device->value[IFL_DEVICE_sms];
    const double loads = (double)of->load_sectors;
    to->l2_share = exp2(-(double)of->grid->share);
    to->l2_part = 1 / cut_of(of);
    to->l1_share = is_whole(of) || !loads ? 1 : (double)ifl_trace_load_sectors(of->sm) / loads;
    to->sampled_sms = is_whole(of) ? (uint32_t)(of->blocks < sms ? of->blocks : sms) : 1;
}

/* The L1 shared among half as many blocks. */
static bool replay_half(const ifl_cache_case *of, ifl_cache_facts *out)
{
    ifl_cache_case half = *of;
    outcome o = {.value = {0}};
    uint64_t age;
    half.blocks_per_sm /= 2;
    if (!half.blocks_per_sm)
        return true;
    if (!(is_whole(of) ? replay_all(&half, queues[0], out->l1_bytes, &o)
                       : replay_sm(&half, queues[0], out->l1_bytes, &o, &age)))
        return false;
    out->half_l1_load_hits =
        between((double)of->load_sectors - o.value[L1_MISSES], 0, (double)of->load_sectors);
    return true;
}

ifl_status ifl_cache_replay(const ifl_cache_case *of, ifl_cache_facts *out, ifl_error *error)
{
    out->l1_bytes = ifl_cache_l1_bytes(of->device, of->rules, of->blocks_per_sm, of->shared_bytes);
    out->l2_bytes = (uint64_t)of->device->value[IFL_DEVICE_l2_bytes];
    out->blocks_per_sm = of->blocks_per_sm;
    describe_sample(of, out);
    for (int i = 0; i < QUEUES; i++) {
        outcome o = {.value = {0}};
        bool done = is_whole(of) ? replay_all(of, queues[i], out->l1_bytes, &o)
                                 : replay_sampled(of, queues[i], out->l1_bytes, &o);
        if (!done)
            return ifl_fail_memory(error, of->grid->records.count * sizeof(ifl_trace_record));
        ifl_cache_facts facts = *out;
        describe(of, &o, i == 0 ? out : &facts);
        if (i > 0)
            widen(out, &facts);
    }
    if (!replay_half(of, out))
        return ifl_fail_memory(error, of->sm->records.count * sizeof(ifl_trace_record));
    return IFL_OK;
}

static uint32_t bits_of(uint64_t value)
{
    return value ? 64 - (uint32_t)__builtin_clzll(value) : 0;
}

/* Bits of two waves of blocks. */
static uint32_t least_blocks_of(const ifl_device *device)
{
    const double wave = device->value[IFL_DEVICE_sms] * device->value[IFL_DEVICE_max_blocks_per_sm];
    return bits_of(2 * (uint64_t)wave);
}

ifl_trace_scope ifl_cache_scope(const ifl_device *device, uint64_t blocks)
{
    uint64_t sms = (uint64_t)device->value[IFL_DEVICE_sms], used = blocks < sms ? blocks : sms;
    return (ifl_trace_scope){.sms = (uint32_t)sms,
                             .chosen = (uint32_t)(used / 2),
                             .least_blocks = least_blocks_of(device)};
}

ifl_trace_scope ifl_cache_grid_scope(void)
{
    enum { ANY_SHARE = 60 };
    return (ifl_trace_scope){.most_share = ANY_SHARE};
}

static uint64_t l2_lines_of(const ifl_device *device)
{
    return lines_of(device->value[IFL_DEVICE_l2_bytes], 0);
}

ifl_trace_scope ifl_cache_part_scope(const ifl_device *const *devices, size_t count)
{
    enum { LEAST_LINES = 64 };
    ifl_trace_scope scope = ifl_cache_grid_scope();
    for (size_t i = 0; i < count; i++) {
        const uint32_t least = least_blocks_of(devices[i]);
        while (scope.most_share && l2_lines_of(devices[i]) >> scope.most_share < LEAST_LINES)
            scope.most_share--;
        scope.least_blocks = least > scope.least_blocks ? least : scope.least_blocks;
    }
    return scope;
}

/* All of the grid where the sampled L2 keeps some lines: first touches, which an L2 of tens of MB sees few of, are too
 * many in a part. */
const ifl_trace *ifl_cache_grid_trace(const ifl_device *device, const ifl_trace *whole,
                                      const ifl_trace *part)
{
    enum { LEAST_LINES = 16 };
    return l2_lines_of(device) >> whole->share < LEAST_LINES ? part : whole;
}
