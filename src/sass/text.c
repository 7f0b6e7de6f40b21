/* SPDX-License-Identifier: Apache-2.0
 * An instruction as nvdisasm writes it, without guard and control. Knows the tables; decides nothing. */
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

/* ---- numbers --------------------------------------------------------------------------------- */

static void put_hexadecimal(writer *out, int64_t value, bool is_signed)
{
    if (is_signed && value < 0)
        put(out, "-0x%" PRIx64, -(uint64_t)value);
    else
        put(out, "0x%" PRIx64, (uint64_t)value);
}

/* Twenty digits; from 10^9 on with an exponent. */
static void put_finite(writer *out, double value)
{
    const double large = 1e9;
    if (value == 0 && signbit(value))
        put(out, "-0.0");
    else
        put(out, fabs(value) >= large ? "%.20e" : "%.20g", value);
}

static void put_float(writer *out, double value, bool is_negative, bool is_quiet)
{
    if (isfinite(value))
        put_finite(out, value);
    else
        put(out, "%c%s", is_negative ? '-' : '+', isinf(value) ? "INF" : is_quiet ? "QNAN" : "SNAN");
}

typedef struct float_layout {
    uint8_t fraction, exponent; /* bits */
} float_layout;

static const float_layout float_layouts[] = {
    [IFL_SASS_AS_FLOAT16] = {10, 5},
    [IFL_SASS_AS_BFLOAT16] = {7, 8},
    [IFL_SASS_AS_FLOAT32] = {23, 8},
    [IFL_SASS_AS_FLOAT64_HIGH] = {20, 11},
};

static void put_float_bits(writer *out, uint64_t bits, float_layout layout)
{
    const unsigned top = layout.fraction + layout.exponent;
    const uint64_t fraction = bits & ((UINT64_C(1) << layout.fraction) - 1);
    const int most = (1 << layout.exponent) - 1, bias = most / 2;
    const int exponent = (int)(bits >> layout.fraction) & most;
    const bool is_negative = bits >> top & 1;
    double value;
    if (exponent == most)
        value = fraction ? NAN : INFINITY;
    else if (exponent)
        value = ldexp((double)(fraction | UINT64_C(1) << layout.fraction), exponent - bias - layout.fraction);
    else
        value = ldexp((double)fraction, 1 - bias - layout.fraction);
    put_float(out, is_negative ? -value : value, is_negative, fraction >> (layout.fraction - 1) & 1);
}

/* ---- operands -------------------------------------------------------------------------------- */

static void put_register(writer *out, const char *prefix, unsigned index, unsigned none, char none_letter)
{
    if (index == none)
        put(out, "%s%c", prefix, none_letter);
    else
        put(out, "%s%u", prefix, index);
}

static const char *field(uint16_t id, const ifl_sass_instruction *in)
{
    const char *text = id ? ifl_sass_field_text(id, in->word) : NULL;
    return text ? text : "";
}

static void put_suffixes(writer *out, const ifl_sass_format *format, const ifl_sass_instruction *in)
{
    for (unsigned i = 0; i < IFL_SASS_SUFFIXES && format->suffix[i]; i++)
        put(out, "%s", field(format->suffix[i], in));
}

/* RZ says nothing where another part follows, unless the way in which it would be extended or scaled is written. */
static bool is_base_written(const ifl_sass_operand *operand, const ifl_sass_format *format, bool has_uniform,
                            const char *suffix)
{
    if (!format->has_base)
        return false;
    if (operand->base != NO_REGISTER || (!has_uniform && !operand->value))
        return true;
    const bool is_scaled = operand->scale == 4 || operand->scale == 8 || operand->scale == 16;
    return *suffix && (has_uniform ? is_scaled || format->base_stays : !is_scaled);
}

/* base + uniform + offset; what is nothing is left out, unless nothing would be left. */
static void put_sum(writer *out, const ifl_sass_operand *operand, const ifl_sass_format *format,
                    const ifl_sass_instruction *in)
{
    const char *plus = "", *suffix = field(format->base_suffix, in);
    const bool is_hidden = format->uniform_hides && operand->uniform == NO_REGISTER &&
                           (format->has_base || operand->value);
    const bool has_uniform = format->has_uniform && !is_hidden;
    if (is_base_written(operand, format, has_uniform, suffix)) {
        put_register(out, "R", operand->base, NO_REGISTER, 'Z');
        put(out, "%s", suffix);
        plus = "+";
    }
    if (has_uniform) {
        put(out, "%s", plus);
        put_register(out, "UR", operand->uniform, NO_REGISTER, 'Z');
        put(out, "%s", field(format->uniform_suffix, in));
        plus = "+";
    }
    if (operand->value || !*plus) {
        put(out, "%s", plus);
        put_hexadecimal(out, operand->value, format->number.is_signed);
    }
}

