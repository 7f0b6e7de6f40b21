/* SPDX-License-Identifier: Apache-2.0
 * PTX text -> tokens, one at a time. Knows spelling only. A lexer is a plain value: copying it
 * remembers a place in the text, assigning the copy back returns there. */
#ifndef IFL_PTX_LEX_H
#define IFL_PTX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ifl_ptx_kind {
    IFL_PTX_END,
    IFL_PTX_WORD,   /* saxpy, %r1, $L__BB0_2, ld.global.f32 after ifl_ptx_lex_mnemonic */
    IFL_PTX_DOT,    /* .reg, .L1::no_allocate; the token's text is without the first dot */
    IFL_PTX_NUMBER, /* 12, 0x1fU, 0f3F800000, 9.0: its value is expression.c's affair */
    IFL_PTX_STRING, /* without its quotes */
    IFL_PTX_PUNCT,
    IFL_PTX_BAD /* `problem` says why */
} ifl_ptx_kind;

/* The code of two-character punctuation. */
#define IFL_PTX_PAIR(a, b) ((a) << 8 | (b))

typedef struct ifl_ptx_token {
    ifl_ptx_kind kind;
    int punct; /* a character or an IFL_PTX_PAIR */
    const char *at;
    uint32_t length;
    uint32_t line; /* from 1 */
    uint32_t column;
} ifl_ptx_token;

typedef struct ifl_ptx_lexer {
    const char *at; /* behind the token */
    const char *line_start;
    uint32_t line;
    ifl_ptx_token token;
    const char *problem;
} ifl_ptx_lexer;

/* `text` ends with a NUL. The first token is there at once. */
void ifl_ptx_lex_start(ifl_ptx_lexer *lexer, const char *text);
void ifl_ptx_lex_next(ifl_ptx_lexer *lexer);
/* Makes the WORD token longer by the modifiers that stand right behind it. */
void ifl_ptx_lex_mnemonic(ifl_ptx_lexer *lexer);

#endif
