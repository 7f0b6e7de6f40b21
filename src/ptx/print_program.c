/* SPDX-License-Identifier: Apache-2.0
 * A program as text: opcodes with their modifiers as PTX spells them, operands by name. */
#include "ptx/modifier.h"

#include <inttypes.h>
#include <string.h>

/* ---- the name of an instruction ------------------------------------------------------------ */

typedef struct text {
    char *to;
    size_t size, used;
} text;

static void put(text *out, const char *words)
{
    size_t left = out->size - out->used, length = strlen(words);
    if (length >= left)
        length = left - 1;
    memcpy(out->to + out->used, words, length);
    out->used += length;
    out->to[out->used] = '\0';
}

static void put_modifier(text *out, const char *word)
{
    put(out, ".");
    put(out, word);
}

/* What stands at a place of the name: a field, some flags, the state spaces or the types. */
typedef struct name_part {
    uint64_t field; /* IFL_FIELD_*, or a bit below */
    uint32_t flags; /* of IFL_FIELD_FLAG */
} name_part;

#define PART_SPACES (UINT64_C(1) << 62)
#define PART_TYPES (UINT64_C(1) << 63)
#define FLAGS(bits)                                                                                \
    {                                                                                              \
        IFL_FIELD_FLAG, bits                                                                       \
    }

/* The order in which PTX ISA 9.0 writes modifiers; it is the same for nearly every instruction. */
static const name_part usual_order[] = {
    FLAGS(IFL_FLAG_TO | IFL_FLAG_SYNC | IFL_FLAG_NOINC | IFL_FLAG_NOCOMPLETE | IFL_FLAG_EXPECT_TX |
          IFL_FLAG_PARITY | IFL_FLAG_SHIFTAMT),
    {IFL_FIELD_mode, 0},
    {IFL_FIELD_wrap, 0},
    {IFL_FIELD_half, 0},
    {IFL_FIELD_order, 0},
    {IFL_FIELD_scope, 0},
    {IFL_FIELD_compare, 0},
    {IFL_FIELD_combine, 0},
    FLAGS(IFL_FLAG_APPROX | IFL_FLAG_FULL),
    {IFL_FIELD_rounding, 0},
    {PART_SPACES, 0},
    FLAGS(IFL_FLAG_NC),
    {IFL_FIELD_cache, 0},
    {IFL_FIELD_operation, 0},
    FLAGS(IFL_FLAG_NOFTZ),
    {IFL_FIELD_level, 0},
    {IFL_FIELD_eviction, 0},
    {IFL_FIELD_eviction2, 0},
    FLAGS(IFL_FLAG_BULK_GROUP | IFL_FLAG_MBARRIER | IFL_FLAG_CACHE_HINT),
    {IFL_FIELD_prefetch, 0},
    FLAGS(IFL_FLAG_FTZ | IFL_FLAG_NAN | IFL_FLAG_XORSIGN | IFL_FLAG_ABS | IFL_FLAG_SAT),
    FLAGS(IFL_FLAG_SATFINITE),
    FLAGS(IFL_FLAG_RELU | IFL_FLAG_CC | IFL_FLAG_READ | IFL_FLAG_UNI | IFL_FLAG_ALIGNED),
    {IFL_FIELD_vector, 0},
    {PART_TYPES, 0},
};

/* Of instructions on matrices. */
static const name_part matrix_order[] = {
    FLAGS(IFL_FLAG_SPARSE | IFL_FLAG_SPARSE_ORDERED),
    FLAGS(IFL_FLAG_SYNC),
    FLAGS(IFL_FLAG_ALIGNED),
    {IFL_FIELD_shape, 0},
    {IFL_FIELD_matrices, 0},
    {IFL_FIELD_layout, 0},
    {IFL_FIELD_layout2, 0},
    FLAGS(IFL_FLAG_TRANS),
    FLAGS(IFL_FLAG_SATFINITE),
    {PART_SPACES, 0},
    {PART_TYPES, 0},
    {IFL_FIELD_combine, 0},
    {IFL_FIELD_operation, 0},
};

