/* SPDX-License-Identifier: Apache-2.0
 * Lowering of machine code's barrier objects (SYNCS, ARRIVES) and bulk copies (UBLKCP, UTMALDG and
 * kin; code/bulk.h). Which uniform register holds what is as ptxas of CUDA 13.0 fills them for
 * PTX's cp.async.bulk. */
#include "code/bulk.h"
#include "code/tensor_map.h"
#include "sass/sass_lowerer.h"

static const ifl_sass_operand *operand(const ifl_sass_lowerer *l, ifl_sass_role role)
{
    return ifl_sass_lower_operand(l, role);
}

static ifl_sass_word value(const ifl_sass_lowerer *l, ifl_sass_value_role role)
{
    return ifl_sass_value(l->instruction, role);
}

/* ---- barrier objects ------------------------------------------------------------------------- */

static ifl_mbarrier_op *new_object(ifl_sass_lowerer *l)
{
    ifl_mbarrier_op *op = ifl_sass_lower_allocate(l, sizeof *op);
    if (!op)
        return NULL;
    op->at = (ifl_transfer){.space = IFL_SPACE_CLUSTER, .kind = IFL_ACCESS_ATOMIC, .elements = 1};
    op->is_planes = true;
    ifl_sass_lower_address(l, operand(l, IFL_SASS_ROLE_ADDRESS), &op->at);
    return op;
}

static bool is_sink(const ifl_sass_operand *d)
{
    return !d || d->index == IFL_SASS_NO_REGISTER;
}

/* A step whose arrivals are counted. */
static void emit_counted(ifl_sass_lowerer *l, ifl_operation operation, const ifl_mbarrier_op *op)
{
    ifl_code *code = ifl_sass_emit(l, operation);
    code->extra = op;
    l->image->sites.at[code->site].is_counted = true;
}

/* A1T0: one arrives; AR: as many as the register says. T0, T1, TR: so many bytes are expected; TX:
 * have come. Without a word one arrives and the register's bytes are expected. */
static void set_amounts(ifl_sass_lowerer *l, ifl_mbarrier_op *op)
{
    const uint32_t data = ifl_sass_lower_source(l, operand(l, IFL_SASS_ROLE_DATA), 1);
    switch (value(l, IFL_SASS_VALUE_COUNTED)) {
    case IFL_SASS_WORD_A1T0:
        op->fixed_arrivals = 1;
        break;
    case IFL_SASS_WORD_ART0:
        op->arrivals = data;
        break;
    case IFL_SASS_WORD_A0T1:
        op->bytes = ifl_builder_constant(&l->build, 1, 32);
        break;
    case IFL_SASS_WORD_A0TR:
        op->bytes = data;
        break;
    case IFL_SASS_WORD_A0TX:
        op->bytes = data;
        op->completes = true;
        break;
    default:
        op->fixed_arrivals = 1;
        op->bytes = data;
    }
}

static void lower_arrive(ifl_sass_lowerer *l)
{
    const ifl_sass_operand *d = operand(l, IFL_SASS_ROLE_DESTINATION);
    ifl_mbarrier_op *op = new_object(l);
    if (!op)
        return;
    set_amounts(l, op);
    op->drops = value(l, IFL_SASS_VALUE_OPT_OUT) == IFL_SASS_WORD_OPTOUT;
    op->tells_lanes = value(l, IFL_SASS_VALUE_RESULT) == IFL_SASS_WORD_TMASK;
    op->has_d = !is_sink(d);
    op->d = ifl_sass_lower_destination(l, d);
    emit_counted(l, IFL_CODE_mbarrier_update, op);
}

static void lower_check(ifl_sass_lowerer *l)
{
    enum { UPPER_WORD = 32 };
    ifl_mbarrier_op *op = new_object(l);
    if (!op)
        return;
    op->state = ifl_sass_lower_source(l, operand(l, IFL_SASS_ROLE_DATA), 1);
    op->state_bits = UPPER_WORD;
    op->d = ifl_sass_lower_predicate_out(l, operand(l, IFL_SASS_ROLE_PREDICATE_OUT));
    emit_counted(l, IFL_CODE_mbarrier_wait, op);
}

