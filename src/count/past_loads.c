/* SPDX-License-Identifier: Apache-2.0
 * What the busiest slice of an L2 gets of loads past the L1 (arch/atomics.h). Of small tables that all
 * SMs read so, few slices serve all. Knows events and the profile's counters. */
#include "count/observe.h"
#include "count/slice.h"

#include <stdlib.h>

typedef struct state {
    const ifl_sites *sites;
    uint64_t turns[IFL_HALF_SLICES];
    uint64_t all_turns, lines; /* of all slices */
    uint64_t rows;             /* turns of lines of which no place is told */
    bool has_asked;            /* the block that runs; at the end, one whose end was not told */
    uint64_t blocks;
} state;

static bool begin(void *self, const ifl_sites *sites, const void *settings)
{
    (void)settings;
    ((state *)self)->sites = sites;
    return true;
}

static bool is_past(const state *s, const ifl_access *access)
{
    const uint8_t path = s->sites->at[access->site].access.path;
    return access->space == IFL_SPACE_GLOBAL && access->kind == IFL_ACCESS_LOAD &&
           (path == IFL_PATH_PAST || path == IFL_PATH_BYPASS);
}

typedef struct line {
    uint64_t number;
    uint32_t sectors; /* a bit each */
} line;

/* Neighbouring lanes are often in one line. */
static line *line_of(line lines[IFL_WARP_LANES], uint32_t *count, uint64_t number)
{
    for (uint32_t i = *count; i > 0; i--)
        if (lines[i - 1].number == number)
            return &lines[i - 1];
    lines[*count] = (line){.number = number};
    return &lines[(*count)++];
}

static uint32_t find_lines(const ifl_access *access, line lines[IFL_WARP_LANES])
{
    uint32_t count = 0;
    for (uint32_t mask = access->mask; mask; mask &= mask - 1) {
        const uint64_t sector = access->address[__builtin_ctz(mask)] / IFL_SECTOR_BYTES;
        line_of(lines, &count, sector / IFL_LINE_SECTORS)->sectors |= 1u
                                                                      << sector % IFL_LINE_SECTORS;
    }
    return count;
}

static uint64_t turns_of(uint32_t sectors)
{
    return sectors > IFL_LEAST_LOAD_TURNS ? sectors : IFL_LEAST_LOAD_TURNS;
}

static void access_event(void *self, const ifl_access *access)
{
    state *s = self;
    line lines[IFL_WARP_LANES];
    if (!is_past(s, access))
        return;
    const uint32_t count = find_lines(access, lines);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t turns = turns_of((uint32_t)__builtin_popcount(lines[i].sectors));
        s->turns[ifl_half_slice_of(lines[i].number * IFL_LINE_SECTORS)] += turns;
        s->all_turns += turns;
    }
    s->lines += count;
    s->has_asked = true;
}

/* Bytes in a row, in as many lines as hold them. */
static void contiguous_event(void *self, const ifl_access *access, uint64_t times)
{
    state *s = self;
    if (!is_past(s, access))
        return;
    const uint64_t sectors = (uint64_t)access->bytes * IFL_WARP_LANES / IFL_SECTOR_BYTES,
                   lines = (sectors + IFL_LINE_SECTORS - 1) / IFL_LINE_SECTORS,
                   turns = times * lines * turns_of((uint32_t)(sectors / lines));
    s->rows += turns;
    s->all_turns += turns;
    s->lines += times * lines;
    s->has_asked = true;
}

static void end_event(void *self, const ifl_block_end *end)
{
    state *s = self;
    if (!end->was_alone)
        return;
    s->blocks += s->has_asked;
    s->has_asked = false;
}

static void merge(void *self, const void *other)
{
    state *s = self;
    const state *o = other;
    for (int i = 0; i < IFL_HALF_SLICES; i++)
        s->turns[i] += o->turns[i];
    s->all_turns += o->all_turns;
    s->lines += o->lines;
    s->rows += o->rows;
    s->has_asked |= o->has_asked;
    s->blocks += o->blocks;
}

static ifl_status report(const void *self, const ifl_sites *sites, const int32_t *line_of_site,
                         ifl_profile *profile, ifl_error *error)
{
    const state *s = self;
    ifl_counters *c = &profile->counters;
    (void)sites, (void)line_of_site, (void)error;
    ifl_counters_set(c, IFL_COUNTER_global_past_busiest_slice,
                     ifl_slice_busiest(s->turns, IFL_HALF_SLICES) + s->rows / IFL_HALF_SLICES);
    ifl_counters_set(c, IFL_COUNTER_global_past_turns, s->all_turns);
    ifl_counters_set(c, IFL_COUNTER_global_past_lines, s->lines);
    if (!s->has_asked)
        ifl_counters_set(c, IFL_COUNTER_global_past_blocks, s->blocks);
    return IFL_OK;
}

static const ifl_observer observer = {
    .name = "past_loads",
    .state_bytes = sizeof(state),
    .begin = begin,
    .access = access_event,
    .contiguous = contiguous_event,
    .block_end = end_event,
    .merge = merge,
};

const ifl_observation ifl_observe_past_loads = {&observer, report, NULL};
