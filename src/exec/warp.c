/* SPDX-License-Identifier: Apache-2.0
 * Fragments of a warp: running them, splitting them at branches, bringing them together again. */
#include "exec/converge.h"
#include "exec/exchange_sites.h"

#include <stdlib.h>
#include <string.h>

/* ---- fragments ------------------------------------------------------------------------------- */

ifl_fragment *ifl_fragment_add(ifl_warp *warp, ifl_fragment fragment)
{
    /* Masks of fragments do not overlap, so there are at most 32. */
    ifl_fragment *added = &warp->fragments[warp->count++];
    *added = fragment;
    return added;
}

void ifl_fragment_remove(ifl_warp *warp, uint32_t index)
{
    memmove(&warp->fragments[index], &warp->fragments[index + 1],
            (warp->count - index - 1) * sizeof *warp->fragments);
    warp->count--;
}

bool ifl_warp_is_done(const ifl_warp *warp)
{
    return warp->live == 0;
}

static int ready_fragment(const ifl_warp *warp)
{
    for (uint32_t i = warp->count; i-- > 0;)
        if (warp->fragments[i].state == IFL_FRAGMENT_READY)
            return (int)i;
    return -1;
}

bool ifl_warp_has_ready(const ifl_warp *warp)
{
    return ready_fragment(warp) >= 0;
}

static bool are_alike(const ifl_fragment *a, const ifl_fragment *b)
{
    return a->code == b->code && a->frame == b->frame && a->meeting == b->meeting &&
           a->state == IFL_FRAGMENT_READY && b->state == IFL_FRAGMENT_READY;
}

void ifl_warp_merge(ifl_warp *warp)
{
    for (uint32_t i = 0; i < warp->count; i++)
        for (uint32_t j = warp->count - 1; j > i; j--)
            if (are_alike(&warp->fragments[i], &warp->fragments[j])) {
                warp->fragments[i].mask |= warp->fragments[j].mask;
                ifl_fragment_remove(warp, j);
            }
}

/* ---- meetings -------------------------------------------------------------------------------- */

static ifl_meeting *take_meeting(ifl_warp *warp)
{
    ifl_meeting *meeting = warp->free_meetings;
    if (meeting) {
        warp->free_meetings = meeting->outer;
        return meeting;
    }
    meeting = malloc(sizeof *meeting);
    if (meeting) {
        meeting->made_before = warp->meetings;
        warp->meetings = meeting;
    }
    return meeting;
}

void ifl_meetings_free(ifl_warp *warp)
{
    for (ifl_meeting *meeting = warp->meetings, *next; meeting; meeting = next) {
        next = meeting->made_before;
        free(meeting);
    }
}

void ifl_meeting_add(ifl_warp *warp, ifl_fragment *fragment, const ifl_code *place,
                     ifl_frame *frame)
{
    ifl_meeting *meeting = take_meeting(warp);
    if (!meeting) {
        ifl_fault_raise(warp, fragment->code, IFL_FAULT_NO_MEMORY, 0, "out of memory");
        return;
    }
    meeting->place = place;
    meeting->frame = frame;
    meeting->expected = fragment->mask;
    meeting->arrived = 0;
    meeting->outer = fragment->meeting;
    fragment->meeting = meeting;
}

static void end_meeting(ifl_warp *warp, ifl_meeting *meeting)
{
    if (meeting->arrived)
        ifl_fragment_add(warp, (ifl_fragment){.code = meeting->place,
                                              .frame = meeting->frame,
                                              .meeting = meeting->outer,
                                              .mask = meeting->arrived});
    meeting->outer = warp->free_meetings;
    warp->free_meetings = meeting;
}

static void arrive(ifl_warp *warp, uint32_t index)
{
    ifl_meeting *meeting = warp->fragments[index].meeting;
    meeting->arrived |= warp->fragments[index].mask;
    ifl_fragment_remove(warp, index);
    if (meeting->arrived == meeting->expected)
        end_meeting(warp, meeting);
    else
        ifl_warp_shorten_slice(warp, IFL_SHORT_SLICE);
}

