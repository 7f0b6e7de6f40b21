/* SPDX-License-Identifier: Apache-2.0
 * What one request asks of the memory system: the sectors, lines, bytes and passes of its active
 * lanes, by the rules of compute capability 7.0 and later. Knows addresses only; not what counts
 * them. */
#ifndef IFL_COUNT_FOOTPRINT_H
#define IFL_COUNT_FOOTPRINT_H

#include "arch/units.h"
#include "code/alike.h"
#include "code/event.h"

enum { IFL_LOOKUP_BITS = 10, IFL_LOOKUP_SLOTS = 1 << IFL_LOOKUP_BITS };

typedef struct ifl_footprint {
    uint32_t sectors;          /* distinct sectors that a lane touches */
    uint32_t lines;            /* distinct lines */
    uint32_t useful_bytes;     /* distinct bytes */
    uint32_t asked_bytes;      /* bytes of all active lanes, one by one */
    uint32_t wavefronts;       /* passes through the L1 data stage or the shared memory banks */
    uint32_t wavefronts_ideal; /* that asked_bytes fill; never more than wavefronts */
    uint32_t merged;           /* wavefronts where lanes on one word take one pass; else as above */
} ifl_footprint;

/* A hash table from 64-bit keys to small numbers; starting afresh costs nothing. Zeroed memory
 * is an empty one. */
typedef struct ifl_lookup {
    uint32_t stamp; /* of the entries that count, in the upper 24 bits */
    uint32_t entry[IFL_LOOKUP_SLOTS];
} ifl_lookup;

/* The request must have an active lane. Alignment is not needed. */
void ifl_footprint_measure(ifl_lookup *lookup, const ifl_access *access, ifl_footprint *out);
/* The footprint, and what is of atomics only (else 0): lanes on one address go one after the other. */
typedef struct ifl_measure {
    ifl_footprint footprint;
    uint32_t serial;         /* the most active lanes that share an address */
    uint32_t passed_sectors; /* touched by each pass in turn, which has one lane of an address */
} ifl_measure;

/* `known`: what has been measured of requests that are alike. */
ifl_measure ifl_footprint_find(ifl_alike *known, ifl_lookup *lookup, const ifl_access *access);

/* The first active lane's address, which with the likeness is all that figures depend on; and
 * within its line. */
static inline uint64_t ifl_first_address(const ifl_access *access)
{
    return access->address[__builtin_ctz(access->mask)];
}

/* Are all 32 lanes active, each `*stride` bytes after the one before it? */
static inline bool ifl_is_affine(const ifl_access *access, uint64_t *stride)
{
    const uint64_t *at = access->address;
    if (access->mask != UINT32_MAX || at[2] - at[1] != at[1] - at[0])
        return false;
    uint64_t step = at[1] - at[0], differs = 0;
    for (int i = 2; i < IFL_WARP_LANES; i++)
        differs |= (at[i] - at[i - 1]) ^ step;
    *stride = step;
    return !differs;
}

/* Units of `unit` bytes that `bytes` bytes need at best. */
static inline uint32_t ifl_ideal(uint32_t bytes, uint32_t unit)
{
    return (bytes + unit - 1) / unit;
}

/* The "ideal" of Nsight Compute's source counters: the units that the active lanes' bytes fill side
 * by side, though never more than the request takes. Lanes that share a word count for each:
 * a broadcast is ideal because it takes one sector, not because it needs one
 * (tests/patterns/lanes.ptx). */
static inline uint32_t ifl_at_best(uint32_t asked_bytes, uint32_t unit, uint32_t actual)
{
    uint32_t filled = ifl_ideal(asked_bytes, unit);
    return filled < actual ? filled : actual;
}

#endif
