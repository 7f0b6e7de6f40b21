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

/* Machine code that was made of PTX. */
typedef struct ifl_assembled {
    char *cubin; /* of malloc; NULL: none was made */
    size_t bytes;
    ifl_error why_not; /* what the assembler said where it made none; no text: nothing */
} ifl_assembled;

struct ifl_module {
    ifl_arena arena;
    const char *path;
    IFL_VEC(ifl_program *) programs; /* one a translation unit, or all joined */
    IFL_VEC(ifl_program *)
    parts; /* what the one program was joined from; none where each stands alone */
    IFL_VEC(ifl_kernel) kernels;
    IFL_VEC(ifl_kernel_name) names; /* of the kernels, in the same order */
    bool has_machine;               /* the file may hold machine code, too */
    ifl_assembled assembled;
    ifl_machine *machine; /* whose kernels these are where there is no PTX; NULL: there is some */
    /* Machine code kept with this PTX, as a lab case does; without a name: its own. */
    ifl_machine_source described_by;
    ifl_error unread; /* the first PTX text among several that could not be read */
    size_t unread_count;
};

/* From memory: PTX text, a fat binary, or an ELF file that carries PTX; `sm` as for
 * ifl_embedded_fatbin. `name` is what messages call it. The bytes are not kept. With `assembles`
 * PTX without machine code that `sm` runs is assembled, as a driver compiles it, where ptxas (of
 * several texts that belong together nvJitLink) is found. */
ifl_status ifl_module_open_bytes(const char *name, const void *bytes, size_t size, uint32_t sm,
                                 bool assembles, ifl_module **out, ifl_error *error);

/* Reads the PTX of the module's file once more and has it assembled for a GPU that runs none of its
 * machine code; `is_needed`: that of PTX files too. Nothing is made where that cannot be done; only
 * want of memory fails. */
ifl_status ifl_module_assemble(const ifl_module *module, uint32_t sm, bool is_needed,
                               ifl_assembled *out, ifl_error *error);

/* The kernels of machine code that the module's PTX has not: those of a library that was linked in
 * without PTX, as the device runtime is. The names stay the machine's. */
ifl_status ifl_module_add_machine(ifl_module *module, const ifl_machine *machine, ifl_error *error);

ifl_status ifl_module_find(const ifl_module *module, const char *name, size_t *kernel,
                           ifl_error *error);

#endif
