/* SPDX-License-Identifier: Apache-2.0
 * The address pattern of each memory instruction, by counting the layouts of its requests. Knows
 * events and the profile. Document 004 has four causes of poor traffic: offset, large strides, a
 * large contiguous region for each thread, irregular addresses. */
#include "count/layout.h"
#include "count/observe.h"
#include "count/ragged.h"
#include "count/slots.h"
#include "count/strides.h"
#include "count/walk.h"

#include <stdlib.h>

typedef struct record {
    ifl_slot slot;
    uint64_t requests[IFL_PATTERN_COUNT];
    uint64_t irregular, ragged; /* irregular requests that were looked at, and that walk */
    ifl_strides strides;
} record;

typedef struct state {
    ifl_slots slots;
    bool lost; /* there was no memory for a stride or a history */
    ifl_lookup lookup;
    ifl_alike known; /* layouts; `base`: from the first active lane */
    ifl_address_walk *walks[IFL_WALK_WARPS];
    ifl_ragged *ragged[IFL_RAGGED_WARPS];
} state;

static void end(void *self)
{
    state *s = self;
    for (size_t i = 0; i < s->slots.count; i++)
        ifl_strides_free(&((record *)ifl_slots_at(&s->slots, i))->strides);
    for (size_t i = 0; i < IFL_WALK_WARPS; i++) /* of most launches all are NULL */
        if (s->walks[i])
            free(s->walks[i]);
    for (size_t i = 0; i < IFL_RAGGED_WARPS; i++)
        if (s->ragged[i])
            free(s->ragged[i]);
    ifl_alike_free(&s->known);
    ifl_slots_free(&s->slots);
}

static bool begin(void *self, const ifl_sites *sites, const void *settings)
{
    (void)settings;
    return ifl_slots_init(&((state *)self)->slots, sites, sizeof(record));
}

static record *record_at(const state *s, size_t index)
{
    return (record *)ifl_slots_at(&s->slots, index);
}

/* ---- counting -------------------------------------------------------------------------------- */

static uint32_t index_of(const state *s, const record *r)
{
    size_t offset = (size_t)((const char *)r - (const char *)s->slots.at);
    return (uint32_t)(offset / s->slots.record_bytes);
}

static void count_stride(state *s, record *r, int64_t stride, ifl_stride_use use, int64_t times)
{
    r->requests[use == IFL_STRIDE_WALKING ? IFL_PATTERN_CONTIGUOUS : IFL_PATTERN_STRIDED] +=
        (uint64_t)times;
    s->lost |= !ifl_strides_add(&r->strides, stride, use, times);
}

/* A strided request whose thread also touches the next word, before or after, walks its own
 * region: a request is counted as strided until that is seen. In shared memory strides matter by
 * their banks only. */
static void count_strided(state *s, record *r, const ifl_access *access, const ifl_layout *layout)
{
    ifl_step found[IFL_WALK_STEPS];
    ifl_step step = {.base = layout->base,
                     .stride = layout->stride,
                     .slot = index_of(s, r),
                     .bytes = access->bytes,
                     .space = access->space};
    const bool is_followed = access->space != IFL_SPACE_SHARED;
    ifl_address_walk *walk =
        is_followed ? ifl_walk_history(s->walks, access->block, access->warp) : NULL;
    const unsigned count = walk ? ifl_walk_add(walk, &step, found) : 0;
    s->lost |= is_followed && !walk;
    count_stride(s, r, step.stride, step.walks ? IFL_STRIDE_WALKING : IFL_STRIDE_ALONE, 1);
    for (unsigned i = 0; i < count; i++) {
        record *earlier = record_at(s, found[i].slot);
        count_stride(s, earlier, found[i].stride, IFL_STRIDE_ALONE, -1);
        count_stride(s, earlier, found[i].stride, IFL_STRIDE_WALKING, 1);
    }
}

/* Regions of different sizes are looked for in one block of eight, whoever runs it. */
static void count_irregular(state *s, record *r, const ifl_access *access)
{
    enum { ONE_IN = 8 };
    uint32_t found[IFL_RAGGED_STEPS];
    r->requests[IFL_PATTERN_IRREGULAR]++;
    if (access->space != IFL_SPACE_GLOBAL || access->block % ONE_IN)
        return;
    r->irregular++;
    ifl_ragged *walk = ifl_ragged_history(s->ragged, access);
    const unsigned count = walk ? ifl_ragged_add(walk, access, index_of(s, r), found) : 0;
    s->lost |= !walk;
    for (unsigned i = 0; i < count; i++)
        record_at(s, found[i])->ragged++;
}

/* A layout depends on where in a sector the request begins, and on nothing else that requests of a
 * likeness differ in. */
static ifl_layout find_layout(state *s, const ifl_access *access)
{
    const uint64_t first = ifl_first_address(access);
    bool is_new = true;
    ifl_layout *known = access->likeness
                            ? ifl_alike_find(&s->known, sizeof *known, access->likeness,
                                             first % IFL_SECTOR_BYTES, &is_new)
                            : NULL;
    ifl_layout layout = is_new ? ifl_layout_of(&s->lookup, access) : *known;
    if (!is_new) {
        layout.base += first;
    } else if (known) {
        *known = layout;
        known->base -= first;
    }
    return layout;
}

static void count_any(state *s, record *r, const ifl_access *access)
{
    const ifl_layout layout = find_layout(s, access);
    if (layout.kind == IFL_PATTERN_STRIDED)
        count_strided(s, r, access, &layout);
    else if (layout.kind == IFL_PATTERN_IRREGULAR)
        count_irregular(s, r, access);
    else
        r->requests[layout.kind]++;
}

/* 32 lanes side by side ask for whole sectors: they need one more wherever they do not start at
 * one. */
