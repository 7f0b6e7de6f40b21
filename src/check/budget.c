/* SPDX-License-Identifier: Apache-2.0
 * See budget.h. Reads the lines; budget_limit.c reads the values of `limit`, `finding` and
 * `allow`. */
#include "check/budget.h"

#include "base/file.h"
#include "check/budget_words.h"

#include <ctype.h>
#include <string.h>

enum { MAX_BUDGET_BYTES = 1 << 20, MOST_WORDS = 1024 };

static const char *const severity_names[] = {"note", "warning", "error"};

const char *ifl_severity_name(ifl_severity severity)
{
    return severity_names[severity];
}

/* ---- what to run ----------------------------------------------------------------------------- */

typedef struct word_list {
    const char *at[MOST_WORDS + 1];
    size_t count;
} word_list;

/* One word, in quotes or up to a blank; returns what follows it, NULL where a quote has no end or
 * memory is out. */
static const char *take_word(ifl_arena *arena, const char *at, const char *end, const char **word)
{
    const bool is_quoted = *at == '"' || *at == '\'';
    const char *start = is_quoted ? at + 1 : at, *stop = start;
    while (stop < end && (is_quoted ? *stop != *at : !isspace((unsigned char)*stop)))
        stop++;
    if (is_quoted && stop == end)
        return NULL;
    *word = ifl_arena_text(arena, start, (size_t)(stop - start));
    return *word ? stop + is_quoted : NULL;
}

static ifl_status split_words(ifl_budget *budget, const ifl_budget_line *line, word_list *words)
{
    const char *at = line->value, *end = at + strlen(at);
    while (at < end) {
        if (isspace((unsigned char)*at)) {
            at++;
            continue;
        }
        if (words->count == MOST_WORDS)
            return ifl_budget_fail(line, 0, "more than %d words", MOST_WORDS);
        const char *next = take_word(&budget->arena, at, end, &words->at[words->count]);
        if (!next)
            return ifl_budget_fail(line, (size_t)(at - line->value), "a quote is not closed");
        words->count++;
        at = next;
    }
    return IFL_OK;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* The words of `inflight`: a command's own, or what a file's name stands for. */
static ifl_status add_command(const ifl_budget_line *line, word_list *words)
{
    static const char *const commands[] = {"analyze", "run", "lab", "sass"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(words->at[0], commands[i]) == 0)
            return words->count > 1 ? IFL_OK
                                    : ifl_budget_fail(line, 0, "'%s' of what?", commands[i]);
    if (words->count > 1 || words->count == MOST_WORDS)
        return ifl_budget_fail(
            line, 0, "a run is a file, or starts with analyze, run, lab or sass, not with '%s'",
            words->at[0]);
    words->at[1] = words->at[0];
    words->at[0] = ends_with(words->at[1], ".launch") ? "analyze" : "sass";
    words->count = 2;
    return IFL_OK;
}

static ifl_status take_run(ifl_budget *budget, const ifl_budget_line *line)
{
    word_list words = {.count = 0};
    ifl_status status = split_words(budget, line, &words);
    if (status == IFL_OK)
        status = add_command(line, &words);
    if (status != IFL_OK)
        return status;
    const size_t bytes = (words.count + 1) * sizeof *words.at;
    const char **kept = ifl_arena_alloc(&budget->arena, bytes);
    if (!kept)
        return ifl_fail_memory(line->error, bytes);
    memcpy(kept, words.at, bytes - sizeof *words.at);
    const ifl_budget_run run = {.text = line->value,
                                .words = kept,
                                .count = words.count,
                                .place = ifl_keyfile_place(line->reader, line->entry, 0)};
    return ifl_vec_push(&budget->runs, run) ? IFL_OK : ifl_fail_memory(line->error, sizeof run);
}

/* ---- other lines ----------------------------------------------------------------------------- */

static ifl_status take_gpu(ifl_budget *budget, const ifl_budget_line *line)
{
    return ifl_vec_push(&budget->gpus, line->value) ? IFL_OK
                                                    : ifl_fail_memory(line->error, sizeof(char *));
}

static ifl_status take_input(ifl_budget *budget, const ifl_budget_line *line)
{
    return ifl_vec_push(&budget->inputs, line->value)
               ? IFL_OK
               : ifl_fail_memory(line->error, sizeof(char *));
}

static ifl_status take_baseline(ifl_budget *budget, const ifl_budget_line *line)
{
    if (budget->baseline)
        return ifl_budget_fail(line, 0, "the baseline is '%s' already", budget->baseline);
    budget->baseline = line->value;
    budget->baseline_place = ifl_keyfile_place(line->reader, line->entry, 0);
    return IFL_OK;
}

static ifl_status take_kernel(ifl_budget *budget, const ifl_budget_line *line)
{
    (void)budget;
    *line->kernel = line->value;
    return IFL_OK;
}

static const struct {
    const char *key;
    ifl_status (*take)(ifl_budget *budget, const ifl_budget_line *line);
} keys[] = {
    {"run", take_run},
    {"gpu", take_gpu},
    {"input", take_input},
    {"kernel", take_kernel},
    {"limit", ifl_budget_take_limit},
    {"finding", ifl_budget_take_watch},
    {"allow", ifl_budget_take_allowance},
    {"baseline", take_baseline},
};

static ifl_status take_line(ifl_budget *budget, const ifl_budget_line *line)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (ifl_span_is(line->entry->key, keys[i].key))
            return keys[i].take(budget, line);
    return ifl_keyfile_fail_key(
        line->reader, line->entry, line->error,
        "unknown key '%.*s'; the keys are run, gpu, input, baseline, kernel, limit, "
        "finding and allow",
        (int)(line->entry->key.length < 40 ? line->entry->key.length : 40), line->entry->key.at);
}

