/* SPDX-License-Identifier: Apache-2.0
 * The traces of one worker, and how they are kept short. */
#include "cache/cache_trace.h"

#include "cache/line.h"
#include "cache/request_lines.h"

#include <string.h>

enum { POSITIONS = 1 << 14, MAX_LEVEL = 120 };
enum { TURN_BITS = 32 - IFL_TRACE_SEQUENCE_BITS };

/* Where a warp is. */
typedef struct position {
    uint64_t warp; /* + 1 */
    uint32_t turn; /* + 1: of its last request */
    uint32_t site; /* of its last request, and that one's turn */
    uint32_t place;
    uint16_t sequence; /* of the next request of that turn */
    bool has_loads;    /* its turn: what comes next may wait for them */
    bool is_over;      /* its turn, whatever comes next */
} position;

struct ifl_trace_state {
    const ifl_trace_plan *plan;
    const ifl_sites *sites;
    ifl_trace *traces;   /* one a scope */
    bool *is_shared;     /* by scope: it has no records of its own yet */
    position *positions; /* of the warps that run: never so many that two meet in a place */
    uint32_t position_mask;
    uint64_t turns;
    uint64_t block; /* the last one seen, its first warp, and whose it is: */
    uint64_t first_warp;
    uint64_t members; /* the scopes that follow it, a bit each */
    bool lost;
    ifl_request_lines lines; /* of the last request */
};

/* ---- what is kept ---------------------------------------------------------------------------- */

static uint32_t bits_of(uint64_t block)
{
    return block ? 64 - (uint32_t)__builtin_clzll(block) : 0;
}

static void set_level(ifl_trace *trace, const ifl_trace_scope *scope, const ifl_trace_plan *plan,
                      uint32_t level)
{
    const uint32_t most = bits_of(plan->blocks ? plan->blocks - 1 : 0);
    const uint32_t halvings = most > scope->least_blocks ? most - scope->least_blocks : 0;
    const uint32_t share = level < scope->most_share ? level : scope->most_share;
    const uint32_t cuts = level - share, past = cuts > halvings ? cuts - halvings : 0;
    trace->level = level;
    trace->share = share;
    trace->most_place = ifl_line_most_place(share);
    trace->block_bits = most - (cuts - past);
    trace->turn_bits = TURN_BITS - (past < TURN_BITS ? past : TURN_BITS);
}

static size_t most_records(const ifl_trace_scope *scope)
{
    return scope->placing.sms ? IFL_TRACE_SM_RECORDS : IFL_TRACE_RECORDS;
}

static bool keeps_place(const ifl_trace *trace, uint64_t block, uint32_t at)
{
    return bits_of(block) <= trace->block_bits &&
           bits_of(at >> IFL_TRACE_SEQUENCE_BITS) <= trace->turn_bits;
}

static bool keeps_record(const ifl_trace *trace, const ifl_trace_plan *plan,
                         const ifl_trace_record *r, ifl_line_row *row)
{
    if (r->kind == IFL_TRACE_BARRIER && trace->share)
        return false;
    if (r->kind < IFL_TRACE_BARRIER && ifl_line_place_next(row, r->line) > trace->most_place)
        return false;
    return !ifl_trace_is_cut(trace) ||
           keeps_place(trace, r->warp / plan->warps_per_block, r->position);
}

static void drop_others(ifl_trace *trace, const ifl_trace_plan *plan)
{
    ifl_line_row row = {0};
    size_t kept = 0;
    for (size_t i = 0; i < trace->records.count; i++)
        if (keeps_record(trace, plan, &trace->records.at[i], &row))
            trace->records.at[kept++] = trace->records.at[i];
    trace->records.count = kept;
}

static bool add_records(ifl_trace *to, const ifl_trace *from)
{
    if (!ifl_vec_reserve(&to->records, from->records.count))
        return false;
    if (from->records.count)
        memcpy(&to->records.at[to->records.count], from->records.at,
               from->records.count * sizeof *from->records.at);
    to->records.count += from->records.count;
    return true;
}

/* The scope gets records of its own: a copy of those that it shared. */
static void part(ifl_trace_state *s, size_t scope)
{
    const ifl_trace *from = &s->traces[s->plan->scopes[scope].like - 1];
    if (!s->is_shared[scope])
        return;
    s->is_shared[scope] = false;
    s->lost |= !add_records(&s->traces[scope], from);
    set_level(&s->traces[scope], &s->plan->scopes[scope], s->plan, from->level);
}

