/* SPDX-License-Identifier: Apache-2.0
 * The machine code of a loaded module: what of it the session's GPU runs, its variables in memory,
 * its constant banks. */
#ifndef IFL_SESSION_PLACED_OBJECTS_H
#define IFL_SESSION_PLACED_OBJECTS_H

#include "base/vec.h"
#include "exec/memory.h"
#include "sass/object.h"

typedef struct ifl_placed_object {
    ifl_object *object;
    ifl_allocation *constants; /* bank 3; NULL: none */
} ifl_placed_object;

typedef struct ifl_objects {
    IFL_VEC(ifl_placed_object) list;
} ifl_objects;

/* Reads and places all that GPUs of compute capability `sm` (90) run. IFL_UNSUPPORTED: nothing
 * does. */
ifl_status ifl_objects_load(const ifl_machine_source *source, uint32_t sm, ifl_memory *memory,
                            ifl_objects *out, ifl_error *error);
void ifl_objects_free(ifl_objects *objects);
/* Gives all variables their initial values. */
void ifl_objects_reset(const ifl_objects *objects, const ifl_memory *memory);
/* Frees the variables' memory: the module was unloaded. */
void ifl_objects_drop(const ifl_objects *objects, ifl_memory *memory);
/* The object that holds a kernel, and its code; NULL: none does. */
const ifl_placed_object *ifl_objects_find(const ifl_objects *objects, const char *kernel,
                                          const ifl_object_text **text);
/* A variable's device address; 0: there is none of the name. */
uint64_t ifl_objects_variable(const ifl_objects *objects, const char *name, uint64_t *bytes);

#endif
