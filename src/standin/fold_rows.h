/* SPDX-License-Identifier: Apache-2.0
 * Which launches of a summary are one row: those of one kernel that differ in their grid alone, as
 * those of the steps of a wavefront do, where they are more than a reader compares. */
#ifndef IFL_STANDIN_FOLD_ROWS_H
#define IFL_STANDIN_FOLD_ROWS_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

typedef struct ifl_fold_item {
    const char *signature, *site; /* "" for all sites, where rows do not tell them apart */
    const uint32_t *grid, *block;
    size_t index; /* among those of the caller */
} ifl_fold_item;

/* Puts into row[i] the first item of the row that i is in: items with the same signature, site and
 * block, and the same grid, or any where there are more than three of them. The items come out in
 * another order. */
void ifl_fold_rows(ifl_fold_item *items, size_t count, size_t *row);

/* The grids of a row. */
typedef struct ifl_grid_span {
    uint32_t least[3], most[3]; /* by their blocks */
} ifl_grid_span;

ifl_grid_span ifl_grid_span_of(const uint32_t grid[3]);
void ifl_grid_span_add(ifl_grid_span *span, const ifl_grid_span *other);
/* "4", "16×16", "1 to 64". NULL without memory. */
const char *ifl_grid_span_text(ifl_arena *arena, const ifl_grid_span *span);

#endif
