/* SPDX-License-Identifier: Apache-2.0
 * See time_site.h. */
#include "time/time_site.h"

#include "arch/units.h"

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

/* Textures and surfaces have a reason of their own there: of the ten kernels in draws 27, 28 and 31 whose
 * warps wait for room to sample, an H200 counts 2.3 to 10 warps an issue at it, and none at lg_throttle. */
ifl_stall ifl_time_why_of_queue(const ifl_site *site)
{
    if (!ifl_time_is_far(site))
        return IFL_STALL_mio_throttle;
    return ifl_access_is_sampled(site->access.kind) ? IFL_STALL_tex_throttle
                                                    : IFL_STALL_lg_throttle;
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

uint64_t ifl_time_turns_of(const ifl_arch *arch, const ifl_site *site)
{
    return site->control.step == IFL_STEP_JOIN       ? (uint64_t)arch->join_cycles
           : site->control.step == IFL_STEP_INDIRECT ? (uint64_t)arch->indirect_cycles
                                                     : 0;
}

/* Cycles for the registers that are loaded, over those for one. */
static double registers_loaded(const ifl_arch *arch, const ifl_site *site)
{
    const double words = site->access.bytes / (double)IFL_WORD_BYTES;
    return site->access.kind == IFL_ACCESS_LOAD && words > 1
               ? 1 + arch->dispatch_register * (words - 1)
               : 1;
}

/* What leaves for units that work on part of a warp at a time holds those behind it up, and so does what
 * leads elsewhere by a register. */
double ifl_time_dispatch_of(const ifl_arch *arch, const ifl_site *site)
{
    return site->control.step == IFL_STEP_INDIRECT ? arch->dispatch_indirect
           : ifl_time_is_queued(site)    ? arch->dispatch_memory * registers_loaded(arch, site)
           : site->pipe == IFL_PIPE_XU   ? arch->dispatch_xu
           : site->pipe == IFL_PIPE_FP64 ? arch->dispatch_fp64
                                         : 0;
}
