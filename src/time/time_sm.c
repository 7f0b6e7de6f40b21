/* SPDX-License-Identifier: Apache-2.0
 * Warps issue when their control words allow it. Time is counted in cycles; cycles in which no
 * scheduler can issue are skipped. The end of every result is known when its instruction is issued,
 * so that the next cycle of a warp is a number. */
#include "time/time_sm.h"

#include "time/time_parting.h"
#include "time/time_pick.h"
#include "time/time_site.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a warp is at ----------------------------------------------------------------------- */

static uint64_t latest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static unsigned marks_of(const ifl_sm *sm, uint32_t site)
{
    return sm->of->marks ? sm->of->marks[site] : 0;
}

/* Takes the next stretch; what was asked for in a gap before it has been. */
static bool take_stretch(ifl_sm *sm, ifl_sm_warp *w)
{
    uint32_t site;
    ifl_time_lines lines;
    while (ifl_walk_take_of_gap(&w->walk, &site, &lines))
        ifl_time_memory_pass(&sm->memory, &sm->of->sites->at[site].access, lines, (double)sm->now);
    return ifl_walk_next(&w->walk);
}

/* Passes what is not issued, but for its waits: results that it took, the next one takes. False at
 * the end of the trace. */
static bool pass_gone(ifl_sm *sm, ifl_sm_warp *w)
{
    w->carried = 0;
    while (marks_of(sm, w->walk.site) & IFL_SITE_GONE) {
        w->carried |= sm->of->sites->at[w->walk.site].control.waits;
        ifl_walk_pass_requests(&w->walk);
        if (!ifl_walk_step(&w->walk) && !take_stretch(sm, w))
            return false;
    }
    return true;
}

/* Goes on with the next stretch. Where that is not what comes next in the code, a branch led there,
 * whose target is known later than its stall says. */
static bool turn(ifl_sm *sm, ifl_sm_warp *w)
{
    const uint32_t next = w->walk.stop;
    if (!take_stretch(sm, w))
        return false;
    if (w->walk.site != next)
        w->turned += (uint64_t)sm->arch->turn_cycles;
    return true;
}

static void look_at_boards(const ifl_control *control, ifl_sm_warp *w)
{
    w->boarded = 0;
    if (!(control->waits | w->carried) && control->step != IFL_STEP_DRAIN) /* the usual case */
        return;
    for (unsigned b = 0; b <= IFL_GROUP_BOARD; b++) {
        const ifl_board *on = &w->boards[b];
        const bool drains = control->step == IFL_STEP_DRAIN && control->board == b,
                   waits = (control->waits | w->carried) >> b & 1;
        const uint32_t left = drains && !waits ? control->left : 0;
        const uint64_t ends = drains || waits ? ifl_board_clear_at(on, left) : 0;
        if (ends > w->boarded) {
            w->boarded = ends;
            w->board_why = on->why;
        }
    }
}

static void fetch_code(ifl_sm *sm, ifl_sm_warp *w)
{
    const size_t line = w->walk.site / IFL_CODE_SITES;
    const ifl_sm_rates *r = sm->of->rates;
    const bool is_later = sm->memory.is_later || r->cold_code_cycles > 0;
    const double starts = w->code_line ? 0
                          : is_later   ? r->fetch_cycles /* and what its first line takes */
                                       : r->first_fetch_cycles;
    if (w->code_line == line + 1)
        return;
    w->code_line = line + 1;
    w->fetched =
        ifl_code_cache_fetch(&sm->code, line, latest(sm->now, w->issued + (uint64_t)starts));
}

/* Each block begins with the scheduler after the one that the block before began with (an H100,
 * tools/gpu/order_probe.cu). */
static unsigned subcore_of(size_t block, size_t index)
{
    return (unsigned)((block + index) % IFL_SM_SUBCORES);
}

