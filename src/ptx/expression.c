/* SPDX-License-Identifier: Apache-2.0
 * Constant expressions. PTX ISA 9.0, section "Constants": 64-bit integers, signed unless they have
 * a U or do not fit; the operators and precedences of C; usual promotions (one unsigned operand
 * makes the result unsigned). */
#include "ptx/expression.h"

#include "ptx/parser.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64, WARP_SIZE = 32 };

/* ---- literals ------------------------------------------------------------------------------- */

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

static bool read_digits(const char *at, size_t length, int base, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < length; i++) {
        int digit = digit_of(at[i]);
        if (digit >= base || *value > (UINT64_MAX - (uint64_t)digit) / (uint64_t)base)
            return false;
        *value = *value * (uint64_t)base + (uint64_t)digit;
    }
    return length > 0;
}

static bool read_integer(const char *at, size_t length, ifl_ptx_value *out)
{
    int base = 10;
    bool is_unsigned = at[length - 1] == 'U';
    length -= is_unsigned;
    if (length > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
        base = 16, at += 2, length -= 2;
    else if (length > 2 && at[0] == '0' && (at[1] == 'b' || at[1] == 'B'))
        base = 2, at += 2, length -= 2;
    else if (length > 1 && at[0] == '0')
        base = 8, at += 1, length -= 1;
    if (!read_digits(at, length, base, &out->bits))
        return false;
    out->kind = is_unsigned || out->bits > INT64_MAX ? IFL_PTX_UNSIGNED : IFL_PTX_SIGNED;
    return true;
}

/* 0fXXXXXXXX and 0dXXXXXXXXXXXXXXXX: the bits of a float or a double. */
static bool read_pattern(const char *at, size_t length, ifl_ptx_value *out)
{
    bool is_single = at[1] == 'f' || at[1] == 'F';
    uint64_t bits;
    if (length != (is_single ? 10u : 18u) || !read_digits(at + 2, length - 2, 16, &bits))
        return false;
    if (is_single)
        *out = (ifl_ptx_value){.kind = IFL_PTX_SINGLE, .bits = bits};
    else
        *out =
            (ifl_ptx_value){.kind = IFL_PTX_DOUBLE, .bits = bits}; /* shares its bytes with real */
    return true;
}

/* strtod in the "C" locale, whatever the program's is. */
static bool read_real(const char *at, size_t length, ifl_ptx_value *out)
{
    char text[128], *end;
    if (length >= sizeof text)
        return false;
    memcpy(text, at, length);
    text[length] = '\0';
    locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!locale)
        return false;
    *out = (ifl_ptx_value){.kind = IFL_PTX_DOUBLE, .real = strtod_l(text, &end, locale)};
    freelocale(locale);
    return end == text + length;
}

static bool read_number(const char *at, size_t length, ifl_ptx_value *out)
{
    bool has_prefix = length > 1 && at[0] == '0';
    if (has_prefix && strchr("fFdD", at[1]))
        return read_pattern(at, length, out);
    if (has_prefix && strchr("xXbB", at[1]))
        return read_integer(at, length, out);
    if (memchr(at, '.', length) || memchr(at, 'e', length) || memchr(at, 'E', length))
        return read_real(at, length, out);
    return read_integer(at, length, out);
}

/* ---- operators ------------------------------------------------------------------------------- */

static bool is_integer(const ifl_ptx_value *value)
{
    return value->kind <= IFL_PTX_UNSIGNED;
}

static double real_of(const ifl_ptx_value *value)
{
    if (value->kind == IFL_PTX_DOUBLE)
        return value->real;
    if (value->kind == IFL_PTX_SINGLE) {
        float single;
        uint32_t bits = (uint32_t)value->bits;
        memcpy(&single, &bits, sizeof single);
        return single;
    }
    return value->kind == IFL_PTX_UNSIGNED ? (double)value->bits : (double)(int64_t)value->bits;
}

static ifl_ptx_value truth(bool is_true)
{
    return (ifl_ptx_value){.kind = IFL_PTX_SIGNED, .bits = is_true};
}

static bool is_true(const ifl_ptx_value *value)
{
    return is_integer(value) ? value->bits != 0 : real_of(value) != 0;
}

