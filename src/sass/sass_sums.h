/* SPDX-License-Identifier: Apache-2.0
 * What registers hold, as far as addresses need it: a value that is not known, and a number that is added.
 * Code is taken in its order, so that a value ends with the next instruction that writes its register. */
#ifndef IFL_SASS_SASS_SUMS_H
#define IFL_SASS_SASS_SUMS_H

#include "sass/sass_lowerer.h"

/* Two that have the same `symbol` are as far apart as their numbers. */
typedef struct ifl_sass_sum {
    uint32_t symbol; /* 0: none, a number by itself */
    int64_t added;   /* of which the lower 32 bits are meant */
} ifl_sass_sum;

typedef struct ifl_sass_sums {
    ifl_sass_sum general[IFL_SASS_NO_REGISTER + 1], uniform[IFL_SASS_NO_REGISTER + 1];
    uint32_t symbols; /* given so far */
} ifl_sass_sums;

/* Each register holds a value of its own. */
void ifl_sass_sums_begin(ifl_sass_sums *sums);
/* After the instruction: what it wrote. */
void ifl_sass_sums_note(ifl_sass_sums *sums, const ifl_sass_instruction *instruction);
/* Before the instruction: where its lanes' access begins. False: not by a register with a number. */
bool ifl_sass_sums_address(const ifl_sass_sums *sums, const ifl_sass_instruction *instruction,
                           ifl_sass_sum *address);

#endif
