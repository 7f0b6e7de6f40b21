/* SPDX-License-Identifier: Apache-2.0
 * The LANE rows of sass/table, each stamped into a handler: the row's expression for 32 lanes side by
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

#define TAKE(letter, type)                                                                         \
    const C_##type letter = TAKE_##type(letter##_words + i);                                       \
    (void)letter;
/* Of the types that a signature tells; what it does not have is not looked at. */
#define TAKES(...) TAKE_ALL(__VA_ARGS__, U32, U32, )
#define TAKE_ALL(A, B, C, ...)                                                                     \
    TAKE(a, A)                                                                                     \
    TAKE(b, B)                                                                                     \
    TAKE(c, C)

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
#define BEGIN                                                                                      \
    const ifl_lane_options options = *(const ifl_lane_options *)code->m, *o = &options;            \
    const uint32_t mask = IFL_EXECUTING;                                                           \
    const uint32_t in0 = ifl_predicate(frame, o->in[0]) ^ o->in_flip[0];                           \
    const uint32_t in1 = ifl_predicate(frame, o->in[1]) ^ o->in_flip[1];                           \
    const uint32_t in2 = ifl_predicate(frame, o->in[2]) ^ o->in_flip[2];                           \
    (void)in0, (void)in1, (void)in2;                                                               \
    const uint32_t *a_words = (const uint32_t *)(const void *)(frame + code->a);                   \
    const uint32_t *b_words = (const uint32_t *)(const void *)(frame + code->b);                   \
    const uint32_t *c_words = (const uint32_t *)(const void *)(frame + code->c);

