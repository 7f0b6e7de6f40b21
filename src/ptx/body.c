/* SPDX-License-Identifier: Apache-2.0
 * Function bodies: statements, nested blocks, labels, the directives between them. */
#include "ptx/parser.h"

static bool skip_pragma(ifl_ptx_parser *parser)
{
    return ifl_ptx_skip_statement(parser);
}

static bool declare(ifl_ptx_parser *parser)
{
    return ifl_ptx_declare(parser, false);
}

static bool declare_extern(ifl_ptx_parser *parser)
{
    ifl_ptx_next(parser);
    if (!ifl_ptx_is_kind(parser, IFL_PTX_DOT))
        return ifl_ptx_unexpected(parser, "a state space");
    return ifl_ptx_declare(parser, true);
}

static const struct {
    const char *text;
    bool (*take)(ifl_ptx_parser *parser);
} directives[] = {
    {"loc", ifl_ptx_take_loc},   {"reg", ifl_ptx_take_registers},
    {"param", declare},          {"local", declare},
    {"shared", declare},         {"global", declare},
    {"const", declare},          {"pragma", skip_pragma},
    {"file", ifl_ptx_take_file}, {"extern", declare_extern},
};

static bool take_directive(ifl_ptx_parser *parser)
{
    const ifl_ptx_token token = parser->lexer.token;
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (ifl_ptx_is_text(parser, IFL_PTX_DOT, directives[i].text))
            return directives[i].take(parser);
    return ifl_ptx_miss(parser, token.at, "the directive '.%.*s' is not supported in a function",
                        (int)(token.length < 60 ? token.length : 60), token.at);
}

/* ---- labels --------------------------------------------------------------------------------- */

/* Does a word followed by ':' stand here? */
static bool at_label(const ifl_ptx_parser *parser)
{
    ifl_ptx_lexer ahead = parser->lexer;
    if (*ahead.at == '.') /* ld.global: nearly every statement */
        return false;
    ifl_ptx_lex_next(&ahead);
    return ahead.token.kind == IFL_PTX_PUNCT && ahead.token.punct == ':';
}

static bool take_label(ifl_ptx_parser *parser)
{
    uint32_t name;
    const char *at = parser->lexer.token.at;
    if (!ifl_ptx_take_name(parser, "a label", &name) ||
        !ifl_ptx_expect(parser, ':', "after the label"))
        return false;
    if (ifl_ptx_is_text(parser, IFL_PTX_DOT, "callprototype") ||
        ifl_ptx_is_text(parser, IFL_PTX_DOT, "calltargets") ||
        ifl_ptx_is_text(parser, IFL_PTX_DOT, "branchtargets"))
        return ifl_ptx_take_targets(parser, name, at);
    parser->label_at = (uint32_t)parser->instructions.count;
    return ifl_ptx_bind(parser, name, IFL_PTX_LABEL, parser->label_at, at);
}

/* ---- statements ----------------------------------------------------------------------------- */

static bool take_statement(ifl_ptx_parser *parser)
{
    if (ifl_ptx_accept(parser, ';'))
        return true;
    if (ifl_ptx_is_kind(parser, IFL_PTX_DOT))
        return take_directive(parser);
    if (ifl_ptx_is_kind(parser, IFL_PTX_WORD) && at_label(parser))
        return take_label(parser);
    if (ifl_ptx_is_kind(parser, IFL_PTX_WORD) || ifl_ptx_is(parser, '@'))
        return ifl_ptx_take_instruction(parser);
    return ifl_ptx_unexpected(parser, "an instruction");
}

static bool leaves(const ifl_instruction *instruction)
{
    return instruction->guard == IFL_NO_GUARD &&
           (instruction->opcode == IFL_OP_RET || instruction->opcode == IFL_OP_EXIT ||
            instruction->opcode == IFL_OP_TRAP || instruction->opcode == IFL_OP_BRA);
}

/* Control never runs off the end of a function, and every label stands before an instruction. */
static bool end_body(ifl_ptx_parser *parser, size_t first)
{
    size_t count = parser->instructions.count;
    bool is_closed =
        count > first && parser->label_at < count && leaves(&parser->instructions.at[count - 1]);
    return is_closed || ifl_ptx_add_return(parser);
}

bool ifl_ptx_take_body(ifl_ptx_parser *parser)
{
    ifl_ptx_scope scope[IFL_PTX_MAX_SCOPES];
    unsigned depth = 0;
    size_t first = parser->instructions.count;
    parser->label_at = 0;
    ifl_ptx_next(parser);
    for (;;) {
        if (ifl_ptx_is(parser, '{')) {
            if (!ifl_ptx_open_scope(parser, &scope[depth]))
                return false;
            depth++;
            ifl_ptx_next(parser);
        } else if (ifl_ptx_is(parser, '}') && depth) {
            ifl_ptx_close_scope(parser, &scope[--depth]);
            ifl_ptx_next(parser);
        } else if (ifl_ptx_is(parser, '}')) {
            break;
        } else if (!take_statement(parser)) {
            return false;
        }
    }
    if (!end_body(parser, first))
        return false;
    ifl_ptx_next(parser);
    return true;
}
