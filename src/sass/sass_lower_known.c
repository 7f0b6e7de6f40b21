/* SPDX-License-Identifier: Apache-2.0
 * Moves that need no code. A register that holds a word of a constant bank, an immediate or a
 * special register wherever an instruction reads it is read from the slot of that value itself, and
 * a move whose register nobody reads any more is left out. It is counted all the same, since blocks
 * are counted whole.
 *
 * What a register holds is followed through the flow graph: where paths meet, only what all of them
 * agree on. Where a kernel jumps to addresses that are not known here, each block starts afresh. */
#include "sass/sass_lowerer.h"

#include <string.h>

/* What an instruction moves: `words` registers from `reg` on get what lies at slot `from`. */
typedef struct move {
    uint32_t from;
    uint16_t reg;
    uint8_t words; /* 0: it is no move */
} move;

enum { MOST_WORDS = 4 };

typedef struct known {
    ifl_sass_lowerer *l;
    move *moves;     /* by instruction */
    bool *names_all; /* by instruction */
    /* Only of registers that a move writes is a value ever known: they are numbered from 1. All
     * others share number 0, whose value is never known. */
    uint16_t *number; /* by register */
    uint32_t count;   /* of numbers, 0 among them */
    /* By number: the slot of the value that the register holds in every lane that runs here; 0: not
     * known. */
    uint32_t *now;
    uint32_t *before; /* the same where each block begins */
    bool *is_reached; /* by block */
} known;

/* ---- kinds of instructions ------------------------------------------------------------------- */

/* Operands are read through ifl_sass_lower_source and ifl_sass_lower_address alone. */
static bool takes_known(const ifl_sass_instruction *instruction)
{
    ifl_sass_lower_function *const function = ifl_sass_lower_table[instruction->op];
    return function == ifl_sass_lower_lane || function == ifl_sass_lower_load ||
           function == ifl_sass_lower_store;
}

static bool may_move(const ifl_sass_instruction *instruction)
{
    static const bool moves[IFL_SASS_OPS] = {
        [IFL_SASS_OP_LDC] = true,  [IFL_SASS_OP_ULDC] = true,  [IFL_SASS_OP_LDCU] = true,
        [IFL_SASS_OP_S2R] = true,  [IFL_SASS_OP_S2UR] = true,  [IFL_SASS_OP_CS2R] = true,
        [IFL_SASS_OP_MOV] = true,  [IFL_SASS_OP_UMOV] = true,  [IFL_SASS_OP_CS2UR] = true,
        [IFL_SASS_OP_IMAD] = true, [IFL_SASS_OP_HFMA2] = true, [IFL_SASS_OP_UIMAD] = true,
    };
    return moves[instruction->op];
}

bool ifl_sass_names_all(const ifl_sass_instruction *instruction)
{
    static ifl_sass_lower_function *const functions[] = {ifl_sass_lower_constant_load,
                                                         ifl_sass_lower_special,
                                                         ifl_sass_lower_branch,
                                                         ifl_sass_lower_exit,
                                                         ifl_sass_lower_arm,
                                                         ifl_sass_lower_meet,
                                                         ifl_sass_lower_break,
                                                         ifl_sass_lower_nothing,
                                                         ifl_sass_lower_membar,
                                                         ifl_sass_lower_yield,
                                                         ifl_sass_lower_shuffle,
                                                         ifl_sass_lower_vote,
                                                         ifl_sass_lower_barrier,
                                                         ifl_sass_lower_to_uniform,
                                                         ifl_sass_lower_reduce,
                                                         ifl_sass_lower_predicate_logic,
                                                         ifl_sass_lower_predicates_to_register,
                                                         ifl_sass_lower_register_to_predicates};
    bool is_one = takes_known(instruction);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        is_one |= ifl_sass_lower_table[instruction->op] == functions[i];
    return is_one;
}

/* ---- moves ----------------------------------------------------------------------------------- */

