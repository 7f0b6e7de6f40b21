/* SPDX-License-Identifier: Apache-2.0
 * See varying.h. What an instruction writes is the same in all lanes if what it reads is, unless it
 * asks for the lane, the warp or the clock, or exchanges values between lanes. Found from the first
 * instructions on until nothing changes. */
#include "ptx/varying.h"

#include "code/value.h"
#include "ptx/row.h"

#include <string.h>

/* From here on ptxas knows that what a warp votes, sums or takes from one lane is one value,
 * and so is its
 * number. */
enum { COLLECTIVE_SM = 90 };

typedef struct search {
    const ifl_ptx_part *part;
    const ifl_flow *flow;
    bool *varies;        /* by register */
    uint32_t *writes;    /* by register: instructions that write it */
    bool *is_split;      /* by block: some lanes of a warp may come here without the others */
    uint32_t *writer;    /* by register: the last of them */
    uint32_t index;      /* of the instruction at hand */
    bool *has_split;     /* by block: its lanes branch differently */
    uint32_t *seen_from; /* by block: one more than the last block that lanes came from */
    uint32_t *waiting;   /* blocks */
    size_t visits;
    bool reads_varying; /* the instruction at hand */
    bool is_in_split, changed;
} search;

static void count_write(void *user, uint32_t reg, bool is_written)
{
    search *s = user;
    s->writes[reg] += is_written;
    if (is_written)
        s->writer[reg] = s->index;
}

static void see_read(void *user, uint32_t reg, bool is_written)
{
    search *s = user;
    s->reads_varying |= !is_written && s->varies[reg];
}

