/* SPDX-License-Identifier: Apache-2.0
 * How many sets a cache has, and which set a line belongs to. */
#ifndef IFL_CACHE_SET_SHAPE_H
#define IFL_CACHE_SET_SHAPE_H

#include <stdint.h>

/* Sets of about `ways` lines, so that all have `lines` together but for rounding: of few sets no
 * line may be lost. */
typedef struct ifl_set_shape {
    uint32_t sets, ways;
} ifl_set_shape;

ifl_set_shape ifl_set_shape_of(uint32_t lines, uint32_t ways);

/* Lines in a row are spread evenly over the sets. `place` is ifl_line_place of the line, and
 * only every 2^share-th line comes: those whose place begins with `share` zeros. */
static inline uint32_t ifl_set_of(uint64_t place, uint32_t share, uint32_t sets)
{
    return (uint32_t)((place << share >> 32) * sets >> 32);
}

#endif