/* INT64_MIN / -1 has no value in 64 bits; the quotient wraps as the other operators do. */
static uint64_t divide(uint64_t a, uint64_t b, bool is_signed, bool wants_rest)
{
    if (!is_signed)
        return wants_rest ? a % b : a / b;
    if ((int64_t)b == -1)
        return wants_rest ? 0 : 0 - a;
    return (uint64_t)(wants_rest ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static uint64_t shift_right(uint64_t a, uint64_t count, bool is_signed)
{
    if (count > 63)
        return is_signed && (int64_t)a < 0 ? UINT64_MAX : 0;
    return is_signed ? (uint64_t)((int64_t)a >> count) : a >> count;
}

static int order_of(const ifl_ptx_value *a, const ifl_ptx_value *b, bool is_signed)
{
    if (is_signed)
        return ((int64_t)a->bits > (int64_t)b->bits) - ((int64_t)a->bits < (int64_t)b->bits);
    return (a->bits > b->bits) - (a->bits < b->bits);
}

/* What a comparison says of an order: -1, 0 or 1; false when `op` is none. */
static bool compare(int op, int order, ifl_ptx_value *out)
{
    static const struct {
        int op;
        bool below, same, above;
    } table[] = {
        {'<', true, false, false},
        {'>', false, false, true},
        {IFL_PTX_PAIR('<', '='), true, true, false},
        {IFL_PTX_PAIR('>', '='), false, true, true},
        {IFL_PTX_PAIR('=', '='), false, true, false},
        {IFL_PTX_PAIR('!', '='), true, false, true},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].op != op)
            continue;
        *out = truth(order < 0 ? table[i].below : order > 0 ? table[i].above : table[i].same);
        return true;
    }
    return false;
}

/* False for an operator that integers do not have or a division by zero. */
static bool calculate(int op, uint64_t x, uint64_t y, bool is_signed, uint64_t *result)
{
    if ((op == '/' || op == '%') && !y)
        return false;
    switch (op) {
    case '+':
        *result = x + y;
        return true;
    case '-':
        *result = x - y;
        return true;
    case '*':
        *result = x * y;
        return true;
    case '/':
    case '%':
        *result = divide(x, y, is_signed, op == '%');
        return true;
    case '&':
        *result = x & y;
        return true;
    case '|':
        *result = x | y;
        return true;
    case '^':
        *result = x ^ y;
        return true;
    case IFL_PTX_PAIR('<', '<'):
        *result = y > 63 ? 0 : x << y;
        return true;
    case IFL_PTX_PAIR('>', '>'):
        *result = shift_right(x, y, is_signed);
        return true;
    default:
        return false;
    }
}

static bool apply_integers(int op, const ifl_ptx_value *a, const ifl_ptx_value *b,
                           ifl_ptx_value *out)
{
    bool is_shift = op == IFL_PTX_PAIR('<', '<') || op == IFL_PTX_PAIR('>', '>');
    bool is_signed = a->kind == IFL_PTX_SIGNED && (is_shift || b->kind == IFL_PTX_SIGNED);
    uint64_t result;
    if (compare(op, order_of(a, b, is_signed), out))
        return true;
    if (!calculate(op, a->bits, b->bits, is_signed, &result))
        return false;
    *out = (ifl_ptx_value){.kind = is_signed ? IFL_PTX_SIGNED : IFL_PTX_UNSIGNED, .bits = result};
    return true;
}

static bool apply_reals(int op, double a, double b, ifl_ptx_value *out)
{
    double result;
    bool is_ordered = a == a && b == b;
    if (is_ordered && compare(op, (a > b) - (a < b), out))
        return true;
    switch (op) {
    case '+':
        result = a + b;
        break;
    case '-':
        result = a - b;
        break;
    case '*':
        result = a * b;
        break;
    case '/':
        result = a / b;
        break;
    default:
        return false;
    }
    *out = (ifl_ptx_value){.kind = IFL_PTX_DOUBLE, .real = result};
    return true;
}

