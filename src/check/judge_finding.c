/* SPDX-License-Identifier: Apache-2.0
 * Findings of reports: those that the budget names, all of them or only those that the baseline
 * does not have. */
#include "check/judge.h"

#include "base/figure.h"
#include "base/file.h"
#include "check/name_pattern.h"
#include "check/place_key.h"

#include <string.h>

/* The source line of a finding, as the report's table of instructions has it. */
static const json_t *line_of(const ifl_subject *subject, const json_t *finding)
{
    for (size_t i = 0; i < subject->line_count; i++) {
        const json_t *line = ifl_subject_line(subject, i);
        if (json_equal(json_object_get(line, "line"), json_object_get(finding, "line")) &&
            strcmp(ifl_json_text(line, "file"), ifl_json_text(finding, "file")) == 0)
            return line;
    }
    return NULL;
}

static ifl_fact_name name_of(ifl_arena *arena, const ifl_subject *subject, const char *kernel,
                             const json_t *finding, const char *key)
{
    return (ifl_fact_name){subject->run->text, kernel, key, "",
                           ifl_arena_printf(arena, "finding:%s", ifl_json_text(finding, "rule"))};
}

/* Without the place that the title begins with: "t.cu:17, global store ..." */
static const char *title_of(const json_t *finding, const ifl_source_place *place)
{
    char start[300];
    const char *title = ifl_json_text(finding, "title");
    const int length =
        snprintf(start, sizeof start, "%.250s:%d, ", ifl_file_last_name(place->file), place->line);
    const char *found = strstr(title, start);
    return found && (found == title || found[-1] == '/') ? found + length : title;
}

static ifl_status add_breach(ifl_judge *judge, const ifl_subject *subject,
                             const ifl_budget_watch *watch, const json_t *finding, const char *key,
                             ifl_error *error)
{
    ifl_breach breach = ifl_judge_breach(judge, subject, IFL_BREACH_FINDING, watch->severity);
    const json_t *line = line_of(subject, finding);
    const bool is_found = line ? ifl_source_of_line(judge->budget, subject, line, &breach.place)
                               : ifl_source_of_kernel(judge->budget, subject, &breach.place);
    if (!is_found)
        return ifl_fail_memory(error, 1);
    breach.rule = ifl_json_text(finding, "rule");
    breach.text = title_of(finding, &breach.place);
    breach.place_key = key;
    breach.budget_line = watch->place.line;
    return ifl_judge_add(judge, &breach, error);
}

static ifl_status take_finding(ifl_judge *judge, const ifl_subject *subject,
                               const ifl_budget_watch *watch, const json_t *finding,
                               ifl_error *error)
{
    ifl_arena *arena = &judge->budget->arena;
    const json_t *line = line_of(subject, finding);
    const char *key =
        ifl_place_key_of_finding(arena, finding, line ? ifl_json_text(line, "text") : "");
    const ifl_fact_name now = name_of(arena, subject, subject->kernel, finding, key);
    if (!key || !now.metric)
        return ifl_fail_memory(error, 1);
    if (watch->only_new && judge->update)
        return ifl_baseline_add(judge->update, now, (ifl_estimate){1, 1, 1})
                   ? IFL_OK
                   : ifl_fail_memory(error, 1);
    if (watch->only_new && judge->baseline && subject->before &&
        ifl_baseline_find(judge->baseline, name_of(arena, subject, subject->before, finding, key)))
        return IFL_OK;
    return add_breach(judge, subject, watch, finding, key, error);
}

static ifl_status take_subject(ifl_judge *judge, const ifl_subject *subject,
                               const ifl_budget_watch *watch, ifl_error *error)
{
    size_t i;
    json_t *finding;
    ifl_status status = IFL_OK;
    json_array_foreach(json_object_get(subject->launch, "findings"), i, finding)
    {
        if (!ifl_pattern_fits(watch->rule, ifl_json_text(finding, "rule")))
            continue;
        status = take_finding(judge, subject, watch, finding, error);
        if (status != IFL_OK)
            return status;
    }
    return status;
}

static ifl_status hold_watch(ifl_judge *judge, const ifl_budget_watch *watch, ifl_error *error)
{
    size_t fitting = 0;
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < judge->subjects->count && status == IFL_OK; i++) {
        if (!ifl_subject_fits(&judge->subjects->at[i], watch->kernel))
            continue;
        fitting++;
        status = take_subject(judge, &judge->subjects->at[i], watch, error);
    }
    judge->verdict->limits_held += fitting;
    if (status == IFL_OK && !fitting && !judge->has_fault)
        return ifl_fail_at(error, IFL_BAD_INPUT, &watch->place, "no kernel that ran matches '%s'",
                           watch->kernel);
    return status;
}

ifl_status ifl_judge_findings(ifl_judge *judge, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < judge->budget->watches.count && status == IFL_OK; i++)
        status = hold_watch(judge, &judge->budget->watches.at[i], error);
    return status;
}
