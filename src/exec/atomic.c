/* SPDX-License-Identifier: Apache-2.0
 * Atomic operations and reductions. Lanes of a request go in ascending order; blocks on different
 * workers meet only in operations whose order does not show (see lower_memory.c), done with the
 * host's atomics. */
#include "exec/bulk_copies.h"
#include "exec/lane.h"
#include "exec/race.h"
#include "exec/warp.h"

#include <string.h>

typedef struct value128 {
    uint64_t half[2];
} value128;

enum { WORD = 4, PLANE = WORD * IFL_WARP_LANES };

static value128 read_value(const ifl_atomic *a, const char *frame, uint32_t slot, unsigned bytes,
                           uint32_t lane)
{
    value128 value = {{0, 0}};
    const unsigned lane_bytes = bytes < 2 ? 2 : bytes;
    if (!a->is_planes)
        memcpy(&value, frame + slot + (size_t)lane * lane_bytes, bytes);
    for (unsigned at = 0; a->is_planes && at < bytes; at += WORD)
        memcpy((char *)&value + at, frame + slot + (size_t)at / WORD * PLANE + (size_t)lane * WORD,
               WORD);
    return value;
}

static void write_value(const ifl_atomic *a, char *frame, uint32_t slot, uint32_t lane,
                        const value128 *value)
{
    const unsigned bytes = a->transfer.slot_bytes;
    if (!a->is_planes)
        memcpy(frame + slot + (size_t)lane * bytes, value, bytes);
    for (unsigned at = 0; a->is_planes && at < bytes; at += WORD)
        memcpy(frame + slot + (size_t)at / WORD * PLANE + (size_t)lane * WORD,
               (const char *)value + at, WORD);
}

/* ---- floating point -------------------------------------------------------------------------- */

static uint32_t add_f32(uint32_t a, uint32_t b, bool flush)
{
    float x, y, sum;
    memcpy(&x, &a, 4), memcpy(&y, &b, 4);
    if (flush)
        x = ifl_flush(x), y = ifl_flush(y);
    sum = x + y;
    if (flush)
        sum = ifl_flush(sum);
    uint32_t bits;
    memcpy(&bits, &sum, 4);
    return sum == sum ? bits : 0x7fffffff;
}

static uint64_t add_f64(uint64_t a, uint64_t b)
{
    double x, y;
    memcpy(&x, &a, 8), memcpy(&y, &b, 8);
    x += y;
    memcpy(&a, &x, 8);
    return a;
}

static uint16_t half_operation(uint8_t operation, bool is_bf16, uint16_t a, uint16_t b)
{
    static const ifl_modifiers none = {0};
    const ifl_format *format = is_bf16 ? &ifl_bf16 : &ifl_f16;
    if (operation == IFL_OPERATION_ADD)
        return ifl_half_add(format, &none, a, b);
    return operation == IFL_OPERATION_MIN ? ifl_half_min(format, &none, a, b)
                                          : ifl_half_max(format, &none, a, b);
}

static uint64_t float_operation(uint8_t operation, uint8_t type, uint64_t a, uint64_t b, bool flush)
{
    bool is_bf16 = type == IFL_TYPE_BF16 || type == IFL_TYPE_BF16X2;
    switch (type) {
    case IFL_TYPE_F32:
        return add_f32((uint32_t)a, (uint32_t)b, flush);
    case IFL_TYPE_F64:
        return add_f64(a, b);
    case IFL_TYPE_F16:
    case IFL_TYPE_BF16:
        return half_operation(operation, is_bf16, (uint16_t)a, (uint16_t)b);
    default:
        return half_operation(operation, is_bf16, (uint16_t)a, (uint16_t)b) |
               (uint64_t)half_operation(operation, is_bf16, (uint16_t)(a >> 16),
                                        (uint16_t)(b >> 16))
                   << 16;
    }
}

/* ---- integers -------------------------------------------------------------------------------- */

