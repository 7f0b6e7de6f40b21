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

/* A smallest or largest of at least two registers; .abs and .NaN are those of floats. */
static bool set_reduction(ifl_lowerer *l, ifl_tensor_move *op)
{
    const ifl_modifiers *m = &l->instruction->modifiers;
    const bool is_float = l->instruction->type[0] == IFL_TYPE_F32,
               is_whole = l->instruction->type[0] == IFL_TYPE_U32 ||
                          l->instruction->type[0] == IFL_TYPE_S32;
    op->operation = m->operation;
    op->type = l->instruction->type[0];
    op->is_absolute = m->flags & IFL_FLAG_ABS;
    op->keeps_nan = m->flags & IFL_FLAG_NAN;
    if ((m->operation != IFL_OPERATION_MIN && m->operation != IFL_OPERATION_MAX) ||
        (!is_float && !is_whole) || (is_whole && (op->is_absolute || op->keeps_nan)) ||
        (op->shape != IFL_TENSOR_32X32 && op->shape != IFL_TENSOR_16X32X2) || op->registers < 2) {
        ifl_lower_unsupported(l, "of this form");
        return false;
    }
    op->result = ifl_lower_destination(l, l->slots.at[1], 32);
    return true;
}

void ifl_lower_tensor_move(ifl_lowerer *l)
{
    const bool stores = l->instruction->opcode == IFL_OP_TENSOR_ST,
               reduces = l->instruction->opcode == IFL_OP_TENSOR_LD_RED;
    const unsigned data = stores ? 2 : 0,
                   address = stores    ? 0
                             : reduces ? 2
                                       : 1,
                   split = stores ? 1 : address + 1;
    ifl_tensor_move *op = ifl_lower_allocate(l, sizeof *op);
    uint32_t count;
    const ifl_operand *member = ifl_slot_members(l->slots.at[data], &count);
    if (!op)
        return;
    op->stores = stores;
    if (!describe_move(l, op, split, data))
        return;
    op->at = address_of(l, l->slots.at[address]);
    if (reduces && !set_reduction(l, op))
        return;
    for (uint32_t i = 0; i < count; i++)
        op->data[i] = stores ? ifl_lower_source(l, &member[i], 32, false)
                             : ifl_lower_destination(l, &member[i], 32);
    ifl_lower_emit(l, IFL_CODE_tensor_move)->extra = op;
    for (uint32_t i = 0; i < count && !stores; i++)
        ifl_lower_finish(l, &member[i], op->data[i], 32, false);
    if (reduces)
        ifl_lower_finish(l, l->slots.at[1], op->result, 32, false);
}

void ifl_lower_tensor_wait(ifl_lowerer *l)
{
    ifl_lower_emit(l, IFL_CODE_tensor_wait);
}

/* ---- products -------------------------------------------------------------------------------- */

enum { D, A, B, METADATA, DESCRIPTION, MASK, SCALES_A, SCALES_B, ACCUMULATES, SCALE_D };

/* PTX of tensor memory runs as on the first GPU that has it, or on the one that has a depth of 96. */
enum { TENSOR_SM = 100, DEEPER_SM = 103, MOST_SCALE_D = 15 };

static uint8_t product_kind(uint8_t kind)
{
    static const uint8_t kinds[] = {
        [IFL_KIND_F16] = IFL_TENSOR_F16,           [IFL_KIND_TF32] = IFL_TENSOR_TF32,
        [IFL_KIND_F8F6F4] = IFL_TENSOR_F8F6F4,     [IFL_KIND_I8] = IFL_TENSOR_I8,
        [IFL_KIND_MXF8F6F4] = IFL_TENSOR_MXF8F6F4, [IFL_KIND_MXF4] = IFL_TENSOR_MXF4,
        [IFL_KIND_MXF4NVF4] = IFL_TENSOR_MXF4,
    };
    return kinds[kind];
}

static bool describe_product(ifl_lowerer *l, ifl_tensor_product *op)
{
    const uint16_t opcode = l->instruction->opcode;
    const ifl_modifiers *m = &l->instruction->modifiers;
    const bool is_scaled = m->kind >= IFL_KIND_MXF8F6F4;
    op->says_sparse = true;
    op->is_sparse = opcode == IFL_OP_TENSOR_MMA_SP || opcode == IFL_OP_TENSOR_MMA_WS_SP;
    op->keeps_weights = opcode == IFL_OP_TENSOR_MMA_WS || opcode == IFL_OP_TENSOR_MMA_WS_SP;
    op->sm = l->input->program->sm == DEEPER_SM ? DEEPER_SM : TENSOR_SM;
    if (!m->group || !m->kind || is_scaled != m->scaling ||
        is_scaled != ifl_lower_has(l, SCALES_B) || is_scaled != ifl_lower_has(l, SCALES_A) ||
        op->is_sparse != ifl_lower_has(l, METADATA)) {
        ifl_lower_unsupported(l, "of this kind with these operands");
        return false;
    }
    op->kind = product_kind(m->kind);
    op->blocks = m->group;
    op->scales = is_scaled ? ifl_lower_matrix_scales(m) : 0;
    if (op->scales == UINT8_MAX || m->collector == IFL_COLLECTOR_SHIFT) {
        ifl_lower_unsupported(l, m->collector == IFL_COLLECTOR_SHIFT
                                     ? "which way rows move is not known here"
                                     : "with so many scales");
        return false;
    }
    return true;
}

