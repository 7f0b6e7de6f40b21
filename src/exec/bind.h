/* SPDX-License-Identifier: Apache-2.0
 * Vector widths: the handlers built for each, and pointing code to those of one. */
#ifndef IFL_EXEC_BIND_H
#define IFL_EXEC_BIND_H

#include "code/code.h"

/* A row of a table (ptx/opcode.def, sass/table) as one width has it. */
typedef struct ifl_row_handler {
    uint32_t number; /* in the table */
    ifl_handler *run;
} ifl_row_handler;

typedef struct ifl_width {
    const char *name;
    const ifl_row_handler *const *(*ptx_rows)(size_t *count); /* in no particular order */
    const ifl_row_handler *const *(*sass_rows)(size_t *count);
    ifl_handler *slow; /* calls code->slow */
    /* A handler that does an operation faster where it may be one of the common kind; else NULL. */
    ifl_handler *(*side_by_side)(const ifl_code *code);
    ifl_handler *handler[IFL_CODE_OPERATIONS]; /* by ifl_operation; NULL: compiled once */
} ifl_width;

/* The widths this build has and this processor can run, best first; by name; NULL when there is
 * none of the name. */
const ifl_width *ifl_width_best(void);
const ifl_width *ifl_width_find(const char *name);

typedef struct ifl_binding {
    const ifl_width *width;
    ifl_handler **ptx_rows, **sass_rows; /* by number */
} ifl_binding;

ifl_status ifl_binding_init(ifl_binding *binding, const ifl_width *width, ifl_error *error);
void ifl_binding_free(ifl_binding *binding);
/* Points the codes of an image to the handlers, unless they are there already. */
void ifl_bind(const ifl_binding *binding, ifl_image *image);

#endif
