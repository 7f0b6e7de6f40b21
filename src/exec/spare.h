/* SPDX-License-Identifier: Apache-2.0
 * The blocks of a launch that is over, kept for the next one of the same kernel: a small launch takes
 * longer to make its warps and their registers than to run them. */
#ifndef IFL_EXEC_SPARE_H
#define IFL_EXEC_SPARE_H

#include "exec/warp.h"

typedef struct ifl_spare {
    uint64_t image; /* its number; 0: nothing is kept */
    uint64_t shared_bytes, stack_bytes;
    uint32_t block[3]; /* threads */
    uint32_t count, capacity;
    ifl_block *blocks;
} ifl_spare;

/* Gives a new worker what is kept, if it is of the same kernel and size of block. */
void ifl_spare_take(ifl_spare *spare, ifl_worker *worker);
/* Takes the worker's blocks, all of which have ended, in place of what was kept; not where they are
 * many, or large. */
void ifl_spare_keep(ifl_spare *spare, ifl_worker *worker);
void ifl_spare_free(ifl_spare *spare);

#endif
