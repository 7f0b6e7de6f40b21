/* SPDX-License-Identifier: Apache-2.0
 * The rows of opcode.def by what they take: which of them computes an instruction. Their
 * expressions are built for each vector width in exec/width. */
#ifndef IFL_PTX_ROW_H
#define IFL_PTX_ROW_H

#include "ptx/program.h"

typedef struct ifl_ptx_row {
    uint16_t opcode;
    uint8_t type, from; /* ifl_type; `from` is NONE where the row does not care */
    uint8_t sources;
    bool is_test;     /* gives a predicate */
    uint8_t width[5]; /* bits of d, a, b, c, e */
} ifl_ptx_row;

/* The first row of opcode.def that fits and whose condition holds; NULL: there is none. */
const ifl_ptx_row *ifl_ptx_row_find(uint16_t opcode, uint8_t type, uint8_t from, unsigned sources,
                                    const ifl_modifiers *modifiers);
/* Whether the opcode has rows: each lane's result depends on that lane's sources alone. */
bool ifl_ptx_has_rows(uint16_t opcode);
/* Its number in opcode.def, which its code carries. */
uint32_t ifl_ptx_row_number(const ifl_ptx_row *row);

#endif
