/* SPDX-License-Identifier: Apache-2.0
 * Lowering of textures and surfaces: which registers hold the handle, the coordinates and the
 * result. What the compiler emits for each form was read from nvcc's code for sm_75, 90 and 100;
 * what it was never seen to emit is refused. */
#include "sass/sass_lowerer.h"

#include "code/texture.h"

enum { WORD_BYTES = 4 };

static const ifl_sass_operand *operand(const ifl_sass_lowerer *l, ifl_sass_role role)
{
    return ifl_sass_lower_operand(l, role);
}

static ifl_sass_word value(const ifl_sass_lowerer *l, ifl_sass_value_role role)
{
    return ifl_sass_value(l->instruction, role);
}

/* Neither absent nor the value that is not written. */
static bool has(const ifl_sass_lowerer *l, ifl_sass_value_role role)
{
    const ifl_sass_word word = value(l, role);
    return word > IFL_SASS_WORD_ABSENT && word != IFL_SASS_WORD_OFF;
}

/* ---- the handle ------------------------------------------------------------------------------ */

static bool is_in_register(const ifl_sass_lowerer *l)
{
    return value(l, IFL_SASS_VALUE_BINDLESS) == IFL_SASS_WORD_B;
}

/* The lower word of the object: in a uniform register, a register, or a word of a constant bank
 * whose number is given. */
static void set_handle(ifl_sass_lowerer *l, ifl_texture_op *op)
{
    const ifl_sass_operand *at = operand(l, IFL_SASS_ROLE_DESCRIPTOR),
                           *number = operand(l, IFL_SASS_ROLE_INDEX);
    if (has(l, IFL_SASS_VALUE_UNIFORM_INDEX))
        ifl_sass_refuse(l, "with an index beside the handle");
    else if (at && at->kind == IFL_SASS_IMMEDIATE && number && number->kind == IFL_SASS_IMMEDIATE)
        op->handle = ifl_sass_constant_slot(l, (unsigned)at->value, number->value * WORD_BYTES, 1);
    else if (at && number && number->kind == IFL_SASS_IMMEDIATE && number->value)
        ifl_sass_refuse(l, "of a texture that the file numbers");
    else if (at)
        op->handle = ifl_sass_lower_source(l, at, 1);
    else
        ifl_sass_refuse(l, "without a handle");
}

/* ---- shapes ---------------------------------------------------------------------------------- */

typedef struct shape {
    uint16_t word;
    uint8_t rank;
    bool is_layered, is_cube;
} shape;

static const shape shapes[] = {
    {IFL_SASS_WORD_TEX_1D, 1, false, false},    {IFL_SASS_WORD_TEX_2D, 2, false, false},
    {IFL_SASS_WORD_TEX_3D, 3, false, false},    {IFL_SASS_WORD_CUBE, 3, false, true},
    {IFL_SASS_WORD_ARRAY_1D, 1, true, false},   {IFL_SASS_WORD_ARRAY_2D, 2, true, false},
    {IFL_SASS_WORD_ARRAY_CUBE, 3, true, true},  {IFL_SASS_WORD_DIM1, 1, false, false},
    {IFL_SASS_WORD_DIM2, 2, false, false},      {IFL_SASS_WORD_DIM3, 3, false, false},
    {IFL_SASS_WORD_DIM1_ARRAY, 1, true, false}, {IFL_SASS_WORD_DIM2_ARRAY, 2, true, false},
};

static void set_shape(ifl_sass_lowerer *l, ifl_sass_word word, ifl_texture_op *op)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i].word == word) {
            op->rank = shapes[i].rank;
            op->is_layered = shapes[i].is_layered;
            op->is_cube = shapes[i].is_cube;
            return;
        }
    ifl_sass_refuse(l, "of these dimensions");
}

/* ---- textures -------------------------------------------------------------------------------- */

/* Of all values, the layer first, then x, y, z, the handle, the level of detail, offsets and a depth: `first`
 * are in the first registers, the others in the second, which begin with the handle where that is
 * in a register. Scattered, the first registers hold half of them, else all coordinates. */
