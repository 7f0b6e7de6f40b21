/* SPDX-License-Identifier: Apache-2.0
 * Lowering of matrices: ldmatrix, stmatrix, movmatrix, mma. */
#include "code/matrix.h"
#include "ptx/lower_internal.h"

/* ---- moves ----------------------------------------------------------------------------------- */

static bool has_shape(const ifl_lowerer *l, unsigned m, unsigned n, unsigned k)
{
    const uint16_t *shape = l->instruction->modifiers.shape;
    return shape[0] == m && shape[1] == n && shape[2] == k;
}

static void set_matrix_address(ifl_lowerer *l, const ifl_operand *memory, ifl_transfer *t)
{
    const ifl_modifiers *m = &l->instruction->modifiers;
    t->space = m->space_written ? m->space : IFL_SPACE_GENERIC;
    t->address = ifl_lower_address(l, memory, t->space);
    t->form = IFL_ADDRESS_64;
    t->bytes = t->element_bytes = 16;
    t->elements = 1;
}

/* m8n8 of b16; of loads m8n16 of elements that become bytes, and m16n16, transposed, whose matrices are
 * two registers each; of stores m16n8 of bytes, transposed. */
static bool describe_move(const ifl_lowerer *l, ifl_matrix_move *op, bool is_load, uint32_t count)
{
    const ifl_modifiers *m = &l->instruction->modifiers;
    const bool is_tall = is_load && has_shape(l, 16, 16, 0),
               is_packed = m->pack == IFL_PACK_BYTES && m->format;
    op->transposes = m->flags & IFL_FLAG_TRANS;
    op->bits = is_packed ? m->format : (uint8_t)ifl_type_bits(l->instruction->type[0]);
    op->count = (uint8_t)count;
    if (count != m->matrices * (is_tall ? 2u : 1u) || count > 4)
        return false;
    if (has_shape(l, 8, 8, 0))
        return op->bits == 16;
    if (is_load && has_shape(l, 8, 16, 0))
        return is_packed && !op->transposes;
    return (is_tall || (!is_load && has_shape(l, 16, 8, 0) && !is_packed)) && op->bits <= 8 &&
           op->transposes;
}

void ifl_lower_matrix_move(ifl_lowerer *l)
{
    const bool is_load = l->instruction->opcode == IFL_OP_LDMATRIX;
    ifl_matrix_move *op = ifl_lower_allocate(l, sizeof *op);
    uint32_t count;
    const ifl_operand *member = ifl_slot_members(l->slots.at[is_load ? 0 : 1], &count);
    if (!op)
        return;
    if (!describe_move(l, op, is_load, count)) {
        ifl_lower_unsupported(l, "of this shape, type and number of registers");
        return;
    }
    set_matrix_address(l, l->slots.at[is_load ? 1 : 0], &op->at);
    op->at.kind = is_load ? IFL_ACCESS_LOAD : IFL_ACCESS_STORE;
    for (uint32_t i = 0; i < count; i++)
        op->data[i] = is_load ? ifl_lower_destination(l, &member[i], 32)
                              : ifl_lower_source(l, &member[i], 32, false);
    ifl_lower_emit(l, is_load ? IFL_CODE_matrix_load : IFL_CODE_matrix_store)->extra = op;
    for (uint32_t i = 0; i < count && is_load; i++)
        ifl_lower_finish(l, &member[i], op->data[i], 32, false);
}

void ifl_lower_matrix_transpose(ifl_lowerer *l)
{
    if (!has_shape(l, 8, 8, 0) || ifl_type_bits(l->instruction->type[0]) != 16)
        ifl_lower_unsupported(l, "of this shape and type");
    const uint32_t a = ifl_lower_source(l, l->slots.at[1], 32, false),
                   d = ifl_lower_destination(l, l->slots.at[0], 32);
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_matrix_transpose);
    code->a = a, code->d = d;
    ifl_lower_finish(l, l->slots.at[0], d, 32, false);
}

/* ---- products -------------------------------------------------------------------------------- */

