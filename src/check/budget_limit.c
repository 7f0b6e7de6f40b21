/* SPDX-License-Identifier: Apache-2.0
 * Limits, watched findings and allowances of a budget:
 *     limit   = [note|warning|error:] EXPRESSION OP BOUND [at PLACE] [on GPU]
 *     finding = [note|warning|error:] RULE [new]
 *     allow   = RULE [in KERNEL] [at PLACE] [because WORDS] */
#include "check/budget_words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *text;
    ifl_budget_comparison comparison;
} comparisons[] = {
    {"<=", IFL_AT_MOST}, {">=", IFL_AT_LEAST}, {"==", IFL_EQUAL},
    {"<", IFL_BELOW},    {">", IFL_ABOVE},
};

const char *ifl_comparison_name(ifl_budget_comparison comparison)
{
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        if (comparisons[i].comparison == comparison)
            return comparisons[i].text;
    return "?";
}

ifl_status ifl_budget_fail(const ifl_budget_line *line, size_t offset, const char *format, ...)
{
    const ifl_place place = ifl_keyfile_place(line->reader, line->entry, offset);
    va_list list;
    va_start(list, format);
    const ifl_status status = ifl_fail_list(line->error, IFL_BAD_INPUT, &place, format, list);
    va_end(list);
    return status;
}

