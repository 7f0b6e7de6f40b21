/* SPDX-License-Identifier: Apache-2.0
 * Bringing into this machine's caches what requests will ask for. Nothing here changes what a launch
 * does. Compiled for each vector width. */
#ifndef IFL_EXEC_WIDTH_FETCH_H
#define IFL_EXEC_WIDTH_FETCH_H

#include "exec/fetching.h"
#include "exec/width/dispatch.h"

/* Where lanes are side by side, so are warps: what those some warps later want is fetched for
 * them. */
IFL_INLINE void fetch_later(const char *here, uint64_t bytes)
{
    enum { HOST_LINE = 64, WARPS_AHEAD = 16 };
    const char *later = here + WARPS_AHEAD * bytes;
    for (uint64_t b = 0; b < bytes; b += HOST_LINE)
        __builtin_prefetch(later + b);
}

/* ---- x[index[i]] ----------------------------------------------------------------------------- */

IFL_INLINE bool lane_fits(uintptr_t indices, unsigned bytes, unsigned shift,
                          const uint64_t *address, unsigned lane)
{
    return (ifl_index_of(indices, bytes, lane) - ifl_index_of(indices, bytes, 0)) << shift ==
           address[lane] - address[0];
}

static bool all_fit(uintptr_t indices, unsigned bytes, unsigned shift, const uint64_t *address)
{
    unsigned lane = 1;
    while (lane < IFL_WARP_LANES && lane_fits(indices, bytes, shift, address, lane))
        lane++;
    return lane == IFL_WARP_LANES;
}

IFL_INLINE void note_loaded(ifl_hint *hint, uintptr_t at, unsigned bytes)
{
    hint->side_by_side = at;
    hint->side_by_side_bytes = (uint8_t)bytes;
}

/* Looks for the instruction that loaded what this one's addresses are made of: one of those before
 * it. */
static __attribute__((noinline)) void find_indices(const ifl_worker *worker, uint32_t site,
                                                   const uint64_t *address)
{
    enum { BEFORE = 64, MOST_SHIFT = 5 };
    ifl_hint *own = &worker->hint[site];
    for (uint32_t d = 1; d <= BEFORE && d <= site; d++) {
        const ifl_hint *loads = &worker->hint[site - d];
        for (unsigned shift = 0; loads->side_by_side && shift <= MOST_SHIFT; shift++)
            if (all_fit(loads->side_by_side, loads->side_by_side_bytes, shift, address)) {
                own->indices = loads->side_by_side;
                own->indices_from = site - d;
                own->index_shift = (uint8_t)shift;
                return;
            }
    }
}

/* The next request's addresses are taken to lie as far behind these as these behind the last one's,
 * if that is as far as it was before. */
IFL_INLINE bool fetch_step(ifl_worker *worker, ifl_hint *own, uintptr_t base,
                           const uint64_t *address)
{
    enum { HOST_LINE = 64 };
    const uint64_t step = address[0] - own->first;
    const bool is_again = step == own->step;
    own->first = address[0];
    own->step = step;
    if (is_again && step + HOST_LINE > 2 * HOST_LINE)
        worker->fetching = (ifl_fetching){.to = base + step,
                                          .indices = (uintptr_t)address,
                                          .bytes = sizeof *address,
                                          .lanes = IFL_WARP_LANES,
                                          .is_even = true};
    return is_again;
}

/* Likewise the indices that its addresses come from. */
static __attribute__((noinline)) bool fetch_indexed(ifl_worker *worker, uint32_t site,
                                                    uintptr_t base, const uint64_t *address)
{
    ifl_hint *own = &worker->hint[site];
    if (!own->indices) {
        /* Ever more rarely where none are found. */
        const uint32_t count = ++own->searches;
        if (!(count & (count - 1)))
            find_indices(worker, site, address);
        return false;
    }
    const ifl_hint *loads = &worker->hint[own->indices_from];
    const unsigned bytes = loads->side_by_side_bytes, shift = own->index_shift;
    const uintptr_t indices = loads->side_by_side, next = indices + (indices - own->indices);
    if (!indices || !lane_fits(indices, bytes, shift, address, IFL_WARP_LANES - 1)) {
        own->indices = 0;
        return false;
    }
    const bool was_done = indices == own->next_indices;
    const ifl_allocation *in = loads->allocation;
    own->indices = indices;
    if (next == indices ||
        next - (uintptr_t)in->host > in->bytes - (uint64_t)bytes * IFL_WARP_LANES)
        return was_done;
    own->next_indices = next;
    worker->fetching =
        (ifl_fetching){.to = base + address[0] - (ifl_index_of(indices, bytes, 0) << shift),
                       .indices = next,
                       .bytes = (uint8_t)bytes,
                       .shift = (uint8_t)shift,
                       .lanes = IFL_WARP_LANES};
    return was_done;
}

/* Lanes that lie apart miss this machine's caches. What the next request asks for comes while the
 * warps run that are before it; what could not be foreseen while the observers look at the
 * request. `base` plus an address is a host address. */
IFL_INLINE void fetch_apart(ifl_worker *worker, uint32_t site, uintptr_t base,
                            const uint64_t *address, uint64_t extent, uint32_t mask)
{
    enum { FAR = 128 * 1024 };
    if (mask == IFL_ALL_LANES && (fetch_step(worker, &worker->hint[site], base, address) ||
                                  (extent >= FAR && fetch_indexed(worker, site, base, address))))
        return;
    if (extent >= FAR)
        for (; mask; mask &= mask - 1)
            IFL_FETCH(base + address[__builtin_ctz(mask)]);
}

#endif