/* What a load of constants asks for comes when it has been issued. */
static void supply_constant(ifl_sm *sm, ifl_sm_warp *w, const ifl_control *control)
{
    const size_t index = (size_t)(w - sm->warps) % sm->of->warps_per_block;
    w->supplied =
        control->constant && control->delay != IFL_DELAY_CONSTANT
            ? ifl_constant_cache_take(&sm->operands[subcore_of(w->block, index)], control->constant,
                                      latest(latest(w->stalled, w->turned), w->fetched))
            : 0;
}

/* What it is at does not pass a barrier that has not opened. */
static bool is_blocked(const ifl_sm *sm, const ifl_sm_warp *w)
{
    return !w->defers || ifl_time_is_blocked(&sm->of->sites->at[w->walk.site]);
}

static void stop(ifl_sm_warp *w)
{
    w->earliest = *w->ready;
    *w->ready = IFL_NEVER;
}

static void go_on(ifl_sm_warp *w, uint64_t at)
{
    *w->ready = latest(*w->ready == IFL_NEVER ? w->earliest : *w->ready, at);
}

/* When may it issue what it is at? */
static void find_ready(ifl_sm *sm, ifl_sm_warp *w)
{
    const ifl_site *site = &sm->of->sites->at[w->walk.site];
    const ifl_control *control = &site->control;
    w->site = site;
    w->pipe = site->pipe;
    w->takes = ifl_sm_takes(site);
    w->queues = ifl_time_is_queued(site);
    w->is_far = ifl_time_is_far(site);
    fetch_code(sm, w);
    supply_constant(sm, w, control);
    look_at_boards(control, w);
    w->barred = is_blocked(sm, w) ? w->opened : 0;
    *w->ready = latest(latest(latest(w->stalled, w->turned), latest(w->fenced, w->supplied)),
                       latest(latest(w->fetched, w->boarded), w->barred));
    w->held_why = IFL_STALL_not_selected;
    w->held = 0;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Warps may be ready earlier than they were. */
static void look_again(ifl_sm *sm)
{
    for (int s = 0; s < IFL_SM_SUBCORES; s++) {
        sm->schedulers[s].next = 0;
        sm->schedulers[s].is_stale = true;
    }
}

static void start_warp(ifl_sm *sm, uint32_t at_place, uint32_t index, const ifl_warp_trace *trace,
                       uint64_t at)
{
    const size_t number = (size_t)at_place * sm->of->warps_per_block + index;
    ifl_sm_warp *w = &sm->warps[number];
    ifl_sm_scheduler *on = &sm->schedulers[subcore_of(sm->next, index)];
    *w = (ifl_sm_warp){.walk = ifl_walk_of(trace), .place = at_place, .block = sm->next};
    w->issued = w->stalled = w->turned = at;
    if (!trace->words.count) /* it was stopped before its first instruction */
        return;
    if (!take_stretch(sm, w) || !pass_gone(sm, w))
        return;
    w->ready = &on->ready[on->count];
    find_ready(sm, w);
    on->order[on->count] = ifl_sm_order_of(w);
    on->warps[on->count++] = w;
    on->next = 0;
    on->is_stale = true;
    sm->places[at_place].live++;
}

/* An SM starts one block after the other, a warp at a time. */
static void start_block(ifl_sm *sm, uint32_t index)
{
    const ifl_sm_rates *r = sm->of->rates;
    const ifl_block_trace *block = sm->of->blocks[sm->next++];
    ifl_sm_place *p = &sm->places[index];
    const double warps = sm->of->warps_per_block;
    sm->memory.is_later = sm->next > sm->of->blocks_per_sm;
    const uint64_t begins = latest(sm->starter, p->free_at);
    sm->starter = begins + (uint64_t)fmax(r->block_start_cycles, r->warp_start_cycles * warps);
    p->live = p->waiting = p->objects.count = 0;
    p->left = p->done = 0;
    p->is_taken = true;
    sm->running++;
    for (uint32_t w = 0; w < sm->of->warps_per_block; w++)
        start_warp(sm, index, w, &block->warps[w], begins + (uint64_t)(r->warp_start_cycles * w));
    if (sm->next == (sm->of->block_count + 1) / 2) {
        sm->out->half_cycles = (double)begins;
        sm->out->half_blocks = sm->next;
    }
    sm->out->last_cycles = (double)begins;
    sm->out->last_blocks = sm->next;
    if (!p->live) {
        p->is_taken = false;
        sm->running--;
    }
}

static void fill_places(ifl_sm *sm)
{
    for (uint32_t i = 0; i < sm->of->blocks_per_sm && sm->next < sm->of->block_count; i++)
        while (!sm->places[i].is_taken && sm->next < sm->of->block_count)
            start_block(sm, i);
}

/* All warps of the block are there. */
static void release(ifl_sm *sm, uint32_t index, uint64_t at)
{
    const uint32_t warps = sm->of->warps_per_block;
    for (uint32_t i = 0; i < warps; i++) {
        ifl_sm_warp *w = &sm->warps[(size_t)index * warps + i];
        if (!w->at_barrier)
            continue;
        w->at_barrier = false;
        w->opened = at;
        if (is_blocked(sm, w)) {
            go_on(w, at);
            w->barred = at;
        }
    }
    sm->places[index].waiting = 0;
    look_again(sm);
}

/* ---- barrier objects ------------------------------------------------------------------------- */

static void wake(ifl_sm *sm, ifl_sm_warp *w, uint64_t at)
{
    look_again(sm);
    w->awaits = false;
    go_on(w, at);
    if (w->is_of_some) {
        w->barred = at;
        return;
    }
    w->boarded = *w->ready;
    w->board_why = IFL_STALL_long_scoreboard;
}

/* Those who waited for it go on. */
static void settle_object(ifl_sm *sm, uint32_t index, const ifl_time_object *o)
{
    const uint32_t warps = sm->of->warps_per_block;
    for (uint32_t i = 0; i < warps; i++) {
        ifl_sm_warp *w = &sm->warps[(size_t)index * warps + i];
        if (w->awaits && w->awaited.object == o->had.object &&
            ifl_time_object_is_over(o, &w->awaited))
            wake(sm, w, latest(o->ends, sm->now + 1));
    }
}

/* One unit of the SM counts warps at barriers. */
static uint64_t count_at_barrier(ifl_sm *sm)
{
    const ifl_arch *k = sm->arch;
    const uint64_t begins = latest(sm->barrier_free, sm->now);
    sm->barrier_free = begins + (uint64_t)(sm->of->warps_per_block == 1 ? k->barrier_lone_cycles
                                                                        : k->barrier_warp_cycles);
    return begins + (uint64_t)(k->barrier_warp_cycles + k->barrier_cycles);
}

/* Threads come to a barrier for `expected`: who waits goes on when so many more have come. */
static void step_to_some(ifl_sm *sm, ifl_sm_warp *w, ifl_time_object *o, uint32_t threads,
                         uint32_t expected, bool waits)
{
    const uint32_t before = o->had.arrivals;
    o->had.arrivals += threads;
    o->ends = count_at_barrier(sm);
    settle_object(sm, w->place, o);
    w->is_of_some = true;
    w->awaits = waits;
    w->awaited =
        (ifl_object_count){.object = o->had.object, .arrivals = (before / expected + 1) * expected};
}

static void step_object(ifl_sm *sm, ifl_sm_warp *w, ifl_object_step step, const uint32_t *words,
                        double ends)
{
    const ifl_object_count count = {.object = words[0], .arrivals = words[1], .copies = words[2]};
    ifl_time_object *o = ifl_time_object_of(&sm->places[w->place].objects, count.object);
    if (!o)
        return;
    if (step >= IFL_OBJECT_MEETING) {
        step_to_some(sm, w, o, words[1], words[2], step == IFL_OBJECT_MEETING);
        return;
    }
    if (step == IFL_OBJECT_WAIT) {
        w->awaited = count;
        w->awaits = !ifl_time_object_is_over(o, &count) || o->ends > sm->now;
        return;
    }
    o->had.arrivals += count.arrivals;
    o->had.copies += step == IFL_OBJECT_COPY;
    o->ends = latest(o->ends, (uint64_t)ends);
    settle_object(sm, w->place, o);
}

/* What it found to wait for may be over but for its end. */
static void await(ifl_sm *sm, ifl_sm_warp *w)
{
    const ifl_time_object *o = ifl_time_object_of(&sm->places[w->place].objects, w->awaited.object);
    if (ifl_time_object_is_over(o, &w->awaited))
        wake(sm, w, latest(o->ends, *w->ready));
    else
        stop(w);
}

/* A warp that has exited keeps its place until what it wrote has left the SM and the L2 has what it
 * stored: an H100's warps that store a word each 128 bytes drain for most of their time
 * (tools/gpu/pattern_probe.cu). */
static void drain(ifl_sm *sm, const ifl_sm_warp *w, ifl_sm_place *p, uint32_t exit_site)
{
    const uint64_t ends = latest(w->left, w->taken);
    if (ends <= sm->now + 1)
        return;
    if (sm->out->sites)
        sm->out->sites[exit_site].cycles[IFL_STALL_drain] += ends - sm->now - 1;
    p->left = latest(p->left, w->left);
}

static void remove_warp(ifl_sm_scheduler *on, uint32_t index)
{
    const uint32_t last = --on->count;
    on->warps[index] = on->warps[last];
    on->ready[index] = on->ready[last];
    on->order[index] = on->order[last];
    on->warps[index]->ready = &on->ready[index];
    on->last = last;
    on->is_stale = true;
}

static void end_warp(ifl_sm *sm, ifl_sm_scheduler *on, uint32_t index, uint32_t exit_site)
{
    ifl_sm_warp *w = on->warps[index];
    const uint32_t at = w->place;
    ifl_sm_place *p = &sm->places[at];
    sm->waits = w->waits;
    drain(sm, w, p, exit_site);
    p->waiting -= w->at_barrier; /* its trace ends behind a barrier that has not opened */
    w->at_barrier = false;
    remove_warp(on, index);
    if (--p->live) {
        if (p->waiting == p->live)
            release(sm, at, sm->now + 1);
        return;
    }
    p->is_taken = false;
    /* The cycles of a block count the first fetch of its code and the usual draining. The place is
     * free when the L2 has what the block stored: on an H100, warps of a transpose that stores 32
     * lines a request are gone long before the next block starts (transposeNaiveRow of
     * Professional CUDA C Programming: 25 warps of 64 on average, none of them throttled). */
    const ifl_sm_rates *r = sm->of->rates;
    p->free_at = latest(latest(sm->now + (uint64_t)r->leave_cycles, p->left) +
                            (uint64_t)fmax(r->block_cycles - r->leave_cycles - r->fetch_cycles, 0),
                        p->done);
    sm->running--;
    fill_places(sm);
}

/* ---- issue ----------------------------------------------------------------------------------- */

static void account(ifl_sm *sm, const ifl_sm_warp *w)
{
    ifl_site_stalls *s = &sm->out->sites[w->walk.site];
    uint64_t at = w->issued + 1;
    const struct {
        uint64_t until;
        uint8_t why;
    } parts[] = {
        {w->stalled, IFL_STALL_wait},           {w->turned, IFL_STALL_branch_resolving},
        {w->fetched, IFL_STALL_no_instruction}, {w->supplied, IFL_STALL_imc_miss},
        {w->fenced, IFL_STALL_membar},          {w->boarded, w->board_why},
        {w->barred, IFL_STALL_barrier},         {sm->now - w->held, IFL_STALL_not_selected}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const uint64_t until = parts[i].until < sm->now ? parts[i].until : sm->now;
        if (until <= at)
            continue;
        s->cycles[parts[i].why] += until - at;
        at = until;
    }
    s->cycles[IFL_STALL_selected]++;
    s->issued++;
}

/* Of the scheduler's tensor core, which takes products one after the other. */
static uint64_t busy_with_products(const ifl_sm *sm, ifl_sm_scheduler *on,
                                   const ifl_matrix_work *work)
{
    const double cycles = ifl_matrix_cycles(&sm->of->rates->matrix, work);
    on->products_owed += cycles > 0 ? cycles : sm->of->rates->units[IFL_PIPE_TENSOR];
    const double whole = floor(on->products_owed);
    on->products_owed -= whole;
    return (uint64_t)whole;
}

/* Cycles that the instruction keeps its part of the pipe busy. */
static uint64_t busy_of(const ifl_sm *sm, ifl_sm_scheduler *on, const ifl_site *site)
{
    if (site->matrix.kind != IFL_MATRIX_KIND_NONE)
        return busy_with_products(sm, on, &site->matrix);
    const double cycles = sm->of->rates->units[site->pipe] * (site->control.is_twice ? 2 : 1);
    return (uint64_t)(site->pipe == IFL_PIPE_FMA ? cycles * IFL_PIPE_HALVES : cycles);
}

static ifl_served serve_memory(ifl_sm *sm, ifl_sm_warp *w, const ifl_site *site,
                               ifl_request_cost cost, const uint32_t *lines, double now)
{
    ifl_served served = ifl_time_memory_take(&sm->memory, &site->access, cost, lines, now);
    if (cost.served == IFL_REQUEST_SHARED)
        ifl_time_memory_keep_apart(&sm->memory, &w->data_free, now, &served);
    if (cost.served == IFL_REQUEST_GLOBAL)
        ifl_time_memory_keep_conflicts_apart(&sm->memory, &site->access, cost.passes, &w->data_free,
                                             &served);
    return served;
}

/* One unit of an SM gives its warps special registers and constants, one after the other. */
static double read_in_turn(ifl_sm *sm, double now, double cycles)
{
    const double begins = fmax(sm->memory.turn_free, now);
    sm->memory.turn_free = begins + cycles;
    return begins;
}

/* Passes of the SM's data stage by what is no request: a shuffle, one; an access whose lanes are all off as
 * many as if they were on. */
static double empty_passes(const ifl_arch *arch, const ifl_sm_warp *w, const ifl_site *site)
{
    const ifl_site_access *access = &site->access;
    if (ifl_time_is_shuffle(site))
        return 1;
    if ((access->kind != IFL_ACCESS_LOAD && access->kind != IFL_ACCESS_STORE) ||
        ifl_walk_has_request(&w->walk))
        return 0;
    return access->space == IFL_SPACE_SHARED ? arch->empty_shared_passes : arch->empty_passes;
}

/* When it begins what it does beside its requests: what passes one after the other begins later. */
static double beginning_of(ifl_sm *sm, const ifl_sm_warp *w, const ifl_site *site)
{
    const double now = (double)sm->now, passes = empty_passes(sm->arch, w, site);
    if (passes > 0)
        return ifl_time_memory_exchange(&sm->memory, passes, now);
    if (site->control.is_in_turn)
        return read_in_turn(sm, now, sm->of->rates->special_cycles);
    if (site->control.delay != IFL_DELAY_CONSTANT)
        return now;
    const double begins = read_in_turn(sm, now, sm->arch->address_cycles);
    return site->control.constant
               ? fmax(begins, (double)ifl_constant_cache_take(
                                  &sm->memory.indexed, site->control.constant, (uint64_t)begins))
               : begins;
}

/* All that the instruction asks of the memory; ends no earlier than without. */
static ifl_served serve_requests(ifl_sm *sm, ifl_sm_warp *w, const ifl_site *site)
{
    const double now = (double)sm->now, begins = beginning_of(sm, w, site);
    ifl_served all = {begins, begins + sm->of->rates->result[site->control.delay][site->pipe], 0,
                      0};
    ifl_request_cost cost;
    const uint32_t *lines;
    while (ifl_walk_take_request(&w->walk, &cost, &lines)) {
        if (cost.served == IFL_REQUEST_OBJECT) {
            step_object(sm, w, (ifl_object_step)cost.passes, lines, all.ends);
            continue;
        }
        if (cost.served == IFL_REQUEST_PARTING || cost.served == IFL_REQUEST_NESTED) {
            *(cost.served == IFL_REQUEST_NESTED ? &w->launches : &w->parts) += cost.passes;
            continue;
        }
        const ifl_served one = serve_memory(sm, w, site, cost, lines, now);
        all.begins = fmax(all.begins, one.begins);
        all.ends = fmax(all.ends, one.ends);
        all.leaves = fmax(all.leaves, one.leaves);
        all.done = fmax(all.done, one.done);
    }
    return all;
}

static void dispatch(const ifl_arch *arch, ifl_sm_scheduler *on, const ifl_site *site,
                     uint32_t times, uint64_t now)
{
    on->owed += ifl_time_dispatch_of(arch, site) * times;
    const uint64_t whole = (uint64_t)on->owed;
    on->owed -= (double)whole;
    on->dispatch = now + times + whole;
}

/* Both halves of a pipe share what is issued several times. */
static void keep_busy(const ifl_sm *sm, ifl_sm_scheduler *on, const ifl_site *site, uint32_t times)
{
    for (uint32_t left = times; left > 0 && site->pipe < IFL_PIPES; left--) {
        uint64_t *half = ifl_sm_half_of(on, site->pipe, ifl_sm_takes(site)),
                 *halves = on->pipe[site->pipe];
        *half = latest(*half, sm->now) + busy_of(sm, on, site);
        if (site->control.is_twice)
            halves[0] = halves[1] = *half;
    }
}

/* Those of a warp group's groups are awaited when its tensor cores are done with them. */
static void end_products(const ifl_sm *sm, const ifl_sm_scheduler *on, ifl_sm_warp *w,
                         const ifl_site *site, double ends)
{
    const ifl_control *c = &site->control;
    const double done = (double)on->pipe[IFL_PIPE_TENSOR][0],
                 after = sm->of->rates->result[c->delay][IFL_PIPE_TENSOR];
    if (c->writes <= IFL_GROUP_BOARD)
        ifl_board_put(&w->boards[c->writes],
                      c->writes == IFL_GROUP_BOARD ? done + after : fmax(ends, done),
                      ifl_time_why_of_pipe(site));
}

static void take_effect(ifl_sm *sm, ifl_sm_scheduler *on, ifl_sm_warp *w, const ifl_site *site,
                        uint32_t times)
{
    const ifl_control *c = &site->control;
    ifl_served served = serve_requests(sm, w, site);
    if (w->parts && c->writes < IFL_BOARDS) {
        served.ends += ifl_match_later(sm->arch, &on->match_free, w->parts, sm->now);
        w->parts = 0;
    }
    if (w->queues) {
        ifl_sm_ring *queue = &on->queues[w->is_far];
        queue->left[queue->at] = (uint64_t)served.begins;
        queue->at = (queue->at + 1) % sm->queue;
    }
    keep_busy(sm, on, site, times);
    dispatch(sm->arch, on, site, times, sm->now);
    if (site->matrix.kind != IFL_MATRIX_KIND_NONE)
        end_products(sm, on, w, site, served.ends);
    else if (c->writes < IFL_BOARDS && c->delay != IFL_DELAY_GROUP && c->step != IFL_STEP_GROUP)
        ifl_board_put(&w->boards[c->writes], served.ends, ifl_time_why_of(site));
    if (c->reads < IFL_BOARDS)
        ifl_board_put(&w->boards[c->reads], served.begins + sm->arch->read_cycles,
                      ifl_time_why_of(site));
    const bool stores = site->access.kind == IFL_ACCESS_STORE;
    w->has_stored |= stores || site->access.kind == IFL_ACCESS_ATOMIC;
    ifl_sm_place *p = &sm->places[w->place];
    p->done = latest(p->done, (uint64_t)served.done);
    if (served.leaves > 0)
        w->left = latest(w->left, (uint64_t)(served.leaves + sm->of->rates->leave_cycles));
    w->taken = stores ? latest(w->taken, (uint64_t)served.done) : w->taken;
    if ((c->delay == IFL_DELAY_GROUP && site->matrix.kind == IFL_MATRIX_KIND_NONE) ||
        (ifl_time_is_far(site) && site->access.kind == IFL_ACCESS_LOAD &&
         c->writes == IFL_NO_BOARD))
        w->copies = latest(w->copies, (uint64_t)served.ends);
    if (c->step == IFL_STEP_GROUP) {
        ifl_board_put(&w->boards[0], (double)latest(w->copies, sm->now), IFL_STALL_long_scoreboard);
        w->copies = 0;
    }
}

static void meet(ifl_sm *sm, ifl_sm_warp *w)
{
    ifl_sm_place *p = &sm->places[w->place];
    const uint64_t opens = count_at_barrier(sm);
    w->at_barrier = true;
    if (++p->waiting == p->live) {
        ifl_time_memory_open_barrier(&sm->memory, (double)sm->now);
        release(sm, w->place, opens);
    }
}

/* Behind stores a fence for the block keeps the L1 from other requests. */
static void fence_block(ifl_sm *sm, ifl_sm_warp *w)
{
    if (w->has_stored)
        sm->memory.l1_free =
            fmax(sm->memory.l1_free, (double)sm->now) + sm->arch->fence_block_cycles;
    w->has_stored = false;
}

/* What the warp has stored has to reach the L2 first. */
static void fence(ifl_sm *sm, ifl_sm_warp *w, uint8_t step)
{
    const ifl_arch *k = sm->arch;
    const uint64_t begins = latest(sm->fence_free, sm->now);
    const double stored = w->has_stored ? k->fence_stored_cycles : 0;
    sm->fence_free =
        begins + (uint64_t)(w->has_stored ? k->fence_stored_turn_cycles : k->fence_turn_cycles);
    w->fenced = begins + (uint64_t)(step == IFL_STEP_FENCE ? k->fence_cycles + stored
                                                           : k->fence_system_cycles);
    w->has_stored = false;
}

static void issue(ifl_sm *sm, ifl_sm_scheduler *on, uint32_t index)
{
    ifl_sm_warp *w = on->warps[index];
    const ifl_site *site = w->site;
    if (sm->out->sites)
        account(sm, w);
    w->waits += w->boarded > w->stalled && w->board_why == IFL_STALL_long_scoreboard;
    w->is_of_some = false;
    const uint32_t times = marks_of(sm, w->walk.site) & IFL_SITE_ONCE ? 1 : w->walk.times;
    if (!w->queues)
        ifl_register_ports_read(&on->ports, w, w->walk.site, &site->control, sm->now);
    ifl_time_memory_come_to(&sm->memory, (double)sm->out->issued, sm->of->instructions);
    take_effect(sm, on, w, site, times);
    on->last = index;
    sm->out->issued += times;
    sm->out->issue_cycles += times;
    w->issued = sm->now;
    on->order[index] = ifl_sm_order_of(w);
    w->stalled =
        sm->now + latest(site->control.stall, times) + ifl_launching_later(sm->arch, &w->launches);
    w->turned = w->stalled + ifl_time_turns_of(sm->arch, site) +
                ifl_parting_later(sm->arch, site, w->parts);
    on->dispatch += ifl_parting_dispatch(sm->arch, site, w->parts);
    w->parts = 0;
    if (site->control.step == IFL_STEP_FORGET)
        ifl_time_memory_forget(&sm->memory);
    if (site->control.step == IFL_STEP_FENCE_BLOCK)
        fence_block(sm, w);
    if (site->control.step == IFL_STEP_FENCE || site->control.step == IFL_STEP_FENCE_SYSTEM)
        fence(sm, w, site->control.step);
    if ((!ifl_walk_step(&w->walk) && !turn(sm, w)) || !pass_gone(sm, w)) {
        end_warp(sm, on, index, (uint32_t)(site - sm->of->sites->at));
        return;
    }
    find_ready(sm, w);
    if (w->awaits)
        await(sm, w);
    if (site->control.step == IFL_STEP_BARRIER && !w->is_of_some) {
        w->defers = site->control.defers;
        meet(sm, w);
    }
    if (w->at_barrier && is_blocked(sm, w))
        stop(w);
}

/* Every warp waits at a barrier, or for an object, that lacks warps of which the trace knows
 * nothing: they go on. */
static bool unblock(ifl_sm *sm)
{
    bool released = false;
    for (size_t i = 0; i < (size_t)sm->of->blocks_per_sm * sm->of->warps_per_block; i++)
        if (sm->warps[i].awaits) {
            wake(sm, &sm->warps[i], sm->now + 1);
            released = true;
        }
    for (uint32_t i = 0; i < sm->of->blocks_per_sm; i++) {
        if (!sm->places[i].is_taken || !sm->places[i].waiting)
            continue;
        release(sm, i, sm->now + 1);
        released = true;
    }
    return released;
}

static void run_scheduler(ifl_sm *sm, ifl_sm_scheduler *on)
{
    uint32_t found;
    if (on->next > sm->now || !ifl_sm_pick(sm, on, &found))
        return;
    issue(sm, on, found);
    ifl_sm_picked(sm, on, found);
}

static void run(ifl_sm *sm)
{
    fill_places(sm);
    while (sm->running) {
        uint64_t next = IFL_NEVER;
        for (int s = 0; s < IFL_SM_SUBCORES; s++)
            run_scheduler(sm, &sm->schedulers[s]);
        for (int s = 0; s < IFL_SM_SUBCORES; s++)
            next = sm->schedulers[s].next < next ? sm->schedulers[s].next : next;
        if (next == IFL_NEVER && sm->running && !unblock(sm))
            break;
        sm->now = next == IFL_NEVER || next <= sm->now ? sm->now + 1 : next;
    }
}

bool ifl_sm_run(const ifl_sm_case *of, ifl_sm_outcome *out)
{
    ifl_sm sm = {.of = of, .out = out, .arch = &of->rates->arch};
    const size_t warps = (size_t)of->blocks_per_sm * of->warps_per_block;
    sm.queue = (uint32_t)fmin(sm.arch->queued_instructions, IFL_SM_MOST_QUEUED);
    for (int s = 0; s < IFL_SM_SUBCORES; s++)
        sm.schedulers[s].ports.window = (uint64_t)sm.arch->read_window_cycles;
    sm.warps = calloc(warps + 1, sizeof *sm.warps);
    sm.places = calloc(of->blocks_per_sm + 1, sizeof *sm.places);
    const bool fits = warps <= IFL_SM_WARPS && sm.warps && sm.places &&
                      ifl_time_memory_begin(&sm.memory, of->rates) &&
                      ifl_sm_begin_code(of, &sm.code);
    for (int s = 0; s < IFL_SM_SUBCORES; s++)
        ifl_constant_cache_begin(&sm.operands[s], &sm.memory.behind,
                                 (uint32_t)sm.arch->constant_lines,
                                 (uint64_t)of->rates->constant_cycles, false);
    if (fits)
        run(&sm);
    out->cycles = fmax((double)sm.now, fits ? ifl_time_memory_ends(&sm.memory) : 0);
    out->behind_cycles = ifl_sm_behind(of, sm.waits);
    out->l1_sectors = sm.memory.l1_sectors;
    out->l1_hits = sm.memory.l1_hits;
    out->l2_sectors = sm.memory.l2_sectors;
    out->dram_sectors = sm.memory.dram_sectors;
    out->host_cycles = ifl_time_host_busy(&sm.memory.host);
    ifl_time_memory_free(&sm.memory);
    ifl_code_cache_free(&sm.code);
    free(sm.warps);
    free(sm.places);
    return fits;
}
