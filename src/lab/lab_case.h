/* SPDX-License-Identifier: Apache-2.0
 * A case of the lab as read from its file (docs/lab-format.md): entries in sections, the first of
 * which holds for all versions. It knows the keys' names, not the meaning of metrics. */
#ifndef IFL_LAB_LAB_CASE_H
#define IFL_LAB_LAB_CASE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/keyfile.h"
#include "base/vec.h"
#include "lab/lab_api.h"

typedef struct ifl_lab_entry {
    ifl_keyfile_entry at;
    const char *key;
    const char *value;
} ifl_lab_entry;

typedef IFL_VEC(ifl_lab_entry) ifl_lab_entries;

typedef struct ifl_lab_section {
    const char *name; /* of the version; NULL for what is common */
    ifl_lab_entries entries;
    bool has_args;
} ifl_lab_section;

typedef struct ifl_lab_module {
    const char *path;
    ifl_module *module;
} ifl_lab_module;

struct ifl_lab {
    ifl_arena arena;
    ifl_keyfile reader;
    char *text;
    const char *name;   /* "axpy" */
    const char *folder; /* NULL: the working one */
    IFL_VEC(ifl_lab_section) sections;
    IFL_VEC(ifl_lab_module) modules; /* opened so far */
};

/* The version's entry, else the common one; NULL when there is none. `version` counts from 0;
 * IFL_LAB_COMMON asks for the common one only. */
const ifl_lab_entry *ifl_lab_find(const ifl_lab *lab, size_t version, const char *key);
/* The same for a key of two parts, "let." and "n". */
const ifl_lab_entry *ifl_lab_find_part(const ifl_lab *lab, size_t version, const char *prefix,
                                       const char *name);
/* The version's own entries, or the common ones; NULL past the last version. */
const ifl_lab_section *ifl_lab_section_of(const ifl_lab *lab, size_t version);

/* A mistake in an entry's value, `offset` bytes into it. */
ifl_status ifl_lab_fail(const ifl_lab *lab, const ifl_lab_entry *entry, size_t offset,
                        ifl_error *error, const char *format, ...) IFL_PRINTF(5, 6);

/* The number that the text from `offset` of an entry's value on makes, to its end. */
ifl_status ifl_lab_evaluate(const ifl_lab *lab, const ifl_lab_point *point,
                            const ifl_lab_entry *entry, size_t offset, double *out,
                            ifl_error *error);
/* The entry's value with every {...} replaced; in memory of malloc. */
ifl_status ifl_lab_expand(const ifl_lab *lab, const ifl_lab_point *point,
                          const ifl_lab_entry *entry, char **out, ifl_error *error);

#endif