static void put_memory(writer *out, const ifl_sass_operand *operand, const ifl_sass_format *format,
                       const ifl_sass_instruction *in)
{
    put(out, "%s", format->name ? format->name : "");
    if (format->has_bank) {
        put(out, "[");
        put_register(out, "UR", (unsigned)ifl_sass_number_at(&format->bank, in->word),
                     (1u << format->bank.run[0].width) - 1, 'Z');
        put(out, format->spaced ? "] " : "]");
    }
    put(out, "[");
    put_sum(out, operand, format, in);
    put(out, "]");
}

static void put_constant(writer *out, const ifl_sass_operand *operand, const ifl_sass_format *format,
                         const ifl_sass_instruction *in)
{
    put(out, "c[0x%x]%s[", operand->index, format->spaced ? " " : "");
    put_sum(out, operand, format, in);
    put(out, "]");
}

static const struct {
    const char *prefix;
    uint8_t none;
    char none_letter;
} registers[] = {
    [IFL_SASS_AS_REGISTER] = {"R", NO_REGISTER, 'Z'},
    [IFL_SASS_AS_UNIFORM_REGISTER] = {"UR", NO_REGISTER, 'Z'},
    [IFL_SASS_AS_PREDICATE] = {"P", PREDICATE_TRUE, 'T'},
    [IFL_SASS_AS_UNIFORM_PREDICATE] = {"UP", PREDICATE_TRUE, 'T'},
    [IFL_SASS_AS_BARRIER_REGISTER] = {"B", NO_REGISTER, 'Z'},
    [IFL_SASS_AS_SCOREBOARD] = {"SB", NO_REGISTER, 'Z'},
};

/* Which of an instruction's reuse bits keeps the operand, 1 + its number; 0: none. Where the third operand is no register,
 * the second one lies in the third one's place. */
static unsigned port_of(const ifl_sass_format *format, const ifl_sass_instruction *in)
{
    enum { FORM_AT = 9, FORM_MASK = 7, FIRST = 24, SECOND = 32, THIRD = 64 };
    const unsigned form = (unsigned)(in->word[0] >> FORM_AT) & FORM_MASK;
    const bool is_moved = form == 2 || form == 3 || form == 7;
    if (format->port)
        return format->port;
    switch (format->number.run[0].at) {
    case FIRST:
        return 1;
    case SECOND:
        return 2;
    case THIRD:
        return is_moved ? 2 : 3;
    default:
        return 0;
    }
}

static bool is_reused(const ifl_sass_format *format, const ifl_sass_instruction *in)
{
    const unsigned port = format->syntax == IFL_SASS_AS_REGISTER && !in->yield ? port_of(format, in) : 0;
    return port && port != IFL_SASS_NO_PORT && in->reuse >> (port - 1) & 1;
}

static void put_core(writer *out, const ifl_sass_operand *operand, const ifl_sass_format *format,
                     const ifl_sass_instruction *in)
{
    switch (format->syntax) {
    case IFL_SASS_AS_WORD:
        break;
    case IFL_SASS_AS_INTEGER:
        put_hexadecimal(out, operand->value, format->number.is_signed);
        break;
    case IFL_SASS_AS_TARGET:
        put_hexadecimal(out, operand->value, true);
        break;
    case IFL_SASS_AS_CONSTANT:
        put_constant(out, operand, format, in);
        break;
    case IFL_SASS_AS_MEMORY:
        put_memory(out, operand, format, in);
        break;
    case IFL_SASS_AS_FLOAT16:
    case IFL_SASS_AS_BFLOAT16:
    case IFL_SASS_AS_FLOAT32:
    case IFL_SASS_AS_FLOAT64_HIGH:
        put_float_bits(out, (uint64_t)operand->value, float_layouts[format->syntax]);
        break;
    default:
        put_register(out, registers[format->syntax].prefix, operand->index, registers[format->syntax].none,
                     registers[format->syntax].none_letter);
    }
}

