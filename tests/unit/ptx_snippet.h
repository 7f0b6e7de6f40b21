/* SPDX-License-Identifier: Apache-2.0
 * What the tests of the PTX reader share: texts with a kernel around a statement, and the reading
 * of them. */
#ifndef IFL_TEST_PTX_SNIPPET_H
#define IFL_TEST_PTX_SNIPPET_H

#include "ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#define HEAD ".version 9.0\n.target sm_90a, debug\n.address_size 64\n"
/* A kernel with registers of every width; the body stands on line 11. */
#define KERNEL_START                                                                               \
    HEAD ".global .align 4 .b32 g[16];\n"                                                          \
         ".shared .align 16 .b8 s[64];\n"                                                          \
         ".visible .entry k(.param .u64 a, .param .u32 b)\n{\n"                                    \
         ".reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"                 \
         ".reg .f32 %f<8>; .reg .f64 %d<8>; .reg .b128 %q<2>;\n\n"
#define KERNEL_END "\nret;\n}\n"
#define KERNEL(body) KERNEL_START body KERNEL_END
enum { BODY_LINE = 11 };

static inline ifl_program *read_ok(const char *text)
{
    ifl_program *program = NULL;
    ifl_error error = {0};
    ifl_status status = ifl_ptx_read("t.ptx", text, strlen(text), &program, &error);
    if (status != IFL_OK)
        fail_msg("%d:%d: %s", error.line, error.column, error.text);
    return program;
}

/* Reading fails with a text that contains `words`, at `line` (0: any). */
static inline void check_fails(const char *text, ifl_status status, const char *words, int line)
{
    ifl_program *program = NULL;
    ifl_error error = {0};
    assert_int_equal(ifl_ptx_read("t.ptx", text, strlen(text), &program, &error), status);
    assert_null(program);
    if (!strstr(error.text, words))
        fail_msg("'%s' does not say '%s'", error.text, words);
    if (line)
        assert_int_equal(error.line, line);
    assert_string_equal(error.file, "t.ptx");
}

static inline void check_body_fails(const char *body, const char *words)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s%s", KERNEL_START, body, KERNEL_END);
    check_fails(text, IFL_BAD_INPUT, words, 0);
}

static inline const ifl_operand *operand(const ifl_program *program, size_t instruction,
                                         unsigned index)
{
    const ifl_instruction *at = &program->instructions[instruction];
    assert_true(index < at->operand_count);
    return &program->operands[at->first_operand + index];
}

/* The name of instruction 0 of a kernel with this body. */
static inline void check_name(const char *statement, const char *name)
{
    char text[4096], got[128];
    snprintf(text, sizeof text, "%s%s%s", KERNEL_START, statement, KERNEL_END);
    ifl_program *program = read_ok(text);
    ifl_instruction_name(&program->instructions[0], got, sizeof got);
    assert_string_equal(got, name);
    ifl_program_free(program);
}

static inline int64_t immediate(const char *statement, unsigned index)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s%s", KERNEL_START, statement, KERNEL_END);
    ifl_program *program = read_ok(text);
    assert_int_equal(operand(program, 0, index)->kind, IFL_OPERAND_IMMEDIATE);
    int64_t value = operand(program, 0, index)->value;
    ifl_program_free(program);
    return value;
}

#endif
