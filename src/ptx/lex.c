/* SPDX-License-Identifier: Apache-2.0
 * The lexer. PTX ISA 9.0, section "Syntax": source format, comments, identifiers, constants. */
#include "ptx/lex.h"

#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_in_word(char c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

static void start_line(ifl_ptx_lexer *lexer, const char *at)
{
    lexer->line++;
    lexer->line_start = at;
}

/* Moves behind a block comment; false when it does not end. */
static bool skip_block_comment(ifl_ptx_lexer *lexer)
{
    const char *at = lexer->at + 2;
    for (; *at && !(at[0] == '*' && at[1] == '/'); at++)
        if (*at == '\n')
            start_line(lexer, at + 1);
    lexer->at = *at ? at + 2 : at;
    return *at != '\0';
}

/* "@@DWARF ..." lines of old compilers are debug data in a form that nothing here reads. */
static bool at_line_comment(const char *at)
{
    return (at[0] == '/' && at[1] == '/') || (at[0] == '@' && at[1] == '@');
}

static bool skip_blanks(ifl_ptx_lexer *lexer)
{
    for (;;) {
        char c = *lexer->at;
        if (c == '\n') {
            start_line(lexer, ++lexer->at);
        } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
            lexer->at++;
        } else if (at_line_comment(lexer->at)) {
            lexer->at += strcspn(lexer->at, "\n");
        } else if (c == '/' && lexer->at[1] == '*') {
            if (!skip_block_comment(lexer))
                return false;
        } else {
            return true;
        }
    }
}

static const char *end_of_word(const char *at)
{
    while (is_in_word(*at))
        at++;
    return at;
}

/* The words of ".L1::no_allocate", from behind the dot. */
static const char *end_of_dot(const char *at)
{
    at = end_of_word(at);
    while (at[0] == ':' && at[1] == ':' && is_in_word(at[2]))
        at = end_of_word(at + 2);
    return at;
}

static bool has_letter_prefix(const char *at)
{
    return at[0] == '0' && at[1] && strchr("xXfFdDbB", at[1]);
}

/* Takes more than numbers are, so that "12abc" is one wrong number, not two tokens. */
static const char *end_of_number(const char *at)
{
    bool has_exponent = !has_letter_prefix(at);
    while (is_in_word(*at) || *at == '.') {
        bool is_sign = has_exponent && (*at == 'e' || *at == 'E') && (at[1] == '+' || at[1] == '-');
        at += is_sign ? 2 : 1;
    }
    return at;
}

static void take(ifl_ptx_lexer *lexer, ifl_ptx_kind kind, const char *from, const char *end)
{
    lexer->token.kind = kind;
    lexer->token.at = from;
    lexer->token.length = (uint32_t)(end - from);
    lexer->at = end;
}

static void take_bad(ifl_ptx_lexer *lexer, const char *problem)
{
    take(lexer, IFL_PTX_BAD, lexer->token.at, lexer->token.at);
    lexer->problem = problem;
}

static void take_string(ifl_ptx_lexer *lexer)
{
    const char *at = lexer->at + 1;
    while (*at && *at != '"' && *at != '\n')
        at += at[0] == '\\' && at[1] && at[1] != '\n' ? 2 : 1;
    if (*at != '"') {
        take_bad(lexer,
                 *at ? "a string ends with its line" : "truncated: the file ends inside a string");
        return;
    }
    take(lexer, IFL_PTX_STRING, lexer->at + 1, at);
    lexer->at = at + 1;
}

static void take_punct(ifl_ptx_lexer *lexer)
{
    static const char pairs[][3] = {"<<", ">>", "==", "!=", "<=", ">=", "&&", "||"};
    const char *at = lexer->at;
    lexer->token.punct = *at;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (at[0] == pairs[i][0] && at[1] == pairs[i][1])
            lexer->token.punct = IFL_PTX_PAIR(at[0], at[1]);
    take(lexer, IFL_PTX_PUNCT, at, at + (lexer->token.punct > 0xff ? 2 : 1));
}

void ifl_ptx_lex_next(ifl_ptx_lexer *lexer)
{
    bool is_closed = skip_blanks(lexer);
    const char *at = lexer->at;
    lexer->token = (ifl_ptx_token){
        .at = at, .line = lexer->line, .column = (uint32_t)(at - lexer->line_start + 1)};
    if (!is_closed)
        take_bad(lexer, "truncated: the file ends inside a comment");
    else if (!*at)
        take(lexer, IFL_PTX_END, at, at);
    else if (is_digit(*at) || (*at == '.' && is_digit(at[1])))
        take(lexer, IFL_PTX_NUMBER, at, end_of_number(at));
    else if (is_in_word(*at) || (*at == '%' && is_in_word(at[1]) && !is_digit(at[1])))
        take(lexer, IFL_PTX_WORD, at, end_of_word(at + 1));
    else if (*at == '.' && is_in_word(at[1]))
        take(lexer, IFL_PTX_DOT, at + 1, end_of_dot(at + 1));
    else if (*at == '"')
        take_string(lexer);
    else
        take_punct(lexer);
}

void ifl_ptx_lex_mnemonic(ifl_ptx_lexer *lexer)
{
    while (lexer->at[0] == '.' && is_in_word(lexer->at[1]))
        lexer->at = end_of_dot(lexer->at + 1);
    lexer->token.length = (uint32_t)(lexer->at - lexer->token.at);
}

void ifl_ptx_lex_start(ifl_ptx_lexer *lexer, const char *text)
{
    *lexer = (ifl_ptx_lexer){.at = text, .line_start = text, .line = 1};
    ifl_ptx_lex_next(lexer);
}
