/* SPDX-License-Identifier: Apache-2.0
 * Matrices that lie in shared memory as descriptors of 64 bits say, for products of a warp group
 * and of a block (PTX ISA 9.0, "Shared Memory Matrix Layout", "Matrix Descriptor"). Knows neither
 * lanes nor sums. */
#ifndef IFL_EXEC_SHARED_MATRIX_H
#define IFL_EXEC_SHARED_MATRIX_H

#include "exec/matrix_sum.h"
#include "exec/warp.h"

/* In bytes. */
typedef struct ifl_matrix_place {
    uint64_t start, leading, stride;
    unsigned swizzle;         /* bits that are combined: 0, 1, 2, 3 */
    unsigned base;            /* offset of the pattern */
    bool swizzles_halves;     /* of pieces of 32 bytes: 2 bits */
    bool is_leading_absolute; /* where a line goes on behind 128 bytes, not a distance */
} ifl_matrix_place;

/* Lines of numbers, `depth` each. */
typedef struct ifl_matrix_lines {
    ifl_number *at;
    unsigned depth, special;
    ifl_plain plain; /* room for as many */
} ifl_matrix_lines;

typedef struct ifl_shared_matrix {
    ifl_matrix_place place;
    ifl_matrix_type type;
    unsigned bits, each; /* of an element as it is stored; elements in 16 bytes */
    bool transposes;
    unsigned first, count; /* rows of a, columns of b */
    uint8_t space;         /* SHARED, or CLUSTER: of the block at `origin` */
    uint64_t origin;
} ifl_shared_matrix;

/* A descriptor's start, leading and stride dimension: bits 13-0, 29-16, 45-32 in units of 16 bytes;
 * 51-49 base offset. How the swizzle is written is not the same for all. */
ifl_matrix_place ifl_matrix_place_of(uint64_t descriptor);
/* Where 16 bytes of it are: without a transposition line l of a, or column l of b, and the 16 bytes
 * `piece` along k; with one, the line is along k. */
uint64_t ifl_matrix_piece_at(const ifl_matrix_place *place, bool transposes, unsigned line,
                             unsigned piece);
/* These bytes; NULL after a fault. */
const uint8_t *ifl_shared_matrix_piece(ifl_warp *warp, const ifl_code *code, uint32_t lane,
                                       const ifl_shared_matrix *matrix, unsigned line,
                                       unsigned piece);
/* Reads to->depth numbers of each of its rows or columns; false after a fault. */
bool ifl_shared_matrix_read(ifl_warp *warp, const ifl_code *code, uint32_t lane,
                            const ifl_shared_matrix *matrix, ifl_matrix_lines *to);
/* Fills what `plain` has room for, of `count` lines. */
void ifl_matrix_lines_fill(ifl_matrix_lines *lines, unsigned count, unsigned mantissa_bits);
/* One of them; as plain numbers too where `is_plain`. */
void ifl_matrix_line_take(const ifl_matrix_lines *of, unsigned line, bool is_plain,
                          ifl_numbers *to);

#endif
