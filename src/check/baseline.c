/* SPDX-License-Identifier: Apache-2.0
 * See baseline.h. A line is RUN, KERNEL, PLACE, GPU, METRIC and VALUE, separated by tabs; "-" means
 * none, and a value with a range is LOW..VALUE..HIGH. */
#include "check/baseline.h"

#include "base/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 6, MAX_BASELINE_BYTES = 64 << 20 };

static const char head[] = "# inflight baseline 1: run, kernel, place, GPU, figure, value; "
                           "`inflight check --update` writes it\n";

/* ---- order ----------------------------------------------------------------------------------- */

static int compare_names(const ifl_fact_name *a, const ifl_fact_name *b)
{
    int order = strcmp(a->run, b->run);
    order = order ? order : strcmp(a->kernel, b->kernel);
    order = order ? order : strcmp(a->place, b->place);
    order = order ? order : strcmp(a->gpu, b->gpu);
    return order ? order : strcmp(a->metric, b->metric);
}

static int compare_facts(const void *a, const void *b)
{
    return compare_names(&((const ifl_fact *)a)->name, &((const ifl_fact *)b)->name);
}

/* Of two facts of one name the first is kept. */
static void sort(ifl_baseline *baseline)
{
    size_t kept = 0;
    if (baseline->facts.count)
        qsort(baseline->facts.at, baseline->facts.count, sizeof *baseline->facts.at, compare_facts);
    for (size_t i = 0; i < baseline->facts.count; i++)
        if (!kept || compare_facts(&baseline->facts.at[kept - 1], &baseline->facts.at[i]) != 0)
            baseline->facts.at[kept++] = baseline->facts.at[i];
    baseline->facts.count = kept;
}

const ifl_fact *ifl_baseline_find(const ifl_baseline *baseline, ifl_fact_name name)
{
    const ifl_fact wanted = {.name = name};
    return baseline->facts.count ? bsearch(&wanted, baseline->facts.at, baseline->facts.count,
                                           sizeof *baseline->facts.at, compare_facts)
                                 : NULL;
}

