/* SPDX-License-Identifier: Apache-2.0
 * Reading two reports and pairing what they say. Numbers are kept as they stand: integers
 * exactly. */
#include "profile/compare_reports.h"

#include "base/utf8.h"
#include "profile/report_file.h"

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

/* The same instruction may stand several times in a line: the n-th of A goes with the n-th of B.
 * `taken` marks those of B that are gone. Programs that did not change meet at the first look, at
 * the same index; others within some distance, so that no file takes the square of its length. */
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
        for (size_t i = 0; i < all.count; i++)
            if (all.at[i].differs)
                line.counters.at[line.counters.count++] = all.at[i];
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

/* ---- times ----------------------------------------------------------------------------------- */

static json_t *find_model(json_t *models, const json_t *gpu)
{
    size_t i;
    json_t *model;
    json_array_foreach(models, i, model) if (same_text(model, gpu, "gpu")) return model;
    return NULL;
}

static ifl_status add_model(comparing *c, ifl_compared_launch *to, json_t *a, json_t *b)
{
    const char *gpu = text_of(c, a, "gpu");
    const ifl_compared_model model = {.time = compare_figures(c, gpu ? gpu : "",
                                                              json_object_get(a, "time_us"),
                                                              json_object_get(b, "time_us")),
                                      .limiter_a = text_of(c, a, "limiter"),
                                      .limiter_b = text_of(c, b, "limiter")};
    if (!gpu || !model.limiter_a || !model.limiter_b)
        return no_memory(c);
    if (!model.time.a.known || !model.time.b.known)
        return IFL_OK;
    return ifl_vec_push(&to->models, model) ? IFL_OK : no_memory(c);
}

static ifl_status compare_models(comparing *c, ifl_compared_launch *to, json_t *a, json_t *b)
{
    size_t i;
    json_t *model;
    ifl_status status = IFL_OK;
    json_array_foreach(a, i, model)
    {
        json_t *other = find_model(b, model);
        if (other && status == IFL_OK)
            status = add_model(c, to, model, other);
    }
    return status;
}

/* ---- better and worse ------------------------------------------------------------------------ */

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* What is found in a cache, and what the program asks for, costs nothing. */
static bool is_cost(const char *name)
{
    return !ends_with(name, "_hits") && !ends_with(name, "_useful_bytes") &&
           !ends_with(name, "_ideal");
}

static bool is_larger(const ifl_compared *c)
{
    return c->differs && c->b.number > c->a.number;
}

/* The measured time before the predicted ones; without either, the counters. */
static size_t count_worse(const ifl_compared_launch *launch)
{
    size_t worse = 0;
    for (size_t i = 0; i < launch->times.count; i++) {
        const ifl_compared *t = &launch->times.at[i];
        if (strcmp(t->name, "median_s") == 0 && t->a.known && t->b.known)
            return is_larger(t);
    }
    for (size_t i = 0; i < launch->models.count; i++)
        worse += is_larger(&launch->models.at[i].time);
    for (size_t i = 0; i < launch->counters.count && !launch->models.count; i++)
        worse += is_cost(launch->counters.at[i].name) && is_larger(&launch->counters.at[i]);
    return worse;
}

bool ifl_comparison_is_finding(const ifl_comparison *c)
{
    return c->is_check ? c->differing || c->unmatched : c->worse || c->launches_alone;
}

/* ---- launches -------------------------------------------------------------------------------- */

static ifl_status compare_launches(comparing *c, json_t *a, json_t *b)
{
    ifl_compared_launch empty = {.kernel_a = text_of(c, a, "signature"),
                                 .kernel_b = text_of(c, b, "signature"),
                                 .backend_a = text_of(c, a, "backend"),
                                 .backend_b = text_of(c, b, "backend")};
    if (!empty.kernel_a || !empty.kernel_b || !empty.backend_a || !empty.backend_b ||
        !ifl_vec_push(&c->out->launches, empty))
        return no_memory(c);
    c->is_same_code = same_text(a, b, "backend");
    c->out->is_check |= !c->is_same_code;
    ifl_compared_launch *to = &c->out->launches.at[c->out->launches.count - 1];
    ifl_status status = compare_objects(c, json_object_get(a, "counters"),
                                        json_object_get(b, "counters"), &to->counters);
    count(c, to->counters.at, to->counters.count);
    if (status == IFL_OK)
        status = compare_objects(c, json_object_get(a, "timing"), json_object_get(b, "timing"),
                                 &to->times);
    if (status == IFL_OK)
        status = compare_models(c, to, json_object_get(a, "models"), json_object_get(b, "models"));
    if (status == IFL_OK)
        status = compare_all_lines(c, to, json_object_get(a, "lines"), json_object_get(b, "lines"));
    c->out->worse += count_worse(to);
    return status;
}

/* `partner[i]` is the launch of B for the i-th of A; in_b: none. The n-th launch of a kernel in A
 * goes with the n-th of it in B; what is left on both sides, kernels under another name, goes
 * together in order. */
static void find_partners(json_t *a, json_t *b, size_t *partner, bool *taken)
{
    const size_t in_a = json_array_size(a), in_b = json_array_size(b);
    for (size_t i = 0; i < in_a; i++) {
        size_t j = 0;
        while (j < in_b &&
               (taken[j] || !same_text(json_array_get(b, j), json_array_get(a, i), "kernel")))
            j++;
        partner[i] = j;
        taken[j] = true;
    }
    for (size_t i = 0, j = 0; i < in_a; i++) {
        while (j < in_b && taken[j])
            j++;
        if (partner[i] == in_b) {
            partner[i] = j;
            taken[j] = true;
        }
    }
}

static ifl_status compare_by_kernel(comparing *c, json_t *a, json_t *b)
{
    const size_t in_a = json_array_size(a), in_b = json_array_size(b);
    size_t *partner = calloc(in_a + 1, sizeof *partner), paired = 0;
    bool *taken = calloc(in_b + 1, sizeof *taken);
    ifl_status status = partner && taken ? IFL_OK : no_memory(c);
    if (status == IFL_OK)
        find_partners(a, b, partner, taken);
    for (size_t i = 0; i < in_a && status == IFL_OK; i++)
        if (partner[i] < in_b) {
            status = compare_launches(c, json_array_get(a, i), json_array_get(b, partner[i]));
            paired++;
        }
    free(partner);
    free(taken);
    c->out->launches_alone = in_a + in_b - 2 * paired;
    c->out->unmatched += c->out->launches_alone;
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
    const ifl_status status = ifl_report_parse(path, text, bytes, root, error);
    if (status != IFL_OK)
        return status;
    *launches = json_object_get(*root, "launches");
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
        status = fail_report(path_a, error, "the report holds one launch: give a second file");
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
        ifl_vec_free(&l->models);
    }
    ifl_vec_free(&comparison->launches);
    ifl_arena_free(&comparison->arena);
}
