/* SPDX-License-Identifier: Apache-2.0
 * What the rows of machine code (sass/table) are written with, beside lane.h. As there: total
 * functions of one lane. */
#ifndef IFL_EXEC_MACHINE_LANE_H
#define IFL_EXEC_MACHINE_LANE_H

#include "code/lane_options.h"
#include "exec/approximate.h"
#include "exec/mufu.h"
#include "exec/mufu_lane.h"
#include "exec/rounded_lane.h"

/* ---- parts and signs of sources -------------------------------------------------------------- */

/* A part: turned down, masked, times 0x10001 where it fills both halves. */
static const struct ifl_part_form {
    uint32_t turn, mask, times, flip;
} ifl_part_forms[IFL_PARTS] = {
    [IFL_PART_WHOLE] = {0, UINT32_MAX, 1, 0},
    [IFL_PART_LOW_TWICE] = {0, 0xffff, 0x10001, 0},
    [IFL_PART_HIGH_TWICE] = {16, 0xffff, 0x10001, 0},
    [IFL_PART_TURNED] = {16, UINT32_MAX, 1, 0x8000},
    [IFL_PART_HALF1] = {16, 0xffff, 1, 0},
    [IFL_PART_BYTE1] = {8, 0xffffff, 1, 0},
    [IFL_PART_BYTE2] = {16, 0xffff, 1, 0},
    [IFL_PART_BYTE3] = {24, 0xff, 1, 0},
    [IFL_PART_TWICE] = {0, UINT32_MAX, 1, 0},
};

IFL_LANE uint32_t ifl_part_of(uint32_t x, unsigned part)
{
    const struct ifl_part_form *f = &ifl_part_forms[part];
    const uint32_t turned = x >> (f->turn & 31) | x << ((32 - f->turn) & 31);
    return ((turned & f->mask) * f->times) ^ f->flip;
}

IFL_LANE uint32_t ifl_halves(uint32_t x, const ifl_lane_options *o, unsigned k)
{
    return (ifl_part_of(x, o->part[k]) & o->keep[k]) ^ o->flip[k];
}

/* A float as a half, rounded towards zero; a half below 2^-14 counts 2^-24. */
IFL_LANE uint32_t ifl_f16_cut(uint32_t x)
{
    enum { INFINITE = 0x7f800000, TOO_LARGE = 0x47800000, NORMAL = 0x38800000 };
    const uint32_t magnitude = x & INT32_MAX, normal = (magnitude >> 13) - (112u << 10);
    const uint32_t small =
        (uint32_t)(ifl_bits_f32(magnitude & (uint32_t) - (magnitude < NORMAL)) * 0x1p24f);
    const uint32_t large = magnitude < INFINITE ? 0x7bff : 0x7c00;
    const uint32_t code = magnitude < NORMAL ? small : magnitude < TOO_LARGE ? normal : large;
    return magnitude > INFINITE ? 0x7fff : code | (x >> 16 & 0x8000);
}

/* Two halves, or a float as both. */
IFL_LANE uint32_t ifl_cut_halves(uint32_t x, const ifl_lane_options *o, unsigned k)
{
    const uint32_t both = ifl_f16_cut(x) * 0x10001;
    return o->part[k] == IFL_PART_TWICE ? (both & o->keep[k]) ^ o->flip[k] : ifl_halves(x, o, k);
}

/* Two f32; the upper one may have the opposite sign */
IFL_LANE uint64_t ifl_pair(uint64_t x, const ifl_lane_options *o, unsigned k)
{
    const uint64_t keep = (uint64_t)o->keep[k] << 32 | o->keep[k],
                   flip = (uint64_t)(o->flip[k] ^ o->upper_flip[k]) << 32 | o->flip[k];
    x = o->part[k] == IFL_PART_TWICE ? (x & UINT32_MAX) | x << 32 : x;
    return (x & keep) ^ flip;
}

/* ---- two f32 side by side, rounded to nearest ------------------------------------------------ */

IFL_LANE float ifl_near_add(const ifl_modifiers *m, float a, float b)
{
    return ifl_out(m, ifl_in(m, a) + ifl_in(m, b));
}

/* As ifl_any_mul_f32. */
IFL_LANE float ifl_near_mul(const ifl_modifiers *m, float x, float y)
{
    const float a = ifl_in(m, x), b = ifl_in(m, y);
    return ifl_out_tiny(m, a * b, a * 0x1p30f * b);
}

