/* SPDX-License-Identifier: Apache-2.0
 * A case's sheet for people: what the engine counted, and for every GPU what was published,
 * modelled and measured. It computes nothing. */
#include "lab.h"
#include "lab_grid.h"
#include "terminal.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { MOST_METRICS = 40 };

static bool is_plain(const ifl_cli_sheet *sheet, size_t row)
{
    return sheet->rows[row].setting_count == 0;
}

static const char *role_of(const ifl_cli_sheet *sheet, size_t row)
{
    return ifl_lab_text(sheet->lab, sheet->rows[row].version, "role");
}

/* What stands behind a version's name that no document has. */
static const char *remark_of(const ifl_cli_sheet *sheet, size_t row)
{
    const char *role = role_of(sheet, row);
    if (role && strcmp(role, "ours") == 0)
        return " (ours)";
    return role && strcmp(role, "peer") == 0 ? " (a peer)" : "";
}

static void set_version(ifl_cli_grid *grid, size_t at, const ifl_cli_sheet *sheet, size_t row)
{
    char label[200];
    ifl_cli_grid_set(grid, at, 0, "%s%s", ifl_cli_sheet_label(sheet, row, label, sizeof label),
                     remark_of(sheet, row));
}

/* ---- the engine ------------------------------------------------------------------------------ */

static const char *const verdicts[] = {[IFL_CLI_NOT_RUN] = "",
                                       [IFL_CLI_UNCHECKED] = "no reference",
                                       [IFL_CLI_RIGHT] = "right",
                                       [IFL_CLI_WRONG] = "WRONG",
                                       [IFL_CLI_FAILED] = "FAILED"};

static const char *const engine_metrics[] = {
    "ptx_instructions", "global_load_requests",       "sectors_per_load",
    "load_efficiency",  "global_store_requests",      "sectors_per_store",
    "store_efficiency", "wavefronts_per_shared_load", "wavefronts_per_shared_store",
};

enum { ENGINE_METRICS = sizeof engine_metrics / sizeof *engine_metrics };

static void print_grid(const ifl_cli_lab_request *request, const ifl_cli_grid *grid, size_t head,
                       FILE *out)
{
    if (request->markdown)
        ifl_cli_grid_print_markdown(grid, head, out);
    else
        ifl_cli_grid_print(grid, head, ifl_cli_table_width(), out);
}

static void print_engine(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheet, FILE *out)
{
    ifl_cli_grid grid = ifl_cli_grid_new(sheet->row_count + 1, ENGINE_METRICS + 2);
    size_t at = 1;
    ifl_cli_grid_set(&grid, 0, 0, "%s", request->on_gpu ? "on the GPU" : "on the engine");
    ifl_cli_grid_set(&grid, 0, 1, "result");
    for (size_t m = 0; m < ENGINE_METRICS; m++)
        ifl_cli_grid_set(&grid, 0, m + 2, "%s", ifl_cli_lab_metric(engine_metrics[m]).heading);
    for (size_t row = 0; row < sheet->row_count; row++) {
        if (!is_plain(sheet, row) || sheet->rows[row].verdict == IFL_CLI_NOT_RUN)
            continue;
        set_version(&grid, at, sheet, row);
        ifl_cli_grid_set(&grid, at, 1, "%s", verdicts[sheet->rows[row].verdict]);
        for (size_t m = 0; m < ENGINE_METRICS; m++) {
            const ifl_cli_metric metric = ifl_cli_lab_metric(engine_metrics[m]);
            double value;
            if (ifl_cli_sheet_get(sheet, row, IFL_CLI_ENGINE, NULL, metric.name, &value)) {
                char text[64];
                ifl_cli_grid_number(value * metric.factor, metric.decimals, text, sizeof text);
                ifl_cli_grid_set(&grid, at, m + 2, "%s%s", text,
                                 strcmp(metric.unit, "%") == 0 ? " %" : "");
            }
        }
        at++;
    }
    grid.rows = at;
    if (at > 1)
        print_grid(request, &grid, 1, out);
    grid.rows = sheet->row_count + 1;
    ifl_cli_grid_free(&grid);
}

/* ---- a GPU ----------------------------------------------------------------------------------- */

static const char *const source_words[] = {[IFL_CLI_PUBLISHED] = "published",
                                           [IFL_CLI_ENGINE] = "counted",
                                           [IFL_CLI_MODELLED] = "modelled",
                                           [IFL_CLI_MEASURED] = "measured"};

/* Always shown where known, in this order; what a document publishes beyond them follows. */
static const char *const first_metrics[] = {"time_us",       "speedup",          "useful_gb_per_s",
                                            "copy_gb_per_s", "dram_utilization", "limiter"};

typedef struct metrics {
    const char *names[MOST_METRICS];
    size_t count;
    char shown[200];
} metrics;

static void add_metric(metrics *m, const char *name)
{
    for (size_t i = 0; i < m->count; i++)
        if (strcmp(m->names[i], name) == 0)
            return;
    if (m->count < MOST_METRICS)
        m->names[m->count++] = name;
}

