/* SPDX-License-Identifier: Apache-2.0
 * The traces of one worker, and how they are kept short. */
#include "observe/cache_trace.h"

#include "observe/cache_levels.h"
#include "observe/footprint.h"

#include <string.h>

enum { POSITIONS = 1 << 14, MAX_ENTRIES = 2 * IFL_WARP_LANES, MAX_LEVEL = 120 };
enum { TURN_BITS = 32 - IFL_TRACE_SEQUENCE_BITS };

/* Where a warp is. */
typedef struct position {
    uint64_t warp;        /* + 1 */
    uint32_t turn;        /* + 1: of its last request */
    uint32_t sequence;    /* of the next request of that turn */
    uint32_t site;        /* of its last request, and that one's turn */
    uint32_t place;
    bool has_loads; /* its turn: what comes next may wait for them */
    bool is_over;   /* its turn, whatever comes next */
} position;

struct ifl_trace_state {
    const ifl_trace_plan *plan;
    ifl_trace *traces; /* one a scope */
    const ifl_sites *sites;
    position *positions; /* of the warps that run: never so many that two meet in a place */
    uint64_t turns;
    uint64_t block;    /* the last one seen, and whose it is: */
    uint64_t members;      /* the scopes that follow it, a bit each */
    uint32_t least_share; /* the smallest share of the traces that follow it */
    bool lost;
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
    const uint32_t share = level < scope->most_share ? level : scope->most_share, cuts = level - share;
    const uint32_t past = cuts > halvings ? cuts - halvings : 0;
    trace->level = level;
    trace->share = share;
    trace->block_bits = most - (cuts - past);
    trace->turn_bits = TURN_BITS - (past < TURN_BITS ? past : TURN_BITS);
}

static size_t most_records(const ifl_trace_scope *scope)
{
    return scope->sms ? IFL_TRACE_SM_RECORDS : IFL_TRACE_RECORDS;
}

static bool keeps_line(const ifl_trace *trace, uint64_t place)
{
    return trace->share == 0 || (trace->share < 64 && place >> (64 - trace->share) == 0);
}

static bool keeps_place(const ifl_trace *trace, uint64_t block, uint32_t at)
{
    return bits_of(block) <= trace->block_bits &&
           bits_of(at >> IFL_TRACE_SEQUENCE_BITS) <= trace->turn_bits;
}

static bool keeps_record(const ifl_trace *trace, const ifl_trace_record *r, uint64_t block)
{
    return keeps_place(trace, block, r->position) &&
           (r->kind == IFL_TRACE_BARRIER ? !trace->share : keeps_line(trace, ifl_line_place(r->line)));
}

static void drop_others(ifl_trace *trace, const ifl_trace_plan *plan)
{
    size_t kept = 0;
    for (size_t i = 0; i < trace->records.count; i++) {
        const ifl_trace_record *r = &trace->records.at[i];
        if (keeps_record(trace, r, r->warp / plan->warps_per_block))
            trace->records.at[kept++] = *r;
    }
    trace->records.count = kept;
}

static void shorten(ifl_trace *trace, const ifl_trace_scope *scope, const ifl_trace_plan *plan)
{
    while (trace->records.count > most_records(scope) && trace->level < MAX_LEVEL) {
        set_level(trace, scope, plan, trace->level + 1);
        drop_others(trace, plan);
    }
}

/* ---- a worker's state ------------------------------------------------------------------------ */

static void destroy(void *self)
{
    ifl_trace_state *s = self;
    for (size_t i = 0; s && s->traces && i < s->plan->scope_count; i++)
        ifl_vec_free(&s->traces[i].records);
    if (s) {
        free(s->traces);
        free(s->positions);
    }
    free(s);
}

static void *create(const ifl_sites *sites, const void *settings)
{
    ifl_trace_state *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->plan = settings;
    s->block = UINT64_MAX;
    s->sites = sites;
    s->traces = calloc(s->plan->scope_count + 1, sizeof *s->traces);
    s->positions = calloc(POSITIONS, sizeof *s->positions);
    if (!s->traces || !s->positions) {
        destroy(s);
        return NULL;
    }
    for (size_t i = 0; i < s->plan->scope_count; i++)
        set_level(&s->traces[i], &s->plan->scopes[i], s->plan, 0);
    return s;
}

/* Once a block and change of a trace's share: most requests need to look at few lines. */
static void enter_block(ifl_trace_state *s, uint64_t block)
{
    s->block = block;
    s->members = 0;
    s->least_share = 64;
    for (size_t i = 0; i < s->plan->scope_count; i++) {
        const ifl_trace_scope *scope = &s->plan->scopes[i];
        bool follows = !scope->sms || block % scope->sms == scope->chosen;
        if (!follows)
            continue;
        s->members |= UINT64_C(1) << i;
        uint32_t share = scope->sms ? 0 : s->traces[i].share;
        s->least_share = share < s->least_share ? share : s->least_share;
    }
}

