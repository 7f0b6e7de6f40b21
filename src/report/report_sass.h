/* SPDX-License-Identifier: Apache-2.0
 * Reports on machine code: which kernels, and what of them, as text or JSON. Knows machine code and pages; of
 * launches only the counts that a JSON report of one gives. */
#ifndef IFL_REPORT_REPORT_SASS_H
#define IFL_REPORT_REPORT_SASS_H

#include "report/page.h"
#include "sass/sass.h"

typedef struct ifl_sass_report {
    const ifl_machine *machine;
    const size_t *chosen; /* of its kernels */
    size_t chosen_count;
    const ifl_machine_options *options;
    /* The text of a source line, "" where it is not at hand, NULL without memory. */
    const char *(*source_line)(void *user, ifl_arena *arena, const char *file, uint32_t line);
    void *user;
} ifl_sass_report;

ifl_status ifl_sass_report_write(const ifl_sass_report *report, ifl_report_format format, FILE *out,
                                 ifl_error *error);

/* ---- facts of one kernel ------------------------------------------------------------------------------------------ */

typedef struct ifl_sass_opcode {
    const char *name;
    uint32_t count;                     /* instructions that can be reached */
    uint32_t useful;                    /* of them, those that the source asks for */
    uint64_t executed, executed_useful; /* warp instructions */
    bool executed_known;                /* for all of them */
} ifl_sass_opcode;

/* How often each block runs, a warp counted once. */
typedef struct ifl_sass_counts {
    uint64_t *block;
    bool *known;       /* NULL: of none */
    bool all;          /* of all that can be reached */
    uint64_t executed; /* warp instructions, of the blocks known */
} ifl_sass_counts;

typedef struct ifl_sass_facts {
    ifl_sass_kernel kernel;
    const ifl_machine *machine;
    ifl_sass_opcode *opcodes; /* most frequent first */
    size_t opcode_count;
    uint32_t purpose[IFL_SASS_PURPOSES]; /* instructions */
    uint32_t reached;                    /* instructions that can be */
    ifl_sass_counts counts;
} ifl_sass_facts;

/* All from the arena. `profile`: as in ifl_machine_options. */
ifl_status ifl_sass_facts_collect(const ifl_machine *machine, size_t index, const char *profile,
                                  ifl_arena *arena, ifl_sass_facts *out, ifl_error *error);
/* "saxpy.cu": of a row of the line table, without folders; "" for NULL. */
const char *ifl_sass_file_of(const ifl_machine *machine, const ifl_machine_line *line);
/* The first and last line of the loop's instructions in the file of the first of them; false: not known. */
bool ifl_sass_loop_lines(const ifl_sass_facts *facts, size_t loop, const char **file, uint32_t *first,
                         uint32_t *last);

/* Counts of a launch from its JSON report (sass_counts.c). */
ifl_status ifl_sass_counts_read(const ifl_sass_facts *facts, const char *path, ifl_arena *arena,
                                ifl_sass_counts *out, ifl_error *error);

/* ---- writers ---------------------------------------------------------------------------------------------------------- */

ifl_status ifl_sass_write_text(const ifl_sass_report *report, FILE *out, ifl_error *error);
ifl_status ifl_sass_write_json(const ifl_sass_report *report, FILE *out, ifl_error *error);
void ifl_sass_print_listing(const ifl_sass_report *report, const ifl_sass_facts *facts, ifl_page *page);
/* "B0----5:R-:W2:Y:S04": scoreboards waited for, set when sources are read, set when the result is there, yield,
 * cycles to the next instruction. */
enum { IFL_SASS_CONTROL_BYTES = 24 };
char *ifl_sass_control_text(const ifl_sass_instruction *instruction, char to[IFL_SASS_CONTROL_BYTES]);

#endif
