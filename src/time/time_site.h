/* SPDX-License-Identifier: Apache-2.0
 * What the schedule of an SM asks of a site: which way it leaves its scheduler, and what a warp that
 * waits for it waits for. Knows sites; not warps. */
#ifndef IFL_TIME_TIME_SITE_H
#define IFL_TIME_TIME_SITE_H

#include "arch/arch.h"
#include "code/site.h"
#include "profile/time_facts.h"

/* Goes to a queue of its scheduler for what all four share. */
bool ifl_time_is_queued(const ifl_site *site);
/* A warp that is held at a barrier (ifl_control.defers) does not issue it. */
bool ifl_time_is_blocked(const ifl_site *site);
/* Goes to memory beyond the SM's own. */
bool ifl_time_is_far(const ifl_site *site);
bool ifl_time_is_shuffle(const ifl_site *site);
/* Cycles beside its own that it keeps its scheduler from others. */
double ifl_time_dispatch_of(const ifl_arch *arch, const ifl_site *site);
/* Cycles after its stall until its warp knows where it goes on; of a branch that is taken, more. */
uint64_t ifl_time_turns_of(const ifl_arch *arch, const ifl_site *site);
/* Why a warp waits: for its pipe, for room in its queue, for its result. */
ifl_stall ifl_time_why_of_pipe(const ifl_site *site);
ifl_stall ifl_time_why_of_queue(const ifl_site *site);
ifl_stall ifl_time_why_of(const ifl_site *site);

#endif
