/* SPDX-License-Identifier: Apache-2.0
 * A set of texts, each kept once and numbered in the order of coming. */
#ifndef IFL_SASS_INTERN_H
#define IFL_SASS_INTERN_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdint.h>

typedef struct ifl_interned {
    const char *text;
    uint32_t index;
    const char *meaning; /* for the user of the set; NULL at first */
} ifl_interned;

typedef struct ifl_intern {
    ifl_arena *arena; /* of the texts */
    void *tree;
    IFL_VEC(ifl_interned *) list; /* by index */
    size_t bytes;                 /* of all texts, and what their user adds */
} ifl_intern;

/* Texts of a file may overlap there, so that their sum says nothing about the file's size. */
enum { IFL_INTERN_MAX_BYTES = 1 << 28 };

/* The entry of `text`, new when it was not there; NULL without memory or past the limit. */
ifl_interned *ifl_intern_text(ifl_intern *set, const char *text);
void ifl_intern_free(ifl_intern *set); /* the texts stay */

#endif
