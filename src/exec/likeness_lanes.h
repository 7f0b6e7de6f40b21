/* SPDX-License-Identifier: Apache-2.0
 * Requests of an instruction that are like earlier ones: an observer then knows already what one
 * asks for. Most instructions have few layouts (a row of a block, a stride), each many times; where
 * rows of an odd length are dealt out to warps, as many as there are lanes that a row can end at.
 * Compiled for each vector width, and once for what is rare. */
#ifndef IFL_EXEC_LIKENESS_LANES_H
#define IFL_EXEC_LIKENESS_LANES_H

#include "exec/warp.h"

typedef struct ifl_layout_seen {
    uint64_t number;
    uint32_t mask;
    uint8_t kind, space, bytes;
    uint64_t distance[IFL_WARP_LANES]; /* of the active lanes from the first of them */
} ifl_layout_seen;

enum { IFL_LAYOUTS = IFL_WARP_LANES };

struct ifl_likenesses {
    uint32_t last;      /* layout of the last request */
    uint32_t count;     /* layouts seen */
    uint32_t room;      /* one, until there is a second */
    uint32_t strangers; /* requests in a row that were like none */
    uint32_t hash[IFL_LAYOUTS];
    ifl_layout_seen seen[];
};

/* Has the request, with an active lane, this layout? Lanes that are not active do not matter. */
static inline bool ifl_is_like(const ifl_layout_seen *seen, const ifl_access *access)
{
    if (seen->mask != access->mask || seen->kind != access->kind || seen->space != access->space ||
        seen->bytes != access->bytes)
        return false;
    const uint64_t *address = access->address, first = address[__builtin_ctz(access->mask)];
    uint64_t differs = 0;
    if (access->mask == UINT32_MAX) {
        if (address[1] - first != seen->distance[1])
            return false;
        _Pragma("omp simd reduction(|:differs)") for (int i = 0; i < IFL_WARP_LANES; i++) differs |=
            (address[i] - first) ^ seen->distance[i];
        return !differs;
    }
    _Pragma("omp simd reduction(|:differs)") for (int i = 0; i < IFL_WARP_LANES; i++) differs |=
        access->mask >> i & 1 ? (address[i] - first) ^ seen->distance[i] : 0;
    return !differs;
}

/* A sum of the distances, each by a number of its lane's own. */
static inline uint32_t ifl_layout_hash(const ifl_access *access)
{
    enum { ODD = 0x9e3779b1 & 0x7fffffff, STEP = 0x3c6ef362 & 0x7fffffff };
    const uint64_t *address = access->address;
    const uint32_t mask = access->mask, first = (uint32_t)address[__builtin_ctz(mask)];
    uint32_t sum = mask * UINT32_C(0x85ebca6b);
    _Pragma("omp simd reduction(+:sum)") for (uint32_t i = 0; i < IFL_WARP_LANES; i++) sum +=
        (mask >> i & 1) * ((uint32_t)address[i] - first) * (ODD + i * STEP);
    return sum;
}

/* The layout with this hash; `count`: none. */
static inline uint32_t ifl_layout_find(const ifl_likenesses *known, uint32_t hash,
                                       const ifl_access *access)
{
    uint32_t i = 0;
    while (i < known->count && !(known->hash[i] == hash && ifl_is_like(&known->seen[i], access)))
        i++;
    return i;
}

/* Becomes the layout of the last request, under a new number. */
static inline void ifl_layout_remember(ifl_layout_seen *to, const ifl_access *access,
                                       uint64_t number)
{
    const uint64_t *address = access->address, first = address[__builtin_ctz(access->mask)];
    to->number = number;
    to->mask = access->mask;
    to->kind = access->kind;
    to->space = access->space;
    to->bytes = access->bytes;
    _Pragma("omp simd") for (int i = 0; i < IFL_WARP_LANES; i++) to->distance[i] =
        address[i] - first;
}

/* Where a layout is kept that is seen for the first time: in place of the oldest where there is no
 * room. */
static inline ifl_layout_seen *ifl_layout_place(ifl_likenesses *known, uint32_t hash)
{
    known->last = known->count < known->room ? known->count++ : (known->last + 1) % known->room;
    known->hash[known->last] = hash;
    return &known->seen[known->last];
}

/* The number of a request unlike the last one of its instruction; 0: it is like none. Where that
 * goes on, as with scattered addresses, they are no longer looked through. */
static inline uint64_t ifl_likeness_find(ifl_worker *worker, ifl_likenesses **of,
                                         const ifl_access *access)
{
    enum { MOST_STRANGERS = 2 * IFL_LAYOUTS };
    ifl_likenesses *known = *of;
    uint32_t hash = 0;
    if (known->strangers < MOST_STRANGERS) {
        hash = ifl_layout_hash(access);
        const uint32_t found = ifl_layout_find(known, hash, access);
        if (found < known->count) {
            known->last = found;
            known->strangers = 0;
            return known->seen[found].number;
        }
        known->strangers++;
        known = ifl_likenesses_widen(of);
        ifl_layout_remember(ifl_layout_place(known, hash), access, ++worker->likenesses);
    } else {
        ifl_layout_remember(&known->seen[known->last], access, ++worker->likenesses);
    }
    return 0;
}

#endif
