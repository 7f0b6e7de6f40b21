/* SPDX-License-Identifier: Apache-2.0
 * PTX -> code: a kernel of a program, with everything that it can call, lowered once. */
#ifndef IFL_PTX_LOWER_H
#define IFL_PTX_LOWER_H

#include "code/code.h"
#include "ptx/program.h"

typedef struct ifl_ptx_lowering {
    const ifl_program *program; /* must outlive the image */
    uint32_t function;          /* a kernel */
    const uint64_t
        *variable_address; /* device address of each variable of the program; 0 for those without */
} ifl_ptx_lowering;

/* IFL_UNSUPPORTED names the first instruction that there is no code for, with its place. */
ifl_status ifl_ptx_lower(const ifl_ptx_lowering *lowering, ifl_image *image, ifl_error *error);

#endif
