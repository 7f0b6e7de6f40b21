/* SPDX-License-Identifier: Apache-2.0
 * Lowering of machine code on matrices that the lanes of a warp hold together (code/matrix.h). */
#include "code/lane_options.h"
#include "code/matrix.h"
#include "sass/sass_lane_row.h"
#include "sass/sass_lowerer.h"

static const ifl_sass_operand *operand(const ifl_sass_lowerer *l, ifl_sass_role role)
{
    return ifl_sass_lower_operand(l, role);
}

static ifl_sass_word value(const ifl_sass_lowerer *l, ifl_sass_value_role role)
{
    return ifl_sass_value(l->instruction, role);
}

static bool is_off(const ifl_sass_lowerer *l, ifl_sass_value_role role)
{
    const ifl_sass_word word = value(l, role);
    return word == IFL_SASS_WORD_ABSENT || word == IFL_SASS_WORD_OFF;
}

static ifl_site *site_of(const ifl_sass_lowerer *l)
{
    return &l->image->sites.at[l->instruction - l->instructions];
}

/* ---- moves ----------------------------------------------------------------------------------- */

static uint8_t matrix_count(ifl_sass_word word)
{
    switch (word) {
    case IFL_SASS_WORD_FOUR_MATRICES:
    case IFL_SASS_WORD_TWO_WIDE_MATRICES:
        return 4;
    case IFL_SASS_WORD_TWO_MATRICES:
    case IFL_SASS_WORD_ONE_WIDE_MATRIX:
        return 2;
    default:
        return 1;
    }
}

/* What an element is in memory: 16, 8, 6 or 4 bits; 0: none of these. */
static uint8_t moved_bits(const ifl_sass_lowerer *l)
{
    switch (value(l, IFL_SASS_VALUE_ELEMENT)) {
    case IFL_SASS_WORD_M16:
        return 16;
    case IFL_SASS_WORD_M8_BITS:
        return 8;
    case IFL_SASS_WORD_U6x16P32TO8:
        return 6;
    case IFL_SASS_WORD_U4x16P64TO8:
        return 4;
    default:
        return 0;
    }
}

/* M88: elements of 16 bits as they stand, MT88 transposed. M816: of fewer than 8 bits, MT1616 and
 * MT168 of up to 8 bits, transposed. */
static bool is_move_known(const ifl_sass_lowerer *l, const ifl_matrix_move *op)
{
    switch (value(l, IFL_SASS_VALUE_SHAPE)) {
    case IFL_SASS_WORD_M88:
    case IFL_SASS_WORD_MT88:
        return op->bits == 16;
    case IFL_SASS_WORD_M816:
        return op->bits && op->bits < 8;
    case IFL_SASS_WORD_MT1616:
        return op->bits && op->bits <= 8;
    case IFL_SASS_WORD_MT168:
        return op->bits == 8;
    default:
        return false;
    }
}

void ifl_sass_lower_matrix_move(ifl_sass_lowerer *l)
{
    enum { ROW_BYTES = 16 };
    const bool is_load = l->instruction->op == IFL_SASS_OP_LDSM;
    ifl_matrix_move *op = ifl_sass_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    op->bits = moved_bits(l);
    if (!is_move_known(l, op)) {
        ifl_sass_refuse(l, "of this shape and type");
        return;
    }
    op->at = (ifl_transfer){.space = IFL_SPACE_SHARED,
                            .kind = is_load ? IFL_ACCESS_LOAD : IFL_ACCESS_STORE,
                            .bytes = ROW_BYTES,
                            .element_bytes = ROW_BYTES,
                            .elements = 1};
    ifl_sass_lower_address(l, operand(l, IFL_SASS_ROLE_ADDRESS), &op->at);
    op->count = matrix_count(value(l, IFL_SASS_VALUE_MATRICES));
    op->transposes = value(l, IFL_SASS_VALUE_SHAPE) != IFL_SASS_WORD_M88 &&
                     value(l, IFL_SASS_VALUE_SHAPE) != IFL_SASS_WORD_M816;
    const uint32_t first =
        is_load ? ifl_sass_lower_destination(l, operand(l, IFL_SASS_ROLE_DESTINATION))
                : ifl_sass_lower_source(l, operand(l, IFL_SASS_ROLE_DATA), op->count);
    for (unsigned i = 0; i < op->count; i++)
        op->data[i] = first + i * IFL_PLANE_BYTES;
    ifl_sass_emit(l, is_load ? IFL_CODE_matrix_load : IFL_CODE_matrix_store)->extra = op;
}

