/* SPDX-License-Identifier: Apache-2.0
 * Reading two reports and pairing what they say. Numbers are kept as they stand: integers exactly. */
#include "profile/compare_reports.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct comparing {
    double threshold;
    bool is_same_code; /* both sides counted the same kind of instructions */
    ifl_comparison *out;
    ifl_error *error;
} comparing;

static ifl_status no_memory(comparing *c)
{
    return ifl_fail_memory(c->error, sizeof(ifl_compared));
}

/* A text of a report, in the arena; "" where there is none. NULL without memory. */
static const char *text_of(comparing *c, const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? ifl_utf8_copy(&c->out->arena, text) : "";
}

/* ---- figures --------------------------------------------------------------------------------- */

static ifl_figure_value figure_of(const json_t *value)
{
    if (json_is_integer(value))
        return (ifl_figure_value){true, true, json_integer_value(value),
                                  (double)json_integer_value(value)};
    if (json_is_real(value) && isfinite(json_real_value(value)))
        return (ifl_figure_value){true, false, 0, json_real_value(value)};
    return (ifl_figure_value){0};
}

static bool is_equal(const ifl_figure_value *a, const ifl_figure_value *b)
{
    return a->is_integer && b->is_integer ? a->integer == b->integer : a->number == b->number;
}

