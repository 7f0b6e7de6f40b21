/* SPDX-License-Identifier: Apache-2.0
 * The layout of the addresses of one request: the address patterns of document 004, from one
 * request alone. Knows addresses only; patterns over several requests are in pattern.c. */
#ifndef IFL_COUNT_LAYOUT_H
#define IFL_COUNT_LAYOUT_H

#include "count/footprint.h"
#include "profile/profile.h"

typedef struct ifl_layout {
    ifl_pattern_kind kind; /* COALESCED, BROADCAST, OFFSET, STRIDED, ROWS or IRREGULAR */
    int64_t
        stride;    /* STRIDED: bytes from a lane to the next, or from run to run of one word each */
    uint64_t base; /* STRIDED: where lane 0 is, or would be */
} ifl_layout;

/* The request must have an active lane. The rules, the first that fits:
 *   broadcast  every active lane has the same address
 *   coalesced  neighbouring lanes on neighbouring words, up or down, inactive lanes left out,
 *              and no more sectors than a span of that length needs; shared memory: wherever
 *              it starts
 *   offset     the same, but a sector more
 *   strided    a constant distance of more than a word, inactive lanes left out
 *   coalesced  permuted: no more sectors than the distinct bytes need, and these side by side
 *   offset     permuted words that fill a span, but a sector more
 *   coalesced  equal runs of neighbouring words at a constant distance (the rows of a 2D or 3D
 *              block), sectors ideal
 *   rows       the same, but more sectors than that
 *   strided    equal runs at a constant distance, the lanes of a run on one word, or more than a
 *              word apart
 *   irregular  all else */
ifl_layout ifl_layout_of(ifl_lookup *lookup, const ifl_access *access);

#endif