uint8_t ifl_lower_matrix_type(uint8_t type)
{
    static const uint8_t types[IFL_TYPE_COUNT] = {
        [IFL_TYPE_F16] = IFL_MATRIX_F16,   [IFL_TYPE_BF16] = IFL_MATRIX_BF16,
        [IFL_TYPE_TF32] = IFL_MATRIX_TF32, [IFL_TYPE_F32] = IFL_MATRIX_F32,
        [IFL_TYPE_F64] = IFL_MATRIX_F64,   [IFL_TYPE_E4M3] = IFL_MATRIX_E4M3,
        [IFL_TYPE_E5M2] = IFL_MATRIX_E5M2, [IFL_TYPE_S8] = IFL_MATRIX_S8,
        [IFL_TYPE_E2M1] = IFL_MATRIX_E2M1, [IFL_TYPE_E2M3] = IFL_MATRIX_E2M3,
        [IFL_TYPE_E3M2] = IFL_MATRIX_E3M2, [IFL_TYPE_U8] = IFL_MATRIX_U8,
        [IFL_TYPE_S4] = IFL_MATRIX_S4,     [IFL_TYPE_U4] = IFL_MATRIX_U4,
        [IFL_TYPE_B1] = IFL_MATRIX_B1,     [IFL_TYPE_S32] = IFL_MATRIX_S32,
    };
    return types[type];
}

static bool is_small_float(uint8_t type)
{
    return type == IFL_MATRIX_E4M3 || type == IFL_MATRIX_E5M2 || type == IFL_MATRIX_E3M2 ||
           type == IFL_MATRIX_E2M3 || type == IFL_MATRIX_E2M1;
}

/* Of .kind::f8f6f4: any two of the types; each element has a byte. */
static bool is_mixture_known(const ifl_matrix_product *op)
{
    enum { DEPTH = 32 };
    return is_small_float(op->a_type) && is_small_float(op->b_type) &&
           (op->c_type == IFL_MATRIX_F16 || op->c_type == IFL_MATRIX_F32) &&
           op->m == IFL_MATRIX_ROWS && op->n == IFL_MATRIX_COLUMNS &&
           op->k == (op->is_sparse ? 2 * DEPTH : DEPTH);
}

/* Of a line: what .scale_vec or .block says, else what the kind has. 255: none that it can have. */
uint8_t ifl_lower_matrix_scales(const ifl_modifiers *m)
{
    const bool is_fours = m->kind == IFL_KIND_MXF4 || m->kind == IFL_KIND_MXF4NVF4;
    const uint8_t usual = is_fours ? 2 : 1;
    const uint8_t said = !m->scales       ? usual
                         : m->scales < 16 ? m->scales
                                          : (uint8_t)((is_fours ? 64 : 32) / m->scales);
    const bool is_known = said == usual || (said == 4 && m->kind == IFL_KIND_MXF4NVF4);
    return is_known ? said : UINT8_MAX;
}

/* Of .block_scale: ue4m3 with four scales a line only; floats of 4 bits are packed but with
 * .kind::mxf8f6f4 (PTX ISA 9.0, "Block Scaling for mma.sync"). */
static bool are_scaled_known(const ifl_modifiers *m, ifl_matrix_product *op)
{
    enum { DEPTH_OF_FOURS = 64 };
    op->scales = ifl_lower_matrix_scales(m);
    op->are_powers = m->scale_type == IFL_SCALE_UE8M0;
    if (!m->scaling || op->scales == UINT8_MAX || !m->scale_type ||
        (!op->are_powers && op->scales != IFL_MATRIX_SCALES) || op->c_type != IFL_MATRIX_F32)
        return false;
    if (m->kind == IFL_KIND_MXF8F6F4)
        return is_mixture_known(op);
    const bool is_known = op->a_type == IFL_MATRIX_E2M1 && op->b_type == IFL_MATRIX_E2M1 &&
                          op->m == IFL_MATRIX_ROWS && op->n == IFL_MATRIX_COLUMNS &&
                          op->k == (op->is_sparse ? 2 * DEPTH_OF_FOURS : DEPTH_OF_FOURS);
    op->a_type = op->b_type = IFL_MATRIX_E2M1_PACKED;
    return is_known;
}

static bool is_narrower_than_byte(uint8_t type)
{
    return is_small_float(type) && type != IFL_MATRIX_E4M3 && type != IFL_MATRIX_E5M2;
}

/* The shapes and types of PTX ISA 9.0, "Multiply-and-Accumulate Instruction: mma": columns are
 * always 8. */
