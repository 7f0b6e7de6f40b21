/* SPDX-License-Identifier: Apache-2.0
 * Asynchronous copies and the barrier objects (mbarrier) that tell when they are done.
 *
 * A copy is done when it is issued: one of the orders that the hardware allows, so that groups and waits have nothing
 * left to do. A barrier object is 64 bits in shared memory; its content is ours alone:
 *     bits 0-19  arrivals still expected in this phase      bits 20-39  arrivals a phase expects
 *     bits 40-62 bytes still expected (transaction count)   bit 63      the phase's parity */
#include "exec/warp.h"

#include <string.h>

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static void tell_side(ifl_warp *warp, const ifl_code *code, const ifl_transfer *t, uint32_t mask,
                      const uint64_t *address)
{
    uint8_t space[IFL_WARP_LANES];
    memset(space, t->space, sizeof space);
    ifl_warp_tell_lanes(warp, code, t, mask, address, space);
}

/* PTX ISA, cp.async: of cp-size bytes the first src-size are read, the others become zeros. */
static bool copy_lane(ifl_warp *warp, const ifl_code *code, const ifl_copy_op *op, const char *frame, uint32_t lane,
                      uint64_t to, uint64_t from, bool ignore)
{
    uint32_t size = op->to.bytes, wanted = op->size ? ifl_lane_u32(frame, op->size, lane) : size;
    wanted = ignore ? 0 : wanted > size ? size : wanted;
    uint8_t *target = ifl_warp_reach_in(warp, code, IFL_SPACE_SHARED, lane, to, size, true);
    if (!target)
        return false;
    if (wanted && from % size) {
        ifl_fault_access(warp, code, IFL_SPACE_GLOBAL, lane, from, size, false);
        return false;
    }
    uint8_t *source = wanted ? ifl_warp_reach_in(warp, code, IFL_SPACE_GLOBAL, lane, from, wanted, false) : NULL;
    if (wanted && !source)
        return false;
    memset(target, 0, size);
    if (wanted)
        memcpy(target, source, wanted);
    return true;
}

ifl_reason ifl_slow_copy(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask, uint32_t active)
{
    (void)active;
    const ifl_copy_op *op = code->extra;
    uint64_t to[IFL_WARP_LANES], from[IFL_WARP_LANES];
    uint32_t ignored = op->has_ignore ? ifl_predicate(frame, op->ignore) ^ op->ignore_flip : 0, reads = 0;
    ifl_lane_addresses(&op->to, frame, to);
    ifl_lane_addresses(&op->from, frame, from);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        bool ignore = ignored >> lane & 1;
        if (!copy_lane(warp, code, op, frame, lane, to[lane], from[lane], ignore))
            return IFL_REASON_FAULT;
        bool is_empty = ignore || (op->size && ifl_lane_u32(frame, op->size, lane) == 0);
        reads |= is_empty ? 0 : m & -m;
    }
    warp->changed |= mask != 0;
    tell_side(warp, code, &op->from, reads, from);
    tell_side(warp, code, &op->to, mask, to);
    return IFL_REASON_NONE;
}

/* ---- barrier objects --------------------------------------------------------------------------------------------------- */

enum { COUNT_BITS = 20, TX_BITS = 23 };
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)
#define TX_MASK ((UINT64_C(1) << TX_BITS) - 1)
#define PHASE_BIT (UINT64_C(1) << 63)

typedef struct barrier_object {
    uint32_t pending, expected;
    int32_t bytes; /* may be negative for a while: complete_tx before expect_tx */
    bool parity;
} barrier_object;

static barrier_object unpack_barrier(uint64_t word)
{
    int32_t bytes = (int32_t)(word >> 40 & TX_MASK);
    if (bytes >> (TX_BITS - 1))
        bytes -= 1 << TX_BITS;
    return (barrier_object){(uint32_t)(word & COUNT_MASK), (uint32_t)(word >> COUNT_BITS & COUNT_MASK), bytes,
                            (word & PHASE_BIT) != 0};
}

static uint64_t pack_barrier(barrier_object b)
{
    return (b.pending & COUNT_MASK) | (uint64_t)(b.expected & COUNT_MASK) << COUNT_BITS |
           ((uint64_t)(uint32_t)b.bytes & TX_MASK) << 40 | (b.parity ? PHASE_BIT : 0);
}

