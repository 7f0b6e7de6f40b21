/* SPDX-License-Identifier: Apache-2.0
 * Requests to shared memory of other blocks of the cluster, and the sectors that pass between the SMs
 * for them, for each memory instruction. Knows events and the profile's counters. */
#include "base/digest.h"
#include "count/footprint.h"
#include "count/observe.h"
#include "count/slots.h"

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

static void end(void *self)
{
    ifl_slots_free(&((state *)self)->slots);
}

static bool begin(void *self, const ifl_sites *sites, const void *settings)
{
    (void)settings;
    return ifl_slots_init(&((state *)self)->slots, sites, sizeof(record));
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

static void add_record(void *self, ifl_slot *slot, const ifl_slot *other)
{
    (void)self;
    for (int m = 0; m < MEASURES; m++)
        ((record *)slot)->sum[m] += ((const record *)other)->sum[m];
}

static void merge(void *self, const void *other)
{
    ifl_slots_merge(&((state *)self)->slots, &((const state *)other)->slots, add_record, self);
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

static uint64_t digest_record(const ifl_slot *slot)
{
    const uint64_t what[] = {slot->site, slot->key};
    return ifl_hash_words(ifl_hash_words(IFL_HASH_BASIS, what, 2), ((const record *)slot)->sum,
                          MEASURES);
}

static uint64_t digest(const void *self)
{
    return ifl_slots_digest(&((const state *)self)->slots, digest_record);
}

static const ifl_observer observer = {
    .name = "remote_memory",
    .state_bytes = sizeof(state),
    .begin = begin,
    .end = end,
    .remote = remote_event,
    .merge = merge,
};

const ifl_observation ifl_observe_remote_memory = {&observer, report, digest};
