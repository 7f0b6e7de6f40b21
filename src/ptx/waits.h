/* SPDX-License-Identifier: Apache-2.0
 * What the order of a program's instructions says of its time: how often a warp waits for loads one
 * after the other, and how many registers it needs. Estimates for where machine code is not at
 * hand. Knows programs only. */
#ifndef IFL_PTX_WAITS_H
#define IFL_PTX_WAITS_H

#include "ptx/program.h"

/* Of one pass through a basic block by one warp, but for `turn`. */
typedef struct ifl_waits {
    double loads;  /* waits for loads or atomics of global memory, one after the other */
    double spread; /* over those: the sum of log2 of how many loads each waits for */
    double shared; /* waits for shared or local memory */
    double chain;  /* instructions that wait for each other's results */
    /* Of each instruction: its block's first instruction, counted from the function's first, <<
     * IFL_TURN_BITS, and how many of the block's waits come before it. Memory instructions that
     * agree in this are on their way together. */
    uint32_t turn;
} ifl_waits;

/* Fills `of`, one an instruction of the function: a block's figures stand at its first instruction,
 * `turn` at all. `times`, one an instruction, is how often warps ran it: a value that was loaded
 * before a loop is waited for in the first of its trips only. NULL: all blocks run alike. */
ifl_status ifl_waits_find(const ifl_program *program, const ifl_function *function,
                          const uint64_t *times, ifl_waits *of, ifl_error *error);

/* The most 32-bit registers whose values are needed at one time. */
ifl_status ifl_registers_alive(const ifl_program *program, const ifl_function *function,
                               uint32_t *out, ifl_error *error);

#endif
