/* SPDX-License-Identifier: Apache-2.0
 * How much work each block of a launch did, in the order of the grid, where they differ. Plain
 * data. */
#ifndef IFL_PROFILE_BLOCK_WORK_H
#define IFL_PROFILE_BLOCK_WORK_H

#include <stdbool.h>
#include <stdint.h>

enum { IFL_WORK_SLICES = 1024 };

/* Neighbouring blocks. Work is counted in warp instructions. */
typedef struct ifl_work_slice {
    uint64_t blocks, sum, most; /* `most`: of the one that did most */
} ifl_work_slice;

/* What the slice's block of that number is taken to have done: the first one the most, and the
 * others an equal part of the rest. */
double ifl_work_slice_block(const ifl_work_slice *slice, uint64_t block);

/* Block b of n lies in slice b * min(n, IFL_WORK_SLICES) / n: with few blocks each has a slice of
 * its own. */
typedef struct ifl_block_work {
    bool known;
    uint32_t slice_count;   /* 0: all blocks did the same */
    ifl_work_slice *slices; /* in the profile's arena */
} ifl_block_work;

#endif