/* Does the warp wait for something between its last request and this one? Only loads give it something to wait for. */
static bool is_new_turn(const position *p, const ifl_access *access, uint32_t place)
{
    const uint32_t block = place >> IFL_TRACE_SEQUENCE_BITS;
    return p->is_over || (p->has_loads && (block != p->place >> IFL_TRACE_SEQUENCE_BITS ||
                                           access->site <= p->site || place > p->place));
}

static position *position_of(ifl_trace_state *s, uint64_t warp)
{
    position *p = &s->positions[warp % POSITIONS];
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

static uint32_t take_position(ifl_trace_state *s, const ifl_access *access, uint64_t warp)
{
    position *p = position_of(s, warp);
    const uint32_t most = (1u << IFL_TRACE_SEQUENCE_BITS) - 1;
    const uint32_t i = access->site;
    const uint32_t place = i < s->sites->count ? s->sites->at[i].turn : 0;
    if (is_new_turn(p, access, place))
        next_turn(s, p);
    p->place = place;
    p->site = i;
    p->has_loads |= access->kind != IFL_ACCESS_STORE;
    p->is_over = p->sequence == most;
    return (p->turn - 1) << IFL_TRACE_SEQUENCE_BITS | p->sequence++;
}

/* ---- the lines of a request ------------------------------------------------------------------ */

typedef struct entry {
    uint64_t line, place;
    uint64_t stored[2]; /* bytes of the line */
    uint8_t sectors;
} entry;

typedef struct entries {
    entry at[MAX_ENTRIES];
    uint32_t count;
    uint32_t share; /* lines that no trace would keep are left out */
} entries;

static entry *entry_of(entries *e, uint64_t line)
{
    for (uint32_t i = e->count; i-- > 0;)
        if (e->at[i].line == line)
            return &e->at[i];
    uint64_t place = ifl_line_place(line);
    bool is_kept = e->share == 0 || (e->share < 64 && place >> (64 - e->share) == 0);
    if (!is_kept || e->count == MAX_ENTRIES)
        return NULL;
    entry *added = &e->at[e->count++];
    *added = (entry){.line = line, .place = place};
    return added;
}

/* Bits first to last - 1 of 64, of a range that may lie outside. */
static uint64_t bits_between(int64_t first, int64_t last)
{
    first = first < 0 ? 0 : first;
    last = last > 64 ? 64 : last;
    if (first >= last)
        return 0;
    return UINT64_MAX >> (64 - (last - first)) << first;
}

static void add_bytes(entries *e, uint64_t address, uint32_t bytes)
{
    while (bytes) {
        uint32_t at = address % IFL_LINE_BYTES, here = IFL_LINE_BYTES - at;
        here = here < bytes ? here : bytes;
        entry *to = entry_of(e, address / IFL_LINE_BYTES);
        if (to) {
            uint32_t first = at / IFL_SECTOR_BYTES, last = (at + here - 1) / IFL_SECTOR_BYTES;
            to->sectors |= (uint8_t)bits_between(first, last + 1);
            to->stored[0] |= bits_between(at, at + here);
            to->stored[1] |= bits_between((int64_t)at - 64, (int64_t)at + here - 64);
        }
        address += here;
        bytes -= here;
    }
}

/* Loads need no bytes, and an access never crosses a sector when it is aligned. */
static void add_sector(entries *e, uint64_t address, uint32_t bytes)
{
    if (address / IFL_SECTOR_BYTES != (address + bytes - 1) / IFL_SECTOR_BYTES) {
        add_bytes(e, address, bytes);
        return;
    }
    entry *to = entry_of(e, address / IFL_LINE_BYTES);
    if (to)
        to->sectors |= (uint8_t)(1 << address % IFL_LINE_BYTES / IFL_SECTOR_BYTES);
}

static void gather(entries *e, const ifl_access *access)
{
    if (access->shape == IFL_SHAPE_CONTIGUOUS && access->mask == UINT32_MAX) {
        add_bytes(e, access->address[0], (uint32_t)access->bytes * IFL_WARP_LANES);
        return;
    }
    bool is_uniform = access->shape == IFL_SHAPE_UNIFORM;
    for (uint32_t m = access->mask; m; m = is_uniform ? 0 : m & (m - 1)) {
        uint64_t address = access->address[__builtin_ctz(m)];
        if (access->kind == IFL_ACCESS_LOAD)
            add_sector(e, address, access->bytes);
        else
            add_bytes(e, address, access->bytes);
    }
}

/* ---- events ---------------------------------------------------------------------------------- */

static void describe_stored(const entry *e, ifl_trace_record *record)
{
    uint32_t parts = 0, bytes = 0;
    for (int s = 0; s < IFL_LINE_SECTORS; s++) {
        uint32_t stored = (uint32_t)(e->stored[s / 2] >> s % 2 * IFL_SECTOR_BYTES);
        if (stored == UINT32_MAX) {
            record->sectors |= (uint8_t)(1 << (s + IFL_LINE_SECTORS));
        } else if (e->sectors >> s & 1) {
            parts++;
            bytes += (uint32_t)__builtin_popcount(stored);
        }
    }
    record->bytes = (uint8_t)(parts ? (bytes + parts - 1) / parts : 0);
}

static void keep(ifl_trace_state *s, size_t scope, const ifl_trace_record *record)
{
    ifl_trace *trace = &s->traces[scope];
    if (!ifl_vec_push(&trace->records, *record)) {
        s->lost = true;
        return;
    }
    if (trace->records.count > most_records(&s->plan->scopes[scope])) {
        shorten(trace, &s->plan->scopes[scope], s->plan);
        enter_block(s, s->block);
    }
}

static void record_entry(ifl_trace_state *s, const ifl_access *access, const entry *e,
                         ifl_trace_record record)
{
    record.line = e->line;
    record.sectors = e->sectors;
    if (access->kind != IFL_ACCESS_LOAD)
        describe_stored(e, &record);
    for (uint64_t m = s->members; m; m &= m - 1) {
        size_t scope = (size_t)__builtin_ctzll(m);
        ifl_trace *trace = &s->traces[scope];
        if (keeps_line(trace, e->place) && keeps_place(trace, access->block, record.position))
            keep(s, scope, &record);
    }
}

static void access_event(void *self, const ifl_access *access)
{
    ifl_trace_state *s = self;
    uint64_t warp = access->block * s->plan->warps_per_block + access->warp;
    ifl_trace_record record = {
        .warp = warp, .position = take_position(s, access, warp), .kind = access->kind};
    if (access->space == IFL_SPACE_SHARED || !access->mask)
        return;
    if (access->block != s->block)
        enter_block(s, access->block);
    entries e; /* large: only what is filled is looked at */
    e.count = 0;
    e.share = s->least_share;
    gather(&e, access);
    record.path = access->space == IFL_SPACE_LOCAL               ? IFL_PATH_LOCAL
                  : access->site < s->sites->count ? s->sites->at[access->site].access.path
                                                                 : IFL_PATH_PLAIN;
    for (uint32_t i = 0; i < e.count; i++)
        record_entry(s, access, &e.at[i], record);
}

/* It ends the warp's turn, and is one. */
static void barrier_event(void *self, const ifl_barrier_arrival *arrival)
{
    ifl_trace_state *s = self;
    uint64_t warp = arrival->block * s->plan->warps_per_block + arrival->warp;
    position *p = position_of(s, warp);
    ifl_trace_record record = {
        .warp = warp, .position = next_turn(s, p), .kind = IFL_TRACE_BARRIER};
    p->is_over = true;
    if (arrival->block != s->block)
        enter_block(s, arrival->block);
    for (uint64_t m = s->members; m; m &= m - 1) {
        size_t scope = (size_t)__builtin_ctzll(m);
        if (keeps_record(&s->traces[scope], &record, arrival->block))
            keep(s, scope, &record);
    }
}

/* What a worker left out, all of them together would have left out: the traces are as if one had made them. */
static void merge(void *self, const void *other)
{
    ifl_trace_state *s = self;
    const ifl_trace_state *o = other;
    s->lost |= o->lost;
    s->turns += o->turns;
    for (size_t i = 0; i < s->plan->scope_count; i++) {
        ifl_trace *to = &s->traces[i];
        const ifl_trace *from = &o->traces[i];
        if (!ifl_vec_reserve(&to->records, from->records.count)) {
            s->lost = true;
            continue;
        }
        if (from->records.count)
            memcpy(&to->records.at[to->records.count], from->records.at,
                   from->records.count * sizeof *from->records.at);
        to->records.count += from->records.count;
        if (from->level > to->level)
            set_level(to, &s->plan->scopes[i], s->plan, from->level);
        drop_others(to, s->plan);
        shorten(to, &s->plan->scopes[i], s->plan);
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

bool ifl_trace_is_whole(const ifl_trace_state *state)
{
    return !state->lost;
}

const ifl_trace *ifl_trace_of(const ifl_trace_state *state, size_t scope)
{
    return &state->traces[scope];
}

uint64_t ifl_trace_turns(const ifl_trace_state *state)
{
    return state->turns;
}

static uint64_t sectors_of(const ifl_trace *trace, uint32_t kinds)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < trace->records.count; i++)
        if (kinds >> trace->records.at[i].kind & 1)
            sum += (uint64_t)__builtin_popcount(trace->records.at[i].sectors & 0xf);
    return sum;
}

uint64_t ifl_trace_load_sectors(const ifl_trace *trace)
{
    return sectors_of(trace, 1u << IFL_ACCESS_LOAD);
}

uint64_t ifl_trace_sectors(const ifl_trace *trace)
{
    return sectors_of(trace, (1u << IFL_ACCESS_KINDS) - 1);
}

bool ifl_trace_is_cut(const ifl_trace *trace)
{
    return trace->level > trace->share;
}

const ifl_observer ifl_cache_observer = {
    .name = "cache",
    .create_with = create,
    .access = access_event,
    .barrier = barrier_event,
    .merge = merge,
    .destroy = destroy,
};
