/* SPDX-License-Identifier: Apache-2.0
 * The LANE rows of sass/table by what they take: which of them computes an instruction. Their expressions
 * are built for each vector width in exec/width. */
#ifndef IFL_SASS_SASS_LANE_ROW_H
#define IFL_SASS_SASS_LANE_ROW_H

#include "sass/sass.h"

/* What the conditions of rows ask. */
typedef struct ifl_sass_query {
    const ifl_sass_instruction *instruction;
    uint8_t table; /* LOP3: its truth table */
    bool is_plain; /* no source has a sign or a part */
    bool writes_predicate;
    bool is_copy; /* a product of which one factor is zero; a sum with -0 */
    bool narrows; /* b is a float where halves are added */
} ifl_sass_query;

typedef struct ifl_sass_lane_row {
    uint16_t op;  /* ifl_sass_op, as ifl_sass_op_as tells */
    bool is_test; /* combines what it finds with a predicate: that is true where there is none */
    uint8_t words[4]; /* of d, a, b, c; 0: it has none */
    const char *expression;
} ifl_sass_lane_row;

/* The number of the first row that fits and whose condition holds; UINT32_MAX: there is none. */
uint32_t ifl_sass_lane_row_find(const ifl_sass_query *query);
const ifl_sass_lane_row *ifl_sass_lane_row_at(uint32_t number);

#endif
