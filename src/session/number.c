/* SPDX-License-Identifier: Apache-2.0
 * Reading numbers. Every function here works on a cursor and names what is wrong; it knows
 * nothing of places. */
#include "session/number.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

static const char too_large[] = "the number does not fit 64 bits";

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int hex_digit(char c)
{
    if (is_digit(c))
        return c - '0';
    const char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static bool is_hex(const char *at)
{
    return at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && hex_digit(at[2]) >= 0;
}

static const char *read_digits(const char **at, uint64_t *value)
{
    const unsigned base = is_hex(*at) ? 16 : 10;
    const char *p = base == 16 ? *at + 2 : *at;
    if (!is_digit(*p) && base == 10)
        return "expected a number";
    uint64_t sum = 0;
    for (int digit; (digit = hex_digit(*p)) >= 0 && (unsigned)digit < base; p++)
        if (__builtin_mul_overflow(sum, base, &sum) ||
            __builtin_add_overflow(sum, (unsigned)digit, &sum))
            return too_large;
    *at = p;
    *value = sum;
    return NULL;
}

static const char *read_power(const char **at, uint64_t *value)
{
    const char *start = *at;
    uint64_t base, exponent, product = 1;
    const char *problem = read_digits(at, &base);
    *value = base;
    if (problem || **at != '^')
        return problem;
    ++*at;
    if ((problem = read_digits(at, &exponent)))
        return problem;
    if (base <= 1) {
        *value = exponent ? base : 1;
        return NULL;
    }
    for (uint64_t i = 0; i < exponent; i++)
        if (__builtin_mul_overflow(product, base, &product)) {
            *at = start;
            return too_large;
        }
    *value = product;
    return NULL;
}

static unsigned suffix_shift(const char *at)
{
    static const char letters[] = "KMGT";
    const char *letter = *at ? strchr(letters, *at) : NULL;
    return letter && at[1] == 'i' ? 10 * (unsigned)(letter - letters + 1) : 0;
}

static const char *read_term(const char **at, uint64_t *value)
{
    const char *start = *at;
    const char *problem = read_power(at, value);
    const unsigned shift = problem ? 0 : suffix_shift(*at);
    if (!shift)
        return problem;
    if (__builtin_mul_overflow(*value, UINT64_C(1) << shift, value)) {
        *at = start;
        return too_large;
    }
    *at += 2;
    return NULL;
}

static const char *read_product(const char **at, uint64_t *value)
{
    const char *problem = read_term(at, value);
    while (!problem && **at == '*') {
        const char *factor_at = ++*at;
        uint64_t factor;
        problem = read_term(at, &factor);
        if (!problem && __builtin_mul_overflow(*value, factor, value)) {
            *at = factor_at;
            problem = too_large;
        }
    }
    return problem;
}

/* A sum would be mistaken for the "+BYTES" behind a count, so there are only differences. */
const char *ifl_number_read(const char **at, uint64_t *value)
{
    const char *problem = read_product(at, value);
    while (!problem && **at == '-') {
        const char *start = ++*at;
        uint64_t less;
        problem = read_product(at, &less);
        if (!problem && __builtin_sub_overflow(*value, less, value)) {
            *at = start;
            problem = "the difference is negative";
        }
    }
    return problem;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool fits(uint64_t magnitude, bool negative, bool hex, const ifl_element *element)
{
    const unsigned bits = element->bytes * 8u;
    const uint64_t all = UINT64_MAX >> (64 - bits);
    const uint64_t top = UINT64_C(1) << (bits - 1);
    if (element->class == 'U')
        return magnitude <= all && (!negative || magnitude == 0);
    if (negative)
        return magnitude <= top;
    return magnitude <= (hex ? all : top - 1);
}

static const char *read_integer(const char **at, const ifl_element *element, void *to)
{
    const char *start = *at;
    const bool negative = **at == '-';
    *at += negative || **at == '+';
    const bool hex = is_hex(*at);
    uint64_t magnitude;
    const char *problem = ifl_number_read(at, &magnitude);
    if (problem)
        return problem;
    if (!fits(magnitude, negative, hex, element)) {
        *at = start;
        return "the value is out of the type's range";
    }
    const uint64_t bits = negative ? -magnitude : magnitude;
    memcpy(to, &bits, element->bytes); /* little endian */
    return **at ? "unexpected text after the number" : NULL;
}

static void store_float(double value, float nearest, const ifl_element *element, void *to)
{
    const uint16_t half =
        element->type == IFL_ELEMENT_F16 ? ifl_f16_bits(value) : ifl_bf16_bits(value);
    if (element->type == IFL_ELEMENT_F64)
        memcpy(to, &value, sizeof value);
    else if (element->type == IFL_ELEMENT_F32)
        memcpy(to, &nearest, sizeof nearest);
    else
        memcpy(to, &half, sizeof half);
}

/* The C locale's reading whatever the program's locale is; f32 is rounded once, from the text. */
static const char *read_float_text(const char **at, const ifl_element *element, void *to)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return "cannot read it: out of memory";
    char *end, *same_end;
    const double value = strtod_l(*at, &end, plain);
    const float nearest = strtof_l(*at, &same_end, plain);
    freelocale(plain);
    if (end == *at || **at == ' ')
        return "expected a number";
    *at = end;
    store_float(value, nearest, element, to);
    return *end ? "unexpected text after the number" : NULL;
}

static bool read_whole_number(const char *at, bool *negative, uint64_t *value)
{
    *negative = *at == '-';
    at += *negative;
    return !ifl_number_read(&at, value) && !*at;
}

static const char *read_float(const char **at, const ifl_element *element, void *to)
{
    bool negative;
    uint64_t number;
    if (!read_whole_number(*at, &negative, &number))
        return read_float_text(at, element, to);
    const ifl_element *bits = ifl_element_of('U', element->bytes);
    if (is_hex(*at))
        return read_integer(at, bits, to);
    const double magnitude = (double)number;
    store_float(negative ? -magnitude : magnitude, negative ? -(float)number : (float)number,
                element, to);
    return NULL;
}

const char *ifl_value_read(const char **at, const ifl_element *element, void *to)
{
    return element->class == 'F' ? read_float(at, element, to) : read_integer(at, element, to);
}
