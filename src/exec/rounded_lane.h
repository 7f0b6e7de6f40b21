/* SPDX-License-Identifier: Apache-2.0
 * Roundings of one lane without branches or changes of the host's rounding mode, so that 32 lanes
 * become vectors: f32 in any of the four roundings, and f16 by way of f32. As lane.h: total
 * functions. */
#ifndef IFL_EXEC_ROUNDED_LANE_H
#define IFL_EXEC_ROUNDED_LANE_H

#include "exec/lane.h"

/* ---- f32 in the roundings .rz .rm .rp, from a sum in double precision and its error ---------- */

/* `sum` + `rest`, of which the sum is the nearest double. A step away from 0 makes the bits one
 * more. */
IFL_LANE float ifl_directed_f32(unsigned rounding, double sum, double rest)
{
    const float near = (float)sum;
    const double off = sum - near, missing = off == 0 ? rest : off;
    const float side = (float)(missing > 0   ? 1.0
                               : missing < 0 ? -1.0
                                             : 0.0); /* in f32, as all that follows */
    const uint32_t bits = ifl_f32_bits(near), is_negative = bits >> 31,
                   is_positive = is_negative ^ 1;
    const uint32_t is_below = side > 0 ? 1 : 0, is_above = side < 0 ? 1 : 0;
    const uint32_t ups = is_below & (rounding == IFL_ROUND_RP),
                   downs = is_above & (rounding == IFL_ROUND_RM),
                   cuts = ((is_negative & is_below) | (is_positive & is_above)) &
                          (rounding == IFL_ROUND_RZ);
    const uint32_t grows = (is_negative & downs) | (is_positive & ups),
                   shrinks = cuts | (is_negative & ups) | (is_positive & downs);
    return ifl_bits_f32(bits + grows - shrinks);
}

/* The error of x + y (D. Knuth, The Art of Computer Programming, volume 2, section 4.2.2) */
IFL_LANE double ifl_sum_error(double x, double y)
{
    const double sum = x + y, part = sum - x;
    return (x - (sum - part)) + (y - part);
}

/* A sum of 0 has the sign of its parts; where they differ that is -, rounded down. */
IFL_LANE float ifl_directed_sum(unsigned rounding, double x, double y)
{
    const double sum = x + y;
    const bool is_minus_zero =
        rounding == IFL_ROUND_RM && sum == 0 && (ifl_f64_bits(x) ^ ifl_f64_bits(y)) >> 63;
    return is_minus_zero ? -0.0f : ifl_directed_f32(rounding, sum, ifl_sum_error(x, y));
}

/* In any of the four roundings. Products of two f32 are exact in double precision. */
IFL_LANE float ifl_round_add_f32(unsigned rounding, float a, float b)
{
    const float nearest = a + b;
    return rounding == IFL_ROUND_RN ? nearest : ifl_directed_sum(rounding, a, b);
}

IFL_LANE float ifl_round_mul_f32(unsigned rounding, float a, float b)
{
    const float nearest = a * b;
    return rounding == IFL_ROUND_RN ? nearest : ifl_directed_f32(rounding, (double)a * b, 0);
}

IFL_LANE float ifl_round_fma_f32(unsigned rounding, float a, float b, float c)
{
    const float nearest = ifl_fma_f32(a, b, c);
    return rounding == IFL_ROUND_RN ? nearest : ifl_directed_sum(rounding, (double)a * b, c);
}

/* Of an integer that a double holds */
IFL_LANE float ifl_f32_of_whole(unsigned rounding, double whole)
{
    return ifl_directed_f32(rounding, whole, 0);
}

/* ---- f16 by way of f32, rounded to nearest --------------------------------------------------- */

/* As ifl_add_odd. */
IFL_LANE float ifl_add_odd_f32(float x, float y)
{
    const float sum = x + y, part = sum - x, error = (x - (sum - part)) + (y - part);
    const uint32_t bits = ifl_f32_bits(sum), away = (error > 0) == (sum > 0) ? 1 : UINT32_MAX;
    const bool is_inexact = error < 0 || error > 0;
    return ifl_bits_f32(bits + (is_inexact && (bits & 1) == 0 ? away : 0));
}