static bool release_from(ifl_warp *warp, ifl_meeting *meeting)
{
    for (; meeting; meeting = meeting->outer) {
        if (!meeting->arrived)
            continue;
        ifl_fragment alone = {.code = meeting->place,
                              .frame = meeting->frame,
                              .meeting = meeting->outer,
                              .mask = meeting->arrived};
        meeting->expected &= ~meeting->arrived;
        meeting->arrived = 0;
        ifl_fragment_add(warp, alone);
        return true;
    }
    return false;
}

static bool release_meeting(ifl_warp *warp)
{
    for (uint32_t i = warp->count; i-- > 0;)
        if (release_from(warp, warp->fragments[i].meeting))
            return true;
    return false;
}

static bool someone_waits(const ifl_meeting *meeting)
{
    for (; meeting; meeting = meeting->outer)
        if (meeting->arrived)
            return true;
    return false;
}

/* ---- what stops a fragment ------------------------------------------------------------------- */

void ifl_warp_tell_divergence(ifl_warp *warp, const ifl_code *code, uint32_t active, uint32_t taken)
{
    ifl_divergence event = {.site = code->site, .active = active, .taken = taken};
    const ifl_exec_launch *launch = warp->worker->grid->launch;
    for (size_t i = 0; i < launch->observer_count; i++)
        if (launch->observers[i]->divergence)
            launch->observers[i]->divergence(warp->worker->states[i], &event);
}

static void meet_at(ifl_warp *warp, ifl_fragment *fragment, const ifl_code *join)
{
    const ifl_meeting *meeting = fragment->meeting;
    bool is_known = meeting && meeting->place == join && meeting->frame == fragment->frame;
    if (join && !is_known)
        ifl_meeting_add(warp, fragment, join, fragment->frame);
}

/* Of lanes that part in machine code the smaller group runs first and, of two alike, those that do
 * not branch: found by the counters of an H200 (tests/machine/meetings.cu), which are another's
 * with any other order. */
static void order_parted(ifl_fragment *taken, ifl_fragment *other)
{
    if (__builtin_popcount(taken->mask) >= __builtin_popcount(other->mask))
        return;
    const ifl_fragment first = *taken;
    *taken = *other;
    *other = first;
}

static void diverge(ifl_warp *warp, uint32_t index)
{
    ifl_fragment *fragment = &warp->fragments[index];
    const ifl_code *code = fragment->code;
    ifl_warp_tell_divergence(warp, code, fragment->mask, warp->taken);
    meet_at(warp, fragment, code->join);
    if (warp->sync) {
        for (uint32_t i = 0; i < warp->count; i++)
            if (warp->fragments[i].state == IFL_FRAGMENT_READY)
                warp->fragments[i].aside = i == index ? NULL : warp->fragments[i].code;
    }
    ifl_fragment other = *fragment;
    other.mask &= ~warp->taken;
    other.code = code + 1;
    fragment->mask = warp->taken;
    fragment->code = code->target;
    if (warp->sync)
        order_parted(fragment, &other);
    ifl_fragment_add(warp, other);
}

/* Lanes of `mask` whose index is that of the lowest one. */
static uint32_t same_index(const char *slots, uint32_t slot, uint32_t mask)
{
    uint32_t first = ifl_lane_u32(slots, slot, (uint32_t)__builtin_ctz(mask)), same = 0;
    for (uint32_t m = mask; m; m &= m - 1)
        same |= ifl_lane_u32(slots, slot, (uint32_t)__builtin_ctz(m)) == first ? m & -m : 0;
    return same;
}

