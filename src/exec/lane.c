/* SPDX-License-Identifier: Apache-2.0
 * The slow lane functions: directed roundings, conversions, bit searches. One lane at a time;
 * it may not know warps, memory or events. */
#include "exec/rounded_lane.h"

#include <fenv.h>

/* ---- f16 and bf16 ---------------------------------------------------------------------------- */

#define ANY_HALF2(name)                                                                            \
    uint16_t ifl_any_half_##name(const ifl_format *f, const ifl_modifiers *m, uint16_t a,          \
                                 uint16_t b)                                                       \
    {                                                                                              \
        return ifl_half_##name(f, m, a, b);                                                        \
    }

ANY_HALF2(add)
ANY_HALF2(sub)
ANY_HALF2(mul)
ANY_HALF2(min)
ANY_HALF2(max)

uint16_t ifl_any_half_fma(const ifl_format *f, const ifl_modifiers *m, uint16_t a, uint16_t b,
                          uint16_t c)
{
    return ifl_half_fma(f, m, a, b, c);
}

uint16_t ifl_oob_half_fma(const ifl_format *f, const ifl_modifiers *m, uint16_t a, uint16_t b,
                          uint16_t c)
{
    enum { OUTSIDE = 0x7ff7, MAGNITUDE = 0x7fff };
    const bool is_outside = (a & MAGNITUDE) == OUTSIDE || (b & MAGNITUDE) == OUTSIDE;
    return is_outside ? 0 : ifl_half_fma(f, m, a, b, c);
}

/* ---- conversions ----------------------------------------------------------------------------- */

float ifl_narrow_f32(const ifl_modifiers *m, double x)
{
    float narrow = ifl_bits_f32(ifl_narrow(&ifl_f32, x, m->rounding, false));
    return ifl_out_tiny(m, narrow,
                        ifl_bits_f32(ifl_narrow(&ifl_f32, x * 0x1p30, m->rounding, false)));
}

uint32_t ifl_narrow_to(const ifl_format *f, const ifl_modifiers *m, double x)
{
    x = m->flags & IFL_FLAG_SAT ? ifl_saturate_f64(x) : x;
    x = m->flags & IFL_FLAG_RELU ? ifl_relu(x) : x;
    return ifl_narrow(f, x, m->rounding, m->flags & IFL_FLAG_SATFINITE);
}

uint16_t ifl_f64_to_half(const ifl_format *f, const ifl_modifiers *m, double x)
{
    uint64_t bits = ifl_f64_bits(ifl_quiet(x));
    uint16_t payload = (uint16_t)((bits >> (52 - f->mantissa) & (f->sign - 1)) | f->infinity);
    bool keeps = x != x && !(m->flags & IFL_FLAG_SAT);
    return keeps ? (uint16_t)(payload | (bits >> 63 ? f->sign : 0))
                 : (uint16_t)ifl_narrow_to(f, m, x);
}

uint32_t ifl_f64_to_f32(const ifl_modifiers *m, double x)
{
    bool keeps = x != x && !(m->flags & IFL_FLAG_SAT);
    return ifl_f32_bits(keeps ? (float)x : ifl_narrow_f32(m, x));
}

uint32_t ifl_narrow_pair(const ifl_format *f, const ifl_modifiers *m, double high, double low,
                         unsigned bits)
{
    return ifl_narrow_to(f, m, high) << bits | ifl_narrow_to(f, m, low);
}

uint32_t ifl_narrow_randomly(const ifl_format *f, const ifl_modifiers *m, float x, uint32_t random,
                             unsigned random_bits)
{
    enum { MANTISSA = 23, BIAS = 127, TOO_SMALL = 41 }; /* 24 bits and 16 below reach no carry */
    const uint32_t bits = ifl_f32_bits(m->flags & IFL_FLAG_RELU && x <= 0 ? 0 : x),
                   magnitude = bits & INT32_MAX, sign = bits >> 31 ? f->sign : 0;
    const int stored = (int)(magnitude >> MANTISSA), exponent = stored ? stored : 1,
              lowest = 1 - f->bias + BIAS, kept = exponent < lowest ? lowest : exponent;
    const unsigned shift = (unsigned)(MANTISSA - f->mantissa + kept - exponent);
    const uint32_t limit = m->flags & IFL_FLAG_SATFINITE ? f->max : f->infinity;
    if (magnitude > ifl_f32.infinity)
        return f->nan;
    if (magnitude == ifl_f32.infinity)
        return limit | sign;
    if (shift >= TOO_SMALL)
        return sign;
    const uint64_t significand = (magnitude & 0x7fffff) | (uint32_t)(stored != 0) << MANTISSA,
                   added = (uint64_t)random << (shift - random_bits);
    const uint64_t code =
        ((uint64_t)(kept - lowest) << f->mantissa) + ((significand + added) >> shift);
    return (code > f->max ? limit : (uint32_t)code) | sign;
}

