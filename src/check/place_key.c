/* SPDX-License-Identifier: Apache-2.0
 * See place_key.h. */
#include "check/place_key.h"

#include "base/file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_BYTES = 512 };

/* Adds the words of a text with single blanks between them, as far as there is room. */
static size_t add_words(char *key, size_t used, const char *text)
{
    for (; *text && used + 2 < KEY_BYTES; text++) {
        const unsigned char c = (unsigned char)*text;
        if (!isspace(c) && !iscntrl(c))
            key[used++] = *text;
        else if (used && key[used - 1] != ' ')
            key[used++] = ' ';
    }
    while (used && key[used - 1] == ' ')
        used--;
    key[used] = '\0';
    return used;
}

/* "out[i] = in[j]; (st.global.f32)": no file, so that a function may move to another; its name
 * where the line's text is not at hand. */
static void make_key(char *key, const char *file, const char *text, const char *op)
{
    const size_t used = add_words(key, 0, *text ? text : ifl_file_last_name(file));
    if (used + strlen(op) + 4 < KEY_BYTES)
        snprintf(key + used, KEY_BYTES - used, " (%s)", op);
}

static size_t count_equal(const ifl_subject *subject, size_t before, const char *key)
{
    const size_t length = strlen(key);
    size_t equal = 0;
    for (size_t i = 0; i < before; i++)
        equal += strncmp(subject->places[i], key, length) == 0 &&
                 (subject->places[i][length] == '\0' || subject->places[i][length] == '#');
    return equal;
}

bool ifl_place_keys(ifl_arena *arena, ifl_subject *subject)
{
    char key[KEY_BYTES], numbered[KEY_BYTES + 32];
    if (!subject->line_count)
        return true;
    subject->places = ifl_arena_alloc(arena, subject->line_count * sizeof *subject->places);
    for (size_t i = 0; subject->places && i < subject->line_count; i++) {
        const json_t *line = ifl_subject_line(subject, i);
        make_key(key, ifl_json_text(line, "file"), ifl_json_text(line, "text"),
                 ifl_json_text(line, "op"));
        const size_t equal = count_equal(subject, i, key);
        snprintf(numbered, sizeof numbered, equal ? "%s#%zu" : "%s", key, equal + 1);
        subject->places[i] = ifl_arena_text(arena, numbered, strlen(numbered));
        if (!subject->places[i])
            return false;
    }
    return subject->places != NULL;
}

const char *ifl_place_key_of_finding(ifl_arena *arena, const json_t *finding, const char *text)
{
    char key[KEY_BYTES];
    make_key(key, ifl_json_text(finding, "file"), text, ifl_json_text(finding, "kind"));
    return ifl_arena_text(arena, key, strlen(key));
}

static bool is_file(const char *name, size_t length, const char *file)
{
    const size_t whole = strlen(file);
    return whole >= length && strncmp(file + whole - length, name, length) == 0 &&
           (whole == length || file[whole - length - 1] == '/');
}

bool ifl_place_is(const char *at, const char *file, int line, const char *text)
{
    const char *colon = strrchr(at, ':');
    if (!at[0])
        return true;
    if (colon && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1))
        return atoi(colon + 1) == line && is_file(at, (size_t)(colon - at), file);
    return is_file(at, strlen(at), file) || strstr(text, at);
}
