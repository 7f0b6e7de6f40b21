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
    for (size_t i = 0; signatures && i < input->count; i++) {
        const ifl_profile *p = input->outcomes[i]->profile;
        signatures[i] = p->signature && *p->signature ? p->signature : p->kernel ? p->kernel : "";
    }
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

static const char *time_text(ifl_page *page, double us)
{
    return us < 0 ? ""
                  : ifl_arena_printf(&page->arena, "%s",
                                     ifl_figure_time(us, IFL_PREDICTED_DIGITS).text);
}

/* "main at app.cu:9 (0x110)"; the grid where the place is not known. */
static const char *note_of(ifl_page *page, const ifl_profile *p)
{
    return p->site
               ? ifl_clean_line(&page->arena, p->site)
               : ifl_arena_printf(&page->arena, "grid %s, block %s", ifl_figure_size(p->grid).text,
                                  ifl_figure_size(p->block).text);
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
                             .note = ifl_page_kept(page, note_of(page, rows[i].outcome->profile)),
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
    uint64_t moved = 0, excess = 0;
    for (size_t i = 0; i < places->rows.count; i++) {
        moved += places->rows.at[i].traffic.sectors * IFL_SECTOR_BYTES;
        excess += places->rows.at[i].excess;
    }
    const ifl_row cells = {
        .cell = {from->name, p->site ? ifl_clean_line(arena, p->site) : "",
                 ifl_arena_printf(arena, "%s", ifl_figure_size(p->grid).text),
                 ifl_arena_printf(arena, "%s", ifl_figure_size(p->block).text),
                 p->made ? ifl_arena_printf(arena, "%s", ifl_figure_count(p->made).text) : "",
                 time_text(page, from->time_us), model ? ifl_term_name(model->limiter) : "",
                 ifl_arena_printf(arena, "%s", ifl_figure_bytes(moved).text),
                 ifl_arena_printf(arena, "%s", ifl_figure_bytes(excess).text)},
        .style = {[8] = excess ? IFL_STYLE_WARN : IFL_STYLE_PLAIN},
        .link = ifl_page_kept(page, ifl_arena_printf(arena, "#launch-%zu", from->number))};
    ifl_table_add(page, table, &cells);
}

/* "11 launches from 5 places" of a program, "5 launches" of a file. */
static const char *title_of(ifl_page *page, const ifl_report_input *input)
{
    uint64_t made = 0;
    for (size_t i = 0; i < input->count; i++) {
        if (!input->outcomes[i]->profile->made)
            return ifl_arena_printf(&page->arena, "%zu launches", input->count);
        made += input->outcomes[i]->profile->made;
    }
    return ifl_arena_printf(&page->arena, "%s launches from %zu places",
                            ifl_figure_count(made).text, input->count);
}

void ifl_kernels_part_print(ifl_page *page, const ifl_report_input *input)
{
    ifl_table table = {.columns = columns, .column_count = COLUMNS};
    row *rows = rows_of(page, input);
    if (!rows) {
        page->no_memory = true;
        return;
    }
    ifl_page_title(page, title_of(page, input));
    print_bars(page, rows, input->count);
    for (size_t i = 0; i < input->count; i++)
        add_row(page, &table, &rows[i]);
    ifl_table_print(page, &table);
    ifl_page_paragraph(page, 0, 0, IFL_STYLE_DIM,
                       "Bytes moved are of the launch that is shown. The time is that of all "
                       "launches from the same place "
                       "if a program was run, else of the launch that is shown.");
    free(rows);
}
