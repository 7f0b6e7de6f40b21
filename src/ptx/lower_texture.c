/* SPDX-License-Identifier: Apache-2.0
 * Lowering of textures and surfaces: tex, tld4, txq, suld, sust, sured, suq. What machine code
 * does around its own instructions (cubes, layers, results of 16 bits) is done as ptxas does it for
 * sm_90. */
#include "code/texture.h"
#include "ptx/lower_internal.h"

enum { WORD_BITS = 32, MOST_LAYER = 0xffff };

/* ---- rows of opcode.def ---------------------------------------------------------------------- */

/* d = opcode(a, b), 32 bits a lane. */
static void apply(ifl_lowerer *l, uint16_t opcode, uint8_t type, const ifl_modifiers *how,
                  uint32_t d, uint32_t a, uint32_t b)
{
    const unsigned sources = opcode == IFL_OP_ABS || opcode == IFL_OP_RCP ? 1 : 2;
    const ifl_ptx_row *row = ifl_ptx_row_find(opcode, type, IFL_TYPE_NONE, sources, how);
    if (!row) {
        ifl_lower_unsupported(l, "its coordinates cannot be computed");
        return;
    }
    ifl_code *code = ifl_lower_emit_row(l, row);
    code->a = a, code->b = b, code->d = d, code->m = how;
}

static const ifl_modifiers plain = {0}, nearest = {.rounding = IFL_ROUND_RN},
                           approximate = {.flags = IFL_FLAG_APPROX | IFL_FLAG_FTZ};

/* ---- shapes ---------------------------------------------------------------------------------- */

static const struct {
    uint8_t rank;
    bool is_layered, is_cube;
    uint8_t coordinates; /* at least, the layer among them */
} shapes[] = {
    [IFL_GEOMETRY_1D] = {1, false, false, 1},       [IFL_GEOMETRY_2D] = {2, false, false, 2},
    [IFL_GEOMETRY_3D] = {3, false, false, 3},       [IFL_GEOMETRY_1D_ARRAY] = {1, true, false, 2},
    [IFL_GEOMETRY_2D_ARRAY] = {2, true, false, 3},  [IFL_GEOMETRY_CUBE] = {3, false, true, 3},
    [IFL_GEOMETRY_CUBE_ARRAY] = {3, true, true, 4},
};

/* The coordinates' members, the layer first; NULL: the instruction is refused. */
static const ifl_operand *set_shape(ifl_lowerer *l, const ifl_operand *slot, ifl_texture_op *op)
{
    const uint8_t geometry = l->instruction->modifiers.geometry;
    uint32_t count;
    const ifl_operand *member = ifl_slot_members(slot, &count);
    if (geometry >= sizeof shapes / sizeof *shapes || !shapes[geometry].rank) {
        ifl_lower_unsupported(l, "of these dimensions");
        return NULL;
    }
    if (count < shapes[geometry].coordinates) {
        ifl_lower_unsupported(l, "with so few coordinates");
        return NULL;
    }
    op->rank = shapes[geometry].rank;
    op->is_layered = shapes[geometry].is_layered;
    op->is_cube = shapes[geometry].is_cube;
    return member;
}

/* A number in a register, or what a variable of the module holds. */
static uint32_t handle_of(ifl_lowerer *l, const ifl_operand *memory)
{
    if (memory->kind == IFL_OPERAND_MEMORY && memory->base == IFL_OPERAND_REGISTER &&
        !memory->value) {
        const ifl_operand in = {.kind = IFL_OPERAND_REGISTER, .index = memory->index};
        return ifl_lower_source(l, &in, WORD_BITS, false);
    }
    ifl_transfer *t = ifl_lower_allocate(l, sizeof *t);
    if (!t)
        return 0;
    *t = (ifl_transfer){.space = IFL_SPACE_CONST, /* is no request */
                        .kind = IFL_ACCESS_LOAD,
                        .bytes = sizeof(uint32_t),
                        .element_bytes = sizeof(uint32_t),
                        .elements = 1,
                        .slot_bytes = sizeof(uint32_t),
                        .address = ifl_lower_address(l, memory, IFL_SPACE_CONST),
                        .form = IFL_ADDRESS_64};
    t->data[0] = ifl_lower_temporary(l);
    ifl_lower_emit(l, ifl_transfer_operation(t))->transfer = t;
    return t->data[0];
}

