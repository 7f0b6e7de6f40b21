/* SPDX-License-Identifier: Apache-2.0
 * How much work each block did: warp instructions by slices of the grid. Knows events and the
 * profile. */
#include "count/observe.h"

#include <stdlib.h>
#include <string.h>

typedef struct state {
    uint64_t blocks; /* of the grid; 0: none has ended */
    bool differ;     /* grids of several sizes */
    bool together;   /* blocks have run side by side */
    uint64_t least;
    ifl_work_slice slices[IFL_WORK_SLICES];
} state;

static bool begin(void *self, const ifl_sites *sites, const void *settings)
{
    (void)sites, (void)settings;
    ((state *)self)->least = UINT64_MAX;
    return true;
}

static uint64_t slice_count(uint64_t blocks)
{
    return blocks < IFL_WORK_SLICES ? blocks : IFL_WORK_SLICES;
}

static size_t slice_of(uint64_t block, uint64_t blocks)
{
    const double share = (double)block / (double)blocks; /* the product may not fit 64 bits */
    return blocks <= IFL_WORK_SLICES ? (size_t)block : (size_t)(share * IFL_WORK_SLICES);
}

static void note_size(state *s, uint64_t blocks)
{
    s->differ |= s->blocks && s->blocks != blocks;
    s->blocks = blocks;
}

static void end_event(void *self, const ifl_block_end *end)
{
    state *s = self;
    note_size(s, end->blocks);
    s->together |= !end->was_alone;
    if (end->block >= end->blocks)
        return;
    ifl_work_slice *slice = &s->slices[slice_of(end->block, end->blocks)];
    slice->blocks++;
    slice->sum += end->instructions;
    if (end->instructions > slice->most)
        slice->most = end->instructions;
    if (end->instructions < s->least)
        s->least = end->instructions;
}

static void merge(void *self, const void *other)
{
    state *s = self;
    const state *o = other;
    if (!o->blocks)
        return;
    note_size(s, o->blocks);
    s->differ |= o->differ;
    s->together |= o->together;
    if (o->least < s->least)
        s->least = o->least;
    for (size_t i = 0; i < IFL_WORK_SLICES; i++) {
        s->slices[i].blocks += o->slices[i].blocks;
        s->slices[i].sum += o->slices[i].sum;
        if (o->slices[i].most > s->slices[i].most)
            s->slices[i].most = o->slices[i].most;
    }
}

enum { FAR = 4 }; /* times as much work, or as little */

/* Half of the blocks, or more, do hardly more than the least, and some do far more. */
static bool most_get_none(const state *s)
{
    const double hardly_more = 1.1;
    uint64_t none = 0, most = 0;
    for (size_t i = 0; i < IFL_WORK_SLICES; i++) {
        const ifl_work_slice *slice = &s->slices[i];
        const bool has_none =
            (double)slice->sum <= hardly_more * (double)s->least * (double)slice->blocks;
        none += has_none ? slice->blocks : 0;
        most = slice->most > most ? slice->most : most;
    }
    return 2 * none >= s->blocks && most >= FAR * s->least;
}

/* What a block issues that runs beside others is also a matter of how long it waits for them, and how often it tries
 * again. It tells who has the work only where some do far less than the average, or most do the same little: those get none. */
static bool is_by_chance(const state *s)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < IFL_WORK_SLICES; i++)
        sum += s->slices[i].sum;
    return s->together && FAR * (double)s->least * (double)s->blocks >= (double)sum &&
           !most_get_none(s);
}

/* Of several launches in one profile, or of one that stopped, the order of the blocks says
 * nothing. */
static bool is_one_grid(const state *s, uint64_t *most)
{
    uint64_t blocks = 0;
    *most = 0;
    for (size_t i = 0; i < IFL_WORK_SLICES; i++) {
        blocks += s->slices[i].blocks;
        if (s->slices[i].most > *most)
            *most = s->slices[i].most;
    }
    return s->blocks && !s->differ && blocks == s->blocks;
}

static ifl_status report(const void *self, const ifl_sites *sites, const int32_t *line_of,
                         ifl_profile *profile, ifl_error *error)
{
    const state *s = self;
    uint64_t most;
    (void)sites, (void)line_of;
    if (!is_one_grid(s, &most) || is_by_chance(s))
        return IFL_OK;
    profile->work.known = true;
    if (most == s->least)
        return IFL_OK;
    const size_t count = slice_count(s->blocks), bytes = count * sizeof *s->slices;
    profile->work.slices = ifl_arena_alloc(&profile->arena, bytes);
    if (!profile->work.slices)
        return ifl_fail_memory(error, bytes);
    memcpy(profile->work.slices, s->slices, bytes);
    profile->work.slice_count = (uint32_t)count;
    return IFL_OK;
}

static const ifl_observer observer = {
    .name = "block_work",
    .state_bytes = sizeof(state),
    .begin = begin,
    .block_end = end_event,
    .merge = merge,
};

const ifl_observation ifl_observe_block_work = {&observer, report, NULL};
