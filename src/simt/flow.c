/* SPDX-License-Identifier: Apache-2.0
 * The shape of a function: basic blocks, where diverged lanes meet again (immediate post-dominators), and which
 * registers may be read before they are written. Knows programs only. */
#include "simt/code.h"
#include "simt/operands.h"

#include <stdlib.h>
#include <string.h>

enum { NO_BLOCK = UINT32_MAX };

/* ---- blocks ---------------------------------------------------------------------------------------------------- */

static bool is_guarded(const ifl_instruction *instruction)
{
    return instruction->guard != IFL_NO_GUARD;
}

static bool ends_function(const ifl_instruction *instruction)
{
    return instruction->opcode == IFL_OP_RET || instruction->opcode == IFL_OP_EXIT ||
           instruction->opcode == IFL_OP_TRAP || instruction->opcode == IFL_OP_BRKPT;
}

static bool ends_block(const ifl_instruction *instruction)
{
    return ends_function(instruction) || instruction->opcode == IFL_OP_BRA ||
           instruction->opcode == IFL_OP_BRX_IDX || instruction->opcode == IFL_OP_CALL;
}

static void mark_targets(const ifl_program *program, const ifl_function *function, const ifl_instruction *instruction,
                         bool *leader)
{
    const ifl_operand *operand = program->operands + instruction->first_operand;
    for (uint32_t i = 0; i < instruction->operand_count; i++) {
        if (operand[i].kind != IFL_OPERAND_LABEL)
            continue;
        int64_t at = operand[i].value - function->first;
        if (at >= 0 && at < function->count)
            leader[at] = true;
    }
}

static void mark_leaders(const ifl_program *program, const ifl_function *function, bool *leader)
{
    leader[0] = true;
    for (uint32_t i = 0; i < function->count; i++) {
        const ifl_instruction *instruction = &program->instructions[function->first + i];
        mark_targets(program, function, instruction, leader);
        if (ends_block(instruction) && i + 1 < function->count)
            leader[i + 1] = true;
    }
}

static void add_successor(ifl_flow_block *block, uint32_t to)
{
    block->successor[block->successor[0] == NO_BLOCK ? 0 : 1] = to;
}

static bool add_switch(const ifl_program *program, const ifl_function *function, const ifl_flow *flow,
                       const ifl_instruction *instruction, ifl_flow_block *block, ifl_arena *arena)
{
    block->more = ifl_arena_alloc(arena, instruction->operand_count * sizeof *block->more);
    if (!block->more)
        return false;
    const ifl_operand *operand = program->operands + instruction->first_operand;
    for (uint32_t i = 0; i < instruction->operand_count; i++)
        if (operand[i].kind == IFL_OPERAND_LABEL)
            block->more[block->more_count++] = flow->block_of[operand[i].value - function->first];
    return true;
}

static bool connect(const ifl_program *program, const ifl_function *function, ifl_flow *flow, uint32_t index,
                    ifl_arena *arena)
{
    ifl_flow_block *block = &flow->blocks[index];
    const ifl_instruction *last = &program->instructions[block->last - 1];
    block->ends = ends_function(last) || block->last == function->first + function->count;
    if (last->opcode == IFL_OP_BRA) {
        ifl_slots slots = ifl_instruction_slots(program, last);
        add_successor(block, flow->block_of[slots.at[0]->value - function->first]);
        block->ends = false;
    }
    if (last->opcode == IFL_OP_BRX_IDX && !add_switch(program, function, flow, last, block, arena))
        return false;
    bool falls = is_guarded(last) || !(ends_function(last) || last->opcode == IFL_OP_BRA || last->opcode == IFL_OP_BRX_IDX);
    if (falls && index + 1 < flow->block_count)
        add_successor(block, index + 1);
    return true;
}

/* ---- immediate post-dominators: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", on the reversed
 * graph. Node block_count is the virtual end. ----------------------------------------------------------------- */

typedef struct reverse_graph {
    const ifl_flow *flow;
    uint32_t *first_predecessor; /* of node n: predecessors[first[n]..first[n+1]) */
    uint32_t *predecessors;
    uint32_t *order;  /* post-order number in the reversed graph; NO_BLOCK: not reached */
    uint32_t *node;   /* by post-order number */
    uint32_t *parent; /* immediate post-dominator */
    uint32_t reached;
    uint32_t *stack;
    uint32_t *cursor;
} reverse_graph;

static uint32_t successor_count(const ifl_flow_block *block)
{
    return 2 + block->more_count;
}

static uint32_t successor_at(const ifl_flow_block *block, uint32_t i)
{
    return i < 2 ? block->successor[i] : block->more[i - 2];
}

