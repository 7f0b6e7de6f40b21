/* SPDX-License-Identifier: Apache-2.0
 * See converge.h. A lane that waits at a barrier register waits for the lanes that its own copy of
 * the register holds, without those that have ended: BSSY gives all that arm it the same copy,
 * BREAK takes lanes out of all copies. A register holds lanes and no place, as BMOV saves 32 bits
 * of it in functions that are called: who has met goes on behind the BSYNC, which is where its BSSY
 * points (in all of 13,527 BSYNC of code for sm_75 to sm_120). */
#include "exec/converge.h"

#include "exec/grid_barrier.h"
#include "exec/provided.h"
#include "exec/race.h"
#include "exec/slow.h"

#include <string.h>

/* 1 << lane: not every vector unit shifts each lane by another count. */
#define BITS4(n) UINT32_C(1) << (n), UINT32_C(2) << (n), UINT32_C(4) << (n), UINT32_C(8) << (n)
static const uint32_t bit_of[IFL_WARP_LANES] = {BITS4(0),  BITS4(4),  BITS4(8),  BITS4(12),
                                                BITS4(16), BITS4(20), BITS4(24), BITS4(28)};
#undef BITS4

/* ---- barrier registers ----------------------------------------------------------------------- */

/* Most kernels use one or two of them. */
void ifl_sync_clear(struct ifl_sync *sync)
{
    for (uint32_t m = sync->used; m; m &= m - 1)
        memset(sync->lanes[__builtin_ctz(m)], 0, sizeof *sync->lanes);
    memset(sync->after, 0, sizeof sync->after);
    memset(sync->alike, 0, sizeof sync->alike);
    sync->used = sync->yielded = 0;
}

/* The register, of which lanes change one by one. */
static uint32_t *change(struct ifl_sync *sync, uint32_t n)
{
    sync->used |= UINT32_C(1) << n;
    sync->alike[n] = 0;
    return sync->lanes[n];
}

ifl_reason ifl_slow_sync_arm(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                             uint32_t active)
{
    (void)frame, (void)active;
    struct ifl_sync *sync = warp->sync;
    uint32_t *lanes = change(sync, code->count);
    sync->alike[code->count] = mask;
    sync->yielded &= ~mask;
    _Pragma("omp simd") for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++) lanes[lane] =
        mask & bit_of[lane] ? mask : lanes[lane];
    return IFL_REASON_NONE;
}

/* The lanes that a lane waits for, itself among them. */
static uint32_t awaited(const ifl_warp *warp, uint32_t n, int lane)
{
    return (warp->sync->lanes[n][lane] & warp->live) | UINT32_C(1) << lane;
}

/* The lanes that some lane of a mask waits for and that are not in the mask, or the other way
 * round. */
static uint32_t others_of_all(const uint32_t *lanes, uint32_t live, uint32_t mask)
{
    uint32_t others = 0;
    _Pragma("omp simd reduction(|:others)") for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++)
        others |= mask & bit_of[lane] ? ((lanes[lane] & live) | bit_of[lane]) ^ mask : 0;
    return others;
}

static void leave(uint32_t *lanes, uint32_t mask)
{
    for (uint32_t lane = 0; lane < IFL_WARP_LANES; lane++)
        lanes[lane] &= ~mask;
}

/* They wait for none but lanes that have yielded, and nobody waits for them. */
static bool passes(ifl_warp *warp, uint32_t n, uint32_t mask)
{
    const uint32_t yielded = warp->sync->yielded;
    for (uint32_t m = yielded ? mask : 0; m; m &= m - 1)
        if (awaited(warp, n, __builtin_ctz(m)) & ~mask & ~yielded)
            return false;
    if (yielded)
        leave(change(warp->sync, n), mask);
    return yielded != 0;
}

ifl_reason ifl_slow_sync_wait(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                              uint32_t active)
{
    (void)frame, (void)active;
    if (!mask)
        return IFL_REASON_NONE;
    const uint32_t alike = warp->sync->alike[code->count], live = warp->live;
    const bool others = mask & ~alike ? others_of_all(warp->sync->lanes[code->count], live, mask)
                                      : (alike & live) != mask;
    if (!others || passes(warp, code->count, mask)) {
        warp->sync->yielded &= ~mask;
        return IFL_REASON_NONE;
    }
    warp->taken = mask;
    return IFL_REASON_SYNC;
}

