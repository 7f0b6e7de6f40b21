/* SPDX-License-Identifier: Apache-2.0
 * What the lanes of a warp that take part in one operation do together: shfl, vote, match, redux,
 * activemask, elect. Loops over all lanes without branches, so that they become vectors. It may not
 * know how lanes come together (exchange.c). */
#ifndef IFL_EXEC_EXCHANGE_LANES_H
#define IFL_EXEC_EXCHANGE_LANES_H

#include "exec/warp.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#define IFL_TOGETHER static inline __attribute__((always_inline))
#define IFL_ALL_OF(i) for (uint32_t i = 0; i < IFL_WARP_LANES; i++)

/* Of floats, one after another (exchange.c) */
/* MATCH.ANY of a warp that is followed has been done: tells how many values there were. */
void ifl_exchange_tell_values(ifl_warp *warp, const ifl_code *code, const char *frame,
                              uint32_t mask);
uint32_t ifl_exchange_reduce_floats(const ifl_exchange *op, const char *frame, uint32_t mask);

IFL_TOGETHER const uint32_t *ifl_words(const char *frame, uint32_t slot)
{
    return (const uint32_t *)(const void *)(frame + slot);
}

IFL_TOGETHER void ifl_keep_predicate(char *frame, uint32_t at, uint32_t mask, uint32_t bits)
{
    uint32_t *p = ifl_slot(frame, at);
    *p = (*p & ~mask) | (bits & mask);
}

/* One result for all who get it. */
IFL_TOGETHER void ifl_put_same(const ifl_exchange *op, char *frame, uint32_t to, uint32_t value)
{
    uint32_t *d = ifl_slot(frame, op->d);
    _Pragma("omp simd") IFL_ALL_OF(i) d[i] = to >> i & 1 ? value : d[i];
}

/* ---- shfl ------------------------------------------------------------------------------------ */

/* PTX ISA, shfl: c holds the clamp value (bits 4:0) and the segment mask (bits 12:8). Returns
 * `lane` where the source is out of range. */
IFL_TOGETHER uint32_t ifl_shuffle_source(uint8_t kind, uint32_t lane, uint32_t b, uint32_t c,
                                         uint32_t *in_range)
{
    const uint32_t clamp = c & 31, segment = c >> 8 & 31, distance = b & 31,
                   lowest = lane & segment, highest = lowest | (clamp & ~segment);
    const uint32_t from = kind == IFL_EXCHANGE_SHUFFLE_UP          ? lane - distance
                          : kind == IFL_EXCHANGE_SHUFFLE_DOWN      ? lane + distance
                          : kind == IFL_EXCHANGE_SHUFFLE_BUTTERFLY ? lane ^ distance
                                                                   : lowest | (distance & ~segment);
    *in_range =
        (kind == IFL_EXCHANGE_SHUFFLE_UP ? (int32_t)from >= (int32_t)highest : from <= highest) ? 1
                                                                                                : 0;
    return *in_range ? from : lane;
}

/* to[i] = words[from[i]], each below 32. Compilers do not see that two registers hold all words. */
IFL_TOGETHER void ifl_permute(uint32_t *to, const uint32_t *words, const uint32_t *from)
{
#ifdef __AVX512F__
    const __m512i low = _mm512_loadu_si512(words), high = _mm512_loadu_si512(words + 16);
    for (unsigned i = 0; i < IFL_WARP_LANES; i += 16)
        _mm512_storeu_si512(to + i,
                            _mm512_permutex2var_epi32(low, _mm512_loadu_si512(from + i), high));
#else
    IFL_ALL_OF(i) to[i] = words[from[i]];
#endif
}

/* The value of a lane that does not take part is undefined (PTX ISA, shfl); an H200 gives zero. */
IFL_TOGETHER void ifl_shuffle(uint8_t kind, const ifl_exchange *op, char *frame, uint32_t mask)
{
    const uint32_t *a = ifl_words(frame, op->a), *b = ifl_words(frame, op->b),
                   *c = ifl_words(frame, op->c);
    uint32_t *d = ifl_slot(frame, op->d), from[IFL_WARP_LANES], old[IFL_WARP_LANES],
             got[IFL_WARP_LANES];
    uint32_t valid = 0;
    _Pragma("omp simd reduction(|:valid)") IFL_ALL_OF(i)
    {
        uint32_t in_range;
        from[i] = ifl_shuffle_source(kind, i, b[i], c[i], &in_range) & 31;
        old[i] = mask >> i & 1 ? a[i] : 0;
        valid |= in_range << i;
    }
    ifl_permute(got, old, from);
    _Pragma("omp simd") IFL_ALL_OF(i) d[i] = mask >> i & 1 ? got[i] : d[i];
    ifl_keep_predicate(frame, op->p, mask, valid);
}

