/* SPDX-License-Identifier: Apache-2.0
 * Requests, sectors, lines, wavefronts, useful bytes and the serialisation of atomics, for each
 * memory instruction. Knows events and the profile's counters. */
#include "base/digest.h"
#include "count/footprint.h"
#include "count/observe.h"
#include "count/slots.h"
#include "profile/traffic.h"

#include <stdlib.h>
#include <string.h>

enum {
    REQUESTS,
    SECTORS,
    SECTORS_IDEAL,
    PASSED_SECTORS, /* of each pass of an atomic's lanes that meet */
    LINES,
    LINES_IDEAL,
    WAVEFRONTS,
    WAVEFRONTS_IDEAL,
    MERGED, /* wavefronts of atomics whose lanes on one word take one pass */
    USEFUL_BYTES,
    SERIAL,
    MEASURES
};

typedef struct record {
    ifl_slot slot;
    uint64_t sum[MEASURES];
    /* Requests of 32 consecutive lanes, by the first address within its line: nothing else
     * matters for them, so they are measured once, in the report. */
    uint64_t contiguous[IFL_LINE_BYTES];
    /* Likewise of requests for one address, aligned: of a word at most by the number of lanes, of
     * more by the same lanes as the last such one. */
    uint64_t uniform_lanes[IFL_WARP_LANES + 1];
    uint32_t uniform_mask;
    uint64_t uniform;
    uint64_t apart[IFL_WARP_LANES + 1]; /* of those that are apart, by their passes */
} record;

typedef struct state {
    ifl_slots slots;
    ifl_lookup lookup;
    ifl_alike known;
} state;

static void end(void *self)
{
    state *s = self;
    ifl_alike_free(&s->known);
    ifl_slots_free(&s->slots);
}

static bool begin(void *self, const ifl_sites *sites, const void *settings)
{
    (void)settings;
    return ifl_slots_init(&((state *)self)->slots, sites, sizeof(record));
}

/* ---- measuring ------------------------------------------------------------------------------- */

static void add(uint64_t sum[MEASURES], const ifl_measure *m, uint64_t times)
{
    const ifl_footprint *f = &m->footprint;
    sum[REQUESTS] += times;
    sum[SECTORS] += times * f->sectors;
    sum[SECTORS_IDEAL] += times * ifl_at_best(f->asked_bytes, IFL_SECTOR_BYTES, f->sectors);
    sum[PASSED_SECTORS] += times * m->passed_sectors;
    sum[LINES] += times * f->lines;
    sum[LINES_IDEAL] += times * ifl_at_best(f->asked_bytes, IFL_LINE_BYTES, f->lines);
    sum[WAVEFRONTS] += times * f->wavefronts;
    sum[WAVEFRONTS_IDEAL] += times * f->wavefronts_ideal;
    sum[MERGED] += times * f->merged;
    sum[USEFUL_BYTES] += times * f->useful_bytes;
    sum[SERIAL] += times * m->serial;
}

static void add_measured(ifl_alike *known, ifl_lookup *lookup, const ifl_access *access,
                         uint64_t times, uint64_t sum[MEASURES])
{
    const ifl_measure m = ifl_footprint_find(known, lookup, access);
    add(sum, &m, times);
}

/* Adds requests of such lanes that begin at `first` and are `step` bytes apart. */
static void add_even(ifl_lookup *lookup, const ifl_slot *slot, ifl_access_shape shape,
                     uint32_t mask, unsigned first, unsigned step, uint64_t times,
                     uint64_t sum[MEASURES])
{
    uint64_t address[IFL_WARP_LANES];
    if (!times)
        return;
    for (unsigned lane = 0; lane < IFL_WARP_LANES; lane++)
        address[lane] = first + lane * step;
    const ifl_access access = {.kind = (uint8_t)ifl_slot_kind(slot),
                               .space = (uint8_t)ifl_slot_space(slot),
                               .bytes = (uint8_t)ifl_slot_bytes(slot),
                               .shape = (uint8_t)shape,
                               .mask = mask,
                               .address = address};
    add_measured(NULL, lookup, &access, times, sum);
}

static void add_uniform(ifl_lookup *lookup, const record *r, uint64_t sum[MEASURES])
{
    add_even(lookup, &r->slot, IFL_SHAPE_UNIFORM, r->uniform_mask, 0, 0, r->uniform, sum);
}

static void add_uniform_lanes(ifl_lookup *lookup, const record *r, uint64_t sum[MEASURES])
{
    for (unsigned lanes = 1; lanes <= IFL_WARP_LANES; lanes++)
        add_even(lookup, &r->slot, IFL_SHAPE_UNIFORM, UINT32_MAX >> (IFL_WARP_LANES - lanes), 0, 0,
                 r->uniform_lanes[lanes], sum);
}

