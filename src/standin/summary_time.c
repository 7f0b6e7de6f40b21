/* SPDX-License-Identifier: Apache-2.0
 * See summary_time.h. Launches of one kernel are one row, or a row for each block and each of a few
 * grids (fold_rows.h), wherever they were made. */
#include "standin/summary_time.h"

#include "base/figure.h"
#include "base/short_name.h"
#include "session/kernel_name.h"
#include "standin/fold_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 90, MOST_ROWS = 40 };

static const char *size_of(ifl_arena *arena, const uint32_t size[3])
{
    return ifl_arena_printf(arena, "%s", ifl_figure_size(size).text);
}

static const char *time_of(ifl_arena *arena, double us)
{
    return ifl_arena_printf(arena, "%s", ifl_figure_time(us, IFL_PREDICTED_DIGITS).text);
}

const char *ifl_summary_place(ifl_arena *arena, const char *site)
{
    const char *object = strrchr(site, '('), *name = program_invocation_short_name;
    const size_t bytes = strlen(name);
    const bool is_own = object && object > site && object[-1] == ' ' &&
                        strncmp(object + 1, name, bytes) == 0 &&
                        strcmp(object + 1 + bytes, ")") == 0;
    return is_own ? ifl_arena_text(arena, site, (size_t)(object - 1 - site)) : site;
}

