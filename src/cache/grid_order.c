/* SPDX-License-Identifier: Apache-2.0
 * Blocks to SMs, SMs to orders, orders to one. */
#include "cache/grid_order.h"

#include "cache/line.h"

#include <string.h>

/* ---- blocks ---------------------------------------------------------------------------------- */

/* From how many each SM has, found at its number + 1, to where its own begin. */
static void add_up(uint32_t *first, uint32_t sms)
{
    for (uint32_t sm = 0; sm < sms; sm++)
        first[sm + 1] += first[sm];
}

static void deal(ifl_grid_order *o)
{
    const uint32_t count = o->index->block_count;
    for (uint32_t b = 0; b < count; b++) {
        o->sm_of[b] = ifl_place_sm(&o->shape.placing, o->index->blocks[b].number);
        o->first_block[o->sm_of[b] + 1]++;
    }
    add_up(o->first_block, o->shape.placing.sms);
    for (uint32_t b = 0; b < count; b++)
        o->blocks[o->first_block[o->sm_of[b]]++] = b;
    memmove(o->first_block + 1, o->first_block, o->shape.placing.sms * sizeof *o->first_block);
    o->first_block[0] = 0;
}

bool ifl_grid_order_begin(ifl_grid_order *o, const ifl_trace_index *index,
                          const ifl_grid_shape *shape)
{
    const uint64_t warps = shape->blocks * index->warps_per_block;
    o->index = index;
    o->shape = *shape;
    o->duration = (uint64_t)((double)shape->turns * IFL_TURN_TIME / (double)(warps ? warps : 1));
    o->step_count = 0;
    o->blocks = ifl_room_take(&o->block_room, index->block_count, sizeof *o->blocks);
    o->sm_of = ifl_room_take(&o->sm_room, index->block_count, sizeof *o->sm_of);
    o->first_block = ifl_room_take_zeroed(&o->first_block_room, (size_t)shape->placing.sms + 1,
                                          sizeof *o->first_block);
    o->first_step =
        ifl_room_take(&o->first_step_room, (size_t)shape->placing.sms + 1, sizeof *o->first_step);
    o->by_sm = ifl_room_take(&o->by_sm_room, index->request_count, sizeof *o->by_sm);
    o->all = NULL;
    if (!o->blocks || !o->sm_of || !o->first_block || !o->first_step || !o->by_sm)
        return false;
    deal(o);
    return true;
}

void ifl_grid_order_free(ifl_grid_order *o)
{
    ifl_room *rooms[] = {&o->block_room, &o->sm_room,         &o->first_block_room,
                         &o->by_sm_room, &o->first_step_room, &o->all_room,
                         &o->spare};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        ifl_room_free(rooms[i]);
    ifl_sm_space_free(&o->space);
    *o = (ifl_grid_order){0};
}

/* ---- each SM in its own order ---------------------------------------------------------------- */

/* Behind the steps that are there. */
static bool add_sm(ifl_grid_order *o, const ifl_sm_work *work)
{
    ifl_sm_order order;
    if (!work->block_count)
        return true;
    if (!ifl_sm_order_find(&o->space, work, &o->by_sm[o->step_count], &order))
        return false;
    o->step_count += order.count;
    o->end = order.end;
    o->fullest = order.fullest > o->fullest ? order.fullest : o->fullest;
    return true;
}

bool ifl_grid_order_of_sms(ifl_grid_order *o, uint32_t blocks_per_sm, uint32_t queue_length)
{
    o->step_count = o->fullest = 0;
    o->end = 0;
    for (uint32_t sm = 0; sm < o->shape.placing.sms; sm++) {
        const ifl_sm_work work = {.index = o->index,
                                  .blocks = &o->blocks[o->first_block[sm]],
                                  .block_count = o->first_block[sm + 1] - o->first_block[sm],
                                  .blocks_per_sm = blocks_per_sm,
                                  .queue_length = queue_length};
        o->first_step[sm] = o->step_count;
        if (!add_sm(o, &work))
            return false;
    }
    o->first_step[o->shape.placing.sms] = o->step_count;
    return true;
}