static void lower_set(ifl_sass_lowerer *l, bool ends)
{
    const ifl_sass_operand *d = operand(l, IFL_SASS_ROLE_DESTINATION);
    ifl_mbarrier_op *op = new_object(l);
    if (!op)
        return;
    op->state = ends ? 0 : ifl_sass_lower_source(l, operand(l, IFL_SASS_ROLE_DATA), 2);
    op->has_d = !ends && !is_sink(d);
    op->d = ifl_sass_lower_destination(l, d);
    ifl_sass_emit(l, IFL_CODE_mbarrier_set)->extra = op;
}

void ifl_sass_lower_syncs(ifl_sass_lowerer *l)
{
    switch (value(l, IFL_SASS_VALUE_OPERATION)) {
    case IFL_SASS_WORD_ARRIVE:
        lower_arrive(l);
        break;
    case IFL_SASS_WORD_PHASECHK:
        lower_check(l);
        break;
    case IFL_SASS_WORD_EXCH:
        lower_set(l, false);
        break;
    case IFL_SASS_WORD_IV:
        lower_set(l, true);
        break;
    default:
        ifl_sass_lower_nothing(l);
    }
}

/* Rpc.LO and Rpc.HI keep a state beside the registers. */
void ifl_sass_lower_return_place(ifl_sass_lowerer *l)
{
    const ifl_sass_operand *d = operand(l, IFL_SASS_ROLE_DESTINATION),
                           *a = operand(l, IFL_SASS_ROLE_A);
    const bool to_place = d && d->kind == IFL_SASS_SPECIAL;
    const ifl_sass_operand *place = to_place ? d : a;
    const uint32_t slot = l->return_place + (place && place->value ? IFL_PLANE_BYTES : 0),
                   other =
                       to_place ? ifl_sass_lower_source(l, a, 1) : ifl_sass_lower_destination(l, d);
    ifl_code *code = ifl_sass_emit(l, IFL_CODE_move32);
    code->a = to_place ? other : slot;
    code->d = to_place ? slot : other;
}

/* cp.async.mbarrier.arrive: the copies are done here. TRANSCNT: SYNCS.ARRIVE.A0T1 has expected one
 * byte. Before sm_90 an object is changed by atomic operations. */
