/* SPDX-License-Identifier: Apache-2.0
 * Sums of products of scaled lines: mma with .block_scale and tcgen05's. Knows numbers only, not where
 * scales are kept. */
#ifndef IFL_EXEC_MATRIX_SCALE_H
#define IFL_EXEC_MATRIX_SCALE_H

#include "exec/matrix_sum.h"

/* Of a row of a and a column of b, each of an equal part of the line. */
typedef struct ifl_matrix_scales {
    ifl_number a[IFL_MATRIX_MOST_SCALES], b[IFL_MATRIX_MOST_SCALES];
} ifl_matrix_scales;

/* The lowest byte of the bits. */
ifl_number ifl_matrix_scale_of(bool are_powers, uint32_t bits);
/* An element of d, of `product`'s types, rule and number of scales. */
uint32_t ifl_matrix_scaled_element(const ifl_matrix_product *product, const ifl_numbers *row,
                                   const ifl_numbers *column, unsigned count,
                                   const ifl_matrix_scales *scales, uint32_t c);

#endif
