/* SPDX-License-Identifier: Apache-2.0
 * The figures of a case: what a document published, what the engine has to count; and its sweeps.
 * It reads them; comparing is the caller's. */
#include "lab/lab_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- figures --------------------------------------------------------------------------------- */

static const char *const prefix_of[] = {
    [IFL_LAB_PUBLISHED] = "published.", [IFL_LAB_EXPECTED] = "expect."};

/* "GPU.METRIC", or "METRIC" alone, which has no dot. */
static ifl_status split_key(const ifl_lab *lab, const ifl_lab_entry *e, ifl_lab_figure_kind kind,
                            ifl_lab_figure *out, ifl_error *error)
{
    const char *rest = e->key + strlen(prefix_of[kind]), *dot = strrchr(rest, '.');
    const size_t length = dot ? (size_t)(dot - rest) : 0;
    if (length >= sizeof out->gpu || (!dot && kind == IFL_LAB_PUBLISHED))
        return ifl_lab_fail(lab, e, 0, error, "the key is %sGPU.METRIC", prefix_of[kind]);
    memcpy(out->gpu, rest, length);
    out->gpu[length] = '\0';
    out->metric = dot ? dot + 1 : rest;
    return IFL_OK;
}

/* Half of the last digit written: 1.78 stands for 1.775 to 1.785; a whole number for itself. */
static double half_digit(const char *text, size_t length)
{
    const char *dot = memchr(text, '.', length);
    return dot ? 0.5 * pow(10, -(double)(length - (size_t)(dot - text) - 1)) : 0;
}

static bool is_plain_number(const char *text, size_t length)
{
    return strspn(text, "0123456789.") >= length && length;
}

/* What was written, without the words around the number. */
typedef struct written {
    char *number;
    double percent; /* 0.01 for "36.15%", else 1 */
    double within;  /* relative; -1: not said */
    char bound;     /* '<', '>' or 0 */
} written;

static void trim_end(char *text)
{
    size_t length = strlen(text);
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        text[--length] = '\0';
}

static bool take_percent(char *text)
{
    size_t length = strlen(text);
    if (length < 2 || text[length - 1] != '%')
        return false;
    text[length - 1] = '\0';
    trim_end(text);
    return true;
}

static ifl_status take_apart(const ifl_lab *lab, const ifl_lab_entry *e, char *text, written *w,
                             ifl_error *error)
{
    *w = (written){.number = text, .percent = 1, .within = -1};
    char *within = strstr(text, " within ");
    if (within) {
        *within = '\0';
        trim_end(within + 1);
        char *share = within + strlen(" within ");
        if (!take_percent(share) || !is_plain_number(share, strlen(share)))
            return ifl_lab_fail(lab, e, 0, error, "expected 'VALUE within NUMBER%%'");
        w->within = strtod(share, NULL) / 100;
    }
    if ((text[0] == '<' || text[0] == '>') && text[1] == '=') {
        w->bound = text[0];
        w->number = text + 2;
    }
    w->number += strspn(w->number, " \t");
    trim_end(w->number);
    if (take_percent(w->number))
        w->percent = 0.01;
    return IFL_OK;
}

static void set_range(const written *w, bool exact, ifl_lab_figure *out)
{
    const double last = exact ? 0 : half_digit(w->number, strlen(w->number));
    const double allowed = w->within >= 0 ? fabs(out->value) * w->within : last * w->percent;
    /* A sum of roundings in an expression is no difference. */
    const double slack = allowed + fabs(out->value) * 1e-12;
    out->low = w->bound == '<' ? -INFINITY : out->value - slack;
    out->high = w->bound == '>' ? INFINITY : out->value + slack;
}

static ifl_status read_value(const ifl_lab *lab, const ifl_lab_point *point, const ifl_lab_entry *e,
                             ifl_lab_figure *out, ifl_error *error)
{
    char *text;
    written w;
    ifl_status status = ifl_lab_expand(lab, point, e, &text, error);
    if (status != IFL_OK)
        return status;
    status = take_apart(lab, e, text, &w, error);
    if (status == IFL_OK) {
        const ifl_lab_entry plain = {e->at, e->key, w.number};
        status = ifl_lab_evaluate(lab, point, &plain, 0, &out->value, error);
    }
    if (status == IFL_OK) {
        out->value *= w.percent;
        set_range(&w, memchr(e->value, '{', strlen(e->value)) != NULL, out);
    }
    free(text);
    return status;
}

/* The common figures, then the version's own; one of its own stands for the common one of the same
 * key. */
