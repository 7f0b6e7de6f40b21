/* SPDX-License-Identifier: Apache-2.0
 * Whether each thread walks through a region of its own where the regions have different sizes:
 * strings, rows of a sparse matrix. Lanes then have no common stride; but from one request of the
 * warp to another each of them goes on to its next word. Knows addresses only. */
#ifndef IFL_COUNT_RAGGED_H
#define IFL_COUNT_RAGGED_H

#include "code/event.h"

/* Members of one structure are neighbours too: a walk is longer. */
enum { IFL_RAGGED_STEPS = 16, IFL_RAGGED_WALK = 5, IFL_RAGGED_WARPS = 256 };

typedef struct ifl_ragged_step {
    uint32_t mask, slot;
    uint32_t low[IFL_WARP_LANES]; /* addresses, without their upper halves */
    uint8_t bytes;
    uint8_t length; /* how many neighbours follow each other up to here, at most IFL_RAGGED_WALK */
    uint8_t before; /* the step that this one continues, IFL_RAGGED_STEPS for none */
    bool walks;
} ifl_ragged_step;

/* One warp's last steps. */
typedef struct ifl_ragged {
    uint64_t block;
    uint32_t warp, taken; /* steps so far; the next goes to taken % IFL_RAGGED_STEPS */
    ifl_ragged_step step[IFL_RAGGED_STEPS];
} ifl_ragged;

/* The history of the request's warp, in `walks`, whose entries are NULL until a warp needs them and
 * are freed by the caller. NULL: there was no memory. */
ifl_ragged *ifl_ragged_history(ifl_ragged *walks[IFL_RAGGED_WARPS], const ifl_access *access);

/* Adds a request to the history of its warp. `found` gets the slots of requests, this and earlier
 * ones, that are now known to belong to a walk; the count is returned. */
unsigned ifl_ragged_add(ifl_ragged *walk, const ifl_access *access, uint32_t slot,
                        uint32_t found[IFL_RAGGED_STEPS]);

#endif
