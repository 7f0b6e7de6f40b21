/* SPDX-License-Identifier: Apache-2.0
 * Launch files: `key = value` lines with the words of the command line. It places every mistake
 * in the file. */
#include "session/launch_file.h"

#include "base/file.h"
#include "base/vec.h"
#include "session/launch.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LAUNCH_BYTES = 1 << 20 };

static const struct {
    const char *key;
    bool repeats;
} keys[] = {{"file", false},   {"kernel", false}, {"grid", false}, {"block", false},
            {"shared", false}, {"gpu", true},     {"arg", true},   {"machine", false},
            {"code", false},   {"cluster", false}};

enum { KEYS = sizeof keys / sizeof *keys };

typedef struct entry {
    ifl_keyfile_entry at;
    const char *key; /* of `keys` */
    const char *value;
} entry;

struct ifl_launch_file {
    ifl_keyfile reader;
    ifl_arena arena;
    IFL_VEC(entry) entries;
};

/* ---- reading --------------------------------------------------------------------------------- */

static const char *find_key(ifl_span key, bool *repeats)
{
    for (size_t i = 0; i < KEYS; i++)
        if (ifl_span_is(key, keys[i].key)) {
            *repeats = keys[i].repeats;
            return keys[i].key;
        }
    return NULL;
}

static const entry *find_entry(const ifl_launch_file *file, const char *key)
{
    for (size_t i = 0; i < file->entries.count; i++)
        if (file->entries.at[i].key == key || strcmp(file->entries.at[i].key, key) == 0)
            return &file->entries.at[i];
    return NULL;
}

static ifl_status add_entry(ifl_launch_file *file, const ifl_keyfile_entry *at, ifl_error *error)
{
    bool repeats = false;
    entry e = {.at = *at, .key = find_key(at->key, &repeats)};
    if (!e.key)
        return ifl_keyfile_fail_key(
            &file->reader, at, error,
            "unknown key '%.*s'; the keys are file, kernel, grid, block, cluster, "
            "shared, gpu, arg, machine and code",
            (int)(at->key.length < 40 ? at->key.length : 40), at->key.at);
    const entry *before = find_entry(file, e.key);
    if (before && !repeats)
        return ifl_keyfile_fail_key(&file->reader, at, error, "'%s' is already set in line %d",
                                    e.key, before->at.line);
    if (!at->value.length)
        return ifl_keyfile_fail_key(&file->reader, at, error, "'%s' has no value", e.key);
    e.value = ifl_arena_text(&file->arena, at->value.at, at->value.length);
    if (!e.value || !ifl_vec_push(&file->entries, e))
        return ifl_fail_memory(error, at->value.length);
    return IFL_OK;
}

static ifl_status read_entries(ifl_launch_file *file, ifl_error *error)
{
    ifl_keyfile_entry at;
    bool found;
    for (;;) {
        ifl_status status = ifl_keyfile_next(&file->reader, &at, &found, error);
        if (status != IFL_OK || !found)
            return status;
        if ((status = add_entry(file, &at, error)) != IFL_OK)
            return status;
    }
}

ifl_status ifl_launch_file_parse(const char *path, const char *text, size_t bytes,
                                 ifl_launch_file **out, ifl_error *error)
{
    *out = NULL;
    ifl_launch_file *file = calloc(1, sizeof *file);
    if (!file)
        return ifl_fail_memory(error, sizeof *file);
    ifl_keyfile_start(&file->reader, path, text, bytes);
    const ifl_status status = read_entries(file, error);
    if (status != IFL_OK)
        ifl_launch_file_free(file);
    else
        *out = file;
    return status;
}

void ifl_launch_file_free(ifl_launch_file *file)
{
    if (!file)
        return;
    ifl_vec_free(&file->entries);
    ifl_arena_free(&file->arena);
    free(file);
}

/* ---- applying -------------------------------------------------------------------------------- */

/* Turns an error about a value into one about its place in the file. An error that has a line of
 * its own elsewhere (in the PTX, say) stays. */
static ifl_status place_error(const ifl_launch_file *file, const entry *e, bool in_value,
                              ifl_status status, const ifl_error *own, ifl_error *error)
{
    const bool is_mistake = status == IFL_USAGE || status == IFL_BAD_INPUT || status == IFL_NO_FILE;
    const ifl_status placed = status == IFL_USAGE ? IFL_BAD_INPUT : status;
    if (!is_mistake || (own->line && !in_value)) {
        if (error)
            *error = *own;
        return status;
    }
    const size_t offset = in_value && own->column > 0 ? (size_t)own->column - 1 : 0;
    const ifl_place place = ifl_keyfile_place(&file->reader, &e->at, offset);
    return ifl_fail_at(error, placed, &place, "%s", own->text);
}

