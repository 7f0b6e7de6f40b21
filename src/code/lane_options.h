/* SPDX-License-Identifier: Apache-2.0
 * What a row of machine code reads beside its operands: ifl_code.m of such an operation. */
#ifndef IFL_CODE_LANE_OPTIONS_H
#define IFL_CODE_LANE_OPTIONS_H

#include "code/modifiers.h"

/* Which part of a 32-bit source is read. */
typedef enum ifl_lane_part {
    IFL_PART_WHOLE,
    IFL_PART_LOW_TWICE, /* the lower half in both */
    IFL_PART_HIGH_TWICE,
    IFL_PART_TURNED, /* the lower half as the upper, the upper with the opposite sign as the lower */
    IFL_PART_HALF1,  /* the upper half, as the lower */
    IFL_PART_BYTE1,  /* a byte, as the lowest */
    IFL_PART_BYTE2,
    IFL_PART_BYTE3,
    IFL_PART_TWICE, /* of 64 bits: the lower word in both */
    IFL_PARTS
} ifl_lane_part;

typedef struct ifl_lane_options {
    /* Sources a, b, c are read as ((x & keep) ^ flip) + plus: |x|, -x and ~x. Of 64 bits: the upper
     * word of a float, all of an integer, to which plus is added. */
    uint32_t keep[3], flip[3], plus[3];
    uint32_t upper_flip[3];     /* of two floats: flips bits of the upper one as well */
    uint32_t in[3], in_flip[3]; /* predicates that are read */
    uint32_t out[2];            /* predicates that are written */
    uint32_t number;            /* of a shift, a look-up table, a mask */
    uint8_t part[3];            /* ifl_lane_part of a, b, c */
    uint8_t relation; /* that makes a comparison true: 1 less, 2 equal, 4 greater, 8 unordered */
    uint8_t bits;     /* of the result or the shifted value */
    ifl_modifiers m;
} ifl_lane_options;

#endif
