/* SPDX-License-Identifier: Apache-2.0
 * What one lane computes: the functions that the rows of isa/opcode.def are written with. Every
 * function is total: no input traps, overflows a signed integer or shifts too far, because a
 * handler evaluates inactive lanes too. Plain C, so that loops over lanes become vectors of any
 * width; it may not know warps, memory or events. */
#ifndef IFL_EXEC_LANE_H
#define IFL_EXEC_LANE_H

#include "code/modifiers.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Always inlined: a loop over lanes becomes vectors only when nothing is called. */
#define IFL_LANE static inline __attribute__((always_inline))

/* ---- bits ------------------------------------------------------------------------------------ */

IFL_LANE uint32_t ifl_f32_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

IFL_LANE float ifl_bits_f32(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

IFL_LANE uint64_t ifl_f64_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

IFL_LANE double ifl_bits_f64(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

IFL_LANE uint32_t ifl_low_bits32(uint32_t count)
{
    return count > 31 ? UINT32_MAX : (1u << (count & 31)) - 1;
}

IFL_LANE uint64_t ifl_low_bits64(uint32_t count)
{
    return count > 63 ? UINT64_MAX : (UINT64_C(1) << (count & 63)) - 1;
}

IFL_LANE int64_t ifl_clamp(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* Two integers, saturated to `bits` bits, side by side */
IFL_LANE uint32_t ifl_pack_narrow(unsigned bits, bool is_signed, int32_t a, int32_t b)
{
    const int64_t high = (INT64_C(1) << (bits - is_signed)) - 1, low = is_signed ? -high - 1 : 0;
    const uint32_t mask = (1u << bits) - 1;
    return ((uint32_t)ifl_clamp(a, low, high) & mask) << bits |
           ((uint32_t)ifl_clamp(b, low, high) & mask);
}

IFL_LANE uint64_t ifl_at_most(uint64_t x, uint64_t high)
{
    return x > high ? high : x;
}

/* Packed pairs of 16 bits, and f on each half of its operands */
#define IFL_HIGH(x) ((uint16_t)((x) >> 16))
#define IFL_LOW(x) ((uint16_t)(x))
#define IFL_PAIR(high, low) ((uint32_t)(uint16_t)(high) << 16 | (uint16_t)(low))
#define IFL_EACH(f, format, m, a) IFL_PAIR(f(format, m, IFL_HIGH(a)), f(format, m, IFL_LOW(a)))
#define IFL_EACH_HALF(f, a) IFL_PAIR(f(IFL_HIGH(a)), f(IFL_LOW(a)))
#define IFL_EACH2(f, format, m, a, b)                                                              \
    IFL_PAIR(f(format, m, IFL_HIGH(a), IFL_HIGH(b)), f(format, m, IFL_LOW(a), IFL_LOW(b)))
#define IFL_EACH3(f, format, m, a, b, c)                                                           \
    IFL_PAIR(f(format, m, IFL_HIGH(a), IFL_HIGH(b), IFL_HIGH(c)),                                  \
             f(format, m, IFL_LOW(a), IFL_LOW(b), IFL_LOW(c)))

/* ---- integers -------------------------------------------------------------------------------- */

/* Division by zero is unspecified in PTX; quotient and remainder are all ones, as on sm_90. */
IFL_LANE uint32_t ifl_div_u32(uint32_t a, uint32_t b)
{
    /* exact: 53 bits hold the quotient, and it misses the next integer by at least 2^-32 of
     * itself */
    double quotient = (double)a / (b == 0 ? 1 : b);
    return b == 0 ? UINT32_MAX : (uint32_t)quotient;
}

IFL_LANE uint64_t ifl_div_u64(uint64_t a, uint64_t b)
{
    return b == 0 ? UINT64_MAX : a / b;
}

IFL_LANE uint32_t ifl_rem_u32(uint32_t a, uint32_t b)
{
    return b == 0 ? UINT32_MAX : a - ifl_div_u32(a, b) * b;
}

IFL_LANE uint64_t ifl_rem_u64(uint64_t a, uint64_t b)
{
    return b == 0 ? UINT64_MAX : a % b;
}

IFL_LANE uint32_t ifl_magnitude32(int32_t x)
{
    return x < 0 ? 0u - (uint32_t)x : (uint32_t)x;
}

IFL_LANE uint64_t ifl_magnitude64(int64_t x)
{
    return x < 0 ? 0u - (uint64_t)x : (uint64_t)x;
}

/* Signed quotient and remainder from magnitudes: the minimum divided by -1 wraps to itself. */
IFL_LANE uint32_t ifl_div_s32(int32_t a, int32_t b)
{
    uint32_t q = ifl_div_u32(ifl_magnitude32(a), ifl_magnitude32(b));
    return b != 0 && (a ^ b) < 0 ? 0u - q : q;
}

IFL_LANE uint64_t ifl_div_s64(int64_t a, int64_t b)
{
    uint64_t q = ifl_div_u64(ifl_magnitude64(a), ifl_magnitude64(b));
    return b != 0 && (a ^ b) < 0 ? 0u - q : q;
}

IFL_LANE uint32_t ifl_rem_s32(int32_t a, int32_t b)
{
    uint32_t r = ifl_rem_u32(ifl_magnitude32(a), ifl_magnitude32(b));
    return a < 0 && b != 0 ? 0u - r : r;
}

IFL_LANE uint64_t ifl_rem_s64(int64_t a, int64_t b)
{
    uint64_t r = ifl_rem_u64(ifl_magnitude64(a), ifl_magnitude64(b));
    return a < 0 && b != 0 ? 0u - r : r;
}

IFL_LANE uint64_t ifl_mul_high_u64(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b >> 64);
}

/* The high half of the signed product is the unsigned one less each factor where the other is
 * negative. */
IFL_LANE uint64_t ifl_mul_high_s64(int64_t a, int64_t b)
{
    return ifl_mul_high_u64((uint64_t)a, (uint64_t)b) - (a < 0 ? (uint64_t)b : 0) -
           (b < 0 ? (uint64_t)a : 0);
}

IFL_LANE int64_t ifl_signed24(uint32_t x)
{
    return (int64_t)((x & 0xffffff) ^ 0x800000) - 0x800000;
}

/* Bits 47 to 16, or 31 to 0, of the product of the low 24 bits. */
IFL_LANE uint32_t ifl_mul24_u32(const ifl_modifiers *m, uint32_t a, uint32_t b)
{
    uint64_t product = (uint64_t)(a & 0xffffff) * (b & 0xffffff);
    return (uint32_t)(m->half == IFL_HALF_HI ? product >> 16 : product);
}

IFL_LANE uint32_t ifl_mul24_s32(const ifl_modifiers *m, uint32_t a, uint32_t b)
{
    int64_t product = ifl_signed24(a) * ifl_signed24(b);
    return (uint32_t)(m->half == IFL_HALF_HI ? product >> 16 : product);
}

IFL_LANE uint16_t ifl_pick_u16(bool maximum, const ifl_modifiers *m, uint16_t a, uint16_t b)
{
    (void)m;
    return (a > b) == maximum ? a : b;
}

IFL_LANE uint16_t ifl_pick_s16(bool maximum, const ifl_modifiers *m, uint16_t a, uint16_t b)
{
    int16_t picked = ((int16_t)a > (int16_t)b) == maximum ? (int16_t)a : (int16_t)b;
    return (uint16_t)(m->flags & IFL_FLAG_RELU && picked < 0 ? 0 : picked);
}

IFL_LANE uint32_t ifl_popc32(uint32_t x)
{
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

IFL_LANE uint32_t ifl_popc64(uint64_t x)
{
    return ifl_popc32((uint32_t)x) + ifl_popc32((uint32_t)(x >> 32));
}

IFL_LANE uint32_t ifl_clz32(uint32_t x)
{
    return x == 0 ? 32 : (uint32_t)__builtin_clz(x);
}

IFL_LANE uint32_t ifl_clz64(uint64_t x)
{
    return x == 0 ? 64 : (uint32_t)__builtin_clzll(x);
}

/* bfind: the position of the highest set bit, or with .shiftamt the shift that brings it to the
 * top. */
IFL_LANE uint32_t ifl_bfind(const ifl_modifiers *m, uint32_t leading_zeros, uint32_t width)
{
    uint32_t found = m->flags & IFL_FLAG_SHIFTAMT ? leading_zeros : width - 1 - leading_zeros;
    return leading_zeros == width ? UINT32_MAX : found;
}

IFL_LANE uint32_t ifl_brev32(uint32_t x)
{
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}

IFL_LANE uint64_t ifl_brev64(uint64_t x)
{
    return (uint64_t)ifl_brev32((uint32_t)x) << 32 | ifl_brev32((uint32_t)(x >> 32));
}

/* Lanes of one store that write the same address: on an H200 the lowest lane's value stays where
 * lanes write at most 4 bytes, since the request is one pass; with 8 bytes the halves of the warp
 * pass in turn, with 16 its quarters, so that it is the lowest of the last part. A position in the
 * order of writing, exclusive-or this, is a lane. */
IFL_LANE uint32_t ifl_store_flip(uint32_t lane_bytes)
{
    return ((128u >> __builtin_ctz(lane_bytes)) - 1) & 31;
}

/* The positions of a mask's lanes in that order: the bits of each part reversed. */
IFL_LANE uint32_t ifl_store_order(uint32_t mask, uint32_t flip)
{
    mask = (mask >> 1 & 0x55555555) | (mask & 0x55555555) << 1;
    mask = (mask >> 2 & 0x33333333) | (mask & 0x33333333) << 2;
    mask = flip & 4 ? (mask >> 4 & 0x0f0f0f0f) | (mask & 0x0f0f0f0f) << 4 : mask;
    mask = flip & 8 ? (mask >> 8 & 0x00ff00ff) | (mask & 0x00ff00ff) << 8 : mask;
    return flip & 16 ? mask >> 16 | mask << 16 : mask;
}

IFL_LANE uint64_t ifl_shl(uint64_t x, uint32_t count, uint32_t width)
{
    return count >= width ? 0 : x << (count & 63);
}

IFL_LANE uint64_t ifl_shr(uint64_t x, uint32_t count, uint32_t width)
{
    return count >= width ? 0 : x >> (count & 63);
}

IFL_LANE int64_t ifl_sar(int64_t x, uint32_t count, uint32_t width)
{
    return x >> (count >= width ? width - 1 : count);
}

IFL_LANE uint32_t ifl_funnel_left(uint32_t low, uint32_t high, uint32_t count)
{
    return (uint32_t)(((uint64_t)high << 32 | low) << count >> 32);
}

IFL_LANE uint32_t ifl_funnel_right(uint32_t low, uint32_t high, uint32_t count)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> count);
}

/* A field of `length` bits from `position` on; past the top the sign fills it (PTX ISA, bfe). */
IFL_LANE uint64_t ifl_bfe_s(int64_t x, uint32_t position, uint32_t length, uint32_t width)
{
    uint32_t top = position + length < width ? position + length : width;
    int64_t field = ifl_sar(x, position, 64);
    uint32_t unused = top > position ? 64 - (top - position) : 0;
    return length == 0 ? 0 : (uint64_t)((int64_t)((uint64_t)field << unused) >> unused);
}

IFL_LANE uint32_t ifl_bfi32(uint32_t a, uint32_t b, uint32_t position, uint32_t length)
{
    uint32_t mask = (uint32_t)ifl_shl(ifl_low_bits32(length), position, 32);
    return ((uint32_t)ifl_shl(a, position, 32) & mask) | (b & ~mask);
}

IFL_LANE uint64_t ifl_bfi64(uint64_t a, uint64_t b, uint32_t position, uint32_t length)
{
    uint64_t mask = ifl_shl(ifl_low_bits64(length), position, 64);
    return (ifl_shl(a, position, 64) & mask) | (b & ~mask);
}

/* The low bits of a; above them zero, or the sign when `is_signed` (PTX ISA, szext). */
IFL_LANE uint32_t ifl_szext(uint32_t a, uint32_t b, bool clamp, bool is_signed)
{
    bool whole = clamp && b >= 32;
    uint32_t kept = b & 31, mask = whole ? 0 : UINT32_MAX << kept;
    bool sign = is_signed && !whole && kept != 0 && (a >> ((kept - 1) & 31) & 1);
    return (a & ~mask) | (sign ? mask : 0);
}

/* A mask of b bits from bit a on (PTX ISA, bmsk). */
IFL_LANE uint32_t ifl_bmsk(uint32_t a, uint32_t b, bool clamp)
{
    uint32_t from = clamp && a >= 32 ? 0 : UINT32_MAX << (a & 31);
    uint32_t end = (a & 31) + (b & 31);
    bool to_top = end >= 32 || (clamp && (a >= 32 || b >= 32));
    return from & ~(to_top ? 0 : UINT32_MAX << (end & 31));
}

/* The eight terms of the truth table: 0xf0, 0xcc and 0xaa are a, b and c themselves. */
IFL_LANE uint32_t ifl_lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t d = 0;
    for (unsigned i = 0; i < 8; i++)
        d |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c) & (0u - (table >> i & 1));
    return d;
}