/* ---- vote ------------------------------------------------------------------------------------ */

IFL_TOGETHER void ifl_vote(const ifl_exchange *op, char *frame, uint32_t mask, uint32_t to)
{
    const uint32_t holds = (ifl_predicate(frame, op->a) ^ op->flip) & mask;
    const bool all = holds == mask, none = holds == 0;
    if (op->kind == IFL_EXCHANGE_VOTE_BALLOT) {
        ifl_put_same(op, frame, to, holds);
        return;
    }
    const bool result = op->kind == IFL_EXCHANGE_VOTE_ALL   ? all
                        : op->kind == IFL_EXCHANGE_VOTE_ANY ? !none
                                                            : all || none;
    ifl_keep_predicate(frame, op->d, to, result ? UINT32_MAX : 0);
}

/* ---- match ----------------------------------------------------------------------------------- */

typedef struct ifl_matched {
    uint32_t low[IFL_WARP_LANES], high[IFL_WARP_LANES];
} ifl_matched;

/* 8 bytes are two slots of words, or pairs of words. */
IFL_TOGETHER void ifl_read_matched(const ifl_exchange *op, const char *frame, ifl_matched *to)
{
    const uint32_t *a = ifl_words(frame, op->a);
    const uint32_t step = op->bytes == 8 && !op->is_planes ? 2 : 1,
                   upper = op->is_planes ? IFL_WARP_LANES : 1;
    IFL_ALL_OF(i) to->low[i] = a[i * step];
    IFL_ALL_OF(i) to->high[i] = op->bytes == 8 ? a[i * step + upper] : 0;
}

IFL_TOGETHER uint32_t ifl_lanes_like(const ifl_matched *of, uint32_t lane)
{
    const uint32_t low = of->low[lane], high = of->high[lane];
    uint32_t same = 0;
    _Pragma("omp simd reduction(|:same)") IFL_ALL_OF(i) same |=
        (uint32_t)(((of->low[i] ^ low) | (of->high[i] ^ high)) == 0 ? 1 : 0) << i;
    return same;
}

IFL_TOGETHER void ifl_match_any(const ifl_exchange *op, char *frame, uint32_t mask)
{
    uint32_t *d = ifl_slot(frame, op->d);
    ifl_matched values;
    ifl_read_matched(op, frame, &values);
    for (uint32_t rest = mask, same; rest; rest &= ~same) {
        same = ifl_lanes_like(&values, (uint32_t)__builtin_ctz(rest)) & mask;
        _Pragma("omp simd") IFL_ALL_OF(i) d[i] = same >> i & 1 ? same : d[i];
    }
}

IFL_TOGETHER void ifl_match_all(const ifl_exchange *op, char *frame, uint32_t mask)
{
    uint32_t *d = ifl_slot(frame, op->d);
    ifl_matched values;
    ifl_read_matched(op, frame, &values);
    const bool are_all = !(mask & ~ifl_lanes_like(&values, (uint32_t)__builtin_ctz(mask)));
    const uint32_t result = are_all ? mask : 0;
    _Pragma("omp simd") IFL_ALL_OF(i) d[i] = mask >> i & 1 ? result : d[i];
    ifl_keep_predicate(frame, op->p, mask, are_all ? UINT32_MAX : 0);
}

/* ---- redux ----------------------------------------------------------------------------------- */

/* Lanes that do not take part have what changes nothing. */
#define IFL_REDUCE(type, neutral, how, step)                                                       \
    do {                                                                                           \
        type result = (neutral);                                                                   \
        _Pragma(how) IFL_ALL_OF(i)                                                                 \
        {                                                                                          \
            const type x = mask >> i & 1 ? (type)a[i] : (neutral);                                 \
            result = (step);                                                                       \
        }                                                                                          \
        return (uint32_t)result;                                                                   \
    } while (0)