static void take_switch(ifl_warp *warp, uint32_t index)
{
    ifl_fragment *fragment = &warp->fragments[index];
    const ifl_code *code = fragment->code;
    uint32_t executing = warp->taken, all = fragment->mask;
    uint32_t same = same_index(fragment->frame->slots, code->a, executing);
    if (same != all) {
        ifl_warp_tell_divergence(warp, code, all, same);
        meet_at(warp, fragment, code->join);
    }
    ifl_fragment part = *fragment;
    ifl_fragment_remove(warp, index);
    part.mask = all & ~executing;
    part.code = code + 1;
    if (part.mask)
        ifl_fragment_add(warp, part);
    while (executing) {
        part.mask = same_index(part.frame->slots, code->a, executing);
        uint32_t lane = (uint32_t)__builtin_ctz(part.mask),
                 to = ifl_lane_u32(part.frame->slots, code->a, lane);
        if (to >= code->targets->count) {
            ifl_fault_raise(warp, code, IFL_FAULT_OTHER, lane,
                            "branch index %u is past the end of a list of %zu labels", to,
                            code->targets->count);
            return;
        }
        part.code = code->targets->target[to];
        ifl_fragment_add(warp, part);
        executing &= ~part.mask;
    }
}

static void leave_frames(ifl_warp *warp, ifl_frame *frame, uint32_t mask)
{
    for (ifl_frame *caller; frame; frame = caller) {
        caller = frame->caller;
        ifl_frame_leave(warp, frame, mask);
    }
}

static void leave_meetings(ifl_warp *warp, ifl_meeting *meeting, uint32_t mask)
{
    for (ifl_meeting *outer; meeting; meeting = outer) {
        outer = meeting->outer;
        meeting->expected &= ~mask;
        if (meeting->arrived == meeting->expected)
            end_meeting(warp, meeting);
    }
}

static void end_lanes(ifl_warp *warp, uint32_t index, uint32_t mask)
{
    ifl_fragment *fragment = &warp->fragments[index];
    ifl_fragment ended = *fragment;
    warp->live &= ~mask;
    fragment->mask &= ~mask;
    fragment->code++;
    if (!fragment->mask)
        ifl_fragment_remove(warp, index);
    leave_frames(warp, ended.frame, mask);
    leave_meetings(warp, ended.meeting, mask);
    if (warp->sync)
        ifl_sync_settle_left(warp);
    ifl_block_lanes_ended(warp, mask);
}

static void return_lanes(ifl_warp *warp, uint32_t index)
{
    ifl_fragment *fragment = &warp->fragments[index];
    uint32_t mask = warp->taken;
    if (mask != fragment->mask) {
        ifl_fragment rest = *fragment;
        rest.mask &= ~mask;
        rest.code++;
        fragment->mask = mask;
        ifl_fragment_add(warp, rest);
    }
    fragment = &warp->fragments[index];
    ifl_warp_return(warp, fragment, mask);
    const ifl_meeting *meeting = fragment->meeting;
    if (meeting && meeting->frame == fragment->frame && meeting->place == fragment->code)
        arrive(warp, index);
}

/* ---- warp-wide operations that wait ---------------------------------------------------------- */

static const ifl_exchange *op_of(const ifl_fragment *fragment)
{
    return fragment->code->extra;
}

static uint32_t executing_lanes(const ifl_fragment *fragment)
{
    return fragment->mask & (ifl_predicate(fragment->frame->slots, fragment->code->guard) ^
                             fragment->code->guard_flip);
}

/* bar.warp.sync brings lanes together wherever they stand; others exchange values at all sites of
 * an operation that are alike. */
static bool waits_with(const ifl_fragment *a, const ifl_fragment *b)
{
    return b->state == IFL_FRAGMENT_AT_WARP_OP && ((a->code == b->code && a->frame == b->frame) ||
                                                   ifl_exchange_is_alike(op_of(a), op_of(b)));
}

/* The lanes that wait with `fragment` under the same member mask. In `arrived` also those that a
 * guard keeps from executing: nobody needs to wait for them. */
static uint32_t waiting_group(const ifl_warp *warp, const ifl_fragment *fragment, ifl_membership of,
                              uint32_t *arrived)
{
    uint32_t group = 0;
    *arrived = 0;
    for (uint32_t i = 0; i < warp->count; i++) {
        const ifl_fragment *other = &warp->fragments[i];
        if (!waits_with(fragment, other))
            continue;
        uint32_t executing = executing_lanes(other);
        uint32_t mine = ifl_warp_group(op_of(other), other->frame->slots, executing, of);
        group |= mine;
        *arrived |= mine | (other->mask & ~executing);
    }
    return group;
}