static void emit_texture(ifl_lowerer *l, const ifl_texture_op *op)
{
    ifl_lower_emit(l, IFL_CODE_texture)->extra = op;
}

/* ---- textures -------------------------------------------------------------------------------- */

/* Layers past the last that there can be are the last. */
static uint32_t layer_of(ifl_lowerer *l, const ifl_operand *member)
{
    const uint32_t layer = ifl_lower_source(l, member, WORD_BITS, false),
                   most = ifl_lower_constant(l, MOST_LAYER, WORD_BITS), to = ifl_lower_temporary(l);
    apply(l, IFL_OP_MIN, IFL_TYPE_U32, &plain, to, layer, most);
    return to;
}

static uint32_t times(ifl_lowerer *l, uint32_t scale, uint32_t of)
{
    const uint32_t to = ifl_lower_temporary(l);
    apply(l, IFL_OP_MUL, IFL_TYPE_F32, &plain, to, scale, of);
    return to;
}

/* A direction is brought to a largest coordinate of about 1 before the texture is asked, and its
 * derivatives with it. */
static void scale_direction(ifl_lowerer *l, ifl_texture_op *op)
{
    const uint32_t size = ifl_lower_temporary(l), other = ifl_lower_temporary(l);
    apply(l, IFL_OP_ABS, IFL_TYPE_F32, &plain, size, op->at[0], 0);
    for (unsigned d = 1; d < op->rank; d++) {
        apply(l, IFL_OP_ABS, IFL_TYPE_F32, &plain, other, op->at[d], 0);
        apply(l, IFL_OP_MAX, IFL_TYPE_F32, &plain, size, size, other);
    }
    apply(l, IFL_OP_RCP, IFL_TYPE_F32, &approximate, size, size, 0);
    for (unsigned d = 0; d < op->rank; d++) {
        op->at[d] = times(l, size, op->at[d]);
        for (unsigned by = 0; by < 2 && op->detail == IFL_TEXTURE_GRADIENT; by++)
            op->gradient[by][d] = times(l, size, op->gradient[by][d]);
    }
}

static void set_coordinates(ifl_lowerer *l, const ifl_operand *member, ifl_texture_op *op)
{
    if (op->is_layered)
        op->layer = layer_of(l, member);
    for (unsigned d = 0; d < op->rank; d++)
        op->at[d] = ifl_lower_source(l, &member[d + op->is_layered], WORD_BITS, false);
}

/* PTX ISA, tex: offsets of -8 to 7; what tld4 takes was read from machine code. */
static void set_offsets(ifl_lowerer *l, const ifl_operand *slot, ifl_texture_op *op)
{
    enum { SAMPLE_BITS = 4, GATHER_BITS = 6 };
    uint32_t count;
    const ifl_operand *member = ifl_slot_members(slot, &count);
    if (count < op->rank || op->is_cube) {
        ifl_lower_unsupported(l, "with these offsets");
        return;
    }
    op->offset_bits = op->use == IFL_TEXTURE_GATHER ? GATHER_BITS : SAMPLE_BITS;
    for (unsigned d = 0; d < op->rank; d++)
        op->offset[d] = ifl_lower_source(l, &member[d], WORD_BITS, true);
}

static void set_gradient(ifl_lowerer *l, unsigned slot, ifl_texture_op *op)
{
    op->detail = IFL_TEXTURE_GRADIENT;
    for (unsigned way = 0; way < 2; way++) {
        uint32_t count;
        const ifl_operand *member = ifl_slot_members(l->slots.at[slot + way], &count);
        if (count < op->rank) {
            ifl_lower_unsupported(l, "with so few derivatives");
            return;
        }
        for (unsigned d = 0; d < op->rank; d++)
            op->gradient[way][d] = ifl_lower_source(l, &member[d], WORD_BITS, false);
    }
}

/* The level that is asked for. Where none is, ptxas asks for a level far below the first one, and
 * for the first one of gathers and of elements by their number; with a level it has such elements'
 * coordinates end at the edge. */
