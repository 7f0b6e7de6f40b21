/* SPDX-License-Identifier: Apache-2.0
 * Immediate dominators: Lengauer and Tarjan, "A Fast Algorithm for Finding Dominators in a
 * Flowgraph", with path compression. */
#include "code/dominators.h"

#include <string.h>

typedef struct search {
    const ifl_flow *flow;
    const ifl_flow_before *before;
    ifl_dominators found;
    bool is_backward;
    bool *root;       /* by block */
    uint32_t *cursor; /* by block: the edge that the search takes next */
    uint32_t *stack;
    uint32_t *parent;   /* by number, as all that follow: in the search's tree */
    uint32_t *semi;     /* semidominator */
    uint32_t *ancestor; /* in the forest of links; IFL_NO_BLOCK: a root of it */
    uint32_t *label;    /* of least semidominator on the way to the root */
    uint32_t *bucket;   /* first of the blocks that a block semidominates, */
    uint32_t *next;     /* and the next of each */
} search;

/* The blocks that a block leads to in the direction of the search, or that lead to it. */
static const uint32_t *neighbours(const search *s, uint32_t b, bool ahead, uint32_t *count)
{
    const ifl_flow_block *block = &s->flow->blocks[b];
    if (ahead != s->is_backward) {
        *count = block->successor_count;
        return block->successor;
    }
    *count = s->before->first[b + 1] - s->before->first[b];
    return s->before->block + s->before->first[b];
}

static bool allocate(search *s, ifl_arena *arena)
{
    const size_t nodes = (size_t)s->flow->block_count + 1;
    uint32_t **arrays[] = {
        &s->found.number, &s->found.block, &s->found.dominator, &s->cursor, &s->stack, &s->parent,
        &s->semi,         &s->ancestor,    &s->label,           &s->bucket, &s->next};
    s->root = ifl_arena_alloc(arena, nodes);
    bool whole = s->root != NULL;
    for (size_t i = 0; whole && i < sizeof arrays / sizeof *arrays; i++)
        whole = (*arrays[i] = ifl_arena_alloc(arena, nodes * sizeof(uint32_t))) != NULL;
    if (whole)
        memset(s->found.number, 0xff, nodes * sizeof *s->found.number);
    return whole;
}

/* ---- the search ------------------------------------------------------------------------------ */

static void enter(search *s, uint32_t block, uint32_t parent)
{
    const uint32_t number = s->found.count++;
    s->found.number[block] = number;
    s->found.block[number] = block;
    s->parent[number] = parent;
    s->semi[number] = s->label[number] = number;
    s->ancestor[number] = s->bucket[number] = s->next[number] = IFL_NO_BLOCK;
}

static void search_from(search *s, uint32_t root)
{
    uint32_t depth = 0;
    s->root[root] = true;
    if (s->found.number[root] != IFL_NO_BLOCK)
        return;
    enter(s, root, 0);
    s->stack[depth++] = root;
    while (depth) {
        const uint32_t block = s->stack[depth - 1];
        uint32_t count;
        const uint32_t *ahead = neighbours(s, block, true, &count);
        if (s->cursor[block] == count) {
            depth--;
            continue;
        }
        const uint32_t to = ahead[s->cursor[block]++];
        if (s->found.number[to] == IFL_NO_BLOCK) {
            enter(s, to, s->found.number[block]);
            s->stack[depth++] = to;
        }
    }
}

static bool is_led_to(const search *s, const bool *reached, uint32_t b)
{
    uint32_t count;
    const uint32_t *behind = neighbours(s, b, false, &count);
    bool is_led = false;
    for (uint32_t i = 0; i < count; i++)
        is_led |= reached[behind[i]];
    return is_led;
}