/* Fields that a few instructions write first, before all else, or last. */
static const struct {
    uint16_t opcode;
    uint64_t first, last;
} exceptions[] = {
    {IFL_OP_MATCH, IFL_FIELD_mode, 0},     /* match.any.sync.b32 */
    {IFL_OP_CP_ASYNC, IFL_FIELD_cache, 0}, /* cp.async.ca.shared.global */
    {IFL_OP_CP_ASYNC_BULK_PREFETCH, IFL_FIELD_level, 0},
    {IFL_OP_SETMAXNREG, IFL_FIELD_operation, 0}, /* setmaxnreg.inc.sync.aligned.u32 */
    {IFL_OP_PRMT, 0, IFL_FIELD_mode},            /* prmt.b32.f4e */
};

static const char *word_of(const ifl_instruction *instruction, const ifl_modifier_row *row)
{
    /* membar's own word for the scope */
    bool is_gl = instruction->opcode == IFL_OP_MEMBAR && row->field == IFL_FIELD_scope &&
                 row->value == IFL_SCOPE_GPU;
    return is_gl ? "gl" : row->text;
}

static void put_field(text *out, const ifl_instruction *instruction, uint64_t field)
{
    uint32_t value = ifl_modifiers_field(&instruction->modifiers, field);
    const ifl_modifier_row *row;
    for (size_t i = 0; value && (row = ifl_modifier_get(i)); i++) {
        if (row->field != field || row->value != value)
            continue;
        put_modifier(out, word_of(instruction, row));
        if (field == IFL_FIELD_order && value == IFL_ORDER_MMIO)
            put_modifier(out, "relaxed"); /* PTX ISA: .mmio is always .relaxed */
        return;
    }
}

static void put_flags(text *out, uint32_t flags)
{
    const ifl_modifier_row *row;
    for (size_t i = 0; flags && (row = ifl_modifier_get(i)); i++)
        if (row->field == IFL_FIELD_FLAG && (row->value & flags))
            put_modifier(out, row->text);
}

static void put_spaces(text *out, const ifl_modifiers *modifiers)
{
    if (modifiers->space_written) {
        put_modifier(out, ifl_space_text(modifiers->space));
        if (modifiers->flags & IFL_FLAG_SHARED_CLUSTER)
            put(out, "::cluster");
    }
    if (modifiers->space2)
        put_modifier(out, ifl_space_text(modifiers->space2));
}

static void put_shape(text *out, const uint16_t shape[3])
{
    static const char letters[] = "mnk";
    char word[32];
    size_t used = 0;
    for (unsigned i = 0; i < 3 && shape[i]; i++)
        used += (size_t)snprintf(word + used, sizeof word - used, "%c%u", letters[i], shape[i]);
    if (used)
        put_modifier(out, word);
}

static void put_part(text *out, const ifl_instruction *instruction, const name_part *part)
{
    if (part->field == PART_SPACES)
        put_spaces(out, &instruction->modifiers);
    else if (part->field == IFL_FIELD_shape)
        put_shape(out, instruction->modifiers.shape);
    else if (part->field == IFL_FIELD_FLAG)
        put_flags(out, instruction->modifiers.flags & part->flags);
    else if (part->field != PART_TYPES)
        put_field(out, instruction, part->field);
    else
        for (unsigned i = 0; i < instruction->type_count && i < IFL_MAX_TYPES; i++)
            put_modifier(out, ifl_type_text(instruction->type[i]));
}

char *ifl_instruction_name(const ifl_instruction *instruction, char *to, size_t size)
{
    if (!size)
        return to;
    text out = {to, size, 0};
    put(&out, instruction->opcode == IFL_OP_UNSUPPORTED
                  ? "unsupported"
                  : ifl_opcode_get(instruction->opcode)->name);
    uint64_t first = 0, last = 0;
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (exceptions[i].opcode == instruction->opcode) {
            first = exceptions[i].first;
            last = exceptions[i].last;
        }
    put_field(&out, instruction, first);
    const bool is_of_matrices = ifl_opcode_get(instruction->opcode)->fields & IFL_FIELD_shape;
    const name_part *order = is_of_matrices ? matrix_order : usual_order;
    const size_t parts = is_of_matrices ? sizeof matrix_order / sizeof *matrix_order
                                        : sizeof usual_order / sizeof *usual_order;
    for (size_t i = 0; i < parts; i++)
        if (order[i].field != first && order[i].field != last)
            put_part(&out, instruction, &order[i]);
    put_field(&out, instruction, last);
    return to;
}

/* ---- operands ------------------------------------------------------------------------------ */

