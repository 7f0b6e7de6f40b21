/* SPDX-License-Identifier: Apache-2.0
 * The code that the warps of an SM issue from, and what of it the instruction cache has when they
 * begin. */
#include "time/time_sm.h"
#include "time/time_walk.h"

#include <stdlib.h>

/* Marks the lines of code that a warp issues from; how many had none marked. */
static size_t mark_code(uint8_t *marked, const ifl_warp_trace *trace)
{
    size_t found = 0;
    ifl_walk w = ifl_walk_of(trace);
    while (ifl_walk_next(&w))
        for (size_t line = w.site / IFL_CODE_SITES; line <= (w.stop - 1) / IFL_CODE_SITES; line++) {
            found += !marked[line];
            marked[line] = 1;
        }
    return found;
}

/* The launch before has left in the cache what its last warp issued from: it is taken to be as this
 * one's first. */
static void leave_code(ifl_code_cache *code, const ifl_warp_trace *trace)
{
    ifl_walk w = ifl_walk_of(trace);
    while (code->lines && ifl_walk_next(&w))
        for (size_t line = w.site / IFL_CODE_SITES; line <= (w.stop - 1) / IFL_CODE_SITES; line++)
            ifl_code_cache_fetch(code, line, 0);
    ifl_code_cache_settle(code);
}

/* Of a kernel whose whole code fits nothing is looked at. */
bool ifl_sm_begin_code(const ifl_sm_case *of, ifl_code_cache *code)
{
    const ifl_sm_rates *r = of->rates;
    const ifl_code_levels levels = {{r->near_code_lines, (uint64_t)r->near_code_cycles},
                                    {r->code_lines, (uint64_t)r->code_cycles},
                                    {r->kept_code_lines, (uint64_t)r->cold_code_cycles},
                                    (uint64_t)r->late_code_cycles};
    const size_t lines = of->sites->count / IFL_CODE_SITES + 1,
                 most = levels.near.most ? levels.near.most : levels.far.most;
    size_t touched = 0;
    uint8_t *marked = lines > most ? calloc(lines, 1) : NULL;
    for (size_t b = 0; marked && b < of->block_count; b++)
        for (uint32_t w = 0; w < of->warps_per_block; w++)
            touched += mark_code(marked, &of->blocks[b]->warps[w]);
    const bool begun = (marked || lines <= most) &&
                       ifl_code_cache_begin(code, lines, touched, &levels, r->code_ahead);
    if (begun && of->block_count && !r->cold_code_cycles)
        leave_code(code, &of->blocks[0]->warps[0]);
    free(marked);
    return begun;
}
