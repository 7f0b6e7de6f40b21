/* SPDX-License-Identifier: Apache-2.0
 * Lowering of what lanes and warps do together, of special registers, and of what computes with
 * predicates. */
#include "sass/sass_lowerer.h"

static const ifl_sass_operand *operand(const ifl_sass_lowerer *l, ifl_sass_role role)
{
    return ifl_sass_lower_operand(l, role);
}

static ifl_sass_word operation(const ifl_sass_lowerer *l)
{
    return ifl_sass_value(l->instruction, IFL_SASS_VALUE_OPERATION);
}

static void emit_exchange(ifl_sass_lowerer *l, const ifl_exchange *wanted)
{
    ifl_exchange *op = ifl_sass_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    *op = *wanted;
    ifl_sass_emit(l, IFL_CODE_exchange)->extra = op;
}

static bool is_sink(const ifl_sass_operand *d)
{
    return !d || d->index == IFL_SASS_NO_REGISTER;
}

/* ---- lanes of a warp ------------------------------------------------------------------------- */

void ifl_sass_lower_shuffle(ifl_sass_lowerer *l)
{
    const ifl_sass_word mode = operation(l);
    emit_exchange(
        l, &(ifl_exchange){
               .kind = mode == IFL_SASS_WORD_UP     ? IFL_EXCHANGE_SHUFFLE_UP
                       : mode == IFL_SASS_WORD_DOWN ? IFL_EXCHANGE_SHUFFLE_DOWN
                       : mode == IFL_SASS_WORD_BFLY ? IFL_EXCHANGE_SHUFFLE_BUTTERFLY
                                                    : IFL_EXCHANGE_SHUFFLE_INDEX,
               .bytes = 4,
               .a = ifl_sass_lower_source(l, operand(l, IFL_SASS_ROLE_A), 1),
               .b = ifl_sass_lower_source(l, operand(l, IFL_SASS_ROLE_INDEX), 1),
               .c = ifl_sass_lower_source(l, operand(l, IFL_SASS_ROLE_CLAMP), 1),
               .d = ifl_sass_lower_destination(l, operand(l, IFL_SASS_ROLE_DESTINATION)),
               .p = ifl_sass_lower_predicate_out(l, operand(l, IFL_SASS_ROLE_PREDICATE_OUT))});
}

/* The ballot goes to a register, what all, any or equally all have to a predicate. */
void ifl_sass_lower_vote(ifl_sass_lowerer *l)
{
    const ifl_sass_operand *d = operand(l, IFL_SASS_ROLE_DESTINATION),
                           *p = operand(l, IFL_SASS_ROLE_PREDICATE_OUT);
    const ifl_sass_word mode = operation(l);
    ifl_exchange op = {.kind = mode == IFL_SASS_WORD_ALL_LANES ? IFL_EXCHANGE_VOTE_ALL
                               : mode == IFL_SASS_WORD_ANY     ? IFL_EXCHANGE_VOTE_ANY
                                                               : IFL_EXCHANGE_VOTE_UNIFORM,
                       .bytes = 4,
                       .p = IFL_PREDICATE_SINK,
                       .is_uniform = l->instruction->op == IFL_SASS_OP_VOTEU};
    op.a = ifl_sass_lower_predicate(l, operand(l, IFL_SASS_ROLE_PREDICATE_IN), true, &op.flip);
    op.d = ifl_sass_lower_predicate_out(l, p);
    ifl_exchange ballot = op;
    ballot.kind = IFL_EXCHANGE_VOTE_BALLOT;
    ballot.d = ifl_sass_lower_destination(l, d);
    if (!is_sink(d))
        emit_exchange(l, &ballot);
    if (op.d != IFL_PREDICATE_SINK || is_sink(d))
        emit_exchange(l, &op);
}

