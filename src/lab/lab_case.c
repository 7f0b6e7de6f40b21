/* SPDX-License-Identifier: Apache-2.0
 * Reading a case's file into sections of entries, and finding them. What the values mean is the
 * business of the other files of this folder. */
#include "lab/lab_case.h"

#include "base/file.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FILE_BYTES = 1 << 20, MOST_VERSIONS = 1000 };

static const char *const plain_keys[] = {
    "title",    "document",     "shows",  "reference", "tolerance", "file", "kernel",
    "grid",     "block",        "shared", "arg",       "needs",     "note", "role",
    "baseline", "useful_bytes", "chart",  "call",      "show",
};

/* Keys of two parts or more. */
static const char *const prefixes[] = {
    "let.",    "reduced.",   "word.",   "arg.",   "grid.", "block.",
    "shared.", "published.", "expect.", "sweep.", "gpu.",
};

/* ---- finding --------------------------------------------------------------------------------- */

const ifl_lab_section *ifl_lab_section_of(const ifl_lab *lab, size_t version)
{
    const size_t index = version == IFL_LAB_COMMON ? 0 : version + 1;
    return index < lab->sections.count ? &lab->sections.at[index] : NULL;
}

static const ifl_lab_entry *find_in(const ifl_lab_section *section, const char *prefix,
                                    const char *name)
{
    const size_t length = strlen(prefix);
    for (size_t i = 0; section && i < section->entries.count; i++) {
        const ifl_lab_entry *e = &section->entries.at[i];
        if (strncmp(e->key, prefix, length) == 0 && strcmp(e->key + length, name) == 0)
            return e;
    }
    return NULL;
}

const ifl_lab_entry *ifl_lab_find_part(const ifl_lab *lab, size_t version, const char *prefix,
                                       const char *name)
{
    const ifl_lab_entry *own =
        version == IFL_LAB_COMMON ? NULL : find_in(ifl_lab_section_of(lab, version), prefix, name);
    return own ? own : find_in(ifl_lab_section_of(lab, IFL_LAB_COMMON), prefix, name);
}

const ifl_lab_entry *ifl_lab_find(const ifl_lab *lab, size_t version, const char *key)
{
    return ifl_lab_find_part(lab, version, "", key);
}

/* ---- mistakes -------------------------------------------------------------------------------- */

