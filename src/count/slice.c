/* SPDX-License-Identifier: Apache-2.0
 * The rule of slice.h. */
#include "count/slice.h"

#include "base/digest.h"

enum {
    PAIR_SECTORS = 4 * IFL_SLICE_SECTORS, /* pieces of 256 bytes take turns in two slices */
    ROW = 16,                             /* pairs that 16 KiB in a row go to */
    ROWS = IFL_L2_SLICES / 2 / ROW        /* the next 16 KiB to others, until all had one */
};

/* Of rows of so many pairs, beginning anywhere. */
static uint32_t slice_in_rows(uint64_t sector, uint32_t pairs)
{
    const uint64_t piece = sector / IFL_SLICE_SECTORS, pair = sector / PAIR_SECTORS,
                   row = pair / ROW, of_row = ifl_hash_number(row),
                   of_rows = ifl_hash_number(row / ROWS);
    const uint64_t first = (row + of_rows) % ROWS, at = (pair + of_row) % pairs;
    return (uint32_t)(2 * (at * ROWS + first) + ((piece ^ of_row >> 32 ^ pair) & 1));
}

uint32_t ifl_slice_of(uint64_t sector)
{
    return slice_in_rows(sector, ROW);
}

/* Measured (tools/gpu/hot_load_probe.cu, H200): words at random of 1 KiB are served as if by 2 slices
 * of each half, of 4 KiB by 7, of 16 KiB by 15 and of 64 KiB by 34 of the 48. */
uint32_t ifl_half_slice_of(uint64_t sector)
{
    return slice_in_rows(sector, ROW / 2);
}

uint64_t ifl_slice_busiest(const uint64_t *slices, uint32_t count)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = slices[i] > most ? slices[i] : most;
    return most;
}
