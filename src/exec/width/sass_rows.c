/* SPDX-License-Identifier: Apache-2.0
 * The rows of sass/lane.def, each stamped into a handler: the row's expression for 32 lanes side by
 * side. Compiled once for each vector width. As ptx_rows.c: each stamped row leaves a pointer to
 * its description in a linker section, and a counter numbers them. A value of 64 bits lies in two
 * registers: 32 lower words, behind them 32 upper ones. */
#include "exec/bind.h"
#include "exec/machine_lane.h"
#include "exec/width/dispatch.h"

enum { PLANE = IFL_WARP_LANES }; /* words from a register to the next */

#define ROW_SECTION IFL_PASTE(ifl_sass_rows_, IFL_WIDTH)
enum { FIRST = __COUNTER__ + 1 };

#define DESCRIBE(n)                                                                                \
    static const ifl_row_handler IFL_PASTE(row_, n) = {(n)-FIRST, IFL_PASTE(run_, n)};             \
    static const ifl_row_handler *IFL_PASTE(entry_, n)                                             \
        __attribute__((used, section(IFL_TEXT(ROW_SECTION)))) = &IFL_PASTE(row_, n);

/* ---- sources --------------------------------------------------------------------------------- */

IFL_INLINE uint64_t join_words(const uint32_t *words)
{
    return words[0] | (uint64_t)words[PLANE] << 32;
}

#define TAKE_U32(words) (*(words))
#define TAKE_S32(words) ((int32_t) * (words))
#define TAKE_F32(words) ifl_bits_f32(*(words))
#define TAKE_U64(words) join_words(words)
#define TAKE_S64(words) ((int64_t)join_words(words))
#define TAKE_F64(words) ifl_bits_f64(join_words(words))
#define C_U32 uint32_t
#define C_S32 int32_t
#define C_F32 float
#define C_U64 uint64_t
#define C_S64 int64_t
#define C_F64 double

#define SOURCE(letter)                                                                             \
    const uint32_t *letter##_words = (const uint32_t *)(const void *)(frame + code->letter);
#define TAKE(letter, type)                                                                         \
    const C_##type letter = TAKE_##type(letter##_words + i);                                       \
    (void)letter;

/* ---- results --------------------------------------------------------------------------------- */

/* Single-precision results that are NaN are the canonical NaN. */
IFL_INLINE uint32_t canonical(float x)
{
    return x == x ? ifl_f32_bits(x) : UINT32_C(0x7fffffff);
}

#define BITS_U32(x) (uint32_t)(x)
#define BITS_S32(x) (uint32_t)(x)
#define BITS_F32(x) canonical(x)
#define BITS_U64(x) (uint64_t)(x)
#define BITS_S64(x) (uint64_t)(x)
#define BITS_F64(x) ifl_f64_bits(x)
#define R_U32 uint32_t
#define R_S32 uint32_t
#define R_F32 uint32_t
#define R_U64 uint64_t
#define R_S64 uint64_t
#define R_F64 uint64_t

IFL_INLINE void put_one(uint32_t *words, uint32_t bits)
{
    *words = bits;
}

IFL_INLINE void put_two(uint32_t *words, uint64_t bits)
{
    words[0] = (uint32_t)bits;
    words[PLANE] = (uint32_t)(bits >> 32);
}

/* The results of the lanes of a mask; the others keep what they had. */
IFL_INLINE void keep_one(uint32_t *words, const uint32_t *results, uint32_t mask)
{
    IFL_SIMD IFL_EACH_LANE(i) words[i] = mask >> i & 1 ? results[i] : words[i];
}

IFL_INLINE void keep_two(uint32_t *words, const uint64_t *results, uint32_t mask)
{
    IFL_SIMD IFL_EACH_LANE(i) words[i] = mask >> i & 1 ? (uint32_t)results[i] : words[i];
    IFL_SIMD IFL_EACH_LANE(i) words[i + PLANE] =
        mask >> i & 1 ? (uint32_t)(results[i] >> 32) : words[i + PLANE];
}

