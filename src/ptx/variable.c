/* SPDX-License-Identifier: Apache-2.0
 * Declarations of variables, parameters and registers. */
#include "ptx/parser.h"

#include <string.h>

/* What a declaration says before its first name. */
typedef struct declaration {
    ifl_space space;
    ifl_type type;
    unsigned vector; /* 1: a scalar */
    uint32_t align;  /* 0: natural */
    bool is_opaque;  /* a texture, sampler or surface reference */
    bool is_managed; /* PTX ISA, .attribute: the host may reach it too */
} declaration;

static bool is_dot(const ifl_ptx_parser *parser, const char *text)
{
    return ifl_ptx_is_text(parser, IFL_PTX_DOT, text);
}

static bool take_align(ifl_ptx_parser *parser, uint32_t *align)
{
    uint64_t value;
    const char *at = parser->lexer.token.at;
    if (!ifl_ptx_take_count(parser, IFL_PTX_MAX_ALIGN, "an alignment", &value))
        return false;
    if (!value || (value & (value - 1)))
        return ifl_ptx_fail(parser, at, "an alignment must be a power of two");
    *align = (uint32_t)value;
    return true;
}

/* ".ptr .global .align 16": where a pointer parameter points. Nothing here needs it. */
static bool skip_pointee(ifl_ptx_parser *parser)
{
    uint32_t align;
    const ifl_ptx_token *token = &parser->lexer.token;
    if (token->kind == IFL_PTX_DOT && ifl_ptx_space(token->at, token->length) != IFL_SPACE_GENERIC)
        ifl_ptx_next(parser);
    if (!is_dot(parser, "align"))
        return true;
    ifl_ptx_next(parser);
    return take_align(parser, &align);
}

/* "(.managed)"; the others say nothing that is needed here. */
static bool take_attributes(ifl_ptx_parser *parser, declaration *out)
{
    static const char managed[] = ".managed";
    const char *from = parser->lexer.token.at;
    if (!ifl_ptx_skip_group(parser))
        return false;
    const size_t length = (size_t)(parser->lexer.token.at - from);
    out->is_managed |= memmem(from, length, managed, strlen(managed)) != NULL;
    return true;
}

/* One dotted word of a declaration. */
static bool take_property(ifl_ptx_parser *parser, declaration *out)
{
    const ifl_ptx_token token = parser->lexer.token;
    ifl_type type = ifl_ptx_type(token.at, token.length);
    if (is_dot(parser, "v2") || is_dot(parser, "v4") || is_dot(parser, "v8")) {
        out->vector = (unsigned)(token.at[1] - '0');
        ifl_ptx_next(parser);
        return true;
    }
    out->is_opaque |=
        is_dot(parser, "texref") || is_dot(parser, "samplerref") || is_dot(parser, "surfref");
    bool is_align = is_dot(parser, "align"), is_pointer = is_dot(parser, "ptr");
    bool is_attribute = is_dot(parser, "attribute");
    ifl_ptx_next(parser);
    if (is_align)
        return take_align(parser, &out->align);
    if (is_pointer)
        return skip_pointee(parser);
    if (is_attribute)
        return take_attributes(parser, out);
    if (type == IFL_TYPE_NONE && !out->is_opaque)
        return ifl_ptx_miss(parser, token.at, "'.%.*s' is not supported in a declaration",
                            (int)(token.length < 60 ? token.length : 60), token.at);
    out->type = type;
    return true;
}

static bool take_declaration(ifl_ptx_parser *parser, declaration *out)
{
    const ifl_ptx_token start = parser->lexer.token;
    *out = (declaration){.space = ifl_ptx_space(start.at, start.length), .vector = 1};
    ifl_ptx_next(parser);
    while (ifl_ptx_is_kind(parser, IFL_PTX_DOT))
        if (!take_property(parser, out))
            return false;
    if (out->type == IFL_TYPE_NONE && !out->is_opaque)
        return ifl_ptx_unexpected(parser, "a type");
    if (ifl_type_class(out->type) == 'P')
        return ifl_ptx_fail(parser, start.at, "predicates are registers only");
    return true;
}

/* ---- sizes ---------------------------------------------------------------------------------- */

static bool take_dimension(ifl_ptx_parser *parser, ifl_ptx_shape *shape)
{
    uint64_t count = 0;
    const char *at = parser->lexer.token.at;
    if (shape->count == IFL_PTX_MAX_DIMENSIONS)
        return ifl_ptx_fail(parser, at, "an array has at most %d dimensions",
                            IFL_PTX_MAX_DIMENSIONS);
    ifl_ptx_next(parser);
    if (ifl_ptx_is(parser, ']') && !shape->count)
        shape->is_open = true;
    else if (!ifl_ptx_take_count(parser, IFL_PTX_MAX_VARIABLE, "an array size", &count))
        return false;
    shape->dimension[shape->count++] = count;
    return ifl_ptx_expect(parser, ']', "after the array size");
}

