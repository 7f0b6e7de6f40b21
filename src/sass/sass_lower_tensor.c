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
    l->image->demands.takes_in_pairs |= finds && op->blocks == 2;
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

static void set_reduction(ifl_sass_lowerer *l, ifl_tensor_move *op)
{
    const ifl_sass_word operation = value(l, IFL_SASS_VALUE_OPERATION),
                        type = value(l, IFL_SASS_VALUE_TYPE);
    const bool is_least = operation == IFL_SASS_WORD_MIN || operation == IFL_SASS_WORD_MINABS;
    op->operation = is_least ? IFL_OPERATION_MIN : IFL_OPERATION_MAX;
    op->is_absolute = operation == IFL_SASS_WORD_MINABS || operation == IFL_SASS_WORD_MAXABS;
    op->keeps_nan = value(l, IFL_SASS_VALUE_NAN_RULE) == IFL_SASS_WORD_NAN;
    op->type = type == IFL_SASS_WORD_F32   ? IFL_TYPE_F32
               : type == IFL_SASS_WORD_S32 ? IFL_TYPE_S32
                                           : IFL_TYPE_U32;
    op->result = ifl_sass_lower_destination(l, operand(l, IFL_SASS_ROLE_DESTINATION2));
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
    if (value(l, IFL_SASS_VALUE_STATISTIC) == IFL_SASS_WORD_STAT)
        set_reduction(l, op);
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

/* ---- products -------------------------------------------------------------------------------- */

/* A descriptor in two uniform registers. */
static uint32_t descriptor_of(ifl_sass_lowerer *l, ifl_sass_role role)
{
    const ifl_sass_operand *at = operand(l, role);
    if (at && at->kind == IFL_SASS_MEMORY && at->uniform != IFL_SASS_NO_REGISTER)
        return ifl_sass_uniform_slot(l, at->uniform);
    ifl_sass_refuse(l, "without a descriptor");
    return l->zeros;
}

static void set_kind(ifl_sass_lowerer *l, ifl_tensor_product *op)
{
    static const uint8_t kinds[IFL_SASS_OPS] = {
        [IFL_SASS_OP_UTCHMMA] = IFL_TENSOR_HALVES_OR_TF32,
        [IFL_SASS_OP_UTCIMMA] = IFL_TENSOR_I8,
        [IFL_SASS_OP_UTCQMMA] = IFL_TENSOR_F8F6F4,
        [IFL_SASS_OP_UTCOMMA] = IFL_TENSOR_MXF4,
    };
    const ifl_sass_operand *scales = operand(l, IFL_SASS_ROLE_SCALE);
    op->kind = kinds[l->instruction->op];
    if (op->kind == IFL_TENSOR_MXF4)
        op->scales = value(l, IFL_SASS_VALUE_SCALES) == IFL_SASS_WORD_SCALES4 ? 4 : 2;
    if (op->kind == IFL_TENSOR_F8F6F4 && scales && scales->kind == IFL_SASS_MEMORY) {
        op->kind = IFL_TENSOR_MXF8F6F4;
        op->scales = 1;
    }
    if (!op->scales)
        return;
    op->scale_a = address_of(l, IFL_SASS_ROLE_SCALE); /* the next register has b's */
    op->scale_b = op->scale_a;
    op->scale_b.slot += IFL_PLANE_BYTES;
}

/* UR: lanes that are not written, 4 words a block; .WS: two words of a descriptor, which columns are
 * zeros. */
static void set_mask(ifl_sass_lowerer *l, ifl_tensor_product *op)
{
    enum { WORDS = 4 };
    const ifl_sass_operand *mask = operand(l, IFL_SASS_ROLE_SCALE);
    if (op->scales || !mask || mask->index == IFL_SASS_NO_REGISTER)
        return;
    op->mask_words = (uint8_t)(op->keeps_weights ? 1 : WORDS * op->blocks);
    for (unsigned i = 0; i < op->mask_words; i++)
        op->mask[i] = ifl_sass_uniform_slot(l, mask->index + i);
}

/* A and B, [UR sums], UR metadata and behind it the description, UR mask or scales, UP. */
void ifl_sass_lower_tensor_product(ifl_sass_lowerer *l)
{
    const ifl_sass_operand *shift = operand(l, IFL_SASS_ROLE_SHIFT);
    ifl_tensor_product *op = ifl_sass_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    op->blocks = blocks_of(l);
    op->keeps_weights = value(l, IFL_SASS_VALUE_WEIGHTS_STAY) == IFL_SASS_WORD_WS;
    op->are_planes = op->is_once = true;
    op->sm = (uint16_t)l->instruction->sm;
    op->is_a_held = operand(l, IFL_SASS_ROLE_ADDRESS2) != NULL;
    if (op->is_a_held)
        op->a_held = address_of(l, IFL_SASS_ROLE_ADDRESS2);
    else
        op->a = descriptor_of(l, IFL_SASS_ROLE_A);
    op->b = descriptor_of(l, IFL_SASS_ROLE_B);
    op->d = address_of(l, IFL_SASS_ROLE_DESTINATION_ADDRESS);
    op->metadata = address_of(l, IFL_SASS_ROLE_METADATA);
    op->description = op->metadata.slot + IFL_PLANE_BYTES;
    set_kind(l, op);
    set_mask(l, op);
    op->scale_d = shift ? (uint8_t)shift->value : 0;
    op->accumulates =
        ifl_sass_lower_predicate(l, operand(l, IFL_SASS_ROLE_PREDICATE_IN), true, &op->flip);
    if (value(l, IFL_SASS_VALUE_SHIFTS_A) == IFL_SASS_WORD_ASHIFT)
        ifl_sass_refuse(l, "which way rows move is not known here");
    ifl_sass_emit(l, IFL_CODE_tensor_product)->extra = op;
}

/* ---- copies, commits ------------------------------------------------------------------------- */

void ifl_sass_lower_tensor_copy(ifl_sass_lowerer *l)
{
    static const struct {
        uint16_t word;
        uint8_t shape;
    } copied[] = {
        {IFL_SASS_WORD_DP128_256, IFL_TENSOR_128X256},
        {IFL_SASS_WORD_DP128_128, IFL_TENSOR_128X128},
        {IFL_SASS_WORD_DP64_02_13, IFL_TENSOR_64X128_02_13},
        {IFL_SASS_WORD_DP64_01_23, IFL_TENSOR_64X128_01_23},
        {IFL_SASS_WORD_DP32_128, IFL_TENSOR_32X128},
        {IFL_SASS_WORD_DP4_256, IFL_TENSOR_4X256},
    };
    const ifl_sass_word format = value(l, IFL_SASS_VALUE_FORMAT);
    ifl_tensor_copy *op = ifl_sass_lower_allocate(l, sizeof *op);
    bool found = false;
    for (size_t i = 0; op && i < sizeof copied / sizeof *copied; i++)
        if (copied[i].word == value(l, IFL_SASS_VALUE_SHAPE)) {
            op->shape = copied[i].shape;
            found = true;
        }
    if (!op)
        return;
    if (!found) {
        ifl_sass_refuse(l, "of this shape");
        return;
    }
    op->bits = format == IFL_SASS_WORD_U4x16P64 ? 4 : format == IFL_SASS_WORD_U6x16P32 ? 6 : 0;
    op->blocks = blocks_of(l);
    op->are_planes = op->is_once = true;
    op->to = address_of(l, IFL_SASS_ROLE_DESTINATION_ADDRESS);
    op->from = descriptor_of(l, IFL_SASS_ROLE_B);
    ifl_sass_emit(l, IFL_CODE_tensor_copy)->extra = op;
}

void ifl_sass_lower_tensor_shift(ifl_sass_lowerer *l)
{
    ifl_tensor_shift *op = ifl_sass_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    if (value(l, IFL_SASS_VALUE_DIRECTION) != IFL_SASS_WORD_DOWN) {
        ifl_sass_refuse(l, "of this form");
        return;
    }
    op->blocks = blocks_of(l);
    op->is_once = true;
    op->at = address_of(l, IFL_SASS_ROLE_DESTINATION_ADDRESS);
    ifl_sass_emit(l, IFL_CODE_tensor_shift)->extra = op;
}

/* [UR barrier], URZ, UR blocks. */
void ifl_sass_lower_tensor_commit(ifl_sass_lowerer *l)
{
    const ifl_sass_operand *at = operand(l, IFL_SASS_ROLE_ADDRESS);
    ifl_tensor_commit *op = ifl_sass_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    if (!at || at->kind != IFL_SASS_MEMORY || at->uniform == IFL_SASS_NO_REGISTER ||
        value(l, IFL_SASS_VALUE_COUNTED) == IFL_SASS_WORD_A0TX) {
        ifl_sass_refuse(l, "of this form");
        return;
    }
    op->barrier = (ifl_transfer){.space = IFL_SPACE_CLUSTER,
                                 .kind = IFL_ACCESS_ATOMIC,
                                 .bytes = 8,
                                 .element_bytes = 8,
                                 .elements = 1,
                                 .uniform = ifl_sass_uniform_slot(l, at->uniform),
                                 .uniform_form = IFL_ADDRESS_32};
    op->is_once = true;
    if (value(l, IFL_SASS_VALUE_MULTICAST) == IFL_SASS_WORD_MULTICAST)
        op->multicast = ifl_sass_lower_source(l, operand(l, IFL_SASS_ROLE_DATA2), 1);
    ifl_sass_emit(l, IFL_CODE_tensor_commit)->extra = op;
}