static bool is_wanted(const ifl_launch_group *group, const char *only)
{
    return !only || ifl_kernel_is(NULL, group->signature, only);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static const ifl_column kernel_columns[] = {
    {.head = {"kernel", NULL}},
    {.head = {"share", NULL}, .right = true},
    {.head = {"total", NULL}, .right = true},
    {.head = {"launches", NULL}, .right = true},
    {.head = {"average", NULL}, .right = true},
    {.head = {"least", NULL}, .right = true, .page_width = WIDE},
    {.head = {"most", NULL}, .right = true, .page_width = WIDE},
    {.head = {"grid", NULL}, .right = true},
    {.head = {"block", NULL}, .right = true},
};

typedef struct kernel_row {
    const char *signature;
    const uint32_t *block;
    ifl_grid_span grids;
    uint64_t launches; /* 0: a part of another row */
    double total_us, least_us, most_us;
} kernel_row;

static void add_group(kernel_row *row, const ifl_launch_group *group)
{
    const ifl_grid_span grid = ifl_grid_span_of(group->grid);
    if (!row->launches)
        *row = (kernel_row){.signature = group->signature,
                            .block = group->block,
                            .grids = grid,
                            .least_us = group->least_us};
    ifl_grid_span_add(&row->grids, &grid);
    row->launches += group->launches;
    row->total_us += group->total_us;
    row->least_us = group->least_us < row->least_us ? group->least_us : row->least_us;
    row->most_us = group->most_us > row->most_us ? group->most_us : row->most_us;
}

/* Longest first; those that take as long in the order of their first launches, which is that of the
 * array. */
static void add_sorted(kernel_row *list, size_t *count, const kernel_row *row)
{
    size_t at = *count;
    for (; at > 0 && list[at - 1].total_us < row->total_us; at--)
        list[at] = list[at - 1];
    list[at] = *row;
    ++*count;
}

/* Into `rows`, at the first of each row. */
static bool add_groups(const char *only, kernel_row *rows)
{
    size_t group_count, count = 0;
    const ifl_launch_group *groups = ifl_launch_groups(&group_count);
    ifl_fold_item *items = calloc(group_count + 1, sizeof *items);
    size_t *row = calloc(group_count + 1, sizeof *row);
    const bool has_memory = items && row;
    for (size_t i = 0; has_memory && i < group_count; i++)
        if (is_wanted(&groups[i], only))
            items[count++] = (ifl_fold_item){.signature = groups[i].signature,
                                             .site = "",
                                             .grid = groups[i].grid,
                                             .block = groups[i].block,
                                             .index = i};
    if (has_memory)
        ifl_fold_rows(items, count, row);
    for (size_t i = 0; has_memory && i < group_count; i++)
        if (is_wanted(&groups[i], only))
            add_group(&rows[row[i]], &groups[i]);
    free(items);
    free(row);
    return has_memory;
}

/* NULL without memory; for free(). */
static kernel_row *kernels_by_time(const char *only, size_t *count, double *total_us)
{
    size_t group_count;
    ifl_launch_groups(&group_count);
    kernel_row *sorted = calloc(2 * group_count + 1, sizeof *sorted);
    *count = 0;
    *total_us = 0;
    if (!sorted || !add_groups(only, sorted + group_count)) {
        free(sorted);
        return NULL;
    }
    const kernel_row *rows = sorted + group_count;
    for (size_t i = 0; i < group_count; i++)
        if (rows[i].launches) {
            add_sorted(sorted, count, &rows[i]);
            *total_us += rows[i].total_us;
        }
    return sorted;
}

/* Into names[]; false without memory. */
static bool name_rows(ifl_arena *arena, const kernel_row *rows, size_t count, const char **names)
{
    const char *signatures[MOST_ROWS];
    for (size_t i = 0; i < count; i++)
        signatures[i] = rows[i].signature;
    return ifl_short_names(arena, signatures, count, names);
}

static const char *share_text(ifl_arena *arena, double us, double total_us)
{
    const double percent = total_us > 0 ? 100 * us / total_us : 0, least = 0.05;
    return percent > 0 && percent < least ? "<0.1 %" : ifl_arena_printf(arena, "%.1f %%", percent);
}

static void add_kernel(ifl_page *page, ifl_table *table, const kernel_row *kernel, const char *name,
                       double total_us)
{
    ifl_arena *arena = &page->arena;
    const ifl_row row = {
        .cell = {name, share_text(arena, kernel->total_us, total_us),
                 time_of(arena, kernel->total_us),
                 ifl_arena_printf(arena, "%s", ifl_figure_count(kernel->launches).text),
                 time_of(arena, kernel->total_us / (double)kernel->launches),
                 time_of(arena, kernel->least_us), time_of(arena, kernel->most_us),
                 ifl_grid_span_text(arena, &kernel->grids), size_of(arena, kernel->block)}};
    ifl_table_add(page, table, &row);
}

/* What the table has no row for. */
static void print_rest(ifl_page *page, const kernel_row *rows, size_t count, double total_us)
{
    double us = 0;
    for (size_t i = 0; i < count; i++)
        us += rows[i].total_us;
    if (count)
        fprintf(page->out, "  and %s of less time, %s%s\n",
                ifl_figure_counted(count, "further row").text,
                ifl_page_kept(page, share_text(&page->arena, us, total_us)),
                count > 1 ? " together" : "");
}

void ifl_summary_kernels(ifl_page *page, const char *only)
{
    ifl_table table = {.columns = kernel_columns,
                       .column_count = sizeof kernel_columns / sizeof *kernel_columns,
                       .indent = 2};
    const char *names[MOST_ROWS];
    size_t count;
    double total_us;
    kernel_row *kernels = kernels_by_time(only, &count, &total_us);
    const size_t shown = count < MOST_ROWS ? count : MOST_ROWS;
    const bool is_named = kernels && name_rows(&page->arena, kernels, shown, names);
    page->no_memory |= !is_named;
    for (size_t i = 0; is_named && i < shown; i++)
        add_kernel(page, &table, &kernels[i], names[i], total_us);
    ifl_table_print(page, &table);
    if (is_named)
        print_rest(page, kernels + shown, count - shown, total_us);
    ifl_page_paragraph(page, 2, 2, IFL_STYLE_PLAIN,
                       "Times are predicted; a launch that was not modelled takes the time of the "
                       "last one like it, scaled by their counters, or, if no launch of the "
                       "kernel was, the time that it took here.");
    ifl_page_gap(page);
    free(kernels);
}

/* ---- each launch ----------------------------------------------------------------------------- */

static const ifl_column each_columns[] = {
    {.head = {"launch", NULL}, .right = true}, {.head = {"kernel", NULL}},
    {.head = {"time", NULL}, .right = true},   {.head = {"grid", NULL}, .right = true},
    {.head = {"block", NULL}, .right = true},  {.head = {"launched from", NULL}},
};

/* Of groups, in their order; NULL without memory. */
static const char **names_of(ifl_arena *arena, const ifl_launch_group *groups, size_t count)
{
    const char **names = ifl_arena_alloc(arena, 2 * (count + 1) * sizeof *names);
    for (size_t i = 0; names && i < count; i++)
        names[count + i] = groups[i].signature;
    return names && ifl_short_names(arena, names + count, count, names) ? names : NULL;
}

void ifl_summary_each(ifl_page *page, const char *only)
{
    ifl_table table = {.columns = each_columns,
                       .column_count = sizeof each_columns / sizeof *each_columns,
                       .told_apart = 1u << (sizeof each_columns / sizeof *each_columns - 1),
                       .indent = 2};
    size_t count, group_count;
    const ifl_launch_note *notes = ifl_launch_notes(&count);
    const ifl_launch_group *groups = ifl_launch_groups(&group_count);
    ifl_arena *arena = &page->arena;
    const char **names = count ? names_of(arena, groups, group_count) : NULL;
    page->no_memory |= count && !names;
    if (!names)
        return;
    ifl_page_heading(page, "Each launch, in order");
    for (size_t i = 0; i < count; i++) {
        const ifl_launch_group *group = &groups[notes[i].group];
        const ifl_row row = {.cell = {ifl_arena_printf(arena, "%zu", i + 1), names[notes[i].group],
                                      time_of(arena, notes[i].us), size_of(arena, group->grid),
                                      size_of(arena, group->block),
                                      ifl_summary_place(arena, group->site)}};
        if (is_wanted(group, only))
            ifl_table_add(page, &table, &row);
    }
    ifl_table_print(page, &table);
}

const ifl_report_launch *ifl_summary_launches(ifl_page *page, const char *only, size_t *count)
{
    size_t all, group_count;
    const ifl_launch_note *notes = ifl_launch_notes(&all);
    const ifl_launch_group *groups = ifl_launch_groups(&group_count);
    ifl_report_launch *list = all ? ifl_arena_alloc(&page->arena, all * sizeof *list) : NULL;
    page->no_memory |= all && !list;
    *count = 0;
    for (size_t i = 0; list && i < all; i++) {
        const ifl_launch_group *group = &groups[notes[i].group];
        ifl_report_launch launch = {
            .signature = group->signature, .site = group->site, .time_us = notes[i].us};
        memcpy(launch.grid, group->grid, sizeof launch.grid);
        memcpy(launch.block, group->block, sizeof launch.block);
        if (is_wanted(group, only))
            list[(*count)++] = launch;
    }
    return list;
}

double ifl_summary_total(const char *signature, const char *site, const uint32_t grid[3],
                         const uint32_t block[3])
{
    size_t count;
    double total_us = 0;
    const ifl_launch_group *groups = ifl_launch_groups(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(groups[i].signature, signature) == 0 && strcmp(groups[i].site, site) == 0 &&
            memcmp(groups[i].grid, grid, sizeof groups[i].grid) == 0 &&
            memcmp(groups[i].block, block, sizeof groups[i].block) == 0)
            total_us += groups[i].total_us;
    return total_us;
}
