/* SPDX-License-Identifier: Apache-2.0
 * See subject.h. Reports of machine code and of the lab are brought into the shape of a launch
 * first, so that a name is looked up in one way. */
#include "check/subject.h"

#include "base/figure.h"
#include "check/name_pattern.h"
#include "check/place_key.h"

#include <string.h>

const char *ifl_json_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* ---- reports --------------------------------------------------------------------------------- */

/* Owned by the caller; NULL without memory. */
typedef json_t *make_launch(const json_t *from);

/* "FFMA.FTZ" of "@!P0 FFMA.FTZ R1, R2, R3, R4": without the predicate. */
static json_t *opcode_of(const char *instruction)
{
    if (*instruction == '@')
        instruction += strcspn(instruction, " ");
    instruction += strspn(instruction, " ");
    return json_stringn(instruction, strcspn(instruction, " ;"));
}

/* Instructions of a listing as the lines of a launch: with a place and an opcode, and nothing
 * counted. */
static json_t *lines_of_listing(const json_t *listing)
{
    size_t i;
    json_t *instruction, *lines = json_array();
    json_array_foreach((json_t *)listing, i, instruction)
    {
        json_t *line = json_pack("{s:s, s:O*, s:o}", "file", ifl_json_text(instruction, "file"),
                                 "line", json_object_get(instruction, "line"), "op",
                                 opcode_of(ifl_json_text(instruction, "text")));
        if (json_array_append_new(lines, line) != 0) {
            json_decref(lines);
            return NULL;
        }
    }
    return lines;
}

static json_t *launch_of_machine(const json_t *kernel)
{
    return json_pack("{s:s, s:s, s:O, s:o}", "kernel", ifl_json_text(kernel, "kernel"), "signature",
                     ifl_json_text(kernel, "signature"), "machine", (json_t *)kernel, "lines",
                     lines_of_listing(json_object_get(kernel, "listing")));
}

static json_t *models_of_row(const json_t *by_gpu)
{
    json_t *models = json_array(), *figures;
    const char *gpu;
    json_object_foreach((json_t *)by_gpu, gpu, figures)
    {
        json_t *model = json_copy(figures);
        if (json_object_set_new(model, "gpu", json_string(gpu)) ||
            json_array_append_new(models, model)) {
            json_decref(models);
            return NULL;
        }
    }
    return models;
}

static json_t *launch_of_row(const json_t *row)
{
    const json_t *figures = json_object_get(row, "figures");
    json_t *models = models_of_row(json_object_get(figures, "model"));
    json_t *counters = json_object_get(figures, "engine");
    json_t *launch = json_pack("{s:s, s:o*, s:O*}", "kernel", ifl_json_text(row, "version"),
                               "models", models, "counters", counters);
    return launch;
}

static json_t *launch_itself(const json_t *launch)
{
    return json_incref((json_t *)launch);
}

/* " #2" for the second launch of a kernel in a report. */
static const char *number_kernel(ifl_arena *arena, const ifl_subjects *subjects, size_t first,
                                 const char *kernel)
{
    const size_t length = strlen(kernel);
    size_t same = 1;
    for (size_t i = first; i < subjects->count; i++) {
        const char *other = subjects->at[i].kernel;
        same += strncmp(other, kernel, length) == 0 &&
                (!other[length] || strncmp(other + length, " #", 2) == 0);
    }
    return same > 1 ? ifl_arena_printf(arena, "%s #%zu", kernel, same)
                    : ifl_arena_text(arena, kernel, length);
}

static ifl_subject *find_same(ifl_subjects *subjects, size_t before, const ifl_subject *like)
{
    for (size_t i = 0; i < before; i++)
        if (subjects->at[i].run == like->run && strcmp(subjects->at[i].kernel, like->kernel) == 0)
            return &subjects->at[i];
    return NULL;
}

/* True: it was known, and has this report's models too now. */
static bool merge_models(ifl_subject *known, const json_t *launch)
{
    json_t *models = json_object_get(launch, "models"),
           *into = json_object_get(known->launch, "models");
    return known && models && into && json_array_extend(into, models) == 0;
}

