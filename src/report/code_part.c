/* SPDX-License-Identifier: Apache-2.0
 * Two tables, what the whole launch counts and the source lines whose accesses differ; and their
 * JSON. */
#include "report/code_part.h"

#include "base/figure.h"
#include "profile/traffic.h"
#include "report/gpu_part.h"

enum { INDENT = 2, WIDE = 80 };

/* ---- the launch ------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    ifl_counter ptx, machine;
} totals[] = {
    {"instructions", IFL_COUNTER_ptx_instructions, IFL_COUNTER_instructions},
    {"branches", IFL_COUNTER_branches, IFL_COUNTER_branches},
    {"divergent branches", IFL_COUNTER_divergent_branches, IFL_COUNTER_divergent_branches},
    {"barriers", IFL_COUNTER_barriers, IFL_COUNTER_barriers},
};

static const ifl_column total_columns[] = {
    {{"", NULL}, false, 0, false},
    {{"PTX", NULL}, true, 0, false},
    {{"machine code", NULL}, true, 0, false},
};

static void add_total(ifl_page *page, ifl_table *table, const char *name, uint64_t ptx,
                      uint64_t machine)
{
    if (ptx == machine)
        return;
    const ifl_row row = {
        .cell = {
            ifl_page_kept(page, ifl_arena_printf(&page->arena, "%s", name)),
            ifl_page_kept(page, ifl_arena_printf(&page->arena, "%s", ifl_figure_count(ptx).text)),
            ifl_page_kept(page,
                          ifl_arena_printf(&page->arena, "%s", ifl_figure_count(machine).text))}};
    ifl_table_add(page, table, &row);
}

static void add_traffic(ifl_page *page, ifl_table *table, const ifl_profile *profile,
                        ifl_traffic_kind kind)
{
    const ifl_traffic_info *info = ifl_traffic_info_get(kind);
    const ifl_traffic ptx = ifl_traffic_get(&profile->ptx.counters, kind),
                      machine = ifl_traffic_get(&profile->counters, kind);
    add_total(page, table, ifl_arena_printf(&page->arena, "%s requests", info->one), ptx.requests,
              machine.requests);
    if (info->on_chip)
        add_total(page, table, ifl_arena_printf(&page->arena, "%s wavefronts", info->one),
                  ptx.wavefronts, machine.wavefronts);
    else
        add_total(page, table, ifl_arena_printf(&page->arena, "%s sectors", info->one), ptx.sectors,
                  machine.sectors);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static const ifl_column line_columns[] = {
    {{"", "line"}, false, 0, false},
    {{"", "access"}, false, 0, false},
    {{"PTX", "instr."}, true, WIDE, false},
    {{"PTX", "requests"}, true, 0, false},
    {{"machine", "instr."}, true, WIDE, false},
    {{"machine", "requests"}, true, 0, false},
    {{"", "change"}, false, 0, false},
};

static const char *count_text(ifl_page *page, uint64_t count)
{
    return ifl_page_kept(page, ifl_arena_printf(&page->arena, "%s", ifl_figure_count(count).text));
}

static const char *place_text(ifl_page *page, const ifl_code_difference *d)
{
    const char *file = d->file ? ifl_clean_line(&page->arena, d->file) : "";
    if (!d->file)
        return "all";
    return ifl_page_kept(page,
                         file ? ifl_arena_printf(&page->arena, "%s:%u", file, d->line) : NULL);
}

static void add_line(ifl_page *page, ifl_table *table, const ifl_code_difference *d)
{
    const ifl_row row = {
        .cell = {place_text(page, d), ifl_traffic_info_get(d->traffic)->one,
                 count_text(page, d->ptx.instructions), count_text(page, d->ptx.requests),
                 count_text(page, d->machine.instructions), count_text(page, d->machine.requests),
                 ifl_code_change_text(d->change)}};
    ifl_table_add(page, table, &row);
}

static void explain(ifl_page *page, const ifl_code_difference_list *list, size_t count)
{
    bool said[IFL_CHANGES] = {false};
    for (size_t i = 0; i < count; i++) {
        const ifl_code_change change = list->at[i].change;
        if (!said[change])
            ifl_page_paragraph(page, INDENT, 2 * INDENT, IFL_STYLE_DIM,
                               ifl_code_change_sentence(change));
        said[change] = true;
    }
}

static void print_lines(ifl_page *page, const ifl_ptx_beside *beside, size_t most)
{
    const ifl_code_difference_list *list = &beside->differences;
    const size_t shown = list->count < most ? list->count : most;
    ifl_table table = {.columns = line_columns,
                       .column_count = sizeof line_columns / sizeof *line_columns,
                       .indent = INDENT};
    if (!list->count) {
        ifl_page_paragraph(
            page, INDENT, INDENT, IFL_STYLE_PLAIN,
            beside->has_lines
                ? "Each source line makes the same accesses in both."
                : "Both make the same accesses; for those of a line, compile with -lineinfo.");
        return;
    }
    for (size_t i = 0; i < shown; i++)
        add_line(page, &table, &list->at[i]);
    ifl_page_gap(page);
    ifl_table_print(page, &table);
    if (shown < list->count)
        ifl_page_paragraph(
            page, INDENT, INDENT, IFL_STYLE_DIM,
            ifl_arena_printf(&page->arena, "and %zu more (--lines)", list->count - shown));
    explain(page, list, shown);
    if (!beside->has_lines)
        ifl_page_paragraph(page, INDENT, INDENT, IFL_STYLE_DIM,
                           "One of the two has no line information, so that this is of the whole "
                           "kernel: compile with -lineinfo.");
}

void ifl_code_part_print(ifl_page *page, const ifl_profile *profile, size_t most_lines)
{
    if (!profile->ptx.known)
        return;
    ifl_page_heading(page, "Where PTX and machine code differ");
    ifl_table table = {.columns = total_columns,
                       .column_count = sizeof total_columns / sizeof *total_columns,
                       .indent = INDENT};
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
        if (profile->ptx.counters.known[totals[i].ptx] &&
            profile->counters.known[totals[i].machine])
            add_total(page, &table, totals[i].name, profile->ptx.counters.value[totals[i].ptx],
                      profile->counters.value[totals[i].machine]);
    for (int kind = 0; kind < IFL_TRAFFIC_COUNT; kind++)
        add_traffic(page, &table, profile, (ifl_traffic_kind)kind);
    if (table.rows.count)
        ifl_table_print(page, &table);
    else
        ifl_page_paragraph(page, INDENT, INDENT, IFL_STYLE_PLAIN, "Both count the same.");
    print_lines(page, &profile->ptx, most_lines);
    ifl_outputs_print(page, &profile->outputs);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *side_of(ifl_tree *tree, const ifl_code_side *side, ifl_traffic_kind traffic)
{
    json_t *object = json_object();
    ifl_tree_put_count(tree, object, "instructions", side->instructions);
    ifl_tree_put_count(tree, object, "requests", side->requests);
    ifl_tree_put_count(tree, object,
                       ifl_traffic_info_get(traffic)->on_chip ? "wavefronts" : "sectors",
                       side->moved);
    ifl_tree_put_count(tree, object, "useful_bytes", side->bytes);
    return object;
}

static json_t *difference_of(ifl_tree *tree, const ifl_code_difference *d)
{
    json_t *object = json_object();
    if (d->file) {
        ifl_tree_put_text(tree, object, "file", d->file);
        ifl_tree_put_count(tree, object, "line", d->line);
    }
    ifl_tree_put_text(tree, object, "space",
                      ifl_space_text(ifl_traffic_info_get(d->traffic)->space));
    ifl_tree_put_text(tree, object, "kind",
                      ifl_access_kind_text(ifl_traffic_info_get(d->traffic)->kind));
    ifl_tree_put_text(tree, object, "change", ifl_code_change_text(d->change));
    ifl_tree_put(tree, object, "ptx", side_of(tree, &d->ptx, d->traffic));
    ifl_tree_put(tree, object, "machine", side_of(tree, &d->machine, d->traffic));
    return object;
}

json_t *ifl_code_part_json(ifl_tree *tree, const ifl_ptx_beside *beside)
{
    json_t *object = json_object(), *counters = json_object(), *differences = json_array();
    for (ifl_counter i = 0; i < IFL_COUNTER_COUNT; i++)
        if (beside->counters.known[i])
            ifl_tree_put_count(tree, counters, ifl_counter_get(i)->name, beside->counters.value[i]);
    for (size_t i = 0; i < beside->differences.count; i++)
        ifl_tree_append(tree, differences, difference_of(tree, &beside->differences.at[i]));
    ifl_tree_put(tree, object, "counters", counters);
    ifl_tree_put_flag(tree, object, "by_line", beside->has_lines);
    ifl_tree_put(tree, object, "differences", differences);
    return object;
}