void ifl_sass_lower_arrives(ifl_sass_lowerer *l)
{
    enum { FIRST_OBJECTS = 90 };
    ifl_sass_emit(l, IFL_CODE_copy_wait)->value = 1;
    if (l->instruction->sm < FIRST_OBJECTS) {
        ifl_sass_lower_atomic(l);
        return;
    }
    const bool counts_bytes = value(l, IFL_SASS_VALUE_COUNTED) == IFL_SASS_WORD_TRANSCNT;
    ifl_mbarrier_op *op = new_object(l);
    if (!op)
        return;
    op->completes = counts_bytes;
    op->bytes = counts_bytes ? ifl_builder_constant(&l->build, 1, 32) : 0;
    op->fixed_arrivals = counts_bytes ? 0 : 1;
    emit_counted(l, IFL_CODE_mbarrier_update, op);
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Of copies by lanes (LDGDEPBAR) and of bulk copies (UTMACMDFLUSH). */
void ifl_sass_lower_copy_group(ifl_sass_lowerer *l)
{
    ifl_sass_emit(l, IFL_CODE_copy_commit);
}

void ifl_sass_lower_bulk_group(ifl_sass_lowerer *l)
{
    ifl_sass_emit(l, IFL_CODE_bulk_commit)->value = 1;
}

/* Whatever the guard says, where it is no DEPBAR. */
static void wait_for_group(ifl_sass_lowerer *l, unsigned operation, uint32_t left, bool is_guarded)
{
    ifl_code *code = ifl_sass_emit(l, operation);
    code->count = left;
    code->value = operation == IFL_CODE_bulk_wait;
    if (is_guarded)
        return;
    code->guard = IFL_PREDICATE_TRUE;
    code->guard_flip = 0;
}

void ifl_sass_lower_wait_for_groups(ifl_sass_lowerer *l, uint8_t boards, uint32_t left,
                                    bool is_guarded)
{
    if (boards & l->copy_boards)
        wait_for_group(l, IFL_CODE_copy_wait, left, is_guarded);
    if (boards & l->bulk_boards)
        wait_for_group(l, IFL_CODE_bulk_wait, left, is_guarded);
}

/* DEPBAR.LE SB0, 1, {3,2}: until at most one is left of the first, and none of the others. */
void ifl_sass_lower_group_wait(ifl_sass_lowerer *l)
{
    const ifl_sass_operand *board = operand(l, IFL_SASS_ROLE_BARRIER),
                           *left = operand(l, IFL_SASS_ROLE_COUNT),
                           *others = operand(l, IFL_SASS_ROLE_MASK);
    const size_t start = l->build.code.count;
    if (board && left)
        ifl_sass_lower_wait_for_groups(l, (uint8_t)(1u << board->index), (uint32_t)left->value,
                                       true);
    if (others)
        ifl_sass_lower_wait_for_groups(l, (uint8_t)others->value, 0, true);
    if (l->build.code.count == start)
        ifl_sass_lower_nothing(l);
}

/* ---- bulk copies ----------------------------------------------------------------------------- */

/* [UR + words]: 32 bits of an address of shared memory, 64 of one of global memory. */
static void set_end(ifl_sass_lowerer *l, const ifl_sass_operand *at, unsigned word, uint8_t space,
                    uint8_t kind, ifl_transfer *t)
{
    enum { CHUNK = 16 };
    if (!at || at->kind != IFL_SASS_MEMORY || at->uniform == IFL_SASS_NO_REGISTER) {
        ifl_sass_refuse(l, "an address is wanted");
        return;
    }
    *t = (ifl_transfer){
        .space = space, .kind = kind, .bytes = CHUNK, .element_bytes = CHUNK, .elements = 1};
    t->uniform = ifl_sass_uniform_slot(l, at->uniform) + word * IFL_PLANE_BYTES;
    t->uniform_form = space == IFL_SPACE_GLOBAL ? IFL_ADDRESS_PAIR : IFL_ADDRESS_32;
}

static uint8_t space_of(ifl_sass_word word)
{
    return word == IFL_SASS_WORD_S ? IFL_SPACE_SHARED : IFL_SPACE_GLOBAL;
}

/* What is copied to may be another block's. */
static uint8_t of_cluster(uint8_t space)
{
    return space == IFL_SPACE_SHARED ? IFL_SPACE_CLUSTER : space;
}

static const struct {
    uint16_t word;
    uint8_t operation;
} operations[] = {
    {IFL_SASS_WORD_ADD, IFL_OPERATION_ADD}, {IFL_SASS_WORD_MIN, IFL_OPERATION_MIN},
    {IFL_SASS_WORD_MAX, IFL_OPERATION_MAX}, {IFL_SASS_WORD_INC, IFL_OPERATION_INC},
    {IFL_SASS_WORD_DEC, IFL_OPERATION_DEC}, {IFL_SASS_WORD_AND, IFL_OPERATION_AND},
    {IFL_SASS_WORD_OR, IFL_OPERATION_OR},   {IFL_SASS_WORD_XOR, IFL_OPERATION_XOR},
};

static const struct {
    uint16_t word;
    uint8_t type;
} types[] = {
    {IFL_SASS_WORD_U32, IFL_TYPE_U32}, {IFL_SASS_WORD_S32, IFL_TYPE_S32},
    {IFL_SASS_WORD_U64, IFL_TYPE_U64}, {IFL_SASS_WORD_S64, IFL_TYPE_S64},
    {IFL_SASS_WORD_F16, IFL_TYPE_F16}, {IFL_SASS_WORD_BF16, IFL_TYPE_BF16},
    {IFL_SASS_WORD_F32, IFL_TYPE_F32}, {IFL_SASS_WORD_F64, IFL_TYPE_F64},
};

static uint8_t operation_of(const ifl_sass_lowerer *l)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].word == value(l, IFL_SASS_VALUE_OPERATION))
            return operations[i].operation;
    return 0;
}