static uint64_t integer_operation(uint8_t operation, bool is_signed, unsigned bytes, uint64_t a,
                                  uint64_t b)
{
    bool below =
        is_signed ? (bytes == 8 ? (int64_t)a < (int64_t)b : (int32_t)a < (int32_t)b) : a < b;
    switch (operation) {
    case IFL_OPERATION_ADD:
        return a + b;
    case IFL_OPERATION_MIN:
        return below ? a : b;
    case IFL_OPERATION_MAX:
        return below ? b : a;
    case IFL_OPERATION_INC:
        return a >= b ? 0 : a + 1;
    case IFL_OPERATION_DEC:
        return a == 0 || a > b ? b : a - 1;
    case IFL_OPERATION_AND:
        return a & b;
    case IFL_OPERATION_OR:
        return a | b;
    case IFL_OPERATION_XOR:
        return a ^ b;
    default:
        return b; /* exch */
    }
}

/* A barrier object as ptxas makes it for sm_80 (mbarrier.init, .noComplete, .arrive_drop, test_wait
 * and pending_count are plain code there): the upper word has the phase's parity in bit 31 and, in
 * the others, 2^31 less the arrivals that are missing, so that the last one turns the bit; the lower
 * word is 2^30 less the arrivals that a phase waits for. The next phase begins as PTX says. */
static uint64_t arrive(uint64_t object)
{
    enum { WORD_BITS = 32 };
    const uint32_t parity = UINT32_C(1) << 31, expected = UINT32_C(1) << 30,
                   pending = (uint32_t)(object >> WORD_BITS) + 1, phase = (uint32_t)object;
    const uint32_t next = pending & ~parity ? pending : pending | ((phase + expected) & ~parity);
    return phase | (uint64_t)next << WORD_BITS;
}

/* PTX ISA, atom: f32 addition on global memory flushes subnormals, on shared memory it does not. */
static uint64_t new_value(const ifl_atomic *a, uint64_t old, uint64_t b, uint64_t c, bool flush)
{
    if (a->operation == IFL_OPERATION_CAS)
        return old == b ? c : old;
    if (a->operation == IFL_OPERATION_ARRIVE)
        return arrive(old);
    if (ifl_type_class(a->type) == 'F' && a->operation != IFL_OPERATION_EXCH)
        return float_operation(a->operation, a->type, old, b, flush);
    return integer_operation(a->operation, ifl_type_class(a->type) == 'S',
                             a->transfer.element_bytes, old, b);
}

/* ---- one element of one lane ----------------------------------------------------------------- */

#define UPDATE(type)                                                                               \
    do {                                                                                           \
        type *at = (type *)(void *)host, seen = __atomic_load_n(at, __ATOMIC_RELAXED);             \
        while (!__atomic_compare_exchange_n(at, &seen, (type)new_value(a, seen, b, c, flush),      \
                                            false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))            \
            continue;                                                                              \
        *old = seen;                                                                               \
        return (type)new_value(a, seen, b, c, flush) != seen;                                      \
    } while (0)

/* Returns whether memory changed. */
static bool update(const ifl_atomic *a, uint8_t *host, uint64_t b, uint64_t c, bool flush,
                   uint64_t *old)
{
    switch (a->transfer.element_bytes) {
    case 2:
        UPDATE(uint16_t);
    case 4:
        UPDATE(uint32_t);
    default:
        UPDATE(uint64_t);
    }
}

static bool update128(const ifl_atomic *a, uint8_t *host, value128 b, value128 c, value128 *old)
{
    value128 next = b;
    memcpy(old, host, 16);
    bool is_equal = old->half[0] == b.half[0] && old->half[1] == b.half[1];
    if (a->operation == IFL_OPERATION_CAS)
        next = is_equal ? c : *old;
    memcpy(host, &next, 16);
    return next.half[0] != old->half[0] || next.half[1] != old->half[1];
}

