/* SPDX-License-Identifier: Apache-2.0
 * Warp-wide operations whose lanes are in several groups or not all there, and small operations
 * compiled once. What the lanes do together: exchange_lanes.h. */
#include "exec/exchange_lanes.h"
#include "exec/race.h"

#include <string.h>

ifl_membership ifl_warp_membership(const ifl_exchange *op, const char *frame, uint32_t lane)
{
    const uint32_t members = ifl_lane_u32(frame, op->members, lane);
    return (ifl_membership){members, members >> lane & 1};
}

uint32_t ifl_warp_group(const ifl_exchange *op, const char *frame, uint32_t mask, ifl_membership of)
{
    const uint32_t *named = (const uint32_t *)(const void *)(frame + op->members);
    uint32_t group = 0;
    for (uint32_t left = mask & (of.is_member ? of.members : ~of.members); left; left &= left - 1)
        group |= named[__builtin_ctz(left)] == of.members ? left & -left : 0;
    return group;
}

static ifl_membership first_membership(const ifl_exchange *op, const char *frame, uint32_t mask)
{
    return ifl_warp_membership(op, frame, (uint32_t)__builtin_ctz(mask));
}

/* A fragment holds one or more groups of lanes, each with a member mask of its own (PTX ISA,
 * membermask: the lanes that take part): tiles of a warp, for instance. They know nothing of each
 * other. A group needs those of its lanes that still live: when they are not all in the fragment,
 * it waits for the others (warp.c). */
ifl_reason ifl_exchange_groups(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                               uint32_t active)
{
    const ifl_exchange *op = code->extra;
    for (uint32_t rest = mask, group; rest; rest &= ~group) {
        const ifl_membership of = first_membership(op, frame, rest);
        group = ifl_warp_group(op, frame, rest, of);
        if (!of.is_member && op->is_checked)
            return ifl_fault_outside(warp, code, (uint32_t)__builtin_ctz(rest), of.members);
        if (!of.is_member)
            ifl_race_outside(warp, code, (uint32_t)__builtin_ctz(rest), of.members);
        if (ifl_awaited(of) & warp->live & ~active)
            return IFL_REASON_WARP_WAIT;
    }
    uint32_t groups = 0;
    for (uint32_t rest = mask, group; rest; rest &= ~group) {
        group = ifl_warp_group(op, frame, rest, first_membership(op, frame, rest));
        ifl_exchange_run(warp, op, frame, group);
        groups++;
    }
    if (warp->is_followed && op->kind == IFL_EXCHANGE_MEET && groups > 1)
        ifl_warp_tell_parting(warp, code->site, groups - 1);
    return IFL_REASON_NONE;
}

void ifl_exchange_tell_values(ifl_warp *warp, const ifl_code *code, const char *frame,
                              uint32_t mask)
{
    const ifl_exchange *op = code->extra;
    const uint32_t *alike = ifl_words(frame, op->d);
    uint32_t values = 0;
    for (uint32_t m = mask; warp->is_followed && m; m &= m - 1)
        values += (alike[__builtin_ctz(m)] & ((m & -m) - 1)) == 0; /* the first lane of its value */
    if (values > 1)
        ifl_warp_tell_parting(warp, code->site, values - 1);
}

typedef struct float_minmax {
    bool is_max, absolute, keeps_nan;
} float_minmax;

static float as_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* -0 counts as below +0, as in min and max. */
static bool is_better(const float_minmax *f, float a, float b)
{
    bool a_negative = __builtin_signbit(a), b_negative = __builtin_signbit(b);
    if (a == b && a_negative != b_negative)
        return f->is_max ? !a_negative : a_negative;
    return f->is_max ? a > b : a < b;
}

uint32_t ifl_exchange_reduce_floats(const ifl_exchange *op, const char *frame, uint32_t mask)
{
    float_minmax f = {op->operation == IFL_OPERATION_MAX, op->absolute, op->keeps_nan};
    uint32_t best = 0x7fffffff;
    bool has_value = false;
    for (; mask; mask &= mask - 1) {
        uint32_t bits = ifl_lane_u32(frame, op->a, (uint32_t)__builtin_ctz(mask));
        bits = f.absolute ? bits & 0x7fffffff : bits;
        float value = as_float(bits);
        if (value != value && f.keeps_nan)
            return 0x7fffffff;
        if (value == value && (!has_value || is_better(&f, value, as_float(best))))
            best = bits, has_value = true;
    }
    return best;
}

void ifl_exchange_run(ifl_warp *warp, const ifl_exchange *op, char *frame, uint32_t mask)
{
    (void)warp;
    ifl_exchange_lanes(op, frame, mask, mask);
}

/* ---- carries, traps, sleep: other small operations ------------------------------------------- */

