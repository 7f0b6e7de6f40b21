/* SPDX-License-Identifier: Apache-2.0
 * The special function unit's f32 functions for one lane, without branches, so that 32 lanes become
 * vectors. A function is a polynomial of second order on each segment of its range (S. Oberman and
 * M. Siu, "A High-Performance Area-Efficient Multifunction Interpolator", ARITH 2005, describe such
 * a unit). What is particular to this one, found from its results: the square of the position drops
 * its partial products below 2^-15, the sum is exact, a result is cut off, and the negative of a
 * fixed-point number is its complement. Sums are doubles: all stay below 2^53. */
#ifndef IFL_EXEC_MUFU_LANE_H
#define IFL_EXEC_MUFU_LANE_H

#include "exec/lane.h"
#include "exec/mufu_table.h"

enum {
    IFL_UNIT_POSITION_BITS = 17,
    IFL_UNIT_FRACTION_BITS = 17, /* of a segment's value, below the last place of the result */
    IFL_UNIT_MANTISSA = 23,
    IFL_UNIT_BIAS = 127,
    IFL_UNIT_INFINITE = 255,
};

#define IFL_UNIT_NAN UINT32_C(0x7fffffff)
#define IFL_UNIT_INFINITY UINT32_C(0x7f800000)
#define IFL_UNIT_SIGN UINT32_C(0x80000000)
#define IFL_UNIT_MANTISSA_MASK UINT32_C(0x7fffff)

/* ---- a segment ------------------------------------------------------------------------------- */

/* Each product of two different bits counts twice, so it stands one place higher than the square of
 * a bit would. */
IFL_LANE uint32_t ifl_unit_upper_square(uint32_t x)
{
    uint32_t sum = 0;
#pragma GCC unroll 7
    for (unsigned i = 1; i <= 7; i++) {
        const uint32_t with_lower = x >> (1 + i) & ((1u << (16 - 2 * i)) - 1),
                       with_itself = 1u << (15 - 2 * i);
        const uint32_t is_set = x >> (IFL_UNIT_POSITION_BITS - i) & 1;
        sum += (with_lower + with_itself) & -is_set;
    }
    return sum;
}

/* At a 23-bit position in a range of 2^log2_count segments, of which `first` is the first */
IFL_LANE double ifl_unit_value(const ifl_segment *segments, uint32_t first, unsigned log2_count,
                               uint32_t at)
{
    const unsigned within = IFL_UNIT_MANTISSA - log2_count;
    const ifl_segment *segment = &segments[first + (at >> within)];
    const uint32_t x =
        (at & ((1u << within) - 1)) << log2_count >> (IFL_UNIT_MANTISSA - IFL_UNIT_POSITION_BITS);
    return segment->c0 + segment->c1 * (int32_t)x + segment->c2 * (int32_t)ifl_unit_upper_square(x);
}

/* value * 2^scale in a format of so many bits: a double's exponent and upper mantissa are the
 * result's. */
IFL_LANE uint32_t ifl_unit_cut_off_to(unsigned mantissa_bits, int infinite, double value, int scale)
{
    enum { DOUBLE_MANTISSA = 52, DOUBLE_BIAS = 1023 };
    const uint64_t wide = ifl_f64_bits(value > 0 ? value : 0);
    const int exponent = (int)(wide >> DOUBLE_MANTISSA) - DOUBLE_BIAS + scale + infinite / 2;
    const uint32_t mantissa =
        (uint32_t)(wide >> (DOUBLE_MANTISSA - mantissa_bits)) & ((1u << mantissa_bits) - 1);
    const uint32_t finite = exponent <= 0 ? 0 : (uint32_t)exponent << mantissa_bits | mantissa;
    return exponent >= infinite ? (uint32_t)infinite << mantissa_bits : finite;
}

IFL_LANE uint32_t ifl_unit_cut_off(double value, int scale)
{
    return ifl_unit_cut_off_to(IFL_UNIT_MANTISSA, IFL_UNIT_INFINITE, value, scale);
}

IFL_LANE int ifl_unit_exponent(uint32_t x)
{
    return (int)(x >> IFL_UNIT_MANTISSA & IFL_UNIT_INFINITE);
}

IFL_LANE bool ifl_unit_is_nan(uint32_t x)
{
    return (x & ~IFL_UNIT_SIGN) > IFL_UNIT_INFINITY;
}

/* ---- reciprocal and roots -------------------------------------------------------------------- */

IFL_LANE uint32_t ifl_unit_rcp(uint32_t x)
{
    const int exponent = ifl_unit_exponent(x);
    const double value = ifl_unit_value(ifl_segments_of_rcp, 0, 7, x & IFL_UNIT_MANTISSA_MASK);
    uint32_t result =
        ifl_unit_cut_off(value, IFL_UNIT_BIAS - exponent - IFL_UNIT_FRACTION_BITS - 24);
    result = exponent == 0 ? IFL_UNIT_INFINITY : exponent == IFL_UNIT_INFINITE ? 0 : result;
    return ifl_unit_is_nan(x) ? IFL_UNIT_NAN : result | (x & IFL_UNIT_SIGN);
}

