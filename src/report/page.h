/* SPDX-License-Identifier: Apache-2.0
 * A page of titles, paragraphs and tables, in a few styles, as plain text or as HTML: what a report
 * says does not know which. Text by hand and not with a table library, because those take the width
 * of a character from the process's locale, which a library must not set. */
#ifndef IFL_REPORT_PAGE_H
#define IFL_REPORT_PAGE_H

#include "base/arena.h"
#include "base/vec.h"
#include "report/chart.h"

#include <stdio.h>

typedef enum ifl_style {
    IFL_STYLE_PLAIN,
    IFL_STYLE_STRONG,
    IFL_STYLE_DIM,
    IFL_STYLE_GOOD,
    IFL_STYLE_WARN,
    IFL_STYLE_BAD
} ifl_style;

typedef struct ifl_page_form ifl_page_form;

typedef struct ifl_page {
    FILE *out;
    const ifl_page_form *form; /* NULL: text */
    bool color;
    int width;       /* columns; 0: not known, 100 */
    bool no_memory;  /* a text was NULL, or a row could not be added: the page is not whole */
    ifl_arena arena; /* for the texts of the page */
} ifl_page;

/* As it is, in a page of text only. */
void ifl_page_text(ifl_page *page, ifl_style style, const char *text);
void ifl_page_title(ifl_page *page, const char *text);
/* A blank line, where the form needs one to set paragraphs apart. */
void ifl_page_gap(ifl_page *page);
void ifl_page_heading(ifl_page *page, const char *text);
/* Words of `text` wrapped to the page; `first` and `rest` are the indents of the first and the
 * other lines. */
void ifl_page_paragraph(ifl_page *page, int first, int rest, ifl_style style, const char *text);

enum { IFL_TABLE_COLUMNS = 10 };

typedef struct ifl_column {
    const char *head[2]; /* two lines; the second may be NULL in all columns */
    bool right;
    int page_width; /* the column is left out on a page narrower than this */
    bool wraps;     /* text that does not fit goes on in further lines; else it is cut */
} ifl_column;

/* A row of cells, or, where `span` is not NULL, one text across all columns. */
typedef struct ifl_row {
    const char *cell[IFL_TABLE_COLUMNS];
    ifl_style style[IFL_TABLE_COLUMNS];
    const char *span;
    const char *span_note; /* behind the span, dim; or NULL */
    const char
        *link; /* where the first cell leads on a page that has links: "#launch-2"; or NULL */
} ifl_row;

typedef struct ifl_table {
    const ifl_column *columns;
    size_t column_count;
    unsigned told_apart; /* a bit for each further column whose texts must not look alike */
    int indent;
    IFL_VEC(ifl_row) rows;
} ifl_table;

void ifl_table_add(ifl_page *page, ifl_table *table, const ifl_row *row);
/* Prints the table and frees its rows. Where the page is too narrow columns of text are cut, the
 * widest first; texts of the first column that would look alike then have a number behind them. */
void ifl_table_print(ifl_page *page, ifl_table *table);

/* `text`, or "" and a page that is not whole where it is NULL. */
const char *ifl_page_kept(ifl_page *page, const char *text);

/* Charts stand between a start and an end, side by side where there is room. Pages of text have
 * none. A chart's list is freed; one with a text that is NULL is not drawn and leaves the page not
 * whole. */
bool ifl_page_has_charts(const ifl_page *page);
void ifl_page_charts_start(ifl_page *page);
void ifl_page_charts_end(ifl_page *page);
void ifl_page_bars(ifl_page *page, ifl_bars *bars);
void ifl_page_plot(ifl_page *page, ifl_plot *plot);

/* Whether the word at `at` is the unit of the figure before the blank: a line does not end between
 * them. */
bool ifl_page_is_unit(const char *text, size_t at);

/* How a page comes out: a function for each thing that stands on it. No text is NULL here. */
struct ifl_page_form {
    void (*title)(ifl_page *page, const char *text);
    void (*gap)(ifl_page *page);
    void (*heading)(ifl_page *page, const char *text);
    void (*paragraph)(ifl_page *page, int first, int rest, ifl_style style, const char *text);
    void (*table)(ifl_page *page, const ifl_table *table);
    /* NULL in a form without charts. */
    void (*charts)(ifl_page *page, bool start);
    void (*bars)(ifl_page *page, const ifl_bars *bars);
    void (*plot)(ifl_page *page, const ifl_plot *plot);
};
extern const ifl_page_form ifl_page_form_html;

#endif
