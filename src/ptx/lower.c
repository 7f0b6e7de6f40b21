/* SPDX-License-Identifier: Apache-2.0
 * Program -> code: places for registers and constants, functions, the image of a kernel. What each
 * opcode becomes is in lower_value.c, lower_memory.c and lower_control.c; what is told of each
 * instruction, in lower_site.c. */
#include "ptx/lower.h"

#include "ptx/lower_internal.h"

#include <stdarg.h>
#include <string.h>

/* ---- failures, memory ------------------------------------------------------------------------ */

void ifl_lower_fail(ifl_lowerer *l, ifl_status status, const char *format, ...)
{
    if (l->status != IFL_OK)
        return;
    l->status = status;
    const ifl_place place =
        l->instruction ? ifl_program_place(l->input->program, l->instruction) : (ifl_place){0};
    va_list list;
    va_start(list, format);
    ifl_fail_list(l->error, status, &place, format, list);
    va_end(list);
}

void ifl_lower_unsupported(ifl_lowerer *l, const char *why)
{
    char name[128];
    ifl_lower_fail(l, IFL_UNSUPPORTED, "'%s' is not supported: %s",
                   ifl_instruction_name(l->instruction, name, sizeof name), why);
}

void *ifl_lower_allocate(ifl_lowerer *l, size_t bytes)
{
    void *at = ifl_arena_alloc(l->arena, bytes);
    if (!at)
        ifl_lower_fail(l, IFL_NO_MEMORY, "out of memory");
    return at;
}

/* ---- codes ----------------------------------------------------------------------------------- */

static uint32_t guard_place(const ifl_lowerer *l)
{
    return l->instruction && l->instruction->guard != IFL_NO_GUARD
               ? l->slot_of[l->instruction->guard]
               : IFL_PREDICATE_TRUE;
}

static ifl_code *emit(ifl_lowerer *l, ifl_operation_table table, uint32_t operation)
{
    const ifl_instruction *instruction = l->instruction;
    ifl_code code = {.table = (uint8_t)table,
                     .operation = (uint16_t)operation,
                     .guard = guard_place(l),
                     .e = IFL_PREDICATE_SINK};
    if (instruction) {
        code.guard_flip = instruction->guard_negated ? UINT32_MAX : 0;
        code.site = ifl_lower_site(l, instruction);
        code.m = &instruction->modifiers;
    }
    return ifl_builder_add(&l->build, code);
}

ifl_code *ifl_lower_emit(ifl_lowerer *l, ifl_operation operation)
{
    return emit(l, IFL_TABLE_COMMON, operation);
}

ifl_code *ifl_lower_emit_row(ifl_lowerer *l, const ifl_ptx_row *row)
{
    return emit(l, IFL_TABLE_PTX, ifl_ptx_row_number(row));
}

ifl_code *ifl_lower_emit_stop(ifl_lowerer *l, ifl_reason reason)
{
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_stop);
    code->count = reason;
    return code;
}

/* ---- slots ----------------------------------------------------------------------------------- */

uint32_t ifl_lower_constant(ifl_lowerer *l, uint64_t value, unsigned bits)
{
    return ifl_builder_constant(&l->build, value, bits);
}

uint32_t ifl_lower_temporary(ifl_lowerer *l)
{
    unsigned i = l->temporaries_used++;
    if (i >= sizeof l->temporaries / sizeof *l->temporaries) {
        ifl_lower_unsupported(l, "it has too many operands");
        return l->temporaries[0];
    }
    if (!l->temporaries[i])
        l->temporaries[i] = ifl_builder_slot(&l->build, 128);
    return l->temporaries[i];
}

uint32_t ifl_lower_parameter(ifl_lowerer *l, const ifl_operand *memory, unsigned bytes,
                             bool is_signed, unsigned bits)
{
    const bool is_named = memory->base == IFL_OPERAND_VARIABLE;
    const ifl_variable *variable = is_named ? &l->input->program->variables[memory->index] : NULL;
    if (!ifl_lower_is_kernel_parameter(l, variable))
        return 0;
    const uint64_t at = variable->offset + (uint64_t)memory->value, size = l->function->param_bytes;
    if (bytes > 8 || at > size || bytes > size - at)
        return 0;
    return ifl_builder_bank(&l->build, &(ifl_bank_slot){.bits = ifl_slot_bits(bits),
                                                        .offset = (uint32_t)at,
                                                        .bytes = (uint8_t)bytes,
                                                        .is_signed = is_signed});
}

