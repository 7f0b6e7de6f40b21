/* SPDX-License-Identifier: Apache-2.0
 * Barrier objects (mbarrier): arrivals, bytes that copies bring, phases. What the word holds is in
 * code/bulk.h. */
#include "exec/bulk_copies.h"
#include "exec/race.h"
#include "exec/tensor_queue.h"

#include <string.h>

#define COUNTS (UINT64_C(1) << IFL_MBARRIER_COUNT_BITS)

typedef struct barrier_object {
    uint32_t pending, expected;
    int32_t bytes; /* may be negative for a while: complete_tx before expect_tx */
    bool parity;
} barrier_object;

static uint32_t count_at(uint64_t word, unsigned at)
{
    return (uint32_t)((COUNTS - (word >> at & (COUNTS - 1))) & (COUNTS - 1));
}

static barrier_object unpack_barrier(uint64_t word)
{
    enum { UNUSED = 32 - IFL_MBARRIER_BYTES_BITS };
    const uint32_t bytes = (uint32_t)(word >> IFL_MBARRIER_BYTES_AT) << UNUSED;
    return (barrier_object){.pending = count_at(word, IFL_MBARRIER_PENDING_AT),
                            .expected = count_at(word, IFL_MBARRIER_EXPECTED_AT),
                            .bytes = -((int32_t)bytes / (1 << UNUSED)),
                            .parity = word >> IFL_MBARRIER_PHASE_AT};
}

static uint64_t pack_barrier(barrier_object b)
{
    const uint64_t bytes = -(uint32_t)b.bytes & ((1u << IFL_MBARRIER_BYTES_BITS) - 1);
    return ((COUNTS - b.expected) & (COUNTS - 1)) << IFL_MBARRIER_EXPECTED_AT |
           bytes << IFL_MBARRIER_BYTES_AT |
           ((COUNTS - b.pending) & (COUNTS - 1)) << IFL_MBARRIER_PENDING_AT |
           (uint64_t)b.parity << IFL_MBARRIER_PHASE_AT;
}

static uint64_t read_word(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static void write_object(uint8_t *at, barrier_object b)
{
    const uint64_t word = pack_barrier(b);
    memcpy(at, &word, sizeof word);
}

/* PTX ISA 9.0, "Phase Completion of the mbarrier object": no arrivals and no bytes are pending. */
static void end_phase_if_complete(barrier_object *b)
{
    if (b->pending || b->bytes)
        return;
    b->parity = !b->parity;
    b->pending = b->expected;
}

void ifl_mbarrier_make(uint8_t *object, uint32_t arrivals, bool parity)
{
    write_object(object,
                 (barrier_object){.pending = arrivals, .expected = arrivals, .parity = parity});
}

void ifl_mbarrier_arrive(uint8_t *object)
{
    barrier_object b = unpack_barrier(read_word(object));
    b.pending -= b.pending > 0;
    end_phase_if_complete(&b);
    write_object(object, b);
}

void ifl_mbarrier_complete(uint8_t *object, uint32_t bytes)
{
    barrier_object b = unpack_barrier(read_word(object));
    b.bytes -= (int32_t)bytes;
    end_phase_if_complete(&b);
    write_object(object, b);
}

static uint8_t *object_at(ifl_warp *warp, const ifl_code *code, const ifl_transfer *at,
                          const char *frame, uint32_t lane)
{
    return ifl_mbarrier_in(warp, code, at->space, ifl_lane_address(at, frame, lane), lane);
}

uint8_t *ifl_mbarrier_in(ifl_warp *warp, const ifl_code *code, uint8_t space, uint64_t address,
                         uint32_t lane)
{
    address = ifl_warp_place(warp, &space, address);
    ifl_race_meet(warp);
    return ifl_warp_reach_in(warp, code,
                             space == IFL_SPACE_CLUSTER ? IFL_SPACE_CLUSTER : IFL_SPACE_SHARED,
                             lane, address, sizeof(uint64_t), true);
}

/* ---- results --------------------------------------------------------------------------------- */

static void write_state(const ifl_mbarrier_op *op, char *frame, uint32_t lane, uint64_t word)
{
    if (!op->is_planes) {
        ((uint64_t *)ifl_slot(frame, op->d))[lane] = word;
        return;
    }
    ((uint32_t *)ifl_slot(frame, op->d))[lane] = (uint32_t)word;
    ((uint32_t *)ifl_slot(frame, op->d + IFL_PLANE))[lane] = (uint32_t)(word >> 32);
}

/* SYNCS.ARRIVE.TMASK: lanes that arrive at one object together. */
static void tell_lanes(const ifl_mbarrier_op *op, char *frame, uint32_t mask, uint8_t *const *at,
                       const uint64_t *before)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint32_t group = 0;
        for (uint32_t other = mask; other; other &= other - 1)
            if (at[__builtin_ctz(other)] == at[lane])
                group |= other & -other;
        const uint64_t first = before[__builtin_ctz(group)];
        write_state(op, frame, lane, group | (first & ~UINT64_C(0xffffffff)));
    }
}