ifl_reason ifl_slow_sync_break(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                               uint32_t active)
{
    (void)frame, (void)active;
    uint32_t *lanes = change(warp->sync, code->count), others = 0;
    for (uint32_t m = mask; m; m &= m - 1)
        others |= lanes[__builtin_ctz(m)];
    for (; others; others &= others - 1)
        lanes[__builtin_ctz(others)] &= ~mask;
    return mask && warp->count > 1 ? IFL_REASON_RECHECK : IFL_REASON_NONE;
}

/* Loads of volatile words of shared memory are as any others: that lanes look at what others may store is
 * told by the YIELD in their loop alone. */
ifl_reason ifl_slow_sync_yield(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                               uint32_t active)
{
    (void)code, (void)frame, (void)active;
    if (mask)
        ifl_warp_observe(warp);
    warp->has_yielded |= mask != 0;
    return mask && warp->count > 1 ? IFL_REASON_WAY : IFL_REASON_NONE;
}

ifl_reason ifl_slow_sync_save(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                              uint32_t active)
{
    (void)active;
    uint32_t *d = ifl_slot(frame, code->d);
    uint32_t *lanes =
        code->value ? change(warp->sync, code->count) : warp->sync->lanes[code->count];
    for (; mask; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        d[lane] = lanes[lane];
        if (code->value)
            lanes[lane] = 0;
    }
    return IFL_REASON_NONE;
}

ifl_reason ifl_slow_sync_restore(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                 uint32_t active)
{
    (void)active;
    uint32_t *lanes = change(warp->sync, code->count);
    for (; mask; mask &= mask - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(mask);
        lanes[lane] = ifl_lane_u32(frame, code->a, lane);
    }
    return IFL_REASON_NONE;
}

/* ---- fragments that wait --------------------------------------------------------------------- */

/* Splits the lanes off that stay behind; those that do not execute go on behind the code. */
static void wait_with(ifl_warp *warp, uint32_t index, ifl_fragment_state state)
{
    ifl_fragment *fragment = &warp->fragments[index];
    if (fragment->mask != warp->taken) {
        ifl_fragment rest = *fragment;
        rest.mask &= ~warp->taken;
        rest.code++;
        fragment->mask = warp->taken;
        ifl_fragment_add(warp, rest);
    }
    fragment->state = (uint8_t)state;
    fragment->barrier = (uint8_t)fragment->code->count;
}

/* Takes lanes out of all fragments that wait in a state, and makes one of them that goes on. */
static void go_on(ifl_warp *warp, ifl_fragment_state state, uint32_t lanes, ifl_fragment as)
{
    for (uint32_t i = warp->count; i-- > 0;) {
        ifl_fragment *fragment = &warp->fragments[i];
        if (fragment->state == state && !(fragment->mask &= ~lanes))
            ifl_fragment_remove(warp, i);
    }
    as.mask = lanes;
    as.state = IFL_FRAGMENT_READY;
    as.aside = NULL;
    ifl_fragment_add(warp, as);
}

/* Lanes that wait at register n for the same lanes as `lane` does. */
static uint32_t waiting_alike(const ifl_warp *warp, uint32_t n, int lane)
{
    const uint32_t wanted = awaited(warp, n, lane);
    const bool are_alike = !(wanted & ~warp->sync->alike[n]);
    uint32_t found = 0;
    for (uint32_t i = 0; i < warp->count; i++) {
        const ifl_fragment *fragment = &warp->fragments[i];
        if (fragment->state != IFL_FRAGMENT_AT_SYNC || fragment->barrier != n)
            continue;
        found |= are_alike ? fragment->mask & wanted : 0;
        for (uint32_t m = fragment->mask & wanted & ~found; m; m &= m - 1)
            found |= awaited(warp, n, __builtin_ctz(m)) == wanted ? m & -m : 0;
    }
    return found;
}

/* All that wait at register n. */
static uint32_t waiting_at(const ifl_warp *warp, uint32_t n)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < warp->count; i++)
        if (warp->fragments[i].state == IFL_FRAGMENT_AT_SYNC && warp->fragments[i].barrier == n)
            lanes |= warp->fragments[i].mask;
    return lanes;
}

/* Lanes whose BSYNC was waiting for lanes that have ended, or that have left by BREAK, issue it
 * again (counters of an H100 and an H200, tests/driver/check_repeated_waits.sh). */
static void count_again(ifl_warp *warp, const ifl_fragment *waiting, uint32_t lanes)
{
    ifl_block_count *count = &warp->worker->counts[(waiting->code - waiting->code->b)->count];
    count->warps++;
    count->threads += (uint64_t)__builtin_popcount(lanes);
}

