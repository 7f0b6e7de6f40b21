/* SPDX-License-Identifier: Apache-2.0
 * Loads counted by turn: cache_turns.h. */
#include "cache/cache_turns.h"

void ifl_turns_add(ifl_turns *to, const ifl_turn_lines *turn)
{
    const double far = turn->dram, asked = far + turn->l2;
    to->loading += asked > 0 || turn->l1 > 0;
    to->in_l1 += asked == 0 && turn->l1 > 0;
    to->asked += asked;
    to->far += far;
    to->far_beside += far > 0 ? far * (asked - 1) : 0;
    to->far_together += far > 0 ? far * (far - 1) : 0;
}
