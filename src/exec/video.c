/* SPDX-License-Identifier: Apache-2.0
 * Video instructions, lane by lane, as the pseudocode of the PTX ISA has them, whose values the tests
 * have (tests/ptx/video.ptx). */
#include "code/video.h"

#include "code/modifiers.h"
#include "exec/warp.h"

static int64_t take(uint64_t word, ifl_video_part part, bool is_signed)
{
    const uint64_t mask = (UINT64_C(1) << part.bits) - 1,
                   value = word >> part.bits * part.index & mask,
                   sign = is_signed ? (mask >> 1) + 1 : 0;
    return (int64_t)((value ^ sign) - sign);
}

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

static int64_t saturated(const ifl_video_op *op, int64_t value, unsigned bits)
{
    if (!op->saturates)
        return value;
    const int64_t range = (int64_t)1 << (bits - op->is_signed_d);
    return clamp(value, op->is_signed_d ? -range : 0, range - 1);
}

static bool holds(uint8_t compare, int64_t a, int64_t b)
{
    switch (compare) {
    case IFL_COMPARE_EQ:
        return a == b;
    case IFL_COMPARE_NE:
        return a != b;
    case IFL_COMPARE_LT:
        return a < b;
    case IFL_COMPARE_LE:
        return a <= b;
    case IFL_COMPARE_GT:
        return a > b;
    default:
        return a >= b;
    }
}

/* Shifts past the width take everything. */
static int64_t shifted(const ifl_video_op *op, int64_t a, int64_t b)
{
    enum { WIDTH = 32 };
    const unsigned by =
        op->wraps ? (unsigned)b & (WIDTH - 1) : (unsigned)(b > WIDTH || b < 0 ? WIDTH : b);
    return op->operation == IFL_VIDEO_SHIFT_LEFT ? (int64_t)((uint64_t)a << by) : a >> by;
}

static int64_t compute(const ifl_video_op *op, int64_t a, int64_t b)
{
    switch ((ifl_video_operation)op->operation) {
    case IFL_VIDEO_ADD:
        return a + b;
    case IFL_VIDEO_SUBTRACT:
        return a - b;
    case IFL_VIDEO_ABS_DIFFERENCE:
        return a < b ? b - a : a - b;
    case IFL_VIDEO_MIN:
        return a < b ? a : b;
    case IFL_VIDEO_MAX:
        return a > b ? a : b;
    case IFL_VIDEO_AVERAGE:
        return (a + b + (a + b >= 0)) >> 1;
    case IFL_VIDEO_SET:
        return holds(op->compare, a, b);
    default:
        return shifted(op, a, b);
    }
}

/* ---- one result ------------------------------------------------------------------------------ */

static uint32_t combined(const ifl_video_op *op, uint32_t value, uint32_t c)
{
    const bool is_less = op->is_signed_d ? (int32_t)value < (int32_t)c : value < c;
    switch (op->secondary) {
    case IFL_OPERATION_ADD:
        return value + c;
    case IFL_OPERATION_MIN:
        return is_less ? value : c;
    case IFL_OPERATION_MAX:
        return is_less ? c : value;
    default:
        return value;
    }
}

static uint32_t merged(ifl_video_part part, uint32_t value, uint32_t c)
{
    const uint64_t mask = ((UINT64_C(1) << part.bits) - 1) << part.bits * part.index;
    return (uint32_t)(((uint64_t)value << part.bits * part.index & mask) | (c & ~mask));
}

/* a * b + c, saturated if it is signed, where minus signs are spread as the pseudocode does: -(a * b) + c, a * b - c. */
static uint32_t multiplied(const ifl_video_op *op, int64_t a, int64_t b, uint32_t c)
{
    const bool is_negative = op->negates_a != op->negates_b,
               is_signed = op->is_signed_a || op->is_signed_b || is_negative || op->negates_c;
    __int128 product = (__int128)a * b;
    int64_t addend = is_signed ? (int32_t)c : (int64_t)c;
    if (!op->adds_one && is_negative)
        product = -product;
    else if (!op->adds_one && op->negates_c)
        addend = -addend;
    const __int128 value = (product + addend + op->adds_one) >> op->shift;
    if (!op->saturates)
        return (uint32_t)value;
    return (uint32_t)(int64_t)(value < INT32_MIN   ? INT32_MIN
                               : value > INT32_MAX ? INT32_MAX
                                                   : value);
}

static uint32_t single(const ifl_video_op *op, uint32_t a, uint32_t b, uint32_t c)
{
    const int64_t x = take(a, op->a[0], op->is_signed_a), y = take(b, op->b[0], op->is_signed_b);
    if (op->operation == IFL_VIDEO_MULTIPLY_ADD)
        return multiplied(op, x, y, c);
    const uint32_t value = (uint32_t)saturated(op, compute(op, x, y), op->d.bits);
    return op->secondary ? combined(op, value, c) : merged(op->d, value, c);
}

/* ---- several, side by side ------------------------------------------------------------------- */

static uint32_t several(const ifl_video_op *op, uint32_t a, uint32_t b, uint32_t c)
{
    const uint64_t both = (uint64_t)b << 32 | a;
    const uint8_t bits = (uint8_t)(32 / op->parts);
    uint32_t result = c;
    for (uint8_t i = 0; i < op->parts; i++) {
        if (!(op->mask >> i & 1))
            continue;
        const int64_t value = compute(op, take(both, op->a[i], op->is_signed_a),
                                      take(both, op->b[i], op->is_signed_b));
        if (op->secondary)
            result += (uint32_t)value;
        else
            result =
                merged((ifl_video_part){bits, i}, (uint32_t)saturated(op, value, bits), result);
    }
    return result;
}

ifl_reason ifl_slow_video(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                          uint32_t active)
{
    (void)warp, (void)active;
    const ifl_video_op *op = code->extra;
    uint32_t *d = ifl_slot(frame, code->d);
    for (; mask; mask &= mask - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(mask);
        const uint32_t a = ifl_lane_u32(frame, code->a, lane),
                       b = ifl_lane_u32(frame, code->b, lane),
                       c = ifl_lane_u32(frame, code->c, lane);
        d[lane] = op->parts == 1 ? single(op, a, b, c) : several(op, a, b, c);
    }
    return IFL_REASON_NONE;
}
