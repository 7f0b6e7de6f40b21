/* SPDX-License-Identifier: Apache-2.0
 * The expressions of a case's file: numbers, variables, + - * / % ^, brackets, conditions and a few
 * functions; and texts with such expressions in braces. It knows nothing of launches. */
#include "lab/lab_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 64, MOST_NAME = 64, MOST_ARGUMENTS = 4 };

typedef struct cursor {
    const ifl_lab *lab;
    const ifl_lab_point *point;
    const ifl_lab_entry *entry;
    const char *at;
    int depth; /* of brackets, and of variables in variables */
    ifl_status status;
    ifl_error *error;
} cursor;

static double fail(cursor *c, const char *format, const char *word)
{
    char text[200];
    if (c->status == IFL_OK) {
        snprintf(text, sizeof text, format, word);
        c->status =
            ifl_lab_fail(c->lab, c->entry, (size_t)(c->at - c->entry->value), c->error, "%s", text);
    }
    return NAN;
}

static char peek(cursor *c)
{
    c->at += strspn(c->at, " \t");
    return *c->at;
}

static bool take(cursor *c, const char *token)
{
    const size_t length = strlen(token);
    peek(c);
    if (strncmp(c->at, token, length) != 0)
        return false;
    c->at += length;
    return true;
}

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

static bool is_name(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}

/* ---- numbers --------------------------------------------------------------------------------- */

static double digits(cursor *c, double *weight)
{
    double value = 0;
    for (; is_digit(*c->at); c->at++, *weight *= 10)
        value = value * 10 + (*c->at - '0');
    return value;
}

/* 12, 0.5, 1e6, 32Ki: independent of the locale. */
static double number(cursor *c)
{
    static const char suffixes[] = "KMGT";
    double weight = 1, fraction_weight = 1, exponent_weight = 1;
    double value = digits(c, &weight);
    if (*c->at == '.') {
        c->at++;
        const double fraction = digits(c, &fraction_weight);
        value = (value * fraction_weight + fraction) / fraction_weight;
    }
    const char *after = c->at + 1 + (*c->at && (c->at[1] == '-' || c->at[1] == '+'));
    if ((*c->at == 'e' || *c->at == 'E') && is_digit(*after)) {
        const bool negative = c->at[1] == '-';
        c->at = after;
        const double exponent = digits(c, &exponent_weight);
        value = negative ? value / pow(10, exponent) : value * pow(10, exponent);
    }
    const char *suffix = *c->at ? strchr(suffixes, *c->at) : NULL;
    if (suffix && c->at[1] == 'i') {
        value = ldexp(value, 10 * (int)(suffix - suffixes + 1));
        c->at += 2;
    }
    return value;
}

/* ---- variables and functions ----------------------------------------------------------------- */

static double compare(cursor *c);

static double variable(cursor *c, const char *name)
{
    const ifl_lab_point *p = c->point;
    for (size_t i = 0; i < p->setting_count; i++)
        if (strcmp(p->settings[i].name, name) == 0)
            return p->settings[i].value;
    const ifl_lab_entry *e =
        p->reduced ? ifl_lab_find_part(c->lab, p->version, "reduced.", name) : NULL;
    if (!e)
        e = ifl_lab_find_part(c->lab, p->version, "let.", name);
    if (!e)
        return fail(c, "there is no variable '%s': let.NAME = VALUE makes one", name);
    cursor inner = {c->lab, p, e, e->value, c->depth + 1, IFL_OK, c->error};
    if (inner.depth > MOST_DEPTH)
        return fail(c, "'%s' is defined by itself", name);
    const double value = compare(&inner);
    if (inner.status == IFL_OK && peek(&inner))
        fail(&inner, "unexpected text after the expression%s", "");
    c->status = inner.status;
    return value;
}

static double least(const double *a, int count)
{
    return count == 2 && a[1] < a[0] ? a[1] : a[0];
}

static double most(const double *a, int count)
{
    return count == 2 && a[1] > a[0] ? a[1] : a[0];
}

static double up(const double *a, int count)
{
    (void)count;
    return ceil(a[0]);
}

static double down(const double *a, int count)
{
    (void)count;
    return floor(a[0]);
}

static double nearest(const double *a, int count)
{
    (void)count;
    return round(a[0]);
}

static const struct {
    const char *name;
    int arguments;
    double (*compute)(const double *a, int count);
} functions[] = {
    {"ceil", 1, up}, {"floor", 1, down}, {"round", 1, nearest}, {"min", 2, least}, {"max", 2, most},
};

static double call(cursor *c, const char *name)
{
    double values[MOST_ARGUMENTS] = {0};
    int count = 0;
    if (++c->depth > MOST_DEPTH)
        return fail(c, "too many calls in '%s'", name);
    do {
        if (count == MOST_ARGUMENTS)
            return fail(c, "too many arguments of '%s'", name);
        values[count++] = compare(c);
    } while (c->status == IFL_OK && take(c, ","));
    if (c->status != IFL_OK)
        return NAN;
    if (!take(c, ")"))
        return fail(c, "expected ')' after the arguments of '%s'", name);
    c->depth--;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0 && functions[i].arguments == count)
            return functions[i].compute(values, count);
    return fail(c, "there is no function '%s' of that many arguments", name);
}

/* Copies the name at the cursor and goes past it. */
static bool take_name(cursor *c, char name[MOST_NAME])
{
    const char *start = c->at;
    while (is_name(*c->at) || is_digit(*c->at))
        c->at++;
    const size_t length = (size_t)(c->at - start);
    if (length >= MOST_NAME)
        return false;
    memcpy(name, start, length);
    name[length] = '\0';
    return true;
}

