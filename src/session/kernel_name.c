/* SPDX-License-Identifier: Apache-2.0
 * Matching names by how exactly they fit. */
#include "session/kernel_name.h"

#include <ctype.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAME = 512, LISTED = 12 };

/* ---- parts of a name ------------------------------------------------------------------------- */

typedef struct part {
    const char *at;
    size_t length;
} part;

/* Where the bracket that text[end - 1] closes was opened; `end` when it was not. */
static size_t find_open(const char *text, size_t end, char open, char close)
{
    int depth = 0;
    for (size_t i = end; i-- > 0;) {
        depth += (text[i] == close) - (text[i] == open);
        if (depth == 0)
            return i;
    }
    return end;
}

static size_t without(const char *text, size_t length, char open, char close)
{
    return length && text[length - 1] == close ? find_open(text, length, open, close) : length;
}

size_t ifl_name_length(const char *signature)
{
    return without(signature, strlen(signature), '(', ')');
}

static part whole_signature(const char *signature)
{
    return (part){signature, strlen(signature)};
}

static part with_arguments(const char *signature)
{
    return (part){signature, ifl_name_length(signature)};
}

static part with_namespace(const char *signature)
{
    return (part){signature, without(signature, ifl_name_length(signature), '<', '>')};
}

/* Skips everything up to the last :: that is outside of < > and ( ). */
static part without_namespace(part name)
{
    size_t start = 0;
    int depth = 0;
    for (size_t i = 0; i < name.length; i++) {
        depth +=
            (name.at[i] == '<' || name.at[i] == '(') - (name.at[i] == '>' || name.at[i] == ')');
        if (depth == 0 && i > 0 && name.at[i] == ':' && name.at[i - 1] == ':')
            start = i + 1;
    }
    return (part){name.at + start, name.length - start};
}

static part local_with_arguments(const char *signature)
{
    return without_namespace(with_arguments(signature));
}

static part local_bare(const char *signature)
{
    return without_namespace(with_namespace(signature));
}

/* From the most exact reading of a name to the loosest. */
static part (*const readings[])(const char *signature) = {
    whole_signature, with_arguments, with_namespace, local_with_arguments, local_bare,
};

enum { READINGS = sizeof readings / sizeof *readings };

/* ---- matching -------------------------------------------------------------------------------- */

/* Blanks are a matter of taste: "float const *" is "float const*". */
static bool same_text(part a, const char *b)
{
    size_t i = 0;
    for (;;) {
        while (i < a.length && a.at[i] == ' ')
            i++;
        while (*b == ' ')
            b++;
        if (i == a.length || !*b)
            return i == a.length && !*b;
        if (a.at[i++] != *b++)
            return false;
    }
}

static const char regex_mark[] = "regex:";

/* NULL where `wanted` is no expression, or none that can be read. */
static regex_t *make_regex(const char *wanted, regex_t *regex)
{
    const size_t mark = strlen(regex_mark);
    if (strncmp(wanted, regex_mark, mark) != 0)
        return NULL;
    return regcomp(regex, wanted + mark, REG_EXTENDED | REG_NOSUB) == 0 ? regex : NULL;
}

static bool fits_regex(part name, const regex_t *regex)
{
    char text[MAX_NAME + 1];
    snprintf(text, sizeof text, "%.*s", (int)(name.length < MAX_NAME ? name.length : MAX_NAME),
             name.at);
    return regexec(regex, text, 0, NULL, 0) == 0;
}

static bool fits(const ifl_kernel_name *name, const char *wanted, int reading)
{
    regex_t regex;
    if (make_regex(wanted, &regex)) {
        const bool is_found =
            fits_regex((reading < 0 ? local_bare : readings[reading])(name->signature), &regex);
        regfree(&regex);
        return is_found;
    }
    if (reading < 0)
        return name->mangled && strcmp(name->mangled, wanted) == 0;
    return same_text(readings[reading](name->signature), wanted);
}

bool ifl_kernel_is(const char *mangled, const char *signature, const char *wanted)
{
    const ifl_kernel_name name = {mangled, signature};
    for (int reading = -1; reading < READINGS; reading++)
        if (fits(&name, wanted, reading))
            return true;
    return false;
}

/* How many kernels fit; *index is the first. Two modules may hold the same kernel: it counts
 * once. */
