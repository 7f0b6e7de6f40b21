/* SPDX-License-Identifier: Apache-2.0
 * Paragraphs and tables on a page, and their form as text. Knows nothing of the contents. */
#include "report/page.h"

#include "base/figure.h"
#include "base/short_name.h"

#include <inttypes.h>
#include <string.h>

enum { WIDTH = 100, GAP = 2, LEAST_CUT = 16, LEAST_WRAPPED = 12, LEAST_LAST = 8 };

static const char *const escapes[] = {
    [IFL_STYLE_PLAIN] = "",        [IFL_STYLE_STRONG] = "\033[1m", [IFL_STYLE_DIM] = "\033[2m",
    [IFL_STYLE_GOOD] = "\033[32m", [IFL_STYLE_WARN] = "\033[33m",  [IFL_STYLE_BAD] = "\033[31m",
};

static void put(ifl_page *page, ifl_style style, const char *text, size_t bytes)
{
    bool styled = page->color && style != IFL_STYLE_PLAIN && bytes;
    fprintf(page->out, "%s%.*s%s", styled ? escapes[style] : "", (int)bytes, text,
            styled ? "\033[0m" : "");
}

static void spaces(ifl_page *page, size_t count)
{
    if (count)
        fprintf(page->out, "%*s", (int)count, "");
}

void ifl_page_text(ifl_page *page, ifl_style style, const char *text)
{
    if (text)
        put(page, style, text, strlen(text));
    else
        page->no_memory = true;
}

static void text_gap(ifl_page *page)
{
    fputc('\n', page->out);
}

static size_t columns_of(const char *text, size_t bytes)
{
    size_t width = 0;
    for (size_t i = 0; i < bytes; i++)
        width += (text[i] & 0xc0) != 0x80;
    return width;
}

bool ifl_page_is_unit(const char *text, size_t at)
{
    static const char *const units[] = {"%",  "ns", "µs", "ms",  "s",   "B",    "kB",
                                        "MB", "GB", "TB", "KiB", "MiB", "GB/s", "TB/s"};
    const size_t bytes = strcspn(text + at, " .,;:()");
    if (at < 2 || text[at - 2] < '0' || text[at - 2] > '9')
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i]) == bytes && strncmp(text + at, units[i], bytes) == 0)
            return true;
    return false;
}

/* Bytes of `text` that fit on a line of `room` columns: up to a space, or one whole word where none
 * fits. */
static size_t fit(const char *text, size_t room)
{
    size_t best = 0, end = 0;
    while (text[end]) {
        end += strcspn(text + end, " ");
        if (best && columns_of(text, end) > room)
            break;
        const size_t next = end + strspn(text + end, " ");
        if (!text[end] || !ifl_page_is_unit(text, next))
            best = end;
        end = next;
    }
    return best;
}

/* A page of unknown width has WIDTH columns. */
static size_t page_width(const ifl_page *page)
{
    return page->width > 0 ? (size_t)page->width : WIDTH;
}

static void text_paragraph(ifl_page *page, int first, int rest, ifl_style style, const char *text)
{
    const size_t width = page_width(page) < WIDTH ? page_width(page) : WIDTH;
    size_t indent = (size_t)first;
    while (*text) {
        size_t bytes = fit(text, width > indent ? width - indent : 1);
        spaces(page, indent);
        put(page, style, text, bytes);
        fputc('\n', page->out);
        text += bytes;
        text += strspn(text, " ");
        indent = (size_t)rest;
    }
}

static void text_title(ifl_page *page, const char *text)
{
    enum { INDENT = 2 };
    text_paragraph(page, 0, INDENT, IFL_STYLE_STRONG, text);
}

