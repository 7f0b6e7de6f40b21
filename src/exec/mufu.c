/* SPDX-License-Identifier: Apache-2.0
 * A function is a polynomial of second order on each segment of its range (S. Oberman and M. Siu, "A High-Performance
 * Area-Efficient Multifunction Interpolator", ARITH 2005, describe such a unit). What is particular to this one, found from
 * its results: the square of the position drops its partial products below 2^-15, the sum is exact, a result is cut off, and
 * the negative of a fixed-point number is its complement. */
#include "exec/mufu.h"

#include <stdbool.h>

#include "exec/lane.h"
#include "exec/mufu_table.h"

enum {
    position_bits = 17,
    fraction_bits = 17, /* of a segment's value, below the last place of the result */
    f32_mantissa = 23,
    f64_high_mantissa = 20,
};

static const uint32_t nan_bits = 0x7fffffff, sign_bit = 0x80000000;

/* An f32, or the upper word of an f64 */
typedef struct fields {
    uint32_t sign, mantissa;
    int exponent; /* biased: 0 of 0 and the subnormal, `infinite` of infinity and NaN */
    int infinite;
    unsigned mantissa_bits;
} fields;

IFL_LANE fields fields_of(uint32_t bits, unsigned mantissa_bits)
{
    return (fields){
        .sign = bits & sign_bit,
        .mantissa = bits & ((1u << mantissa_bits) - 1),
        .exponent = (int)((bits & ~sign_bit) >> mantissa_bits),
        .infinite = (int)(~sign_bit >> mantissa_bits),
        .mantissa_bits = mantissa_bits,
    };
}

static bool is_nan(const fields *x)
{
    return x->exponent == x->infinite && x->mantissa;
}

static int bias_of(const fields *x)
{
    return x->infinite / 2;
}

static uint32_t infinity_of(const fields *x)
{
    return (uint32_t)x->infinite << x->mantissa_bits;
}

/* ---- a segment --------------------------------------------------------------------------------------------------- */

/* Each product of two different bits counts twice, so it stands one place higher than the square of a bit would. Without
 * branches: the bits are as good as random. */
IFL_LANE uint32_t upper_square(uint32_t x)
{
    uint32_t sum = 0;
#pragma GCC unroll 7
    for (unsigned i = 1; i <= 7; i++) {
        const uint32_t with_lower = x >> (1 + i) & ((1u << (16 - 2 * i)) - 1), with_itself = 1u << (15 - 2 * i);
        const uint32_t is_set = x >> (position_bits - i) & 1;
        sum += (with_lower + with_itself) & -is_set;
    }
    return sum;
}

/* At a 23-bit position in a range of 2^log2_count segments */
IFL_LANE int64_t value_at(const ifl_segment *segments, unsigned log2_count, uint32_t at)
{
    const unsigned within = f32_mantissa - log2_count;
    const ifl_segment *segment = &segments[at >> within];
    const uint32_t x = (at & ((1u << within) - 1)) << log2_count >> (f32_mantissa - position_bits);
    return segment->c0 + (int64_t)segment->c1 * x + (int64_t)segment->c2 * upper_square(x);
}

/* value * 2^scale as a number of x's format. A double holds every value: its exponent and upper mantissa are the result's. */
IFL_LANE uint32_t cut_off(const fields *x, int64_t value, int scale)
{
    enum { DOUBLE_MANTISSA = 52, DOUBLE_BIAS = 1023 };
    const uint64_t wide = ifl_f64_bits((double)(value > 0 ? value : 0));
    const int exponent = (int)(wide >> DOUBLE_MANTISSA) - DOUBLE_BIAS + scale + bias_of(x);
    const uint32_t mantissa =
        (uint32_t)(wide >> (DOUBLE_MANTISSA - x->mantissa_bits)) & ((1u << x->mantissa_bits) - 1);
    const uint32_t finite = exponent <= 0 ? 0 : (uint32_t)exponent << x->mantissa_bits | mantissa;
    return exponent >= x->infinite ? infinity_of(x) : finite;
}

/* ---- reciprocal and roots ---------------------------------------------------------------------------------------- */

