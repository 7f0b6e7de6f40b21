/* SPDX-License-Identifier: Apache-2.0
 * What a fragment of matrix_shape.def must come to by exact arithmetic. */
#ifndef IFL_TESTS_MATRIX_EXACT_H
#define IFL_TESTS_MATRIX_EXACT_H

#include "matrix_kernels.h"

/* The words that a block reads, and those that it wrote. Prints what no order of sums can give and
 * returns how many elements are so; -1: products of these types are not checked. */
int matrix_exact_check(const matrix_kernel *kernel, uint32_t fragment, const uint32_t *in,
                       const uint32_t *out);

#endif
