/* SPDX-License-Identifier: Apache-2.0
 * Gives written operands their meaning: by the signature in opcode.def and the types in
 * operand.def. The engine trusts what passes here. */
#include "ptx/parser.h"

#include <inttypes.h>
#include <string.h>

/* One slot of a signature, for one instruction. */
typedef struct match_slot {
    const ifl_instruction *instruction;
    char letter;
    char code;        /* of operand.def */
    ifl_type type;    /* NONE: anything */
    bool loose;       /* registers may be wider than the type */
    unsigned address; /* of an m: how many there were before it */
} match_slot;

static const struct {
    ifl_opcode opcode;
    const char *types;
    enum { EXACT, LOOSE } width;
} rows[] = {
#define OPERANDS(opcode, types, width) {IFL_OP_##opcode, types, width},
#include "ptx/operand.def"
};

/* ---- types ---------------------------------------------------------------------------------- */

static ifl_type wider(ifl_type type)
{
    static const struct {
        uint8_t from, to;
    } table[] = {
        {IFL_TYPE_U16, IFL_TYPE_U32},
        {IFL_TYPE_S16, IFL_TYPE_S32},
        {IFL_TYPE_U32, IFL_TYPE_U64},
        {IFL_TYPE_S32, IFL_TYPE_S64},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].from == type)
            return (ifl_type)table[i].to;
    return type;
}

/* The instruction's n-th type; 32 bits where an instruction has no types at all. */
static ifl_type type_at(const ifl_instruction *instruction, unsigned n)
{
    if (n < instruction->type_count)
        return (ifl_type)instruction->type[n];
    return n ? IFL_TYPE_NONE : IFL_TYPE_U32;
}

static ifl_type type_of_code(const ifl_instruction *instruction, char code)
{
    const ifl_modifiers *m = &instruction->modifiers;
    switch (code) {
    case '0':
    case '1':
    case '2':
        return type_at(instruction, (unsigned)(code - '0'));
    case 'm':
        return type_at(instruction, instruction->type_count > 1);
    case 'w':
        return m->half == IFL_HALF_WIDE ? wider(type_at(instruction, 0)) : type_at(instruction, 0);
    case 'u':
        return IFL_TYPE_U32;
    case 'l':
        return IFL_TYPE_B64;
    case 'f':
    case 'e':
        return IFL_TYPE_F32;
    case 'p':
        return IFL_TYPE_PRED;
    case 's':
        return m->flags & IFL_FLAG_PARITY ? IFL_TYPE_U32 : IFL_TYPE_B64;
    default:
        return IFL_TYPE_NONE;
    }
}

static bool fits_width(const match_slot *slot, unsigned bits)
{
    unsigned want = ifl_type_bits(slot->type);
    if (slot->code == 'o')
        return bits == 1 || bits == 32;
    if (slot->type == IFL_TYPE_NONE)
        return bits != 1;
    if (want == 1 || bits == 1)
        return want == bits;
    want = want == 8 ? 16 : want; /* 8-bit registers are kept in 16 */
    return slot->loose ? bits >= want : bits == want;
}

/* ---- errors --------------------------------------------------------------------------------- */

static const char *name_of(const match_slot *slot)
{
    return ifl_opcode_get(slot->instruction->opcode)->name;
}

static bool wrong_kind(ifl_ptx_parser *parser, const match_slot *slot,
                       const ifl_ptx_written_part *part, const char *wanted)
{
    return ifl_ptx_fail(parser, part->at, "'%s' needs %s here", name_of(slot), wanted);
}

static bool wrong_width(ifl_ptx_parser *parser, const match_slot *slot,
                        const ifl_ptx_written_part *part, unsigned bits)
{
    return ifl_ptx_fail(parser, part->at, "'%s' cannot use the %u-bit register '%.200s' here",
                        name_of(slot), bits, ifl_ptx_text_of(parser, part->name));
}

/* ---- single operands ------------------------------------------------------------------------ */

static bool emit_register(ifl_ptx_parser *parser, const match_slot *slot,
                          const ifl_ptx_written_part *part)
{
    unsigned bits = parser->registers.at[part->operand.index].bits;
    if (!fits_width(slot, bits))
        return wrong_width(parser, slot, part, bits);
    if (part->operand.negated && slot->letter != 'p' && slot->instruction->opcode != IFL_OP_VMAD)
        return wrong_kind(parser, slot, part, "an operand without '!'");
    return ifl_ptx_add_operand(parser, part->operand);
}

