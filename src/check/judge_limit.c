/* SPDX-License-Identifier: Apache-2.0
 * Limits. A value with a range breaks a limit where all of the range does, and a baseline with a
 * range bounds with its far end: where a model is unsure there is no alarm. */
#include "check/judge.h"

#include "base/figure.h"
#include "check/name_pattern.h"
#include "check/place_key.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One limit on one kernel, for one GPU or none. */
typedef struct holding {
    ifl_judge *judge;
    const ifl_limit *limit;
    const ifl_subject *subject;
    ifl_view view;
    const char *gpu;
    ifl_estimate value;
    const ifl_fact *before; /* NULL: no baseline */
    double bound;
} holding;

static bool is_upper(ifl_budget_comparison comparison)
{
    return comparison == IFL_AT_MOST || comparison == IFL_BELOW;
}

static bool breaks(ifl_budget_comparison comparison, ifl_estimate value, double bound)
{
    const double slack = 1e-9 * fabs(bound); /* of sums in another order */
    switch (comparison) {
    case IFL_AT_MOST:
        return value.low > bound + slack;
    case IFL_BELOW:
        return value.low >= bound;
    case IFL_AT_LEAST:
        return value.high < bound - slack;
    case IFL_ABOVE:
        return value.high <= bound;
    default:
        return value.low > bound + slack || value.high < bound - slack;
    }
}

static bool find_value(holding *h)
{
    return ifl_expression_value(h->limit->expression, ifl_view_lookup, &h->view, &h->value);
}

/* ---- baselines ------------------------------------------------------------------------------- */

static const ifl_fact *find_fact(const holding *h, const char *place)
{
    if (!h->judge->baseline || !h->subject->before)
        return NULL;
    return ifl_baseline_find(h->judge->baseline,
                             (ifl_fact_name){h->subject->run->text, h->subject->before, place,
                                             h->gpu, h->limit->expression_text});
}

static bool keep_fact(const holding *h, const char *place, ifl_estimate value)
{
    return ifl_baseline_add(h->judge->update,
                            (ifl_fact_name){h->subject->run->text, h->subject->kernel, place,
                                            h->gpu, h->limit->expression_text},
                            value);
}

static bool line_value(const holding *h, size_t line, ifl_estimate *value)
{
    const ifl_view view = {.subject = h->subject, .line = line, .model = IFL_NO_MODEL};
    return ifl_expression_value(h->limit->expression, ifl_view_lookup, &view, value);
}

/* The whole, and each instruction of it, so that a later run can say which one grew. */
static ifl_status keep_facts(const holding *h, ifl_error *error)
{
    ifl_estimate value;
    bool is_kept = keep_fact(h, h->limit->at ? h->limit->at : "", h->value);
    for (size_t i = 0; i < h->subject->line_count && !h->limit->at && is_kept; i++)
        if (line_value(h, i, &value) && value.mid != 0)
            is_kept = keep_fact(h, h->subject->places[i], value);
    return is_kept ? IFL_OK : ifl_fail_memory(error, sizeof(ifl_fact));
}

/* ---- places ---------------------------------------------------------------------------------- */

/* By how much an instruction is over: its value, or how much that grew. False where it has none. */
static bool score_of(const holding *h, size_t line, double *score)
{
    const double sign = is_upper(h->limit->comparison) ? 1 : -1;
    ifl_estimate value;
    if (!line_value(h, line, &value))
        return false;
    const ifl_fact *before = h->limit->is_relative ? find_fact(h, h->subject->places[line]) : NULL;
    *score = sign * (value.mid - (before ? before->value.mid : 0));
    return true;
}

static bool is_same_line(const holding *h, size_t a, size_t b)
{
    const json_t *x = ifl_subject_line(h->subject, a), *y = ifl_subject_line(h->subject, b);
    return json_equal(json_object_get(x, "line"), json_object_get(y, "line")) &&
           strcmp(ifl_json_text(x, "file"), ifl_json_text(y, "file")) == 0;
}

/* Of figures that add up, with the other instructions of its source line: an unrolled loop has
 * many, each with a little. */
static double score_of_line(const holding *h, const double *scores, size_t line)
{
    double sum = scores[line];
    for (size_t i = 0; i < h->subject->line_count && ifl_expression_adds_up(h->limit->expression);
         i++)
        if (i != line && scores[i] != 0 && is_same_line(h, i, line))
            sum += scores[i];
    return sum;
}

