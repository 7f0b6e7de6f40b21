/* SPDX-License-Identifier: Apache-2.0
 * .debug_line of a cubin: DWARF's line programs with NVIDIA's opcode for inlined calls. It finds
 * rows for sections; whose sections they are is for others. */
#ifndef IFL_SASS_LINE_TABLE_H
#define IFL_SASS_LINE_TABLE_H

#include "base/vec.h"
#include "sass/elf_image.h"
#include "sass/intern.h"
#include "sass/sass.h"

typedef IFL_VEC(ifl_machine_line) ifl_line_rows;

/* Where the rows go. Texts of both sets must be in an arena that outlives the rows. */
typedef struct ifl_line_sink {
    /* The rows of the code in section `section`, to add to; NULL when there is no such code. */
    ifl_line_rows *(*rows)(void *user, uint32_t section);
    void *user;
    ifl_intern *files;     /* rows' file numbers are those of this set */
    ifl_intern *functions; /* mangled names; `meaning` is the demangled one */
    const char *missing;   /* out: why some rows were not read; NULL when all were */
} ifl_line_sink;

/* A table without relocations cannot tell kernels apart: its rows are left out, as are those of
 * code that the linker removed. */
ifl_status ifl_line_table_read(const ifl_elf_image *image, ifl_line_sink *sink, ifl_error *error);

/* Puts rows into ascending order of offsets, those of one offset as they were; false without
 * memory. */
bool ifl_line_rows_sort(ifl_line_rows *rows);

#endif
