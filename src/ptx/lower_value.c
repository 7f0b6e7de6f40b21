/* SPDX-License-Identifier: Apache-2.0
 * Lowering of what computes: the choice of the row of opcode.def for an instruction, comparisons,
 * predicates, moves, packing, carries; and the table of what lowers each opcode. */
#include "ptx/lower_internal.h"

#include <string.h>

/* ---- rows ------------------------------------------------------------------------------------ */

/* Sources of a row: the value slots that are there. */
static unsigned value_sources(const ifl_lowerer *l, const ifl_operand **source)
{
    unsigned count = 0;
    for (unsigned s = 0; s < l->slots.count; s++)
        if (l->slots.letter[s] == 's' && ifl_lower_has(l, s) && count < 4)
            source[count++] = l->slots.at[s];
    return count;
}

static const ifl_operand *predicate_source(const ifl_lowerer *l)
{
    for (unsigned s = 0; s < l->slots.count; s++)
        if (l->slots.letter[s] == 'p' && ifl_lower_has(l, s))
            return l->slots.at[s];
    return NULL;
}

static void emit_row(ifl_lowerer *l, const ifl_ptx_row *row, const ifl_operand **source, uint32_t d,
                     uint32_t second)
{
    bool is_signed =
        ifl_type_class(l->instruction->type[l->instruction->type_count > 1 ? 1 : 0]) == 'S';
    uint32_t at[4] = {0, 0, 0, IFL_PREDICATE_SINK}, flip = 0;
    for (unsigned i = 0; i < row->sources; i++)
        at[i] = ifl_lower_source(l, source[i], row->width[i + 1], is_signed);
    const ifl_operand *with = predicate_source(l);
    if (row->is_test && with)
        at[2] = ifl_lower_predicate(l, with, &flip);
    ifl_code *code = ifl_lower_emit_row(l, row);
    code->d = d;
    code->a = at[0];
    code->b = at[1];
    code->c = at[2];
    code->e = row->is_test ? second : at[3];
    code->flip = flip;
}

/* PTX ISA, the notes on subnormal numbers of each instruction: below sm_20 f32 is as if .ftz were
 * written. mad.f32 without a rounding, which is of those targets only, becomes fma.rn.ftz.f32 on
 * what came later ("mad"); ptxas 13.0 compiles both so. */
static const ifl_ptx_row *row_of_first_targets(ifl_lowerer *l, uint8_t type, uint8_t from,
                                               unsigned sources)
{
    enum { FIRST_WITH_SUBNORMALS = 20 };
    const uint32_t target = l->input->program->sm;
    if (!target || target >= FIRST_WITH_SUBNORMALS ||
        (type != IFL_TYPE_F32 && from != IFL_TYPE_F32))
        return NULL;
    ifl_instruction *flushing = ifl_lower_allocate(l, sizeof *flushing);
    if (!flushing)
        return NULL;
    *flushing = *l->instruction;
    flushing->modifiers.flags |= IFL_FLAG_FTZ;
    if (flushing->opcode == IFL_OP_MAD && !flushing->modifiers.rounding)
        flushing->modifiers.rounding = IFL_ROUND_RN;
    const ifl_ptx_row *row =
        ifl_ptx_row_find(flushing->opcode, type, from, sources, &flushing->modifiers);
    if (row)
        l->instruction = flushing;
    return row;
}

static const ifl_ptx_row *choose_row(ifl_lowerer *l, const ifl_operand **source)
{
    const ifl_instruction *instruction = l->instruction;
    unsigned sources = value_sources(l, source);
    uint8_t from = instruction->type_count > 1 ? instruction->type[1] : (uint8_t)IFL_TYPE_NONE;
    bool is_packed = from == IFL_TYPE_F16X2 || from == IFL_TYPE_BF16X2;
    bool is_test = instruction->opcode == IFL_OP_SET && !is_packed;
    uint8_t type = is_test ? from : instruction->type[0];
    const ifl_ptx_row *row = row_of_first_targets(l, type, from, sources);
    if (!row)
        row = ifl_ptx_row_find(instruction->opcode, type, from, sources, &instruction->modifiers);
    if (!row) {
        ifl_lower_unsupported(l, "the engine has no such combination of type and modifiers");
        return NULL;
    }
    return row;
}

/* Register and tested predicate at once (d|p of anything but setp) is nothing that rows know. */
void ifl_lower_by_row(ifl_lowerer *l)
{
    const ifl_operand *source[4];
    const ifl_ptx_row *row = choose_row(l, source);
    if (!row)
        return;
    const ifl_operand *d = l->slots.at[0],
                      *second = l->slots.letter[1] == 'q' ? l->slots.at[1] : NULL;
    if (row->is_test) {
        uint32_t to = ifl_lower_predicate_destination(l, d);
        emit_row(l, row, source, to, ifl_lower_predicate_destination(l, second));
        return;
    }
    if (second && second->kind != IFL_OPERAND_NONE)
        ifl_lower_unsupported(l, "it has a second destination");
    uint32_t to = ifl_lower_destination(l, d, row->width[0]);
    emit_row(l, row, source, to, 0);
    ifl_lower_finish(l, d, to, row->width[0], ifl_type_class(l->instruction->type[0]) == 'S');
}

