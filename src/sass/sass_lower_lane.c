/* SPDX-License-Identifier: Apache-2.0
 * Instructions that LANE rows of sass/table compute: which row, and its options from the fields and signs of the
 * instruction. */
#include "code/lane_options.h"
#include "sass/sass_lane_row.h"
#include "sass/sass_lowerer.h"

#include <string.h>

static ifl_sass_word value(const ifl_sass_lowerer *l, ifl_sass_value_role role)
{
    return ifl_sass_value(l->instruction, role);
}

/* ---- signs and parts of sources -------------------------------------------------------------- */

typedef enum number_kind { WHOLE_NUMBER, FLOAT_NUMBER, HALF_PAIR } number_kind;

static number_kind kind_of_sources(const ifl_sass_lowerer *l)
{
    switch (ifl_sass_op_class(ifl_sass_op_as(l->instruction->op))) {
    case IFL_SASS_FLOAT:
    case IFL_SASS_DOUBLE:
        return FLOAT_NUMBER;
    case IFL_SASS_HALF:
        return HALF_PAIR;
    case IFL_SASS_SPECIAL_FUNCTION:
    case IFL_SASS_CONVERT:
        break;
    default:
        return WHOLE_NUMBER;
    }
    const ifl_sass_word from = value(l, IFL_SASS_VALUE_TYPE_FROM);
    if (from == IFL_SASS_WORD_F16 || from == IFL_SASS_WORD_BF16)
        return HALF_PAIR;
    const bool is_float =
        from == IFL_SASS_WORD_F32 || from == IFL_SASS_WORD_F64 || from == IFL_SASS_WORD_ABSENT;
    return is_float ? FLOAT_NUMBER : WHOLE_NUMBER;
}

static uint8_t part_of(unsigned select)
{
    switch (select) {
    case IFL_SASS_WORD_H0_H0:
        return IFL_PART_LOW_TWICE;
    case IFL_SASS_WORD_H1_H1:
        return IFL_PART_HIGH_TWICE;
    case IFL_SASS_WORD_H0_NH1: /* upper half first, as ptxas makes b * i of complex numbers */
        return IFL_PART_TURNED;
    case IFL_SASS_WORD_H1:
        return IFL_PART_HALF1;
    case IFL_SASS_WORD_F32: /* of a pair */
    case IFL_SASS_WORD_F32_NP:
        return IFL_PART_TWICE;
    case IFL_SASS_WORD_B1:
        return IFL_PART_BYTE1;
    case IFL_SASS_WORD_B2:
        return IFL_PART_BYTE2;
    case IFL_SASS_WORD_B3:
        return IFL_PART_BYTE3;
    case IFL_SASS_WORD_ABSENT:
    case IFL_SASS_WORD_H0:
    case IFL_SASS_WORD_WHOLE:
    case IFL_SASS_WORD_SIGN:
    case IFL_SASS_WORD_BITS24: /* of what I2IP packs beside: by its type */
    case IFL_SASS_WORD_BITS28:
    case IFL_SASS_WORD_HI_LO: /* of a pair: as it stands */
    case IFL_SASS_WORD_HI_LO_NP:
        return IFL_PART_WHOLE;
    default:
        return IFL_PARTS;
    }
}

static void set_source(const ifl_sass_operand *operand, number_kind kind, unsigned k,
                       ifl_lane_options *o)
{
    static const uint32_t signs[] = {[FLOAT_NUMBER] = 0x80000000, [HALF_PAIR] = 0x80008000};
    o->keep[k] = UINT32_MAX;
    if (!operand)
        return;
    o->part[k] = part_of(operand->select);
    if (kind == WHOLE_NUMBER) {
        o->flip[k] = operand->negated || operand->inverted ? UINT32_MAX : 0;
        o->plus[k] = operand->negated;
        return;
    }
    o->keep[k] = operand->absolute ? ~signs[kind] : UINT32_MAX;
    o->flip[k] = operand->negated ? signs[kind] : 0;
    if (operand->select == IFL_SASS_WORD_HI_LO_NP || operand->select == IFL_SASS_WORD_F32_NP)
        o->upper_flip[k] = signs[kind];
}

