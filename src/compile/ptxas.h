/* SPDX-License-Identifier: Apache-2.0
 * PTX assembled to machine code by the CUDA toolkit's ptxas, where there is one. */
#ifndef IFL_COMPILE_PTXAS_H
#define IFL_COMPILE_PTXAS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct ifl_ptx_source {
    const char *text;
    size_t bytes;
    const char *arch;        /* the number of the GPU's architecture with its letter: "90", "90a" */
    uint32_t most_registers; /* of a thread; 0: any */
} ifl_ptx_source;

/* *cubin is of malloc; NULL with IFL_OK: there is no ptxas. IFL_BAD_INPUT: it does not take the
 * text, and the error has its words. What was assembled is kept (assembled.h). The variable
 * INFLIGHT_PTXAS names the program to use; "none" is none. */
ifl_status ifl_ptx_assemble(const ifl_ptx_source *source, char **cubin, size_t *size,
                            ifl_error *error);

#endif