/* cvt.rs: a pair by its row; of four elements first the two that stand above, beside the random bits
 * that are left. */
static void lower_random_conversion(ifl_lowerer *l)
{
    enum { FIRST = 1, FOUR = 4, SOURCES = 3 };
    const ifl_instruction *in = l->instruction;
    uint32_t count;
    const ifl_operand *x = ifl_slot_members(l->slots.at[FIRST], &count);
    const bool is_vector = l->slots.at[FIRST]->kind == IFL_OPERAND_VECTOR;
    const ifl_ptx_row *row =
        ifl_ptx_row_find(in->opcode, in->type[0], in->type[1], SOURCES, &in->modifiers);
    const bool is_pair = in->type[0] == IFL_TYPE_F16X2 || in->type[0] == IFL_TYPE_BF16X2;
    if (!row || is_vector == is_pair || (is_vector && count != FOUR) ||
        ifl_lower_has(l, FIRST + 2) != is_pair) {
        ifl_lower_unsupported(l, "of these types and operands");
        return;
    }
    uint32_t random = ifl_lower_source(l, l->slots.at[FIRST + (is_pair ? 2 : 1)], 32, false);
    const uint32_t to = ifl_lower_destination(l, l->slots.at[0], 32);
    for (unsigned i = 0; i < (is_pair ? 1 : FOUR); i += 2) {
        const uint32_t a = ifl_lower_source(l, is_pair ? l->slots.at[FIRST] : &x[i], 32, false),
                       b = ifl_lower_source(l, is_pair ? l->slots.at[FIRST + 1] : &x[i + 1], 32,
                                            false);
        const uint32_t d = is_pair || i ? to : ifl_lower_temporary(l);
        ifl_code *code = ifl_lower_emit_row(l, row);
        code->d = d, code->a = a, code->b = b, code->c = random;
        random = d;
    }
    ifl_lower_finish(l, l->slots.at[0], to, 32, false);
}

static uint32_t exclusive_or(ifl_lowerer *l, uint32_t a, uint32_t b)
{
    static const ifl_modifiers plain;
    const uint32_t d = ifl_lower_temporary(l);
    ifl_code *code =
        ifl_lower_emit_row(l, ifl_ptx_row_find(IFL_OP_XOR, IFL_TYPE_B32, IFL_TYPE_NONE, 2, &plain));
    code->a = a, code->b = b, code->d = d;
    return d;
}

/* set of packed halves, whose row tells where the comparison holds: c counts for both halves. */
static void lower_packed_set(ifl_lowerer *l, const ifl_ptx_row *row, const ifl_operand **source)
{
    const ifl_operand *c = predicate_source(l);
    if (!c) {
        ifl_lower_by_row(l);
        return;
    }
    const uint8_t type = l->instruction->type[0], combine = l->instruction->modifiers.combine;
    const uint32_t ones = type == IFL_TYPE_F16X2    ? 0x3c003c00
                          : type == IFL_TYPE_BF16X2 ? 0x3f803f80
                                                    : UINT32_MAX;
    const uint32_t holds = ifl_lower_temporary(l), all = ifl_lower_constant(l, ones, 32),
                   none = ifl_lower_constant(l, 0, 32);
    emit_row(l, row, source, holds, 0);
    uint32_t flip;
    const uint32_t with = ifl_lower_predicate(l, c, &flip),
                   yes = combine == IFL_COMBINE_AND  ? holds
                         : combine == IFL_COMBINE_OR ? all
                                                     : exclusive_or(l, holds, all),
                   no = combine == IFL_COMBINE_AND ? none : holds,
                   to = ifl_lower_destination(l, l->slots.at[0], 32);
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_select32);
    code->d = to, code->a = yes, code->b = no, code->c = with, code->flip = flip;
    ifl_lower_finish(l, l->slots.at[0], to, 32, false);
}

/* set: a comparison, then all ones (integers) or 1.0 (floats) where it holds. Rows for packed
 * halves do both. */
