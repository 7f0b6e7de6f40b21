/* SPDX-License-Identifier: Apache-2.0
 * The sums of matrix_sum.h. Everything is an integer times a power of two, so that nothing is
 * rounded but where the hardware does. */
#include "exec/matrix_sum.h"
#include "exec/lane.h"
#include "exec/matrix_product.h"

#include <string.h>

/* Halves are multiples of 2^-24 below 2^16: that many bits hold any sum of two. */
enum {
    NOTHING = -1000,
    ZERO_EXPONENT = -9000
}; /* no exponent; no sum with one of these is above it */
enum { SUMS_MAX_SHIFT = 63, EXACT_F16_BITS = 41, F32_NAN = 0x7fffffff };

/* ---- formats --------------------------------------------------------------------------------- */

/* TF32 is an f32 whose last 13 bits do not count (PTX ISA: undefined; [X] and an H200: cut off). */
ifl_number ifl_number_of(ifl_matrix_type type, uint64_t bits)
{
    enum { TF32_IGNORED = 13 };
    const ifl_matrix_format *f = ifl_matrix_format_of(type);
    if (f->class_ != 'F') {
        const int64_t value = (int64_t)(bits & ((UINT64_C(1) << f->bits) - 1));
        const bool is_negative = f->class_ == 'S' && value >> (f->bits - 1);
        return (ifl_number){.significand =
                                (int32_t)(is_negative ? value - (INT64_C(1) << f->bits) : value)};
    }
    if (type == IFL_MATRIX_TF32)
        bits >>= TF32_IGNORED;
    const uint32_t mantissas = (1u << f->mantissa_bits) - 1,
                   exponents = (1u << f->exponent_bits) - 1;
    const uint32_t mantissa = (uint32_t)bits & mantissas,
                   exponent = (uint32_t)(bits >> f->mantissa_bits) & exponents;
    const bool negative = bits >> (f->mantissa_bits + f->exponent_bits) & 1;
    const bool is_top =
        exponent == exponents &&
        (f->top == IFL_MATRIX_TOP_IEEE || (f->top == IFL_MATRIX_TOP_LAST && mantissa == mantissas));
    if (is_top) {
        const bool is_nan = f->top == IFL_MATRIX_TOP_IEEE ? mantissa != 0 : true;
        return (ifl_number){.significand = negative ? -1 : 1,
                            .kind = is_nan ? IFL_NUMBER_NAN : IFL_NUMBER_INFINITE};
    }
    const int32_t significand = (int32_t)(exponent ? mantissa | (mantissas + 1) : mantissa);
    const int bias = (int)(exponents >> 1);
    return (ifl_number){.significand = negative ? -significand : significand,
                        .exponent = (int16_t)((exponent ? (int)exponent : 1) - bias)};
}

/* ---- results --------------------------------------------------------------------------------- */

typedef struct result_format {
    int mantissa_bits, exponent_bits;
    int kept_bits; /* of the mantissa */
    bool rounds;   /* to nearest even, else it is cut */
} result_format;

static result_format result_of(ifl_matrix_type type, const ifl_matrix_rule *rule)
{
    return type == IFL_MATRIX_F16 ? (result_format){10, 5, 10, true}
                                  : (result_format){23, 8, rule->result_bits, false};
}

static uint32_t sign_bit(const result_format *f, bool negative)
{
    return (uint32_t)negative << (f->mantissa_bits + f->exponent_bits);
}

static uint32_t infinity_bits(const result_format *f, bool negative)
{
    return sign_bit(f, negative) | ((1u << f->exponent_bits) - 1) << f->mantissa_bits;
}

/* magnitude >> shift, cut or rounded; to the left where shift is negative. */
static uint64_t scaled(const result_format *f, uint64_t magnitude, int shift)
{
    if (shift <= 0)
        return magnitude << -shift;
    if (shift > SUMS_MAX_SHIFT)
        return 0;
    const uint64_t kept = magnitude >> shift, rest = magnitude & ((UINT64_C(1) << shift) - 1);
    const uint64_t half = UINT64_C(1) << (shift - 1);
    return kept + (f->rounds && (rest > half || (rest == half && (kept & 1))));
}

/* sum * 2^exponent. */
static uint32_t pack(const result_format *f, int64_t sum, int exponent)
{
    const bool negative = sum < 0;
    const uint64_t magnitude = negative ? (uint64_t)-sum : (uint64_t)sum;
    if (!magnitude)
        return 0;
    const int bias = (1 << (f->exponent_bits - 1)) - 1, least = 1 - bias;
    const int leading = exponent + 63 - __builtin_clzll(magnitude);
    int top = leading < least ? least : leading;
    const int unit = top - f->kept_bits;
    uint64_t significand = scaled(f, magnitude, unit - exponent);
    if (significand >> (f->kept_bits + 1)) {
        significand >>= 1;
        top++;
    }
    if (top > bias)
        return infinity_bits(f, negative);
    if (!significand && f->rounds) /* an H200: no half becomes -0 */
        return 0;
    const bool is_normal = significand >> f->kept_bits;
    const uint32_t mantissa = (uint32_t)(significand << (f->mantissa_bits - f->kept_bits));
    const uint32_t hidden = 1u << f->mantissa_bits;
    return sign_bit(f, negative) |
           (is_normal ? (uint32_t)(top + bias) << f->mantissa_bits | (mantissa & (hidden - 1))
                      : mantissa);
}

