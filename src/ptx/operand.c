/* SPDX-License-Identifier: Apache-2.0
 * Operands as they are written: registers, constants, names, addresses, vectors. What they mean
 * for an instruction is match.c's affair. */
#include "ptx/parser.h"

#include <string.h>

bool ifl_ptx_add_operand(ifl_ptx_parser *parser, ifl_operand operand)
{
    /* Only target lists, which stand again at each use, can make more operands than a text has
     * characters. */
    if (parser->operands.count > parser->program->text_bytes * 2 + (1 << 20))
        return ifl_ptx_fail(parser, parser->lexer.token.at, "the program is too large");
    return ifl_vec_push(&parser->operands, operand) || ifl_ptx_no_memory(parser);
}

/* ---- names ---------------------------------------------------------------------------------- */

/* Special registers that PTX has and special.def does not. */
static bool is_missing_special(const char *text)
{
    static const char *const starts[] = {"%pm", "%envreg", "%reserved_smem_offset",
                                         "%current_graph_exec"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (!strncmp(text, starts[i], strlen(starts[i])))
            return true;
    return false;
}

static bool take_special(ifl_ptx_parser *parser, uint32_t first, ifl_ptx_written_part *out)
{
    static const char *const elements[] = {"x", "y", "z"};
    out->operand = (ifl_operand){.kind = IFL_OPERAND_SPECIAL, .index = first};
    if (!strchr(ifl_special_text((ifl_special)first), '.'))
        return true;
    for (uint32_t i = 0; i < 3; i++) {
        if (!ifl_ptx_is_text(parser, IFL_PTX_DOT, elements[i]))
            continue;
        out->operand.index = first + i;
        ifl_ptx_next(parser);
        return true;
    }
    return ifl_ptx_unexpected(parser, "'.x', '.y' or '.z'");
}

/* "name", "name+8" */
static bool take_symbol_offset(ifl_ptx_parser *parser, ifl_ptx_written_part *out)
{
    if (!ifl_ptx_is(parser, '+') && !ifl_ptx_is(parser, '-'))
        return true;
    return ifl_ptx_take_offset(parser, &out->operand.value);
}

/* A name that is no register. */
static bool take_meaning(ifl_ptx_parser *parser, ifl_ptx_written_part *out)
{
    const ifl_ptx_binding *binding = ifl_ptx_find(parser, out->name);
    const char *text = ifl_ptx_text_of(parser, out->name);
    switch (binding ? binding->meaning : IFL_PTX_NOTHING) {
    case IFL_PTX_SPECIAL:
        return take_special(parser, binding->index, out);
    case IFL_PTX_VARIABLE:
        out->operand = (ifl_operand){.kind = IFL_OPERAND_VARIABLE, .index = binding->index};
        return take_symbol_offset(parser, out);
    case IFL_PTX_FUNCTION:
        out->operand = (ifl_operand){.kind = IFL_OPERAND_FUNCTION, .index = binding->index};
        return true;
    case IFL_PTX_OPAQUE:
        return ifl_ptx_miss(parser, out->at,
                            "'%.200s' is a vector register, texture or surface: not supported",
                            text);
    default:
        break;
    }
    if (text[0] == '%' && is_missing_special(text))
        return ifl_ptx_miss(parser, out->at, "the special register '%.200s' is not supported",
                            text);
    if (text[0] == '%')
        return ifl_ptx_fail(parser, out->at, "unknown register '%.200s'", text);
    return take_symbol_offset(parser, out); /* a label, a list, or what stands further down */
}

bool ifl_ptx_is_video(ifl_opcode opcode)
{
    return opcode >= IFL_OP_VADD && opcode <= IFL_OP_VSET4;
}

/* "%r1.b3210", "%r1.h0" */
static bool take_selector(ifl_ptx_parser *parser, ifl_operand *operand)
{
    enum { MOST_PARTS = 4 };
    const ifl_ptx_token token = parser->lexer.token;
    if (!parser->is_video || token.kind != IFL_PTX_DOT)
        return true;
    const bool is_bytes = token.at[0] == 'b';
    operand->element = is_bytes ? IFL_SELECTS_BYTES : IFL_SELECTS_HALVES;
    bool is_right =
        token.length > 1 && token.length <= 1 + MOST_PARTS && (is_bytes || token.at[0] == 'h');
    for (size_t i = 1; is_right && i < token.length; i++) {
        is_right = token.at[i] >= '0' && token.at[i] <= '7';
        operand->value = operand->value << 4 | (token.at[i] - '0');
        operand->element++;
    }
    if (!is_right)
        return ifl_ptx_unexpected(parser, "parts of a register: '.b0', '.h1', '.b3210'");
    ifl_ptx_next(parser);
    return true;
}

static bool take_word(ifl_ptx_parser *parser, ifl_ptx_written_part *out)
{
    bool found;
    uint32_t index;
    if (ifl_ptx_is_text(parser, IFL_PTX_WORD, "_")) {
        ifl_ptx_next(parser);
        return true;
    }
    if (!ifl_ptx_take_name(parser, "an operand", &out->name) ||
        !ifl_ptx_find_register(parser, out->name, &found, &index))
        return false;
    if (!found)
        return take_meaning(parser, out);
    out->operand = (ifl_operand){.kind = IFL_OPERAND_REGISTER, .index = index};
    return take_selector(parser, &out->operand);
}

/* "!%p": a word behind '!' is a predicate, a number a constant expression. */
static bool at_negated(const ifl_ptx_parser *parser)
{
    ifl_ptx_lexer ahead = parser->lexer;
    if (!ifl_ptx_is(parser, '!') && !(parser->is_video && ifl_ptx_is(parser, '-')))
        return false;
    ifl_ptx_lex_next(&ahead);
    return ahead.token.kind == IFL_PTX_WORD;
}

bool ifl_ptx_take_part(ifl_ptx_parser *parser, ifl_ptx_written_part *out)
{
    *out = (ifl_ptx_written_part){.at = parser->lexer.token.at};
    if (at_negated(parser)) {
        ifl_ptx_next(parser);
        if (!take_word(parser, out))
            return false;
        out->operand.negated = true;
        return true;
    }
    if (ifl_ptx_is_expression_start(parser)) {
        out->operand.kind = IFL_OPERAND_IMMEDIATE;
        return ifl_ptx_take_expression(parser, &out->value);
    }
    if (ifl_ptx_is_kind(parser, IFL_PTX_WORD))
        return take_word(parser, out);
    return ifl_ptx_unexpected(parser, "an operand");
}

/* ---- addresses ------------------------------------------------------------------------------ */

static bool make_address(ifl_ptx_parser *parser, ifl_ptx_written_part *part)
{
    ifl_operand *operand = &part->operand;
    uint8_t base = operand->kind;
    if (base == IFL_OPERAND_NONE && part->name)
        base = IFL_OPERAND_VARIABLE; /* it stands further down */
    bool is_whole = part->value.kind <= IFL_PTX_UNSIGNED;
    if (operand->negated || (base == IFL_OPERAND_IMMEDIATE && !is_whole) ||
        (base != IFL_OPERAND_REGISTER && base != IFL_OPERAND_VARIABLE &&
         base != IFL_OPERAND_IMMEDIATE))
        return ifl_ptx_fail(parser, part->at, "this is not an address");
    if (base == IFL_OPERAND_IMMEDIATE)
        operand->value = (int64_t)part->value.bits;
    operand->base = base;
    operand->kind = IFL_OPERAND_MEMORY;
    return true;
}

static bool take_address(ifl_ptx_parser *parser, ifl_ptx_written *out)
{
    ifl_ptx_written_part *part = &out->part[0];
    ifl_ptx_next(parser);
    if (!ifl_ptx_take_part(parser, part) || !make_address(parser, part))
        return false;
    bool has_offset = ifl_ptx_is(parser, '+') || ifl_ptx_is(parser, '-');
    if (has_offset && part->operand.base == IFL_OPERAND_REGISTER) {
        ifl_ptx_lexer ahead = parser->lexer;
        ifl_ptx_lex_next(&ahead);
        if (ahead.token.kind == IFL_PTX_WORD)
            return ifl_ptx_fail(parser, ahead.token.at, "an address has one register at most");
        if (!ifl_ptx_take_offset(parser, &part->operand.value))
            return false;
    }
    if (ifl_ptx_is(parser, ',')) { /* [map, {x, y}]: an address, then a vector */
        parser->in_address = true;
        return true;
    }
    return ifl_ptx_expect(parser, ']', "after the address");
}

/* ---- whole operands ------------------------------------------------------------------------- */

static bool take_vector(ifl_ptx_parser *parser, ifl_ptx_written *out)
{
    const char *at = parser->lexer.token.at;
    out->shape = IFL_PTX_VECTOR;
    out->count = 0;
    ifl_ptx_next(parser);
    do {
        if (out->count == sizeof out->part / sizeof *out->part)
            return ifl_ptx_fail(parser, at, "a vector has at most 128 elements");
        if (!ifl_ptx_take_part(parser, &out->part[out->count]))
            return false;
        out->count++;
    } while (ifl_ptx_accept(parser, ','));
    out->part[0].at = at;
    const bool ends_address = parser->in_address;
    parser->in_address = false;
    return ifl_ptx_expect(parser, '}', "after the elements") &&
           (!ends_address || ifl_ptx_expect(parser, ']', "after the coordinates"));
}

/* [texture, sampler, {x, y}], [texture, x] */
static bool take_in_address(ifl_ptx_parser *parser, ifl_ptx_written *out)
{
    if (!parser->is_texture)
        return ifl_ptx_unexpected(parser, "coordinates in braces");
    if (!ifl_ptx_take_part(parser, &out->part[0]))
        return false;
    if (ifl_ptx_is(parser, ',') && !parser->has_sampler) {
        parser->has_sampler = true;
        return true;
    }
    parser->in_address = false;
    return ifl_ptx_expect(parser, ']', "after the coordinate");
}

bool ifl_ptx_take_operand(ifl_ptx_parser *parser, ifl_ptx_written *out)
{
    out->shape = IFL_PTX_PLAIN;
    out->count = 1;
    if (parser->in_address && !ifl_ptx_is(parser, '{'))
        return take_in_address(parser, out);
    if (ifl_ptx_is(parser, '['))
        return take_address(parser, out);
    if (ifl_ptx_is(parser, '{'))
        return take_vector(parser, out);
    if (!ifl_ptx_take_part(parser, &out->part[0]))
        return false;
    if (!ifl_ptx_accept(parser, '|'))
        return true;
    out->shape = IFL_PTX_BOTH;
    out->count = 2;
    return ifl_ptx_take_part(parser, &out->part[1]);
}