unsigned ifl_lower_register_bits(const ifl_lowerer *l, const ifl_operand *operand)
{
    return l->function->registers[operand->index].bits;
}

void ifl_lower_resize(ifl_lowerer *l, uint32_t from, unsigned from_bits, uint32_t to,
                      unsigned to_bits, bool is_signed, unsigned shift)
{
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_resize);
    code->a = from;
    code->d = to;
    code->count = ifl_slot_bits(from_bits) / 8 << 8 | ifl_slot_bits(to_bits) / 8 << 1 | is_signed;
    code->value = shift;
}

uint32_t ifl_lower_special(ifl_lowerer *l, ifl_special special)
{
    l->image->demands.cooperative |=
        special == IFL_SPECIAL_ENVREG1 || special == IFL_SPECIAL_ENVREG2;
    l->image->demands.reads_graph |= special == IFL_SPECIAL_CURRENT_GRAPH_EXEC;
    l->image->demands.takes_parameter_address |= special == IFL_SPECIAL_PARAMETERS;
    l->image->demands.reserves_shared |= special >= IFL_SPECIAL_RESERVED_SMEM_OFFSET_BEGIN &&
                                         special <= IFL_SPECIAL_RESERVED_SMEM_OFFSET_1;
    return ifl_builder_special(&l->build, special);
}

/* A special register that changes while a block runs is read by a code of its own before the
 * instruction. */
static uint32_t special_slot(ifl_lowerer *l, ifl_special special, unsigned *bits)
{
    *bits = ifl_special_bits(special) <= 32 ? 32 : 64;
    if (ifl_special_changes(special) == IFL_WHEN_NOW) {
        l->image->demands.ordered = l->image->demands.reads_clock =
            true; /* clocks tell in which order blocks ran */
        uint32_t slot = ifl_lower_temporary(l);
        ifl_code *code = ifl_lower_emit(l, IFL_CODE_special);
        code->d = slot;
        code->value = special;
        return slot;
    }
    return ifl_lower_special(l, special);
}

/* Bodies declare PARAM variables too, for the values of calls: those are not the kernel's. */
bool ifl_lower_is_kernel_parameter(const ifl_lowerer *l, const ifl_variable *variable)
{
    for (uint32_t i = 0; variable && l->function->is_kernel && i < l->function->param_count; i++)
        if (&l->input->program->variables[l->function->params[i]] == variable)
            return true;
    return false;
}

void ifl_lower_note_variable(ifl_lowerer *l, const ifl_variable *variable)
{
    uint64_t end = variable->offset + variable->bytes;
    const size_t index = (size_t)(variable - l->input->program->variables);
    if (variable->space != IFL_SPACE_SHARED)
        return;
    if (variable->function < 0 && !l->is_noted[index])
        l->image->demands.declared_shared += variable->bytes;
    l->is_noted[index] = true;
    if (variable->is_extern)
        l->image->demands.dynamic_shared = variable->offset;
    else if (end > l->image->demands.static_shared)
        l->image->demands.static_shared = end;
}

/* The address of a variable in its own state space, as far as it is known before the run. */
static uint64_t variable_address(ifl_lowerer *l, const ifl_operand *operand)
{
    const ifl_variable *variable = &l->input->program->variables[operand->index];
    ifl_lower_note_variable(l, variable);
    if (variable->space == IFL_SPACE_GLOBAL || variable->space == IFL_SPACE_CONST)
        return l->input->variable_address[operand->index] + (uint64_t)operand->value;
    return variable->offset + (uint64_t)operand->value;
}