ifl_status ifl_launch_file_apply(const ifl_launch_file *file, ifl_launch *launch, ifl_error *error)
{
    for (size_t i = 0; i < file->entries.count; i++) {
        const entry *e = &file->entries.at[i];
        ifl_error own = {0};
        if (strcmp(e->key, "file") == 0 || strcmp(e->key, "kernel") == 0)
            continue;
        const ifl_status status = ifl_launch_set(launch, e->key, e->value, &own);
        if (status != IFL_OK)
            return place_error(file, e, own.line != 0, status, &own, error);
    }
    return IFL_OK;
}

/* The folder of a path: "" gives NULL. */
static ifl_status folder_of(ifl_arena *arena, const char *path, const char **folder,
                            ifl_error *error)
{
    const char *slash = strrchr(path, '/');
    *folder = NULL;
    if (!slash)
        return IFL_OK;
    *folder = ifl_arena_text(arena, path, slash == path ? 1 : (size_t)(slash - path));
    return *folder ? IFL_OK : ifl_fail_memory(error, strlen(path));
}

static ifl_status open_module(ifl_launch_file *file, ifl_module **module, ifl_error *error)
{
    const char *folder;
    ifl_error own = {0};
    const entry *e = find_entry(file, "file");
    const ifl_place nowhere = {.file = file->reader.file};
    if (!e)
        return ifl_fail_at(error, IFL_BAD_INPUT, &nowhere, "the launch file has no 'file = ' line");
    ifl_status status = folder_of(&file->arena, file->reader.file, &folder, error);
    if (status != IFL_OK)
        return status;
    const char *path = ifl_path_join(&file->arena, folder, e->value);
    if (!path)
        return ifl_fail_memory(error, strlen(e->value));
    status = ifl_module_open(path, NULL, module, &own);
    return status == IFL_OK ? IFL_OK : place_error(file, e, false, status, &own, error);
}

static ifl_status new_launch(ifl_launch_file *file, const ifl_module *module, ifl_launch **out,
                             ifl_error *error)
{
    ifl_error own = {0};
    const entry *kernel = find_entry(file, "kernel");
    const entry *place = kernel ? kernel : find_entry(file, "file");
    const ifl_status status = ifl_launch_new(module, kernel ? kernel->value : NULL, out, &own);
    if (status != IFL_OK)
        return place_error(file, place, false, status, &own, error);
    ifl_launch *launch = *out;
    launch->file = ifl_arena_text(&launch->arena, file->reader.file, strlen(file->reader.file));
    if (!launch->file)
        return ifl_fail_memory(error, strlen(file->reader.file));
    return folder_of(&launch->arena, launch->file, &launch->directory, error);
}

static ifl_status make(ifl_launch_file *file, ifl_module **module, ifl_launch **launch,
                       ifl_error *error)
{
    ifl_status status = open_module(file, module, error);
    if (status == IFL_OK)
        status = new_launch(file, *module, launch, error);
    return status == IFL_OK ? ifl_launch_file_apply(file, *launch, error) : status;
}

static ifl_status read_text(const char *path, const char *text, size_t bytes, ifl_module **module,
                            ifl_launch **launch, ifl_error *error)
{
    ifl_launch_file *file;
    ifl_status status = ifl_launch_file_parse(path, text, bytes, &file, error);
    if (status != IFL_OK)
        return status;
    status = make(file, module, launch, error);
    ifl_launch_file_free(file);
    return status;
}

ifl_status ifl_launch_read(const char *path, ifl_module **module, ifl_launch **out,
                           ifl_error *error)
{
    char *text;
    size_t bytes;
    *module = NULL;
    *out = NULL;
    ifl_status status = ifl_file_read(path, MAX_LAUNCH_BYTES, &text, &bytes, error);
    if (status != IFL_OK)
        return status;
    status = read_text(path, text, bytes, module, out, error);
    free(text);
    if (status != IFL_OK) {
        ifl_launch_free(*out);
        ifl_module_close(*module);
        *out = NULL;
        *module = NULL;
    }
    return status;
}