static bool emit_immediate(ifl_ptx_parser *parser, const match_slot *slot,
                           const ifl_ptx_written_part *part)
{
    ifl_operand operand = {.kind = IFL_OPERAND_IMMEDIATE};
    ifl_type type = slot->type == IFL_TYPE_NONE ? IFL_TYPE_B64 : slot->type;
    if (!ifl_ptx_value_bits(&part->value, type, &operand.value))
        return ifl_ptx_fail(parser, part->at, "'.%s' cannot hold this constant",
                            ifl_type_text(type));
    return ifl_ptx_add_operand(parser, operand);
}

bool ifl_ptx_add_symbol(ifl_ptx_parser *parser, const ifl_ptx_written_part *part)
{
    ifl_ptx_pending pending = {.name = part->name,
                               .operand = (uint32_t)parser->operands.count,
                               .instruction = (uint32_t)parser->instructions.count,
                               .at = part->at};
    return ifl_ptx_add_operand(parser, part->operand) &&
           (ifl_vec_push(&parser->symbols, pending) || ifl_ptx_no_memory(parser));
}

/* The address of a variable or function is 32 or 64 bits of a number. */
static bool emit_symbol(ifl_ptx_parser *parser, const match_slot *slot,
                        const ifl_ptx_written_part *part)
{
    unsigned bits = ifl_type_bits(slot->type);
    bool is_number = slot->type == IFL_TYPE_NONE ||
                     ((bits == 32 || bits == 64) && ifl_type_class(slot->type) != 'F');
    if (!is_number || part->operand.negated)
        return wrong_kind(parser, slot, part, "something other than an address");
    if (part->operand.kind == IFL_OPERAND_NONE)
        return ifl_ptx_add_symbol(parser, part);
    return ifl_ptx_add_operand(parser, part->operand);
}

static bool emit_source(ifl_ptx_parser *parser, const match_slot *slot,
                        const ifl_ptx_written_part *part)
{
    switch ((ifl_operand_kind)part->operand.kind) {
    case IFL_OPERAND_REGISTER:
        return emit_register(parser, slot, part);
    case IFL_OPERAND_IMMEDIATE:
        return emit_immediate(parser, slot, part);
    case IFL_OPERAND_SPECIAL:
        if (part->operand.negated)
            return wrong_kind(parser, slot, part, "an operand without '!'");
        return ifl_ptx_add_operand(parser, part->operand);
    case IFL_OPERAND_VARIABLE:
    case IFL_OPERAND_FUNCTION:
        return emit_symbol(parser, slot, part);
    case IFL_OPERAND_NONE:
        if (part->name)
            return emit_symbol(parser, slot, part);
        break;
    default:
        break;
    }
    return wrong_kind(parser, slot, part, "a register or constant");
}

static bool emit_destination(ifl_ptx_parser *parser, const match_slot *slot,
                             const ifl_ptx_written_part *part)
{
    if (part->operand.kind == IFL_OPERAND_REGISTER)
        return emit_register(parser, slot, part);
    if (part->operand.kind == IFL_OPERAND_NONE && !part->name)
        return ifl_ptx_add_operand(parser, (ifl_operand){0});
    return wrong_kind(parser, slot, part, "a register");
}

