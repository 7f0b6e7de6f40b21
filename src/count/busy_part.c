/* SPDX-License-Identifier: Apache-2.0
 * How many passes of atomics the busiest 512 bytes of global memory get: a part of the L2 holds
 * them and does atomics one after the other (arch/atomics.h). A request takes passes for each
 * sector, and more for each further lane on the same address; one of floats keeps its sector from
 * others for longer than the part. Knows events and the profile's counters. What is touched is told
 * apart up to a limit; where there is more, nothing is known. */
#include "arch/atomics.h"
#include "count/footprint.h"
#include "count/observe.h"

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
    busy_table *parts;   /* NULL: there were no atomics */
    busy_table *sectors; /* of floats; NULL: there were none */
    bool lost;           /* there was no memory for a table */
} state;

static void *create(const ifl_sites *sites)
{
    state *s = calloc(1, sizeof *s);
    if (s)
        s->sites = sites;
    return s;
}

static void destroy(void *self)
{
    state *s = self;
    if (s) {
        free(s->parts);
        free(s->sectors);
    }
    free(s);
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

/* Each sector takes as many passes as the address does on which most lanes meet, one sector after
 * the other. */
static void add_request(state *s, const ifl_access *access)
{
    numbers sectors = {0};
    uint32_t most[IFL_WARP_LANES] = {0};
    const bool is_float = s->sites->at[access->site].access.is_float;
    busy_table *parts = table_of(s, &s->parts),
               *of_floats = is_float ? table_of(s, &s->sectors) : NULL;
    find_sectors(access, &sectors, most);
    for (uint32_t i = 0; i < sectors.count && !s->lost; i++) {
        add(parts, sectors.at[i] / PART_SECTORS,
            IFL_ATOMIC_SECTOR_PASSES + (most[i] - 1) * IFL_ATOMIC_LANE_PASSES);
        if (of_floats)
            add(of_floats, sectors.at[i], most[i] * IFL_ATOMIC_FLOAT_LANE_PASSES);
    }
}

static void access_event(void *self, const ifl_access *access)
{
    state *s = self;
    if (access->kind == IFL_ACCESS_ATOMIC && access->space == IFL_SPACE_GLOBAL && is_known(s))
        add_request(s, access);
}

/* No atomics. */
static void contiguous_event(void *self, const ifl_access *access, uint64_t times)
{
    (void)self, (void)access, (void)times;
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
}

static ifl_status report(const void *self, const ifl_sites *sites, const int32_t *line_of,
                         ifl_profile *profile, ifl_error *error)
{
    const state *s = self;
    const uint64_t parts = most_of(s->parts), sectors = most_of(s->sectors);
    (void)sites, (void)line_of, (void)error;
    if (is_known(s))
        ifl_counters_set(&profile->counters, IFL_COUNTER_global_atomic_busiest_part,
                         parts > sectors ? parts : sectors);
    return IFL_OK;
}

static const ifl_observer observer = {
    .name = "busy_part",
    .create = create,
    .access = access_event,
    .contiguous = contiguous_event,
    .merge = merge,
    .destroy = destroy,
};

const ifl_observation ifl_observe_busy_part = {&observer, report, NULL};