static void end_phase_if_complete(barrier_object *b)
{
    if (b->pending || b->bytes)
        return;
    b->parity = !b->parity;
    b->pending = b->expected;
}

static uint8_t *object_at(ifl_warp *warp, const ifl_code *code, const char *frame, uint32_t slot, bool generic,
                          uint32_t lane)
{
    uint64_t address = ifl_lane_u64(frame, slot, lane);
    if (generic && ifl_space_of(address) == IFL_SPACE_SHARED)
        address -= IFL_SHARED_WINDOW;
    return ifl_warp_reach_in(warp, code, IFL_SPACE_SHARED, lane, address, 8, true);
}

typedef void object_change(barrier_object *b, uint32_t amount);

static void change_object(uint8_t *at, object_change *change, uint32_t amount, uint64_t *before)
{
    uint64_t word;
    memcpy(&word, at, 8);
    *before = word;
    barrier_object b = unpack_barrier(word);
    change(&b, amount);
    word = pack_barrier(b);
    memcpy(at, &word, 8);
}

static ifl_reason change_lanes(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask, object_change *change,
                               uint32_t amount)
{
    const ifl_mbarrier_op *op = code->extra;
    for (; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        uint8_t *at = object_at(warp, code, frame, op->address, op->generic, lane);
        if (!at)
            return IFL_REASON_FAULT;
        uint64_t before;
        uint32_t by = op->state ? ifl_lane_u32(frame, op->state, lane) : amount;
        change_object(at, change, by, &before);
        if (op->has_d)
            ((uint64_t *)ifl_slot(frame, op->d))[lane] = before;
        warp->changed = true;
    }
    return IFL_REASON_NONE;
}

static void initialise(barrier_object *b, uint32_t count)
{
    *b = (barrier_object){.pending = count, .expected = count};
}

static void invalidate(barrier_object *b, uint32_t count)
{
    (void)count;
    *b = (barrier_object){0};
}

static void arrive(barrier_object *b, uint32_t count)
{
    b->pending -= count > b->pending ? b->pending : count;
    end_phase_if_complete(b);
}

static void arrive_expecting(barrier_object *b, uint32_t bytes)
{
    b->bytes += (int32_t)bytes;
    arrive(b, 1);
}

static void arrive_and_drop(barrier_object *b, uint32_t count)
{
    b->expected -= count > b->expected ? b->expected : count;
    arrive(b, count);
}

static void expect_bytes(barrier_object *b, uint32_t bytes)
{
    b->bytes += (int32_t)bytes;
}

static void complete_bytes(barrier_object *b, uint32_t bytes)
{
    b->bytes -= (int32_t)bytes;
    end_phase_if_complete(b);
}

#define CHANGE(name, change, amount)                                                                                   \
    ifl_reason ifl_slow_mbarrier_##name(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,              \
                                        uint32_t active)                                                               \
    {                                                                                                                  \
        (void)active;                                                                                                  \
        return change_lanes(warp, code, frame, mask, change, amount);                                                  \
    }
CHANGE(init, initialise, 0)
CHANGE(inval, invalidate, 0)
CHANGE(arrive, arrive, 1)
CHANGE(arrive_drop, arrive_and_drop, 1)
CHANGE(arrive_expect, arrive_expecting, 1)
CHANGE(expect_tx, expect_bytes, 0)
CHANGE(complete_tx, complete_bytes, 0)
#undef CHANGE

static void arrive_for_nothing(barrier_object *b, uint32_t count)
{
    (void)b, (void)count;
}

/* cp.async.mbarrier.arrive without .noinc first adds the arrival that it then makes: the copies are done. */
ifl_reason ifl_slow_mbarrier_arrive_of_copies(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                              uint32_t active)
{
    (void)active;
    const ifl_mbarrier_op *op = code->extra;
    return change_lanes(warp, code, frame, mask, op->no_increment ? arrive : arrive_for_nothing, 1);
}

