/* SPDX-License-Identifier: Apache-2.0
 * See flow.h. */
#include "code/flow.h"

#include <stdlib.h>
#include <string.h>

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
            flow->blocks[flow->block_count++] = (ifl_flow_block){.first = i, .join = IFL_NO_BLOCK};
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

/* ---- immediate post-dominators: Lengauer and Tarjan, "A Fast Algorithm for Finding Dominators in
 * a Flowgraph", with path compression, on the reversed graph from a virtual end (node block_count).
 * Numbers below are those of a depth-first search from there, in pre-order.
 * ------------------------------------------------------------------ */

typedef struct dominators {
    const ifl_flow *flow;
    uint32_t *first_predecessor; /* of node n: predecessors[first[n]..first[n + 1]) */
    uint32_t *predecessors;
    uint32_t *number;   /* by node; IFL_NO_BLOCK: the end is not reached from there */
    uint32_t *node;     /* by number, as all that follow */
    uint32_t *parent;   /* in the search's tree */
    uint32_t *semi;     /* semidominator */
    uint32_t *ancestor; /* in the forest of links; IFL_NO_BLOCK: a root */
    uint32_t *label;    /* of least semidominator on the way to the root */
    uint32_t *dominator;
    uint32_t *
        /* first of the nodes that a node semidominates, and the next of each: pairs of lists */
        bucket;
    uint32_t *next;
    uint32_t *stack, *cursor;
    uint32_t reached;
} dominators;

static void count_edges(const ifl_flow *flow, uint32_t *first)
{
    for (uint32_t b = 0; b < flow->block_count; b++) {
        const ifl_flow_block *block = &flow->blocks[b];
        for (uint32_t i = 0; i < block->successor_count; i++)
            first[block->successor[i] + 1]++;
        first[flow->block_count + 1] += block->leaves;
    }
    for (uint32_t n = 0; n <= flow->block_count; n++)
        first[n + 1] += first[n];
}

static void fill_edges(const dominators *d, uint32_t *at)
{
    for (uint32_t b = 0; b < d->flow->block_count; b++) {
        const ifl_flow_block *block = &d->flow->blocks[b];
        for (uint32_t i = 0; i < block->successor_count; i++)
            d->predecessors[at[block->successor[i]]++] = b;
        if (block->leaves)
            d->predecessors[at[d->flow->block_count]++] = b;
    }
}

static bool allocate_dominators(dominators *d, ifl_arena *arena)
{
    const size_t nodes = (size_t)d->flow->block_count + 1;
    uint32_t **arrays[] = {&d->number,   &d->node,  &d->parent,    &d->semi,
                           &d->ancestor, &d->label, &d->dominator, &d->bucket,
                           &d->next,     &d->stack, &d->cursor};
    d->first_predecessor = ifl_arena_alloc(arena, (nodes + 1) * sizeof(uint32_t));
    if (!d->first_predecessor)
        return false;
    count_edges(d->flow, d->first_predecessor);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!(*arrays[i] = ifl_arena_alloc(arena, nodes * sizeof(uint32_t))))
            return false;
    d->predecessors =
        ifl_arena_alloc(arena, (d->first_predecessor[nodes] + (size_t)1) * sizeof(uint32_t));
    return d->predecessors != NULL;
}

static void enter(dominators *d, uint32_t node, uint32_t parent)
{
    const uint32_t number = d->reached++;
    d->number[node] = number;
    d->node[number] = node;
    d->parent[number] = parent;
    d->semi[number] = d->label[number] = number;
    d->ancestor[number] = d->bucket[number] = d->next[number] = IFL_NO_BLOCK;
}

static void search(dominators *d, uint32_t root)
{
    uint32_t depth = 0;
    enter(d, root, 0);
    d->stack[depth++] = root;
    while (depth) {
        const uint32_t node = d->stack[depth - 1];
        if (d->cursor[node] == d->first_predecessor[node + 1]) {
            depth--;
            continue;
        }
        const uint32_t to = d->predecessors[d->cursor[node]++];
        if (d->number[to] == IFL_NO_BLOCK) {
            enter(d, to, d->number[node]);
            d->stack[depth++] = to;
        }
    }
}

/* The node of least semidominator between a node and the root of its tree; shortens the way for the
 * next time. */
static uint32_t evaluate(dominators *d, uint32_t v)
{
    uint32_t depth = 0;
    if (d->ancestor[v] == IFL_NO_BLOCK)
        return v;
    for (uint32_t at = v; d->ancestor[d->ancestor[at]] != IFL_NO_BLOCK; at = d->ancestor[at])
        d->stack[depth++] = at;
    while (depth) {
        const uint32_t at = d->stack[--depth], above = d->ancestor[at];
        if (d->semi[d->label[above]] < d->semi[d->label[at]])
            d->label[at] = d->label[above];
        d->ancestor[at] = d->ancestor[above];
    }
    return d->label[v];
}