static void put_operand(writer *out, const ifl_sass_operand *operand, const ifl_sass_format *format,
                        const ifl_sass_instruction *in)
{
    put(out, "%s", field(format->prefix, in));
    put(out, "%s", field(format->absolute, in));
    put_core(out, operand, format, in);
    put(out, "%s", field(format->absolute, in));
    if (is_reused(format, in))
        put(out, ".reuse");
    put_suffixes(out, format, in);
}

static bool is_default(const ifl_sass_operand *operand, const ifl_sass_format *format)
{
    switch (operand->kind) {
    case IFL_SASS_PREDICATE:
    case IFL_SASS_UNIFORM_PREDICATE:
        return operand->index == PREDICATE_TRUE;
    case IFL_SASS_IMMEDIATE:
        return operand->value == format->standard;
    case IFL_SASS_SPECIAL:
        return !operand->text || !*operand->text;
    default:
        return operand->index == NO_REGISTER;
    }
}

static bool is_hidden(const ifl_sass_operand *operand, const ifl_sass_format *format,
                      const ifl_sass_instruction *in)
{
    const bool is_prefixed = *field(format->prefix, in);
    return format->hide & (is_prefixed ? IFL_SASS_HIDE_PREFIXED : IFL_SASS_HIDE) && is_default(operand, format);
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* How operands that no row describes are written: those of instructions made by hand. */
static const ifl_sass_format plain_formats[] = {
    [IFL_SASS_NONE] = {.syntax = IFL_SASS_AS_WORD},
    [IFL_SASS_REGISTER] = {.syntax = IFL_SASS_AS_REGISTER},
    [IFL_SASS_UNIFORM_REGISTER] = {.syntax = IFL_SASS_AS_UNIFORM_REGISTER},
    [IFL_SASS_PREDICATE] = {.syntax = IFL_SASS_AS_PREDICATE},
    [IFL_SASS_UNIFORM_PREDICATE] = {.syntax = IFL_SASS_AS_UNIFORM_PREDICATE},
    [IFL_SASS_BARRIER_REGISTER] = {.syntax = IFL_SASS_AS_BARRIER_REGISTER},
    [IFL_SASS_SCOREBOARD] = {.syntax = IFL_SASS_AS_SCOREBOARD},
    [IFL_SASS_SPECIAL] = {.syntax = IFL_SASS_AS_WORD},
    [IFL_SASS_IMMEDIATE] = {.syntax = IFL_SASS_AS_INTEGER, .number.is_signed = true},
    [IFL_SASS_CONSTANT] = {.syntax = IFL_SASS_AS_CONSTANT, .has_base = true},
    [IFL_SASS_MEMORY] = {.syntax = IFL_SASS_AS_MEMORY, .has_base = true, .number.is_signed = true},
    [IFL_SASS_TARGET] = {.syntax = IFL_SASS_AS_TARGET},
};

static const ifl_sass_format *format_of(const ifl_sass_instruction *in, unsigned i)
{
    const unsigned kind = in->operand[i].kind;
    if (in->row && in->row <= ifl_sass_row_count)
        return &ifl_sass_formats[ifl_sass_rows[in->row - 1].slot[i].format];
    return &plain_formats[kind < sizeof plain_formats / sizeof *plain_formats ? kind : IFL_SASS_NONE];
}

static void put_operands(writer *out, const ifl_sass_instruction *in)
{
    const char *separator = " ";
    for (unsigned i = 0; i < in->operand_count && i < IFL_SASS_OPERANDS; i++) {
        const ifl_sass_format *format = format_of(in, i);
        if (is_hidden(&in->operand[i], format, in))
            continue;
        put(out, "%s", format->joined ? " " : separator);
        if (!in->row && in->operand[i].text)
            put(out, "%s", in->operand[i].text);
        else
            put_operand(out, &in->operand[i], format, in);
        separator = ", ";
    }
}

char *ifl_sass_text(const ifl_sass_instruction *instruction, char *to, size_t size)
{
    writer out = {to, size};
    if (!size)
        return to;
    *to = 0;
    if (!instruction->opcode) {
        put(&out, ".word 0x%016" PRIx64 "%016" PRIx64, instruction->word[1], instruction->word[0]);
        return to;
    }
    put(&out, "%s%s", instruction->opcode, instruction->modifiers);
    put_operands(&out, instruction);
    return to;
}
