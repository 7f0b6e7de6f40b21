/* SPDX-License-Identifier: Apache-2.0
 * How lanes of machine code come together: barrier registers (BSSY, BSYNC, BREAK), regions that
 * lanes run together wherever they come from (WARPSYNC.COLLECTIVE), and jumps to an address a lane.
 * PTX has meetings instead (warp.c). */
#ifndef IFL_EXEC_CONVERGE_H
#define IFL_EXEC_CONVERGE_H

#include "exec/warp.h"

enum { IFL_SYNCS = 16 }; /* B0 to B15 */

/* What each lane knows of each barrier register. A register is of the lanes that armed it: two
 * parts of a warp may hold different lanes in the same one. */
struct ifl_sync {
    uint32_t lanes[IFL_SYNCS][IFL_WARP_LANES]; /* that the lane waits for */
    const ifl_code
        *after[IFL_WARP_LANES]; /* a region that lanes run together: where the lane goes then */
    uint32_t alike[IFL_SYNCS];  /* each lane of these waits for just these */
    uint32_t used;              /* registers, a bit each, that were written since the warp began */
    uint32_t
        yielded; /* lanes that came to a YIELD while others were elsewhere, until they pass a BSYNC, begin a
     * region or meet at a WARPSYNC */
};

/* As a warp finds it that begins. */
void ifl_sync_clear(struct ifl_sync *sync);
/* The fragment stops at a sync_wait: lanes warp->taken wait, the others go on. */
void ifl_sync_wait(ifl_warp *warp, uint32_t index);
/* Lets those go on who have nobody to wait for any more, after lanes have ended or have left by BREAK. */
void ifl_sync_settle_left(ifl_warp *warp);
/* Lanes that wait go on without those that they wait for, which look at memory all the time and may
 * wait for them: CUDA promises that each thread gets on (an H200 ends a lock that lanes of one warp
 * take in turn). */
void ifl_sync_let_go(ifl_warp *warp);
/* The fragment has come to a YIELD. Lanes at a BSYNC wait for none that have: those that leave such a
 * loop go on alone, each time that it parts (an H200: tests/machine/yields.cu). */
void ifl_sync_yield(ifl_warp *warp, const ifl_fragment *fragment);
/* The fragment stops at a gather, or at its end. */
void ifl_gather_wait(ifl_warp *warp, uint32_t index);
void ifl_gather_end(ifl_warp *warp, uint32_t index);
/* Lanes warp->taken of the fragment go where the addresses in its code's slot lead. */
void ifl_jump(ifl_warp *warp, uint32_t index);

#endif
