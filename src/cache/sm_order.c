/* SPDX-License-Identifier: Apache-2.0
 * Sub-cores, a queue and barriers, by the rules of sm_order.h. */
#include "cache/sm_order.h"

#include "arch/units.h"

enum { SUBCORES = IFL_SM_SUBCORES, WORD_BITS = 64 };

typedef struct warp {
    uint32_t next, end; /* requests */
    uint32_t block;
    bool waits; /* at a barrier */
} warp;

typedef struct block {
    uint32_t first, end; /* warps */
    uint32_t live, waiting;
} block;

/* The warps that are ready, as bits in the order of their age: warp w of the SM is bit w /
 * SUBCORES of sub-core w % SUBCORES. No bit stands before word `low`, so that the oldest is
 * found by looking on from there: warps that are resident together are near each other. */
typedef struct subcore {
    uint64_t *ready;
    uint32_t ready_count, low;
    uint32_t current; /* + 1: the warp that it keeps to, 0 for none */
} subcore;

typedef struct passing {
    uint32_t warp;
    bool is_last; /* that the warp waits for */
} passing;

typedef struct state {
    const ifl_sm_work *work;
    const ifl_trace_request *requests;
    warp *warps;
    block *blocks;
    uint32_t warp_count, started;
    subcore subcores[SUBCORES];
    uint32_t asks; /* the sub-core that is to ask next */
    passing *queue;
    uint32_t queue_first, queue_count, fullest;
    uint64_t now; /* turns × IFL_TURN_TIME / slots, and what is left of that division */
    uint64_t left, slots;
} state;

/* ---- warps and blocks ------------------------------------------------------------------------ */

static void make_ready(state *s, uint32_t w)
{
    subcore *core = &s->subcores[w % SUBCORES];
    const uint32_t bit = w / SUBCORES, word = bit / WORD_BITS;
    core->ready[word] |= UINT64_C(1) << bit % WORD_BITS;
    core->low = core->ready_count++ && core->low < word ? core->low : word;
}

static void start_block(state *s)
{
    if (s->started == s->work->block_count)
        return;
    const block *b = &s->blocks[s->started++];
    for (uint32_t w = b->first; w < b->end; w++)
        make_ready(s, w);
}

static void open_barrier(state *s, block *b)
{
    b->waiting = 0;
    for (uint32_t w = b->first; w < b->end; w++) {
        if (s->warps[w].waits)
            make_ready(s, w);
        s->warps[w].waits = false;
    }
}

/* The warp has no request to make: it is done, or at a barrier. */
static void settle(state *s, warp *w)
{
    block *b = &s->blocks[w->block];
    if (w->next == w->end) {
        b->live--;
    } else {
        w->next++;
        w->waits = true;
        b->waiting++;
    }
    if (!b->live)
        start_block(s);
    else if (b->waiting == b->live)
        open_barrier(s, b);
}

/* Not all threads per block need come to a barrier: where nothing else can go on, those go that
 * wait. */
static bool open_all(state *s)
{
    bool any = false;
    for (uint32_t b = 0; b < s->started; b++) {
        any |= s->blocks[b].waiting > 0;
        open_barrier(s, &s->blocks[b]);
    }
    return any;
}

/* Settling a warp of one sub-core can make one of another ready. */
static bool is_any_ready(const state *s)
{
    uint32_t ready = 0;
    for (int c = 0; c < SUBCORES; c++)
        ready += s->subcores[c].ready_count;
    return ready > 0;
}

/* ---- sub-cores ------------------------------------------------------------------------------- */

static uint32_t take_oldest(state *s, subcore *core)
{
    while (!core->ready[core->low])
        core->low++;
    const uint32_t bit = (uint32_t)__builtin_ctzll(core->ready[core->low]);
    core->ready[core->low] &= core->ready[core->low] - 1;
    core->ready_count--;
    return (core->low * WORD_BITS + bit) * SUBCORES + (uint32_t)(core - s->subcores);
}

static void choose_warp(state *s, subcore *core)
{
    while (!core->current && core->ready_count) {
        const uint32_t w = take_oldest(s, core);
        if (s->warps[w].next < s->warps[w].end && !s->requests[s->warps[w].next].is_barrier)
            core->current = w + 1;
        else
            settle(s, &s->warps[w]);
    }
}

static subcore *choose_subcore(state *s)
{
    for (uint32_t i = 0; i < SUBCORES; i++) {
        subcore *core = &s->subcores[(s->asks + i) % SUBCORES];
        choose_warp(s, core);
        if (core->current) {
            s->asks = (s->asks + i + 1) % SUBCORES;
            return core;
        }
    }
    return NULL;
}