/* The words of the case's `show`. */
static void add_shown(metrics *m, const ifl_cli_sheet *sheet)
{
    const char *text = ifl_lab_text(sheet->lab, IFL_LAB_COMMON, "show");
    char *state = NULL;
    snprintf(m->shown, sizeof m->shown, "%s", text ? text : "");
    for (char *word = strtok_r(m->shown, " ", &state); word; word = strtok_r(NULL, " ", &state))
        add_metric(m, word);
}

static void find_metrics(metrics *m, const ifl_cli_sheet *sheet, const char *gpu)
{
    for (size_t i = 0; i < sizeof first_metrics / sizeof *first_metrics; i++)
        add_metric(m, first_metrics[i]);
    add_shown(m, sheet);
    for (size_t i = 0; i < sheet->figure_count; i++) {
        const ifl_cli_figure *f = &sheet->figures[i];
        if (f->gpu && strcmp(f->gpu, gpu) == 0 && f->source == IFL_CLI_PUBLISHED)
            add_metric(m, f->metric);
    }
}

static void set_heading(ifl_cli_grid *grid, size_t column, const ifl_cli_metric *metric,
                        ifl_cli_source source)
{
    ifl_cli_grid_set(grid, 0, column, "%s%s%s", metric->heading, *metric->unit ? ", " : "",
                     metric->unit);
    ifl_cli_grid_set(grid, 1, column, "%s", source_words[source]);
}

static bool fill_gpu_row(ifl_cli_grid *grid, size_t at, const ifl_cli_sheet *sheet, size_t row,
                         const char *gpu, const metrics *m)
{
    bool any = false;
    for (size_t i = 0; i < m->count; i++)
        for (ifl_cli_source s = 0; s < IFL_CLI_SOURCES; s++) {
            const ifl_cli_metric metric = ifl_cli_lab_metric(m->names[i]);
            const size_t column = 1 + IFL_CLI_SOURCES * i + s;
            double value;
            char text[64];
            if (!ifl_cli_sheet_get(sheet, row, s, s == IFL_CLI_ENGINE ? NULL : gpu, metric.name,
                                   &value))
                continue;
            any |= s != IFL_CLI_ENGINE;
            set_heading(grid, column, &metric, s);
            ifl_cli_grid_set(grid, at, column, "%s",
                             ifl_cli_lab_value_text(&metric, value, text, sizeof text));
        }
    return any;
}