static void lower_set(ifl_lowerer *l)
{
    const ifl_operand *source[4];
    const ifl_ptx_row *row = choose_row(l, source);
    if (!row)
        return;
    if (!row->is_test) {
        lower_packed_set(l, row, source);
        return;
    }
    emit_row(l, row, source, IFL_PREDICATE_TEMPORARY, IFL_PREDICATE_SINK);
    uint8_t type = l->instruction->type[0];
    uint64_t one = type == IFL_TYPE_F32    ? 0x3f800000
                   : type == IFL_TYPE_F16  ? 0x3c00
                   : type == IFL_TYPE_BF16 ? 0x3f80
                                           : UINT64_MAX;
    unsigned bits = ifl_type_bits(type);
    uint32_t to = ifl_lower_destination(l, l->slots.at[0], bits);
    uint32_t yes = ifl_lower_constant(l, one, bits), no = ifl_lower_constant(l, 0, bits);
    ifl_code *code = ifl_lower_emit(l, bits == 16 ? IFL_CODE_select16 : IFL_CODE_select32);
    code->d = to, code->a = yes, code->b = no, code->c = IFL_PREDICATE_TEMPORARY;
    ifl_lower_finish(l, l->slots.at[0], to, bits, false);
}

/* lop3.BoolOp d|p, a, b, c, table, q: p = (d != 0) BoolOp q. */
static void lower_lop3(ifl_lowerer *l)
{
    const ifl_operand *source[4], *d = l->slots.at[0];
    if (!ifl_lower_has(l, 1)) {
        ifl_lower_by_row(l);
        return;
    }
    const ifl_ptx_row *row = choose_row(l, source);
    if (!row)
        return;
    uint32_t flip, to = ifl_lower_destination(l, d, 32);
    emit_row(l, row, source, to, 0);
    uint32_t with = ifl_lower_predicate(l, predicate_source(l), &flip);
    uint32_t p = ifl_lower_predicate_destination(l, l->slots.at[1]);
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_nonzero);
    code->d = p, code->a = to, code->c = with, code->flip = flip;
    code->count = l->instruction->modifiers.combine;
}

/* setp of packed halves: the first destination from the low ones, the second from the high ones. */
static void lower_setp(ifl_lowerer *l)
{
    uint8_t type = l->instruction->type[0];
    if (type != IFL_TYPE_F16X2 && type != IFL_TYPE_BF16X2) {
        ifl_lower_by_row(l);
        return;
    }
    const ifl_ptx_row *row =
        ifl_ptx_row_find(IFL_OP_SETP, type == IFL_TYPE_F16X2 ? IFL_TYPE_F16 : IFL_TYPE_BF16,
                         IFL_TYPE_NONE, 2, &l->instruction->modifiers);
    if (!row)
        ifl_lower_unsupported(l, "the engine has no such comparison");
    uint32_t a = ifl_lower_source(l, l->slots.at[2], 32, false),
             b = ifl_lower_source(l, l->slots.at[3], 32, false);
    uint32_t flip = 0, with = IFL_PREDICATE_SINK;
    if (ifl_lower_has(l, 4))
        with = ifl_lower_predicate(l, l->slots.at[4], &flip);
    for (unsigned half = 0; half < 2 && row; half++) {
        uint32_t x = ifl_lower_temporary(l), y = ifl_lower_temporary(l);
        ifl_lower_resize(l, a, 32, x, 16, false, 16 * half);
        ifl_lower_resize(l, b, 32, y, 16, false, 16 * half);
        uint32_t to = ifl_lower_predicate_destination(l, l->slots.at[half]);
        ifl_code *code = ifl_lower_emit_row(l, row);
        code->d = to, code->a = x, code->b = y, code->c = with, code->flip = flip;
    }
}

static void lower_selp(ifl_lowerer *l)
{
    unsigned bits = ifl_type_bits(l->instruction->type[0]);
    ifl_operation select = bits == 16   ? IFL_CODE_select16
                           : bits == 32 ? IFL_CODE_select32
                                        : IFL_CODE_select64;
    if (bits != 16 && bits != 32 && bits != 64)
        ifl_lower_unsupported(l, "of this type");
    uint32_t flip, a = ifl_lower_source(l, l->slots.at[1], bits, false),
                   b = ifl_lower_source(l, l->slots.at[2], bits, false);
    uint32_t c = ifl_lower_predicate(l, l->slots.at[3], &flip),
             to = ifl_lower_destination(l, l->slots.at[0], bits);
    ifl_code *code = ifl_lower_emit(l, select);
    code->d = to, code->a = a, code->b = b, code->c = c, code->flip = flip;
    ifl_lower_finish(l, l->slots.at[0], to, bits, false);
}

/* ---- predicates, moves, carries -------------------------------------------------------------- */

static void emit_predicate(ifl_lowerer *l, const ifl_operand *d, const ifl_operand *a,
                           const ifl_operand *b, unsigned truth)
{
    uint32_t flip_a, flip_b, at_a = ifl_lower_predicate(l, a, &flip_a),
                             at_b = ifl_lower_predicate(l, b, &flip_b);
    uint32_t to = ifl_lower_predicate_destination(l, d);
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_predicate);
    code->d = to, code->a = at_a, code->b = at_b;
    code->e = (flip_a ? 1 : 0) | (flip_b ? 2 : 0);
    code->value = truth;
}