typedef struct parts {
    const ifl_sass_operand *at[2];
    unsigned first, before;         /* registers of the handle */
    unsigned level, offsets, depth; /* which value holds them; the depth makes no difference */
} parts;

static parts parts_of(ifl_sass_lowerer *l, const ifl_texture_op *op)
{
    const ifl_sass_word lod = value(l, IFL_SASS_VALUE_LOD);
    const unsigned coordinates = op->rank + op->is_layered, has_lod = lod > IFL_SASS_WORD_ABSENT &&
                                                                      lod != IFL_SASS_WORD_OFF &&
                                                                      lod != IFL_SASS_WORD_LZ;
    parts p = {{operand(l, IFL_SASS_ROLE_ADDRESS), operand(l, IFL_SASS_ROLE_ADDRESS2)},
               coordinates,
               is_in_register(l),
               coordinates,
               coordinates + has_lod,
               coordinates + has_lod + has(l, IFL_SASS_VALUE_OFFSETS)};
    if (value(l, IFL_SASS_VALUE_SCR) == IFL_SASS_WORD_SCR) {
        const unsigned has_depth = has(l, IFL_SASS_VALUE_DEPTH_COMPARE),
                       half = (p.depth + has_depth + p.before + 1) / 2;
        p.first = coordinates < half ? coordinates : half;
        if (p.first < coordinates && p.before)
            ifl_sass_refuse(l, "with coordinates scattered around a handle");
    }
    return p;
}

static uint32_t coordinate(ifl_sass_lowerer *l, const parts *p, unsigned index)
{
    const unsigned which = index >= p->first;
    const unsigned word = which ? index - p->first + p->before : index;
    if (!p->at[which] || p->at[which]->kind != IFL_SASS_REGISTER) {
        ifl_sass_refuse(l, "a coordinate is wanted");
        return l->zeros;
    }
    const unsigned base = p->at[which]->index;
    return base == IFL_SASS_NO_REGISTER ? l->zeros : ifl_sass_register_slot(l, base + word);
}

/* Behind the level of detail, a word for all dimensions: four bits each, of gathers six of each
 * byte. */
static void set_offsets(ifl_sass_lowerer *l, const parts *p, ifl_texture_op *op)
{
    const bool is_gather = op->use == IFL_TEXTURE_GATHER;
    if (!has(l, IFL_SASS_VALUE_OFFSETS))
        return;
    if (value(l, IFL_SASS_VALUE_OFFSETS) != IFL_SASS_WORD_AOFFI || op->is_cube) {
        ifl_sass_refuse(l, "with these offsets of coordinates");
        return;
    }
    op->offset_bits = is_gather ? 6 : 4;
    for (unsigned d = 0; d < op->rank; d++) {
        op->offset[d] = coordinate(l, p, p->offsets);
        op->offset_shift[d] = (uint8_t)(d * (is_gather ? 8 : 4));
    }
}

/* The wanted channels: the first two in the registers of the destination, the others in those of
 * the second one. Two halves have one register each. */
static void set_channels(ifl_sass_lowerer *l, ifl_texture_op *op)
{
    op->packs = value(l, IFL_SASS_VALUE_TYPE) != IFL_SASS_WORD_F16      ? IFL_TEXTURE_WORDS
                : value(l, IFL_SASS_VALUE_ROUNDING) == IFL_SASS_WORD_RZ ? IFL_TEXTURE_HALVES_TO_ZERO
                                                                        : IFL_TEXTURE_HALVES;
    const ifl_sass_operand *d[2] = {operand(l, IFL_SASS_ROLE_DESTINATION),
                                    operand(l, IFL_SASS_ROLE_DESTINATION2)},
                           *mask = operand(l, IFL_SASS_ROLE_MASK);
    const uint32_t wanted = mask ? (uint32_t)mask->value : 0xf;
    for (unsigned c = 0, n = 0; c < IFL_TEXEL_CHANNELS; c++) {
        if (!(wanted >> c & 1))
            continue;
        const ifl_sass_operand *to = d[n / 2];
        const bool is_there =
            to && to->kind == IFL_SASS_REGISTER && to->index != IFL_SASS_NO_REGISTER;
        op->wanted |= (uint8_t)(is_there << c);
        op->data[c] =
            is_there ? ifl_sass_register_slot(l, to->index + (op->packs ? 0 : n % 2)) : l->sink;
        n++;
    }
}

