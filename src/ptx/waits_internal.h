/* SPDX-License-Identifier: Apache-2.0
 * Loads that are on their way from one block to the next: in what share of a block's passes each of
 * them is still pending. Knows blocks, how often they ran, and registers by number. */
#ifndef IFL_PTX_WAITS_INTERNAL_H
#define IFL_PTX_WAITS_INTERNAL_H

#include "code/flow.h"
#include "ptx/waits.h"

/* What a block does to a value that may be pending when it begins. */
typedef struct ifl_handing {
    uint8_t reads : 1;
    uint8_t is_written : 1; /* it, or all that was pending, has come when the block ends */
    uint8_t brings : 1;     /* but a load of the block's own is pending then */
} ifl_handing;

typedef struct ifl_pending {
    const uint64_t *times; /* by instruction of the function; NULL: all alike */
    size_t
        count; /* registers that are pending somewhere; 0 too where there are too many to follow */
    uint32_t *reg;
    ifl_handing *of; /* block_count x count */
    float *share;    /* block_count x count: of the block's passes that find it pending */
    double *more;    /* of a block: waits where what it reads is pending */
} ifl_pending;

/* Lists the registers of `bits`, `words` words a block. */
ifl_status ifl_pending_list(ifl_pending *pending, const uint64_t *bits, size_t blocks, size_t words,
                            ifl_arena *arena, ifl_error *error);
ifl_status ifl_pending_settle(ifl_pending *pending, const ifl_flow *flow, ifl_arena *arena,
                              ifl_error *error);
/* Of `more`, what a pass does not wait for on average. */
double ifl_pending_spared(const ifl_pending *pending, uint32_t block);

#endif
