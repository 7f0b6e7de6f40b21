/* SPDX-License-Identifier: Apache-2.0
 * Requests of an instruction that are like its last one: an observer then knows already what one
 * asks for. Most instructions have few layouts (a row of a block, a stride), each many times.
 * Compiled for each vector width, and once for what is rare. */
#ifndef IFL_EXEC_LIKENESS_LANES_H
#define IFL_EXEC_LIKENESS_LANES_H

#include "exec/warp.h"

struct ifl_likeness {
    uint64_t number;
    uint32_t mask;
    uint8_t kind, space, bytes;
    uint64_t distance[IFL_WARP_LANES]; /* of the active lanes from the first of them */
};

/* Has the request, with an active lane, the layout of the last one? Lanes that are not active do
 * not matter. */
static inline bool ifl_is_like(const ifl_likeness *last, const ifl_access *access)
{
    if (last->mask != access->mask || last->kind != access->kind || last->space != access->space ||
        last->bytes != access->bytes)
        return false;
    const uint64_t *address = access->address, first = address[__builtin_ctz(access->mask)];
    uint64_t differs = 0;
    if (access->mask == UINT32_MAX) {
        if (address[1] - first != last->distance[1])
            return false;
        _Pragma("omp simd reduction(|:differs)") for (int i = 0; i < IFL_WARP_LANES; i++) differs |=
            (address[i] - first) ^ last->distance[i];
        return !differs;
    }
    _Pragma("omp simd reduction(|:differs)") for (int i = 0; i < IFL_WARP_LANES; i++) differs |=
        access->mask >> i & 1 ? (address[i] - first) ^ last->distance[i] : 0;
    return !differs;
}

/* The layout of a request becomes that of the last one, under a new number. */
static inline void ifl_likeness_remember(ifl_likeness *last, const ifl_access *access,
                                         uint64_t number)
{
    const uint64_t *address = access->address, first = address[__builtin_ctz(access->mask)];
    last->number = number;
    last->mask = access->mask;
    last->kind = access->kind;
    last->space = access->space;
    last->bytes = access->bytes;
    _Pragma("omp simd") for (int i = 0; i < IFL_WARP_LANES; i++) last->distance[i] =
        address[i] - first;
}

#endif