/* and, or, xor, not: of predicates, else by rows. Truth tables as handlers.c reads them: bit 2a +
 * b. */
static void lower_logic(ifl_lowerer *l)
{
    static const uint8_t truth[IFL_OP_COUNT] = {
        [IFL_OP_AND] = 8, [IFL_OP_OR] = 14, [IFL_OP_XOR] = 6, [IFL_OP_NOT] = 3};
    if (l->instruction->type[0] != IFL_TYPE_PRED) {
        ifl_lower_by_row(l);
        return;
    }
    const ifl_operand *b = l->slots.count > 2 ? l->slots.at[2] : l->slots.at[1];
    emit_predicate(l, l->slots.at[0], l->slots.at[1], b, truth[l->instruction->opcode]);
}

static void unpack(ifl_lowerer *l, const ifl_operand *d, uint32_t count, const ifl_operand *a,
                   unsigned bits)
{
    unsigned part = bits / count;
    uint32_t from = ifl_lower_source(l, a, bits, false);
    for (uint32_t i = 0; i < count; i++) {
        if (ifl_lower_is_sink(&d[i]))
            continue;
        if (part >= 16) {
            ifl_lower_resize(l, from, bits, l->slot_of[d[i].index],
                             ifl_lower_register_bits(l, &d[i]), false, i * part);
            continue;
        }
        ifl_code *code = ifl_lower_emit(l, IFL_CODE_take_byte);
        code->d = l->slot_of[d[i].index], code->a = from;
        code->count = bits / 8, code->value = i;
        if (ifl_slot_bits(ifl_lower_register_bits(l, &d[i])) != 16)
            ifl_lower_unsupported(l, "a byte goes into a register of 8 or 16 bits");
    }
}

static void pack(ifl_lowerer *l, const ifl_operand *d, const ifl_operand *a, uint32_t count,
                 unsigned bits)
{
    unsigned part = bits / count;
    uint32_t to = ifl_lower_temporary(l);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = ifl_lower_source(l, &a[i], part, false);
        ifl_code *code =
            part < 16 ? ifl_lower_emit(l, IFL_CODE_put_byte) : ifl_lower_emit(l, IFL_CODE_insert);
        code->d = to, code->a = from;
        code->count =
            part < 16 ? bits / 8 : ifl_slot_bits(part) / 8 << 8 | ifl_slot_bits(bits) / 8 << 1;
        code->value = part < 16 ? i : i * part;
    }
    if (ifl_lower_is_sink(d))
        return;
    ifl_lower_resize(l, to, bits, l->slot_of[d->index], ifl_lower_register_bits(l, d), false, 0);
}

static void lower_move(ifl_lowerer *l)
{
    uint8_t type = l->instruction->type[0];
    unsigned bits = ifl_type_bits(type);
    uint32_t to_count, from_count;
    const ifl_operand *d = ifl_slot_members(l->slots.at[0], &to_count);
    const ifl_operand *a = ifl_slot_members(l->slots.at[1], &from_count);
    if (type == IFL_TYPE_PRED) {
        emit_predicate(l, d, a, a, 12);
    } else if (to_count > 1 && from_count == 1) {
        unpack(l, d, to_count, a, bits);
    } else if (from_count > 1 && to_count == 1) {
        pack(l, d, a, from_count, bits);
    } else if (to_count == 1 && !ifl_lower_is_sink(d)) {
        uint32_t from = ifl_lower_source(l, a, bits, false), to = ifl_lower_destination(l, d, bits);
        const ifl_operation move = bits <= 16   ? IFL_CODE_move16
                                   : bits == 32 ? IFL_CODE_move32
                                   : bits == 64 ? IFL_CODE_move64
                                                : IFL_CODE_move128;
        ifl_code *code = ifl_lower_emit(l, move);
        code->d = to, code->a = from;
        ifl_lower_finish(l, d, to, bits, ifl_type_class(type) == 'S');
    } else if (to_count > 1) {
        ifl_lower_unsupported(l, "vector to vector");
    }
}

static uint32_t carry_bits(const ifl_instruction *instruction)
{
    const uint16_t opcode = instruction->opcode;
    const bool takes = opcode == IFL_OP_ADDC || opcode == IFL_OP_SUBC || opcode == IFL_OP_MADC;
    return (opcode == IFL_OP_SUB || opcode == IFL_OP_SUBC ? IFL_CARRY_SUBTRACTS : 0) |
           (opcode == IFL_OP_MAD || opcode == IFL_OP_MADC ? IFL_CARRY_MULTIPLIES : 0) |
           (instruction->modifiers.half == IFL_HALF_HI ? IFL_CARRY_TAKES_HIGH : 0) |
           (takes ? IFL_CARRY_COMES_IN : 0) |
           (instruction->modifiers.flags & IFL_FLAG_CC ? IFL_CARRY_GOES_OUT : 0);
}

