/* SPDX-License-Identifier: Apache-2.0
 * The table of element types, and the two formats of 16 bits that C has no type for. */
#include "session/element.h"

#include <math.h>
#include <string.h>

static const ifl_element elements[IFL_ELEMENT_COUNT] = {
#define ELEMENT(name, text, storage, class, npy, iota, random)                                     \
    [IFL_ELEMENT_##name] = {IFL_ELEMENT_##name, text, sizeof(storage), class, npy},
#include "session/element.def"
};

const ifl_element *ifl_element_get(ifl_element_type type)
{
    return &elements[type];
}

const ifl_element *ifl_element_find(const char *text, size_t length)
{
    for (size_t i = 0; i < IFL_ELEMENT_COUNT; i++)
        if (strlen(elements[i].name) == length && memcmp(elements[i].name, text, length) == 0)
            return &elements[i];
    return NULL;
}

const ifl_element *ifl_element_of(char class, size_t bytes)
{
    for (size_t i = 0; i < IFL_ELEMENT_COUNT; i++)
        if (elements[i].class == class && elements[i].bytes == bytes)
            return &elements[i];
    return NULL;
}

/* With q the weight of the last place, value / q rounded to an integer holds the implicit bit of
 * a normal number, so that adding (exponent - smallest exponent) << fraction gives the code; a
 * carry out of the fraction counts up the exponent by itself, and subnormal numbers need no case
 * of their own. */
static uint16_t encode_any(double value, int fraction, int smallest_exponent, uint16_t infinity)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    if (isnan(value))
        return sign | infinity | (uint16_t)(1 << (fraction - 1));
    if (isinf(value))
        return sign | infinity;
    if (value == 0)
        return sign;
    int exponent = ilogb(value);
    if (exponent < smallest_exponent)
        exponent = smallest_exponent;
    if (exponent > 128)
        return sign | infinity;
    const double places = nearbyint(ldexp(fabs(value), fraction - exponent));
    const uint32_t code = ((uint32_t)(exponent - smallest_exponent) << fraction) + (uint32_t)places;
    return sign | (uint16_t)(code < infinity ? code : infinity);
}

/* Normal numbers of the format, which buffers are full of, by their bits: rounded in the double's
 * own code, where a carry counts up the exponent too, then the exponent's bias changed. */
static uint16_t encode(double value, int fraction, int smallest_exponent, uint16_t infinity)
{
    enum { DOUBLE_FRACTION = 52, DOUBLE_BIAS = 1023 };
    const int shift = DOUBLE_FRACTION - fraction;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t size = bits << 1 >> 1;
    const int exponent = (int)(size >> DOUBLE_FRACTION) - DOUBLE_BIAS;
    if (exponent < smallest_exponent || exponent > -smallest_exponent)
        return encode_any(value, fraction, smallest_exponent, infinity);
    const uint64_t rounded =
        (size + (UINT64_C(1) << (shift - 1)) - 1 + (size >> shift & 1)) >> shift;
    const uint64_t code = rounded - ((uint64_t)(DOUBLE_BIAS + smallest_exponent - 1) << fraction);
    return (uint16_t)(bits >> 48 & 0x8000) | (uint16_t)(code < infinity ? code : infinity);
}

uint16_t ifl_f16_bits(double value)
{
    return encode(value, 10, -14, 0x7c00);
}

uint16_t ifl_bf16_bits(double value)
{
    return encode(value, 7, -126, 0x7f80);
}