/* In Markdown as it is; on a terminal wrapped, what begins with blanks by four columns more. */
static void say(const ifl_cli_lab_request *request, FILE *out, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void say(const ifl_cli_lab_request *request, FILE *out, const char *format, ...)
{
    enum { FURTHER = 4 };
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (request->markdown)
        fputs(text, out);
    else
        ifl_cli_print_wrapped(text, 0, FURTHER, out);
}

/* Whether the result of every row that has a time was checked against the reference. */
static bool all_verified(const ifl_cli_sheet *sheet, const char *gpu)
{
    double value;
    for (size_t row = 0; row < sheet->row_count; row++)
        if (ifl_cli_sheet_get(sheet, row, IFL_CLI_MEASURED, gpu, "time_us", &value) &&
            !ifl_cli_sheet_get(sheet, row, IFL_CLI_MEASURED, gpu, "verified", &value))
            return false;
    return true;
}

static void print_origin(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheet,
                         const char *gpu, FILE *out)
{
    for (size_t i = 0; i < sheet->origin_count; i++)
        if (strcmp(sheet->origins[i].gpu, gpu) == 0)
            say(request, out, request->markdown ? "\nMeasured: %s%s.\n" : "  measured: %s%s",
                sheet->origins[i].text,
                all_verified(sheet, gpu) ? "; every result checked against the reference" : "");
}

static void print_gpu(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheet,
                      const char *gpu, FILE *out)
{
    metrics m = {0};
    find_metrics(&m, sheet, gpu);
    const size_t rows = sheet->row_count + 2;
    ifl_cli_grid grid = ifl_cli_grid_new(rows, IFL_CLI_SOURCES * m.count + 1);
    size_t at = 2;
    ifl_cli_grid_set(&grid, 0, 0, "%s", gpu);
    for (size_t row = 0; row < sheet->row_count; row++)
        if (is_plain(sheet, row) && fill_gpu_row(&grid, at, sheet, row, gpu, &m))
            set_version(&grid, at++, sheet, row);
    grid.rows = at;
    if (at > 2) {
        fputc('\n', out);
        print_grid(request, &grid, 2, out);
        print_origin(request, sheet, gpu, out);
    }
    grid.rows = rows;
    ifl_cli_grid_free(&grid);
}

/* ---- the case -------------------------------------------------------------------------------- */

static void print_head(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheet, FILE *out)
{
    const ifl_lab *lab = sheet->lab;
    const char *document = ifl_lab_text(lab, IFL_LAB_COMMON, "document");
    if (request->markdown) {
        fprintf(out, "## %s\n\n%s. ", ifl_lab_name(lab),
                ifl_lab_text(lab, IFL_LAB_COMMON, "title"));
        fprintf(out, document ? "From *%s*: %s.\n" : "%s%s.\n", document ? document : "",
                ifl_lab_text(lab, IFL_LAB_COMMON, "shows"));
        return;
    }
    say(request, out, "%s: %s", ifl_lab_name(lab), ifl_lab_text(lab, IFL_LAB_COMMON, "title"));
    say(request, out, "  %s%s%s: %s", document ? "from " : "our own", document ? document : "",
        sheet->reduced ? ", reduced size" : "", ifl_lab_text(lab, IFL_LAB_COMMON, "shows"));
    fputc('\n', out);
}

/* Columns of the names in front of the notes. */
static int name_width(const ifl_cli_sheet *sheet)
{
    size_t width = 18;
    for (size_t row = 0; row < sheet->row_count; row++) {
        const size_t length = strlen(ifl_lab_version_name(sheet->lab, sheet->rows[row].version));
        width = is_plain(sheet, row) && length > width ? length : width;
    }
    return (int)width;
}

static void print_notes(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheet, FILE *out)
{
    bool any = false;
    for (size_t row = 0; row < sheet->row_count; row++) {
        const char *note = ifl_lab_text(sheet->lab, sheet->rows[row].version, "note");
        if (!note || !is_plain(sheet, row))
            continue;
        if (!any)
            fputc('\n', out);
        any = true;
        say(request, out, request->markdown ? "- `%*s`: %s%s\n" : "  %-*s %s%s",
            request->markdown ? 0 : name_width(sheet),
            ifl_lab_version_name(sheet->lab, sheet->rows[row].version), note,
            remark_of(sheet, row));
    }
}

void ifl_cli_lab_print(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheet, FILE *out)
{
    const char *gpu;
    print_head(request, sheet, out);
    if (request->markdown)
        print_notes(request, sheet, out);
    else
        print_engine(request, sheet, out);
    for (size_t i = 0; (gpu = ifl_cli_sheet_gpu(sheet, i)); i++)
        print_gpu(request, sheet, gpu, out);
    ifl_cli_lab_sweeps(request, sheet, out);
    if (request->sweep)
        ifl_cli_lab_chart(request, sheet, out);
    else if (!request->markdown)
        print_notes(request, sheet, out);
    fputc('\n', out);
}

/* ---- modelled ratios against published ones -------------------------------------------------- */

typedef struct ratios {
    ifl_cli_grid grid;
    size_t at, close;
} ratios;

static const double close_enough = 0.25;

static void add_ratio(ratios *r, const ifl_cli_sheet *sheet, const ifl_cli_figure *f)
{
    double modelled;
    char label[200];
    if (f->source != IFL_CLI_PUBLISHED || strcmp(f->metric, "speedup") != 0 ||
        !ifl_cli_sheet_get(sheet, f->row, IFL_CLI_MODELLED, f->gpu, "speedup", &modelled) ||
        (f->value == 1 && modelled == 1)) /* the baseline itself */
        return;
    const double off = modelled / f->value - 1;
    r->close += off <= close_enough && off >= -close_enough;
    ifl_cli_grid_set(&r->grid, r->at, 0, "%s %s", ifl_lab_name(sheet->lab),
                     ifl_cli_sheet_label(sheet, f->row, label, sizeof label));
    ifl_cli_grid_set(&r->grid, r->at, 1, "%s", f->gpu);
    ifl_cli_grid_set(&r->grid, r->at, 2, "%.2f", f->value);
    ifl_cli_grid_set(&r->grid, r->at, 3, "%.2f", modelled);
    ifl_cli_grid_set(&r->grid, r->at++, 4, "%+.0f %%", 100 * off);
}

void ifl_cli_lab_print_ratios(const ifl_cli_lab_request *request, const ifl_cli_sheet *sheets,
                              size_t count, FILE *out)
{
    static const char *const headings[] = {"speedup", "GPU", "published", "modelled", "off by"};
    size_t most = 1;
    for (size_t s = 0; s < count; s++)
        most += sheets[s].figure_count;
    ratios r = {ifl_cli_grid_new(most, 5), 1, 0};
    for (size_t i = 0; i < 5; i++)
        ifl_cli_grid_set(&r.grid, 0, i, "%s", headings[i]);
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < sheets[s].figure_count; i++)
            add_ratio(&r, &sheets[s], &sheets[s].figures[i]);
    r.grid.rows = r.at;
    if (r.at > 1) {
        fputs(request->markdown ? "## Modelled against published\n\n" : "", out);
        print_grid(request, &r.grid, 1, out);
        fprintf(out, "%s%zu of %zu modelled speedups are within 25 %% of the published ones.\n",
                request->markdown ? "\n" : "  ", r.close, r.at - 1);
    }
    r.grid.rows = most;
    ifl_cli_grid_free(&r.grid);
}
