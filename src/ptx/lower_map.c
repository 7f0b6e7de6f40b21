/* SPDX-License-Identifier: Apache-2.0
 * Lowering of tensormap.replace and tensormap.cp_fenceproxy: descriptions of tensors that kernels
 * change (code/tensor_map.h). */
#include "code/bulk.h"
#include "code/tensor_map.h"
#include "ptx/lower_internal.h"

/* The row's field, and the most that its ordinal, or its value where that must be a constant, may
 * be. PTX ISA 9.0, "tensormap.replace". */
typedef struct field_row {
    uint8_t field, value_bits, most;
    bool has_ordinal, is_constant;
} field_row;

enum { FIRST = IFL_OP_REPLACE_ADDRESS, LAST_TYPE = 15, DESCRIPTION = IFL_TENSOR_MAP_BYTES };

static const field_row rows[] = {
    [IFL_OP_REPLACE_ADDRESS - FIRST] = {IFL_TENSOR_MAP_ADDRESS, 64, 0, false, false},
    [IFL_OP_REPLACE_RANK - FIRST] = {IFL_TENSOR_MAP_RANK, 32, 0, false, false},
    [IFL_OP_REPLACE_BOX - FIRST] = {IFL_TENSOR_MAP_BOX, 32, 4, true, false},
    [IFL_OP_REPLACE_SIZE - FIRST] = {IFL_TENSOR_MAP_SIZE, 32, 4, true, false},
    [IFL_OP_REPLACE_STRIDE - FIRST] = {IFL_TENSOR_MAP_STRIDE, 64, 3, true, false},
    [IFL_OP_REPLACE_ELEMENT_STRIDE - FIRST] = {IFL_TENSOR_MAP_ELEMENT_STRIDE, 32, 4, true, false},
    [IFL_OP_REPLACE_TYPE - FIRST] = {IFL_TENSOR_MAP_TYPE, 32, LAST_TYPE, false, true},
    [IFL_OP_REPLACE_INTERLEAVE - FIRST] = {IFL_TENSOR_MAP_INTERLEAVE, 32, 2, false, true},
    [IFL_OP_REPLACE_SWIZZLE - FIRST] = {IFL_TENSOR_MAP_SWIZZLE, 32, 3, false, true},
    [IFL_OP_REPLACE_ATOM - FIRST] = {IFL_TENSOR_MAP_ATOM, 32, 3, false, true},
    [IFL_OP_REPLACE_FILL - FIRST] = {IFL_TENSOR_MAP_FILL, 32, 1, false, true},
};

static ifl_transfer end_of(ifl_lowerer *l, const ifl_operand *memory, uint8_t space, uint8_t kind)
{
    ifl_transfer t = {.space = space, .kind = kind, .elements = 1};
    t.address = ifl_lower_address(l, memory, space);
    return t;
}

static bool is_constant_to(const ifl_operand *operand, int64_t most)
{
    return operand->kind == IFL_OPERAND_IMMEDIATE && operand->value >= 0 && operand->value <= most;
}

void ifl_lower_map_field(ifl_lowerer *l)
{
    const field_row *row = &rows[l->instruction->opcode - FIRST];
    const ifl_operand *value = l->slots.at[row->has_ordinal ? 2 : 1], *ordinal = l->slots.at[1];
    ifl_map_op *op = ifl_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    const uint8_t space = l->instruction->modifiers.space;
    if (space != IFL_SPACE_GENERIC && space != IFL_SPACE_GLOBAL && space != IFL_SPACE_SHARED) {
        ifl_lower_unsupported(l, "in this state space");
        return;
    }
    if ((row->has_ordinal && !is_constant_to(ordinal, row->most)) ||
        (row->is_constant && !is_constant_to(value, row->most))) {
        ifl_lower_unsupported(l, "with this dimension or value");
        return;
    }
    op->to = end_of(l, l->slots.at[0], space, IFL_ACCESS_STORE);
    op->field = row->field;
    op->ordinal = row->has_ordinal ? (uint8_t)ordinal->value : 0;
    op->value_bits = row->value_bits;
    op->value = ifl_lower_source(l, value, row->value_bits, false);
    ifl_lower_emit(l, IFL_CODE_map_field)->extra = op;
}

void ifl_lower_map_copy(ifl_lowerer *l)
{
    enum { TO, FROM, SIZE };
    ifl_map_op *op = ifl_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    if (!is_constant_to(l->slots.at[SIZE], DESCRIPTION) ||
        l->slots.at[SIZE]->value != DESCRIPTION) {
        ifl_lower_unsupported(l, "of another size than 128 bytes");
        return;
    }
    op->to = end_of(l, l->slots.at[TO], IFL_SPACE_GLOBAL, IFL_ACCESS_STORE);
    op->from = end_of(l, l->slots.at[FROM], IFL_SPACE_SHARED, IFL_ACCESS_LOAD);
    ifl_lower_emit(l, IFL_CODE_map_copy)->extra = op;
}