/* All that the engine has is resident; the predicate tells what is not: ptxas turns it round for
 * PTX's, which tells what is. */
static void set_missing(ifl_sass_lowerer *l)
{
    const ifl_sass_operand *out = operand(l, IFL_SASS_ROLE_PREDICATE_OUT);
    if (ifl_sass_is_true(out))
        return;
    const uint32_t d = ifl_sass_lower_predicate_out(l, out);
    ifl_code *code = ifl_sass_emit(l, IFL_CODE_predicate);
    code->d = d, code->a = code->b = IFL_PREDICATE_TRUE, code->e = 0, code->value = 0;
}

static uint8_t channel_of(ifl_sass_word word)
{
    static const uint16_t words[IFL_TEXEL_CHANNELS] = {
        IFL_SASS_WORD_COMPONENT_R, IFL_SASS_WORD_COMPONENT_G, IFL_SASS_WORD_COMPONENT_B,
        IFL_SASS_WORD_COMPONENT_A};
    uint8_t channel = 0;
    while (channel < IFL_TEXEL_CHANNELS - 1 && words[channel] != word)
        channel++;
    return channel;
}

static uint8_t use_of(unsigned op)
{
    return op == IFL_SASS_OP_TLD    ? IFL_TEXTURE_FETCH
           : op == IFL_SASS_OP_TLD4 ? IFL_TEXTURE_GATHER
                                    : IFL_TEXTURE_SAMPLE;
}

static ifl_sass_word dimensions_of(const ifl_sass_lowerer *l)
{
    const ifl_sass_word word = value(l, IFL_SASS_VALUE_DIMENSIONS);
    const ifl_sass_operand *at = operand(l, IFL_SASS_ROLE_DIMENSIONS);
    return word > IFL_SASS_WORD_ABSENT || !at ? word : (ifl_sass_word)at->value;
}

/* Told by a level, or by none. TXD has the derivatives by dimension in its second registers. */
static void set_detail(ifl_sass_lowerer *l, const parts *p, ifl_texture_op *op)
{
    const ifl_sass_word lod = value(l, IFL_SASS_VALUE_LOD);
    if (l->instruction->op == IFL_SASS_OP_TXD) {
        op->detail = IFL_TEXTURE_GRADIENT;
        for (unsigned i = 0; i < 2 * op->rank; i++)
            op->gradient[i % 2][i / 2] = p->at[1] && p->at[1]->index != IFL_SASS_NO_REGISTER
                                             ? ifl_sass_register_slot(l, p->at[1]->index + i)
                                             : l->zeros;
    } else if (lod == IFL_SASS_WORD_LZ || op->use == IFL_TEXTURE_GATHER) {
        op->detail = IFL_TEXTURE_LEVEL;
        op->level = l->zeros;
    } else if (lod == IFL_SASS_WORD_LL) {
        op->detail = IFL_TEXTURE_LEVEL;
        op->level = coordinate(l, p, p->level);
    }
}

/* Of TXD's registers, in which a handle comes first. */
static uint32_t coordinate_of_gradient(ifl_sass_lowerer *l, const parts *p, unsigned index)
{
    const ifl_sass_operand *at = p->at[0];
    return at && at->index != IFL_SASS_NO_REGISTER
               ? ifl_sass_register_slot(l, at->index + p->before + index)
               : l->zeros;
}

static void set_coordinates(ifl_sass_lowerer *l, const parts *p, ifl_texture_op *op)
{
    const bool is_gradient = l->instruction->op == IFL_SASS_OP_TXD;
    /* TXD has the layer behind the coordinates, all others before them */
    const unsigned start = op->is_layered && !is_gradient, layer = is_gradient ? op->rank : 0;
    uint32_t (*at)(ifl_sass_lowerer *, const parts *, unsigned) =
        is_gradient ? coordinate_of_gradient : coordinate;
    if (op->is_layered)
        op->layer = at(l, p, layer);
    for (unsigned i = 0; i < op->rank; i++)
        op->at[i] = at(l, p, start + i);
}