#define PUT_U32 put_one
#define PUT_S32 put_one
#define PUT_F32 put_one
#define PUT_U64 put_two
#define PUT_S64 put_two
#define PUT_F64 put_two
#define KEEP_put_one keep_one
#define KEEP_put_two keep_two

/* ---- bodies ---------------------------------------------------------------------------------- */

/* The predicates that a row may read: loads that are left out where it does not. The options are
 * copied, of which likewise only what a row reads is left: for all that the compiler knows a result
 * could change them, and each lane would ask them anew. */
#define BEGIN(sources)                                                                             \
    const ifl_lane_options options = *(const ifl_lane_options *)code->m, *o = &options;            \
    const uint32_t mask = IFL_EXECUTING;                                                           \
    const uint32_t in0 = ifl_predicate(frame, o->in[0]) ^ o->in_flip[0];                           \
    const uint32_t in1 = ifl_predicate(frame, o->in[1]) ^ o->in_flip[1];                           \
    const uint32_t in2 = ifl_predicate(frame, o->in[2]) ^ o->in_flip[2];                           \
    (void)in0, (void)in1, (void)in2;                                                               \
    sources

/* All lanes at once where all execute, else each lane keeps what it had unless it executes. */
#define EACH_RESULT(R, put, takes, expression)                                                     \
    uint32_t *d = (uint32_t *)(void *)(frame + code->d);                                           \
    if (mask == IFL_ALL_LANES) {                                                                   \
        IFL_SIMD IFL_EACH_LANE(i)                                                                  \
        {                                                                                          \
            takes put(d + i, expression);                                                          \
        }                                                                                          \
    } else if (mask) {                                                                             \
        R result[IFL_WARP_LANES];                                                                  \
        IFL_SIMD IFL_EACH_LANE(i)                                                                  \
        {                                                                                          \
            takes result[i] = (expression);                                                        \
        }                                                                                          \
        IFL_PASTE(KEEP_, put)(d, result, mask);                                                    \
    }

