/* SPDX-License-Identifier: Apache-2.0
 * Machine code as data: the kernels of a cubin and what their file says of them. Knows files only; nothing of PTX,
 * engines or profiles.
 *
 *     bytes -> ifl_machine (cubin.c: ELF, .nv.info, line tables) */
#ifndef IFL_SASS_SASS_H
#define IFL_SASS_SASS_H

#include "base/arena.h"
#include "base/error.h"

/* ---- the kernels of a cubin ------------------------------------------------------------------------------------ */

typedef struct ifl_machine_line {
    uint32_t offset;      /* of the instruction in the kernel's code */
    uint32_t file;        /* into files */
    uint32_t line;
    uint32_t inlined_at;  /* 1 + index of the row that this one is inlined at; 0: not inlined */
    const char *function; /* the inlined function, or NULL */
} ifl_machine_line;

typedef struct ifl_machine_parameter {
    uint32_t ordinal, offset, bytes;
} ifl_machine_parameter;

/* A function that has no section of its own: it lies in the code of its only caller. */
typedef struct ifl_machine_symbol {
    uint32_t offset, bytes;
    const char *name, *demangled;
} ifl_machine_symbol;

typedef struct ifl_machine_kernel {
    const char *name;            /* as the file has it */
    const char *demangled;
    bool is_kernel;              /* false: a device function with a section of its own */
    uint32_t sm;                 /* 90 */
    const uint8_t *code;         /* 16 bytes an instruction */
    uint64_t code_bytes;
    uint64_t code_file_offset;   /* for messages */
    uint32_t registers;          /* REGCOUNT; 0 unknown */
    uint64_t static_shared_bytes;   /* without the reserved part */
    uint64_t reserved_shared_bytes;
    uint32_t frame_bytes, min_stack_bytes;
    uint32_t max_threads[3];     /* launch bounds; 0: not given */
    uint32_t barriers;
    uint32_t param_base;         /* in constant bank 0 */
    const ifl_machine_parameter *parameters;
    size_t parameter_count;
    const uint32_t *exits;       /* EXIT_INSTR_OFFSETS */
    size_t exit_count;
    const ifl_machine_line *lines; /* ascending offsets; of several at one offset the last one counts */
    size_t line_count;
    const ifl_machine_symbol *symbols; /* functions inside this code, ascending; without the kernel itself */
    size_t symbol_count;
    const char *lines_missing;   /* why there is a line table but no lines of this kernel; NULL otherwise */
} ifl_machine_kernel;

typedef struct ifl_machine {
    ifl_arena arena;
    const char *file;
    ifl_machine_kernel *kernels; /* functions too */
    size_t kernel_count;
    const char **files;
    size_t file_count;
} ifl_machine;

/* Reads every cubin of a file: a cubin itself, or all that the fatbins of an executable, object, shared library or
 * fatbin hold (compressed or not). `sm` 0 takes all, else only that target. Sizes that lie are IFL_BAD_INPUT with the
 * offset. A file without machine code is IFL_BAD_INPUT that says what it holds. */
ifl_status ifl_machine_read(const char *path, uint32_t sm, ifl_machine **out, ifl_error *error);
/* One cubin in memory; what is kept is copied. */
ifl_status ifl_machine_read_cubin(const char *name, const uint8_t *bytes, size_t size, ifl_machine *into,
                                  ifl_error *error);
void ifl_machine_free(ifl_machine *machine);
/* An empty machine for ifl_machine_read_cubin, or NULL without memory; `file` is copied. */
ifl_machine *ifl_machine_new(const char *file);

/* The same files, one cubin at a time: `cubin` is gone when `visit` returns, so that a library of any size is read in
 * little memory. A status other than IFL_OK ends the reading and is returned. */
typedef ifl_status (*ifl_machine_visitor)(void *user, const ifl_machine *cubin, ifl_error *error);
ifl_status ifl_machine_each(const char *path, uint32_t sm, ifl_machine_visitor visit, void *user, ifl_error *error);

/* The targets that a file holds machine code for, ascending, without unpacking any of it. */
enum { IFL_MACHINE_TARGETS = 32 };
typedef struct ifl_machine_target_list {
    uint32_t sm[IFL_MACHINE_TARGETS];
    size_t count;
} ifl_machine_target_list;
ifl_status ifl_machine_targets(const char *path, ifl_machine_target_list *out, ifl_error *error);

/* The row for the instruction at `offset`, or NULL. */
const ifl_machine_line *ifl_machine_line_at(const ifl_machine_kernel *kernel, uint32_t offset);

#endif