/* Codes of 16 bits in words of 32, as all that lanes compute side by side: narrower ones would be
 * packed and unpacked. */
#define IFL_UPPER_CODE(x) ((uint32_t)(x) >> 16)
#define IFL_LOWER_CODE(x) ((uint32_t)(x)&0xffff)
#define IFL_CODES(upper, lower) ((upper) << 16 | (lower))

/* Below 2^-14 the last place is 2^-24, that of floats around 0.5. */
IFL_LANE uint32_t ifl_f16_of(float x)
{
    const uint32_t bits = ifl_f32_bits(x), magnitude = bits & INT32_MAX, sign = bits >> 16 & 0x8000;
    const uint32_t normal = ((magnitude + 0xfff + (magnitude >> 13 & 1)) >> 13) - (112u << 10);
    const uint32_t small = ifl_f32_bits(ifl_bits_f32(magnitude) + 0.5f) - 0x3f000000;
    const uint32_t code = magnitude < 0x38800000 ? small : normal > 0x7c00 ? 0x7c00 : normal;
    return magnitude > 0x7f800000 ? 0x7fff : code | sign;
}

/* 24 bits are more than twice 11 and 2: rounding a sum twice is as rounding it once (S. Figueroa,
 * "When is double rounding innocuous?", 1995). Products of two f16 are exact. */
IFL_LANE uint32_t ifl_f16_add(uint32_t a, uint32_t b)
{
    return ifl_f16_of(ifl_widen(&ifl_f16, a) + ifl_widen(&ifl_f16, b));
}

IFL_LANE uint32_t ifl_f16_mul(uint32_t a, uint32_t b)
{
    return ifl_f16_of(ifl_widen(&ifl_f16, a) * ifl_widen(&ifl_f16, b));
}

IFL_LANE uint32_t ifl_f16_fma(uint32_t a, uint32_t b, uint32_t c)
{
    return ifl_f16_of(
        ifl_add_odd_f32(ifl_widen(&ifl_f16, a) * ifl_widen(&ifl_f16, b), ifl_widen(&ifl_f16, c)));
}

#define IFL_F16_EACH2(f, a, b)                                                                     \
    IFL_CODES(f(IFL_UPPER_CODE(a), IFL_UPPER_CODE(b)), f(IFL_LOWER_CODE(a), IFL_LOWER_CODE(b)))
#define IFL_F16_EACH3(f, a, b, c)                                                                  \
    IFL_CODES(f(IFL_UPPER_CODE(a), IFL_UPPER_CODE(b), IFL_UPPER_CODE(c)),                          \
              f(IFL_LOWER_CODE(a), IFL_LOWER_CODE(b), IFL_LOWER_CODE(c)))

/* ---- f16 and bf16 with .sat and .relu, rounded to nearest; bf16 by way of f32 ---------------- */

/* Their bounds are values of every format, so that a result may be cut before its last rounding. */
IFL_LANE float ifl_cut(const ifl_modifiers *m, float x)
{
    const bool is_saturated = (m->flags & IFL_FLAG_SAT) != 0,
               is_positive = (m->flags & (IFL_FLAG_SAT | IFL_FLAG_RELU)) != 0;
    const float low = is_positive ? 0 : -INFINITY, high = is_saturated ? 1 : INFINITY;
    const uint32_t nan = is_saturated ? 0 : UINT32_MAX;
    const float above = x <= low ? low : x, cut = above >= high ? high : above;
    return ifl_bits_f32(ifl_f32_bits(cut) & (x != x ? nan : UINT32_MAX));
}

IFL_LANE uint32_t ifl_bf16_of(float x)
{
    const uint32_t bits = ifl_f32_bits(x), rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (bits & INT32_MAX) > 0x7f800000 ? 0x7fff : rounded;
}