static bool emit_predicate(ifl_ptx_parser *parser, const match_slot *slot,
                           const ifl_ptx_written_part *part)
{
    match_slot predicate = *slot;
    predicate.type = IFL_TYPE_PRED;
    predicate.code = 'p';
    if (part->operand.kind == IFL_OPERAND_REGISTER)
        return emit_register(parser, &predicate, part);
    if (part->operand.kind == IFL_OPERAND_IMMEDIATE)
        return emit_immediate(parser, &predicate, part);
    return wrong_kind(parser, slot, part, "a predicate");
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Which of an instruction's state spaces an address is in. cp.async.bulk's third address is its
 * mbarrier. */
static ifl_space space_of(const match_slot *slot)
{
    const ifl_modifiers *m = &slot->instruction->modifiers;
    if (slot->address > 1)
        return IFL_SPACE_SHARED;
    if (slot->address == 1)
        return (ifl_space)m->space2;
    return m->space_written ? (ifl_space)m->space : IFL_SPACE_GENERIC;
}

bool ifl_ptx_check_space(ifl_ptx_parser *parser, const ifl_variable *variable, ifl_space space,
                         const char *at)
{
    bool is_generic = space == IFL_SPACE_GENERIC && variable->space != IFL_SPACE_PARAM;
    if (is_generic || variable->space == space)
        return true;
    if (space == IFL_SPACE_GENERIC)
        return ifl_ptx_fail(parser, at, "'%.200s' is a parameter: the instruction needs .param",
                            variable->name);
    return ifl_ptx_fail(parser, at, "'%.200s' is in .%s, not in .%s", variable->name,
                        ifl_space_text(variable->space), ifl_space_text(space));
}

static bool is_kernel_parameter(const ifl_ptx_parser *parser, uint32_t variable)
{
    const ifl_function *function = &parser->functions.at[parser->function];
    return function->is_kernel && function->param_count && variable >= function->params[0] &&
           variable - function->params[0] < function->param_count;
}

static uint64_t access_bytes(const ifl_instruction *instruction)
{
    unsigned elements = instruction->modifiers.vector ? instruction->modifiers.vector : 1;
    return (uint64_t)ifl_type_bits(type_at(instruction, 0)) / 8 * elements;
}

/* Parameters lie in the engine's own memory: an access must stay inside of one. */
static bool check_parameter(ifl_ptx_parser *parser, const match_slot *slot,
                            const ifl_ptx_written_part *part)
{
    const ifl_variable *variable = &parser->variables.at[part->operand.index];
    uint64_t bytes = access_bytes(slot->instruction);
    if (variable->space != IFL_SPACE_PARAM)
        return true;
    if (slot->instruction->opcode == IFL_OP_ST && is_kernel_parameter(parser, part->operand.index))
        return ifl_ptx_fail(parser, part->at, "'%.200s' is a parameter of the kernel: read only",
                            variable->name);
    if (part->operand.value < 0 || (uint64_t)part->operand.value > variable->bytes ||
        bytes > variable->bytes - (uint64_t)part->operand.value)
        return ifl_ptx_miss(parser, part->at,
                            "%" PRIu64 " bytes at offset %" PRId64
                            " of the parameter '%.200s', which has %" PRIu64,
                            bytes, part->operand.value, variable->name, variable->bytes);
    return true;
}

static bool emit_address(ifl_ptx_parser *parser, const match_slot *slot,
                         const ifl_ptx_written_part *part)
{
    const ifl_operand *operand = &part->operand;
    if (operand->kind != IFL_OPERAND_MEMORY)
        return wrong_kind(parser, slot, part, "an address in brackets");
    if (operand->base == IFL_OPERAND_REGISTER) {
        unsigned bits = parser->registers.at[operand->index].bits;
        if (bits != 32 && bits != 64)
            return wrong_width(parser, slot, part, bits);
    }
    if (operand->base != IFL_OPERAND_VARIABLE)
        return ifl_ptx_add_operand(parser, *operand);
    const ifl_ptx_binding *binding = ifl_ptx_find(parser, part->name);
    if (!binding || binding->meaning != IFL_PTX_VARIABLE)
        return ifl_ptx_add_symbol(parser, part);
    const ifl_variable *variable = &parser->variables.at[operand->index];
    return ifl_ptx_check_space(parser, variable, space_of(slot), part->at) &&
           check_parameter(parser, slot, part) && ifl_ptx_add_operand(parser, *operand);
}

/* ---- vectors -------------------------------------------------------------------------------- */

static bool is_plain_source(const ifl_ptx_written_part *part)
{
    return part->operand.kind == IFL_OPERAND_REGISTER ||
           part->operand.kind == IFL_OPERAND_IMMEDIATE;
}

/* mov packs and unpacks: the elements share the bits of the type. PTX ISA, "mov". */
static bool check_mov_vector(ifl_ptx_parser *parser, const match_slot *slot,
                             const ifl_ptx_written *written, match_slot *element)
{
    static const ifl_type types[] = {IFL_TYPE_B8, IFL_TYPE_B16, IFL_TYPE_B32, IFL_TYPE_B64};
    unsigned bits = ifl_type_bits(slot->type) / written->count;
    bool fits = ifl_type_class(slot->type) == 'B' && (written->count == 2 || written->count == 4);
    element->loose = false;
    element->type = IFL_TYPE_NONE;
    for (size_t i = 0; fits && i < sizeof types / sizeof *types; i++)
        if (ifl_type_bits(types[i]) == bits)
            element->type = types[i];
    if (element->type == IFL_TYPE_NONE)
        return ifl_ptx_fail(parser, written->part[0].at, "'.%s' does not hold a vector of %u",
                            ifl_type_text(slot->type), written->count);
    return true;
}

static bool check_vector(ifl_ptx_parser *parser, const match_slot *slot,
                         const ifl_ptx_written *written, match_slot *element)
{
    *element = *slot;
    if (slot->instruction->opcode == IFL_OP_MOV)
        return check_mov_vector(parser, slot, written, element);
    const uint64_t fields = ifl_opcode_get(slot->instruction->opcode)->fields;
    if (fields & IFL_FIELD_shape || slot->code == '.' || slot->code == 'e')
        return true; /* how many there are follows from shape and types, which lowering checks */
    unsigned wanted = slot->instruction->modifiers.vector;
    if (!wanted)
        return wrong_kind(parser, slot, &written->part[0], "a single operand");
    if (written->count == wanted)
        return true;
    return ifl_ptx_fail(parser, written->part[0].at, "'%s' needs a vector of %u here, not of %u",
                        name_of(slot), wanted, written->count);
}

static bool emit_vector(ifl_ptx_parser *parser, const match_slot *slot,
                        const ifl_ptx_written *written)
{
    match_slot element;
    if (!check_vector(parser, slot, written, &element))
        return false;
    ifl_operand head = {.kind = IFL_OPERAND_VECTOR, .index = written->count};
    if (!ifl_ptx_add_operand(parser, head))
        return false;
    for (uint32_t i = 0; i < written->count; i++) {
        const ifl_ptx_written_part *part = &written->part[i];
        bool is_destination = slot->letter == 'v';
        if (!is_destination && !is_plain_source(part))
            return wrong_kind(parser, slot, part, "a register or constant");
        if (is_destination ? !emit_destination(parser, &element, part)
                           : !emit_source(parser, &element, part))
            return false;
    }
    return true;
}

/* Triton writes `ld.global.b32 { %r1 }, [%rd1]`: a vector of one is its element. ptxas takes that
 * for these, and for mov of bits; not for atom and red. */
static bool is_one_in_braces(const match_slot *slot, const ifl_ptx_written *written)
{
    const ifl_opcode opcode = slot->instruction->opcode;
    const bool moves_bits = opcode == IFL_OP_MOV && ifl_type_class(slot->type) == 'B';
    return written->count == 1 && !slot->instruction->modifiers.vector &&
           (opcode == IFL_OP_LD || opcode == IFL_OP_LDU || opcode == IFL_OP_ST || moves_bits);
}

static bool is_vector(const match_slot *slot, const ifl_ptx_written *written)
{
    return written->shape == IFL_PTX_VECTOR && !is_one_in_braces(slot, written);
}

static bool check_scalar(ifl_ptx_parser *parser, const match_slot *slot,
                         const ifl_ptx_written_part *part)
{
    bool is_sink = part->operand.kind == IFL_OPERAND_NONE && !part->name;
    if (!slot->instruction->modifiers.vector || is_sink)
        return true;
    return wrong_kind(parser, slot, part, "a vector");
}

/* ---- by letter ------------------------------------------------------------------------------ */

static bool emit_v(ifl_ptx_parser *parser, const match_slot *slot, const ifl_ptx_written *written)
{
    if (is_vector(slot, written))
        return emit_vector(parser, slot, written);
    return check_scalar(parser, slot, &written->part[0]) &&
           emit_destination(parser, slot, &written->part[0]);
}

static bool emit_V(ifl_ptx_parser *parser, const match_slot *slot, const ifl_ptx_written *written)
{
    const ifl_ptx_written_part *part = &written->part[0];
    if (is_vector(slot, written))
        return emit_vector(parser, slot, written);
    if (slot->instruction->opcode != IFL_OP_MOV && !is_plain_source(part))
        return wrong_kind(parser, slot, part, "a register or constant");
    return check_scalar(parser, slot, part) && emit_source(parser, slot, part);
}

static bool emit_d(ifl_ptx_parser *parser, const match_slot *slot, const ifl_ptx_written *written)
{
    return emit_destination(parser, slot, &written->part[0]);
}

static bool emit_s(ifl_ptx_parser *parser, const match_slot *slot, const ifl_ptx_written *written)
{
    return emit_source(parser, slot, &written->part[0]);
}

static bool emit_p(ifl_ptx_parser *parser, const match_slot *slot, const ifl_ptx_written *written)
{
    return emit_predicate(parser, slot, &written->part[0]);
}

static bool emit_m(ifl_ptx_parser *parser, const match_slot *slot, const ifl_ptx_written *written)
{
    return emit_address(parser, slot, &written->part[0]);
}

static bool emit_a(ifl_ptx_parser *parser, const match_slot *slot, const ifl_ptx_written *written)
{
    const bool is_address = written->part[0].operand.kind == IFL_OPERAND_MEMORY;
    return is_address ? emit_m(parser, slot, written) : emit_s(parser, slot, written);
}

static bool add_label(ifl_ptx_parser *parser, uint32_t name, const char *at)
{
    ifl_ptx_pending label = {.name = name, .operand = (uint32_t)parser->operands.count, .at = at};
    ifl_operand operand = {.kind = IFL_OPERAND_LABEL};
    return ifl_ptx_add_operand(parser, operand) &&
           (ifl_vec_push(&parser->labels, label) || ifl_ptx_no_memory(parser));
}

static bool emit_l(ifl_ptx_parser *parser, const match_slot *slot, const ifl_ptx_written *written)
{
    const ifl_ptx_written_part *part = &written->part[0];
    bool is_name = part->operand.kind == IFL_OPERAND_NONE && part->name && !part->operand.negated &&
                   !part->operand.value;
    return is_name ? add_label(parser, part->name, part->at)
                   : wrong_kind(parser, slot, part, "a label");
}

/* The list stands where it is used: a VECTOR of its labels. */
static bool emit_t(ifl_ptx_parser *parser, const match_slot *slot, const ifl_ptx_written *written)
{
    const ifl_ptx_written_part *part = &written->part[0];
    const ifl_ptx_binding *binding = part->name ? ifl_ptx_find(parser, part->name) : NULL;
    if (!binding || binding->meaning != IFL_PTX_BRANCH_TARGETS)
        return wrong_kind(parser, slot, part, "the name of a .branchtargets list");
    const ifl_ptx_list list = parser->lists.at[binding->index];
    ifl_operand head = {.kind = IFL_OPERAND_VECTOR, .index = list.count};
    bool done = ifl_ptx_add_operand(parser, head);
    for (uint32_t i = 0; done && i < list.count; i++)
        done = add_label(parser, parser->list_names.at[list.first + i], part->at);
    return done;
}

static const struct {
    char letter;
    bool takes_vector;
    bool (*emit)(ifl_ptx_parser *parser, const match_slot *slot, const ifl_ptx_written *written);
} letters[] = {
    {'d', false, emit_d}, {'q', false, emit_d}, {'v', true, emit_v},  {'V', true, emit_V},
    {'s', false, emit_s}, {'p', false, emit_p}, {'m', false, emit_m}, {'l', false, emit_l},
    {'t', false, emit_t}, {'a', false, emit_a}, {'W', true, emit_V},
};

/* CUTLASS writes the scales of mma as {%r1}, and ptxas takes one in braces as itself there. */
static bool is_several(const ifl_instruction *instruction, const ifl_ptx_written *written)
{
    return written->shape == IFL_PTX_VECTOR &&
           (written->count > 1 || instruction->opcode != IFL_OP_MMA);
}

static bool emit_single(ifl_ptx_parser *parser, const match_slot *slot,
                        const ifl_ptx_written *written)
{
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        if (letters[i].letter != slot->letter)
            continue;
        if (written->shape == IFL_PTX_BOTH ||
            (is_several(slot->instruction, written) && !letters[i].takes_vector))
            return wrong_kind(parser, slot, &written->part[0], "a single operand");
        return letters[i].emit(parser, slot, written);
    }
    return ifl_ptx_fail(parser, written->part[0].at, "'%s' takes no operand here", name_of(slot));
}