/* ---- operations ------------------------------------------------------------------------------ */

ifl_reason ifl_slow_mbarrier_init(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                  uint32_t active)
{
    (void)active;
    const ifl_mbarrier_op *op = code->extra;
    for (; mask; mask &= mask - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(mask),
                       count = ifl_lane_u32(frame, op->arrivals, lane);
        uint8_t *at = object_at(warp, code, &op->at, frame, lane);
        if (!at)
            return IFL_REASON_FAULT;
        write_object(at, (barrier_object){.pending = count, .expected = count});
        warp->changed = true;
    }
    return IFL_REASON_NONE;
}

/* One lane does it for all. */
ifl_reason ifl_slow_mbarrier_set(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                 uint32_t active)
{
    (void)active;
    const ifl_mbarrier_op *op = code->extra;
    if (!mask)
        return IFL_REASON_NONE;
    const uint32_t lane = (uint32_t)__builtin_ctz(mask);
    uint8_t *at = object_at(warp, code, &op->at, frame, lane);
    if (!at)
        return IFL_REASON_FAULT;
    const uint64_t before = read_word(at);
    if (op->state) {
        const uint64_t word = ifl_lane_u32(frame, op->state, lane) |
                              (uint64_t)ifl_lane_u32(frame, op->state + IFL_PLANE, lane) << 32;
        memcpy(at, &word, sizeof word);
    }
    for (uint32_t i = 0; i < IFL_WARP_LANES && op->has_d; i++)
        write_state(op, frame, i, before);
    warp->changed = true;
    return IFL_REASON_NONE;
}

static uint32_t arrivals_of(const ifl_mbarrier_op *op, const char *frame, uint32_t lane)
{
    return op->arrivals ? ifl_lane_u32(frame, op->arrivals, lane) : op->fixed_arrivals;
}

/* False where more bytes are awaited than an object can count (PTX ISA 9.0, "tx-count": 2^20 - 1);
 * on an H200 the launch fails. */
static bool update_object(const ifl_mbarrier_op *op, const char *frame, uint32_t lane, uint8_t *at)
{
    enum { MOST_BYTES = (1 << 20) - 1 };
    barrier_object b = unpack_barrier(read_word(at));
    const uint32_t arrivals = arrivals_of(op, frame, lane);
    const int32_t bytes = op->bytes ? (int32_t)ifl_lane_u32(frame, op->bytes, lane) : 0;
    b.bytes += op->completes ? -bytes : bytes;
    b.pending -= arrivals > b.pending ? b.pending : arrivals;
    if (op->drops)
        b.expected -= arrivals > b.expected ? b.expected : arrivals;
    if (b.bytes > MOST_BYTES)
        return false;
    if (arrivals || op->completes)
        end_phase_if_complete(&b);
    write_object(at, b);
    return true;
}