IFL_TOGETHER uint32_t ifl_reduce_words(const ifl_exchange *op, const uint32_t *a, uint32_t mask)
{
    const bool is_signed = ifl_type_class(op->type) == 'S';
    switch (op->operation) {
    case IFL_OPERATION_ADD:
        IFL_REDUCE(uint32_t, 0, "omp simd reduction(+:result)", result + x);
    case IFL_OPERATION_MIN:
        if (is_signed)
            IFL_REDUCE(int32_t, INT32_MAX, "omp simd reduction(min:result)",
                       x < result ? x : result);
        IFL_REDUCE(uint32_t, UINT32_MAX, "omp simd reduction(min:result)", x < result ? x : result);
    case IFL_OPERATION_MAX:
        if (is_signed)
            IFL_REDUCE(int32_t, INT32_MIN, "omp simd reduction(max:result)",
                       x > result ? x : result);
        IFL_REDUCE(uint32_t, 0, "omp simd reduction(max:result)", x > result ? x : result);
    case IFL_OPERATION_AND:
        IFL_REDUCE(uint32_t, UINT32_MAX, "omp simd reduction(&:result)", result & x);
    case IFL_OPERATION_OR:
        IFL_REDUCE(uint32_t, 0, "omp simd reduction(|:result)", result | x);
    default:
        IFL_REDUCE(uint32_t, 0, "omp simd reduction(^:result)", result ^ x);
    }
}
#undef IFL_REDUCE

/* ---- all of them ----------------------------------------------------------------------------- */

/* The hardware elects any member, always the same for a mask: here the lowest. */
IFL_TOGETHER void ifl_elect(const ifl_exchange *op, char *frame, uint32_t mask, uint32_t to)
{
    const uint32_t elected = (uint32_t)__builtin_ctz(mask);
    ifl_put_same(op, frame, to, elected);
    ifl_keep_predicate(frame, op->p, mask, UINT32_C(1) << elected);
}

/* `mask` is not empty. What is the same for all of a uniform operation is so for all that are there
 * (`active`), whichever of them execute. */
IFL_TOGETHER void ifl_exchange_lanes(const ifl_exchange *op, char *frame, uint32_t mask,
                                     uint32_t active)
{
    const uint32_t to = op->is_uniform ? active : mask;
    switch ((ifl_exchange_kind)op->kind) {
    case IFL_EXCHANGE_SHUFFLE_UP:
        ifl_shuffle(IFL_EXCHANGE_SHUFFLE_UP, op, frame, mask);
        break;
    case IFL_EXCHANGE_SHUFFLE_DOWN:
        ifl_shuffle(IFL_EXCHANGE_SHUFFLE_DOWN, op, frame, mask);
        break;
    case IFL_EXCHANGE_SHUFFLE_BUTTERFLY:
        ifl_shuffle(IFL_EXCHANGE_SHUFFLE_BUTTERFLY, op, frame, mask);
        break;
    case IFL_EXCHANGE_SHUFFLE_INDEX:
        ifl_shuffle(IFL_EXCHANGE_SHUFFLE_INDEX, op, frame, mask);
        break;
    case IFL_EXCHANGE_VOTE_ALL:
    case IFL_EXCHANGE_VOTE_ANY:
    case IFL_EXCHANGE_VOTE_UNIFORM:
    case IFL_EXCHANGE_VOTE_BALLOT:
        ifl_vote(op, frame, mask, to);
        break;
    case IFL_EXCHANGE_MATCH_ANY:
        ifl_match_any(op, frame, mask);
        break;
    case IFL_EXCHANGE_MATCH_ALL:
        ifl_match_all(op, frame, mask);
        break;
    case IFL_EXCHANGE_REDUCE:
        ifl_put_same(op, frame, to,
                     op->type == IFL_TYPE_F32
                         ? ifl_exchange_reduce_floats(op, frame, mask)
                         : ifl_reduce_words(op, ifl_words(frame, op->a), mask));
        break;
    case IFL_EXCHANGE_ACTIVE_MASK:
        ifl_put_same(op, frame, to, mask);
        break;
    case IFL_EXCHANGE_ELECT:
        ifl_elect(op, frame, mask, to);
        break;
    case IFL_EXCHANGE_MEET:
    case IFL_EXCHANGES:
        break;
    }
}

#endif