static void set_reduction(ifl_sass_lowerer *l, ifl_bulk_op *op)
{
    op->operation = operation_of(l);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].word == value(l, IFL_SASS_VALUE_TYPE))
            op->type = types[i].type;
    if (!op->operation || !op->type || value(l, IFL_SASS_VALUE_DENORMALS) == IFL_SASS_WORD_FTZ)
        ifl_sass_refuse(l, "of this operation or type");
    l->image->demands.ordered = true; /* sums of floats show in which order blocks ran */
}

/* [R to, R barrier] and what is added to the first, R value. */
static void set_pair(ifl_sass_lowerer *l, const ifl_sass_operand *at, ifl_bulk_op *op)
{
    enum { BITS_64 = 64 };
    op->to = (ifl_transfer){.space = IFL_SPACE_CLUSTER, .kind = IFL_ACCESS_STORE, .elements = 1};
    op->barrier =
        (ifl_transfer){.space = IFL_SPACE_CLUSTER, .kind = IFL_ACCESS_ATOMIC, .elements = 1};
    ifl_sass_lower_address(l, at, &op->to);
    if (!at || at->base == IFL_SASS_NO_REGISTER || at->scale != BITS_64) {
        ifl_sass_refuse(l, "without the barrier's address");
        return;
    }
    op->to.scale = 0;
    op->barrier.form = IFL_ADDRESS_32;
    op->barrier.address = ifl_sass_register_slot(l, at->base + 1u);
}

static uint8_t reduced_type(const ifl_sass_lowerer *l)
{
    const ifl_sass_word type = value(l, IFL_SASS_VALUE_TYPE);
    return type == IFL_SASS_WORD_B64   ? IFL_TYPE_U64
           : type == IFL_SASS_WORD_S32 ? IFL_TYPE_S32
                                       : IFL_TYPE_U32;
}

/* STAS, REDAS. */
void ifl_sass_lower_async_value(ifl_sass_lowerer *l)
{
    enum { WORD = 4 };
    const bool reduces = l->instruction->op == IFL_SASS_OP_REDAS;
    const ifl_sass_word type = value(l, IFL_SASS_VALUE_TYPE),
                        width = value(l, IFL_SASS_VALUE_WIDTH);
    const unsigned words = reduces ? (type == IFL_SASS_WORD_B64 ? 2 : 1)
                                   : (width == IFL_SASS_WORD_B128  ? 4
                                      : width == IFL_SASS_WORD_B64 ? 2
                                                                   : 1);
    ifl_bulk_op *op = ifl_sass_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    set_pair(l, operand(l, IFL_SASS_ROLE_ADDRESS), op);
    const uint32_t data = ifl_sass_lower_source(l, operand(l, IFL_SASS_ROLE_DATA), words);
    op->kind = IFL_BULK_VALUE;
    op->has_barrier = true;
    op->operation = reduces ? operation_of(l) : 0;
    op->type = reduces ? reduced_type(l) : 0;
    op->from = (ifl_transfer){.element_bytes = WORD,
                              .slot_bytes = WORD,
                              .elements = (uint8_t)words,
                              .bytes = (uint8_t)(words * WORD)};
    op->to.bytes = op->to.element_bytes = op->from.bytes;
    for (unsigned e = 0; e < words; e++)
        op->from.data[e] = data + e * IFL_PLANE_BYTES;
    ifl_sass_emit(l, IFL_CODE_bulk_copy)->extra = op;
}

/* [UR to, UR barrier], [UR from], UR: the lower half counts units of 16 bytes, the upper half tells
 * blocks of the cluster, or which bytes of each unit are written. */