static void shorten(ifl_trace_state *s, size_t scope)
{
    ifl_trace *trace = &s->traces[scope];
    const ifl_trace_scope *of = &s->plan->scopes[scope];
    while (trace->records.count > most_records(of) && trace->level < MAX_LEVEL) {
        /* Those that are like this scope cannot follow it to the next level. */
        for (size_t i = 0; i < s->plan->scope_count; i++) {
            const ifl_trace_scope *other = &s->plan->scopes[i];
            if (!s->is_shared[i] || other->like != scope + 1 ||
                s->traces[scope].level < other->most_share)
                continue;
            part(s, i);
            shorten(s, i);
        }
        set_level(trace, of, s->plan, trace->level + 1);
        drop_others(trace, s->plan);
    }
}

/* ---- a worker's state ------------------------------------------------------------------------ */

static void end(void *self)
{
    ifl_trace_state *s = self;
    for (size_t i = 0; s->traces && i < s->plan->scope_count; i++)
        ifl_vec_free(&s->traces[i].records);
    free(s->traces);
    free(s->is_shared);
    free(s->positions);
    ifl_request_lines_free(&s->lines);
}

/* A small launch needs few positions. */
static uint32_t positions_of(const ifl_trace_plan *plan)
{
    uint32_t count = 1;
    while (count < POSITIONS && count / plan->warps_per_block < plan->blocks)
        count *= 2;
    return count;
}

static bool allocate(ifl_trace_state *s)
{
    const size_t scopes = s->plan->scope_count, positions = positions_of(s->plan);
    s->traces = calloc(scopes + 1, sizeof *s->traces);
    s->is_shared = calloc(scopes + 1, sizeof *s->is_shared);
    s->positions = calloc(positions, sizeof *s->positions);
    s->position_mask = (uint32_t)positions - 1;
    return s->traces && s->is_shared && s->positions;
}

static bool begin(void *self, const ifl_sites *sites, const void *settings)
{
    ifl_trace_state *s = self;
    s->plan = settings;
    s->sites = sites;
    s->block = UINT64_MAX;
    ifl_request_lines_init(&s->lines);
    if (!allocate(s))
        return false;
    for (size_t i = 0; i < s->plan->scope_count; i++) {
        set_level(&s->traces[i], &s->plan->scopes[i], s->plan, 0);
        s->is_shared[i] = s->plan->scopes[i].like != 0;
    }
    return true;
}

/* Once a block and change of a trace's share: most requests need to look at few lines. */
static void enter_block(ifl_trace_state *s, uint64_t block)
{
    s->block = block;
    s->first_warp = block * s->plan->warps_per_block;
    s->members = 0;
    uint32_t least = 64;
    for (size_t i = 0; i < s->plan->scope_count; i++) {
        const ifl_trace_scope *scope = &s->plan->scopes[i];
        const bool follows =
            !scope->placing.sms || ifl_place_sm(&scope->placing, block) == scope->chosen;
        if (!follows || s->is_shared[i])
            continue;
        s->members |= UINT64_C(1) << i;
        least = s->traces[i].share < least ? s->traces[i].share : least;
    }
    ifl_request_lines_want(&s->lines, least);
}

/* ---- turns ----------------------------------------------------------------------------------- */

/* Does the warp wait for something between its last request and this one? Only loads give it
 * something to wait for. */
static bool is_new_turn(const position *p, const ifl_access *access, uint32_t place)
{
    const uint32_t block = place >> IFL_TURN_BITS;
    return p->is_over || (p->has_loads && (block != p->place >> IFL_TURN_BITS ||
                                           access->site <= p->site || place > p->place));
}

static position *position_of(ifl_trace_state *s, uint64_t warp)
{
    position *p = &s->positions[warp & s->position_mask];
    if (p->warp != warp + 1)
        *p = (position){.warp = warp + 1, .is_over = true};
    return p;
}

static uint32_t next_turn(ifl_trace_state *s, position *p)
{
    s->turns++;
    p->turn++;
    p->sequence = 0;
    p->has_loads = p->is_over = false;
    return (p->turn - 1) << IFL_TRACE_SEQUENCE_BITS;
}

