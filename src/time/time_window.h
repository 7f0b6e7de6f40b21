/* SPDX-License-Identifier: Apache-2.0
 * What is kept of warps that go on for long. Where a grid has few blocks, one SM does much of what
 * the launch does, and all of that takes many times longer to follow than to run. Its warps are
 * followed in windows of so many instructions, spread evenly over all that they do. Where they meet at barriers, a window
 * goes from one to another one, the same for all warps of the block: who waits does so for those it waited for. In the gaps
 * between them only the lines that they ask for are kept: what a window finds in the L1, and what
 * the SM asks for the first time, depends on them. */
#ifndef IFL_TIME_TIME_WINDOW_H
#define IFL_TIME_TIME_WINDOW_H

#include "time/time_trace.h"

/* Sets the plan's windows, of its blocks and warps. */
void ifl_time_plan_windows(ifl_time_plan *plan);

/* The warp goes on, and behind a barrier that it has come to so may all others: those of a block begin a window behind the same
 * one. `meets`: it comes to one now. False without memory. */
bool ifl_window_go_on(ifl_block_trace *block, ifl_warp_trace *warp, bool meets);
/* The warp is about to issue: is that kept at this level? Each level keeps half the windows of the level before. `whole`: so
 * many instructions behind a barrier are not parted. Sets *lost without memory. */
bool ifl_window_enter(ifl_warp_trace *warp, uint32_t size, uint32_t whole, uint32_t level,
                      bool *lost);

/* A request in a gap. What its site has just asked for is not kept again. False without memory. */
bool ifl_gap_add(ifl_warp_trace *warp, const uint32_t *request);

/* What a higher level leaves out becomes a gap; without `gaps`, nothing is left of any. False
 * without memory. */
bool ifl_window_thin(ifl_warp_trace *warp, uint32_t level, bool gaps);

#endif