void ifl_sass_lower_matrix_transpose(ifl_sass_lowerer *l)
{
    const ifl_sass_word shape = value(l, IFL_SASS_VALUE_SHAPE);
    const bool widens = value(l, IFL_SASS_VALUE_ELEMENT) == IFL_SASS_WORD_U4TO8;
    if (shape != (widens ? IFL_SASS_WORD_M832 : IFL_SASS_WORD_MT88)) {
        ifl_sass_refuse(l, "of this shape and type");
        return;
    }
    const uint32_t a = ifl_sass_lower_source(l, operand(l, IFL_SASS_ROLE_A), 1),
                   d = ifl_sass_lower_destination(l, operand(l, IFL_SASS_ROLE_DESTINATION));
    ifl_code *code = ifl_sass_emit(l, widens ? IFL_CODE_matrix_widen : IFL_CODE_matrix_transpose);
    code->a = a, code->d = d;
}

/* ---- products -------------------------------------------------------------------------------- */

static uint8_t matrix_type(ifl_sass_word word)
{
    static const struct {
        uint16_t word;
        uint8_t type;
    } types[] = {
        {IFL_SASS_WORD_F16, IFL_MATRIX_F16},    {IFL_SASS_WORD_BF16, IFL_MATRIX_BF16},
        {IFL_SASS_WORD_TF32, IFL_MATRIX_TF32},  {IFL_SASS_WORD_F32, IFL_MATRIX_F32},
        {IFL_SASS_WORD_F64, IFL_MATRIX_F64},    {IFL_SASS_WORD_E4M3, IFL_MATRIX_E4M3},
        {IFL_SASS_WORD_E5M2, IFL_MATRIX_E5M2},  {IFL_SASS_WORD_E2M1, IFL_MATRIX_E2M1},
        {IFL_SASS_WORD_E2M3, IFL_MATRIX_E2M3},  {IFL_SASS_WORD_E3M2, IFL_MATRIX_E3M2},
        {IFL_SASS_WORD_S8, IFL_MATRIX_S8},      {IFL_SASS_WORD_U8, IFL_MATRIX_U8},
        {IFL_SASS_WORD_S4, IFL_MATRIX_S4},      {IFL_SASS_WORD_U4, IFL_MATRIX_U4},
        {IFL_SASS_WORD_ONE_BIT, IFL_MATRIX_B1}, {IFL_SASS_WORD_S32, IFL_MATRIX_S32},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].word == word)
            return types[i].type;
    return IFL_MATRIX_NONE;
}

static uint8_t type_of_factor(const ifl_sass_lowerer *l, ifl_sass_value_role role)
{
    const ifl_sass_word own = value(l, role);
    return matrix_type(own == IFL_SASS_WORD_ABSENT ? value(l, IFL_SASS_VALUE_TYPE_FROM) : own);
}

/* Registers of 32 bits, of doubles pairs of them. */
static void set_registers(uint32_t first, uint8_t type, unsigned elements, uint32_t *to,
                          bool is_zero)
{
    const unsigned count = ifl_matrix_register_count(type, elements),
                   planes = type == IFL_MATRIX_F64 ? 2 : 1;
    for (unsigned i = 0; i < count && i < IFL_MATRIX_REGISTERS; i++)
        to[i] = is_zero ? first : first + i * planes * IFL_PLANE_BYTES;
}

/* d = -a, of the upper word of a double: LOP3's exclusive or. */
static void emit_other_sign(ifl_sass_lowerer *l, uint32_t a, uint32_t d)
{
    enum { EXCLUSIVE_OR = 0x3c };
    const ifl_sass_instruction either = {.op = IFL_SASS_OP_LOP3};
    const ifl_sass_query query = {.instruction = &either, .table = EXCLUSIVE_OR, .is_plain = true};
    ifl_lane_options *o = ifl_sass_lower_allocate(l, sizeof *o);
    if (!o)
        return;
    for (unsigned k = 0; k < 3; k++)
        o->keep[k] = UINT32_MAX;
    ifl_code *code = ifl_sass_emit_row(l, ifl_sass_lane_row_find(&query));
    code->a = a, code->b = ifl_builder_constant(&l->build, UINT32_C(1) << 31, 32), code->d = d;
    code->m = o;
}

