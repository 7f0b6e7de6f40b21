/* SPDX-License-Identifier: Apache-2.0
 * Moves that need no code. Compilers load each parameter, copy each special register and convert
 * each pointer into a register of its own, which is written nowhere else: such a register gets the
 * slot of the value itself. Half of a short kernel's instructions vanish this way; they are counted
 * all the same, since blocks are counted whole.
 *
 * It is right when the one write is the only value that any read can see: the register is written
 * by one instruction, without a guard, and on no path read before; and the source is a constant of
 * the launch or block, or a register of the same kind. */
#include "ptx/lower_internal.h"

#include <string.h>

static bool is_written_once(const ifl_lowerer *l, uint32_t reg)
{
    return l->writes[reg] == 1 && !l->is_undefined[reg];
}

static unsigned bits_of(const ifl_lowerer *l, uint32_t reg)
{
    return l->function->registers[reg].bits;
}

/* A register whose only write is this instruction, with the bits of its type. */
static bool takes_alias(const ifl_lowerer *l, const ifl_operand *d)
{
    return d && d->kind == IFL_OPERAND_REGISTER && l->instruction->guard == IFL_NO_GUARD &&
           is_written_once(l, d->index) && bits_of(l, d->index) >= 16 &&
           bits_of(l, d->index) == ifl_type_bits(l->instruction->type[0]);
}

static bool parameter_alias(ifl_lowerer *l, uint32_t d, uint32_t *slot)
{
    const ifl_modifiers *m = &l->instruction->modifiers;
    const ifl_operand *memory = l->slots.at[1];
    if (m->vector > 1 || m->space != IFL_SPACE_PARAM || !memory ||
        memory->kind != IFL_OPERAND_MEMORY)
        return false;
    *slot = ifl_lower_parameter(l, memory, bits_of(l, d) / 8, false, bits_of(l, d));
    return *slot != 0;
}

static bool value_alias(ifl_lowerer *l, uint32_t d, const ifl_operand *a, uint32_t *slot)
{
    if (!a || a->negated)
        return false;
    if (a->kind == IFL_OPERAND_REGISTER && is_written_once(l, a->index) &&
        bits_of(l, a->index) == bits_of(l, d)) {
        *slot = l->slot_of[a->index];
        return true;
    }
    if (a->kind == IFL_OPERAND_IMMEDIATE) {
        *slot = ifl_lower_constant(l, (uint64_t)a->value, bits_of(l, d));
        return true;
    }
    if (a->kind == IFL_OPERAND_SPECIAL && ifl_special_changes(a->index) != IFL_WHEN_NOW &&
        ifl_special_bits(a->index) == bits_of(l, d)) {
        *slot = ifl_lower_special(l, a->index);
        return true;
    }
    return false;
}

/* cvta of a global or constant address changes nothing. */
static bool is_same_address(const ifl_modifiers *m)
{
    return m->space == IFL_SPACE_GLOBAL || m->space == IFL_SPACE_CONST ||
           m->space == IFL_SPACE_PARAM;
}

static bool find_alias(ifl_lowerer *l, uint32_t *slot)
{
    const ifl_operand *d = l->slots.at[0];
    if (!takes_alias(l, d))
        return false;
    switch (l->instruction->opcode) {
    case IFL_OP_LD:
        return parameter_alias(l, d->index, slot);
    case IFL_OP_MOV:
        return value_alias(l, d->index, l->slots.at[1], slot);
    case IFL_OP_CVTA:
        return is_same_address(&l->instruction->modifiers) &&
               value_alias(l, d->index, l->slots.at[1], slot);
    default:
        return false;
    }
}

/* Sources come before their uses in the text of compilers; where one does not, its move stays a
 * move. */
static bool source_is_settled(const ifl_lowerer *l, const bool *is_seen)
{
    const ifl_operand *a = l->slots.count > 1 ? l->slots.at[1] : NULL;
    return !a || a->kind != IFL_OPERAND_REGISTER || is_seen[a->index];
}

static void see_write(void *user, uint32_t reg, bool is_written)
{
    ((bool *)user)[reg] |= is_written;
}

void ifl_lower_find_aliases(ifl_lowerer *l)
{
    bool *is_seen = ifl_lower_allocate(l, l->function->register_count + 1);
    for (uint32_t i = 0; is_seen && i < l->function->count && l->status == IFL_OK; i++) {
        l->instruction = &l->input->program->instructions[l->function->first + i];
        uint32_t slot;
        if (l->instruction->opcode == IFL_OP_UNSUPPORTED)
            continue;
        l->slots = ifl_instruction_slots(l->input->program, l->instruction);
        if (source_is_settled(l, is_seen) && find_alias(l, &slot)) {
            l->slot_of[l->slots.at[0]->index] = slot;
            l->is_alias[l->slots.at[0]->index] = true;
        }
        ifl_instruction_registers(l->input->program, l->instruction, see_write, is_seen);
    }
    l->instruction = NULL;
}

bool ifl_lower_is_alias(const ifl_lowerer *l)
{
    const ifl_operand *d = l->slots.count ? l->slots.at[0] : NULL;
    return d && d->kind == IFL_OPERAND_REGISTER && l->is_alias[d->index] &&
           l->writes[d->index] == 1 &&
           (l->instruction->opcode == IFL_OP_LD || l->instruction->opcode == IFL_OP_MOV ||
            l->instruction->opcode == IFL_OP_CVTA) &&
           strchr("dv", l->slots.letter[0]);
}