static bool settle_one(ifl_warp *warp, bool have_left)
{
    for (uint32_t i = 0; i < warp->count; i++) {
        if (warp->fragments[i].state != IFL_FRAGMENT_AT_SYNC)
            continue;
        const ifl_fragment waiting = warp->fragments[i];
        const uint32_t there = waiting_at(warp, waiting.barrier);
        uint32_t found;
        for (uint32_t left = waiting.mask; left; left &= ~found) {
            const int lane = __builtin_ctz(left);
            found = UINT32_C(1) << lane;
            if (awaited(warp, waiting.barrier, lane) & ~there)
                continue;
            found = waiting_alike(warp, waiting.barrier, lane);
            if (found != awaited(warp, waiting.barrier, lane))
                continue;
            ifl_fragment next = waiting;
            next.code++;
            if (have_left)
                count_again(warp, &waiting, found);
            warp->sync->yielded &= ~found;
            go_on(warp, IFL_FRAGMENT_AT_SYNC, found, next);
            return true;
        }
    }
    return false;
}

static bool settle_gathering(ifl_warp *warp);

static void settle(ifl_warp *warp, bool have_left)
{
    while (settle_one(warp, have_left) || settle_gathering(warp))
        continue;
}

void ifl_sync_settle_left(ifl_warp *warp)
{
    settle(warp, true);
}

void ifl_sync_let_go(ifl_warp *warp)
{
    for (uint32_t i = 0; i < warp->count; i++) {
        ifl_fragment *fragment = &warp->fragments[i];
        if (fragment->state != IFL_FRAGMENT_AT_SYNC)
            continue;
        leave(change(warp->sync, fragment->barrier), fragment->mask);
        fragment->state = IFL_FRAGMENT_READY;
        fragment->code++;
    }
}

/* Lanes that wait at register n, as the first of a fragment does, for none but lanes that have yielded;
 * 0: they wait for others. */
static uint32_t let_pass(const ifl_warp *warp, const ifl_fragment *waiting)
{
    const uint32_t n = waiting->barrier, there = waiting_at(warp, n) | warp->sync->yielded;
    for (uint32_t m = waiting->mask; m; m &= m - 1) {
        const int lane = __builtin_ctz(m);
        if (!(awaited(warp, n, lane) & ~there))
            return waiting_alike(warp, n, lane);
    }
    return 0;
}

/* They issue the BSYNC at which they have waited again. */
static bool pass_one(ifl_warp *warp)
{
    for (uint32_t i = 0; i < warp->count; i++) {
        ifl_fragment next = warp->fragments[i];
        const uint32_t found = next.state == IFL_FRAGMENT_AT_SYNC ? let_pass(warp, &next) : 0;
        if (!found)
            continue;
        count_again(warp, &next, found);
        leave(change(warp->sync, next.barrier), found);
        warp->sync->yielded &= ~found;
        next.code++;
        go_on(warp, IFL_FRAGMENT_AT_SYNC, found, next);
        return true;
    }
    return false;
}

void ifl_sync_yield(ifl_warp *warp, const ifl_fragment *fragment)
{
    warp->sync->yielded |= fragment->mask;
    while (pass_one(warp))
        continue;
}

void ifl_sync_wait(ifl_warp *warp, uint32_t index)
{
    const ifl_fragment last = warp->fragments[index];
    const uint32_t lanes = warp->taken;
    wait_with(warp, index, IFL_FRAGMENT_AT_SYNC);
    const ifl_code *block = last.code - last.code->b;
    if (last.aside == block) {
        /* Lanes that stood at their BSYNC, ready to run, while others parted, issue it with all that
         * wait there, whether more come or not (an H200's counters of tests/machine/meetings.cu and of
         * tools/gpu/parting_probe.cu, chain; not so where they have come from elsewhere,
         * tests/patterns/divergence.ptx). */
        const uint32_t all = awaited(warp, last.code->count, __builtin_ctz(lanes)),
                       there = waiting_at(warp, last.code->count);
        warp->worker->counts[block->count].threads +=
            (uint64_t)__builtin_popcount(all & there & ~lanes);
    }
    settle(warp, false);
}

/* ---- regions that lanes run together --------------------------------------------------------- */

ifl_reason ifl_slow_gather(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                           uint32_t active)
{
    (void)frame, (void)active;
    for (uint32_t m = mask; m; m &= m - 1)
        warp->sync->after[__builtin_ctz(m)] = code->target;
    warp->taken = mask;
    return mask ? IFL_REASON_GATHER : IFL_REASON_NONE;
}