/* In the reversed graph the predecessors of a block are those that follow it. */
static void find_semidominator(dominators *d, uint32_t w)
{
    const uint32_t node = d->node[w];
    const ifl_flow_block *block = &d->flow->blocks[node];
    for (uint32_t i = 0; i < block->successor_count + block->leaves; i++) {
        const uint32_t to = i < block->successor_count ? block->successor[i] : d->flow->block_count;
        if (d->number[to] == IFL_NO_BLOCK)
            continue;
        const uint32_t semi = d->semi[evaluate(d, d->number[to])];
        if (semi < d->semi[w])
            d->semi[w] = semi;
    }
}

static void empty_bucket(dominators *d, uint32_t of)
{
    for (uint32_t v = d->bucket[of]; v != IFL_NO_BLOCK; v = d->next[v]) {
        const uint32_t u = evaluate(d, v);
        d->dominator[v] = d->semi[u] < d->semi[v] ? u : of;
    }
    d->bucket[of] = IFL_NO_BLOCK;
}

static void find_dominators(dominators *d)
{
    for (uint32_t w = d->reached; w-- > 1;) {
        find_semidominator(d, w);
        d->next[w] = d->bucket[d->semi[w]];
        d->bucket[d->semi[w]] = w;
        d->ancestor[w] = d->parent[w];
        empty_bucket(d, d->parent[w]);
    }
    d->dominator[0] = 0;
    for (uint32_t w = 1; w < d->reached; w++)
        if (d->dominator[w] != d->semi[w])
            d->dominator[w] = d->dominator[d->dominator[w]];
}

static bool find_joins(ifl_flow *flow, ifl_arena *arena)
{
    dominators d = {.flow = flow};
    if (!allocate_dominators(&d, arena))
        return false;
    const size_t bytes = ((size_t)flow->block_count + 1) * sizeof(uint32_t);
    memcpy(d.cursor, d.first_predecessor, bytes);
    fill_edges(&d, d.cursor);
    memcpy(d.cursor, d.first_predecessor, bytes);
    memset(d.number, 0xff, bytes);
    search(&d, flow->block_count);
    find_dominators(&d);
    for (uint32_t b = 0; b < flow->block_count; b++) {
        const uint32_t number = d.number[b];
        const uint32_t join =
            number == IFL_NO_BLOCK ? flow->block_count : d.node[d.dominator[number]];
        flow->blocks[b].join = join == flow->block_count ? IFL_NO_BLOCK : join;
    }
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
    return find_joins(out, arena) ? IFL_OK : ifl_fail_memory(error, out->block_count);
}

/* ---- values that are still needed ------------------------------------------------------------ */

typedef struct live_sets {
    uint64_t *used;    /* read in the block before it writes them: also the live set at its start */
    uint64_t *defined; /* written in the block whatever the guards */
    size_t words;
    uint32_t block;
    bool guarded;
} live_sets;

static void note_read(void *user, uint32_t reg, bool is_written)
{
    live_sets *sets = user;
    const uint64_t bit = UINT64_C(1) << (reg % 64);
    const size_t at = sets->block * sets->words + reg / 64;
    if (!is_written && !(sets->defined[at] & bit))
        sets->used[at] |= bit;
}

static void note_write(void *user, uint32_t reg, bool is_written)
{
    live_sets *sets = user;
    if (is_written && !sets->guarded)
        sets->defined[sets->block * sets->words + reg / 64] |= UINT64_C(1) << (reg % 64);
}

static void note_all_read(const live_sets *sets)
{
    for (size_t w = sets->block * sets->words, i = 0; i < sets->words; i++, w++)
        sets->used[w] |= ~sets->defined[w];
}

static void scan_block(const ifl_flow_touches *touches, const ifl_flow_block *block,
                       live_sets *sets)
{
    for (uint32_t i = block->first; i < block->last; i++) {
        if (touches->reads_all && touches->reads_all(touches->user, i))
            note_all_read(sets);
        sets->guarded = touches->is_guarded(touches->user, i);
        touches->visit(touches->user, i, note_read, sets);
        touches->visit(touches->user, i, note_write, sets);
    }
}

static bool flow_back(const ifl_flow *flow, live_sets *sets, uint32_t b)
{
    bool changed = false;
    const ifl_flow_block *block = &flow->blocks[b];
    uint64_t *used = sets->used + b * sets->words, *defined = sets->defined + b * sets->words;
    for (uint32_t i = 0; i < block->successor_count; i++) {
        const uint64_t *after = sets->used + block->successor[i] * sets->words;
        for (size_t w = 0; w < sets->words; w++) {
            const uint64_t now = used[w] | (after[w] & ~defined[w]);
            changed |= now != used[w];
            used[w] = now;
        }
    }
    return changed;
}