static const char *register_name(const ifl_function *function, uint32_t index)
{
    return function && index < function->register_count ? function->registers[index].name : "?";
}

static void print_offset(int64_t value, FILE *out)
{
    if (value)
        fprintf(out, "%+" PRId64, value);
}

static const char *variable_name(const ifl_program *program, uint32_t index)
{
    return index < program->variable_count ? program->variables[index].name : "?";
}

static void print_memory(const ifl_program *program, const ifl_function *function,
                         const ifl_operand *operand, FILE *out)
{
    if (operand->base == IFL_OPERAND_IMMEDIATE) {
        fprintf(out, "[0x%" PRIx64 "]", (uint64_t)operand->value);
        return;
    }
    fprintf(out, "[%s",
            operand->base == IFL_OPERAND_REGISTER ? register_name(function, operand->index)
                                                  : variable_name(program, operand->index));
    print_offset(operand->value, out);
    fputc(']', out);
}

/* Floating-point immediates are printed as PTX's hexadecimal literals: nothing is lost. */
static void print_immediate(const ifl_instruction *instruction, int64_t value, FILE *out)
{
    unsigned bits = ifl_type_bits(instruction->type[0]);
    bool is_float = ifl_type_class(instruction->type[0]) == 'F';
    if (is_float && bits == 64)
        fprintf(out, "0d%016" PRIX64, (uint64_t)value);
    else if (is_float && bits == 32)
        fprintf(out, "0f%08" PRIX32, (uint32_t)value);
    else
        fprintf(out, "%" PRId64, value);
}

static void print_operand(const ifl_program *program, const ifl_function *function,
                          const ifl_instruction *instruction, const ifl_operand *operand, FILE *out)
{
    if (operand->negated)
        fputc('!', out);
    switch ((ifl_operand_kind)operand->kind) {
    case IFL_OPERAND_NONE:
        fputc('_', out);
        break;
    case IFL_OPERAND_REGISTER:
        fputs(register_name(function, operand->index), out);
        break;
    case IFL_OPERAND_IMMEDIATE:
        print_immediate(instruction, operand->value, out);
        break;
    case IFL_OPERAND_SPECIAL:
        fputs(ifl_special_text((ifl_special)operand->index), out);
        break;
    case IFL_OPERAND_VARIABLE:
        fputs(variable_name(program, operand->index), out);
        print_offset(operand->value, out);
        break;
    case IFL_OPERAND_FUNCTION:
        fputs(operand->index < program->function_count ? program->functions[operand->index].name
                                                       : "?",
              out);
        break;
    case IFL_OPERAND_MEMORY:
        print_memory(program, function, operand, out);
        break;
    case IFL_OPERAND_LABEL:
        fprintf(out, "→ %" PRId64, operand->value);
        break;
    case IFL_OPERAND_VECTOR: /* print_operands writes the braces */
        break;
    }
}

/* A VECTOR and its members between `brackets`; gives the operand behind it. */
static const ifl_operand *print_list_operand(const ifl_program *program,
                                             const ifl_function *function,
                                             const ifl_instruction *instruction,
                                             const ifl_operand *operand, const char *brackets,
                                             FILE *out)
{
    const ifl_operand *end =
        program->operands + instruction->first_operand + instruction->operand_count;
    uint32_t members = operand->index;
    fputc(brackets[0], out);
    for (operand++; members && operand < end; members--, operand++) {
        print_operand(program, function, instruction, operand, out);
        fputs(members > 1 ? ", " : "", out);
    }
    fputc(brackets[1], out);
    return operand;
}

/* One slot of the signature; gives the operand behind it. */
static const ifl_operand *print_slot(const ifl_program *program, const ifl_function *function,
                                     const ifl_instruction *instruction, const ifl_operand *operand,
                                     char letter, FILE *out)
{
    if (operand->kind == IFL_OPERAND_VECTOR)
        return print_list_operand(program, function, instruction, operand,
                                  letter == 'L' ? "()" : "{}", out);
    print_operand(program, function, instruction, operand, out);
    if (letter != 'D')
        return operand + 1;
    if (operand[1].kind != IFL_OPERAND_NONE) {
        fputc('|', out);
        print_operand(program, function, instruction, &operand[1], out);
    }
    return operand + 2;
}