void ifl_sass_lower_match(ifl_sass_lowerer *l)
{
    const bool is_wide = ifl_sass_is(l, IFL_SASS_VALUE_TYPE, IFL_SASS_WORD_U64);
    emit_exchange(
        l, &(ifl_exchange){
               .kind = operation(l) == IFL_SASS_WORD_ANY ? IFL_EXCHANGE_MATCH_ANY
                                                         : IFL_EXCHANGE_MATCH_ALL,
               .bytes = is_wide ? 8 : 4,
               .is_planes = true,
               .a = ifl_sass_lower_source(l, operand(l, IFL_SASS_ROLE_A), is_wide ? 2 : 1),
               .d = ifl_sass_lower_destination(l, operand(l, IFL_SASS_ROLE_DESTINATION)),
               .p = ifl_sass_lower_predicate_out(l, operand(l, IFL_SASS_ROLE_PREDICATE_OUT))});
}

void ifl_sass_lower_reduce(ifl_sass_lowerer *l)
{
    const ifl_sass_word how = operation(l),
                        type = ifl_sass_value(l->instruction, IFL_SASS_VALUE_TYPE);
    const bool is_max = how == IFL_SASS_WORD_MAX || how == IFL_SASS_WORD_MAXABS;
    const bool is_min = how == IFL_SASS_WORD_MIN || how == IFL_SASS_WORD_MINABS;
    emit_exchange(l, &(ifl_exchange){
                         .kind = IFL_EXCHANGE_REDUCE,
                         .operation = is_max                     ? IFL_OPERATION_MAX
                                      : is_min                   ? IFL_OPERATION_MIN
                                      : how == IFL_SASS_WORD_SUM ? IFL_OPERATION_ADD
                                      : how == IFL_SASS_WORD_OR  ? IFL_OPERATION_OR
                                      : how == IFL_SASS_WORD_XOR ? IFL_OPERATION_XOR
                                                                 : IFL_OPERATION_AND,
                         .type = type == IFL_SASS_WORD_F32   ? IFL_TYPE_F32
                                 : type == IFL_SASS_WORD_S32 ? IFL_TYPE_S32
                                                             : IFL_TYPE_U32,
                         .bytes = 4,
                         .absolute = how == IFL_SASS_WORD_MAXABS || how == IFL_SASS_WORD_MINABS,
                         .keeps_nan = ifl_sass_is(l, IFL_SASS_VALUE_NAN_RULE, IFL_SASS_WORD_NAN),
                         .is_uniform = true,
                         .a = ifl_sass_lower_source(l, operand(l, IFL_SASS_ROLE_A), 1),
                         .d = ifl_sass_lower_destination(l, operand(l, IFL_SASS_ROLE_DESTINATION)),
                         .p = IFL_PREDICATE_SINK});
}

/* Of the active lanes; a mask in a uniform register, or a predicate, may leave some out. */
void ifl_sass_lower_elect(ifl_sass_lowerer *l)
{
    const ifl_sass_operand *d = operand(l, IFL_SASS_ROLE_DESTINATION);
    if (operand(l, IFL_SASS_ROLE_A) || !ifl_sass_is_true(operand(l, IFL_SASS_ROLE_PREDICATE_IN))) {
        ifl_sass_refuse(l, "of some of the lanes");
        return;
    }
    emit_exchange(l, &(ifl_exchange){.kind = IFL_EXCHANGE_ELECT,
                                     .bytes = 4,
                                     .is_uniform = !is_sink(d),
                                     .d = ifl_sass_lower_destination(l, d),
                                     .p = ifl_sass_lower_predicate_out(
                                         l, operand(l, IFL_SASS_ROLE_PREDICATE_OUT))});
}

void ifl_sass_lower_to_uniform(ifl_sass_lowerer *l)
{
    const uint32_t a = ifl_sass_lower_source(l, operand(l, IFL_SASS_ROLE_A), 1);
    const uint32_t d = ifl_sass_lower_destination(l, operand(l, IFL_SASS_ROLE_DESTINATION));
    const uint32_t p = ifl_sass_lower_predicate_out(l, operand(l, IFL_SASS_ROLE_PREDICATE_OUT));
    ifl_code *code = ifl_sass_emit(l, IFL_CODE_broadcast);
    code->e = p;
    code->a = a, code->d = d;
    code->count = operation(l) == IFL_SASS_WORD_OR;
}

