/* SPDX-License-Identifier: Apache-2.0
 * Requests to shared memory of other blocks of the cluster, and the sectors that pass between the SMs
 * for them, for each memory instruction. Knows events and the profile's counters. */
#include "base/digest.h"
#include "count/footprint.h"
#include "count/observe.h"
#include "count/slots.h"

#include <stdlib.h>
#include <string.h>

enum { REQUESTS, SECTORS, MEASURES };

typedef struct record {
    ifl_slot slot;
    uint64_t sum[MEASURES];
} record;

typedef struct state {
    ifl_slots slots;
    ifl_lookup lookup;
} state;

static const struct {
    ifl_access_kind kind;
    ifl_counter counter[MEASURES];
} rows[] = {
#define ROW(kind, prefix)                                                                          \
    {                                                                                              \
        IFL_ACCESS_##kind,                                                                         \
        {                                                                                          \
            IFL_COUNTER_##prefix##_requests, IFL_COUNTER_##prefix##_sectors                        \
        }                                                                                          \
    }
    ROW(LOAD, dshared_load), ROW(STORE, dshared_store), ROW(ATOMIC, dshared_atomic)};
enum { ROWS = sizeof rows / sizeof *rows };

static void destroy(void *self)
{
    state *s = self;
    if (s)
        ifl_slots_free(&s->slots);
    free(s);
}

static void *create(const ifl_sites *sites)
{
    state *s = calloc(1, sizeof *s);
    if (s && !ifl_slots_init(&s->slots, sites, sizeof(record))) {
        destroy(s);
        return NULL;
    }
    return s;
}

static void remote_event(void *self, const ifl_access *access)
{
    state *s = self;
    ifl_footprint footprint;
    record *r = access->mask ? (record *)ifl_slots_find(&s->slots, access) : NULL;
    if (!r)
        return;
    ifl_footprint_measure(&s->lookup, access, &footprint);
    r->sum[REQUESTS]++;
    r->sum[SECTORS] += footprint.sectors;
}

static void merge(void *self, const void *other)
{
    state *s = self;
    const state *o = other;
    s->slots.lost |= o->slots.lost;
    for (size_t i = 0; i < o->slots.count; i++) {
        const record *from = (const record *)ifl_slots_at(&o->slots, i);
        record *to = (record *)ifl_slots_get(&s->slots, from->slot.site, from->slot.key);
        for (int m = 0; to && m < MEASURES; m++)
            to->sum[m] += from->sum[m];
    }
}

static void add(ifl_counters *counters, unsigned row, const uint64_t sum[MEASURES])
{
    for (int m = 0; m < MEASURES; m++)
        ifl_counters_add(counters, rows[row].counter[m], sum[m]);
}

static void report_record(const record *r, const int32_t *line_of, ifl_profile *profile)
{
    const ifl_access_kind kind = ifl_access_plain_kind((ifl_access_kind)ifl_slot_kind(&r->slot));
    const int32_t line = line_of[r->slot.site];
    for (unsigned row = 0; row < ROWS; row++) {
        if (rows[row].kind != kind)
            continue;
        add(&profile->counters, row, r->sum);
        if (line >= 0 && (size_t)line < profile->lines.count)
            add(&profile->lines.at[line].counters, row, r->sum);
    }
}

static ifl_status report(const void *self, const ifl_sites *sites, const int32_t *line_of,
                         ifl_profile *profile, ifl_error *error)
{
    static const uint64_t none[MEASURES];
    const state *s = self;
    (void)sites;
    if (s->slots.lost)
        return ifl_fail(error, IFL_NO_MEMORY, "no memory to count memory accesses");
    for (unsigned row = 0; row < ROWS; row++)
        add(&profile->counters, row, none);
    for (size_t i = 0; i < s->slots.count; i++)
        report_record((const record *)ifl_slots_at(&s->slots, i), line_of, profile);
    return IFL_OK;
}

/* The order of the records is that in which threads of the host came to them. */
static uint64_t digest(const void *self)
{
    const state *s = self;
    uint64_t sum = s->slots.count;
    for (size_t i = 0; i < s->slots.count; i++) {
        const record *r = (const record *)ifl_slots_at(&s->slots, i);
        const uint64_t what[] = {r->slot.site, r->slot.key};
        sum += ifl_hash_words(ifl_hash_words(IFL_HASH_BASIS, what, 2), r->sum, MEASURES);
    }
    return sum;
}

static const ifl_observer observer = {
    .name = "remote_memory",
    .create = create,
    .remote = remote_event,
    .merge = merge,
    .destroy = destroy,
};

const ifl_observation ifl_observe_remote_memory = {&observer, report, digest};
