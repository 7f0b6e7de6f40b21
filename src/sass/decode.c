/* SPDX-License-Identifier: Apache-2.0
 * One word of machine code -> one instruction, by the rows of sass/table. Knows the tables and the
 * layout of guard and control bits; nothing of kernels. */
#include "sass/sass_table.h"

enum {
    INSTRUCTION_BYTES = 16,
    BASE_MASK = 0x1ff,
    FORM_AT = 9,
    FORM_WIDTH = 3,
    NO_REGISTER = 255,
    REGISTER_BITS = 32,
    SCOREBOARDS = 6
};

/* ---- bits ------------------------------------------------------------------------------------ */

uint64_t ifl_sass_bits(const uint64_t word[2], unsigned at, unsigned width)
{
    uint64_t value = at < 64 ? word[0] >> at : word[1] >> (at - 64);
    if (at < 64 && at + width > 64)
        value |= word[1] << (64 - at);
    return width < 64 ? value & ((UINT64_C(1) << width) - 1) : value;
}

/* A register, number or offset. */
static int64_t number_at(const ifl_sass_place *place, const ifl_sass_instruction *in)
{
    enum { LOWER_BITS = 8, FIRST_WITH_LOWER = 90 };
    const ifl_sass_run *run = place->run;
    unsigned width = run[0].width + run[1].width;
    uint64_t value = run[0].width ? ifl_sass_bits(in->word, run[0].at, run[0].width) : 0;
    if (run[1].width)
        value |= ifl_sass_bits(in->word, run[1].at, run[1].width) << run[0].width;
    if (place->lower_at && in->sm >= FIRST_WITH_LOWER) {
        value = value << LOWER_BITS | ifl_sass_bits(in->word, place->lower_at, LOWER_BITS);
        width += LOWER_BITS;
    }
    if (place->is_inverted)
        value = ~value & ((UINT64_C(1) << width) - 1);
    if (place->is_signed && width < 64 && width && value >> (width - 1))
        value |= ~UINT64_C(0) << width;
    return (int64_t)(value << place->shift);
}

/* Uniform registers have 6 bits before sm_100, and the last is the zero register. */
static uint8_t uniform_at(const ifl_sass_instruction *in, unsigned at)
{
    enum { SHORT_BITS = 6, LONG_BITS = 8, SHORT_ZERO = 63, FIRST_LONG = 100 };
    if (in->sm >= FIRST_LONG)
        return (uint8_t)ifl_sass_bits(in->word, at, LONG_BITS);
    const uint8_t value = (uint8_t)ifl_sass_bits(in->word, at, SHORT_BITS);
    return value == SHORT_ZERO ? NO_REGISTER : value;
}