static uint32_t upper_mantissa(const fields *x)
{
    return x->mantissa << (f32_mantissa - x->mantissa_bits);
}

IFL_LANE uint32_t reciprocal(fields x)
{
    if (x.exponent == x.infinite)
        return x.mantissa ? nan_bits : x.sign;
    if (x.exponent == 0)
        return x.sign | infinity_of(&x);
    const int64_t value = value_at(ifl_segments_of_rcp, 7, upper_mantissa(&x));
    return x.sign | cut_off(&x, value, bias_of(&x) - x.exponent - fraction_bits - 24);
}

/* The exponent halved, its lowest bit with the mantissa: a number in [1, 4) */
typedef struct halved {
    int exponent;
    bool is_odd;
} halved;

static halved halve(const fields *x)
{
    const bool is_odd = (x->exponent ^ bias_of(x)) & 1;
    return (halved){.exponent = (x->exponent - bias_of(x) - is_odd) / 2, .is_odd = is_odd};
}

static int64_t value_of_root(const ifl_segment *segments, const fields *x, halved h)
{
    return value_at(segments + 64 * h.is_odd, 6, upper_mantissa(x));
}

IFL_LANE uint32_t reciprocal_root(fields x)
{
    if (is_nan(&x) || (x.sign && x.exponent))
        return nan_bits;
    if (x.exponent == 0)
        return x.sign | infinity_of(&x);
    if (x.exponent == x.infinite)
        return 0;
    const halved h = halve(&x);
    if (!h.is_odd && !x.mantissa)
        return cut_off(&x, 1, -h.exponent);
    return cut_off(&x, value_of_root(ifl_segments_of_rsq, &x, h), -h.exponent - fraction_bits - 24);
}

uint32_t ifl_mufu_rcp(uint32_t x)
{
    return reciprocal(fields_of(x, f32_mantissa));
}

uint32_t ifl_mufu_rcp64h(uint32_t high)
{
    return reciprocal(fields_of(high, f64_high_mantissa));
}

uint32_t ifl_mufu_rsq(uint32_t x)
{
    return reciprocal_root(fields_of(x, f32_mantissa));
}

uint32_t ifl_mufu_rsq64h(uint32_t high)
{
    return reciprocal_root(fields_of(high, f64_high_mantissa));
}

uint32_t ifl_mufu_sqrt(uint32_t bits)
{
    const fields x = fields_of(bits, f32_mantissa);
    if (is_nan(&x) || (x.sign && x.exponent))
        return nan_bits;
    if (x.exponent == 0)
        return x.sign;
    if (x.exponent == x.infinite)
        return bits;
    const halved h = halve(&x);
    return cut_off(&x, value_of_root(ifl_segments_of_sqrt, &x, h), h.exponent - fraction_bits - 23);
}

/* ---- logarithm and power ----------------------------------------------------------------------------------------- */

uint32_t ifl_mufu_lg2(uint32_t bits)
{
    const fields x = fields_of(bits, f32_mantissa);
    const int one = fraction_bits + 23;
    if (is_nan(&x) || (x.sign && x.exponent))
        return nan_bits;
    if (x.exponent == 0)
        return sign_bit | infinity_of(&x);
    if (x.exponent == x.infinite)
        return bits;
    if (x.exponent == bias_of(&x) && !x.mantissa)
        return 0;
    const int64_t whole = (int64_t)(x.exponent - bias_of(&x)) * (INT64_C(1) << one);
    const int64_t value = whole + value_at(ifl_segments_of_lg2, 6, x.mantissa);
    if (value >= 0)
        return cut_off(&x, value, -one);
    return sign_bit | cut_off(&x, ~(value >> 4) * 16, -one); /* a negative sum keeps four bits less */
}

/* |x| 2^23 without its fraction; x as large as 2^`large` gives 2^(23 + large) */
IFL_LANE uint64_t fixed_point(const fields *x, int large)
{
    const int shift = x->exponent - bias_of(x);
    if (x->exponent == 0 || shift < -f32_mantissa - 1)
        return 0;
    const uint64_t mantissa = UINT64_C(1) << f32_mantissa | x->mantissa;
    return shift >= large ? UINT64_C(1) << (f32_mantissa + large) : shift >= 0 ? mantissa << shift : mantissa >> -shift;
}

