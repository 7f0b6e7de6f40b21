/* SPDX-License-Identifier: Apache-2.0
 * See budget_expression.h. The tree is that of a recursive descent: sum of products of names,
 * numbers and parentheses. */
#include "check/budget_expression.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NESTED = 32 };

struct ifl_expression {
    char operation; /* '+', '-', '*', '/'; 'n': a name; '=': a number */
    const char *name;
    double number;
    const ifl_expression *left, *right;
};

/* Words for sums that budgets often need. */
#define FP64_PTX                                                                                   \
    "opcode:add*.f64 + opcode:sub*.f64 + opcode:mul*.f64 + opcode:fma*.f64 + opcode:mad*.f64 + "   \
    "opcode:div*.f64"
#define FP64_MACHINE " + opcode:DADD* + opcode:DMUL* + opcode:DFMA*"
static const struct {
    const char *name, *means;
} shorthands[] = {
    {"sectors", "global_load_sectors + global_store_sectors + global_atomic_sectors_touched"},
    {"sectors_ideal",
     "global_load_sectors_ideal + global_store_sectors_ideal + global_atomic_sectors_ideal"},
    {"requests", "global_load_requests + global_store_requests + global_atomic_requests"},
    {"bank_conflicts",
     "shared_load_wavefronts - shared_load_wavefronts_ideal + shared_store_wavefronts"
     " - shared_store_wavefronts_ideal"},
    {"local_sectors", "local_load_sectors + local_store_sectors"},
    {"spill_bytes", "spill_load_bytes + spill_store_bytes"},
    {"fp64_instructions", FP64_PTX FP64_MACHINE},
};

typedef struct parser {
    ifl_arena *arena;
    const char *text, *at, *end;
    int depth;
    ifl_error *error;
} parser;

static ifl_status parse_sum(parser *p, const ifl_expression **out);

static ifl_status fail(const parser *p, const char *what)
{
    ifl_status status = ifl_fail(p->error, IFL_BAD_INPUT, "%s", what);
    if (p->error)
        p->error->column = (int)(p->at - p->text) + 1;
    return status;
}

static char peek(parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
        p->at++;
    return p->at < p->end ? *p->at : '\0';
}

static ifl_status make(parser *p, ifl_expression e, const ifl_expression **out)
{
    ifl_expression *made = ifl_arena_alloc(p->arena, sizeof *made);
    if (!made)
        return ifl_fail_memory(p->error, sizeof *made);
    *made = e;
    *out = made;
    return IFL_OK;
}

const char *ifl_expression_number(const char *text, double *value)
{
    static const char suffixes[] = "KMGT";
    char *end;
    *value = strtod(text, &end);
    if (end == text || !isfinite(*value))
        return NULL;
    if (*end == '^') {
        const char *power = end + 1;
        const long exponent = strtol(power, &end, 10);
        if (end == power || exponent < 0 || exponent > 1000)
            return NULL;
        *value = pow(*value, (double)exponent);
    } else if (*end && strchr(suffixes, *end) && end[1] == 'i') {
        *value = ldexp(*value, 10 * (int)(strchr(suffixes, *end) - suffixes + 1));
        end += 2;
    }
    return isfinite(*value) ? end : NULL;
}

static ifl_status parse_number(parser *p, const ifl_expression **out)
{
    double value;
    const char *end = ifl_expression_number(p->at, &value);
    if (!end || end > p->end)
        return fail(p, "this is not a number");
    p->at = end;
    return make(p, (ifl_expression){.operation = '=', .number = value}, out);
}

/* What stands for a shorthand is parsed in its place. */
static ifl_status parse_named(parser *p, const char *name, const ifl_expression **out)
{
    for (size_t i = 0; i < sizeof shorthands / sizeof *shorthands; i++)
        if (strcmp(shorthands[i].name, name) == 0)
            return ifl_expression_parse(p->arena, shorthands[i].means, strlen(shorthands[i].means),
                                        out, p->error);
    return make(p, (ifl_expression){.operation = 'n', .name = name}, out);
}

