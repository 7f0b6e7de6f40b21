/* SPDX-License-Identifier: Apache-2.0
 * How many passes of atomics the busiest 512 bytes of global memory get, and what the busiest slice
 * of an L2 gets of atomics and of stores of one or two sectors of a line (arch/atomics.h). A request of atomics takes
 * passes for each sector, and more for each further lane on the same address; one of floats keeps
 * its sector from others for longer. Knows events and the profile's counters. Which 512 bytes are
 * touched is told apart up to a limit; where there are more, nothing is known of them. */
#include "arch/atomics.h"
#include "count/footprint.h"
#include "count/observe.h"
#include "count/slice.h"

#include <stdlib.h>

enum { MOST = 2048, SLOTS = 2 * MOST }; /* half full at most */
enum { PART_SECTORS = IFL_ATOMIC_PART_BYTES / IFL_SECTOR_BYTES };

typedef struct busy {
    uint64_t place; /* + 1; 0: free */
    uint64_t passes;
} busy;

typedef struct busy_table {
    busy slot[SLOTS];
    uint32_t count;
    bool too_many;
} busy_table;

typedef struct state {
    const ifl_sites *sites;
    busy_table *parts;               /* NULL: there were no atomics */
    busy_table *sectors;             /* of floats; NULL: there were none */
    bool lost;                       /* there was no memory for a table */
    uint64_t atomics[IFL_L2_SLICES]; /* half passes */
    uint64_t stores[IFL_L2_SLICES];  /* lines of which one or two sectors are stored */
    uint64_t store_count;            /* of them all */
    uint64_t rows;                   /* of them, those of which no place is told */
    bool has_added, has_stored; /* the block that runs; at the end, one whose end was not told */
    uint64_t adding_blocks, storing_blocks;
} state;

static bool begin(void *self, const ifl_sites *sites, const void *settings)
{
    (void)settings;
    ((state *)self)->sites = sites;
    return true;
}

static void end(void *self)
{
    state *s = self;
    free(s->parts);
    free(s->sectors);
}

static void add(busy_table *table, uint64_t place, uint64_t passes)
{
    uint64_t at = place * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    if (table->too_many)
        return;
    while (table->slot[at % SLOTS].place && table->slot[at % SLOTS].place != place + 1)
        at++;
    busy *found = &table->slot[at % SLOTS];
    if (!found->place) {
        if (table->count == MOST) {
            table->too_many = true;
            return;
        }
        table->count++;
        found->place = place + 1;
    }
    found->passes += passes;
}

static void add_all(busy_table *to, const busy_table *from)
{
    to->too_many |= from->too_many;
    for (int i = 0; i < SLOTS && !to->too_many; i++)
        if (from->slot[i].place)
            add(to, from->slot[i].place - 1, from->slot[i].passes);
}

/* Most kernels have no atomics, fewer still those of floats, and need no table. */
static busy_table *table_of(state *s, busy_table **table)
{
    if (!*table)
        *table = calloc(1, sizeof **table);
    s->lost |= !*table;
    return *table;
}

static bool is_known(const state *s)
{
    return !s->lost && !(s->parts && s->parts->too_many);
}

static uint64_t most_of(const busy_table *table)
{
    uint64_t most = 0;
    for (int i = 0; table && i < SLOTS && !table->too_many; i++)
        most = table->slot[i].passes > most ? table->slot[i].passes : most;
    return most;
}

/* Numbers of a request, each once, in the order of its lanes. */
typedef struct numbers {
    uint32_t count;
    uint64_t at[IFL_WARP_LANES];
    uint8_t slot[2 * IFL_WARP_LANES]; /* 1 + index, by hash; half full at most */
} numbers;

static uint32_t index_of(numbers *n, uint64_t number)
{
    enum { HASH_BITS = 6 };
    _Static_assert(1 << HASH_BITS == sizeof n->slot, "a slot for each value of the bits");
    uint32_t slot = (uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> (64 - HASH_BITS));
    for (; n->slot[slot]; slot = (slot + 1) % sizeof n->slot)
        if (n->at[n->slot[slot] - 1] == number)
            return n->slot[slot] - 1u;
    n->at[n->count] = number;
    n->slot[slot] = (uint8_t)++n->count;
    return n->count - 1;
}