static uint32_t members_of(const ifl_fragment *fragment, uint32_t lane)
{
    return ifl_lane_u32(fragment->frame->slots, fragment->code->a, lane);
}

static bool gathers_with(const ifl_fragment *fragment, const ifl_fragment *waiting)
{
    const bool is_in_one_place = fragment->code->count || waiting->code->count;
    return fragment->state == IFL_FRAGMENT_AT_GATHER &&
           (!is_in_one_place || fragment->code == waiting->code);
}

static uint32_t gathered(const ifl_warp *warp, const ifl_fragment *waiting, uint32_t members)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < warp->count; i++) {
        const ifl_fragment *fragment = &warp->fragments[i];
        for (uint32_t m = gathers_with(fragment, waiting) ? fragment->mask : 0; m; m &= m - 1)
            found |= members_of(fragment, (uint32_t)__builtin_ctz(m)) == members ? m & -m : 0;
    }
    return found;
}

/* Lanes that stood with those of `going` and stay behind issue the instruction another time (an
 * H200's counters for tests/machine/vote_in_groups and groups_that_part). */
static void issue_again(ifl_warp *warp, uint32_t going)
{
    for (uint32_t i = 0, count = warp->count; i < count; i++) {
        ifl_fragment *fragment = &warp->fragments[i], rest = *fragment;
        rest.mask &= ~going;
        if (fragment->state != IFL_FRAGMENT_AT_GATHER || rest.mask == fragment->mask || !rest.mask)
            continue;
        if (rest.code->count)
            ifl_warp_tell_divergence(warp, rest.code, fragment->mask, fragment->mask & going);
        fragment->mask &= going;
        rest.code -= rest.code->b;
        rest.state = IFL_FRAGMENT_READY;
        ifl_fragment_add(warp, rest);
    }
}

/* All run the region of the first: the compiler gives the regions of one operation the same
 * registers. A lane that its own mask leaves out stops the kernel (see ifl_membership). */
static bool settle_gathering(ifl_warp *warp)
{
    for (uint32_t i = 0; i < warp->count; i++) {
        if (warp->fragments[i].state != IFL_FRAGMENT_AT_GATHER)
            continue;
        const ifl_fragment waiting = warp->fragments[i];
        uint32_t found;
        for (uint32_t left = waiting.mask; left; left &= ~found) {
            const uint32_t lane = (uint32_t)__builtin_ctz(left),
                           members = members_of(&waiting, lane);
            const bool is_member = members >> lane & 1;
            found = gathered(warp, &waiting, members) & (is_member ? members : ~members);
            if (is_member && members & warp->live & ~found)
                continue;
            if (!is_member) {
                ifl_fault_outside(warp, waiting.code, lane, members);
                return false;
            }
            ifl_fragment next = waiting;
            next.code++;
            issue_again(warp, found);
            go_on(warp, IFL_FRAGMENT_AT_GATHER, found, next);
            return true;
        }
    }
    return false;
}

void ifl_gather_wait(ifl_warp *warp, uint32_t index)
{
    wait_with(warp, index, IFL_FRAGMENT_AT_GATHER);
    settle(warp, false);
}

/* ---- lanes that part ------------------------------------------------------------------------- */

void ifl_gather_end(ifl_warp *warp, uint32_t index)
{
    ifl_fragment part = warp->fragments[index];
    ifl_fragment_remove(warp, index);
    for (uint32_t left = part.mask; left; left &= ~part.mask) {
        const ifl_code *to = warp->sync->after[__builtin_ctz(left)];
        if (!to) {
            ifl_fault_raise(warp, part.code, IFL_FAULT_OTHER, (uint32_t)__builtin_ctz(left),
                            "the end of a collective region, which none of these lanes began");
            return;
        }
        part.mask = 0;
        for (uint32_t m = left; m; m &= m - 1)
            part.mask |= warp->sync->after[__builtin_ctz(m)] == to ? m & -m : 0;
        for (uint32_t m = part.mask; m; m &= m - 1)
            warp->sync->after[__builtin_ctz(m)] = NULL;
        part.code = to;
        ifl_fragment_add(warp, part);
    }
}

enum { PLANE = 4 * IFL_WARP_LANES };

