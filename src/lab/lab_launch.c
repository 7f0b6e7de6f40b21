/* SPDX-License-Identifier: Apache-2.0
 * A version of a case at one point becomes launches: words with their expressions replaced, given
 * to the launch as a launch file would. It runs nothing. */
#include "base/figure.h"
#include "base/file.h"
#include "lab/lab_case.h"
#include "session/launch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ARGS = 256, MOST_KERNELS = 16 };

/* The mistake of a word stands where the word does in the case's file; a mistake in another file
 * (the PTX) stays there. */
static ifl_status place_error(const ifl_lab *lab, const ifl_lab_entry *e, const char *word,
                              ifl_status status, const ifl_error *own, ifl_error *error)
{
    const bool of_word = own->line == 0 || (own->line == 1 && strcmp(own->source, word) == 0);
    if (of_word && (status == IFL_USAGE || status == IFL_BAD_INPUT || status == IFL_NO_FILE))
        return ifl_lab_fail(lab, e, 0, error, "'%.100s': %.280s", word, own->text);
    if (error)
        *error = *own;
    return status;
}

static ifl_status missing(const ifl_lab *lab, const char *key, ifl_error *error)
{
    const ifl_place place = {.file = lab->reader.file};
    return ifl_fail_at(error, IFL_BAD_INPUT, &place, "no '%s = ' line for this version", key);
}

/* The entry's words with expressions replaced; NULL and IFL_OK where there is no such entry. */
static ifl_status value_of(const ifl_lab *lab, const ifl_lab_point *point, const char *key,
                           char **out, ifl_error *error)
{
    const ifl_lab_entry *e = ifl_lab_find(lab, point->version, key);
    *out = NULL;
    return e ? ifl_lab_expand(lab, point, e, out, error) : IFL_OK;
}