static double named(cursor *c)
{
    char name[MOST_NAME];
    const char *start = c->at;
    if (!take_name(c, name))
        return fail(c, "the name is too long%s", "");
    if (take(c, "("))
        return call(c, name);
    const char *end = c->at;
    c->at = start; /* where a mistake is */
    const double value = variable(c, name);
    if (c->status == IFL_OK)
        c->at = end;
    return value;
}

/* ---- operators ------------------------------------------------------------------------------- */

static double primary(cursor *c)
{
    const char next = peek(c);
    if (take(c, "(")) {
        if (++c->depth > MOST_DEPTH)
            return fail(c, "brackets are nested too deeply%s", "");
        const double value = compare(c);
        c->depth--;
        return c->status != IFL_OK || take(c, ")") ? value : fail(c, "expected ')'%s", "");
    }
    if (is_digit(next) || next == '.')
        return number(c);
    if (is_name(next))
        return named(c);
    return fail(c, "expected a number or a variable%s", "");
}

static double unary(cursor *c)
{
    bool negative = false;
    while (take(c, "-"))
        negative = !negative;
    const double value = primary(c);
    return negative ? -value : value;
}

/* From the right, as in mathematics; the chain is no recursion without end: each ^ takes text. */
static double power(cursor *c)
{
    const double base = unary(c);
    if (c->status != IFL_OK || !take(c, "^"))
        return base;
    if (++c->depth > MOST_DEPTH)
        return fail(c, "too many powers%s", "");
    const double exponent = power(c);
    c->depth--;
    return pow(base, exponent);
}

static double product(cursor *c)
{
    double value = power(c);
    while (c->status == IFL_OK) {
        if (take(c, "*"))
            value *= power(c);
        else if (take(c, "/"))
            value /= power(c);
        else if (take(c, "%"))
            value = fmod(value, power(c));
        else
            break;
    }
    return value;
}

static double sum(cursor *c)
{
    double value = product(c);
    while (c->status == IFL_OK) {
        if (take(c, "+"))
            value += product(c);
        else if (take(c, "-"))
            value -= product(c);
        else
            break;
    }
    return value;
}

static double compare(cursor *c)
{
    const double left = sum(c);
    if (c->status != IFL_OK)
        return left;
    if (take(c, "<="))
        return left <= sum(c);
    if (take(c, ">="))
        return left >= sum(c);
    if (take(c, "=="))
        return left == sum(c);
    if (take(c, "!="))
        return left != sum(c);
    if (take(c, "<"))
        return left < sum(c);
    if (take(c, ">"))
        return left > sum(c);
    return left;
}

/* ---- outside --------------------------------------------------------------------------------- */

/* Reads up to `end` (0: the end of the text) and leaves the cursor there. */
static ifl_status evaluate(cursor *c, char end, double *out)
{
    *out = compare(c);
    if (c->status == IFL_OK && peek(c) != end)
        fail(c, "unexpected text after the expression%s", "");
    if (c->status == IFL_OK && !isfinite(*out))
        fail(c, "the expression makes no finite number%s", "");
    return c->status;
}

ifl_status ifl_lab_evaluate(const ifl_lab *lab, const ifl_lab_point *point,
                            const ifl_lab_entry *entry, size_t offset, double *out,
                            ifl_error *error)
{
    cursor c = {lab, point, entry, entry->value + offset, 0, IFL_OK, error};
    return evaluate(&c, '\0', out);
}

ifl_status ifl_lab_variable(const ifl_lab *lab, const ifl_lab_point *point, const char *name,
                            double *out, ifl_error *error)
{
    static const ifl_lab_entry nowhere = {.value = "", .at = {.line_text = ""}};
    cursor c = {lab, point, &nowhere, nowhere.value, 0, IFL_OK, error};
    *out = variable(&c, name);
    return c.status;
}

/* The text of a variable that is a word and stands alone: "{type}"; NULL where it is none. */
static const char *word_at(const cursor *c, const char **end)
{
    char name[MOST_NAME];
    cursor look = *c;
    peek(&look);
    if (!is_name(*look.at) || !take_name(&look, name) || peek(&look) != '}')
        return NULL;
    *end = look.at;
    if (strcmp(name, "version") == 0)
        return ifl_lab_version_name(c->lab, c->point->version);
    const ifl_lab_entry *e = ifl_lab_find_part(c->lab, c->point->version, "word.", name);
    return e ? e->value : NULL;
}

static void expand_brace(cursor *c, FILE *out)
{
    double value;
    const char *end = NULL, *word = word_at(c, &end);
    if (word) {
        fputs(word, out);
        c->at = end + 1;
    } else if (evaluate(c, '}', &value) == IFL_OK) {
        if (value == floor(value) && fabs(value) < 0x1p53)
            fprintf(out, "%lld", (long long)value);
        else
            fprintf(out, "%.17g", value);
        c->at++;
    }
}

ifl_status ifl_lab_expand(const ifl_lab *lab, const ifl_lab_point *point,
                          const ifl_lab_entry *entry, char **out, ifl_error *error)
{
    size_t bytes = 0;
    *out = NULL;
    FILE *stream = open_memstream(out, &bytes);
    cursor c = {lab, point, entry, entry->value, 0, IFL_OK, error};
    if (!stream)
        return ifl_fail_memory(error, strlen(entry->value));
    while (*c.at && c.status == IFL_OK) {
        if (*c.at == '{')
            c.at++, expand_brace(&c, stream);
        else
            fputc(*c.at++, stream);
    }
    const bool whole = fclose(stream) == 0;
    if (c.status == IFL_OK && (!whole || !*out))
        c.status = ifl_fail_memory(error, strlen(entry->value));
    if (c.status != IFL_OK) {
        free(*out);
        *out = NULL;
    }
    return c.status;
}