ifl_status ifl_flow_live(const ifl_flow *flow, const ifl_flow_touches *touches, ifl_arena *arena,
                         uint64_t **out, size_t *words, ifl_error *error)
{
    live_sets sets = {.words = touches->registers / 64 + 1};
    const size_t bytes = sets.words * flow->block_count * sizeof(uint64_t);
    *words = sets.words;
    *out = sets.used = ifl_arena_alloc(arena, bytes + 1);
    sets.defined = calloc(1, bytes + 1);
    const bool has_memory = sets.used && sets.defined;
    if (has_memory) {
        for (sets.block = 0; sets.block < flow->block_count; sets.block++)
            scan_block(touches, &flow->blocks[sets.block], &sets);
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t b = flow->block_count; b-- > 0;)
                changed |= flow_back(flow, &sets, b);
        }
    }
    free(sets.defined);
    return has_memory ? IFL_OK : ifl_fail_memory(error, bytes);
}

/* ---- what a value leads to ------------------------------------------------------------------- */

typedef struct carried {
    const ifl_flow *flow;
    const ifl_flow_touches *touches;
    bool (*shares)(const void *user, uint32_t instruction);
    size_t words;
    uint64_t *at_start; /* by block: registers that may hold something of the value */
    uint64_t *now;
    bool *is_reached; /* by block */
    uint32_t *waiting;
    uint32_t waiting_count;
    bool *is_waiting;
    bool reads; /* the instruction at hand reads some of it */
    bool may_not_write;
    bool decides;
} carried;

static bool allocate_carried(carried *c)
{
    const size_t blocks = c->flow->block_count;
    c->at_start = calloc(blocks * c->words + 1, sizeof *c->at_start);
    c->now = calloc(c->words, sizeof *c->now);
    c->is_reached = calloc(blocks + 1, sizeof *c->is_reached);
    c->waiting = calloc(blocks + 1, sizeof *c->waiting);
    c->is_waiting = calloc(blocks + 1, sizeof *c->is_waiting);
    return c->at_start && c->now && c->is_reached && c->waiting && c->is_waiting;
}

static void free_carried(carried *c)
{
    free(c->at_start);
    free(c->now);
    free(c->is_reached);
    free(c->waiting);
    free(c->is_waiting);
}

static void carry_read(void *user, uint32_t reg, bool is_written)
{
    carried *c = user;
    c->reads |= !is_written && (c->now[reg / 64] >> reg % 64 & 1);
}

static void carry_write(void *user, uint32_t reg, bool is_written)
{
    carried *c = user;
    const uint64_t bit = UINT64_C(1) << reg % 64;
    if (is_written && c->reads)
        c->now[reg / 64] |= bit;
    else if (is_written && !c->may_not_write)
        c->now[reg / 64] &= ~bit;
}

static void carry_through(carried *c, uint32_t block, uint32_t first, uint32_t from)
{
    const ifl_flow_block *at = &c->flow->blocks[block];
    const ifl_flow_touches *t = c->touches;
    for (uint32_t i = first; i < at->last; i++) {
        c->reads = i == from;
        t->visit(t->user, i, carry_read, c);
        c->may_not_write = t->is_guarded(t->user, i);
        c->decides |=
            c->reads && i != from &&
            (c->shares(t->user, i) || (i + 1 == at->last && at->successor_count + at->leaves > 1));
        t->visit(t->user, i, carry_write, c);
    }
}

static void carry_on(carried *c, uint32_t block)
{
    const ifl_flow_block *at = &c->flow->blocks[block];
    for (uint32_t s = 0; s < at->successor_count; s++) {
        const uint32_t to = at->successor[s];
        uint64_t *start = c->at_start + to * c->words;
        bool is_new = !c->is_reached[to];
        for (size_t w = 0; w < c->words; w++) {
            is_new |= (c->now[w] & ~start[w]) != 0;
            start[w] |= c->now[w];
        }
        c->is_reached[to] = true;
        if (is_new && !c->is_waiting[to]) {
            c->is_waiting[to] = true;
            c->waiting[c->waiting_count++] = to;
        }
    }
}

ifl_status ifl_flow_decides(const ifl_flow *flow, const ifl_flow_touches *touches, uint32_t from,
                            bool (*shares)(const void *user, uint32_t instruction), bool *out,
                            ifl_error *error)
{
    carried c = {
        .flow = flow, .touches = touches, .shares = shares, .words = touches->registers / 64 + 1};
    const bool has_memory = allocate_carried(&c);
    if (has_memory) {
        const uint32_t home = flow->block_of[from];
        carry_through(&c, home, from, from);
        carry_on(&c, home);
        while (c.waiting_count) {
            const uint32_t block = c.waiting[--c.waiting_count];
            c.is_waiting[block] = false;
            memcpy(c.now, c.at_start + block * c.words, c.words * sizeof *c.now);
            carry_through(&c, block, flow->blocks[block].first, from);
            carry_on(&c, block);
        }
        *out = c.decides && c.is_reached[home];
    }
    free_carried(&c);
    return has_memory ? IFL_OK : ifl_fail_memory(error, flow->block_count * c.words);
}