#define LANE_BODY(n, D, sources, takes, ...)                                                       \
    IFL_HANDLER(IFL_PASTE(run_, n))                                                                \
    {                                                                                              \
        BEGIN(sources)                                                                             \
        EACH_RESULT(R_##D, PUT_##D, takes, BITS_##D(__VA_ARGS__))                                  \
        IFL_NEXT;                                                                                  \
    }

/* `type`: of the sum, twice as wide as the result; `R`, `put`: of the result */
#define CARRY_BODY(n, type, R, put, sources, takes, ...)                                           \
    IFL_HANDLER(IFL_PASTE(run_, n))                                                                \
    {                                                                                              \
        enum { BITS = 8 * (int)sizeof(R) };                                                        \
        BEGIN(sources)                                                                             \
        uint32_t *d = (uint32_t *)(void *)(frame + code->d), once = 0, twice = 0;                  \
        R result[IFL_WARP_LANES];                                                                  \
        _Pragma("omp simd reduction(|:once, twice)") IFL_EACH_LANE(i)                              \
        {                                                                                          \
            takes const type sum = (type)(__VA_ARGS__);                                            \
            const uint32_t carries = (uint32_t)(sum >> BITS);                                      \
            result[i] = (R)sum;                                                                    \
            once |= (uint32_t)(carries >= 1) << i;                                                 \
            twice |= (uint32_t)(carries >= 2) << i;                                                \
        }                                                                                          \
        IFL_PASTE(KEEP_, put)(d, result, mask);                                                    \
        ifl_set_predicate(frame, o->out[0], mask, once);                                           \
        ifl_set_predicate(frame, o->out[1], mask, twice);                                          \
        IFL_NEXT;                                                                                  \
    }

IFL_INLINE uint32_t combine(const ifl_lane_options *o, uint32_t holds, uint32_t with)
{
    return o->m.combine == IFL_COMBINE_OR    ? holds | with
           : o->m.combine == IFL_COMBINE_XOR ? holds ^ with
                                             : holds & with;
}

#define TESTS_BODY(n, sources, takes, first, second_)                                              \
    IFL_HANDLER(IFL_PASTE(run_, n))                                                                \
    {                                                                                              \
        BEGIN(sources)                                                                             \
        uint32_t holds = 0, fails = 0;                                                             \
        _Pragma("omp simd reduction(|:holds, fails)") IFL_EACH_LANE(i)                             \
        {                                                                                          \
            takes holds |= (uint32_t)((first) ? 1 : 0) << i;                                       \
            fails |= (uint32_t)((second_) ? 1 : 0) << i;                                           \
        }                                                                                          \
        ifl_set_predicate(frame, o->out[0], mask, combine(o, holds, in0));                         \
        ifl_set_predicate(frame, o->out[1], mask, combine(o, fails, in0));                         \
        IFL_NEXT;                                                                                  \
    }

#define TEST_BODY(n, sources, takes, ...)                                                          \
    IFL_HANDLER(IFL_PASTE(run_, n))                                                                \
    {                                                                                              \
        BEGIN(sources)                                                                             \
        uint32_t holds = 0;                                                                        \
        _Pragma("omp simd reduction(|:holds)") IFL_EACH_LANE(i)                                    \
        {                                                                                          \
            takes holds |= (uint32_t)((__VA_ARGS__) ? 1 : 0) << i;                                 \
        }                                                                                          \
        ifl_set_predicate(frame, o->out[0], mask, combine(o, holds, in0));                         \
        ifl_set_predicate(frame, o->out[1], mask, combine(o, ~holds, in0));                        \
        IFL_NEXT;                                                                                  \
    }

#define NONZERO_BODY(n, sources, takes, ...)                                                       \
    IFL_HANDLER(IFL_PASTE(run_, n))                                                                \
    {                                                                                              \
        BEGIN(sources)                                                                             \
        uint32_t *d = (uint32_t *)(void *)(frame + code->d), holds = 0;                            \
        uint32_t result[IFL_WARP_LANES];                                                           \
        _Pragma("omp simd reduction(|:holds)") IFL_EACH_LANE(i)                                    \
        {                                                                                          \
            takes result[i] = (__VA_ARGS__);                                                       \
            holds |= (uint32_t)(result[i] != 0) << i;                                              \
        }                                                                                          \
        keep_one(d, result, mask);                                                                 \
        ifl_set_predicate(frame, o->out[0], mask, combine(o, holds, in0));                         \
        IFL_NEXT;                                                                                  \
    }

#define SOURCES1 SOURCE(a)
#define SOURCES2 SOURCE(a) SOURCE(b)
#define SOURCES3 SOURCE(a) SOURCE(b) SOURCE(c)
#define TAKES1(A) TAKE(a, A)
#define TAKES2(A, B) TAKE(a, A) TAKE(b, B)
#define TAKES3(A, B, C) TAKE(a, A) TAKE(b, B) TAKE(c, C)

#define ROW_LANE1(n, D, A, ...) LANE_BODY(n, D, SOURCES1, TAKES1(A), __VA_ARGS__) DESCRIBE(n)
#define ROW_LANE2(n, D, A, B, ...) LANE_BODY(n, D, SOURCES2, TAKES2(A, B), __VA_ARGS__) DESCRIBE(n)
#define ROW_LANE3(n, D, A, B, C, ...)                                                              \
    LANE_BODY(n, D, SOURCES3, TAKES3(A, B, C), __VA_ARGS__) DESCRIBE(n)
#define ROW_CARRY2(n, A, B, ...)                                                                   \
    CARRY_BODY(n, uint64_t, uint32_t, put_one, SOURCES2, TAKES2(A, B), __VA_ARGS__) DESCRIBE(n)
#define ROW_CARRY3(n, A, B, C, ...)                                                                \
    CARRY_BODY(n, uint64_t, uint32_t, put_one, SOURCES3, TAKES3(A, B, C), __VA_ARGS__) DESCRIBE(n)
#define ROW_WIDE2(n, A, B, ...)                                                                    \
    CARRY_BODY(n, unsigned __int128, uint64_t, put_two, SOURCES2, TAKES2(A, B), __VA_ARGS__)       \
    DESCRIBE(n)
#define ROW_WIDE3(n, A, B, C, ...)                                                                 \
    CARRY_BODY(n, unsigned __int128, uint64_t, put_two, SOURCES3, TAKES3(A, B, C), __VA_ARGS__)    \
    DESCRIBE(n)
#define ROW_TEST2(n, A, B, ...) TEST_BODY(n, SOURCES2, TAKES2(A, B), __VA_ARGS__) DESCRIBE(n)
#define ROW_TESTS2(n, A, B, first, second)                                                         \
    TESTS_BODY(n, SOURCES2, TAKES2(A, B), first, second) DESCRIBE(n)
#define ROW_TESTS3(n, A, B, C, first, second)                                                      \
    TESTS_BODY(n, SOURCES3, TAKES3(A, B, C), first, second) DESCRIBE(n)
#define ROW_NONZERO(n, A, B, C, ...)                                                               \
    NONZERO_BODY(n, SOURCES3, TAKES3(A, B, C), __VA_ARGS__) DESCRIBE(n)

/* One more expansion, so that the counter is a number by the time it is pasted. */
#define EXPAND(row, ...) row(__VA_ARGS__)
#define LANE1(op, when, ...) EXPAND(ROW_LANE1, __COUNTER__, __VA_ARGS__)
#define LANE2(op, when, ...) EXPAND(ROW_LANE2, __COUNTER__, __VA_ARGS__)
#define LANE3(op, when, ...) EXPAND(ROW_LANE3, __COUNTER__, __VA_ARGS__)
#define CARRY2(op, when, ...) EXPAND(ROW_CARRY2, __COUNTER__, __VA_ARGS__)
#define CARRY3(op, when, ...) EXPAND(ROW_CARRY3, __COUNTER__, __VA_ARGS__)
#define WIDE2(op, when, ...) EXPAND(ROW_WIDE2, __COUNTER__, __VA_ARGS__)
#define WIDE3(op, when, ...) EXPAND(ROW_WIDE3, __COUNTER__, __VA_ARGS__)
#define TEST2(op, when, ...) EXPAND(ROW_TEST2, __COUNTER__, __VA_ARGS__)
#define TESTS2(op, when, ...) EXPAND(ROW_TESTS2, __COUNTER__, __VA_ARGS__)
#define TESTS3(op, when, ...) EXPAND(ROW_TESTS3, __COUNTER__, __VA_ARGS__)
#define NONZERO(op, when, D, ...) EXPAND(ROW_NONZERO, __COUNTER__, __VA_ARGS__)

#include "sass/lane.def"

extern const ifl_row_handler *IFL_PASTE(__start_, ROW_SECTION)[]
    __attribute__((visibility("hidden")));
extern const ifl_row_handler *IFL_PASTE(__stop_, ROW_SECTION)[]
    __attribute__((visibility("hidden")));

const ifl_row_handler *const *IFL_PASTE(ifl_sass_rows_of_, IFL_WIDTH)(size_t *count);

const ifl_row_handler *const *IFL_PASTE(ifl_sass_rows_of_, IFL_WIDTH)(size_t *count)
{
    *count = (size_t)(IFL_PASTE(__stop_, ROW_SECTION) - IFL_PASTE(__start_, ROW_SECTION));
    return (const ifl_row_handler *const *)IFL_PASTE(__start_, ROW_SECTION);
}