ifl_reason ifl_slow_mbarrier_update(ifl_warp *warp, const ifl_code *code, char *frame,
                                    uint32_t mask, uint32_t active)
{
    (void)active;
    const ifl_mbarrier_op *op = code->extra;
    uint8_t *at[IFL_WARP_LANES];
    uint64_t before[IFL_WARP_LANES];
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        at[lane] = object_at(warp, code, &op->at, frame, lane);
        if (!at[lane])
            return IFL_REASON_FAULT;
        before[lane] = read_word(at[lane]);
        const uint32_t arrivals = arrivals_of(op, frame, lane);
        if (arrivals)
            ifl_warp_tell_object(warp, code, IFL_OBJECT_ARRIVAL, at[lane], arrivals);
        if (!update_object(op, frame, lane, at[lane]))
            return ifl_fault_raise(warp, code, IFL_FAULT_OTHER, lane,
                                   "a barrier object would await more than 1048575 bytes");
        if (op->has_d && !op->tells_lanes)
            write_state(op, frame, lane, before[lane]);
        warp->changed = true;
    }
    if (op->has_d && op->tells_lanes)
        tell_lanes(op, frame, mask, at, before);
    return IFL_REASON_NONE;
}

static bool parity_of_state(const ifl_mbarrier_op *op, const char *frame, uint32_t lane)
{
    if (op->by_parity)
        return ifl_lane_u32(frame, op->state, lane) & 1;
    return op->state_bits == 64
               ? ifl_lane_u64(frame, op->state, lane) >> IFL_MBARRIER_PHASE_AT
               : ifl_lane_u32(frame, op->state, lane) >> (IFL_MBARRIER_PHASE_AT - 32);
}

/* A phase is over when the object's parity is no longer that of the state, or of the parity
 * given. */
static bool is_over(const ifl_mbarrier_op *op, const char *frame, uint32_t lane, const uint8_t *at)
{
    return unpack_barrier(read_word(at)).parity != parity_of_state(op, frame, lane);
}

/* Copies that it counts come only when somebody waits, and when the other warps have gone on meanwhile. */
ifl_reason ifl_slow_mbarrier_wait(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                  uint32_t active)
{
    (void)active;
    const ifl_mbarrier_op *op = code->extra;
    uint32_t *d = ifl_slot(frame, op->d), done = 0;
    const uint8_t *last = NULL;
    bool is_early = false;
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        const uint8_t *at = object_at(warp, code, &op->at, frame, lane);
        const bool waits = at && at != last && !is_over(op, frame, lane, at),
                   has_early = waits && ifl_bulk_is_early(warp, at);
        if (!at || (waits && !has_early &&
                    (!ifl_tensor_finish_counted(warp, at) || !ifl_bulk_finish_counted(warp, at))))
            return IFL_REASON_FAULT;
        last = at;
        is_early |= has_early;
        done |= (uint32_t)is_over(op, frame, lane, at) << lane;
    }
    if (is_early && done != mask)
        return IFL_REASON_AGAIN;
    if (last && done == mask)
        ifl_warp_tell_object(warp, code, IFL_OBJECT_WAIT, last, 0);
    *d = (*d & ~mask) | (done & mask);
    ifl_warp_observe(warp);
    /* Whoever waits in vain lets the others run. */
    return mask && done != mask ? IFL_REASON_YIELD : IFL_REASON_NONE;
}

ifl_reason ifl_slow_mbarrier_pending(ifl_warp *warp, const ifl_code *code, char *frame,
                                     uint32_t mask, uint32_t active)
{
    (void)warp, (void)active;
    const ifl_mbarrier_op *op = code->extra;
    for (; mask; mask &= mask - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(mask);
        ((uint32_t *)ifl_slot(frame, op->d))[lane] =
            unpack_barrier(ifl_lane_u64(frame, op->state, lane)).pending;
    }
    return IFL_REASON_NONE;
}