/* ---- barriers of the block ------------------------------------------------------------------- */

/* One register for both has the number in its lowest 4 bits and the count from bit 16 on: ptxas puts
 * it together so (SHF.L.U32 by 16, LOP3 with 0xf) for a barrier whose number is not known, and with
 * a count of 0 for one of all threads that parted lanes may reach (between WARPSYNC.COLLECTIVE and
 * ENDCOLLECTIVE). */
/* What ptxas makes of bar.sync, and never of barrier.sync where lanes may be apart: up to sm_89 that
 * has no DEFER_BLOCKING, and from sm_90 on its number is in a register then. Code of sm_75 has
 * neither. */
static bool is_aligned(const ifl_sass_lowerer *l, const ifl_sass_operand *id)
{
    return ifl_sass_value(l->instruction, IFL_SASS_VALUE_DEFER) == IFL_SASS_WORD_DEFER_BLOCKING &&
           id->kind == IFL_SASS_IMMEDIATE;
}

void ifl_sass_lower_barrier(ifl_sass_lowerer *l)
{
    const ifl_sass_operand *id = operand(l, IFL_SASS_ROLE_BARRIER),
                           *count = operand(l, IFL_SASS_ROLE_COUNT);
    const ifl_sass_word what = operation(l),
                        function = ifl_sass_value(l->instruction, IFL_SASS_VALUE_FUNCTION);
    ifl_barrier_op *op = ifl_sass_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    if (what == IFL_SASS_WORD_SCAN || what == IFL_SASS_WORD_SYNCALL) {
        ifl_sass_refuse(l, "of this kind");
        return;
    }
    const bool is_packed =
        id->kind == IFL_SASS_REGISTER && count && count->kind == IFL_SASS_REGISTER;
    const bool has_count =
        count && (count->kind == IFL_SASS_IMMEDIATE ? count->value != 0 : !is_sink(count));
    const uint32_t slot = ifl_sass_lower_source(l, id, 1);
    *op = (ifl_barrier_op){.waits = what != IFL_SASS_WORD_ARV,
                           .is_aligned = is_aligned(l, id),
                           .id = slot,
                           .count = is_packed   ? slot
                                    : has_count ? ifl_sass_lower_source(l, count, 1)
                                                : 0,
                           .result = l->barrier_result};
    if (what == IFL_SASS_WORD_RED) {
        op->operation = function == IFL_SASS_WORD_AND  ? IFL_OPERATION_AND
                        : function == IFL_SASS_WORD_OR ? IFL_OPERATION_OR
                                                       : IFL_OPERATION_POPC;
        op->predicate =
            ifl_sass_lower_predicate(l, operand(l, IFL_SASS_ROLE_PREDICATE_IN), true, &op->flip);
    }
    ifl_code *code = ifl_sass_emit_stop(l, IFL_REASON_BARRIER);
    code->extra = op;
    l->image->sites.at[code->site].is_counted = op->count != 0;
}

void ifl_sass_lower_cluster_barrier(ifl_sass_lowerer *l)
{
    ifl_barrier_op *op = ifl_sass_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    *op = (ifl_barrier_op){.is_cluster = true,
                           .waits = l->instruction->op == IFL_SASS_OP_UCGABAR_WAIT};
    ifl_sass_emit_stop(l, IFL_REASON_BARRIER)->extra = op;
}

