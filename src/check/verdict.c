/* SPDX-License-Identifier: Apache-2.0
 * See verdict.h. */
#include "check/verdict.h"

#include "base/sha256.h"
#include "base/utf8.h"

#include <string.h>

static const char *const kind_names[] = {"limit", "finding", "fault", "baseline"};

const char *ifl_breach_kind_name(ifl_breach_kind kind)
{
    return kind_names[kind];
}

static const struct {
    const char *name;
    ifl_verdict_writer *write;
} formats[] = {
    {"text", ifl_verdict_text},         {"json", ifl_verdict_json},
    {"sarif", ifl_verdict_sarif},       {"junit", ifl_verdict_junit},
    {"github", ifl_verdict_github},     {"gitlab", ifl_verdict_gitlab},
    {"markdown", ifl_verdict_markdown},
};

const char *ifl_verdict_format(size_t index)
{
    return index < sizeof formats / sizeof *formats ? formats[index].name : NULL;
}

ifl_status ifl_verdict_write(const ifl_verdict *verdict, const char *format, FILE *out,
                             ifl_error *error)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, format) == 0)
            return formats[i].write(verdict, out, error);
    return ifl_fail(error, IFL_USAGE, "there is no format '%.40s'", format);
}

/* Of what may stand on a terminal, and of a line without its end: names and source lines come from
 * files that anybody may have made. */
static const char *keep(ifl_arena *arena, const char *text)
{
    const char *line = ifl_arena_text(arena, text ? text : "", text ? strcspn(text, "\r\n") : 0);
    return line ? ifl_utf8_copy(arena, line) : NULL;
}

bool ifl_verdict_add(ifl_verdict *verdict, const ifl_breach *breach)
{
    ifl_breach kept = *breach;
    const char **texts[] = {&kept.rule, &kept.budget,     &kept.run,        &kept.kernel,
                            &kept.gpu,  &kept.place.file, &kept.place.text, &kept.place_key,
                            &kept.text, &kept.limit,      &kept.why};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        *texts[i] = keep(&verdict->arena, *texts[i]);
        if (!*texts[i])
            return false;
    }
    return ifl_vec_push(&verdict->breaches, kept);
}

bool ifl_verdict_add_kernel(ifl_verdict *verdict, const char *budget, const char *run,
                            const char *kernel)
{
    const ifl_checked made = {keep(&verdict->arena, budget), keep(&verdict->arena, run),
                              keep(&verdict->arena, kernel)};
    return made.budget && made.run && made.kernel && ifl_vec_push(&verdict->kernels, made);
}

bool ifl_breach_is_of(const ifl_breach *breach, const ifl_checked *checked)
{
    return strcmp(breach->kernel, checked->kernel) == 0 && strcmp(breach->run, checked->run) == 0 &&
           strcmp(breach->budget, checked->budget) == 0;
}

static int compare(const void *left, const void *right)
{
    const ifl_breach *a = left, *b = right;
    int order = (int)b->severity - (int)a->severity;
    order = order ? order : (int)a->is_allowed - (int)b->is_allowed;
    order = order ? order : strcmp(a->place.file, b->place.file);
    order = order ? order : a->place.line - b->place.line;
    order = order ? order : strcmp(a->run, b->run);
    order = order ? order : strcmp(a->kernel, b->kernel);
    order = order ? order : strcmp(a->gpu, b->gpu);
    order = order ? order : a->budget_line - b->budget_line;
    return order ? order : strcmp(a->text, b->text);
}

void ifl_verdict_sort(ifl_verdict *verdict)
{
    if (verdict->breaches.count)
        qsort(verdict->breaches.at, verdict->breaches.count, sizeof *verdict->breaches.at, compare);
}

size_t ifl_verdict_count(const ifl_verdict *verdict, ifl_severity severity)
{
    size_t count = 0;
    for (size_t i = 0; i < verdict->breaches.count; i++)
        count +=
            verdict->breaches.at[i].severity == severity && !verdict->breaches.at[i].is_allowed;
    return count;
}

size_t ifl_verdict_allowed(const ifl_verdict *verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < verdict->breaches.count; i++)
        count += verdict->breaches.at[i].is_allowed;
    return count;
}

bool ifl_verdict_fails(const ifl_verdict *verdict, bool strict)
{
    return ifl_verdict_count(verdict, IFL_SEVERITY_ERROR) > 0 ||
           (strict && ifl_verdict_count(verdict, IFL_SEVERITY_WARNING) > 0);
}

void ifl_breach_fingerprint(const ifl_breach *breach, char digits[17])
{
    ifl_sha256 hash;
    char text[IFL_SHA256_TEXT];
    ifl_sha256_start(&hash);
    ifl_sha256_add_text(&hash, ifl_breach_kind_name(breach->kind));
    ifl_sha256_add_text(&hash, breach->rule);
    ifl_sha256_add_text(&hash, breach->run);
    ifl_sha256_add_text(&hash, breach->kernel);
    ifl_sha256_add_text(&hash, breach->gpu);
    ifl_sha256_add_text(&hash, breach->place_key);
    ifl_sha256_add_text(&hash, breach->limit);
    ifl_sha256_end(&hash, text);
    snprintf(digits, 17, "%.16s", text);
}

ifl_source_place ifl_breach_place(const ifl_breach *breach)
{
    if (*breach->place.file && breach->place.line)
        return breach->place;
    return (ifl_source_place){breach->budget, breach->budget_line, ""};
}

void ifl_verdict_free(ifl_verdict *verdict)
{
    if (!verdict)
        return;
    ifl_vec_free(&verdict->breaches);
    ifl_vec_free(&verdict->kernels);
    ifl_arena_free(&verdict->arena);
    free(verdict);
}
