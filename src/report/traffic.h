/* SPDX-License-Identifier: Apache-2.0
 * The counters of a profile seen by kind of access: one row a (space, kind), the same questions to
 * each. */
#ifndef IFL_REPORT_TRAFFIC_H
#define IFL_REPORT_TRAFFIC_H

#include "profile/profile.h"

typedef enum ifl_traffic_kind {
#define TRAFFIC(name, ...) IFL_TRAFFIC_##name,
#include "report/traffic.def"
#undef TRAFFIC
    IFL_TRAFFIC_COUNT
} ifl_traffic_kind;

typedef struct ifl_traffic_info {
    const char *one;  /* "global load" */
    const char *many; /* "global loads" */
    bool on_chip;     /* counted in wavefronts, not in sectors */
    bool is_store;
    ifl_counter requests, sectors, sectors_ideal, lines, lines_ideal;
    ifl_counter wavefronts, wavefronts_ideal, useful_bytes,
        serial; /* IFL_COUNTER_COUNT where there is none */
} ifl_traffic_info;

/* What the accesses of one kind asked for; a counter that is not known reads 0 and `known` is
 * false. */
typedef struct ifl_traffic {
    uint64_t requests;
    uint64_t sectors, sectors_ideal;
    uint64_t lines, lines_ideal;
    uint64_t wavefronts, wavefronts_ideal;
    uint64_t useful_bytes;
    uint64_t serial;
    bool known; /* requests and sectors (on chip: wavefronts) with their ideals are known */
} ifl_traffic;

enum { IFL_SECTOR_BYTES = 32, IFL_LINE_BYTES = 128 };

const ifl_traffic_info *ifl_traffic_info_get(ifl_traffic_kind kind);
ifl_traffic ifl_traffic_get(const ifl_counters *counters, ifl_traffic_kind kind);
void ifl_traffic_add(ifl_traffic *to, const ifl_traffic *from);
/* What was spent beyond the ideal: bytes off chip, wavefronts on chip. */
uint64_t ifl_traffic_excess(const ifl_traffic *traffic, ifl_traffic_kind kind);

#endif
