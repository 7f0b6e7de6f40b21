/* SPDX-License-Identifier: Apache-2.0
 * The basic blocks of a kernel's machine code and the ways between them. Knows opcodes that
 * transfer control; nothing of what the others do. */
#include "sass/sass_flow.h"

#include <stdlib.h>

enum { INSTRUCTION_BYTES = 16, ALWAYS = 7 };

typedef enum flow {
    FLOW_NEXT,
    FLOW_BRANCH,   /* to its target, else on */
    FLOW_INDIRECT, /* to a place that its registers tell */
    FLOW_END,      /* of the thread, or back to a caller */
    FLOW_CALL,     /* to its target, and on after the return */
    FLOW_MEETING,  /* on where the BSSY of its barrier register says */
    FLOW_EITHER    /* to its target and on */
} flow;

static const uint8_t flows[IFL_SASS_OPS] = {
    [IFL_SASS_OP_BRA] = FLOW_BRANCH,    [IFL_SASS_OP_BRX] = FLOW_INDIRECT,
    [IFL_SASS_OP_BRXU] = FLOW_INDIRECT, [IFL_SASS_OP_EXIT] = FLOW_END,
    [IFL_SASS_OP_RET] = FLOW_END,       [IFL_SASS_OP_CALL] = FLOW_CALL,
    [IFL_SASS_OP_BSYNC] = FLOW_MEETING, [IFL_SASS_OP_WARPSYNC] = FLOW_EITHER,
};

bool ifl_sass_is_guarded(const ifl_sass_instruction *instruction)
{
    return instruction->guard != ALWAYS || instruction->guard_negated;
}

static flow flow_of(const ifl_sass_instruction *instruction)
{
    return instruction->op < IFL_SASS_OPS ? (flow)flows[instruction->op] : FLOW_NEXT;
}

static const ifl_sass_operand *operand_of(const ifl_sass_instruction *instruction,
                                          ifl_sass_operand_kind kind)
{
    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (instruction->operand[i].kind == kind)
            return &instruction->operand[i];
    return NULL;
}

/* A predicate among its sources, or a test of its own: BRA.DIV goes where lanes have parted. */
static bool may_go_on(const ifl_sass_instruction *instruction)
{
    const ifl_sass_word condition = ifl_sass_value(instruction, IFL_SASS_VALUE_CONDITION);
    if (ifl_sass_is_guarded(instruction) || condition == IFL_SASS_WORD_DIV ||
        condition == IFL_SASS_WORD_CONV)
        return true;
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const ifl_sass_operand *operand = &instruction->operand[i];
        if ((operand->kind == IFL_SASS_PREDICATE || operand->kind == IFL_SASS_UNIFORM_PREDICATE) &&
            operand->index != ALWAYS)
            return true;
    }
    return false;
}

/* The index of the instruction at a byte offset; instruction_count where it is not in this code. */
static size_t index_at(const ifl_sass_kernel *kernel, int64_t offset)
{
    if (offset < 0 || offset % INSTRUCTION_BYTES)
        return kernel->instruction_count;
    const uint64_t index = (uint64_t)offset / INSTRUCTION_BYTES;
    return index < kernel->instruction_count ? (size_t)index : kernel->instruction_count;
}

/* By barrier register, the place that the last BSSY gave: there its BSYNC lets the lanes go on
 * together. */
typedef struct meetings {
    size_t at[UINT8_MAX + 1];
} meetings;

static void note_meeting(const ifl_sass_kernel *kernel, size_t i, meetings *m)
{
    const ifl_sass_instruction *instruction = &kernel->instructions[i];
    if (instruction->op != IFL_SASS_OP_BSSY)
        return;
    const ifl_sass_operand *barrier = operand_of(instruction, IFL_SASS_BARRIER_REGISTER);
    const ifl_sass_operand *target = operand_of(instruction, IFL_SASS_TARGET);
    if (barrier && target)
        m->at[barrier->index] = index_at(kernel, target->value);
}

static size_t meeting_of(const ifl_sass_kernel *kernel, size_t sync, const meetings *m)
{
    const ifl_sass_operand *barrier =
        operand_of(&kernel->instructions[sync], IFL_SASS_BARRIER_REGISTER);
    const size_t at = barrier ? m->at[barrier->index] : 0;
    return at ? at : sync + 1;
}

/* Where control can go after instruction `i`, as instructions; instruction_count: nowhere here. */
typedef struct ways {
    size_t next, target;
    bool ends_block;
} ways;