/* A matrix of doubles with the other sign, in a place of its own: what the lanes hold stays. */
static void set_negated(ifl_sass_lowerer *l, uint32_t from, unsigned elements, bool is_zero,
                        uint32_t *to)
{
    enum { PAIR_BYTES = 2 * IFL_PLANE_BYTES };
    const unsigned count = is_zero ? 1 : ifl_matrix_register_count(IFL_MATRIX_F64, elements);
    const uint32_t first = ifl_builder_room(&l->build, (uint64_t)count * PAIR_BYTES);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t a = from + i * PAIR_BYTES, d = first + i * PAIR_BYTES;
        ifl_code *lower = ifl_sass_emit(l, IFL_CODE_move32);
        lower->a = a, lower->d = d;
        emit_other_sign(l, a + IFL_PLANE_BYTES, d + IFL_PLANE_BYTES);
    }
    set_registers(first, IFL_MATRIX_F64, elements, to, is_zero);
}

/* Of DMMA a source may be negated (ptxas makes it of neg.f64); of the others none has such a bit. */
static void set_source(ifl_sass_lowerer *l, ifl_sass_role role, uint8_t type, unsigned elements,
                       uint32_t *to)
{
    const ifl_sass_operand *from = operand(l, role);
    const bool can_negate = type == IFL_MATRIX_F64;
    if (!from || (from->negated && !can_negate) || from->absolute || from->inverted) {
        ifl_sass_refuse(l, "with the sign of a matrix changed");
        return;
    }
    const bool is_zero = from->kind == IFL_SASS_REGISTER && from->index == IFL_SASS_NO_REGISTER;
    const uint32_t first = ifl_sass_lower_source(l, from, 1);
    if (from->negated)
        set_negated(l, first, elements, is_zero, to);
    else
        set_registers(first, type, elements, to, is_zero);
}

/* IFL_ROUND_*; IFL_ROUND_RNA, which no product has, for what is none of the four. */
static uint8_t rounding_of(ifl_sass_word word)
{
    switch (word) {
    case IFL_SASS_WORD_ABSENT:
    case IFL_SASS_WORD_RN:
        return IFL_ROUND_RN;
    case IFL_SASS_WORD_RZ:
        return IFL_ROUND_RZ;
    case IFL_SASS_WORD_RM:
        return IFL_ROUND_RM;
    case IFL_SASS_WORD_RP:
        return IFL_ROUND_RP;
    default:
        return IFL_ROUND_RNA;
    }
}

/* Of QMMA one scale a line, of OMMA two or four; its floats are packed, no byte each. */
static bool describe_scaled(const ifl_sass_lowerer *l, ifl_matrix_product *op)
{
    const bool is_fours = l->instruction->op == IFL_SASS_OP_OMMA;
    if (is_off(l, IFL_SASS_VALUE_SCALED))
        return !is_fours;
    op->are_powers = value(l, IFL_SASS_VALUE_SCALE_TYPE) == IFL_SASS_WORD_E8;
    op->scales = !is_fours ? 1 : is_off(l, IFL_SASS_VALUE_SCALES) ? 2 : IFL_MATRIX_SCALES;
    if (!is_fours)
        return true;
    const bool is_known = op->a_type == IFL_MATRIX_E2M1 && op->b_type == IFL_MATRIX_E2M1;
    op->a_type = op->b_type = IFL_MATRIX_E2M1_PACKED;
    return is_known;
}

static bool describe_product(ifl_sass_lowerer *l, ifl_matrix_product *op)
{
    const ifl_sass_matrix shape = ifl_sass_word_matrix(value(l, IFL_SASS_VALUE_SHAPE));
    op->rounding = rounding_of(value(l, IFL_SASS_VALUE_ROUNDING));
    op->m = shape.rows, op->n = shape.columns, op->k = shape.depth;
    op->a_type = type_of_factor(l, IFL_SASS_VALUE_TYPE_A);
    op->b_type = type_of_factor(l, IFL_SASS_VALUE_TYPE_B);
    op->c_type = matrix_type(value(l, IFL_SASS_VALUE_TYPE_TO));
    op->saturates = !is_off(l, IFL_SASS_VALUE_SATURATION);
    op->is_and = value(l, IFL_SASS_VALUE_COMBINE) == IFL_SASS_WORD_AND;
    op->is_planes = true;
    op->is_sparse = !is_off(l, IFL_SASS_VALUE_SPARSE);
    return describe_scaled(l, op) && op->a_type && op->b_type && op->c_type &&
           ifl_matrix_product_fits(op) &&
           (op->rounding == IFL_ROUND_RN ||
            (op->rounding <= IFL_ROUND_RP && op->a_type == IFL_MATRIX_F64)) &&
           is_off(l, IFL_SASS_VALUE_REGISTER_OFFSET) &&
           ifl_sass_is_true(operand(l, IFL_SASS_ROLE_PREDICATE_IN)) &&
           ifl_matrix_set_rule(op, IFL_MATRIX_UNIT_WARP, l->instruction->sm);
}