/* The word of a field. */
static ifl_sass_word word_of(unsigned field, unsigned at, const ifl_sass_instruction *in)
{
    return ifl_sass_field_word(field, at, in->word, ifl_sass_architecture_bit(in->sm)) &
           IFL_SASS_WORD_MASK;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The bit of a word's form. */
static unsigned form_of(const uint64_t word[2])
{
    enum { BIT_91 = 91 - 64 };
    const unsigned number = (unsigned)ifl_sass_bits(word, FORM_AT, FORM_WIDTH);
    return number ? 1u << (number - 1 + (word[1] >> BIT_91 & 1 ? IFL_SASS_FORM_NUMBERS : 0)) : 0;
}

bool ifl_sass_is_on(uint64_t element, uint16_t architecture, const uint64_t word[2])
{
    const unsigned on = IFL_SASS_ON_OF(element), forms = IFL_SASS_FORMS_OF(element);
    return (!on || on & architecture) && (!forms || forms & form_of(word));
}

static const ifl_sass_row *row_of(const ifl_sass_instruction *in)
{
    return in->row && in->row <= ifl_sass_row_count ? &ifl_sass_rows[in->row - 1] : NULL;
}

static ifl_sass_word value_of_element(uint64_t element, uint16_t architecture,
                                      const uint64_t word[2])
{
    switch (IFL_SASS_KIND_OF(element)) {
    case IFL_SASS_HAS:
    case IFL_SASS_IS:
        return ifl_sass_field_word(IFL_SASS_WHAT(element), IFL_SASS_AT_OF(element), word,
                                   architecture) &
               IFL_SASS_WORD_MASK;
    case IFL_SASS_SAYS:
    case IFL_SASS_MEANS:
        return IFL_SASS_WORD_OF(element);
    default:
        return IFL_SASS_WORD_ABSENT;
    }
}

unsigned ifl_sass_role_of_element(uint64_t element)
{
    switch (IFL_SASS_KIND_OF(element)) {
    case IFL_SASS_HAS:
    case IFL_SASS_IS:
        return ifl_sass_fields[IFL_SASS_WHAT(element)].role;
    case IFL_SASS_SAYS:
    case IFL_SASS_MEANS:
        return IFL_SASS_WHAT(element);
    default:
        return IFL_SASS_VALUE_UNKNOWN;
    }
}

static ifl_sass_word value_of_row(const ifl_sass_row *row, uint16_t architecture,
                                  const uint64_t word[2], ifl_sass_value_role role)
{
    for (unsigned i = 0; i < IFL_SASS_ELEMENTS && row->element[i]; i++)
        if (ifl_sass_role_of_element(row->element[i]) == role &&
            ifl_sass_is_on(row->element[i], architecture, word))
            return value_of_element(row->element[i], architecture, word);
    return IFL_SASS_WORD_ABSENT;
}

/* What an operand's suffixes tell: the dimensions of a texture, how a matrix lies. */
static ifl_sass_word value_of_suffixes(const ifl_sass_row *row, const ifl_sass_instruction *in,
                                       ifl_sass_value_role role)
{
    const uint16_t architecture = ifl_sass_architecture_bit(in->sm);
    for (unsigned i = 0; i < IFL_SASS_ROW_OPERANDS && row->operand[i]; i++) {
        const ifl_sass_place *place = &ifl_sass_places[IFL_SASS_PLACE_OF(row->operand[i])];
        if (!ifl_sass_is_on(row->operand[i], architecture, in->word))
            continue;
        for (unsigned s = 0; s < IFL_SASS_SUFFIXES && place->suffix[s]; s++)
            if (ifl_sass_fields[place->suffix[s]].role == role)
                return word_of(place->suffix[s], 0, in);
    }
    return IFL_SASS_WORD_ABSENT;
}

ifl_sass_word ifl_sass_value(const ifl_sass_instruction *instruction, ifl_sass_value_role role)
{
    const ifl_sass_row *row = row_of(instruction);
    if (!row || role == IFL_SASS_VALUE_UNKNOWN)
        return IFL_SASS_WORD_ABSENT;
    const ifl_sass_word word =
        value_of_row(row, ifl_sass_architecture_bit(instruction->sm), instruction->word, role);
    return word ? word : value_of_suffixes(row, instruction, role);
}

const ifl_sass_operand *ifl_sass_operand_of(const ifl_sass_instruction *instruction,
                                            ifl_sass_role role)
{
    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (instruction->operand[i].role == role)
            return &instruction->operand[i];
    return NULL;
}

/* ---- does a word fit a row? ------------------------------------------------------------------ */

static bool is_64(const ifl_sass_row *row, uint16_t architecture, const uint64_t word[2],
                  ifl_sass_value_role role)
{
    return ifl_sass_word_bits(value_of_row(row, architecture, word, role)) == 2 * REGISTER_BITS;
}

static bool fits_types(const ifl_sass_row *row, uint16_t architecture, const uint64_t word[2],
                       unsigned rule)
{
    const bool any_64 = is_64(row, architecture, word, IFL_SASS_VALUE_TYPE_TO) ||
                        is_64(row, architecture, word, IFL_SASS_VALUE_TYPE_FROM);
    if (rule == IFL_SASS_TYPES_DIFFER)
        return value_of_row(row, architecture, word, IFL_SASS_VALUE_TYPE_TO) !=
               value_of_row(row, architecture, word, IFL_SASS_VALUE_TYPE_FROM);
    return any_64 == (rule == IFL_SASS_SOME_OF_64_BITS);
}

static bool fits_element(const ifl_sass_row *row, uint64_t element, uint16_t architecture,
                         const uint64_t word[2])
{
    switch (IFL_SASS_KIND_OF(element)) {
    case IFL_SASS_HAS:
        return value_of_element(element, architecture, word) != IFL_SASS_WORD_ABSENT;
    case IFL_SASS_IS:
        return value_of_element(element, architecture, word) == IFL_SASS_WORD_OF(element);
    case IFL_SASS_FIXED:
        return ifl_sass_bits(word, IFL_SASS_AT_OF(element), IFL_SASS_WIDTH_OF(element)) ==
               IFL_SASS_WORD_OF(element);
    case IFL_SASS_TYPES_DIFFER:
    case IFL_SASS_NONE_OF_64_BITS:
    case IFL_SASS_SOME_OF_64_BITS:
        return fits_types(row, architecture, word, IFL_SASS_KIND_OF(element));
    default:
        return true;
    }
}

bool ifl_sass_fits_form(const ifl_sass_row *row, uint16_t architecture, const uint64_t word[2])
{
    enum { CONSTANTS = (1 << 2 | 1 << 4) * (1 + (1 << IFL_SASS_FORM_NUMBERS)) };
    unsigned form = form_of(word);
    if (row->forms & IFL_SASS_CONSTANTS_TO_90 && form & CONSTANTS && !(architecture & TO_90))
        return false;
    if (row->forms & IFL_SASS_FREE_ON_75 && architecture == SM_75)
        form |= form >> IFL_SASS_FORM_NUMBERS;
    return row->forms & form & IFL_SASS_FORMS;
}

static bool fits(const ifl_sass_row *row, uint16_t architecture, const uint64_t word[2])
{
    if (!ifl_sass_fits_form(row, architecture, word))
        return false;
    for (unsigned i = 0; i < IFL_SASS_ELEMENTS && row->element[i]; i++)
        if (ifl_sass_is_on(row->element[i], architecture, word) &&
            !fits_element(row, row->element[i], architecture, word))
            return false;
    return true;
}

/* ---- sources by form ------------------------------------------------------------------------- */

/* What stands where the form puts a source. */
typedef enum source_kind { AT_REGISTER, AT_UNIFORM, AT_IMMEDIATE, AT_CONSTANT } source_kind;

typedef struct source {
    source_kind kind;
    unsigned at;
} source;

enum { FIRST_AT = 24, SECOND_AT = 32, THIRD_AT = 64 };

static source source_at(unsigned slot, unsigned form)
{
    static const source seconds[IFL_SASS_FORMS] = {
        [1] = {AT_REGISTER, SECOND_AT}, [2] = {AT_REGISTER, THIRD_AT},
        [3] = {AT_REGISTER, THIRD_AT},  [4] = {AT_IMMEDIATE, SECOND_AT},
        [5] = {AT_CONSTANT, SECOND_AT}, [6] = {AT_UNIFORM, SECOND_AT},
        [7] = {AT_REGISTER, THIRD_AT},
    };
    static const source thirds[IFL_SASS_FORMS] = {
        [1] = {AT_REGISTER, THIRD_AT},  [2] = {AT_IMMEDIATE, SECOND_AT},
        [3] = {AT_CONSTANT, SECOND_AT}, [4] = {AT_REGISTER, THIRD_AT},
        [5] = {AT_REGISTER, THIRD_AT},  [6] = {AT_REGISTER, THIRD_AT},
        [7] = {AT_UNIFORM, SECOND_AT},
    };
    static const source scaled[IFL_SASS_FORMS] = {
        [1] = {AT_UNIFORM, SECOND_AT},  [2] = {AT_REGISTER, THIRD_AT},
        [3] = {AT_REGISTER, SECOND_AT}, [5] = {AT_IMMEDIATE, SECOND_AT},
        [7] = {AT_REGISTER, THIRD_AT},
    };
    static const source scales[IFL_SASS_FORMS] = {
        [1] = {AT_REGISTER, THIRD_AT},   [2] = {AT_UNIFORM, SECOND_AT},
        [3] = {AT_REGISTER, THIRD_AT},   [5] = {AT_REGISTER, THIRD_AT},
        [7] = {AT_IMMEDIATE, SECOND_AT},
    };
    switch (slot) {
    case IFL_SASS_SCALED:
        return scaled[form];
    case IFL_SASS_SCALE:
        return scales[form];
    case IFL_SASS_SECOND:
        return seconds[form];
    case IFL_SASS_THIRD:
        return thirds[form];
    case IFL_SASS_LAST:
        return form == 1 ? (source){AT_REGISTER, SECOND_AT} : thirds[form];
    default:
        return (source){AT_REGISTER, FIRST_AT};
    }
}

/* Where the sign of a source stands; the bit of |x| is beside it. */
static unsigned sign_at(const ifl_sass_style *style, unsigned at)
{
    enum { FIRST_SIGN = 72, SECOND_SIGN = 63, THIRD_SIGN = 75 };
    if (at == FIRST_AT)
        return FIRST_SIGN;
    if (at == SECOND_AT)
        return SECOND_SIGN;
    return style->third_sign_at ? style->third_sign_at : THIRD_SIGN;
}

/* From sm_86 a sum of halves whose lower one is a float reads its sources otherwise. */
static bool is_lower_sum(const ifl_sass_instruction *in)
{
    enum { FIRST_OF_THEM = 86 };
    return in->sm >= FIRST_OF_THEM && ifl_sass_value(in, IFL_SASS_VALUE_TYPE) == IFL_SASS_WORD_F32;
}

static void sign(const ifl_sass_style *style, unsigned at, ifl_sass_operand *out,
                 const ifl_sass_instruction *in)
{
    const bool is_signed = style->sign && ifl_sass_bits(in->word, sign_at(style, at), 1);
    const bool inverts =
        style->sign != '-' ||
        (style->inverts_extended && ifl_sass_value(in, IFL_SASS_VALUE_EXTENDED) == IFL_SASS_WORD_X);
    out->negated = is_signed && !inverts;
    out->inverted = is_signed && inverts;
    if (style->has_absolute && !(style->absolute_unless_f32 && is_lower_sum(in)))
        out->absolute = ifl_sass_bits(
            in->word, at == FIRST_AT ? sign_at(style, at) + 1 : sign_at(style, at) - 1, 1);
}

/* What is converted has parts to choose from where its type has fewer bits than a register. */
static bool has_parts(const ifl_sass_style *style, const ifl_sass_instruction *in)
{
    return !style->select_by_type ||
           ifl_sass_word_bits(ifl_sass_value(in, IFL_SASS_VALUE_TYPE_FROM)) < REGISTER_BITS;
}

static unsigned select_of(unsigned slot)
{
    static const uint8_t selects[] = {
        [IFL_SASS_FIRST] = 0, [IFL_SASS_SECOND] = 1, [IFL_SASS_THIRD] = 2,
        [IFL_SASS_LAST] = 1,  [IFL_SASS_SCALED] = 1, [IFL_SASS_SCALE] = 2,
    };
    return selects[slot];
}

static bool select_part(const ifl_sass_style *style, unsigned slot, source from,
                        ifl_sass_operand *out, const ifl_sass_instruction *in)
{
    enum { HALF_FIRST = 74, HALF_SECOND = 60, HALF_THIRD = 81 };
    const unsigned moved = from.at == FIRST_AT      ? HALF_FIRST
                           : from.at == SECOND_AT   ? HALF_SECOND
                           : style->third_select_at ? style->third_select_at
                                                    : HALF_THIRD;
    const uint16_t field = style->select[select_of(slot)];
    if (!field || !has_parts(style, in) ||
        (from.kind == AT_IMMEDIATE && (style->select_moves || style->select_by_type)))
        return true;
    out->select = word_of(field, style->select_moves ? moved : 0, in);
    return out->select != IFL_SASS_WORD_ABSENT;
}

ifl_sass_literal ifl_sass_literal_of(const ifl_sass_style *style, const ifl_sass_instruction *in)
{
    static const uint8_t literals[IFL_SASS_WORDS] = {
        [IFL_SASS_WORD_U32] = IFL_SASS_LITERAL_INTEGER,
        [IFL_SASS_WORD_U64] = IFL_SASS_LITERAL_INTEGER,
        [IFL_SASS_WORD_S32] = IFL_SASS_LITERAL_SIGNED,
        [IFL_SASS_WORD_S64] = IFL_SASS_LITERAL_SIGNED,
        [IFL_SASS_WORD_F16] = IFL_SASS_LITERAL_FLOAT16,
        [IFL_SASS_WORD_BF16] = IFL_SASS_LITERAL_BFLOAT16,
        [IFL_SASS_WORD_F32] = IFL_SASS_LITERAL_FLOAT32,
        [IFL_SASS_WORD_F64] = IFL_SASS_LITERAL_FLOAT64,
    };
    if (style->lower_of_f32 && is_lower_sum(in))
        return IFL_SASS_LITERAL_FLOAT16;
    return style->literal == IFL_SASS_LITERAL_FROM
               ? literals[ifl_sass_value(in, IFL_SASS_VALUE_TYPE_FROM)]
               : style->literal;
}

static void immediate(const ifl_sass_style *style, ifl_sass_operand *out,
                      const ifl_sass_instruction *in)
{
    const uint64_t bits = ifl_sass_bits(in->word, SECOND_AT, REGISTER_BITS);
    const unsigned literal = ifl_sass_literal_of(style, in);
    out->kind = IFL_SASS_IMMEDIATE;
    out->value = literal == IFL_SASS_LITERAL_SIGNED ? (int32_t)(uint32_t)bits : (int64_t)bits;
    out->is_float = literal > IFL_SASS_LITERAL_SIGNED;
    out->is_double = literal == IFL_SASS_LITERAL_FLOAT64;
}

static void constant(ifl_sass_operand *out, const ifl_sass_instruction *in)
{
    enum {
        OFFSET_AT = 40,
        OFFSET_WIDTH = 14,
        WORD_SHIFT = 2,
        BANK_AT = 54,
        BANK_WIDTH = 5,
        BIT_91 = 91
    };
    const uint64_t offset = ifl_sass_bits(in->word, OFFSET_AT, OFFSET_WIDTH);
    out->kind = IFL_SASS_CONSTANT;
    out->value = (int64_t)(offset << WORD_SHIFT);
    if (ifl_sass_bits(in->word, BIT_91, 1)) {
        out->has_descriptor = true;
        out->descriptor = uniform_at(in, SECOND_AT);
        return;
    }
    out->index = (uint8_t)ifl_sass_bits(in->word, BANK_AT, BANK_WIDTH);
    if (offset >> (OFFSET_WIDTH - 1))
        out->value -= INT64_C(1) << (OFFSET_WIDTH + WORD_SHIFT);
}

static bool fill_source(const ifl_sass_place *place, const ifl_sass_style *style, bool is_uniform,
                        ifl_sass_operand *out, const ifl_sass_instruction *in)
{
    enum { REGISTER_WIDTH = 8 };
    const source from =
        source_at(place->slot, (unsigned)ifl_sass_bits(in->word, FORM_AT, FORM_WIDTH));
    if (from.kind != AT_IMMEDIATE)
        sign(style, from.at, out, in);
    if (!select_part(style, place->slot, from, out, in))
        return false;
    if (from.kind == AT_IMMEDIATE) {
        immediate(style, out, in);
    } else if (from.kind == AT_CONSTANT) {
        constant(out, in);
    } else if (is_uniform || from.kind == AT_UNIFORM) {
        out->kind = IFL_SASS_UNIFORM_REGISTER;
        out->index = uniform_at(in, from.at);
    } else {
        out->kind = IFL_SASS_REGISTER;
        out->index = (uint8_t)ifl_sass_bits(in->word, from.at, REGISTER_WIDTH);
    }
    return true;
}

/* ---- other operands -------------------------------------------------------------------------- */

/* The kind of operand that each syntax fills. */
static const uint8_t kinds[] = {
    [IFL_SASS_AS_REGISTER] = IFL_SASS_REGISTER,
    [IFL_SASS_AS_UNIFORM_REGISTER] = IFL_SASS_UNIFORM_REGISTER,
    [IFL_SASS_AS_PREDICATE] = IFL_SASS_PREDICATE,
    [IFL_SASS_AS_UNIFORM_PREDICATE] = IFL_SASS_UNIFORM_PREDICATE,
    [IFL_SASS_AS_BARRIER_REGISTER] = IFL_SASS_BARRIER_REGISTER,
    [IFL_SASS_AS_SCOREBOARD] = IFL_SASS_SCOREBOARD,
    [IFL_SASS_AS_SCOREBOARDS] = IFL_SASS_SPECIAL,
    [IFL_SASS_AS_INTEGER] = IFL_SASS_IMMEDIATE,
    [IFL_SASS_AS_TARGET] = IFL_SASS_TARGET,
    [IFL_SASS_AS_CONSTANT] = IFL_SASS_CONSTANT,
    [IFL_SASS_AS_MEMORY] = IFL_SASS_MEMORY,
    [IFL_SASS_AS_SPECIAL_REGISTER] = IFL_SASS_SPECIAL,
    [IFL_SASS_AS_WORD] = IFL_SASS_SPECIAL,
    [IFL_SASS_AS_TEXT] = IFL_SASS_SPECIAL,
};

static uint8_t kind_of(const ifl_sass_place *place, bool is_uniform)
{
    const uint8_t kind = kinds[place->syntax];
    if (is_uniform && kind == IFL_SASS_REGISTER)
        return IFL_SASS_UNIFORM_REGISTER;
    return is_uniform && kind == IFL_SASS_PREDICATE ? IFL_SASS_UNIFORM_PREDICATE : kind;
}

/* What the base register of an address is extended from, or scaled by. */
static uint8_t scale_of(unsigned word)
{
    switch (word) {
    case IFL_SASS_WORD_B64:
        return 64;
    case IFL_SASS_WORD_U32:
        return 32;
    case IFL_SASS_WORD_X4:
        return 4;
    case IFL_SASS_WORD_X8:
        return 8;
    case IFL_SASS_WORD_X16:
        return 16;
    default:
        return 0;
    }
}

static bool is_described(const ifl_sass_place *place, const ifl_sass_instruction *in)
{
    enum { FIRST_WITH_DESCRIPTORS = 80 };
    return place->described_at && in->sm >= FIRST_WITH_DESCRIPTORS &&
           ifl_sass_bits(in->word, place->described_at, 1);
}

bool ifl_sass_adds_uniform(const ifl_sass_place *place, const ifl_sass_instruction *in)
{
    return place->uniform_at && !place->only_described && !is_described(place, in);
}

/* To sm_89 bit 101 tells whether the descriptor is read. */
static void fill_descriptor(const ifl_sass_place *place, ifl_sass_operand *out,
                            const ifl_sass_instruction *in)
{
    enum { LAST_TO_TELL = 89, READ_AT = 101 };
    const unsigned at = place->descriptor_at ? place->descriptor_at : place->uniform_at;
    out->has_descriptor =
        place->descriptor_at ||
        (is_described(place, in) && (in->sm > LAST_TO_TELL || ifl_sass_bits(in->word, READ_AT, 1)));
    if (out->has_descriptor)
        out->descriptor = (uint8_t)(uniform_at(in, at) + place->uniform_add);
}

/* An offset beside RZ and nothing else is the address, and has no sign. */
static bool is_offset_alone(const ifl_sass_place *place, const ifl_sass_operand *operand,
                            const ifl_sass_instruction *in)
{
    enum { FIRST_TO_KEEP = 80 };
    return place->base_at && !place->uniform_at && place->run[0].width && !place->run[1].width &&
           operand->base == NO_REGISTER && !(place->keeps_sign && in->sm >= FIRST_TO_KEEP);
}

static bool fill_address(const ifl_sass_place *place, ifl_sass_operand *out,
                         const ifl_sass_instruction *in)
{
    enum { REGISTER_WIDTH = 8, BANK_WIDTH = 5 };
    if (place->base_at)
        out->base = (uint8_t)ifl_sass_bits(in->word, place->base_at, REGISTER_WIDTH);
    if (ifl_sass_adds_uniform(place, in))
        out->uniform = (uint8_t)(uniform_at(in, place->uniform_at) + place->uniform_add);
    fill_descriptor(place, out, in);
    if (out->kind == IFL_SASS_MEMORY && is_offset_alone(place, out, in))
        out->value = (int64_t)ifl_sass_bits(in->word, place->run[0].at, place->run[0].width)
                     << place->shift;
    if (place->bank_at)
        out->index = (uint8_t)ifl_sass_bits(in->word, place->bank_at, BANK_WIDTH);
    if (!place->base_suffix)
        return true;
    const unsigned word = word_of(place->base_suffix, place->suffix_at, in);
    out->scale = scale_of(word);
    return word != IFL_SASS_WORD_ABSENT;
}

/* False where the bits choose no word: the instruction is none. */
static bool fill_place(const ifl_sass_place *place, bool is_uniform, ifl_sass_operand *out,
                       const ifl_sass_instruction *in)
{
    for (unsigned i = 0; i < IFL_SASS_SUFFIXES && place->suffix[i]; i++)
        if (!word_of(place->suffix[i], 0, in))
            return false;
    out->kind = kind_of(place, is_uniform);
    if (place->sign) {
        const bool is_set = ifl_sass_bits(in->word, place->sign_at, 1);
        out->negated = is_set && place->sign == '-';
        out->inverted = is_set && place->sign != '-';
    }
    switch (out->kind) {
    case IFL_SASS_UNIFORM_REGISTER:
        out->index =
            place->run[1].width ? (uint8_t)number_at(place, in) : uniform_at(in, place->run[0].at);
        return true;
    case IFL_SASS_TARGET:
        out->value = number_at(place, in) + in->offset + INSTRUCTION_BYTES;
        return true;
    case IFL_SASS_CONSTANT:
    case IFL_SASS_MEMORY:
        out->value = number_at(place, in);
        return fill_address(place, out, in);
    case IFL_SASS_SPECIAL:
    case IFL_SASS_IMMEDIATE:
        out->value = number_at(place, in);
        return true;
    default:
        out->index = (uint8_t)number_at(place, in);
        return out->kind != IFL_SASS_SCOREBOARD || out->index < SCOREBOARDS;
    }
}

/* ---- registers of an operand ----------------------------------------------------------------- */

static unsigned registers_of_bits(unsigned bits)
{
    return bits > REGISTER_BITS ? bits / REGISTER_BITS : 1;
}

/* A warp holds a matrix in equal parts, 32 bits a register and lane. Of a sparse a only half is
 * there. */
static unsigned registers_of_matrix(const ifl_sass_instruction *in, unsigned which)
{
    enum { LANES = 32, SPARSITY = 2, BYTE_BITS = 8 };
    const ifl_sass_matrix shape = ifl_sass_word_matrix(ifl_sass_value(in, IFL_SASS_VALUE_SHAPE));
    const ifl_sass_value_role roles[] = {IFL_SASS_VALUE_TYPE_A, IFL_SASS_VALUE_TYPE_B,
                                         IFL_SASS_VALUE_TYPE_TO};
    const unsigned elements[] = {(unsigned)shape.rows * shape.depth,
                                 (unsigned)shape.depth * shape.columns,
                                 (unsigned)shape.rows * shape.columns};
    unsigned bits = ifl_sass_word_bits(ifl_sass_value(in, roles[which]));
    if (!bits)
        bits = ifl_sass_word_bits(ifl_sass_value(in, IFL_SASS_VALUE_TYPE_FROM));
    if (bits < BYTE_BITS && which < 2 && in->op == IFL_SASS_OP_QMMA) /* each has a byte */
        bits = BYTE_BITS;
    if (which == 0 && ifl_sass_value(in, IFL_SASS_VALUE_SPARSE) == IFL_SASS_WORD_SP)
        bits /= SPARSITY;
    const unsigned count = elements[which] * bits / (REGISTER_BITS * LANES);
    return count ? count : 1;
}

/* Of tensor memory: those of the shape, so many times. */
static unsigned registers_of_tensor(const ifl_sass_instruction *in)
{
    return registers_of_bits(ifl_sass_word_bits(ifl_sass_value(in, IFL_SASS_VALUE_SHAPE))) *
           registers_of_bits(ifl_sass_word_bits(ifl_sass_value(in, IFL_SASS_VALUE_MATRICES)));
}

static unsigned count_of(uint64_t operand, const ifl_sass_instruction *in)
{
    const unsigned count = IFL_SASS_COUNT_OF(operand);
    if (count >= IFL_SASS_COUNT_BY)
        return registers_of_bits(ifl_sass_word_bits(
            ifl_sass_value(in, (ifl_sass_value_role)(count - IFL_SASS_COUNT_BY))));
    if (count == IFL_SASS_COUNT_TENSOR)
        return registers_of_tensor(in);
    if (count >= IFL_SASS_COUNT_MATRIX_A)
        return registers_of_matrix(in, count - IFL_SASS_COUNT_MATRIX_A);
    return count ? count : 1;
}

/* ---- the instruction ------------------------------------------------------------------------- */

static bool is_destination(unsigned role)
{
    static const bool destinations[] = {
#define OPERAND_ROLE(name, direction, doc) [IFL_SASS_ROLE_##name] = direction,
#define VALUE_ROLE(name, doc)
#define OUT true
#define IN false
#include "sass/table/role.def"
#undef OUT
#undef IN
    };
    return destinations[role];
}

static bool fill(uint64_t operand, bool is_uniform, ifl_sass_operand *out,
                 const ifl_sass_instruction *in)
{
    const ifl_sass_place *place = &ifl_sass_places[IFL_SASS_PLACE_OF(operand)];
    out->base = out->uniform = out->descriptor = NO_REGISTER;
    out->role = place->role;
    out->is_destination = is_destination(place->role);
    out->count = (uint8_t)count_of(operand, in);
    return place->syntax == IFL_SASS_AS_SOURCE
               ? fill_source(place, &ifl_sass_styles[IFL_SASS_STYLE_OF(operand)], is_uniform, out,
                             in)
               : fill_place(place, is_uniform, out, in);
}

bool ifl_sass_has_operand(uint64_t operand, uint16_t architecture, const uint64_t word[2])
{
    const unsigned bit = IFL_SASS_BIT_OF(operand);
    return ifl_sass_is_on(operand, architecture, word) &&
           (!bit || ifl_sass_bits(word, bit, 1) != IFL_SASS_IS_CLEAR_OF(operand));
}

static bool fill_all(const ifl_sass_row *row, uint16_t architecture, ifl_sass_instruction *out)
{
    for (unsigned i = 0; i < IFL_SASS_ROW_OPERANDS && row->operand[i]; i++)
        if (ifl_sass_has_operand(row->operand[i], architecture, out->word) &&
            !fill(row->operand[i], row->forms & IFL_SASS_UNIFORM_FILE,
                  &out->operand[out->operand_count++], out))
            return false;
    return true;
}

/* What a lane reads or writes: the type of an atomic, or the width. */
static uint8_t memory_bytes(const ifl_sass_instruction *in)
{
    enum { BYTE_BITS = 8 };
    static const bool accesses[IFL_SASS_CLASSES] = {
        [IFL_SASS_LOAD_GLOBAL] = true,   [IFL_SASS_STORE_GLOBAL] = true,
        [IFL_SASS_ATOMIC_GLOBAL] = true, [IFL_SASS_LOAD_SHARED] = true,
        [IFL_SASS_STORE_SHARED] = true,  [IFL_SASS_ATOMIC_SHARED] = true,
        [IFL_SASS_LOAD_LOCAL] = true,    [IFL_SASS_STORE_LOCAL] = true,
        [IFL_SASS_LOAD_GENERIC] = true,  [IFL_SASS_STORE_GENERIC] = true,
        [IFL_SASS_LOAD_CONSTANT] = true, [IFL_SASS_COPY_ASYNC] = true,
    };
    static const ifl_sass_value_role roles[] = {IFL_SASS_VALUE_WIDTH, IFL_SASS_VALUE_MATRICES,
                                                IFL_SASS_VALUE_TYPE};
    const size_t count = in->sass_class == IFL_SASS_COPY_ASYNC ? 1 : sizeof roles / sizeof *roles;
    for (size_t i = 0; accesses[in->sass_class] && i < count; i++) {
        const ifl_sass_word word = ifl_sass_value(in, roles[i]);
        if (word != IFL_SASS_WORD_ABSENT)
            return (uint8_t)(ifl_sass_word_bits(word) / BYTE_BITS);
    }
    return 0;
}

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
    out->guard = (uint8_t)ifl_sass_bits(word, 12, 3);
    out->guard_negated = ifl_sass_bits(word, 15, 1);
    out->stall = (uint8_t)ifl_sass_bits(word, 105, 4);
    out->yield = !ifl_sass_bits(word, 109, 1);
    out->write_barrier = (uint8_t)ifl_sass_bits(word, 110, 3);
    out->read_barrier = (uint8_t)ifl_sass_bits(word, 113, 3);
    out->wait_mask = (uint8_t)ifl_sass_bits(word, 116, 6);
    out->reuse = (uint8_t)ifl_sass_bits(word, 122, 4);
}