static void count_edges(const ifl_flow *flow, uint32_t *first)
{
    for (uint32_t b = 0; b < flow->block_count; b++) {
        const ifl_flow_block *block = &flow->blocks[b];
        for (uint32_t i = 0; i < successor_count(block); i++)
            if (successor_at(block, i) != NO_BLOCK)
                first[successor_at(block, i) + 1]++;
        if (block->ends)
            first[flow->block_count + 1]++;
    }
    for (uint32_t n = 0; n <= flow->block_count; n++)
        first[n + 1] += first[n];
}

static void fill_edges(reverse_graph *g, uint32_t *at)
{
    for (uint32_t b = 0; b < g->flow->block_count; b++) {
        const ifl_flow_block *block = &g->flow->blocks[b];
        for (uint32_t i = 0; i < successor_count(block); i++)
            if (successor_at(block, i) != NO_BLOCK)
                g->predecessors[at[successor_at(block, i)]++] = b;
        if (block->ends)
            g->predecessors[at[g->flow->block_count]++] = b;
    }
}

/* Depth-first from `root`, numbering nodes as they are left. */
static void number_from(reverse_graph *g, uint32_t root)
{
    uint32_t depth = 0;
    g->stack[depth++] = root;
    g->order[root] = NO_BLOCK - 1; /* seen */
    while (depth) {
        uint32_t n = g->stack[depth - 1];
        if (g->cursor[n] == g->first_predecessor[n + 1]) {
            g->order[n] = g->reached;
            g->node[g->reached++] = n;
            depth--;
            continue;
        }
        uint32_t to = g->predecessors[g->cursor[n]++];
        if (g->order[to] == NO_BLOCK) {
            g->order[to] = NO_BLOCK - 1;
            g->stack[depth++] = to;
        }
    }
}

static uint32_t meet(const reverse_graph *g, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (g->order[a] < g->order[b])
            a = g->parent[a];
        while (g->order[b] < g->order[a])
            b = g->parent[b];
    }
    return a;
}

static uint32_t parent_from_successors(const reverse_graph *g, uint32_t n)
{
    const ifl_flow_block *block = &g->flow->blocks[n];
    uint32_t end = g->flow->block_count, found = NO_BLOCK;
    for (uint32_t i = 0; i < successor_count(block) + 1; i++) {
        uint32_t s = i < successor_count(block) ? successor_at(block, i) : block->ends ? end : NO_BLOCK;
        if (s == NO_BLOCK || g->order[s] == NO_BLOCK || g->parent[s] == NO_BLOCK)
            continue;
        found = found == NO_BLOCK ? s : meet(g, s, found);
    }
    return found;
}

static void find_parents(reverse_graph *g)
{
    uint32_t end = g->flow->block_count;
    g->parent[end] = end;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = g->reached; i-- > 0;) {
            uint32_t n = g->node[i];
            if (n == end)
                continue;
            uint32_t parent = parent_from_successors(g, n);
            changed |= parent != g->parent[n];
            g->parent[n] = parent;
        }
    }
}

static bool allocate_graph(reverse_graph *g, ifl_arena *arena)
{
    size_t n = g->flow->block_count + 1;
    uint32_t **arrays[] = {&g->order, &g->node, &g->parent, &g->stack, &g->cursor};
    g->first_predecessor = ifl_arena_alloc(arena, (n + 1) * sizeof(uint32_t));
    if (!g->first_predecessor)
        return false;
    count_edges(g->flow, g->first_predecessor);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!(*arrays[i] = ifl_arena_alloc(arena, n * sizeof(uint32_t))))
            return false;
    g->predecessors = ifl_arena_alloc(arena, (g->first_predecessor[n] + 1) * sizeof(uint32_t));
    return g->predecessors != NULL;
}

static bool find_joins(ifl_flow *flow, ifl_arena *arena)
{
    reverse_graph g = {.flow = flow};
    if (!allocate_graph(&g, arena))
        return false;
    uint32_t n = flow->block_count + 1;
    memcpy(g.cursor, g.first_predecessor, n * sizeof(uint32_t));
    fill_edges(&g, g.cursor);
    memcpy(g.cursor, g.first_predecessor, n * sizeof(uint32_t));
    memset(g.order, 0xff, n * sizeof(uint32_t));
    memset(g.parent, 0xff, n * sizeof(uint32_t));
    number_from(&g, flow->block_count);
    find_parents(&g);
    for (uint32_t b = 0; b < flow->block_count; b++)
        flow->blocks[b].join = g.parent[b] == flow->block_count ? NO_BLOCK : g.parent[b];
    return true;
}

/* ---- building ------------------------------------------------------------------------------------------------------ */