/* Its sectors; `most`: of each, the most lanes on one address. */
static void find_sectors(const ifl_access *access, numbers *sectors, uint32_t most[IFL_WARP_LANES])
{
    numbers addresses = {0};
    uint32_t lanes[IFL_WARP_LANES] = {0};
    for (uint32_t mask = access->mask; mask; mask &= mask - 1) {
        const uint64_t address = access->address[__builtin_ctz(mask)];
        const uint32_t met = ++lanes[index_of(&addresses, address)],
                       sector = index_of(sectors, address / IFL_SECTOR_BYTES);
        most[sector] = met > most[sector] ? met : most[sector];
    }
}

static bool shares_piece(const numbers *sectors, uint32_t i)
{
    for (uint32_t k = 0; k < sectors->count; k++)
        if (k != i && sectors->at[k] / IFL_SLICE_SECTORS == sectors->at[i] / IFL_SLICE_SECTORS)
            return true;
    return false;
}

/* Half passes of a request for one of its sectors. */
static uint64_t half_passes(const numbers *sectors, uint32_t i, uint32_t most, uint32_t lanes,
                            bool is_float)
{
    const bool is_alone = sectors->count == 1,
               is_row = most == 1 && lanes >= IFL_ATOMIC_ROW_LANES * sectors->count;
    if (is_float && is_alone && most == lanes)
        return most * IFL_ATOMIC_FLOAT_BURST_HALF_PASSES;
    if (is_row && !is_alone)
        return IFL_ATOMIC_ROW_HALF_PASSES;
    return 2 * (IFL_ATOMIC_SECTOR_PASSES + (most - 1) * IFL_ATOMIC_LANE_PASSES) +
           (!is_alone && !shares_piece(sectors, i) ? IFL_ATOMIC_LONE_HALF_PASSES : 0);
}

static void add_to_slices(state *s, const ifl_access *access, const numbers *sectors,
                          const uint32_t *most, bool is_float)
{
    const uint32_t lanes = (uint32_t)__builtin_popcount(access->mask);
    for (uint32_t i = 0; i < sectors->count; i++)
        s->atomics[ifl_slice_of(sectors->at[i])] +=
            half_passes(sectors, i, most[i], lanes, is_float);
}

/* Each sector takes as many passes as the address does on which most lanes meet, one sector after
 * the other. */
static void add_request(state *s, const ifl_access *access)
{
    numbers sectors = {0};
    uint32_t most[IFL_WARP_LANES] = {0};
    const bool is_float = s->sites->at[access->site].access.is_float;
    find_sectors(access, &sectors, most);
    add_to_slices(s, access, &sectors, most, is_float);
    if (!is_known(s))
        return;
    busy_table *parts = table_of(s, &s->parts),
               *of_floats = is_float ? table_of(s, &s->sectors) : NULL;
    for (uint32_t i = 0; i < sectors.count && !s->lost; i++) {
        add(parts, sectors.at[i] / PART_SECTORS,
            IFL_ATOMIC_SECTOR_PASSES + (most[i] - 1) * IFL_ATOMIC_LANE_PASSES);
        if (of_floats)
            add(of_floats, sectors.at[i], most[i] * IFL_ATOMIC_FLOAT_LANE_PASSES);
    }
}

/* ---- stores ---------------------------------------------------------------------------------- */

/* Consecutive lanes of a store that write to one line. */
typedef struct run {
    uint64_t line;
    uint32_t sectors; /* a bit each */
} run;

static run *run_of(run runs[IFL_SLIGHT_LINES], uint32_t *count, uint64_t line)
{
    if (*count && runs[*count - 1].line == line)
        return &runs[*count - 1];
    if (*count == IFL_SLIGHT_LINES)
        return NULL;
    runs[*count] = (run){.line = line};
    return &runs[(*count)++];
}

/* How many there are; 0: too many. */
static uint32_t find_runs(const ifl_access *access, run runs[IFL_SLIGHT_LINES])
{
    uint32_t count = 0;
    for (uint32_t mask = access->mask; mask; mask &= mask - 1) {
        const uint64_t first = access->address[__builtin_ctz(mask)] / IFL_SECTOR_BYTES;
        run *at = run_of(runs, &count, first / IFL_LINE_SECTORS);
        if (!at)
            return 0;
        at->sectors |= 1u << first % IFL_LINE_SECTORS;
    }
    return count;
}

