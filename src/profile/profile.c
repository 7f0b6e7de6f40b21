/* SPDX-License-Identifier: Apache-2.0
 * The counter table as functions, counters, and the creation of an empty profile. Knows nothing of
 * who fills one. */
#include "profile/profile.h"
#include "profile/place.h"

#include <stdlib.h>
#include <string.h>

static const ifl_counter_info infos[IFL_COUNTER_COUNT] = {
#define COUNTER(name, unit, level, ncu, doc) {#name, unit, IFL_LEVEL_##level, ncu, doc},
#include "profile/counter.def"
#undef COUNTER
};

static const char *const pattern_texts[IFL_PATTERN_COUNT] = {
    [IFL_PATTERN_NONE] = "none",           [IFL_PATTERN_COALESCED] = "coalesced",
    [IFL_PATTERN_BROADCAST] = "broadcast", [IFL_PATTERN_OFFSET] = "offset",
    [IFL_PATTERN_STRIDED] = "strided",     [IFL_PATTERN_CONTIGUOUS] = "contiguous",
    [IFL_PATTERN_IRREGULAR] = "irregular", [IFL_PATTERN_ROWS] = "rows",
};

const ifl_counter_info *ifl_counter_get(ifl_counter counter)
{
    return (unsigned)counter < IFL_COUNTER_COUNT ? &infos[counter] : NULL;
}

ifl_counter ifl_counter_find(const char *name)
{
    int counter = 0;
    while (counter < IFL_COUNTER_COUNT && strcmp(infos[counter].name, name) != 0)
        counter++;
    return (ifl_counter)counter;
}

void ifl_counters_set(ifl_counters *counters, ifl_counter counter, uint64_t value)
{
    counters->value[counter] = value;
    counters->known[counter] = true;
}

void ifl_counters_add(ifl_counters *counters, ifl_counter counter, uint64_t value)
{
    uint64_t before = counters->known[counter] ? counters->value[counter] : 0;
    ifl_counters_set(counters, counter, before + value);
}

const char *ifl_pattern_text(ifl_pattern_kind kind)
{
    return (unsigned)kind < IFL_PATTERN_COUNT ? pattern_texts[kind] : "unknown";
}

const ifl_cache_facts *ifl_profile_caches(const ifl_profile *profile, const char *device)
{
    for (size_t i = 0; i < profile->caches.count; i++)
        if (strcmp(profile->caches.at[i].device, device) == 0)
            return &profile->caches.at[i];
    return NULL;
}

double ifl_profile_atomic_passes(const ifl_profile *profile)
{
    const ifl_counters *c = &profile->counters;
    const ifl_counter which = c->known[IFL_COUNTER_global_atomic_busiest_slice]
                                  ? IFL_COUNTER_global_atomic_busiest_slice
                                  : IFL_COUNTER_global_atomic_busiest_part;
    return c->known[which] ? (double)c->value[which] : 0;
}

double ifl_profile_left_bytes(const ifl_profile *profile, const ifl_cache_facts *facts)
{
    return profile->repeated ? facts->dirty_bytes.value : 0;
}

double ifl_profile_clock(const ifl_profile *profile, const ifl_arch *arch)
{
    /* of the instructions: a product of a warp group takes a tensor core for 128 cycles */
    const double rarely = 1.0 / 2000;
    const ifl_counters *c = &profile->counters;
    const bool works = c->known[IFL_COUNTER_pipe_tensor] &&
                       (double)c->value[IFL_COUNTER_pipe_tensor] >
                           rarely * (double)c->value[IFL_COUNTER_instructions];
    return works ? arch->products_clock : 1;
}

const ifl_time_facts *ifl_profile_sm_time(const ifl_profile *profile, const char *device)
{
    for (size_t i = 0; i < profile->sm_times.count; i++)
        if (strcmp(profile->sm_times.at[i].device, device) == 0)
            return &profile->sm_times.at[i];
    return NULL;
}

void ifl_profile_what_ifs(const ifl_profile *profile, const char *device,
                          const ifl_change *const *changes, size_t count, double *ratios)
{
    for (size_t i = 0; i < count; i++)
        ratios[i] = 0;
    for (size_t i = 0; i < profile->what_ifs.count; i++) {
        const ifl_what_if *one = &profile->what_ifs.at[i];
        if (strcmp(one->device, device) == 0) {
            one->find(one->state, one->threads, changes, count, ratios);
            return;
        }
    }
}

static uint64_t asked_by(const ifl_profile_line *line)
{
    return line->counters.value[IFL_COUNTER_global_load_sectors_ideal];
}

static bool is_aligned(const ifl_profile_line *line, uint64_t least)
{
    return line->pattern.kind == IFL_PATTERN_COALESCED && asked_by(line) && asked_by(line) >= least;
}

static bool is_beside(const ifl_profile_line *a, const ifl_profile_line *b)
{
    return a->base && a->base == b->base && a->offset != b->offset;
}

static bool has_source(const ifl_profile_line *line)
{
    return line->line && line->line != line->ptx_line;
}

/* Where no source line says which accesses belong together: some are neighbours of one that is
 * aligned, and as much is loaded from each row. */
static bool has_neighbours(const ifl_profile *profile, const ifl_profile_line *aligned)
{
    for (size_t i = 0; i < profile->lines.count; i++)
        if (profile->lines.at[i].pattern.kind == IFL_PATTERN_OFFSET &&
            is_beside(&profile->lines.at[i], aligned))
            return true;
    return false;
}

bool ifl_profile_has_aligned(const ifl_profile *profile, const ifl_profile_line *line)
{
    for (size_t i = 0; asked_by(line) && i < profile->lines.count; i++) {
        const ifl_profile_line *other = &profile->lines.at[i];
        if (is_aligned(other, asked_by(line)) &&
            (has_source(line) ? is_beside(other, line) || ifl_place_same_line(other, line)
                              : has_neighbours(profile, other)))
            return true;
    }
    return false;
}

bool ifl_profile_is_debug(const ifl_profile *profile)
{
    return profile->machine.ran ? profile->machine.is_debug : profile->program.is_debug;
}

ifl_profile *ifl_profile_new(void)
{
    return calloc(1, sizeof(ifl_profile));
}

void ifl_profile_destroy(ifl_profile *profile)
{
    if (!profile)
        return;
    ifl_vec_free(&profile->lines);
    ifl_vec_free(&profile->ptx_opcodes);
    ifl_vec_free(&profile->opcodes);
    ifl_vec_free(&profile->issued);
    ifl_vec_free(&profile->warnings);
    ifl_vec_free(&profile->arguments);
    ifl_vec_free(&profile->caches);
    ifl_vec_free(&profile->sm_times);
    for (size_t i = 0; i < profile->what_ifs.count; i++)
        profile->what_ifs.at[i].free(profile->what_ifs.at[i].state);
    ifl_vec_free(&profile->what_ifs);
    ifl_vec_free(&profile->machine.opcodes);
    ifl_vec_free(&profile->machine.loops);
    ifl_vec_free(&profile->machine.listing);
    ifl_vec_free(&profile->ptx.differences);
    ifl_vec_free(&profile->outputs.list);
    ifl_arena_free(&profile->arena);
    free(profile);
}
