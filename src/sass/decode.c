/* SPDX-License-Identifier: Apache-2.0
 * One word of machine code -> one instruction, by the rows of sass_row.def. Knows the tables and the layout of guard and
 * control bits; nothing of kernels. */
#include "sass/sass_table.h"

#include <string.h>

enum {
    INSTRUCTION_BYTES = 16,
    OPCODE_MASK = 0xfff,
    REGISTER_ZERO = 255,
    UNIFORM_ZERO_SHORT = 63, /* six bits, before sm_100 */
    NO_REGISTER = 255
};

/* ---- bits ------------------------------------------------------------------------------------ */

static uint64_t bits_at(const uint64_t word[2], unsigned at, unsigned width)
{
    uint64_t value = at < 64 ? word[0] >> at : word[1] >> (at - 64);
    if (at < 64 && at + width > 64)
        value |= word[1] << (64 - at);
    return width < 64 ? value & ((UINT64_C(1) << width) - 1) : value;
}

static uint64_t runs_at(const uint64_t word[2], const ifl_sass_run *run, unsigned runs, unsigned *width)
{
    uint64_t value = 0;
    *width = 0;
    for (unsigned i = 0; i < runs && run[i].width; i++) {
        value |= bits_at(word, run[i].at, run[i].width) << *width;
        *width += run[i].width;
    }
    return value;
}

int64_t ifl_sass_number_at(const ifl_sass_number *number, const uint64_t word[2])
{
    if (!number->run[0].width)
        return number->fixed;
    unsigned width;
    uint64_t value = runs_at(word, number->run, IFL_SASS_NUMBER_RUNS, &width);
    if (number->inverted)
        value = ~value & ((UINT64_C(1) << width) - 1);
    if (number->is_signed && width < 64 && value >> (width - 1))
        value |= ~UINT64_C(0) << width;
    return (int64_t)((value << number->shift) + number->fixed);
}

const char *ifl_sass_field_text(uint16_t field, const uint64_t word[2])
{
    const ifl_sass_field *row = &ifl_sass_fields[field];
    unsigned width;
    const uint64_t value = runs_at(word, row->run, IFL_SASS_FIELD_RUNS, &width);
    return value < row->text_count ? row->text[value] : NULL;
}

static unsigned count_at(uint16_t count, const uint64_t word[2])
{
    const ifl_sass_count *row = &ifl_sass_counts[count];
    unsigned width;
    const uint64_t value = runs_at(word, row->run, IFL_SASS_FIELD_RUNS, &width);
    return value < row->values ? row->registers[value] : 0;
}

/* ---- operands -------------------------------------------------------------------------------- */

static bool has(const char *text, char wanted)
{
    return text && strchr(text, wanted);
}

/* False where a field has no text for its value: the word is no instruction. */
static bool fields_fit(const ifl_sass_format *format, const uint64_t word[2])
{
    const uint16_t single[] = {format->prefix, format->absolute, format->base_suffix,
                               format->uniform_suffix};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (single[i] && !ifl_sass_field_text(single[i], word))
            return false;
    for (unsigned i = 0; i < IFL_SASS_SUFFIXES && format->suffix[i]; i++)
        if (!ifl_sass_field_text(format->suffix[i], word))
            return false;
    return true;
}

static uint8_t uniform_register(const ifl_sass_number *number, const uint64_t word[2])
{
    enum { SHORT_BITS = 6 };
    const int64_t value = ifl_sass_number_at(number, word);
    return number->run[0].width == SHORT_BITS && value == UNIFORM_ZERO_SHORT ? NO_REGISTER
                                                                             : (uint8_t)value;
}

/* ".64" is 64, ".X4" is 4: what the base register is scaled or extended by, as written. */
static uint8_t scale_of(const char *suffix)
{
    static const struct {
        const char *text;
        uint8_t scale;
    } scales[] = {{".64", 64}, {".U32", 32}, {".X4", 4}, {".X8", 8}, {".X16", 16}};
    for (size_t i = 0; suffix && i < sizeof scales / sizeof *scales; i++)
        if (strcmp(suffix, scales[i].text) == 0)
            return scales[i].scale;
    return 0;
}

static void address(const ifl_sass_format *format, const uint64_t word[2], ifl_sass_operand *out)
{
    out->base = format->has_base ? (uint8_t)ifl_sass_number_at(&format->base, word) : NO_REGISTER;
    out->uniform = format->has_uniform ? uniform_register(&format->uniform, word) : NO_REGISTER;
    if (format->base_suffix)
        out->scale = scale_of(ifl_sass_field_text(format->base_suffix, word));
}

