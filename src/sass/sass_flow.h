/* SPDX-License-Identifier: Apache-2.0
 * The parts of ifl_sass_analyze, in the order in which they run. Each takes what the ones before it
 * filled in. */
#ifndef IFL_SASS_FLOW_H
#define IFL_SASS_FLOW_H

#include "sass/sass.h"

#define IFL_SASS_NO_BLOCK UINT32_MAX

enum { IFL_SASS_SCOREBOARDS = 6 };

/* blocks, reached (sass_flow.c) */
ifl_status ifl_sass_find_blocks(ifl_sass_kernel *kernel, ifl_arena *arena, ifl_error *error);
/* loops, their headers and nesting, ifl_sass_block.loop (sass_loops.c) */
ifl_status ifl_sass_find_loops(ifl_sass_kernel *kernel, ifl_arena *arena, ifl_error *error);
/* purpose (sass_purpose.c) */
ifl_status ifl_sass_find_purposes(ifl_sass_kernel *kernel, ifl_arena *arena, ifl_error *error);
/* wait_bytes, bytes_in_flight, exposed_latencies, spills, and all that a loop's trip counts
 * (sass_waits.c) */
ifl_status ifl_sass_measure(ifl_sass_kernel *kernel, ifl_arena *arena, ifl_error *error);

/* spill_load_bytes, spill_store_bytes, spilled_at_once_bytes (sass_spills.c) */
ifl_status ifl_sass_measure_spills(ifl_sass_kernel *kernel, ifl_arena *arena, ifl_error *error);

bool ifl_sass_is_guarded(const ifl_sass_instruction *instruction);

#endif
