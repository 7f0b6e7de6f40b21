/* SPDX-License-Identifier: Apache-2.0
 * See source_place.h. */
#include "check/source_place.h"

#include "base/figure.h"
#include "base/file.h"
#include "check/name_pattern.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SOURCE_BYTES = 16 << 20, NAME_BYTES = 256 };

/* A report names files as its run saw them, and runs are made in the budget's folder; a compiler's
 * names may be those of the folder that the module lies in. */
static const char *seen_from_here(ifl_budget *budget, const ifl_subject *subject, const char *file)
{
    const char *module = ifl_json_text(subject->launch, "file"), *slash = strrchr(module, '/');
    if (!*file)
        return file;
    const char *plain = strcmp(budget->folder, ".") == 0 ? file : ifl_budget_path(budget, file);
    if (!plain || !slash || file[0] == '/' || access(plain, R_OK) == 0)
        return plain;
    const char *beside =
        ifl_arena_printf(&budget->arena, "%.*s/%s", (int)(slash - module), module, file);
    const char *path = beside ? ifl_budget_path(budget, beside) : NULL;
    return path && access(path, R_OK) == 0 ? path : plain;
}

static char *read_source(const char *path)
{
    char *text;
    size_t bytes;
    ifl_error ignored;
    if (!*path || ifl_file_read(path, MAX_SOURCE_BYTES, &text, &bytes, &ignored) != IFL_OK)
        return NULL;
    return text;
}

/* A line of a file, "" where that is not at hand; NULL without memory. */
static const char *read_line(ifl_budget *budget, const char *file, int wanted)
{
    char *text = wanted ? read_source(file) : NULL;
    const char *line = text;
    for (int number = 1; line && number < wanted; number++) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    const char *kept =
        ifl_arena_text(&budget->arena, line ? line : "", line ? strcspn(line, "\r\n") : 0);
    free(text);
    return kept;
}

bool ifl_source_of_line(ifl_budget *budget, const ifl_subject *subject, const json_t *line,
                        ifl_source_place *out)
{
    const char *text = ifl_json_text(line, "text"), *file = ifl_json_text(line, "file");
    *out = (ifl_source_place){.line = (int)json_integer_value(json_object_get(line, "line"))};
    file = ifl_arena_text(&budget->arena, file, strlen(file));
    out->file = file ? seen_from_here(budget, subject, file) : NULL;
    out->text = *text || !out->file ? ifl_arena_text(&budget->arena, text, strlen(text))
                                    : read_line(budget, out->file, out->line);
    return out->file && out->text;
}

/* ---- where a kernel is defined --------------------------------------------------------------- */

/* "ns::copy<float>(int)" is called copy in the source. */
static void bare_name(const char *kernel, char *name)
{
    const size_t end = strcspn(kernel, "<( ");
    size_t start = end;
    while (start && (isalnum((unsigned char)kernel[start - 1]) || kernel[start - 1] == '_' ||
                     kernel[start - 1] == '$'))
        start--;
    snprintf(name, NAME_BYTES, "%.*s",
             (int)(end - start < NAME_BYTES - 1 ? end - start : NAME_BYTES - 1), kernel + start);
}

static bool is_part_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The name followed by '(', with "__global__" or ".entry" at most two lines before it. */
static const char *find_definition(const char *text, const char *name)
{
    const size_t length = strlen(name);
    const char *recent = NULL;
    for (const char *at = text; *at; at++) {
        if (strncmp(at, "__global__", 10) == 0 || strncmp(at, ".entry", 6) == 0)
            recent = at;
        if (*at == ';' || *at == '}')
            recent = NULL;
        if (!recent || strncmp(at, name, length) != 0 || (at > text && is_part_of_name(at[-1])) ||
            is_part_of_name(at[length]))
            continue;
        const char *next = at + length + strspn(at + length, " \t\r\n");
        if (*next == '(')
            return at;
    }
    return NULL;
}

