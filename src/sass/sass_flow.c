/* SPDX-License-Identifier: Apache-2.0
 * Where the instructions of machine code lead (code/flow.h makes blocks and loops of it), and which
 * blocks the entry reaches. Knows opcodes that transfer control; nothing of what the others do. */
#include "sass/sass_flow.h"

#include <stdlib.h>

enum { INSTRUCTION_BYTES = 16, ALWAYS = 7 };

ifl_sass_way ifl_sass_way_of(uint16_t op)
{
    static const uint8_t ways[IFL_SASS_OPS] = {
        [IFL_SASS_OP_BRA] = IFL_SASS_BRANCHES,     [IFL_SASS_OP_BRX] = IFL_SASS_JUMPS,
        [IFL_SASS_OP_BRXU] = IFL_SASS_JUMPS,       [IFL_SASS_OP_EXIT] = IFL_SASS_EXITS,
        [IFL_SASS_OP_RET] = IFL_SASS_RETURNS,      [IFL_SASS_OP_CALL] = IFL_SASS_CALLS,
        [IFL_SASS_OP_BSSY] = IFL_SASS_NAMES,       [IFL_SASS_OP_BSYNC] = IFL_SASS_MEETS,
        [IFL_SASS_OP_WARPSYNC] = IFL_SASS_POINTS,  [IFL_SASS_OP_ENDCOLLECTIVE] = IFL_SASS_REJOINS,
        [IFL_SASS_OP_BREAK] = IFL_SASS_PAUSES,     [IFL_SASS_OP_BPT] = IFL_SASS_PAUSES,
        [IFL_SASS_OP_NANOSLEEP] = IFL_SASS_PAUSES, [IFL_SASS_OP_YIELD] = IFL_SASS_PAUSES,
    };
    return op < IFL_SASS_OPS ? (ifl_sass_way)ways[op] : IFL_SASS_GOES_ON;
}

bool ifl_sass_is_guarded(const ifl_sass_instruction *instruction)
{
    return instruction->guard != ALWAYS || instruction->guard_negated;
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

/* `target` has room for what the step names. */
static ifl_flow_step step_of(const ifl_sass_kernel *kernel, size_t i, const meetings *m,
                             uint32_t *target)
{
    const ifl_sass_instruction *instruction = &kernel->instructions[i];
    const ifl_sass_operand *operand = operand_of(instruction, IFL_SASS_TARGET);
    const size_t none = kernel->instruction_count;
    const bool may = may_go_on(instruction);
    size_t to = operand ? index_at(kernel, operand->value) : none;
    ifl_flow_step step = {.falls = true};
    switch (ifl_sass_way_of(instruction->op)) {
    case IFL_SASS_BRANCHES:
        step = (ifl_flow_step){.falls = may, .ends = true};
        break;
    case IFL_SASS_JUMPS:
    case IFL_SASS_EXITS:
    case IFL_SASS_RETURNS:
        step = (ifl_flow_step){.falls = may, .ends = true, .leaves = true};
        to = none;
        break;
    case IFL_SASS_CALLS:
    case IFL_SASS_POINTS:
        step.ends = to != none;
        break;
    case IFL_SASS_MEETS:
        step = (ifl_flow_step){.falls = may, .ends = true};
        to = meeting_of(kernel, i, m);
        break;
    default:
        to = none;
    }
    *target = (uint32_t)to;
    step.targets = target;
    step.target_count = to < none && !(step.falls && to == i + 1); /* each block once */
    return step;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

ifl_status ifl_sass_find_blocks(ifl_sass_kernel *kernel, ifl_arena *arena, ifl_error *error)
{
    const size_t count = kernel->instruction_count;
    meetings m = {0};
    ifl_flow_step *steps = calloc(count + 1, sizeof *steps);
    uint32_t *targets = calloc(count + 1, sizeof *targets);
    const bool whole = steps && targets;
    for (size_t i = 0; whole && i < count; i++) {
        note_meeting(kernel, i, &m);
        steps[i] = step_of(kernel, i, &m, &targets[i]);
    }
    const ifl_status status =
        whole ? ifl_flow_build(steps, (uint32_t)count, arena, &kernel->flow, error)
              : ifl_fail_memory(error, count * sizeof *steps);
    free(steps);
    free(targets);
    return status;
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
        const ifl_flow_block *block = &kernel->flow.blocks[stack[--depth]];
        for (uint32_t s = 0; s < block->successor_count; s++) {
            const uint32_t to = block->successor[s];
            if (kernel->reached[to])
                continue;
            kernel->reached[to] = true;
            stack[depth++] = to;
        }
    }
}

static bool branches_indirectly(const ifl_sass_kernel *kernel)
{
    for (size_t i = 0; i < kernel->instruction_count; i++)
        if (ifl_sass_way_of(kernel->instructions[i].op) == IFL_SASS_JUMPS)
            return true;
    return false;
}

/* ptxas ends a kernel with a branch to itself: nothing goes there. */
static bool is_trap(const ifl_flow_block *block, uint32_t b)
{
    for (uint32_t s = 0; s < block->successor_count; s++)
        if (block->successor[s] == b)
            return true;
    return false;
}

/* Where an indirect branch leads is not in the code; what nothing else reaches must be its targets.
 */
ifl_status ifl_sass_find_reached(ifl_sass_kernel *kernel, ifl_arena *arena, ifl_error *error)
{
    const size_t count = kernel->flow.block_count;
    if (!count)
        return IFL_OK;
    kernel->reached = ifl_arena_alloc(arena, count * sizeof *kernel->reached);
    uint32_t *stack = calloc(count, sizeof *stack);
    const bool whole = kernel->reached && stack;
    const bool all = whole && branches_indirectly(kernel);
    if (whole)
        reach(kernel, 0, stack);
    for (uint32_t b = 0; all && b < count; b++)
        if (!is_trap(&kernel->flow.blocks[b], b))
            reach(kernel, b, stack);
    free(stack);
    return whole ? IFL_OK : ifl_fail_memory(error, count * sizeof *stack);
}

/* ---- loops ----------------------------------------------------------------------------------- */

ifl_status ifl_sass_find_loops(ifl_sass_kernel *kernel, ifl_arena *arena, ifl_error *error)
{
    ifl_flow_loop *loops;
    uint32_t count;
    const ifl_status status =
        ifl_flow_find_loops(&kernel->flow, kernel->reached, arena, &loops, &count, error);
    if (status != IFL_OK)
        return status;
    kernel->loops = ifl_arena_alloc(arena, count * sizeof *kernel->loops);
    if (!kernel->loops)
        return ifl_fail_memory(error, count * sizeof *kernel->loops);
    kernel->loop_count = count;
    for (uint32_t l = 0; l < count; l++)
        kernel->loops[l].at = loops[l];
    return IFL_OK;
}
