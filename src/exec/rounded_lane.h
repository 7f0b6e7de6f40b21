/* SPDX-License-Identifier: Apache-2.0
 * Roundings of one lane without branches or changes of the host's rounding mode, so that 32 lanes become vectors: f32 in any of
 * the four roundings, and f16 by way of f32. As lane.h: total functions. */
#ifndef IFL_EXEC_ROUNDED_LANE_H
#define IFL_EXEC_ROUNDED_LANE_H

#include "exec/lane.h"

/* ---- f32 in the roundings .rz .rm .rp, from a sum in double precision and its error ------------------------------- */

/* `sum` + `rest`, of which the sum is the nearest double. A step away from 0 makes the bits one more. */
IFL_LANE float ifl_directed_f32(unsigned rounding, double sum, double rest)
{
    const float near = (float)sum;
    const double off = sum - near, missing = off == 0 ? rest : off;
    const float side = (float)(missing > 0 ? 1.0 : missing < 0 ? -1.0 : 0.0); /* in f32, as all that follows */
    const uint32_t bits = ifl_f32_bits(near), is_negative = bits >> 31, is_positive = is_negative ^ 1;
    const uint32_t is_below = side > 0 ? 1 : 0, is_above = side < 0 ? 1 : 0;
    const uint32_t ups = is_below & (rounding == IFL_ROUND_RP), downs = is_above & (rounding == IFL_ROUND_RM),
                   cuts = ((is_negative & is_below) | (is_positive & is_above)) & (rounding == IFL_ROUND_RZ);
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
    const bool is_minus_zero = rounding == IFL_ROUND_RM && sum == 0 && (ifl_f64_bits(x) ^ ifl_f64_bits(y)) >> 63;
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

/* ---- f16 by way of f32, rounded to nearest ---------------------------------------------------------------------- */

/* As ifl_add_odd. */
IFL_LANE float ifl_add_odd_f32(float x, float y)
{
    const float sum = x + y, part = sum - x, error = (x - (sum - part)) + (y - part);
    const uint32_t bits = ifl_f32_bits(sum), away = (error > 0) == (sum > 0) ? 1 : UINT32_MAX;
    const bool is_inexact = error < 0 || error > 0;
    return ifl_bits_f32(bits + (is_inexact && (bits & 1) == 0 ? away : 0));
}

/* Below 2^-14 the last place is 2^-24, that of floats around 0.5. */
IFL_LANE uint16_t ifl_f16_of(float x)
{
    const uint32_t bits = ifl_f32_bits(x), magnitude = bits & INT32_MAX, sign = bits >> 16 & 0x8000;
    const uint32_t normal = ((magnitude + 0xfff + (magnitude >> 13 & 1)) >> 13) - (112u << 10);
    const uint32_t small = ifl_f32_bits(ifl_bits_f32(magnitude) + 0.5f) - 0x3f000000;
    const uint32_t code = magnitude < 0x38800000 ? small : normal > 0x7c00 ? 0x7c00 : normal;
    return (uint16_t)(magnitude > 0x7f800000 ? 0x7fff : code | sign);
}

/* 24 bits are more than twice 11 and 2: rounding a sum twice is as rounding it once (S. Figueroa, "When is double rounding
 * innocuous?", 1995). Products of two f16 are exact. */
IFL_LANE uint16_t ifl_f16_add(uint16_t a, uint16_t b)
{
    return ifl_f16_of(ifl_widen(&ifl_f16, a) + ifl_widen(&ifl_f16, b));
}

IFL_LANE uint16_t ifl_f16_mul(uint16_t a, uint16_t b)
{
    return ifl_f16_of(ifl_widen(&ifl_f16, a) * ifl_widen(&ifl_f16, b));
}

IFL_LANE uint16_t ifl_f16_fma(uint16_t a, uint16_t b, uint16_t c)
{
    return ifl_f16_of(ifl_add_odd_f32(ifl_widen(&ifl_f16, a) * ifl_widen(&ifl_f16, b), ifl_widen(&ifl_f16, c)));
}

#define IFL_F16_EACH2(f, a, b) IFL_PAIR(f(IFL_HIGH(a), IFL_HIGH(b)), f(IFL_LOW(a), IFL_LOW(b)))
#define IFL_F16_EACH3(f, a, b, c) IFL_PAIR(f(IFL_HIGH(a), IFL_HIGH(b), IFL_HIGH(c)), f(IFL_LOW(a), IFL_LOW(b), IFL_LOW(c)))

#endif
