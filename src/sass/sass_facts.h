/* SPDX-License-Identifier: Apache-2.0
 * What is told of one kernel's machine code, gathered once for all who tell it: the analysis, a
 * histogram, the source lines of loops, and how often each block ran in a launch. Knows nothing of
 * how it is shown, nor where a launch's counts come from. */
#ifndef IFL_SASS_SASS_FACTS_H
#define IFL_SASS_SASS_FACTS_H

#include "sass/sass.h"

typedef struct ifl_sass_opcode {
    uint16_t op; /* ifl_sass_op; IFL_SASS_OP_UNKNOWN: of no row */
    const char *name;
    uint32_t count;                     /* instructions that can be reached */
    uint32_t useful;                    /* of them, those that the source asks for */
    uint64_t executed, executed_useful; /* warp instructions */
} ifl_sass_opcode;

/* ---- facts ----------------------------------------------------------------------------------- */

/* Before an instruction warps of a launch stood still. */
typedef struct ifl_sass_stall {
    double share;       /* of all the time in which they did */
    const char *reason; /* the largest one; NULL: they did not */
} ifl_sass_stall;

typedef struct ifl_sass_facts {
    ifl_sass_kernel kernel;
    const ifl_machine *machine;
    ifl_sass_opcode *opcodes; /* most frequent first */
    size_t opcode_count;
    uint32_t purpose[IFL_SASS_PURPOSES]; /* instructions */
    uint32_t reached;                    /* instructions that can be */
    const uint64_t *executed;     /* by block: how often a launch issued it; NULL: there is none */
    uint64_t all_executed;        /* warp instructions */
    const ifl_sass_stall *stalls; /* by instruction; NULL: they are not known */
} ifl_sass_facts;

/* All from the arena. `issued`: by instruction of the kernel, how often a launch issued it; NULL:
 * none did. */
ifl_status ifl_sass_facts_collect(const ifl_machine *machine, size_t index, const uint64_t *issued,
                                  ifl_arena *arena, ifl_sass_facts *out, ifl_error *error);
/* The same of a kernel that was analysed before; what is new is from the arena. */
ifl_status ifl_sass_facts_of(const ifl_machine *machine, const ifl_sass_kernel *kernel,
                             const uint64_t *issued, ifl_arena *arena, ifl_sass_facts *out,
                             ifl_error *error);
/* "saxpy.cu": of a row of the line table, without folders; "" for NULL. */
const char *ifl_sass_file_of(const ifl_machine *machine, const ifl_machine_line *line);
/* The first and last line of the loop's instructions in the file of the first of them; false: not
 * known. */
bool ifl_sass_loop_lines(const ifl_sass_facts *facts, size_t loop, const char **file,
                         uint32_t *first, uint32_t *last);

#endif
