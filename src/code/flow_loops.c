/* SPDX-License-Identifier: Apache-2.0
 * The natural loops of a function and how they nest: a way back to a block that every way from the
 * entry passes is a loop's. Knows blocks; nothing of instructions. */
#include "code/dominators.h"

typedef struct work {
    ifl_flow *flow;
    ifl_flow_before before;
    ifl_dominators d;
    ifl_flow_loop *loops;
    uint32_t *holder; /* the header of a loop that holds the block, or the block itself */
    int32_t *loop_of; /* whose header the block is, -1: none */
    uint32_t *stack;
} work;

static bool is_numbered(const work *w, uint32_t b)
{
    return w->d.number[b] != IFL_NO_BLOCK;
}

/* Does a way lead back from `from` to `header`, which it could not have come without? */
static bool leads_back(const work *w, uint32_t from, uint32_t header)
{
    const uint32_t target = w->d.number[header];
    uint32_t at = w->d.number[from];
    while (at != IFL_NO_BLOCK && at > target)
        at = w->d.dominator[at];
    return at == target;
}

static bool is_header(const work *w, uint32_t b)
{
    for (uint32_t p = w->before.first[b]; is_numbered(w, b) && p < w->before.first[b + 1]; p++)
        if (leads_back(w, w->before.block[p], b))
            return true;
    return false;
}

/* The header of the outermost loop found so far that holds the block; itself where none does. */
static uint32_t outermost(work *w, uint32_t b)
{
    while (w->holder[b] != b)
        b = w->holder[b] = w->holder[w->holder[b]];
    return b;
}

static void push_before(work *w, uint32_t b, uint32_t header, bool only_back, size_t *depth)
{
    for (uint32_t p = w->before.first[b]; p < w->before.first[b + 1]; p++) {
        uint32_t from = w->before.block[p];
        if (!is_numbered(w, from) || (only_back && !leads_back(w, from, header)))
            continue;
        from = outermost(w, from);
        if (from != header)
            w->stack[(*depth)++] = from;
    }
}

/* Takes into a loop all from which a way leads back to its header: blocks, and loops found before,
 * which lie inside. */
static void fill_loop(work *w, int32_t l)
{
    ifl_flow_block *blocks = w->flow->blocks;
    const uint32_t header = w->loops[l].header;
    size_t depth = 0;
    blocks[header].loop = l;
    push_before(w, header, header, true, &depth);
    while (depth) {
        const uint32_t b = w->stack[--depth];
        if (outermost(w, b) == header)
            continue;
        w->holder[b] = header;
        if (w->loop_of[b] >= 0)
            w->loops[w->loop_of[b]].outer = l;
        else
            blocks[b].loop = l;
        push_before(w, b, header, false, &depth);
    }
}

static void find_depth(work *w, ifl_flow_loop *loop)
{
    loop->depth = 1;
    if (loop->outer < 0)
        return;
    loop->depth += w->loops[loop->outer].depth;
    w->loops[loop->outer].is_innermost = false;
}

static ifl_status make_loops(work *w, ifl_arena *arena, uint32_t *count, ifl_error *error)
{
    *count = 0;
    for (uint32_t b = 0; b < w->flow->block_count; b++) {
        w->holder[b] = b;
        w->loop_of[b] = is_header(w, b) ? (int32_t)(*count)++ : -1;
    }
    w->loops = ifl_arena_alloc(arena, (*count + (size_t)1) * sizeof *w->loops);
    if (!w->loops)
        return ifl_fail_memory(error, *count * sizeof *w->loops);
    for (uint32_t b = 0; b < w->flow->block_count; b++)
        if (w->loop_of[b] >= 0)
            w->loops[w->loop_of[b]] =
                (ifl_flow_loop){.header = b, .outer = -1, .is_innermost = true};
    return IFL_OK;
}

/* Loops stand in the order of their headers; they are filled from the inside. */
static ifl_status find(work *w, ifl_arena *arena, uint32_t *count, ifl_error *error)
{
    const ifl_status status = make_loops(w, arena, count, error);
    if (status != IFL_OK)
        return status;
    for (uint32_t number = w->d.count; number-- > 1;)
        if (w->loop_of[w->d.block[number]] >= 0)
            fill_loop(w, w->loop_of[w->d.block[number]]);
    for (uint32_t number = 1; number < w->d.count; number++)
        if (w->loop_of[w->d.block[number]] >= 0)
            find_depth(w, &w->loops[w->loop_of[w->d.block[number]]]);
    return IFL_OK;
}

/* A block is pushed once for each way from it. */
static ifl_status allocate(work *w, ifl_arena *scratch, ifl_error *error)
{
    const size_t blocks = w->flow->block_count, edges = w->before.first[blocks];
    w->holder = ifl_arena_alloc(scratch, (blocks + 1) * sizeof *w->holder);
    w->loop_of = ifl_arena_alloc(scratch, (blocks + 1) * sizeof *w->loop_of);
    w->stack = ifl_arena_alloc(scratch, (edges + 1) * sizeof *w->stack);
    return w->holder && w->loop_of && w->stack
               ? IFL_OK
               : ifl_fail_memory(error, (blocks + edges) * sizeof *w->stack);
}

ifl_status ifl_flow_find_loops(ifl_flow *flow, const bool *reached, ifl_arena *arena,
                               ifl_flow_loop **loops, uint32_t *count, ifl_error *error)
{
    ifl_arena scratch = {0};
    work w = {.flow = flow};
    ifl_status status = ifl_flow_find_before(flow, &scratch, &w.before, error);
    if (status == IFL_OK)
        status = ifl_flow_dominators(flow, &w.before, reached, false, &scratch, &w.d, error);
    if (status == IFL_OK)
        status = allocate(&w, &scratch, error);
    if (status == IFL_OK)
        status = find(&w, arena, count, error);
    ifl_arena_free(&scratch);
    *loops = w.loops;
    return status;
}