typedef unsigned __int128 wide;

/* The carry of a subtraction is that of a + ~b + 1: set when nothing is borrowed, and subc takes it
 * so. PTX ISA calls it the borrow, and as long as a chain only subtracts the two are the same; but
 * the hardware's way shows where a chain ends in addc, as in the compiler's own division of 128
 * bits. */
static wide carry_operation(uint64_t how, unsigned bits, bool is_signed, wide a, wide b, wide c,
                            bool carry, bool *out)
{
    wide limit = (wide)1 << bits, result;
    const bool takes_carry = how & IFL_CARRY_COMES_IN;
    if (how & IFL_CARRY_SUBTRACTS) {
        bool borrow = takes_carry && !carry;
        result = a - b - borrow;
        *out = a >= b + borrow;
        return result & (limit - 1);
    }
    if (how & IFL_CARRY_MULTIPLIES) {
        bool negative_a = is_signed && a >> (bits - 1) & 1,
             negative_b = is_signed && b >> (bits - 1) & 1;
        wide product = a * b;
        if (how & IFL_CARRY_TAKES_HIGH) {
            /* The unsigned product's high half, corrected for the signs: Hacker's Delight, section
             * 8-3. */
            product >>= bits;
            product -= (negative_a ? b : 0) + (negative_b ? a : 0);
        }
        a = product & (limit - 1);
        b = c;
    }
    result = a + b + (takes_carry && carry);
    *out = result >= limit;
    return result & (limit - 1);
}

ifl_reason ifl_slow_carry(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                          uint32_t active)
{
    (void)warp, (void)active;
    unsigned bits = code->count & ~1u;
    uint32_t *carries = ifl_slot(frame, code->e);
    for (; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        wide in[3];
        const uint32_t slot[3] = {code->a, code->b, code->c};
        for (int i = 0; i < 3; i++)
            in[i] = bits == 64 ? ifl_lane_u64(frame, slot[i], lane)
                               : ifl_lane_u32(frame, slot[i], lane);
        bool out;
        wide result = carry_operation(code->value, bits, code->count & 1, in[0], in[1], in[2],
                                      *carries >> lane & 1, &out);
        memcpy(frame + code->d + lane * (bits / 8), &result, bits / 8);
        if (code->value & IFL_CARRY_GOES_OUT)
            *carries = (*carries & ~(UINT32_C(1) << lane)) | (uint32_t)out << lane;
    }
    return IFL_REASON_NONE;
}

/* d = (a != 0), combined with c. */
ifl_reason ifl_slow_nonzero(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                            uint32_t active)
{
    (void)warp, (void)active;
    uint32_t holds = 0, with = ifl_predicate(frame, code->c) ^ code->flip;
    for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++)
        holds |= (uint32_t)(ifl_lane_u32(frame, code->a, lane) != 0) << lane;
    holds = code->count == IFL_COMBINE_AND  ? holds & with
            : code->count == IFL_COMBINE_OR ? holds | with
                                            : holds ^ with;
    ifl_keep_predicate(frame, code->d, mask, holds);
    return IFL_REASON_NONE;
}

/* Byte `value` of a (count bytes wide) into the 16-bit lane d, and back. */
ifl_reason ifl_slow_take_byte(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                              uint32_t active)
{
    (void)warp, (void)active;
    for (; mask; mask &= mask - 1) {
        size_t lane = (size_t)__builtin_ctz(mask);
        ((uint16_t *)ifl_slot(frame, code->d))[lane] =
            (uint8_t)frame[code->a + lane * code->count + code->value];
    }
    return IFL_REASON_NONE;
}

ifl_reason ifl_slow_put_byte(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                             uint32_t active)
{
    (void)warp, (void)active;
    for (; mask; mask &= mask - 1) {
        size_t lane = (size_t)__builtin_ctz(mask);
        frame[code->d + lane * code->count + code->value] =
            (char)((uint16_t *)ifl_slot(frame, code->a))[lane];
    }
    return IFL_REASON_NONE;
}

ifl_reason ifl_slow_trap(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                         uint32_t active)
{
    (void)frame, (void)active;
    if (!mask)
        return IFL_REASON_NONE;
    return ifl_fault_raise(warp, code, IFL_FAULT_TRAP, (uint32_t)__builtin_ctz(mask),
                           "trap: the kernel ended itself");
}

/* Sleeping lets the others run. Someone who sleeps waits for memory to change. */
ifl_reason ifl_slow_nanosleep(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                              uint32_t active)
{
    (void)code, (void)frame, (void)active;
    if (mask)
        ifl_warp_observe(warp);
    ifl_pace_sleep(warp);
    warp->has_yielded |= mask != 0;
    return mask ? IFL_REASON_YIELD : IFL_REASON_NONE;
}
