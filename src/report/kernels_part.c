/* SPDX-License-Identifier: Apache-2.0
 * See kernels_part.h. A time is that of all launches that a program made from a place where that is
 * known, else the model's of the one launch that is shown; launches without either have no bar and
 * an empty cell. */
#include "report/kernels_part.h"

#include "base/figure.h"
#include "base/short_name.h"
#include "report/models_part.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BARS = 20 };

typedef struct row {
    const ifl_outcome *outcome;
    const char *name;
    size_t number;  /* of the launch on the page, from 1 */
    double time_us; /* below 0: not known */
} row;

static const ifl_model *model_of(const ifl_outcome *outcome)
{
    return outcome->gpus.count && outcome->gpus.at[0].has_model ? &outcome->gpus.at[0].model : NULL;
}

static const char *signature_of(const ifl_profile *p)
{
    return p->signature && *p->signature ? p->signature : p->kernel ? p->kernel : "";
}

static const char *site_of(const ifl_profile *p)
{
    return p->site ? p->site : "";
}

static double time_of(const ifl_outcome *outcome)
{
    const ifl_model *model = model_of(outcome);
    if (outcome->program_us > 0)
        return outcome->program_us;
    return model ? model->time_us.mid : -1;
}

static int by_time(const void *a, const void *b)
{
    const row *x = a, *y = b;
    if (x->time_us != y->time_us)
        return x->time_us < y->time_us ? 1 : -1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* NULL without memory. */
static row *rows_of(ifl_page *page, const ifl_report_input *input)
{
    row *rows = calloc(input->count, sizeof *rows);
    const char **signatures = calloc(input->count, sizeof *signatures),
               **names = calloc(input->count, sizeof *names);
    for (size_t i = 0; signatures && i < input->count; i++)
        signatures[i] = signature_of(input->outcomes[i]->profile);
    const bool is_whole = rows && signatures && names &&
                          ifl_short_names(&page->arena, signatures, input->count, names);
    for (size_t i = 0; is_whole && i < input->count; i++)
        rows[i] = (row){input->outcomes[i], ifl_clean_line(&page->arena, names[i]), i + 1,
                        time_of(input->outcomes[i])};
    free(signatures);
    free(names);
    if (is_whole) {
        qsort(rows, input->count, sizeof *rows, by_time);
        return rows;
    }
    free(rows);
    return NULL;
}

static uint64_t launches_of(const ifl_outcome *outcome)
{
    return outcome->program_launches ? outcome->program_launches : outcome->profile->made;
}

static const char *grid_text(ifl_page *page, const ifl_outcome *outcome)
{
    return outcome->program_grids
               ? outcome->program_grids
               : ifl_arena_printf(&page->arena, "%s", ifl_figure_size(outcome->profile->grid).text);
}

static const char *time_text(ifl_page *page, double us)
{
    return us < 0 ? ""
                  : ifl_arena_printf(&page->arena, "%s",
                                     ifl_figure_time(us, IFL_PREDICTED_DIGITS).text);
}

static bool has_another(const row *rows, size_t count, size_t which)
{
    const ifl_profile *p = rows[which].outcome->profile;
    for (size_t i = 0; i < count; i++) {
        const ifl_profile *other = rows[i].outcome->profile;
        if (i != which && strcmp(site_of(p), site_of(other)) == 0 &&
            strcmp(signature_of(p), signature_of(other)) == 0)
            return true;
    }
    return false;
}

/* "main at app.cu:9 (0x110)"; the grid and block where the place is not known or is that of
 * several rows of the kernel. */
static const char *note_of(ifl_page *page, const row *rows, size_t count, size_t which)
{
    const ifl_profile *p = rows[which].outcome->profile;
    const char *grid = grid_text(page, rows[which].outcome);
    const ifl_figure block = ifl_figure_size(p->block);
    const char *site = p->site ? ifl_clean_line(&page->arena, p->site) : NULL;
    if (!grid || (p->site && !site))
        return NULL;
    if (!site)
        return ifl_arena_printf(&page->arena, "grid %s, block %s", grid, block.text);
    return has_another(rows, count, which)
               ? ifl_arena_printf(&page->arena, "grid %s, block %s, %s", grid, block.text, site)
               : site;
}

static void print_bars(ifl_page *page, const row *rows, size_t count)
{
    ifl_bars bars = {.title = "Predicted time by kernel", .name = {"time", NULL}};
    size_t timed = 0;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].time_us < 0)
            continue;
        timed++;
        const ifl_bar bar = {.label = rows[i].name,
                             .note = ifl_page_kept(page, note_of(page, rows, count, i)),
                             .value = {rows[i].time_us},
                             .text = {time_text(page, rows[i].time_us)}};
        if (bars.list.count < MOST_BARS)
            page->no_memory |= !ifl_vec_push(&bars.list, bar);
    }
    bars.left_out = timed - bars.list.count;
    bars.summary = ifl_arena_printf(&page->arena, "The longest first; %zu have a time.", timed);
    ifl_page_charts_start(page);
    if (timed)
        ifl_page_bars(page, &bars);
    ifl_page_charts_end(page);
}