/* What the engine counts of PTX and a GPU of machine code. */
static bool counts_code(const char *name)
{
    static const char *const names[] = {"thread_instructions", "branches", "divergent_branches",
                                        "barriers"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static ifl_compared compare_figures(const comparing *c, const char *name, const json_t *a,
                                    const json_t *b)
{
    ifl_compared pair = {.name = name, .a = figure_of(a), .b = figure_of(b)};
    if (!pair.a.known || !pair.b.known || is_equal(&pair.a, &pair.b))
        return pair;
    pair.relative = fabs(pair.b.number / 2 - pair.a.number / 2) /
                    (fmax(fabs(pair.a.number), fabs(pair.b.number)) / 2);
    pair.of_code = !c->is_same_code && counts_code(name);
    pair.differs = !pair.of_code && !(pair.relative <= c->threshold);
    return pair;
}

static ifl_status add_figure(comparing *c, ifl_compared_list *list, const char *name,
                             const json_t *a, const json_t *b)
{
    const char *copy = ifl_utf8_copy(&c->out->arena, name);
    const ifl_compared pair = compare_figures(c, copy ? copy : "", a, b);
    if (!pair.a.known && !pair.b.known)
        return IFL_OK;
    return copy && ifl_vec_push(list, pair) ? IFL_OK : no_memory(c);
}

/* Both objects' numbers: in A's order, then those that only B has. */
static ifl_status compare_objects(comparing *c, json_t *a, json_t *b, ifl_compared_list *list)
{
    const char *key;
    json_t *value;
    ifl_status status = IFL_OK;
    json_object_foreach(a, key, value)
    {
        if (status == IFL_OK)
            status = add_figure(c, list, key, value, json_object_get(b, key));
    }
    json_object_foreach(b, key, value)
    {
        if (status == IFL_OK && !json_object_get(a, key))
            status = add_figure(c, list, key, NULL, value);
    }
    return status;
}

static void count(comparing *c, const ifl_compared *list, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        c->out->compared += list[i].a.known && list[i].b.known && !list[i].of_code;
        c->out->differing += list[i].differs;
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool same_text(const json_t *a, const json_t *b, const char *key)
{
    const char *left = json_string_value(json_object_get(a, key));
    const char *right = json_string_value(json_object_get(b, key));
    return strcmp(left ? left : "", right ? right : "") == 0;
}

static bool same_number(const json_t *a, const json_t *b, const char *key)
{
    return json_integer_value(json_object_get(a, key)) ==
           json_integer_value(json_object_get(b, key));
}

static bool is_same_line(const json_t *a, const json_t *b)
{
    return same_text(a, b, "file") && same_number(a, b, "line") && same_number(a, b, "column") &&
           same_text(a, b, "op") && same_text(a, b, "inlined_from");
}

/* The same instruction may stand several times in a line: the n-th of A goes with the n-th of B. `taken` marks those
 * of B that are gone. Programs that did not change meet at the first look, at the same index; others within some
 * distance, so that no file takes the square of its length. */
enum { LINE_DISTANCE = 1024 };

static size_t find_line(const json_t *line, json_t *lines, const bool *taken, size_t near)
{
    const size_t length = json_array_size(lines);
    const size_t from = near > LINE_DISTANCE ? near - LINE_DISTANCE : 0;
    if (near < length && !taken[near] && is_same_line(line, json_array_get(lines, near)))
        return near;
    for (size_t i = from; i < length && i < near + LINE_DISTANCE; i++)
        if (!taken[i] && is_same_line(line, json_array_get(lines, i)))
            return i;
    return length;
}

static ifl_status name_line(comparing *c, const json_t *from, ifl_compared_line *line)
{
    char place[400];
    const char *file = json_string_value(json_object_get(from, "file"));
    snprintf(place, sizeof place, "%.300s:%" JSON_INTEGER_FORMAT, file ? file : "",
             json_integer_value(json_object_get(from, "line")));
    line->place = ifl_utf8_copy(&c->out->arena, place);
    line->op = text_of(c, from, "op");
    return line->place && line->op ? IFL_OK : no_memory(c);
}

static void keep_different(ifl_compared_line *line, const ifl_compared_list *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->at[i].differs)
            line->counters.at[line->counters.count++] = all->at[i];
}

static ifl_status compare_lines(comparing *c, ifl_compared_launch *to, json_t *a, json_t *b)
{
    ifl_compared_list all = {0};
    ifl_compared_line line = {.in_a = true, .in_b = true};
    ifl_status status =
        compare_objects(c, json_object_get(a, "counters"), json_object_get(b, "counters"), &all);
    to->lines_in_both++;
    if (status == IFL_OK && !ifl_vec_reserve(&line.counters, all.count + 1))
        status = no_memory(c);
    if (status == IFL_OK) {
        count(c, all.at, all.count);
        keep_different(&line, &all);
        status = name_line(c, a, &line);
    }
    ifl_vec_free(&all);
    if (status == IFL_OK && line.counters.count) {
        if (ifl_vec_push(&to->lines, line))
            return IFL_OK;
        status = no_memory(c);
    }
    ifl_vec_free(&line.counters);
    return status;
}

static ifl_status add_alone(comparing *c, ifl_compared_launch *to, const json_t *from, bool in_a)
{
    ifl_compared_line line = {.in_a = in_a, .in_b = !in_a};
    ifl_status status = name_line(c, from, &line);
    if (status == IFL_OK && !ifl_vec_push(&to->lines, line))
        status = no_memory(c);
    c->out->unmatched += status == IFL_OK;
    return status;
}

static ifl_status pair_lines(comparing *c, ifl_compared_launch *to, json_t *a, json_t *b,
                             bool *taken)
{
    ifl_status status = IFL_OK;
    const size_t in_a = json_array_size(a), in_b = json_array_size(b);
    for (size_t i = 0; i < in_a && status == IFL_OK; i++) {
        json_t *line = json_array_get(a, i);
        const size_t j = find_line(line, b, taken, i);
        if (j < in_b) {
            taken[j] = true;
            status = compare_lines(c, to, line, json_array_get(b, j));
        } else {
            status = add_alone(c, to, line, true);
        }
    }
    for (size_t j = 0; j < in_b && status == IFL_OK; j++)
        if (!taken[j])
            status = add_alone(c, to, json_array_get(b, j), false);
    return status;
}

/* A GPU counts no lines: a side without any is not compared by line. */
static ifl_status compare_all_lines(comparing *c, ifl_compared_launch *to, json_t *a, json_t *b)
{
    if (!json_array_size(a) || !json_array_size(b))
        return IFL_OK;
    bool *taken = calloc(json_array_size(b), sizeof *taken);
    if (!taken)
        return no_memory(c);
    const ifl_status status = pair_lines(c, to, a, b, taken);
    free(taken);
    return status;
}

/* ---- launches -------------------------------------------------------------------------------- */

static ifl_status compare_launches(comparing *c, json_t *a, json_t *b)
{
    ifl_compared_launch empty = {.kernel = text_of(c, a, "signature"),
                                 .backend_a = text_of(c, a, "backend"),
                                 .backend_b = text_of(c, b, "backend")};
    if (!empty.kernel || !empty.backend_a || !empty.backend_b ||
        !ifl_vec_push(&c->out->launches, empty))
        return no_memory(c);
    c->is_same_code = same_text(a, b, "backend");
    ifl_compared_launch *to = &c->out->launches.at[c->out->launches.count - 1];
    ifl_status status = compare_objects(c, json_object_get(a, "counters"),
                                        json_object_get(b, "counters"), &to->counters);
    count(c, to->counters.at, to->counters.count);
    if (status == IFL_OK)
        status = compare_objects(c, json_object_get(a, "timing"), json_object_get(b, "timing"),
                                 &to->times);
    if (status == IFL_OK)
        status = compare_all_lines(c, to, json_object_get(a, "lines"), json_object_get(b, "lines"));
    return status;
}

/* The n-th launch of a kernel in A goes with the n-th of it in B. */
static json_t *find_launch(json_t *launch, size_t index, json_t *a, json_t *b)
{
    size_t nth = 0;
    for (size_t i = 0; i < index; i++)
        nth += same_text(json_array_get(a, i), launch, "kernel");
    for (size_t i = 0; i < json_array_size(b); i++)
        if (same_text(json_array_get(b, i), launch, "kernel") && nth-- == 0)
            return json_array_get(b, i);
    return NULL;
}

static ifl_status compare_by_kernel(comparing *c, json_t *a, json_t *b)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < json_array_size(a) && status == IFL_OK; i++) {
        json_t *launch = json_array_get(a, i), *other = find_launch(launch, i, a, b);
        if (other)
            status = compare_launches(c, launch, other);
        else
            c->out->unmatched++;
    }
    for (size_t i = 0; i < json_array_size(b); i++)
        c->out->unmatched += !find_launch(json_array_get(b, i), i, b, a);
    return status;
}