/* "d" or "d|p" */
static bool emit_pair(ifl_ptx_parser *parser, const match_slot *first, const match_slot *second,
                      const ifl_ptx_written *written)
{
    if (written->shape == IFL_PTX_VECTOR)
        return wrong_kind(parser, first, &written->part[0], "a single operand");
    if (!emit_destination(parser, first, &written->part[0]))
        return false;
    if (written->shape == IFL_PTX_BOTH)
        return emit_destination(parser, second, &written->part[1]);
    return ifl_ptx_add_operand(parser, (ifl_operand){0});
}

/* ---- the signature -------------------------------------------------------------------------- */

typedef struct walk {
    ifl_ptx_parser *parser;
    match_slot slot;
    const char *types; /* the rest of the row of operand.def; NULL: none */
    uint32_t used;     /* written operands */
    uint32_t spare;    /* written operands that are left for optional slots */
} walk;

static void find_row(walk *at, ifl_opcode opcode)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].opcode == opcode) {
            at->types = rows[i].types;
            at->slot.loose = rows[i].width == LOOSE;
        }
}

static void next_type(walk *at, match_slot *slot)
{
    bool has_code = at->types && *at->types;
    slot->code = has_code ? *at->types++ : '0';
    slot->type = type_of_code(slot->instruction, slot->code);
}

