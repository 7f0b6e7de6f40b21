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
    bool is_sparse;
    uint8_t pieces; /* products of machine code that it becomes; 0: it is one */
    uint32_t
        products; /* multiply-adds of a warp; of a sparse matrix of the elements that are there */
    uint32_t shared_bytes; /* of a warp group, that it reads of its matrices */
} ifl_matrix_work;

/* What a GPU does of it, by a scheduler's tensor core. */
typedef struct ifl_matrix_costs {
    double rate[IFL_MATRIX_KINDS];                    /* products a cycle; 0: none, or not known */
    double warp_cycles, sparse_cycles, least_doubles; /* as the facts */
} ifl_matrix_costs;

/* `peak`: operations of dense products of halves in a cycle of an SM; 0: not known. */
void ifl_matrix_costs_find(const ifl_arch *arch, double peak, ifl_matrix_costs *out);
/* Cycles of a scheduler's tensor core; 0: not known. */
double ifl_matrix_cycles(const ifl_matrix_costs *costs, const ifl_matrix_work *work);

#endif
