/* SPDX-License-Identifier: Apache-2.0
 * See fold_rows.h. Items are sorted so that those of a row, and rows that may become one, stand
 * side by side. */
#include "standin/fold_rows.h"

#include "base/figure.h"

#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS = 3, MOST_GRIDS = 3 };

/* ---- rows ------------------------------------------------------------------------------------ */

static int compare_sizes(const uint32_t *a, const uint32_t *b)
{
    for (int i = 0; i < DIMENSIONS; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int compare_but_for_grid(const ifl_fold_item *a, const ifl_fold_item *b)
{
    int order = a->signature == b->signature ? 0 : strcmp(a->signature, b->signature);
    if (!order)
        order = a->site == b->site ? 0 : strcmp(a->site, b->site);
    return order ? order : compare_sizes(a->block, b->block);
}

static int compare(const void *a, const void *b)
{
    const ifl_fold_item *x = a, *y = b;
    int order = compare_but_for_grid(x, y);
    if (!order)
        order = compare_sizes(x->grid, y->grid);
    return order ? order : x->index < y->index ? -1 : x->index > y->index;
}

static bool is_same_grid(const ifl_fold_item *a, const ifl_fold_item *b)
{
    return compare_sizes(a->grid, b->grid) == 0;
}

static size_t grids_of(const ifl_fold_item *items, size_t count)
{
    size_t grids = count ? 1 : 0;
    for (size_t i = 1; i < count; i++)
        grids += !is_same_grid(&items[i - 1], &items[i]);
    return grids;
}

static void make_row(const ifl_fold_item *items, size_t count, size_t *row)
{
    size_t first = items[0].index;
    for (size_t i = 1; i < count; i++)
        first = items[i].index < first ? items[i].index : first;
    for (size_t i = 0; i < count; i++)
        row[items[i].index] = first;
}

/* Of items that differ in nothing but their grid. */
static void make_rows(const ifl_fold_item *items, size_t count, size_t *row)
{
    if (grids_of(items, count) > MOST_GRIDS) {
        make_row(items, count, row);
        return;
    }
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && is_same_grid(&items[i], &items[end]); end++)
            continue;
        make_row(items + i, end - i, row);
    }
}

void ifl_fold_rows(ifl_fold_item *items, size_t count, size_t *row)
{
    if (count)
        qsort(items, count, sizeof *items, compare);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && compare_but_for_grid(&items[i], &items[end]) == 0; end++)
            continue;
        make_rows(items + i, end - i, row);
    }
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static double blocks_of(const uint32_t *grid)
{
    return (double)grid[0] * grid[1] * grid[2];
}

ifl_grid_span ifl_grid_span_of(const uint32_t grid[3])
{
    ifl_grid_span span;
    memcpy(span.least, grid, sizeof span.least);
    memcpy(span.most, grid, sizeof span.most);
    return span;
}

void ifl_grid_span_add(ifl_grid_span *span, const ifl_grid_span *other)
{
    if (blocks_of(other->least) < blocks_of(span->least))
        memcpy(span->least, other->least, sizeof span->least);
    if (blocks_of(other->most) > blocks_of(span->most))
        memcpy(span->most, other->most, sizeof span->most);
}

const char *ifl_grid_span_text(ifl_arena *arena, const ifl_grid_span *span)
{
    const ifl_figure least = ifl_figure_size(span->least), most = ifl_figure_size(span->most);
    return compare_sizes(span->least, span->most) == 0
               ? ifl_arena_printf(arena, "%s", least.text)
               : ifl_arena_printf(arena, "%s to %s", least.text, most.text);
}
