/* SPDX-License-Identifier: Apache-2.0
 * Sweeps for people: one metric along the last variable, as numbers with bars. Plain characters;
 * the bars take what the terminal's width leaves. */
#include "lab.h"
#include "lab_grid.h"
#include "terminal.h"

#include <string.h>

enum { WIDTH_OF_A_FILE = 100, LONGEST_BAR = 60, SHORTEST_BAR = 10 };

typedef struct chart {
    const ifl_cli_sheet *sheet;
    const char *sweep, *metric, *gpu;
    ifl_cli_source source;
    double most;
    int label_width, bar_width;
} chart;

static bool belongs(const chart *c, size_t row, double *value)
{
    const ifl_cli_row *r = &c->sheet->rows[row];
    return r->sweep && strcmp(r->sweep, c->sweep) == 0 &&
           ifl_cli_sheet_get(c->sheet, row, c->source, c->gpu, c->metric, value);
}

/* The last setting is the axis; the others and the version name the series. */
static void series_label(const chart *c, size_t row, char *to, size_t size)
{
    ifl_cli_sheet_label(c->sheet, row, to, size);
    char *comma = strrchr(to, ',');
    if (comma)
        *comma = '\0';
}

static void measure(chart *c)
{
    const int width = ifl_cli_width();
    for (size_t row = 0; row < c->sheet->row_count; row++) {
        double value;
        char text[64];
        const ifl_cli_row *r = &c->sheet->rows[row];
        if (!belongs(c, row, &value))
            continue;
        const int length =
            snprintf(text, sizeof text, "%s = %.15g", r->settings[r->setting_count - 1].name,
                     r->settings[r->setting_count - 1].value);
        c->label_width = length > c->label_width ? length : c->label_width;
        c->most = value > c->most ? value : c->most;
    }
    c->bar_width = (width ? width : WIDTH_OF_A_FILE) - c->label_width - 26;
    if (c->bar_width > LONGEST_BAR)
        c->bar_width = LONGEST_BAR;
    if (c->bar_width < SHORTEST_BAR)
        c->bar_width = SHORTEST_BAR;
}

static void print_bar(const chart *c, size_t row, double value, FILE *out)
{
    const ifl_cli_row *r = &c->sheet->rows[row];
    const ifl_cli_metric metric = ifl_cli_lab_metric(c->metric);
    char label[64], number[64];
    snprintf(label, sizeof label, "%s = %.15g", r->settings[r->setting_count - 1].name,
             r->settings[r->setting_count - 1].value);
    ifl_cli_grid_number(value * metric.factor, metric.decimals, number, sizeof number);
    fprintf(out, "    %-*s %14s %s ", c->label_width, label, number, metric.unit);
    const int bar = c->most > 0 ? (int)(value / c->most * c->bar_width + 0.5) : 0;
    for (int i = 0; i < bar; i++)
        fputc('#', out);
    fputc('\n', out);
}

static void print_chart(chart *c, FILE *out)
{
    static const char *const words[] = {"published", "counted", "modelled", "measured"};
    char before[200] = "", label[200];
    measure(c);
    bool any = false;
    for (size_t row = 0; row < c->sheet->row_count; row++) {
        double value;
        if (!belongs(c, row, &value))
            continue;
        if (!any)
            fprintf(out, "\n  sweep %s: %s, %s%s%s\n", c->sweep,
                    ifl_cli_lab_metric(c->metric).heading, words[c->source], c->gpu ? " for " : "",
                    c->gpu ? c->gpu : "");
        any = true;
        series_label(c, row, label, sizeof label);
        if (strcmp(label, before) != 0)
            fprintf(out, "  %s\n", label);
        snprintf(before, sizeof before, "%s", label);
        print_bar(c, row, value, out);
    }
}

void ifl_cli_lab_chart(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheet, FILE *out)
{
    const char *of_case = ifl_lab_text(sheet->lab, IFL_LAB_COMMON, "chart"), *gpu;
    chart c = {.sheet = sheet, .sweep = request->sweep};
    c.metric = request->metric ? request->metric : of_case ? of_case : "useful_gb_per_s";
    c.source = IFL_CLI_ENGINE;
    print_chart(&c, out);
    for (size_t i = 0; (gpu = ifl_cli_sheet_gpu(sheet, i)); i++)
        for (c.source = IFL_CLI_MODELLED; c.source <= IFL_CLI_MEASURED; c.source++) {
            c.gpu = gpu;
            c.most = 0;
            print_chart(&c, out);
        }
}
