/* SPDX-License-Identifier: Apache-2.0
 * See join.h. Every array of the result is those of the parts one after the other; indexes move by
 * where a part begins. A declaration keeps its entry, but what refers to it refers to the
 * definition. Names that two parts define stay two: nvcc makes those of static functions and
 * variables differ, and the code of equal templates is equal. */
#include "ptx/join.h"

#include <stdlib.h>
#include <string.h>

/* Where a part's entries begin in the result. */
typedef struct part {
    const ifl_program *program;
    uint32_t instructions, operands, places, files, variables, functions, unsupported, lines;
    uint64_t shared; /* bytes of static shared memory before its own */
    uint32_t *variable_at,
        *function_at; /* by its own index: the index in the result that is meant */
} part;

typedef struct joining {
    part *parts;
    size_t count;
    ifl_program *to;
} joining;

/* ---- names ----------------------------------------------------------------------------------- */

/* The unsized array of dynamic shared memory is extern too, and each program's own. */
static bool is_wanted(const ifl_variable *v)
{
    return v->is_extern && v->function < 0 && v->space != IFL_SPACE_SHARED;
}

static bool find_variable(const ifl_program *in, const ifl_variable *like, uint32_t *index)
{
    for (uint32_t i = 0; i < in->variable_count; i++) {
        const ifl_variable *v = &in->variables[i];
        if (v->function < 0 && !v->is_extern && v->space == like->space &&
            strcmp(v->name, like->name) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

static bool find_function(const ifl_program *in, const char *name, uint32_t *index)
{
    for (uint32_t i = 0; i < in->function_count; i++)
        if (!in->functions[i].is_extern && strcmp(in->functions[i].name, name) == 0) {
            *index = i;
            return true;
        }
    return false;
}

static bool is_needed(const ifl_program *by, const ifl_program *from)
{
    uint32_t index;
    for (size_t i = 0; i < by->variable_count; i++)
        if (is_wanted(&by->variables[i]) && find_variable(from, &by->variables[i], &index))
            return true;
    for (size_t i = 0; i < by->function_count; i++)
        if (by->functions[i].is_extern && find_function(from, by->functions[i].name, &index))
            return true;
    return false;
}

bool ifl_programs_need_joining(ifl_program *const *programs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if (i != j && is_needed(programs[i], programs[j]))
                return true;
    return false;
}

static void resolve(const joining *j, part *p)
{
    for (uint32_t i = 0; i < p->program->variable_count; i++) {
        uint32_t index;
        p->variable_at[i] = p->variables + i;
        for (size_t k = 0; k < j->count && is_wanted(&p->program->variables[i]); k++)
            if (find_variable(j->parts[k].program, &p->program->variables[i], &index)) {
                p->variable_at[i] = j->parts[k].variables + index;
                break;
            }
    }
    for (uint32_t i = 0; i < p->program->function_count; i++) {
        uint32_t index;
        p->function_at[i] = p->functions + i;
        for (size_t k = 0; k < j->count && p->program->functions[i].is_extern; k++)
            if (find_function(j->parts[k].program, p->program->functions[i].name, &index)) {
                p->function_at[i] = j->parts[k].functions + index;
                break;
            }
    }
}

/* ---- code ------------------------------------------------------------------------------------ */

static void join_operand(const part *p, ifl_operand *operand)
{
    const bool is_memory = operand->kind == IFL_OPERAND_MEMORY;
    if (operand->kind == IFL_OPERAND_VARIABLE ||
        (is_memory && operand->base == IFL_OPERAND_VARIABLE))
        operand->index = p->variable_at[operand->index];
    else if (operand->kind == IFL_OPERAND_FUNCTION)
        operand->index = p->function_at[operand->index];
    else if (operand->kind == IFL_OPERAND_LABEL)
        operand->value += p->instructions;
}

static void join_instructions(const part *p, ifl_program *to)
{
    const ifl_program *from = p->program;
    memcpy(to->operands + p->operands, from->operands,
           from->operand_count * sizeof *from->operands);
    for (size_t i = 0; i < from->operand_count; i++)
        join_operand(p, &to->operands[p->operands + i]);
    for (size_t i = 0; i < from->instruction_count; i++) {
        ifl_instruction *instruction = &to->instructions[p->instructions + i];
        *instruction = from->instructions[i];
        instruction->first_operand += p->operands;
        instruction->place += instruction->place ? p->places : 0;
        instruction->line += instruction->line ? p->lines : 0;
        if (instruction->opcode == IFL_OP_UNSUPPORTED)
            to->operands[instruction->first_operand].value += p->unsupported;
    }
}

static void join_places(const part *p, ifl_program *to)
{
    const ifl_program *from = p->program;
    for (size_t i = 0; i < from->place_count; i++) {
        ifl_source *place = &to->places[p->places + i];
        *place = from->places[i];
        place->file += place->file ? p->files : 0;
        place->inlined_at += place->inlined_at ? p->places : 0;
    }
    if (from->file_count)
        memcpy(to->files + p->files, from->files, from->file_count * sizeof *from->files);
    if (from->unsupported_count)
        memcpy(to->unsupported + p->unsupported, from->unsupported,
               from->unsupported_count * sizeof *from->unsupported);
}

/* ---- variables, functions -------------------------------------------------------------------- */

static bool join_relocations(const part *p, ifl_program *to, ifl_variable *v)
{
    ifl_relocation *list = ifl_arena_alloc(&to->arena, (v->relocation_count + 1) * sizeof *list);
    for (size_t i = 0; list && i < v->relocation_count; i++) {
        list[i] = v->relocations[i];
        list[i].index =
            list[i].is_function ? p->function_at[list[i].index] : p->variable_at[list[i].index];
    }
    v->relocations = list;
    return list != NULL;
}

static bool join_variables(const part *p, ifl_program *to)
{
    bool is_done = true;
    for (size_t i = 0; i < p->program->variable_count && is_done; i++) {
        ifl_variable *v = &to->variables[p->variables + i];
        *v = p->program->variables[i];
        v->function += v->function >= 0 ? (int32_t)p->functions : 0;
        if (v->space == IFL_SPACE_SHARED)
            v->offset = v->is_extern && !v->bytes ? to->shared_bytes : v->offset + p->shared;
        if (v->relocation_count)
            is_done = join_relocations(p, to, v);
    }
    return is_done;
}

static const uint32_t *moved(ifl_program *to, const uint32_t *list, uint32_t count, uint32_t by)
{
    uint32_t *copy = ifl_arena_alloc(&to->arena, (count + 1) * sizeof *copy);
    for (uint32_t i = 0; copy && i < count; i++)
        copy[i] = list[i] + by;
    return copy;
}

static bool join_functions(const part *p, ifl_program *to)
{
    for (size_t i = 0; i < p->program->function_count; i++) {
        ifl_function *f = &to->functions[p->functions + i];
        *f = p->program->functions[i];
        f->first += p->instructions;
        f->line += f->line ? p->lines : 0;
        f->params = moved(to, f->params, f->param_count, p->variables);
        f->returns = moved(to, f->returns, f->return_count, p->variables);
        if (!f->params || !f->returns)
            return false;
    }
    return true;
}

/* ---- all ------------------------------------------------------------------------------------- */

static uint32_t lines_of(const ifl_program *program)
{
    uint32_t lines = 1;
    for (size_t i = 0; i < program->text_bytes; i++)
        lines += program->text[i] == '\n';
    return lines;
}

/* Sums the parts up in `to`, and notes where each begins. Shared memory begins at multiples of 128
 * bytes, the most that an instruction asks for. */
static void measure(joining *j)
{
    enum { SHARED_ALIGN = 128 };
    ifl_program *to = j->to;
    uint32_t lines = 0;
    for (size_t i = 0; i < j->count; i++) {
        part *p = &j->parts[i];
        const ifl_program *from = p->program;
        p->instructions = (uint32_t)to->instruction_count;
        p->operands = (uint32_t)to->operand_count;
        p->places = (uint32_t)to->place_count;
        p->files = (uint32_t)to->file_count;
        p->variables = (uint32_t)to->variable_count;
        p->functions = (uint32_t)to->function_count;
        p->unsupported = (uint32_t)to->unsupported_count;
        p->lines = lines;
        p->shared = to->shared_bytes;
        to->instruction_count += from->instruction_count;
        to->operand_count += from->operand_count;
        to->place_count += from->place_count;
        to->file_count += from->file_count;
        to->variable_count += from->variable_count;
        to->function_count += from->function_count;
        to->unsupported_count += from->unsupported_count;
        to->code_count += from->code_count;
        to->text_bytes += from->text_bytes + 1;
        to->shared_bytes += (from->shared_bytes + SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN;
        to->version = from->version > to->version ? from->version : to->version;
        lines += lines_of(from);
    }
}

static bool join_texts(const joining *j)
{
    char *text = ifl_arena_alloc(&j->to->arena, j->to->text_bytes + 1), *at = text;
    for (size_t i = 0; text && i < j->count; i++) {
        const ifl_program *from = j->parts[i].program;
        if (from->text_bytes)
            memcpy(at, from->text, from->text_bytes);
        at[from->text_bytes] = '\n';
        at += from->text_bytes + 1;
    }
    j->to->text = text;
    return text != NULL;
}

static bool join_order(const joining *j)
{
    uint32_t *order = ifl_arena_alloc(&j->to->arena, (j->to->code_count + 1) * sizeof *order);
    size_t at = 0;
    for (size_t i = 0; order && i < j->count; i++)
        for (size_t k = 0; k < j->parts[i].program->code_count; k++)
            order[at++] = j->parts[i].program->code_order[k] + j->parts[i].functions;
    j->to->code_order = order;
    return order != NULL;
}

static bool make_room(ifl_program *to)
{
    ifl_arena *arena = &to->arena;
    to->instructions =
        ifl_arena_alloc(arena, (to->instruction_count + 1) * sizeof *to->instructions);
    to->operands = ifl_arena_alloc(arena, (to->operand_count + 1) * sizeof *to->operands);
    to->places = ifl_arena_alloc(arena, (to->place_count + 1) * sizeof *to->places);
    to->files = ifl_arena_alloc(arena, (to->file_count + 1) * sizeof *to->files);
    to->variables = ifl_arena_alloc(arena, (to->variable_count + 1) * sizeof *to->variables);
    to->functions = ifl_arena_alloc(arena, (to->function_count + 1) * sizeof *to->functions);
    to->unsupported = ifl_arena_alloc(arena, (to->unsupported_count + 1) * sizeof *to->unsupported);
    return to->instructions && to->operands && to->places && to->files && to->variables &&
           to->functions && to->unsupported;
}

static bool join_part(const joining *j, part *p)
{
    p->variable_at =
        ifl_arena_alloc(&j->to->arena, (p->program->variable_count + 1) * sizeof *p->variable_at);
    p->function_at =
        ifl_arena_alloc(&j->to->arena, (p->program->function_count + 1) * sizeof *p->function_at);
    if (!p->variable_at || !p->function_at)
        return false;
    resolve(j, p);
    join_instructions(p, j->to);
    join_places(p, j->to);
    return join_variables(p, j->to) && join_functions(p, j->to);
}

static bool join_all(joining *j)
{
    measure(j);
    if (!make_room(j->to) || !join_texts(j) || !join_order(j))
        return false;
    for (size_t i = 0; i < j->count; i++)
        if (!join_part(j, &j->parts[i]))
            return false;
    return true;
}

ifl_status ifl_programs_join(ifl_program *const *programs, size_t count, ifl_program **out,
                             ifl_error *error)
{
    joining j = {
        .parts = calloc(count + 1, sizeof *j.parts), .count = count, .to = calloc(1, sizeof *j.to)};
    bool is_done = j.parts && j.to && count;
    for (size_t i = 0; is_done && i < count; i++)
        j.parts[i].program = programs[i];
    if (is_done) {
        j.to->file = programs[0]->file;
        j.to->sm = programs[0]->sm;
        memcpy(j.to->target, programs[0]->target, sizeof j.to->target);
        j.to->is_debug = programs[0]->is_debug;
        is_done = join_all(&j);
    }
    free(j.parts);
    if (is_done) {
        *out = j.to;
        return IFL_OK;
    }
    if (j.to)
        ifl_program_free(j.to);
    return ifl_fail_memory(error, count * sizeof *j.parts);
}
