/* SPDX-License-Identifier: Apache-2.0
 * See time_pick.h. */
#include "time/time_pick.h"

#include "time/time_site.h"

/* What is of one half only takes the first. */
ifl_takes ifl_sm_takes(const ifl_site *site)
{
    return site->control.is_twice                                 ? IFL_TAKES_BOTH
           : site->pipe == IFL_PIPE_FMA && !site->control.is_half ? IFL_TAKES_EITHER
                                                                  : IFL_TAKES_FIRST;
}

static uint64_t latest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static bool is_undispatched(const ifl_sm_scheduler *on, uint64_t now, ifl_sm_warp *w, uint8_t *why)
{
    const uint64_t may =
        ifl_register_ports_open(&on->ports, w, w->walk.site, &w->site->control, now);
    if (may <= now)
        return false;
    *why = IFL_STALL_dispatch_stall;
    *w->ready = may;
    return true;
}

/* When its pipe or its queue is free. */
static inline uint64_t free_at(ifl_sm_scheduler *on, const ifl_sm_warp *w)
{
    if (w->queues)
        return on->queues[w->is_far].left[on->queues[w->is_far].at];
    return w->pipe < IFL_PIPES ? *ifl_sm_half_of(on, w->pipe, w->takes) : 0;
}

/* Nothing else holds any warp: the usual case. */
static bool is_open(const ifl_sm_scheduler *on, uint64_t now)
{
    return on->dispatch <= now && on->ports.free_at[0] <= now && on->ports.free_at[1] <= now;
}

/* A pipe or a queue that is not free, or the scheduler's way out: the warp comes again when it is. */
static bool is_held(ifl_sm_scheduler *on, uint64_t now, ifl_sm_warp *w, uint8_t *why)
{
    const uint64_t at = free_at(on, w);
    if (at <= now && on->dispatch <= now)
        return !w->queues && is_undispatched(on, now, w, why);
    *why = (uint8_t)(at <= now    ? IFL_STALL_dispatch_stall
                     : !w->queues ? ifl_time_why_of_pipe(w->site)
                                  : ifl_time_why_of_queue(w->site));
    *w->ready = latest(at, on->dispatch);
    return true;
}

/* By that from now on (not_selected: by nothing): what held it before has ended, and is counted. */
static void hold_by(ifl_sm *sm, ifl_sm_warp *w, uint8_t why)
{
    if (w->held_why != IFL_STALL_not_selected) {
        const uint64_t cycles = sm->now - w->held_since;
        sm->out->sites[w->walk.site].cycles[w->held_why] += cycles;
        w->held += cycles;
    }
    w->held_why = why;
    w->held_since = sm->now;
}

static inline void hold(ifl_sm *sm, ifl_sm_warp *w, uint8_t why)
{
    if (w->held_why != why)
        hold_by(sm, w, why);
}

/* The one that issued last goes on for as long as it can: an H200's scheduler with two warps of a block that compute
 * forces between bodies issues runs of up to ten instructions of one of them, none of whose instructions but the first waits
 * to be selected (draw 25, Nsight Compute's samples). Then the oldest block's warps come first; of one block's, the one that
 * issued last long ago. Warps of an H100 with only arithmetic to do end block by block (tools/gpu/order_probe.cu), and so do
 * those of an H200 that load what the L1 has or lacks (tools/gpu/load_order_probe.cu). */
uint64_t ifl_sm_order_of(const ifl_sm_warp *w)
{
    enum { CYCLE_BITS = 40 };
    return (uint64_t)w->block << CYCLE_BITS | (w->issued & ((UINT64_C(1) << CYCLE_BITS) - 1));
}

/* A bit for each warp that is ready, and when the first of the others is. */
static void look(ifl_sm_scheduler *on, uint64_t now)
{
    if (!on->is_stale && on->wakes > now)
        return;
    on->awake = 0;
    on->wakes = IFL_NEVER;
    on->is_stale = false;
    for (uint32_t i = 0; i < on->count; i++) {
        const uint64_t at = on->ready[i];
        on->awake |= (uint64_t)(at <= now) << i;
        on->wakes = at > now && at < on->wakes ? at : on->wakes;
    }
}