/* Lets some lanes of a waiting fragment go on: all of them when none that executes stays behind. */
static void go_on(ifl_warp *warp, ifl_fragment *fragment, uint32_t lanes)
{
    if (executing_lanes(fragment) & ~lanes) {
        ifl_fragment rest = *fragment;
        rest.mask &= ~lanes;
        fragment->mask &= lanes;
        ifl_fragment_add(warp, rest);
    }
    fragment->state = IFL_FRAGMENT_READY;
    fragment->code++;
}

static void exchange(ifl_warp *warp, const ifl_fragment *waiting, uint32_t group)
{
    if (op_of(waiting)->kind == IFL_EXCHANGE_MEET)
        return;
    const ifl_fragment *parts[IFL_WARP_LANES] = {waiting};
    uint32_t count = 1, lanes = waiting->mask & group;
    for (uint32_t i = 0; i < warp->count; i++) {
        const ifl_fragment *other = &warp->fragments[i];
        if (other == waiting || !waits_with(waiting, other) || !(other->mask & group))
            continue;
        if (other->code == waiting->code && other->frame == waiting->frame)
            lanes |= other->mask & group;
        parts[count++] = other;
    }
    if (lanes == group)
        ifl_exchange_run(warp, op_of(waiting), waiting->frame->slots, group);
    else
        ifl_exchange_run_across(warp, parts, count, group);
}

/* The lanes of a group that wait in the same place. */
static uint32_t lanes_in_place(const ifl_warp *warp, const ifl_fragment *waiting, uint32_t group)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < warp->count; i++) {
        const ifl_fragment *other = &warp->fragments[i];
        if (other->state == IFL_FRAGMENT_AT_WARP_OP && other->code == waiting->code &&
            other->frame == waiting->frame)
            lanes |= other->mask & group;
    }
    return lanes;
}

/* Lanes that came to a WARPSYNC in several parts issue it once more together, however many parts
 * there were (an H200's counters of tests/machine/meetings.cu); but not behind lanes that stood there,
 * ready to run, while others parted: these, the last, issue it with all that wait, as at a BSYNC
 * (tests/driver/stood_waits.cu). PTX's operations have no block of their own, and say nothing of it. */
static void issue_together(ifl_warp *warp, const ifl_fragment *waiting, uint32_t group,
                           uint32_t stood)
{
    const ifl_code *block = waiting->code - waiting->code->b;
    if (op_of(waiting)->kind != IFL_EXCHANGE_MEET || block == waiting->code)
        return;
    const uint32_t lanes = lanes_in_place(warp, waiting, group);
    if (!(lanes & ~waiting->mask))
        return;
    ifl_block_count *count = &warp->worker->counts[block->count];
    const bool again = !(stood & lanes);
    count->warps += again;
    count->threads += (uint64_t)__builtin_popcount(lanes & ~stood);
    if (again && warp->is_followed)
        ifl_warp_tell_stretch(warp, block, lanes);
}

static void finish_group(ifl_warp *warp, uint32_t index, uint32_t group, uint32_t stood)
{
    const ifl_fragment waiting = warp->fragments[index];
    exchange(warp, &warp->fragments[index], group);
    issue_together(warp, &waiting, group, stood);
    if (warp->sync)
        warp->sync->yielded &= ~group;
    for (uint32_t i = 0, count = warp->count; i < count; i++)
        if (waits_with(&waiting, &warp->fragments[i]) && warp->fragments[i].mask & group)
            go_on(warp, &warp->fragments[i], group);
    ifl_warp_merge(warp);
}

/* Finishes one group that is complete, if there is one. Nobody waits for the lanes in `excused`. */
static bool finish_one(ifl_warp *warp, uint32_t excused, uint32_t stood)
{
    for (uint32_t i = 0; i < warp->count; i++) {
        const ifl_fragment *fragment = &warp->fragments[i];
        uint32_t rest = fragment->state == IFL_FRAGMENT_AT_WARP_OP ? executing_lanes(fragment) : 0;
        for (uint32_t group, arrived; rest; rest &= ~group) {
            const ifl_membership of = ifl_warp_membership(op_of(fragment), fragment->frame->slots,
                                                          (uint32_t)__builtin_ctz(rest));
            group = waiting_group(warp, fragment, of, &arrived);
            if (ifl_awaited(of) & warp->live & ~arrived &
                ~(op_of(fragment)->kind == IFL_EXCHANGE_MEET ? excused : 0))
                continue;
            finish_group(warp, i, group, stood);
            return true;
        }
    }
    return false;
}