/* The register of a slot; IFL_SASS_WORD_REGISTERS: it is none. */
static uint32_t register_at(const ifl_sass_lowerer *l, uint32_t slot)
{
    if (slot >= l->registers && slot < l->uniforms)
        return IFL_SASS_FROM_R0 + (slot - l->registers) / IFL_PLANE_BYTES;
    if (slot >= l->uniforms && slot < l->zeros)
        return IFL_SASS_FROM_UR0 + (slot - l->uniforms) / IFL_PLANE_BYTES;
    return IFL_SASS_WORD_REGISTERS;
}

/* Operation number `word` of a move. */
static bool continues(const ifl_code *code, const ifl_code *first, uint32_t word)
{
    return code->table == IFL_TABLE_COMMON && code->operation == IFL_CODE_move32 &&
           code->a == first->a + word * IFL_PLANE_BYTES &&
           code->d == first->d + word * IFL_PLANE_BYTES;
}

/* Lowered, it is seen to be one or not. */
static void find_move(ifl_sass_lowerer *l, uint32_t index, move *out)
{
    const size_t start = l->build.code.count;
    l->index = index;
    l->instruction = &l->instructions[index];
    l->refused = NULL;
    ifl_sass_lower_table[l->instruction->op](l);
    const size_t words = l->build.code.count - start;
    const ifl_code *first = words ? l->build.code.at + start : NULL; /* it may have made none */
    const ifl_sass_operand *d = ifl_sass_lower_operand(l, IFL_SASS_ROLE_DESTINATION);
    bool is_move =
        !l->refused && d && words && words <= (d->count ? d->count : 1u) && words <= MOST_WORDS;
    for (uint32_t w = 0; is_move && w < words; w++)
        is_move = continues(first + w, first, w);
    const uint32_t reg = is_move ? register_at(l, first->d) : (uint32_t)IFL_SASS_WORD_REGISTERS;
    /* All of them are of one file: what lies behind its last register has no number. */
    if (reg < IFL_SASS_WORD_REGISTERS && reg % IFL_SASS_FROM_UR0 + words <= IFL_SASS_NO_REGISTER)
        *out = (move){.from = first->a, .reg = (uint16_t)reg, .words = (uint8_t)words};
    l->build.code.count = start;
    l->refused = NULL;
}

static void find_moves(known *k)
{
    ifl_sass_lowerer *l = k->l;
    for (uint32_t i = 0; i < l->count && l->status == IFL_OK; i++) {
        move *m = &k->moves[i];
        k->names_all[i] = ifl_sass_names_all(&l->instructions[i]);
        if (may_move(&l->instructions[i]) && !ifl_sass_is_guarded(&l->instructions[i]))
            find_move(l, i, m);
        for (uint32_t w = 0; w < m->words; w++)
            if (!k->number[m->reg + w])
                k->number[m->reg + w] = (uint16_t)k->count++;
    }
}

/* ---- what registers hold --------------------------------------------------------------------- */

/* 0: not known. */
static uint32_t value_of(const known *k, uint32_t reg)
{
    return k->now[k->number[reg]];
}

static void forget(void *to, uint32_t reg, bool is_written)
{
    const known *k = to;
    if (is_written && reg < IFL_SASS_WORD_REGISTERS)
        k->now[k->number[reg]] = 0;
}

/* The slot that a register's value comes from; 0: not known. */
static uint32_t source_of(const known *k, uint32_t slot)
{
    const uint32_t reg = register_at(k->l, slot);
    return reg < IFL_SASS_WORD_REGISTERS ? value_of(k, reg) : slot;
}

static void step(known *k, uint32_t index)
{
    const move *m = &k->moves[index];
    uint32_t from[MOST_WORDS] = {0};
    for (uint32_t w = 0; w < m->words; w++)
        from[w] = source_of(k, m->from + w * IFL_PLANE_BYTES);
    if (!k->names_all[index]) {
        memset(k->now, 0, k->count * sizeof *k->now);
        return;
    }
    ifl_sass_touch(k->l, index, forget, k);
    for (uint32_t w = 0; w < m->words; w++)
        k->now[k->number[m->reg + w]] = from[w];
}

static uint32_t *values_before(const known *k, uint32_t block)
{
    return k->before + (size_t)block * k->count;
}