/* Four selectors of four bits: which byte of b:a, and with bit 3 its sign instead. */
IFL_LANE uint32_t ifl_prmt(uint32_t a, uint32_t b, uint32_t selectors)
{
    uint32_t d = 0;
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t selector = selectors >> 4 * i, from = selector & 4 ? b : a;
        const uint32_t byte = from >> (selector & 3) * 8 & 0xff, sign = (0u - (byte >> 7)) & 0xff;
        d |= (selector & 8 ? sign : byte) << 8 * i;
    }
    return d;
}

IFL_LANE int32_t ifl_byte(uint32_t x, unsigned index, bool is_signed)
{
    uint32_t byte = x >> 8 * index & 0xff;
    return is_signed ? (int32_t)(byte ^ 0x80) - 0x80 : (int32_t)byte;
}

IFL_LANE int32_t ifl_half(uint32_t x, unsigned index, bool is_signed)
{
    uint32_t half = x >> 16 * index & 0xffff;
    return is_signed ? (int32_t)(half ^ 0x8000) - 0x8000 : (int32_t)half;
}

/* vabsdiff2 and vabsdiff4: |a - b| of unsigned parts of so many bits, or with .add the sum of c and
 * those. */
IFL_LANE uint32_t ifl_abs_differences(const ifl_modifiers *m, uint32_t a, uint32_t b, uint32_t c,
                                      unsigned bits)
{
    uint32_t part = (UINT32_C(1) << bits) - 1, apart = 0, sum = c;
    for (unsigned at = 0; at < 32; at += bits) {
        uint32_t x = a >> at & part, y = b >> at & part, difference = x > y ? x - y : y - x;
        apart |= difference << at;
        sum += difference;
    }
    return m->operation == IFL_OPERATION_ADD ? sum : apart;
}

