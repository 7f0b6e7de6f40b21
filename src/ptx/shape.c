/* SPDX-License-Identifier: Apache-2.0
 * See shape.h. */
#include "ptx/shape.h"

static bool is_guarded(const ifl_instruction *instruction)
{
    return instruction->guard != IFL_NO_GUARD;
}

static bool ends_function(uint16_t opcode)
{
    return opcode == IFL_OP_RET || opcode == IFL_OP_EXIT || opcode == IFL_OP_TRAP ||
           opcode == IFL_OP_BRKPT;
}

static bool is_branch(uint16_t opcode)
{
    return opcode == IFL_OP_BRA || opcode == IFL_OP_BRX_IDX;
}

/* Labels among an instruction's operands. One past the last instruction leaves the function. */
static bool find_targets(const ifl_ptx_part *part, const ifl_instruction *instruction,
                         ifl_arena *arena, ifl_flow_step *step)
{
    const ifl_operand *operand = part->program->operands + instruction->first_operand;
    uint32_t *targets =
        ifl_arena_alloc(arena, ((size_t)instruction->operand_count + 1) * sizeof *targets);
    if (!targets)
        return false;
    for (uint32_t i = 0; i < instruction->operand_count; i++) {
        const int64_t at = operand[i].value - (int64_t)part->function->first;
        if (operand[i].kind != IFL_OPERAND_LABEL)
            continue;
        if (at >= 0 && at < part->function->count)
            targets[step->target_count++] = (uint32_t)at;
        else
            step->leaves = true;
    }
    step->targets = targets;
    return true;
}

static bool describe(const ifl_ptx_part *part, uint32_t index, ifl_arena *arena,
                     ifl_flow_step *step)
{
    const ifl_instruction *instruction = ifl_ptx_instruction(part, index);
    const uint16_t opcode = instruction->opcode;
    step->ends = ends_function(opcode) || is_branch(opcode) || opcode == IFL_OP_CALL;
    step->leaves = ends_function(opcode);
    step->falls = is_guarded(instruction) || !(ends_function(opcode) || is_branch(opcode));
    return !is_branch(opcode) || find_targets(part, instruction, arena, step);
}

ifl_status ifl_ptx_flow(const ifl_ptx_part *part, ifl_arena *arena, ifl_flow *out, ifl_error *error)
{
    const uint32_t count = part->function->count;
    ifl_flow_step *steps = ifl_arena_alloc(arena, ((size_t)count + 1) * sizeof *steps);
    for (uint32_t i = 0; steps && i < count; i++)
        if (!describe(part, i, arena, &steps[i]))
            steps = NULL;
    return steps ? ifl_flow_build(steps, count, arena, out, error)
                 : ifl_fail_memory(error, count * sizeof *steps);
}

static void visit(const void *user, uint32_t index, ifl_flow_see *see, void *to)
{
    const ifl_ptx_part *part = user;
    ifl_instruction_registers(part->program, ifl_ptx_instruction(part, index), see, to);
}

static bool is_guarded_at(const void *user, uint32_t index)
{
    return is_guarded(ifl_ptx_instruction(user, index));
}

ifl_flow_touches ifl_ptx_touches(const ifl_ptx_part *part)
{
    return (ifl_flow_touches){.visit = visit,
                              .is_guarded = is_guarded_at,
                              .user = part,
                              .registers = part->function->register_count};
}

ifl_status ifl_ptx_undefined(const ifl_ptx_part *part, const ifl_flow *flow, ifl_arena *arena,
                             bool **out, ifl_error *error)
{
    const uint32_t count = part->function->register_count;
    const ifl_flow_touches touches = ifl_ptx_touches(part);
    uint64_t *live;
    size_t words;
    *out = ifl_arena_alloc(arena, (size_t)count + 1);
    if (!*out)
        return ifl_fail_memory(error, count);
    const ifl_status status = ifl_flow_live(flow, &touches, arena, &live, &words, error);
    for (uint32_t r = 0; status == IFL_OK && flow->block_count && r < count; r++)
        (*out)[r] = live[r / 64] >> (r % 64) & 1;
    return status;
}
