/* SPDX-License-Identifier: Apache-2.0
 * One instruction: guard, mnemonic, operands. What PTX has and we do not becomes an
 * IFL_OP_UNSUPPORTED in its place, so that the other kernels of the text stay usable. */
#include "ptx/parser.h"

#include <string.h>

/* ---- guard ---------------------------------------------------------------------------------- */

static bool take_guard(ifl_ptx_parser *parser, ifl_instruction *to)
{
    uint32_t name, index;
    bool found;
    ifl_ptx_next(parser);
    to->guard_negated = ifl_ptx_accept(parser, '!');
    const char *at = parser->lexer.token.at;
    if (!ifl_ptx_take_name(parser, "a predicate", &name) ||
        !ifl_ptx_find_register(parser, name, &found, &index))
        return false;
    if (!found)
        return ifl_ptx_fail(parser, at, "unknown register '%.200s'", ifl_ptx_text_of(parser, name));
    if (parser->registers.at[index].bits != 1)
        return ifl_ptx_fail(parser, at, "'%.200s' is not a predicate",
                            ifl_ptx_text_of(parser, name));
    to->guard = (int32_t)index;
    return true;
}

/* ---- mnemonic ------------------------------------------------------------------------------- */

/* Takes the mnemonic's text as a name. Its parts usually stand together, but blanks may come
 * between them. */
static bool take_mnemonic_name(ifl_ptx_parser *parser, uint32_t *name)
{
    char joined[256];
    if (!ifl_ptx_is_kind(parser, IFL_PTX_WORD))
        return ifl_ptx_unexpected(parser, "an instruction");
    ifl_ptx_lex_mnemonic(&parser->lexer);
    const ifl_ptx_token token = parser->lexer.token;
    if (!ifl_ptx_take_name(parser, "an instruction", name))
        return false;
    while (ifl_ptx_is_kind(parser, IFL_PTX_DOT)) {
        const ifl_ptx_token part = parser->lexer.token;
        int length = snprintf(joined, sizeof joined, "%s.%.*s", ifl_ptx_text_of(parser, *name),
                              (int)(part.length < 200 ? part.length : 200), part.at);
        if (length < 0 || (size_t)length >= sizeof joined)
            return ifl_ptx_fail(parser, token.at, "this instruction's name is too long");
        *name = ifl_ptx_name_of(&parser->names, &parser->program->arena, joined, (size_t)length);
        if (!*name)
            return ifl_ptx_no_memory(parser);
        ifl_ptx_next(parser);
    }
    return true;
}

static bool decode(ifl_ptx_parser *parser, uint32_t name, uint32_t *index)
{
    const uint32_t *known = ifl_ptx_map_find(&parser->mnemonic_of, name);
    if (known) {
        *index = *known;
        return true;
    }
    ifl_ptx_mnemonic mnemonic;
    const ifl_ptx_name *text = &parser->names.list.at[name];
    ifl_ptx_decode(text->text, text->length, &mnemonic);
    *index = (uint32_t)parser->mnemonics.count;
    return (ifl_vec_push(&parser->mnemonics, mnemonic) &&
            ifl_ptx_map_set(&parser->mnemonic_of, name, *index)) ||
           ifl_ptx_no_memory(parser);
}

static bool has_type(const ifl_instruction *instruction, uint8_t type)
{
    for (unsigned i = 0; i < instruction->type_count; i++)
        if (instruction->type[i] == type)
            return true;
    return false;
}