IFL_LANE uint32_t ifl_dp4a(uint32_t a, uint32_t b, uint32_t c, bool a_signed, bool b_signed)
{
    for (unsigned i = 0; i < 4; i++)
        c += (uint32_t)(ifl_byte(a, i, a_signed) * ifl_byte(b, i, b_signed));
    return c;
}

/* .lo takes the low two bytes of b, .hi the high two. */
IFL_LANE uint32_t ifl_dp2a(const ifl_modifiers *m, uint32_t a, uint32_t b, uint32_t c,
                           bool a_signed, bool b_signed)
{
    unsigned first = m->half == IFL_HALF_HI ? 2 : 0;
    for (unsigned i = 0; i < 2; i++)
        c += (uint32_t)(ifl_half(a, i, a_signed) * ifl_byte(b, first + i, b_signed));
    return c;
}

/* ---- modifiers on floating-point values ------------------------------------------------------ */

/* .ftz: subnormals become zero of the same sign. */
IFL_LANE float ifl_flush(float x)
{
    uint32_t bits = ifl_f32_bits(x);
    return ifl_bits_f32(bits & ((bits & 0x7f800000) != 0 ? UINT32_MAX : 0x80000000));
}

/* A NaN among the operands of an f64 instruction is its result, made quiet: b before c before a
 * where there are several (sm_90; PTX leaves the payload open). Compilers may swap a and b, so the
 * choice is not left to the CPU. */
