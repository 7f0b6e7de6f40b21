/* SPDX-License-Identifier: Apache-2.0
 * Sums of products as tensor cores make them (arch/matrix_rules.def). Knows numbers only, neither
 * lanes nor fragments. */
#ifndef IFL_EXEC_MATRIX_SUM_H
#define IFL_EXEC_MATRIX_SUM_H

#include "code/matrix.h"

#include <stddef.h>

typedef enum ifl_number_kind {
    IFL_NUMBER_FINITE,
    IFL_NUMBER_INFINITE,
    IFL_NUMBER_NAN
} ifl_number_kind;

/* Finite: significand * 2^(exponent - mantissa bits of its format); of integers the significand is
 * all. */
typedef struct ifl_number {
    int32_t significand; /* with its sign; of an infinity 1 or -1 */
    int16_t exponent;    /* of a denormal the least of its format, of zero the same */
    uint8_t kind;        /* ifl_number_kind */
} ifl_number;

/* Finite numbers as vectors of the host multiply them. Products of two are exact. */
typedef struct ifl_plain {
    double *value;
    int16_t *exponent; /* of zero far below all others */
} ifl_plain;

/* A row of a, or a column of b: numbers of one format. */
typedef struct ifl_numbers {
    const ifl_number *at;
    uint8_t mantissa_bits;
    bool are_finite; /* all */
    ifl_plain plain; /* the same numbers, where they are finite; NULL: nobody has made them */
} ifl_numbers;

/* From numbers of a format with so many bits of mantissa, all finite. */
void ifl_plain_fill(ifl_plain *to, const ifl_number *from, size_t count, unsigned mantissa_bits);

ifl_number ifl_number_of(ifl_matrix_type type, uint64_t bits);
/* a . b + c, of `count` products; c and the result are bits of c_type (F16 or F32). */
uint32_t ifl_matrix_sum(const ifl_matrix_rule *rule, const ifl_numbers *a, const ifl_numbers *b,
                        unsigned count, ifl_matrix_type c_type, uint32_t c);
/* An element of d: `count` elements of a row of a and a column of b, and c. */
uint32_t ifl_matrix_element(const ifl_matrix_product *product, const ifl_numbers *row,
                            const ifl_numbers *column, unsigned count, uint32_t c);
/* x + y, rounded to the nearest; bits of F16 or F32. */
uint32_t ifl_matrix_add(ifl_matrix_type type, uint32_t x, uint32_t y);

#endif