static uint64_t pair_at(const ifl_fragment *fragment, uint32_t slot, uint32_t lane)
{
    const char *slots = fragment->frame->slots;
    return (uint64_t)ifl_lane_u32(slots, slot + PLANE, lane) << 32 |
           ifl_lane_u32(slots, slot, lane);
}

static uint64_t address_at(const ifl_fragment *fragment, uint32_t lane)
{
    return pair_at(fragment, fragment->code->a, lane) + fragment->code->value;
}

/* NULL: no instruction lies there. */
static const ifl_code *code_at(const ifl_image *image, uint64_t address)
{
    const ifl_routine *routine = &image->routines[0];
    for (size_t i = 0; i < routine->range_count; i++) {
        const ifl_code_range *range = &routine->ranges[i];
        const uint64_t offset = address - range->address;
        if (offset >= range->bytes || offset % IFL_CODE_BYTES)
            continue;
        const uint32_t code = range->code_of[offset / IFL_CODE_BYTES];
        return code == UINT32_MAX ? NULL : &routine->code[code];
    }
    return NULL;
}

/* Where a lane's jump ends: a function that the engine provides comes back to the address in R20
 * and R21. */
typedef struct landing {
    const ifl_fragment *from;
    ifl_provided calls; /* IFL_PROVIDED_NONE: nothing on the way */
} landing;

static uint64_t landing_of(const landing *l, uint32_t lane)
{
    enum { RETURN_ADDRESS = 20 };
    const uint32_t slot = l->from->frame->routine->registers + RETURN_ADDRESS * PLANE;
    return l->calls ? pair_at(l->from, slot, lane) : address_at(l->from, lane);
}

/* The lanes of `left` that go where `lane` goes. */
static uint32_t going_alike(const landing *l, uint32_t left, uint32_t lane)
{
    const uint64_t to = landing_of(l, lane);
    uint32_t alike = 0;
    for (uint32_t m = left; m; m &= m - 1)
        alike |= landing_of(l, (uint32_t)__builtin_ctz(m)) == to ? m & -m : 0;
    return alike;
}

static bool land(ifl_warp *warp, const landing *l, uint32_t lanes)
{
    const ifl_fragment *from = l->from;
    for (uint32_t left = lanes; left;) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        ifl_fragment part = *from;
        part.mask = going_alike(l, left, lane);
        part.code = code_at(warp->worker->grid->image, landing_of(l, lane));
        if (!part.code) {
            ifl_fault_raise(warp, from->code, IFL_FAULT_OTHER, lane,
                            "a jump to 0x%llx, where there is no code",
                            (unsigned long long)landing_of(l, lane));
            return false;
        }
        if (part.mask != from->mask)
            ifl_warp_tell_divergence(warp, from->code, from->mask, part.mask);
        ifl_fragment_add(warp, part);
        left &= ~part.mask;
    }
    return true;
}

/* The lanes of `left` that call what `lane` calls, or that call nothing. */
static uint32_t calling_alike(const ifl_fragment *from, uint32_t left, ifl_provided function)
{
    uint32_t alike = 0;
    for (uint32_t m = left; m; m &= m - 1)
        alike |=
            ifl_provided_at(address_at(from, (uint32_t)__builtin_ctz(m))) == function ? m & -m : 0;
    return alike;
}

void ifl_jump(ifl_warp *warp, uint32_t index)
{
    const ifl_fragment from = warp->fragments[index];
    const uint32_t taken = warp->taken;
    ifl_fragment part = from;
    ifl_fragment_remove(warp, index);
    const uint32_t others = warp->count + (from.mask & ~taken ? 1 : 0);
    part.mask = from.mask & ~taken;
    part.code = from.code + 1;
    if (part.mask)
        ifl_fragment_add(warp, part);
    for (uint32_t left = taken; left; left &= ~part.mask) {
        landing to = {.from = &from,
                      .calls = ifl_provided_at(address_at(&from, (uint32_t)__builtin_ctz(left)))};
        part = from;
        part.mask = calling_alike(&from, left, to.calls);
        if (to.calls)
            ifl_provided_call(warp, &part, to.calls);
        if (to.calls == IFL_PROVIDED_GROUP_SYNC) {
            ifl_grid_barrier_wait(warp, &part);
            to.from = &part;
        }
        if (warp->worker->fault.is_set || !land(warp, &to, part.mask))
            return;
        ifl_grid_barrier_check(warp->worker);
    }
    if (warp->is_followed && warp->count > others + 1)
        ifl_warp_tell_parting(warp, from.code->site, warp->count - others - 1);
}
