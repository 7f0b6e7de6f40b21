/* SPDX-License-Identifier: Apache-2.0
 * Questions that a program answers about itself. */
#include "ptx/program.h"

#include <stdlib.h>
#include <string.h>

void ifl_program_free(ifl_program *program)
{
    if (!program)
        return;
    ifl_arena_free(&program->arena);
    free(program);
}

const ifl_function *ifl_program_function_of(const ifl_program *program, size_t instruction)
{
    size_t low = 0, high = program->code_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const ifl_function *function = &program->functions[program->code_order[middle]];
        if (instruction < function->first)
            high = middle;
        else if (instruction - function->first >= function->count)
            low = middle + 1;
        else
            return function;
    }
    return NULL;
}

const char *ifl_instruction_unsupported(const ifl_program *program,
                                        const ifl_instruction *instruction)
{
    if (instruction->opcode != IFL_OP_UNSUPPORTED || !instruction->operand_count)
        return NULL;
    uint64_t index = (uint64_t)program->operands[instruction->first_operand].value;
    return index < program->unsupported_count ? program->unsupported[index] : NULL;
}

static const char *start_of_line(const char *text, uint32_t line)
{
    while (text && --line) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return text;
}

ifl_place ifl_program_place(const ifl_program *program, const ifl_instruction *instruction)
{
    ifl_place place = {
        .file = program->file, .line = (int)instruction->line, .column = (int)instruction->column};
    if (instruction->line)
        place.line_text = start_of_line(program->text, instruction->line);
    return place;
}