IFL_LANE double ifl_quiet(double x)
{
    return x != x ? ifl_bits_f64(ifl_f64_bits(x) | UINT64_C(1) << 51) : x;
}

IFL_LANE double ifl_nan2(double result, double a, double b)
{
    double nan = b != b ? b : a; /* a NaN exactly where one of them is */
    return nan != nan ? ifl_bits_f64(ifl_f64_bits(nan) | UINT64_C(1) << 51) : result;
}

IFL_LANE double ifl_nan3(double result, double a, double b, double c)
{
    double nan = b != b ? b : c != c ? c : a;
    return nan != nan ? ifl_bits_f64(ifl_f64_bits(nan) | UINT64_C(1) << 51) : result;
}

/* .sat: to [0, 1], NaN to +0 */
IFL_LANE float ifl_saturate_f32(float x)
{
    return x > 0 ? (x < 1 ? x : 1) : 0;
}

IFL_LANE double ifl_saturate_f64(double x)
{
    return x > 0 ? (x < 1 ? x : 1) : 0;
}

/* .relu: negative values and -0 become +0, a NaN stays one */
IFL_LANE double ifl_relu(double x)
{
    return x <= 0 ? 0 : x;
}

/* A result x is flushed when it is subnormal after rounding to 24 bits whatever its exponent (as
 * sm_90 does), so not when IEEE rounding alone makes it the smallest normal. `scaled` is 2^30 times
 * the result, rounded alike. */
IFL_LANE float ifl_flush_tiny(float x, float scaled)
{
    return fabsf(scaled) < 0x1p-96f ? ifl_bits_f32(ifl_f32_bits(x) & 0x80000000) : x;
}

IFL_LANE float ifl_in(const ifl_modifiers *m, float x)
{
    return m->flags & IFL_FLAG_FTZ ? ifl_flush(x) : x;
}

IFL_LANE float ifl_out(const ifl_modifiers *m, float x)
{
    x = m->flags & IFL_FLAG_FTZ ? ifl_flush(x) : x;
    return m->flags & IFL_FLAG_SAT ? ifl_saturate_f32(x) : x;
}

IFL_LANE double ifl_out_f64(const ifl_modifiers *m, double x)
{
    return m->flags & IFL_FLAG_SAT ? ifl_saturate_f64(x) : x;
}

/* A result of mul, fma or div, which rounding may have brought up to the smallest normal. */
IFL_LANE float ifl_out_tiny(const ifl_modifiers *m, float x, float scaled)
{
    return ifl_out(m, m->flags & IFL_FLAG_FTZ ? ifl_flush_tiny(x, scaled) : x);
}

IFL_LANE float ifl_mul_ftz(float a, float b)
{
    a = ifl_flush(a), b = ifl_flush(b);
    return ifl_flush_tiny(a * b, a * 0x1p30f * b);
}

/* ---- small floating-point formats ------------------------------------------------------------ */

/* Codes count up with the magnitude: zero, subnormals, normals, then infinity if there is one, then
 * NaN. Where there is no infinity `infinity` is `max`. */
typedef struct ifl_format {
    int mantissa; /* stored bits */
    int bias;
    uint32_t sign; /* the sign's bit */
    uint32_t max;  /* the largest finite magnitude */
    uint32_t infinity;
    uint32_t nan; /* what PTX gives for a NaN */
} ifl_format;

static const ifl_format ifl_f16 = {10, 15, 0x8000, 0x7bff, 0x7c00, 0x7fff};
static const ifl_format ifl_bf16 = {7, 127, 0x8000, 0x7f7f, 0x7f80, 0x7fff};
static const ifl_format ifl_f32 = {23, 127, 0x80000000, 0x7f7fffff, 0x7f800000, 0x7fffffff};
/* tf32 is the upper 19 bits of an f32 */
static const ifl_format ifl_tf32 = {10, 127, 0x40000, 0x3fbff, 0x3fc00, 0x3ffff};
static const ifl_format ifl_e4m3 = {3, 7, 0x80, 0x7e, 0x7e, 0x7f};
static const ifl_format ifl_e5m2 = {2, 15, 0x80, 0x7b, 0x7c, 0x7f};
/* fp6 and fp4 have no NaN: it becomes the largest value */
static const ifl_format ifl_e2m3 = {3, 1, 0x20, 0x1f, 0x1f, 0x1f};
static const ifl_format ifl_e3m2 = {2, 3, 0x20, 0x1f, 0x1f, 0x1f};
static const ifl_format ifl_e2m1 = {1, 1, 0x8, 0x7, 0x7, 0x7};

/* Does rounding go away from zero? `rest` is what is cut off, in units of 2^-64 of the last
 * place. */
IFL_LANE bool ifl_rounds_up(unsigned rounding, uint64_t rest, bool odd, bool negative)
{
    const uint64_t half = UINT64_C(1) << 63;
    switch (rounding) {
    case IFL_ROUND_RZ:
        return false;
    case IFL_ROUND_RM:
        return negative && rest != 0;
    case IFL_ROUND_RP:
        return !negative && rest != 0;
    case IFL_ROUND_RNA:
        return rest >= half;
    default:
        return rest > half - odd;
    }
}

