/* SPDX-License-Identifier: Apache-2.0
 * An instruction as nvdisasm writes it, without guard and control. Knows the tables; decides
 * nothing. */
#include "sass/sass_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NO_REGISTER = 255, PREDICATE_TRUE = 7 };

/* Where text goes; what does not fit is dropped. */
typedef struct writer {
    char *to;
    size_t left;
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *out, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(out->to, out->left, format, list);
    va_end(list);
    if (length < 0)
        return;
    const size_t step = (size_t)length < out->left ? (size_t)length : out->left ? out->left - 1 : 0;
    out->to += step;
    out->left -= step;
}

static void put_text(writer *out, const char *text)
{
    const size_t length = strlen(text), room = out->left ? out->left - 1 : 0;
    const size_t step = length < room ? length : room;
    memcpy(out->to, text, step);
    out->to += step;
    out->left -= step;
    if (out->left)
        *out->to = 0;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void put_hexadecimal(writer *out, int64_t value, bool is_signed)
{
    if (is_signed && value < 0)
        put(out, "-0x%" PRIx64, -(uint64_t)value);
    else
        put(out, "0x%" PRIx64, (uint64_t)value);
}

static void put_float(writer *out, double value, bool is_negative, bool is_quiet)
{
    if (isfinite(value)) {
        /* Twenty digits; from 10^9 on with an exponent. */
        const double large = 1e9;
        if (value == 0 && signbit(value))
            put_text(out, "-0.0");
        else
            put(out, fabs(value) >= large ? "%.20e" : "%.20g", value);
    } else
        put(out, "%c%s", is_negative ? '-' : '+',
            isinf(value) ? "INF"
            : is_quiet   ? "QNAN"
                         : "SNAN");
}

/* The bits of a fraction and of an exponent; of a double only those of its upper word. */
static const struct {
    uint8_t fraction, exponent;
} layouts[] = {
    [IFL_SASS_LITERAL_FLOAT16] = {10, 5},
    [IFL_SASS_LITERAL_BFLOAT16] = {7, 8},
    [IFL_SASS_LITERAL_FLOAT32] = {23, 8},
    [IFL_SASS_LITERAL_FLOAT64] = {20, 11},
};

static void put_float_bits(writer *out, uint64_t bits, ifl_sass_literal literal)
{
    const unsigned fraction_bits = layouts[literal].fraction,
                   top = fraction_bits + layouts[literal].exponent;
    const uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
    const int most = (1 << layouts[literal].exponent) - 1, bias = most / 2;
    const int exponent = (int)(bits >> fraction_bits) & most;
    const bool is_negative = bits >> top & 1;
    double value;
    if (exponent == most)
        value = fraction ? NAN : INFINITY;
    else if (exponent)
        value = ldexp((double)(fraction | UINT64_C(1) << fraction_bits),
                      exponent - bias - (int)fraction_bits);
    else
        value = ldexp((double)fraction, 1 - bias - (int)fraction_bits);
    put_float(out, is_negative ? -value : value, is_negative, fraction >> (fraction_bits - 1) & 1);
}

/* ---- operands -------------------------------------------------------------------------------- */

static void put_register(writer *out, const char *prefix, unsigned index, unsigned none,
                         char none_letter)
{
    if (index == none)
        put(out, "%s%c", prefix, none_letter);
    else
        put(out, "%s%u", prefix, index);
}

/* What a field adds to the text. */
static const char *field_text(unsigned field, unsigned at, const ifl_sass_instruction *in)
{
    const uint16_t word =
        field ? ifl_sass_field_word(field, at, in->word, ifl_sass_architecture_bit(in->sm)) : 0;
    return word & IFL_SASS_QUIET ? "" : ifl_sass_word_text(word & IFL_SASS_WORD_MASK);
}

/* By 4, 8 or 16: not extended from 32 bits, nor of 64. */
static bool is_scaled(const ifl_sass_operand *operand)
{
    return operand->scale == 4 || operand->scale == 8 || operand->scale == 16;
}

/* RZ says nothing where another part follows, unless the way in which it would be extended or
 * scaled is written. Beside a descriptor it stays. */
static bool is_base_written(const ifl_sass_operand *operand, const ifl_sass_place *place,
                            bool has_uniform, const char *suffix, const ifl_sass_instruction *in)
{
    enum { FIRST_TO_STAY = 90 };
    const bool stays = place->base_stays && in->sm >= FIRST_TO_STAY;
    const bool is_described = place->uniform_at && !ifl_sass_adds_uniform(place, in);
    if (!place->base_at)
        return false;
    if (operand->base != NO_REGISTER || is_described || (!has_uniform && !operand->value))
        return true;
    return *suffix && (has_uniform ? is_scaled(operand) || stays : !is_scaled(operand));
}

static bool is_uniform_written(const ifl_sass_operand *operand, const ifl_sass_place *place,
                               const ifl_sass_instruction *in)
{
    enum { BITS_64 = 64 };
    const bool hides =
        place->uniform_hides || (place->uniform_hides_of_64 && operand->scale == BITS_64);
    const bool is_hidden =
        hides && operand->uniform == NO_REGISTER && (place->base_at || operand->value);
    return ifl_sass_adds_uniform(place, in) && !is_hidden;
}

/* base + uniform + offset; what is nothing is left out, unless nothing would be left. */
static void put_sum(writer *out, const ifl_sass_operand *operand, const ifl_sass_place *place,
                    const ifl_sass_instruction *in)
{
    const char *plus = "", *suffix = field_text(place->base_suffix, place->suffix_at, in);
    const bool has_uniform = is_uniform_written(operand, place, in);
    if (is_base_written(operand, place, has_uniform, suffix, in)) {
        put_register(out, "R", operand->base, NO_REGISTER, 'Z');
        put_text(out,
                 operand->base == NO_REGISTER && !has_uniform && is_scaled(operand) ? "" : suffix);
        plus = "+";
    }
    if (has_uniform) {
        put_text(out, plus);
        put_register(out, "UR", operand->uniform, NO_REGISTER, 'Z');
        plus = "+";
    }
    if (operand->value || !*plus) {
        put_text(out, plus);
        put_hexadecimal(out, operand->value, place->is_signed);
    }
}

static void put_memory(writer *out, const ifl_sass_operand *operand, const ifl_sass_place *place,
                       const ifl_sass_instruction *in)
{
    put_text(out, place->prefix ? place->prefix : "");
    if (operand->has_descriptor) {
        put_text(out, "desc[");
        put_register(out, "UR", operand->descriptor, NO_REGISTER, 'Z');
        put_text(out, "]");
    }
    put_text(out, "[");
    put_sum(out, operand, place, in);
    put_text(out, "]");
}

static void put_scoreboards(writer *out, int64_t mask)
{
    enum { LAST = 5 };
    const char *separator = "{";
    for (int i = LAST; i >= 0; i--)
        if (mask >> i & 1) {
            put(out, "%s%d", separator, i);
            separator = ",";
        }
    if (mask)
        put_text(out, "}");
}

static void put_special(writer *out, const ifl_sass_operand *operand, const ifl_sass_place *place,
                        const ifl_sass_instruction *in)
{
    const char *name;
    switch (place->syntax) {
    case IFL_SASS_AS_SCOREBOARDS:
        put_scoreboards(out, operand->value);
        break;
    case IFL_SASS_AS_SPECIAL_REGISTER:
        name = ifl_sass_special_text((unsigned)operand->value, ifl_sass_architecture_bit(in->sm));
        if (name)
            put_text(out, name);
        else
            put(out, "SR%" PRId64, operand->value);
        break;
    case IFL_SASS_AS_TEXT:
        put_text(out, place->prefix);
        break;
    default:
        break; /* a word: the suffix is all there is */
    }
}

static const struct {
    const char *prefix;
    uint8_t none;
    char none_letter;
} registers[] = {
    [IFL_SASS_REGISTER] = {"R", NO_REGISTER, 'Z'},
    [IFL_SASS_UNIFORM_REGISTER] = {"UR", NO_REGISTER, 'Z'},
    [IFL_SASS_PREDICATE] = {"P", PREDICATE_TRUE, 'T'},
    [IFL_SASS_UNIFORM_PREDICATE] = {"UP", PREDICATE_TRUE, 'T'},
    [IFL_SASS_BARRIER_REGISTER] = {"B", NO_REGISTER, 'Z'},
    [IFL_SASS_SCOREBOARD] = {"SB", NO_REGISTER, 'Z'},
};

static void put_numbered(writer *out, const ifl_sass_operand *operand)
{
    put_register(out, registers[operand->kind].prefix, operand->index,
                 registers[operand->kind].none, registers[operand->kind].none_letter);
}

/* "c[0x3][" or "cx[UR4][" */
static void put_bank(writer *out, const ifl_sass_operand *operand, const char *blank)
{
    if (operand->has_descriptor)
        put_register(out, "cx[UR", operand->descriptor, NO_REGISTER, 'Z');
    else
        put(out, "c[0x%x", operand->index);
    put(out, "]%s[", blank);
}

/* An operand that has a place of its own. */
static void put_placed(writer *out, const ifl_sass_operand *operand, const ifl_sass_place *place,
                       const ifl_sass_instruction *in)
{
    switch (operand->kind) {
    case IFL_SASS_SPECIAL:
        put_special(out, operand, place, in);
        break;
    case IFL_SASS_IMMEDIATE:
        put_hexadecimal(out, operand->value, place->is_signed);
        break;
    case IFL_SASS_TARGET:
        put_hexadecimal(out, operand->value, true);
        break;
    case IFL_SASS_CONSTANT:
        put_bank(out, operand, "");
        put_sum(out, operand, place, in);
        put_text(out, "]");
        break;
    case IFL_SASS_MEMORY:
        put_memory(out, operand, place, in);
        break;
    default:
        put_numbered(out, operand);
    }
}

/* ---- sources by form ------------------------------------------------------------------------- */

static void put_literal(writer *out, const ifl_sass_operand *operand, ifl_sass_literal literal,
                        const ifl_sass_instruction *in)
{
    enum { HALF_BITS = 16, HALF_MASK = 0xffff };
    const uint64_t bits = (uint64_t)operand->value;
    const ifl_sass_literal half =
        ifl_sass_value(in, IFL_SASS_VALUE_TYPE) == IFL_SASS_WORD_BF16_V2 ||
                ifl_sass_value(in, IFL_SASS_VALUE_TYPE_FROM) == IFL_SASS_WORD_BF16x2
            ? IFL_SASS_LITERAL_BFLOAT16
            : IFL_SASS_LITERAL_FLOAT16;
    switch (literal) {
    case IFL_SASS_LITERAL_INTEGER:
    case IFL_SASS_LITERAL_SIGNED:
        put_hexadecimal(out, operand->value, literal == IFL_SASS_LITERAL_SIGNED);
        break;
    case IFL_SASS_LITERAL_HALVES:
        put_float_bits(out, bits >> HALF_BITS, half);
        put_text(out, ", ");
        put_float_bits(out, bits & HALF_MASK, half);
        break;
    case IFL_SASS_LITERAL_FLOAT16:
    case IFL_SASS_LITERAL_BFLOAT16:
        put_float_bits(out, bits & HALF_MASK, literal);
        break;
    default:
        put_float_bits(out, bits, literal);
    }
}

/* Where a part can be chosen there is a blank between bank and offset. */
static void put_constant(writer *out, const ifl_sass_operand *operand)
{
    put_bank(out, operand, operand->select == IFL_SASS_WORD_ABSENT ? "" : " ");
    put_hexadecimal(out, operand->value, true);
    put_text(out, "]");
}

static void put_source(writer *out, const ifl_sass_operand *operand, unsigned style,
                       const ifl_sass_instruction *in)
{
    switch (operand->kind) {
    case IFL_SASS_IMMEDIATE:
        put_literal(out, operand, ifl_sass_literal_of(&ifl_sass_styles[style], in), in);
        break;
    case IFL_SASS_CONSTANT:
        put_constant(out, operand);
        break;
    default:
        put_numbered(out, operand);
    }
}

/* ---- any operand ----------------------------------------------------------------------------- */

static bool is_reused(const ifl_sass_operand *operand, const ifl_sass_place *place,
                      const ifl_sass_instruction *in)
{
    static const uint8_t ports[] = {
        [IFL_SASS_FIRST] = 1, [IFL_SASS_SECOND] = 2, [IFL_SASS_THIRD] = 3,
        [IFL_SASS_LAST] = 3,  [IFL_SASS_SCALED] = 2, [IFL_SASS_SCALE] = 3,
    };
    const unsigned port = place->syntax == IFL_SASS_AS_SOURCE ? ports[place->slot] : place->port;
    if (place->reuse_at)
        return ifl_sass_bits(in->word, place->reuse_at, 1);
    return port && operand->kind == IFL_SASS_REGISTER && !in->yield && in->reuse >> (port - 1) & 1;
}

static const char *sign_of(const ifl_sass_operand *operand)
{
    if (operand->inverted)
        return operand->kind == IFL_SASS_PREDICATE || operand->kind == IFL_SASS_UNIFORM_PREDICATE
                   ? "!"
                   : "~";
    return operand->negated ? "-" : "";
}

/* The part of a register is written after the bars, any other source's, and what is converted,
 * between them. */
static bool is_part_within(const ifl_sass_operand *operand, unsigned style)
{
    return operand->absolute &&
           (operand->kind != IFL_SASS_REGISTER || ifl_sass_styles[style].select_by_type);
}

static void put_operand(writer *out, const ifl_sass_operand *operand, uint64_t described,
                        const ifl_sass_instruction *in)
{
    const ifl_sass_place *place = &ifl_sass_places[IFL_SASS_PLACE_OF(described)];
    const char *bar = operand->absolute ? "|" : "", *part = ifl_sass_word_text(operand->select);
    const bool is_within = is_part_within(operand, IFL_SASS_STYLE_OF(described));
    put(out, "%s%s", sign_of(operand), bar);
    if (place->syntax == IFL_SASS_AS_SOURCE)
        put_source(out, operand, IFL_SASS_STYLE_OF(described), in);
    else
        put_placed(out, operand, place, in);
    put(out, "%s%s%s%s", is_within ? part : "", bar, is_reused(operand, place, in) ? ".reuse" : "",
        is_within ? "" : part);
    for (unsigned i = 0; i < IFL_SASS_SUFFIXES && place->suffix[i]; i++)
        put_text(out, field_text(place->suffix[i], 0, in));
}

static bool is_default(const ifl_sass_operand *operand, const ifl_sass_place *place)
{
    switch (operand->kind) {
    case IFL_SASS_PREDICATE:
    case IFL_SASS_UNIFORM_PREDICATE:
        return operand->index == PREDICATE_TRUE;
    case IFL_SASS_IMMEDIATE:
    case IFL_SASS_SPECIAL:
        return operand->value == place->standard;
    default:
        return operand->index == NO_REGISTER;
    }
}

static bool is_hidden(const ifl_sass_operand *operand, uint64_t described,
                      const ifl_sass_instruction *in)
{
    enum { LAST_TO_HIDE = 90 };
    const ifl_sass_place *place = &ifl_sass_places[IFL_SASS_PLACE_OF(described)];
    const unsigned hide = IFL_SASS_HIDE_OF(described);
    const bool hides = place->hidden_at || hide == IFL_SASS_HIDES ||
                       (hide == IFL_SASS_HIDES_TO_90 && in->sm <= LAST_TO_HIDE);
    return hides && !operand->inverted && is_default(operand, place);
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void put_operands(writer *out, const ifl_sass_instruction *in)
{
    const ifl_sass_row *row =
        in->row && in->row <= ifl_sass_row_count ? &ifl_sass_rows[in->row - 1] : NULL;
    const uint16_t architecture = ifl_sass_architecture_bit(in->sm);
    const char *separator = " ";
    for (unsigned i = 0, at = 0; i < in->operand_count && i < IFL_SASS_OPERANDS; i++, at++) {
        while (row && at + 1 < IFL_SASS_ROW_OPERANDS &&
               !ifl_sass_has_operand(row->operand[at], architecture, in->word))
            at++;
        if (row && is_hidden(&in->operand[i], row->operand[at], in))
            continue;
        put_text(out, row && ifl_sass_places[IFL_SASS_PLACE_OF(row->operand[at])].is_joined
                          ? " "
                          : separator);
        if (row)
            put_operand(out, &in->operand[i], row->operand[at], in);
        else {
            /* An operand of an instruction that was made by hand. */
            static const ifl_sass_place address = {
                .syntax = IFL_SASS_AS_MEMORY, .is_signed = true, .base_at = 1};
            put_text(out, sign_of(&in->operand[i]));
            put_placed(out, &in->operand[i], &address, in);
        }
        separator = ", ";
    }
}

static const char *element_text(uint64_t element, const ifl_sass_instruction *in)
{
    static const char *const products[] = {
        [IFL_SASS_PRODUCT] = "",
        [IFL_SASS_PRODUCT_MOVES] = ".MOV",
        [IFL_SASS_PRODUCT_ADDS] = ".IADD",
        [IFL_SASS_PRODUCT_SHIFTS] = ".SHL",
    };
    switch (IFL_SASS_KIND_OF(element)) {
    case IFL_SASS_HAS:
    case IFL_SASS_IS:
        return field_text(IFL_SASS_WHAT(element), IFL_SASS_AT_OF(element), in);
    case IFL_SASS_SAYS:
        return ifl_sass_word_text(IFL_SASS_WORD_OF(element));
    case IFL_SASS_PRODUCT_NAME:
        return products[ifl_sass_product_of(in)];
    default:
        return "";
    }
}

static void put_mnemonic(writer *out, const ifl_sass_instruction *in)
{
    const ifl_sass_row *row =
        in->row && in->row <= ifl_sass_row_count ? &ifl_sass_rows[in->row - 1] : NULL;
    const uint16_t architecture = ifl_sass_architecture_bit(in->sm);
    put_text(out, ifl_sass_op_text(in->op));
    for (unsigned i = 0; row && i < IFL_SASS_ELEMENTS && row->element[i]; i++)
        if (ifl_sass_is_on(row->element[i], architecture, in->word))
            put_text(out, element_text(row->element[i], in));
}

char *ifl_sass_mnemonic(const ifl_sass_instruction *instruction, char *to, size_t size)
{
    writer out = {to, size};
    if (!size)
        return to;
    *to = 0;
    if (instruction->op)
        put_mnemonic(&out, instruction);
    return to;
}

char *ifl_sass_text(const ifl_sass_instruction *instruction, char *to, size_t size)
{
    writer out = {to, size};
    if (!size)
        return to;
    *to = 0;
    if (!instruction->op) {
        put(&out, ".word 0x%016" PRIx64 "%016" PRIx64, instruction->word[1], instruction->word[0]);
        return to;
    }
    put_mnemonic(&out, instruction);
    put_operands(&out, instruction);
    return to;
}

static void put_guard(writer *out, const ifl_sass_instruction *instruction)
{
    enum { ALWAYS = 7 };
    const char *predicate = instruction->guard_uniform ? "UP" : "P";
    const char *inverted = instruction->guard_negated ? "!" : "";
    if (instruction->guard != ALWAYS)
        put(out, "@%s%s%u ", inverted, predicate, instruction->guard % ALWAYS);
    else if (instruction->guard_negated)
        put(out, "@%s%sT ", inverted, predicate);
}

char *ifl_sass_guarded_text(const ifl_sass_instruction *instruction, char *to, size_t size)
{
    writer out = {to, size};
    if (!size)
        return to;
    *to = 0;
    put_guard(&out, instruction);
    if (instruction->op) {
        put_mnemonic(&out, instruction);
        put_operands(&out, instruction);
    } else {
        put(&out, "(unknown) 0x%016" PRIx64 " 0x%016" PRIx64, instruction->word[0],
            instruction->word[1]);
    }
    return to;
}
