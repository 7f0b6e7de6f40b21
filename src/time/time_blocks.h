/* SPDX-License-Identifier: Apache-2.0
 * Which blocks the followed SM gets. Knows traces and how much work each block of the grid did. */
#ifndef IFL_TIME_TIME_BLOCKS_H
#define IFL_TIME_TIME_BLOCKS_H

#include "profile/block_work.h"
#include "time/time_trace.h"

typedef struct ifl_time_blocks {
    const ifl_block_trace **at; /* in the order in which they come */
    size_t count;
    double of_sm; /* for so many blocks of the SM they stand; 0: for all */
    /* 0: these are the SM's own as far as they were kept. Else they stand for those of the SM that
     * ends last: how much longer that one takes, by their work. */
    double longer;
    double
        sms; /* that share the GPU's bandwidth, as much work as all blocks are of theirs; 0: as blocks */
} ifl_time_blocks;

/* Those of the SM that the scope chose before the run. False without memory. */
bool ifl_time_blocks_own(const ifl_time_traces *traces, size_t scope, ifl_time_blocks *out);

/* Do blocks differ so that the SMs end at different times? `per_sm`: blocks that an SM holds. */
bool ifl_time_blocks_differ(const ifl_time_plan *plan, size_t scope, uint32_t per_sm,
                            const ifl_block_work *work);
/* Then, those of the SM that ends last, or what was kept that is most like them. `degree`: how many
 * blocks an SM runs side by side before they slow each other. False without memory. */
bool ifl_time_blocks_last(const ifl_time_traces *traces, const ifl_time_plan *plan, size_t scope,
                          uint32_t per_sm, double degree, const ifl_block_work *work,
                          ifl_time_blocks *out);

void ifl_time_blocks_free(ifl_time_blocks *blocks);

#endif
