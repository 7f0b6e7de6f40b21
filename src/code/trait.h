/* SPDX-License-Identifier: Apache-2.0
 * Traits of instructions: what models and advice go by, so that they need not know names. */
#ifndef IFL_CODE_TRAIT_H
#define IFL_CODE_TRAIT_H

#include <stddef.h>
#include <stdint.h>

/* What else of an instruction models and advice go by; who reads PTX or machine code tells it from the name. */
enum {
    IFL_TRAIT_MATRIX = 1 << 0,      /* loads or stores a piece of a matrix for a warp */
    IFL_TRAIT_COPY = 1 << 1,        /* copies to shared memory, not through registers */
    IFL_TRAIT_TENSOR_COPY = 1 << 2, /* a tensor from global memory */
    IFL_TRAIT_READ_ONLY = 1 << 3,   /* a load of what the kernel does not write */
    IFL_TRAIT_SWAP = 1 << 4,        /* compares and swaps */
    IFL_TRAIT_DOUBLE = 1 << 5,      /* names doubles; memory accesses of machine code do not */
    IFL_TRAIT_CONVERTS = 1 << 6,    /* a floating-point number from a double or to one */
    IFL_TRAIT_WIDENS = 1 << 7,      /* a float to a double */
    IFL_TRAIT_NARROWS = 1 << 8,     /* a double to a float */
    IFL_TRAIT_COMPARES = 1 << 9,    /* doubles, for a predicate */
    IFL_TRAIT_MOVES = 1 << 10,      /* a word into a register */
    IFL_TRAIT_PREFETCHES = 1 << 11,
    IFL_TRAIT_DIVISOR = 1 << 12 /* takes an integer to a float for its reciprocal, rounded up */
};

/* Names that begin with `start` and have `within` in them. */
typedef struct ifl_trait_row {
    const char *start, *within;
    uint16_t traits;
} ifl_trait_row;

/* Of all rows that the name agrees with. */
uint16_t ifl_traits_of(const ifl_trait_row *rows, size_t count, const char *name);

#endif