/* The kind of operand that each syntax fills. */
static const uint8_t kinds[] = {
    [IFL_SASS_AS_REGISTER] = IFL_SASS_REGISTER,
    [IFL_SASS_AS_UNIFORM_REGISTER] = IFL_SASS_UNIFORM_REGISTER,
    [IFL_SASS_AS_PREDICATE] = IFL_SASS_PREDICATE,
    [IFL_SASS_AS_UNIFORM_PREDICATE] = IFL_SASS_UNIFORM_PREDICATE,
    [IFL_SASS_AS_BARRIER_REGISTER] = IFL_SASS_BARRIER_REGISTER,
    [IFL_SASS_AS_SCOREBOARD] = IFL_SASS_SCOREBOARD,
    [IFL_SASS_AS_INTEGER] = IFL_SASS_IMMEDIATE,
    [IFL_SASS_AS_FLOAT16] = IFL_SASS_IMMEDIATE,
    [IFL_SASS_AS_BFLOAT16] = IFL_SASS_IMMEDIATE,
    [IFL_SASS_AS_FLOAT32] = IFL_SASS_IMMEDIATE,
    [IFL_SASS_AS_FLOAT64_HIGH] = IFL_SASS_IMMEDIATE,
    [IFL_SASS_AS_TARGET] = IFL_SASS_TARGET,
    [IFL_SASS_AS_CONSTANT] = IFL_SASS_CONSTANT,
    [IFL_SASS_AS_MEMORY] = IFL_SASS_MEMORY,
    [IFL_SASS_AS_WORD] = IFL_SASS_SPECIAL,
};

static void place(const ifl_sass_format *format, const uint64_t word[2], uint32_t offset,
                  ifl_sass_operand *out)
{
    const int64_t number = ifl_sass_number_at(&format->number, word);
    switch (out->kind) {
    case IFL_SASS_SPECIAL:
        out->text = ifl_sass_field_text(format->suffix[0], word);
        break;
    case IFL_SASS_IMMEDIATE:
        out->value = number;
        out->is_float = format->syntax != IFL_SASS_AS_INTEGER;
        break;
    case IFL_SASS_TARGET:
        out->value = number + offset + INSTRUCTION_BYTES;
        break;
    case IFL_SASS_CONSTANT:
        out->index = (uint8_t)ifl_sass_number_at(&format->bank, word);
        out->value = number;
        address(format, word, out);
        break;
    case IFL_SASS_MEMORY:
        out->value = number;
        address(format, word, out);
        break;
    case IFL_SASS_UNIFORM_REGISTER:
        out->index = uniform_register(&format->number, word);
        break;
    default:
        out->index = (uint8_t)number;
    }
}

static bool fill(const ifl_sass_slot *slot, const uint64_t word[2], uint32_t offset, ifl_sass_operand *out)
{
    const ifl_sass_format *format = &ifl_sass_formats[slot->format];
    if (!fields_fit(format, word))
        return false;
    out->kind = kinds[format->syntax];
    out->base = out->uniform = NO_REGISTER;
    out->count = (uint8_t)count_at(slot->count, word);
    if (format->prefix) {
        const char *prefix = ifl_sass_field_text(format->prefix, word);
        out->negated = has(prefix, '-');
        out->inverted = has(prefix, '~') || has(prefix, '!');
    }
    out->absolute = format->absolute && has(ifl_sass_field_text(format->absolute, word), '|');
    place(format, word, offset, out);
    return true;
}

/* ---- modifiers ------------------------------------------------------------------------------- */

typedef struct text {
    char *to, *end;
} text;

static bool append(text *out, const char *more)
{
    while (*more) {
        if (out->to == out->end)
            return false;
        *out->to++ = *more++;
    }
    return true;
}

static bool is_zero(const ifl_sass_operand *operand)
{
    return operand->kind == IFL_SASS_REGISTER ? operand->index == REGISTER_ZERO
                                              : operand->kind == IFL_SASS_IMMEDIATE && !operand->value;
}

/* By 2 to 2^30, but 2^16, which nvdisasm leaves as it is. */
static bool is_shift(const ifl_sass_operand *operand)
{
    enum { HALF = 0x10000 };
    return operand->kind == IFL_SASS_IMMEDIATE && operand->value > 1 && operand->value != HALF &&
           !(operand->value & (operand->value - 1));
}

