/* SPDX-License-Identifier: Apache-2.0
 * Lowering of machine code on tensor memory (code/tensor.h). What each register holds is as ptxas
 * of CUDA 13.0 fills them for PTX's tcgen05. */
#include "code/tensor.h"
#include "sass/sass_lowerer.h"

static const ifl_sass_operand *operand(const ifl_sass_lowerer *l, ifl_sass_role role)
{
    return ifl_sass_lower_operand(l, role);
}

static ifl_sass_word value(const ifl_sass_lowerer *l, ifl_sass_value_role role)
{
    return ifl_sass_value(l->instruction, role);
}

static uint8_t blocks_of(const ifl_sass_lowerer *l)
{
    return value(l, IFL_SASS_VALUE_CTAS) == IFL_SASS_WORD_CTAS2 ? 2 : 1;
}

/* tmem[UR + columns]. */
static ifl_tensor_address address_of(ifl_sass_lowerer *l, ifl_sass_role role)
{
    const ifl_sass_operand *at = operand(l, role);
    if (!at || at->kind != IFL_SASS_MEMORY) {
        ifl_sass_refuse(l, "without an address of tensor memory");
        return (ifl_tensor_address){.slot = l->zeros};
    }
    return (ifl_tensor_address){.slot = at->uniform == IFL_SASS_NO_REGISTER
                                            ? l->zeros
                                            : ifl_sass_uniform_slot(l, at->uniform),
                                .offset = (int32_t)at->value};
}

/* ---- columns --------------------------------------------------------------------------------- */

/* FIND_AND_SET: UP = there was room, UR = the first of UR units; AND, OR: UR = the units that were
 * taken, which are combined with a mask. */
void ifl_sass_lower_tensor_columns(ifl_sass_lowerer *l)
{
    const ifl_sass_word operation = value(l, IFL_SASS_VALUE_OPERATION);
    const bool finds = operation == IFL_SASS_WORD_FIND_AND_SET;
    ifl_tensor_alloc *op = ifl_sass_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    op->kind = finds                            ? IFL_TENSOR_FIND
               : operation == IFL_SASS_WORD_AND ? IFL_TENSOR_AND
                                                : IFL_TENSOR_OR;
    op->blocks = blocks_of(l);
    op->count = ifl_sass_lower_source(l, operand(l, IFL_SASS_ROLE_DATA), 1);
    op->d = ifl_sass_lower_destination(l, operand(l, IFL_SASS_ROLE_DESTINATION));
    if (finds)
        op->done = ifl_sass_lower_predicate_out(l, operand(l, IFL_SASS_ROLE_PREDICATE_OUT));
    ifl_sass_emit(l, IFL_CODE_tensor_alloc)->extra = op;
}

/* ---- moves ----------------------------------------------------------------------------------- */

static const struct {
    uint16_t word;
    uint8_t shape;
} shapes[] = {
    {IFL_SASS_WORD_DP32_32, IFL_TENSOR_32X32},
    {IFL_SASS_WORD_DP16_64, IFL_TENSOR_16X64},
    {IFL_SASS_WORD_DP16_128, IFL_TENSOR_16X128},
    {IFL_SASS_WORD_DP16_256, IFL_TENSOR_16X256},
    {IFL_SASS_WORD_DP16_32_LOW, IFL_TENSOR_16X32_LOW},
    {IFL_SASS_WORD_DP16_32_HIGH, IFL_TENSOR_16X32_HIGH},
};

static bool set_shape(ifl_sass_lowerer *l, ifl_tensor_move *op, const ifl_sass_operand *data)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (shapes[i].word != value(l, IFL_SASS_VALUE_SHAPE))
            continue;
        op->shape = shapes[i].shape;
        op->registers = data ? (uint8_t)data->count : 0;
        return data && data->count <= IFL_TENSOR_MOST_REGISTERS;
    }
    return false;
}

void ifl_sass_lower_tensor_move(ifl_sass_lowerer *l)
{
    const ifl_sass_word pack = value(l, IFL_SASS_VALUE_PACK);
    ifl_tensor_move *op = ifl_sass_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    op->stores = l->instruction->op == IFL_SASS_OP_STTM;
    op->packs = pack == IFL_SASS_WORD_PACK16BIT || pack == IFL_SASS_WORD_EXPAND16BIT;
    const ifl_sass_operand *data =
        operand(l, op->stores ? IFL_SASS_ROLE_DATA : IFL_SASS_ROLE_DESTINATION);
    if (!set_shape(l, op, data)) {
        ifl_sass_refuse(l, "of this shape");
        return;
    }
    op->at = address_of(l, op->stores ? IFL_SASS_ROLE_DESTINATION_ADDRESS : IFL_SASS_ROLE_ADDRESS);
    const bool is_none = data->index == IFL_SASS_NO_REGISTER;
    const uint32_t first =
        op->stores ? ifl_sass_lower_source(l, data, 1) : ifl_sass_lower_destination(l, data);
    for (unsigned i = 0; i < op->registers; i++)
        op->data[i] = first + (is_none ? 0 : i * IFL_PLANE_BYTES);
    ifl_sass_emit(l, IFL_CODE_tensor_move)->extra = op;
}

/* FENCE.VIEW.ASYNC.T waits for the warp's stores to tensor memory; the others order what is in
 * order here. */
void ifl_sass_lower_fence(ifl_sass_lowerer *l)
{
    if (value(l, IFL_SASS_VALUE_SPACE) == IFL_SASS_WORD_T)
        ifl_sass_emit(l, IFL_CODE_tensor_wait);
    else
        ifl_sass_lower_nothing(l);
}