static void search_all(search *s, const bool *reached)
{
    const uint32_t blocks = s->flow->block_count;
    enter(s, blocks, 0);
    for (uint32_t b = 0; b < blocks; b++)
        if (s->is_backward ? s->flow->blocks[b].leaves
                           : b == 0 || (reached[b] && !is_led_to(s, reached, b)))
            search_from(s, b);
    for (uint32_t b = 0; !s->is_backward && b < blocks; b++)
        if (reached[b] && s->found.number[b] == IFL_NO_BLOCK)
            search_from(s, b);
}

/* ---- dominators ------------------------------------------------------------------------------ */

/* The block of least semidominator between a block and the root of its tree; shortens the way for
 * the next time. */
static uint32_t evaluate(search *s, uint32_t v)
{
    uint32_t depth = 0;
    if (s->ancestor[v] == IFL_NO_BLOCK)
        return v;
    for (uint32_t at = v; s->ancestor[s->ancestor[at]] != IFL_NO_BLOCK; at = s->ancestor[at])
        s->stack[depth++] = at;
    while (depth) {
        const uint32_t at = s->stack[--depth], above = s->ancestor[at];
        if (s->semi[s->label[above]] < s->semi[s->label[at]])
            s->label[at] = s->label[above];
        s->ancestor[at] = s->ancestor[above];
    }
    return s->label[v];
}

static void find_semidominator(search *s, uint32_t w)
{
    const uint32_t block = s->found.block[w];
    uint32_t count;
    const uint32_t *behind = neighbours(s, block, false, &count);
    if (s->root[block])
        s->semi[w] = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t from = s->found.number[behind[i]];
        const uint32_t semi = from == IFL_NO_BLOCK ? w : s->semi[evaluate(s, from)];
        if (semi < s->semi[w])
            s->semi[w] = semi;
    }
}

static void empty_bucket(search *s, uint32_t of)
{
    for (uint32_t v = s->bucket[of]; v != IFL_NO_BLOCK; v = s->next[v]) {
        const uint32_t u = evaluate(s, v);
        s->found.dominator[v] = s->semi[u] < s->semi[v] ? u : of;
    }
    s->bucket[of] = IFL_NO_BLOCK;
}

static void find_dominators(search *s)
{
    uint32_t *dominator = s->found.dominator;
    for (uint32_t w = s->found.count; w-- > 1;) {
        find_semidominator(s, w);
        s->next[w] = s->bucket[s->semi[w]];
        s->bucket[s->semi[w]] = w;
        s->ancestor[w] = s->parent[w];
        empty_bucket(s, s->parent[w]);
    }
    for (uint32_t w = 1; w < s->found.count; w++)
        if (dominator[w] != s->semi[w])
            dominator[w] = dominator[dominator[w]];
}

ifl_status ifl_flow_dominators(const ifl_flow *flow, const ifl_flow_before *before,
                               const bool *reached, bool is_backward, ifl_arena *arena,
                               ifl_dominators *out, ifl_error *error)
{
    search s = {.flow = flow, .before = before, .is_backward = is_backward};
    if (!allocate(&s, arena))
        return ifl_fail_memory(error, flow->block_count * sizeof s);
    search_all(&s, reached);
    find_dominators(&s);
    *out = s.found;
    return IFL_OK;
}

/* ---- where lanes meet again ------------------------------------------------------------------ */

ifl_status ifl_flow_find_joins(ifl_flow *flow, ifl_error *error)
{
    ifl_arena arena = {0};
    ifl_flow_before before;
    ifl_dominators d;
    ifl_status status = ifl_flow_find_before(flow, &arena, &before, error);
    if (status == IFL_OK)
        status = ifl_flow_dominators(flow, &before, NULL, true, &arena, &d, error);
    for (uint32_t b = 0; status == IFL_OK && b < flow->block_count; b++) {
        const uint32_t number = d.number[b];
        const uint32_t join = number == IFL_NO_BLOCK ? 0 : d.dominator[number];
        flow->blocks[b].join = join ? d.block[join] : IFL_NO_BLOCK;
    }
    ifl_arena_free(&arena);
    return status;
}