/* Returns whether cas stored its value. */
static bool update_element(ifl_warp *warp, const ifl_atomic *a, char *frame, uint32_t lane,
                           unsigned e, uint8_t *host, bool flush)
{
    const ifl_transfer *t = &a->transfer;
    value128 old = {{0, 0}}, b = read_value(a, frame, a->b[e], t->element_bytes, lane);
    value128 c =
        a->operation == IFL_OPERATION_CAS ? read_value(a, frame, a->c, t->element_bytes, lane) : b;
    bool changed = t->element_bytes == 16
                       ? update128(a, host, b, c, &old)
                       : update(a, host, b.half[0], c.half[0], flush, &old.half[0]);
    warp->changed |= changed;
    const bool is_equal = old.half[0] == b.half[0] && old.half[1] == b.half[1];
    if (a->tells_success)
        old = (value128){{is_equal, 0}};
    if (!(t->sink >> e & 1))
        write_value(a, frame, t->data[e], lane, &old);
    return is_equal;
}

static void tell(const ifl_atomic *a, char *frame, uint32_t mask, uint32_t lanes)
{
    uint32_t *p = ifl_slot(frame, a->told);
    if (a->tells)
        *p = (*p & ~mask) | (lanes & mask);
}

/* Global memory can do all, local memory nothing, shared memory of what tells whether it is done
 * only swaps: behind these ptxas has nothing but a plain load and store, behind the others a loop
 * for shared memory too. */
static uint32_t lanes_that_do(const ifl_atomic *a, const uint8_t *space, uint32_t mask)
{
    const bool swaps = a->operation == IFL_OPERATION_CAS || a->operation == IFL_OPERATION_EXCH;
    uint32_t lanes = 0;
    for (; mask; mask &= mask - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(mask);
        const bool does = swaps ? space[lane] != IFL_SPACE_LOCAL : space[lane] == IFL_SPACE_GLOBAL;
        lanes |= (uint32_t)does << lane;
    }
    return lanes;
}

/* One counter for all lanes: other blocks are to have their turn at it, as on a GPU, where they run
 * side by side and each fetches when it is done with its last piece. */
static bool fetches_piece(ifl_warp *warp, uint32_t mask, const uint8_t *space)
{
    ifl_grid *grid = warp->worker->grid;
    const uint32_t first = mask ? (uint32_t)__builtin_ctz(mask) : 0;
    bool is_one = mask && space[first] == IFL_SPACE_GLOBAL && grid->clusters > 1;
    for (uint32_t m = mask; is_one && m; m &= m - 1)
        is_one = warp->address[__builtin_ctz(m)] == warp->address[first];
    if (is_one)
        ifl_pace_look(warp);
    return is_one;
}

/* ---- memories of several GPUs ---------------------------------------------------------------- */

static const ifl_allocation *copies_at(const ifl_warp *warp, uint64_t address)
{
    return ifl_memory_copies(warp->worker->grid->launch->memory, address);
}

/* Elements of which several lie in a word. */
typedef struct small_parts {
    const ifl_format *format;
    unsigned bits;
} small_parts;

static small_parts parts_of(uint8_t type)
{
    switch (type) {
    case IFL_TYPE_F16:
    case IFL_TYPE_F16X2:
        return (small_parts){&ifl_f16, 16};
    case IFL_TYPE_BF16:
    case IFL_TYPE_BF16X2:
        return (small_parts){&ifl_bf16, 16};
    case IFL_TYPE_E4M3:
    case IFL_TYPE_E4M3X2:
    case IFL_TYPE_E4M3X4:
        return (small_parts){&ifl_e4m3, 8};
    case IFL_TYPE_E5M2:
    case IFL_TYPE_E5M2X2:
    case IFL_TYPE_E5M2X4:
        return (small_parts){&ifl_e5m2, 8};
    default:
        return (small_parts){NULL, 0};
    }
}

/* A sum so far: f32 of .acc::f32, f16 of .acc::f16, else as its type (PTX ISA 9.0,
 * "multimem.ld_reduce"). Too large ones of 8 bits become what cvt makes of them; no document tells. */
static double kept(const ifl_atomic *a, small_parts of, double sum)
{
    const ifl_format *format = a->adds_wide ? &ifl_f16 : of.format;
    return a->adds_wide && of.bits == 16
               ? (double)(float)sum
               : (double)ifl_widen(format, ifl_narrow(format, sum, IFL_ROUND_RN, false));
}

