/* SPDX-License-Identifier: Apache-2.0
 * Two reports side by side, as text or JSON. profile/compare_reports.c decides what is compared,
 * and how. */
#include "base/figure.h"
#include "base/file.h"
#include "profile/compare_reports.h"
#include "report/page.h"
#include "report/tree.h"
#include "report/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { INDENT = 2, LIMIT = 1 << 28 };

typedef struct sheet {
    ifl_page page;
    const ifl_comparison *comparison;
    const ifl_compare_options *options;
} sheet;

/* ---- figures --------------------------------------------------------------------------------- */

/* At most six figures, never an exponent: 0.00001, 0.9532, 12.5, 4,093. */
static const char *real_text(sheet *s, double value)
{
    const double size = fabs(value);
    if (size >= 1000 && size < 1e19)
        return ifl_arena_printf(&s->page.arena, "%s%s", value < 0 ? "-" : "",
                                ifl_figure_count((uint64_t)(size + 0.5)).text);
    if (size >= 1e-4 || size == 0)
        return ifl_arena_printf(&s->page.arena, "%.6g", value);
    char digits[48];
    const int decimals = size >= 1e-12 ? (int)(5 - floor(log10(size))) : 12;
    size_t length = (size_t)snprintf(digits, sizeof digits, "%.*f", decimals, value);
    while (length > 1 && digits[length - 1] == '0')
        digits[--length] = '\0';
    return ifl_arena_text(&s->page.arena, digits, length);
}

static const char *value_text(sheet *s, const ifl_figure_value *value)
{
    if (!value->known)
        return "-";
    if (value->is_integer && value->integer >= 0)
        return ifl_arena_printf(&s->page.arena, "%s",
                                ifl_figure_count((uint64_t)value->integer).text);
    return real_text(s, value->number);
}

/* "+12.5 %" of A; "142×" where that is easier to read. */
static const char *difference_text(sheet *s, const ifl_compared *c)
{
    const double many = 10;
    if (!c->a.known || !c->b.known)
        return "";
    if (c->relative == 0)
        return "equal";
    if (c->of_code)
        return "other code";
    if (c->a.number == 0)
        return "from 0";
    const double times = c->b.number / c->a.number;
    return times >= many ? ifl_arena_printf(&s->page.arena, "%s×", ifl_figure_real(times).text)
                         : ifl_arena_printf(&s->page.arena, "%+.3g %%", 100 * (times - 1));
}

static void add_row(sheet *s, ifl_table *table, const ifl_compared *c)
{
    ifl_row row = {
        .cell = {c->name, value_text(s, &c->a), value_text(s, &c->b), difference_text(s, c)}};
    row.style[3] = c->differs ? IFL_STYLE_BAD : IFL_STYLE_PLAIN;
    for (size_t i = 0; i < 4; i++)
        s->page.no_memory |= !row.cell[i];
    if (!s->page.no_memory)
        ifl_table_add(&s->page, table, &row);
}

/* ---- text ------------------------------------------------------------------------------------ */

static const ifl_column columns[] = {{{"", NULL}, false, 0, false},
                                     {{"A", NULL}, true, 0, false},
                                     {{"B", NULL}, true, 0, false},
                                     {{"", NULL}, true, 0, false}};

static bool is_zero(const ifl_figure_value *value)
{
    return !value->known || value->number == 0;
}

/* Only what differs, unless all is asked for. */
static void print_counters(sheet *s, const ifl_compared_list *list)
{
    ifl_table table = {.columns = columns, .column_count = 4, .indent = INDENT};
    for (size_t i = 0; i < list->count; i++)
        if (s->options->all ||
            (list->at[i].a.known && list->at[i].b.known && list->at[i].relative > 0))
            add_row(s, &table, &list->at[i]);
    if (!table.rows.count)
        return;
    ifl_page_heading(&s->page, s->options->all ? "Counters" : "Counters that differ");
    ifl_table_print(&s->page, &table);
}

static const ifl_column model_columns[] = {{{"GPU", NULL}, false, 0, false},
                                           {{"A", NULL}, true, 0, false},
                                           {{"B", NULL}, true, 0, false},
                                           {{"", NULL}, true, 0, false},
                                           {{"A limited by", NULL}, false, 0, false},
                                           {{"B limited by", NULL}, false, 0, false}};