/* 4 words of lanes a block. */
static void set_mask(ifl_lowerer *l, ifl_tensor_product *op)
{
    enum { WORDS = 4 };
    uint32_t count;
    const ifl_operand *member;
    if (!ifl_lower_has(l, MASK))
        return;
    member = ifl_slot_members(l->slots.at[MASK], &count);
    if (count != (uint32_t)WORDS * op->blocks) {
        ifl_lower_unsupported(l, "with this number of words of lanes that are not written");
        return;
    }
    op->mask_words = (uint8_t)count;
    for (uint32_t i = 0; i < count; i++)
        op->mask[i] = ifl_lower_source(l, &member[i], 32, false);
}

static void set_scale_d(ifl_lowerer *l, ifl_tensor_product *op)
{
    const ifl_operand *scale = l->slots.at[SCALE_D];
    if (!ifl_lower_has(l, SCALE_D))
        return;
    if (op->keeps_weights) { /* a descriptor of columns that are zeros stands there */
        op->mask[0] = ifl_lower_source(l, scale, 64, false);
        op->mask_words = 1;
        return;
    }
    if (scale->kind != IFL_OPERAND_IMMEDIATE || scale->value < 0 || scale->value > MOST_SCALE_D ||
        (op->kind != IFL_TENSOR_F16 && op->kind != IFL_TENSOR_TF32))
        ifl_lower_unsupported(l, "with this scale of the sums before");
    op->scale_d = (uint8_t)scale->value;
}

void ifl_lower_tensor_product(ifl_lowerer *l)
{
    ifl_tensor_product *op = ifl_lower_allocate(l, sizeof *op);
    if (!op || !describe_product(l, op))
        return;
    op->d = address_of(l, l->slots.at[D]);
    op->is_a_held = l->slots.at[A]->kind == IFL_OPERAND_MEMORY;
    if (op->is_a_held)
        op->a_held = address_of(l, l->slots.at[A]);
    else
        op->a = ifl_lower_source(l, l->slots.at[A], 64, false);
    op->b = ifl_lower_source(l, l->slots.at[B], 64, false);
    op->description = ifl_lower_source(l, l->slots.at[DESCRIPTION], 32, false);
    if (op->is_sparse)
        op->metadata = address_of(l, l->slots.at[METADATA]);
    if (op->scales) {
        op->scale_a = address_of(l, l->slots.at[SCALES_A]);
        op->scale_b = address_of(l, l->slots.at[SCALES_B]);
    }
    set_mask(l, op);
    set_scale_d(l, op);
    op->accumulates = ifl_lower_predicate(l, l->slots.at[ACCUMULATES], &op->flip);
    ifl_lower_emit(l, IFL_CODE_tensor_product)->extra = op;
}

/* ---- copies, commits ------------------------------------------------------------------------- */

static bool set_copied(ifl_lowerer *l, ifl_tensor_copy *op)
{
    static const struct {
        uint8_t part, mode, shape;
    } shapes[] = {
        {IFL_PART_128X256, 0, IFL_TENSOR_128X256},
        {IFL_PART_128X128, 0, IFL_TENSOR_128X128},
        {IFL_PART_64X128, IFL_MODE_WARPS_02_13, IFL_TENSOR_64X128_02_13},
        {IFL_PART_64X128, IFL_MODE_WARPS_01_23, IFL_TENSOR_64X128_01_23},
        {IFL_PART_32X128, IFL_MODE_WARPS_ALL, IFL_TENSOR_32X128},
        {IFL_PART_4X256, 0, IFL_TENSOR_4X256},
    };
    const ifl_modifiers *m = &l->instruction->modifiers;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i].part == m->part && shapes[i].mode == m->mode &&
            !m->format == (m->pack != IFL_PACK_BYTES) && m->group) {
            op->shape = shapes[i].shape;
            op->bits = m->format;
            return true;
        }
    ifl_lower_unsupported(l, "of this shape");
    return false;
}

void ifl_lower_tensor_copy(ifl_lowerer *l)
{
    ifl_tensor_copy *op = ifl_lower_allocate(l, sizeof *op);
    if (!op || !set_copied(l, op))
        return;
    op->blocks = l->instruction->modifiers.group;
    op->to = address_of(l, l->slots.at[0]);
    op->from = ifl_lower_source(l, l->slots.at[1], 64, false);
    ifl_lower_emit(l, IFL_CODE_tensor_copy)->extra = op;
}

void ifl_lower_tensor_shift(ifl_lowerer *l)
{
    const ifl_modifiers *m = &l->instruction->modifiers;
    ifl_tensor_shift *op = ifl_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    if (!m->group || m->mode != IFL_MODE_DOWN) {
        ifl_lower_unsupported(l, "of this form");
        return;
    }
    op->blocks = m->group;
    op->at = address_of(l, l->slots.at[0]);
    ifl_lower_emit(l, IFL_CODE_tensor_shift)->extra = op;
}

void ifl_lower_tensor_commit(ifl_lowerer *l)
{
    const ifl_modifiers *m = &l->instruction->modifiers;
    const uint8_t space = m->space_written ? ifl_lower_space(l) : IFL_SPACE_GENERIC;
    ifl_tensor_commit *op = ifl_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    if (!m->group || m->mode != IFL_MODE_ARRIVE_ONE ||
        ifl_lower_has(l, 1) != !!(m->flags & IFL_FLAG_MULTICAST)) {
        ifl_lower_unsupported(l, "of this form");
        return;
    }
    op->barrier = (ifl_transfer){.space = space,
                                 .kind = IFL_ACCESS_ATOMIC,
                                 .bytes = 8,
                                 .element_bytes = 8,
                                 .elements = 1,
                                 .address = ifl_lower_address(l, l->slots.at[0], space)};
    if (ifl_lower_has(l, 1))
        op->multicast = ifl_lower_source(l, l->slots.at[1], 32, false);
    ifl_lower_emit(l, IFL_CODE_tensor_commit)->extra = op;
}