void ifl_sass_lower_bulk_copy(ifl_sass_lowerer *l)
{
    enum { SIZE_MASK = 0xffff, UNIT_SHIFT = 4, UPPER_HALF = 16 };
    const ifl_sass_operand *to = operand(l, IFL_SASS_ROLE_ADDRESS);
    const uint8_t to_space = space_of(value(l, IFL_SASS_VALUE_SPACE)),
                  from_space = space_of(value(l, IFL_SASS_VALUE_SPACE2));
    ifl_bulk_op *op = ifl_sass_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    set_end(l, to, 0, of_cluster(to_space), IFL_ACCESS_STORE, &op->to);
    set_end(l, operand(l, IFL_SASS_ROLE_ADDRESS2), 0, from_space, IFL_ACCESS_LOAD, &op->from);
    op->has_barrier = to_space == IFL_SPACE_SHARED;
    if (op->has_barrier)
        set_end(l, to, 1, IFL_SPACE_CLUSTER, IFL_ACCESS_ATOMIC, &op->barrier);
    op->size = ifl_sass_lower_source(l, operand(l, IFL_SASS_ROLE_COUNT), 1);
    op->size_mask = SIZE_MASK;
    op->size_shift = UNIT_SHIFT;
    op->is_once = true;
    if (value(l, IFL_SASS_VALUE_MULTICAST) == IFL_SASS_WORD_MULTICAST) {
        op->multicast = op->size;
        op->multicast_shift = UPPER_HALF;
    }
    if (value(l, IFL_SASS_VALUE_BYTE_MASK) == IFL_SASS_WORD_DST_G_BYTE_MASK) {
        op->byte_mask = op->size;
        op->byte_mask_shift = UPPER_HALF;
        op->has_byte_mask = true;
    }
    if (l->instruction->op == IFL_SASS_OP_UBLKRED)
        set_reduction(l, op);
    ifl_sass_emit(l, IFL_CODE_bulk_copy)->extra = op;
}

static uint8_t rank_of(ifl_sass_word word)
{
    static const uint16_t words[IFL_BULK_RANKS] = {IFL_SASS_WORD_DIM1, IFL_SASS_WORD_DIM2,
                                                   IFL_SASS_WORD_DIM3, IFL_SASS_WORD_DIM4,
                                                   IFL_SASS_WORD_DIM5};
    for (unsigned i = 0; i < IFL_BULK_RANKS; i++)
        if (words[i] == word)
            return (uint8_t)(i + 1);
    return 0;
}

/* Loads: [UR to, UR barrier, UR coordinates ...]; stores: [UR from, UR coordinates ...]; [UR
 * description]; UR: offsets of im2col (one of 16 bits, two of 8, three of 5; of .W a halo of 11 bits
 * and an offset of 5), in the upper half blocks of the cluster. */