static bool unknown(ifl_sass_instruction *out)
{
    out->op = IFL_SASS_OP_UNKNOWN;
    out->row = 0;
    out->operand_count = 0;
    return false;
}

static bool take(const ifl_sass_row *row, uint16_t architecture, ifl_sass_instruction *out)
{
    out->row = (uint16_t)(row - ifl_sass_rows + 1);
    if (!fill_all(row, architecture, out))
        return unknown(out);
    out->op = row->op;
    out->guard_uniform = row->forms & IFL_SASS_UNIFORM_GUARD;
    out->sass_class = ifl_sass_op_class(row->op);
    out->memory_bytes = memory_bytes(out);
    return true;
}

bool ifl_sass_decode(const ifl_sass_decoder *decoder, const uint8_t *bytes, uint32_t offset,
                     ifl_sass_instruction *out)
{
    *out = (ifl_sass_instruction){.offset = offset,
                                  .sm = decoder->sm,
                                  .word = {little_endian(bytes), little_endian(bytes + 8)}};
    control(out->word, out);
    for (unsigned row = decoder->first[out->word[0] & BASE_MASK]; row; row = decoder->next[row - 1])
        if (fits(&ifl_sass_rows[row - 1], decoder->architecture, out->word))
            return take(&ifl_sass_rows[row - 1], decoder->architecture, out);
    return unknown(out);
}