static void finish_warp_ops(ifl_warp *warp, uint32_t stood)
{
    while (finish_one(warp, 0, stood))
        continue;
}

/* Lanes that come to where they have stood while others parted. */
static uint32_t those_who_stood(const ifl_fragment *fragment)
{
    const bool stood = fragment->aside == fragment->code - fragment->code->b;
    return stood ? fragment->mask : 0;
}

static uint32_t lanes_in(const ifl_warp *warp, ifl_fragment_state state)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < warp->count; i++)
        lanes |= warp->fragments[i].state == state ? warp->fragments[i].mask : 0;
    return lanes;
}

/* Lanes at a WARPSYNC or __syncwarp wait for lanes that wait for them, at a BSYNC or at a barrier
 * of the block. CUDA calls the first undefined (__syncwarp in a branch that not all its members
 * take); GPUs come through, and Numba's cuda.reduce counts on it. The second is __syncthreads in
 * both branches of an if, for which the compiler puts a WARPSYNC of the whole warp before each:
 * barriers count threads (CUDA C++ Programming Guide, "Independent Thread Scheduling"). */
static bool release_warpsync(ifl_warp *warp)
{
    return finish_one(
        warp, lanes_in(warp, IFL_FRAGMENT_AT_SYNC) | lanes_in(warp, IFL_FRAGMENT_AT_BARRIER), 0);
}

/* They wait for lanes that wait at a barrier of the block, for them: code of -G meets before
 * EXIT. */
static bool release_sync(ifl_warp *warp)
{
    if (!lanes_in(warp, IFL_FRAGMENT_AT_SYNC))
        return false;
    ifl_sync_let_go(warp);
    return true;
}

bool ifl_warp_release(ifl_warp *warp)
{
    return release_warpsync(warp) || (warp->sync ? release_sync(warp) : release_meeting(warp));
}

/* ---- running --------------------------------------------------------------------------------- */

static void rotate(ifl_warp *warp, uint32_t index)
{
    ifl_fragment fragment = warp->fragments[index];
    ifl_fragment_remove(warp, index);
    memmove(&warp->fragments[1], &warp->fragments[0], warp->count * sizeof *warp->fragments);
    warp->fragments[0] = fragment;
    warp->count++;
}

/* Of machine code, ptxas puts a YIELD into each loop that may wait for other lanes, if it does not
 * sleep (that reads volatile words or such of memory's order, or takes locks: sm_75 to sm_120), and a
 * GPU lets none go from a BSYNC elsewhere: lanes that try for long to change a word of shared memory
 * (ATOMS.CAST.SPIN) wait for other warps. */
static bool could_wait_for_lanes(ifl_warp *warp)
{
    const bool could = !warp->sync || warp->has_yielded;
    warp->has_yielded = false;
    return could;
}

/* A fragment that keeps looking at memory while lanes wait may be waiting for those, also when it
 * writes: it counts its attempts, say. That is rare, hence the patience: those that wait should
 * rather be met. Once it was needed it will be again, for each lane that takes the same lock. */
static bool may_wait_for_lanes(ifl_warp *warp, uint32_t index)
{
    enum { SPINNING = 64, WRITING = 1 };
    const bool are_others = warp->count > 1 || someone_waits(warp->fragments[index].meeting);
    const bool may = could_wait_for_lanes(warp) && warp->observed && are_others;
    warp->watching = may ? warp->watching + (warp->spins ? SPINNING : WRITING) : 0;
    return warp->watching >= warp->patience;
}

/* Lets the other fragments run, and those that wait for this one too where it seems to wait for
 * them. */