void ifl_sass_lower_box_copy(ifl_sass_lowerer *l)
{
    enum { UPPER_HALF = 16, HALO_BITS = 11 };
    const bool loads = l->instruction->op == IFL_SASS_OP_UTMALDG;
    const ifl_sass_operand *shared = operand(l, IFL_SASS_ROLE_ADDRESS),
                           *map = operand(l, IFL_SASS_ROLE_ADDRESS2);
    const ifl_sass_word image = value(l, IFL_SASS_VALUE_IMAGE);
    ifl_bulk_op *op = ifl_sass_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    op->kind = IFL_BULK_BOX;
    set_end(l, shared, 0, loads ? IFL_SPACE_CLUSTER : IFL_SPACE_SHARED,
            loads ? IFL_ACCESS_STORE : IFL_ACCESS_LOAD, loads ? &op->to : &op->from);
    set_end(l, map, 0, IFL_SPACE_GLOBAL, loads ? IFL_ACCESS_LOAD : IFL_ACCESS_STORE,
            loads ? &op->from : &op->to);
    op->has_barrier = loads;
    if (loads)
        set_end(l, shared, 1, IFL_SPACE_CLUSTER, IFL_ACCESS_ATOMIC, &op->barrier);
    op->rank = rank_of(value(l, IFL_SASS_VALUE_DIMENSIONS));
    op->wide = image == IFL_SASS_WORD_W      ? IFL_TENSOR_WIDE
               : image == IFL_SASS_WORD_W128 ? IFL_TENSOR_WIDE_128
                                             : IFL_TENSOR_NOT_WIDE;
    op->is_image = op->wide || image == IFL_SASS_WORD_IM2COL;
    op->are_lines = image == IFL_SASS_WORD_GATHER4 || image == IFL_SASS_WORD_SCATTER4;
    op->is_pair = value(l, IFL_SASS_VALUE_CTAS) == IFL_SASS_WORD_CTAS2;
    op->is_once = true;
    for (unsigned i = 0; i < op->rank + (op->are_lines ? IFL_BULK_LINES - 1u : 0) && !l->refused;
         i++)
        op->coordinates[i] =
            ifl_sass_uniform_slot(l, shared->uniform) + (i + (loads ? 2 : 1)) * IFL_PLANE_BYTES;
    op->packed_bits = op->wide ? HALO_BITS : op->rank == 5 ? 5 : op->rank == 4 ? 8 : 16;
    op->offsets[0] = ifl_sass_lower_source(l, operand(l, IFL_SASS_ROLE_COUNT), 1);
    if (value(l, IFL_SASS_VALUE_MULTICAST) == IFL_SASS_WORD_MULTICAST) {
        op->multicast = op->offsets[0];
        op->multicast_shift = UPPER_HALF;
    }
    if (l->instruction->op == IFL_SASS_OP_UTMAREDG && !(op->operation = operation_of(l)))
        ifl_sass_refuse(l, "of this operation");
    l->image->demands.ordered |= op->operation != 0;
    if (!op->rank ||
        (image != IFL_SASS_WORD_ABSENT && image != IFL_SASS_WORD_OFF && !op->is_image &&
         !op->are_lines) ||
        (op->is_image && op->rank < 3) || (op->are_lines && op->rank != 2))
        ifl_sass_refuse(l, "of this mode");
    ifl_sass_emit(l, IFL_CODE_bulk_copy)->extra = op;
}

/* [UR to], [UR barrier]. The request for a block that has not started is never granted: the answer
 * of 16 bytes is 0, which says so (bit 64, as ptxas tests it). */
void ifl_sass_lower_next_block(ifl_sass_lowerer *l)
{
    enum { WORD = 4, WORDS = 4 };
    const ifl_sass_operand *to = operand(l, IFL_SASS_ROLE_ADDRESS);
    ifl_bulk_op *op = ifl_sass_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    set_end(l, to, 0, IFL_SPACE_CLUSTER, IFL_ACCESS_STORE, &op->to);
    set_end(l, to, 1, IFL_SPACE_CLUSTER, IFL_ACCESS_ATOMIC, &op->barrier);
    op->kind = IFL_BULK_VALUE;
    op->has_barrier = true;
    op->is_once = true;
    op->for_all = value(l, IFL_SASS_VALUE_MULTICAST) == IFL_SASS_WORD_BROADCAST;
    op->from = (ifl_transfer){
        .element_bytes = WORD, .slot_bytes = WORD, .elements = WORDS, .bytes = WORD * WORDS};
    for (unsigned e = 0; e < WORDS; e++)
        op->from.data[e] = l->zeros;
    ifl_sass_emit(l, IFL_CODE_bulk_copy)->extra = op;
}

/* ---- zeros ----------------------------------------------------------------------------------- */

void ifl_sass_lower_shared_fill(ifl_sass_lowerer *l)
{
    enum { UNIT = 8 };
    const ifl_sass_operand *at = operand(l, IFL_SASS_ROLE_ADDRESS);
    ifl_fill_op *op = ifl_sass_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    set_end(l, at, 0, IFL_SPACE_CLUSTER, IFL_ACCESS_STORE, &op->to);
    op->to.offset = at ? at->value : 0;
    op->count = ifl_sass_lower_source(l, operand(l, IFL_SASS_ROLE_COUNT), 1);
    op->count_bits = 32;
    op->unit_bytes = UNIT;
    op->is_once = true;
    ifl_sass_emit(l, IFL_CODE_shared_fill)->extra = op;
}