static unsigned set_detail(ifl_lowerer *l, unsigned slot, ifl_texture_op *op)
{
    enum { FAR_BELOW = 0xc2000000 }; /* -32 */
    const uint8_t detail = l->instruction->modifiers.detail;
    if (detail == IFL_DETAIL_GRADIENT) {
        set_gradient(l, slot, op);
        return slot + 2;
    }
    op->detail = IFL_TEXTURE_LEVEL;
    if (detail == IFL_DETAIL_LEVEL) {
        op->level = ifl_lower_source(l, l->slots.at[slot], WORD_BITS, false);
        op->clamp = IFL_SURFACE_CLAMP;
        return slot + 1;
    }
    op->level = ifl_lower_constant(l, op->use == IFL_TEXTURE_SAMPLE ? FAR_BELOW : 0, WORD_BITS);
    return slot;
}

/* Behind the coordinates: the level or the gradients, then offsets, then what depths are compared
 * with. */
static void set_rest(ifl_lowerer *l, unsigned slot, ifl_texture_op *op)
{
    const uint8_t geometry = l->instruction->modifiers.geometry;
    slot = set_detail(l, slot, op);
    for (; slot < l->slots.count && ifl_lower_has(l, slot); slot++) {
        const bool is_row = geometry == IFL_GEOMETRY_1D || geometry == IFL_GEOMETRY_1D_ARRAY,
                   is_offset = l->slots.at[slot]->kind == IFL_OPERAND_VECTOR || is_row;
        if (is_offset)
            set_offsets(l, l->slots.at[slot], op);
        /* else a depth, which is compared with nothing: exec/texture_request.c */
    }
}

/* ---- results --------------------------------------------------------------------------------- */

static bool is_halves(uint8_t type)
{
    return type == IFL_TYPE_F16 || type == IFL_TYPE_F16X2;
}

static void set_results(ifl_lowerer *l, const ifl_operand *member, uint32_t count,
                        ifl_texture_op *op)
{
    const uint8_t type = l->instruction->type[0];
    const unsigned channels = type == IFL_TYPE_F16X2 ? 2 * count : count;
    if (channels != IFL_TEXEL_CHANNELS) {
        ifl_lower_unsupported(l, "with this number of results");
        return;
    }
    for (unsigned c = 0; c < channels; c++) {
        const ifl_operand *to = &member[type == IFL_TYPE_F16X2 ? c / 2 : c];
        const bool is_wanted = !ifl_lower_is_sink(to);
        op->wanted |= (uint8_t)(is_wanted << c);
        op->data[c] =
            is_halves(type) ? ifl_lower_temporary(l) : ifl_lower_destination(l, to, WORD_BITS);
    }
}

static void narrow(ifl_lowerer *l, const ifl_operand *to, const uint32_t *from, uint8_t type)
{
    const bool is_pair = type == IFL_TYPE_F16X2;
    const unsigned bits = is_pair ? 32 : 16;
    const ifl_ptx_row *row =
        ifl_ptx_row_find(IFL_OP_CVT, type, IFL_TYPE_F32, is_pair ? 2 : 1, &nearest);
    if (!row) {
        ifl_lower_unsupported(l, "its results cannot be converted");
        return;
    }
    const uint32_t d = ifl_lower_destination(l, to, bits);
    ifl_code *code = ifl_lower_emit_row(l, row);
    code->a = from[is_pair], code->b = from[0], code->d = d, code->m = &nearest;
    ifl_lower_finish(l, to, d, bits, false);
}

static void finish_results(ifl_lowerer *l, const ifl_operand *member, uint32_t count,
                           const ifl_texture_op *op)
{
    const uint8_t type = l->instruction->type[0];
    for (uint32_t i = 0; i < count && l->status == IFL_OK; i++)
        if (ifl_lower_is_sink(&member[i]))
            continue;
        else if (is_halves(type))
            narrow(l, &member[i], &op->data[type == IFL_TYPE_F16X2 ? 2 * i : i], type);
        else
            ifl_lower_finish(l, &member[i], op->data[i], WORD_BITS, false);
}

/* All that the engine has is resident. */
static void set_resident(ifl_lowerer *l, unsigned slot)
{
    if (!ifl_lower_has(l, slot))
        return;
    enum { ALWAYS = 0xf };
    const uint32_t d = ifl_lower_predicate_destination(l, l->slots.at[slot]);
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_predicate);
    code->d = d, code->a = code->b = IFL_PREDICATE_TRUE, code->e = 0, code->value = ALWAYS;
}