uint32_t ifl_lower_parameter_address(ifl_lowerer *l, uint64_t offset)
{
    const uint32_t start = ifl_lower_special(l, IFL_SPECIAL_PARAMETERS);
    if (!offset)
        return start;
    const uint32_t slot = ifl_lower_temporary(l);
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_add_offset);
    code->a = start, code->d = slot, code->value = offset;
    return slot;
}

uint32_t ifl_lower_shared_address(ifl_lowerer *l, uint64_t offset, unsigned bits)
{
    return l->image->demands.has_ranks && (bits == 32 || bits == 64)
               ? ifl_builder_special_sum(&l->build, IFL_SPECIAL_SHARED_START, offset, bits)
               : ifl_lower_constant(l, offset, bits);
}

uint8_t ifl_lower_space(const ifl_lowerer *l)
{
    const ifl_modifiers *m = &l->instruction->modifiers;
    return m->space == IFL_SPACE_SHARED && m->flags & IFL_FLAG_SHARED_CLUSTER ? IFL_SPACE_CLUSTER
                                                                              : m->space;
}

static uint32_t local_variable(ifl_lowerer *l, const ifl_operand *operand)
{
    uint32_t slot = ifl_lower_temporary(l);
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_local_address);
    code->d = slot;
    code->value = variable_address(l, operand);
    return slot;
}

/* The slot an operand is in by itself, and its width. */
static uint32_t natural_slot(ifl_lowerer *l, const ifl_operand *operand, unsigned wanted,
                             unsigned *bits)
{
    *bits = ifl_slot_bits(wanted);
    switch (operand->kind) {
    case IFL_OPERAND_REGISTER:
        *bits = ifl_lower_register_bits(l, operand);
        if (*bits == 1)
            ifl_lower_unsupported(l, "a predicate is used where a value is required");
        *bits = ifl_slot_bits(*bits);
        return l->slot_of[operand->index];
    case IFL_OPERAND_IMMEDIATE:
        return ifl_lower_constant(l, (uint64_t)operand->value, *bits);
    case IFL_OPERAND_SPECIAL:
        return special_slot(l, operand->index, bits);
    case IFL_OPERAND_FUNCTION:
        l->is_needed[operand->index] = true;
        return ifl_lower_constant(l, IFL_CODE_WINDOW + 16 * (uint64_t)operand->index, *bits);
    case IFL_OPERAND_VARIABLE:
        if (l->input->program->variables[operand->index].space == IFL_SPACE_LOCAL) {
            *bits = 64;
            return local_variable(l, operand);
        }
        if (ifl_lower_is_kernel_parameter(l, &l->input->program->variables[operand->index])) {
            *bits = 64;
            return ifl_lower_parameter_address(l, variable_address(l, operand));
        }
        if (l->input->program->variables[operand->index].space == IFL_SPACE_SHARED)
            return ifl_lower_shared_address(l, variable_address(l, operand), *bits);
        return ifl_lower_constant(l, variable_address(l, operand), *bits);
    default:
        ifl_lower_unsupported(l, "an operand is not of a kind that it takes");
        return 0;
    }
}

uint32_t ifl_lower_source(ifl_lowerer *l, const ifl_operand *operand, unsigned bits, bool is_signed)
{
    unsigned has;
    if (!operand) {
        ifl_lower_unsupported(l, "an operand is missing");
        return 0;
    }
    uint32_t slot = natural_slot(l, operand, bits, &has);
    if (has == ifl_slot_bits(bits) || l->status != IFL_OK)
        return slot;
    uint32_t resized = ifl_lower_temporary(l);
    ifl_lower_resize(l, slot, has, resized, bits, is_signed, 0);
    return resized;
}

bool ifl_lower_is_sink(const ifl_operand *operand)
{
    return !operand || operand->kind != IFL_OPERAND_REGISTER;
}

uint32_t ifl_lower_destination(ifl_lowerer *l, const ifl_operand *operand, unsigned bits)
{
    if (ifl_lower_is_sink(operand) ||
        ifl_slot_bits(ifl_lower_register_bits(l, operand)) != ifl_slot_bits(bits) ||
        ifl_lower_register_bits(l, operand) == 1)
        return ifl_lower_temporary(l);
    return l->slot_of[operand->index];
}