/* A phase is over when the object's parity is no longer that of the state, or of the parity given. */
ifl_reason ifl_slow_mbarrier_wait(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask, uint32_t active)
{
    (void)active;
    const ifl_mbarrier_op *op = code->extra;
    uint32_t *d = ifl_slot(frame, op->d), done = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint8_t *at = object_at(warp, code, frame, op->address, op->generic, lane);
        if (!at)
            return IFL_REASON_FAULT;
        uint64_t word;
        memcpy(&word, at, 8);
        bool was = op->by_parity ? ifl_lane_u32(frame, op->state, lane) & 1
                                               : ifl_lane_u64(frame, op->state, lane) >> 63;
        done |= (uint32_t)(unpack_barrier(word).parity != was) << lane;
    }
    *d = (*d & ~mask) | (done & mask);
    ifl_warp_observe(warp);
    /* Whoever waits in vain lets the others run. */
    return mask && done != mask ? IFL_REASON_YIELD : IFL_REASON_NONE;
}

ifl_reason ifl_slow_mbarrier_pending(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask, uint32_t active)
{
    (void)warp, (void)active;
    const ifl_mbarrier_op *op = code->extra;
    for (; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        ((uint32_t *)ifl_slot(frame, op->d))[lane] = unpack_barrier(ifl_lane_u64(frame, op->state, lane)).pending;
    }
    return IFL_REASON_NONE;
}

/* ---- bulk copies ------------------------------------------------------------------------------------------------------------ */

static uint64_t in_space(uint8_t space, uint64_t address)
{
    return space == IFL_SPACE_SHARED && ifl_space_of(address) == IFL_SPACE_SHARED ? address - IFL_SHARED_WINDOW
                                                                                  : address;
}

/* A bulk copy is told as the 16-byte accesses of whole warps that it stands for. */
static void tell_bulk(ifl_warp *warp, const ifl_code *code, const ifl_transfer *t, uint64_t start, uint64_t size)
{
    uint64_t address[IFL_WARP_LANES];
    for (uint64_t at = 0; at < size; at += sizeof address * 2) {
        uint32_t mask = 0;
        for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++) {
            address[lane] = start + at + lane * UINT64_C(16);
            mask |= (uint32_t)(at + lane * UINT64_C(16) < size) << lane;
        }
        tell_side(warp, code, t, mask, address);
    }
}

static ifl_reason copy_bulk(ifl_warp *warp, const ifl_code *code, const ifl_copy_op *op, char *frame, uint32_t lane)
{
    uint64_t to = in_space(op->to.space, ifl_lane_u64(frame, op->to.address, lane));
    uint64_t from = in_space(op->from.space, ifl_lane_u64(frame, op->from.address, lane));
    uint32_t size = ifl_lane_u32(frame, op->size, lane);
    if (size % 16 || to % 16 || from % 16)
        return ifl_fault_raise(warp, code, IFL_FAULT_OTHER, lane,
                               "a bulk copy of %u bytes from 0x%llx to 0x%llx: all three must be multiples of 16", size,
                               (unsigned long long)from, (unsigned long long)to);
    if (!size)
        return IFL_REASON_NONE;
    uint8_t *source = ifl_warp_reach_in(warp, code, op->from.space, lane, from, size, false);
    uint8_t *target = source ? ifl_warp_reach_in(warp, code, op->to.space, lane, to, size, true) : NULL;
    if (!target)
        return IFL_REASON_FAULT;
    memmove(target, source, size);
    tell_bulk(warp, code, &op->from, from, size);
    tell_bulk(warp, code, &op->to, to, size);
    uint8_t *object = op->barrier ? object_at(warp, code, frame, op->barrier, true, lane) : NULL;
    if (op->barrier && !object)
        return IFL_REASON_FAULT;
    uint64_t before;
    if (object)
        change_object(object, complete_bytes, size, &before);
    return IFL_REASON_NONE;
}

ifl_reason ifl_slow_bulk_copy(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask, uint32_t active)
{
    (void)active;
    for (; mask; mask &= mask - 1) {
        ifl_reason reason = copy_bulk(warp, code, code->extra, frame, (uint32_t)__builtin_ctz(mask));
        if (reason != IFL_REASON_NONE)
            return reason;
    }
    warp->changed = true;
    return IFL_REASON_NONE;
}