static bool apply(int op, const ifl_ptx_value *a, const ifl_ptx_value *b, ifl_ptx_value *out)
{
    if (op == IFL_PTX_PAIR('&', '&') || op == IFL_PTX_PAIR('|', '|')) {
        bool is_and = op == IFL_PTX_PAIR('&', '&');
        *out = truth(is_and ? is_true(a) && is_true(b) : is_true(a) || is_true(b));
        return true;
    }
    if (is_integer(a) && is_integer(b))
        return apply_integers(op, a, b, out);
    return apply_reals(op, real_of(a), real_of(b), out);
}

static int precedence_of(int op)
{
    static const struct {
        int op, precedence;
    } table[] = {
        {IFL_PTX_PAIR('|', '|'), 1},
        {IFL_PTX_PAIR('&', '&'), 2},
        {'|', 3},
        {'^', 4},
        {'&', 5},
        {IFL_PTX_PAIR('=', '='), 6},
        {IFL_PTX_PAIR('!', '='), 6},
        {'<', 7},
        {'>', 7},
        {IFL_PTX_PAIR('<', '='), 7},
        {IFL_PTX_PAIR('>', '='), 7},
        {IFL_PTX_PAIR('<', '<'), 8},
        {IFL_PTX_PAIR('>', '>'), 8},
        {'+', 9},
        {'-', 9},
        {'*', 10},
        {'/', 10},
        {'%', 10},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].op == op)
            return table[i].precedence;
    return 0;
}

enum { LOWEST = 1, ADDITIVE = 9 };

/* ---- the grammar ---------------------------------------------------------------------------- */

static bool take_choice(ifl_ptx_parser *parser, int depth, ifl_ptx_value *out);

static bool take_literal(ifl_ptx_parser *parser, ifl_ptx_value *out)
{
    const ifl_ptx_token *token = &parser->lexer.token;
    if (ifl_ptx_is_text(parser, IFL_PTX_WORD, "WARP_SZ"))
        *out = (ifl_ptx_value){.kind = IFL_PTX_SIGNED, .bits = WARP_SIZE};
    else if (token->kind != IFL_PTX_NUMBER)
        return ifl_ptx_unexpected(parser, "a constant");
    else if (!read_number(token->at, token->length, out))
        return ifl_ptx_fail(parser, token->at, "'%.*s' is not a number",
                            (int)(token->length < 80 ? token->length : 80), token->at);
    ifl_ptx_next(parser);
    return true;
}

/* "(.s64)" and "(.u64)" in front of an operand; true in *is_cast when there was one. */
static bool accept_cast(ifl_ptx_parser *parser, ifl_ptx_value *kind, bool *is_cast)
{
    ifl_ptx_lexer start = parser->lexer;
    *is_cast = false;
    if (!ifl_ptx_accept(parser, '('))
        return true;
    bool is_signed = ifl_ptx_is_text(parser, IFL_PTX_DOT, "s64");
    if (!is_signed && !ifl_ptx_is_text(parser, IFL_PTX_DOT, "u64")) {
        parser->lexer = start;
        return true;
    }
    ifl_ptx_next(parser);
    kind->kind = is_signed ? IFL_PTX_SIGNED : IFL_PTX_UNSIGNED;
    *is_cast = true;
    return ifl_ptx_expect(parser, ')', "after the cast");
}

static bool negate(ifl_ptx_value *value)
{
    if (is_integer(value))
        value->bits = 0 - value->bits;
    else
        *value = (ifl_ptx_value){.kind = IFL_PTX_DOUBLE, .real = -real_of(value)};
    return true;
}

static bool apply_unary(int op, ifl_ptx_value *value)
{
    if (op == '-')
        return negate(value);
    if (op == '!')
        *value = truth(!is_true(value));
    else if (op == '~' && is_integer(value))
        value->bits = ~value->bits;
    return op != '~' || is_integer(value);
}

static bool take_unary(ifl_ptx_parser *parser, int depth, ifl_ptx_value *out)
{
    const ifl_ptx_token token = parser->lexer.token;
    ifl_ptx_value kind;
    bool is_cast;
    if (depth > MAX_DEPTH)
        return ifl_ptx_fail(parser, token.at, "this expression is nested too deeply");
    if (token.kind == IFL_PTX_PUNCT && token.punct < 0x80 && strchr("+-!~", token.punct)) {
        ifl_ptx_next(parser);
        if (!take_unary(parser, depth + 1, out))
            return false;
        return apply_unary(token.punct, out) ||
               ifl_ptx_fail(parser, token.at, "'~' needs a whole number");
    }
    if (!accept_cast(parser, &kind, &is_cast))
        return false;
    if (is_cast) {
        if (!take_unary(parser, depth + 1, out))
            return false;
        if (!is_integer(out))
            return ifl_ptx_fail(parser, token.at, "only whole numbers can be cast");
        out->kind = kind.kind;
        return true;
    }
    if (!ifl_ptx_accept(parser, '('))
        return take_literal(parser, out);
    return take_choice(parser, depth + 1, out) &&
           ifl_ptx_expect(parser, ')', "to close the parenthesis");
}

