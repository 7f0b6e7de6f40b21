/* SPDX-License-Identifier: Apache-2.0
 * How many passes of atomics the busiest 512 bytes of global memory get: a part of the L2 holds
 * them and does atomics one after the other (arch/atomics.h). A request takes passes for each
 * sector, and more for each further lane on the same address. Knows events and the profile's
 * counters. What is touched is told apart up to a limit; where there is more, nothing is known. */
#include "arch/atomics.h"
#include "count/footprint.h"
#include "count/observe.h"

#include <stdlib.h>

enum { MOST = 2048, SLOTS = 2 * MOST }; /* half full at most */
enum { PART_SECTORS = IFL_ATOMIC_PART_BYTES / IFL_SECTOR_BYTES };

typedef struct busy {
    uint64_t part; /* + 1; 0: free */
    uint64_t passes;
} busy;

typedef struct state {
    const ifl_sites *sites;
    busy slot[SLOTS];
    uint32_t count;
    bool too_many;
} state;

static void *create(const ifl_sites *sites)
{
    state *s = calloc(1, sizeof *s);
    if (s)
        s->sites = sites;
    return s;
}

static void add(state *s, uint64_t part, uint64_t passes)
{
    uint64_t at = part * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    while (s->slot[at % SLOTS].part && s->slot[at % SLOTS].part != part + 1)
        at++;
    busy *found = &s->slot[at % SLOTS];
    if (!found->part) {
        if (s->count == MOST) {
            s->too_many = true;
            return;
        }
        s->count++;
        found->part = part + 1;
    }
    found->passes += passes;
}

/* Lanes before `lane` on its address. */
static uint64_t met(const ifl_access *access, int lane)
{
    uint64_t count = 0;
    for (uint32_t before = access->mask & ((1u << lane) - 1); before; before &= before - 1)
        count += access->address[__builtin_ctz(before)] == access->address[lane];
    return count;
}

typedef struct sector {
    uint64_t number;
    uint64_t most; /* lanes on one address */
} sector;

/* The request's sectors, in the order of its lanes. */
static int find_sectors(const ifl_access *access, sector to[IFL_WARP_LANES])
{
    int count = 0;
    for (uint32_t mask = access->mask; mask; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        const uint64_t own = access->address[lane] / IFL_SECTOR_BYTES,
                       lanes = 1 + met(access, lane);
        int at = 0;
        while (at < count && to[at].number != own)
            at++;
        if (at == count)
            to[count++] = (sector){.number = own};
        to[at].most = lanes > to[at].most ? lanes : to[at].most;
    }
    return count;
}

static uint64_t part_of(const sector *found)
{
    return found->number / PART_SECTORS;
}

static uint64_t passes_of(const sector *found, uint64_t further)
{
    return IFL_ATOMIC_SECTOR_PASSES + (found->most - 1) * further;
}

/* Additions on one address take longer than those of integers, in which other sectors of the part
 * go on. */
static void add_floats(state *s, const sector *found, int count)
{
    for (int i = 0; i < count; i++) {
        uint64_t passes = 0, longest = 0;
        bool is_done = false;
        for (int k = 0; k < count && !is_done; k++) {
            if (part_of(&found[k]) != part_of(&found[i]))
                continue;
            const uint64_t own = passes_of(&found[k], IFL_ATOMIC_FLOAT_LANE_PASSES);
            is_done = k < i; /* with its first sector */
            passes += passes_of(&found[k], IFL_ATOMIC_LANE_PASSES);
            longest = own > longest ? own : longest;
        }
        if (!is_done)
            add(s, part_of(&found[i]), passes > longest ? passes : longest);
    }
}

/* Each sector takes as many passes as the address does on which most lanes meet, one sector after
 * the other. */
static void add_request(state *s, const ifl_access *access)
{
    sector found[IFL_WARP_LANES];
    const int count = find_sectors(access, found);
    if (s->sites->at[access->site].access.is_float) {
        add_floats(s, found, count);
        return;
    }
    for (int i = 0; i < count; i++)
        add(s, part_of(&found[i]), passes_of(&found[i], IFL_ATOMIC_LANE_PASSES));
}

static void access_event(void *self, const ifl_access *access)
{
    state *s = self;
    if (access->kind == IFL_ACCESS_ATOMIC && access->space == IFL_SPACE_GLOBAL && !s->too_many)
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
    s->too_many |= o->too_many;
    for (int i = 0; i < SLOTS && !s->too_many; i++)
        if (o->slot[i].part)
            add(s, o->slot[i].part - 1, o->slot[i].passes);
}

static ifl_status report(const void *self, const ifl_sites *sites, const int32_t *line_of,
                         ifl_profile *profile, ifl_error *error)
{
    const state *s = self;
    uint64_t most = 0;
    (void)sites, (void)line_of, (void)error;
    for (int i = 0; i < SLOTS; i++)
        most = s->slot[i].passes > most ? s->slot[i].passes : most;
    if (!s->too_many)
        ifl_counters_set(&profile->counters, IFL_COUNTER_global_atomic_busiest_part, most);
    return IFL_OK;
}

static const ifl_observer observer = {
    .name = "busy_part",
    .create = create,
    .access = access_event,
    .contiguous = contiguous_event,
    .merge = merge,
    .destroy = free,
};

const ifl_observation ifl_observe_busy_part = {&observer, report};
