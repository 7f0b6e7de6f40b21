/* SPDX-License-Identifier: Apache-2.0
 * Do the 32 lanes of a request lie side by side? That is found out from the registers that hold the
 * addresses, without making the addresses. Compiled for each vector width. */
#ifndef IFL_EXEC_WIDTH_SIDE_BY_SIDE_H
#define IFL_EXEC_WIDTH_SIDE_BY_SIDE_H

#include "exec/width/dispatch.h"

enum { LAST_LANE = IFL_WARP_LANES - 1 };

/* Is lane i at `base` + i * 2^shift? Asked of the last lane first: of most requests that are not
 * side by side it tells. */
#define SIDE_BY_SIDE(name, type)                                                                   \
    IFL_INLINE bool name(const type *a, unsigned shift)                                            \
    {                                                                                              \
        const type first = a[0];                                                                   \
        type differs = 0;                                                                          \
        if (a[LAST_LANE] - first != (type)LAST_LANE << shift)                                      \
            return false;                                                                          \
        _Pragma("omp simd reduction(|:differs)") IFL_EACH_LANE(i) differs |=                       \
            (a[i] - first) ^ (type)i << shift;                                                     \
        return !differs;                                                                           \
    }
SIDE_BY_SIDE(words_side_by_side, uint32_t)
SIDE_BY_SIDE(numbers_side_by_side, uint64_t)
#undef SIDE_BY_SIDE

/* The same of numbers whose upper words are in the next register: those are then one and the same,
 * unless the lower ones pass 2^32, which this does not go into. */
IFL_INLINE bool pairs_side_by_side(const uint32_t *low, unsigned shift)
{
    const uint32_t first = low[0], *high = low + IFL_WARP_LANES, above = high[0];
    const uint32_t last = (uint32_t)LAST_LANE << shift;
    uint32_t differs = 0;
    if (low[LAST_LANE] - first != last || first > UINT32_MAX - last)
        return false;
    _Pragma("omp simd reduction(|:differs)") IFL_EACH_LANE(i) differs |=
        ((low[i] - first) ^ (uint32_t)i << shift) | (high[i] ^ above);
    return !differs;
}

/* Of all 32 lanes of a request: true where each is at *first + i * bytes. `add`: to every address.
 * False also where that is not easily seen. */
IFL_INLINE bool lies_side_by_side(const ifl_transfer *t, const char *frame, ifl_address_form form,
                                  unsigned shift, uint64_t add, uint64_t *first)
{
    const uint32_t *word = (const uint32_t *)(const void *)(frame + t->address);
    const uint64_t *number = (const uint64_t *)(const void *)(frame + t->address);
    switch (form) {
    case IFL_ADDRESS_64:
        *first = number[0] + add;
        return numbers_side_by_side(number, shift);
    case IFL_ADDRESS_PAIR:
        *first = (word[0] | (uint64_t)word[IFL_WARP_LANES] << 32) + add;
        return pairs_side_by_side(word, shift);
    default:
        /* 32-bit addresses wrap at 32 bits: not in these. */
        *first = (uint32_t)(word[0] + (uint32_t)add);
        return *first <= UINT32_MAX - ((uint32_t)LAST_LANE << shift) &&
               words_side_by_side(word, shift);
    }
}

#endif