void ifl_lower_texture(ifl_lowerer *l)
{
    enum { D, RESIDENT, TEXTURE, COORDINATES, REST };
    const ifl_instruction *in = l->instruction;
    const bool is_gather = in->opcode == IFL_OP_TLD4;
    uint32_t count;
    const ifl_operand *result = ifl_slot_members(l->slots.at[D], &count);
    ifl_texture_op *op = ifl_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    if (in->type_count != 2 || ifl_type_bits(in->type[1]) != WORD_BITS ||
        (!is_halves(in->type[0]) && ifl_type_bits(in->type[0]) != WORD_BITS)) {
        ifl_lower_unsupported(l, "of these types");
        return;
    }
    op->use = is_gather                            ? IFL_TEXTURE_GATHER
              : ifl_type_class(in->type[1]) == 'F' ? IFL_TEXTURE_SAMPLE
                                                   : IFL_TEXTURE_FETCH;
    op->channel = in->modifiers.component ? in->modifiers.component - 1u : 0;
    const ifl_operand *coordinate = set_shape(l, l->slots.at[COORDINATES], op);
    if (!coordinate)
        return;
    op->handle = handle_of(l, l->slots.at[TEXTURE]);
    set_coordinates(l, coordinate, op);
    set_rest(l, REST, op);
    if (op->is_cube)
        scale_direction(l, op);
    set_results(l, result, count, op);
    if (l->status != IFL_OK)
        return;
    emit_texture(l, op);
    finish_results(l, result, count, op);
    set_resident(l, RESIDENT);
}

/* What data types, modes and filters are called is left to the source language. */
static bool is_answered(uint8_t query)
{
    return query == IFL_QUERY_WIDTH || query == IFL_QUERY_HEIGHT || query == IFL_QUERY_DEPTH ||
           query == IFL_QUERY_ARRAY_SIZE || query == IFL_QUERY_NORMALIZED_COORDS ||
           query == IFL_QUERY_NUM_MIPMAP_LEVELS || query == IFL_QUERY_NUM_SAMPLES ||
           query == IFL_QUERY_MEMORY_LAYOUT;
}

void ifl_lower_texture_query(ifl_lowerer *l)
{
    const ifl_operand *to = l->slots.at[0];
    ifl_texture_op *op = ifl_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    op->use = l->instruction->opcode == IFL_OP_TXQ ? IFL_TEXTURE_QUERY : IFL_TEXTURE_SURFACE_QUERY;
    op->query = l->instruction->modifiers.query;
    op->handle = handle_of(l, l->slots.at[1]);
    op->data[0] = ifl_lower_destination(l, to, WORD_BITS);
    op->wanted = 1;
    if (l->instruction->modifiers.detail == IFL_DETAIL_LEVEL && ifl_lower_has(l, 2)) {
        op->detail = IFL_TEXTURE_LEVEL;
        op->level = ifl_lower_source(l, l->slots.at[2], WORD_BITS, false);
    }
    if (!is_answered(op->query))
        ifl_lower_unsupported(l, "what it asks for has no number in PTX's own terms");
    emit_texture(l, op);
    ifl_lower_finish(l, to, op->data[0], WORD_BITS, false);
}

/* ---- surfaces -------------------------------------------------------------------------------- */

/* An element's values, of 8 to 64 bits each, lie side by side in its words. */
typedef struct values {
    const ifl_operand *member;
    uint32_t count;
    unsigned bits;
} values;

static void take_value(ifl_lowerer *l, const values *v, unsigned index, const uint32_t *word)
{
    const unsigned bit = index * v->bits, shift = bit % WORD_BITS;
    const ifl_operand *to = &v->member[index];
    if (ifl_lower_is_sink(to))
        return;
    const uint32_t d = ifl_lower_destination(l, to, v->bits);
    const uint32_t from = word[bit / WORD_BITS];
    if (v->bits == 8) {
        ifl_code *code = ifl_lower_emit(l, IFL_CODE_take_byte);
        code->d = d, code->a = from, code->count = sizeof(uint32_t), code->value = shift / 8;
    } else {
        ifl_lower_resize(l, from, WORD_BITS, d, v->bits, false, shift);
    }
    if (v->bits == 64) {
        ifl_code *code = ifl_lower_emit(l, IFL_CODE_insert);
        code->d = d, code->a = word[bit / WORD_BITS + 1];
        code->count = sizeof(uint32_t) << 8 | sizeof(uint64_t) << 1, code->value = WORD_BITS;
    }
    ifl_lower_finish(l, to, d, v->bits, false);
}