static ifl_pattern_kind contiguous_kind(const ifl_access *access)
{
    bool offset = access->address[0] % IFL_SECTOR_BYTES != 0;
    return offset && access->space != IFL_SPACE_SHARED ? IFL_PATTERN_OFFSET : IFL_PATTERN_COALESCED;
}

static void contiguous_event(void *self, const ifl_access *access, uint64_t times)
{
    state *s = self;
    record *r = (record *)ifl_slots_find(&s->slots, access);
    if (r)
        r->requests[contiguous_kind(access)] += times;
}

static void access_event(void *self, const ifl_access *access)
{
    state *s = self;
    record *r = (record *)ifl_slots_find(&s->slots, access);
    if (!r || !access->mask)
        return;
    if (access->shape == IFL_SHAPE_CONTIGUOUS && access->mask == UINT32_MAX)
        r->requests[contiguous_kind(access)]++;
    else if (access->shape == IFL_SHAPE_UNIFORM)
        r->requests[IFL_PATTERN_BROADCAST]++;
    else
        count_any(s, r, access);
}

static void add_record(void *self, ifl_slot *slot, const ifl_slot *other)
{
    record *to = (record *)slot;
    const record *from = (const record *)other;
    for (int k = 0; k < IFL_PATTERN_COUNT; k++)
        to->requests[k] += from->requests[k];
    to->irregular += from->irregular;
    to->ragged += from->ragged;
    ((state *)self)->lost |= !ifl_strides_merge(&to->strides, &from->strides);
}

static void merge(void *self, const void *other)
{
    ((state *)self)->lost |= ((const state *)other)->lost;
    ifl_slots_merge(&((state *)self)->slots, &((const state *)other)->slots, add_record, self);
}

/* ---- reporting ------------------------------------------------------------------------------- */

static uint64_t active_requests(const record *r)
{
    uint64_t sum = 0;
    for (int k = 0; k < IFL_PATTERN_COUNT; k++)
        sum += r->requests[k];
    return sum;
}

/* Of the irregular requests, those of threads that walk. */
static uint64_t ragged_requests(const record *r)
{
    return r->irregular ? (uint64_t)((double)r->requests[IFL_PATTERN_IRREGULAR] *
                                     (double)r->ragged / (double)r->irregular)
                        : 0;
}

/* Strides that change all the time are none: the addresses are then irregular. */
static uint64_t requests_of(const record *r, ifl_pattern_kind kind)
{
    const bool many = r->strides.many;
    if (kind == IFL_PATTERN_STRIDED)
        return many ? 0 : r->requests[kind];
    if (kind == IFL_PATTERN_CONTIGUOUS)
        return r->requests[kind] + ragged_requests(r);
    if (kind == IFL_PATTERN_IRREGULAR)
        return r->requests[kind] - ragged_requests(r) +
               (many ? r->requests[IFL_PATTERN_STRIDED] : 0);
    return r->requests[kind];
}

static ifl_pattern pattern_of(const record *r)
{
    ifl_pattern_kind kind = IFL_PATTERN_NONE;
    for (int k = 0; k < IFL_PATTERN_COUNT; k++)
        if (requests_of(r, (ifl_pattern_kind)k) > requests_of(r, kind))
            kind = (ifl_pattern_kind)k;
    ifl_pattern pattern = {.kind = kind};
    if (kind == IFL_PATTERN_NONE)
        return pattern;
    pattern.share = (double)requests_of(r, kind) / (double)active_requests(r);
    if (kind == IFL_PATTERN_STRIDED)
        pattern.stride_words =
            ifl_strides_most(&r->strides, IFL_STRIDE_ALONE) / (int64_t)ifl_slot_bytes(&r->slot);
    if (kind == IFL_PATTERN_CONTIGUOUS && r->requests[kind] > ragged_requests(r)) {
        int64_t stride = ifl_strides_most(&r->strides, IFL_STRIDE_WALKING);
        pattern.region_bytes = stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
    }
    return pattern;
}

/* Of the records of one line: the one in the space that the line names, then the one with the
 * most requests. */
static bool is_better(const record *a, const record *b, ifl_space space)
{
    const bool a_fits = ifl_slot_space(&a->slot) == space,
               b_fits = ifl_slot_space(&b->slot) == space;
    if (a_fits != b_fits)
        return a_fits;
    if (active_requests(a) != active_requests(b))
        return active_requests(a) > active_requests(b);
    return a->slot.key < b->slot.key;
}

static ifl_status report(const void *self, const ifl_sites *sites, const int32_t *line_of,
                         ifl_profile *profile, ifl_error *error)
{
    const state *s = self;
    (void)sites;
    if (s->lost || s->slots.lost)
        return ifl_fail(error, IFL_NO_MEMORY, "no memory to follow address patterns");
    const record **best = calloc(profile->lines.count + 1, sizeof *best);
    if (!best)
        return ifl_fail_memory(error, profile->lines.count * sizeof *best);
    for (size_t i = 0; i < s->slots.count; i++) {
        const record *r = record_at(s, i);
        int32_t line = line_of[r->slot.site];
        if (line < 0 || (size_t)line >= profile->lines.count)
            continue;
        if (!best[line] || is_better(r, best[line], profile->lines.at[line].space))
            best[line] = r;
    }
    for (size_t i = 0; i < profile->lines.count; i++)
        profile->lines.at[i].pattern = best[i] ? pattern_of(best[i]) : (ifl_pattern){0};
    free(best);
    return IFL_OK;
}

static const ifl_observer observer = {
    .name = "pattern",
    .state_bytes = sizeof(state),
    .begin = begin,
    .end = end,
    .access = access_event,
    .contiguous = contiguous_event,
    .merge = merge,
};

const ifl_observation ifl_observe_pattern = {&observer, report, NULL};