/* A NaN is left out, and -0 is less than +0 ("min", "max"). */
static uint32_t least_of(const ifl_atomic *a, small_parts of, uint32_t x, uint32_t y)
{
    const float first = ifl_widen(of.format, x), second = ifl_widen(of.format, y);
    if (first != first || second != second)
        return first != first ? y : x;
    const bool is_less = first < second || (first == second && x & of.format->sign);
    return is_less == (a->operation == IFL_OPERATION_MIN) ? x : y;
}

/* The part from bit `at` on, of all. */
static uint32_t combined_part(const ifl_atomic *a, const ifl_allocation *in, uint64_t offset,
                              small_parts of, unsigned at)
{
    uint32_t least = 0;
    double sum = -0.0;
    for (uint32_t i = 0; i < in->copy_count; i++) {
        uint32_t next = 0;
        memcpy(&next, in->copies[i] + offset + at / 8, of.bits / 8);
        least = i ? least_of(a, of, least, next) : next;
        sum = kept(a, of, sum + (double)ifl_widen(of.format, next));
    }
    return a->operation == IFL_OPERATION_ADD ? ifl_narrow(of.format, sum, IFL_ROUND_RN, false)
                                             : least;
}

/* In the order in which the GPUs joined; no document tells that of a GPU's switch. */
static uint64_t combined(const ifl_atomic *a, const ifl_allocation *in, uint64_t offset)
{
    const small_parts of = parts_of(a->type);
    uint64_t all = 0;
    for (uint32_t i = 0; i < in->copy_count && !(of.bits == 8 || a->adds_wide); i++) {
        uint64_t next = 0;
        memcpy(&next, in->copies[i] + offset, a->transfer.element_bytes);
        all = i ? new_value(a, all, next, 0, false) : next;
    }
    for (unsigned at = 0; at < a->transfer.element_bytes * 8u && (of.bits == 8 || a->adds_wide);
         at += of.bits)
        all |= (uint64_t)combined_part(a, in, offset, of, at) << at;
    return all;
}

static bool combine_lane(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t lane)
{
    const ifl_atomic *a = code->extra;
    const ifl_transfer *t = &a->transfer;
    const uint64_t address = warp->address[lane];
    const ifl_allocation *of = copies_at(warp, address);
    if (!of || address - of->address + t->bytes > of->bytes || address % t->bytes) {
        ifl_fault_raise(warp, code, of ? IFL_FAULT_MISALIGNED : IFL_FAULT_ADDRESS, lane,
                        "0x%llx is no address of a multicast object where %u bytes can be combined",
                        (unsigned long long)address, t->bytes);
        return false;
    }
    for (unsigned e = 0; e < t->elements; e++) {
        const value128 value = {
            {combined(a, of, address - of->address + (uint64_t)e * t->element_bytes), 0}};
        if (!(t->sink >> e & 1))
            write_value(a, frame, t->data[e], lane, &value);
    }
    return true;
}

static ifl_reason combine(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask)
{
    const ifl_transfer *t = code->extra;
    uint8_t space[IFL_WARP_LANES];
    ifl_lane_addresses(t, frame, warp->address);
    ifl_warp_split_spaces(warp, t, mask, warp->address, space);
    for (uint32_t m = mask; m; m &= m - 1)
        if (!combine_lane(warp, code, frame, (uint32_t)__builtin_ctz(m)))
            return IFL_REASON_FAULT;
    if (mask)
        ifl_warp_observe(warp);
    ifl_warp_tell_lanes(warp, code, t, mask, warp->address, space);
    return --warp->requests_left == 0 ? IFL_REASON_YIELD : IFL_REASON_NONE;
}

/* All elements of a lane; whether cas stored its value. */
static bool update_lane(ifl_warp *warp, const ifl_atomic *a, char *frame, uint32_t lane,
                        uint8_t *host, bool flush)
{
    bool stored = false;
    for (unsigned e = 0; e < a->transfer.elements; e++)
        stored |= update_element(warp, a, frame, lane, e,
                                 host + (size_t)e * a->transfer.element_bytes, flush);
    return stored;
}