static const char *predicted_text(sheet *s, const ifl_figure_value *time)
{
    return time->known ? ifl_arena_printf(&s->page.arena, "%s",
                                          ifl_figure_time(time->number, IFL_PREDICTED_DIGITS).text)
                       : "-";
}

static void print_models(sheet *s, const ifl_compared_launch *launch)
{
    ifl_table table = {.columns = model_columns, .column_count = 6, .indent = INDENT};
    for (size_t i = 0; i < launch->models.count; i++) {
        const ifl_compared_model *m = &launch->models.at[i];
        ifl_arena *arena = &s->page.arena;
        ifl_row row = {.cell = {ifl_clean_line(arena, m->time.name), predicted_text(s, &m->time.a),
                                predicted_text(s, &m->time.b), difference_text(s, &m->time),
                                ifl_clean_line(arena, m->limiter_a),
                                ifl_clean_line(arena, m->limiter_b)}};
        row.style[3] = !m->time.differs                      ? IFL_STYLE_PLAIN
                       : m->time.b.number > m->time.a.number ? IFL_STYLE_BAD
                                                             : IFL_STYLE_GOOD;
        for (size_t k = 0; k < 6; k++)
            s->page.no_memory |= !row.cell[k];
        if (!s->page.no_memory)
            ifl_table_add(&s->page, &table, &row);
    }
    if (!table.rows.count)
        return;
    ifl_page_heading(&s->page, "Predicted times");
    ifl_table_print(&s->page, &table);
}

static void print_times(sheet *s, const ifl_compared_list *list)
{
    ifl_table table = {.columns = columns, .column_count = 4, .indent = INDENT};
    for (size_t i = 0; i < list->count; i++)
        if (s->options->all || !(is_zero(&list->at[i].a) && is_zero(&list->at[i].b)))
            add_row(s, &table, &list->at[i]);
    if (!table.rows.count)
        return;
    ifl_page_heading(&s->page, "Measured times");
    ifl_table_print(&s->page, &table);
}

static void print_line(sheet *s, const ifl_compared_line *line)
{
    ifl_table table = {.columns = columns, .column_count = 4, .indent = 2 * INDENT};
    const char *place = ifl_clean_line(&s->page.arena, line->place);
    const char *op = ifl_clean_line(&s->page.arena, line->op);
    const char *alone = line->in_a && line->in_b ? "" : line->in_a ? ": in A only" : ": in B only";
    ifl_page_paragraph(&s->page, INDENT, 2 * INDENT, *alone ? IFL_STYLE_BAD : IFL_STYLE_PLAIN,
                       place && op ? ifl_arena_printf(&s->page.arena, "%s  %s%s", place, op, alone)
                                   : NULL);
    for (size_t i = 0; i < line->counters.count; i++)
        add_row(s, &table, &line->counters.at[i]);
    if (table.rows.count)
        ifl_table_print(&s->page, &table);
}

static void print_lines(sheet *s, const ifl_compared_launch *launch)
{
    if (launch->lines.count)
        ifl_page_heading(&s->page, "Memory instructions that differ");
    for (size_t i = 0; i < launch->lines.count; i++)
        print_line(s, &launch->lines.at[i]);
}

static void print_launch(sheet *s, const ifl_compared_launch *launch)
{
    ifl_arena *arena = &s->page.arena;
    const char *name =
        strcmp(launch->kernel_a, launch->kernel_b) == 0
            ? launch->kernel_a
            : ifl_arena_printf(arena, "%s against %s", launch->kernel_a, launch->kernel_b);
    const char *kernel = name ? ifl_clean_line(arena, name) : NULL;
    const char *a = ifl_clean_line(arena, launch->backend_a),
               *b = ifl_clean_line(arena, launch->backend_b);
    ifl_page_paragraph(&s->page, 0, INDENT, IFL_STYLE_STRONG,
                       kernel && a && b ? ifl_arena_printf(arena, "%s: A %s, B %s", kernel, a, b)
                                        : NULL);
    print_models(s, launch);
    print_times(s, &launch->times);
    print_counters(s, &launch->counters);
    print_lines(s, launch);
    fputc('\n', s->page.out);
}

static bool has_other_code(const ifl_comparison *c)
{
    for (size_t i = 0; i < c->launches.count; i++)
        for (size_t k = 0; k < c->launches.at[i].counters.count; k++)
            if (c->launches.at[i].counters.at[k].of_code)
                return true;
    return false;
}