/* Where a value too large to represent goes: to infinity, unless the rounding is inwards or
 * .satfinite. */
IFL_LANE uint32_t ifl_overflow(const ifl_format *f, unsigned rounding, bool finite, bool negative)
{
    bool inwards = rounding == IFL_ROUND_RZ || rounding == (negative ? IFL_ROUND_RP : IFL_ROUND_RM);
    return finite || inwards ? f->max : f->infinity;
}

/* x in a smaller format, rounded once. Exact too when x is itself a result rounded to odd. */
IFL_LANE uint32_t ifl_narrow(const ifl_format *f, double x, unsigned rounding, bool finite)
{
    uint64_t bits = ifl_f64_bits(x), magnitude = bits & INT64_MAX;
    bool negative = bits >> 63;
    int exponent = (int)(magnitude >> 52) - 1023, lowest = 1 - f->bias;
    int kept = exponent < lowest ? lowest : exponent;
    int shift = 52 - f->mantissa + kept - exponent;
    shift = shift > 63 ? 63 : shift;
    uint64_t significand = (magnitude & 0xfffffffffffff) | (uint64_t)(exponent != -1023) << 52;
    uint64_t floor = significand >> shift, rest = significand << (64 - shift);
    uint64_t code = ((uint64_t)(kept - lowest) << f->mantissa) + floor +
                    ifl_rounds_up(rounding, rest, floor & 1, negative);
    code = code > f->max ? ifl_overflow(f, rounding, finite, negative) : code;
    code = magnitude == UINT64_C(0x7ff0000000000000) ? (finite ? f->max : f->infinity) : code;
    uint32_t sign = negative ? f->sign : 0;
    return magnitude > UINT64_C(0x7ff0000000000000) ? f->nan : (uint32_t)code | sign;
}

/* The value of a code; exact, also the payload of a NaN. */
IFL_LANE float ifl_widen(const ifl_format *f, uint32_t code)
{
    uint32_t magnitude = code & (f->sign - 1);
    uint32_t bits = (magnitude << (23 - f->mantissa)) + ((uint32_t)(127 - f->bias) << 23);
    if (f->bias != 127) { /* else subnormals are those of f32 */
        float unit = ifl_bits_f32((uint32_t)(128 - f->bias - f->mantissa) << 23);
        float subnormal = (float)(int32_t)magnitude * unit;
        bits = magnitude >> f->mantissa == 0 ? ifl_f32_bits(subnormal) : bits;
    }
    bits |= magnitude > f->max ? 0x7f800000 : 0;
    return ifl_bits_f32(bits | (code & f->sign) * (0x80000000 / f->sign));
}

/* x + y rounded to odd: the last bit is set where the sum is not exact (Boldo and Melquiond,
 * "Emulation of FMA and correctly rounded sums", 2008). Rounding it again to at most 51 bits is as
 * if the sum were exact. */
IFL_LANE double ifl_add_odd(double x, double y)
{
    double sum = x + y, part = sum - x;
    double error = (x - (sum - part)) + (y - part);
    uint64_t bits = ifl_f64_bits(sum);
    uint64_t away = (error > 0) == (sum > 0) ? 1 : UINT64_MAX;
    bool inexact = error < 0 || error > 0;
    return ifl_bits_f64(bits + (inexact && (bits & 1) == 0 ? away : 0));
}

IFL_LANE float ifl_fma_f32(float a, float b, float c)
{
#ifdef __FMA__
    return fmaf(a, b, c);
#else
    return (float)ifl_add_odd((double)a * b, c);
#endif
}

IFL_LANE float ifl_fma_ftz(float a, float b, float c)
{
    a = ifl_flush(a), b = ifl_flush(b), c = ifl_flush(c);
    return ifl_flush_tiny(ifl_fma_f32(a, b, c), ifl_fma_f32(a * 0x1p30f, b, c * 0x1p30f));
}

/* An integer as a double, rounded to odd at bit 11: enough for every format but f64. */
IFL_LANE double ifl_u64_odd(uint64_t x)
{
    uint64_t cut = x & 0x7ff;
    return (double)(x >> 53 != 0 ? (x - cut) | (uint64_t)(cut != 0) << 11 : x);
}

IFL_LANE double ifl_s64_odd(int64_t x)
{
    double magnitude = ifl_u64_odd(ifl_magnitude64(x));
    return x < 0 ? -magnitude : magnitude;
}

/* For handlers of instructions without modifiers: the compiler sees that none is set. */
static const ifl_modifiers ifl_unmodified = {.rounding = IFL_ROUND_RN};

/* ---- f16 and bf16 ---------------------------------------------------------------------------- */

IFL_LANE uint16_t ifl_half_flush(const ifl_format *f, const ifl_modifiers *m, uint16_t x)
{
    bool subnormal = (x & f->infinity) == 0;
    return m->flags & IFL_FLAG_FTZ && subnormal ? x & f->sign : x;
}

IFL_LANE float ifl_half_in(const ifl_format *f, const ifl_modifiers *m, uint16_t x)
{
    return ifl_widen(f, ifl_half_flush(f, m, x));
}

/* As ifl_flush_tiny: what rounds to less than the smallest normal when the exponent has no
 * bound. */
