/* SPDX-License-Identifier: Apache-2.0
 * One SM: blocks that start one after the other, with their warps on four schedulers that issue by
 * the control words. Knows traces, sites and rates; not devices nor profiles. */
#ifndef IFL_TIME_TIME_SM_H
#define IFL_TIME_TIME_SM_H

#include "profile/time_facts.h"
#include "time/time_fetch.h"
#include "time/time_memory.h"

/* Of a site in a trace that was changed. */
enum {
    IFL_SITE_GONE = 1 << 0, /* it is not issued, and asks for nothing */
    IFL_SITE_ONCE = 1 << 1  /* it is issued once, however often its stretch is */
};

typedef struct ifl_sm_case {
    const ifl_sites *sites;
    const uint8_t *marks; /* by site; NULL: none has any */
    const ifl_sm_rates *rates;
    const ifl_block_trace *const *blocks; /* in the order in which they come */
    size_t block_count;
    uint32_t warps_per_block;
    uint32_t blocks_per_sm;
    double
        instructions; /* that the SM issues in the launch, if it is followed in order; 0: it is not */
} ifl_sm_case;

typedef struct ifl_sm_outcome {
    double cycles;
    uint64_t issued;
    uint64_t issue_cycles; /* of all schedulers, in which one issued */
    double
        /* when the first half of the blocks had started; with it, the pace of the rest is known */
        half_cycles;
    size_t half_blocks, last_blocks;
    double last_cycles;   /* when the last block started */
    double behind_cycles; /* ifl_sm_behind */
    uint64_t l1_sectors, l1_hits, l2_sectors, dram_sectors;
    double host_cycles;     /* in which this SM's part of the bus to the host was busy */
    ifl_site_stalls *sites; /* by site: the caller's, zeroed; NULL: nobody asks why warps stall */
} ifl_sm_outcome;

/* Cycles of an SM that gets `blocks`, of which `followed` were: the others go on at the pace of the
 * second half of these. `repeats`: what the followed blocks did, over what their traces hold; what is
 * by chance grows with its root. */
double ifl_sm_cycles(const ifl_sm_outcome *outcome, size_t followed, double blocks, double repeats);
/* How far the paces of the two halves of what was followed are apart, for the part of the blocks that was
 * not: of all cycles. `at_once`: blocks of the first wave, which start together. 0 where no block of the
 * first half came after it. */
double ifl_sm_sampling_error(const ifl_sm_outcome *outcome, size_t followed, double blocks,
                             uint32_t at_once);

/* How much later than this SM the last of all SMs ends, in cycles; `waits`: how often the
 * warp that ended last waited for memory, the L2 included. 0 where further blocks take the places of
 * those that have ended. */
double ifl_sm_behind(const ifl_sm_case *of, uint32_t waits);

/* The instruction cache as the launch before has left it: with the code that the warps issue from, as
 * far as it fits. False without memory. */
bool ifl_sm_begin_code(const ifl_sm_case *of, ifl_code_cache *code);

/* False without memory, or where an SM cannot hold so many warps. */
bool ifl_sm_run(const ifl_sm_case *of, ifl_sm_outcome *out);

#endif
