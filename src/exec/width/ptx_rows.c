/* SPDX-License-Identifier: Apache-2.0
 * The rows of opcode.def, each stamped into a handler: the row's expression for 32 lanes side by
 * side. Compiled once for each vector width.
 *
 * Each stamped row leaves a pointer to its description in a linker section of its own; the section
 * is the table. Rows come from macros that stamp several types on a line, so a counter names
 * them. */
#include "exec/approximate.h"
#include "exec/bind.h"
#include "exec/rounded_lane.h"
#include "exec/width/dispatch.h"

/* Lane types: what a row reads (C_) and writes (OUT_, through PUT_), and their bits. */
#define C_U16 uint16_t
#define C_S16 int16_t
#define C_U32 uint32_t
#define C_S32 int32_t
#define C_U64 uint64_t
#define C_S64 int64_t
#define C_F32 float
#define C_F64 double
#define OUT_U16 uint16_t
#define OUT_S16 int16_t
#define OUT_U32 uint32_t
#define OUT_S32 int32_t
#define OUT_U64 uint64_t
#define OUT_S64 int64_t
#define OUT_F32 uint32_t
#define OUT_F64 double
#define PUT_U16(x) (uint16_t)(x)
#define PUT_S16(x) (int16_t)(x)
#define PUT_U32(x) (uint32_t)(x)
#define PUT_S32(x) (int32_t)(x)
#define PUT_U64(x) (uint64_t)(x)
#define PUT_S64(x) (int64_t)(x)
#define PUT_F32(x) canonical(x)
#define PUT_F64(x) (x)

/* PTX ISA, "Floating Point Instructions": single-precision NaN results are the canonical NaN. */
IFL_INLINE uint32_t canonical(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x == x ? bits : UINT32_C(0x7fffffff);
}

#define ROW_SECTION IFL_PASTE(ifl_ptx_rows_, IFL_WIDTH)

/* Macros stamp several rows on a line, so that only a counter can number them: as ptx/row.c
 * does. */
enum { FIRST = __COUNTER__ + 1 };

#define DESCRIBE(n)                                                                                \
    static const ifl_row_handler IFL_PASTE(row_, n) = {(n)-FIRST, IFL_PASTE(run_, n)};             \
    static const ifl_row_handler *IFL_PASTE(entry_, n)                                             \
        __attribute__((used, section(IFL_TEXT(ROW_SECTION)))) = &IFL_PASTE(row_, n);

#define SOURCE(letter, type)                                                                       \
    const C_##type *letter##_lane = (const C_##type *)(const void *)(frame + code->letter);
#define TAKE(letter, type)                                                                         \
    C_##type letter = letter##_lane[i];                                                            \
    (void)letter;

#define LANE_BODY(n, D, sources, takes, expression)                                                \
    IFL_HANDLER(IFL_PASTE(run_, n))                                                                \
    {                                                                                              \
        const ifl_modifiers *m = code->m;                                                          \
        (void)m;                                                                                   \
        uint32_t mask = IFL_EXECUTING;                                                             \
        sources OUT_##D *d = (OUT_##D *)(void *)(frame + code->d);                                 \
        if (IFL_ALL_EXECUTE(mask)) {                                                               \
            IFL_SIMD IFL_EACH_LANE(i)                                                              \
            {                                                                                      \
                takes d[i] = PUT_##D(expression);                                                  \
            }                                                                                      \
        } else if (mask) {                                                                         \
            IFL_SIMD IFL_EACH_LANE(i)                                                              \
            {                                                                                      \
                takes OUT_##D r = PUT_##D(expression);                                             \
                d[i] = mask >> i & 1 ? r : d[i];                                                   \
            }                                                                                      \
        }                                                                                          \
        IFL_NEXT;                                                                                  \
    }

/* A comparison: the lanes where it holds, combined with a predicate (setp's .and .or .xor), and its
 * complement combined likewise for a second destination (e; the sink where there is none). */
#define TEST_BODY(n, sources, takes, expression)                                                   \
    IFL_HANDLER(IFL_PASTE(run_, n))                                                                \
    {                                                                                              \
        const ifl_modifiers *m = code->m;                                                          \
        uint32_t mask = IFL_EXECUTING, holds = 0;                                                  \
        sources _Pragma("omp simd reduction(|:holds)") IFL_EACH_LANE(i)                            \
        {                                                                                          \
            takes holds |= (uint32_t)((expression) ? 1 : 0) << i;                                  \
        }                                                                                          \
        uint32_t fails = ~holds;                                                                   \
        if (m->combine) {                                                                          \
            uint32_t with = ifl_predicate(frame, code->c) ^ code->flip;                            \
            holds = combine(m->combine, holds, with);                                              \
            fails = combine(m->combine, fails, with);                                              \
        }                                                                                          \
        ifl_set_predicate(frame, code->d, mask, holds);                                            \
        ifl_set_predicate(frame, code->e, mask, fails);                                            \
        IFL_NEXT;                                                                                  \
    }