static ifl_status read_lines(ifl_budget *budget, size_t bytes, ifl_error *error)
{
    ifl_keyfile reader;
    ifl_keyfile_entry entry;
    const char *kernel = "*";
    bool found;
    ifl_keyfile_start(&reader, budget->file, budget->text, bytes);
    for (;;) {
        ifl_status status = ifl_keyfile_next(&reader, &entry, &found, error);
        if (status != IFL_OK || !found)
            return status;
        ifl_budget_line line = {
            .reader = &reader, .entry = &entry, .kernel = &kernel, .error = error};
        line.value = ifl_arena_text(&budget->arena, entry.value.at, entry.value.length);
        if (!line.value)
            return ifl_fail_memory(error, entry.value.length);
        status = entry.value.length ? take_line(budget, &line)
                                    : ifl_budget_fail(&line, 0, "a value is missing");
        if (status != IFL_OK)
            return status;
    }
}

/* ---- the whole file -------------------------------------------------------------------------- */

static ifl_status keep_names(ifl_budget *budget, const char *path, ifl_error *error)
{
    const char *slash = strrchr(path, '/');
    budget->file = ifl_arena_text(&budget->arena, path, strlen(path));
    budget->folder =
        !slash ? "."
               : ifl_arena_text(&budget->arena, path, slash == path ? 1 : (size_t)(slash - path));
    return budget->file && budget->folder ? IFL_OK : ifl_fail_memory(error, strlen(path));
}

/* Whether a limit or a watch asks for it. */
static bool needs_baseline(const ifl_budget *budget)
{
    for (size_t i = 0; i < budget->limits.count; i++)
        if (budget->limits.at[i].is_relative)
            return true;
    for (size_t i = 0; i < budget->watches.count; i++)
        if (budget->watches.at[i].only_new)
            return true;
    return false;
}

static ifl_status check_whole(const ifl_budget *budget, ifl_error *error)
{
    const ifl_place nowhere = {.file = budget->file};
    if (!budget->runs.count)
        return ifl_fail_at(error, IFL_BAD_INPUT, &nowhere,
                           "nothing to run: a budget needs 'run = ' lines");
    if (!budget->limits.count && !budget->watches.count)
        return ifl_fail_at(error, IFL_BAD_INPUT, &nowhere,
                           "nothing to check: a budget needs 'limit = ' or 'finding "
                           "= ' lines");
    if (needs_baseline(budget) && !budget->baseline)
        return ifl_fail_at(error, IFL_BAD_INPUT, &nowhere,
                           "limits are relative to a baseline, and there is no 'baseline = ' line");
    return IFL_OK;
}

ifl_status ifl_budget_read(const char *path, ifl_budget *out, ifl_error *error)
{
    size_t bytes;
    *out = (ifl_budget){0};
    ifl_status status = ifl_file_read(path, MAX_BUDGET_BYTES, &out->text, &bytes, error);
    if (status == IFL_OK)
        status = keep_names(out, path, error);
    if (status == IFL_OK)
        status = read_lines(out, bytes, error);
    if (status == IFL_OK)
        status = check_whole(out, error);
    if (status != IFL_OK)
        ifl_budget_free(out);
    return status;
}

bool ifl_budget_needs_listing(const ifl_budget *budget)
{
    for (size_t i = 0; i < budget->limits.count; i++)
        if (ifl_expression_has(budget->limits.at[i].expression, "opcode:"))
            return true;
    return false;
}

void ifl_budget_free(ifl_budget *budget)
{
    ifl_vec_free(&budget->runs);
    ifl_vec_free(&budget->gpus);
    ifl_vec_free(&budget->inputs);
    ifl_vec_free(&budget->limits);
    ifl_vec_free(&budget->watches);
    ifl_vec_free(&budget->allowances);
    ifl_arena_free(&budget->arena);
    free(budget->text);
    *budget = (ifl_budget){0};
}

bool ifl_budget_join(const ifl_budget *budget, const char *relative, char *path, size_t room)
{
    const bool is_whole = relative[0] == '/';
    const int bytes = snprintf(path, room, "%s%s%s", is_whole ? "" : budget->folder,
                               is_whole ? "" : "/", relative);
    return bytes >= 0 && (size_t)bytes < room;
}

const char *ifl_budget_path(ifl_budget *budget, const char *relative)
{
    const size_t room = strlen(budget->folder) + strlen(relative) + 2;
    char *path = ifl_arena_alloc(&budget->arena, room);
    return path && ifl_budget_join(budget, relative, path, room) ? path : NULL;
}
