/* SPDX-License-Identifier: Apache-2.0
 * Which of its warps a scheduler issues from. */
#ifndef IFL_TIME_TIME_PICK_H
#define IFL_TIME_TIME_PICK_H

#include "time/time_sm_state.h"

/* The index of the warp that issues now; false: none can. on->next is then set for the warps that do not. */
bool ifl_sm_pick(ifl_sm *sm, ifl_sm_scheduler *on, uint32_t *found);
/* It has been issued from, or has ended: on->next with it. */
void ifl_sm_picked(const ifl_sm *sm, ifl_sm_scheduler *on, uint32_t found);

/* Of warps that can issue the one with the least comes first, but for the one that issued last. */
uint64_t ifl_sm_order_of(const ifl_sm_warp *w);

/* What the instruction takes of its pipe. */
ifl_takes ifl_sm_takes(const ifl_site *site);

/* Of the two halves of a pipe the one that is free first. What takes twice takes both: the one that is free last. An
 * H100, tools/gpu/sm_probe.cu: IMAD.WIDE 4.1 cycles, with an FFMA beside it 5.1, with an IMAD 6.4. */
static inline uint64_t *ifl_sm_half_of(ifl_sm_scheduler *on, uint8_t pipe, ifl_takes takes)
{
    uint64_t *halves = on->pipe[pipe];
    if (takes == IFL_TAKES_BOTH)
        return halves[1] > halves[0] ? &halves[1] : &halves[0];
    return takes == IFL_TAKES_EITHER && halves[1] < halves[0] ? &halves[1] : &halves[0];
}

#endif