bool ifl_sass_decoder_init(ifl_sass_decoder *decoder, uint32_t sm)
{
    *decoder =
        (ifl_sass_decoder){.sm = (uint16_t)sm, .architecture = ifl_sass_architecture_bit(sm)};
    for (unsigned i = ifl_sass_row_count; i-- > 0;)
        if (ifl_sass_rows[i].architectures & decoder->architecture) {
            decoder->next[i] = decoder->first[ifl_sass_rows[i].base];
            decoder->first[ifl_sass_rows[i].base] = (uint16_t)(i + 1);
        }
    return decoder->architecture != 0;
}

bool ifl_sass_supports(uint32_t sm)
{
    return ifl_sass_architecture_bit(sm) != 0;
}

/* ---- products -------------------------------------------------------------------------------- */

static bool is_zero(const ifl_sass_operand *operand)
{
    return operand->kind == IFL_SASS_REGISTER
               ? operand->index == NO_REGISTER
               : operand->kind == IFL_SASS_IMMEDIATE && !operand->value;
}

/* By 2 to 2^30, but 2^16, which nvdisasm leaves as it is. */
static bool is_shift(const ifl_sass_operand *operand)
{
    enum { HALF = 0x10000 };
    return operand->kind == IFL_SASS_IMMEDIATE && operand->value > 1 && operand->value != HALF &&
           !(operand->value & (operand->value - 1));
}

ifl_sass_product ifl_sass_product_of(const ifl_sass_instruction *instruction)
{
    enum { BIT_91 = 91 }; /* uniform registers, and constants by a descriptor */
    const ifl_sass_row *row = row_of(instruction);
    if (!row || IFL_SASS_KIND_OF(row->element[0]) != IFL_SASS_PRODUCT_NAME ||
        ifl_sass_bits(instruction->word, BIT_91, 1) ||
        ifl_sass_value(instruction, IFL_SASS_VALUE_EXTENDED) == IFL_SASS_WORD_X)
        return IFL_SASS_PRODUCT;
    const ifl_sass_operand *factor = &instruction->operand[1], *other = factor + 1,
                           *addend = factor + 2;
    if (is_zero(factor) || is_zero(other))
        return IFL_SASS_PRODUCT_MOVES;
    if (other->kind == IFL_SASS_IMMEDIATE && other->value == 1)
        return is_zero(addend) ? IFL_SASS_PRODUCT_MOVES : IFL_SASS_PRODUCT_ADDS;
    return is_shift(other) && is_zero(addend) ? IFL_SASS_PRODUCT_SHIFTS : IFL_SASS_PRODUCT;
}