IFL_LANE double ifl_half_flush_tiny(const ifl_format *f, double x)
{
    double lowest = ifl_bits_f64((uint64_t)(1024 - f->bias) << 52);
    double half_step = ifl_bits_f64((uint64_t)(1021 - f->mantissa) << 52);
    return fabs(x) < lowest - lowest * half_step ? ifl_bits_f64(ifl_f64_bits(x) & UINT64_C(1) << 63)
                                                 : x;
}

/* .sat, .relu and .ftz on a result that is exact or rounded to odd, and its one rounding */
IFL_LANE uint16_t ifl_half_out(const ifl_format *f, const ifl_modifiers *m, double x)
{
    x = m->flags & IFL_FLAG_SAT ? ifl_saturate_f64(x) : x;
    x = m->flags & IFL_FLAG_RELU ? ifl_relu(x) : x;
    x = m->flags & IFL_FLAG_FTZ ? ifl_half_flush_tiny(f, x) : x;
    return (uint16_t)ifl_narrow(f, x, IFL_ROUND_RN, false);
}

/* ---- f16 and bf16 with every modifier -------------------------------------------------------- */

IFL_LANE uint16_t ifl_half_add(const ifl_format *f, const ifl_modifiers *m, uint16_t a, uint16_t b)
{
    return ifl_half_out(f, m, ifl_add_odd(ifl_half_in(f, m, a), ifl_half_in(f, m, b)));
}

IFL_LANE uint16_t ifl_half_sub(const ifl_format *f, const ifl_modifiers *m, uint16_t a, uint16_t b)
{
    return ifl_half_out(f, m, ifl_add_odd(ifl_half_in(f, m, a), -ifl_half_in(f, m, b)));
}

IFL_LANE uint16_t ifl_half_mul(const ifl_format *f, const ifl_modifiers *m, uint16_t a, uint16_t b)
{
    return ifl_half_out(f, m, (double)ifl_half_in(f, m, a) * ifl_half_in(f, m, b));
}

IFL_LANE uint16_t ifl_half_fma(const ifl_format *f, const ifl_modifiers *m, uint16_t a, uint16_t b,
                               uint16_t c)
{
    double product = (double)ifl_half_in(f, m, a) * ifl_half_in(f, m, b);
    return ifl_half_out(f, m, ifl_add_odd(product, ifl_half_in(f, m, c)));
}

/* Sign changes work on the bits; a NaN becomes the canonical one. */
IFL_LANE uint16_t ifl_half_nan(const ifl_format *f, uint16_t x, uint16_t otherwise)
{
    return (x & (f->sign - 1)) > f->infinity ? (uint16_t)f->nan : otherwise;
}

IFL_LANE uint16_t ifl_half_abs(const ifl_format *f, const ifl_modifiers *m, uint16_t a)
{
    return ifl_half_nan(f, a, ifl_half_flush(f, m, a) & (uint16_t)~f->sign);
}

IFL_LANE uint16_t ifl_half_neg(const ifl_format *f, const ifl_modifiers *m, uint16_t a)
{
    return ifl_half_nan(f, a, ifl_half_flush(f, m, a) ^ (uint16_t)f->sign);
}

/* ---- minimum, maximum ------------------------------------------------------------------------ */

/* -0 is below +0; a NaN loses to a number, and wins with .NaN (PTX ISA, min and max). */
IFL_LANE float ifl_min_f32(float a, float b)
{
    float zero = ifl_bits_f32(ifl_f32_bits(a) | ifl_f32_bits(b));
    return a < b || b != b ? a : a == b ? zero : b;
}

IFL_LANE float ifl_max_f32(float a, float b)
{
    float zero = ifl_bits_f32(ifl_f32_bits(a) & ifl_f32_bits(b));
    return a > b || b != b ? a : a == b ? zero : b;
}

IFL_LANE double ifl_min_f64(double a, double b)
{
    double zero = ifl_bits_f64(ifl_f64_bits(a) | ifl_f64_bits(b));
    return a < b || (b != b && a == a) ? a : a == b ? zero : ifl_quiet(b);
}

IFL_LANE double ifl_max_f64(double a, double b)
{
    double zero = ifl_bits_f64(ifl_f64_bits(a) & ifl_f64_bits(b));
    return a > b || (b != b && a == a) ? a : a == b ? zero : ifl_quiet(b);
}

/* With every modifier but .ftz: .abs compares magnitudes, .xorsign gives the result the product's
 * sign. */
IFL_LANE float ifl_pick(const ifl_modifiers *m, float a, float b, bool maximum)
{
    uint32_t sign = (ifl_f32_bits(a) ^ ifl_f32_bits(b)) & 0x80000000;
    bool nan = m->flags & IFL_FLAG_NAN && (a != a || b != b);
    a = m->flags & IFL_FLAG_ABS ? fabsf(a) : a;
    b = m->flags & IFL_FLAG_ABS ? fabsf(b) : b;
    float picked = maximum ? ifl_max_f32(a, b) : ifl_min_f32(a, b);
    picked = nan ? ifl_bits_f32(0x7fffffff) : picked;
    return m->flags & IFL_FLAG_XORSIGN ? ifl_bits_f32((ifl_f32_bits(picked) & 0x7fffffff) | sign)
                                       : picked;
}

IFL_LANE uint16_t ifl_half_min(const ifl_format *f, const ifl_modifiers *m, uint16_t a, uint16_t b)
{
    return ifl_half_out(f, m, ifl_pick(m, ifl_half_in(f, m, a), ifl_half_in(f, m, b), false));
}