ifl_status ifl_lab_fail(const ifl_lab *lab, const ifl_lab_entry *entry, size_t offset,
                        ifl_error *error, const char *format, ...)
{
    const ifl_place place = ifl_keyfile_place(&lab->reader, &entry->at, offset);
    va_list list;
    va_start(list, format);
    const ifl_status status = ifl_fail_list(error, IFL_BAD_INPUT, &place, format, list);
    va_end(list);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool is_known(const char *key)
{
    for (size_t i = 0; i < sizeof plain_keys / sizeof *plain_keys; i++)
        if (strcmp(key, plain_keys[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const size_t length = strlen(prefixes[i]);
        if (strncmp(key, prefixes[i], length) == 0 && key[length])
            return true;
    }
    return false;
}

static ifl_status add_section(ifl_lab *lab, const ifl_lab_entry *e, ifl_error *error)
{
    for (size_t i = 1; i < lab->sections.count; i++)
        if (strcmp(lab->sections.at[i].name, e->value) == 0)
            return ifl_lab_fail(lab, e, 0, error, "there is already a version '%.60s'", e->value);
    if (strspn(e->value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") !=
        strlen(e->value))
        return ifl_lab_fail(lab, e, 0, error,
                            "a version's name is one word of letters, digits, '_', '-' and '.'");
    if (lab->sections.count > MOST_VERSIONS)
        return ifl_lab_fail(lab, e, 0, error, "more than %d versions", MOST_VERSIONS);
    return ifl_vec_push(&lab->sections, (ifl_lab_section){.name = e->value})
               ? IFL_OK
               : ifl_fail_memory(error, sizeof(ifl_lab_section));
}

static ifl_status add_entry(ifl_lab *lab, const ifl_keyfile_entry *at, ifl_error *error)
{
    ifl_lab_section *section = &lab->sections.at[lab->sections.count - 1];
    ifl_lab_entry e = {.at = *at};
    e.key = ifl_arena_text(&lab->arena, at->key.at, at->key.length);
    e.value = ifl_arena_text(&lab->arena, at->value.at, at->value.length);
    if (!e.key || !e.value)
        return ifl_fail_memory(error, at->value.length);
    if (!*e.value)
        return ifl_keyfile_fail_key(&lab->reader, at, error, "'%.60s' has no value", e.key);
    if (strcmp(e.key, "version") == 0)
        return add_section(lab, &e, error);
    if (!is_known(e.key))
        return ifl_keyfile_fail_key(&lab->reader, at, error,
                                    "there is no key '%.60s': docs/lab-format.md lists them",
                                    e.key);
    const bool is_arg = strcmp(e.key, "arg") == 0;
    const ifl_lab_entry *before = is_arg ? NULL : find_in(section, "", e.key);
    if (before)
        return ifl_keyfile_fail_key(&lab->reader, at, error, "'%.60s' is already in line %d", e.key,
                                    before->at.line);
    section->has_args |= is_arg;
    return ifl_vec_push(&section->entries, e) ? IFL_OK : ifl_fail_memory(error, sizeof e);
}

static ifl_status read_entries(ifl_lab *lab, ifl_error *error)
{
    ifl_keyfile_entry at;
    bool found = true;
    ifl_status status = IFL_OK;
    if (!ifl_vec_push(&lab->sections, (ifl_lab_section){0}))
        return ifl_fail_memory(error, sizeof(ifl_lab_section));
    while (status == IFL_OK && found) {
        status = ifl_keyfile_next(&lab->reader, &at, &found, error);
        if (status == IFL_OK && found)
            status = add_entry(lab, &at, error);
    }
    return status;
}

static ifl_status check(const ifl_lab *lab, ifl_error *error)
{
    static const char *const needed[] = {"title", "shows"};
    const ifl_place place = {.file = lab->reader.file};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!ifl_lab_find(lab, IFL_LAB_COMMON, needed[i]))
            return ifl_fail_at(error, IFL_BAD_INPUT, &place, "the case has no '%s = ' line",
                               needed[i]);
    if (lab->sections.count < 2)
        return ifl_fail_at(error, IFL_BAD_INPUT, &place, "the case has no 'version = ' line");
    return IFL_OK;
}

static ifl_status set_path(ifl_lab *lab, const char *path, ifl_error *error)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    lab->name = ifl_arena_text(&lab->arena, base, length);
    if (lab->name)
        ifl_utf8_clean((char *)lab->name);
    lab->reader.file = ifl_arena_text(&lab->arena, path, strlen(path));
    if (slash)
        lab->folder = ifl_arena_text(&lab->arena, path, slash == path ? 1 : (size_t)(slash - path));
    return lab->name && lab->reader.file && (!slash || lab->folder)
               ? IFL_OK
               : ifl_fail_memory(error, strlen(path));
}

ifl_status ifl_lab_open(const char *path, ifl_lab **out, ifl_error *error)
{
    size_t bytes = 0;
    *out = NULL;
    ifl_lab *lab = calloc(1, sizeof *lab);
    if (!lab)
        return ifl_fail_memory(error, sizeof *lab);
    ifl_status status = ifl_file_read(path, MOST_FILE_BYTES, &lab->text, &bytes, error);
    if (status == IFL_OK) {
        ifl_keyfile_start(&lab->reader, path, lab->text, bytes);
        status = set_path(lab, path, error);
    }
    if (status == IFL_OK)
        status = read_entries(lab, error);
    if (status == IFL_OK)
        status = check(lab, error);
    if (status != IFL_OK)
        ifl_lab_close(lab);
    else
        *out = lab;
    return status;
}

void ifl_lab_close(ifl_lab *lab)
{
    if (!lab)
        return;
    for (size_t i = 0; i < lab->sections.count; i++)
        ifl_vec_free(&lab->sections.at[i].entries);
    for (size_t i = 0; i < lab->modules.count; i++)
        ifl_module_close(lab->modules.at[i].module);
    ifl_vec_free(&lab->sections);
    ifl_vec_free(&lab->modules);
    ifl_arena_free(&lab->arena);
    free(lab->text);
    free(lab);
}

/* ---- looking into it ------------------------------------------------------------------------- */

const char *ifl_lab_name(const ifl_lab *lab)
{
    return lab->name;
}

size_t ifl_lab_version_count(const ifl_lab *lab)
{
    return lab->sections.count - 1;
}

const char *ifl_lab_version_name(const ifl_lab *lab, size_t version)
{
    const ifl_lab_section *section = ifl_lab_section_of(lab, version);
    return section ? section->name : NULL;
}

size_t ifl_lab_version_find(const ifl_lab *lab, const char *name)
{
    for (size_t i = 0; i < ifl_lab_version_count(lab); i++)
        if (strcmp(ifl_lab_version_name(lab, i), name) == 0)
            return i;
    return IFL_LAB_COMMON;
}

const char *ifl_lab_text(const ifl_lab *lab, size_t version, const char *key)
{
    const ifl_lab_entry *e = ifl_lab_find(lab, version, key);
    return e ? e->value : NULL;
}