uint32_t ifl_matrix_pack(ifl_matrix_type type, const ifl_matrix_rule *rule, int64_t sum,
                         int exponent)
{
    const result_format f = result_of(type, rule);
    return pack(&f, sum, exponent);
}

/* ---- infinities and NaNs --------------------------------------------------------------------- */

static void add_special(ifl_number addend, bool *plus, bool *minus, bool *nan)
{
    *nan |= addend.kind == IFL_NUMBER_NAN;
    *plus |= addend.kind == IFL_NUMBER_INFINITE && addend.significand > 0;
    *minus |= addend.kind == IFL_NUMBER_INFINITE && addend.significand < 0;
}

static ifl_number special_product(ifl_number a, ifl_number b)
{
    const bool is_infinite = a.kind == IFL_NUMBER_INFINITE || b.kind == IFL_NUMBER_INFINITE;
    const bool is_nan = a.kind == IFL_NUMBER_NAN || b.kind == IFL_NUMBER_NAN ||
                        (is_infinite && (!a.significand || !b.significand));
    return (ifl_number){.significand = (a.significand < 0) != (b.significand < 0) ? -1 : 1,
                        .kind = is_nan        ? IFL_NUMBER_NAN
                                : is_infinite ? IFL_NUMBER_INFINITE
                                              : IFL_NUMBER_FINITE};
}

/* True where the sum is an infinity or a NaN whatever the finite addends are. */
static bool is_special(const result_format *f, const ifl_numbers *a, const ifl_numbers *b,
                       unsigned count, ifl_number c, uint32_t *bits)
{
    bool plus = false, minus = false, nan = false;
    if (a->are_finite && b->are_finite && c.kind == IFL_NUMBER_FINITE)
        return false;
    add_special(c, &plus, &minus, &nan);
    for (unsigned i = 0; i < count; i++)
        add_special(special_product(a->at[i], b->at[i]), &plus, &minus, &nan);
    if (!plus && !minus && !nan)
        return false;
    /* The canonical NaN: 0x7fffffff, 0x7fff. */
    *bits = nan || (plus && minus) ? (1u << (f->mantissa_bits + f->exponent_bits)) - 1
                                   : infinity_bits(f, minus);
    return true;
}

/* ---- finite sums ----------------------------------------------------------------------------- */

/* value * 2^shift, cut toward zero. */
static int64_t aligned(int64_t value, int shift)
{
    if (!value)
        return 0;
    if (shift >= 0)
        return value * (INT64_C(1) << shift);
    const int by = -shift > SUMS_MAX_SHIFT ? SUMS_MAX_SHIFT : -shift;
    const uint64_t magnitude = (value < 0 ? (uint64_t)-value : (uint64_t)value) >> by;
    return value < 0 ? -(int64_t)magnitude : (int64_t)magnitude;
}

static int largest_exponent(const ifl_numbers *a, const ifl_numbers *b, unsigned count,
                            int at_least)
{
    int largest = at_least;
    for (unsigned i = 0; i < count; i++) {
        const int exponent = a->at[i].exponent + b->at[i].exponent;
        const bool counts = a->at[i].significand && b->at[i].significand;
        largest = counts && exponent > largest ? exponent : largest;
    }
    return largest;
}

static double power_of_two(int exponent)
{
    enum { BIAS = 1023, MANTISSA = 52 };
    return ifl_bits_f64((uint64_t)(exponent + BIAS) << MANTISSA);
}

void ifl_plain_fill(ifl_plain *to, const ifl_number *from, size_t count, unsigned mantissa_bits)
{
    for (size_t i = 0; i < count; i++) {
        to->value[i] = from[i].significand * power_of_two(from[i].exponent - (int)mantissa_bits);
        to->exponent[i] = from[i].significand ? from[i].exponent : ZERO_EXPONENT;
    }
}

/* What fits: each product is below 2^(fraction + 2), and cut as an int32_t. */
static bool is_plain(const ifl_matrix_rule *rule, const ifl_numbers *a, const ifl_numbers *b,
                     ifl_number c)
{
    enum { MOST_FRACTION = 28 };
    return a->plain.value && b->plain.value && a->are_finite && b->are_finite &&
           c.kind == IFL_NUMBER_FINITE && rule->fraction_bits <= MOST_FRACTION;
}

typedef int16_t exponents __attribute__((vector_size(16)));
typedef double pair __attribute__((vector_size(16)));
typedef int32_t cut_pair __attribute__((vector_size(8)));
enum { EXPONENTS = 8 };