static bool is_product_known(const ifl_matrix_product *op)
{
    static const struct {
        uint8_t a, c, m;
        uint16_t k[3];
    } table[] = {
        {IFL_MATRIX_F16, IFL_MATRIX_F16, 16, {8, 16}},
        {IFL_MATRIX_F16, IFL_MATRIX_F32, 16, {8, 16}},
        {IFL_MATRIX_BF16, IFL_MATRIX_F32, 16, {8, 16}},
        {IFL_MATRIX_TF32, IFL_MATRIX_F32, 16, {4, 8}},
        {IFL_MATRIX_F64, IFL_MATRIX_F64, 8, {4}},
        {IFL_MATRIX_F64, IFL_MATRIX_F64, 16, {4, 8, 16}},
        {IFL_MATRIX_E4M3, IFL_MATRIX_F16, 16, {16, 32}},
        {IFL_MATRIX_E4M3, IFL_MATRIX_F32, 16, {16, 32}},
        {IFL_MATRIX_E5M2, IFL_MATRIX_F16, 16, {16, 32}},
        {IFL_MATRIX_E5M2, IFL_MATRIX_F32, 16, {16, 32}},
        {IFL_MATRIX_S8, IFL_MATRIX_S32, 8, {16}},
        {IFL_MATRIX_S8, IFL_MATRIX_S32, 16, {16, 32}},
        {IFL_MATRIX_U8, IFL_MATRIX_S32, 8, {16}},
        {IFL_MATRIX_U8, IFL_MATRIX_S32, 16, {16, 32}},
        {IFL_MATRIX_S4, IFL_MATRIX_S32, 8, {32}},
        {IFL_MATRIX_S4, IFL_MATRIX_S32, 16, {32, 64}},
        {IFL_MATRIX_U4, IFL_MATRIX_S32, 8, {32}},
        {IFL_MATRIX_U4, IFL_MATRIX_S32, 16, {32, 64}},
        {IFL_MATRIX_B1, IFL_MATRIX_S32, 8, {128}},
        {IFL_MATRIX_B1, IFL_MATRIX_S32, 16, {128, 256}},
    };
    const unsigned depth = op->is_sparse ? op->k / 2u : op->k;
    if (is_narrower_than_byte(op->b_type))
        return false;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (unsigned k = 0;
             k < 3 && table[i].a == op->a_type && table[i].c == op->c_type && table[i].m == op->m;
             k++)
            if (table[i].k[k] == depth)
                return op->n == 8;
    return false;
}

