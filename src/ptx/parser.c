/* SPDX-License-Identifier: Apache-2.0
 * Errors and tokens: the small steps that the rest of the reader is made of. */
#include "ptx/parser.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

static bool stop(ifl_ptx_parser *parser, ifl_status status, const char *at, const char *format,
                 va_list list)
{
    parser->status = status;
    parser->fault = at;
    vsnprintf(parser->message, sizeof parser->message, format, list);
    return false;
}

bool ifl_ptx_fail(ifl_ptx_parser *parser, const char *at, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    stop(parser, IFL_BAD_INPUT, at, format, list);
    va_end(list);
    return false;
}

bool ifl_ptx_miss(ifl_ptx_parser *parser, const char *at, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    stop(parser, IFL_UNSUPPORTED, at, format, list);
    va_end(list);
    return false;
}

bool ifl_ptx_no_memory(ifl_ptx_parser *parser)
{
    ifl_ptx_fail(parser, NULL, "out of memory for the program");
    parser->status = IFL_NO_MEMORY;
    return false;
}

static bool truncated(ifl_ptx_parser *parser)
{
    const char *at = parser->lexer.token.at;
    if (parser->function < 0)
        return ifl_ptx_fail(parser, at, "truncated: the file ends inside a declaration");
    return ifl_ptx_fail(parser, at, "truncated: the file ends inside function '%s'",
                        parser->functions.at[parser->function].name);
}

bool ifl_ptx_unexpected(ifl_ptx_parser *parser, const char *expected)
{
    const ifl_ptx_token *token = &parser->lexer.token;
    int length = token->length < 60 ? (int)token->length : 60;
    if (token->kind == IFL_PTX_BAD)
        return ifl_ptx_fail(parser, token->at, "%s", parser->lexer.problem);
    bool is_last = token->kind == IFL_PTX_PUNCT && !token->at[token->length]; /* a lone "." too */
    if (token->kind == IFL_PTX_END || is_last)
        return truncated(parser);
    const char *dot = token->kind == IFL_PTX_DOT ? "." : "";
    return ifl_ptx_fail(parser, token->at, "expected %s, found '%s%.*s'", expected, dot, length,
                        token->at);
}

/* ---- tokens --------------------------------------------------------------------------------- */

void ifl_ptx_next(ifl_ptx_parser *parser)
{
    ifl_ptx_lex_next(&parser->lexer);
}

bool ifl_ptx_is(const ifl_ptx_parser *parser, int punct)
{
    return parser->lexer.token.kind == IFL_PTX_PUNCT && parser->lexer.token.punct == punct;
}

bool ifl_ptx_is_kind(const ifl_ptx_parser *parser, ifl_ptx_kind kind)
{
    return parser->lexer.token.kind == kind;
}

bool ifl_ptx_is_text(const ifl_ptx_parser *parser, ifl_ptx_kind kind, const char *text)
{
    const ifl_ptx_token *token = &parser->lexer.token;
    size_t length = strlen(text);
    return token->kind == kind && token->length == length && !memcmp(token->at, text, length);
}

bool ifl_ptx_accept(ifl_ptx_parser *parser, int punct)
{
    if (!ifl_ptx_is(parser, punct))
        return false;
    ifl_ptx_next(parser);
    return true;
}

bool ifl_ptx_expect(ifl_ptx_parser *parser, int punct, const char *where)
{
    char expected[80];
    if (ifl_ptx_accept(parser, punct))
        return true;
    snprintf(expected, sizeof expected, "'%c' %s", punct, where);
    return ifl_ptx_unexpected(parser, expected);
}

bool ifl_ptx_take_name(ifl_ptx_parser *parser, const char *expected, uint32_t *name)
{
    const ifl_ptx_token *token = &parser->lexer.token;
    if (token->kind != IFL_PTX_WORD)
        return ifl_ptx_unexpected(parser, expected);
    *name = ifl_ptx_name_of(&parser->names, &parser->program->arena, token->at, token->length);
    if (!*name)
        return ifl_ptx_no_memory(parser);
    ifl_ptx_next(parser);
    return true;
}

bool ifl_ptx_take_count(ifl_ptx_parser *parser, uint64_t most, const char *what, uint64_t *value)
{
    ifl_ptx_value number;
    const char *at = parser->lexer.token.at;
    if (!ifl_ptx_take_expression(parser, &number))
        return false;
    if (number.kind > IFL_PTX_UNSIGNED || number.bits > most)
        return ifl_ptx_fail(parser, at, "%s must be a whole number from 0 to %" PRIu64, what, most);
    *value = number.bits;
    return true;
}

bool ifl_ptx_skip_group(ifl_ptx_parser *parser)
{
    unsigned depth = 0;
    do {
        if (ifl_ptx_is_kind(parser, IFL_PTX_END) || ifl_ptx_is_kind(parser, IFL_PTX_BAD))
            return ifl_ptx_unexpected(parser, "')'");
        depth += ifl_ptx_is(parser, '(');
        depth -= ifl_ptx_is(parser, ')') && depth;
        ifl_ptx_next(parser);
    } while (depth);
    return true;
}

bool ifl_ptx_skip_statement(ifl_ptx_parser *parser)
{
    unsigned depth = 0;
    while (depth || !ifl_ptx_is(parser, ';')) {
        bool closes = ifl_ptx_is(parser, '}');
        if (ifl_ptx_is_kind(parser, IFL_PTX_END) || ifl_ptx_is_kind(parser, IFL_PTX_BAD) ||
            (closes && !depth))
            return ifl_ptx_unexpected(parser, "';'");
        depth += ifl_ptx_is(parser, '{');
        depth -= closes;
        ifl_ptx_next(parser);
    }
    ifl_ptx_next(parser);
    return true;
}

const char *ifl_ptx_text_of(const ifl_ptx_parser *parser, uint32_t name)
{
    return parser->names.list.at[name].text;
}
