/* SPDX-License-Identifier: Apache-2.0
 * Playing traces to caches.
 *
 * When a request comes is not known, the order in which an SM makes them nearly is (sm_order.h):
 * the L1 of one SM is played so. How long a line stays in it says what the L1s of the others
 * leave to the L2, which sees the whole grid: blocks in waves, each resident warp taking a turn
 * a round. Other lengths of the SM's queue are played too, and what they change is part of the
 * bounds; what they cannot change is not played again. */
#include "cache/cache_replay.h"

#include <math.h>

/* The length of the queue: of the estimate, and half and twice as much for the bounds. */
static uint32_t length_of(const ifl_cache_rules *rules, int queue)
{
    const uint32_t lengths[IFL_CACHE_QUEUES] = {rules->queue_requests, rules->queue_requests / 2,
                                                2 * rules->queue_requests};
    return lengths[queue];
}

void ifl_cache_space_free(ifl_cache_space *space)
{
    ifl_grid_order_free(&space->order);
    ifl_cache_player_free(&space->player);
    ifl_l1_free(&space->l1);
    ifl_l2_free(&space->l2);
}

bool ifl_cache_is_whole(const ifl_cache_case *of)
{
    return of->grid->level == 0;
}

double ifl_cache_cut(const ifl_cache_case *of)
{
    const double kept = (double)of->grid->sectors * exp2(of->grid->share);
    const double all = (double)(of->load_sectors + of->store_sectors + of->local_store_sectors +
                                of->atomic_sectors);
    return of->grid->is_cut && kept > 0 ? all / kept : 1;
}

/* ---- sums to sectors of the launch ----------------------------------------------------------- */

/* A sum over a sample of lines, and how far it may be from that over all: the groups are as many
 * small samples. */
static void scale(const ifl_cache_sums *s, uint32_t share, ifl_cache_tally which,
                  ifl_cache_outcome *to)
{
    double sum = 0, squares = 0, scale = exp2(share);
    for (int g = 0; g < IFL_LINE_GROUPS; g++)
        sum += (double)s->of[which][g];
    for (int g = 0; g < IFL_LINE_GROUPS; g++) {
        const double off = (double)s->of[which][g] - sum / IFL_LINE_GROUPS;
        squares += off * off;
    }
    to->value[which] = sum * scale;
    to->spread[which] =
        share ? 2 * sqrt(squares * IFL_LINE_GROUPS / (IFL_LINE_GROUPS - 1)) * scale : 0;
}

static void scale_some(const ifl_cache_sums *s, uint32_t share, double factor,
                       ifl_cache_tally first, ifl_cache_tally end, ifl_cache_outcome *to)
{
    for (ifl_cache_tally t = first; t < end; t++) {
        scale(s, share, t, to);
        to->value[t] *= factor;
        to->spread[t] *= factor;
    }
}

/* ---- one replay ------------------------------------------------------------------------------ */

typedef struct replay {
    const ifl_cache_case *of;
    ifl_grid_order *order;
    ifl_cache_player *player;
    ifl_l1 *l1;
    ifl_l2 *l2;
    ifl_cache_outcomes *out;
    uint32_t fullest; /* requests in the queue at most, when the order was that of the estimate */
    bool needs_ages;
    uint64_t ages[IFL_CACHE_QUEUES]; /* how long lines stay in an L1 without being used */
} replay;

static uint32_t lines_of(double bytes, uint32_t share)
{
    const double lines = bytes / IFL_LINE_BYTES / exp2(share);
    return lines < 1 ? 1 : lines > 1 << 30 ? 1 << 30 : (uint32_t)(lines + 0.5);
}

static uint32_t l1_lines(const ifl_cache_case *of)
{
    const double most = of->device->value[IFL_DEVICE_l1_bytes_per_sm] * of->rules->l1_most_share;
    return lines_of((double)of->l1_bytes < most ? (double)of->l1_bytes : most, 0);
}

static bool open_l1(const replay *r)
{
    const ifl_cache_rules *rules = r->of->rules;
    return ifl_l1_open(r->l1, rules, l1_lines(r->of), lines_of(rules->read_only_kib * 1024.0, 0));
}

static bool open_l2(const replay *r)
{
    const ifl_trace_index *x = r->of->grid;
    const uint32_t lines = lines_of(r->of->device->value[IFL_DEVICE_l2_bytes], x->share);
    return ifl_l2_open(r->l2, r->of->rules, lines, x->share, x->lines, x->line_count, x->has_local);
}

/* Where nobody knows, each half has its SMs in a row. */
static uint32_t l2_sm_groups_of(const ifl_device *device)
{
    const bool is_known = device->known[IFL_DEVICE_l2_sm_groups];
    return is_known ? (uint32_t)device->value[IFL_DEVICE_l2_sm_groups] : 2;
}

