/* SPDX-License-Identifier: Apache-2.0
 * An instruction's name with its modifiers, "ld.global.nc.v4.f32", as opcode, types and fields. */
#ifndef IFL_PTX_MNEMONIC_H
#define IFL_PTX_MNEMONIC_H

#include "ptx/program.h"

typedef enum ifl_ptx_known {
    IFL_PTX_KNOWN,
    IFL_PTX_MISSING, /* PTX has it, or may have it, and we do not: `problem` says what */
    IFL_PTX_WRONG    /* not PTX: `problem` says why */
} ifl_ptx_known;

typedef struct ifl_ptx_mnemonic {
    ifl_instruction instruction; /* opcode, types and modifiers only */
    ifl_ptx_known known;
    char problem[160];
} ifl_ptx_mnemonic;

void ifl_ptx_decode(const char *text, size_t length, ifl_ptx_mnemonic *out);
/* The type with this name, or IFL_TYPE_NONE. */
ifl_type ifl_ptx_type(const char *text, size_t length);
/* The state space with this name as instructions and declarations write it (shared, shared::cta,
 * param::func), or IFL_SPACE_GENERIC. */
ifl_space ifl_ptx_space(const char *text, size_t length);

#endif