static void set_sparse(ifl_sass_lowerer *l, ifl_matrix_product *op)
{
    const ifl_sass_operand *selector = operand(l, IFL_SASS_ROLE_SELECTOR);
    op->metadata = ifl_sass_lower_source(l, operand(l, IFL_SASS_ROLE_METADATA), op->scales ? 2 : 1);
    op->selector = selector ? (uint8_t)selector->value : 0;
}

/* A uniform register tells where they are: two bits which byte of a's, one which two lanes, two which
 * byte of b's, two which lane. Of a sparse a they are behind the metadata. */
static void set_scales(ifl_sass_lowerer *l, ifl_matrix_product *op)
{
    enum { LANES_OF_A = 2, BYTE_OF_B = 3, LANE_OF_B = 5 };
    const uint32_t where = ifl_sass_lower_source(l, operand(l, IFL_SASS_ROLE_SCALE), 1);
    op->scale_a = (ifl_matrix_scale){
        .slot = op->is_sparse ? op->metadata + IFL_PLANE_BYTES
                              : ifl_sass_lower_source(l, operand(l, IFL_SASS_ROLE_SCALE_A), 1),
        .byte = where,
        .lane = where,
        .lane_at = LANES_OF_A};
    op->scale_b =
        (ifl_matrix_scale){.slot = ifl_sass_lower_source(l, operand(l, IFL_SASS_ROLE_SCALE_B), 1),
                           .byte = where,
                           .byte_at = BYTE_OF_B,
                           .lane = where,
                           .lane_at = LANE_OF_B};
}

/* HMMA.884: of floats two elements of d a step, in a pair of registers; of halves four, in a pair too. Halves of
 * c that become floats are those of four columns. */
static void lower_quad_product(ifl_sass_lowerer *l, unsigned step)
{
    const ifl_sass_operand *a = operand(l, IFL_SASS_ROLE_A), *b = operand(l, IFL_SASS_ROLE_B),
                           *c = operand(l, IFL_SASS_ROLE_C);
    ifl_quad_product *op = ifl_sass_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    op->d_type = matrix_type(value(l, IFL_SASS_VALUE_TYPE_TO));
    op->c_type = matrix_type(value(l, IFL_SASS_VALUE_TYPE_C));
    op->is_a_across = a->select == IFL_SASS_WORD_COL;
    op->is_b_across = b->select == IFL_SASS_WORD_ROW;
    op->count = op->d_type == IFL_MATRIX_F16 ? IFL_QUAD_ELEMENTS / 2 : 2;
    op->first = (uint8_t)(step * op->count);
    if (!is_off(l, IFL_SASS_VALUE_SATURATION) || op->first >= IFL_QUAD_ELEMENTS ||
        (op->c_type == IFL_MATRIX_F32 && op->d_type == IFL_MATRIX_F16) ||
        !ifl_matrix_rule_find(IFL_MATRIX_UNIT_WARP, IFL_MATRIX_OPERANDS_HALVES, l->instruction->sm,
                              &op->rule)) {
        ifl_sass_refuse(l, "of this shape and these types");
        return;
    }
    const uint32_t from = ifl_sass_lower_source(l, c, 1),
                   to = ifl_sass_lower_destination(l, operand(l, IFL_SASS_ROLE_DESTINATION)),
                   at_a = ifl_sass_lower_source(l, a, 1), at_b = ifl_sass_lower_source(l, b, 1);
    const bool is_zero = c->kind == IFL_SASS_REGISTER && c->index == IFL_SASS_NO_REGISTER;
    const unsigned first_d = op->d_type == IFL_MATRIX_F16 ? op->first / 2u : op->first,
                   first_c = op->c_type == IFL_MATRIX_F32 ? op->first : op->first / 4u * 2u;
    for (unsigned i = 0; i < IFL_QUAD_FACTORS; i++) {
        op->a[i] = at_a + i * IFL_PLANE_BYTES, op->b[i] = at_b + i * IFL_PLANE_BYTES;
        op->c[first_c + i] = is_zero ? from : from + i * IFL_PLANE_BYTES;
        op->d[first_d + i] = to + i * IFL_PLANE_BYTES;
    }
    site_of(l)->matrix =
        (ifl_matrix_work){.kind = IFL_MATRIX_KIND_HALVES,
                          .unit = IFL_MATRIX_UNIT_WARP,
                          .products = IFL_QUAD_DEPTH * IFL_WARP_LANES * (uint32_t)op->count};
    ifl_sass_emit(l, IFL_CODE_quad_product)->extra = op;
}

