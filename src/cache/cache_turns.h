/* SPDX-License-Identifier: Apache-2.0
 * Where the loads of a warp's turn were found: a warp continues when the last of them has arrived.
 * Knows counts only. */
#ifndef IFL_CACHE_CACHE_TURNS_H
#define IFL_CACHE_CACHE_TURNS_H

#include <stdint.h>

/* Lines that the loads of one turn touch, by how far they had to go. */
typedef struct ifl_turn_lines {
    uint32_t l1, l2, dram;
} ifl_turn_lines;

typedef struct ifl_turns {
    double loading; /* turns with loads */
    double in_l1;   /* of them, those of which all were found in the L1 */
    double asked,
        far; /* lines that the L2 was asked for, and of them those that came from DRAM: far */
    double far_beside; /* pairs of lines that a turn asked the L2 for, of which the first was far */
    double far_together; /* of them, those of which the second was, too */
} ifl_turns;

void ifl_turns_add(ifl_turns *to, const ifl_turn_lines *turn);

#endif