static int line_number(const char *text, const char *at)
{
    int line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

static bool find_in_source(ifl_budget *budget, const char *file, const char *name,
                           ifl_source_place *out)
{
    char *text = read_source(file);
    const char *at = text && *name ? find_definition(text, name) : NULL;
    if (at) {
        const char *start = at;
        while (start > text && start[-1] != '\n')
            start--;
        const char *line = ifl_arena_text(&budget->arena, start, strcspn(start, "\r\n"));
        *out = (ifl_source_place){file, line_number(text, at), line ? line : ""};
    }
    free(text);
    return at != NULL;
}

bool ifl_source_of_kernel(ifl_budget *budget, const ifl_subject *subject, ifl_source_place *out)
{
    char name[NAME_BYTES];
    ifl_source_place at;
    bare_name(subject->kernel, name);
    *out = (ifl_source_place){"", 0, ""};
    for (size_t i = 0; i < subject->line_count; i++) {
        if (!ifl_source_of_line(budget, subject, ifl_subject_line(subject, i), &at))
            return false;
        if (!out->line || (strcmp(at.file, out->file) == 0 && at.line < out->line))
            *out = at;
        if (!i && find_in_source(budget, at.file, name, out))
            return true;
    }
    if (!*out->file && !ifl_source_of_line(budget, subject, subject->launch, out))
        return false;
    if (!out->line)
        find_in_source(budget, out->file, name, out);
    return true;
}

/* "main at pipeline.c:40" */
bool ifl_source_of_launch(ifl_budget *budget, const ifl_subject *subject, ifl_source_place *out)
{
    const char *site = ifl_json_text(subject->launch, "site"), *at = strstr(site, " at ");
    const char *file = at ? at + strlen(" at ") : site, *colon = strrchr(file, ':');
    *out = (ifl_source_place){"", 0, ""};
    if (!colon || atoi(colon + 1) <= 0)
        return true;
    file = ifl_arena_text(&budget->arena, file, (size_t)(colon - file));
    out->file = file ? seen_from_here(budget, subject, file) : NULL;
    out->line = atoi(colon + 1);
    out->text = out->file ? read_line(budget, out->file, out->line) : NULL;
    return out->text != NULL;
}

/* ---- what a comment allows ------------------------------------------------------------------- */

/* The rules are a list with commas; what follows a blank behind it is the reason. */
static bool comment_allows(ifl_budget *budget, const char *words, size_t length, const char *rule,
                           const char **why)
{
    char *copy = ifl_arena_text(&budget->arena, words, length);
    bool is_allowed = false, is_last = false;
    for (char *at = copy; at && *at && !is_last;) {
        at += strspn(at, " \t");
        const size_t word = strcspn(at, ", \t");
        char *next = at + word + strspn(at + word, " \t");
        is_last = *next != ',';
        at[word] = '\0';
        is_allowed |= word && ifl_pattern_fits(at, rule);
        at = next + !is_last;
        *why = is_last ? at + strspn(at, "-: \t") : "";
    }
    return is_allowed;
}

static bool line_allows(ifl_budget *budget, const char *line, const char *rule, bool alone,
                        const char **why)
{
    static const char mark[] = "inflight: allow ";
    const size_t length = strcspn(line, "\r\n");
    const char *comment = line;
    while ((comment = strstr(comment, "//")) && comment < line + length) {
        const char *words = comment + 2 + strspn(comment + 2, " \t");
        if (alone && comment != line + strspn(line, " \t"))
            return false;
        if (strncmp(words, mark, sizeof mark - 1) == 0) {
            words += sizeof mark - 1;
            return comment_allows(budget, words, length - (size_t)(words - line), rule, why);
        }
        comment += 2;
    }
    return false;
}

bool ifl_source_allows(ifl_budget *budget, const ifl_source_place *place, const char *rule,
                       const char **why)
{
    char *text = place->line ? read_source(place->file) : NULL;
    const char *line = text, *above = NULL;
    for (int number = 1; line && number < place->line; number++) {
        above = line;
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    const bool is_allowed = line && (line_allows(budget, line, rule, false, why) ||
                                     (above && line_allows(budget, above, rule, true, why)));
    free(text);
    return is_allowed;
}