/* ---- the operation --------------------------------------------------------------------------- */

ifl_reason ifl_slow_atomic(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                           uint32_t active)
{
    (void)active;
    const ifl_atomic *a = code->extra;
    const ifl_transfer *t = &a->transfer;
    if (a->combines)
        return combine(warp, code, frame, mask);
    uint8_t space[IFL_WARP_LANES];
    ifl_lane_addresses(t, frame, warp->address);
    ifl_warp_split_spaces(warp, t, mask, warp->address, space);
    const uint32_t given = mask;
    uint32_t stored = 0;
    if (a->tells == IFL_ATOMIC_TELLS_DONE)
        mask = lanes_that_do(a, space, mask);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint8_t *host = ifl_warp_reach_for(warp, code, t, space[lane], lane, warp->address[lane],
                                           IFL_PURPOSE_CHANGES);
        if (!host)
            return IFL_REASON_FAULT;
        bool flush = space[lane] != IFL_SPACE_SHARED && space[lane] != IFL_SPACE_CLUSTER;
        if (a->operation == IFL_OPERATION_ARRIVE)
            ifl_race_object(warp, warp->address[lane], t->bytes);
        else if (space[lane] == IFL_SPACE_SHARED)
            ifl_race_atomic(warp, code, lane, warp->address[lane], t->bytes);
        const ifl_allocation *many =
            space[lane] == IFL_SPACE_GLOBAL ? copies_at(warp, warp->address[lane]) : NULL;
        if (many && !(t->sink & 1)) {
            ifl_fault_raise(warp, code, IFL_FAULT_UNSUPPORTED, lane,
                            "an old value of the memory of several GPUs");
            return IFL_REASON_FAULT;
        }
        stored |= (uint32_t)update_lane(warp, a, frame, lane, host, flush) << lane;
        for (uint32_t i = 1; many && i < many->copy_count; i++)
            update_lane(warp, a, frame, lane,
                        many->copies[i] + (warp->address[lane] - many->address), flush);
    }
    tell(a, frame, given, a->tells == IFL_ATOMIC_TELLS_STORED ? stored : mask);
    if (mask)
        ifl_warp_observe(warp);
    if (a->operation != IFL_OPERATION_ARRIVE)
        ifl_race_update(warp, t, mask, warp->address, space);
    ifl_warp_tell_lanes(warp, code, t, ifl_atomic_lanes(a, mask), warp->address, space);
    if (mask && space[__builtin_ctz(mask)] == IFL_SPACE_GLOBAL) {
        ifl_warp_remember(warp, code, true, warp->address[__builtin_ctz(mask)]);
        if (!(t->sink & 1))
            ifl_pace_fetched(warp, stored);
    }
    if (a->operation == IFL_OPERATION_CAS && mask && space[__builtin_ctz(mask)] == IFL_SPACE_SHARED)
        ifl_warp_contend(warp);
    const bool yields = a->fetches_work && fetches_piece(warp, mask, space);
    return --warp->requests_left == 0 || yields ? IFL_REASON_YIELD : IFL_REASON_NONE;
}

/* ---- in bulk --------------------------------------------------------------------------------- */

static void reduce_element(const ifl_atomic *a, bool flushes, uint8_t *to, const uint8_t *from)
{
    uint64_t old, b = 0;
    memcpy(&b, from, a->transfer.element_bytes);
    update(a, to, b, 0, flushes, &old);
}

void ifl_reduce_bytes(uint8_t operation, uint8_t type, bool flushes, uint8_t *to,
                      const uint8_t *from, uint64_t bytes)
{
    const unsigned element = ifl_type_bits(type) / 8;
    const ifl_atomic a = {
        .operation = operation,
        .type = type,
        .transfer = {.element_bytes = (uint8_t)element, .bytes = (uint8_t)element}};
    for (uint64_t at = 0; at + element <= bytes; at += element)
        reduce_element(&a, flushes, to + at, from + at);
}
