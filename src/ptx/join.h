/* SPDX-License-Identifier: Apache-2.0
 * Joining the programs of several translation units into one, as nvcc -rdc=true leaves them: what
 * one declares extern another defines. */
#ifndef IFL_PTX_JOIN_H
#define IFL_PTX_JOIN_H

#include "ptx/program.h"

/* Whether one of them names a function or variable that another defines. */
bool ifl_programs_need_joining(ifl_program *const *programs, size_t count);
/* One program with the code of all, in that order. The old ones are not changed; the new one points
 * into their arenas and must be freed before them. */
ifl_status ifl_programs_join(ifl_program *const *programs, size_t count, ifl_program **out,
                             ifl_error *error);

#endif
