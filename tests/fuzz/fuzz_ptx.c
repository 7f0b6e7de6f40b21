/* SPDX-License-Identifier: Apache-2.0
 * Fuzz target: any bytes are either a program, every part of which can be printed, or an error. */
#include "ptx/ptx.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the engine relies on, checked on every program that was accepted. */
static void check_operand(const ifl_program *program, const ifl_function *function,
                          const ifl_operand *operand)
{
    bool is_memory = operand->kind == IFL_OPERAND_MEMORY;
    uint8_t kind = is_memory ? operand->base : operand->kind;
    if (kind == IFL_OPERAND_REGISTER && operand->index >= function->register_count)
        abort();
    if (kind == IFL_OPERAND_VARIABLE && operand->index >= program->variable_count)
        abort();
    if (kind == IFL_OPERAND_FUNCTION && operand->index >= program->function_count)
        abort();
    if (kind == IFL_OPERAND_SPECIAL && operand->index >= IFL_SPECIAL_COUNT)
        abort();
    if (kind == IFL_OPERAND_LABEL &&
        (operand->value < function->first || operand->value >= function->first + function->count))
        abort();
}

/* As many operands as the signature has slots; a D has two, a VECTOR brings its members. */
static void check_slots(const ifl_program *program, const ifl_instruction *instruction)
{
    const ifl_operand *operand = program->operands + instruction->first_operand;
    uint32_t used = 0;
    for (const char *s = ifl_opcode_get(instruction->opcode)->signature; *s; s++)
        for (int i = 0; *s != '?' && i < (*s == 'D' ? 2 : 1); i++) {
            if (used >= instruction->operand_count)
                abort();
            used += 1 + (operand[used].kind == IFL_OPERAND_VECTOR ? operand[used].index : 0);
        }
    if (used != instruction->operand_count)
        abort();
}

static void check_program(const ifl_program *program)
{
    for (size_t i = 0; i < program->instruction_count; i++) {
        const ifl_instruction *instruction = &program->instructions[i];
        const ifl_function *function = ifl_program_function_of(program, i);
        if (!function || instruction->place >= program->place_count)
            abort();
        check_slots(program, instruction);
        for (uint32_t o = 0; o < instruction->operand_count; o++)
            check_operand(program, function, &program->operands[instruction->first_operand + o]);
    }
    for (size_t i = 1; i < program->place_count; i++)
        if (program->places[i].inlined_at >= i || program->places[i].file >= program->file_count)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ifl_program *program = NULL;
    ifl_error error;
    ifl_status status = ifl_ptx_read("fuzz.ptx", (const char *)data, size, &program, &error);
    if (status != IFL_OK)
        return 0;
    check_program(program);
    FILE *sink = fopen("/dev/null", "w");
    if (sink) {
        ifl_program_print(program, -1, sink);
        fclose(sink);
    }
    ifl_program_free(program);
    return 0;
}
