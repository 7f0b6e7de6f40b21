/* SPDX-License-Identifier: Apache-2.0
 * Groups an instruction's operands by its signature, and says which registers it reads and
 * writes. */
#include "ptx/operands.h"

#include <string.h>

static const ifl_operand *next_slot(const ifl_operand *at, const ifl_operand *end)
{
    uint32_t members = at->kind == IFL_OPERAND_VECTOR ? at->index : 0;
    return (size_t)(end - at) > members ? at + 1 + members : end;
}

ifl_operand_slots ifl_instruction_slots(const ifl_program *program,
                                        const ifl_instruction *instruction)
{
    ifl_operand_slots slots = {.count = 0};
    const ifl_operand *at = program->operands + instruction->first_operand;
    const ifl_operand *end = at + instruction->operand_count;
    for (const char *s = ifl_opcode_get(instruction->opcode)->signature; *s; s++) {
        for (int copy = *s == 'D' ? 2 : 1; copy && *s != '?' && slots.count < IFL_MAX_SLOTS;
             copy--) {
            slots.letter[slots.count] = *s == 'D' && copy == 1 ? 'q' : *s;
            slots.at[slots.count++] = at < end ? at : NULL;
            if (at < end)
                at = next_slot(at, end);
        }
    }
    return slots;
}

static void see_operand(const ifl_operand *operand, bool is_written,
                        void (*see)(void *user, uint32_t reg, bool is_written), void *user)
{
    if (operand->kind == IFL_OPERAND_REGISTER)
        see(user, operand->index, is_written);
    if (operand->kind == IFL_OPERAND_MEMORY && operand->base == IFL_OPERAND_REGISTER)
        see(user, operand->index, false);
}

void ifl_instruction_registers(const ifl_program *program, const ifl_instruction *instruction,
                               void (*see)(void *user, uint32_t reg, bool is_written), void *user)
{
    if (instruction->guard != IFL_NO_GUARD)
        see(user, (uint32_t)instruction->guard, false);
    ifl_operand_slots slots = ifl_instruction_slots(program, instruction);
    /* A call's first list are its results. */
    bool is_call = instruction->opcode == IFL_OP_CALL;
    for (unsigned s = 0; s < slots.count; s++) {
        if (!slots.at[s])
            continue;
        uint32_t count;
        const ifl_operand *member = ifl_slot_members(slots.at[s], &count);
        bool is_written = strchr("dDvq", slots.letter[s]) || (is_call && s == 0);
        for (uint32_t i = 0; i < count; i++)
            see_operand(&member[i], is_written, see, user);
    }
}
