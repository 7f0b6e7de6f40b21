/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices in registers, between the handlers of the vector widths
 * (width/matrix_handler.c) and what is compiled once. */
#ifndef IFL_EXEC_MATRIX_PRODUCT_H
#define IFL_EXEC_MATRIX_PRODUCT_H

#include "code/matrix.h"
#include "exec/shared_matrix.h"

/* The fault of lanes that multiply without others of their warp. */
ifl_reason ifl_matrix_refuse(ifl_warp *warp, const ifl_code *code, uint32_t mask);
/* Any product of numbers up to 32 bits, element by element. */
ifl_slow ifl_matrix_product_any;
/* sum * 2^exponent as an F16 or F32: rounded, or cut to the bits of the rule. */
uint32_t ifl_matrix_pack(ifl_matrix_type type, const ifl_matrix_rule *rule, int64_t sum,
                         int exponent);

/* The matrices of a warp group that lie in shared memory, as far as this warp reads them: its rows
 * of a (of no meaning where a is in registers), and b. */
void ifl_group_matrices(const ifl_warp *warp, const ifl_group_product *op, const char *frame,
                        ifl_shared_matrix *a, ifl_shared_matrix *b);
/* Any product of a warp group, element by element, from column `done` on. */
ifl_reason ifl_group_product_any(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                 unsigned done);

#endif