IFL_LANE uint16_t ifl_half_max(const ifl_format *f, const ifl_modifiers *m, uint16_t a, uint16_t b)
{
    return ifl_half_out(f, m, ifl_pick(m, ifl_half_in(f, m, a), ifl_half_in(f, m, b), true));
}

/* ---- comparison ------------------------------------------------------------------------------ */

/* Which of the four relations makes each comparison true: 1 less, 2 equal, 4 greater, 8
 * unordered. */
IFL_LANE bool ifl_holds(const ifl_modifiers *m, bool less, bool equal, bool greater)
{
    static const uint8_t relations[] = {
        [IFL_COMPARE_EQ] = 2,   [IFL_COMPARE_NE] = 5,   [IFL_COMPARE_LT] = 1,
        [IFL_COMPARE_LE] = 3,   [IFL_COMPARE_GT] = 4,   [IFL_COMPARE_GE] = 6,
        [IFL_COMPARE_EQU] = 10, [IFL_COMPARE_NEU] = 13, [IFL_COMPARE_LTU] = 9,
        [IFL_COMPARE_LEU] = 11, [IFL_COMPARE_GTU] = 12, [IFL_COMPARE_GEU] = 14,
        [IFL_COMPARE_NUM] = 7,  [IFL_COMPARE_NAN] = 8,
    };
    unsigned wanted = relations[m->compare];
    unsigned relation = less ? 1 : equal ? 2 : greater ? 4 : 8;
    return (wanted & relation) != 0;
}

#define IFL_COMPARE(m, a, b) ifl_holds(m, (a) < (b), (a) == (b), (a) > (b))

/* set of packed halves: `one` in each half where the comparison holds. */
IFL_LANE uint32_t ifl_half_set2(const ifl_format *f, const ifl_modifiers *m, uint32_t a, uint32_t b,
                                uint32_t one)
{
    bool low = IFL_COMPARE(m, ifl_half_in(f, m, (uint16_t)a), ifl_half_in(f, m, (uint16_t)b));
    bool high = IFL_COMPARE(m, ifl_half_in(f, m, (uint16_t)(a >> 16)),
                            ifl_half_in(f, m, (uint16_t)(b >> 16)));
    return (low ? one : 0) | (high ? one << 16 : 0);
}

/* testp: zero counts as normal. `top` is infinity's bits, `lowest` the smallest normal's. */
IFL_LANE bool ifl_test_class(unsigned mode, uint64_t magnitude, uint64_t lowest, uint64_t top)
{
    bool normal = magnitude == 0 || (magnitude >= lowest && magnitude < top);
    return mode == IFL_MODE_FINITE       ? magnitude < top
           : mode == IFL_MODE_INFINITE   ? magnitude == top
           : mode == IFL_MODE_NUMBER     ? magnitude <= top
           : mode == IFL_MODE_NOTANUMBER ? magnitude > top
           : mode == IFL_MODE_NORMAL     ? normal
                                         : magnitude != 0 && magnitude < lowest;
}

/* ---- conversion ------------------------------------------------------------------------------ */

/* .rni .rzi .rmi .rpi */
IFL_LANE double ifl_round(unsigned rounding, double x)
{
    return rounding == IFL_ROUND_RZI   ? trunc(x)
           : rounding == IFL_ROUND_RMI ? floor(x)
           : rounding == IFL_ROUND_RPI ? ceil(x)
                                       : rint(x);
}

/* The integer part of x clamped to [low, high], both within 32 bits. */
IFL_LANE int32_t ifl_to_s32(double x, int32_t low, int32_t high, int32_t nan)
{
    double clamped = x > low ? (x < high ? x : high) : low;
    return x != x ? nan : (int32_t)clamped;
}

IFL_LANE uint32_t ifl_to_u32(double x, uint32_t nan)
{
    double clamped = x > 0 ? (x < UINT32_MAX ? x : UINT32_MAX) : 0;
    return x != x ? nan : (uint32_t)clamped;
}

/* A NaN becomes the highest bit alone. */
IFL_LANE int64_t ifl_to_s64(double x)
{
    bool inside = x >= -0x1p63 && x < 0x1p63;
    return inside ? (int64_t)(inside ? x : 0) : x > 0 ? INT64_MAX : INT64_MIN;
}

IFL_LANE uint64_t ifl_to_u64(double x)
{
    bool inside = x > -1 && x < 0x1p64;
    uint64_t outside = x != x ? UINT64_C(1) << 63 : x > 0 ? UINT64_MAX : 0;
    return inside ? (uint64_t)(inside ? x : 0) : outside;
}

/* ---- lane.c: slow, one lane at a time -------------------------------------------------------- */

/* The operations on f16 and bf16 with any modifier */
uint16_t ifl_any_half_add(const ifl_format *f, const ifl_modifiers *m, uint16_t a, uint16_t b);
uint16_t ifl_any_half_sub(const ifl_format *f, const ifl_modifiers *m, uint16_t a, uint16_t b);
uint16_t ifl_any_half_mul(const ifl_format *f, const ifl_modifiers *m, uint16_t a, uint16_t b);
uint16_t ifl_any_half_min(const ifl_format *f, const ifl_modifiers *m, uint16_t a, uint16_t b);
uint16_t ifl_any_half_max(const ifl_format *f, const ifl_modifiers *m, uint16_t a, uint16_t b);
uint16_t ifl_any_half_fma(const ifl_format *f, const ifl_modifiers *m, uint16_t a, uint16_t b,
                          uint16_t c);
