/* SPDX-License-Identifier: Apache-2.0
 * Contiguous requests, counted: most kernels make most of their requests side by side, and for
 * nearly all observers those differ only in where in a line they begin. Counting them takes one
 * addition, telling each observer of each a hundred instructions. Atomics are told one by one:
 * which words they meet at matters. */
#ifndef IFL_EXEC_CONTIGUOUS_H
#define IFL_EXEC_CONTIGUOUS_H

#include "exec/warp.h"

struct ifl_contiguous {
    uint32_t what;                  /* ifl_contiguous_what */
    uint64_t times[IFL_LINE_BYTES]; /* by the place in a line of the first address */
};

/* An instruction's requests are nearly always of one kind, space and width. */
static inline uint32_t ifl_contiguous_what(uint8_t kind, uint8_t space, uint8_t bytes)
{
    return kind | (uint32_t)space << 8 | (uint32_t)bytes << 16;
}

/* In `what` of an instruction that has asked for memory of the host: from then on its requests are told. */
#define IFL_CONTIGUOUS_EACH (UINT32_C(1) << 31)

/* Counts a request of which the like was counted before; false: see ifl_contiguous_add. */
static inline bool ifl_contiguous_again(const ifl_worker *worker, uint32_t site, uint32_t what,
                                        uint64_t first)
{
    ifl_contiguous *known = worker->contiguous[site];
    if (!known || known->what != what)
        return false;
    known->times[first % IFL_LINE_BYTES]++;
    return true;
}

#endif