static ifl_status add_launch(ifl_subjects *subjects, ifl_arena *arena, size_t first,
                             ifl_subject subject, ifl_error *error)
{
    const char *signature = ifl_json_text(subject.launch, "signature");
    const char *name = *signature ? signature : ifl_json_text(subject.launch, "kernel");
    subject.kernel = number_kernel(arena, subjects, first, name);
    subject.line_count = json_array_size(json_object_get(subject.launch, "lines"));
    if (subject.kernel && ifl_place_keys(arena, &subject) && ifl_vec_push(subjects, subject))
        return IFL_OK;
    json_decref(subject.launch);
    return ifl_fail_memory(error, sizeof subject);
}

static ifl_status add_array(ifl_subjects *subjects, ifl_arena *arena, const ifl_budget_run *run,
                            const json_t *array, make_launch *make, ifl_error *error)
{
    const size_t first = subjects->count;
    size_t i;
    json_t *item;
    ifl_status status = IFL_OK;
    json_array_foreach((json_t *)array, i, item)
    {
        json_t *launch = make(item);
        status = launch ? add_launch(subjects, arena, first,
                                     (ifl_subject){.run = run, .launch = launch}, error)
                        : ifl_fail_memory(error, 1);
        if (status != IFL_OK)
            return status;
    }
    size_t kept = first;
    for (size_t at = first; at < subjects->count; at++) {
        ifl_subject *known = find_same(subjects, first, &subjects->at[at]);
        if (known && merge_models(known, subjects->at[at].launch))
            json_decref(subjects->at[at].launch);
        else
            subjects->at[kept++] = subjects->at[at];
    }
    subjects->count = kept;
    return status;
}

static ifl_status add_cases(ifl_subjects *subjects, ifl_arena *arena, const ifl_budget_run *run,
                            const json_t *cases, ifl_error *error)
{
    size_t i;
    json_t *one;
    ifl_status status = IFL_OK;
    json_array_foreach((json_t *)cases, i, one)
    {
        status =
            add_array(subjects, arena, run, json_object_get(one, "rows"), launch_of_row, error);
        if (status != IFL_OK)
            return status;
    }
    return status;
}

/* All that a program launches, as one more subject: how many launches. */
static ifl_status add_program(ifl_subjects *subjects, ifl_arena *arena, const ifl_budget_run *run,
                              const json_t *launches, ifl_error *error)
{
    size_t i;
    json_t *launch;
    json_int_t made = 0;
    json_array_foreach((json_t *)launches, i, launch) made +=
        json_integer_value(json_object_get(launch, "made"));
    json_t *all = json_pack("{s:s, s:{s:I}, s:[]}", "kernel", "(program)", "counters", "launches",
                            made, "models");
    json_t *array = all ? json_pack("[o]", all) : NULL;
    if (!array)
        return ifl_fail_memory(error, 1);
    const ifl_status status = add_array(subjects, arena, run, array, launch_itself, error);
    json_decref(array);
    return status;
}

ifl_status ifl_subjects_add(ifl_subjects *subjects, ifl_arena *arena, const ifl_budget_run *run,
                            json_t *report, ifl_error *error)
{
    const char *schema = ifl_json_text(report, "schema");
    const json_t *launches = json_object_get(report, "launches");
    if (strcmp(schema, "inflight-sass/1") == 0)
        return add_array(subjects, arena, run, json_object_get(report, "kernels"),
                         launch_of_machine, error);
    if (strcmp(schema, "inflight-lab/1") == 0)
        return add_cases(subjects, arena, run, json_object_get(report, "cases"), error);
    if (strcmp(schema, "inflight/1") != 0)
        return ifl_fail(error, IFL_BAD_INPUT,
                        "the run wrote a report that is not one of inflight: '%.40s'", schema);
    const ifl_status status = add_array(subjects, arena, run, launches, launch_itself, error);
    return status == IFL_OK && strcmp(run->words[0], "run") == 0
               ? add_program(subjects, arena, run, launches, error)
               : status;
}

