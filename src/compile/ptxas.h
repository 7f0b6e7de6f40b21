/* SPDX-License-Identifier: Apache-2.0
 * PTX assembled to machine code by the CUDA toolkit's ptxas, where there is one. */
#ifndef IFL_COMPILE_PTXAS_H
#define IFL_COMPILE_PTXAS_H

#include "base/error.h"

#include <stddef.h>

/* `ptx` is a text of `bytes`, `arch` the number of the GPU's architecture with its letter ("90",
 * "90a"). *cubin is of malloc; NULL with IFL_OK: there is no ptxas. IFL_BAD_INPUT: it does not take
 * the text, and the error has its words. The variable INFLIGHT_PTXAS names the program to use;
 * "none" is none. */
ifl_status ifl_ptx_assemble(const char *ptx, size_t bytes, const char *arch, char **cubin,
                            size_t *size, ifl_error *error);

#endif