static bool set_sources(ifl_lowerer *l, unsigned slot, uint8_t type, unsigned elements,
                        uint32_t *to)
{
    uint32_t count;
    const ifl_operand *member = ifl_slot_members(l->slots.at[slot], &count);
    if (count != ifl_matrix_register_count(type, elements) || count > IFL_MATRIX_REGISTERS) {
        ifl_lower_unsupported(l, "with this number of registers");
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        to[i] = ifl_lower_source(l, &member[i], type == IFL_MATRIX_F64 ? 64 : 32, false);
    return true;
}

/* The metadata, and which lanes hold it. */
static void set_sparse(ifl_lowerer *l, ifl_matrix_product *op)
{
    enum { METADATA = 4, SELECTOR = 5, MOST = 3 };
    const ifl_operand *selector = l->slots.at[SELECTOR];
    if (!ifl_lower_has(l, METADATA) || !ifl_lower_has(l, SELECTOR) ||
        selector->kind != IFL_OPERAND_IMMEDIATE || selector->value > MOST) {
        ifl_lower_unsupported(l, "with this selector of metadata");
        return;
    }
    op->metadata = ifl_lower_source(l, l->slots.at[METADATA], 32, false);
    op->selector = (uint8_t)selector->value;
}

/* {byte, lanes}: constants, or registers of 16 bits. */
static void set_scale(ifl_lowerer *l, unsigned slot, unsigned places, unsigned lanes,
                      unsigned scales, ifl_matrix_scale *to)
{
    enum { BYTES = 4, PARTS = 2 };
    uint32_t count = 0;
    const ifl_operand *part = ifl_lower_has(l, slot) && ifl_lower_has(l, places)
                                  ? ifl_slot_members(l->slots.at[places], &count)
                                  : NULL;
    if (!part || count != PARTS ||
        (part[0].kind == IFL_OPERAND_IMMEDIATE &&
         (part[0].value < 0 || part[0].value >= BYTES || part[0].value % scales)) ||
        (part[1].kind == IFL_OPERAND_IMMEDIATE &&
         (part[1].value < 0 || part[1].value >= (int64_t)lanes))) {
        ifl_lower_unsupported(l, "without scales, and which bytes and lanes hold them");
        return;
    }
    *to = (ifl_matrix_scale){.slot = ifl_lower_source(l, l->slots.at[slot], 32, false),
                             .byte = ifl_lower_source(l, &part[0], 32, false),
                             .lane = ifl_lower_source(l, &part[1], 32, false)};
}

static void set_scales(ifl_lowerer *l, ifl_matrix_product *op)
{
    enum { OF_A = 4, OF_SPARSE_A = 6, PLACES_A, OF_B, PLACES_B, LANES_OF_A = 2, LANES_OF_B = 4 };
    set_scale(l, op->is_sparse ? OF_SPARSE_A : OF_A, PLACES_A, LANES_OF_A, op->scales,
              &op->scale_a);
    set_scale(l, OF_B, PLACES_B, LANES_OF_B, op->scales, &op->scale_b);
}

static bool describe_product(ifl_lowerer *l, ifl_matrix_product *op)
{
    enum { KIND_SM = 120 }; /* the first that has .kind */
    const ifl_instruction *in = l->instruction;
    const ifl_modifiers *m = &in->modifiers;
    op->m = m->shape[0], op->n = m->shape[1], op->k = m->shape[2];
    op->c_type = ifl_lower_matrix_type(in->type[0]);
    op->a_type = ifl_lower_matrix_type(in->type[1]);
    op->b_type = ifl_lower_matrix_type(in->type[2]);
    op->saturates = m->flags & IFL_FLAG_SATFINITE;
    op->is_and = m->combine == IFL_COMBINE_AND;
    op->rounding = m->rounding; /* ptxas takes it of f64 alone */
    op->is_sparse = m->flags & (IFL_FLAG_SPARSE | IFL_FLAG_SPARSE_ORDERED);
    if (in->type_count != IFL_MAX_TYPES || in->type[3] != in->type[0] ||
        m->layout != IFL_LAYOUT_ROW || m->layout2 != IFL_LAYOUT_COLUMN ||
        !(m->kind >= IFL_KIND_MXF8F6F4 ? are_scaled_known(m, op)
          : m->kind                    ? m->kind == IFL_KIND_F8F6F4 && is_mixture_known(op)
                                       : is_product_known(op)) ||
        !ifl_matrix_product_fits(op) ||
        !ifl_matrix_set_rule(op, IFL_MATRIX_UNIT_WARP, m->kind ? KIND_SM : IFL_LOWER_PTX_SM)) {
        ifl_lower_unsupported(l, "of this shape, these layouts and types");
        return false;
    }
    return true;
}

static bool set_quad_slots(ifl_lowerer *l, unsigned slot, unsigned wanted, bool is_destination,
                           uint32_t *to)
{
    uint32_t count;
    const ifl_operand *member = ifl_slot_members(l->slots.at[slot], &count);
    for (uint32_t i = 0; count == wanted && i < count; i++)
        to[i] = is_destination ? ifl_lower_destination(l, &member[i], 32)
                               : ifl_lower_source(l, &member[i], 32, false);
    return count == wanted;
}

static void lower_quad_product(ifl_lowerer *l)
{
    const ifl_instruction *in = l->instruction;
    ifl_quad_product *op = ifl_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    const ifl_modifiers *m = &in->modifiers;
    *op = (ifl_quad_product){.d_type = ifl_lower_matrix_type(in->type[0]),
                             .c_type = ifl_lower_matrix_type(in->type[3]),
                             .is_a_across = m->layout == IFL_LAYOUT_COLUMN,
                             .is_b_across = m->layout2 == IFL_LAYOUT_ROW,
                             .is_plain = true, /* IFL_LOWER_PTX_SM has no tensor core for them */
                             .count = IFL_QUAD_ELEMENTS};
    const bool is_c_half = op->c_type == IFL_MATRIX_F16, is_d_half = op->d_type == IFL_MATRIX_F16;
    const unsigned c_count = IFL_QUAD_ELEMENTS / (is_c_half ? 2 : 1),
                   d_count = IFL_QUAD_ELEMENTS / (is_d_half ? 2 : 1);
    if (in->type_count != IFL_MAX_TYPES || in->type[2] != IFL_TYPE_F16 ||
        m->flags & ~(uint32_t)(IFL_FLAG_SYNC | IFL_FLAG_ALIGNED) || !m->layout || !m->layout2 ||
        (!is_c_half && op->c_type != IFL_MATRIX_F32) ||
        (!is_d_half && op->d_type != IFL_MATRIX_F32) || (is_d_half && !is_c_half)) {
        ifl_lower_unsupported(l, "of this shape, these layouts and types");
        return;
    }
    if (!set_quad_slots(l, 1, IFL_QUAD_FACTORS, false, op->a) ||
        !set_quad_slots(l, 2, IFL_QUAD_FACTORS, false, op->b) ||
        !set_quad_slots(l, 3, c_count, false, op->c) ||
        !set_quad_slots(l, 0, d_count, true, op->d)) {
        ifl_lower_unsupported(l, "with this number of registers");
        return;
    }
    ifl_lower_emit(l, IFL_CODE_quad_product)->extra = op;
    uint32_t count;
    const ifl_operand *member = ifl_slot_members(l->slots.at[0], &count);
    for (uint32_t i = 0; i < count; i++)
        ifl_lower_finish(l, &member[i], op->d[i], 32, false);
}

void ifl_lower_matrix_product(ifl_lowerer *l)
{
    /* m8n8k4 of halves, in any layouts. */
    if (has_shape(l, 8, 8, 4) && l->instruction->type[1] == IFL_TYPE_F16) {
        lower_quad_product(l);
        return;
    }
    ifl_matrix_product *op = ifl_lower_allocate(l, sizeof *op);
    if (!op || !describe_product(l, op))
        return;
    const unsigned bits = op->c_type == IFL_MATRIX_F64 ? 64 : 32,
                   c_elements = (unsigned)op->m * op->n;
    uint32_t count;
    const ifl_operand *member = ifl_slot_members(l->slots.at[0], &count);
    if (count != ifl_matrix_register_count(op->c_type, c_elements) ||
        !set_sources(l, 1, op->a_type, (unsigned)op->m * op->k / (op->is_sparse ? 2 : 1), op->a) ||
        !set_sources(l, 2, op->b_type, (unsigned)op->n * op->k, op->b) ||
        !set_sources(l, 3, op->c_type, c_elements, op->c)) {
        ifl_lower_unsupported(l, "with this number of registers");
        return;
    }
    if (op->is_sparse)
        set_sparse(l, op);
    if (op->scales)
        set_scales(l, op);
    for (uint32_t i = 0; i < count; i++)
        op->d[i] = ifl_lower_destination(l, &member[i], bits);
    l->sites.at[ifl_lower_site(l, l->instruction)].matrix =
        ifl_matrix_work_of(op, IFL_MATRIX_UNIT_WARP);
    ifl_lower_emit(l, IFL_CODE_matrix_product)->extra = op;
    for (uint32_t i = 0; i < count; i++)
        ifl_lower_finish(l, &member[i], op->d[i], bits, false);
}

/* ---- products of a warp group ---------------------------------------------------------------- */

enum { D, A, B, ACCUMULATES, SCALE_A, SCALE_B, ACROSS_A, ACROSS_B };
/* Of a sparse a these stand before ACCUMULATES. */
enum { GROUP_METADATA = 3, GROUP_SELECTOR, SPARSE_OPERANDS = 2 };

/* A constant operand, or `otherwise` where it was left out. */
static int64_t constant_of(ifl_lowerer *l, unsigned slot, int64_t otherwise)
{
    slot += l->instruction->opcode == IFL_OP_WGMMA_SP ? SPARSE_OPERANDS : 0;
    if (!ifl_lower_has(l, slot))
        return otherwise;
    if (l->slots.at[slot]->kind != IFL_OPERAND_IMMEDIATE)
        ifl_lower_unsupported(l, "with a scale or a transposition that is no constant");
    return l->slots.at[slot]->value;
}

static bool describe_group(ifl_lowerer *l, ifl_group_product *op)
{
    enum { GROUP_ROWS = 64, TYPES = 3 };
    const ifl_instruction *in = l->instruction;
    const ifl_modifiers *m = &in->modifiers;
    op->one = (ifl_matrix_product){.m = IFL_MATRIX_ROWS,
                                   .n = m->shape[1],
                                   .k = m->shape[2],
                                   .a_type = ifl_lower_matrix_type(in->type[1]),
                                   .b_type = ifl_lower_matrix_type(in->type[2]),
                                   .c_type = ifl_lower_matrix_type(in->type[0]),
                                   .is_and = m->combine == IFL_COMBINE_AND,
                                   .is_sparse = in->opcode == IFL_OP_WGMMA_SP,
                                   .saturates = m->flags & IFL_FLAG_SATFINITE};
    if (in->type_count != TYPES || m->shape[0] != GROUP_ROWS ||
        (op->one.a_type == IFL_MATRIX_B1) != op->one.is_and || !ifl_group_product_fits(op) ||
        !ifl_matrix_set_rule(&op->one, IFL_MATRIX_UNIT_GROUP, IFL_LOWER_PTX_SM)) {
        ifl_lower_unsupported(l, "of this shape and these types");
        return false;
    }
    return true;
}

static void set_group_metadata(ifl_lowerer *l, ifl_matrix_product *one)
{
    const ifl_operand *selector = l->slots.at[GROUP_SELECTOR];
    const bool is_bytes = ifl_matrix_format_of(one->a_type)->bits == 8;
    if (selector->kind != IFL_OPERAND_IMMEDIATE || selector->value < 0 ||
        selector->value > (is_bytes ? 0 : 1)) {
        ifl_lower_unsupported(l, "with this selector of metadata");
        return;
    }
    one->metadata = ifl_lower_source(l, l->slots.at[GROUP_METADATA], 32, false);
    one->selector = (uint8_t)selector->value;
}

/* Of a in registers only b may lie across: its flag is then the first. */
static void set_factors(ifl_lowerer *l, ifl_group_product *op)
{
    uint32_t count;
    const ifl_operand *a = ifl_slot_members(l->slots.at[A], &count);
    op->is_a_in_registers = l->slots.at[A]->kind == IFL_OPERAND_VECTOR;
    if (op->is_a_in_registers && count != IFL_GROUP_A_REGISTERS)
        ifl_lower_unsupported(l, "with this number of registers");
    for (uint32_t i = 0; op->is_a_in_registers && i < count && i < IFL_GROUP_A_REGISTERS; i++)
        op->a[i] = ifl_lower_source(l, &a[i], 32, false);
    if (!op->is_a_in_registers)
        op->a_descriptor = ifl_lower_source(l, l->slots.at[A], 64, false);
    op->b_descriptor = ifl_lower_source(l, l->slots.at[B], 64, false);
    if (op->one.is_sparse)
        set_group_metadata(l, &op->one);
    op->accumulates = ifl_lower_predicate(
        l, l->slots.at[ACCUMULATES + (op->one.is_sparse ? SPARSE_OPERANDS : 0)], &op->flip);
    op->negates_a = constant_of(l, SCALE_A, 1) < 0;
    op->negates_b = constant_of(l, SCALE_B, 1) < 0;
    op->transposes_a = !op->is_a_in_registers && constant_of(l, ACROSS_A, 0);
    op->transposes_b = constant_of(l, op->is_a_in_registers ? ACROSS_A : ACROSS_B, 0);
}

void ifl_lower_group_product(ifl_lowerer *l)
{
    ifl_group_product *op = ifl_lower_allocate(l, sizeof *op);
    uint32_t count;
    const ifl_operand *member = ifl_slot_members(l->slots.at[D], &count);
    if (!op || !describe_group(l, op))
        return;
    if (count != ifl_matrix_register_count(op->one.c_type, (unsigned)op->one.m * op->one.n) ||
        count > IFL_GROUP_SUMS) {
        ifl_lower_unsupported(l, "with this number of registers");
        return;
    }
    set_factors(l, op);
    for (uint32_t i = 0; i < count; i++)
        op->c[i] = ifl_lower_source(l, &member[i], 32, false);
    for (uint32_t i = 0; i < count; i++)
        op->d[i] = ifl_lower_destination(l, &member[i], 32);
    l->sites.at[ifl_lower_site(l, l->instruction)].matrix = ifl_group_work_of(op);
    ifl_lower_emit(l, IFL_CODE_group_product)->extra = op;
    for (uint32_t i = 0; i < count; i++)
        ifl_lower_finish(l, &member[i], op->d[i], 32, false);
}

void ifl_lower_group_product_wait(ifl_lowerer *l)
{
    ifl_lower_emit(l, IFL_CODE_group_product_wait);
}