static void see_write(void *user, uint32_t reg, bool is_written)
{
    search *s = user;
    const bool varies = s->reads_varying || (s->is_in_split && s->writes[reg] > 1);
    if (!is_written || !varies || s->varies[reg])
        return;
    s->varies[reg] = true;
    s->changed = true;
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* Each lane's result depends on that lane's sources alone. */
static bool is_plain(uint16_t opcode)
{
    static const bool is_one_of[IFL_OP_COUNT] = {
        [IFL_OP_MOV] = true,  [IFL_OP_CVTA] = true, [IFL_OP_LD] = true,  [IFL_OP_LDU] = true,
        [IFL_OP_SETP] = true, [IFL_OP_SELP] = true, [IFL_OP_SET] = true, [IFL_OP_LOP3] = true,
        [IFL_OP_AND] = true,  [IFL_OP_OR] = true,   [IFL_OP_XOR] = true, [IFL_OP_NOT] = true,
    };
    return is_one_of[opcode] || ifl_ptx_has_rows(opcode);
}

/* A thread's own memory, or the arguments of a function that is no kernel. */
static bool loads_own(const search *s, const ifl_instruction *instruction)
{
    const uint8_t space = instruction->modifiers.space;
    const bool is_load = instruction->opcode == IFL_OP_LD || instruction->opcode == IFL_OP_LDU;
    return is_load && (space == IFL_SPACE_LOCAL || space == IFL_SPACE_GENERIC ||
                       (space == IFL_SPACE_PARAM && !s->part->function->is_kernel));
}

static bool asks_for_lane(const ifl_program *program, const ifl_instruction *instruction)
{
    const ifl_special_when same = program->sm < COLLECTIVE_SM ? IFL_WHEN_BLOCK : IFL_WHEN_WARP;
    for (uint32_t k = 0; k < instruction->operand_count; k++) {
        const ifl_operand *operand = &program->operands[instruction->first_operand + k];
        if (operand->kind == IFL_OPERAND_SPECIAL &&
            ifl_special_changes((ifl_special)operand->index) > same)
            return true;
    }
    return false;
}

/* ---- what a warp finds together -------------------------------------------------------------- */

/* The number itself, or a register into which nvcc has moved it. */
static bool is_constant(const search *s, const ifl_operand *operand, int64_t value)
{
    if (operand->kind == IFL_OPERAND_REGISTER && s->writes[operand->index] == 1) {
        const ifl_instruction *writer = ifl_ptx_instruction(s->part, s->writer[operand->index]);
        const ifl_operand_slots slots = ifl_instruction_slots(s->part->program, writer);
        operand = writer->opcode == IFL_OP_MOV ? slots.at[1] : NULL;
    }
    return operand && operand->kind == IFL_OPERAND_IMMEDIATE && operand->value == value;
}

/* shfl.idx of the whole warp ("Dssss?", D being two). */
static bool takes_from_one_lane(const search *s, const ifl_instruction *instruction)
{
    enum { FROM = 3, CLAMP = 4, WHOLE_WARP = 0x1f };
    const ifl_operand_slots slots = ifl_instruction_slots(s->part->program, instruction);
    const ifl_operand *from = slots.at[FROM], *clamp = slots.at[CLAMP];
    return instruction->modifiers.mode == IFL_MODE_IDX && from && clamp &&
           !(from->kind == IFL_OPERAND_REGISTER && s->varies[from->index]) &&
           is_constant(s, clamp, WHOLE_WARP);
}

static bool is_collective(const search *s, const ifl_instruction *instruction)
{
    if (instruction->opcode == IFL_OP_ACTIVEMASK)
        return true;
    if (s->part->program->sm < COLLECTIVE_SM)
        return false;
    return instruction->opcode == IFL_OP_VOTE || instruction->opcode == IFL_OP_REDUX ||
           (instruction->opcode == IFL_OP_SHFL && takes_from_one_lane(s, instruction));
}

static void see_sources(search *s, const ifl_instruction *instruction)
{
    const ifl_program *program = s->part->program;
    s->reads_varying = false;
    if (is_collective(s, instruction))
        return;
    s->reads_varying = !is_plain(instruction->opcode) || loads_own(s, instruction) ||
                       asks_for_lane(program, instruction);
    ifl_instruction_registers(program, instruction, see_read, s);
}

/* ---- where a warp splits --------------------------------------------------------------------- */

/* Many branches that cross each other would take long: then all blocks count as split. */
static const size_t most_visits = (size_t)1 << 22;

static void come(search *s, uint32_t block, uint32_t from, uint32_t *count)
{
    const uint32_t join = s->flow->blocks[from].join;
    if (block == join || s->seen_from[block] == from + 1)
        return;
    s->seen_from[block] = from + 1;
    s->is_split[block] = true;
    s->waiting[(*count)++] = block;
    s->visits++;
}

static void come_after(search *s, uint32_t block, uint32_t from, uint32_t *count)
{
    const ifl_flow_block *at = &s->flow->blocks[block];
    for (uint32_t i = 0; i < at->successor_count; i++)
        come(s, at->successor[i], from, count);
}

/* A branch reads its guard, or the index of its target. */
static bool branches_differ(search *s, const ifl_flow_block *block)
{
    s->reads_varying = false;
    ifl_instruction_registers(s->part->program, ifl_ptx_instruction(s->part, block->last - 1),
                              see_read, s);
    return s->reads_varying && block->successor_count > 1;
}

static void pass(search *s, uint32_t b)
{
    const ifl_flow_block *block = &s->flow->blocks[b];
    s->is_in_split = s->is_split[b];
    for (uint32_t i = block->first; i < block->last; i++) {
        const ifl_instruction *instruction = ifl_ptx_instruction(s->part, i);
        see_sources(s, instruction);
        ifl_instruction_registers(s->part->program, instruction, see_write, s);
    }
    if (!s->has_split[b] && branches_differ(s, block)) {
        /* From a branch that lanes take differently to where they meet again. */
        uint32_t count = 0;
        come_after(s, b, b, &count);
        while (count && s->visits < most_visits)
            come_after(s, s->waiting[--count], b, &count);
        if (s->visits >= most_visits)
            memset(s->is_split, true, s->flow->block_count);
        s->has_split[b] = true;
        s->changed = true;
    }
}

/* Code whose blocks stand against the order in which they run needs many passes: beyond these all
 * registers count as varying. */
static void settle(search *s)
{
    enum { MOST_PASSES = 64 };
    for (int i = 0; i < MOST_PASSES && s->changed; i++) {
        s->changed = false;
        for (uint32_t b = 0; b < s->flow->block_count; b++)
            pass(s, b);
    }
    if (s->changed)
        memset(s->varies, true, s->part->function->register_count);
}

ifl_status ifl_ptx_varying(const ifl_ptx_part *part, const ifl_flow *flow, ifl_arena *arena,
                           bool **out, ifl_error *error)
{
    const size_t registers = (size_t)part->function->register_count + 1,
                 blocks = (size_t)flow->block_count + 1;
    search s = {.part = part,
                .flow = flow,
                .varies = ifl_arena_alloc(arena, registers),
                .writes = ifl_arena_alloc(arena, registers * sizeof *s.writes),
                .writer = ifl_arena_alloc(arena, registers * sizeof *s.writer),
                .is_split = ifl_arena_alloc(arena, blocks),
                .has_split = ifl_arena_alloc(arena, blocks),
                .seen_from = ifl_arena_alloc(arena, blocks * sizeof *s.seen_from),
                .waiting = ifl_arena_alloc(arena, blocks * sizeof *s.waiting),
                .changed = true};
    *out = s.varies;
    if (!s.varies || !s.writes || !s.writer || !s.is_split || !s.has_split || !s.seen_from ||
        !s.waiting)
        return ifl_fail_memory(error, registers + blocks);
    for (; s.index < part->function->count; s.index++)
        ifl_instruction_registers(part->program, ifl_ptx_instruction(part, s.index), count_write,
                                  &s);
    settle(&s);
    return IFL_OK;
}
