/* SPDX-License-Identifier: Apache-2.0
 * The rows of matrix_rules.def. */
#include "arch/matrix_rules.h"

#include <stddef.h>

enum { IN_ORDER = false, IN_HALVES = true };

static const struct {
    uint8_t unit, operands;
    uint16_t first, last;
    ifl_matrix_rule rule;
} rows[] = {
#define RULE(unit, operands, first, last, products, fraction, result, order, source)               \
    {IFL_MATRIX_UNIT_##unit,                                                                       \
     IFL_MATRIX_OPERANDS_##operands,                                                               \
     first,                                                                                        \
     last,                                                                                         \
     {products, fraction, result, IN_##order}},
#include "arch/matrix_rules.def"
};

bool ifl_matrix_rule_find(ifl_matrix_unit unit, ifl_matrix_operands operands, uint32_t sm,
                          ifl_matrix_rule *out)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].unit != unit || rows[i].operands != operands || sm < rows[i].first ||
            sm > rows[i].last)
            continue;
        *out = rows[i].rule;
        return true;
    }
    return false;
}
