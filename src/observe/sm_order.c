/* SPDX-License-Identifier: Apache-2.0
 * Sub-cores, a queue, barriers: sm_order.h says by which rules. */
#include "observe/sm_order.h"

#include <stdlib.h>
#include <string.h>

/* ---- sorting --------------------------------------------------------------------------------- */

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static void sort_digit(const ifl_keyed *from, ifl_keyed *to, size_t count, unsigned shift)
{
    size_t place[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++)
        place[from[i].key >> shift & (DIGITS - 1)]++;
    for (int d = 0; d < DIGITS; d++) {
        size_t here = place[d];
        place[d] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[place[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

bool ifl_keyed_sort(ifl_keyed *at, size_t count)
{
    uint64_t differ = 0;
    ifl_keyed *other = malloc((count + 1) * sizeof *other), *from = at, *to = other;
    if (!other)
        return false;
    for (size_t i = 1; i < count; i++)
        differ |= at[i].key ^ at[0].key;
    for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
        if (!(differ >> shift & (DIGITS - 1)))
            continue;
        sort_digit(from, to, count, shift);
        ifl_keyed *swap = from;
        from = to;
        to = swap;
    }
    if (from != at)
        memcpy(at, from, count * sizeof *at);
    free(other);
    return true;
}

/* ---- warps and blocks ------------------------------------------------------------------------ */

static void make_ready(ifl_sm_order *o, uint32_t warp)
{
    ifl_sm_subcore *core = &o->subcores[warp % IFL_SUBCORES];
    core->ready[core->ready_count++] = warp;
}

static void start_block(ifl_sm_order *o)
{
    if (o->started == o->block_count)
        return;
    const ifl_sm_block *block = &o->blocks[o->started++];
    for (uint32_t w = block->first; w < block->end; w++)
        make_ready(o, w);
}

static void open_barrier(ifl_sm_order *o, ifl_sm_block *block)
{
    block->waiting = 0;
    for (uint32_t w = block->first; w < block->end; w++) {
        if (o->warps[w].waits)
            make_ready(o, w);
        o->warps[w].waits = false;
    }
}

/* The warp has no request to make: it is done, or at a barrier. */
static void settle(ifl_sm_order *o, ifl_sm_warp *warp)
{
    ifl_sm_block *block = &o->blocks[warp->block];
    if (warp->next == warp->end) {
        block->live--;
    } else {
        warp->next++;
        warp->waits = true;
        block->waiting++;
    }
    if (!block->live)
        start_block(o);
    else if (block->waiting == block->live)
        open_barrier(o, block);
}

/* Not all threads of a block need come to a barrier: where nothing else can go on, those go that wait. */
static bool open_all(ifl_sm_order *o)
{
    bool any = false;
    for (uint32_t b = 0; b < o->started; b++) {
        any |= o->blocks[b].waiting > 0;
        open_barrier(o, &o->blocks[b]);
    }
    return any;
}

/* Settling a warp of one sub-core can make one of another ready. */
static bool is_any_ready(const ifl_sm_order *o)
{
    uint32_t ready = 0;
    for (int s = 0; s < IFL_SUBCORES; s++)
        ready += o->subcores[s].ready_count;
    return ready > 0;
}

static bool has_request(const ifl_sm_order *o, const ifl_sm_warp *warp)
{
    return warp->next < warp->end && o->records[warp->next].record->kind != IFL_TRACE_BARRIER;
}

/* ---- sub-cores ------------------------------------------------------------------------------- */

static uint32_t take_oldest(ifl_sm_subcore *core)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < core->ready_count; i++)
        if (core->ready[i] < core->ready[best])
            best = i;
    const uint32_t warp = core->ready[best];
    core->ready[best] = core->ready[--core->ready_count];
    return warp;
}

static void choose_warp(ifl_sm_order *o, ifl_sm_subcore *core)
{
    while (!core->current && core->ready_count) {
        const uint32_t warp = take_oldest(core);
        if (has_request(o, &o->warps[warp]))
            core->current = warp + 1;
        else
            settle(o, &o->warps[warp]);
    }
}

static ifl_sm_subcore *choose_subcore(ifl_sm_order *o)
{
    for (uint32_t i = 0; i < IFL_SUBCORES; i++) {
        ifl_sm_subcore *core = &o->subcores[(o->asks + i) % IFL_SUBCORES];
        choose_warp(o, core);
        if (core->current) {
            o->asks = (o->asks + i + 1) % IFL_SUBCORES;
            return core;
        }
    }
    return NULL;
}

/* ---- requests -------------------------------------------------------------------------------- */

static const ifl_keyed *ask(ifl_sm_order *o, ifl_sm_subcore *core, uint32_t *count)
{
    const uint32_t index = core->current - 1;
    ifl_sm_warp *warp = &o->warps[index];
    const ifl_keyed *first = &o->records[warp->next];
    const uint32_t position = first->record->position, begin = warp->next;
    while (has_request(o, warp) && o->records[warp->next].record->position == position)
        warp->next++;
    const bool is_last = !has_request(o, warp) ||
                         (o->records[warp->next].record->position ^ position) >> IFL_TRACE_SEQUENCE_BITS;
    const uint32_t place = (o->queue_first + o->queue_count++) % o->queue_length;
    o->queue[place] = (ifl_sm_passing){index, is_last};
    o->turns += is_last;
    if (is_last)
        core->current = 0;
    *count = warp->next - begin;
    return first;
}

static void leave(ifl_sm_order *o)
{
    const ifl_sm_passing *first = &o->queue[o->queue_first];
    o->queue_first = (o->queue_first + 1) % o->queue_length;
    o->queue_count--;
    if (first->is_last)
        make_ready(o, first->warp);
}

const ifl_keyed *ifl_sm_order_next(ifl_sm_order *o, uint32_t *count)
{
    for (;;) {
        ifl_sm_subcore *core = o->queue_count < o->queue_length ? choose_subcore(o) : NULL;
        if (core)
            return ask(o, core, count);
        if (o->queue_count)
            leave(o);
        else if (!is_any_ready(o) && !open_all(o))
            return NULL;
    }
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void add_record(ifl_sm_order *o, uint32_t index, uint32_t warps_per_block)
{
    const ifl_trace_record *r = o->records[index].record;
    const ifl_trace_record *before = index ? o->records[index - 1].record : NULL;
    if (!before || before->warp / warps_per_block != r->warp / warps_per_block)
        o->blocks[o->block_count++].first = o->warp_count;
    if (!before || before->warp != r->warp)
        o->warps[o->warp_count++] = (ifl_sm_warp){.next = index, .block = o->block_count - 1};
    o->warps[o->warp_count - 1].end = index + 1;
    o->blocks[o->block_count - 1].end = o->warp_count;
    o->blocks[o->block_count - 1].live = o->warp_count - o->blocks[o->block_count - 1].first;
}

bool ifl_sm_order_init(ifl_sm_order *o, const ifl_keyed *records, size_t count,
                       uint32_t warps_per_block, uint32_t blocks, uint32_t queue_length)
{
    *o = (ifl_sm_order){.records = records, .queue_length = queue_length};
    o->slots = blocks * warps_per_block;
    o->warps = calloc(count + 1, sizeof *o->warps);
    o->blocks = calloc(count + 1, sizeof *o->blocks);
    o->queue = calloc(queue_length, sizeof *o->queue);
    bool done = o->warps && o->blocks && o->queue;
    for (int s = 0; s < IFL_SUBCORES; s++) {
        o->subcores[s].ready = calloc(o->slots, sizeof *o->subcores[s].ready);
        done = done && o->subcores[s].ready;
    }
    for (uint32_t i = 0; done && i < count; i++)
        add_record(o, i, warps_per_block);
    for (uint32_t b = 0; done && b < blocks; b++)
        start_block(o);
    return done;
}

void ifl_sm_order_free(ifl_sm_order *o)
{
    free(o->warps);
    free(o->blocks);
    free(o->queue);
    for (int s = 0; s < IFL_SUBCORES; s++)
        free(o->subcores[s].ready);
    *o = (ifl_sm_order){0};
}