ifl_status ifl_lab_number(const ifl_lab *lab, const ifl_lab_point *point, const char *key,
                          double *value, bool *found, ifl_error *error)
{
    const ifl_lab_entry *e = ifl_lab_find(lab, point->version, key);
    char *text = NULL;
    *found = e != NULL;
    if (!e)
        return IFL_OK;
    ifl_status status = ifl_lab_expand(lab, point, e, &text, error);
    if (status != IFL_OK)
        return status;
    const ifl_lab_entry plain = {e->at, e->key, text};
    status = ifl_lab_evaluate(lab, point, &plain, 0, value, error);
    free(text);
    return status;
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* The word `index` of a text of blanks and words; its length is 0 past the last. */
static const char *word_of(const char *text, size_t index, size_t *length)
{
    static const char blanks[] = " \t";
    for (;; index--) {
        text += strspn(text, blanks);
        *length = strcspn(text, blanks);
        if (!index || !*length)
            return text;
        text += *length;
    }
}

ifl_status ifl_lab_kernel_count(const ifl_lab *lab, const ifl_lab_point *point, size_t *count,
                                ifl_error *error)
{
    char *text;
    size_t length;
    ifl_status status = value_of(lab, point, "kernel", &text, error);
    *count = 1;
    while (status == IFL_OK && text && *count < MOST_KERNELS) {
        word_of(text, *count, &length);
        if (!length)
            break;
        ++*count;
    }
    free(text);
    return status;
}

/* ---- modules --------------------------------------------------------------------------------- */

/* A case keeps the machine code of NAME.ptx as NAME.cubin (docs/lab-format.md), which is read once
 * for all launches. */
static ifl_status add_description(ifl_lab *lab, const char *path, ifl_module *module,
                                  ifl_error *error)
{
    static const char ptx[] = ".ptx";
    const size_t length = strlen(path), stem = length - strlen(ptx);
    if (length < sizeof ptx || strcmp(path + stem, ptx) != 0)
        return IFL_OK;
    const char *cubin = ifl_arena_printf(&lab->arena, "%.*s.cubin", (int)stem, path);
    if (!cubin)
        return ifl_fail_memory(error, length);
    if (access(cubin, F_OK) != 0)
        return IFL_OK;
    char *bytes;
    size_t size;
    const ifl_status status = ifl_file_read(cubin, SIZE_MAX, &bytes, &size, error);
    if (status != IFL_OK)
        return status;
    const char *kept = ifl_arena_text(&lab->arena, bytes, size);
    free(bytes);
    module->described_by = (ifl_machine_source){cubin, (const uint8_t *)kept, size};
    return kept ? IFL_OK : ifl_fail_memory(error, size);
}

static ifl_status open_module(ifl_lab *lab, const ifl_lab_entry *e, const char *name,
                              const ifl_module **out, ifl_error *error)
{
    const char *path = ifl_path_join(&lab->arena, lab->folder, name);
    ifl_lab_module opened = {path, NULL};
    ifl_error own = {0};
    if (!path)
        return ifl_fail_memory(error, strlen(name));
    for (size_t i = 0; i < lab->modules.count; i++)
        if (strcmp(lab->modules.at[i].path, path) == 0) {
            *out = lab->modules.at[i].module;
            return IFL_OK;
        }
    ifl_status status = ifl_module_open(path, NULL, &opened.module, &own);
    if (status == IFL_OK)
        status = add_description(lab, path, opened.module, &own);
    if (status == IFL_OK && !ifl_vec_push(&lab->modules, opened))
        status = ifl_fail_memory(&own, sizeof opened);
    if (status != IFL_OK) {
        ifl_module_close(opened.module);
        return place_error(lab, e, name, status, &own, error);
    }
    *out = opened.module;
    return IFL_OK;
}

static ifl_status find_module(ifl_lab *lab, const ifl_lab_point *point, const ifl_module **out,
                              ifl_error *error)
{
    char *name;
    ifl_status status = value_of(lab, point, "file", &name, error);
    if (status != IFL_OK)
        return status;
    status = name ? open_module(lab, ifl_lab_find(lab, point->version, "file"), name, out, error)
                  : missing(lab, "file", error);
    free(name);
    return status;
}

/* ---- launches -------------------------------------------------------------------------------- */

typedef struct making {
    ifl_lab *lab;
    const ifl_lab_point *point;
    size_t kernel;
    ifl_launch *launch;
    FILE *out; /* the words are written here instead; NULL: they are given to the launch */
    ifl_error *error;
} making;

static ifl_status set_word(const making *m, const char *key, const ifl_lab_entry *e)
{
    char *word;
    ifl_error own = {0};
    ifl_status status = ifl_lab_expand(m->lab, m->point, e, &word, m->error);
    if (status != IFL_OK)
        return status;
    if (m->out)
        fprintf(m->out, "%s = %s\n", key, word);
    else
        status = ifl_launch_set(m->launch, key, word, &own);
    if (status != IFL_OK)
        status = place_error(m->lab, e, word, status, &own, m->error);
    free(word);
    return status;
}

/* "grid.2" of the second kernel, else "grid". */
static ifl_status set_shape(const making *m, const char *key, bool needed)
{
    char own[32];
    snprintf(own, sizeof own, "%s.%zu", key, m->kernel + 1);
    const ifl_lab_entry *e = ifl_lab_find(m->lab, m->point->version, own);
    if (!e)
        e = ifl_lab_find(m->lab, m->point->version, key);
    if (!e)
        return needed ? missing(m->lab, key, m->error) : IFL_OK;
    return set_word(m, key, e);
}

static ifl_status set_args(const making *m)
{
    const ifl_lab_section *section = ifl_lab_section_of(m->lab, m->point->version);
    size_t index = 0;
    ifl_status status = IFL_OK;
    if (!section->has_args)
        section = ifl_lab_section_of(m->lab, IFL_LAB_COMMON);
    for (size_t i = 0; i < section->entries.count && status == IFL_OK; i++) {
        char name[32];
        if (strcmp(section->entries.at[i].key, "arg") != 0)
            continue;
        snprintf(name, sizeof name, "arg.%zu", index++);
        const ifl_lab_entry *replaced = ifl_lab_find(m->lab, m->point->version, name);
        status = set_word(m, "arg", replaced ? replaced : &section->entries.at[i]);
    }
    return status;
}

static ifl_status name_file(const making *m)
{
    ifl_launch *launch = m->launch;
    launch->file = ifl_arena_text(&launch->arena, m->lab->reader.file, strlen(m->lab->reader.file));
    if (m->lab->folder)
        launch->directory = ifl_arena_text(&launch->arena, m->lab->folder, strlen(m->lab->folder));
    return launch->file && (launch->directory || !m->lab->folder)
               ? IFL_OK
               : ifl_fail_memory(m->error, strlen(m->lab->reader.file));
}

/* The name of this kernel, in memory of malloc. */
static ifl_status kernel_name(const making *m, char **out)
{
    char *names = NULL;
    size_t length = 0;
    const ifl_lab_entry *e = ifl_lab_find(m->lab, m->point->version, "kernel");
    *out = NULL;
    if (!e)
        return missing(m->lab, "kernel", m->error);
    const ifl_status status = ifl_lab_expand(m->lab, m->point, e, &names, m->error);
    if (status != IFL_OK)
        return status;
    const char *start = word_of(names, m->kernel, &length);
    *out = strndup(start, length);
    free(names);
    return *out ? IFL_OK : ifl_fail_memory(m->error, length);
}

static ifl_status new_launch(making *m, const ifl_module *module)
{
    char *name;
    ifl_error own = {0};
    ifl_status status = kernel_name(m, &name);
    if (status != IFL_OK)
        return status;
    status = ifl_launch_new(module, name, &m->launch, &own);
    if (status != IFL_OK)
        status = place_error(m->lab, ifl_lab_find(m->lab, m->point->version, "kernel"), name,
                             status, &own, m->error);
    free(name);
    return status == IFL_OK ? name_file(m) : status;
}

static ifl_status describe(const making *m)
{
    ifl_status status = set_shape(m, "grid", true);
    if (status == IFL_OK)
        status = set_shape(m, "block", true);
    if (status == IFL_OK)
        status = set_shape(m, "shared", false);
    return status == IFL_OK ? set_args(m) : status;
}

ifl_status ifl_lab_launch(ifl_lab *lab, const ifl_lab_point *point, size_t kernel, ifl_launch **out,
                          ifl_error *error)
{
    making m = {lab, point, kernel, NULL, NULL, error};
    const ifl_module *module = NULL;
    *out = NULL;
    if (point->version >= ifl_lab_version_count(lab))
        return ifl_fail(error, IFL_USAGE, "the case '%s' has no version %zu", lab->name,
                        point->version);
    ifl_status status = find_module(lab, point, &module, error);
    if (status == IFL_OK)
        status = new_launch(&m, module);
    if (status == IFL_OK)
        status = describe(&m);
    if (status != IFL_OK) {
        ifl_launch_free(m.launch);
        return status;
    }
    *out = m.launch;
    return IFL_OK;
}

/* Names in a launch file are relative to that file, which may go anywhere. */
static ifl_status write_path(const making *m, const char *key, const char *file)
{
    char *path = realpath(file, NULL);
    if (!path)
        return ifl_fail(m->error, IFL_NO_FILE, "cannot find '%s'", file);
    fprintf(m->out, "%s = %s\n", key, path);
    free(path);
    return IFL_OK;
}

static ifl_status write_code(const making *m, const char *code)
{
    const ifl_module *module = NULL;
    ifl_status status = code ? find_module(m->lab, m->point, &module, m->error) : IFL_OK;
    if (status == IFL_OK && module && module->described_by.name)
        status = write_path(m, "machine", module->described_by.name);
    if (status == IFL_OK && code)
        fprintf(m->out, "code = %s\n", code);
    return status;
}

static ifl_status write_head(const making *m)
{
    char *file = NULL, *name = NULL;
    ifl_status status = value_of(m->lab, m->point, "file", &file, m->error);
    const char *path = file ? ifl_path_join(&m->lab->arena, m->lab->folder, file) : NULL;
    if (status == IFL_OK && !file)
        status = missing(m->lab, "file", m->error);
    else if (status == IFL_OK && !path)
        status = ifl_fail_memory(m->error, strlen(file));
    if (status == IFL_OK)
        status = kernel_name(m, &name);
    fprintf(m->out, "# %s, version %s\n", m->lab->name,
            ifl_lab_version_name(m->lab, m->point->version));
    if (status == IFL_OK)
        status = write_path(m, "file", path);
    if (status == IFL_OK)
        fprintf(m->out, "kernel = %s\n", name);
    free(file);
    free(name);
    return status;
}

ifl_status ifl_lab_launch_write(ifl_lab *lab, const ifl_lab_point *point, size_t kernel,
                                const char *code, FILE *out, ifl_error *error)
{
    const making m = {lab, point, kernel, NULL, out, error};
    ifl_status status = write_head(&m);
    if (status == IFL_OK)
        status = write_code(&m, code);
    return status == IFL_OK ? describe(&m) : status;
}
