/* SPDX-License-Identifier: Apache-2.0
 * Sums of products of matrices, 16 rows by 8 columns, the rows side by side: as
 * arch/matrix_rules.def says. Knows neither lanes nor memory. Compiled once for each vector width,
 * with the width in its names. */
#ifndef IFL_EXEC_WIDTH_MATRIX_SUMS_H
#define IFL_EXEC_WIDTH_MATRIX_SUMS_H

#include "code/matrix.h"
#include "exec/width/dispatch.h"

enum {
    ROWS = IFL_MATRIX_ROWS,
    COLUMNS = IFL_MATRIX_COLUMNS,
    WORDS = 8, /* of a line along k, at most */
    EACH = 8,  /* elements of a word, at most */
    B_WORDS = COLUMNS * WORDS,
    WORD_BITS = 32
};

/* A column of 16 rows. Vectors and not loops, so that sums stay in registers. */
enum { VECTOR = ROWS * 4 };
typedef uint32_t words __attribute__((vector_size(VECTOR)));
typedef int32_t ints __attribute__((vector_size(VECTOR)));
typedef float floats __attribute__((vector_size(VECTOR)));

/* significand * 2^(exponent - mantissa bits of its format): significands are whole numbers. */
typedef struct numbers {
    floats significand;
    ints exponent;
} numbers;

/* Of all numbers that are not zero: the lowest bit, the largest exponent; is one not finite? */
typedef struct bounds {
    int low, high;
    bool is_special;
} bounds;

/* Of b by the number of the element in its word, then by column and word. A value is its
 * significand times its power of two. */
typedef struct factors {
    const ifl_matrix_format *a_format, *b_format;
    unsigned words, each; /* along k; elements of a word */
    bool has_a_values;
    numbers a[WORDS * EACH];
    floats a_value[WORDS * EACH];
    _Alignas(VECTOR) float b_significand[EACH][B_WORDS];
    _Alignas(VECTOR) int32_t b_exponent[EACH][B_WORDS];
    bounds a_bounds, b_bounds;
} factors;

#define SUMS_NAME(name) IFL_PASTE(IFL_PASTE(ifl_sums_##name, _), IFL_WIDTH)
/* What these sums can do: no sparse matrix, no single bits, no products in halves. */
bool SUMS_NAME(can)(const ifl_matrix_product *op);
/* a: words along k of the rows; b: columns one behind the other, each of the words along k. */
void SUMS_NAME(take_a)(const ifl_matrix_product *op, const uint32_t (*a)[ROWS], factors *f);
void SUMS_NAME(take_b)(const ifl_matrix_product *op, const uint32_t *b, factors *f);
/* c += a * b, c by columns; false, and c has no meaning, where infinities and NaNs are among them.
 */
bool SUMS_NAME(add)(const ifl_matrix_product *op, factors *f, uint32_t (*c)[ROWS]);

#endif