static void give_way(ifl_warp *warp, uint32_t index, bool waits)
{
    rotate(warp, index);
    if (!waits)
        return;
    warp->watching = 0;
    warp->patience = IFL_LEAST_PATIENCE;
    if (warp->sync)
        ifl_sync_let_go(warp);
    else
        release_from(warp, warp->fragments[0].meeting);
}

/* The slice is over: a fragment that looked at memory lets the others run. */
static void end_slice(ifl_warp *warp, uint32_t index)
{
    warp->spins = warp->spun = warp->observed && !warp->changed;
    const bool waits = may_wait_for_lanes(warp, index);
    if (warp->observed)
        give_way(warp, index, waits);
}

static void yield(ifl_warp *warp, uint32_t index)
{
    if (warp->slice < 0)
        end_slice(warp, index);
}

/* Those that wait behind the same YIELD go on with it. */
static uint32_t join_yielded(ifl_warp *warp, uint32_t index)
{
    const ifl_fragment last = warp->fragments[index];
    for (uint32_t i = warp->count; i-- > 0;) {
        const ifl_fragment *fragment = &warp->fragments[i];
        if (i == index || !fragment->yields || fragment->state != IFL_FRAGMENT_READY ||
            fragment->code != last.code || fragment->frame != last.frame)
            continue;
        warp->fragments[index].mask |= fragment->mask;
        ifl_fragment_remove(warp, i);
        index -= i < index;
    }
    return index;
}

/* At a YIELD. */
static void give_way_to_lanes(ifl_warp *warp, uint32_t index)
{
    const ifl_fragment fragment = warp->fragments[index];
    warp->fragments[index].yields = true;
    rotate(warp, index);
    ifl_sync_yield(warp, &fragment);
}

static void handle(ifl_warp *warp, uint32_t index)
{
    ifl_fragment *fragment = &warp->fragments[index];
    switch (warp->reason) {
    case IFL_REASON_JOIN:
        arrive(warp, index);
        break;
    case IFL_REASON_DIVERGE:
        diverge(warp, index);
        break;
    case IFL_REASON_SWITCH:
        take_switch(warp, index);
        break;
    case IFL_REASON_CALL:
        ifl_warp_call(warp, fragment);
        break;
    case IFL_REASON_RETURN:
        return_lanes(warp, index);
        break;
    case IFL_REASON_EXIT:
        end_lanes(warp, index, warp->taken);
        if (warp->count)
            finish_warp_ops(warp, 0);
        break;
    case IFL_REASON_BARRIER:
        ifl_block_arrive(warp, fragment);
        break;
    case IFL_REASON_WARP_WAIT:
        fragment->state = IFL_FRAGMENT_AT_WARP_OP;
        finish_warp_ops(warp, those_who_stood(fragment));
        break;
    case IFL_REASON_YIELD:
        yield(warp, index);
        break;
    case IFL_REASON_AGAIN:
        warp->reason = IFL_REASON_YIELD;
        yield(warp, index);
        break;
    case IFL_REASON_SYNC:
        ifl_sync_wait(warp, index);
        break;
    case IFL_REASON_RECHECK:
        fragment->code++;
        ifl_sync_settle_left(warp);
        break;
    case IFL_REASON_WAY:
        fragment->code++;
        give_way_to_lanes(warp, join_yielded(warp, index));
        break;
    case IFL_REASON_GATHER:
        ifl_gather_wait(warp, index);
        break;
    case IFL_REASON_SCATTER:
        ifl_gather_end(warp, index);
        break;
    case IFL_REASON_JUMP:
        ifl_jump(warp, index);
        break;
    default:
        break;
    }
}

static void run_fragment(ifl_warp *warp, uint32_t index)
{
    ifl_fragment *fragment = &warp->fragments[index];
    const ifl_meeting *meeting = fragment->meeting;
    warp->frame = fragment->frame;
    warp->place = meeting && meeting->frame == fragment->frame ? meeting->place : NULL;
    warp->reason = IFL_REASON_NONE;
    const ifl_code *code = fragment->code;
    char *slots = fragment->frame->slots;
    uint32_t mask = fragment->mask;
    do
        code = code->run(code, warp, slots, mask);
    while (warp->reason == IFL_REASON_NONE);
    fragment->code = code;
}