/* As ifl_any_fma_f32. */
IFL_LANE float ifl_near_fma(const ifl_modifiers *m, float x, float y, float z)
{
    const float a = ifl_in(m, x), b = ifl_in(m, y), c = ifl_in(m, z);
    return ifl_out_tiny(m, ifl_fma_f32(a, b, c), ifl_fma_f32(a * 0x1p30f, b, c * 0x1p30f));
}

IFL_LANE float ifl_of_pair(uint64_t pair, unsigned index)
{
    return ifl_bits_f32((uint32_t)(pair >> 32 * index));
}

IFL_LANE uint64_t ifl_pair_of(float high, float low)
{
    const uint32_t upper = high == high ? ifl_f32_bits(high) : 0x7fffffff,
                   lower = low == low ? ifl_f32_bits(low) : 0x7fffffff;
    return (uint64_t)upper << 32 | lower;
}

#define IFL_PAIRS2(f, m, a, b)                                                                     \
    ifl_pair_of(f(m, ifl_of_pair(a, 1), ifl_of_pair(b, 1)),                                        \
                f(m, ifl_of_pair(a, 0), ifl_of_pair(b, 0)))
#define IFL_PAIRS3(f, m, a, b, c)                                                                  \
    ifl_pair_of(f(m, ifl_of_pair(a, 1), ifl_of_pair(b, 1), ifl_of_pair(c, 1)),                     \
                f(m, ifl_of_pair(a, 0), ifl_of_pair(b, 0), ifl_of_pair(c, 0)))

/* ---- integers -------------------------------------------------------------------------------- */

IFL_LANE uint32_t ifl_least_u32(bool least, uint32_t a, uint32_t b)
{
    return least == (a < b) ? a : b;
}

IFL_LANE int32_t ifl_least_s32(bool least, int32_t a, int32_t b)
{
    return least == (a < b) ? a : b;
}

IFL_LANE uint32_t ifl_least3_u32(bool least, uint32_t a, uint32_t b, uint32_t c)
{
    return ifl_least_u32(least, ifl_least_u32(least, a, b), c);
}

IFL_LANE int32_t ifl_least3_s32(bool least, int32_t a, int32_t b, int32_t c)
{
    return ifl_least_s32(least, ifl_least_s32(least, a, b), c);
}

/* Of four bytes each. */
IFL_LANE uint32_t ifl_least_bytes(bool least, uint32_t a, uint32_t b)
{
    uint32_t bytes = 0;
    for (unsigned at = 0; at < 32; at += 8)
        bytes |= ifl_least_u32(least, a >> at & 0xff, b >> at & 0xff) << at;
    return bytes;
}

/* A 32-bit number with its sign, of more bits: -INT32_MIN is not INT32_MIN. */
IFL_LANE int64_t ifl_signed_source(const ifl_lane_options *o, unsigned k, uint32_t x)
{
    return o->plus[k] ? -(int64_t)(int32_t)x : (int64_t)(int32_t)(x ^ o->flip[k]);
}

/* .RELU */
IFL_LANE int32_t ifl_at_least(const ifl_lane_options *o, int32_t x)
{
    return o->m.flags & IFL_FLAG_RELU && x < 0 ? 0 : x;
}

/* A shift's distance: cut to the width with .W, else at most the width. */
IFL_LANE uint32_t ifl_distance(const ifl_lane_options *o, uint32_t count)
{
    return o->m.wrap == IFL_WRAP_WRAP ? count & (o->bits - 1u)
                                      : ifl_least_u32(true, count, o->bits);
}

IFL_LANE uint32_t ifl_shift_left(uint32_t x, uint32_t distance)
{
    return distance > 31 ? 0 : x << (distance & 31);
}

IFL_LANE uint32_t ifl_shift_right(uint32_t x, uint32_t distance)
{
    return distance > 31 ? 0 : x >> (distance & 31);
}

/* The place of the highest one, or how far it is from the top; all ones where there is none. */
IFL_LANE uint32_t ifl_leading_one(uint32_t x, bool as_shift)
{
    const uint32_t zeros = ifl_clz32(x);
    return zeros > 31 ? UINT32_MAX : as_shift ? zeros : 31 - zeros;
}

IFL_LANE uint32_t ifl_unlike_sign(uint32_t x)
{
    return x >> 31 ? ~x : x;
}

