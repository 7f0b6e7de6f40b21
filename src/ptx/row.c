/* SPDX-License-Identifier: Apache-2.0
 * See row.h. A row's number is the order in which opcode.def has it. */
#include "ptx/row.h"

#define BITS_U16 16
#define BITS_S16 16
#define BITS_U32 32
#define BITS_S32 32
#define BITS_U64 64
#define BITS_S64 64
#define BITS_F32 32
#define BITS_F64 64

#define ROW(op, type, from, sources, is_test, ...)                                                 \
    {IFL_OP_##op, IFL_TYPE_##type, IFL_TYPE_##from, sources, is_test, {__VA_ARGS__}},

static const ifl_ptx_row rows[] = {
#define LANE1(op, type, when, D, A, ...) ROW(op, type, NONE, 1, false, BITS_##D, BITS_##A)
#define LANE2(op, type, when, D, A, B, ...)                                                        \
    ROW(op, type, NONE, 2, false, BITS_##D, BITS_##A, BITS_##B)
#define LANE3(op, type, when, D, A, B, C, ...)                                                     \
    ROW(op, type, NONE, 3, false, BITS_##D, BITS_##A, BITS_##B, BITS_##C)
#define LANE4(op, type, when, D, A, B, C, E, ...)                                                  \
    ROW(op, type, NONE, 4, false, BITS_##D, BITS_##A, BITS_##B, BITS_##C, BITS_##E)
#define TEST1(op, type, when, A, ...) ROW(op, type, NONE, 1, true, 1, BITS_##A)
#define TEST2(op, type, when, A, B, ...) ROW(op, type, NONE, 2, true, 1, BITS_##A, BITS_##B)
#define CONVERT(op, type, from, when, D, A, ...) ROW(op, type, from, 1, false, BITS_##D, BITS_##A)
#define CONVERT2(op, type, from, when, D, A, B, ...)                                               \
    ROW(op, type, from, 2, false, BITS_##D, BITS_##A, BITS_##B)
#define LANE3T(op, type, from, when, D, A, B, C, ...)                                              \
    ROW(op, type, from, 3, false, BITS_##D, BITS_##A, BITS_##B, BITS_##C)
#include "ptx/opcode.def"
};

static const size_t row_count = sizeof rows / sizeof *rows;

/* Macros stamp several rows on a line, so that only a counter can number them. */
enum { FIRST = __COUNTER__ + 1 };

static bool holds(uint32_t number, const ifl_modifiers *m)
{
    switch (number) {
#define WHEN(condition)                                                                            \
    case __COUNTER__ - FIRST:                                                                      \
        return condition;
#define LANE1(op, type, when, D, A, ...) WHEN(when)
#define LANE2(op, type, when, D, A, B, ...) WHEN(when)
#define LANE3(op, type, when, D, A, B, C, ...) WHEN(when)
#define LANE4(op, type, when, D, A, B, C, E, ...) WHEN(when)
#define TEST1(op, type, when, A, ...) WHEN(when)
#define TEST2(op, type, when, A, B, ...) WHEN(when)
#define CONVERT(op, type, from, when, D, A, ...) WHEN(when)
#define CONVERT2(op, type, from, when, D, A, B, ...) WHEN(when)
#define LANE3T(op, type, from, when, D, A, B, C, ...) WHEN(when)
#include "ptx/opcode.def"
    default:
        return false;
    }
}

uint32_t ifl_ptx_row_number(const ifl_ptx_row *row)
{
    return (uint32_t)(row - rows);
}

/* Rows stand beneath their opcode, and opcodes are numbered as they stand. */
static size_t first_of(uint16_t opcode)
{
    size_t low = 0, high = row_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (rows[middle].opcode < opcode)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool ifl_ptx_has_rows(uint16_t opcode)
{
    const size_t first = first_of(opcode);
    return first < row_count && rows[first].opcode == opcode;
}

const ifl_ptx_row *ifl_ptx_row_find(uint16_t opcode, uint8_t type, uint8_t from, unsigned sources,
                                    const ifl_modifiers *modifiers)
{
    for (size_t i = first_of(opcode); i < row_count && rows[i].opcode == opcode; i++) {
        const bool is_from = rows[i].from == IFL_TYPE_NONE || rows[i].from == from;
        if (rows[i].type == type && is_from && rows[i].sources == sources &&
            holds((uint32_t)i, modifiers))
            return &rows[i];
    }
    return NULL;
}
