/* SPDX-License-Identifier: Apache-2.0
 * See short_name.h. Reads what demanglers write; what is none of it is copied as it stands. */
#include "base/short_name.h"

#include "base/figure.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { MOST_BYTES = 96, MOST_NESTED = 200 };

typedef struct text {
    const char *at; /* what is left to read */
    char *to;
    size_t length;
    int nested;
} text;

static void put(text *t, const char *from, size_t bytes)
{
    memcpy(t->to + t->length, from, bytes);
    t->length += bytes;
}

static bool starts(const text *t, const char *with)
{
    return strncmp(t->at, with, strlen(with)) == 0;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '~' ||
           (unsigned char)c >= 0x80;
}

/* Behind the bracket that closes the one here; NULL where none does. An arrow or a comparison is no
 * bracket. */
static const char *behind(const char *at)
{
    static const char open[] = "(<{[", close[] = ")>}]";
    int depth = 0;
    for (; *at; at++) {
        depth += strchr(open, *at) != NULL;
        depth -= strchr(close, *at) != NULL;
        if (depth <= 0)
            return at + 1;
    }
    return NULL;
}

/* ---- parts of a qualified name --------------------------------------------------------------- */

static void put_items(text *t, char close);

/* "<float, 4>", its names shortened. */
static void put_template(text *t)
{
    put(t, t->at++, 1);
    put_items(t, '>');
    while (t->length && t->to[t->length - 1] == ' ')
        t->length--;
    if (*t->at == '>')
        put(t, t->at++, 1);
}

/* Arguments of a function that something is inside of: "(int) const::". */
static bool skip_arguments(text *t)
{
    static const char constant[] = " const";
    const char *end = *t->at == '(' ? behind(t->at) : NULL;
    if (end && strncmp(end, constant, strlen(constant)) == 0)
        end += strlen(constant);
    if (!end || strncmp(end, "::", 2) != 0)
        return false;
    t->at = end;
    return true;
}

/* "operator()", or one of other signs; lambdas are called through it, and it says nothing of
 * them. */
static void put_operator(text *t)
{
    static const char call[] = "operator()";
    if (starts(t, call)) {
        t->at += strlen(call);
        return;
    }
    while (*t->at && *t->at != '(')
        put(t, t->at++, 1);
}

static void put_word(text *t)
{
    static const char tag[] = "[abi:";
    if (starts(t, "operator") && !is_word(t->at[strlen("operator")])) {
        put_operator(t);
        return;
    }
    while (is_word(*t->at))
        put(t, t->at++, 1);
    while (starts(t, tag) && behind(t->at))
        t->at = behind(t->at);
    if (*t->at == '<' && t->nested < MOST_NESTED)
        put_template(t);
}

/* "{lambda(int)#2}": what it is called by is its number. */
static void put_unnamed(text *t, bool is_first)
{
    const char *end = behind(t->at), *number = end;
    while (number && number > t->at && *number != '#')
        number--;
    if (!end) {
        put(t, t->at++, 1);
        return;
    }
    if (is_first)
        put(t, "lambda", strlen("lambda"));
    if (*number == '#')
        put(t, number, (size_t)(end - 1 - number));
    t->at = end;
}

static bool skip_anonymous(text *t)
{
    static const char anonymous[] = "(anonymous namespace)";
    if (!starts(t, anonymous))
        return false;
    t->at += strlen(anonymous);
    return true;
}

/* a::b<c>::f(int)::{lambda()#1}: of the names the last, and the lambdas in it. */
static void put_qualified(text *t)
{
    const size_t start = t->length;
    bool has_lambda = false;
    for (;;) {
        const bool is_operator = starts(t, "operator()");
        if (*t->at == '{') {
            if (!has_lambda && t->length > start)
                put(t, "::", 2);
            put_unnamed(t, !has_lambda);
            has_lambda = true;
        } else if (!skip_anonymous(t)) {
            if (!is_operator && !has_lambda)
                t->length = start;
            put_word(t);
        }
        skip_arguments(t);
        if (!starts(t, "::"))
            return;
        t->at += 2;
    }
}

/* ---- lists of types and values --------------------------------------------------------------- */

static bool is_name_start(const text *t)
{
    return is_word(*t->at) || *t->at == '{' || starts(t, "(anonymous namespace)::");
}

/* "(bool)1" is a value, whose type does not tell two kernels apart; "void (int)" is a type. */
static void put_brackets(text *t)
{
    const size_t start = t->length;
    put(t, t->at++, 1);
    put_items(t, ')');
    if (*t->at == ')')
        put(t, t->at++, 1);
    if (isdigit((unsigned char)*t->at) || (*t->at == '-' && isdigit((unsigned char)t->at[1])))
        t->length = start;
}

static void put_items(text *t, char close)
{
    t->nested++;
    while (*t->at && *t->at != close) {
        if (is_name_start(t))
            put_qualified(t);
        else if (*t->at == '(' && t->nested < MOST_NESTED)
            put_brackets(t);
        else if (strchr(")>}", *t->at))
            break;
        else
            put(t, t->at++, 1);
    }
    t->nested--;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Behind the last item that fits, what was open is closed. */
static void cut(text *t)
{
    static const char ellipsis[] = "\xe2\x80\xa6";
    size_t end = MOST_BYTES, open = 0;
    while (end && strncmp(t->to + end, ", ", 2) != 0)
        end--;
    end = end ? end + 2 : MOST_BYTES;
    while ((t->to[end] & 0xc0) == 0x80)
        end--;
    for (size_t i = 0; i < end; i++)
        open += (size_t)(t->to[i] == '<') - (size_t)(t->to[i] == '>' && open);
    t->length = end;
    put(t, ellipsis, strlen(ellipsis));
    while (open--)
        put(t, ">", 1);
}

const char *ifl_short_name(ifl_arena *arena, const char *signature)
{
    enum { ROOM = 128 }; /* "{}" is told as "lambda"; closing what was cut */
    const size_t bytes = strlen(signature);
    text t = {.at = signature, .to = ifl_arena_alloc(arena, 4 * bytes + ROOM)};
    if (!t.to)
        return NULL;
    do { /* a type in front of the name is what it returns */
        t.length = 0;
        t.at += *t.at == ' ';
        if (is_name_start(&t))
            put_qualified(&t);
        while (*t.at == '*' || *t.at == '&')
            t.at++;
    } while (*t.at == ' ' && t.length);
    if (!t.length)
        put(&t, signature, bytes);
    if (t.length > MOST_BYTES)
        cut(&t);
    t.to[t.length] = '\0';
    return t.to;
}

/* FNV-1a. */
uint32_t ifl_short_name_number(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return (hash ^ hash >> 16) & 0xffff;
}

static bool is_ambiguous(const char *const *signatures, const char *const *names, size_t count,
                         size_t which)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], names[which]) == 0 && strcmp(signatures[i], signatures[which]) != 0)
            return true;
    return false;
}

bool ifl_short_names(ifl_arena *arena, const char *const *signatures, size_t count,
                     const char **names)
{
    const char **plain = ifl_arena_alloc(arena, (count + 1) * sizeof *plain);
    if (!plain)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!(plain[i] = ifl_short_name(arena, signatures[i])))
            return false;
    for (size_t i = 0; i < count; i++) {
        names[i] = is_ambiguous(signatures, plain, count, i)
                       ? ifl_arena_printf(arena, "%s~%04" PRIx32, plain[i],
                                          ifl_short_name_number(signatures[i]))
                       : plain[i];
        if (!names[i])
            return false;
    }
    return true;
}