/* add.cc, addc and their kin: the carry is a predicate of the frame. Others are rows. */
static void lower_carry(ifl_lowerer *l)
{
    uint16_t opcode = l->instruction->opcode;
    bool reads = opcode == IFL_OP_ADDC || opcode == IFL_OP_SUBC || opcode == IFL_OP_MADC;
    if (!reads && !(l->instruction->modifiers.flags & IFL_FLAG_CC)) {
        ifl_lower_by_row(l);
        return;
    }
    unsigned bits = ifl_type_bits(l->instruction->type[0]), count = l->slots.count - 1;
    if ((bits != 32 && bits != 64) || l->instruction->modifiers.half == IFL_HALF_WIDE)
        ifl_lower_unsupported(l, "with a carry, of this type");
    uint32_t at[3] = {0};
    for (unsigned i = 0; i < count && i < 3; i++)
        at[i] = ifl_lower_source(l, l->slots.at[i + 1], bits, false);
    uint32_t to = ifl_lower_destination(l, l->slots.at[0], bits);
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_carry);
    code->d = to, code->a = at[0], code->b = at[1], code->c = at[2];
    code->e = IFL_PREDICATE_CARRY;
    code->value = carry_bits(l->instruction);
    code->count = bits | (ifl_type_class(l->instruction->type[0]) == 'S' ? 1 : 0);
    ifl_lower_finish(l, l->slots.at[0], to, bits, false);
}