void ifl_sass_lower_texture(ifl_sass_lowerer *l)
{
    ifl_texture_op *op = ifl_sass_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    op->use = use_of(l->instruction->op);
    set_shape(l, dimensions_of(l), op);
    const ifl_sass_word derivatives = value(l, IFL_SASS_VALUE_DERIVATIVES);
    if (has(l, IFL_SASS_VALUE_MULTISAMPLE))
        ifl_sass_refuse(l, "of several samples");
    else if (has(l, IFL_SASS_VALUE_DERIVATIVES) && derivatives != IFL_SASS_WORD_NDV)
        ifl_sass_refuse(l, "with derivatives");
    const parts p = parts_of(l, op);
    if (l->refused)
        return;
    /* Before the coordinates of TXD, before the rest of all others. */
    const ifl_sass_operand *at = p.at[l->instruction->op != IFL_SASS_OP_TXD];
    if (p.before)
        op->handle = ifl_sass_lower_source(l, at, 1);
    else
        set_handle(l, op);
    set_coordinates(l, &p, op);
    set_detail(l, &p, op);
    set_offsets(l, &p, op);
    op->clamp =
        value(l, IFL_SASS_VALUE_CLAMP) == IFL_SASS_WORD_CL ? IFL_SURFACE_CLAMP : IFL_SURFACE_IGNORE;
    op->channel = channel_of(value(l, IFL_SASS_VALUE_COMPONENT));
    set_channels(l, op);
    ifl_sass_emit(l, IFL_CODE_texture)->extra = op;
    set_missing(l);
}

/* Width, height, depth and the number of levels: of a level, where that is a texture. */
void ifl_sass_lower_texture_query(ifl_sass_lowerer *l)
{
    const ifl_sass_operand *level = operand(l, IFL_SASS_ROLE_ADDRESS);
    ifl_texture_op *op = ifl_sass_lower_allocate(l, sizeof *op);
    const bool is_handle_first = is_in_register(l);
    if (!op)
        return;
    if (value(l, IFL_SASS_VALUE_QUERY) != IFL_SASS_WORD_HEADER_DIMENSION || !level ||
        level->kind != IFL_SASS_REGISTER) {
        ifl_sass_refuse(l, "about anything but dimensions");
        return;
    }
    op->use = IFL_TEXTURE_DIMENSIONS;
    const bool is_zero = level->index == IFL_SASS_NO_REGISTER;
    if (is_handle_first)
        op->handle = ifl_sass_lower_source(l, level, 1);
    else
        set_handle(l, op);
    op->detail = IFL_TEXTURE_LEVEL;
    op->level = is_zero ? l->zeros : ifl_sass_register_slot(l, level->index + is_handle_first);
    set_channels(l, op);
    ifl_sass_emit(l, IFL_CODE_texture)->extra = op;
}

/* ---- surfaces -------------------------------------------------------------------------------- */

static uint8_t clamp_of(ifl_sass_word word)
{
    return word == IFL_SASS_WORD_IGN    ? IFL_SURFACE_IGNORE
           : word == IFL_SASS_WORD_TRAP ? IFL_SURFACE_TRAP
                                        : IFL_SURFACE_CLAMP;
}

static uint8_t element_bytes(ifl_sass_word width)
{
    switch (width) {
    case IFL_SASS_WORD_U8:
    case IFL_SASS_WORD_S8:
        return 1;
    case IFL_SASS_WORD_U16:
    case IFL_SASS_WORD_S16:
        return 2;
    case IFL_SASS_WORD_B64:
        return 8;
    case IFL_SASS_WORD_B128:
        return 16;
    default:
        return WORD_BYTES;
    }
}