/* Bytes of a declared shape; an open dimension counts as none. */
static bool measure(ifl_ptx_parser *parser, const ifl_ptx_shape *shape, const char *at,
                    uint64_t *bytes)
{
    uint64_t product = (uint64_t)shape->element_bytes * shape->vector;
    bool is_empty = false;
    for (unsigned i = 0; i < shape->count; i++) {
        uint64_t count = shape->dimension[i] ? shape->dimension[i] : 1;
        is_empty |= !shape->dimension[i];
        if (product > IFL_PTX_MAX_VARIABLE / count)
            return ifl_ptx_fail(parser, at, "this variable is larger than 1 TiB");
        product *= count;
    }
    *bytes = is_empty ? 0 : product;
    return true;
}

/* Takes "[2][3]" and fills what is known of the variable. */
static bool take_shape(ifl_ptx_parser *parser, const declaration *is, ifl_ptx_shape *shape,
                       ifl_variable *out)
{
    const char *at = parser->lexer.token.at;
    unsigned bits = ifl_type_bits(is->is_opaque ? IFL_TYPE_B64 : is->type); /* a handle */
    if (bits < 8)
        return ifl_ptx_fail(parser, at, "a variable cannot be of type .%s: it has less than a byte",
                            ifl_type_text(is->type));
    *shape = (ifl_ptx_shape){.element_bytes = bits / 8, .vector = is->vector};
    while (ifl_ptx_is(parser, '['))
        if (!take_dimension(parser, shape))
            return false;
    out->space = (uint8_t)is->space;
    out->type = (uint8_t)is->type;
    out->align = is->align ? is->align : bits / 8 * is->vector;
    out->function = parser->function;
    return measure(parser, shape, at, &out->bytes);
}

bool ifl_ptx_place(ifl_ptx_parser *parser, ifl_variable *variable, uint64_t *used, const char *at)
{
    uint64_t offset = (*used + variable->align - 1) / variable->align * variable->align;
    if (offset + variable->bytes > IFL_PTX_MAX_FRAME)
        return ifl_ptx_fail(parser, at, "more than 16 MiB of .%s variables",
                            ifl_space_text(variable->space));
    variable->offset = offset;
    *used = offset + variable->bytes;
    return true;
}

/* ---- variables ------------------------------------------------------------------------------ */

/* The declaration that a new one completes (.extern first, the definition later), or NULL. */
static ifl_variable *find_earlier(ifl_ptx_parser *parser, uint32_t name, bool is_extern)
{
    const ifl_ptx_binding *binding = ifl_ptx_find(parser, name);
    if (!binding || binding->depth != parser->depth || binding->meaning != IFL_PTX_VARIABLE)
        return NULL;
    ifl_variable *old = &parser->variables.at[binding->index];
    return old->is_extern || is_extern ? old : NULL;
}

static bool place_in_function(ifl_ptx_parser *parser, ifl_variable *variable, const char *at)
{
    if (parser->function < 0)
        return true;
    ifl_function *function = &parser->functions.at[parser->function];
    if (variable->space == IFL_SPACE_LOCAL)
        return ifl_ptx_place(parser, variable, &function->local_bytes, at);
    if (variable->space == IFL_SPACE_SHARED)
        function->shared_bytes += variable->bytes;
    if (variable->space != IFL_SPACE_PARAM)
        return true;
    if (!ifl_ptx_place(parser, variable, &parser->frame, at))
        return false;
    if (function->frame_bytes < parser->frame)
        function->frame_bytes = parser->frame;
    return true;
}

static bool add_variable(ifl_ptx_parser *parser, uint32_t name, ifl_variable *variable,
                         const char *at)
{
    if (!place_in_function(parser, variable, at))
        return false;
    uint32_t index = (uint32_t)parser->variables.count;
    return ifl_ptx_bind(parser, name, IFL_PTX_VARIABLE, index, at) &&
           (ifl_vec_push(&parser->variables, *variable) || ifl_ptx_no_memory(parser));
}

static bool take_variable(ifl_ptx_parser *parser, const declaration *is, bool is_extern)
{
    uint32_t name;
    ifl_ptx_shape shape;
    ifl_variable variable = {.is_extern = is_extern, .is_managed = is->is_managed};
    const char *at = parser->lexer.token.at;
    if (!ifl_ptx_take_name(parser, "the name of a variable", &name) ||
        !take_shape(parser, is, &shape, &variable))
        return false;
    variable.name = ifl_ptx_text_of(parser, name);
    ifl_variable *earlier = find_earlier(parser, name, is_extern);
    uint32_t index =
        (uint32_t)(earlier ? earlier - parser->variables.at : (ptrdiff_t)parser->variables.count);
    if (!is->is_opaque && ifl_ptx_accept(parser, '=')) {
        if (!ifl_ptx_take_initializer(parser, &shape, index, &variable))
            return false;
    }
    if (!earlier)
        return add_variable(parser, name, &variable, at);
    if (!is_extern)
        *earlier = variable;
    return true;
}

