/* SPDX-License-Identifier: Apache-2.0
 * Stall reasons by Nsight Compute's names: in words the largest, in a table the source lines that have
 * most of them, in JSON all. */
#include "report/stalls_part.h"

#include "base/figure.h"
#include "profile/place.h"

#include <string.h>

enum { INDENT = 4, MOST_REASONS = 4 };

/* Warps that stand still, of all reasons. */
static double sum_of(const double *stalls)
{
    double sum = 0;
    for (int r = 0; r < IFL_STALLS; r++)
        sum += r == IFL_STALL_selected ? 0 : stalls[r];
    return sum;
}

/* The largest reason that is not told yet; IFL_STALLS: none that matters. */
static ifl_stall largest(const double *stalls, const bool *told)
{
    const double least = 0.05 * sum_of(stalls);
    int found = IFL_STALLS;
    for (int r = 0; r < IFL_STALLS; r++)
        if (r != IFL_STALL_selected && !told[r] && stalls[r] > least &&
            (found == IFL_STALLS || stalls[r] > stalls[found]))
            found = r;
    return (ifl_stall)found;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* 48.1, 4,947 */
static ifl_figure cycles_text(double cycles)
{
    ifl_figure one;
    if (cycles >= 1000)
        return ifl_figure_real(cycles);
    snprintf(one.text, sizeof one.text, "%.1f", cycles);
    return one;
}

/* "48.1 cycles for data from global memory (long_scoreboard), 2.7 for ...". */
static const char *reasons_text(ifl_page *page, const double *stalls)
{
    const char *text = "";
    bool told[IFL_STALLS] = {false};
    for (int n = 0; n < MOST_REASONS && text; n++) {
        const ifl_stall reason = largest(stalls, told);
        if (reason == IFL_STALLS)
            break;
        told[reason] = true;
        text = ifl_arena_printf(&page->arena, "%s%s%s %s%s (%s)", text, n ? ", " : "",
                                cycles_text(stalls[reason]).text, n ? "for " : "cycles for ",
                                ifl_stall_text(reason), ifl_stall_name(reason));
    }
    return text;
}

const char *ifl_stalls_part_main(const double *stalls)
{
    const bool none[IFL_STALLS] = {false};
    const ifl_stall reason = largest(stalls, none);
    return reason == IFL_STALLS ? "" : ifl_stall_name(reason);
}

const char *ifl_stalls_part_longest(const ifl_profile *profile, const char *device)
{
    const bool none[IFL_STALLS] = {false};
    const ifl_time_facts *f = ifl_profile_sm_time(profile, device);
    const ifl_stall reason = f ? largest(f->stalls, none) : IFL_STALLS;
    return reason == IFL_STALLS ? NULL : ifl_stall_text(reason);
}

void ifl_stalls_part_print(ifl_page *page, const ifl_profile *profile, const char *device)
{
    const ifl_time_facts *f = ifl_profile_sm_time(profile, device);
    if (!f)
        return;
    ifl_page_paragraph(
        page, INDENT, INDENT, IFL_STYLE_PLAIN,
        ifl_arena_printf(&page->arena,
                         "A scheduler issues in %s of its cycles. Per instruction, a "
                         "warp stalls on average %s.",
                         ifl_figure_share(f->issue_active).text, reasons_text(page, f->stalls)));
}

/* ---- by source line -------------------------------------------------------------------------- */

/* Columns of reasons stand between the share of all and the instruction. */
enum { REASONS = 3, FIRST_REASON = 2, NARROW = 72, WIDE = 90 };

static const ifl_column place_column = {{"source", "line"}, false, 0, false};
static const ifl_column share_column = {{"", "stalls"}, true, 0, false};
static const ifl_column instruction_column = {{"most before", "instruction"}, false, NARROW, false};
static const ifl_column source_column = {{"", "source"}, false, WIDE, false};

/* Those of the launch, the largest first. */
typedef struct reasons {
    ifl_stall reason[REASONS];
    size_t count;
    ifl_column columns[IFL_TABLE_COLUMNS];
    size_t column_count;
} reasons;

/* A long name has two lines: "long_", "scoreboard". */
static ifl_column reason_column(ifl_page *page, ifl_stall reason)
{
    const char *name = ifl_stall_name(reason), *under = strchr(name, '_');
    const char *head = under ? ifl_arena_text(&page->arena, name, (size_t)(under - name) + 1) : "";
    return (ifl_column){{ifl_page_kept(page, head), under ? under + 1 : name}, true, 0, false};
}

static void find_reasons(ifl_page *page, const ifl_time_facts *f, reasons *to)
{
    bool told[IFL_STALLS] = {false};
    size_t c = 0;
    *to = (reasons){.count = 0};
    to->columns[c++] = place_column;
    to->columns[c++] = share_column;
    while (to->count < REASONS) {
        const ifl_stall reason = largest(f->stalls, told);
        if (reason == IFL_STALLS)
            break;
        told[reason] = true;
        to->reason[to->count++] = reason;
        to->columns[c++] = reason_column(page, reason);
    }
    to->columns[c++] = instruction_column;
    to->columns[c++] = source_column;
    to->column_count = c;
}

static const char *share_text(ifl_page *page, double share)
{
    return share > 0 ? ifl_page_kept(
                           page, ifl_arena_printf(&page->arena, "%s", ifl_figure_share(share).text))
                     : "";
}

/* "axpy.cu:39"; an instruction without a line by its address, in a function that the kernel calls
 * with that one's name. */
static const char *place_text(ifl_page *page, const ifl_profile *profile,
                              const ifl_stalled_site *at)
{
    if (at->file)
        return ifl_place_name(&page->arena, at->file, at->line);
    return strcmp(at->function, profile->kernel) == 0
               ? ifl_arena_printf(&page->arena, "0x%x", at->address)
               : ifl_arena_printf(&page->arena, "%s 0x%x", at->function, at->address);
}

static void add_line(ifl_page *page, const ifl_profile *profile, const reasons *r, double all,
                     const ifl_stalled_site *at, ifl_table *table)
{
    ifl_row row = {.cell = {place_text(page, profile, at), share_text(page, at->share)}};
    for (size_t i = 0; i < r->count; i++)
        row.cell[FIRST_REASON + i] = share_text(page, at->stalls[r->reason[i]] / all);
    const size_t last = FIRST_REASON + r->count;
    row.cell[last] =
        at->file ? ifl_arena_printf(&page->arena, "%s 0x%x", at->op, at->address) : at->op;
    row.cell[last + 1] = ifl_clean_line(&page->arena, at->text ? at->text : "");
    ifl_table_add(page, table, &row);
}

/* How much of the launch these figures are of. */
static const char *followed_text(ifl_page *page, const ifl_time_facts *f)
{
    const char *blocks =
        ifl_arena_printf(&page->arena, "%s", ifl_figure_counted(f->blocks, "block").text);
    const double whole = 0.9995;
    if (!blocks || f->followed >= whole)
        return blocks ? ifl_arena_printf(&page->arena,
                                         "The warps of %s were followed, all that one SM does.",
                                         blocks)
                      : NULL;
    return ifl_arena_printf(&page->arena,
                            "The warps of %s were followed, %s of what one SM does; the rest is "
                            "taken to go on at their pace.",
                            blocks, ifl_figure_share(f->followed).text);
}

void ifl_stalls_part_lines(ifl_page *page, const ifl_profile *profile, size_t most)
{
    for (size_t d = 0; d < profile->sm_times.count; d++) {
        const ifl_time_facts *f = &profile->sm_times.at[d];
        const double all = sum_of(f->stalls);
        reasons r;
        find_reasons(page, f, &r);
        ifl_table table = {
            .columns = r.columns, .column_count = r.column_count, .indent = INDENT / 2};
        if (!f->line_count)
            continue;
        ifl_page_heading(page,
                         ifl_arena_printf(&page->arena, "Where warps stall on %s", f->device));
        ifl_page_paragraph(page, INDENT / 2, INDENT / 2, IFL_STYLE_PLAIN, followed_text(page, f));
        for (size_t i = 0; i < f->line_count && i < most; i++)
            add_line(page, profile, &r, all, &f->lines[i], &table);
        ifl_table_print(page, &table);
        if (f->line_count > most)
            ifl_page_paragraph(page, INDENT / 2, INDENT / 2, IFL_STYLE_DIM,
                               ifl_arena_printf(&page->arena, "and %s more",
                                                ifl_figure_count(f->line_count - most).text));
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *stalls_json(ifl_tree *tree, const double *stalls, bool with_none)
{
    json_t *object = json_object();
    for (int r = 0; r < IFL_STALLS; r++)
        if (with_none || stalls[r] > 0)
            ifl_tree_put_real(tree, object, ifl_stall_name((ifl_stall)r), stalls[r]);
    return object;
}

static json_t *site_json(ifl_tree *tree, const ifl_stalled_site *site)
{
    json_t *object = json_object();
    ifl_tree_put_text(tree, object, "op", site->op);
    ifl_tree_put_text(tree, object, "function", site->function);
    ifl_tree_put_count(tree, object, "address", site->address);
    ifl_tree_put_text(tree, object, "file", site->file);
    if (site->line)
        ifl_tree_put_count(tree, object, "line", site->line);
    ifl_tree_put_text(tree, object, "text", site->text);
    ifl_tree_put_count(tree, object, "issued", site->issued);
    ifl_tree_put_real(tree, object, "share", site->share);
    ifl_tree_put(tree, object, "stalls", stalls_json(tree, site->stalls, false));
    return object;
}

static json_t *sites_json(ifl_tree *tree, const ifl_stalled_site *sites, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        ifl_tree_append(tree, array, site_json(tree, &sites[i]));
    return array;
}

void ifl_stalls_part_put(ifl_tree *tree, json_t *object, const ifl_profile *profile,
                         const char *device)
{
    const ifl_time_facts *f = ifl_profile_sm_time(profile, device);
    if (!f)
        return;
    ifl_tree_put_count(tree, object, "followed_blocks", f->blocks);
    ifl_tree_put_real(tree, object, "followed_share", f->followed);
    ifl_tree_put(tree, object, "stalls", stalls_json(tree, f->stalls, true));
    ifl_tree_put(tree, object, "stall_lines", sites_json(tree, f->lines, f->line_count));
    ifl_tree_put(tree, object, "stall_sites", sites_json(tree, f->sites, f->site_count));
}