static int largest_plain(const ifl_numbers *a, const ifl_numbers *b, unsigned count, int at_least)
{
    const int16_t *p = a->plain.exponent, *q = b->plain.exponent;
    exponents most = (exponents){0} + (int16_t)at_least, x, y;
    int16_t largest = (int16_t)at_least;
    unsigned i = 0;
    for (; i + EXPONENTS <= count; i += EXPONENTS) {
        memcpy(&x, p + i, sizeof x);
        memcpy(&y, q + i, sizeof y);
        x += y;
        y = (exponents)(x > most);
        most = (x & y) | (most & ~y);
    }
    for (; i < count; i++)
        largest = p[i] + q[i] > largest ? (int16_t)(p[i] + q[i]) : largest;
    for (unsigned k = 0; k < EXPONENTS; k++)
        largest = most[k] > largest ? most[k] : largest;
    return largest;
}

/* Of products cut to multiples of 1 / scale. Sums of what was cut are exact, in any order. */
static int64_t plain_sum(const ifl_numbers *a, const ifl_numbers *b, unsigned count, double scale)
{
    const double *p = a->plain.value, *q = b->plain.value;
    pair sum[2] = {{0, 0}, {0, 0}}, x, y;
    unsigned i = 0;
    for (; i + 2 <= count; i += 2) {
        memcpy(&x, p + i, sizeof x);
        memcpy(&y, q + i, sizeof y);
        sum[i / 2 % 2] +=
            __builtin_convertvector(__builtin_convertvector(x * y * scale, cut_pair), pair);
    }
    const double last = i < count ? (int32_t)(p[i] * q[i] * scale) : 0;
    return (int64_t)(sum[0][0] + sum[0][1] + sum[1][0] + sum[1][1] + last);
}

static uint32_t one_sum(const ifl_matrix_rule *rule, const ifl_numbers *a, const ifl_numbers *b,
                        unsigned count, ifl_matrix_type c_type, uint32_t c_bits)
{
    const result_format f = result_of(c_type, rule);
    const ifl_number c = ifl_number_of(c_type, c_bits);
    const int fraction = rule->fraction_bits, product_bits = a->mantissa_bits + b->mantissa_bits;
    uint32_t bits;
    if (is_plain(rule, a, b, c)) {
        const int largest = largest_plain(a, b, count, c.significand ? c.exponent : NOTHING);
        const int64_t products =
            largest == NOTHING ? 0 : plain_sum(a, b, count, power_of_two(fraction - largest));
        return pack(&f,
                    products +
                        aligned(c.significand, fraction - f.mantissa_bits - (largest - c.exponent)),
                    largest - fraction);
    }
    if (is_special(&f, a, b, count, c, &bits))
        return bits;
    const int largest = largest_exponent(a, b, count, c.significand ? c.exponent : NOTHING);
    int64_t sum = aligned(c.significand, fraction - f.mantissa_bits - (largest - c.exponent));
    for (unsigned i = 0; i < count; i++) {
        const int64_t product = (int64_t)a->at[i].significand * b->at[i].significand;
        const int below = largest - a->at[i].exponent - b->at[i].exponent;
        sum += aligned(product, fraction - product_bits - below);
    }
    return pack(&f, sum, largest - fraction);
}

static ifl_numbers part_of(const ifl_numbers *of, unsigned from)
{
    ifl_numbers part = *of;
    part.at += from;
    if (of->plain.value)
        part.plain = (ifl_plain){of->plain.value + from, of->plain.exponent + from};
    return part;
}

uint32_t ifl_matrix_sum(const ifl_matrix_rule *rule, const ifl_numbers *a, const ifl_numbers *b,
                        unsigned count, ifl_matrix_type c_type, uint32_t c)
{
    for (unsigned from = 0; from < count; from += rule->products) {
        const unsigned part = count - from < rule->products ? count - from : rule->products;
        const ifl_numbers a_part = part_of(a, from), b_part = part_of(b, from);
        c = one_sum(rule, &a_part, &b_part, part, c_type, c);
    }
    return c;
}

/* One exact sum of two numbers, rounded once. */
uint32_t ifl_matrix_add(ifl_matrix_type type, uint32_t x, uint32_t y)
{
    const ifl_number one = {.significand = 1, .kind = IFL_NUMBER_FINITE};
    const ifl_matrix_rule exact = {.products = 1, .fraction_bits = EXACT_F16_BITS};
    if (type == IFL_MATRIX_F32) {
        const float sum = ifl_bits_f32(x) + ifl_bits_f32(y);
        return sum != sum ? F32_NAN : ifl_f32_bits(sum);
    }
    const ifl_number addend = ifl_number_of(type, y);
    const ifl_numbers a = {.at = &addend,
                           .mantissa_bits = ifl_matrix_format_of(type)->mantissa_bits,
                           .are_finite = addend.kind == IFL_NUMBER_FINITE};
    const ifl_numbers b = {.at = &one, .are_finite = true};
    return one_sum(&exact, &a, &b, 1, type, x);
}
