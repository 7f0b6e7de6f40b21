/* SPDX-License-Identifier: Apache-2.0
 * See time_site.h. */
#include "time/time_site.h"

#include "time/time_costs.h"

bool ifl_time_is_queued(const ifl_site *site)
{
    return site->access.kind != IFL_ACCESS_KINDS || site->pipe == IFL_PIPE_LSU ||
           site->pipe == IFL_PIPE_ADU || site->pipe == IFL_PIPE_TEX;
}

/* An H200, tools/gpu/defer_probe.cu: FFMA, DFMA, IMAD, VOTE and CS2R go on, and stand still are LDS,
 * LDG, LDC, S2R, SHFL, MUFU, conversions of doubles, BRA and EXIT. */
bool ifl_time_is_blocked(const ifl_site *site)
{
    const bool computes = site->pipe == IFL_PIPE_ALU || site->pipe == IFL_PIPE_FMA ||
                          site->pipe == IFL_PIPE_FP16 || site->pipe == IFL_PIPE_FP64 ||
                          site->pipe == IFL_PIPE_UNIFORM;
    return !computes || ifl_time_is_queued(site) || site->control.writes != IFL_NO_BOARD ||
           site->control.reads != IFL_NO_BOARD;
}

bool ifl_time_is_far(const ifl_site *site)
{
    return site->access.kind != IFL_ACCESS_KINDS && site->access.space != IFL_SPACE_SHARED;
}

/* What goes to the XU goes through the MIO's queue: of two filters that convert bytes to doubles and back,
 * an H200 has 15 and 25 warps an issue at mio_throttle and 0.4 at math_pipe_throttle (draw 25, edge and sobel).
 * Nsight Compute counts a warp that stands before or behind products of its warp group as one at a
 * barrier (an H100, 45 launches of tests/gpu/h100/programs_13.csv: 0.0 to 0.4 warps an issue are
 * counted as math_pipe_throttle there). */
ifl_stall ifl_time_why_of_pipe(const ifl_site *site)
{
    if (site->pipe == IFL_PIPE_XU)
        return IFL_STALL_mio_throttle;
    return site->matrix.kind != IFL_MATRIX_KIND_NONE && site->matrix.unit == IFL_MATRIX_UNIT_GROUP
               ? IFL_STALL_barrier
               : IFL_STALL_math_pipe_throttle;
}

/* Of what the LSU does, the only thing that is awaited and neither an access nor a fence. */
bool ifl_time_is_shuffle(const ifl_site *site)
{
    return site->pipe == IFL_PIPE_LSU && site->access.kind == IFL_ACCESS_KINDS &&
           site->control.delay == IFL_DELAY_UNIT && site->control.writes < IFL_BOARDS &&
           site->control.step == IFL_STEP_PLAIN;
}

ifl_stall ifl_time_why_of(const ifl_site *site)
{
    if (site->control.delay == IFL_DELAY_CONSTANT)
        return IFL_STALL_short_scoreboard;
    return ifl_time_is_far(site) || site->control.delay == IFL_DELAY_TEXTURE
               ? IFL_STALL_long_scoreboard
               : IFL_STALL_short_scoreboard;
}

/* An H200, tools/gpu/join_probe.cu: an if takes 7 to 8 cycles more for the BSYNC behind it, and 15 where
 * its lanes part; a call 28 more for its return, a switch about as many. An EXIT of some lanes: 8.0 by
 * Nsight Compute's branch_resolving of kernels that only check a bound. */
unsigned ifl_time_turns_of(const ifl_site *site)
{
    enum { JOIN_CYCLES = 8, INDIRECT_CYCLES = 28 };
    return site->control.step == IFL_STEP_JOIN       ? JOIN_CYCLES
           : site->control.step == IFL_STEP_INDIRECT ? INDIRECT_CYCLES
                                                     : 0;
}

/* Of what is loaded, each register beyond the first costs half as much: of sums and loads from shared memory by 32
 * warps, an H200 takes 0.5 cycles more a load of 4 bytes and 1.0 to 2.7 of 16 (tools/gpu/wide_shared_probe.cu), of
 * forces between bodies 1.0 (shared_form_probe, `bodies`). */
static double registers_loaded(const ifl_site *site)
{
    enum { WORD = 4 };
    const bool is_wide = site->access.kind == IFL_ACCESS_LOAD && site->access.bytes > WORD;
    return is_wide ? (1 + site->access.bytes / (double)WORD) / 2 : 1;
}

/* What leaves for units that work on part of a warp at a time holds those behind it up, and so does what
 * leads elsewhere by a register: 32 warps take an H200 31 cycles more for a call and its return
 * (tools/gpu/join_probe.cu). */
double ifl_time_dispatch_of(const ifl_site *site)
{
    static const double INDIRECT_CYCLES = 4;
    return site->control.step == IFL_STEP_INDIRECT ? INDIRECT_CYCLES
           : ifl_time_is_queued(site)    ? ifl_sm_constant.dispatch_memory * registers_loaded(site)
           : site->pipe == IFL_PIPE_XU   ? ifl_sm_constant.dispatch_xu
           : site->pipe == IFL_PIPE_FP64 ? ifl_sm_constant.dispatch_fp64
                                         : 0;
}