static uint32_t take_position(ifl_trace_state *s, const ifl_access *access, const ifl_site *site)
{
    position *p = position_of(s, s->first_warp + access->warp);
    const uint32_t most = (1u << IFL_TRACE_SEQUENCE_BITS) - 1;
    if (is_new_turn(p, access, site->turn))
        next_turn(s, p);
    p->place = site->turn;
    p->site = access->site;
    const ifl_access_kind kind = ifl_access_plain_kind(access->kind);
    p->has_loads |= kind != IFL_ACCESS_STORE && kind != IFL_ACCESS_PREFETCH;
    p->is_over = p->sequence == most;
    return (p->turn - 1) << IFL_TRACE_SEQUENCE_BITS | p->sequence++;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void check_length(ifl_trace_state *s, size_t scope)
{
    if (s->traces[scope].records.count <= most_records(&s->plan->scopes[scope]))
        return;
    shorten(s, scope);
    enter_block(s, s->block);
}

/* The lines of the last request, as far as the trace has them. `record`: all but what is a
 * line's own. */
static void keep_lines(ifl_trace_state *s, size_t scope, uint64_t block, ifl_trace_record record)
{
    ifl_trace *trace = &s->traces[scope];
    if (!ifl_vec_reserve(&trace->records, s->lines.count)) {
        s->lost = true;
        return;
    }
    if (ifl_trace_is_cut(trace) && !keeps_place(trace, block, record.position))
        return;
    ifl_trace_record *to = trace->records.at + trace->records.count;
    for (uint32_t l = 0; l < s->lines.count; l++) {
        const ifl_request_line *line = &s->lines.at[l];
        if (line->place > trace->most_place)
            continue;
        record.line = line->line;
        record.sectors = line->sectors;
        record.words = line->words;
        record.bytes = record.kind == IFL_ACCESS_LOAD ? record.bytes : line->part_bytes;
        *to++ = record;
    }
    trace->records.count = (size_t)(to - trace->records.at);
    check_length(s, scope);
}

static void access_event(void *self, const ifl_access *access)
{
    static const ifl_site plain;
    ifl_trace_state *s = self;
    const ifl_site *site = access->site < s->sites->count ? &s->sites->at[access->site] : &plain;
    if (access->block != s->block)
        enter_block(s, access->block);
    ifl_trace_record record = {.warp = s->first_warp + access->warp,
                               .position = take_position(s, access, site),
                               .kind = (uint8_t)ifl_access_plain_kind(access->kind)};
    if (access->space == IFL_SPACE_SHARED || !access->mask || access->of_host)
        return;
    record.path = access->space == IFL_SPACE_LOCAL ? IFL_PATH_LOCAL : site->access.path;
    record.bytes = site->access.brings_line;
    ifl_request_lines_find(&s->lines, access);
    for (uint64_t m = s->lines.count ? s->members : 0; m; m &= m - 1)
        keep_lines(s, (size_t)__builtin_ctzll(m), access->block, record);
}

/* It ends the warp's turn, and is one. */
static void barrier_event(void *self, const ifl_barrier_arrival *arrival)
{
    ifl_trace_state *s = self;
    if (arrival->block != s->block)
        enter_block(s, arrival->block);
    const uint64_t warp = s->first_warp + arrival->warp;
    position *p = position_of(s, warp);
    const ifl_trace_record record = {.warp = warp,
                                     .position = next_turn(s, p),
                                     .kind =
                                         arrival->forgets ? IFL_TRACE_FORGET : IFL_TRACE_BARRIER};
    p->is_over = true;
    for (uint64_t m = s->members; m; m &= m - 1) {
        const size_t scope = (size_t)__builtin_ctzll(m);
        const ifl_trace *trace = &s->traces[scope];
        if ((arrival->forgets || !trace->share) &&
            keeps_place(trace, arrival->block, record.position)) {
            s->lost |= !ifl_vec_push(&s->traces[scope].records, record);
            check_length(s, scope);
        }
    }
}

/* ---- merging --------------------------------------------------------------------------------- */

static void merge_trace(ifl_trace_state *s, size_t scope, const ifl_trace *from)
{
    ifl_trace *to = &s->traces[scope];
    if (!add_records(to, from)) {
        s->lost = true;
        return;
    }
    if (from->level > to->level)
        set_level(to, &s->plan->scopes[scope], s->plan, from->level);
    drop_others(to, s->plan);
    shorten(s, scope);
}

/* What a worker left out, all of them together would have left out: the traces are as if one had
 * made them. */
static void merge(void *self, const void *other)
{
    ifl_trace_state *s = self;
    const ifl_trace_state *o = other;
    s->lost |= o->lost;
    s->turns += o->turns;
    for (size_t i = 0; i < s->plan->scope_count; i++)
        if (s->is_shared[i] && !o->is_shared[i])
            part(s, i);
    for (size_t i = s->plan->scope_count; i-- > 0;)
        if (!s->is_shared[i])
            merge_trace(s, i, ifl_trace_of(o, i));
}

/* ---- reading --------------------------------------------------------------------------------- */

bool ifl_trace_is_whole(const ifl_trace_state *state)
{
    return !state->lost;
}

const ifl_trace *ifl_trace_of(const ifl_trace_state *state, size_t scope)
{
    return &state->traces[state->is_shared[scope] ? state->plan->scopes[scope].like - 1 : scope];
}

uint64_t ifl_trace_turns(const ifl_trace_state *state)
{
    return state->turns;
}

bool ifl_trace_is_cut(const ifl_trace *trace)
{
    return trace->level > trace->share;
}

const ifl_observer ifl_cache_observer = {
    .name = "cache",
    .state_bytes = sizeof(ifl_trace_state),
    .begin = begin,
    .end = end,
    .access = access_event,
    .barrier = barrier_event,
    .merge = merge,
};
