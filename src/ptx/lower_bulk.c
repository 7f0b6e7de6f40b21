/* SPDX-License-Identifier: Apache-2.0
 * Lowering of barrier objects (mbarrier) and of bulk copies (code/bulk.h). */
#include "code/bulk.h"
#include "code/tensor_map.h"
#include "ptx/lower_internal.h"

static void set_end(ifl_lowerer *l, const ifl_operand *memory, uint8_t space, uint8_t kind,
                    ifl_transfer *t)
{
    enum { CHUNK = 16 };
    *t = (ifl_transfer){
        .space = space, .kind = kind, .bytes = CHUNK, .element_bytes = CHUNK, .elements = 1};
    t->address = ifl_lower_address(l, memory, space);
}

static const ifl_operand *slot_of(ifl_lowerer *l, unsigned slot)
{
    return ifl_lower_has(l, slot) ? l->slots.at[slot] : NULL;
}

/* ---- bulk copies ----------------------------------------------------------------------------- */

/* To shared memory a barrier counts the bytes; to global memory, a group. */
static void lower_bulk(ifl_lowerer *l, uint8_t operation, uint8_t type)
{
    enum { SIZE = 2, BARRIER = 3, MULTICAST = 4 };
    const ifl_modifiers *m = &l->instruction->modifiers;
    ifl_bulk_op *op = ifl_lower_allocate(l, sizeof *op);
    const ifl_operand *barrier = slot_of(l, BARRIER);
    if (!op)
        return;
    const uint8_t to = ifl_lower_space(l);
    set_end(l, l->slots.at[0], to, IFL_ACCESS_STORE, &op->to);
    set_end(l, l->slots.at[1], m->space2, IFL_ACCESS_LOAD, &op->from);
    op->size = ifl_lower_source(l, l->slots.at[SIZE], 32, false);
    op->size_mask = UINT32_MAX;
    op->operation = operation;
    op->type = type;
    l->image->demands.ordered |= operation != 0; /* sums of floats show in which order blocks ran */
    op->has_barrier = barrier != NULL;
    if (barrier)
        set_end(l, barrier, to, IFL_ACCESS_ATOMIC, &op->barrier);
    if (m->flags & IFL_FLAG_MULTICAST)
        op->multicast = ifl_lower_source(l, l->slots.at[MULTICAST], 32, false);
    ifl_lower_emit(l, IFL_CODE_bulk_copy)->extra = op;
}

void ifl_lower_cp_async_bulk(ifl_lowerer *l)
{
    lower_bulk(l, 0, 0);
}

/* From shared to global memory; the opcode's name says so. The mask is the last operand. */
void ifl_lower_masked_bulk(ifl_lowerer *l)
{
    enum { SIZE = 2 };
    ifl_bulk_op *op = ifl_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    set_end(l, l->slots.at[0], IFL_SPACE_GLOBAL, IFL_ACCESS_STORE, &op->to);
    set_end(l, l->slots.at[1], IFL_SPACE_SHARED, IFL_ACCESS_LOAD, &op->from);
    op->size = ifl_lower_source(l, l->slots.at[SIZE], 32, false);
    op->size_mask = UINT32_MAX;
    op->byte_mask = ifl_lower_source(l, l->slots.at[l->slots.count - 1], 32, false);
    op->has_byte_mask = true;
    ifl_lower_emit(l, IFL_CODE_bulk_copy)->extra = op;
}

