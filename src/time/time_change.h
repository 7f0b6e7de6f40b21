/* SPDX-License-Identifier: Apache-2.0
 * The traces of blocks as they would be if a launch were changed (profile/what_if.h). Knows traces
 * and changes; not time. */
#ifndef IFL_TIME_TIME_CHANGE_H
#define IFL_TIME_TIME_CHANGE_H

#include "profile/what_if.h"
#include "time/time_trace.h"

/* Blocks of as many warps each, in the order in which they come. */
typedef struct ifl_trace_set {
    ifl_block_trace *at;
    size_t count;
    uint32_t warps;
    double stored, stored_lines; /* sectors and lines beyond the L1, by all of them */
} ifl_trace_set;

/* The first blocks, as many as `most` words hold. Where they do not hold `least` blocks each warp is
 * cut. False without memory. */
bool ifl_trace_set_copy(const ifl_block_trace *const *blocks, size_t count, uint32_t warps,
                        size_t least, size_t most, ifl_trace_set *out);
void ifl_trace_set_free(ifl_trace_set *set);

/* False without memory, or where blocks cannot be changed so: those that meet at barrier objects,
 * and cut ones that meet at barriers. `at_once`: blocks that an SM holds. */
bool ifl_trace_set_change(const ifl_trace_set *from, const ifl_change *change,
                          const ifl_sites *sites, uint32_t at_once, ifl_trace_set *out);

#endif