/* A double and what it misses of the exact value, as f32 rounded to odd (see ifl_add_odd). */
IFL_LANE float ifl_f32_odd(double sum, double rest)
{
    const float near = (float)sum;
    const double off = sum - near, missing = off == 0 ? rest : off;
    const float side = (float)(missing > 0   ? 1.0
                               : missing < 0 ? -1.0
                                             : 0.0); /* in f32, as all that follows */
    const uint32_t bits = ifl_f32_bits(near), is_negative = bits >> 31, is_even = ~bits & 1;
    const uint32_t is_below = side > 0 ? 1 : 0, is_above = side < 0 ? 1 : 0;
    const uint32_t grows = is_negative ? is_above : is_below,
                   shrinks = is_negative ? is_below : is_above;
    return ifl_bits_f32(bits + (grows & is_even) - (shrinks & is_even));
}

IFL_LANE uint32_t ifl_cut_f16_add(const ifl_modifiers *m, uint32_t a, uint32_t b)
{
    return ifl_f16_of(ifl_cut(m, ifl_widen(&ifl_f16, a) + ifl_widen(&ifl_f16, b)));
}

IFL_LANE uint32_t ifl_cut_f16_mul(const ifl_modifiers *m, uint32_t a, uint32_t b)
{
    return ifl_f16_of(ifl_cut(m, ifl_widen(&ifl_f16, a) * ifl_widen(&ifl_f16, b)));
}

IFL_LANE uint32_t ifl_cut_f16_fma(const ifl_modifiers *m, uint32_t a, uint32_t b, uint32_t c)
{
    const float product = ifl_widen(&ifl_f16, a) * ifl_widen(&ifl_f16, b);
    return ifl_f16_of(ifl_cut(m, ifl_add_odd_f32(product, ifl_widen(&ifl_f16, c))));
}

/* Rounding a sum twice is as rounding it once, as with f16; below the normal numbers the sum is
 * exact. */
IFL_LANE uint32_t ifl_cut_bf16_add(const ifl_modifiers *m, uint32_t a, uint32_t b)
{
    return ifl_bf16_of(ifl_cut(m, ifl_widen(&ifl_bf16, a) + ifl_widen(&ifl_bf16, b)));
}

/* A product may lie below all f32: only a double holds it. */
IFL_LANE double ifl_bf16_product(uint32_t a, uint32_t b)
{
    return (double)ifl_widen(&ifl_bf16, a) * (double)ifl_widen(&ifl_bf16, b);
}

IFL_LANE uint32_t ifl_cut_bf16_mul(const ifl_modifiers *m, uint32_t a, uint32_t b)
{
    return ifl_bf16_of(ifl_cut(m, ifl_f32_odd(ifl_bf16_product(a, b), 0)));
}

IFL_LANE uint32_t ifl_cut_bf16_fma(const ifl_modifiers *m, uint32_t a, uint32_t b, uint32_t c)
{
    const double product = ifl_bf16_product(a, b), addend = (double)ifl_widen(&ifl_bf16, c);
    return ifl_bf16_of(ifl_cut(m, ifl_f32_odd(product + addend, ifl_sum_error(product, addend))));
}

#define IFL_CUT_EACH2(f, m, a, b)                                                                  \
    IFL_CODES(f(m, IFL_UPPER_CODE(a), IFL_UPPER_CODE(b)),                                          \
              f(m, IFL_LOWER_CODE(a), IFL_LOWER_CODE(b)))
#define IFL_CUT_EACH3(f, m, a, b, c)                                                               \
    IFL_CODES(f(m, IFL_UPPER_CODE(a), IFL_UPPER_CODE(b), IFL_UPPER_CODE(c)),                       \
              f(m, IFL_LOWER_CODE(a), IFL_LOWER_CODE(b), IFL_LOWER_CODE(c)))

/* ---- conversions to smaller formats, rounded once -------------------------------------------- */

/* As ifl_narrow_f32 and, of a NaN, ifl_f64_to_f32: the flags and one of the four roundings. */
IFL_LANE float ifl_f32_of(const ifl_modifiers *m, double x)
{
    const float narrow = ifl_directed_f32(m->rounding, x, 0),
                scaled = ifl_directed_f32(m->rounding, x * 0x1p30, 0);
    return ifl_out_tiny(m, narrow, scaled);
}

/* As ifl_scaled_mul_f32. */
IFL_LANE float ifl_scaled_product(const ifl_modifiers *m, float a, float b, double factor)
{
    return ifl_f32_of(m, (double)ifl_in(m, a) * (double)ifl_in(m, b) * factor);
}