void ifl_subjects_free(ifl_subjects *subjects)
{
    for (size_t i = 0; i < subjects->count; i++)
        json_decref(subjects->at[i].launch);
    ifl_vec_free(subjects);
}

json_t *ifl_subject_line(const ifl_subject *subject, size_t line)
{
    return json_array_get(json_object_get(subject->launch, "lines"), line);
}

const char *ifl_subject_gpu(const ifl_subject *subject, size_t model)
{
    json_t *one = json_array_get(json_object_get(subject->launch, "models"), model);
    return one ? ifl_json_text(one, "gpu") : NULL;
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool exact(const json_t *number, ifl_estimate *value)
{
    if (!json_is_number(number))
        return false;
    const double v = json_number_value(number);
    *value = (ifl_estimate){v, v, v};
    return true;
}

/* A key with its range, where it has one: NAME_low and NAME_high beside it, or an object of low,
 * value and high. */
static bool value_in(const json_t *object, const char *key, ifl_estimate *value)
{
    char name[96];
    ifl_estimate end;
    const json_t *number = json_object_get(object, key);
    if (json_is_object(number)) {
        if (!exact(json_object_get(number, "value"), value))
            return false;
        if (exact(json_object_get(number, "low"), &end))
            value->low = end.mid;
        if (exact(json_object_get(number, "high"), &end))
            value->high = end.mid;
        return true;
    }
    if (!exact(number, value))
        return false;
    snprintf(name, sizeof name, "%.80s_low", key);
    if (exact(json_object_get(object, name), &end))
        value->low = end.mid;
    snprintf(name, sizeof name, "%.80s_high", key);
    if (exact(json_object_get(object, name), &end))
        value->high = end.mid;
    return true;
}

/* "caches.l2_hits": a key of an object of the object. */
static bool path_in(const json_t *object, const char *path, ifl_estimate *value)
{
    char head[96];
    const char *dot = strchr(path, '.');
    if (!dot)
        return value_in(object, path, value);
    snprintf(head, sizeof head, "%.*s", (int)(dot - path < 90 ? dot - path : 90), path);
    return path_in(json_object_get(object, head), dot + 1, value);
}

static bool sum_opcodes(const json_t *opcodes, const char *pattern, ifl_estimate *value)
{
    const char *name;
    json_t *count;
    double sum = 0;
    if (!json_is_object(opcodes))
        return false;
    json_object_foreach((json_t *)opcodes, name, count) if (ifl_pattern_fits(pattern, name)) sum +=
        json_number_value(count);
    *value = (ifl_estimate){sum, sum, sum};
    return true;
}

/* As executed where that is known; else as they stand in the machine code. */
static bool find_opcodes(const json_t *launch, const char *pattern, ifl_estimate *value)
{
    return sum_opcodes(json_object_get(launch, "opcodes"), pattern, value) ||
           sum_opcodes(json_object_get(launch, "ptx_opcodes"), pattern, value) ||
           sum_opcodes(json_object_get(json_object_get(launch, "machine"), "opcodes"), pattern,
                       value);
}

static bool count_findings(const json_t *launch, const char *pattern, ifl_estimate *value)
{
    size_t i;
    json_t *finding;
    double count = 0;
    const json_t *findings = json_object_get(launch, "findings");
    json_array_foreach((json_t *)findings, i, finding) count +=
        ifl_pattern_fits(pattern, ifl_json_text(finding, "rule"));
    *value = (ifl_estimate){count, count, count};
    return json_is_object(json_object_get(launch, "counters"));
}

static bool launch_count(const json_t *launch, ifl_estimate *value)
{
    if (exact(json_object_get(launch, "made"), value))
        return true;
    *value = (ifl_estimate){1, 1, 1};
    return json_object_get(launch, "grid") != NULL;
}

/* Counters of memory instructions, of which a launch has all as well; opcodes, where there is a
 * listing. */
static bool is_counted_by_line(const ifl_subject *subject, const char *name)
{
    static const char *const spaces[] = {"global_", "local_", "shared_"};
    ifl_estimate ignored;
    if (strncmp(name, "opcode:", 7) == 0)
        return subject->line_count > 0;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (strncmp(name, spaces[i], strlen(spaces[i])) == 0)
            return value_in(json_object_get(subject->launch, "counters"), name, &ignored);
    return false;
}

static bool line_value(const ifl_view *view, size_t line, const char *name, ifl_estimate *value)
{
    if (strncmp(name, "opcode:", 7) == 0) {
        const double is_one =
            ifl_pattern_fits(name + 7, ifl_json_text(ifl_subject_line(view->subject, line), "op"));
        *value = (ifl_estimate){is_one, is_one, is_one};
        return !json_is_object(json_object_get(view->subject->launch, "counters"));
    }
    if (value_in(json_object_get(ifl_subject_line(view->subject, line), "counters"), name, value))
        return true;
    *value = (ifl_estimate){0};
    return is_counted_by_line(view->subject, name); /* a load has none of the counters of stores */
}

/* A line of the source has often several instructions, and a counter of one of them only. */
static bool sum_at_place(const ifl_view *view, const char *name, ifl_estimate *value)
{
    ifl_estimate one, sum = {0};
    bool is_known = false;
    for (size_t i = 0; i < view->subject->line_count; i++) {
        const json_t *line = ifl_subject_line(view->subject, i);
        if (!ifl_place_is(view->at, ifl_json_text(line, "file"),
                          (int)json_integer_value(json_object_get(line, "line")),
                          ifl_json_text(line, "text")))
            continue;
        is_known = true;
        if (line_value(view, i, name, &one))
            sum = (ifl_estimate){sum.low + one.low, sum.mid + one.mid, sum.high + one.high};
    }
    *value = sum;
    return is_known;
}

/* Of what the compiler made. `instructions` is counted in a launch: where PTX ran it is not known,
 * and how many stand in the machine code is another figure. */
static bool machine_value(const json_t *launch, const char *name, ifl_estimate *value)
{
    const bool has_run = json_is_object(json_object_get(launch, "counters"));
    return !(has_run && strcmp(name, "instructions") == 0) &&
           path_in(json_object_get(launch, "machine"), name, value);
}

bool ifl_view_lookup(const void *user, const char *name, ifl_estimate *value)
{
    const ifl_view *view = user;
    const json_t *launch = view->subject->launch;
    if (view->line != IFL_ALL_LINES)
        return line_value(view, view->line, name, value);
    if (view->at)
        return is_counted_by_line(view->subject, name) && sum_at_place(view, name, value);
    if (strncmp(name, "opcode:", 7) == 0)
        return find_opcodes(launch, name + 7, value);
    if (strncmp(name, "finding:", 8) == 0)
        return count_findings(launch, name + 8, value);
    if (value_in(json_object_get(launch, "counters"), name, value) ||
        machine_value(launch, name, value) || path_in(launch, name, value))
        return true;
    if (strcmp(name, "launches") == 0)
        return launch_count(launch, value);
    return view->model != IFL_NO_MODEL &&
           path_in(json_array_get(json_object_get(launch, "models"), view->model), name, value);
}

/* ---- names of kernels ------------------------------------------------------------------------ */

bool ifl_subject_fits(const ifl_subject *subject, const char *pattern)
{
    char name[256];
    const char *end = subject->kernel + strcspn(subject->kernel, "<( "), *start = end;
    while (start > subject->kernel && start[-1] != ':')
        start--;
    snprintf(name, sizeof name, "%.*s", (int)(end - start < 255 ? end - start : 255), start);
    return ifl_pattern_fits(pattern, subject->kernel) || ifl_pattern_fits(pattern, name) ||
           ifl_pattern_fits(pattern, ifl_json_text(subject->launch, "kernel"));
}