static void text_heading(ifl_page *page, const char *text)
{
    text_gap(page);
    text_title(page, text);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t column_width(const ifl_table *table, size_t column)
{
    size_t width = 0;
    for (int i = 0; i < 2; i++)
        if (table->columns[column].head[i])
            width = larger(width, ifl_utf8_width(table->columns[column].head[i]));
    for (size_t r = 0; r < table->rows.count; r++)
        if (!table->rows.at[r].span)
            width = larger(width, ifl_utf8_width(table->rows.at[r].cell[column]));
    return width;
}

/* Prints `text` in at most `room` columns; what is cut ends with an ellipsis. */
static void put_cut(ifl_page *page, ifl_style style, const char *text, size_t room)
{
    if (ifl_utf8_width(text) <= room) {
        put(page, style, text, strlen(text));
        return;
    }
    put(page, style, text, ifl_utf8_cut(text, room - 1));
    put(page, style, "…", strlen("…"));
}

/* A name in the first column: cut in its middle. */
static void put_name(ifl_page *page, ifl_style style, const char *text, size_t room)
{
    const ifl_cut cut = ifl_cut_middle(text, room);
    put(page, style, text, cut.head);
    if (*cut.tail) {
        put(page, style, "…", strlen("…"));
        put(page, style, cut.tail, strlen(cut.tail));
    }
}

static bool is_left_out(const ifl_page *page, const ifl_column *column)
{
    return page_width(page) < (size_t)column->page_width;
}

/* The next line of a cell: all of it, or, where the column wraps, the words that fit. */
static const char *next_line(ifl_page *page, const char **rest, bool wraps, size_t room)
{
    const char *text = *rest;
    const size_t bytes = wraps && ifl_utf8_width(text) > room ? fit(text, room) : strlen(text);
    *rest = text + bytes + strspn(text + bytes, " ");
    const char *line = ifl_arena_text(&page->arena, text, bytes);
    page->no_memory |= !line;
    return line ? line : "";
}

/* One line of a row; false where nothing is left of any cell after it. */
static bool print_line(ifl_page *page, const ifl_table *table, const size_t *widths,
                       const ifl_row *row, const char **rest)
{
    size_t cursor = 0, column = (size_t)table->indent;
    bool more = false;
    for (size_t c = 0; c < table->column_count; c++) {
        if (is_left_out(page, &table->columns[c]))
            continue;
        const char *text = next_line(page, &rest[c], table->columns[c].wraps, widths[c]);
        const size_t whole = ifl_utf8_width(text), width = whole < widths[c] ? whole : widths[c];
        const size_t start = column + (table->columns[c].right ? widths[c] - width : 0);
        if (width) {
            spaces(page, start - cursor);
            (c ? put_cut : put_name)(page, row->style[c], text, widths[c]);
            cursor = start + width;
        }
        more |= *rest[c] != '\0';
        column += widths[c] + GAP;
    }
    fputc('\n', page->out);
    return more;
}

static void print_cells(ifl_page *page, const ifl_table *table, const size_t *widths,
                        const ifl_row *row)
{
    const char *rest[IFL_TABLE_COLUMNS];
    memcpy(rest, row->cell, sizeof rest);
    while (print_line(page, table, widths, row, rest))
        continue;
}

/* The note behind the text is left out where there is no room for some of it. */
static void print_span(ifl_page *page, const ifl_table *table, const ifl_row *row)
{
    const size_t indent = (size_t)table->indent > GAP ? (size_t)table->indent - GAP : 0;
    const size_t used = indent + ifl_utf8_width(row->span) + GAP, width = page_width(page);
    spaces(page, indent);
    put_cut(page, IFL_STYLE_STRONG, row->span,
            width > indent + LEAST_LAST ? width - indent : LEAST_LAST);
    if (row->span_note && *row->span_note && width >= used + LEAST_LAST) {
        spaces(page, GAP);
        put_cut(page, IFL_STYLE_DIM, row->span_note, width - used);
    }
    fputc('\n', page->out);
}

static void print_heads(ifl_page *page, const ifl_table *table, const size_t *widths)
{
    for (int line = 0; line < 2; line++) {
        ifl_row head = {0};
        bool any = false;
        for (size_t c = 0; c < table->column_count; c++) {
            const char *text = table->columns[c].head[line];
            head.cell[c] = text ? text : "";
            head.style[c] = IFL_STYLE_DIM;
            any |= text && *text;
        }
        if (any)
            print_cells(page, table, widths, &head);
    }
}

/* How narrow a column can get. Figures are never cut. */
static size_t least_width(const ifl_table *table, size_t column, size_t width)
{
    const ifl_column *c = &table->columns[column];
    const bool is_last = column + 1 == table->column_count;
    const size_t least = c->right   ? width
                         : c->wraps ? LEAST_WRAPPED
                         : is_last  ? LEAST_LAST
                                    : LEAST_CUT;
    return least < width ? least : width;
}

/* The column with most to give; column_count where none has. */
static size_t widest(const ifl_page *page, const ifl_table *table, const size_t *widths)
{
    size_t found = table->column_count, most = 0;
    for (size_t c = 0; c < table->column_count; c++) {
        const size_t spare = widths[c] - least_width(table, c, widths[c]);
        if (!is_left_out(page, &table->columns[c]) && spare > most) {
            most = spare;
            found = c;
        }
    }
    return found;
}

/* A column's cells as they are; where that is too wide, columns of text give way, the widest
 * first. */
static void lay_out(const ifl_page *page, const ifl_table *table, size_t *widths)
{
    size_t total = (size_t)table->indent;
    for (size_t c = 0; c < table->column_count; c++) {
        widths[c] = column_width(table, c);
        total += is_left_out(page, &table->columns[c]) ? 0 : widths[c] + GAP;
    }
    total -= GAP;
    for (size_t c;
         total > page_width(page) && (c = widest(page, table, widths)) < table->column_count;
         total--)
        widths[c]--;
}

/* ---- texts that are cut ---------------------------------------------------------------------- */

typedef struct long_texts {
    IFL_VEC(const char *) list; /* each once */
} long_texts;

static bool has_text(const long_texts *texts, const char *text)
{
    for (size_t i = 0; i < texts->list.count; i++)
        if (texts->list.at[i] == text || strcmp(texts->list.at[i], text) == 0)
            return true;
    return false;
}

/* Those of a column that are wider than it. */
static void find_long(ifl_page *page, const ifl_table *table, size_t column, size_t room,
                      long_texts *texts)
{
    for (size_t r = 0; r < table->rows.count; r++) {
        const char *text = table->rows.at[r].cell[column];
        if (!table->rows.at[r].span && ifl_utf8_width(text) > room && !has_text(texts, text))
            page->no_memory |= !ifl_vec_push(&texts->list, text);
    }
}

/* By what put_name leaves of the first column, put_cut of others. */
static bool looks_alike(const char *a, const char *b, size_t column, size_t room)
{
    const ifl_cut x = ifl_cut_middle(a, room), y = ifl_cut_middle(b, room);
    if (column)
        return strncmp(a, b, ifl_utf8_cut(a, room - 1)) == 0;
    return x.head == y.head && strncmp(a, b, x.head) == 0 && strcmp(x.tail, y.tail) == 0;
}

/* `text`, or, if it would look like another one, cut and with a number: "scan<128…int>~1f2e". */
static const char *told_apart(ifl_page *page, const long_texts *texts, const char *text,
                              size_t column, size_t room)
{
    enum { NUMBER = 5 };
    size_t alike = 0;
    if (ifl_utf8_width(text) <= room || room <= NUMBER)
        return text;
    for (size_t i = 0; i < texts->list.count; i++)
        alike += looks_alike(text, texts->list.at[i], column, room);
    if (alike < 2)
        return text;
    const ifl_cut cut = ifl_cut_middle(text, room - NUMBER);
    return ifl_page_kept(page, ifl_arena_printf(&page->arena, "%.*s…%s~%04" PRIx32, (int)cut.head,
                                                text, cut.tail, ifl_short_name_number(text)));
}

static void tell_apart(ifl_page *page, const ifl_table *table, const size_t *widths, size_t r,
                       const long_texts *texts, ifl_row *row)
{
    *row = table->rows.at[r];
    for (size_t c = 0; c < table->column_count && !row->span; c++)
        if (texts[c].list.count)
            row->cell[c] = told_apart(page, &texts[c], row->cell[c], c, widths[c]);
}

static void text_table(ifl_page *page, const ifl_table *table)
{
    size_t widths[IFL_TABLE_COLUMNS];
    long_texts texts[IFL_TABLE_COLUMNS] = {0};
    ifl_row row;
    lay_out(page, table, widths);
    for (size_t c = 0; c < table->column_count; c++)
        if (c == 0 || table->told_apart >> c & 1)
            find_long(page, table, c, widths[c], &texts[c]);
    print_heads(page, table, widths);
    for (size_t r = 0; r < table->rows.count; r++) {
        tell_apart(page, table, widths, r, texts, &row);
        if (row.span)
            print_span(page, table, &row);
        else
            print_cells(page, table, widths, &row);
    }
    for (size_t c = 0; c < table->column_count; c++)
        ifl_vec_free(&texts[c].list);
}

static const ifl_page_form text_form = {
    .title = text_title,
    .gap = text_gap,
    .heading = text_heading,
    .paragraph = text_paragraph,
    .table = text_table,
};

/* ---- in any form ----------------------------------------------------------------------------- */

static const ifl_page_form *form_of(const ifl_page *page)
{
    return page->form ? page->form : &text_form;
}

static bool is_there(ifl_page *page, const char *text)
{
    page->no_memory |= !text;
    return text != NULL;
}

const char *ifl_page_kept(ifl_page *page, const char *text)
{
    return is_there(page, text) ? text : "";
}

void ifl_page_title(ifl_page *page, const char *text)
{
    if (is_there(page, text))
        form_of(page)->title(page, text);
}

void ifl_page_gap(ifl_page *page)
{
    form_of(page)->gap(page);
}

void ifl_page_heading(ifl_page *page, const char *text)
{
    if (is_there(page, text))
        form_of(page)->heading(page, text);
}

void ifl_page_paragraph(ifl_page *page, int first, int rest, ifl_style style, const char *text)
{
    if (is_there(page, text))
        form_of(page)->paragraph(page, first, rest, style, text);
}

static bool row_is_whole(const ifl_row *row, size_t column_count)
{
    for (size_t c = 0; !row->span && c < column_count; c++)
        if (!row->cell[c])
            return false;
    return true;
}

void ifl_table_add(ifl_page *page, ifl_table *table, const ifl_row *row)
{
    if (!row_is_whole(row, table->column_count) || !ifl_vec_push(&table->rows, *row))
        page->no_memory = true;
}

void ifl_table_print(ifl_page *page, ifl_table *table)
{
    form_of(page)->table(page, table);
    ifl_vec_free(&table->rows);
}

/* ---- charts ---------------------------------------------------------------------------------- */

bool ifl_page_has_charts(const ifl_page *page)
{
    return form_of(page)->charts != NULL;
}

void ifl_page_charts_start(ifl_page *page)
{
    if (ifl_page_has_charts(page))
        form_of(page)->charts(page, true);
}

void ifl_page_charts_end(ifl_page *page)
{
    if (ifl_page_has_charts(page))
        form_of(page)->charts(page, false);
}

static bool bars_are_whole(const ifl_bars *bars)
{
    bool whole = bars->title && bars->summary && bars->name[0];
    for (size_t i = 0; whole && i < bars->list.count; i++) {
        const ifl_bar *b = &bars->list.at[i];
        whole = b->label && b->text[0] && (!bars->name[1] || b->text[1]);
    }
    return whole;
}

void ifl_page_bars(ifl_page *page, ifl_bars *bars)
{
    if (!bars_are_whole(bars))
        page->no_memory = true;
    else if (ifl_page_has_charts(page))
        form_of(page)->bars(page, bars);
    ifl_vec_free(&bars->list);
}

static bool axis_is_whole(const ifl_axis *axis)
{
    bool whole = axis->label != NULL;
    for (size_t i = 0; i < axis->tick_count; i++)
        whole &= axis->ticks[i].text != NULL;
    return whole;
}

void ifl_page_plot(ifl_page *page, ifl_plot *plot)
{
    if (!plot->title || !plot->summary || !plot->mark_text || !axis_is_whole(&plot->x) ||
        !axis_is_whole(&plot->y))
        page->no_memory = true;
    else if (ifl_page_has_charts(page))
        form_of(page)->plot(page, plot);
    ifl_vec_free(&plot->curve);
}