void ifl_lower_finish(ifl_lowerer *l, const ifl_operand *operand, uint32_t slot, unsigned bits,
                      bool is_signed)
{
    if (ifl_lower_is_sink(operand) || l->slot_of[operand->index] == slot)
        return;
    if (ifl_lower_register_bits(l, operand) == 1)
        ifl_lower_unsupported(l, "its destination is a predicate");
    ifl_lower_resize(l, slot, bits, l->slot_of[operand->index], ifl_lower_register_bits(l, operand),
                     is_signed, 0);
}

uint32_t ifl_lower_predicate(ifl_lowerer *l, const ifl_operand *operand, uint32_t *flip)
{
    *flip = operand && operand->negated ? UINT32_MAX : 0;
    if (operand && operand->kind == IFL_OPERAND_REGISTER &&
        ifl_lower_register_bits(l, operand) == 1)
        return l->slot_of[operand->index];
    if (operand && operand->kind == IFL_OPERAND_IMMEDIATE) {
        *flip ^= operand->value ? 0 : UINT32_MAX;
        return IFL_PREDICATE_TRUE;
    }
    if (operand && operand->kind == IFL_OPERAND_SPECIAL &&
        operand->index == IFL_SPECIAL_IS_EXPLICIT_CLUSTER) {
        return ifl_lower_special(l, IFL_SPECIAL_EXPLICIT_CLUSTER_LANES);
    }
    ifl_lower_unsupported(l, "a predicate is wanted");
    return IFL_PREDICATE_TRUE;
}

uint32_t ifl_lower_predicate_destination(ifl_lowerer *l, const ifl_operand *operand)
{
    if (ifl_lower_is_sink(operand))
        return IFL_PREDICATE_SINK;
    if (ifl_lower_register_bits(l, operand) != 1)
        ifl_lower_unsupported(l, "its destination is not a predicate");
    return l->slot_of[operand->index];
}

bool ifl_lower_has(const ifl_lowerer *l, unsigned slot)
{
    return slot < l->slots.count && l->slots.at[slot] &&
           l->slots.at[slot]->kind != IFL_OPERAND_NONE;
}

/* ---- a function ------------------------------------------------------------------------------ */

static bool place_registers(ifl_lowerer *l)
{
    l->slot_of = ifl_lower_allocate(l, (l->function->register_count + 1) * sizeof *l->slot_of);
    if (!l->slot_of)
        return false;
    uint32_t predicate = IFL_FIRST_PREDICATE;
    for (uint32_t r = 0; r < l->function->register_count; r++)
        if (l->function->registers[r].bits == 1)
            l->slot_of[r] = predicate, predicate += 4;
    l->build.frame_bytes = predicate;
    for (uint32_t r = 0; r < l->function->register_count; r++)
        if (l->function->registers[r].bits != 1)
            l->slot_of[r] = ifl_builder_slot(&l->build, l->function->registers[r].bits);
    return l->status == IFL_OK;
}

static bool find_shape(ifl_lowerer *l)
{
    l->status = ifl_ptx_flow(&l->part, l->arena, &l->flow, l->error);
    if (l->status == IFL_OK)
        l->status = ifl_flow_find_joins(&l->flow, l->error);
    l->block_start = ifl_lower_allocate(l, (l->flow.block_count + 1) * sizeof *l->block_start);
    l->is_join = ifl_lower_allocate(l, l->flow.block_count + 1);
    if (l->status != IFL_OK || !l->block_start || !l->is_join)
        return false;
    for (uint32_t b = 0; b < l->flow.block_count; b++)
        if (l->flow.blocks[b].join != UINT32_MAX)
            l->is_join[l->flow.blocks[b].join] = true;
    return true;
}

static void note_use(void *user, uint32_t reg, bool is_written)
{
    ifl_lowerer *l = user;
    l->is_read[reg] |= !is_written;
    l->writes[reg] += is_written;
}