void ifl_sass_lower_barrier_result(ifl_sass_lowerer *l)
{
    const ifl_sass_operand *d = operand(l, IFL_SASS_ROLE_DESTINATION);
    const uint32_t p = ifl_sass_lower_predicate_out(l, operand(l, IFL_SASS_ROLE_PREDICATE_OUT));
    if (operation(l) != IFL_SASS_WORD_RESULT) {
        ifl_sass_refuse(l, "of a barrier's state");
        return;
    }
    const uint32_t to = ifl_sass_lower_destination(l, d);
    ifl_code *code = ifl_sass_emit(l, IFL_CODE_move32);
    code->a = l->barrier_result, code->d = to;
    code = ifl_sass_emit(l, IFL_CODE_nonzero);
    code->a = l->barrier_result, code->d = p;
    code->c = IFL_PREDICATE_TRUE;
    code->count = IFL_COMBINE_AND;
}

/* ---- special registers ----------------------------------------------------------------------- */

typedef enum source_kind {
    IS_UNKNOWN,
    IS_SPECIAL,
    IS_VALUE,
    IS_WARPS /* of an SM, shifted left by the value */
} source_kind;

typedef struct special_register {
    uint8_t number;
    uint8_t kind;
    uint32_t value; /* ifl_special, or the number itself */
} special_register;

static special_register find_special(unsigned number)
{
    static const special_register table[] = {
#define SPECIAL_REGISTER(number, text, architectures, kind, value) {number, IS_##kind, value},
#include "sass/table/special_register.def"
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].number == number)
            return table[i];
    return (special_register){0};
}

static void emit_special(ifl_sass_lowerer *l, ifl_special special, uint32_t d)
{
    if (ifl_special_changes(special) == IFL_WHEN_NOW) {
        l->image->demands.ordered = l->image->demands.reads_clock =
            true; /* clocks tell in which order blocks ran */
        ifl_code *code = ifl_sass_emit(l, IFL_CODE_special);
        code->d = d;
        code->value = special;
        return;
    }
    l->image->demands.has_ranks |= special == IFL_SPECIAL_CLUSTER_CTARANK;
    const bool is_uniform =
        l->instruction->op == IFL_SASS_OP_S2UR && ifl_special_changes(special) == IFL_WHEN_LANE;
    const uint32_t from = ifl_builder_special(&l->build, special);
    ifl_code *code = ifl_sass_emit(l, is_uniform ? IFL_CODE_broadcast : IFL_CODE_move32);
    code->a = from, code->d = d;
}

static void emit_value(ifl_sass_lowerer *l, uint64_t value, uint32_t d)
{
    const uint32_t from = ifl_builder_constant(&l->build, value, 32);
    ifl_code *code = ifl_sass_emit(l, IFL_CODE_move32);
    code->a = from, code->d = d;
}

/* CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". */
static uint32_t warps_of_sm(uint32_t sm)
{
    static const struct {
        uint16_t sm, warps;
    } most[] = {{75, 32}, {86, 48}, {87, 48}, {89, 48}, {120, 48}, {121, 48}};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++)
        if (most[i].sm == sm)
            return most[i].warps;
    return 64;
}

static void move_special(ifl_sass_lowerer *l, unsigned number, uint32_t d)
{
    const special_register from = find_special(number);
    if (from.kind == IS_SPECIAL)
        emit_special(l, (ifl_special)from.value, d);
    else if (from.kind == IS_VALUE)
        emit_value(l, from.value, d);
    else if (from.kind == IS_WARPS)
        emit_value(l, warps_of_sm(l->instruction->sm) << from.value, d);
    else
        ifl_sass_refuse(l, "the meaning of this register is not known");
}

/* A wide one is two that stand side by side. */
void ifl_sass_lower_special(ifl_sass_lowerer *l)
{
    enum { ZERO = 255 };
    const ifl_sass_operand *from = operand(l, IFL_SASS_ROLE_A),
                           *to = operand(l, IFL_SASS_ROLE_DESTINATION);
    const uint32_t d = ifl_sass_lower_destination(l, to);
    const unsigned number = from ? (unsigned)from->value : 0;
    move_special(l, number, d);
    if (ifl_sass_is(l, IFL_SASS_VALUE_WIDTH, IFL_SASS_WORD_B64))
        move_special(l, number == ZERO ? ZERO : number + 1, d + IFL_PLANE_BYTES);
}