IFL_INLINE uint32_t combine(uint8_t how, uint32_t a, uint32_t b)
{
    return how == IFL_COMBINE_AND ? a & b : how == IFL_COMBINE_OR ? a | b : a ^ b;
}

#define ROW1(n, D, A, ...)                                                                         \
    LANE_BODY(n, D, SOURCE(a, A), TAKE(a, A), __VA_ARGS__)                                         \
    DESCRIBE(n)
#define ROW2(n, D, A, B, ...)                                                                      \
    LANE_BODY(n, D, SOURCE(a, A) SOURCE(b, B), TAKE(a, A) TAKE(b, B), __VA_ARGS__)                 \
    DESCRIBE(n)
#define ROW3(n, D, A, B, C, ...)                                                                   \
    LANE_BODY(n, D, SOURCE(a, A) SOURCE(b, B) SOURCE(c, C), TAKE(a, A) TAKE(b, B) TAKE(c, C),      \
              __VA_ARGS__)                                                                         \
    DESCRIBE(n)
#define ROW4(n, D, A, B, C, E, ...)                                                                \
    LANE_BODY(n, D, SOURCE(a, A) SOURCE(b, B) SOURCE(c, C) SOURCE(e, E),                           \
              TAKE(a, A) TAKE(b, B) TAKE(c, C) TAKE(e, E), __VA_ARGS__)                            \
    DESCRIBE(n)
#define ROW_TEST1(n, A, ...)                                                                       \
    TEST_BODY(n, SOURCE(a, A), TAKE(a, A), __VA_ARGS__)                                            \
    DESCRIBE(n)
#define ROW_TEST2(n, A, B, ...)                                                                    \
    TEST_BODY(n, SOURCE(a, A) SOURCE(b, B), TAKE(a, A) TAKE(b, B), __VA_ARGS__)                    \
    DESCRIBE(n)

/* One more expansion, so that the counter is a number by the time it is pasted. */
#define EXPAND(row, ...) row(__VA_ARGS__)
#define LANE1(op, type, when, D, A, ...) EXPAND(ROW1, __COUNTER__, D, A, __VA_ARGS__)
#define LANE2(op, type, when, D, A, B, ...) EXPAND(ROW2, __COUNTER__, D, A, B, __VA_ARGS__)
#define LANE3(op, type, when, D, A, B, C, ...) EXPAND(ROW3, __COUNTER__, D, A, B, C, __VA_ARGS__)
#define LANE4(op, type, when, D, A, B, C, E, ...)                                                  \
    EXPAND(ROW4, __COUNTER__, D, A, B, C, E, __VA_ARGS__)
#define TEST1(op, type, when, A, ...) EXPAND(ROW_TEST1, __COUNTER__, A, __VA_ARGS__)
#define TEST2(op, type, when, A, B, ...) EXPAND(ROW_TEST2, __COUNTER__, A, B, __VA_ARGS__)
#define CONVERT(op, type, from, when, D, A, ...) EXPAND(ROW1, __COUNTER__, D, A, __VA_ARGS__)
#define CONVERT2(op, type, from, when, D, A, B, ...) EXPAND(ROW2, __COUNTER__, D, A, B, __VA_ARGS__)
#define LANE3T(op, type, from, when, D, A, B, C, ...)                                              \
    EXPAND(ROW3, __COUNTER__, D, A, B, C, __VA_ARGS__)

#include "ptx/opcode.def"

/* The linker's names for the ends of the section, kept inside of the library. */
extern const ifl_row_handler *IFL_PASTE(__start_, ROW_SECTION)[]
    __attribute__((visibility("hidden")));
extern const ifl_row_handler *IFL_PASTE(__stop_, ROW_SECTION)[]
    __attribute__((visibility("hidden")));

const ifl_row_handler *const *IFL_PASTE(ifl_ptx_rows_of_, IFL_WIDTH)(size_t *count);

const ifl_row_handler *const *IFL_PASTE(ifl_ptx_rows_of_, IFL_WIDTH)(size_t *count)
{
    *count = (size_t)(IFL_PASTE(__stop_, ROW_SECTION) - IFL_PASTE(__start_, ROW_SECTION));
    return (const ifl_row_handler *const *)IFL_PASTE(__start_, ROW_SECTION);
}