static bool begin(const replay *r, const ifl_trace_index *index)
{
    const ifl_cache_case *of = r->of;
    const ifl_grid_shape shape = {.placing = of->placing,
                                  .blocks_per_sm = of->blocks_per_sm,
                                  .l2_sm_groups = l2_sm_groups_of(of->device),
                                  .blocks = of->blocks,
                                  .turns = of->turns};
    r->player->l1 = r->l1;
    r->player->l2 = r->l2;
    return ifl_grid_order_begin(r->order, index, &shape) &&
           ifl_cache_player_begin(r->player, r->order, of->rules);
}

/* ---- what no order changes ------------------------------------------------------------------- */

/* Local memory that stays in the L1 until it has to go: when that is hangs on all that the L1 is
 * asked for. */
static bool keeps_local(const replay *r, const ifl_trace_index *index)
{
    return r->of->rules->local_is_written_back && index->has_local;
}

/* No L1 has anything that it is asked for, whatever it holds. */
static bool always_misses(const replay *r, const ifl_trace_index *index)
{
    return !index->has_reuse && !keeps_local(r, index);
}

/* Nor has the L2 to choose what to keep. */
static bool has_no_order(const replay *r)
{
    return always_misses(r, r->of->grid) && !ifl_l2_has_sets(r->l2) && !r->of->grid->has_local;
}

/* Where the queue was never full, and another would never have been, the order is the same. */
static bool same_order(const replay *r, int queue)
{
    const ifl_cache_rules *rules = r->of->rules;
    return queue > 0 && r->fullest < length_of(rules, 0) && r->fullest < length_of(rules, queue);
}

static void copy_outcome(const replay *r, int queue, ifl_cache_tally first, ifl_cache_tally end)
{
    ifl_cache_outcome *to = &r->out->of_queue[queue], *from = &r->out->of_queue[0];
    for (ifl_cache_tally t = first; t < end; t++) {
        to->value[t] = from->value[t];
        to->spread[t] = from->spread[t];
    }
}

/* ---- L1s, each SM in its own order ----------------------------------------------------------- */

static void play_missed(const replay *r)
{
    ifl_cache_player_clear(r->player);
    ifl_cache_play_missed(r->player);
}

static bool play_l1s(const replay *r)
{
    if (!open_l1(r))
        return false;
    ifl_cache_player_clear(r->player);
    ifl_cache_play_l1s(r->player);
    return true;
}

static bool order_sms(replay *r, uint32_t blocks_per_sm, int queue)
{
    const bool done =
        ifl_grid_order_of_sms(r->order, blocks_per_sm, length_of(r->of->rules, queue));
    if (queue == 0)
        r->fullest = r->order->fullest;
    return done;
}

/* The L1 shared among half as many blocks. `factor`: times what its trace has. */
static bool play_half(replay *r, double factor)
{
    ifl_cache_outcome o;
    r->out->half_l1_misses = r->out->of_queue[0].value[IFL_TALLY_L1_MISSES];
    if (r->of->blocks_per_sm < 2 || always_misses(r, r->order->index))
        return true;
    if (!order_sms(r, r->of->blocks_per_sm / 2, 0) || !play_l1s(r))
        return false;
    scale_some(&r->player->sums, 0, factor, IFL_TALLY_L1_MISSES, IFL_TALLY_FETCHED, &o);
    r->out->half_l1_misses = o.value[IFL_TALLY_L1_MISSES];
    return true;
}

/* ---- the whole launch ------------------------------------------------------------------------ */

static bool order_all(replay *r, int queue)
{
    if (has_no_order(r))
        return ifl_grid_order_of_any(r->order);
    return order_sms(r, r->of->blocks_per_sm, queue) && ifl_grid_order_join(r->order);
}

static bool play_all(replay *r, int queue)
{
    if (!order_all(r, queue))
        return false;
    if (always_misses(r, r->of->grid))
        play_missed(r);
    else if (!play_l1s(r))
        return false;
    ifl_l2_empty(r->l2);
    ifl_cache_play_l2(r->player);
    scale_some(&r->player->sums, 0, 1, 0, IFL_CACHE_TALLIES, &r->out->of_queue[queue]);
    return true;
}

/* The whole launch fits the trace: nothing is left to chance but the order. */
static bool play_whole(replay *r)
{
    if (!begin(r, r->of->grid) || !open_l2(r) || !play_all(r, 0))
        return false;
    r->out->l1_turns = r->out->l2_turns = ifl_cache_play_turns(r->player);
    r->out->phases = ifl_cache_play_phases(r->player);
    for (int q = 1; q < IFL_CACHE_QUEUES; q++)
        if (has_no_order(r) || same_order(r, q))
            copy_outcome(r, q, 0, IFL_CACHE_TALLIES);
        else if (!play_all(r, q))
            return false;
    return play_half(r, 1);
}

/* ---- a sample: one SM ------------------------------------------------------------------------ */

