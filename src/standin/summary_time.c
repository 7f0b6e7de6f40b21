/* SPDX-License-Identifier: Apache-2.0
 * See summary_time.h. Rows of one kernel with the same grid and block are one, wherever they were
 * launched from. */
#include "standin/summary_time.h"

#include "base/figure.h"
#include "base/short_name.h"
#include "session/kernel_name.h"

#include <stdlib.h>
#include <string.h>

enum { WIDE = 90, MOST_ROWS = 40 };

const char *ifl_summary_size(ifl_arena *arena, const uint32_t size[3])
{
    const ifl_figure x = ifl_figure_count(size[0]), y = ifl_figure_count(size[1]),
                     z = ifl_figure_count(size[2]);
    return size[2] > 1   ? ifl_arena_printf(arena, "%s×%s×%s", x.text, y.text, z.text)
           : size[1] > 1 ? ifl_arena_printf(arena, "%s×%s", x.text, y.text)
                         : ifl_arena_printf(arena, "%s", x.text);
}

static const char *time_of(ifl_arena *arena, double us)
{
    return ifl_arena_printf(arena, "%s", ifl_figure_time(us, IFL_PREDICTED_DIGITS).text);
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

static bool is_same_kernel(const ifl_launch_group *a, const ifl_launch_group *b)
{
    return strcmp(a->signature, b->signature) == 0 &&
           memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0;
}

static void merge(ifl_launch_group *into, const ifl_launch_group *from)
{
    into->launches += from->launches;
    into->total_us += from->total_us;
    into->least_us = from->least_us < into->least_us ? from->least_us : into->least_us;
    into->most_us = from->most_us > into->most_us ? from->most_us : into->most_us;
}

/* Longest first; those that take as long in the order of their first launches, which is that of the
 * array. */
static void add_sorted(ifl_launch_group *list, size_t *count, const ifl_launch_group *group)
{
    size_t at = *count;
    for (; at > 0 && list[at - 1].total_us < group->total_us; at--)
        list[at] = list[at - 1];
    list[at] = *group;
    ++*count;
}

/* NULL without memory; for free(). */
static ifl_launch_group *kernels_by_time(const char *only, size_t *count, double *total_us)
{
    size_t group_count, merged = 0;
    const ifl_launch_group *groups = ifl_launch_groups(&group_count);
    ifl_launch_group *all = calloc(2 * group_count + 1, sizeof *all), *sorted = all + group_count;
    *count = 0;
    for (size_t i = 0, k; all && i < group_count; i++) {
        if (!is_wanted(&groups[i], only))
            continue;
        for (k = 0; k < merged && !is_same_kernel(&all[k], &groups[i]); k++)
            continue;
        if (k < merged)
            merge(&all[k], &groups[i]);
        else
            all[merged++] = groups[i];
    }
    *total_us = 0;
    for (size_t i = 0; i < merged; i++) {
        add_sorted(sorted, count, &all[i]);
        *total_us += all[i].total_us;
    }
    if (all)
        memmove(all, sorted, *count * sizeof *all);
    return all;
}

/* Of groups, in their order; NULL without memory. */
static const char **names_of(ifl_arena *arena, const ifl_launch_group *groups, size_t count)
{
    const char **names = ifl_arena_alloc(arena, 2 * (count + 1) * sizeof *names);
    for (size_t i = 0; names && i < count; i++)
        names[count + i] = groups[i].signature;
    return names && ifl_short_names(arena, names + count, count, names) ? names : NULL;
}

static const char *share_text(ifl_arena *arena, double us, double total_us)
{
    const double percent = total_us > 0 ? 100 * us / total_us : 0, least = 0.05;
    return percent > 0 && percent < least ? "<0.1 %" : ifl_arena_printf(arena, "%.1f %%", percent);
}

static void add_kernel(ifl_page *page, ifl_table *table, const ifl_launch_group *kernel,
                       const char *name, double total_us)
{
    ifl_arena *arena = &page->arena;
    const ifl_row row = {
        .cell = {name, share_text(arena, kernel->total_us, total_us),
                 time_of(arena, kernel->total_us),
                 ifl_arena_printf(arena, "%s", ifl_figure_count(kernel->launches).text),
                 time_of(arena, kernel->total_us / (double)kernel->launches),
                 time_of(arena, kernel->least_us), time_of(arena, kernel->most_us),
                 ifl_summary_size(arena, kernel->grid), ifl_summary_size(arena, kernel->block)}};
    ifl_table_add(page, table, &row);
}

void ifl_summary_kernels(ifl_page *page, const char *only)
{
    ifl_table table = {.columns = kernel_columns,
                       .column_count = sizeof kernel_columns / sizeof *kernel_columns,
                       .indent = 2};
    size_t count;
    double total_us;
    ifl_launch_group *kernels = kernels_by_time(only, &count, &total_us);
    const size_t shown = count < MOST_ROWS ? count : MOST_ROWS;
    const char **names = kernels ? names_of(&page->arena, kernels, shown) : NULL;
    page->no_memory |= !names;
    for (size_t i = 0; names && i < shown; i++)
        add_kernel(page, &table, &kernels[i], names[i], total_us);
    ifl_table_print(page, &table);
    if (count > MOST_ROWS)
        fprintf(page->out, "  and %zu more, which take less\n", count - MOST_ROWS);
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

void ifl_summary_each(ifl_page *page, const char *only)
{
    ifl_table table = {.columns = each_columns,
                       .column_count = sizeof each_columns / sizeof *each_columns,
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
                                      time_of(arena, notes[i].us),
                                      ifl_summary_size(arena, group->grid),
                                      ifl_summary_size(arena, group->block), group->site}};
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