uint32_t ifl_mufu_ex2(uint32_t bits)
{
    const fields x = fields_of(bits, f32_mantissa);
    const uint32_t one = 1u << f32_mantissa;
    if (is_nan(&x))
        return nan_bits;
    int64_t fixed = (int64_t)fixed_point(&x, 8);
    if (x.sign)
        fixed = fixed % one ? ~fixed : -fixed;
    const int64_t value = value_at(ifl_segments_of_ex2, 6, (uint32_t)fixed & (one - 1));
    return cut_off(&x, value, (int)(fixed >> f32_mantissa) - fraction_bits - 23);
}

/* ---- sine, cosine, hyperbolic tangent ---------------------------------------------------------------------------- */

static uint32_t sine(uint32_t bits, unsigned quarters)
{
    fields x = fields_of(bits, f32_mantissa);
    const uint32_t quarter = 1u << f32_mantissa;
    if (x.exponent == x.infinite)
        return nan_bits;
    if (x.exponent > bias_of(&x) + f32_mantissa)
        x.exponent = x.mantissa = 0; /* whole turns */
    else if (x.exponent)
        x.exponent += 2; /* quarters of a turn */
    const uint64_t fixed = fixed_point(&x, 32);
    const uint32_t within = (uint32_t)fixed & (quarter - 1), which = (uint32_t)(fixed >> f32_mantissa) + quarters;
    const uint32_t sign = (quarters ? 0 : x.sign) ^ (which & 2 ? sign_bit : 0);
    if (which & 1 && within == 0)
        return sign | (uint32_t)bias_of(&x) << f32_mantissa;
    const uint32_t at = which & 1 ? ~within & (quarter - 1) : within;
    return sign | cut_off(&x, value_at(ifl_segments_of_sin, 6, at), -fraction_bits - 24);
}

uint32_t ifl_mufu_sin(uint32_t turns)
{
    return sine(turns, 0);
}

uint32_t ifl_mufu_cos(uint32_t turns)
{
    return sine(turns, 1);
}

uint32_t ifl_mufu_tanh(uint32_t bits)
{
    static const struct {
        uint8_t first, log2_count;
    } octaves[] = {{0, 0}, {1, 0}, {2, 0}, {3, 1}, {5, 1}, {7, 2}, {11, 2}, {15, 2}, {19, 3}, {27, 4}, {43, 3}};
    const fields x = fields_of(bits, f32_mantissa);
    const int octave = x.exponent - bias_of(&x) + 8;
    if (is_nan(&x))
        return nan_bits;
    if (octave < 0)
        return bits;
    if (octave >= (int)(sizeof octaves / sizeof *octaves))
        return x.sign | (uint32_t)bias_of(&x) << f32_mantissa;
    const int64_t value = value_at(ifl_segments_of_tanh + octaves[octave].first, octaves[octave].log2_count, x.mantissa);
    return x.sign | cut_off(&x, value, -fraction_bits - 24);
}

/* ---- halves ------------------------------------------------------------------------------------------------------ */

uint16_t ifl_mufu_cut_to_bf16(uint32_t result)
{
    return (uint16_t)(result >> 16);
}

uint16_t ifl_mufu_cut_to_f16(uint32_t result)
{
    const fields x = fields_of(result, f32_mantissa);
    const uint32_t sign = x.sign >> 16, mantissa = x.mantissa | 1u << f32_mantissa;
    const int exponent = x.exponent - bias_of(&x) + 15;
    if (is_nan(&x))
        return 0x7fff;
    if (exponent >= 31)
        return (uint16_t)(sign | 0x7c00);
    if (exponent > 0)
        return (uint16_t)(sign | (uint32_t)exponent << 10 | x.mantissa >> 13);
    return (uint16_t)(sign | (exponent > -11 ? mantissa >> (14 - exponent) : 0));
}