void ifl_lower_cp_reduce_bulk(ifl_lowerer *l)
{
    lower_bulk(l, l->instruction->modifiers.operation, l->instruction->type[0]);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* st.async, red.async: registers go to shared memory of a block of the cluster. */
void ifl_lower_async_value(ifl_lowerer *l)
{
    enum { TO, VALUE, BARRIER, WIDEST = 16 };
    uint32_t count;
    const ifl_operand *member = ifl_slot_members(l->slots.at[VALUE], &count);
    const ifl_modifiers *m = &l->instruction->modifiers;
    const unsigned bits = ifl_type_bits(l->instruction->type[0]),
                   elements = m->vector ? m->vector : 1;
    ifl_bulk_op *op = ifl_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    if ((bits != 32 && bits != 64) || count != elements || elements * bits / 8 > WIDEST ||
        m->order > IFL_ORDER_RELAXED) {
        ifl_lower_unsupported(l, "of this type, vector or order");
        return;
    }
    set_end(l, l->slots.at[TO], IFL_SPACE_CLUSTER, IFL_ACCESS_STORE, &op->to);
    set_end(l, l->slots.at[BARRIER], IFL_SPACE_CLUSTER, IFL_ACCESS_ATOMIC, &op->barrier);
    op->kind = IFL_BULK_VALUE;
    op->has_barrier = true;
    op->operation = m->operation;
    op->type = l->instruction->type[0];
    op->from = (ifl_transfer){.element_bytes = (uint8_t)(bits / 8),
                              .elements = (uint8_t)elements,
                              .bytes = (uint8_t)(elements * bits / 8),
                              .slot_bytes = (uint8_t)(bits / 8)};
    op->to.bytes = op->to.element_bytes = op->from.bytes;
    for (uint32_t e = 0; e < elements; e++)
        op->from.data[e] = ifl_lower_source(l, &member[e], bits, false);
    ifl_lower_emit(l, IFL_CODE_bulk_copy)->extra = op;
}

/* ---- boxes of tensors ------------------------------------------------------------------------ */

/* Registers of 32 bits from a vector, or of 16. */
static uint32_t set_list(ifl_lowerer *l, unsigned slot, unsigned most, uint32_t *to)
{
    uint32_t count;
    const ifl_operand *member = ifl_slot_members(l->slots.at[slot], &count);
    if (!count || count > most) {
        ifl_lower_unsupported(l, "with this number of coordinates or offsets");
        return 0;
    }
    for (uint32_t i = 0; i < count; i++)
        to[i] = ifl_lower_source(l, &member[i], 32, false);
    return count;
}

/* The opcode's name has the space: shared::cta or shared::cluster. */
static uint8_t loaded_space(const ifl_lowerer *l)
{
    switch (l->instruction->opcode) {
    case IFL_OP_LOAD_BOX_CTA_1:
    case IFL_OP_LOAD_BOX_CTA_2:
    case IFL_OP_LOAD_BOX_CTA_3:
    case IFL_OP_LOAD_BOX_CTA_4:
    case IFL_OP_LOAD_BOX_CTA_5:
    case IFL_OP_LOAD_IMAGE_CTA_3:
    case IFL_OP_LOAD_IMAGE_CTA_4:
    case IFL_OP_LOAD_IMAGE_CTA_5:
    case IFL_OP_LOAD_WIDE_CTA_3:
    case IFL_OP_LOAD_WIDE_CTA_4:
    case IFL_OP_LOAD_WIDE_CTA_5:
    case IFL_OP_LOAD_WIDE_128_CTA_3:
    case IFL_OP_LOAD_WIDE_128_CTA_4:
    case IFL_OP_LOAD_WIDE_128_CTA_5:
        return IFL_SPACE_SHARED;
    default:
        return IFL_SPACE_CLUSTER;
    }
}

/* tile::gather4 of loads and scatter4 of stores: of a column and four rows. Stores of im2col have no
 * offsets. */
static void set_region(ifl_lowerer *l, ifl_bulk_op *op, uint8_t lines)
{
    const uint8_t region = l->instruction->modifiers.region;
    op->are_lines = region == lines;
    op->is_image = region == IFL_REGION_IMAGE && lines == IFL_REGION_SCATTER4;
    for (unsigned i = 0; op->is_image && i < IFL_BULK_RANKS - 2; i++)
        op->offsets[i] = ifl_lower_constant(l, 0, 32);
    if (op->are_lines && op->rank != IFL_BULK_LINES + 1)
        ifl_lower_unsupported(l, "with this number of coordinates");
    else if (op->are_lines)
        op->rank = 2;
    else if (region && !op->is_image)
        ifl_lower_unsupported(l, "of this mode");
}

static ifl_bulk_op *new_box(ifl_lowerer *l, unsigned map, unsigned coordinates, unsigned shared,
                            bool loads)
{
    ifl_bulk_op *op = ifl_lower_allocate(l, sizeof *op);
    if (!op)
        return NULL;
    op->kind = IFL_BULK_BOX;
    set_end(l, l->slots.at[map], IFL_SPACE_GENERIC, loads ? IFL_ACCESS_LOAD : IFL_ACCESS_STORE,
            loads ? &op->from : &op->to);
    set_end(l, l->slots.at[shared], loads ? loaded_space(l) : IFL_SPACE_SHARED,
            loads ? IFL_ACCESS_STORE : IFL_ACCESS_LOAD, loads ? &op->to : &op->from);
    op->rank = (uint8_t)set_list(l, coordinates, IFL_BULK_RANKS, op->coordinates);
    return op;
}

static ifl_bulk_op *new_box_load(ifl_lowerer *l, unsigned multicast)
{
    enum { SHARED, MAP, COORDINATES, BARRIER };
    ifl_bulk_op *op = new_box(l, MAP, COORDINATES, SHARED, true);
    if (!op)
        return NULL;
    op->has_barrier = true;
    op->is_pair = l->instruction->modifiers.group == 2;
    set_region(l, op, IFL_REGION_GATHER4);
    set_end(l, l->slots.at[BARRIER], loaded_space(l), IFL_ACCESS_ATOMIC, &op->barrier);
    if (l->instruction->modifiers.flags & IFL_FLAG_MULTICAST)
        op->multicast = ifl_lower_source(l, l->slots.at[multicast], 32, false);
    return op;
}

void ifl_lower_box_load(ifl_lowerer *l)
{
    enum { MULTICAST = 4 };
    ifl_bulk_op *op = new_box_load(l, MULTICAST);
    if (op)
        ifl_lower_emit(l, IFL_CODE_bulk_copy)->extra = op;
}

static uint8_t wide_of(const ifl_lowerer *l)
{
#define WIDE(rank)                                                                                 \
    [IFL_OP_LOAD_WIDE_##rank] = IFL_TENSOR_WIDE, [IFL_OP_LOAD_WIDE_CTA_##rank] = IFL_TENSOR_WIDE,  \
    [IFL_OP_LOAD_WIDE_128_##rank] = IFL_TENSOR_WIDE_128,                                           \
    [IFL_OP_LOAD_WIDE_128_CTA_##rank] = IFL_TENSOR_WIDE_128
    static const uint8_t wide[] = {WIDE(3), WIDE(4), WIDE(5)};
#undef WIDE
    const uint16_t opcode = l->instruction->opcode;
    return opcode < sizeof wide ? wide[opcode] : IFL_TENSOR_NOT_WIDE;
}

void ifl_lower_image_load(ifl_lowerer *l)
{
    enum { OFFSETS = 4, MULTICAST = 5 };
    ifl_bulk_op *op = new_box_load(l, MULTICAST);
    if (!op)
        return;
    op->is_image = true;
    op->wide = wide_of(l);
    const uint32_t offsets = op->wide ? 2 : op->rank - 2u;
    if (op->rank < 3 || set_list(l, OFFSETS, IFL_BULK_RANKS - 2, op->offsets) != offsets)
        ifl_lower_unsupported(l, "with another number of offsets");
    ifl_lower_emit(l, IFL_CODE_bulk_copy)->extra = op;
}

void ifl_lower_box_store(ifl_lowerer *l)
{
    enum { MAP, COORDINATES, SHARED };
    ifl_bulk_op *op = new_box(l, MAP, COORDINATES, SHARED, false);
    if (!op)
        return;
    set_region(l, op, IFL_REGION_SCATTER4);
    op->operation = l->instruction->modifiers.operation;
    l->image->demands.ordered |= op->operation != 0;
    ifl_lower_emit(l, IFL_CODE_bulk_copy)->extra = op;
}

/* ---- groups ---------------------------------------------------------------------------------- */

void ifl_lower_bulk_commit(ifl_lowerer *l)
{
    ifl_lower_emit(l, IFL_CODE_bulk_commit);
}

void ifl_lower_bulk_wait(ifl_lowerer *l)
{
    const ifl_operand *groups = l->slots.at[0];
    if (groups->kind != IFL_OPERAND_IMMEDIATE) {
        ifl_lower_unsupported(l, "for a number of groups that is no constant");
        return;
    }
    ifl_lower_emit(l, IFL_CODE_bulk_wait)->count = (uint32_t)groups->value;
}

/* ---- barrier objects ------------------------------------------------------------------------- */

static ifl_mbarrier_op *new_object(ifl_lowerer *l, const ifl_operand *memory)
{
    const bool is_generic = !l->instruction->modifiers.space_written;
    ifl_mbarrier_op *op = ifl_lower_allocate(l, sizeof *op);
    if (op && memory)
        set_end(l, memory, is_generic ? IFL_SPACE_GENERIC : ifl_lower_space(l), IFL_ACCESS_ATOMIC,
                &op->at);
    return op;
}

void ifl_lower_mbarrier_init(ifl_lowerer *l)
{
    ifl_mbarrier_op *op = new_object(l, l->slots.at[0]);
    if (!op)
        return;
    op->arrivals = ifl_lower_source(l, l->slots.at[1], 32, false);
    ifl_lower_emit(l, IFL_CODE_mbarrier_init)->extra = op;
}

void ifl_lower_mbarrier_inval(ifl_lowerer *l)
{
    ifl_mbarrier_op *op = new_object(l, l->slots.at[0]);
    if (!op)
        return;
    ifl_lower_emit(l, IFL_CODE_mbarrier_set)->extra = op;
}

/* arrive, arrive_drop: the state that they give is the word before. */
void ifl_lower_mbarrier_arrive(ifl_lowerer *l)
{
    enum { STATE, ADDRESS, AMOUNT };
    const ifl_operand *d = slot_of(l, STATE), *amount = slot_of(l, AMOUNT);
    ifl_mbarrier_op *op = new_object(l, l->slots.at[ADDRESS]);
    const bool expects = l->instruction->modifiers.flags & IFL_FLAG_EXPECT_TX;
    if (!op)
        return;
    op->fixed_arrivals = 1;
    op->drops = l->instruction->opcode == IFL_OP_MBARRIER_ARRIVE_DROP;
    if (amount)
        *(expects ? &op->bytes : &op->arrivals) = ifl_lower_source(l, amount, 32, false);
    op->has_d = d != NULL;
    op->d = d ? ifl_lower_destination(l, d, 64) : 0;
    ifl_lower_emit(l, IFL_CODE_mbarrier_update)->extra = op;
    if (d)
        ifl_lower_finish(l, d, op->d, 64, false);
}

void ifl_lower_mbarrier_bytes(ifl_lowerer *l)
{
    ifl_mbarrier_op *op = new_object(l, l->slots.at[0]);
    if (!op)
        return;
    op->bytes = ifl_lower_source(l, l->slots.at[1], 32, false);
    op->completes = l->instruction->opcode == IFL_OP_MBARRIER_COMPLETE_TX;
    ifl_lower_emit(l, IFL_CODE_mbarrier_update)->extra = op;
}

/* cp.async.mbarrier.arrive without .noinc first adds the arrival that it then makes. The copies are
 * done here: one of the orders that the hardware allows. */
void ifl_lower_mbarrier_of_copies(ifl_lowerer *l)
{
    ifl_mbarrier_op *op = new_object(l, l->slots.at[0]);
    if (!op)
        return;
    op->fixed_arrivals = l->instruction->modifiers.flags & IFL_FLAG_NOINC ? 1 : 0;
    ifl_lower_emit_copies_wait(l);
    ifl_lower_emit(l, IFL_CODE_mbarrier_update)->extra = op;
}

void ifl_lower_mbarrier_wait(ifl_lowerer *l)
{
    enum { DONE, ADDRESS, STATE };
    ifl_mbarrier_op *op = new_object(l, l->slots.at[ADDRESS]);
    if (!op)
        return;
    op->by_parity = l->instruction->modifiers.flags & IFL_FLAG_PARITY;
    op->state_bits = op->by_parity ? 32 : 64;
    op->state = ifl_lower_source(l, l->slots.at[STATE], op->state_bits, false);
    op->d = ifl_lower_predicate_destination(l, l->slots.at[DONE]);
    ifl_lower_emit(l, IFL_CODE_mbarrier_wait)->extra = op;
}

void ifl_lower_mbarrier_pending(ifl_lowerer *l)
{
    ifl_mbarrier_op *op = new_object(l, NULL);
    if (!op)
        return;
    op->state = ifl_lower_source(l, l->slots.at[1], 64, false);
    op->d = ifl_lower_destination(l, l->slots.at[0], 32);
    ifl_lower_emit(l, IFL_CODE_mbarrier_pending)->extra = op;
    ifl_lower_finish(l, l->slots.at[0], op->d, 32, false);
}

/* ---- zeros ----------------------------------------------------------------------------------- */

/* The value is the constant 0 (PTX ISA 9.0, "st.bulk"). */
void ifl_lower_shared_fill(ifl_lowerer *l)
{
    const ifl_modifiers *m = &l->instruction->modifiers;
    const ifl_operand *value = l->slots.at[2];
    ifl_fill_op *op = ifl_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    if (value->kind != IFL_OPERAND_IMMEDIATE || value->value ||
        (m->order && m->order != IFL_ORDER_WEAK)) {
        ifl_lower_unsupported(l, "of this value or order");
        return;
    }
    op->to = (ifl_transfer){.space = m->space_written ? m->space : IFL_SPACE_GENERIC,
                            .kind = IFL_ACCESS_STORE,
                            .elements = 1};
    op->to.address = ifl_lower_address(l, l->slots.at[0], op->to.space);
    op->count = ifl_lower_source(l, l->slots.at[1], 64, false);
    op->count_bits = 64;
    op->unit_bytes = 1;
    ifl_lower_emit(l, IFL_CODE_shared_fill)->extra = op;
}