/* ---- requests -------------------------------------------------------------------------------- */

static void enter_queue(state *s, uint32_t w, bool is_last)
{
    uint32_t place = s->queue_first + s->queue_count;
    place -= place >= s->work->queue_length ? s->work->queue_length : 0;
    s->queue[place] = (passing){w, is_last};
    s->queue_count++;
    s->fullest = s->queue_count > s->fullest ? s->queue_count : s->fullest;
}

static void end_turn(state *s)
{
    s->now += IFL_TURN_TIME / s->slots;
    s->left += IFL_TURN_TIME % s->slots;
    s->now += s->left >= s->slots;
    s->left -= s->left >= s->slots ? s->slots : 0;
}

static ifl_keyed ask(state *s, subcore *core)
{
    const uint32_t index = core->current - 1;
    warp *w = &s->warps[index];
    const uint32_t request = w->next++;
    const bool is_last = s->requests[request].ends_turn;
    enter_queue(s, index, is_last);
    if (is_last) {
        end_turn(s);
        core->current = 0;
    }
    return (ifl_keyed){.key = s->now, .index = request, .owner = s->work->blocks[w->block]};
}

static void leave_queue(state *s)
{
    const passing *first = &s->queue[s->queue_first];
    s->queue_first = s->queue_first + 1 == s->work->queue_length ? 0 : s->queue_first + 1;
    s->queue_count--;
    if (first->is_last)
        make_ready(s, first->warp);
}

/* False when all requests are made. */
static bool next_step(state *s, ifl_keyed *step)
{
    for (;;) {
        subcore *core = s->queue_count < s->work->queue_length ? choose_subcore(s) : NULL;
        if (core) {
            *step = ask(s, core);
            return true;
        }
        if (s->queue_count)
            leave_queue(s);
        else if (!is_any_ready(s) && !open_all(s))
            return false;
    }
}

/* ---- beginning ------------------------------------------------------------------------------- */

static void add_block(state *s, uint32_t b)
{
    const ifl_trace_index *x = s->work->index;
    const ifl_trace_block *from = &x->blocks[s->work->blocks[b]];
    block *to = &s->blocks[b];
    to->first = s->warp_count;
    for (uint32_t w = from->warp; w < from[1].warp; w++)
        s->warps[s->warp_count++] =
            (warp){.next = x->warps[w].request, .end = x->warps[w + 1].request, .block = b};
    to->end = s->warp_count;
    to->live = to->end - to->first;
    to->waiting = 0;
}

static uint32_t count_warps(const ifl_sm_work *work)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < work->block_count; b++) {
        const ifl_trace_block *from = &work->index->blocks[work->blocks[b]];
        count += from[1].warp - from->warp;
    }
    return count;
}

static bool begin(state *s, ifl_sm_space *space)
{
    const uint32_t warps = count_warps(s->work), words = warps / SUBCORES / WORD_BITS + 1;
    s->warps = ifl_room_take(&space->warps, warps, sizeof *s->warps);
    s->blocks = ifl_room_take(&space->blocks, s->work->block_count, sizeof *s->blocks);
    s->queue = ifl_room_take(&space->queue, s->work->queue_length, sizeof *s->queue);
    uint64_t *ready = ifl_room_take_zeroed(&space->ready, SUBCORES * (size_t)words, sizeof *ready);
    if (!s->warps || !s->blocks || !s->queue || !ready)
        return false;
    for (uint32_t c = 0; c < SUBCORES; c++)
        s->subcores[c].ready = ready + c * (size_t)words;
    for (uint32_t b = 0; b < s->work->block_count; b++)
        add_block(s, b);
    for (uint32_t b = 0; b < s->work->blocks_per_sm; b++)
        start_block(s);
    return true;
}

bool ifl_sm_order_find(ifl_sm_space *space, const ifl_sm_work *work, ifl_keyed *steps,
                       ifl_sm_order *out)
{
    state s = {.work = work,
               .requests = work->index->requests,
               .slots = (uint64_t)work->blocks_per_sm * work->index->warps_per_block};
    *out = (ifl_sm_order){0};
    if (!begin(&s, space))
        return false;
    while (next_step(&s, &steps[out->count]))
        out->count++;
    out->end = s.now;
    out->fullest = s.fullest;
    return true;
}

void ifl_sm_space_free(ifl_sm_space *space)
{
    ifl_room_free(&space->warps);
    ifl_room_free(&space->blocks);
    ifl_room_free(&space->queue);
    ifl_room_free(&space->ready);
}