size_t ifl_baseline_first(const ifl_baseline *baseline, const char *run, const char *kernel)
{
    const ifl_fact_name wanted = {run, kernel ? kernel : "", "", "", ""};
    size_t low = 0, high = baseline->facts.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_names(&baseline->facts.at[middle].name, &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == baseline->facts.count || strcmp(baseline->facts.at[low].name.run, run) != 0 ||
        (kernel && strcmp(baseline->facts.at[low].name.kernel, kernel) != 0))
        return baseline->facts.count;
    return low;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Of the first `length` bytes: "2..3" has its number end before the dots, where strtod would take
 * one. */
static bool read_number(const char *text, size_t length, double *value)
{
    char copy[64], *end;
    snprintf(copy, sizeof copy, "%.*s", (int)(length < sizeof copy ? length : sizeof copy - 1),
             text);
    *value = strtod(copy, &end);
    return end != copy && *end == '\0';
}

static bool read_value(const char *text, ifl_estimate *value)
{
    const char *first = strstr(text, ".."), *second = first ? strstr(first + 2, "..") : NULL;
    if (!first) {
        const bool is_read = read_number(text, strlen(text), &value->mid);
        value->low = value->high = value->mid;
        return is_read;
    }
    return second && read_number(text, (size_t)(first - text), &value->low) &&
           read_number(first + 2, (size_t)(second - first - 2), &value->mid) &&
           read_number(second + 2, strlen(second + 2), &value->high);
}

static const char *none_as_empty(const char *column)
{
    return strcmp(column, "-") == 0 ? "" : column;
}

/* Splits the line in place. */
static bool read_fact(char *line, ifl_fact *fact)
{
    const char *columns[COLUMNS];
    size_t count = 0;
    for (char *at = line; at && count < COLUMNS; count++) {
        char *tab = strchr(at, '\t');
        columns[count] = at;
        if (tab)
            *tab++ = '\0';
        at = tab;
    }
    if (count < COLUMNS)
        return false;
    fact->name = (ifl_fact_name){columns[0], columns[1], none_as_empty(columns[2]),
                                 none_as_empty(columns[3]), columns[4]};
    return read_value(columns[5], &fact->value);
}

static ifl_status read_lines(ifl_baseline *baseline, const char *path, char *text, ifl_error *error)
{
    int number = 0;
    for (char *line = text; line && *line;) {
        ifl_fact fact;
        char *end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        number++;
        if (*line && *line != '#') {
            const ifl_place place = {.file = path, .line = number};
            if (!read_fact(line, &fact))
                return ifl_fail_at(
                    error, IFL_BAD_INPUT, &place,
                    "not a line of a baseline; `inflight check --update` writes it anew");
            if (!ifl_baseline_add(baseline, fact.name, fact.value))
                return ifl_fail_memory(error, sizeof fact);
        }
        line = end;
    }
    sort(baseline);
    return IFL_OK;
}

ifl_status ifl_baseline_read(const char *path, ifl_baseline *out, ifl_error *error)
{
    char *text;
    size_t bytes;
    *out = (ifl_baseline){0};
    ifl_status status = ifl_file_read(path, MAX_BASELINE_BYTES, &text, &bytes, error);
    if (status != IFL_OK)
        return status;
    status = read_lines(out, path, text, error);
    free(text);
    if (status != IFL_OK)
        ifl_baseline_free(out);
    return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Tabs and line ends would break the line. */
static const char *keep(ifl_arena *arena, const char *text)
{
    char *copy = ifl_arena_text(arena, text, strlen(text));
    for (char *at = copy; at && *at; at++)
        if ((unsigned char)*at < ' ')
            *at = ' ';
    return copy;
}

bool ifl_baseline_add(ifl_baseline *baseline, ifl_fact_name name, ifl_estimate value)
{
    ifl_arena *arena = &baseline->arena;
    const ifl_fact fact = {.name = {keep(arena, name.run), keep(arena, name.kernel),
                                    keep(arena, name.place), keep(arena, name.gpu),
                                    keep(arena, name.metric)},
                           .value = value};
    return fact.name.run && fact.name.kernel && fact.name.place && fact.name.gpu &&
           fact.name.metric && ifl_vec_push(&baseline->facts, fact);
}

static void write_number(double value, FILE *out)
{
    if (fabs(value) < 1e15 && value == (double)(long long)value)
        fprintf(out, "%.0f", value);
    else
        fprintf(out, "%.12g", value);
}

static void write_fact(const ifl_fact *fact, FILE *out)
{
    const ifl_fact_name *n = &fact->name;
    fprintf(out, "%s\t%s\t%s\t%s\t%s\t", n->run, n->kernel, *n->place ? n->place : "-",
            *n->gpu ? n->gpu : "-", n->metric);
    if (fact->value.low != fact->value.mid || fact->value.high != fact->value.mid) {
        write_number(fact->value.low, out);
        fputs("..", out);
    }
    write_number(fact->value.mid, out);
    if (fact->value.low != fact->value.mid || fact->value.high != fact->value.mid) {
        fputs("..", out);
        write_number(fact->value.high, out);
    }
    fputc('\n', out);
}

ifl_status ifl_baseline_write(ifl_baseline *baseline, FILE *out, ifl_error *error)
{
    sort(baseline);
    fputs(head, out);
    for (size_t i = 0; i < baseline->facts.count; i++)
        write_fact(&baseline->facts.at[i], out);
    return ferror(out) ? ifl_fail(error, IFL_NO_FILE, "the baseline cannot be written") : IFL_OK;
}

void ifl_baseline_free(ifl_baseline *baseline)
{
    ifl_vec_free(&baseline->facts);
    ifl_arena_free(&baseline->arena);
    *baseline = (ifl_baseline){0};
}