uint32_t ifl_narrow_pair_randomly(const ifl_format *f, const ifl_modifiers *m, float high,
                                  float low, uint32_t random, unsigned bits)
{
    enum { SHARED = 16 };
    return ifl_narrow_randomly(f, m, high, ifl_brev32(random) >> SHARED, SHARED) << bits |
           ifl_narrow_randomly(f, m, low, random, SHARED);
}

uint16_t ifl_small_to_f16(const ifl_format *f, const ifl_modifiers *m, uint32_t code)
{
    return (uint16_t)ifl_narrow_to(&ifl_f16, m, ifl_widen(f, code));
}

/* ---- IEEE operations in any rounding --------------------------------------------------------- */

static int mode_of(unsigned rounding)
{
    static const int modes[] = {
        [IFL_ROUND_RN] = FE_TONEAREST,
        [IFL_ROUND_RZ] = FE_TOWARDZERO,
        [IFL_ROUND_RM] = FE_DOWNWARD,
        [IFL_ROUND_RP] = FE_UPWARD,
    };
    return rounding >= IFL_ROUND_RN && rounding <= IFL_ROUND_RP ? modes[rounding] : FE_TONEAREST;
}

/* The operands and the result are volatile so that no compiler moves the operation out from between
 * the two calls, whatever it thinks of rounding modes. */
#define ROUNDED(type, expression)                                                                  \
    fesetround(mode_of(rounding));                                                                 \
    volatile type result = (expression);                                                           \
    fesetround(FE_TONEAREST);                                                                      \
    return result

#define ROUNDED_PAIR(name, type, operator)                                                         \
    type name(unsigned rounding, type a, type b)                                                   \
    {                                                                                              \
        volatile type x = a, y = b;                                                                \
        ROUNDED(type, x operator y);                                                               \
    }
static ROUNDED_PAIR(round_div_f32, float, /) ROUNDED_PAIR(ifl_round_add_f64, double, +)
    ROUNDED_PAIR(ifl_round_mul_f64, double, *) ROUNDED_PAIR(ifl_round_div_f64, double, /)
#undef ROUNDED_PAIR

        float ifl_round_sqrt_f32(unsigned rounding, float a)
{
    volatile float x = a;
    ROUNDED(float, sqrtf(x));
}

double ifl_round_sqrt_f64(unsigned rounding, double a)
{
    volatile double x = a;
    ROUNDED(double, sqrt(x));
}

double ifl_round_fma_f64(unsigned rounding, double a, double b, double c)
{
    volatile double x = a, y = b, z = c;
    ROUNDED(double, fma(x, y, z));
}

double ifl_round_s64_f64(unsigned rounding, int64_t a)
{
    volatile int64_t x = a;
    ROUNDED(double, (double)x);
}

/* The halves are exact as doubles, so that their sum is rounded once. */
double ifl_round_u64_f64(unsigned rounding, uint64_t a)
{
    volatile double high = (double)(uint32_t)(a >> 32) * 0x1p32, low = (double)(uint32_t)a;
    ROUNDED(double, high + low);
}

/* ---- f32 with every modifier ----------------------------------------------------------------- */

float ifl_any_mul_f32(const ifl_modifiers *m, float a, float b)
{
    a = ifl_in(m, a), b = ifl_in(m, b);
    float scaled = ifl_round_mul_f32(m->rounding, a * 0x1p30f, b);
    return ifl_out_tiny(m, ifl_round_mul_f32(m->rounding, a, b), scaled);
}

float ifl_scaled_mul_f32(const ifl_modifiers *m, float a, float b, double factor)
{
    const ifl_modifiers round = {.rounding = m->rounding};
    const double exact = (double)ifl_in(m, a) * ifl_in(m, b) * factor;
    const float scaled = ifl_bits_f32(ifl_f64_to_f32(&round, exact * 0x1p30));
    return ifl_out_tiny(m, ifl_bits_f32(ifl_f64_to_f32(&round, exact)), scaled);
}

