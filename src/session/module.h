/* SPDX-License-Identifier: Apache-2.0
 * A module: the programs and kernels of one file, wherever in it the PTX was. */
#ifndef IFL_SESSION_MODULE_H
#define IFL_SESSION_MODULE_H

#include "base/vec.h"
#include "ptx/program.h"
#include "sass/sass.h"
#include "session/kernel_name.h"

typedef struct ifl_parameter {
    const char *name; /* as the file has it */
    const char *text; /* its type, for people */
    uint64_t offset, bytes;
    uint8_t type; /* ifl_type of an element */
} ifl_parameter;

typedef struct ifl_kernel {
    const char *name;           /* as the file has it */
    const char *target;         /* "sm_90" */
    const ifl_program *program; /* that it is lowered from; NULL: there is only machine code */
    uint32_t function;
    ifl_parameter *parameters;
    uint32_t parameter_count;
    uint64_t param_bytes;
} ifl_kernel;

struct ifl_module {
    ifl_arena arena;
    const char *path;
    IFL_VEC(ifl_program *) programs; /* one a translation unit, or all joined */
    IFL_VEC(ifl_program *)
    parts; /* what the one program was joined from; none where each stands alone */
    IFL_VEC(ifl_kernel) kernels;
    IFL_VEC(ifl_kernel_name) names; /* of the kernels, in the same order */
    bool has_machine;               /* the file may hold machine code, too */
    char *assembled;                /* a cubin made of its PTX; NULL: none was */
    size_t assembled_bytes;
    ifl_error unassembled; /* what the assembler said where it made none; no text: nothing */
    ifl_machine *machine;  /* whose kernels these are where there is no PTX; NULL: there is some */
    const char
        *described_by; /* machine code kept with this PTX, as a lab case does; NULL: its own */
    ifl_error unread;  /* the first PTX text among several that could not be read */
    size_t unread_count;
};

/* From memory: PTX text, a fat binary, or an ELF file that carries PTX; `sm` as for
 * ifl_embedded_fatbin. `name` is what messages call it. The bytes are not kept. */
ifl_status ifl_module_open_bytes(const char *name, const void *bytes, size_t size, uint32_t sm,
                                 ifl_module **out, ifl_error *error);

ifl_status ifl_module_find(const ifl_module *module, const char *name, size_t *kernel,
                           ifl_error *error);

#endif
