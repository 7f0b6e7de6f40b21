/* SPDX-License-Identifier: Apache-2.0
 * Sweeps as tables: a line a version and setting, a column a value of the last variable, one
 * metric. It computes nothing. */
#include "lab.h"
#include "lab_grid.h"
#include "terminal.h"

#include <string.h>

enum { MOST_COLUMNS = 64 };

typedef struct table {
    const ifl_cli_sheet *sheet;
    const char *sweep, *gpu; /* no GPU: what the engine counts */
    ifl_cli_metric metric;
    bool one_version, markdown;
    size_t lines[IFL_CLI_SOURCES]; /* that have figures of the source */
    double columns[MOST_COLUMNS];
    size_t column_count;
} table;

static bool belongs(const table *t, size_t row)
{
    const ifl_cli_row *r = &t->sheet->rows[row];
    return r->sweep && strcmp(r->sweep, t->sweep) == 0 && r->setting_count > 0;
}

static const ifl_lab_setting *last_setting(const table *t, size_t row)
{
    const ifl_cli_row *r = &t->sheet->rows[row];
    return &r->settings[r->setting_count - 1];
}

static bool figure(const table *t, size_t row, ifl_cli_source source, double *value)
{
    return (source == IFL_CLI_ENGINE) == !t->gpu &&
           ifl_cli_sheet_get(t->sheet, row, source, t->gpu, t->metric.name, value);
}

static size_t column_of(const table *t, double value)
{
    size_t c = 0;
    while (c < t->column_count && t->columns[c] != value)
        c++;
    return c;
}

const char *ifl_cli_lab_number(double value, char *to, size_t size)
{
    const double mebi = 1024 * 1024, kibi = 1024;
    const bool whole_mebi = value >= mebi && value / mebi == (double)(long long)(value / mebi);
    const bool whole_kibi = value > kibi && value / kibi == (double)(long long)(value / kibi);
    snprintf(to, size, "%.15g%s",
             whole_mebi   ? value / mebi
             : whole_kibi ? value / kibi
                          : value,
             whole_mebi   ? "Mi"
             : whole_kibi ? "Ki"
                          : "");
    return to;
}

static const char *line_label(const table *t, size_t row, char *to, size_t size)
{
    const ifl_cli_row *r = &t->sheet->rows[row];
    char number[40];
    size_t used = 0;
    to[0] = '\0';
    if (!t->one_version || r->setting_count == 1)
        used = (size_t)snprintf(to, size, "%s", ifl_lab_version_name(t->sheet->lab, r->version));
    for (size_t i = 0; i + 1 < r->setting_count && used < size; i++)
        used += (size_t)snprintf(to + used, size - used, "%s%s = %s", used ? ", " : "",
                                 r->settings[i].name,
                                 ifl_cli_lab_number(r->settings[i].value, number, sizeof number));
    return to;
}

/* Two rows stand in one line when nothing but the last setting tells them apart. */
static bool same_line(const table *t, size_t a, size_t b)
{
    const ifl_cli_row *x = &t->sheet->rows[a], *y = &t->sheet->rows[b];
    bool same = x->version == y->version && x->setting_count == y->setting_count;
    for (size_t i = 0; same && i + 1 < x->setting_count; i++)
        same = strcmp(x->settings[i].name, y->settings[i].name) == 0 &&
               x->settings[i].value == y->settings[i].value;
    return same;
}

/* Which columns and sources there are; the first row of the sweep, row_count where it has no
 * figure. */
static size_t survey(table *t)
{
    size_t first = t->sheet->row_count;
    double value;
    t->one_version = true;
    for (size_t row = 0; row < t->sheet->row_count; row++) {
        bool any = false;
        for (ifl_cli_source s = IFL_CLI_ENGINE; belongs(t, row) && s < IFL_CLI_SOURCES; s++)
            if (figure(t, row, s, &value)) {
                t->lines[s]++;
                any = true;
            }
        if (!any)
            continue;
        if (first == t->sheet->row_count)
            first = row;
        t->one_version &= t->sheet->rows[row].version == t->sheet->rows[first].version;
        const double at = last_setting(t, row)->value;
        if (column_of(t, at) == t->column_count && t->column_count < MOST_COLUMNS)
            t->columns[t->column_count++] = at;
    }
    return first;
}

static const char *const words[] = {"published", "counted", "modelled", "measured"};

