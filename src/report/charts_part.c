/* SPDX-License-Identifier: Apache-2.0
 * Which charts a launch has, and their bars. The figures are those of the profile and of its
 * models; nothing is computed that the tables below the charts do not have. */
#include "report/charts_part.h"

#include "base/figure.h"
#include "report/models_part.h"

#include <stdlib.h>

enum { MOST_LINES = 12 };

/* ---- bytes by source line -------------------------------------------------------------------- */

/* What the instructions of one source line ask for and move, all kinds of access off chip
 * together. */
typedef struct line_bytes {
    const ifl_profile_line *line;
    uint64_t asked, moved;
    size_t order;
} line_bytes;

typedef struct line_list {
    IFL_VEC(line_bytes) rows;
    bool known;
} line_list;

static line_bytes *row_of(line_list *list, const ifl_profile_line *line, size_t order)
{
    for (size_t i = 0; i < list->rows.count; i++)
        if (ifl_place_same_line(list->rows.at[i].line, line))
            return &list->rows.at[i];
    const line_bytes row = {.line = line, .order = order};
    return ifl_vec_push(&list->rows, row) ? &list->rows.at[list->rows.count - 1] : NULL;
}

static int by_moved(const void *a, const void *b)
{
    const line_bytes *x = a, *y = b;
    if (x->moved != y->moved)
        return x->moved < y->moved ? 1 : -1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void gather_lines(ifl_page *page, const ifl_places *places, line_list *out)
{
    out->known = true;
    for (size_t i = 0; i < places->rows.count; i++) {
        const ifl_place_row *from = &places->rows.at[i];
        line_bytes *row = row_of(out, from->line, from->order);
        if (!row) {
            page->no_memory = true;
            return;
        }
        row->asked += from->traffic.useful_bytes;
        row->moved += from->traffic.sectors * IFL_SECTOR_BYTES;
        out->known &= from->traffic.known;
    }
    if (out->rows.count)
        qsort(out->rows.at, out->rows.count, sizeof *out->rows.at, by_moved);
}

static void add_line(ifl_page *page, ifl_bars *bars, const line_bytes *row)
{
    ifl_arena *arena = &page->arena;
    const ifl_bar bar = {
        .label = ifl_place_name(arena, row->line->file, row->line->line),
        .note = ifl_page_kept(page, ifl_clean_line(arena, row->line->text)),
        .value = {(double)row->asked, (double)row->moved},
        .text = {ifl_arena_printf(arena, "%s", ifl_figure_bytes(row->asked).text),
                 ifl_arena_printf(arena, "%s", ifl_figure_bytes(row->moved).text)},
    };
    page->no_memory |= !ifl_vec_push(&bars->list, bar);
}

static void print_lines(ifl_page *page, const ifl_places *places)
{
    line_list lines = {0};
    ifl_bars bars = {.title = "Bytes asked for and moved, by source line",
                     .name = {"asked for", "moved"}};
    gather_lines(page, places, &lines);
    for (size_t i = 0; i < lines.rows.count && i < MOST_LINES; i++)
        add_line(page, &bars, &lines.rows.at[i]);
    bars.left_out = lines.rows.count - bars.list.count;
    bars.summary = ifl_arena_printf(
        &page->arena, "Global and local memory, %zu source line%s, those that move most first.",
        lines.rows.count, lines.rows.count == 1 ? "" : "s");
    if (lines.known && bars.list.count)
        ifl_page_bars(page, &bars);
    else
        ifl_vec_free(&bars.list);
    ifl_vec_free(&lines.rows);
}

/* ---- times ----------------------------------------------------------------------------------- */

static const char *time_text(ifl_page *page, double us)
{
    return ifl_arena_printf(&page->arena, "%s", ifl_figure_time(us, IFL_PREDICTED_DIGITS).text);
}

static void print_gpus(ifl_page *page, const ifl_outcome *outcome)
{
    ifl_bars bars = {.title = "Predicted time by GPU, with its range", .name = {"time", NULL}};
    for (size_t i = 0; i < outcome->gpus.count; i++) {
        const ifl_outcome_gpu *gpu = &outcome->gpus.at[i];
        const ifl_estimate *time = &gpu->model.time_us;
        if (!gpu->has_model)
            continue;
        const ifl_bar bar = {
            .label = ifl_clean_line(&page->arena, gpu->device->id),
            .note = ifl_page_kept(page, ifl_arena_printf(&page->arena, "limited by %s",
                                                         ifl_term_name(gpu->model.limiter))),
            .value = {time->mid},
            .text = {time_text(page, time->mid)},
            .low = time->low,
            .high = time->high};
        page->no_memory |= !ifl_vec_push(&bars.list, bar);
    }
    bars.summary = ifl_arena_printf(&page->arena, "%zu GPUs.", bars.list.count);
    if (bars.list.count > 1)
        ifl_page_bars(page, &bars);
    else
        ifl_vec_free(&bars.list);
}

static const char *term_text(ifl_page *page, const ifl_model *m, ifl_term term)
{
    const char *time = time_text(page, m->term_us[term]);
    return ifl_models_part_is_estimated(m, term)
               ? ifl_arena_printf(&page->arena, "≈%s", ifl_page_kept(page, time))
               : time;
}

static void print_terms(ifl_page *page, const ifl_outcome_gpu *gpu)
{
    const ifl_model *m = &gpu->model;
    const char *id = ifl_page_kept(page, ifl_clean_line(&page->arena, gpu->device->id));
    ifl_bars bars = {.title = ifl_arena_printf(&page->arena, "%s: time of each limiter alone", id),
                     .name = {"time", NULL}};
    bars.summary = ifl_arena_printf(&page->arena, "Limited by %s; the whole launch takes %s.",
                                    ifl_term_name(m->limiter),
                                    ifl_figure_time(m->time_us.mid, IFL_PREDICTED_DIGITS).text);
    for (int t = 0; t < IFL_TERM_COUNT; t++) {
        if (m->term_us[t] <= 0)
            continue;
        const ifl_bar bar = {.label = ifl_term_name((ifl_term)t),
                             .value = {m->term_us[t]},
                             .text = {term_text(page, m, (ifl_term)t)}};
        page->no_memory |= !ifl_vec_push(&bars.list, bar);
    }
    if (bars.list.count)
        ifl_page_bars(page, &bars);
}

/* ---- all ------------------------------------------------------------------------------------- */

void ifl_charts_part_print(ifl_page *page, const ifl_outcome *outcome)
{
    if (!ifl_page_has_charts(page))
        return;
    ifl_page_charts_start(page);
    print_lines(page, &outcome->off_chip);
    print_gpus(page, outcome);
    ifl_page_charts_end(page);
    for (size_t i = 0; i < outcome->gpus.count; i++)
        if (outcome->gpus.at[i].has_model) {
            ifl_page_charts_start(page);
            print_terms(page, &outcome->gpus.at[i]);
            ifl_plots_part_roofline(page, outcome->profile, &outcome->gpus.at[i]);
            ifl_plots_part_occupancy(page, outcome->profile, &outcome->gpus.at[i]);
            ifl_page_charts_end(page);
        }
}
