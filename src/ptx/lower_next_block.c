/* SPDX-License-Identifier: Apache-2.0
 * Lowering of clusterlaunchcontrol: a running block asks for the work of one that has not started.
 * Requests are never granted, which a program must take (PTX ISA 9.0, "clusterlaunchcontrol"): every
 * block then starts by itself. */
#include "code/bulk.h"
#include "ptx/lower_internal.h"

static ifl_transfer end_of(ifl_lowerer *l, const ifl_operand *memory, uint8_t kind)
{
    const uint8_t space =
        l->instruction->modifiers.space_written ? IFL_SPACE_SHARED : IFL_SPACE_GENERIC;
    ifl_transfer t = {.space = space, .kind = kind, .elements = 1};
    t.address = ifl_lower_address(l, memory, space);
    return t;
}

/* The answer, 16 bytes of 0, comes as a copy does: a barrier object counts it. */
void ifl_lower_next_block(ifl_lowerer *l)
{
    enum { WORD = 4, WORDS = 4 };
    ifl_bulk_op *op = ifl_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    if (l->instruction->modifiers.space_written &&
        l->instruction->modifiers.space != IFL_SPACE_SHARED) {
        ifl_lower_unsupported(l, "in this state space");
        return;
    }
    op->kind = IFL_BULK_VALUE;
    op->has_barrier = true;
    op->for_all = l->instruction->modifiers.receivers;
    op->to = end_of(l, l->slots.at[0], IFL_ACCESS_STORE);
    op->barrier = end_of(l, l->slots.at[1], IFL_ACCESS_ATOMIC);
    op->from = (ifl_transfer){
        .element_bytes = WORD, .slot_bytes = WORD, .elements = WORDS, .bytes = WORD * WORDS};
    op->to.bytes = op->to.element_bytes = op->from.bytes;
    for (unsigned e = 0; e < WORDS; e++)
        op->from.data[e] = ifl_lower_constant(l, 0, 32);
    ifl_lower_emit(l, IFL_CODE_bulk_copy)->extra = op;
}

static void read_answer(ifl_lowerer *l, const ifl_operand *d, uint32_t answer, ifl_answer what)
{
    const bool is_predicate = what == IFL_ANSWER_GRANTED;
    const uint32_t to =
        is_predicate ? ifl_lower_predicate_destination(l, d) : ifl_lower_destination(l, d, 32);
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_answer);
    code->a = answer, code->d = to, code->count = what;
    if (!is_predicate)
        ifl_lower_finish(l, d, to, 32, false);
}

void ifl_lower_answer(ifl_lowerer *l)
{
    const uint16_t opcode = l->instruction->opcode;
    const uint8_t *type = l->instruction->type;
    if (type[1] != IFL_TYPE_B128 ||
        ifl_type_bits(type[0]) != (opcode == IFL_OP_IS_CANCELED ? 1u : 32u)) {
        ifl_lower_unsupported(l, "of these types");
        return;
    }
    const uint32_t answer = ifl_lower_source(l, l->slots.at[1], 128, false);
    uint32_t count;
    const ifl_operand *member = ifl_slot_members(l->slots.at[0], &count);
    if (opcode == IFL_OP_IS_CANCELED)
        read_answer(l, l->slots.at[0], answer, IFL_ANSWER_GRANTED);
    else if (opcode != IFL_OP_FIRST_BLOCK)
        read_answer(l, l->slots.at[0], answer,
                    (ifl_answer)(IFL_ANSWER_X + opcode - IFL_OP_FIRST_BLOCK_X));
    else if (count == 4)
        for (uint32_t i = 0; i < count; i++)
            read_answer(l, &member[i], answer, (ifl_answer)(IFL_ANSWER_X + i));
    else
        ifl_lower_unsupported(l, "with this number of registers");
}