float ifl_any_fma_f32(const ifl_modifiers *m, float a, float b, float c)
{
    a = ifl_in(m, a), b = ifl_in(m, b), c = ifl_in(m, c);
    float scaled = ifl_round_fma_f32(m->rounding, a * 0x1p30f, b, c * 0x1p30f);
    return ifl_out_tiny(m, ifl_round_fma_f32(m->rounding, a, b, c), scaled);
}

float ifl_any_div_f32(const ifl_modifiers *m, float a, float b)
{
    a = ifl_in(m, a), b = ifl_in(m, b);
    float scaled = round_div_f32(m->rounding, a * 0x1p30f, b);
    return ifl_out_tiny(m, round_div_f32(m->rounding, a, b), scaled);
}

/* ---- f32x2 ----------------------------------------------------------------------------------- */

static float half_of(uint64_t x, unsigned index)
{
    return ifl_bits_f32((uint32_t)(x >> 32 * index));
}

static uint64_t put_half(float x, unsigned index)
{
    return (uint64_t)(x != x ? ifl_f32.nan : ifl_f32_bits(x)) << 32 * index;
}

uint64_t ifl_x2_add(const ifl_modifiers *m, uint64_t a, uint64_t b, bool negate_b)
{
    uint64_t d = 0;
    for (unsigned i = 0; i < 2; i++) {
        float x = ifl_in(m, half_of(a, i)), y = ifl_in(m, half_of(b, i));
        d |= put_half(ifl_out(m, ifl_round_add_f32(m->rounding, x, negate_b ? -y : y)), i);
    }
    return d;
}

uint64_t ifl_x2_mul(const ifl_modifiers *m, uint64_t a, uint64_t b)
{
    uint64_t d = 0;
    for (unsigned i = 0; i < 2; i++)
        d |= put_half(ifl_any_mul_f32(m, half_of(a, i), half_of(b, i)), i);
    return d;
}

uint64_t ifl_x2_fma(const ifl_modifiers *m, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t d = 0;
    for (unsigned i = 0; i < 2; i++)
        d |= put_half(ifl_any_fma_f32(m, half_of(a, i), half_of(b, i), half_of(c, i)), i);
    return d;
}

/* ---- bits ------------------------------------------------------------------------------------ */

uint32_t ifl_fns(uint32_t mask, uint32_t base, int32_t offset)
{
    if (offset == 0)
        return base < 32 && (mask >> base & 1) ? base : UINT32_MAX;
    uint32_t left = ifl_magnitude32(offset), step = offset > 0 ? 1 : UINT32_MAX;
    for (uint32_t position = base; position < 32; position += step)
        if ((mask >> position & 1) && --left == 0)
            return position;
    return UINT32_MAX;
}

uint32_t ifl_prmt_selectors(unsigned mode, uint32_t c)
{
    /* PTX ISA, table of prmt's modes, as the selectors that the generic form would take */
    static const uint16_t selectors[][4] = {
        {0x3210, 0x4321, 0x5432, 0x6543}, /* f4e */
        {0x5670, 0x6701, 0x7012, 0x0123}, /* b4e */
        {0x0000, 0x1111, 0x2222, 0x3333}, /* rc8 */
        {0x3210, 0x3211, 0x3222, 0x3333}, /* ecl */
        {0x0000, 0x1110, 0x2210, 0x3210}, /* ecr */
        {0x1010, 0x3232, 0x1010, 0x3232}, /* rc16 */
    };
    if (mode < IFL_MODE_F4E || mode > IFL_MODE_RC16)
        return c;
    return selectors[mode - IFL_MODE_F4E][c & 3];
}

/* ---- ue8m0 ----------------------------------------------------------------------------------- */

/* Only the magnitude counts; 0 stands for 2^-127. */
uint32_t ifl_narrow_ue8m0(const ifl_modifiers *m, float x)
{
    uint32_t magnitude = ifl_f32_bits(x) & 0x7fffffff, code = magnitude >> 23;
    bool above = (magnitude & 0x7fffff) != 0 && magnitude > 0x400000 && magnitude < 0x7f800000;
    code += m->rounding == IFL_ROUND_RP && above;
    bool finite = m->flags & IFL_FLAG_SATFINITE && magnitude <= 0x7f800000;
    return finite && code == 0xff ? 0xfe : code;
}

uint16_t ifl_ue8m0_to_bf16(uint32_t code)
{
    code &= 0xff;
    return (uint16_t)(code == 0xff ? ifl_bf16.nan : code == 0 ? 0x40 : code << 7);
}
