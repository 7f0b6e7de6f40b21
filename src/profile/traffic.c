/* SPDX-License-Identifier: Apache-2.0
 * The counters of a profile by kind of access. */
#include "profile/traffic.h"

#include "arch/units.h"

#define NONE IFL_COUNTER_COUNT
#define WAVEFRONTS(prefix)                                                                         \
    .wavefronts = IFL_COUNTER_##prefix##_wavefronts,                                               \
    .wavefronts_ideal = IFL_COUNTER_##prefix##_wavefronts_ideal
#define OFF_CHIP(prefix)                                                                           \
    .sectors = IFL_COUNTER_##prefix##_sectors,                                                     \
    .sectors_ideal = IFL_COUNTER_##prefix##_sectors_ideal, .lines = IFL_COUNTER_##prefix##_lines,  \
    .lines_ideal = IFL_COUNTER_##prefix##_lines_ideal, WAVEFRONTS(prefix)
#define ON_CHIP(prefix)                                                                            \
    .sectors = NONE, .sectors_ideal = NONE, .lines = NONE, .lines_ideal = NONE, WAVEFRONTS(prefix)
#define COPIED(prefix)                                                                             \
    .sectors = IFL_COUNTER_##prefix##_sectors,                                                     \
    .sectors_ideal = IFL_COUNTER_##prefix##_sectors_ideal, .lines = IFL_COUNTER_##prefix##_lines,  \
    .lines_ideal = IFL_COUNTER_##prefix##_lines_ideal, .wavefronts = NONE,                         \
    .wavefronts_ideal = NONE
#define SAMPLED(prefix) COPIED(prefix)

static const ifl_traffic_counters counters_of[IFL_TRAFFIC_COUNT] = {
#define ACCESS(space, kind, prefix, words, chip, ...)                                              \
    [IFL_TRAFFIC_##prefix] = {chip(prefix), .requests = IFL_COUNTER_##prefix##_requests,           \
                              .useful_bytes = IFL_COUNTER_##prefix##_useful_bytes},
#include "code/access.def"
};

/* Counter 0 is none of these. */
static const ifl_counter serial_of[IFL_TRAFFIC_COUNT] = {
#define SERIAL(prefix, doc) [IFL_TRAFFIC_##prefix] = IFL_COUNTER_##prefix##_serial,
#include "code/access.def"
};

static const ifl_counter touched_of[IFL_TRAFFIC_COUNT] = {
#define TOUCHED(prefix, doc) [IFL_TRAFFIC_##prefix] = IFL_COUNTER_##prefix##_sectors_touched,
#include "code/access.def"
};

ifl_traffic_counters ifl_traffic_counters_of(ifl_traffic_kind kind)
{
    ifl_traffic_counters found = counters_of[kind];
    found.serial = serial_of[kind] ? serial_of[kind] : NONE;
    found.passed_sectors = touched_of[kind] ? found.sectors : NONE;
    found.sectors = touched_of[kind] ? touched_of[kind] : found.sectors;
    return found;
}

static uint64_t value_of(const ifl_counters *counters, ifl_counter counter)
{
    return counter < IFL_COUNTER_COUNT && counters->known[counter] ? counters->value[counter] : 0;
}

static bool all_known(const ifl_counters *counters, const ifl_traffic_counters *of, bool on_chip)
{
    return counters->known[of->requests] &&
           counters->known[on_chip ? of->wavefronts : of->sectors] &&
           counters->known[on_chip ? of->wavefronts_ideal : of->sectors_ideal];
}

ifl_traffic ifl_traffic_get(const ifl_counters *counters, ifl_traffic_kind kind)
{
    const ifl_traffic_counters of = ifl_traffic_counters_of(kind);
    return (ifl_traffic){
        .requests = value_of(counters, of.requests),
        .sectors = value_of(counters, of.sectors),
        .sectors_ideal = value_of(counters, of.sectors_ideal),
        .lines = value_of(counters, of.lines),
        .lines_ideal = value_of(counters, of.lines_ideal),
        .wavefronts = value_of(counters, of.wavefronts),
        .wavefronts_ideal = value_of(counters, of.wavefronts_ideal),
        .useful_bytes = value_of(counters, of.useful_bytes),
        .serial = value_of(counters, of.serial),
        .known = all_known(counters, &of, ifl_traffic_info_get(kind)->on_chip),
    };
}

void ifl_traffic_add(ifl_traffic *to, const ifl_traffic *from)
{
    to->requests += from->requests;
    to->sectors += from->sectors;
    to->sectors_ideal += from->sectors_ideal;
    to->lines += from->lines;
    to->lines_ideal += from->lines_ideal;
    to->wavefronts += from->wavefronts;
    to->wavefronts_ideal += from->wavefronts_ideal;
    to->useful_bytes += from->useful_bytes;
    to->serial += from->serial;
    to->known = to->known && from->known;
}

bool ifl_traffic_is_off_chip(ifl_traffic_kind traffic, ifl_access_kind plain)
{
    const ifl_traffic_info *info = ifl_traffic_info_get(traffic);
    return ifl_access_plain_kind(info->kind) == plain && !info->on_chip;
}

ifl_traffic ifl_traffic_off_chip(const ifl_counters *counters, ifl_access_kind plain)
{
    ifl_traffic sum = {0};
    for (ifl_traffic_kind traffic = 0; traffic < IFL_TRAFFIC_COUNT; traffic++) {
        const ifl_traffic one = ifl_traffic_get(counters, traffic);
        if (ifl_traffic_is_off_chip(traffic, plain))
            ifl_traffic_add(&sum, &one);
    }
    return sum;
}

uint64_t ifl_traffic_excess(const ifl_traffic *traffic, ifl_traffic_kind kind)
{
    const bool on_chip = ifl_traffic_info_get(kind)->on_chip;
    const uint64_t actual = on_chip ? traffic->wavefronts : traffic->sectors;
    const uint64_t ideal = on_chip ? traffic->wavefronts_ideal : traffic->sectors_ideal;
    return actual > ideal ? (actual - ideal) * (on_chip ? 1 : IFL_SECTOR_BYTES) : 0;
}

/* Lines that do not follow each other. */
static bool has_far_places(const ifl_profile_line *line)
{
    const int64_t apart = line->pattern.stride_words * (int64_t)line->access_bytes;
    return line->pattern.kind == IFL_PATTERN_IRREGULAR ||
           (line->pattern.kind == IFL_PATTERN_CONTIGUOUS && !line->pattern.region_bytes) ||
           (line->pattern.kind == IFL_PATTERN_STRIDED &&
            (apart > IFL_LINE_BYTES || apart < -IFL_LINE_BYTES));
}

double ifl_traffic_random_share(const ifl_profile *p)
{
    static const ifl_traffic_kind kinds[] = {IFL_TRAFFIC_global_load, IFL_TRAFFIC_global_store,
                                             IFL_TRAFFIC_global_atomic};
    double all = 0, random = 0;
    for (size_t i = 0; i < p->lines.count; i++) {
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            const ifl_traffic t = ifl_traffic_get(&p->lines.at[i].counters, kinds[k]);
            const bool is_random =
                has_far_places(&p->lines.at[i]) && t.lines > IFL_RANDOM_LINES * t.requests;
            random += is_random ? (double)t.sectors : 0;
            all += is_random || kinds[k] != IFL_TRAFFIC_global_store ? (double)t.sectors : 0;
        }
    }
    return all > 0 ? random / all : 0;
}