/* An optional slot is filled when an operand is left for it and of its kind. With .L2::cache_hint
 * the policy is the last operand and belongs in the last slot. */
static bool wants(const walk *at, const char *signature)
{
    if (!at->spare)
        return false;
    const ifl_ptx_written *written = &at->parser->written[at->used];
    bool is_address = written->part[0].operand.kind == IFL_OPERAND_MEMORY;
    const bool is_vector = is_several(at->slot.instruction, written);
    const bool may_be_vector = *signature == 'W' || *signature == 'V';
    if (is_address != (*signature == 'm') || (is_vector && !may_be_vector) ||
        (!is_vector && *signature == 'W'))
        return false;
    bool has_policy = at->slot.instruction->modifiers.flags & IFL_FLAG_CACHE_HINT;
    bool is_last_slot = !signature[2];
    return !has_policy || is_last_slot || *signature != 's' || at->spare > 1;
}

static bool walk_slot(walk *at, const char *signature)
{
    ifl_ptx_parser *parser = at->parser;
    match_slot second = at->slot;
    bool is_pair = *signature == 'D', is_optional = signature[1] == '?';
    at->slot.letter = *signature;
    next_type(at, &at->slot);
    if (is_pair)
        next_type(at, &second);
    bool is_filled = !is_optional || wants(at, signature);
    bool done;
    if (!is_filled)
        done = ifl_ptx_add_operand(parser, (ifl_operand){0}) &&
               (!is_pair || ifl_ptx_add_operand(parser, (ifl_operand){0}));
    else if (is_pair)
        done = emit_pair(parser, &at->slot, &second, &parser->written[at->used]);
    else
        done = emit_single(parser, &at->slot, &parser->written[at->used]);
    at->slot.address += *signature == 'm';
    at->used += is_filled;
    at->spare -= is_filled && is_optional;
    return done;
}

static bool wrong_count(ifl_ptx_parser *parser, const ifl_instruction *instruction, uint32_t needed)
{
    return ifl_ptx_fail(parser, parser->lexer.token.at, "'%s' needs %u operand%s, found %u",
                        ifl_opcode_get(instruction->opcode)->name, needed, needed == 1 ? "" : "s",
                        parser->written_count);
}

bool ifl_ptx_match(ifl_ptx_parser *parser, const ifl_instruction *instruction)
{
    const char *signature = ifl_opcode_get(instruction->opcode)->signature;
    uint32_t slots = 0, optional = 0;
    for (const char *s = signature; *s; s++)
        *s == '?' ? optional++ : slots++;
    if (parser->written_count < slots - optional || parser->written_count > slots)
        return wrong_count(parser, instruction,
                           parser->written_count > slots ? slots : slots - optional);
    walk at = {.parser = parser,
               .slot = {.instruction = instruction},
               .spare = parser->written_count - (slots - optional)};
    find_row(&at, instruction->opcode);
    for (const char *s = signature; *s; s++)
        if (*s != '?' && !walk_slot(&at, s))
            return false;
    return at.used == parser->written_count || wrong_count(parser, instruction, at.used);
}
