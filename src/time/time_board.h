/* SPDX-License-Identifier: Apache-2.0
 * A scoreboard of a warp: when what is outstanding on it ends, and why one waits for that. */
#ifndef IFL_TIME_TIME_BOARD_H
#define IFL_TIME_TIME_BOARD_H

#include "profile/time_facts.h"

enum { IFL_BOARD_OUTSTANDING = 8 };

typedef struct ifl_board {
    uint64_t ends[IFL_BOARD_OUTSTANDING]; /* a ring; each ends no earlier than the one before it */
    uint32_t count;                       /* that were put there */
    uint8_t why;                          /* ifl_stall */
} ifl_board;

void ifl_board_put(ifl_board *board, double ends, ifl_stall why);
/* When at most `left` are outstanding. */
uint64_t ifl_board_clear_at(const ifl_board *board, uint32_t left);

#endif
