/* SPDX-License-Identifier: Apache-2.0
 * A cache of source files, each read once and kept only as long as a profile is being built. */
#include "session/source_text.h"

#include "base/file.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SOURCE_BYTES = 4 << 20, MAX_LINE_BYTES = 400, PATH_BYTES = 4096 };

static bool read_file(ifl_source_file *file, const char *path)
{
    size_t bytes;
    if (ifl_file_read(path, MAX_SOURCE_BYTES, &file->text, &bytes, NULL) != IFL_OK)
        return false;
    bool kept = ifl_vec_push(&file->starts, 0);
    for (size_t i = 0; i < bytes && kept; i++)
        if (file->text[i] == '\n')
            kept = ifl_vec_push(&file->starts, i + 1);
    if (kept)
        kept = ifl_vec_push(&file->starts, bytes); /* the end of the last line */
    return kept;
}

/* `name` in the folder that the module stands in. */
static bool read_beside(ifl_source_file *file, const char *module_path, const char *name)
{
    char path[PATH_BYTES];
    const char *slash = strrchr(module_path, '/');
    const int folder = slash ? (int)(slash - module_path + 1) : 0;
    const int printed = snprintf(path, sizeof path, "%.*s%s", folder, module_path, name);
    return printed > 0 && printed < PATH_BYTES && read_file(file, path);
}

static void find_file(ifl_source_file *file, const char *module_path)
{
    const char *slash = strrchr(file->recorded, '/');
    if (file->recorded[0] != '/' && read_beside(file, module_path, file->recorded))
        return;
    if (read_file(file, file->recorded))
        return;
    read_beside(file, module_path, slash ? slash + 1 : file->recorded);
}

static ifl_source_file *get_file(ifl_source_texts *texts, const char *recorded)
{
    for (size_t i = 0; i < texts->files.count; i++)
        if (strcmp(texts->files.at[i].recorded, recorded) == 0)
            return &texts->files.at[i];
    if (!ifl_vec_push(&texts->files, (ifl_source_file){.recorded = recorded}))
        return NULL;
    ifl_source_file *file = &texts->files.at[texts->files.count - 1];
    find_file(file, texts->module_path);
    return file;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

const char *ifl_text_line(ifl_arena *arena, const char *text, size_t bytes)
{
    while (bytes && is_space(text[0]))
        text++, bytes--;
    while (bytes && (is_space(text[bytes - 1]) || !text[bytes - 1]))
        bytes--;
    char *copy = ifl_arena_text(arena, text, bytes < MAX_LINE_BYTES ? bytes : MAX_LINE_BYTES);
    if (copy)
        ifl_utf8_clean(copy);
    return copy;
}

static const char *line_of(const ifl_source_file *file, uint32_t line, size_t *bytes)
{
    if (!file->text || line == 0 || line >= file->starts.count)
        return NULL;
    const size_t *start = &file->starts.at[line - 1];
    *bytes = start[1] - start[0];
    return file->text + start[0];
}

const char *ifl_source_line(ifl_source_texts *texts, ifl_arena *arena, const char *recorded,
                            uint32_t line)
{
    size_t bytes = 0;
    const ifl_source_file *file = get_file(texts, recorded);
    if (!file)
        return NULL;
    const char *text = line_of(file, line, &bytes);
    return text ? ifl_text_line(arena, text, bytes) : "";
}

const char *ifl_source_raw_line(ifl_source_texts *texts, const char *recorded, uint32_t line,
                                size_t *bytes)
{
    const ifl_source_file *file = get_file(texts, recorded);
    const char *text = file ? line_of(file, line, bytes) : NULL;
    while (text && *bytes && (text[*bytes - 1] == '\n' || text[*bytes - 1] == '\r'))
        --*bytes;
    return text;
}

void ifl_source_texts_free(ifl_source_texts *texts)
{
    for (size_t i = 0; i < texts->files.count; i++) {
        free(texts->files.at[i].text);
        ifl_vec_free(&texts->files.at[i].starts);
    }
    ifl_vec_free(&texts->files);
}
