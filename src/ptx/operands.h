/* SPDX-License-Identifier: Apache-2.0
 * The operands of an instruction as its signature in opcode.def groups them. */
#ifndef IFL_PTX_OPERANDS_H
#define IFL_PTX_OPERANDS_H

#include "ptx/program.h"

enum { IFL_MAX_SLOTS = 10 };

typedef struct ifl_operand_slots {
    const ifl_operand *
        at[IFL_MAX_SLOTS]; /* the first operand of each slot; a VECTOR is followed by its members */
    char letter[IFL_MAX_SLOTS]; /* of the signature; the second slot of D is 'q' */
    unsigned count;
} ifl_operand_slots;

/* Slots past the end of the operand list are absent: at[] is NULL there. */
ifl_operand_slots ifl_instruction_slots(const ifl_program *program,
                                        const ifl_instruction *instruction);

/* The members of a slot: itself, or those of a VECTOR. */
static inline const ifl_operand *ifl_slot_members(const ifl_operand *slot, uint32_t *count)
{
    bool is_vector = slot->kind == IFL_OPERAND_VECTOR;
    *count = is_vector ? slot->index : 1;
    return is_vector ? slot + 1 : slot;
}

/* Calls `see` for each register an instruction reads or writes; `is_written` tells which. */
void ifl_instruction_registers(const ifl_program *program, const ifl_instruction *instruction,
                               void (*see)(void *user, uint32_t reg, bool is_written), void *user);

#endif