bool ifl_grid_order_join(ifl_grid_order *o)
{
    uint32_t *sms = ifl_room_take(&o->spare, o->shape.placing.sms, sizeof *sms);
    o->all = ifl_room_take(&o->all_room, o->step_count, sizeof *o->all);
    if (!sms || !o->all)
        return false;
    /* The SMs that have steps left, at the same pace. */
    uint32_t active = 0, done = 0;
    for (uint32_t sm = 0; sm < o->shape.placing.sms; sm++)
        if (o->first_step[sm] < o->first_step[sm + 1])
            sms[active++] = sm;
    for (uint32_t round = 0; active; round++) {
        uint32_t left = 0;
        for (uint32_t i = 0; i < active; i++) {
            const uint32_t at = o->first_step[sms[i]] + round;
            o->all[done++] = o->by_sm[at];
            if (at + 1 < o->first_step[sms[i] + 1])
                sms[left++] = sms[i];
        }
        active = left;
    }
    return true;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static uint64_t start_of(const ifl_grid_order *o, uint32_t block)
{
    return ifl_block_wave(&o->shape.placing, o->shape.blocks_per_sm,
                          o->index->blocks[block].number) *
           o->duration;
}

uint64_t ifl_grid_order_block_end(const ifl_grid_order *o, uint32_t block)
{
    return start_of(o, block) + o->duration + IFL_TURN_TIME;
}

static void add_warp(ifl_grid_order *o, uint32_t block, uint32_t warp)
{
    const ifl_trace_warp *w = &o->index->warps[warp];
    const uint64_t start = start_of(o, block) + ifl_line_hash(w->number + 1) % IFL_TURN_TIME;
    for (uint32_t r = w->request; r < w[1].request; r++) {
        const uint32_t position = o->index->requests[r].position;
        const uint64_t turn = position >> IFL_TRACE_SEQUENCE_BITS;
        const uint64_t sequence = position & ((1u << IFL_TRACE_SEQUENCE_BITS) - 1);
        if (!o->index->requests[r].is_barrier)
            o->all[o->step_count++] =
                (ifl_keyed){.key = start + turn * IFL_TURN_TIME + sequence * IFL_REQUEST_TIME,
                            .index = r,
                            .owner = block};
    }
}

static bool fill_all(ifl_grid_order *o)
{
    const ifl_trace_index *x = o->index;
    o->all = ifl_room_take(&o->all_room, x->request_count, sizeof *o->all);
    o->step_count = 0;
    for (uint32_t b = 0; o->all && b < x->block_count; b++)
        for (uint32_t w = x->blocks[b].warp; w < x->blocks[b + 1].warp; w++)
            add_warp(o, b, w);
    return o->all != NULL;
}

bool ifl_grid_order_of_rounds(ifl_grid_order *o, bool only_reused)
{
    if (!fill_all(o) || !ifl_keyed_sort(o->all, o->step_count, &o->spare))
        return false;
    o->end = o->step_count ? o->all[o->step_count - 1].key : 0;
    /* As they come in `all`. */
    const ifl_trace_request *requests = o->index->requests;
    uint32_t *next = o->first_step;
    memset(next, 0, ((size_t)o->shape.placing.sms + 1) * sizeof *next);
    for (uint32_t i = 0; i < o->step_count; i++)
        if (!only_reused || requests[o->all[i].index].reuses)
            next[o->sm_of[o->all[i].owner] + 1]++;
    add_up(next, o->shape.placing.sms);
    for (uint32_t i = 0; i < o->step_count; i++)
        if (!only_reused || requests[o->all[i].index].reuses)
            o->by_sm[next[o->sm_of[o->all[i].owner]]++] = o->all[i];
    memmove(next + 1, next, o->shape.placing.sms * sizeof *next);
    next[0] = 0;
    return true;
}

bool ifl_grid_order_of_any(ifl_grid_order *o)
{
    o->end = 0;
    return fill_all(o);
}
