/* SPDX-License-Identifier: Apache-2.0
 * The kernel's instructions under their source lines: how often each was issued, and the share of the
 * stalls before it, by GPU. On paper `inflight sass --listing --with` has them. */
#include "report/listing_part.h"

#include "base/figure.h"
#include "profile/place.h"
#include "report/stalls_part.h"

#include <string.h>

enum { INDENT = 2, MOST_GPUS = 4, MOST_ROWS = 5000 };

static const ifl_column address_column = {{"code", "address"}, true, 0, false};
static const ifl_column issued_column = {{"", "issued"}, true, 0, false};
static const ifl_column reason_column = {{"", "mostly for"}, false, 0, false};
static const ifl_column text_column = {{"", "machine instruction"}, false, 0, false};

typedef struct listing {
    ifl_page *page;
    const ifl_profile *profile;
    ifl_column columns[IFL_TABLE_COLUMNS];
    ifl_table table;
    size_t gpus;
} listing;

static void choose_columns(listing *l)
{
    const ifl_profile *p = l->profile;
    size_t c = 0;
    l->gpus = p->sm_times.count < MOST_GPUS ? p->sm_times.count : MOST_GPUS;
    l->columns[c++] = address_column;
    l->columns[c++] = issued_column;
    for (size_t g = 0; g < l->gpus; g++)
        l->columns[c++] = (ifl_column){{p->sm_times.at[g].device, "stalls"}, true, 0, false};
    if (l->gpus)
        l->columns[c++] = reason_column;
    l->columns[c++] = text_column;
    l->table = (ifl_table){.columns = l->columns, .column_count = c, .indent = INDENT};
}

static const char *kept(const listing *l, ifl_figure figure)
{
    return ifl_arena_text(&l->page->arena, figure.text, strlen(figure.text));
}

static const ifl_stalled_site *site_at(const listing *l, size_t gpu, uint32_t address)
{
    const ifl_time_facts *f = &l->profile->sm_times.at[gpu];
    for (size_t i = 0; i < f->site_count; i++)
        if (f->sites[i].address == address && strcmp(f->sites[i].function, l->profile->kernel) == 0)
            return &f->sites[i];
    return NULL;
}

static void add_instruction(listing *l, const ifl_listed_instruction *at)
{
    ifl_row row = {0};
    size_t c = 0;
    row.cell[c++] = ifl_arena_printf(&l->page->arena, "0x%x", at->address);
    row.cell[c++] = at->issued ? kept(l, ifl_figure_count(at->issued)) : "";
    for (size_t g = 0; g < l->gpus; g++) {
        const ifl_stalled_site *site = site_at(l, g, at->address);
        row.cell[c++] = site ? kept(l, ifl_figure_share(site->share)) : "";
    }
    if (l->gpus) {
        const ifl_stalled_site *site = site_at(l, 0, at->address);
        row.cell[c++] = site ? ifl_stalls_part_main(site->stalls) : "";
    }
    row.cell[c++] = at->text;
    if (!at->issued)
        for (size_t i = 0; i < c; i++)
            row.style[i] = IFL_STYLE_DIM;
    ifl_table_add(l->page, &l->table, &row);
}

static bool is_same_line(const ifl_listed_instruction *a, const ifl_listed_instruction *b)
{
    return a && a->line == b->line && strcmp(a->file ? a->file : "", b->file ? b->file : "") == 0;
}

void ifl_listing_part_print(ifl_page *page, const ifl_profile *profile)
{
    listing l = {.page = page, .profile = profile};
    const ifl_listed_instruction *last = NULL;
    const size_t count = profile->machine.listing.count,
                 shown = count < MOST_ROWS ? count : MOST_ROWS;
    if (!ifl_page_has_charts(page) || !count)
        return;
    choose_columns(&l);
    for (size_t i = 0; i < shown; i++) {
        const ifl_listed_instruction *at = &profile->machine.listing.at[i];
        if (at->file && !is_same_line(last, at)) {
            /* Above the first of its instructions that stand together. */
            ifl_arena *arena = &l.page->arena;
            const ifl_row row = {
                .span = ifl_page_kept(l.page, ifl_place_name(arena, at->file, at->line)),
                .span_note = ifl_page_kept(l.page, ifl_clean_line(arena, at->source))};
            ifl_table_add(l.page, &l.table, &row);
        }
        add_instruction(&l, at);
        last = at;
    }
    ifl_page_heading(page, "The listing");
    ifl_table_print(page, &l.table);
    if (count > shown)
        ifl_page_paragraph(page, INDENT, INDENT, IFL_STYLE_DIM,
                           ifl_arena_printf(&page->arena, "and %s: inflight sass --listing has all",
                                            ifl_figure_counted(count - shown, "instruction").text));
}