ifl_lower_function *const ifl_lower_table[IFL_OP_COUNT] = {
    [IFL_OP_ADD] = lower_carry,
    [IFL_OP_SUB] = lower_carry,
    [IFL_OP_ADDC] = lower_carry,
    [IFL_OP_SUBC] = lower_carry,
    [IFL_OP_MAD] = lower_carry,
    [IFL_OP_MADC] = lower_carry,
    [IFL_OP_AND] = lower_logic,
    [IFL_OP_OR] = lower_logic,
    [IFL_OP_XOR] = lower_logic,
    [IFL_OP_NOT] = lower_logic,
    [IFL_OP_SET] = lower_set,
    [IFL_OP_CVT_RS] = lower_random_conversion,
    [IFL_OP_SELP] = lower_selp,
    [IFL_OP_SETP] = lower_setp,
    [IFL_OP_LOP3] = lower_lop3,
    [IFL_OP_MOV] = lower_move,
    [IFL_OP_CVTA] = ifl_lower_cvta,
    [IFL_OP_ISSPACEP] = ifl_lower_isspacep,
    [IFL_OP_MAPA] = ifl_lower_mapa,
    [IFL_OP_GETCTARANK] = ifl_lower_getctarank,
    [IFL_OP_LD] = ifl_lower_load,
    [IFL_OP_LDU] = ifl_lower_load,
    [IFL_OP_ST] = ifl_lower_store,
    [IFL_OP_ATOM] = ifl_lower_atomic,
    [IFL_OP_RED] = ifl_lower_atomic,
    [IFL_OP_MULTIMEM_LD_REDUCE] = ifl_lower_multicast_load,
    [IFL_OP_MULTIMEM_ST] = ifl_lower_store,
    [IFL_OP_MULTIMEM_RED] = ifl_lower_atomic,
    [IFL_OP_PREFETCH] = ifl_lower_prefetch,
    [IFL_OP_PREFETCHU] = ifl_lower_prefetch,
    [IFL_OP_PREFETCH_TENSORMAP] = ifl_lower_nothing,
    [IFL_OP_PREFETCH_BOX_1] = ifl_lower_nothing,
    [IFL_OP_PREFETCH_BOX_2] = ifl_lower_nothing,
    [IFL_OP_PREFETCH_BOX_3] = ifl_lower_nothing,
    [IFL_OP_PREFETCH_BOX_4] = ifl_lower_nothing,
    [IFL_OP_PREFETCH_BOX_5] = ifl_lower_nothing,
    [IFL_OP_FENCE_PROXY_TENSORMAP] = ifl_lower_nothing,
    [IFL_OP_APPLYPRIORITY] = ifl_lower_nothing,
    [IFL_OP_DISCARD] = ifl_lower_nothing,
    [IFL_OP_CREATEPOLICY] = ifl_lower_policy,
    [IFL_OP_CREATEPOLICY_RANGE] = ifl_lower_policy,
    [IFL_OP_CREATEPOLICY_CVT] = ifl_lower_policy,
    [IFL_OP_CP_ASYNC] = ifl_lower_cp_async,
    [IFL_OP_CP_ASYNC_COMMIT] = ifl_lower_cp_async_commit,
    [IFL_OP_CP_ASYNC_WAIT_GROUP] = ifl_lower_cp_async_wait,
    [IFL_OP_CP_ASYNC_WAIT_ALL] = ifl_lower_cp_async_wait,
    [IFL_OP_CP_ASYNC_MBARRIER] = ifl_lower_mbarrier_of_copies,
    [IFL_OP_CP_ASYNC_BULK] = ifl_lower_cp_async_bulk,
    [IFL_OP_CP_ASYNC_BULK_MASKED] = ifl_lower_masked_bulk,
    [IFL_OP_CP_ASYNC_BULK_HINTED] = ifl_lower_masked_bulk,
    [IFL_OP_MULTIMEM_BULK] = ifl_lower_cp_async_bulk,
    [IFL_OP_MULTIMEM_BULK_MASKED] = ifl_lower_masked_bulk,
    [IFL_OP_MULTIMEM_REDUCE_BULK] = ifl_lower_cp_reduce_bulk,
    [IFL_OP_CP_ASYNC_BULK_COMMIT] = ifl_lower_bulk_commit,
#define BOX(rank)                                                                                  \
    [IFL_OP_LOAD_BOX_##rank] = ifl_lower_box_load,                                                 \
    [IFL_OP_LOAD_BOX_CTA_##rank] = ifl_lower_box_load,                                             \
    [IFL_OP_STORE_BOX_##rank] = ifl_lower_box_store,                                               \
    [IFL_OP_REDUCE_BOX_##rank] = ifl_lower_box_store,
    BOX(1) BOX(2) BOX(3) BOX(4) BOX(5)
#undef BOX
#define IMAGE(rank)                                                                                \
    [IFL_OP_LOAD_IMAGE_##rank] = ifl_lower_image_load,                                             \
    [IFL_OP_LOAD_IMAGE_CTA_##rank] = ifl_lower_image_load,                                         \
    [IFL_OP_LOAD_WIDE_##rank] = ifl_lower_image_load,                                              \
    [IFL_OP_LOAD_WIDE_CTA_##rank] = ifl_lower_image_load,                                          \
    [IFL_OP_LOAD_WIDE_128_##rank] = ifl_lower_image_load,                                          \
    [IFL_OP_LOAD_WIDE_128_CTA_##rank] = ifl_lower_image_load,
        IMAGE(3) IMAGE(4) IMAGE(5)
#undef IMAGE
            [IFL_OP_TRY_CANCEL] = ifl_lower_next_block,
    [IFL_OP_IS_CANCELED] = ifl_lower_answer,
    [IFL_OP_FIRST_BLOCK] = ifl_lower_answer,
    [IFL_OP_FIRST_BLOCK_X] = ifl_lower_answer,
    [IFL_OP_FIRST_BLOCK_Y] = ifl_lower_answer,
    [IFL_OP_FIRST_BLOCK_Z] = ifl_lower_answer,
    [IFL_OP_CP_REDUCE_BULK] = ifl_lower_cp_reduce_bulk,
    [IFL_OP_ST_ASYNC] = ifl_lower_async_value,
    [IFL_OP_ST_BULK] = ifl_lower_shared_fill,
    [IFL_OP_RED_ASYNC] = ifl_lower_async_value,
    [IFL_OP_CP_ASYNC_BULK_WAIT] = ifl_lower_bulk_wait,
    [IFL_OP_CP_ASYNC_BULK_PREFETCH] = ifl_lower_nothing,
    [IFL_OP_REPLACE_ADDRESS] = ifl_lower_map_field,
    [IFL_OP_REPLACE_RANK] = ifl_lower_map_field,
    [IFL_OP_REPLACE_BOX] = ifl_lower_map_field,
    [IFL_OP_REPLACE_SIZE] = ifl_lower_map_field,
    [IFL_OP_REPLACE_STRIDE] = ifl_lower_map_field,
    [IFL_OP_REPLACE_ELEMENT_STRIDE] = ifl_lower_map_field,
    [IFL_OP_REPLACE_TYPE] = ifl_lower_map_field,
    [IFL_OP_REPLACE_INTERLEAVE] = ifl_lower_map_field,
    [IFL_OP_REPLACE_SWIZZLE] = ifl_lower_map_field,
    [IFL_OP_REPLACE_ATOM] = ifl_lower_map_field,
    [IFL_OP_REPLACE_FILL] = ifl_lower_map_field,
    [IFL_OP_COPY_TENSORMAP] = ifl_lower_map_copy,
    [IFL_OP_MBARRIER_INIT] = ifl_lower_mbarrier_init,
    [IFL_OP_MBARRIER_INVAL] = ifl_lower_mbarrier_inval,
    [IFL_OP_MBARRIER_ARRIVE] = ifl_lower_mbarrier_arrive,
    [IFL_OP_MBARRIER_ARRIVE_DROP] = ifl_lower_mbarrier_arrive,
    [IFL_OP_MBARRIER_EXPECT_TX] = ifl_lower_mbarrier_bytes,
    [IFL_OP_MBARRIER_COMPLETE_TX] = ifl_lower_mbarrier_bytes,
    [IFL_OP_MBARRIER_TEST_WAIT] = ifl_lower_mbarrier_wait,
    [IFL_OP_MBARRIER_TRY_WAIT] = ifl_lower_mbarrier_wait,
    [IFL_OP_MBARRIER_PENDING_COUNT] = ifl_lower_mbarrier_pending,
    [IFL_OP_SHFL] = ifl_lower_warp_op,
    [IFL_OP_VOTE] = ifl_lower_warp_op,
    [IFL_OP_MATCH] = ifl_lower_warp_op,
    [IFL_OP_REDUX] = ifl_lower_warp_op,
    [IFL_OP_ACTIVEMASK] = ifl_lower_warp_op,
    [IFL_OP_ELECT] = ifl_lower_warp_op,
    [IFL_OP_BAR_WARP_SYNC] = ifl_lower_warp_op,
    [IFL_OP_LDMATRIX] = ifl_lower_matrix_move,
    [IFL_OP_STMATRIX] = ifl_lower_matrix_move,
    [IFL_OP_MOVMATRIX] = ifl_lower_matrix_transpose,
    [IFL_OP_MMA] = ifl_lower_matrix_product,
    [IFL_OP_WMMA_LOAD_A] = ifl_lower_wmma_load,
    [IFL_OP_WMMA_LOAD_B] = ifl_lower_wmma_load,
    [IFL_OP_WMMA_LOAD_C] = ifl_lower_wmma_load,
    [IFL_OP_WMMA_STORE] = ifl_lower_wmma_store,
    [IFL_OP_WMMA_MMA] = ifl_lower_wmma_mma,
    [IFL_OP_WGMMA] = ifl_lower_group_product,
    [IFL_OP_WGMMA_SP] = ifl_lower_group_product,
    [IFL_OP_WGMMA_FENCE] = ifl_lower_nothing,
    [IFL_OP_WGMMA_COMMIT] = ifl_lower_nothing,
    [IFL_OP_WGMMA_WAIT] = ifl_lower_group_product_wait,
    [IFL_OP_TENSOR_ALLOC] = ifl_lower_tensor_alloc,
    [IFL_OP_TENSOR_DEALLOC] = ifl_lower_tensor_alloc,
    [IFL_OP_TENSOR_RELINQUISH] = ifl_lower_tensor_alloc,
    [IFL_OP_TENSOR_LD] = ifl_lower_tensor_move,
    [IFL_OP_TENSOR_LD_RED] = ifl_lower_tensor_move,
    [IFL_OP_TENSOR_ST] = ifl_lower_tensor_move,
    [IFL_OP_TENSOR_MMA] = ifl_lower_tensor_product,
    [IFL_OP_TENSOR_MMA_SP] = ifl_lower_tensor_product,
    [IFL_OP_TENSOR_MMA_WS] = ifl_lower_tensor_product,
    [IFL_OP_TENSOR_MMA_WS_SP] = ifl_lower_tensor_product,
    [IFL_OP_TENSOR_CP] = ifl_lower_tensor_copy,
    [IFL_OP_TENSOR_SHIFT] = ifl_lower_tensor_shift,
    [IFL_OP_TENSOR_COMMIT] = ifl_lower_tensor_commit,
    [IFL_OP_TENSOR_WAIT_LD] = ifl_lower_nothing,
    [IFL_OP_TENSOR_WAIT_ST] = ifl_lower_tensor_wait,
    [IFL_OP_TENSOR_FENCE_BEFORE] = ifl_lower_nothing,
    [IFL_OP_TENSOR_FENCE_AFTER] = ifl_lower_nothing,
    [IFL_OP_VADD] = ifl_lower_video,
    [IFL_OP_VADD2] = ifl_lower_video,
    [IFL_OP_VADD4] = ifl_lower_video,
    [IFL_OP_VSUB] = ifl_lower_video,
    [IFL_OP_VSUB2] = ifl_lower_video,
    [IFL_OP_VSUB4] = ifl_lower_video,
    [IFL_OP_VABSDIFF] = ifl_lower_video,
    [IFL_OP_VABSDIFF2] = ifl_lower_video,
    [IFL_OP_VABSDIFF4] = ifl_lower_video,
    [IFL_OP_VMIN] = ifl_lower_video,
    [IFL_OP_VMIN2] = ifl_lower_video,
    [IFL_OP_VMIN4] = ifl_lower_video,
    [IFL_OP_VMAX] = ifl_lower_video,
    [IFL_OP_VMAX2] = ifl_lower_video,
    [IFL_OP_VMAX4] = ifl_lower_video,
    [IFL_OP_VSET] = ifl_lower_video,
    [IFL_OP_VSET2] = ifl_lower_video,
    [IFL_OP_VSET4] = ifl_lower_video,
    [IFL_OP_VAVRG2] = ifl_lower_video,
    [IFL_OP_VAVRG4] = ifl_lower_video,
    [IFL_OP_VSHL] = ifl_lower_video,
    [IFL_OP_VSHR] = ifl_lower_video,
    [IFL_OP_VMAD] = ifl_lower_video,
    [IFL_OP_TEX] = ifl_lower_texture,
    [IFL_OP_TLD4] = ifl_lower_texture,
    [IFL_OP_TXQ] = ifl_lower_texture_query,
    [IFL_OP_SULD] = ifl_lower_surface,
    [IFL_OP_SUST] = ifl_lower_surface,
    [IFL_OP_SURED] = ifl_lower_surface,
    [IFL_OP_SUST_P] = ifl_lower_surface,
    [IFL_OP_SURED_P] = ifl_lower_surface,
    [IFL_OP_SUQ] = ifl_lower_texture_query,
    [IFL_OP_BAR_SYNC] = ifl_lower_barrier,
    [IFL_OP_BAR_CTA_SYNC] = ifl_lower_barrier,
    [IFL_OP_BARRIER_SYNC] = ifl_lower_barrier,
    [IFL_OP_BARRIER_CTA_SYNC] = ifl_lower_barrier,
    [IFL_OP_BAR_ARRIVE] = ifl_lower_barrier,
    [IFL_OP_BAR_CTA_ARRIVE] = ifl_lower_barrier,
    [IFL_OP_BARRIER_ARRIVE] = ifl_lower_barrier,
    [IFL_OP_BARRIER_CTA_ARRIVE] = ifl_lower_barrier,
    [IFL_OP_BAR_RED] = ifl_lower_barrier,
    [IFL_OP_BAR_CTA_RED] = ifl_lower_barrier,
    [IFL_OP_BARRIER_RED] = ifl_lower_barrier,
    [IFL_OP_BARRIER_CTA_RED] = ifl_lower_barrier,
    [IFL_OP_BARRIER_CLUSTER_ARRIVE] = ifl_lower_cluster_barrier,
    [IFL_OP_BARRIER_CLUSTER_WAIT] = ifl_lower_cluster_barrier,
    [IFL_OP_MEMBAR] = ifl_lower_fence,
    [IFL_OP_FENCE] = ifl_lower_fence,
    [IFL_OP_FENCE_PROXY] = ifl_lower_nothing,
    [IFL_OP_FENCE_PROXY_ALIAS] = ifl_lower_nothing,
    [IFL_OP_FENCE_MBARRIER_INIT] = ifl_lower_nothing,
    [IFL_OP_FENCE_ACQUIRE_OTHERS] = ifl_lower_nothing,
    [IFL_OP_FENCE_RELEASE_OWN] = ifl_lower_nothing,
    [IFL_OP_FENCE_PROXY_ACQUIRE] = ifl_lower_nothing,
    [IFL_OP_FENCE_PROXY_RELEASE] = ifl_lower_nothing,
    [IFL_OP_PMEVENT_MASK] = ifl_lower_nothing,
    [IFL_OP_BRA] = ifl_lower_bra,
    [IFL_OP_BRX_IDX] = ifl_lower_brx,
    [IFL_OP_CALL] = ifl_lower_call,
    [IFL_OP_RET] = ifl_lower_ret,
    [IFL_OP_EXIT] = ifl_lower_exit,
    [IFL_OP_TRAP] = ifl_lower_trap,
    [IFL_OP_BRKPT] = ifl_lower_trap,
    [IFL_OP_NANOSLEEP] = ifl_lower_nanosleep,
    [IFL_OP_PMEVENT] = ifl_lower_nothing,
    [IFL_OP_SETMAXNREG] = ifl_lower_nothing,
    [IFL_OP_GRIDDEPCONTROL_WAIT] = ifl_lower_nothing,
    [IFL_OP_GRIDDEPCONTROL_LAUNCH] = ifl_lower_nothing,
    [IFL_OP_ALLOCA] = ifl_lower_alloca,
    [IFL_OP_STACKSAVE] = ifl_lower_stacksave,
    [IFL_OP_STACKRESTORE] = ifl_lower_stackrestore,
};