static bool is_plain(const ifl_lane_options *o)
{
    bool plain = true;
    for (unsigned k = 0; k < 3; k++)
        plain &= o->keep[k] == UINT32_MAX && !o->flip[k] && !o->plus[k] && !o->upper_flip[k] &&
                 !o->part[k];
    return plain;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static uint8_t rounding(const ifl_sass_lowerer *l)
{
    switch (value(l, IFL_SASS_VALUE_INTEGER_ROUNDING)) {
    case IFL_SASS_WORD_NEAREST:
        return IFL_ROUND_RNI;
    case IFL_SASS_WORD_FLOOR:
        return IFL_ROUND_RMI;
    case IFL_SASS_WORD_CEIL:
        return IFL_ROUND_RPI;
    case IFL_SASS_WORD_TRUNC:
        return IFL_ROUND_RZI;
    default:
        break;
    }
    switch (value(l, IFL_SASS_VALUE_ROUNDING)) {
    case IFL_SASS_WORD_RM:
        return IFL_ROUND_RM;
    case IFL_SASS_WORD_RP:
        return IFL_ROUND_RP;
    case IFL_SASS_WORD_RZ:
        return IFL_ROUND_RZ;
    default:
        return IFL_ROUND_RN;
    }
}

/* Less 1, equal 2, greater 4, unordered 8: as the bits of the field are. */
static uint8_t relation(const ifl_sass_lowerer *l)
{
    static const uint16_t order[] = {
        IFL_SASS_WORD_F,   IFL_SASS_WORD_LT,  IFL_SASS_WORD_EQ,  IFL_SASS_WORD_LE,
        IFL_SASS_WORD_GT,  IFL_SASS_WORD_NE,  IFL_SASS_WORD_GE,  IFL_SASS_WORD_NUM,
        IFL_SASS_WORD_NAN, IFL_SASS_WORD_LTU, IFL_SASS_WORD_EQU, IFL_SASS_WORD_LEU,
        IFL_SASS_WORD_GTU, IFL_SASS_WORD_NEU, IFL_SASS_WORD_GEU, IFL_SASS_WORD_T};
    const ifl_sass_word compare = value(l, IFL_SASS_VALUE_COMPARE);
    for (uint8_t i = 0; i < sizeof order / sizeof *order; i++)
        if (order[i] == compare)
            return i;
    return 0;
}

static uint8_t permute_mode(const ifl_sass_lowerer *l)
{
    static const uint16_t order[] = {IFL_SASS_WORD_F4E, IFL_SASS_WORD_B4E, IFL_SASS_WORD_RC8,
                                     IFL_SASS_WORD_ECL, IFL_SASS_WORD_ECR, IFL_SASS_WORD_RC16};
    const ifl_sass_word operation = value(l, IFL_SASS_VALUE_OPERATION);
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
        if (order[i] == operation)
            return (uint8_t)(IFL_MODE_F4E + i);
    return 0;
}

static bool is_one(const ifl_sass_lowerer *l, ifl_sass_value_role role, ifl_sass_word word)
{
    return value(l, role) == word;
}

static uint32_t flags(const ifl_sass_lowerer *l)
{
    return (is_one(l, IFL_SASS_VALUE_DENORMALS, IFL_SASS_WORD_FTZ) ? IFL_FLAG_FTZ : 0u) |
           (is_one(l, IFL_SASS_VALUE_SATURATION, IFL_SASS_WORD_SAT) ? IFL_FLAG_SAT : 0u) |
           (is_one(l, IFL_SASS_VALUE_SATURATION, IFL_SASS_WORD_SATFINITE) ? IFL_FLAG_SATFINITE
                                                                          : 0u) |
           (is_one(l, IFL_SASS_VALUE_RELU, IFL_SASS_WORD_RELU) ? IFL_FLAG_RELU : 0u) |
           (is_one(l, IFL_SASS_VALUE_NAN_RULE, IFL_SASS_WORD_NAN) ? IFL_FLAG_NAN : 0u) |
           (is_one(l, IFL_SASS_VALUE_SIGN_RULE, IFL_SASS_WORD_XORSIGN)
                ? IFL_FLAG_XORSIGN | IFL_FLAG_ABS
                : 0u);
}

/* LOP3 combines by OR unless it says .PAND. */
static uint8_t combination(const ifl_sass_lowerer *l)
{
    switch (value(l, IFL_SASS_VALUE_COMBINE)) {
    case IFL_SASS_WORD_OR:
        return IFL_COMBINE_OR;
    case IFL_SASS_WORD_XOR:
        return IFL_COMBINE_XOR;
    default:
        return is_one(l, IFL_SASS_VALUE_PREDICATE_RULE, IFL_SASS_WORD_OFF) ? IFL_COMBINE_OR
                                                                           : IFL_COMBINE_AND;
    }
}

static void set_modifiers(const ifl_sass_lowerer *l, ifl_modifiers *m)
{
    const ifl_sass_word operation = value(l, IFL_SASS_VALUE_OPERATION);
    m->flags = flags(l);
    m->rounding = rounding(l);
    m->combine = combination(l);
    m->mode = permute_mode(l);
    m->wrap = is_one(l, IFL_SASS_VALUE_WRAP, IFL_SASS_WORD_W) ? IFL_WRAP_WRAP : IFL_WRAP_CLAMP;
    m->half = operation == IFL_SASS_WORD_DP2A_HI ? IFL_HALF_HI : IFL_HALF_LO;
}

/* ---- o->number ------------------------------------------------------------------------------- */

static uint32_t operand_number(const ifl_sass_lowerer *l, ifl_sass_role role)
{
    const ifl_sass_operand *operand = ifl_sass_lower_operand(l, role);
    return operand ? (uint32_t)operand->value : 0;
}

static bool is_signed_type(ifl_sass_word word)
{
    return word == IFL_SASS_WORD_S32 || word == IFL_SASS_WORD_S64 || word == IFL_SASS_WORD_S8 ||
           word == IFL_SASS_WORD_S16;
}

/* What a comparison of halves gives where it holds. */
static uint32_t true_half(const ifl_sass_lowerer *l)
{
    enum { ONE_F16 = 0x3c00, ONE_BF16 = 0x3f80, ONES = 0xffff };
    if (!is_one(l, IFL_SASS_VALUE_BOOLEAN, IFL_SASS_WORD_BF))
        return ONES;
    return is_one(l, IFL_SASS_VALUE_TYPE, IFL_SASS_WORD_BF16_V2) ? ONE_BF16 : ONE_F16;
}

/* A NaN as an integer: zero with .NTZ, else the lowest number or the middle of the unsigned
 * ones. */
static uint32_t integer_of_nan(const ifl_sass_lowerer *l)
{
    const ifl_sass_word to = value(l, IFL_SASS_VALUE_TYPE_TO);
    const unsigned bits = ifl_sass_word_bits(to);
    if (is_one(l, IFL_SASS_VALUE_NAN_TO_ZERO, IFL_SASS_WORD_NTZ) || !bits || bits > 32)
        return 0;
    const uint32_t top = UINT32_C(1) << (bits - 1);
    return is_signed_type(to) ? 0 - top : top;
}

static uint32_t number(const ifl_sass_lowerer *l)
{
    enum { ONE_F32 = 0x3f800000, SECOND_SIGNED = 2 };
    switch (ifl_sass_op_as(l->instruction->op)) {
    case IFL_SASS_OP_LOP3:
        return operand_number(l, IFL_SASS_ROLE_LUT);
    case IFL_SASS_OP_PLOP3:
        return operand_number(l, IFL_SASS_ROLE_LUT) | operand_number(l, IFL_SASS_ROLE_LUT2) << 8;
    case IFL_SASS_OP_LEA:
        return operand_number(l, IFL_SASS_ROLE_SHIFT);
    case IFL_SASS_OP_FLO:
        return is_one(l, IFL_SASS_VALUE_SHIFT_WANTED, IFL_SASS_WORD_SH);
    case IFL_SASS_OP_SGXT:
        return is_signed_type(value(l, IFL_SASS_VALUE_TYPE));
    case IFL_SASS_OP_IDP:
        return is_signed_type(value(l, IFL_SASS_VALUE_TYPE_A)) |
               (is_signed_type(value(l, IFL_SASS_VALUE_TYPE_B)) ? SECOND_SIGNED : 0u);
    case IFL_SASS_OP_FSET:
        return ONE_F32;
    case IFL_SASS_OP_HSET2:
        return true_half(l);
    case IFL_SASS_OP_F2I:
        return integer_of_nan(l);
    default:
        return 0;
    }
}

/* ---- the instruction ------------------------------------------------------------------------- */

static const ifl_sass_role sources[3] = {IFL_SASS_ROLE_A, IFL_SASS_ROLE_B, IFL_SASS_ROLE_C};

static bool is_zero(const ifl_sass_operand *operand)
{
    return operand &&
           (operand->kind == IFL_SASS_REGISTER || operand->kind == IFL_SASS_UNIFORM_REGISTER) &&
           operand->index == IFL_SASS_NO_REGISTER;
}

/* Neither a NaN, which would become the canonical one, nor -0, to which 0 may be added. */
static bool are_plain_halves(uint32_t bits)
{
    enum { INFINITE = 0x7c00, MAGNITUDE = 0x7fff, SIGN = 0x8000 };
    const uint32_t low = bits & UINT16_MAX, high = bits >> 16;
    return (low & MAGNITUDE) <= INFINITE && low != SIGN && (high & MAGNITUDE) <= INFINITE &&
           high != SIGN;
}

/* The product adds nothing to c. IMAD so moves registers, and HFMA2 so makes constants in a pipe
 * that is free. HADD2 that adds -0 widens b. */
static bool is_copy(const ifl_sass_lowerer *l)
{
    const unsigned op = ifl_sass_op_as(l->instruction->op);
    const bool is_a = is_zero(ifl_sass_lower_operand(l, IFL_SASS_ROLE_A)),
               is_b = is_zero(ifl_sass_lower_operand(l, IFL_SASS_ROLE_B));
    const ifl_sass_operand *c = ifl_sass_lower_operand(l, IFL_SASS_ROLE_C);
    if (op == IFL_SASS_OP_HADD2)
        return is_a && ifl_sass_lower_operand(l, IFL_SASS_ROLE_A)->negated;
    if (op == IFL_SASS_OP_HFMA2)
        return is_a && is_b && c && c->kind == IFL_SASS_IMMEDIATE &&
               are_plain_halves((uint32_t)c->value);
    return op == IFL_SASS_OP_IMAD && (is_a || is_b);
}

static bool is_sum_of_halves(const ifl_sass_lowerer *l)
{
    return ifl_sass_op_as(l->instruction->op) == IFL_SASS_OP_HADD2 &&
           !is_one(l, IFL_SASS_VALUE_TYPE, IFL_SASS_WORD_F32);
}

static void set_options(ifl_sass_lowerer *l, ifl_lane_options *o)
{
    const number_kind kind = kind_of_sources(l);
    const ifl_sass_word type = value(l, IFL_SASS_VALUE_TYPE);
    for (unsigned k = 0; k < 3; k++) {
        set_source(ifl_sass_lower_operand(l, sources[k]), kind, k, o);
        const bool narrows = kind == HALF_PAIR && o->part[k] == IFL_PART_TWICE;
        if (o->part[k] == IFL_PARTS || (narrows && !is_sum_of_halves(l)))
            ifl_sass_refuse(l, "with this part of an operand");
    }
    o->number = number(l);
    o->relation = relation(l);
    o->bits = type == IFL_SASS_WORD_S64 || type == IFL_SASS_WORD_U64 ? 64 : 32;
    set_modifiers(l, &o->m);
}

static void set_predicates(const ifl_sass_lowerer *l, bool is_test, ifl_lane_options *o)
{
    static const ifl_sass_role in[3] = {IFL_SASS_ROLE_PREDICATE_IN, IFL_SASS_ROLE_PREDICATE_IN2,
                                        IFL_SASS_ROLE_PREDICATE_IN3};
    static const ifl_sass_role out[2] = {IFL_SASS_ROLE_PREDICATE_OUT, IFL_SASS_ROLE_PREDICATE_OUT2};
    for (unsigned k = 0; k < 3; k++)
        o->in[k] =
            ifl_sass_lower_predicate(l, ifl_sass_lower_operand(l, in[k]), is_test, &o->in_flip[k]);
    for (unsigned k = 0; k < 2; k++)
        o->out[k] = ifl_sass_lower_predicate_out(l, ifl_sass_lower_operand(l, out[k]));
}

static uint32_t find_row(const ifl_sass_lowerer *l, const ifl_lane_options *o)
{
    const uint32_t out =
        ifl_sass_lower_predicate_out(l, ifl_sass_lower_operand(l, IFL_SASS_ROLE_PREDICATE_OUT));
    const uint32_t out2 =
        ifl_sass_lower_predicate_out(l, ifl_sass_lower_operand(l, IFL_SASS_ROLE_PREDICATE_OUT2));
    const ifl_sass_query query = {
        .instruction = l->instruction,
        .table = (uint8_t)o->number,
        .is_plain = is_plain(o),
        .writes_predicate = out != IFL_PREDICATE_SINK || out2 != IFL_PREDICATE_SINK,
        .is_copy = is_copy(l),
        .narrows = o->part[0] == IFL_PART_TWICE || o->part[1] == IFL_PART_TWICE};
    return ifl_sass_lane_row_find(&query);
}

/* Rows whose expression is one of their sources. */
static void emit_copy(ifl_sass_lowerer *l, const ifl_sass_lane_row *row, uint32_t from, uint32_t d)
{
    for (unsigned w = 0; w < row->words[0]; w++) {
        ifl_code *code = ifl_sass_emit(l, IFL_CODE_move32);
        code->a = from + w * IFL_PLANE_BYTES;
        code->d = d + w * IFL_PLANE_BYTES;
    }
}

/* Which of a, b, c a row copies; 3: none. */
static unsigned copied(const ifl_sass_lane_row *row)
{
    static const char *const names[] = {"a", "b", "c"};
    unsigned k = 0;
    while (k < 3 && (!row->expression || strcmp(row->expression, names[k]) != 0 ||
                     row->words[k + 1] != row->words[0]))
        k++;
    return k;
}

void ifl_sass_lower_lane(ifl_sass_lowerer *l)
{
    ifl_lane_options *o = ifl_sass_lower_allocate(l, sizeof *o);
    if (!o)
        return;
    set_options(l, o);
    const uint32_t found = find_row(l, o);
    const ifl_sass_lane_row *row = ifl_sass_lane_row_at(found);
    if (!row) {
        ifl_sass_refuse(l, "this form of it is not supported");
        return;
    }
    uint32_t slot[3] = {0};
    for (unsigned k = 0; k < 3; k++)
        if (row->words[k + 1])
            slot[k] =
                ifl_sass_lower_source(l, ifl_sass_lower_operand(l, sources[k]), row->words[k + 1]);
    set_predicates(l, row->is_test, o);
    const uint32_t d =
        ifl_sass_lower_destination(l, ifl_sass_lower_operand(l, IFL_SASS_ROLE_DESTINATION));
    if (copied(row) < 3) {
        emit_copy(l, row, slot[copied(row)], d);
        return;
    }
    ifl_code *code = ifl_sass_emit_row(l, found);
    code->a = slot[0], code->b = slot[1], code->c = slot[2], code->d = d;
    code->m = o;
}
