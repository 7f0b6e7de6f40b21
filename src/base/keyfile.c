/* SPDX-License-Identifier: Apache-2.0
 * The reader of `key = value # comment` lines. It knows nothing of keys and their meaning. */
#include "base/keyfile.h"

#include "base/utf8.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_key_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

static ifl_span trim(ifl_span span)
{
    while (span.length && is_blank(span.at[0]))
        span.at++, span.length--;
    while (span.length && is_blank(span.at[span.length - 1]))
        span.length--;
    return span;
}

/* Where the comment's # stands, or the length of the line. */
static size_t find_comment(ifl_span line)
{
    for (size_t i = 0; i < line.length; i++)
        if (line.at[i] == '#' && (i == 0 || is_blank(line.at[i - 1])))
            return i;
    return line.length;
}

bool ifl_span_is(ifl_span span, const char *text)
{
    return strlen(text) == span.length && memcmp(span.at, text, span.length) == 0;
}

void ifl_keyfile_start(ifl_keyfile *reader, const char *file, const char *text, size_t bytes)
{
    static const char utf8_mark[] = "\xef\xbb\xbf";
    *reader = (ifl_keyfile){.file = file, .text = text, .bytes = bytes};
    if (bytes >= 3 && memcmp(text, utf8_mark, 3) == 0)
        reader->at = 3;
}

static ifl_span next_line(ifl_keyfile *reader)
{
    ifl_span line = {reader->text + reader->at, reader->bytes - reader->at};
    const char *end = memchr(line.at, '\n', line.length);
    if (end)
        line.length = (size_t)(end - line.at);
    reader->at += line.length + (end != NULL);
    reader->line++;
    return line;
}

static ifl_status fail_line(const ifl_keyfile *reader, ifl_span line, const char *at,
                            ifl_error *error, const char *text)
{
    const ifl_place place = {reader->file, reader->line, (int)(at - line.at) + 1, line.at};
    return ifl_fail_at(error, IFL_BAD_INPUT, &place, "%s", text);
}

/* What stands in these files is shown on terminals. */
static ifl_status check_text(const ifl_keyfile *reader, ifl_span line, ifl_error *error)
{
    if (line.length && line.at[line.length - 1] == '\r')
        line.length--;
    const size_t clean = ifl_utf8_clean_bytes(line.at, line.length);
    if (clean == line.length)
        return IFL_OK;
    const unsigned char bad = (unsigned char)line.at[clean];
    return fail_line(reader, line, line.at + clean, error,
                     !bad                        ? "a NUL byte: this is not a text file"
                     : bad < 0x80 || bad == 0xc2 ? "a control character: this is not a text file"
                                                 : "this is not UTF-8 text");
}

static ifl_status check_key(const ifl_keyfile *reader, ifl_span line, ifl_span key,
                            ifl_error *error)
{
    if (!key.length)
        return fail_line(reader, line, key.at, error, "expected a key before '='");
    for (size_t i = 0; i < key.length; i++)
        if (!is_key_char(key.at[i]))
            return fail_line(reader, line, key.at + i, error,
                             "a key is one word of letters, digits, '_', '-' and '.'");
    return IFL_OK;
}

/* Fills `entry` from a line that holds something. */
static ifl_status split(const ifl_keyfile *reader, ifl_span line, ifl_span body,
                        ifl_keyfile_entry *entry, ifl_error *error)
{
    const char *equals = memchr(body.at, '=', body.length);
    if (!equals)
        return fail_line(reader, line, body.at, error, "expected 'key = value'");
    entry->key = trim((ifl_span){body.at, (size_t)(equals - body.at)});
    entry->value = trim((ifl_span){equals + 1, (size_t)(body.at + body.length - equals - 1)});
    entry->line = reader->line;
    entry->line_text = line.at;
    entry->key_column = (int)(entry->key.at - line.at) + 1;
    entry->value_column = (int)(entry->value.at - line.at) + 1;
    return check_key(reader, line, entry->key, error);
}

ifl_status ifl_keyfile_next(ifl_keyfile *reader, ifl_keyfile_entry *entry, bool *found,
                            ifl_error *error)
{
    *entry = (ifl_keyfile_entry){0};
    *found = false;
    while (reader->at < reader->bytes) {
        const ifl_span line = next_line(reader);
        const ifl_status status = check_text(reader, line, error);
        if (status != IFL_OK)
            return status;
        const size_t comment = find_comment(line);
        const ifl_span body = trim((ifl_span){line.at, comment});
        if (!body.length)
            continue;
        if (comment < line.length)
            entry->comment = trim((ifl_span){line.at + comment + 1, line.length - comment - 1});
        *found = true;
        return split(reader, line, body, entry, error);
    }
    return IFL_OK;
}

ifl_place ifl_keyfile_place(const ifl_keyfile *reader, const ifl_keyfile_entry *entry,
                            size_t offset)
{
    return (ifl_place){reader->file, entry->line, entry->value_column + (int)offset,
                       entry->line_text};
}

ifl_status ifl_keyfile_fail_key(const ifl_keyfile *reader, const ifl_keyfile_entry *entry,
                                ifl_error *error, const char *format, ...)
{
    const ifl_place place = {reader->file, entry->line, entry->key_column, entry->line_text};
    va_list list;
    va_start(list, format);
    const ifl_status status = ifl_fail_list(error, IFL_BAD_INPUT, &place, format, list);
    va_end(list);
    return status;
}