/* A pattern may follow a colon: all up to the next blank or parenthesis. */
static ifl_status parse_name(parser *p, const ifl_expression **out)
{
    const char *start = p->at;
    while (p->at < p->end && (isalnum((unsigned char)*p->at) || *p->at == '_' || *p->at == '.'))
        p->at++;
    if (p->at < p->end && *p->at == ':')
        while (p->at < p->end && !isspace((unsigned char)*p->at) && *p->at != ')')
            p->at++;
    const char *name = ifl_arena_text(p->arena, start, (size_t)(p->at - start));
    return name ? parse_named(p, name, out) : ifl_fail_memory(p->error, (size_t)(p->at - start));
}

static ifl_status parse_factor(parser *p, const ifl_expression **out)
{
    const char first = peek(p);
    if (isdigit((unsigned char)first) || first == '.')
        return parse_number(p, out);
    if (isalpha((unsigned char)first) || first == '_')
        return parse_name(p, out);
    if (first != '(')
        return fail(p, "expected the name of a counter, a number or '('");
    if (++p->depth > MOST_NESTED)
        return fail(p, "parentheses are nested too deeply");
    p->at++;
    const ifl_status status = parse_sum(p, out);
    p->depth--;
    if (status != IFL_OK)
        return status;
    if (peek(p) != ')')
        return fail(p, "')' is missing");
    p->at++;
    return IFL_OK;
}

typedef ifl_status parse_part(parser *p, const ifl_expression **out);

/* Parts joined by one of two operators, from the left. */
static ifl_status parse_chain(parser *p, parse_part *part, const char *operators,
                              const ifl_expression **out)
{
    ifl_status status = part(p, out);
    while (status == IFL_OK && peek(p) && strchr(operators, peek(p))) {
        ifl_expression e = {.operation = *p->at++, .left = *out};
        status = part(p, &e.right);
        if (status == IFL_OK)
            status = make(p, e, out);
    }
    return status;
}

static ifl_status parse_product(parser *p, const ifl_expression **out)
{
    return parse_chain(p, parse_factor, "*/", out);
}

static ifl_status parse_sum(parser *p, const ifl_expression **out)
{
    return parse_chain(p, parse_product, "+-", out);
}

ifl_status ifl_expression_parse(ifl_arena *arena, const char *text, size_t length,
                                const ifl_expression **out, ifl_error *error)
{
    parser p = {.arena = arena, .text = text, .at = text, .end = text + length, .error = error};
    const ifl_status status = parse_sum(&p, out);
    if (status != IFL_OK)
        return status;
    return peek(&p) ? fail(&p, "expected an operator or the end") : IFL_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Ranges of values that are not negative. */
static bool combine(char operation, ifl_estimate a, ifl_estimate b, ifl_estimate *out)
{
    switch (operation) {
    case '+':
        *out = (ifl_estimate){a.low + b.low, a.mid + b.mid, a.high + b.high};
        return true;
    case '-':
        *out = (ifl_estimate){a.low - b.high, a.mid - b.mid, a.high - b.low};
        return true;
    case '*':
        *out = (ifl_estimate){a.low * b.low, a.mid * b.mid, a.high * b.high};
        return true;
    default:
        if (b.low <= 0)
            return false;
        *out = (ifl_estimate){a.low / b.high, a.mid / b.mid, a.high / b.low};
        return true;
    }
}

bool ifl_expression_value(const ifl_expression *expression, ifl_lookup *lookup, const void *user,
                          ifl_estimate *value)
{
    ifl_estimate left, right;
    if (expression->operation == 'n')
        return lookup(user, expression->name, value);
    if (expression->operation == '=') {
        *value = (ifl_estimate){expression->number, expression->number, expression->number};
        return true;
    }
    return ifl_expression_value(expression->left, lookup, user, &left) &&
           ifl_expression_value(expression->right, lookup, user, &right) &&
           combine(expression->operation, left, right, value);
}

const char *ifl_expression_name(const ifl_expression *expression)
{
    while (expression->left)
        expression = expression->left;
    return expression->operation == 'n' ? expression->name : "number";
}

bool ifl_expression_adds_up(const ifl_expression *expression)
{
    if (!expression->left)
        return expression->operation == 'n';
    return strchr("+-", expression->operation) && ifl_expression_adds_up(expression->left) &&
           ifl_expression_adds_up(expression->right);
}

bool ifl_expression_has(const ifl_expression *expression, const char *start)
{
    if (expression->operation == 'n')
        return strncmp(expression->name, start, strlen(start)) == 0;
    return expression->left && (ifl_expression_has(expression->left, start) ||
                                ifl_expression_has(expression->right, start));
}