/* x, y, z; the layer comes last. */
static void set_place(ifl_sass_lowerer *l, ifl_texture_op *op)
{
    const ifl_sass_operand *at = operand(l, IFL_SASS_ROLE_ADDRESS);
    if (!at || at->kind != IFL_SASS_MEMORY) {
        ifl_sass_refuse(l, "coordinates are wanted");
        return;
    }
    const bool is_zero = at->base == IFL_SASS_NO_REGISTER;
    for (unsigned i = 0; i < op->rank; i++)
        op->at[i] = is_zero ? l->zeros : ifl_sass_register_slot(l, at->base + i);
    if (op->is_layered)
        op->layer = is_zero ? l->zeros : ifl_sass_register_slot(l, at->base + op->rank);
}

/* Of a reduction by the surface's own type (SD) the signs are the surface's. */
static bool set_reduction(ifl_sass_lowerer *l, ifl_texture_op *op)
{
    static const struct {
        uint16_t word;
        uint8_t bytes, type;
    } types[] = {
        {IFL_SASS_WORD_U32, 4, IFL_TYPE_U32},  {IFL_SASS_WORD_S32, 4, IFL_TYPE_S32},
        {IFL_SASS_WORD_U64, 8, IFL_TYPE_U64},  {IFL_SASS_WORD_S64, 8, IFL_TYPE_S64},
        {IFL_SASS_WORD_SD32, 4, IFL_TYPE_B32}, {IFL_SASS_WORD_SD64, 8, IFL_TYPE_B64},
    };
    const ifl_sass_word word = value(l, IFL_SASS_VALUE_TYPE);
    op->operation = ifl_sass_operation_of(l);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].word == word && op->operation) {
            op->bytes = types[i].bytes;
            op->type = types[i].type;
            l->image->demands.ordered |= (l->global_operations & ~(1u << op->operation)) != 0;
            l->global_operations |= 1u << op->operation;
            return true;
        }
    return false;
}

/* Channels that a formatted store gives, a word each. */
static unsigned components_of(const ifl_sass_lowerer *l)
{
    const ifl_sass_word word = value(l, IFL_SASS_VALUE_COMPONENT);
    return word == IFL_SASS_WORD_COMPONENT_R ? 1 : word == IFL_SASS_WORD_RG ? 2 : 4;
}

void ifl_sass_lower_surface(ifl_sass_lowerer *l)
{
    const bool is_load = l->instruction->op == IFL_SASS_OP_SULD,
               is_reduction = l->instruction->op == IFL_SASS_OP_SURED;
    const ifl_sass_operand *data =
        operand(l, is_load ? IFL_SASS_ROLE_DESTINATION : IFL_SASS_ROLE_DATA);
    const ifl_sass_word width = value(l, IFL_SASS_VALUE_WIDTH);
    ifl_texture_op *op = ifl_sass_lower_allocate(l, sizeof *op);
    if (!op)
        return;
    op->use = is_load ? IFL_TEXTURE_LOAD : is_reduction ? IFL_TEXTURE_REDUCE : IFL_TEXTURE_STORE;
    op->is_formatted = ifl_sass_is(l, IFL_SASS_VALUE_FORMAT, IFL_SASS_WORD_P);
    op->counts_elements = value(l, IFL_SASS_VALUE_BYTE_ADDRESS) != IFL_SASS_WORD_BA;
    op->bytes = op->is_formatted ? (uint8_t)(components_of(l) * WORD_BYTES) : element_bytes(width);
    if (is_reduction && !set_reduction(l, op))
        ifl_sass_refuse(l, "of this operation or type");
    op->is_signed = width == IFL_SASS_WORD_S8 || width == IFL_SASS_WORD_S16;
    op->clamp = clamp_of(value(l, IFL_SASS_VALUE_CLAMP));
    set_shape(l, dimensions_of(l), op);
    set_handle(l, op);
    set_place(l, op);
    const bool is_sink = !data || data->index == IFL_SASS_NO_REGISTER;
    for (unsigned i = 0; i < IFL_TEXEL_CHANNELS; i++)
        op->data[i] =
            is_sink ? (is_load ? l->sink : l->zeros) : ifl_sass_register_slot(l, data->index + i);
    op->wanted = is_sink ? 0 : 0xf;
    ifl_sass_emit(l, IFL_CODE_texture)->extra = op;
    set_missing(l);
}