/* The instruction that is furthest over. SIZE_MAX: none is. */
static size_t worst_line(const holding *h)
{
    const size_t count = h->subject->line_count;
    double *scores = calloc(count + 1, sizeof *scores), most = 0;
    size_t worst = SIZE_MAX;
    for (size_t i = 0; scores && i < count; i++)
        if (!score_of(h, i, &scores[i]))
            scores[i] = 0;
    for (size_t i = 0; scores && i < count; i++) {
        const double score = scores[i] != 0 ? score_of_line(h, scores, i) : 0;
        if (scores[i] != 0 && (worst == SIZE_MAX || score > most)) {
            worst = i;
            most = score;
        }
    }
    free(scores);
    return is_upper(h->limit->comparison) && most <= 0 ? SIZE_MAX : worst;
}

static size_t first_line_at(const holding *h)
{
    const ifl_view *v = &h->view;
    for (size_t i = 0; i < h->subject->line_count; i++) {
        const json_t *line = ifl_subject_line(h->subject, i);
        if (ifl_place_is(v->at, ifl_json_text(line, "file"),
                         (int)json_integer_value(json_object_get(line, "line")),
                         ifl_json_text(line, "text")))
            return i;
    }
    return SIZE_MAX;
}

static ifl_status find_place(const holding *h, ifl_breach *breach, ifl_error *error)
{
    const size_t line = h->limit->at ? first_line_at(h) : worst_line(h);
    bool is_found;
    if (line != SIZE_MAX) {
        breach->place_key = h->subject->places[line];
        is_found = ifl_source_of_line(h->judge->budget, h->subject,
                                      ifl_subject_line(h->subject, line), &breach->place);
    } else if (ifl_expression_has(h->limit->expression, "launches")) {
        is_found = ifl_source_of_launch(h->judge->budget, h->subject, &breach->place);
    } else {
        is_found = ifl_source_of_kernel(h->judge->budget, h->subject, &breach->place);
    }
    return is_found ? IFL_OK : ifl_fail_memory(error, 1);
}

/* ---- breaches -------------------------------------------------------------------------------- */

static const char *number(ifl_arena *arena, double value)
{
    if (fabs(value) < 1e15 && value == (double)(long long)value)
        return ifl_arena_printf(arena, "%s%s", value < 0 ? "-" : "",
                                ifl_figure_count((uint64_t)fabs(value)).text);
    if (fabs(value) >= 1000 && fabs(value) < 1e15)
        return ifl_arena_printf(arena, "%s%s", value < 0 ? "-" : "",
                                ifl_figure_count((uint64_t)(fabs(value) + 0.5)).text);
    return ifl_arena_printf(arena, "%.4g", value);
}

static const char *number_with_range(ifl_arena *arena, ifl_estimate value)
{
    const char *mid = number(arena, value.mid), *low = number(arena, value.low),
               *high = number(arena, value.high);
    if (!mid || !low || !high || (value.low == value.mid && value.high == value.mid))
        return mid;
    return ifl_arena_printf(arena, "%s (%s to %s)", mid, low, high);
}

static const char *sentence(const holding *h)
{
    ifl_arena *arena = &h->judge->budget->arena;
    const char *value = number_with_range(arena, h->value), *bound = number(arena, h->bound);
    const char *before = h->before ? number_with_range(arena, h->before->value) : "";
    if (!value || !bound || !before)
        return NULL;
    return ifl_arena_printf(arena, "%s%s%s%s%s is %s, the limit is %s %s%s%s",
                            h->limit->expression_text, h->limit->at ? " at " : "",
                            h->limit->at ? h->limit->at : "", *h->gpu ? " on " : "", h->gpu, value,
                            ifl_comparison_name(h->limit->comparison), bound,
                            h->before ? "; the baseline has " : "", before);
}

/* "sectors" of "sectors / requests": the word that allowances name. */
static const char *rule_of(const holding *h)
{
    const char *text = h->limit->expression_text;
    size_t start = 0;
    while (text[start] && !isalpha((unsigned char)text[start]))
        start++;
    return ifl_arena_text(&h->judge->budget->arena, text + start, strcspn(text + start, " +-*/()"));
}

