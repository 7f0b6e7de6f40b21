/* SPDX-License-Identifier: Apache-2.0
 * See judge.h. What limits, findings and faults have in common: names, allowances, kernels that
 * appear and disappear. */
#include "check/judge.h"

#include "check/name_pattern.h"
#include "check/place_key.h"

#include <stdlib.h>
#include <string.h>

ifl_breach ifl_judge_breach(const ifl_judge *judge, const ifl_subject *subject,
                            ifl_breach_kind kind, ifl_severity severity)
{
    return (ifl_breach){.kind = kind,
                        .severity = severity,
                        .rule = ifl_breach_kind_name(kind),
                        .budget = judge->budget->file,
                        .run = subject->run->text,
                        .kernel = subject->kernel,
                        .gpu = "",
                        .place = {"", 0, ""},
                        .place_key = "",
                        .limit = "",
                        .why = ""};
}

/* ---- allowances ------------------------------------------------------------------------------ */

static bool kernel_fits(const ifl_judge *judge, const ifl_breach *breach, const char *pattern)
{
    for (size_t i = 0; i < judge->subjects->count; i++) {
        const ifl_subject *subject = &judge->subjects->at[i];
        if (strcmp(subject->run->text, breach->run) == 0 &&
            strcmp(subject->kernel, breach->kernel) == 0 && ifl_subject_fits(subject, pattern))
            return true;
    }
    return strcmp(pattern, "*") == 0;
}

static bool budget_allows(const ifl_judge *judge, const ifl_breach *breach, const char **why)
{
    for (size_t i = 0; i < judge->budget->allowances.count; i++) {
        const ifl_allowance *a = &judge->budget->allowances.at[i];
        if (!ifl_pattern_fits(a->rule, breach->rule) || !kernel_fits(judge, breach, a->kernel) ||
            (a->at &&
             !ifl_place_is(a->at, breach->place.file, breach->place.line, breach->place.text)))
            continue;
        *why = a->why ? a->why : "";
        return true;
    }
    return false;
}

