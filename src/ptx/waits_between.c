/* SPDX-License-Identifier: Apache-2.0
 * A value loaded before a loop is pending in the first trip only; one that a branch loads now and
 * then, after that branch. So each block takes from those before it the share of passes in which a
 * value is pending, weighted by how often they came from there, until nothing changes. */
#include "ptx/waits_internal.h"

#include <math.h>

enum { MOST_ROUNDS = 64 };

static const size_t most_shares = (size_t)1 << 24;
static const float least_change = 1e-3f;

static uint64_t joined(const uint64_t *bits, size_t blocks, size_t words, size_t word)
{
    uint64_t all = 0;
    for (size_t b = 0; b < blocks; b++)
        all |= bits[b * words + word];
    return all;
}

ifl_status ifl_pending_list(ifl_pending *pending, const uint64_t *bits, size_t blocks, size_t words,
                            ifl_arena *arena, ifl_error *error)
{
    size_t count = 0;
    for (size_t w = 0; w < words; w++)
        count += (size_t)__builtin_popcountll(joined(bits, blocks, words, w));
    if (count > most_shares / blocks)
        count = 0;
    pending->reg = ifl_arena_alloc(arena, (count + 1) * sizeof *pending->reg);
    pending->of = ifl_arena_alloc(arena, (blocks * count + 1) * sizeof *pending->of);
    pending->share = ifl_arena_alloc(arena, (blocks * count + 1) * sizeof *pending->share);
    pending->more = ifl_arena_alloc(arena, blocks * sizeof *pending->more);
    if (!pending->reg || !pending->of || !pending->share || !pending->more)
        return ifl_fail_memory(error, blocks * count * sizeof *pending->share);
    for (size_t w = 0; w < words && count; w++)
        for (uint64_t left = joined(bits, blocks, words, w); left; left &= left - 1)
            pending->reg[pending->count++] = (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(left);
    return IFL_OK;
}

/* ---- from block to block --------------------------------------------------------------------- */

/* The share of the block's passes that find something pending that it reads. */
static float share_read(const ifl_pending *p, uint32_t block)
{
    float most = 0;
    for (size_t k = 0; k < p->count; k++)
        if (p->of[block * p->count + k].reads)
            most = fmaxf(most, p->share[block * p->count + k]);
    return most;
}

/* Who waits for one value has waited for those that were asked for before; they are pending in the
 * same passes. */
static float share_after(const ifl_pending *p, uint32_t block, size_t k, float read)
{
    const ifl_handing of = p->of[block * p->count + k];
    if (of.brings)
        return 1;
    return of.is_written ? 0 : fmaxf(p->share[block * p->count + k] - read, 0);
}

typedef struct incoming {
    float *share;   /* sums: passes in which it is pending */
    double *passes; /* of each block, as far as it is known where they came from */
    uint32_t *ways; /* that lead to each block */
} incoming;

static double times_of(const ifl_pending *p, const ifl_flow *flow, uint32_t block)
{
    return p->times ? (double)p->times[flow->blocks[block].first] : 1;
}

/* How often the way from a block to its successor `to` was taken, `other` being its other one:
 * where only it leads there, as often as that block ran; else at most as often as both ran. */
static double passes_along(const ifl_pending *p, const ifl_flow *flow, uint32_t from, uint32_t to,
                           uint32_t other, const incoming *in)
{
    const double before = times_of(p, flow, from), after = times_of(p, flow, to);
    if (in->ways[to] == 1 || other == IFL_NO_BLOCK || in->ways[other] != 1)
        return fmin(before, after);
    return fmax(before - times_of(p, flow, other), 0);
}

static void hand_on(const ifl_pending *p, const ifl_flow *flow, uint32_t from, uint32_t to,
                    uint32_t other, const incoming *in)
{
    const double passes = passes_along(p, flow, from, to, other, in);
    const float read = share_read(p, from);
    in->passes[to] += passes;
    for (size_t k = 0; k < p->count; k++)
        in->share[to * p->count + k] += (float)passes * share_after(p, from, k, read);
}

static bool take(ifl_pending *p, uint32_t block, const incoming *in)
{
    bool changed = false;
    for (size_t k = 0; k < p->count; k++) {
        float *share = &p->share[block * p->count + k], *sum = &in->share[block * p->count + k];
        const float now = in->passes[block] > 0 ? *sum / (float)in->passes[block] : 0;
        changed |= fabsf(now - *share) > least_change;
        *share = now;
        *sum = 0;
    }
    in->passes[block] = 0;
    return changed;
}

static bool settle_once(ifl_pending *p, const ifl_flow *flow, const incoming *in)
{
    bool changed = false;
    for (uint32_t b = 0; b < flow->block_count; b++) {
        const ifl_flow_block *block = &flow->blocks[b];
        const bool is_pair = block->successor_count == 2;
        for (uint32_t i = 0; i < block->successor_count; i++)
            hand_on(p, flow, b, block->successor[i], is_pair ? block->successor[!i] : IFL_NO_BLOCK,
                    in);
    }
    for (uint32_t b = 0; b < flow->block_count; b++)
        changed |= take(p, b, in);
    return changed;
}

static void count_ways(const ifl_flow *flow, uint32_t *ways)
{
    for (uint32_t b = 0; b < flow->block_count; b++) {
        const ifl_flow_block *block = &flow->blocks[b];
        for (uint32_t i = 0; i < block->successor_count; i++)
            ways[block->successor[i]]++;
    }
}

ifl_status ifl_pending_settle(ifl_pending *p, const ifl_flow *flow, ifl_arena *arena,
                              ifl_error *error)
{
    const size_t shares = flow->block_count * p->count + 1;
    const incoming in = {ifl_arena_alloc(arena, shares * sizeof *in.share),
                         ifl_arena_alloc(arena, flow->block_count * sizeof *in.passes),
                         ifl_arena_alloc(arena, flow->block_count * sizeof *in.ways)};
    if (!in.share || !in.passes || !in.ways)
        return ifl_fail_memory(error, shares * sizeof *in.share);
    count_ways(flow, in.ways);
    for (int i = 0; i < MOST_ROUNDS && settle_once(p, flow, &in); i++) {
    }
    return IFL_OK;
}

double ifl_pending_spared(const ifl_pending *p, uint32_t block)
{
    return p->count && p->times ? p->more[block] * (1 - share_read(p, block)) : 0;
}
