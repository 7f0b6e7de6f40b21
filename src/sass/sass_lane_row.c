/* SPDX-License-Identifier: Apache-2.0
 * See sass_lane_row.h. A row's number is the order in which sass/table has it. */
#include "sass/sass_lane_row.h"

/* Words of a value, and what a signature says of them. */
enum { U32 = 1, S32 = 1, F32 = 1, U64 = 2, S64 = 2, F64 = 2 };
#define SIGNATURE_U32(...)                                                                         \
    false,                                                                                         \
    {                                                                                              \
        U32, __VA_ARGS__                                                                           \
    }
#define SIGNATURE_S32(...)                                                                         \
    false,                                                                                         \
    {                                                                                              \
        S32, __VA_ARGS__                                                                           \
    }
#define SIGNATURE_F32(...)                                                                         \
    false,                                                                                         \
    {                                                                                              \
        F32, __VA_ARGS__                                                                           \
    }
#define SIGNATURE_U64(...)                                                                         \
    false,                                                                                         \
    {                                                                                              \
        U64, __VA_ARGS__                                                                           \
    }
#define SIGNATURE_S64(...)                                                                         \
    false,                                                                                         \
    {                                                                                              \
        S64, __VA_ARGS__                                                                           \
    }
#define SIGNATURE_F64(...)                                                                         \
    false,                                                                                         \
    {                                                                                              \
        F64, __VA_ARGS__                                                                           \
    }
#define SIGNATURE_CARRY(...)                                                                       \
    false,                                                                                         \
    {                                                                                              \
        U32, __VA_ARGS__                                                                           \
    }
#define SIGNATURE_WIDE(...)                                                                        \
    false,                                                                                         \
    {                                                                                              \
        U64, __VA_ARGS__                                                                           \
    }
#define SIGNATURE_CHOICE(...)                                                                      \
    false,                                                                                         \
    {                                                                                              \
        U32, __VA_ARGS__                                                                           \
    }
#define SIGNATURE_NONZERO(...)                                                                     \
    true,                                                                                          \
    {                                                                                              \
        U32, __VA_ARGS__                                                                           \
    }
#define SIGNATURE_TEST(...)                                                                        \
    true,                                                                                          \
    {                                                                                              \
        0, __VA_ARGS__                                                                             \
    }
#define SIGNATURE_TESTS(...)                                                                       \
    true,                                                                                          \
    {                                                                                              \
        0, __VA_ARGS__                                                                             \
    }

static const ifl_sass_lane_row rows[] = {
#define LANE(op, when, signature, ...) {IFL_SASS_OP_##op, SIGNATURE_##signature, #__VA_ARGS__},
#include "sass/table/instruction.def"
};

static const size_t row_count = sizeof rows / sizeof *rows;

/* ---- what the rows ask ----------------------------------------------------------------------- */

#define IS(role, word)                                                                             \
    (ifl_sass_value(q->instruction, IFL_SASS_VALUE_##role) == IFL_SASS_WORD_##word)
#define OFF(role)                                                                                  \
    (ifl_sass_value(q->instruction, IFL_SASS_VALUE_##role) <= IFL_SASS_WORD_ABSENT || IS(role, OFF))
#define EXTENDED (IS(EXTENDED, X) || IS(EXTENDED, EX))
#define PLAIN (q->is_plain && !q->writes_predicate && !EXTENDED) /* no signs, no carries */
#define PLAIN_SOURCES (q->is_plain)
#define UNSIGNED IS(TYPE, U32)
#define SIGNED IS(TYPE, S32)
#define SHIFTS_SIGN (IS(TYPE, S32) || IS(TYPE, S64))
#define RELU (IS(RELU, RELU))
#define LOGIC(wanted) (PLAIN && q->table == (wanted))
#define IEEE (IS(DENORMALS, KEEP) && OFF(SATURATION))
#define FLUSHED (IS(DENORMALS, KEEP) || IS(DENORMALS, FTZ))
#define NEAREST IS(ROUNDING, RN)
#define BOTH(to, from) (IS(TYPE_TO, to) && IS(TYPE_FROM, from))
#define F16S (OFF(TYPE) || IS(TYPE, F16x2))
#define BF16S IS(TYPE, BF16_V2)
#define HALF_PLAIN (PLAIN_SOURCES && IEEE)
#define OUT_OF_BOUNDS (IS(DENORMALS, OOB) && (OFF(SATURATION) || RELU))
/* .F32 of sm_75: the lower half's result as a float. ptxas makes it of an f16 operation and the conversion of its result,
 * so it is rounded to f16. Later architectures only convert with it. */
#define LOWER_AS_F32 (q->instruction->sm == 75 && IS(TYPE, F32) && FLUSHED)
#define PACKS(word) (IS(OPERATION, word) && PLAIN_SOURCES)
#define FROM_F32(to) (IS(TYPE_TO, to) && (IS(TYPE_FROM, F32) || OFF(TYPE_FROM)))
#define UNCUT (NEAREST && OFF(SATURATION) && !RELU)
#define SATURATES(to) (PLAIN_SOURCES && IS(SATURATION, SAT) && IS(TYPE_TO, to))

/* Macros stamp several rows on a line, so that only a counter can number them. */
enum { FIRST = __COUNTER__ + 1 };

static bool holds(uint32_t number, const ifl_sass_query *q)
{
    switch (number) {
#define LANE(op, when, ...)                                                                        \
    case __COUNTER__ - FIRST:                                                                      \
        return when;
#include "sass/table/instruction.def"
    default:
        return false;
    }
}

uint32_t ifl_sass_lane_row_find(const ifl_sass_query *query)
{
    const unsigned op = ifl_sass_op_as(query->instruction->op);
    for (uint32_t i = 0; i < row_count; i++)
        if (rows[i].op == op && holds(i, query))
            return i;
    return UINT32_MAX;
}

const ifl_sass_lane_row *ifl_sass_lane_row_at(uint32_t number)
{
    return number < row_count ? &rows[number] : NULL;
}