static ifl_status add_breach(const holding *h, ifl_error *error)
{
    ifl_breach breach =
        ifl_judge_breach(h->judge, h->subject, IFL_BREACH_LIMIT, h->limit->severity);
    breach.rule = rule_of(h);
    breach.text = sentence(h);
    breach.limit = h->limit->text;
    breach.budget_line = h->limit->place.line;
    breach.gpu = h->gpu;
    breach.has_value = true;
    breach.value = h->value;
    breach.bound = h->bound;
    breach.has_baseline = h->before != NULL;
    breach.baseline = h->before ? h->before->value.mid : 0;
    if (!breach.rule || !breach.text)
        return ifl_fail_memory(error, 1);
    const ifl_status status = find_place(h, &breach, error);
    return status == IFL_OK ? ifl_judge_add(h->judge, &breach, error) : status;
}

/* ---- holding a limit ------------------------------------------------------------------------- */

static double bound_by(const ifl_limit *limit, ifl_estimate before)
{
    const double from = limit->comparison == IFL_EQUAL ? before.mid
                        : is_upper(limit->comparison)  ? before.high
                                                       : before.low;
    return from * limit->factor + limit->offset;
}

static bool is_better(const holding *h)
{
    return is_upper(h->limit->comparison) ? h->value.high < 0.99 * h->before->value.low
                                          : h->value.low > 1.01 * h->before->value.high;
}

static ifl_status hold(holding *h, ifl_error *error)
{
    h->judge->verdict->limits_held++;
    if (h->limit->is_relative && h->judge->update)
        return keep_facts(h, error);
    if (h->limit->is_relative) {
        h->before = find_fact(h, h->limit->at ? h->limit->at : "");
        if (!h->before)
            /* a new kernel, or a new limit: what the baseline lacks is told for the kernel */
            return IFL_OK;
        h->judge->verdict->better += is_better(h);
    }
    h->bound = h->limit->is_relative ? bound_by(h->limit, h->before->value) : h->limit->offset;
    return breaks(h->limit->comparison, h->value, h->bound) ? add_breach(h, error) : IFL_OK;
}

/* A figure that is the same on every GPU is held once. */
static ifl_status hold_for_gpus(holding *h, size_t *held, ifl_error *error)
{
    ifl_status status = IFL_OK;
    h->gpu = "";
    h->view.model = IFL_NO_MODEL;
    if (find_value(h)) {
        ++*held;
        return hold(h, error);
    }
    for (size_t i = 0; status == IFL_OK && ifl_subject_gpu(h->subject, i); i++) {
        h->gpu = ifl_subject_gpu(h->subject, i);
        h->view.model = i;
        if ((h->limit->gpu && !ifl_pattern_fits(h->limit->gpu, h->gpu)) || !find_value(h))
            continue;
        ++*held;
        status = hold(h, error);
    }
    return status;
}

static ifl_status hold_limit(ifl_judge *judge, const ifl_limit *limit, ifl_error *error)
{
    size_t held = 0, fitting = 0;
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < judge->subjects->count && status == IFL_OK; i++) {
        const ifl_subject *subject = &judge->subjects->at[i];
        holding h = {.judge = judge,
                     .limit = limit,
                     .subject = subject,
                     .view = {.subject = subject, .at = limit->at, .line = IFL_ALL_LINES}};
        if (!ifl_subject_fits(subject, limit->kernel))
            continue;
        fitting++;
        status = hold_for_gpus(&h, &held, error);
    }
    if (status != IFL_OK || held || judge->has_fault)
        return status;
    if (!fitting)
        return ifl_fail_at(error, IFL_BAD_INPUT, &limit->place, "no kernel that ran matches '%s'",
                           limit->kernel);
    return ifl_fail_at(error, IFL_BAD_INPUT, &limit->place,
                       "'%s' is not known for any kernel%s%s: the limit "
                       "applies to nothing",
                       ifl_expression_name(limit->expression), limit->at ? " at " : "",
                       limit->at ? limit->at : "");
}

ifl_status ifl_judge_limits(ifl_judge *judge, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < judge->budget->limits.count && status == IFL_OK; i++)
        status = hold_limit(judge, &judge->budget->limits.at[i], error);
    return status;
}