/* It is ready later than now. */
static void put_to_sleep(ifl_sm_scheduler *on, uint32_t i)
{
    on->awake &= ~(UINT64_C(1) << i);
    on->wakes = on->ready[i] < on->wakes ? on->ready[i] : on->wakes;
}

static bool comes_before(const ifl_sm_scheduler *on, uint32_t a, uint32_t b)
{
    return b != on->last && (a == on->last || on->order[a] < on->order[b]);
}

/* Every warp is looked at: what holds it is counted from now on. */
static bool pick_counted(ifl_sm *sm, ifl_sm_scheduler *on, uint32_t *found)
{
    const uint64_t now = sm->now;
    const bool opens = is_open(on, now);
    uint32_t best = on->count, can = 0;
    for (uint64_t left = on->awake; left; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(left);
        ifl_sm_warp *w = on->warps[i];
        uint8_t why = IFL_STALL_not_selected;
        const bool held = !(opens && free_at(on, w) <= now) && is_held(on, now, w, &why);
        hold(sm, w, why);
        if (held) {
            put_to_sleep(on, i);
            continue;
        }
        can++;
        if (best == on->count || comes_before(on, i, best))
            best = i;
    }
    *found = best;
    on->next = can > 1 ? now + 1 : on->wakes;
    return can > 0;
}

static bool may_issue(ifl_sm_scheduler *on, uint64_t now, uint32_t i)
{
    uint8_t why;
    const bool held = is_held(on, now, on->warps[i], &why);
    if (held)
        put_to_sleep(on, i);
    return !held;
}

static uint32_t first_of(const ifl_sm_scheduler *on, uint64_t warps)
{
    uint32_t first = (uint32_t)__builtin_ctzll(warps);
    for (uint64_t left = warps; left; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(left);
        first = on->order[i] < on->order[first] ? i : first;
    }
    return first;
}

/* Only those are looked at that would come before what is found. */
static uint32_t find_first(ifl_sm_scheduler *on, uint64_t now)
{
    if (on->last < on->count && on->awake >> on->last & 1 && may_issue(on, now, on->last))
        return on->last;
    while (on->awake) {
        const uint32_t i = first_of(on, on->awake);
        if (may_issue(on, now, i))
            return i;
    }
    return on->count;
}

/* The same warps at the same cycles, with nothing counted. What has not been looked at may be held, and is then not
 * ready at the next cycle: looking there finds so. */
static bool pick_uncounted(ifl_sm_scheduler *on, uint64_t now, uint32_t *found)
{
    if (on->dispatch > now) {
        on->next = on->awake ? on->dispatch : latest(on->wakes, on->dispatch);
        return false;
    }
    *found = find_first(on, now);
    const bool has_found = *found < on->count,
               has_others = has_found && on->awake & ~(UINT64_C(1) << *found);
    on->next = has_others ? now + 1 : on->wakes;
    return has_found;
}

bool ifl_sm_pick(ifl_sm *sm, ifl_sm_scheduler *on, uint32_t *found)
{
    look(on, sm->now);
    return sm->out->sites ? pick_counted(sm, on, found) : pick_uncounted(on, sm->now, found);
}

/* It may have ended, and another one stand in its place. */
void ifl_sm_picked(const ifl_sm *sm, ifl_sm_scheduler *on, uint32_t found)
{
    const uint64_t ready = found < on->count ? on->ready[found] : IFL_NEVER;
    on->next = ready < on->next ? ready : on->next;
    if (!on->is_stale)
        put_to_sleep(on, found);
    if (!sm->out->sites && on->next != IFL_NEVER)
        on->next = latest(on->next, on->dispatch);
}
