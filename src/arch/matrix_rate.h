/* SPDX-License-Identifier: Apache-2.0
 * How fast the tensor cores of a GPU multiply, by what they multiply. Knows no instruction. */
#ifndef IFL_ARCH_MATRIX_RATE_H
#define IFL_ARCH_MATRIX_RATE_H

#include "arch/arch.h"
#include "arch/matrix_rules.h"

typedef enum ifl_matrix_kind {
    IFL_MATRIX_KIND_NONE, /* no product of matrices */
    IFL_MATRIX_KIND_HALVES,
    IFL_MATRIX_KIND_TF32,
    IFL_MATRIX_KIND_DOUBLES,
    IFL_MATRIX_KIND_BYTES, /* floats of 8, 6 and 4 bits in bytes */
    IFL_MATRIX_KIND_FOURS, /* floats of 4 bits, packed */
    IFL_MATRIX_KIND_S8,
    IFL_MATRIX_KIND_S4,
    IFL_MATRIX_KIND_B1,
    IFL_MATRIX_KINDS
} ifl_matrix_kind;

/* What an instruction gives a warp's part of the tensor cores to do. */
typedef struct ifl_matrix_work {
    uint8_t kind; /* ifl_matrix_kind */
    uint8_t unit; /* ifl_matrix_unit */
    /* multiply-adds of a warp; of a sparse matrix those of the elements that are there */
    uint32_t products;
} ifl_matrix_work;

/* Its products in a time, over dense ones of halves that the best instructions do; 0: none, or not
 * known. */
double ifl_matrix_rate(const ifl_arch *arch, const ifl_matrix_work *work);

#endif