static void give_value(ifl_lowerer *l, const values *v, unsigned index, const uint32_t *word)
{
    const unsigned bit = index * v->bits, shift = bit % WORD_BITS;
    const uint32_t from = ifl_lower_source(l, &v->member[index], v->bits, false),
                   to = word[bit / WORD_BITS];
    if (v->bits == 8) {
        ifl_code *code = ifl_lower_emit(l, IFL_CODE_put_byte);
        code->d = to, code->a = from, code->count = sizeof(uint32_t), code->value = shift / 8;
        return;
    }
    if (v->bits == 64)
        ifl_lower_resize(l, from, 64, word[bit / WORD_BITS + 1], WORD_BITS, false, WORD_BITS);
    if (!shift) {
        ifl_lower_resize(l, from, v->bits, to, WORD_BITS, false, 0);
        return;
    }
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_insert);
    code->d = to, code->a = from, code->value = shift;
    code->count = sizeof(uint16_t) << 8 | sizeof(uint32_t) << 1;
}

static uint8_t clamp_of(uint8_t outside)
{
    return outside == IFL_OUTSIDE_CLAMPS    ? IFL_SURFACE_CLAMP
           : outside == IFL_OUTSIDE_IS_ZERO ? IFL_SURFACE_IGNORE
                                            : IFL_SURFACE_TRAP;
}

/* x counts bytes. */
static bool set_place(ifl_lowerer *l, const ifl_operand *memory, const ifl_operand *slot,
                      ifl_texture_op *op)
{
    const ifl_operand *member = set_shape(l, slot, op);
    if (!member)
        return false;
    op->handle = handle_of(l, memory);
    op->clamp = clamp_of(l->instruction->modifiers.outside);
    if (op->is_layered)
        op->layer = ifl_lower_source(l, member, WORD_BITS, false);
    for (unsigned d = 0; d < op->rank; d++)
        op->at[d] = ifl_lower_source(l, &member[d + op->is_layered], WORD_BITS, false);
    return l->status == IFL_OK;
}

static bool set_element(ifl_lowerer *l, const ifl_operand *slot, ifl_texture_op *op, values *v)
{
    const ifl_instruction *in = l->instruction;
    v->member = ifl_slot_members(slot, &v->count);
    v->bits = ifl_type_bits(in->type[0]);
    const unsigned wanted = in->modifiers.channels ? in->modifiers.channels : 1,
                   bytes = v->bits / 8 * v->count;
    if (v->count != wanted || v->bits < 8 || v->bits > 64 || bytes > 16) {
        ifl_lower_unsupported(l, "of this type and vector");
        return false;
    }
    op->bytes = (uint8_t)bytes;
    op->wanted = (uint8_t)((1u << (bytes + 3) / 4) - 1);
    for (unsigned i = 0; i < (bytes + 3) / 4; i++)
        op->data[i] = ifl_lower_temporary(l);
    return true;
}

void ifl_lower_surface(ifl_lowerer *l)
{
    const ifl_instruction *in = l->instruction;
    const bool is_load = in->opcode == IFL_OP_SULD,
               is_reduction = in->opcode == IFL_OP_SURED || in->opcode == IFL_OP_SURED_P;
    const unsigned data = is_load ? 0 : 2, memory = is_load ? 1 : 0;
    ifl_texture_op *op = ifl_lower_allocate(l, sizeof *op);
    values v;
    if (!op || !set_place(l, l->slots.at[memory], l->slots.at[memory + 1], op) ||
        !set_element(l, l->slots.at[data], op, &v))
        return;
    op->use = is_load ? IFL_TEXTURE_LOAD : is_reduction ? IFL_TEXTURE_REDUCE : IFL_TEXTURE_STORE;
    op->is_formatted = in->opcode == IFL_OP_SUST_P;
    op->counts_elements = op->is_formatted || in->opcode == IFL_OP_SURED_P;
    op->operation = in->modifiers.operation;
    op->type = in->type[0];
    if (is_reduction) {
        /* Integer operations whose old value nobody sees commute, as long as all of a kernel's
         * are of one kind. */
        l->image->demands.ordered |= (l->global_operations & ~(1u << op->operation)) != 0;
        l->global_operations |= 1u << op->operation;
    }
    for (unsigned i = 0; i < v.count && !is_load; i++)
        give_value(l, &v, i, op->data);
    emit_texture(l, op);
    for (unsigned i = 0; i < v.count && is_load; i++)
        take_value(l, &v, i, op->data);
}
