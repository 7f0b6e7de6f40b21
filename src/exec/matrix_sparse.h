/* SPDX-License-Identifier: Apache-2.0
 * Which elements of b those of a sparse a meet, by the metadata that lanes of a warp hold. */
#ifndef IFL_EXEC_MATRIX_SPARSE_H
#define IFL_EXEC_MATRIX_SPARSE_H

#include "code/matrix.h"

/* By row of a warp's 16, and stored element. */
enum { IFL_SPARSE_DEPTH = IFL_MATRIX_DEPTH / 2 };
typedef uint8_t ifl_met[IFL_MATRIX_ROWS][IFL_SPARSE_DEPTH];
void ifl_matrix_find_met(const ifl_matrix_product *product, const char *frame, ifl_met met);

#endif