/* All lanes at once where all execute, else each lane keeps what it had unless it executes. */
#define EACH_RESULT(R, put, takes, expression)                                                     \
    uint32_t *d = (uint32_t *)(void *)(frame + code->d);                                           \
    if (IFL_ALL_EXECUTE(mask)) {                                                                   \
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

#define LANE_BODY(n, D, takes, ...)                                                                \
    IFL_HANDLER(IFL_PASTE(run_, n))                                                                \
    {                                                                                              \
        BEGIN                                                                                      \
        EACH_RESULT(R_##D, PUT_##D, takes, BITS_##D(__VA_ARGS__))                                  \
        IFL_NEXT;                                                                                  \
    }

#define SUM_U32 uint64_t
#define SUM_U64 unsigned __int128
#define CARRY_BODY(n, D, takes, ...)                                                               \
    IFL_HANDLER(IFL_PASTE(run_, n))                                                                \
    {                                                                                              \
        enum { WIDTH = 8 * (int)sizeof(R_##D) };                                                   \
        BEGIN                                                                                      \
        uint32_t *d = (uint32_t *)(void *)(frame + code->d), once = 0, twice = 0;                  \
        R_##D result[IFL_WARP_LANES];                                                              \
        _Pragma("omp simd reduction(|:once, twice)") IFL_EACH_LANE(i)                              \
        {                                                                                          \
            takes const SUM_##D sum = (SUM_##D)(__VA_ARGS__);                                      \
            const uint32_t carries = (uint32_t)(sum >> WIDTH);                                     \
            result[i] = (R_##D)sum;                                                                \
            once |= (uint32_t)(carries >= 1) << i;                                                 \
            twice |= (uint32_t)(carries >= 2) << i;                                                \
        }                                                                                          \
        IFL_PASTE(KEEP_, PUT_##D)(d, result, mask);                                                \
        ifl_set_predicate(frame, o->out[0], mask, once);                                           \
        ifl_set_predicate(frame, o->out[1], mask, twice);                                          \
        IFL_NEXT;                                                                                  \
    }

/* Where both predicates are one, the lower half's is what stays: ptxas names one for both where only
 * that is used, and an H200 gives it. */
#define CHOICE_BODY(n, D, takes, ...)                                                              \
    IFL_HANDLER(IFL_PASTE(run_, n))                                                                \
    {                                                                                              \
        BEGIN                                                                                      \
        uint32_t lower = 0, upper = 0, result[IFL_WARP_LANES];                                     \
        _Pragma("omp simd reduction(|:lower, upper)") IFL_EACH_LANE(i)                             \
        {                                                                                          \
            takes const uint32_t chosen = (__VA_ARGS__);                                           \
            result[i] = chosen;                                                                    \
            lower |= (uint32_t)(IFL_LOW(chosen) == IFL_LOW(a)) << i;                               \
            upper |= (uint32_t)(IFL_HIGH(chosen) == IFL_HIGH(a)) << i;                             \
        }                                                                                          \
        keep_one((uint32_t *)(void *)(frame + code->d), result, mask);                             \
        ifl_set_predicate(frame, o->out[1], mask, upper);                                          \
        ifl_set_predicate(frame, o->out[0], mask, lower);                                          \
        IFL_NEXT;                                                                                  \
    }

IFL_INLINE uint32_t combine(const ifl_lane_options *o, uint32_t holds, uint32_t with)
{
    return o->m.combine == IFL_COMBINE_OR    ? holds | with
           : o->m.combine == IFL_COMBINE_XOR ? holds ^ with
                                             : holds & with;
}

#define TESTS_BODY(n, D, takes, first, second_)                                                    \
    IFL_HANDLER(IFL_PASTE(run_, n))                                                                \
    {                                                                                              \
        BEGIN                                                                                      \
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

#define TEST_BODY(n, D, takes, ...)                                                                \
    IFL_HANDLER(IFL_PASTE(run_, n))                                                                \
    {                                                                                              \
        BEGIN                                                                                      \
        uint32_t holds = 0;                                                                        \
        _Pragma("omp simd reduction(|:holds)") IFL_EACH_LANE(i)                                    \
        {                                                                                          \
            takes holds |= (uint32_t)((__VA_ARGS__) ? 1 : 0) << i;                                 \
        }                                                                                          \
        ifl_set_predicate(frame, o->out[0], mask, combine(o, holds, in0));                         \
        ifl_set_predicate(frame, o->out[1], mask, combine(o, ~holds, in0));                        \
        IFL_NEXT;                                                                                  \
    }

#define NONZERO_BODY(n, D, takes, ...)                                                             \
    IFL_HANDLER(IFL_PASTE(run_, n))                                                                \
    {                                                                                              \
        BEGIN                                                                                      \
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

/* What a signature makes of a row. */
#define SIGNATURE_U32(...) LANE_BODY, U32, TAKES(__VA_ARGS__)
#define SIGNATURE_S32(...) LANE_BODY, S32, TAKES(__VA_ARGS__)
#define SIGNATURE_F32(...) LANE_BODY, F32, TAKES(__VA_ARGS__)
#define SIGNATURE_U64(...) LANE_BODY, U64, TAKES(__VA_ARGS__)
#define SIGNATURE_S64(...) LANE_BODY, S64, TAKES(__VA_ARGS__)
#define SIGNATURE_F64(...) LANE_BODY, F64, TAKES(__VA_ARGS__)
#define SIGNATURE_CARRY(...) CARRY_BODY, U32, TAKES(__VA_ARGS__)
#define SIGNATURE_WIDE(...) CARRY_BODY, U64, TAKES(__VA_ARGS__)
#define SIGNATURE_CHOICE(...) CHOICE_BODY, U32, TAKES(__VA_ARGS__)
#define SIGNATURE_NONZERO(...) NONZERO_BODY, U32, TAKES(__VA_ARGS__)
#define SIGNATURE_TEST(...) TEST_BODY, U32, TAKES(__VA_ARGS__)
#define SIGNATURE_TESTS(...) TESTS_BODY, U32, TAKES(__VA_ARGS__)

/* One more expansion, so that the counter is a number by the time it is pasted. */
#define STAMP(n, ...) STAMP_BODY(n, __VA_ARGS__)
#define STAMP_BODY(n, body, D, takes, ...) body(n, D, takes, __VA_ARGS__) DESCRIBE(n)
#define LANE(op, when, signature, ...) STAMP(__COUNTER__, SIGNATURE_##signature, __VA_ARGS__)

/* ---- what expressions are written with ------------------------------------------------------- */

/* Sources with their signs: integers, with the carry of a part before, and floats. */
#define I(x, k) (((x) ^ o->flip[k]) + o->plus[k])
#define W(x, k) ((uint64_t)(uint32_t)((x) ^ o->flip[k]) + o->plus[k])
#define LONG_FLIP(k) ((uint64_t)o->flip[k] << 32 | o->flip[k])
#define L(x, k) (((x) ^ LONG_FLIP(k)) + o->plus[k])
#define WW(x, k) ((unsigned __int128)((x) ^ LONG_FLIP(k)) + o->plus[k])
#define NEGATED(x, k) (((x) ^ o->flip[k]) + (o->plus[k] ? 1u : 0)) /* a half, or a byte */
#define FLOAT_BITS(x, k) (((x)&o->keep[k]) ^ o->flip[k])
#define F(x, k) ifl_bits_f32(FLOAT_BITS(x, k))
#define FLUSH(x, k) ifl_in(&o->m, F(x, k)) /* denormals are zeros with .FTZ */
#define TWO(x, k) ifl_pair(x, o, k)        /* two f32 */
/* A NaN among doubles is the result as it stands, whatever sign it is read with. */
#define D(x, k) ifl_bits_f64(((x) & (UPPER(o->keep[k]) | UINT32_MAX)) ^ UPPER(o->flip[k]))
#define BITS(x) ifl_bits_f64(x)
#define PART(x, k) ifl_part_of(x, o->part[k])
#define H(x, k) ifl_halves((x), o, k)
#define CUT(x, k) ifl_cut_halves((x), o, k)
#define LOW(x, k) IFL_LOW(H(x, k))
#define CODE(x, k) IFL_LOWER_CODE(H(x, k))
/* A half beside floats, widened before its sign changes */
#define WIDENED(format, x, k) F(ifl_f32_bits(ifl_widen(format, PART(x, k) & 0xffff)), k)
#define IN(k) (in##k >> i & 1)

#define UPPER(word) ((uint64_t)(word) << 32)
#define WIDER(x) ((unsigned __int128)(uint64_t)(x))
#define RELATES(x, y) ifl_relates(o, (x) < (y), (x) == (y), (x) > (y))
#define SIGNS(a, b, c) ((a) >> 31 << 2 | (b) >> 31 << 1 | (c) >> 31)
#define BYTE_SIGNS 0x80808080u
#define SUM_FROM(bit) ((a >> (bit)) + NEGATED(b >> (bit), 1))
#define PICKED(format, x, y) ifl_half_pick2(format, &o->m, x, y, !IN(0))
#define WHOLE(x) ifl_round(o->m.rounding, x)
#define CLAMPED(x, low, high) ((uint32_t)ifl_clamp(x, low, high))
/* in the upper half, beside what stands in the lower one */
#define BESIDE(c, x) ((uint32_t)(c) << 16 | ((uint32_t)(x)&0xffff))

#include "sass/table/instruction.def"

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