/* None of a product that is made at once. */
static int step_of(const ifl_sass_lowerer *l)
{
    static const uint16_t steps[] = {IFL_SASS_WORD_STEP0, IFL_SASS_WORD_STEP1, IFL_SASS_WORD_STEP2,
                                     IFL_SASS_WORD_STEP3};
    for (int i = 0; i < (int)(sizeof steps / sizeof *steps); i++)
        if (value(l, IFL_SASS_VALUE_STEP) == steps[i])
            return i;
    return -1;
}

void ifl_sass_lower_matrix_product(ifl_sass_lowerer *l)
{
    const int step = step_of(l);
    if (step >= 0) {
        lower_quad_product(l, (unsigned)step);
        return;
    }
    ifl_matrix_product *op = ifl_sass_lower_allocate(l, sizeof *op);
    const ifl_sass_operand *d = operand(l, IFL_SASS_ROLE_DESTINATION);
    if (!op)
        return;
    if (!describe_product(l, op)) {
        ifl_sass_refuse(l, "of this shape and these types");
        return;
    }
    const unsigned a_elements = (unsigned)op->m * op->k / (op->is_sparse ? 2 : 1),
                   c_elements = (unsigned)op->m * op->n;
    set_source(l, IFL_SASS_ROLE_A, op->a_type, a_elements, op->a);
    set_source(l, IFL_SASS_ROLE_B, op->b_type, (unsigned)op->n * op->k, op->b);
    set_source(l, IFL_SASS_ROLE_C, op->c_type, c_elements, op->c);
    set_registers(ifl_sass_lower_destination(l, d), op->c_type, c_elements, op->d, false);
    if (op->is_sparse)
        set_sparse(l, op);
    if (op->scales)
        set_scales(l, op);
    site_of(l)->matrix = ifl_matrix_work_of(op, IFL_MATRIX_UNIT_WARP);
    ifl_sass_emit(l, IFL_CODE_matrix_product)->extra = op;
}

/* ---- products of a warp group ---------------------------------------------------------------- */

/* gdesc[UR]: a's descriptor, behind it b's; of a in registers the first one has no meaning. */
static void set_descriptors(ifl_sass_lowerer *l, ifl_group_product *op)
{
    enum { DESCRIPTOR_WORDS = 2 };
    const ifl_sass_operand *a = operand(l, IFL_SASS_ROLE_A), *b = operand(l, IFL_SASS_ROLE_B);
    const ifl_sass_operand *at = a && a->kind == IFL_SASS_MEMORY ? a : b;
    if (!a || !at || at->kind != IFL_SASS_MEMORY || at->uniform == IFL_SASS_NO_REGISTER) {
        ifl_sass_refuse(l, "without descriptors");
        return;
    }
    op->are_planes = true;
    op->a_descriptor = ifl_sass_uniform_slot(l, at->uniform);
    op->b_descriptor = op->a_descriptor + DESCRIPTOR_WORDS * IFL_PLANE_BYTES;
    op->is_a_in_registers = a->kind == IFL_SASS_REGISTER;
    for (unsigned i = 0; op->is_a_in_registers && i < IFL_GROUP_A_REGISTERS; i++)
        op->a[i] = ifl_sass_lower_source(l, a, 1) + i * IFL_PLANE_BYTES;
    op->negates_a = !is_off(l, IFL_SASS_VALUE_NEGATE_A) || (op->is_a_in_registers && a->negated);
    op->negates_b = !is_off(l, IFL_SASS_VALUE_NEGATE_B);
    op->transposes_a = !is_off(l, IFL_SASS_VALUE_TRANSPOSE_A);
    op->transposes_b = !is_off(l, IFL_SASS_VALUE_TRANSPOSE_B);
}