static bool find_uses(ifl_lowerer *l)
{
    size_t count = l->function->register_count + 1;
    l->is_read = ifl_lower_allocate(l, count);
    l->is_alias = ifl_lower_allocate(l, count);
    l->writes = ifl_lower_allocate(l, count * sizeof *l->writes);
    if (!l->is_read || !l->is_alias || !l->writes)
        return false;
    for (uint32_t i = 0; i < l->function->count; i++)
        ifl_instruction_registers(l->input->program,
                                  &l->input->program->instructions[l->function->first + i],
                                  note_use, l);
    l->varies = NULL;
    l->status = ifl_ptx_undefined(&l->part, &l->flow, l->arena, &l->is_undefined, l->error);
    return l->status == IFL_OK;
}

static void lower_instruction(ifl_lowerer *l, uint32_t index)
{
    l->instruction = &l->input->program->instructions[index];
    l->temporaries_used = 0;
    const char *unsupported = ifl_instruction_unsupported(l->input->program, l->instruction);
    if (unsupported) {
        ifl_lower_fail(l, IFL_UNSUPPORTED, "%s", unsupported);
        return;
    }
    l->slots = ifl_instruction_slots(l->input->program, l->instruction);
    if (ifl_lower_is_alias(l))
        return;
    ifl_lower_function *special = ifl_lower_table[l->instruction->opcode];
    (special ? special : ifl_lower_by_row)(l);
}

static void lower_block(ifl_lowerer *l, uint32_t b)
{
    const ifl_flow_block *block = &l->flow.blocks[b];
    l->instruction = NULL;
    l->block_start[b] = (uint32_t)l->build.code.count;
    if (l->is_join[b])
        ifl_lower_emit(l, IFL_CODE_join)->site = l->first_site + block->first;
    ifl_code *code = ifl_lower_emit(l, IFL_CODE_block);
    code->site = l->first_site + block->first;
    code->count = (uint32_t)l->image->block_count;
    l->image->block_count++;
    const ifl_block_range range = {l->first_site + block->first, l->first_site + block->last};
    if (!ifl_vec_push(&l->blocks, range))
        ifl_lower_fail(l, IFL_NO_MEMORY, "out of memory");
    for (uint32_t i = block->first; i < block->last && l->status == IFL_OK; i++)
        lower_instruction(l, l->function->first + i);
}

/* Branches carry block numbers until every code has its place. */
static void resolve(ifl_lowerer *l, ifl_code *code)
{
    for (size_t i = 0; i < l->build.code.count; i++) {
        ifl_code *c = &code[i];
        const bool is_common = c->table == IFL_TABLE_COMMON;
        const bool is_switch =
            is_common && c->operation == IFL_CODE_stop && c->count == IFL_REASON_SWITCH;
        const bool is_branch = is_common && c->operation == IFL_CODE_branch;
        if (is_branch)
            c->target = code + l->block_start[c->value];
        if (is_branch || is_switch)
            c->join = c->d == UINT32_MAX ? NULL : code + l->block_start[c->d];
        if (is_switch)
            for (size_t t = 0; t < c->targets->count; t++)
                c->targets->target[t] = code + l->block_start[(uintptr_t)c->targets->target[t]];
    }
}

static bool keep_undefined(ifl_lowerer *l, ifl_routine *routine)
{
    routine->undefined =
        ifl_lower_allocate(l, (2 * l->function->register_count + 4) * sizeof *routine->undefined);
    if (!routine->undefined)
        return false;
    uint32_t *to = routine->undefined;
    *to++ = IFL_PREDICATE_CARRY, *to++ = 8;
    for (uint32_t r = 0; r < l->function->register_count; r++) {
        unsigned bits = l->function->registers[r].bits;
        if (l->is_undefined[r])
            *to++ = l->slot_of[r], *to++ = bits == 1 ? 4 : ifl_slot_bits(bits) / 8 * IFL_WARP_LANES;
    }
    routine->undefined_count = (size_t)(to - routine->undefined) / 2;
    return true;
}

static void *keep_list(ifl_lowerer *l, const void *from, size_t count, size_t bytes)
{
    void *to = ifl_lower_allocate(l, (count + 1) * bytes);
    if (to && count)
        memcpy(to, from, count * bytes);
    return to;
}