/* nvdisasm names a 32-bit multiply-add for what its operands make of it. */
static const char *product_alias(const ifl_sass_row *row, const ifl_sass_instruction *in)
{
    enum { IMAD_LOW = 0x024, BASE_MASK = 0x1ff, FORM_SHIFT = 9, UNIFORM_FORM = 6, OPERANDS = 4 };
    if ((row->bits & BASE_MASK) != IMAD_LOW || row->bits >> FORM_SHIFT >= UNIFORM_FORM ||
        in->operand_count != OPERANDS)
        return "";
    const ifl_sass_operand *factor = &in->operand[1], *other = &in->operand[2], *addend = &in->operand[3];
    if (is_zero(factor) || is_zero(other))
        return ".MOV";
    if (other->kind == IFL_SASS_IMMEDIATE && other->value == 1)
        return is_zero(addend) ? ".MOV" : ".IADD";
    return is_shift(other) && is_zero(addend) ? ".SHL" : "";
}

static bool modifiers(const ifl_sass_row *row, const uint64_t word[2], ifl_sass_instruction *out)
{
    text to = {out->modifiers, out->modifiers + sizeof out->modifiers - 1};
    if (!append(&to, product_alias(row, out)))
        return false;
    for (unsigned i = 0; i < IFL_SASS_MODIFIERS && row->modifier[i]; i++) {
        const char *more = ifl_sass_field_text(row->modifier[i], word);
        if (!more || !append(&to, more))
            return false;
    }
    *to.to = 0;
    return true;
}

/* ---- the word -------------------------------------------------------------------------------- */

static uint64_t little_endian(const uint8_t *bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

/* Bits 12..15 and 105..125, the same since sm_70. */
static void control(const uint64_t word[2], ifl_sass_instruction *out)
{
    out->guard = (uint8_t)bits_at(word, 12, 3);
    out->guard_negated = bits_at(word, 15, 1);
    out->stall = (uint8_t)bits_at(word, 105, 4);
    out->yield = !bits_at(word, 109, 1);
    out->write_barrier = (uint8_t)bits_at(word, 110, 3);
    out->read_barrier = (uint8_t)bits_at(word, 113, 3);
    out->wait_mask = (uint8_t)bits_at(word, 116, 6);
    out->reuse = (uint8_t)bits_at(word, 122, 4);
}

static bool fits(const ifl_sass_row *row, uint16_t architecture, const uint64_t word[2])
{
    return row->architectures & architecture && (word[0] & row->mask[0]) == row->match[0] &&
           (word[1] & row->mask[1]) == row->match[1];
}

const ifl_sass_row *ifl_sass_find_row(uint32_t sm, const uint64_t word[2])
{
    const uint16_t architecture = ifl_sass_architecture_bit(sm), bits = word[0] & OPCODE_MASK;
    const uint16_t first = ifl_sass_first_row[bits];
    if (!first)
        return NULL;
    for (size_t i = first - 1u; i < ifl_sass_row_count && ifl_sass_rows[i].bits == bits; i++)
        if (fits(&ifl_sass_rows[i], architecture, word))
            return &ifl_sass_rows[i];
    return NULL;
}

static bool fill_all(const ifl_sass_row *row, ifl_sass_instruction *out)
{
    for (unsigned i = 0; i < row->slots; i++) {
        if (!fill(&row->slot[i], out->word, out->offset, &out->operand[i]))
            return false;
        out->operand[i].is_destination = i < row->destinations;
    }
    out->operand_count = row->slots;
    return modifiers(row, out->word, out);
}

static bool unknown(ifl_sass_instruction *out)
{
    out->operand_count = 0;
    out->modifiers[0] = 0;
    return false;
}

bool ifl_sass_decode(uint32_t sm, const uint8_t *bytes, uint32_t offset, ifl_sass_instruction *out)
{
    *out = (ifl_sass_instruction){.offset = offset, .word = {little_endian(bytes), little_endian(bytes + 8)}};
    control(out->word, out);
    const ifl_sass_row *row = ifl_sass_find_row(sm, out->word);
    if (!row || !fill_all(row, out))
        return unknown(out);
    out->opcode = row->opcode;
    out->row = (uint16_t)(row - ifl_sass_rows + 1);
    out->guard_uniform = row->uniform_guard;
    out->sass_class = row->sass_class;
    out->memory_bytes = (uint8_t)count_at(row->memory, out->word);
    return true;
}

bool ifl_sass_supports(uint32_t sm)
{
    return ifl_sass_architecture_bit(sm) != 0;
}
