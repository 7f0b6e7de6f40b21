/* SPDX-License-Identifier: Apache-2.0
 * Whether each thread walks through a contiguous region of its own. Remembers the last strided
 * requests of each warp, to find two that touch neighbouring words at the same stride: by one
 * instruction in a loop, or by several (the members of a structure). Knows layouts only. */
#ifndef IFL_COUNT_WALK_H
#define IFL_COUNT_WALK_H

#include "code/event.h"

enum { IFL_WALK_STEPS = 8, IFL_WALK_WARPS = 1024 };

typedef struct ifl_step {
    uint64_t base;  /* of lane 0 */
    int64_t stride; /* bytes from lane to lane */
    uint32_t slot;  /* whose request it was */
    uint8_t bytes;
    uint8_t space;
    bool walks; /* a neighbour was found */
} ifl_step;

/* One warp's last steps. */
typedef struct ifl_address_walk {
    uint64_t block;
    uint32_t warp;
    uint32_t taken; /* steps so far; the next goes to taken % IFL_WALK_STEPS */
    ifl_step step[IFL_WALK_STEPS];
} ifl_address_walk;

/* The history of a warp, in `walks`, whose entries are NULL until a warp needs them and are freed by
 * the caller. NULL: there was no memory. */
ifl_address_walk *ifl_walk_history(ifl_address_walk *walks[IFL_WALK_WARPS], uint64_t block,
                                   uint32_t warp);

/* Adds a step to the history of its warp, marked when it continues, or is continued by, one
 * before it. Those before it of which that was not known yet are marked too; `found` gets them
 * as they now are, the count is returned. */
unsigned ifl_walk_add(ifl_address_walk *walk, ifl_step *step, ifl_step found[IFL_WALK_STEPS]);

#endif
