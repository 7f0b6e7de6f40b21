/* SPDX-License-Identifier: Apache-2.0
 * Titles, paragraphs and tables as HTML. Classes are the styles; their look is defined in
 * report_html.c. Knows nothing of the contents. */
#include "report/page.h"

#include "base/figure.h"
#include "report/svg.h"

#include <stdlib.h>
#include <string.h>

enum { LONG = 32 }; /* columns of a text that wraps where the table would be too wide */

static const char *const classes[] = {
    [IFL_STYLE_PLAIN] = "plain", [IFL_STYLE_STRONG] = "strong", [IFL_STYLE_DIM] = "dim",
    [IFL_STYLE_GOOD] = "good",   [IFL_STYLE_WARN] = "warn",     [IFL_STYLE_BAD] = "bad",
};

static void put(ifl_page *page, const char *text)
{
    ifl_html_put(page->out, text);
}

static void put_element(ifl_page *page, const char *tag, const char *text)
{
    fprintf(page->out, "<%s>", tag);
    put(page, text);
    fprintf(page->out, "</%s>\n", tag);
}

static void html_title(ifl_page *page, const char *text)
{
    put_element(page, "h1", text);
}

static void html_gap(ifl_page *page)
{
    (void)page; /* elements have their own distances */
}

static void html_heading(ifl_page *page, const char *text)
{
    put_element(page, "h2", text);
}

static void html_paragraph(ifl_page *page, int first, int rest, ifl_style style, const char *text)
{
    /* In em: a ch is wider in bold. */
    const double column = 0.6;
    fprintf(page->out, "<p class=\"%s\" style=\"padding-left:%.1fem;text-indent:%.1fem\">",
            classes[style], column * rest, column * (first - rest));
    /* A line does not end between a figure and its unit. */
    static const char no_break[] = "\xc2\xa0"; /* U+00A0 */
    char *copy = ifl_arena_alloc(&page->arena, sizeof no_break * strlen(text) + 1), *to = copy;
    for (size_t i = 0; copy && text[i]; i++) {
        if (text[i] == ' ' && ifl_page_is_unit(text, i + 1)) {
            memcpy(to, no_break, sizeof no_break - 1);
            to += sizeof no_break - 1;
        } else {
            *to++ = text[i];
        }
    }
    if (copy)
        *to = '\0';
    put(page, ifl_page_kept(page, copy));
    fputs("</p>\n", page->out);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* "87 %", "≈87 %": a share, which gets a bar behind it. */
static bool is_share(const char *text, double *percent)
{
    static const char about[] = "≈";
    const size_t skipped = strncmp(text, about, sizeof about - 1) == 0 ? sizeof about - 1 : 0;
    char *end;
    *percent = strtod(text + skipped, &end);
    return end != text + skipped && strcmp(end, " %") == 0 && *percent >= 0 && *percent <= 100;
}

static void put_head(ifl_page *page, const ifl_column *column)
{
    const char *first = column->head[0] ? column->head[0] : "",
               *second = column->head[1] ? column->head[1] : "";
    fprintf(page->out, "<th scope=\"col\"%s>", column->right ? " class=\"right\"" : "");
    put(page, first);
    fputs(*first && *second ? "<br/>" : "", page->out);
    put(page, second);
    fputs("</th>", page->out);
}

static void put_link(ifl_page *page, const char *link, const char *text)
{
    fputs("<a href=\"", page->out);
    put(page, link);
    fputs("\">", page->out);
    put(page, text);
    fputs("</a>", page->out);
}

static void put_cell(ifl_page *page, const ifl_column *column, const char *text, ifl_style style,
                     const char *link)
{
    double percent;
    const bool is_long = !column->right && ifl_utf8_width(text) > LONG;
    fprintf(page->out, "<td class=\"%s%s", classes[style],
            column->right ? " right"
            : is_long     ? " long"
                          : "");
    if (is_share(text, &percent))
        fprintf(page->out, " share\" style=\"--share:%.4g%%", percent);
    fputs("\">", page->out);
    if (link)
        put_link(page, link, text);
    else
        put(page, text);
    fputs("</td>", page->out);
}

static void put_span(ifl_page *page, const ifl_row *row, size_t columns)
{
    fprintf(page->out, "<tr class=\"span\"><td colspan=\"%zu\"><b>", columns);
    put(page, row->span);
    fputs("</b>", page->out);
    if (row->span_note && *row->span_note) {
        fputs(" <code>", page->out);
        put(page, row->span_note);
        fputs("</code>", page->out);
    }
    fputs("</td></tr>\n", page->out);
}

static void put_row(ifl_page *page, const ifl_table *table, const ifl_row *row)
{
    fputs("<tr>", page->out);
    for (size_t c = 0; c < table->column_count; c++)
        put_cell(page, &table->columns[c], row->cell[c], row->style[c], c == 0 ? row->link : NULL);
    fputs("</tr>\n", page->out);
}

static void html_table(ifl_page *page, const ifl_table *table)
{
    fputs("<div class=\"table\"><table>\n<thead><tr>", page->out);
    for (size_t c = 0; c < table->column_count; c++)
        put_head(page, &table->columns[c]);
    fputs("</tr></thead>\n<tbody>\n", page->out);
    for (size_t r = 0; r < table->rows.count; r++) {
        if (table->rows.at[r].span)
            put_span(page, &table->rows.at[r], table->column_count);
        else
            put_row(page, table, &table->rows.at[r]);
    }
    fputs("</tbody>\n</table></div>\n", page->out);
}

/* ---- charts ---------------------------------------------------------------------------------- */

static void html_charts(ifl_page *page, bool start)
{
    fputs(start ? "<div class=\"charts\">\n" : "</div>\n", page->out);
}

static void html_bars(ifl_page *page, const ifl_bars *bars)
{
    ifl_svg_bars(page->out, bars);
}

static void html_plot(ifl_page *page, const ifl_plot *plot)
{
    ifl_svg_plot(page->out, plot);
}

const ifl_page_form ifl_page_form_html = {
    .title = html_title,
    .gap = html_gap,
    .heading = html_heading,
    .paragraph = html_paragraph,
    .table = html_table,
    .charts = html_charts,
    .bars = html_bars,
    .plot = html_plot,
};
