/* SPDX-License-Identifier: Apache-2.0
 * What is told of one kernel's machine code, gathered once for all who tell it: the analysis, a
 * histogram, the source lines of loops, and how often each block ran where a launch says so. Knows
 * nothing of how it is shown, nor where a launch's counts come from. */
#ifndef IFL_SASS_SASS_FACTS_H
#define IFL_SASS_SASS_FACTS_H

#include "code/access_kind.h"
#include "sass/sass.h"

typedef struct ifl_sass_opcode {
    uint16_t op; /* ifl_sass_op; IFL_SASS_OP_UNKNOWN: of no row */
    const char *name;
    uint32_t count;                     /* instructions that can be reached */
    uint32_t useful;                    /* of them, those that the source asks for */
    uint64_t executed, executed_useful; /* warp instructions */
    bool executed_known;                /* for all of them */
} ifl_sass_opcode;

/* ---- what a launch tells --------------------------------------------------------------------- */

/* Generic accesses of machine code count as global. IFL_TRAFFIC_COUNT: it accesses no memory that
 * is counted. */
ifl_traffic_kind ifl_sass_traffic_of(const ifl_sass_instruction *instruction);

/* One memory instruction of the PTX: how often a warp issued it. */
typedef struct ifl_sass_request_count {
    const char *file; /* of the source, with or without folders */
    uint32_t line;
    uint32_t ptx_line; /* 0: not known */
    ifl_traffic_kind traffic;
    uint32_t bytes; /* a lane */
    uint64_t requests;
} ifl_sass_request_count;

typedef struct ifl_sass_launch {
    uint64_t warps;
    bool uniform; /* no branch of the PTX parted the lanes of a warp */
    const ifl_sass_request_count *requests;
    size_t request_count;
    const uint64_t *issued; /* by instruction of the kernel: how often it was; NULL: not known */
} ifl_sass_launch;

/* How often each block ran, a warp counted once. */
typedef struct ifl_sass_counts {
    uint64_t *block;
    bool *known;       /* NULL: of none */
    uint64_t *most;    /* at most so often; where it is known as often as that */
    bool all;          /* of all that can be reached */
    uint64_t executed; /* warp instructions, of the blocks known */
} ifl_sass_counts;

/* ---- facts ----------------------------------------------------------------------------------- */

typedef struct ifl_sass_facts {
    ifl_sass_kernel kernel;
    const ifl_machine *machine;
    ifl_sass_opcode *opcodes; /* most frequent first */
    size_t opcode_count;
    uint32_t purpose[IFL_SASS_PURPOSES]; /* instructions */
    uint32_t reached;                    /* instructions that can be */
    ifl_sass_counts counts;
} ifl_sass_facts;

/* All from the arena. `launch`: of this kernel, for executed counts; NULL: none. */
ifl_status ifl_sass_facts_collect(const ifl_machine *machine, size_t index,
                                  const ifl_sass_launch *launch, ifl_arena *arena,
                                  ifl_sass_facts *out, ifl_error *error);
/* "saxpy.cu": of a row of the line table, without folders; "" for NULL. */
const char *ifl_sass_file_of(const ifl_machine *machine, const ifl_machine_line *line);
/* The first and last line of the loop's instructions in the file of the first of them; false: not
 * known. */
bool ifl_sass_loop_lines(const ifl_sass_facts *facts, size_t loop, const char **file,
                         uint32_t *first, uint32_t *last);

/* The counts of the blocks, as far as they are certain (sass_executed.c; docs/sass.md has the
 * rules). */
ifl_status ifl_sass_execute(const ifl_sass_facts *facts, const ifl_sass_launch *launch,
                            ifl_arena *arena, ifl_sass_counts *out, ifl_error *error);

#endif