static bool describe_group(ifl_sass_lowerer *l, ifl_group_product *op)
{
    const ifl_sass_matrix shape = ifl_sass_word_matrix(value(l, IFL_SASS_VALUE_SHAPE));
    op->one = (ifl_matrix_product){.m = IFL_MATRIX_ROWS,
                                   .n = shape.columns,
                                   .k = shape.depth,
                                   .a_type = type_of_factor(l, IFL_SASS_VALUE_TYPE_A),
                                   .b_type = type_of_factor(l, IFL_SASS_VALUE_TYPE_B),
                                   .c_type = matrix_type(value(l, IFL_SASS_VALUE_TYPE_TO)),
                                   .is_and = value(l, IFL_SASS_VALUE_COMBINE) == IFL_SASS_WORD_AND,
                                   .is_sparse = !is_off(l, IFL_SASS_VALUE_SPARSE),
                                   .saturates = !is_off(l, IFL_SASS_VALUE_SATURATION)};
    return shape.rows == IFL_MATRIX_ROWS && is_off(l, IFL_SASS_VALUE_REGISTER_OFFSET) &&
           ifl_group_product_fits(op) &&
           ifl_matrix_set_rule(&op->one, IFL_MATRIX_UNIT_GROUP, l->instruction->sm);
}

/* ptxas closes a group behind a loop of products by one of nothing by nothing, which it keeps nowhere:
 * HGMMA.64x8x16.F16 RZ, gdesc[URZ], RZ, !UPT, gsb0. */
static bool ends_group_alone(const ifl_sass_lowerer *l)
{
    const ifl_sass_operand *d = operand(l, IFL_SASS_ROLE_DESTINATION),
                           *a = operand(l, IFL_SASS_ROLE_A);
    return operand(l, IFL_SASS_ROLE_BARRIER) && (!d || d->index == IFL_SASS_NO_REGISTER) && a &&
           a->kind == IFL_SASS_MEMORY && a->uniform == IFL_SASS_NO_REGISTER;
}

void ifl_sass_lower_group_product(ifl_sass_lowerer *l)
{
    ifl_group_product *op = ifl_sass_lower_allocate(l, sizeof *op);
    const ifl_sass_operand *c = operand(l, IFL_SASS_ROLE_C);
    if (!op)
        return;
    if (!describe_group(l, op)) {
        ifl_sass_refuse(l, "of this shape and these types");
        return;
    }
    if (ends_group_alone(l)) {
        site_of(l)->matrix = ifl_group_work_of(op);
        site_of(l)->control.writes = IFL_GROUP_BOARD;
        ifl_sass_emit(l, IFL_CODE_nothing);
        return;
    }
    set_descriptors(l, op);
    if (op->one.is_sparse)
        set_sparse(l, &op->one);
    op->accumulates =
        ifl_sass_lower_predicate(l, operand(l, IFL_SASS_ROLE_PREDICATE_IN), true, &op->flip);
    const ifl_sass_operand *d = operand(l, IFL_SASS_ROLE_DESTINATION);
    const uint32_t from = ifl_sass_lower_source(l, c, 1), to = ifl_sass_lower_destination(l, d);
    const bool is_zero = !c || c->index == IFL_SASS_NO_REGISTER,
               is_sink = !d || d->index == IFL_SASS_NO_REGISTER;
    for (unsigned i = 0;
         i < ifl_matrix_register_count(op->one.c_type, (unsigned)op->one.m * op->one.n); i++) {
        op->c[i] = is_zero ? l->zeros : from + i * IFL_PLANE_BYTES;
        op->d[i] = is_sink ? l->sink : to + i * IFL_PLANE_BYTES;
    }
    site_of(l)->matrix = ifl_group_work_of(op);
    if (operand(l, IFL_SASS_ROLE_BARRIER))
        site_of(l)->control.writes = IFL_GROUP_BOARD;
    ifl_sass_emit(l, IFL_CODE_group_product)->extra = op;
}

/* WARPGROUP.DEPBAR.LE gsb0, n waits until at most n groups of products are pending. nvcc has ARRIVE
 * before products; ARRIVE and WAIT are a barrier of the group's four warps, which cuBLAS has between
 * the stores of a tile to shared memory and its copy from there. */
void ifl_sass_lower_group_sync(ifl_sass_lowerer *l)
{
    const ifl_sass_operand *left = operand(l, IFL_SASS_ROLE_COUNT);
    const bool arrives = !left && value(l, IFL_SASS_VALUE_OPERATION) == IFL_SASS_WORD_ARRIVE;
    ifl_control *control = &site_of(l)->control;
    if (left) {
        control->step = IFL_STEP_DRAIN;
        control->board = IFL_GROUP_BOARD;
        control->left = (uint8_t)left->value;
    }
    ifl_sass_emit(l, arrives ? IFL_CODE_group_arrive : IFL_CODE_group_product_wait);
}