/* .oob: +0 where a or b is the NaN that tensor copies put for elements out of bounds, of either sign
 * (PTX ISA, fma; its bits, and that the addend does not matter: an H100). */
uint16_t ifl_oob_half_fma(const ifl_format *f, const ifl_modifiers *m, uint16_t a, uint16_t b,
                          uint16_t c);

/* Conversions with the rounding, .ftz, .sat, .relu and .satfinite of `m`, of an x that is exact or
 * rounded to odd: to f32, to a format of at most 19 bits, to two of them `bits` apart */
float ifl_narrow_f32(const ifl_modifiers *m, double x);
uint32_t ifl_narrow_to(const ifl_format *f, const ifl_modifiers *m, double x);
uint32_t ifl_narrow_pair(const ifl_format *f, const ifl_modifiers *m, double high, double low,
                         unsigned bits);
/* The same of an f64, which keeps the upper bits of a NaN's payload; f32 as its bits */
uint16_t ifl_f64_to_half(const ifl_format *f, const ifl_modifiers *m, double x);
uint32_t ifl_f64_to_f32(const ifl_modifiers *m, double x);
/* .rs: `random`, of so many bits, is added to what is cut off, from its first bit on, and all but the
 * carry is dropped (PTX ISA 9.0, cvt) */
uint32_t ifl_narrow_randomly(const ifl_format *f, const ifl_modifiers *m, float x, uint32_t random,
                             unsigned random_bits);
/* Two elements of 8 bits or less, `bits` apart, that share 16 random bits: the first takes them in
 * reverse order (a B200's results, as published) */
uint32_t ifl_narrow_pair_randomly(const ifl_format *f, const ifl_modifiers *m, float high,
                                  float low, uint32_t random, unsigned bits);
/* What F2FP.RS gives of a and b and the random bits c: halves with `bits` of each half of c; two
 * bytes beside the lower half of c, with its upper one; two elements of 4 bits before the lower bytes
 * of c, with its upper byte and the one before its last (where these stand: PTX ISA 9.0, cvt) */
#define IFL_RANDOM_HALVES(f, m, a, b, c, bits)                                                     \
    IFL_PAIR(ifl_narrow_randomly(f, m, a, IFL_HIGH(c) & ((1u << (bits)) - 1), bits),               \
             ifl_narrow_randomly(f, m, b, (c) & ((1u << (bits)) - 1), bits))
#define IFL_RANDOM_BYTES(f, m, a, b, c)                                                            \
    (c) << 16 | ifl_narrow_pair_randomly(f, m, a, b, (c) >> 16, 8)
#define IFL_RANDOM_FOURS(f, m, a, b, c)                                                            \
    (c) << 8 | ifl_narrow_pair_randomly(f, m, a, b, ((c) >> 16 & 0xff00) | ((c) >> 8 & 0xff), 4)
/* A code of a format that f16 contains, as f16 */
uint16_t ifl_small_to_f16(const ifl_format *f, const ifl_modifiers *m, uint32_t code);

/* IEEE operations in one of the four roundings .rn .rz .rm .rp */
float ifl_round_sqrt_f32(unsigned rounding, float a);
double ifl_round_add_f64(unsigned rounding, double a, double b);
double ifl_round_mul_f64(unsigned rounding, double a, double b);
double ifl_round_div_f64(unsigned rounding, double a, double b);
double ifl_round_sqrt_f64(unsigned rounding, double a);
double ifl_round_fma_f64(unsigned rounding, double a, double b, double c);
double ifl_round_s64_f64(unsigned rounding, int64_t a);
double ifl_round_u64_f64(unsigned rounding, uint64_t a);

/* mul, fma and div with .ftz, .sat and the rounding of `m` */
float ifl_any_mul_f32(const ifl_modifiers *m, float a, float b);
float ifl_any_fma_f32(const ifl_modifiers *m, float a, float b, float c);
float ifl_any_div_f32(const ifl_modifiers *m, float a, float b);
/* a * b * factor, a power of two, rounded once (2^20 products an H200, subnormal and infinite ones
 * among them) */
float ifl_scaled_mul_f32(const ifl_modifiers *m, float a, float b, double factor);

/* Two f32 in the halves of 64 bits */
uint64_t ifl_x2_add(const ifl_modifiers *m, uint64_t a, uint64_t b, bool negate_b);
uint64_t ifl_x2_mul(const ifl_modifiers *m, uint64_t a, uint64_t b);
uint64_t ifl_x2_fma(const ifl_modifiers *m, uint64_t a, uint64_t b, uint64_t c);

uint32_t ifl_fns(uint32_t mask, uint32_t base, int32_t offset);
/* The selectors that prmt's modes stand for, from the low two bits of c */
uint32_t ifl_prmt_selectors(unsigned mode, uint32_t c);
/* ue8m0: a power of two without sign; 0xff is NaN */
uint32_t ifl_narrow_ue8m0(const ifl_modifiers *m, float x);
uint16_t ifl_ue8m0_to_bf16(uint32_t code);

/* What the lowest bits of `code` stand for times what the lowest byte of `scale`, a ue8m0, does. No
 * bit is lost. */
IFL_LANE float ifl_scaled(const ifl_format *f, uint32_t code, uint32_t scale)
{
    return ifl_widen(f, code) * ifl_widen(&ifl_bf16, ifl_ue8m0_to_bf16(scale & 0xff));
}

#endif