/* As ifl_round. */
IFL_LANE float ifl_round_f32(unsigned rounding, float x)
{
    return rounding == IFL_ROUND_RZI   ? truncf(x)
           : rounding == IFL_ROUND_RMI ? floorf(x)
           : rounding == IFL_ROUND_RPI ? ceilf(x)
                                       : rintf(x);
}

/* The code nearest to a positive float, at most infinity. Below the normal numbers the last place
 * is 2^(1 - bias - mantissa), that of floats 2^23 times as large. */
IFL_LANE uint32_t ifl_nearest_code(const ifl_format *f, uint32_t magnitude)
{
    const uint32_t cut = (uint32_t)(23 - f->mantissa), below_half = (1u << cut >> 1) - 1,
                   odd = magnitude >> cut & 1;
    const uint32_t rebias = (uint32_t)(127 - f->bias) << f->mantissa,
                   lowest = (uint32_t)(128 - f->bias) << 23,
                   unit = (uint32_t)(151 - f->bias - f->mantissa) << 23;
    const uint32_t normal = ((magnitude + below_half + odd) >> cut) - rebias;
    const uint32_t small = ifl_f32_bits(ifl_bits_f32(magnitude) + ifl_bits_f32(unit)) - unit;
    const uint32_t code = f->bias != 127 && magnitude < lowest ? small : normal;
    return code > f->infinity ? f->infinity : code;
}

/* As ifl_narrow_to, in one of the four roundings, of a float that is exact or rounded to odd. Where
 * the nearest code lies on the wrong side, it is the next one. */
IFL_LANE uint32_t ifl_code_of(const ifl_format *f, const ifl_modifiers *m, float x)
{
    const uint32_t bits = ifl_f32_bits(ifl_cut(m, x)), magnitude = bits & INT32_MAX,
                   is_negative = bits >> 31;
    const uint32_t up = m->rounding == IFL_ROUND_RP, down = m->rounding == IFL_ROUND_RM,
                   cuts = m->rounding == IFL_ROUND_RZ,
                   limit = m->flags & IFL_FLAG_SATFINITE ? f->max : f->infinity;
    const uint32_t near = ifl_nearest_code(f, magnitude), value = ifl_f32_bits(ifl_widen(f, near));
    const uint32_t outwards = is_negative ? down : up, inwards = cuts | (is_negative ? up : down);
    const uint32_t is_below = magnitude > value ? 1 : 0, is_above = magnitude < value ? 1 : 0;
    const uint32_t rounded = near + (is_below & outwards) - (is_above & inwards),
                   code = rounded > limit ? limit : rounded;
    return magnitude > 0x7f800000 ? f->nan : code | is_negative * f->sign;
}

/* Two side by side, as ifl_narrow_pair */
IFL_LANE uint32_t ifl_code_pair(const ifl_format *f, const ifl_modifiers *m, float high, float low,
                                unsigned bits)
{
    return ifl_code_of(f, m, high) << bits | ifl_code_of(f, m, low);
}

/* A double by way of a float rounded to odd; as ifl_f64_to_half, which keeps the upper bits of a
 * NaN. */
IFL_LANE uint32_t ifl_half_of_f64(const ifl_format *f, const ifl_modifiers *m, double x)
{
    const uint32_t code = ifl_code_of(f, m, ifl_f32_odd(x, 0)),
                   upper = (uint32_t)(ifl_f64_bits(ifl_quiet(x)) >> 32);
    const uint32_t kept =
        (upper >> (20 - f->mantissa) & (f->sign - 1)) | f->infinity | (upper >> 16 & f->sign);
    return x != x && !(m->flags & IFL_FLAG_SAT) ? kept : code;
}

/* ---- the lesser and the greater of two, with every modifier ---------------------------------- */

/* All ones where `holds`. What the modifiers ask is the same for all lanes: masks, so that nothing
 * branches. */
IFL_LANE uint32_t ifl_mask(bool holds)
{
    return holds ? UINT32_MAX : 0;
}

