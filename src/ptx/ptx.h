/* SPDX-License-Identifier: Apache-2.0
 * PTX text -> program. */
#ifndef IFL_PTX_PTX_H
#define IFL_PTX_PTX_H

#include "ptx/program.h"

/* Reads `bytes` bytes of PTX. `file` is the name for errors and is copied. The text need not be
 * NUL-terminated and may hold anything: whatever is not PTX is IFL_BAD_INPUT with line and column;
 * an instruction, directive or modifier that PTX has and we do not is IFL_UNSUPPORTED, named, with
 * its place. */
ifl_status ifl_ptx_read(const char *file, const char *text, size_t bytes, ifl_program **out,
                        ifl_error *error);

#endif
