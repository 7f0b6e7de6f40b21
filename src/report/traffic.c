/* SPDX-License-Identifier: Apache-2.0
 * The counters of a profile seen by kind of access. */
#include "report/traffic.h"

#include <string.h>

#define IFL_COUNTER_NONE IFL_COUNTER_COUNT

#define COUNTERS_OFF_CHIP(name)                                                                    \
    .on_chip = false, .sectors = IFL_COUNTER_##name##_sectors,                                     \
    .sectors_ideal = IFL_COUNTER_##name##_sectors_ideal, .lines = IFL_COUNTER_##name##_lines,      \
    .lines_ideal = IFL_COUNTER_##name##_lines_ideal
#define COUNTERS_ON_CHIP(name)                                                                     \
    .on_chip = true, .sectors = IFL_COUNTER_NONE, .sectors_ideal = IFL_COUNTER_NONE,               \
    .lines = IFL_COUNTER_NONE, .lines_ideal = IFL_COUNTER_NONE
#define IS_STORE_LOAD false
#define IS_STORE_STORE true
#define IS_STORE_ATOMIC false

static const ifl_traffic_info infos[IFL_TRAFFIC_COUNT] = {
#define TRAFFIC(name, one_text, many_text, place, kind, serial_counter)                            \
    [IFL_TRAFFIC_##name] = {.one = one_text,                                                       \
                            .many = many_text,                                                     \
                            .is_store = IS_STORE_##kind,                                           \
                            COUNTERS_##place(name),                                                \
                            .requests = IFL_COUNTER_##name##_requests,                             \
                            .wavefronts = IFL_COUNTER_##name##_wavefronts,                         \
                            .wavefronts_ideal = IFL_COUNTER_##name##_wavefronts_ideal,             \
                            .useful_bytes = IFL_COUNTER_##name##_useful_bytes,                     \
                            .serial = IFL_COUNTER_##serial_counter},
#include "report/traffic.def"
#undef TRAFFIC
};

const ifl_traffic_info *ifl_traffic_info_get(ifl_traffic_kind kind)
{
    return &infos[kind];
}

static uint64_t value_of(const ifl_counters *counters, ifl_counter counter)
{
    return counter < IFL_COUNTER_COUNT && counters->known[counter] ? counters->value[counter] : 0;
}

static bool all_known(const ifl_counters *counters, const ifl_traffic_info *info)
{
    ifl_counter actual = info->on_chip ? info->wavefronts : info->sectors;
    ifl_counter ideal = info->on_chip ? info->wavefronts_ideal : info->sectors_ideal;
    return counters->known[info->requests] && counters->known[actual] && counters->known[ideal];
}

ifl_traffic ifl_traffic_get(const ifl_counters *counters, ifl_traffic_kind kind)
{
    const ifl_traffic_info *info = &infos[kind];
    return (ifl_traffic){
        .requests = value_of(counters, info->requests),
        .sectors = value_of(counters, info->sectors),
        .sectors_ideal = value_of(counters, info->sectors_ideal),
        .lines = value_of(counters, info->lines),
        .lines_ideal = value_of(counters, info->lines_ideal),
        .wavefronts = value_of(counters, info->wavefronts),
        .wavefronts_ideal = value_of(counters, info->wavefronts_ideal),
        .useful_bytes = value_of(counters, info->useful_bytes),
        .serial = value_of(counters, info->serial),
        .known = all_known(counters, info),
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

uint64_t ifl_traffic_excess(const ifl_traffic *traffic, ifl_traffic_kind kind)
{
    bool on_chip = infos[kind].on_chip;
    uint64_t actual = on_chip ? traffic->wavefronts : traffic->sectors;
    uint64_t ideal = on_chip ? traffic->wavefronts_ideal : traffic->sectors_ideal;
    return actual > ideal ? (actual - ideal) * (on_chip ? 1 : IFL_SECTOR_BYTES) : 0;
}
