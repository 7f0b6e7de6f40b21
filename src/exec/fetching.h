/* SPDX-License-Identifier: Apache-2.0
 * What lanes of a later warp will ask for, fetched into this machine's caches a few lanes at a time
 * in between other work: so many at once that the processor waits are of no use. */
#ifndef IFL_EXEC_FETCHING_H
#define IFL_EXEC_FETCHING_H

#include "exec/warp.h"

/* Into the second level: more lines can be on their way there than to the first (twice as many on
 * the processor that this was tried on), and who asks for more of the first has to wait. Lines that
 * are a power of two apart share a part of the second level, which such requests then leave out:
 * into the first. */
#define IFL_FETCH(place) __builtin_prefetch((const void *)(place), 0, 2)
#define IFL_FETCH_EVEN(place) __builtin_prefetch((const void *)(place), 0, 3)

static inline uint64_t ifl_index_of(uintptr_t indices, unsigned bytes, unsigned lane)
{
    return bytes == 8 ? ((const uint64_t *)indices)[lane]
                      : (uint64_t)(int64_t)((const int32_t *)indices)[lane];
}

static inline void ifl_fetch_some(ifl_worker *worker)
{
    enum { SOME = 8 };
    ifl_fetching *f = &worker->fetching;
    if (!f->lanes)
        return;
    f->lanes -= SOME;
    for (unsigned i = f->lanes, end = i + SOME; i < end; i++) {
        const uintptr_t place = f->to + (ifl_index_of(f->indices, f->bytes, i) << f->shift);
        if (f->is_even)
            IFL_FETCH_EVEN(place);
        else
            IFL_FETCH(place);
    }
}

#endif
