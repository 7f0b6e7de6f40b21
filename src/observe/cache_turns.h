/* SPDX-License-Identifier: Apache-2.0
 * Where the loads of a warp's turn ended: a warp goes on when the last of them has come. Knows records and how far each
 * had to go; not caches. */
#ifndef IFL_OBSERVE_CACHE_TURNS_H
#define IFL_OBSERVE_CACHE_TURNS_H

#include "observe/sm_order.h"

/* How far a load's record had to go. */
typedef enum ifl_reach {
    IFL_REACH_NONE,
    IFL_REACH_JOINED, /* another's data */
    IFL_REACH_L1,
    IFL_REACH_L2,
    IFL_REACH_DRAM
} ifl_reach;

typedef struct ifl_turns {
    double loading;      /* turns with loads */
    double in_l1;        /* of them, those of which all were found in the L1 */
    double asked, far;   /* lines that the L2 was asked for, and of them those that came from DRAM: far */
    double far_beside;   /* pairs of lines that a turn asked the L2 for, of which the first was far */
    double far_together; /* of them, those of which the second was, too */
} ifl_turns;

/* `records` of `trace`, ordered by warp; reach[i], an ifl_reach, is that of trace->records.at[i]. */
ifl_turns ifl_turns_count(const ifl_trace *trace, const ifl_keyed *records, const uint8_t *reach);

/* A load past the L1 that asks for what the warp's request before it is waiting for is not sent on: marks it as
 * joined, every second of a row (docs/caches.md). */
bool ifl_turns_may_join(const ifl_trace *trace); /* whether it has loads past the L1 at all */
void ifl_turns_join(const ifl_trace *trace, const ifl_keyed *records, uint8_t *reach);

#endif
