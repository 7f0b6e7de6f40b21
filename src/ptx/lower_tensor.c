/* SPDX-License-Identifier: Apache-2.0
 * Lowering of tcgen05: tensor memory, its moves and products (code/tensor.h). */
#include "code/tensor.h"
#include "ptx/lower_internal.h"

/* An address of tensor memory: [register + columns], or a number. */
static ifl_tensor_address address_of(ifl_lowerer *l, const ifl_operand *memory)
{
    ifl_tensor_address at = {.offset = (int32_t)memory->value};
    if (memory->base == IFL_OPERAND_REGISTER) {
        const ifl_operand base = {.kind = IFL_OPERAND_REGISTER, .index = memory->index};
        at.slot = ifl_lower_source(l, &base, 32, false);
        return at;
    }
    if (memory->base != IFL_OPERAND_IMMEDIATE)
        ifl_lower_unsupported(l, "with a variable's address as one of tensor memory");
    at.slot = ifl_lower_constant(l, 0, 32);
    return at;
}

/* ---- columns --------------------------------------------------------------------------------- */

static uint8_t alloc_kind(uint16_t opcode)
{
    return opcode == IFL_OP_TENSOR_ALLOC     ? IFL_TENSOR_ALLOC
           : opcode == IFL_OP_TENSOR_DEALLOC ? IFL_TENSOR_DEALLOC
                                             : IFL_TENSOR_RELINQUISH;
}

void ifl_lower_tensor_alloc(ifl_lowerer *l)
{
    const ifl_modifiers *m = &l->instruction->modifiers;
    ifl_tensor_alloc *op = ifl_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    if (!m->group) {
        ifl_lower_unsupported(l, "without .cta_group");
        return;
    }
    op->kind = alloc_kind(l->instruction->opcode);
    op->blocks = m->group;
    if (op->kind == IFL_TENSOR_ALLOC) {
        const uint8_t space = m->space_written ? m->space : IFL_SPACE_GENERIC;
        op->at = (ifl_transfer){.space = space,
                                .kind = IFL_ACCESS_STORE,
                                .bytes = 4,
                                .element_bytes = 4,
                                .elements = 1,
                                .address = ifl_lower_address(l, l->slots.at[0], space)};
    } else if (op->kind == IFL_TENSOR_DEALLOC) {
        op->address = ifl_lower_source(l, l->slots.at[0], 32, false);
    }
    if (op->kind != IFL_TENSOR_RELINQUISH)
        op->count = ifl_lower_source(l, l->slots.at[1], 32, false);
    ifl_lower_emit(l, IFL_CODE_tensor_alloc)->extra = op;
}

/* ---- moves ----------------------------------------------------------------------------------- */

static bool describe_move(ifl_lowerer *l, ifl_tensor_move *op, unsigned split_slot, unsigned data)
{
    static const uint8_t shapes[] = {
        [IFL_PART_32X32] = IFL_TENSOR_32X32,     [IFL_PART_16X64] = IFL_TENSOR_16X64,
        [IFL_PART_16X128] = IFL_TENSOR_16X128,   [IFL_PART_16X256] = IFL_TENSOR_16X256,
        [IFL_PART_16X32X2] = IFL_TENSOR_16X32X2,
    };
    const ifl_modifiers *m = &l->instruction->modifiers;
    uint32_t count;
    (void)ifl_slot_members(l->slots.at[data], &count);
    if (!m->part || !m->repeat || m->part >= sizeof shapes) {
        ifl_lower_unsupported(l, "of this shape");
        return false;
    }
    op->shape = shapes[m->part];
    op->packs = m->pack != 0;
    if (count != m->repeat * ifl_tensor_shape_registers((ifl_tensor_shape)op->shape) ||
        count > IFL_TENSOR_MOST_REGISTERS ||
        m->pack == (op->stores ? IFL_PACK_16 : IFL_PACK_UNPACK_16)) {
        ifl_lower_unsupported(l, "with this number of registers, or packed so");
        return false;
    }
    op->registers = (uint8_t)count;
    if (ifl_lower_has(l, split_slot) != (op->shape == IFL_TENSOR_16X32X2) ||
        (ifl_lower_has(l, split_slot) && l->slots.at[split_slot]->kind != IFL_OPERAND_IMMEDIATE)) {
        ifl_lower_unsupported(l, "without a constant that says where the second half is");
        return false;
    }
    op->split = ifl_lower_has(l, split_slot) ? (int32_t)l->slots.at[split_slot]->value : 0;
    return true;
}

void ifl_lower_tensor_move(ifl_lowerer *l)
{
    const bool stores = l->instruction->opcode == IFL_OP_TENSOR_ST;
    const unsigned data = stores ? 2 : 0, address = stores ? 0 : 1, split = stores ? 1 : 2;
    ifl_tensor_move *op = ifl_lower_allocate(l, sizeof *op);
    uint32_t count;
    const ifl_operand *member = ifl_slot_members(l->slots.at[data], &count);
    if (!op)
        return;
    op->stores = stores;
    if (!describe_move(l, op, split, data))
        return;
    op->at = address_of(l, l->slots.at[address]);
    for (uint32_t i = 0; i < count; i++)
        op->data[i] = stores ? ifl_lower_source(l, &member[i], 32, false)
                             : ifl_lower_destination(l, &member[i], 32);
    ifl_lower_emit(l, IFL_CODE_tensor_move)->extra = op;
    for (uint32_t i = 0; i < count && !stores; i++)
        ifl_lower_finish(l, &member[i], op->data[i], 32, false);
}

void ifl_lower_tensor_wait(ifl_lowerer *l)
{
    ifl_lower_emit(l, IFL_CODE_tensor_wait);
}