static ways ways_after(const ifl_sass_kernel *kernel, size_t i, const meetings *m)
{
    const ifl_sass_instruction *instruction = &kernel->instructions[i];
    const ifl_sass_operand *target = operand_of(instruction, IFL_SASS_TARGET);
    const size_t none = kernel->instruction_count;
    const size_t to = target ? index_at(kernel, target->value) : none;
    const size_t next = may_go_on(instruction) ? i + 1 : none;
    switch (flow_of(instruction)) {
    case FLOW_BRANCH:
        return (ways){next, to, true};
    case FLOW_INDIRECT:
    case FLOW_END:
        return (ways){next, none, true};
    case FLOW_CALL:
    case FLOW_EITHER:
        return (ways){i + 1, to, to != none};
    case FLOW_MEETING:
        return (ways){next, meeting_of(kernel, i, m), true};
    default:
        return (ways){i + 1, none, false};
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void mark_leaders(const ifl_sass_kernel *kernel, bool *leader)
{
    meetings m = {0};
    leader[0] = true;
    for (size_t i = 0; i < kernel->instruction_count; i++) {
        note_meeting(kernel, i, &m);
        const ways w = ways_after(kernel, i, &m);
        leader[w.target] = true; /* [instruction_count] takes what goes nowhere */
        if (w.ends_block)
            leader[i + 1] = true;
    }
}

size_t ifl_sass_block_of(const ifl_sass_kernel *kernel, size_t instruction)
{
    size_t low = 0, high = kernel->block_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (kernel->blocks[middle].first <= instruction)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint32_t block_at(const ifl_sass_kernel *kernel, size_t instruction)
{
    return instruction < kernel->instruction_count
               ? (uint32_t)ifl_sass_block_of(kernel, instruction)
               : IFL_SASS_NO_BLOCK;
}

static void cut_blocks(ifl_sass_kernel *kernel, const bool *leader)
{
    size_t block = 0;
    for (size_t i = 0; i < kernel->instruction_count; i++) {
        if (leader[i])
            kernel->blocks[block++] = (ifl_sass_block){.first = (uint32_t)i, .loop = -1};
        kernel->blocks[block - 1].last = (uint32_t)i + 1;
    }
}

static void join_blocks(ifl_sass_kernel *kernel)
{
    meetings m = {0};
    for (size_t b = 0; b < kernel->block_count; b++) {
        ifl_sass_block *block = &kernel->blocks[b];
        for (size_t i = block->first; i < block->last; i++)
            note_meeting(kernel, i, &m);
        const ways w = ways_after(kernel, block->last - 1, &m);
        block->successor[0] = block_at(kernel, w.next);
        block->successor[1] = block_at(kernel, w.target);
        if (block->successor[1] == block->successor[0])
            block->successor[1] = IFL_SASS_NO_BLOCK;
    }
}

/* ---- what the entry reaches ------------------------------------------------------------------ */

static void reach(ifl_sass_kernel *kernel, uint32_t from, uint32_t *stack)
{
    size_t depth = 0;
    if (kernel->reached[from])
        return;
    kernel->reached[from] = true;
    stack[depth++] = from;
    while (depth) {
        const ifl_sass_block *block = &kernel->blocks[stack[--depth]];
        for (int s = 0; s < 2; s++) {
            const uint32_t to = block->successor[s];
            if (to == IFL_SASS_NO_BLOCK || kernel->reached[to])
                continue;
            kernel->reached[to] = true;
            stack[depth++] = to;
        }
    }
}

static bool branches_indirectly(const ifl_sass_kernel *kernel)
{
    for (size_t i = 0; i < kernel->instruction_count; i++)
        if (flow_of(&kernel->instructions[i]) == FLOW_INDIRECT)
            return true;
    return false;
}

/* ptxas ends a kernel with a branch to itself: nothing goes there. */
static bool is_trap(const ifl_sass_kernel *kernel, uint32_t block)
{
    return kernel->blocks[block].successor[0] == block ||
           kernel->blocks[block].successor[1] == block;
}

/* Where an indirect branch leads is not in the code; what nothing else reaches must be its targets.
 */
static void reach_all(ifl_sass_kernel *kernel, uint32_t *stack)
{
    reach(kernel, 0, stack);
    if (!branches_indirectly(kernel))
        return;
    for (uint32_t b = 0; b < kernel->block_count; b++)
        if (!is_trap(kernel, b))
            reach(kernel, b, stack);
}

static ifl_status build(ifl_sass_kernel *kernel, const bool *leader, ifl_arena *arena,
                        ifl_error *error)
{
    for (size_t i = 0; i < kernel->instruction_count; i++)
        kernel->block_count += leader[i];
    kernel->blocks = ifl_arena_alloc(arena, kernel->block_count * sizeof *kernel->blocks);
    kernel->reached = ifl_arena_alloc(arena, kernel->block_count * sizeof *kernel->reached);
    uint32_t *stack = malloc(kernel->block_count * sizeof *stack);
    const bool whole = kernel->blocks && kernel->reached && stack;
    if (whole) {
        cut_blocks(kernel, leader);
        join_blocks(kernel);
        reach_all(kernel, stack);
    }
    free(stack);
    return whole ? IFL_OK : ifl_fail_memory(error, kernel->block_count * sizeof *kernel->blocks);
}

ifl_status ifl_sass_find_blocks(ifl_sass_kernel *kernel, ifl_arena *arena, ifl_error *error)
{
    if (!kernel->instruction_count)
        return IFL_OK;
    bool *leader = calloc(kernel->instruction_count + 1, sizeof *leader);
    if (!leader)
        return ifl_fail_memory(error, kernel->instruction_count + 1);
    mark_leaders(kernel, leader);
    const ifl_status status = build(kernel, leader, arena, error);
    free(leader);
    return status;
}
