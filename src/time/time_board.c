/* SPDX-License-Identifier: Apache-2.0
 * Scoreboards: the last ones that were put there. */
#include "time/time_board.h"

#include <math.h>

void ifl_board_put(ifl_board *on, double ends, ifl_stall why)
{
    const uint64_t before = on->count ? on->ends[(on->count - 1) % IFL_BOARD_OUTSTANDING] : 0,
                   at = (uint64_t)ceil(ends);
    if (at >= before)
        on->why = (uint8_t)why;
    on->ends[on->count++ % IFL_BOARD_OUTSTANDING] = before > at ? before : at;
}

uint64_t ifl_board_clear_at(const ifl_board *on, uint32_t left)
{
    return on->count <= left || left >= IFL_BOARD_OUTSTANDING
               ? 0
               : on->ends[(on->count - 1 - left) % IFL_BOARD_OUTSTANDING];
}
