/* SPDX-License-Identifier: Apache-2.0
 * See flow.h. */
#include "code/flow.h"

/* ---- blocks ---------------------------------------------------------------------------------- */

static bool *find_leaders(const ifl_flow_step *steps, uint32_t count, ifl_arena *arena)
{
    bool *leader = ifl_arena_alloc(arena, (size_t)count + 1);
    if (!leader)
        return NULL;
    leader[0] = true;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t t = 0; t < steps[i].target_count; t++)
            leader[steps[i].targets[t]] = true;
        leader[i + 1] |= steps[i].ends;
    }
    return leader;
}

static void number_blocks(const bool *leader, uint32_t count, ifl_flow *flow)
{
    for (uint32_t i = 0; i < count; i++) {
        if (leader[i])
            flow->blocks[flow->block_count++] =
                (ifl_flow_block){.first = i, .join = IFL_NO_BLOCK, .loop = -1};
        flow->blocks[flow->block_count - 1].last = i + 1;
        flow->block_of[i] = flow->block_count - 1;
    }
}

/* Targets in their order, then the block behind. */
static bool connect(const ifl_flow_step *steps, uint32_t count, ifl_flow *flow, uint32_t index,
                    ifl_arena *arena)
{
    ifl_flow_block *block = &flow->blocks[index];
    const ifl_flow_step *last = &steps[block->last - 1];
    const bool falls = (last->falls || !last->ends) && block->last < count;
    uint32_t *to = ifl_arena_alloc(arena, ((size_t)last->target_count + falls) * sizeof *to);
    if (!to)
        return false;
    for (uint32_t t = 0; t < last->target_count; t++)
        to[block->successor_count++] = flow->block_of[last->targets[t]];
    if (falls)
        to[block->successor_count++] = index + 1;
    block->successor = to;
    block->leaves = last->leaves || (block->last == count && (last->falls || !last->ends));
    return true;
}

/* ---- building -------------------------------------------------------------------------------- */

ifl_status ifl_flow_build(const ifl_flow_step *steps, uint32_t count, ifl_arena *arena,
                          ifl_flow *out, ifl_error *error)
{
    *out = (ifl_flow){0};
    const bool *leader = find_leaders(steps, count, arena);
    size_t blocks = 0;
    for (uint32_t i = 0; leader && i < count; i++)
        blocks += leader[i];
    out->blocks = ifl_arena_alloc(arena, (blocks + 1) * sizeof *out->blocks);
    out->block_of = ifl_arena_alloc(arena, ((size_t)count + 1) * sizeof *out->block_of);
    if (!leader || !out->blocks || !out->block_of)
        return ifl_fail_memory(error, count);
    number_blocks(leader, count, out);
    for (uint32_t b = 0; b < out->block_count; b++)
        if (!connect(steps, count, out, b, arena))
            return ifl_fail_memory(error, out->block_count);
    return IFL_OK;
}

/* ---- the blocks before a block --------------------------------------------------------------- */

/* first[b + 2] counts those before b, then is where they begin, then, one further, where they end. */
ifl_status ifl_flow_find_before(const ifl_flow *flow, ifl_arena *arena, ifl_flow_before *out,
                                ifl_error *error)
{
    const ifl_flow_block *blocks = flow->blocks;
    const size_t count = flow->block_count;
    size_t edges = 0;
    out->first = ifl_arena_alloc(arena, (count + 2) * sizeof *out->first);
    for (size_t b = 0; out->first && b < count; b++)
        for (uint32_t i = 0; i < blocks[b].successor_count; i++, edges++)
            out->first[blocks[b].successor[i] + 2]++;
    out->block = ifl_arena_alloc(arena, (edges + 1) * sizeof *out->block);
    if (!out->first || !out->block)
        return ifl_fail_memory(error, (count + edges) * sizeof *out->first);
    for (size_t b = 0; b < count; b++)
        out->first[b + 2] += out->first[b + 1];
    for (uint32_t b = 0; b < count; b++)
        for (uint32_t i = 0; i < blocks[b].successor_count; i++)
            out->block[out->first[blocks[b].successor[i] + 1]++] = b;
    return IFL_OK;
}