static bool take_mnemonic(ifl_ptx_parser *parser, ifl_instruction *to)
{
    uint32_t name, index;
    const ifl_ptx_token token = parser->lexer.token;
    if (!take_mnemonic_name(parser, &name) || !decode(parser, name, &index))
        return false;
    const ifl_ptx_mnemonic *is = &parser->mnemonics.at[index];
    if (is->known == IFL_PTX_WRONG)
        return ifl_ptx_fail(parser, token.at, "%s", is->problem);
    if (is->known == IFL_PTX_MISSING)
        return ifl_ptx_miss(parser, token.at, "%s", is->problem);
    if (parser->program->maps_f64 && has_type(&is->instruction, IFL_TYPE_F64))
        return ifl_ptx_miss(parser, token.at, "f64 for .target map_f64_to_f32");
    to->opcode = is->instruction.opcode;
    memcpy(to->type, is->instruction.type, sizeof to->type);
    to->type_count = is->instruction.type_count;
    to->modifiers = is->instruction.modifiers;
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static ifl_instruction start_instruction(const ifl_ptx_parser *parser)
{
    return (ifl_instruction){.guard = IFL_NO_GUARD,
                             .first_operand = (uint32_t)parser->operands.count,
                             .place = parser->place,
                             .line = parser->lexer.token.line,
                             .column = parser->lexer.token.column};
}

static bool push_instruction(ifl_ptx_parser *parser, ifl_instruction *instruction)
{
    size_t count = parser->operands.count - instruction->first_operand;
    if (count > UINT16_MAX || parser->operands.count > UINT32_MAX / 2 ||
        parser->instructions.count > INT32_MAX / 2)
        return ifl_ptx_fail(parser, parser->lexer.token.at, "the program is too large");
    instruction->operand_count = (uint16_t)count;
    return ifl_vec_push(&parser->instructions, *instruction) || ifl_ptx_no_memory(parser);
}

static bool take_operands(ifl_ptx_parser *parser)
{
    parser->written_count = 0;
    if (ifl_ptx_is(parser, ';'))
        return true;
    do {
        if (parser->written_count == IFL_PTX_MAX_OPERANDS)
            return ifl_ptx_fail(parser, parser->lexer.token.at, "more than %d operands",
                                IFL_PTX_MAX_OPERANDS);
        if (!ifl_ptx_take_operand(parser, &parser->written[parser->written_count]))
            return false;
        parser->written_count++;
    } while (ifl_ptx_accept(parser, ',') ||
             (parser->is_texture && parser->written_count == 1 && ifl_ptx_accept(parser, '|')));
    return true;
}

static bool take_known(ifl_ptx_parser *parser, ifl_instruction *to)
{
    if (ifl_ptx_is(parser, '@') && !take_guard(parser, to))
        return false;
    to->line = parser->lexer.token.line;
    to->column = parser->lexer.token.column;
    if (!take_mnemonic(parser, to))
        return false;
    parser->is_video = ifl_ptx_is_video((ifl_opcode)to->opcode);
    parser->is_texture = ifl_opcode_get(to->opcode)->fields & IFL_FIELD_geometry;
    parser->in_address = parser->has_sampler = false;
    if (to->opcode == IFL_OP_CALL) {
        if (!ifl_ptx_take_call(parser, to))
            return false;
    } else if (!take_operands(parser)) {
        return false;
    }
    if (parser->has_sampler)
        return ifl_ptx_miss(parser, parser->lexer.token.at,
                            "'%s' with a sampler apart from its texture is not supported",
                            ifl_opcode_get(to->opcode)->name);
    parser->is_video = false;
    /* A text that ends here is cut off, not short of operands. */
    if (!ifl_ptx_is(parser, ';'))
        return ifl_ptx_unexpected(parser, "';' after the operands");
    if (to->opcode != IFL_OP_CALL && !ifl_ptx_match(parser, to))
        return false;
    ifl_ptx_next(parser);
    return push_instruction(parser, to);
}

/* The message is kept once, however many instructions it fits. */
static bool keep_message(ifl_ptx_parser *parser, uint32_t *index)
{
    uint32_t name = ifl_ptx_name_of(&parser->names, &parser->program->arena, parser->message,
                                    strlen(parser->message));
    if (!name)
        return ifl_ptx_no_memory(parser);
    const uint32_t *known = ifl_ptx_map_find(&parser->missing_of, name);
    *index = known ? *known : (uint32_t)parser->unsupported.count;
    if (known)
        return true;
    return (ifl_vec_push(&parser->unsupported, ifl_ptx_text_of(parser, name)) &&
            ifl_ptx_map_set(&parser->missing_of, name, *index)) ||
           ifl_ptx_no_memory(parser);
}

static bool push_unsupported(ifl_ptx_parser *parser, const ifl_instruction *at)
{
    uint32_t index = 0;
    ifl_instruction instruction = {.opcode = IFL_OP_UNSUPPORTED,
                                   .guard = IFL_NO_GUARD,
                                   .first_operand = at->first_operand,
                                   .place = at->place,
                                   .line = at->line,
                                   .column = at->column};
    parser->status = IFL_OK;
    if (!keep_message(parser, &index) || !ifl_ptx_skip_statement(parser))
        return false;
    ifl_operand which = {.kind = IFL_OPERAND_NONE, .value = index};
    return ifl_ptx_add_operand(parser, which) && push_instruction(parser, &instruction);
}

bool ifl_ptx_take_instruction(ifl_ptx_parser *parser)
{
    const ifl_ptx_lexer start = parser->lexer;
    size_t labels = parser->labels.count, symbols = parser->symbols.count;
    ifl_instruction instruction = start_instruction(parser);
    if (take_known(parser, &instruction))
        return true;
    if (parser->status != IFL_UNSUPPORTED)
        return false;
    parser->lexer = start;
    parser->operands.count = instruction.first_operand;
    parser->labels.count = labels;
    parser->symbols.count = symbols;
    return push_unsupported(parser, &instruction);
}

bool ifl_ptx_add_return(ifl_ptx_parser *parser)
{
    ifl_instruction instruction = start_instruction(parser);
    instruction.opcode = IFL_OP_RET;
    return push_instruction(parser, &instruction);
}
