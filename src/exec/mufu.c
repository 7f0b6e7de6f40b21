/* SPDX-License-Identifier: Apache-2.0
 * The special function unit's functions one by one: those of f32 are in mufu_lane.h; here, the
 * others are made of its parts. */
#include "exec/mufu.h"

#include "exec/mufu_lane.h"

#define UNIT(name)                                                                                 \
    uint32_t ifl_mufu_##name(uint32_t x)                                                           \
    {                                                                                              \
        return ifl_unit_##name(x);                                                                 \
    }
UNIT(rcp)
UNIT(rsq)
UNIT(sqrt)
UNIT(lg2)
UNIT(ex2)
UNIT(rcp64h)
UNIT(rsq64h)
#undef UNIT

uint32_t ifl_mufu_sin(uint32_t turns)
{
    return ifl_unit_sine(turns, 0);
}

uint32_t ifl_mufu_cos(uint32_t turns)
{
    return ifl_unit_sine(turns, 1);
}

uint32_t ifl_mufu_tanh(uint32_t bits)
{
    static const struct {
        uint8_t first, log2_count;
    } octaves[] = {{0, 0},  {1, 0},  {2, 0},  {3, 1},  {5, 1}, {7, 2},
                   {11, 2}, {15, 2}, {19, 3}, {27, 4}, {43, 3}};
    const uint32_t sign = bits & IFL_UNIT_SIGN, mantissa = bits & IFL_UNIT_MANTISSA_MASK;
    const int octave = ifl_unit_exponent(bits) - IFL_UNIT_BIAS + 8;
    if (ifl_unit_is_nan(bits))
        return IFL_UNIT_NAN;
    if (octave < 0)
        return bits;
    if (octave >= (int)(sizeof octaves / sizeof *octaves))
        return sign | (uint32_t)IFL_UNIT_BIAS << IFL_UNIT_MANTISSA;
    const double value = ifl_unit_value(ifl_segments_of_tanh, octaves[octave].first,
                                        octaves[octave].log2_count, mantissa);
    return sign | ifl_unit_cut_off(value, -IFL_UNIT_FRACTION_BITS - 24);
}

/* ---- halves ---------------------------------------------------------------------------------- */

uint16_t ifl_mufu_cut_to_bf16(uint32_t result)
{
    return (uint16_t)(result >> 16);
}

uint16_t ifl_mufu_cut_to_f16(uint32_t result)
{
    const uint32_t sign = (result & IFL_UNIT_SIGN) >> 16,
                   fraction = result & IFL_UNIT_MANTISSA_MASK,
                   mantissa = fraction | 1u << IFL_UNIT_MANTISSA;
    const int exponent = ifl_unit_exponent(result) - IFL_UNIT_BIAS + 15;
    if (ifl_unit_is_nan(result))
        return 0x7fff;
    if (exponent >= 31)
        return (uint16_t)(sign | 0x7c00);
    if (exponent > 0)
        return (uint16_t)(sign | (uint32_t)exponent << 10 | fraction >> 13);
    return (uint16_t)(sign | (exponent > -11 ? mantissa >> (14 - exponent) : 0));
}