bool ifl_ptx_declare(ifl_ptx_parser *parser, bool is_extern)
{
    declaration is;
    const char *at = parser->lexer.token.at;
    if (!take_declaration(parser, &is))
        return false;
    bool needs_function = is.space == IFL_SPACE_LOCAL || is.space == IFL_SPACE_PARAM;
    if (parser->function < 0 && needs_function)
        return ifl_ptx_miss(parser, at, "'.%s' outside of a function is not supported",
                            ifl_space_text(is.space));
    do {
        if (!take_variable(parser, &is, is_extern))
            return false;
    } while (ifl_ptx_accept(parser, ','));
    if (is.is_opaque)
        return ifl_ptx_skip_statement(parser); /* a sampler's initialiser */
    return ifl_ptx_expect(parser, ';', "after the declaration");
}

bool ifl_ptx_take_param(ifl_ptx_parser *parser, ifl_variable *out, uint32_t *name)
{
    declaration is;
    ifl_ptx_shape shape;
    const char *at = parser->lexer.token.at;
    if (is_dot(parser, "reg"))
        return ifl_ptx_miss(parser, at, "parameters in registers are not supported");
    if (!is_dot(parser, "param"))
        return ifl_ptx_unexpected(parser, "'.param'");
    if (!take_declaration(parser, &is))
        return false;
    if (is.is_opaque)
        return ifl_ptx_miss(parser, at, "textures and surfaces are not supported");
    *out = (ifl_variable){.name = ""};
    if (!ifl_ptx_take_name(parser, "the name of a parameter", name) ||
        !take_shape(parser, &is, &shape, out))
        return false;
    out->name = ifl_ptx_text_of(parser, *name);
    return true;
}

/* ---- registers ------------------------------------------------------------------------------ */

static bool take_range(ifl_ptx_parser *parser, uint32_t name, unsigned bits, const char *at)
{
    uint64_t count;
    uint32_t index = (uint32_t)parser->ranges.count;
    /* Only a literal may stand here: "<4>" is no comparison. */
    const ifl_ptx_token number = parser->lexer.token;
    char *end;
    if (number.kind != IFL_PTX_NUMBER)
        return ifl_ptx_unexpected(parser, "a number of registers");
    count = strtoull(number.at, &end, 0);
    if (end != number.at + number.length || count > IFL_PTX_MAX_REGISTERS)
        return ifl_ptx_fail(parser, number.at, "a function has at most %d registers",
                            IFL_PTX_MAX_REGISTERS);
    ifl_ptx_next(parser);
    ifl_ptx_range range = {(uint32_t)count, (uint16_t)bits};
    return ifl_ptx_expect(parser, '>', "after the number of registers") &&
           ifl_ptx_bind(parser, name, IFL_PTX_RANGE, index, at) &&
           (ifl_vec_push(&parser->ranges, range) || ifl_ptx_no_memory(parser));
}

static bool take_register(ifl_ptx_parser *parser, unsigned bits, bool is_vector)
{
    uint32_t name, index = 0;
    const char *at = parser->lexer.token.at;
    if (!ifl_ptx_take_name(parser, "the name of a register", &name))
        return false;
    if (is_vector)
        return ifl_ptx_bind(parser, name, IFL_PTX_OPAQUE, 0, at);
    if (ifl_ptx_accept(parser, '<'))
        return take_range(parser, name, bits, at);
    return ifl_ptx_add_register(parser, ifl_ptx_text_of(parser, name), bits, at, &index) &&
           ifl_ptx_bind(parser, name, IFL_PTX_REGISTER, index, at);
}

/* 8-bit registers are kept in 16 bits. */
static unsigned register_bits(ifl_type type)
{
    unsigned bits = ifl_type_bits(type);
    return bits == 8 ? 16 : bits;
}

bool ifl_ptx_take_registers(ifl_ptx_parser *parser)
{
    bool is_vector = false;
    ifl_ptx_next(parser);
    if (is_dot(parser, "v2") || is_dot(parser, "v4")) {
        is_vector = true;
        ifl_ptx_next(parser);
    }
    const ifl_ptx_token token = parser->lexer.token;
    ifl_type type =
        token.kind == IFL_PTX_DOT ? ifl_ptx_type(token.at, token.length) : IFL_TYPE_NONE;
    if (type == IFL_TYPE_NONE)
        return ifl_ptx_unexpected(parser, "the type of the registers");
    ifl_ptx_next(parser);
    do {
        if (!take_register(parser, register_bits(type), is_vector))
            return false;
    } while (ifl_ptx_accept(parser, ','));
    return ifl_ptx_expect(parser, ';', "after the registers");
}