static void enter(const known *k, uint32_t block)
{
    memcpy(k->now, values_before(k, block), k->count * sizeof *k->now);
}

/* True: less is known there than before. */
static bool meet(const known *k, uint32_t block)
{
    uint32_t *at = values_before(k, block);
    bool changed = !k->is_reached[block];
    if (changed)
        memcpy(at, k->now, k->count * sizeof *at);
    for (uint32_t i = 0; i < k->count && k->is_reached[block]; i++)
        if (at[i] && at[i] != k->now[i]) {
            at[i] = 0;
            changed = true;
        }
    k->is_reached[block] = true;
    return changed;
}

static bool flow_through(known *k, uint32_t b)
{
    const ifl_flow_block *block = &k->l->flow.blocks[b];
    bool changed = false;
    enter(k, b);
    for (uint32_t i = block->first; i < block->last; i++)
        step(k, i);
    for (uint32_t s = 0; s < block->successor_count; s++)
        changed |= meet(k, block->successor[s]);
    return changed;
}

static void follow(known *k)
{
    k->is_reached[0] = true; /* where nothing is known */
    for (bool changed = ifl_sass_flow_is_known(k->l); changed;) {
        changed = false;
        for (uint32_t b = 0; b < k->l->flow.block_count; b++)
            changed |= k->is_reached[b] && flow_through(k, b);
    }
}

/* ---- operands -------------------------------------------------------------------------------- */

/* The slot of `words` words from `reg` on, side by side; 0: not known. */
static uint32_t slot_of(const known *k, unsigned first, unsigned reg, unsigned words)
{
    if (reg + words > IFL_SASS_NO_REGISTER)
        return 0;
    const uint32_t slot = value_of(k, first + reg);
    bool is_whole = slot != 0;
    for (unsigned w = 1; w < words; w++)
        is_whole &= value_of(k, first + reg + w) == slot + w * IFL_PLANE_BYTES;
    return is_whole ? slot : 0;
}

static ifl_sass_known look_up(const ifl_sass_operand *operand, bool is_far, const known *k)
{
    const unsigned words = operand->count ? operand->count : 1, address = is_far ? 2 : 1;
    if (operand->is_destination)
        return (ifl_sass_known){0, 0};
    switch (operand->kind) {
    case IFL_SASS_REGISTER:
        return (ifl_sass_known){slot_of(k, IFL_SASS_FROM_R0, operand->index, words), 0};
    case IFL_SASS_UNIFORM_REGISTER:
        return (ifl_sass_known){slot_of(k, IFL_SASS_FROM_UR0, operand->index, words), 0};
    case IFL_SASS_MEMORY:
        return (ifl_sass_known){slot_of(k, IFL_SASS_FROM_R0, operand->base, address),
                                slot_of(k, IFL_SASS_FROM_UR0, operand->uniform, address)};
    default:
        return (ifl_sass_known){0, 0};
    }
}

/* An address of shared or local memory is one word. */
static bool is_far(const ifl_sass_instruction *instruction)
{
    const unsigned op = instruction->op;
    return op != IFL_SASS_OP_LDS && op != IFL_SASS_OP_STS && op != IFL_SASS_OP_LDL &&
           op != IFL_SASS_OP_STL;
}

static void note_operands(known *k, ifl_sass_known *operands)
{
    const ifl_sass_lowerer *l = k->l;
    for (uint32_t b = 0; b < l->flow.block_count; b++) {
        enter(k, b);
        for (uint32_t i = l->flow.blocks[b].first; i < l->flow.blocks[b].last; i++) {
            const ifl_sass_instruction *instruction = &l->instructions[i];
            for (unsigned o = 0; takes_known(instruction) && o < instruction->operand_count; o++)
                operands[(size_t)i * IFL_SASS_OPERANDS + o] =
                    look_up(&instruction->operand[o], is_far(instruction), k);
            step(k, i);
        }
    }
}

/* ---- moves that nobody needs ----------------------------------------------------------------- */

static void touch(const void *user, uint32_t index, ifl_flow_see *see, void *to)
{
    ifl_sass_touch(((const known *)user)->l, index, see, to);
}

