/* SPDX-License-Identifier: Apache-2.0
 * The slice of the L2 that a sector is in. Where addresses go is not published: 256 bytes each are
 * placed by chance, as evenly as an H200 shows. Knows numbers only. */
#ifndef IFL_COUNT_SLICE_H
#define IFL_COUNT_SLICE_H

#include "arch/atomics.h"

#include <stdint.h>

/* For what is done where a sector is at home: atomics and stores. Less than IFL_L2_SLICES. */
uint32_t ifl_slice_of(uint64_t sector);
/* For loads, which each SM asks the nearer half of the L2 for. Less than IFL_HALF_SLICES. */
uint32_t ifl_half_slice_of(uint64_t sector);
/* What the busiest of so many gets. */
uint64_t ifl_slice_busiest(const uint64_t *slices, uint32_t count);

#endif
