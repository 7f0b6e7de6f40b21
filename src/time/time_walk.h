/* SPDX-License-Identifier: Apache-2.0
 * A walk through the trace of a warp, one instruction after the other (time_trace.h has the words). */
#ifndef IFL_TIME_TIME_WALK_H
#define IFL_TIME_TIME_WALK_H

#include "time/time_trace.h"

typedef struct ifl_walk {
    const uint32_t *at, *end; /* what is left of the trace */
    uint32_t site, stop;      /* the next instruction; where its stretch ends */
    uint32_t times;           /* that each of the stretch is issued */
    bool in_gap;              /* and not at an instruction */
} ifl_walk;

/* Before the first stretch. */
ifl_walk ifl_walk_of(const ifl_warp_trace *trace);

/* The next request of a gap that comes before the next stretch; false: there is none. */
bool ifl_walk_take_of_gap(ifl_walk *walk, uint32_t *site, ifl_time_lines *lines);

/* Takes the next stretch; false at the end of the trace. Requests that belong to none are passed. */
bool ifl_walk_next(ifl_walk *walk);

/* Goes on to the next instruction of the stretch; false behind the last one. */
bool ifl_walk_step(ifl_walk *walk);

/* The next request of the instruction that it is at; false where there is no further one: no lane
 * asked for anything. */
bool ifl_walk_has_request(const ifl_walk *walk);
bool ifl_walk_take_request(ifl_walk *walk, ifl_request_cost *cost, const uint32_t **lines);

/* All of them. */
void ifl_walk_pass_requests(ifl_walk *walk);

#endif