/* Of four bytes each, flipped first: with the upper bits flipped, as signed ones. */
IFL_LANE uint32_t ifl_sum_of_differences(uint32_t a, uint32_t b, uint32_t flip)
{
    uint32_t sum = 0;
    for (unsigned at = 0; at < 32; at += 8) {
        const uint32_t x = (a ^ flip) >> at & 0xff, y = (b ^ flip) >> at & 0xff;
        sum += x < y ? y - x : x - y;
    }
    return sum;
}

/* Of four bytes each, every byte with its source's sign. */
IFL_LANE uint32_t ifl_sum_bytes(const ifl_lane_options *o, uint32_t a, uint32_t b)
{
    uint32_t bytes = 0;
    for (unsigned at = 0; at < 32; at += 8) {
        const uint32_t x = ((a ^ o->flip[0]) >> at) + o->plus[0],
                       y = ((b ^ o->flip[1]) >> at) + o->plus[1];
        bytes |= ((x + y) & 0xff) << at;
    }
    return bytes;
}

/* ---- comparison ------------------------------------------------------------------------------ */

IFL_LANE bool ifl_relates(const ifl_lane_options *o, bool less, bool equal, bool greater)
{
    const unsigned relation = less ? 1 : equal ? 2 : greater ? 4 : 8;
    return (o->relation & relation) != 0;
}

/* Of upper words; `lower` is what the same comparison of the lower words gave. */
IFL_LANE bool ifl_relates_upper(const ifl_lane_options *o, bool less, bool greater, bool lower)
{
    return less ? o->relation & 1 : greater ? (o->relation & 4) != 0 : lower;
}

/* Is a the lesser of the two, -0 before +0, or the only number? */
IFL_LANE bool ifl_takes_first(double a, double b)
{
    const bool is_less = a < b || (a == b && __builtin_signbit(a) && !__builtin_signbit(b));
    return is_less || (a == a && b != b);
}

/* 1 or 0 with another of them, in words of 32 bits as all that lanes compute side by side */
IFL_LANE uint32_t ifl_combine_one(const ifl_lane_options *o, uint32_t holds, uint32_t with)
{
    return o->m.combine == IFL_COMBINE_OR    ? holds | with
           : o->m.combine == IFL_COMBINE_XOR ? holds ^ with
                                             : holds & with;
}

/* The value of a code of 16 bits, with .FTZ */
IFL_LANE float ifl_half_value(const ifl_format *f, const ifl_modifiers *m, uint32_t code)
{
    const uint32_t kept = m->flags & IFL_FLAG_FTZ ? f->sign : UINT32_MAX;
    return ifl_widen(f, (code & f->infinity) == 0 ? code & kept : code);
}

IFL_LANE uint32_t ifl_half_relates(const ifl_format *f, const ifl_lane_options *o, uint32_t a,
                                   uint32_t b)
{
    const float x = ifl_half_value(f, &o->m, a), y = ifl_half_value(f, &o->m, b);
    const uint32_t relation = x < y ? 1 : x == y ? 2 : x > y ? 4 : 8;
    return (o->relation & relation) != 0 ? 1 : 0;
}

/* o->number in each half where the comparison holds */
IFL_LANE uint32_t ifl_set_halves(const ifl_format *f, const ifl_lane_options *o, uint32_t a,
                                 uint32_t b, uint32_t with)
{
    const uint32_t low = ifl_half_relates(f, o, IFL_LOWER_CODE(a), IFL_LOWER_CODE(b)),
                   high = ifl_half_relates(f, o, IFL_UPPER_CODE(a), IFL_UPPER_CODE(b));
    return ((0 - ifl_combine_one(o, low, with)) & o->number) |
           ((0 - ifl_combine_one(o, high, with)) & o->number << 16);
}

/* ---- FCHK ------------------------------------------------------------------------------------ */

/* Whether a / b may leave the range in which the short way of a division is exact: by exponents, as
 * an H200 decides it (tests/gpu/h200/fchk.txt, all pairs). */
IFL_LANE bool ifl_division_is_slow(uint32_t a, uint32_t b)
{
    const int32_t of_a = (int32_t)(a >> 23 & 255), of_b = (int32_t)(b >> 23 & 255),
                  apart = of_a - of_b;
    return of_a < 25 || of_a == 255 || of_b < 2 || of_b >= 252 || apart > 126 || apart < -124;
}

#endif