/* Nothing matters for them but the lanes: how many they are where all go through the data stage
 * together, else which; those are measured when they change. */
static void count_uniform(state *s, record *r, const ifl_access *access)
{
    enum { WORD = 4 };
    const uint32_t mask = access->mask;
    if (access->bytes <= WORD) {
        r->uniform_lanes[__builtin_popcount(mask)]++;
        return;
    }
    if (r->uniform_mask != mask) {
        add_uniform(&s->lookup, r, r->sum);
        r->uniform_mask = mask;
        r->uniform = 0;
    }
    r->uniform++;
}

static void contiguous_event(void *self, const ifl_access *access, uint64_t times)
{
    state *s = self;
    record *r = (record *)ifl_slots_find(&s->slots, access);
    if (r)
        r->contiguous[access->address[0] % IFL_LINE_BYTES] += times;
}

static void access_event(void *self, const ifl_access *access)
{
    state *s = self;
    record *r = (record *)ifl_slots_find(&s->slots, access);
    if (!r)
        return;
    r->sum[REQUESTS] -= access->continues; /* of what is added here or when it is reported */
    if (access->shape == IFL_SHAPE_CONTIGUOUS && access->mask == UINT32_MAX) {
        r->contiguous[access->address[0] % IFL_LINE_BYTES]++;
    } else if (!access->mask) {
        r->sum[REQUESTS]++;
    } else if (access->shape == IFL_SHAPE_UNIFORM &&
               !(ifl_first_address(access) & (access->bytes - 1u)) &&
               !(access->bytes & (access->bytes - 1u))) {
        count_uniform(s, r, access);
    } else if (access->apart) {
        r->apart[access->apart]++;
    } else {
        add_measured(&s->known, &s->lookup, access, 1, r->sum);
    }
}

static void add_record(void *self, ifl_slot *slot, const ifl_slot *other)
{
    record *to = (record *)slot;
    const record *from = (const record *)other;
    for (int m = 0; m < MEASURES; m++)
        to->sum[m] += from->sum[m];
    add_uniform(&((state *)self)->lookup, from, to->sum);
    for (int n = 0; n <= IFL_WARP_LANES; n++) {
        to->uniform_lanes[n] += from->uniform_lanes[n];
        to->apart[n] += from->apart[n];
    }
    for (int b = 0; b < IFL_LINE_BYTES; b++)
        to->contiguous[b] += from->contiguous[b];
}

static void merge(void *self, const void *other)
{
    ifl_slots_merge(&((state *)self)->slots, &((const state *)other)->slots, add_record, self);
}

static uint64_t digest_record(const ifl_slot *slot)
{
    const record *r = (const record *)slot;
    const uint64_t own[] = {r->slot.site, r->slot.key, r->uniform_mask, r->uniform};
    uint64_t hash = ifl_hash_words(IFL_HASH_BASIS, own, sizeof own / sizeof *own);
    hash = ifl_hash_words(hash, r->sum, MEASURES);
    hash = ifl_hash_words(hash, r->contiguous, IFL_LINE_BYTES);
    hash = ifl_hash_words(hash, r->uniform_lanes, IFL_WARP_LANES + 1);
    return ifl_hash_words(hash, r->apart, IFL_WARP_LANES + 1);
}

static uint64_t digest(const void *self)
{
    return ifl_slots_digest(&((const state *)self)->slots, digest_record);
}

/* ---- reporting ------------------------------------------------------------------------------- */

/* The counters of one kind of access, in the order of the measures; IFL_COUNTER_COUNT where it has
 * no such counter. */
typedef struct family {
    ifl_counter counter[MEASURES];
} family;

static family family_of(ifl_traffic_kind kind)
{
    const ifl_traffic_counters of = ifl_traffic_counters_of(kind);
    return (family){{[REQUESTS] = of.requests,
                     [SECTORS] = of.sectors,
                     [SECTORS_IDEAL] = of.sectors_ideal,
                     [PASSED_SECTORS] = of.passed_sectors,
                     [LINES] = of.lines,
                     [LINES_IDEAL] = of.lines_ideal,
                     [WAVEFRONTS] = of.wavefronts,
                     [WAVEFRONTS_IDEAL] = of.wavefronts_ideal,
                     [MERGED] = IFL_COUNTER_COUNT,
                     [USEFUL_BYTES] = of.useful_bytes,
                     [SERIAL] = of.serial}};
}

static void add_family(ifl_counters *counters, const family *f, const uint64_t sum[MEASURES])
{
    for (int m = 0; m < MEASURES; m++)
        if (f->counter[m] != IFL_COUNTER_COUNT)
            ifl_counters_add(counters, f->counter[m], sum[m]);
}