/* The exponent halved, its lowest bit with the mantissa: a number in [1, 4) */
IFL_LANE uint32_t ifl_unit_is_odd(uint32_t x)
{
    return ((uint32_t)ifl_unit_exponent(x) ^ IFL_UNIT_BIAS) & 1;
}

IFL_LANE int ifl_unit_half(uint32_t x)
{
    return (ifl_unit_exponent(x) - IFL_UNIT_BIAS - (int)ifl_unit_is_odd(x)) / 2;
}

IFL_LANE double ifl_unit_root(const ifl_segment *segments, uint32_t x)
{
    return ifl_unit_value(segments, 64 * ifl_unit_is_odd(x), 6, x & IFL_UNIT_MANTISSA_MASK);
}

/* A NaN, or below 0 */
IFL_LANE bool ifl_unit_has_no_root(uint32_t x)
{
    return ifl_unit_is_nan(x) || (x & IFL_UNIT_SIGN && ifl_unit_exponent(x));
}

IFL_LANE uint32_t ifl_unit_rsq(uint32_t x)
{
    const int exponent = ifl_unit_exponent(x), half = ifl_unit_half(x);
    const bool is_power = !ifl_unit_is_odd(x) && !(x & IFL_UNIT_MANTISSA_MASK);
    uint32_t result = ifl_unit_cut_off(ifl_unit_root(ifl_segments_of_rsq, x),
                                       -half - IFL_UNIT_FRACTION_BITS - 24);
    result = is_power ? (uint32_t)(IFL_UNIT_BIAS - half) << IFL_UNIT_MANTISSA : result;
    result = exponent == 0                   ? (x & IFL_UNIT_SIGN) | IFL_UNIT_INFINITY
             : exponent == IFL_UNIT_INFINITE ? 0
                                             : result;
    return ifl_unit_has_no_root(x) ? IFL_UNIT_NAN : result;
}

IFL_LANE uint32_t ifl_unit_sqrt(uint32_t x)
{
    const int exponent = ifl_unit_exponent(x);
    const double value = ifl_unit_root(ifl_segments_of_sqrt, x);
    uint32_t result = ifl_unit_cut_off(value, ifl_unit_half(x) - IFL_UNIT_FRACTION_BITS - 23);
    result = exponent == 0 ? x & IFL_UNIT_SIGN : exponent == IFL_UNIT_INFINITE ? x : result;
    return ifl_unit_has_no_root(x) ? IFL_UNIT_NAN : result;
}

/* ---- logarithm and power --------------------------------------------------------------------- */

IFL_LANE uint32_t ifl_unit_lg2(uint32_t x)
{
    enum { ONE = IFL_UNIT_FRACTION_BITS + 23 };
    const int exponent = ifl_unit_exponent(x);
    const double whole = (exponent - IFL_UNIT_BIAS) * (double)(INT64_C(1) << ONE);
    const double value =
        whole + ifl_unit_value(ifl_segments_of_lg2, 0, 6, x & IFL_UNIT_MANTISSA_MASK);
    const double below =
        (-floor(value * 0.0625) - 1) * 16; /* a negative sum keeps four bits less */
    uint32_t result =
        ifl_unit_cut_off(value < 0 ? below : value, -ONE) | (value < 0 ? IFL_UNIT_SIGN : 0);
    result = x == (uint32_t)IFL_UNIT_BIAS << IFL_UNIT_MANTISSA ? 0 : result;
    result = exponent == 0                   ? IFL_UNIT_SIGN | IFL_UNIT_INFINITY
             : exponent == IFL_UNIT_INFINITE ? x
                                             : result;
    return ifl_unit_has_no_root(x) ? IFL_UNIT_NAN : result;
}

/* From 2^8 on a power is infinite, or 0: the largest float whose fixed-point number is an int32
 * stands for all of them. */
IFL_LANE uint32_t ifl_unit_ex2(uint32_t x)
{
    const uint32_t magnitude = x & ~IFL_UNIT_SIGN, one = 1u << IFL_UNIT_MANTISSA;
    const float scaled = magnitude < 0x43800000 ? ifl_bits_f32(magnitude) * 0x1p23f : 2147483520.0f;
    const uint32_t number = (uint32_t)(int32_t)scaled, sign = 0 - (x >> 31),
                   is_whole = number % one == 0 ? 1 : 0;
    const int32_t fixed = (int32_t)((number ^ sign) + (sign & is_whole));
    const double value = ifl_unit_value(ifl_segments_of_ex2, 0, 6, (uint32_t)fixed & (one - 1));
    const uint32_t result =
        ifl_unit_cut_off(value, (fixed >> IFL_UNIT_MANTISSA) - IFL_UNIT_FRACTION_BITS - 23);
    return ifl_unit_is_nan(x) ? IFL_UNIT_NAN : result;
}