/* A slice takes a line of which one sector is written as long as one of which two are; more are a
 * matter of its bandwidth (tools/gpu/hot_store_probe.cu). */
static bool is_slight(uint32_t sectors)
{
    return __builtin_popcount(sectors) <= IFL_SLIGHT_SECTORS;
}

static void add_store(state *s, const ifl_access *access)
{
    run runs[IFL_SLIGHT_LINES];
    const uint32_t count = find_runs(access, runs);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_slight(runs[i].sectors))
            continue;
        s->stores[ifl_slice_of(runs[i].line * IFL_LINE_SECTORS)]++;
        s->store_count++;
        s->has_stored = true;
    }
}

static void access_event(void *self, const ifl_access *access)
{
    if (access->space != IFL_SPACE_GLOBAL)
        return;
    if (access->kind == IFL_ACCESS_ATOMIC) {
        ((state *)self)->has_added = true;
        add_request(self, access);
    } else if (access->kind == IFL_ACCESS_STORE)
        add_store(self, access);
}

/* No atomics. So many bytes, aligned, are in one line. */
static void contiguous_event(void *self, const ifl_access *access, uint64_t times)
{
    state *s = self;
    const uint64_t bytes = (uint64_t)access->bytes * IFL_WARP_LANES;
    const bool is_lone = access->space == IFL_SPACE_GLOBAL && access->kind == IFL_ACCESS_STORE &&
                         bytes <= IFL_SLIGHT_SECTORS * IFL_SECTOR_BYTES &&
                         access->address[0] % bytes == 0;
    s->store_count += is_lone ? times : 0;
    s->rows += is_lone ? times : 0;
}

static void end_event(void *self, const ifl_block_end *end)
{
    state *s = self;
    if (!end->was_alone)
        return;
    s->adding_blocks += s->has_added;
    s->storing_blocks += s->has_stored;
    s->has_added = s->has_stored = false;
}

static void merge(void *self, const void *other)
{
    state *s = self;
    const state *o = other;
    s->lost |= o->lost;
    if (o->parts && table_of(s, &s->parts))
        add_all(s->parts, o->parts);
    if (o->sectors && table_of(s, &s->sectors))
        add_all(s->sectors, o->sectors);
    for (int i = 0; i < IFL_L2_SLICES; i++) {
        s->atomics[i] += o->atomics[i];
        s->stores[i] += o->stores[i];
    }
    s->store_count += o->store_count;
    s->rows += o->rows;
    s->has_added |= o->has_added;
    s->has_stored |= o->has_stored;
    s->adding_blocks += o->adding_blocks;
    s->storing_blocks += o->storing_blocks;
}

static ifl_status report(const void *self, const ifl_sites *sites, const int32_t *line_of,
                         ifl_profile *profile, ifl_error *error)
{
    const state *s = self;
    const uint64_t parts = most_of(s->parts), sectors = most_of(s->sectors),
                   slices = ifl_slice_busiest(s->atomics, IFL_L2_SLICES) / 2;
    (void)sites, (void)line_of, (void)error;
    if (is_known(s))
        ifl_counters_set(&profile->counters, IFL_COUNTER_global_atomic_busiest_part,
                         parts > sectors ? parts : sectors);
    ifl_counters_set(&profile->counters, IFL_COUNTER_global_atomic_busiest_slice,
                     slices > sectors ? slices : sectors);
    ifl_counters_set(&profile->counters, IFL_COUNTER_global_store_busiest_slice,
                     ifl_slice_busiest(s->stores, IFL_L2_SLICES) + s->rows / IFL_L2_SLICES);
    ifl_counters_set(&profile->counters, IFL_COUNTER_global_store_lone_requests, s->store_count);
    if (!s->has_added)
        ifl_counters_set(&profile->counters, IFL_COUNTER_global_atomic_blocks, s->adding_blocks);
    if (!s->has_stored && !s->rows)
        ifl_counters_set(&profile->counters, IFL_COUNTER_global_store_lone_blocks,
                         s->storing_blocks);
    return IFL_OK;
}

static const ifl_observer observer = {
    .name = "busy_part",
    .state_bytes = sizeof(state),
    .begin = begin,
    .end = end,
    .access = access_event,
    .contiguous = contiguous_event,
    .block_end = end_event,
    .merge = merge,
};

const ifl_observation ifl_observe_busy_part = {&observer, report, NULL};