/* Whenever another fragment runs it gets a new slice, so that a loop whose lanes part never uses
 * one up. The warp yields after so many changes; after fewer if it reads memory that others may
 * write. */
enum { LONG_TURNS = 1024, WATCHING_TURNS = 16 };

static void end_turns(ifl_warp *warp, uint32_t index, bool observed, bool changed)
{
    warp->observed |= observed;
    warp->changed |= changed;
    end_slice(warp, index);
    warp->reason = IFL_REASON_YIELD;
}

/* Behind a barrier a warp has one request a turn, until one changes shared memory (leave_barrier). The
 * fragment has just had one. */
static void count_behind(ifl_warp *warp, const ifl_fragment *fragment)
{
    const ifl_site_access *had =
        &warp->worker->grid->image->sites.at[fragment->code[-1].site].access;
    if (had->space == IFL_SPACE_SHARED && had->kind != IFL_ACCESS_LOAD)
        warp->behind = 0;
    else if (--warp->behind)
        warp->requests_left = 1;
}

/* The fragment had a request, the last of those that its warp may have. */
static void end_requests(ifl_warp *warp, const ifl_fragment *fragment)
{
    const bool goes_on =
        !warp->worker->grid->keeps_pace || ifl_pace_goes_on(warp, fragment->code[-1].site);
    if (warp->behind) {
        count_behind(warp, fragment);
    } else if (warp->worker->grid->keeps_pace && goes_on) {
        warp->requests_left = 1;
        warp->reason = IFL_REASON_NONE;
    }
}

/* The last to arrive at a barrier goes on in its turn, not before the others: a GPU lets all go on at once. */
static bool opened_barrier(const ifl_warp *warp)
{
    return warp->reason == IFL_REASON_BARRIER && warp->behind && warp->block->warp_count > 1;
}

/* Lanes that stand where they stood when others parted go on together with all such lanes there:
 * found by the counters of an H200 (tests/gpu/h200/partings.txt). */
static uint32_t join_aside(ifl_warp *warp, uint32_t index)
{
    const ifl_fragment first = warp->fragments[index];
    for (uint32_t i = warp->count; i-- > 0;) {
        const ifl_fragment *fragment = &warp->fragments[i];
        if (i == index || first.code != first.aside || fragment->state != IFL_FRAGMENT_READY ||
            fragment->aside != first.aside || fragment->code != first.code ||
            fragment->frame != first.frame)
            continue;
        warp->fragments[index].mask |= fragment->mask;
        ifl_fragment_remove(warp, i);
        index -= i < index;
    }
    return index;
}

void ifl_warp_run(ifl_warp *warp)
{
    bool observed = false, changed = false;
    int index;
    const bool keeps_pace = warp->worker->grid->keeps_pace;
    if (warp->requests_left <= 0 || (keeps_pace && !warp->behind))
        warp->requests_left = keeps_pace ? 1 : warp->worker->grid->launch->quantum;
    for (int turns = 0; (index = ready_fragment(warp)) >= 0; turns++) {
        if (turns >= (observed ? WATCHING_TURNS : LONG_TURNS)) {
            end_turns(warp, (uint32_t)index, observed, changed);
            return;
        }
        warp->fragments[index].yields = false;
        if (warp->fragments[index].aside)
            index = (int)join_aside(warp, (uint32_t)index);
        if (warp->slice < 0 || warp->running != &warp->fragments[index]) {
            observed |= turns && warp->observed;
            changed |= turns && warp->changed;
            warp->slice =
                someone_waits(warp->fragments[index].meeting) ? IFL_SHORT_SLICE : IFL_LONG_SLICE;
            warp->observed = warp->changed = warp->spins = false;
        }
        warp->running = &warp->fragments[index];
        run_fragment(warp, (uint32_t)index);
        if (warp->requests_left == 0 && warp->reason == IFL_REASON_YIELD)
            end_requests(warp, &warp->fragments[index]);
        handle(warp, (uint32_t)index);
        if (warp->reason == IFL_REASON_YIELD || warp->worker->fault.is_set || opened_barrier(warp))
            return;
    }
}