static ifl_parameter_place *keep_places(ifl_lowerer *l, const uint32_t *variables, uint32_t count)
{
    ifl_parameter_place *places = ifl_lower_allocate(l, (count + 1) * sizeof *places);
    for (uint32_t i = 0; places && i < count; i++) {
        const ifl_variable *variable = &l->input->program->variables[variables[i]];
        places[i] = (ifl_parameter_place){variable->offset, variable->bytes};
    }
    return places;
}

static bool keep(ifl_lowerer *l, ifl_routine *routine)
{
    const ifl_function *function = l->function;
    ifl_builder_keep(&l->build, routine);
    routine->parameters = keep_places(l, function->params, function->param_count);
    routine->results = keep_places(l, function->returns, function->return_count);
    if (l->status != IFL_OK || !keep_undefined(l, routine))
        return false;
    routine->parameter_count = function->param_count;
    routine->result_count = function->return_count;
    if (l->build.status != IFL_OK) {
        ifl_lower_fail(l, l->build.status, "function '%s': %s", function->name,
                       l->build.status == IFL_NO_MEMORY ? "out of memory"
                                                        : "it has too many registers");
        return false;
    }
    routine->param_bytes = function->frame_bytes;
    routine->local_bytes = (function->local_bytes + 15) / 16 * 16;
    routine->has_stack = routine->takes_stack = l->uses_stack;
    resolve(l, routine->code);
    return true;
}

static void lower_routine(ifl_lowerer *l, uint32_t index, ifl_routine *routine)
{
    l->function = &l->input->program->functions[index];
    l->part = (ifl_ptx_part){l->input->program, l->function};
    l->instruction = NULL;
    ifl_builder_clear(&l->build);
    memset(l->temporaries, 0, sizeof l->temporaries);
    l->uses_stack = false;
    routine->name = l->function->name;
    routine->address = IFL_CODE_WINDOW + 16 * (uint64_t)index;
    l->image->demands.declared_shared += l->function->shared_bytes;
    routine->first_site = (uint32_t)l->sites.count;
    routine->site_count = l->function->count;
    if (!ifl_lower_add_sites(l) || !place_registers(l) || !find_shape(l) || !find_uses(l))
        return;
    ifl_lower_find_aliases(l);
    for (uint32_t b = 0; b < l->flow.block_count && l->status == IFL_OK; b++)
        lower_block(l, b);
    if (l->status == IFL_OK)
        keep(l, routine);
}

/* ---- an image -------------------------------------------------------------------------------- */

/* Functions whose address stands in a variable can be called by whoever calls through a pointer. */
static void need_addressed(ifl_lowerer *l)
{
    const ifl_program *program = l->input->program;
    for (size_t v = 0; v < program->variable_count; v++)
        for (size_t r = 0; r < program->variables[v].relocation_count; r++)
            if (program->variables[v].relocations[r].is_function)
                l->is_needed[program->variables[v].relocations[r].index] = true;
}

static bool lower_needed(ifl_lowerer *l)
{
    ifl_image *image = l->image;
    for (bool found = true; found && l->status == IFL_OK;) {
        found = false;
        if (l->calls_indirectly)
            need_addressed(l);
        for (uint32_t f = 0; f < l->input->program->function_count && l->status == IFL_OK; f++) {
            const ifl_function *function = &l->input->program->functions[f];
            if (!l->is_needed[f] || image->routine_of[f] >= 0 || function->is_extern)
                continue;
            image->routine_of[f] = (int32_t)image->routine_count++;
            lower_routine(l, f, &image->routines[image->routine_of[f]]);
            found = true;
        }
    }
    return l->status == IFL_OK;
}

