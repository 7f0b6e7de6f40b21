/* SPDX-License-Identifier: Apache-2.0
 * Sectors of the host's memory that kernels use in place, by the kind of access. Knows events and the profile's counters. */
#include "base/digest.h"
#include "count/footprint.h"
#include "count/observe.h"

typedef struct state {
    uint64_t sectors[IFL_ACCESS_KINDS]; /* by plain kind */
    ifl_lookup lookup;
} state;

static void access_event(void *self, const ifl_access *access)
{
    state *s = self;
    ifl_footprint footprint;
    if (!access->of_host)
        return;
    ifl_footprint_measure(&s->lookup, access, &footprint);
    s->sectors[ifl_access_plain_kind(access->kind)] += footprint.sectors;
}

/* Requests that are counted only are never the host's (exec/contiguous.h). */
static void contiguous_event(void *self, const ifl_access *access, uint64_t times)
{
    (void)self, (void)access, (void)times;
}

static void merge(void *self, const void *other)
{
    state *s = self;
    const state *o = other;
    for (int kind = 0; kind < IFL_ACCESS_KINDS; kind++)
        s->sectors[kind] += o->sectors[kind];
}

static ifl_status report(const void *self, const ifl_sites *sites, const int32_t *line_of,
                         ifl_profile *profile, ifl_error *error)
{
    static const struct {
        ifl_access_kind kind;
        ifl_counter counter;
    } rows[] = {
        {IFL_ACCESS_LOAD, IFL_COUNTER_host_load_sectors},
        {IFL_ACCESS_STORE, IFL_COUNTER_host_store_sectors},
        {IFL_ACCESS_ATOMIC, IFL_COUNTER_host_atomic_sectors},
    };
    const state *s = self;
    (void)sites, (void)line_of, (void)error;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ifl_counters_set(&profile->counters, rows[i].counter, s->sectors[rows[i].kind]);
    return IFL_OK;
}

static uint64_t digest(const void *self)
{
    return ifl_hash_words(IFL_HASH_BASIS, ((const state *)self)->sectors, IFL_ACCESS_KINDS);
}

static const ifl_observer observer = {
    .name = "host_memory",
    .state_bytes = sizeof(state),
    .access = access_event,
    .contiguous = contiguous_event,
    .merge = merge,
};

const ifl_observation ifl_observe_host_memory = {&observer, report, digest};
