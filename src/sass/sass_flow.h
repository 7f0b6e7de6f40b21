/* SPDX-License-Identifier: Apache-2.0
 * The parts of ifl_sass_analyze, in the order in which they run. Each takes what the ones before it
 * filled in. */
#ifndef IFL_SASS_FLOW_H
#define IFL_SASS_FLOW_H

#include "sass/sass.h"

enum { IFL_SASS_SCOREBOARDS = 6 };

typedef enum ifl_sass_way {
    IFL_SASS_GOES_ON,
    IFL_SASS_BRANCHES, /* to its target, else on */
    IFL_SASS_JUMPS,    /* to a place that its registers tell */
    IFL_SASS_EXITS,
    IFL_SASS_RETURNS,
    IFL_SASS_CALLS,   /* to its target, and on after the return */
    IFL_SASS_NAMES,   /* for its barrier register, where lanes that part meet again */
    IFL_SASS_MEETS,   /* on where the BSSY of its barrier register says */
    IFL_SASS_POINTS,  /* to its target and on */
    IFL_SASS_REJOINS, /* on with lanes that went another way */
    IFL_SASS_PAUSES   /* on: other lanes may come first */
} ifl_sass_way;

/* What an opcode may do but go on to the next instruction. */
ifl_sass_way ifl_sass_way_of(uint16_t op);

/* blocks, and the next ones (sass_flow.c) */
ifl_status ifl_sass_find_blocks(ifl_sass_kernel *kernel, ifl_arena *arena, ifl_error *error);
ifl_status ifl_sass_find_reached(ifl_sass_kernel *kernel, ifl_arena *arena, ifl_error *error);
ifl_status ifl_sass_find_loops(ifl_sass_kernel *kernel, ifl_arena *arena, ifl_error *error);
/* purpose (sass_purpose.c) */
ifl_status ifl_sass_find_purposes(ifl_sass_kernel *kernel, ifl_arena *arena, ifl_error *error);
/* wait_bytes, bytes_in_flight, exposed_latencies, spills, and all that a loop's trip counts
 * (sass_waits.c) */
ifl_status ifl_sass_measure(ifl_sass_kernel *kernel, ifl_arena *arena, ifl_error *error);

/* spill_load_bytes, spill_store_bytes, spilled_at_once_bytes (sass_spills.c) */
ifl_status ifl_sass_measure_spills(ifl_sass_kernel *kernel, ifl_arena *arena, ifl_error *error);

#endif