static bool has_guard(const void *user, uint32_t index)
{
    return ifl_sass_is_guarded(&((const known *)user)->l->instructions[index]);
}

static bool may_read_all(const void *user, uint32_t index)
{
    return !((const known *)user)->names_all[index];
}

static void want(void *to, uint32_t reg, bool is_written)
{
    if (!is_written)
        ((uint64_t *)to)[reg / 64] |= UINT64_C(1) << reg % 64;
}

static void want_no_more(void *to, uint32_t reg, bool is_written)
{
    if (is_written)
        ((uint64_t *)to)[reg / 64] &= ~(UINT64_C(1) << reg % 64);
}

static bool is_wanted(const uint64_t *live, const move *m)
{
    bool wanted = !m->words;
    for (uint32_t w = 0; w < m->words; w++)
        wanted |= live[(m->reg + w) / 64] >> (m->reg + w) % 64 & 1;
    return wanted;
}

static void go_back(const known *k, const ifl_flow_block *block, uint64_t *live)
{
    ifl_sass_lowerer *l = k->l;
    for (uint32_t i = block->last; i-- > block->first;) {
        l->is_needless[i] = !is_wanted(live, &k->moves[i]);
        if (l->is_needless[i])
            continue;
        if (!ifl_sass_is_guarded(&l->instructions[i]))
            ifl_sass_touch(l, i, want_no_more, live);
        ifl_sass_touch(l, i, want, live);
        if (!k->names_all[i])
            memset(live, 0xff, IFL_SASS_WORD_REGISTERS / 8);
    }
}

static void find_needless(const known *k)
{
    ifl_sass_lowerer *l = k->l;
    const ifl_flow_touches touches = {.visit = touch,
                                      .is_guarded = has_guard,
                                      .reads_all = may_read_all,
                                      .user = k,
                                      .registers = IFL_SASS_TOUCHED};
    uint64_t *live, now[IFL_SASS_TOUCHED / 64 + 1];
    size_t words;
    l->status = ifl_flow_live(&l->flow, &touches, &l->scratch, &live, &words, l->error);
    for (uint32_t b = 0; l->status == IFL_OK && b < l->flow.block_count; b++) {
        const ifl_flow_block *block = &l->flow.blocks[b];
        ifl_flow_live_behind(block, live, words, now);
        go_back(k, block, now);
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Once the moves are found. */
static bool find_values(known *k)
{
    ifl_sass_lowerer *l = k->l;
    const size_t values = (size_t)k->count * sizeof *k->now, blocks = (size_t)l->flow.block_count;
    k->now = ifl_arena_alloc(&l->scratch, values);
    k->before = ifl_arena_alloc(&l->scratch, (blocks + 1) * values);
    ifl_sass_known *operands =
        ifl_arena_alloc(&l->scratch, ((size_t)l->count + 1) * IFL_SASS_OPERANDS * sizeof *operands);
    if (!k->now || !k->before || !operands) {
        l->status = ifl_fail_memory(l->error, blocks * values);
        return false;
    }
    follow(k);
    note_operands(k, operands);
    l->known = operands;
    return true;
}

bool ifl_sass_lower_find_known(ifl_sass_lowerer *l)
{
    const size_t count = (size_t)l->count + 1, blocks = (size_t)l->flow.block_count + 1;
    known k = {.l = l,
               .moves = ifl_arena_alloc(&l->scratch, count * sizeof *k.moves),
               .names_all = ifl_arena_alloc(&l->scratch, count),
               .number = ifl_arena_alloc(&l->scratch, IFL_SASS_WORD_REGISTERS * sizeof *k.number),
               .count = 1,
               .is_reached = ifl_arena_alloc(&l->scratch, blocks)};
    l->is_needless = ifl_arena_alloc(&l->scratch, count);
    if (!k.moves || !k.names_all || !k.number || !k.is_reached || !l->is_needless) {
        l->status = ifl_fail_memory(l->error, count * sizeof *k.moves);
        return false;
    }
    find_moves(&k);
    if (find_values(&k))
        find_needless(&k);
    return l->status == IFL_OK;
}
