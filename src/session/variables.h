/* SPDX-License-Identifier: Apache-2.0
 * The global and constant variables of a program in memory. */
#ifndef IFL_SESSION_VARIABLES_H
#define IFL_SESSION_VARIABLES_H

#include "exec/memory.h"
#include "ptx/program.h"

/* Places them, initialised. `address` has one entry a variable of the program; those of others stay
 * as they are. */
ifl_status ifl_variables_place(const ifl_program *program, ifl_memory *memory, uint64_t *address,
                               ifl_error *error);
/* Gives them their initial values once more. */
void ifl_variables_reset(const ifl_program *program, const ifl_memory *memory,
                         const uint64_t *address);

#endif