/* As ifl_pick. */
IFL_LANE float ifl_pick_f32(const ifl_modifiers *m, float x, float y, bool maximum)
{
    const uint32_t flags = m->flags, kept = flags & IFL_FLAG_ABS ? INT32_MAX : UINT32_MAX,
                   sign = flags & IFL_FLAG_XORSIGN ? 0x80000000 : 0,
                   either = ifl_mask((flags & IFL_FLAG_NAN) != 0);
    const uint32_t a = ifl_f32_bits(x) & kept, b = ifl_f32_bits(y) & kept;
    const int32_t order_a = (int32_t)(a ^ ((uint32_t)((int32_t)a >> 31) >> 1)),
                  order_b = (int32_t)(b ^ ((uint32_t)((int32_t)b >> 31) >> 1));
    const uint32_t a_nan = ifl_mask(x != x), b_nan = ifl_mask(y != y);
    const uint32_t takes_b = ifl_mask(order_a > order_b) ^ ifl_mask(maximum),
                   picks_b = (takes_b | a_nan) & ~b_nan;
    const uint32_t picked = (a & ~picks_b) | (b & picks_b),
                   is_nan = (a_nan & b_nan) | ((a_nan | b_nan) & either);
    return ifl_bits_f32((picked & ~sign) | ((ifl_f32_bits(x) ^ ifl_f32_bits(y)) & sign) |
                        (is_nan & 0x7fffffff));
}

/* Codes in the order of their values, -0 below +0, as whole numbers. */
IFL_LANE int32_t ifl_half_order(uint32_t code)
{
    return (int32_t)(code & 0x8000 ? ~code | 0xffff8000 : code);
}

IFL_LANE uint32_t ifl_half_pick(const ifl_format *f, const ifl_modifiers *m, uint32_t x, uint32_t y,
                                bool maximum)
{
    const uint32_t flags = m->flags, kept = flags & IFL_FLAG_ABS ? 0x7fff : 0xffff,
                   one = (uint32_t)f->bias << f->mantissa,
                   flushed = flags & IFL_FLAG_FTZ ? 0x7fff : 0,
                   signs = flags & IFL_FLAG_XORSIGN ? 0x8000 : 0,
                   most = flags & IFL_FLAG_SAT ? one : 0x7fff,
                   nan = flags & IFL_FLAG_SAT ? 0 : f->nan,
                   either = ifl_mask((flags & IFL_FLAG_NAN) != 0),
                   positive = ifl_mask((flags & (IFL_FLAG_RELU | IFL_FLAG_SAT)) != 0);
    const uint32_t a = (x & ~((x & f->infinity) == 0 ? flushed : 0)) & kept,
                   b = (y & ~((y & f->infinity) == 0 ? flushed : 0)) & kept;
    const uint32_t a_nan = ifl_mask((a & 0x7fff) > f->infinity),
                   b_nan = ifl_mask((b & 0x7fff) > f->infinity);
    const uint32_t takes_b = ifl_mask(ifl_half_order(a) > ifl_half_order(b)) ^ ifl_mask(maximum);
    const uint32_t picks_b = (takes_b | a_nan) & ~b_nan, picked = (a & ~picks_b) | (b & picks_b);
    const uint32_t is_nan = (a_nan & b_nan) | ((a_nan | b_nan) & either);
    const uint32_t is_signed = (picked & ~signs) | ((x ^ y) & signs);
    const uint32_t low = is_signed & ~(positive & ifl_mask((is_signed & 0x8000) != 0)),
                   magnitude = low & 0x7fff;
    const uint32_t cut = (magnitude > most ? most : magnitude) | (low & 0x8000);
    return (cut & ~is_nan) | (nan & is_nan);
}

IFL_LANE uint32_t ifl_half_pick2(const ifl_format *f, const ifl_modifiers *m, uint32_t x,
                                 uint32_t y, bool maximum)
{
    return IFL_CODES(ifl_half_pick(f, m, IFL_UPPER_CODE(x), IFL_UPPER_CODE(y), maximum),
                     ifl_half_pick(f, m, IFL_LOWER_CODE(x), IFL_LOWER_CODE(y), maximum));
}

#endif