/* Whatever did not happen is known to be 0: all families for the launch, its own for a line. */
static void add_zeros(ifl_profile *profile)
{
    static const uint64_t zero[MEASURES];
    for (ifl_traffic_kind kind = 0; kind < IFL_TRAFFIC_COUNT; kind++) {
        const family f = family_of(kind);
        add_family(&profile->counters, &f, zero);
        for (size_t i = 0; i < profile->lines.count; i++) {
            ifl_profile_line *line = &profile->lines.at[i];
            if (ifl_traffic_find(line->space, line->kind) == kind)
                add_family(&line->counters, &f, zero);
        }
    }
}

/* A line and a sector for each lane. */
static void add_apart(const record *r, uint64_t sum[MEASURES])
{
    const uint32_t bytes = IFL_WARP_LANES * ifl_slot_bytes(&r->slot);
    for (uint32_t passes = 1; passes <= IFL_WARP_LANES; passes++) {
        const ifl_measure each = {
            .footprint = {.sectors = IFL_WARP_LANES,
                          .lines = IFL_WARP_LANES,
                          .useful_bytes = bytes,
                          .asked_bytes = bytes,
                          .wavefronts = passes,
                          .wavefronts_ideal = ifl_at_best(bytes, IFL_LINE_BYTES, passes),
                          .merged = passes},
            .passed_sectors = IFL_WARP_LANES};
        add(sum, &each, r->apart[passes]);
    }
}

static void sum_up(ifl_lookup *lookup, const record *r, uint64_t sum[MEASURES])
{
    memcpy(sum, r->sum, sizeof r->sum);
    add_uniform(lookup, r, sum);
    add_uniform_lanes(lookup, r, sum);
    add_apart(r, sum);
    for (unsigned first = 0; first < IFL_LINE_BYTES; first++)
        add_even(lookup, &r->slot, IFL_SHAPE_ANY, UINT32_MAX, first, ifl_slot_bytes(&r->slot),
                 r->contiguous[first], sum);
}

/* What an atomic does tells its passes in shared memory (tests/patterns/atomics.ptx,
 * tests/triton/histogram, tests/machine). Compare-and-swap brings two words a lane: its passes
 * count twice. */
static void settle_passes(const ifl_sites *sites, const ifl_slot *slot, uint64_t sum[MEASURES])
{
    const ifl_site_access *access = &sites->at[slot->site].access;
    if (ifl_slot_space(slot) != IFL_SPACE_SHARED)
        return;
    if (access->passes_merge) {
        sum[WAVEFRONTS] = sum[MERGED];
        sum[WAVEFRONTS_IDEAL] =
            sum[WAVEFRONTS_IDEAL] < sum[MERGED] ? sum[WAVEFRONTS_IDEAL] : sum[MERGED];
        sum[SERIAL] = sum[SERIAL] < sum[MERGED] ? sum[SERIAL] : sum[MERGED];
    }
    if (access->passes_twice) {
        sum[WAVEFRONTS] *= 2;
        sum[WAVEFRONTS_IDEAL] *= 2;
    }
}

static void report_record(ifl_lookup *lookup, const ifl_sites *sites, const record *r,
                          const int32_t *line_of, ifl_profile *profile)
{
    uint64_t sum[MEASURES];
    const ifl_traffic_kind kind = ifl_traffic_find((ifl_space)ifl_slot_space(&r->slot),
                                                   (ifl_access_kind)ifl_slot_kind(&r->slot));
    const int32_t line = line_of[r->slot.site];
    if (kind == IFL_TRAFFIC_COUNT)
        return;
    const family f = family_of(kind);
    sum_up(lookup, r, sum);
    settle_passes(sites, &r->slot, sum);
    add_family(&profile->counters, &f, sum);
    if (line >= 0 && (size_t)line < profile->lines.count)
        add_family(&profile->lines.at[line].counters, &f, sum);
}

static ifl_status report(const void *self, const ifl_sites *sites, const int32_t *line_of,
                         ifl_profile *profile, ifl_error *error)
{
    const state *s = self;
    if (s->slots.lost)
        return ifl_fail(error, IFL_NO_MEMORY, "no memory to count memory accesses");
    ifl_lookup *lookup = calloc(1, sizeof *lookup);
    if (!lookup)
        return ifl_fail_memory(error, sizeof *lookup);
    add_zeros(profile);
    for (size_t i = 0; i < s->slots.count; i++)
        report_record(lookup, sites, (const record *)ifl_slots_at(&s->slots, i), line_of, profile);
    free(lookup);
    return IFL_OK;
}

static const ifl_observer observer = {
    .name = "access",
    .state_bytes = sizeof(state),
    .begin = begin,
    .end = end,
    .access = access_event,
    .contiguous = contiguous_event,
    .merge = merge,
};

const ifl_observation ifl_observe_access = {&observer, report, digest};