ifl_status ifl_judge_add(ifl_judge *judge, ifl_breach *breach, ifl_error *error)
{
    if (breach->kind == IFL_BREACH_LIMIT || breach->kind == IFL_BREACH_FINDING)
        breach->is_allowed_in_source =
            ifl_source_allows(judge->budget, &breach->place, breach->rule, &breach->why);
    if (breach->kind == IFL_BREACH_LIMIT || breach->kind == IFL_BREACH_FINDING)
        breach->is_allowed =
            breach->is_allowed_in_source || budget_allows(judge, breach, &breach->why);
    return ifl_verdict_add(judge->verdict, breach) ? IFL_OK
                                                   : ifl_fail_memory(error, sizeof *breach);
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* "FILE:LINE:COL: error: text": the last of the output; the whole of its last line where there is
 * none. */
static void find_error(ifl_arena *arena, const char *output, ifl_breach *breach)
{
    static const char mark[] = ": error: ";
    const char *found = NULL;
    for (const char *at = strstr(output, mark); at; at = strstr(at + 1, mark))
        found = at;
    size_t length = strlen(output);
    while (length && output[length - 1] == '\n')
        length--;
    const char *start = found ? found : output + length;
    while (start > output && start[-1] != '\n')
        start--;
    const char *text = found ? found + strlen(mark) : start;
    breach->text = ifl_arena_text(arena, text, strcspn(text, "\n"));
    char *file = found ? ifl_arena_text(arena, start, (size_t)(found - start)) : NULL;
    char *colon = file ? strchr(file, ':') : NULL;
    if (!colon)
        return;
    *colon = '\0';
    breach->place = (ifl_source_place){file, atoi(colon + 1), ""};
}

ifl_status ifl_judge_fault(ifl_judge *judge, const ifl_budget_run *run, const char *output,
                           ifl_error *error)
{
    const ifl_subject nothing = {.run = run, .kernel = ""};
    ifl_breach breach = ifl_judge_breach(judge, &nothing, IFL_BREACH_FAULT, IFL_SEVERITY_ERROR);
    find_error(&judge->budget->arena, output, &breach);
    breach.budget_line = run->place.line;
    if (!breach.text || !*breach.text)
        breach.text = "the run ended with a finding but did not report it";
    judge->has_fault = true;
    if (!ifl_verdict_add_kernel(judge->verdict, judge->budget->file, run->text, ""))
        return ifl_fail_memory(error, 1);
    return ifl_judge_add(judge, &breach, error);
}

/* ---- kernels that come and go ---------------------------------------------------------------- */

static bool is_in_baseline(const ifl_baseline *baseline, const char *run, const char *kernel)
{
    return ifl_baseline_first(baseline, run, kernel) < baseline->facts.count;
}

static bool is_taken(const ifl_judge *judge, const char *run, const char *kernel)
{
    for (size_t i = 0; i < judge->subjects->count; i++) {
        const ifl_subject *s = &judge->subjects->at[i];
        if (strcmp(s->run->text, run) == 0 &&
            (strcmp(s->kernel, kernel) == 0 || (s->before && strcmp(s->before, kernel) == 0)))
            return true;
    }
    return false;
}

/* The next kernel of the run in the baseline that no subject has; NULL past the last. *at goes on
 * from where it was. */
static const char *next_gone(const ifl_judge *judge, const char *run, size_t *at)
{
    const ifl_baseline *b = judge->baseline;
    const char *last = *at > 0 && *at <= b->facts.count ? b->facts.at[*at - 1].name.kernel : "";
    for (; *at < b->facts.count && strcmp(b->facts.at[*at].name.run, run) == 0; (*at)++) {
        const char *kernel = b->facts.at[*at].name.kernel;
        if (strcmp(kernel, last) != 0 && !is_taken(judge, run, kernel)) {
            (*at)++;
            return kernel;
        }
        last = kernel;
    }
    return NULL;
}

/* How many instructions of the subject stand in the baseline under that kernel's name. */
static size_t count_common(const ifl_judge *judge, const ifl_subject *subject, const char *kernel)
{
    const ifl_baseline *b = judge->baseline;
    size_t common = 0;
    for (size_t i = ifl_baseline_first(b, subject->run->text, kernel); i < b->facts.count; i++) {
        if (strcmp(b->facts.at[i].name.kernel, kernel) != 0)
            break;
        for (size_t line = 0; line < subject->line_count; line++)
            common += strcmp(subject->places[line], b->facts.at[i].name.place) == 0;
    }
    return common;
}

/* A renamed kernel is one that is new where another is gone: the one with most lines in common, or
 * the only one. */
static const char *find_renamed(const ifl_judge *judge, const ifl_subject *subject,
                                bool is_only_one)
{
    size_t at = ifl_baseline_first(judge->baseline, subject->run->text, NULL), best_common = 0,
           gone = 0;
    const char *best = NULL;
    for (const char *kernel; (kernel = next_gone(judge, subject->run->text, &at)) != NULL; gone++) {
        const size_t common = count_common(judge, subject, kernel);
        if (!best || common > best_common) {
            best = kernel;
            best_common = common;
        }
    }
    return best_common || (gone == 1 && is_only_one) ? best : NULL;
}

static size_t count_new(const ifl_judge *judge, const ifl_budget_run *run)
{
    size_t count = 0;
    for (size_t i = 0; i < judge->subjects->count; i++)
        count += judge->subjects->at[i].run == run && !judge->subjects->at[i].before;
    return count;
}

/* Gives every subject its name in the baseline, also where the kernel was renamed. */
static void match(ifl_judge *judge)
{
    for (size_t i = 0; i < judge->subjects->count; i++) {
        ifl_subject *s = &judge->subjects->at[i];
        s->before = judge->baseline && is_in_baseline(judge->baseline, s->run->text, s->kernel)
                        ? s->kernel
                        : NULL;
    }
    for (size_t i = 0; judge->baseline && i < judge->subjects->count; i++) {
        ifl_subject *s = &judge->subjects->at[i];
        if (!s->before)
            s->before = find_renamed(judge, s, count_new(judge, s->run) == 1);
    }
}

static ifl_status tell(ifl_judge *judge, const ifl_subject *subject, const char *text,
                       ifl_error *error)
{
    ifl_breach breach = ifl_judge_breach(judge, subject, IFL_BREACH_BASELINE, IFL_SEVERITY_NOTE);
    breach.text = text;
    breach.budget_line = judge->budget->baseline_place.line;
    return ifl_judge_add(judge, &breach, error);
}

static ifl_status tell_gone(ifl_judge *judge, const ifl_budget_run *run, ifl_error *error)
{
    size_t at = ifl_baseline_first(judge->baseline, run->text, NULL);
    ifl_status status = IFL_OK;
    for (const char *kernel;
         status == IFL_OK && (kernel = next_gone(judge, run->text, &at)) != NULL;) {
        const ifl_subject gone = {.run = run, .kernel = kernel};
        status =
            tell(judge, &gone,
                 "the baseline has this kernel, but the run does not; --update removes it", error);
    }
    return status;
}

/* Notes: neither fails a build. */
static ifl_status tell_changes(ifl_judge *judge, ifl_error *error)
{
    ifl_status status = IFL_OK;
    if (!judge->baseline || judge->has_fault)
        return IFL_OK;
    for (size_t i = 0; i < judge->subjects->count && status == IFL_OK; i++)
        if (!judge->subjects->at[i].before &&
            strcmp(judge->subjects->at[i].kernel, "(program)") != 0)
            status = tell(judge, &judge->subjects->at[i],
                          "the baseline does not have this kernel yet; --update adds it", error);
    for (size_t i = 0; i < judge->budget->runs.count && status == IFL_OK; i++)
        status = tell_gone(judge, &judge->budget->runs.at[i], error);
    return status;
}

/* The verdict lists every kernel, and so does a baseline: one fact says that it was there. */
static ifl_status note_kernel(ifl_judge *judge, const ifl_subject *subject, ifl_error *error)
{
    const ifl_fact_name fact = {subject->run->text, subject->kernel, "", "", "kernel"};
    const bool is_kept =
        !judge->update || ifl_baseline_add(judge->update, fact, (ifl_estimate){1, 1, 1});
    return is_kept && ifl_verdict_add_kernel(judge->verdict, judge->budget->file,
                                             subject->run->text, subject->kernel)
               ? IFL_OK
               : ifl_fail_memory(error, sizeof fact);
}

ifl_status ifl_judge_all(ifl_judge *judge, ifl_error *error)
{
    ifl_status status = IFL_OK;
    match(judge);
    for (size_t i = 0; i < judge->subjects->count && status == IFL_OK; i++)
        status = note_kernel(judge, &judge->subjects->at[i], error);
    if (status == IFL_OK)
        status = ifl_judge_limits(judge, error);
    if (status == IFL_OK)
        status = ifl_judge_findings(judge, error);
    return status == IFL_OK ? tell_changes(judge, error) : status;
}