static const ifl_lab_entry *figure_entry(const ifl_lab *lab, size_t version, const char *prefix,
                                         bool own_only, size_t index)
{
    const ifl_lab_section *own = ifl_lab_section_of(lab, version);
    const ifl_lab_section *sections[] = {ifl_lab_section_of(lab, IFL_LAB_COMMON), own};
    for (int s = own_only && version != IFL_LAB_COMMON; s < 2; s++)
        for (size_t i = 0; sections[s] && i < sections[s]->entries.count; i++) {
            const ifl_lab_entry *e = &sections[s]->entries.at[i];
            if (strncmp(e->key, prefix, strlen(prefix)) != 0 || (s && own == sections[0]) ||
                (s == 0 && ifl_lab_find(lab, version, e->key) != e))
                continue;
            if (!index--)
                return e;
        }
    return NULL;
}

ifl_status ifl_lab_figure_at(const ifl_lab *lab, const ifl_lab_point *point,
                             ifl_lab_figure_kind kind, size_t index, ifl_lab_figure *out,
                             bool *found, ifl_error *error)
{
    const ifl_lab_entry *e = figure_entry(lab, point->version, prefix_of[kind], false, index);
    *out = (ifl_lab_figure){0};
    *found = e != NULL;
    if (!e)
        return IFL_OK;
    out->text = e->value;
    out->line = e->at.line;
    const ifl_status status = split_key(lab, e, kind, out, error);
    return status == IFL_OK ? read_value(lab, point, e, out, error) : status;
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

static ifl_status read_axis(const ifl_lab *lab, size_t version, const ifl_lab_entry *e, char *text,
                            ifl_lab_axis *axis, ifl_error *error)
{
    char *colon = strchr(text, ':'), *state = NULL;
    const ifl_lab_point nowhere = {.version = version};
    *axis = (ifl_lab_axis){0};
    if (!colon)
        return ifl_lab_fail(lab, e, 0, error, "expected 'VARIABLE: VALUE VALUE ...'");
    *colon = '\0';
    trim_end(text);
    text += strspn(text, " \t");
    if (!ifl_lab_find_part(lab, version, "let.", text))
        return ifl_lab_fail(lab, e, 0, error, "there is no variable '%.60s' to sweep", text);
    snprintf(axis->variable, sizeof axis->variable, "%s", text);
    for (char *word = strtok_r(colon + 1, " \t", &state); word;
         word = strtok_r(NULL, " \t", &state)) {
        const ifl_lab_entry plain = {e->at, e->key, word};
        if (axis->count == IFL_LAB_MOST_POINTS)
            return ifl_lab_fail(lab, e, 0, error, "more than %d points", IFL_LAB_MOST_POINTS);
        const ifl_status status =
            ifl_lab_evaluate(lab, &nowhere, &plain, 0, &axis->values[axis->count++], error);
        if (status != IFL_OK)
            return status;
    }
    return axis->count ? IFL_OK : ifl_lab_fail(lab, e, 0, error, "a sweep needs values");
}

static ifl_status read_sweep(const ifl_lab *lab, size_t version, const ifl_lab_entry *e,
                             ifl_lab_sweep *out, ifl_error *error)
{
    char *copy = strdup(e->value), *state = NULL;
    ifl_status status = copy ? IFL_OK : ifl_fail_memory(error, strlen(e->value));
    for (char *axis = copy ? strtok_r(copy, ",", &state) : NULL; axis && status == IFL_OK;
         axis = strtok_r(NULL, ",", &state)) {
        if (out->axis_count == IFL_LAB_MOST_AXES)
            status = ifl_lab_fail(lab, e, 0, error, "more than %d variables", IFL_LAB_MOST_AXES);
        else
            status = read_axis(lab, version, e, axis, &out->axes[out->axis_count++], error);
    }
    free(copy);
    return status;
}

/* What only a test runs is swept as it says itself; a library's call has not every variable of
 * ours. */
static bool is_swept_by_own(const ifl_lab *lab, size_t version)
{
    const char *role = ifl_lab_text(lab, version, "role");
    return role && (strcmp(role, "check") == 0 || strcmp(role, "peer") == 0);
}

ifl_status ifl_lab_sweep_at(const ifl_lab *lab, size_t version, size_t index, ifl_lab_sweep *out,
                            bool *found, ifl_error *error)
{
    static const char prefix[] = "sweep.";
    const ifl_lab_entry *e =
        figure_entry(lab, version, prefix, is_swept_by_own(lab, version), index);
    *out = (ifl_lab_sweep){0};
    *found = e != NULL;
    if (!e)
        return IFL_OK;
    out->name = e->key + strlen(prefix);
    return read_sweep(lab, version, e, out, error);
}
