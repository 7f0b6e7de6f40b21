/* SPDX-License-Identifier: Apache-2.0
 * How the tensor cores of a GPU add, by its compute capability. Knows no instruction. */
#ifndef IFL_ARCH_MATRIX_RULES_H
#define IFL_ARCH_MATRIX_RULES_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ifl_matrix_unit {
    IFL_MATRIX_UNIT_WARP,
    IFL_MATRIX_UNIT_GROUP,
    IFL_MATRIX_UNIT_TENSOR
} ifl_matrix_unit;

typedef enum ifl_matrix_operands {
    IFL_MATRIX_OPERANDS_HALVES,
    IFL_MATRIX_OPERANDS_TF32,
    IFL_MATRIX_OPERANDS_BYTES,
    IFL_MATRIX_OPERANDS_FOURS
} ifl_matrix_operands;

typedef struct ifl_matrix_rule {
    uint8_t products;      /* of one sum */
    uint8_t fraction_bits; /* kept of each addend below the largest exponent */
    uint8_t result_bits;   /* behind the point of an f32 result */
    bool
        /* the elements in the lower half of each register first; c is added apart, rounded */
        in_halves;
} ifl_matrix_rule;

/* `sm`: the compute capability times 10. False where none is known. */
bool ifl_matrix_rule_find(ifl_matrix_unit unit, ifl_matrix_operands operands, uint32_t sm,
                          ifl_matrix_rule *out);

#endif