static ifl_status compare_roots(comparing *c, json_t *a, json_t *b)
{
    ifl_status status = IFL_OK;
    const size_t in_a = json_array_size(a);
    if (!b)
        return compare_launches(c, json_array_get(a, 0), json_array_get(a, in_a - 1));
    if (in_a != json_array_size(b))
        return compare_by_kernel(c, a, b);
    for (size_t i = 0; i < in_a && status == IFL_OK; i++)
        status = compare_launches(c, json_array_get(a, i), json_array_get(b, i));
    return status;
}

/* ---- files ----------------------------------------------------------------------------------- */

static ifl_status fail_report(const char *path, ifl_error *error, const char *what)
{
    const ifl_place place = {.file = path};
    return ifl_fail_at(error, IFL_BAD_INPUT, &place, "%s", what);
}

/* *launches is of *root. */
static ifl_status read_report(const char *path, const char *text, size_t bytes, json_t **root,
                              json_t **launches, ifl_error *error)
{
    json_error_t where;
    *root = json_loadb(text, bytes, 0, &where);
    if (!*root) {
        const ifl_place place = {.file = path, .line = where.line, .column = where.column};
        return ifl_fail_at(error, IFL_BAD_INPUT, &place, "this is no JSON: %s", where.text);
    }
    const char *schema = json_string_value(json_object_get(*root, "schema"));
    *launches = json_object_get(*root, "launches");
    if (!schema || strcmp(schema, "inflight/1") != 0)
        return fail_report(path, error,
                           "this is no report of inflight: its schema is not \"inflight/1\"");
    if (!json_array_size(*launches))
        return fail_report(path, error, "the report holds no launch");
    return IFL_OK;
}

ifl_status ifl_reports_compare(const char *path_a, const char *text_a, size_t bytes_a,
                               const char *path_b, const char *text_b, size_t bytes_b,
                               double threshold, ifl_comparison *out, ifl_error *error)
{
    json_t *root_a = NULL, *root_b = NULL, *a = NULL, *b = NULL;
    comparing c = {.threshold = threshold, .out = out, .error = error};
    *out = (ifl_comparison){0};
    ifl_status status = read_report(path_a, text_a, bytes_a, &root_a, &a, error);
    if (status == IFL_OK && text_b)
        status = read_report(path_b, text_b, bytes_b, &root_b, &b, error);
    if (status == IFL_OK && !text_b && json_array_size(a) < 2)
        status = fail_report(path_a, error, "the report holds one launch: a second file is wanted");
    if (status == IFL_OK)
        status = compare_roots(&c, a, b);
    json_decref(root_a);
    json_decref(root_b);
    if (status != IFL_OK)
        ifl_comparison_free(out);
    return status;
}

void ifl_comparison_free(ifl_comparison *comparison)
{
    for (size_t i = 0; i < comparison->launches.count; i++) {
        ifl_compared_launch *l = &comparison->launches.at[i];
        for (size_t k = 0; k < l->lines.count; k++)
            ifl_vec_free(&l->lines.at[k].counters);
        ifl_vec_free(&l->lines);
        ifl_vec_free(&l->counters);
        ifl_vec_free(&l->times);
    }
    ifl_vec_free(&comparison->launches);
    ifl_arena_free(&comparison->arena);
}