static void fill_line(const table *t, size_t row, ifl_cli_source source, bool several,
                      ifl_cli_grid *grid, size_t line)
{
    char text[200];
    ifl_cli_grid_set(grid, line, 0, "%s%s%s", line_label(t, row, text, sizeof text),
                     several ? ", " : "", several ? words[source] : "");
    for (size_t other = row; other < t->sheet->row_count; other++) {
        double value;
        if (belongs(t, other) && same_line(t, row, other) && figure(t, other, source, &value))
            ifl_cli_grid_set(grid, line, 1 + column_of(t, last_setting(t, other)->value), "%s",
                             ifl_cli_lab_value_text(&t->metric, value, text, sizeof text));
    }
}

/* Is the row the first of a line that has a figure of that source? */
static bool begins_line(const table *t, size_t row, ifl_cli_source source)
{
    double value;
    bool any = false;
    for (size_t before = 0; belongs(t, row) && before < row; before++)
        if (belongs(t, before) && same_line(t, before, row))
            return false;
    for (size_t other = row; belongs(t, row) && other < t->sheet->row_count && !any; other++)
        any = belongs(t, other) && same_line(t, row, other) && figure(t, other, source, &value);
    return any;
}

/* `source`: NULL where each line says its own. */
static void fill_head(const table *t, size_t first, ifl_cli_grid *grid, const char *source)
{
    char number[40];
    ifl_cli_grid_set(grid, 0, 0, "%s: %s%s%s%s%s%s%s", t->sweep, t->metric.heading,
                     *t->metric.unit ? ", " : "", t->metric.unit, t->gpu ? ", " : "",
                     t->gpu ? t->gpu : "", source ? ", " : "", source ? source : "");
    for (size_t c = 0; c < t->column_count; c++)
        ifl_cli_grid_set(grid, 0, c + 1, "%s%s%s", c ? "" : last_setting(t, first)->name,
                         c ? "" : " = ", ifl_cli_lab_number(t->columns[c], number, sizeof number));
}

static void print_table(table *t, FILE *out)
{
    const size_t first = survey(t);
    size_t kinds = 0, line = 1;
    const char *source = NULL;
    if (first == t->sheet->row_count)
        return;
    for (ifl_cli_source s = 0; s < IFL_CLI_SOURCES; s++) {
        kinds += t->lines[s] > 0;
        source = t->lines[s] ? words[s] : source;
    }
    ifl_cli_grid grid = ifl_cli_grid_new(t->sheet->row_count * kinds + 1, t->column_count + 1);
    fill_head(t, first, &grid, kinds == 1 ? source : NULL);
    for (size_t row = first; row < t->sheet->row_count; row++)
        for (ifl_cli_source s = 0; s < IFL_CLI_SOURCES; s++)
            if (begins_line(t, row, s))
                fill_line(t, row, s, kinds > 1, &grid, line++);
    const size_t rows = grid.rows;
    grid.rows = line;
    fputc('\n', out);
    if (t->markdown)
        ifl_cli_grid_print_markdown(&grid, 1, out);
    else
        ifl_cli_grid_print(&grid, 1, ifl_cli_table_width(), out);
    grid.rows = rows;
    ifl_cli_grid_free(&grid);
}

/* Of each GPU; of none, for what the engine counts. */
static void print_sweep(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheet,
                        const char *sweep, FILE *out)
{
    const char *of_case = ifl_lab_text(sheet->lab, IFL_LAB_COMMON, "chart"), *gpu;
    table t = {.sheet = sheet, .sweep = sweep, .markdown = request->markdown};
    t.metric = ifl_cli_lab_metric(request->metric ? request->metric
                                  : of_case       ? of_case
                                                  : "useful_gb_per_s");
    table counted = t;
    print_table(&counted, out);
    for (size_t i = 0; (gpu = ifl_cli_sheet_gpu(sheet, i)); i++) {
        table own = t;
        own.gpu = gpu;
        print_table(&own, out);
    }
}

void ifl_cli_lab_sweeps(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheet, FILE *out)
{
    for (size_t row = 0; row < sheet->row_count; row++) {
        const char *sweep = sheet->rows[row].sweep;
        bool before = !sweep; /* names are kept once: equal when the same */
        for (size_t k = 0; k < row && !before; k++)
            before = sheet->rows[k].sweep == sweep;
        if (!before)
            print_sweep(request, sheet, sweep, out);
    }
}