static void print_operands(const ifl_program *program, const ifl_function *function,
                           const ifl_instruction *instruction, FILE *out)
{
    const ifl_operand *operand = program->operands + instruction->first_operand;
    const ifl_operand *end = operand + instruction->operand_count;
    const char *before = " ";
    for (const char *s = ifl_opcode_get(instruction->opcode)->signature; *s && operand < end; s++) {
        if (*s == '?')
            continue;
        if (s[1] == '?' && operand->kind == IFL_OPERAND_NONE) {
            operand++;
            continue;
        }
        fputs(before, out);
        before = ", ";
        operand = print_slot(program, function, instruction, operand, *s, out);
    }
}

/* ---- functions ----------------------------------------------------------------------------- */

static void print_place(const ifl_program *program, const ifl_instruction *instruction, FILE *out)
{
    const ifl_source *place =
        instruction->place < program->place_count ? &program->places[instruction->place] : NULL;
    if (!place || !place->line)
        return;
    const char *file = place->file < program->file_count ? program->files[place->file] : "";
    const char *slash = strrchr(file, '/');
    fprintf(out, "  // %s:%" PRIu32, slash ? slash + 1 : file, place->line);
    if (place->function)
        fprintf(out, " in %s", place->function);
}

static void print_instruction(const ifl_program *program, const ifl_function *function,
                              size_t index, FILE *out)
{
    char name[128];
    const ifl_instruction *instruction = &program->instructions[index];
    fprintf(out, "%6zu  ", index);
    if (instruction->guard != IFL_NO_GUARD)
        fprintf(out, "@%s%s ", instruction->guard_negated ? "!" : "",
                register_name(function, (uint32_t)instruction->guard));
    fputs(ifl_instruction_name(instruction, name, sizeof name), out);
    const char *missing = ifl_instruction_unsupported(program, instruction);
    if (missing)
        fprintf(out, " // %s", missing);
    else
        print_operands(program, function, instruction, out);
    print_place(program, instruction, out);
    fputc('\n', out);
}

static void print_variable(const ifl_variable *variable, FILE *out)
{
    fprintf(out, "%s.%s .align %" PRIu32 " %s, %" PRIu64 " bytes at %" PRIu64 "%s\n",
            variable->function < 0 ? "" : "        ", ifl_space_text(variable->space),
            variable->align, variable->name, variable->bytes, variable->offset,
            variable->is_extern ? ", extern" : "");
}

static void print_list(const ifl_program *program, const char *open, const uint32_t *list,
                       uint32_t count, FILE *out)
{
    fputs(open, out);
    for (uint32_t i = 0; i < count; i++) {
        const ifl_variable *variable = &program->variables[list[i]];
        fprintf(out, "%s%s: %" PRIu64 " bytes at %" PRIu64, i ? ", " : "", variable->name,
                variable->bytes, variable->offset);
    }
    fputc(')', out);
}

static void print_function(const ifl_program *program, int32_t index, FILE *out)
{
    const ifl_function *function = &program->functions[index];
    fprintf(out, "\n%s%s ", function->is_extern ? ".extern " : "",
            function->is_kernel ? ".entry" : ".func");
    if (function->return_count) {
        print_list(program, "(", function->returns, function->return_count, out);
        fputc(' ', out);
    }
    fputs(function->name, out);
    print_list(program, "(", function->params, function->param_count, out);
    fprintf(out,
            "\n        // %" PRIu32 " registers, %" PRIu64 " local bytes, %" PRIu64
            " shared bytes\n",
            function->register_count, function->local_bytes, function->shared_bytes);
    for (size_t i = 0; i < program->variable_count; i++)
        if (program->variables[i].function == index &&
            program->variables[i].space != IFL_SPACE_PARAM)
            print_variable(&program->variables[i], out);
    for (size_t i = 0; i < function->count; i++)
        print_instruction(program, function, function->first + i, out);
}

void ifl_program_print(const ifl_program *program, int function, FILE *out)
{
    if (function >= 0) {
        if ((size_t)function < program->function_count)
            print_function(program, function, out);
        return;
    }
    fprintf(out, "// PTX %" PRIu32 ".%" PRIu32 ", %s\n", program->version / 10,
            program->version % 10, program->target);
    for (size_t i = 0; i < program->variable_count; i++)
        if (program->variables[i].function < 0)
            print_variable(&program->variables[i], out);
    for (size_t i = 0; i < program->function_count; i++)
        print_function(program, (int32_t)i, out);
}