static const char *skip_blanks(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* A severity and a colon, where they stand first. */
static const char *take_severity(const char *at, ifl_severity *severity)
{
    for (ifl_severity s = IFL_SEVERITY_NOTE; s <= IFL_SEVERITY_ERROR; s++) {
        const size_t length = strlen(ifl_severity_name(s));
        if (strncmp(at, ifl_severity_name(s), length) == 0 && at[length] == ':') {
            *severity = s;
            return skip_blanks(at + length + 1);
        }
    }
    return at;
}

static bool is_word(const char *at, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(at, word, length) == 0 &&
           (at[length] == '\0' || isspace((unsigned char)at[length]));
}

/* A word, or a text in quotes. *to is NULL without memory; an empty text where there is none. */
static const char *take_text(ifl_budget *budget, const char *at, const char **to)
{
    at = skip_blanks(at);
    const bool is_quoted = *at == '"';
    const char *start = at + is_quoted, *stop = start;
    while (*stop && (is_quoted ? *stop != '"' : !isspace((unsigned char)*stop)))
        stop++;
    *to = ifl_arena_text(&budget->arena, start, (size_t)(stop - start));
    return stop + (is_quoted && *stop == '"');
}

/* Words of the form KEY VALUE at the end of a line. */
typedef struct clause {
    const char *key, **value;
} clause;

static ifl_status take_clauses(ifl_budget *budget, const ifl_budget_line *line, const char *at,
                               const clause *clauses, size_t count)
{
    for (at = skip_blanks(at); *at; at = skip_blanks(at)) {
        size_t i = 0;
        while (i < count && !is_word(at, clauses[i].key))
            i++;
        if (i == count)
            return ifl_budget_fail(line, (size_t)(at - line->value),
                                   "expected the end of the line, or '%s'", clauses[0].key);
        at = take_text(budget, at + strlen(clauses[i].key), clauses[i].value);
        if (!*clauses[i].value)
            return ifl_fail_memory(line->error, strlen(line->value));
        if (!**clauses[i].value)
            return ifl_budget_fail(line, (size_t)(at - line->value), "'%s' of what?",
                                   clauses[i].key);
    }
    return IFL_OK;
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* "5", "2^20", "5 %"; *fraction: it was a percentage. Returns what follows; NULL: no number. */
static const char *take_number(const char *at, double *value, bool *is_share)
{
    const char *end = ifl_expression_number(at, value);
    *is_share = end && *skip_blanks(end) == '%';
    if (*is_share) {
        *value /= 100;
        end = skip_blanks(end) + 1;
    }
    return end;
}

/* "baseline", "baseline + 5%", "baseline - 10", "baseline * 1.1". */
static ifl_status take_relative(const ifl_budget_line *line, const char **at, ifl_limit *limit)
{
    double value;
    bool is_share;
    const char *operation = skip_blanks(*at + strlen("baseline"));
    limit->is_relative = true;
    limit->factor = 1;
    *at = operation;
    if (!*operation || !strchr("+-*", *operation))
        return IFL_OK;
    const char *end = take_number(skip_blanks(operation + 1), &value, &is_share);
    if (!end || value < 0)
        return ifl_budget_fail(line, (size_t)(operation - line->value),
                               "expected a number or a percentage behind '%c'", *operation);
    if (*operation == '*')
        limit->factor = value;
    else if (is_share)
        limit->factor += *operation == '-' ? -value : value;
    else
        limit->offset = *operation == '-' ? -value : value;
    *at = end;
    return IFL_OK;
}

static ifl_status take_bound(const ifl_budget_line *line, const char **at, ifl_limit *limit)
{
    bool is_share;
    if (strncmp(*at, "baseline", strlen("baseline")) == 0)
        return take_relative(line, at, limit);
    const char *end = take_number(*at, &limit->offset, &is_share);
    if (!end)
        return ifl_budget_fail(line, (size_t)(*at - line->value),
                               "expected a number or 'baseline'");
    *at = end;
    return IFL_OK;
}

/* The first comparison in the text; *length is how long it is. */
static const char *find_comparison(const char *text, ifl_budget_comparison *comparison,
                                   size_t *length)
{
    const char *at = text + strcspn(text, "<>=");
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        if (strncmp(at, comparisons[i].text, strlen(comparisons[i].text)) == 0) {
            *comparison = comparisons[i].comparison;
            *length = strlen(comparisons[i].text);
            return at;
        }
    return NULL;
}

/* The left side, with single blanks: the same fact has the same name however it is written. */
static const char *squeeze(ifl_budget *budget, const char *text, size_t length)
{
    char *to = ifl_arena_alloc(&budget->arena, length + 1);
    size_t used = 0;
    for (size_t i = 0; to && i < length; i++)
        if (!isspace((unsigned char)text[i]))
            to[used++] = text[i];
        else if (used && to[used - 1] != ' ')
            to[used++] = ' ';
    while (to && used && to[used - 1] == ' ')
        to[--used] = '\0';
    return to;
}

static ifl_status take_left(ifl_budget *budget, const ifl_budget_line *line, const char *end,
                            ifl_limit *limit)
{
    const size_t length = (size_t)(end - limit->text);
    limit->expression_text = squeeze(budget, limit->text, length);
    if (!limit->expression_text)
        return ifl_fail_memory(line->error, length);
    ifl_error own = {0};
    const ifl_status status =
        ifl_expression_parse(&budget->arena, limit->text, length, &limit->expression, &own);
    if (status == IFL_BAD_INPUT)
        return ifl_budget_fail(
            line, (size_t)(limit->text - line->value) + (size_t)(own.column ? own.column - 1 : 0),
            "%s", own.text);
    if (status != IFL_OK && line->error)
        *line->error = own;
    return status;
}

ifl_status ifl_budget_take_limit(ifl_budget *budget, const ifl_budget_line *line)
{
    ifl_limit limit = {.severity = IFL_SEVERITY_ERROR,
                       .kernel = *line->kernel,
                       .place = ifl_keyfile_place(line->reader, line->entry, 0)};
    const clause clauses[] = {{"at", &limit.at}, {"on", &limit.gpu}};
    size_t length = 0;
    limit.text = take_severity(line->value, &limit.severity);
    const char *comparison = find_comparison(limit.text, &limit.comparison, &length);
    if (!comparison)
        return ifl_budget_fail(line, 0, "a limit compares: COUNTER <= NUMBER");
    ifl_status status = take_left(budget, line, comparison, &limit);
    const char *at = skip_blanks(comparison + length);
    if (status == IFL_OK)
        status = take_bound(line, &at, &limit);
    if (status == IFL_OK)
        status = take_clauses(budget, line, at, clauses, sizeof clauses / sizeof *clauses);
    if (status != IFL_OK)
        return status;
    return ifl_vec_push(&budget->limits, limit) ? IFL_OK
                                                : ifl_fail_memory(line->error, sizeof limit);
}

/* ---- findings and allowances ----------------------------------------------------------------- */

ifl_status ifl_budget_take_watch(ifl_budget *budget, const ifl_budget_line *line)
{
    ifl_budget_watch watch = {.severity = IFL_SEVERITY_ERROR,
                              .kernel = *line->kernel,
                              .place = ifl_keyfile_place(line->reader, line->entry, 0)};
    const char *at = take_text(budget, take_severity(line->value, &watch.severity), &watch.rule);
    if (!watch.rule)
        return ifl_fail_memory(line->error, strlen(line->value));
    at = skip_blanks(at);
    watch.only_new = is_word(at, "new");
    at = skip_blanks(at + (watch.only_new ? strlen("new") : 0));
    if (*at)
        return ifl_budget_fail(line, (size_t)(at - line->value),
                               "expected the end of the line, or 'new'");
    return ifl_vec_push(&budget->watches, watch) ? IFL_OK
                                                 : ifl_fail_memory(line->error, sizeof watch);
}

ifl_status ifl_budget_take_allowance(ifl_budget *budget, const ifl_budget_line *line)
{
    ifl_allowance allowance = {.kernel = *line->kernel};
    const clause clauses[] = {{"at", &allowance.at}, {"in", &allowance.kernel}};
    const char *why = strstr(line->value, " because ");
    const size_t length = why ? (size_t)(why - line->value) : strlen(line->value);
    char *words = ifl_arena_text(&budget->arena, line->value, length);
    if (!words)
        return ifl_fail_memory(line->error, length);
    allowance.why = why ? skip_blanks(why + strlen(" because ")) : NULL;
    ifl_budget_line without_why = *line;
    without_why.value = words;
    const char *at = take_text(budget, words, &allowance.rule);
    if (!allowance.rule)
        return ifl_fail_memory(line->error, length);
    const ifl_status status =
        take_clauses(budget, &without_why, at, clauses, sizeof clauses / sizeof *clauses);
    if (status != IFL_OK)
        return status;
    return ifl_vec_push(&budget->allowances, allowance)
               ? IFL_OK
               : ifl_fail_memory(line->error, sizeof allowance);
}