static void number_blocks(const ifl_function *function, const bool *leader, ifl_flow *flow)
{
    for (uint32_t i = 0; i < function->count; i++) {
        if (leader[i]) {
            ifl_flow_block *block = &flow->blocks[flow->block_count++];
            block->first = function->first + i;
            block->successor[0] = block->successor[1] = block->join = NO_BLOCK;
        }
        flow->blocks[flow->block_count - 1].last = function->first + i + 1;
        flow->block_of[i] = flow->block_count - 1;
    }
}

ifl_status ifl_flow_build(const ifl_program *program, const ifl_function *function, ifl_arena *arena, ifl_flow *out,
                          ifl_error *error)
{
    bool *leader = ifl_arena_alloc(arena, function->count + 1);
    memset(out, 0, sizeof *out);
    if (leader)
        mark_leaders(program, function, leader);
    size_t blocks = 0;
    for (uint32_t i = 0; leader && i < function->count; i++)
        blocks += leader[i];
    out->blocks = ifl_arena_alloc(arena, (blocks + 1) * sizeof *out->blocks);
    out->block_of = ifl_arena_alloc(arena, (function->count + 1) * sizeof *out->block_of);
    if (!leader || !out->blocks || !out->block_of)
        return ifl_fail_memory(error, function->count);
    number_blocks(function, leader, out);
    for (uint32_t b = 0; b < out->block_count; b++)
        if (!connect(program, function, out, b, arena))
            return ifl_fail_memory(error, out->block_count);
    return find_joins(out, arena) ? IFL_OK : ifl_fail_memory(error, out->block_count);
}

/* ---- registers that may be read before they are written ------------------------------------------------------- */

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
    uint64_t bit = UINT64_C(1) << (reg % 64);
    size_t at = sets->block * sets->words + reg / 64;
    if (!is_written && !(sets->defined[at] & bit))
        sets->used[at] |= bit;
}

static void note_write(void *user, uint32_t reg, bool is_written)
{
    live_sets *sets = user;
    if (is_written && !sets->guarded)
        sets->defined[sets->block * sets->words + reg / 64] |= UINT64_C(1) << (reg % 64);
}

static void scan_block(const ifl_program *program, const ifl_flow_block *block, live_sets *sets)
{
    for (uint32_t i = block->first; i < block->last; i++) {
        const ifl_instruction *instruction = &program->instructions[i];
        sets->guarded = is_guarded(instruction);
        ifl_instruction_registers(program, instruction, note_read, sets);
        ifl_instruction_registers(program, instruction, note_write, sets);
    }
}

static bool flow_back(const ifl_flow *flow, live_sets *sets, uint32_t b)
{
    bool changed = false;
    const ifl_flow_block *block = &flow->blocks[b];
    uint64_t *used = sets->used + b * sets->words, *defined = sets->defined + b * sets->words;
    for (uint32_t i = 0; i < successor_count(block); i++) {
        uint32_t s = successor_at(block, i);
        for (size_t w = 0; s != NO_BLOCK && w < sets->words; w++) {
            uint64_t now = used[w] | (sets->used[s * sets->words + w] & ~defined[w]);
            changed |= now != used[w];
            used[w] = now;
        }
    }
    return changed;
}

ifl_status ifl_flow_live(const ifl_program *program, const ifl_function *function, const ifl_flow *flow,
                         ifl_arena *arena, uint64_t **out, size_t *words, ifl_error *error)
{
    live_sets sets = {.words = function->register_count / 64 + 1};
    size_t bytes = sets.words * flow->block_count * sizeof(uint64_t);
    *words = sets.words;
    *out = sets.used = ifl_arena_alloc(arena, bytes + 1);
    sets.defined = calloc(1, bytes + 1);
    bool has_memory = sets.used && sets.defined;
    if (has_memory) {
        for (sets.block = 0; sets.block < flow->block_count; sets.block++)
            scan_block(program, &flow->blocks[sets.block], &sets);
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t b = flow->block_count; b-- > 0;)
                changed |= flow_back(flow, &sets, b);
        }
    }
    free(sets.defined);
    return has_memory ? IFL_OK : ifl_fail_memory(error, bytes);
}

ifl_status ifl_flow_undefined(const ifl_program *program, const ifl_function *function, const ifl_flow *flow,
                              ifl_arena *arena, bool **out, ifl_error *error)
{
    uint64_t *live;
    size_t words;
    *out = ifl_arena_alloc(arena, function->register_count + 1);
    if (!*out)
        return ifl_fail_memory(error, function->register_count);
    ifl_status status = ifl_flow_live(program, function, flow, arena, &live, &words, error);
    for (uint32_t r = 0; status == IFL_OK && flow->block_count && r < function->register_count; r++)
        (*out)[r] = live[r / 64] >> (r % 64) & 1;
    return status;
}