/* Whether addresses of shared memory can be another block's. */
static bool names_cluster(const ifl_instruction *i)
{
    static const bool opcodes[IFL_OP_COUNT] = {[IFL_OP_MAPA] = true,
                                               [IFL_OP_GETCTARANK] = true,
                                               [IFL_OP_LOAD_BOX_1] = true,
                                               [IFL_OP_LOAD_BOX_2] = true,
                                               [IFL_OP_LOAD_BOX_3] = true,
                                               [IFL_OP_LOAD_BOX_4] = true,
                                               [IFL_OP_LOAD_BOX_5] = true,
                                               [IFL_OP_LOAD_IMAGE_3] = true,
                                               [IFL_OP_LOAD_IMAGE_4] = true,
                                               [IFL_OP_LOAD_IMAGE_5] = true,
                                               [IFL_OP_LOAD_WIDE_3] = true,
                                               [IFL_OP_LOAD_WIDE_4] = true,
                                               [IFL_OP_LOAD_WIDE_5] = true,
                                               [IFL_OP_LOAD_WIDE_128_3] = true,
                                               [IFL_OP_LOAD_WIDE_128_4] = true,
                                               [IFL_OP_LOAD_WIDE_128_5] = true};
    return i->opcode < IFL_OP_COUNT &&
           (opcodes[i->opcode] || i->modifiers.flags & IFL_FLAG_SHARED_CLUSTER ||
            i->modifiers.group > 1);
}

static bool names_clusters(const ifl_program *program)
{
    bool is_named = false;
    for (size_t i = 0; i < program->instruction_count && !is_named; i++)
        is_named = names_cluster(&program->instructions[i]);
    return is_named;
}

static void describe(ifl_lowerer *l)
{
    const ifl_program *program = l->input->program;
    const ifl_function *kernel = &program->functions[l->input->function];
    ifl_demands *demands = &l->image->demands;
    l->image->name = kernel->name;
    l->image->function_count = program->function_count;
    l->image->sites = (ifl_sites){.places = program->places,
                                  .place_count = program->place_count,
                                  .files = program->files,
                                  .file_count = program->file_count,
                                  .file = program->file,
                                  .text = program->text};
    demands->param_bytes = kernel->param_bytes;
    memcpy(demands->max_threads, kernel->max_threads, sizeof demands->max_threads);
    memcpy(demands->required_threads, kernel->required_threads, sizeof demands->required_threads);
    demands->min_blocks = kernel->min_blocks;
    memcpy(demands->cluster, kernel->cluster, sizeof demands->cluster);
    demands->needs_cluster = kernel->needs_cluster;
    demands->max_cluster_blocks = kernel->max_cluster_blocks;
    demands->has_ranks = names_clusters(program);
}

static bool lower_all(ifl_lowerer *l)
{
    const ifl_program *program = l->input->program;
    ifl_image *image = l->image;
    image->routines = ifl_lower_allocate(l, program->function_count * sizeof *image->routines);
    image->routine_of = ifl_lower_allocate(l, program->function_count * sizeof *image->routine_of);
    l->is_needed = ifl_lower_allocate(l, program->function_count);
    l->is_noted = ifl_lower_allocate(l, program->variable_count + 1);
    if (l->status != IFL_OK)
        return false;
    memset(image->routine_of, 0xff, program->function_count * sizeof *image->routine_of);
    image->routine_of[l->input->function] = 0;
    image->routine_count = 1;
    lower_routine(l, l->input->function, &image->routines[0]);
    if (l->status != IFL_OK || !lower_needed(l))
        return false;
    image->sites.count = l->sites.count;
    image->sites.at = keep_list(l, l->sites.at, l->sites.count, sizeof *image->sites.at);
    image->blocks = keep_list(l, l->blocks.at, l->blocks.count, sizeof *image->blocks);
    return l->status == IFL_OK;
}

ifl_status ifl_ptx_lower(const ifl_ptx_lowering *lowering, ifl_image *image, ifl_error *error)
{
    memset(image, 0, sizeof *image);
    ifl_lowerer l = {.input = lowering,
                     .image = image,
                     .arena = &image->arena,
                     .build.arena = &image->arena,
                     .error = error};
    describe(&l);
    lower_all(&l);
    ifl_builder_free(&l.build);
    ifl_vec_free(&l.sites);
    ifl_vec_free(&l.blocks);
    if (l.status != IFL_OK)
        ifl_image_free(image);
    return l.status;
}