static const char *unmatched_text(sheet *s)
{
    const size_t count = s->comparison->unmatched;
    return !count
               ? ""
               : ifl_arena_printf(&s->page.arena, "; %zu launch%s or instruction%s no counterpart",
                                  count, count == 1 ? "" : "es", count == 1 ? " has" : "s have");
}

static bool is_shorter(const ifl_compared *time)
{
    return time->differs && time->b.number < time->a.number;
}

/* A time, measured or else predicted, is shorter in B; that none is longer is known. */
static bool is_faster(const ifl_comparison *c)
{
    for (size_t i = 0; i < c->launches.count; i++) {
        const ifl_compared_launch *launch = &c->launches.at[i];
        for (size_t k = 0; k < launch->times.count; k++)
            if (strcmp(launch->times.at[k].name, "median_s") == 0 &&
                is_shorter(&launch->times.at[k]))
                return true;
        for (size_t k = 0; k < launch->models.count && !launch->times.count; k++)
            if (is_shorter(&launch->models.at[k].time))
                return true;
    }
    return false;
}

static const char *verdict_text(sheet *s)
{
    const ifl_comparison *c = s->comparison;
    return c->is_check    ? ""
           : c->worse     ? "B is worse."
           : is_faster(c) ? "B is faster."
           : c->differing ? "B is no worse."
                          : "";
}

static void print_verdict(sheet *s)
{
    const ifl_comparison *c = s->comparison;
    const char *unmatched = unmatched_text(s);
    if (*verdict_text(s))
        ifl_page_paragraph(&s->page, 0, INDENT, c->worse ? IFL_STYLE_BAD : IFL_STYLE_GOOD,
                           verdict_text(s));
    const char *beyond =
        s->options->threshold > 0
            ? ifl_arena_printf(&s->page.arena, " by more than %g %%", 100 * s->options->threshold)
            : "";
    ifl_page_paragraph(
        &s->page, 0, INDENT, ifl_comparison_is_finding(c) ? IFL_STYLE_BAD : IFL_STYLE_GOOD,
        unmatched && beyond
            ? ifl_arena_printf(&s->page.arena, "%zu of %zu counters differ%s%s%s.", c->differing,
                               c->compared, c->differing == 1 ? "s" : "", beyond, unmatched)
            : NULL);
    if (has_other_code(c))
        ifl_page_paragraph(&s->page, 0, INDENT, IFL_STYLE_DIM,
                           "The code differs: one side counts PTX, the other machine code. This "
                           "does not count as a difference.");
}

