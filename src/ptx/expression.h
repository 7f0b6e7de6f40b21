/* SPDX-License-Identifier: Apache-2.0
 * Constant expressions of PTX: literals, operators, casts. */
#ifndef IFL_PTX_EXPRESSION_H
#define IFL_PTX_EXPRESSION_H

#include "ptx/program.h"

struct ifl_ptx_parser;

typedef struct ifl_ptx_value {
    enum { IFL_PTX_SIGNED, IFL_PTX_UNSIGNED, IFL_PTX_SINGLE, IFL_PTX_DOUBLE } kind;
    union {
        uint64_t bits; /* integers: two's complement; SINGLE: the pattern of a 0f literal */
        double real;
    };
} ifl_ptx_value;

/* Takes a whole expression. */
bool ifl_ptx_take_expression(struct ifl_ptx_parser *parser, ifl_ptx_value *out);
/* Takes what stands behind a base address: "+8", "-4", "+-4", "+4*2". */
bool ifl_ptx_take_offset(struct ifl_ptx_parser *parser, int64_t *offset);
bool ifl_ptx_is_expression_start(const struct ifl_ptx_parser *parser);

/* The bits of a value in a type: PTX ISA, "Constants". False when the value is not of that kind (a
 * real number for an integer). */
bool ifl_ptx_value_bits(const ifl_ptx_value *value, ifl_type type, int64_t *bits);

#endif
