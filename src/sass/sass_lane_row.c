/* SPDX-License-Identifier: Apache-2.0
 * See sass_lane_row.h. A row's number is the order in which lane.def has it. */
#include "sass/sass_lane_row.h"

enum { WORDS_U32 = 1, WORDS_S32 = 1, WORDS_F32 = 1, WORDS_U64 = 2, WORDS_S64 = 2, WORDS_F64 = 2 };

#define ROW(op, is_test, ...) {IFL_SASS_OP_##op, is_test, {__VA_ARGS__}, NULL},
#define LANE(op, expression, ...) {IFL_SASS_OP_##op, false, {__VA_ARGS__}, expression},

static const ifl_sass_lane_row rows[] = {
#define LANE1(op, when, D, A, ...) LANE(op, #__VA_ARGS__, WORDS_##D, WORDS_##A)
#define LANE2(op, when, D, A, B, ...) LANE(op, #__VA_ARGS__, WORDS_##D, WORDS_##A, WORDS_##B)
#define LANE3(op, when, D, A, B, C, ...)                                                           \
    LANE(op, #__VA_ARGS__, WORDS_##D, WORDS_##A, WORDS_##B, WORDS_##C)
#define CARRY2(op, when, A, B, ...) ROW(op, false, 1, WORDS_##A, WORDS_##B)
#define CARRY3(op, when, A, B, C, ...) ROW(op, false, 1, WORDS_##A, WORDS_##B, WORDS_##C)
#define WIDE2(op, when, A, B, ...) ROW(op, false, 2, WORDS_##A, WORDS_##B)
#define WIDE3(op, when, A, B, C, ...) ROW(op, false, 2, WORDS_##A, WORDS_##B, WORDS_##C)
#define NONZERO(op, when, D, A, B, C, ...) ROW(op, true, WORDS_##D, WORDS_##A, WORDS_##B, WORDS_##C)
#define TEST2(op, when, A, B, ...) ROW(op, true, 0, WORDS_##A, WORDS_##B)
#define TESTS2(op, when, A, B, first, second) ROW(op, true, 0, WORDS_##A, WORDS_##B)
#define TESTS3(op, when, A, B, C, first, second) ROW(op, true, 0, WORDS_##A, WORDS_##B, WORDS_##C)
#include "sass/lane.def"
};

static const size_t row_count = sizeof rows / sizeof *rows;

/* Macros stamp several rows on a line, so that only a counter can number them. */
enum { FIRST = __COUNTER__ + 1 };

static bool holds(uint32_t number, const ifl_sass_query *q)
{
    switch (number) {
#define WHEN(condition)                                                                            \
    case __COUNTER__ - FIRST:                                                                      \
        return condition;
#define LANE1(op, when, ...) WHEN(when)
#define LANE2(op, when, ...) WHEN(when)
#define LANE3(op, when, ...) WHEN(when)
#define CARRY2(op, when, ...) WHEN(when)
#define CARRY3(op, when, ...) WHEN(when)
#define WIDE2(op, when, ...) WHEN(when)
#define WIDE3(op, when, ...) WHEN(when)
#define NONZERO(op, when, ...) WHEN(when)
#define TEST2(op, when, ...) WHEN(when)
#define TESTS2(op, when, ...) WHEN(when)
#define TESTS3(op, when, ...) WHEN(when)
#include "sass/lane.def"
    default:
        return false;
    }
}

/* Rows of an opcode stand together, but opcodes not in order: the first row of each, found once. */
uint32_t ifl_sass_lane_row_find(const ifl_sass_query *query)
{
    const unsigned op = ifl_sass_lane_op(query->instruction->op);
    for (uint32_t i = 0; i < row_count; i++)
        if (rows[i].op == op && holds(i, query))
            return i;
    return UINT32_MAX;
}

const ifl_sass_lane_row *ifl_sass_lane_row_at(uint32_t number)
{
    return number < row_count ? &rows[number] : NULL;
}

/* ---- the uniform datapath -------------------------------------------------------------------- */

static const uint16_t lane_ops[IFL_SASS_OPS] = {
    [IFL_SASS_OP_UMOV] = IFL_SASS_OP_MOV,       [IFL_SASS_OP_UIADD3] = IFL_SASS_OP_IADD3,
    [IFL_SASS_OP_UIMAD] = IFL_SASS_OP_IMAD,     [IFL_SASS_OP_UIMNMX] = IFL_SASS_OP_IMNMX,
    [IFL_SASS_OP_UVIMNMX] = IFL_SASS_OP_VIMNMX, [IFL_SASS_OP_UISETP] = IFL_SASS_OP_ISETP,
    [IFL_SASS_OP_ULOP3] = IFL_SASS_OP_LOP3,     [IFL_SASS_OP_USHF] = IFL_SASS_OP_SHF,
    [IFL_SASS_OP_ULEA] = IFL_SASS_OP_LEA,       [IFL_SASS_OP_USGXT] = IFL_SASS_OP_SGXT,
    [IFL_SASS_OP_UBMSK] = IFL_SASS_OP_BMSK,     [IFL_SASS_OP_UPRMT] = IFL_SASS_OP_PRMT,
    [IFL_SASS_OP_USEL] = IFL_SASS_OP_SEL,       [IFL_SASS_OP_UFLO] = IFL_SASS_OP_FLO,
    [IFL_SASS_OP_UPOPC] = IFL_SASS_OP_POPC,     [IFL_SASS_OP_UBREV] = IFL_SASS_OP_BREV,
    [IFL_SASS_OP_UFADD] = IFL_SASS_OP_FADD,     [IFL_SASS_OP_UFMUL] = IFL_SASS_OP_FMUL,
    [IFL_SASS_OP_UFFMA] = IFL_SASS_OP_FFMA,     [IFL_SASS_OP_UFSEL] = IFL_SASS_OP_FSEL,
    [IFL_SASS_OP_UFSETP] = IFL_SASS_OP_FSETP,   [IFL_SASS_OP_UF2I] = IFL_SASS_OP_F2I,
    [IFL_SASS_OP_UI2F] = IFL_SASS_OP_I2F,       [IFL_SASS_OP_UI2FP] = IFL_SASS_OP_I2FP,
    [IFL_SASS_OP_UF2FP] = IFL_SASS_OP_F2FP,     [IFL_SASS_OP_UPLOP3] = IFL_SASS_OP_PLOP3,
};

unsigned ifl_sass_lane_op(unsigned op)
{
    return op < IFL_SASS_OPS && lane_ops[op] ? lane_ops[op] : op;
}

bool ifl_sass_op_is_uniform(unsigned op)
{
    static const bool others[IFL_SASS_OPS] = {
        [IFL_SASS_OP_ULDC] = true,  [IFL_SASS_OP_LDCU] = true,  [IFL_SASS_OP_S2UR] = true,
        [IFL_SASS_OP_CS2UR] = true, [IFL_SASS_OP_UP2UR] = true, [IFL_SASS_OP_UR2UP] = true,
    };
    return op < IFL_SASS_OPS && (lane_ops[op] || others[op]);
}
