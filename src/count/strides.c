/* SPDX-License-Identifier: Apache-2.0
 * A small hash table of strides. */
#include "count/strides.h"

#include <stdlib.h>

static ifl_stride_entry *place_of(ifl_stride_entry *entry, uint32_t capacity, int64_t stride)
{
    uint32_t at = (uint32_t)((uint64_t)stride * 0x9e3779b97f4a7c15u >> 40) & (capacity - 1);
    while (entry[at].used && entry[at].stride != stride)
        at = (at + 1) & (capacity - 1);
    return &entry[at];
}

/* At most half full, so that a free place is found soon. */
static bool grow(ifl_strides *s)
{
    if (s->count < s->capacity / 2)
        return true;
    uint32_t capacity = s->capacity ? s->capacity * 2 : 8;
    ifl_stride_entry *entry = calloc(capacity, sizeof *entry);
    if (!entry)
        return false;
    for (uint32_t i = 0; i < s->capacity; i++)
        if (s->entry[i].used)
            *place_of(entry, capacity, s->entry[i].stride) = s->entry[i];
    free(s->entry);
    s->entry = entry;
    s->capacity = capacity;
    return true;
}

static void give_up(ifl_strides *s)
{
    ifl_strides_free(s);
    s->many = true;
}

bool ifl_strides_add(ifl_strides *s, int64_t stride, ifl_stride_use use, int64_t times)
{
    if (s->many)
        return true;
    if (!grow(s))
        return false;
    ifl_stride_entry *entry = place_of(s->entry, s->capacity, stride);
    if (!entry->used) {
        if (s->count == IFL_MAX_STRIDES) {
            give_up(s);
            return true;
        }
        *entry = (ifl_stride_entry){.stride = stride, .used = true};
        s->count++;
    }
    entry->times[use] += times;
    return true;
}

bool ifl_strides_merge(ifl_strides *s, const ifl_strides *other)
{
    if (other->many && !s->many)
        give_up(s);
    bool done = true;
    for (uint32_t i = 0; i < other->capacity && done; i++)
        for (int use = 0; use < IFL_STRIDE_USES && done; use++)
            if (other->entry[i].used)
                done = ifl_strides_add(s, other->entry[i].stride, (ifl_stride_use)use,
                                       other->entry[i].times[use]);
    return done;
}

static uint64_t length(int64_t stride)
{
    return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
}

static bool comes_before(const ifl_stride_entry *a, const ifl_stride_entry *b, ifl_stride_use use)
{
    if (a->times[use] != b->times[use])
        return a->times[use] > b->times[use];
    if (length(a->stride) != length(b->stride))
        return length(a->stride) < length(b->stride);
    return a->stride > b->stride;
}

int64_t ifl_strides_most(const ifl_strides *s, ifl_stride_use use)
{
    const ifl_stride_entry *best = NULL;
    for (uint32_t i = 0; i < s->capacity; i++) {
        const ifl_stride_entry *entry = &s->entry[i];
        if (entry->used && entry->times[use] > 0 && (!best || comes_before(entry, best, use)))
            best = entry;
    }
    return best ? best->stride : 0;
}

void ifl_strides_free(ifl_strides *s)
{
    free(s->entry);
    *s = (ifl_strides){0};
}