static const ifl_column columns[] = {
    {{"kernel", NULL}, false, 0, false},     {{"launched from", NULL}, false, 0, false},
    {{"grid", NULL}, true, 0, false},        {{"block", NULL}, true, 0, false},
    {{"launches", NULL}, true, 0, false},    {{"time", NULL}, true, 0, false},
    {{"limited by", NULL}, false, 0, false}, {{"moved", NULL}, true, 0, false},
    {{"not needed", NULL}, true, 0, false},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void add_row(ifl_page *page, ifl_table *table, const row *from)
{
    const ifl_profile *p = from->outcome->profile;
    const ifl_places *places = &from->outcome->off_chip;
    const ifl_model *model = model_of(from->outcome);
    ifl_arena *arena = &page->arena;
    const uint64_t launches = launches_of(from->outcome);
    uint64_t moved = 0, excess = 0;
    for (size_t i = 0; i < places->rows.count; i++) {
        moved += places->rows.at[i].traffic.sectors * IFL_SECTOR_BYTES;
        excess += places->rows.at[i].excess;
    }
    const ifl_row cells = {
        .cell = {from->name, p->site ? ifl_clean_line(arena, p->site) : "",
                 ifl_page_kept(page, grid_text(page, from->outcome)),
                 ifl_arena_printf(arena, "%s", ifl_figure_size(p->block).text),
                 launches ? ifl_arena_printf(arena, "%s", ifl_figure_count(launches).text) : "",
                 time_text(page, from->time_us), model ? ifl_term_name(model->limiter) : "",
                 ifl_arena_printf(arena, "%s", ifl_figure_bytes(moved).text),
                 ifl_arena_printf(arena, "%s", ifl_figure_bytes(excess).text)},
        .style = {[8] = excess ? IFL_STYLE_WARN : IFL_STYLE_PLAIN},
        .link = ifl_page_kept(page, ifl_arena_printf(arena, "#launch-%zu", from->number))};
    ifl_table_add(page, table, &cells);
}

static size_t distinct(const ifl_report_input *input, const char *(*text_of)(const ifl_profile *))
{
    size_t count = 0;
    for (size_t i = 0, k; i < input->count; i++) {
        const char *text = text_of(input->outcomes[i]->profile);
        for (k = 0; k < i && strcmp(text_of(input->outcomes[k]->profile), text) != 0; k++)
            continue;
        count += k == i;
    }
    return count;
}

const char *ifl_kernels_part_title(ifl_arena *arena, const ifl_report_input *input)
{
    uint64_t made = 0;
    for (size_t i = 0; i < input->count; i++) {
        if (!launches_of(input->outcomes[i]))
            return ifl_arena_printf(arena, "%zu launches", input->count);
        made += launches_of(input->outcomes[i]);
    }
    const ifl_figure launches = ifl_figure_counted(made, "launch"),
                     kernels = ifl_figure_counted(distinct(input, signature_of), "kernel"),
                     places = ifl_figure_counted(distinct(input, site_of), "place");
    return ifl_arena_printf(arena, "%s of %s from %s", launches.text, kernels.text, places.text);
}

void ifl_kernels_part_print(ifl_page *page, const ifl_report_input *input)
{
    ifl_table table = {.columns = columns, .column_count = COLUMNS};
    row *rows = rows_of(page, input);
    if (!rows) {
        page->no_memory = true;
        return;
    }
    ifl_page_title(page, ifl_kernels_part_title(&page->arena, input));
    print_bars(page, rows, input->count);
    for (size_t i = 0; i < input->count; i++)
        add_row(page, &table, &rows[i]);
    ifl_table_print(page, &table);
    ifl_page_paragraph(page, 0, 0, IFL_STYLE_DIM,
                       "Bytes moved are of the launch that is shown. The time is that of all "
                       "launches of the row if a program was run, else of the launch that is "
                       "shown.");
    free(rows);
}