static ifl_status write_text(sheet *s, ifl_error *error)
{
    for (size_t i = 0; i < s->comparison->launches.count; i++)
        print_launch(s, &s->comparison->launches.at[i]);
    print_verdict(s);
    const bool no_memory = s->page.no_memory;
    ifl_arena_free(&s->page.arena);
    return no_memory ? ifl_fail_memory(error, sizeof *s) : IFL_OK;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_value(ifl_tree *tree, json_t *object, const char *key,
                      const ifl_figure_value *value)
{
    if (value->known)
        ifl_tree_put(tree, object, key,
                     value->is_integer ? json_integer(value->integer) : json_real(value->number));
}

static void put_figures(ifl_tree *tree, json_t *to, const char *key, const ifl_compared_list *list)
{
    json_t *object = json_object();
    for (size_t i = 0; i < list->count; i++) {
        const ifl_compared *c = &list->at[i];
        json_t *pair = json_object();
        put_value(tree, pair, "a", &c->a);
        put_value(tree, pair, "b", &c->b);
        if (c->a.known && c->b.known) {
            ifl_tree_put_real(tree, pair, "relative", c->relative);
            ifl_tree_put_flag(tree, pair, "differs", c->differs);
        }
        ifl_tree_put(tree, object, c->name, pair);
    }
    ifl_tree_put(tree, to, key, object);
}

static json_t *line_json(ifl_tree *tree, const ifl_compared_line *line)
{
    json_t *object = json_object();
    ifl_tree_put_text(tree, object, "place", line->place);
    ifl_tree_put_text(tree, object, "op", line->op);
    if (!line->in_a || !line->in_b)
        ifl_tree_put_text(tree, object, "only_in", line->in_a ? "a" : "b");
    put_figures(tree, object, "counters", &line->counters);
    return object;
}

static void put_models(ifl_tree *tree, json_t *to, const ifl_compared_launch *launch)
{
    json_t *array = json_array();
    for (size_t i = 0; i < launch->models.count; i++) {
        const ifl_compared_model *m = &launch->models.at[i];
        json_t *object = json_object();
        ifl_tree_put_text(tree, object, "gpu", m->time.name);
        put_value(tree, object, "time_us_a", &m->time.a);
        put_value(tree, object, "time_us_b", &m->time.b);
        ifl_tree_put_text(tree, object, "limiter_a", m->limiter_a);
        ifl_tree_put_text(tree, object, "limiter_b", m->limiter_b);
        ifl_tree_append(tree, array, object);
    }
    ifl_tree_put(tree, to, "models", array);
}

static json_t *launch_json(ifl_tree *tree, const ifl_compared_launch *launch)
{
    json_t *object = json_object(), *lines = json_array();
    ifl_tree_put_text(tree, object, "kernel", launch->kernel_a);
    ifl_tree_put_text(tree, object, "kernel_b", launch->kernel_b);
    ifl_tree_put_text(tree, object, "backend_a", launch->backend_a);
    ifl_tree_put_text(tree, object, "backend_b", launch->backend_b);
    put_figures(tree, object, "counters", &launch->counters);
    put_figures(tree, object, "timing", &launch->times);
    put_models(tree, object, launch);
    for (size_t i = 0; i < launch->lines.count; i++)
        ifl_tree_append(tree, lines, line_json(tree, &launch->lines.at[i]));
    ifl_tree_put(tree, object, "lines", lines);
    return object;
}

static ifl_status write_json(sheet *s, ifl_error *error)
{
    const ifl_comparison *c = s->comparison;
    ifl_tree tree = {0};
    json_t *root = json_object(), *launches = json_array();
    ifl_tree_put_text(&tree, root, "schema", "inflight-compare/1");
    ifl_tree_put_real(&tree, root, "threshold", s->options->threshold);
    ifl_tree_put_count(&tree, root, "compared", c->compared);
    ifl_tree_put_count(&tree, root, "differing", c->differing);
    ifl_tree_put_count(&tree, root, "unmatched", c->unmatched);
    ifl_tree_put_count(&tree, root, "worse", c->worse);
    for (size_t i = 0; i < c->launches.count; i++)
        ifl_tree_append(&tree, launches, launch_json(&tree, &c->launches.at[i]));
    ifl_tree_put(&tree, root, "launches", launches);
    return ifl_tree_finish(&tree, root, IFL_OK, s->page.out, error);
}

/* ---- both ------------------------------------------------------------------------------------ */

static ifl_status compare(const char *path_a, const char *path_b, double threshold,
                          ifl_comparison *out, ifl_error *error)
{
    char *a = NULL, *b = NULL;
    size_t bytes_a = 0, bytes_b = 0;
    ifl_status status = ifl_file_read(path_a, LIMIT, &a, &bytes_a, error);
    if (status == IFL_OK && path_b)
        status = ifl_file_read(path_b, LIMIT, &b, &bytes_b, error);
    if (status == IFL_OK)
        status = ifl_reports_compare(path_a, a, bytes_a, path_b, b, bytes_b, threshold, out, error);
    free(a);
    free(b);
    return status;
}

static ifl_status conclude(const ifl_comparison *c, FILE *out, ifl_error *error)
{
    if (fflush(out) != 0 || ferror(out))
        return ifl_report_fail_stream("comparison", error);
    return ifl_comparison_is_finding(c) ? ifl_fail(error, IFL_FINDING, "the reports differ")
                                        : IFL_OK;
}

ifl_status ifl_compare_write(const char *path_a, const char *path_b, ifl_report_format format,
                             const ifl_compare_options *options, FILE *out, ifl_error *error)
{
    static const ifl_compare_options plain;
    ifl_comparison comparison;
    sheet s = {.options = options ? options : &plain, .comparison = &comparison};
    s.page = (ifl_page){.out = out, .color = s.options->color, .width = s.options->width};
    if (format != IFL_REPORT_TEXT && format != IFL_REPORT_JSON)
        return ifl_fail(error, IFL_USAGE, "there is no report format %d", (int)format);
    errno = 0;
    ifl_status status = compare(path_a, path_b, s.options->threshold, &comparison, error);
    if (status != IFL_OK)
        return status;
    status = format == IFL_REPORT_JSON ? write_json(&s, error) : write_text(&s, error);
    if (status == IFL_OK)
        status = conclude(&comparison, out, error);
    ifl_comparison_free(&comparison);
    return status;
}