static bool take_binary(ifl_ptx_parser *parser, int lowest, int depth, ifl_ptx_value *out)
{
    if (!take_unary(parser, depth, out))
        return false;
    for (;;) {
        ifl_ptx_value right;
        ifl_ptx_token op = parser->lexer.token;
        int precedence = op.kind == IFL_PTX_PUNCT ? precedence_of(op.punct) : 0;
        if (!precedence || precedence < lowest)
            return true;
        ifl_ptx_next(parser);
        if (!take_binary(parser, precedence + 1, depth, &right))
            return false;
        ifl_ptx_value left = *out;
        if (!apply(op.punct, &left, &right, out))
            return ifl_ptx_fail(parser, op.at, "'%.*s' has no value here", (int)op.length, op.at);
    }
}

static bool take_choice(ifl_ptx_parser *parser, int depth, ifl_ptx_value *out)
{
    ifl_ptx_value yes, no;
    if (!take_binary(parser, LOWEST, depth, out))
        return false;
    if (!ifl_ptx_accept(parser, '?'))
        return true;
    if (!take_choice(parser, depth + 1, &yes) ||
        !ifl_ptx_expect(parser, ':', "between the two values of '?'") ||
        !take_choice(parser, depth + 1, &no))
        return false;
    *out = is_true(out) ? yes : no;
    return true;
}

bool ifl_ptx_take_expression(ifl_ptx_parser *parser, ifl_ptx_value *out)
{
    return take_choice(parser, 0, out);
}

bool ifl_ptx_take_offset(ifl_ptx_parser *parser, int64_t *offset)
{
    ifl_ptx_value value;
    const char *at = parser->lexer.token.at;
    if (ifl_ptx_is(parser, '+'))
        ifl_ptx_next(parser); /* a minus belongs to the first number */
    if (!take_binary(parser, ADDITIVE, 0, &value))
        return false;
    if (!is_integer(&value))
        return ifl_ptx_fail(parser, at, "an offset is a whole number of bytes");
    *offset = (int64_t)value.bits;
    return true;
}

bool ifl_ptx_is_expression_start(const ifl_ptx_parser *parser)
{
    const ifl_ptx_token *token = &parser->lexer.token;
    bool is_sign = token->kind == IFL_PTX_PUNCT && token->punct > 0 && token->punct < 0x80 &&
                   strchr("+-!~(", token->punct);
    return token->kind == IFL_PTX_NUMBER || is_sign ||
           ifl_ptx_is_text(parser, IFL_PTX_WORD, "WARP_SZ");
}

/* ---- values as bits of a type --------------------------------------------------------------- */

static int64_t single_bits(double real)
{
    float single = (float)real;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

static int64_t double_bits(double real)
{
    int64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

bool ifl_ptx_value_bits(const ifl_ptx_value *value, ifl_type type, int64_t *bits)
{
    unsigned width = ifl_type_bits(type);
    char class = ifl_type_class(type);
    *bits = (int64_t)value->bits;
    if (is_integer(value)) {
        if (class == 'P')
            *bits = value->bits != 0;
        return true;
    }
    if ((class != 'F' && class != 'B') || (width != 32 && width != 64) || type == IFL_TYPE_F16X2 ||
        type == IFL_TYPE_BF16X2 || type == IFL_TYPE_F32X2)
        return false;
    /* A pattern stays what it is in its own width: a signalling NaN too. */
    if (width == 32 && value->kind != IFL_PTX_SINGLE)
        *bits = single_bits(value->real);
    else if (width == 64 && value->kind == IFL_PTX_SINGLE)
        *bits = double_bits(real_of(value));
    return true;
}