/* ---- sine and cosine ------------------------------------------------------------------------- */

/* Of a number of turns, and some quarters more; from 2^24 on all are whole. */
IFL_LANE uint32_t ifl_unit_sine(uint32_t x, unsigned quarters)
{
    const uint32_t magnitude = x & ~IFL_UNIT_SIGN, quarter = 1u << IFL_UNIT_MANTISSA;
    const float turns = magnitude < 0x4b800000 ? ifl_bits_f32(magnitude) : 0;
    const uint32_t fixed = (uint32_t)(int32_t)((turns - floorf(turns)) *
                                               0x1p25f); /* quarters, with a fraction of 23 bits */
    const uint32_t within = fixed & (quarter - 1), which = (fixed >> IFL_UNIT_MANTISSA) + quarters;
    const uint32_t sign = (quarters ? 0 : x & IFL_UNIT_SIGN) ^ (which & 2 ? IFL_UNIT_SIGN : 0);
    const uint32_t at = (within ^ -(which & 1)) & (quarter - 1); /* falling: the complement */
    uint32_t result = ifl_unit_cut_off(ifl_unit_value(ifl_segments_of_sin, 0, 6, at),
                                       -IFL_UNIT_FRACTION_BITS - 24);
    const uint32_t is_top = which & (within == 0);
    result = is_top ? (uint32_t)IFL_UNIT_BIAS << IFL_UNIT_MANTISSA : result;
    return ifl_unit_exponent(x) == IFL_UNIT_INFINITE ? IFL_UNIT_NAN : result | sign;
}

/* ---- the upper word of an f64 ---------------------------------------------------------------- */

enum { IFL_HIGH_MANTISSA = 20, IFL_HIGH_BIAS = 1023, IFL_HIGH_INFINITE = 2047 };

#define IFL_HIGH_INFINITY UINT32_C(0x7ff00000)

IFL_LANE int ifl_high_exponent(uint32_t high)
{
    return (int)(high >> IFL_HIGH_MANTISSA & IFL_HIGH_INFINITE);
}

/* As long as that of an f32 */
IFL_LANE uint32_t ifl_high_mantissa(uint32_t high)
{
    return (high & ((1u << IFL_HIGH_MANTISSA) - 1)) << (IFL_UNIT_MANTISSA - IFL_HIGH_MANTISSA);
}

IFL_LANE uint32_t ifl_high_cut_off(double value, int scale)
{
    return ifl_unit_cut_off_to(IFL_HIGH_MANTISSA, IFL_HIGH_INFINITE, value, scale);
}

IFL_LANE bool ifl_high_is_nan(uint32_t high)
{
    return (high & ~IFL_UNIT_SIGN) > IFL_HIGH_INFINITY;
}

IFL_LANE uint32_t ifl_unit_rcp64h(uint32_t high)
{
    const int exponent = ifl_high_exponent(high);
    const double value = ifl_unit_value(ifl_segments_of_rcp, 0, 7, ifl_high_mantissa(high));
    uint32_t result =
        ifl_high_cut_off(value, IFL_HIGH_BIAS - exponent - IFL_UNIT_FRACTION_BITS - 24);
    result = exponent == 0 ? IFL_HIGH_INFINITY : exponent == IFL_HIGH_INFINITE ? 0 : result;
    return ifl_high_is_nan(high) ? IFL_UNIT_NAN : result | (high & IFL_UNIT_SIGN);
}

IFL_LANE uint32_t ifl_unit_rsq64h(uint32_t high)
{
    const int exponent = ifl_high_exponent(high), is_odd = (exponent ^ IFL_HIGH_BIAS) & 1,
              half = (exponent - IFL_HIGH_BIAS - is_odd) / 2;
    const uint32_t mantissa = ifl_high_mantissa(high),
                   is_power = (uint32_t)(is_odd | (mantissa != 0)) ^ 1;
    const double value = ifl_unit_value(ifl_segments_of_rsq, 64 * (uint32_t)is_odd, 6, mantissa);
    uint32_t result = ifl_high_cut_off(value, -half - IFL_UNIT_FRACTION_BITS - 24);
    result = is_power ? (uint32_t)(IFL_HIGH_BIAS - half) << IFL_HIGH_MANTISSA : result;
    result = exponent == 0                   ? (high & IFL_UNIT_SIGN) | IFL_HIGH_INFINITY
             : exponent == IFL_HIGH_INFINITE ? 0
                                             : result;
    return ifl_high_is_nan(high) || (high & IFL_UNIT_SIGN && exponent) ? IFL_UNIT_NAN : result;
}

#endif