/* ---- predicates ------------------------------------------------------------------------------ */

void ifl_sass_lower_predicate_logic(ifl_sass_lowerer *l)
{
    enum { TABLE_BITS = 8 };
    const ifl_sass_operand *first = operand(l, IFL_SASS_ROLE_LUT),
                           *second = operand(l, IFL_SASS_ROLE_LUT2);
    uint32_t flip[3];
    const uint32_t a = ifl_sass_lower_predicate(l, operand(l, IFL_SASS_ROLE_PREDICATE_IN), true,
                                                &flip[0]),
                   b = ifl_sass_lower_predicate(l, operand(l, IFL_SASS_ROLE_PREDICATE_IN2), true,
                                                &flip[1]),
                   c = ifl_sass_lower_predicate(l, operand(l, IFL_SASS_ROLE_PREDICATE_IN3), true,
                                                &flip[2]);
    if (operand(l, IFL_SASS_ROLE_A) || !first || !second) { /* of the signs of registers */
        ifl_sass_lower_lane(l);
        return;
    }
    ifl_code *code = ifl_sass_emit(l, IFL_CODE_predicates);
    code->a = a, code->b = b, code->c = c;
    code->d = ifl_sass_lower_predicate_out(l, operand(l, IFL_SASS_ROLE_PREDICATE_OUT));
    code->e = ifl_sass_lower_predicate_out(l, operand(l, IFL_SASS_ROLE_PREDICATE_OUT2));
    code->value = (uint64_t)first->value | (uint64_t)second->value << TABLE_BITS;
    code->count = (flip[0] & 1) | (flip[1] & 2) | (flip[2] & 4);
}

static uint32_t first_predicate(const ifl_sass_lowerer *l)
{
    return ifl_sass_is_uniform(l) ? l->uniform_predicates : l->predicates;
}

static uint32_t byte_shift(unsigned select)
{
    return select == IFL_SASS_WORD_B1   ? 8
           : select == IFL_SASS_WORD_B2 ? 16
           : select == IFL_SASS_WORD_B3 ? 24
                                        : 0;
}

static uint64_t predicate_mask(const ifl_sass_lowerer *l)
{
    const ifl_sass_operand *mask = operand(l, IFL_SASS_ROLE_MASK);
    return mask ? (uint64_t)mask->value & ((1u << IFL_SASS_PREDICATES) - 1) : 0;
}

/* The values that A may have: of P2R it is the register, beside a name for the predicates. */
static const ifl_sass_operand *register_among(const ifl_sass_lowerer *l)
{
    for (unsigned o = 0; o < l->instruction->operand_count; o++) {
        const ifl_sass_operand *one = &l->instruction->operand[o];
        if (!one->is_destination && one->kind != IFL_SASS_SPECIAL && one->role == IFL_SASS_ROLE_A)
            return one;
    }
    return NULL;
}

void ifl_sass_lower_predicates_to_register(ifl_sass_lowerer *l)
{
    const uint32_t a = ifl_sass_lower_source(l, register_among(l), 1);
    const uint32_t d = ifl_sass_lower_destination(l, operand(l, IFL_SASS_ROLE_DESTINATION));
    ifl_code *code = ifl_sass_emit(l, IFL_CODE_pack_predicates);
    code->a = a, code->d = d;
    code->b = first_predicate(l);
    code->value = predicate_mask(l);
    code->count = byte_shift(ifl_sass_value(l->instruction, IFL_SASS_VALUE_SELECT));
}

void ifl_sass_lower_register_to_predicates(ifl_sass_lowerer *l)
{
    const ifl_sass_operand *from = register_among(l);
    const uint32_t a = ifl_sass_lower_source(l, from, 1);
    ifl_code *code = ifl_sass_emit(l, IFL_CODE_unpack_predicates);
    code->a = a;
    code->d = first_predicate(l);
    code->value = predicate_mask(l);
    code->count = byte_shift(from ? from->select : 0);
}