static size_t count_fitting(const ifl_kernel_name *names, size_t count, const char *wanted,
                            int reading, size_t *index)
{
    size_t fitting = 0;
    for (size_t i = 0; i < count; i++) {
        if (!fits(&names[i], wanted, reading))
            continue;
        if (fitting && strcmp(names[*index].mangled, names[i].mangled) == 0)
            continue;
        if (fitting++ == 0)
            *index = i;
    }
    return fitting;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Levenshtein's distance, case apart; names are cut at MAX_NAME. */
static unsigned distance(part a, const char *b)
{
    unsigned row[MAX_NAME + 1];
    const size_t n = a.length < MAX_NAME ? a.length : MAX_NAME;
    for (unsigned i = 0; i <= n; i++)
        row[i] = i;
    for (unsigned j = 1; *b && j <= MAX_NAME; b++, j++) {
        unsigned corner = row[0];
        row[0] = j;
        for (size_t i = 1; i <= n; i++) {
            const bool same = tolower((unsigned char)a.at[i - 1]) == tolower((unsigned char)*b);
            unsigned best = corner + !same;
            best = row[i] + 1 < best ? row[i] + 1 : best;
            best = row[i - 1] + 1 < best ? row[i - 1] + 1 : best;
            corner = row[i];
            row[i] = best;
        }
    }
    return row[n];
}

static size_t closest(const ifl_kernel_name *names, size_t count, const char *wanted)
{
    size_t best = 0;
    unsigned best_distance = UINT32_MAX;
    for (size_t i = 0; i < count && wanted; i++) {
        const unsigned d = distance(local_bare(names[i].signature), wanted);
        if (d < best_distance) {
            best_distance = d;
            best = i;
        }
    }
    return best;
}

static void append(char *text, size_t size, const char *line)
{
    const size_t used = strlen(text);
    if (used + 1 < size)
        snprintf(text + used, size - used, "\n    %s", line);
}

/* The kernels of one reading (or all, -2), `first` before the others. */
static void list(char *text, size_t size, const ifl_kernel_name *names, size_t count, size_t first,
                 const char *wanted, int reading)
{
    size_t listed = 0;
    text[0] = '\0';
    if (first < count)
        append(text, size, names[first].signature);
    for (size_t i = 0; i < count && listed < LISTED; i++)
        if (i != first && (reading < -1 || fits(&names[i], wanted, reading))) {
            append(text, size, names[i].signature);
            listed++;
        }
    if (listed == LISTED)
        append(text, size, "...");
}

static ifl_status fail_none(const ifl_kernel_name *names, size_t count, const char *wanted,
                            const char *file, ifl_error *error)
{
    char text[800];
    if (count == 0)
        return ifl_fail(error, IFL_BAD_INPUT, "'%.100s' holds no kernel", file);
    list(text, sizeof text, names, count, closest(names, count, wanted), wanted, -2);
    if (wanted)
        return ifl_fail(error, IFL_USAGE, "no kernel '%.100s' in '%.100s'; there %s:%s", wanted,
                        file, count == 1 ? "is" : "are", text);
    return ifl_fail(error, IFL_USAGE, "'%.100s' holds %zu kernels; name one:%s", file, count, text);
}

static ifl_status fail_ambiguous(const ifl_kernel_name *names, size_t count, const char *wanted,
                                 int reading, ifl_error *error)
{
    char text[800];
    list(text, sizeof text, names, count, count, wanted, reading);
    return ifl_fail(error, IFL_USAGE, "'%.100s' fits several kernels:%s", wanted, text);
}

ifl_status ifl_kernel_check(const char *wanted, ifl_error *error)
{
    const size_t mark = strlen(regex_mark);
    char why[100];
    regex_t regex;
    if (strncmp(wanted, regex_mark, mark) != 0)
        return IFL_OK;
    const int problem = regcomp(&regex, wanted + mark, REG_EXTENDED | REG_NOSUB);
    if (problem) {
        regerror(problem, &regex, why, sizeof why);
        return ifl_fail(error, IFL_USAGE, "'%.100s' is not a regular expression: %s", wanted + mark,
                        why);
    }
    regfree(&regex);
    return IFL_OK;
}

ifl_status ifl_kernel_find(const ifl_kernel_name *names, size_t count, const char *wanted,
                           const char *file, size_t *index, ifl_error *error)
{
    static const char return_type[] = "void ";
    *index = 0;
    if (!wanted)
        return count == 1 ? IFL_OK : fail_none(names, count, NULL, file, error);
    const ifl_status checked = ifl_kernel_check(wanted, error);
    if (checked != IFL_OK)
        return checked;
    const size_t skip =
        strncmp(wanted, return_type, strlen(return_type)) == 0 ? strlen(return_type) : 0;
    for (int reading = -1; reading < READINGS; reading++) {
        const size_t fitting = count_fitting(names, count, wanted + skip, reading, index);
        if (fitting == 1)
            return IFL_OK;
        if (fitting > 1)
            return fail_ambiguous(names, count, wanted + skip, reading, error);
    }
    return fail_none(names, count, wanted, file, error);
}