static double sm_factor(const replay *r)
{
    const double loads = (double)r->of->sm->load_sectors;
    return loads > 0 ? (double)r->of->load_sectors / loads : 0;
}

static void take_sm(const replay *r, int queue)
{
    scale_some(&r->player->sums, 0, sm_factor(r), 0, IFL_TALLY_LOCAL_WRITES,
               &r->out->of_queue[queue]);
    if (queue == 0)
        r->out->l1_turns = ifl_cache_play_turns(r->player);
}

static bool play_sm(replay *r, int queue)
{
    if (!order_sms(r, r->of->blocks_per_sm, queue) || !play_l1s(r))
        return false;
    take_sm(r, queue);
    r->ages[queue] = r->l1->evictions ? r->l1->ages / r->l1->evictions : UINT64_MAX;
    return true;
}

static bool play_sample_l1(replay *r)
{
    if (!begin(r, r->of->sm))
        return false;
    const bool misses = !r->needs_ages && always_misses(r, r->of->sm);
    if (misses) {
        play_missed(r);
        take_sm(r, 0);
    } else if (!play_sm(r, 0)) {
        return false;
    }
    for (int q = 1; q < IFL_CACHE_QUEUES; q++)
        if (misses || same_order(r, q)) {
            copy_outcome(r, q, 0, IFL_TALLY_LOCAL_WRITES);
            r->ages[q] = r->ages[0];
        } else if (!play_sm(r, q))
            return false;
    return play_half(r, sm_factor(r));
}

/* ---- a sample: the grid ---------------------------------------------------------------------- */

/* What is left in the L2 does not grow with the launch. */
static void play_rounds_l2(const replay *r, int queue)
{
    ifl_cache_outcome *to = &r->out->of_queue[queue];
    const uint32_t share = r->of->grid->share;
    ifl_l2_empty(r->l2);
    ifl_cache_play_l2(r->player);
    scale_some(&r->player->sums, share, ifl_cache_cut(r->of), IFL_TALLY_LOCAL_WRITES,
               IFL_TALLY_DIRTY, to);
    scale(&r->player->sums, share, IFL_TALLY_DIRTY, to);
}

static bool play_rounds(const replay *r, int queue)
{
    if (!ifl_l1_open_aging(r->l1, r->of->rules, r->of->grid->line_count, r->ages[queue]))
        return false;
    ifl_cache_player_clear(r->player);
    if (r->player->only_reused)
        ifl_cache_play_missed(r->player);
    ifl_cache_play_l1s(r->player);
    play_rounds_l2(r, queue);
    return true;
}

static bool play_aging(const replay *r)
{
    if (!play_rounds(r, 0))
        return false;
    r->out->l2_turns = ifl_cache_play_turns(r->player);
    r->out->phases = ifl_cache_play_phases(r->player);
    const uint64_t same_from = r->l1->same_from, same_to = r->l1->same_to;
    for (int q = 1; q < IFL_CACHE_QUEUES; q++)
        if (r->ages[q] >= same_from && r->ages[q] <= same_to)
            copy_outcome(r, q, IFL_TALLY_LOCAL_WRITES, IFL_CACHE_TALLIES);
        else if (!play_rounds(r, q))
            return false;
    return true;
}

static bool play_sample_l2(replay *r)
{
    if (!begin(r, r->of->grid) || !open_l2(r))
        return false;
    r->player->only_reused = !keeps_local(r, r->of->grid);
    if (!(has_no_order(r) ? ifl_grid_order_of_any(r->order)
                          : ifl_grid_order_of_rounds(r->order, r->player->only_reused)))
        return false;
    if (r->needs_ages)
        return play_aging(r);
    play_missed(r);
    play_rounds_l2(r, 0);
    r->out->l2_turns = ifl_cache_play_turns(r->player);
    r->out->phases = ifl_cache_play_phases(r->player);
    for (int q = 1; q < IFL_CACHE_QUEUES; q++)
        copy_outcome(r, q, IFL_TALLY_LOCAL_WRITES, IFL_CACHE_TALLIES);
    return true;
}

static bool play_sample(replay *r)
{
    r->needs_ages = !always_misses(r, r->of->grid);
    return play_sample_l1(r) && play_sample_l2(r);
}

/* ---- both ------------------------------------------------------------------------------------ */

ifl_status ifl_cache_replay(const ifl_cache_case *of, ifl_cache_space *space,
                            ifl_cache_outcomes *out, ifl_error *error)
{
    replay r = {.of = of,
                .order = &space->order,
                .player = &space->player,
                .l1 = &space->l1,
                .l2 = &space->l2,
                .out = out};
    const bool done = ifl_cache_is_whole(of) ? play_whole(&r) : play_sample(&r);
    return done ? IFL_OK : ifl_fail_memory(error, of->grid->touch_count * sizeof(ifl_touch));
}
