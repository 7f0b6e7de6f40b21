/* SPDX-License-Identifier: Apache-2.0
 * Walking the call graph over the operands of instructions and the initialisers of variables. */
#include "run/reach.h"

#include "base/vec.h"

typedef struct walk {
    const ifl_program *program;
    bool *reached;
    IFL_VEC(uint32_t) waiting;
    bool indirect; /* a call through a register was met */
    bool no_memory;
} walk;

static void reach(walk *w, uint32_t function)
{
    if (function >= w->program->function_count || w->reached[function])
        return;
    w->reached[function] = true;
    if (!ifl_vec_push(&w->waiting, function))
        w->no_memory = true;
}

/* Direct calls and functions whose address the code takes. */
static void scan_instruction(walk *w, const ifl_instruction *instruction)
{
    const ifl_operand *operands = w->program->operands + instruction->first_operand;
    bool direct = false;
    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (operands[i].kind == IFL_OPERAND_FUNCTION) {
            reach(w, operands[i].index);
            direct = true;
        }
    if (instruction->opcode == IFL_OP_CALL && !direct)
        w->indirect = true;
}

static void scan_initialisers(walk *w)
{
    for (size_t i = 0; i < w->program->variable_count; i++) {
        const ifl_variable *variable = &w->program->variables[i];
        for (size_t j = 0; j < variable->relocation_count; j++)
            if (variable->relocations[j].is_function)
                reach(w, variable->relocations[j].index);
    }
}

static void scan_waiting(walk *w)
{
    while (w->waiting.count && !w->no_memory) {
        const ifl_function *function = &w->program->functions[w->waiting.at[--w->waiting.count]];
        for (uint32_t i = 0; i < function->count; i++)
            scan_instruction(w, &w->program->instructions[function->first + i]);
    }
}

ifl_status ifl_reach(const ifl_program *program, uint32_t kernel, bool *reached, ifl_error *error)
{
    walk w = {.program = program, .reached = reached};
    for (size_t i = 0; i < program->function_count; i++)
        reached[i] = false;
    reach(&w, kernel);
    scan_waiting(&w);
    if (w.indirect) {
        scan_initialisers(&w);
        scan_waiting(&w);
    }
    ifl_vec_free(&w.waiting);
    return w.no_memory ? ifl_fail_memory(error, sizeof(uint32_t)) : IFL_OK;
}

/* ---- shared memory --------------------------------------------------------------------------- */

static bool names_variable(const ifl_operand *operand, size_t variable)
{
    const bool named =
        operand->kind == IFL_OPERAND_VARIABLE ||
        (operand->kind == IFL_OPERAND_MEMORY && operand->base == IFL_OPERAND_VARIABLE);
    return named && operand->index == variable;
}

static bool function_names(const ifl_program *program, const ifl_function *function,
                           size_t variable)
{
    for (uint32_t i = 0; i < function->count; i++) {
        const ifl_instruction *instruction = &program->instructions[function->first + i];
        const ifl_operand *operands = program->operands + instruction->first_operand;
        for (unsigned j = 0; j < instruction->operand_count; j++)
            if (names_variable(&operands[j], variable))
                return true;
    }
    return false;
}

static bool is_used(const ifl_program *program, const bool *reached, size_t variable)
{
    const int32_t owner = program->variables[variable].function;
    if (owner >= 0)
        return reached[owner];
    for (size_t f = 0; f < program->function_count; f++)
        if (reached[f] && function_names(program, &program->functions[f], variable))
            return true;
    return false;
}

uint64_t ifl_reach_shared_bytes(const ifl_program *program, const bool *reached)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < program->variable_count; i++)
        if (program->variables[i].space == IFL_SPACE_SHARED && is_used(program, reached, i))
            bytes += program->variables[i].bytes;
    return bytes;
}
