/* SPDX-License-Identifier: Apache-2.0
 * Reads the expectations of a .ptx file and compares elements with them. Knows text and IEEE
 * formats only. */
#include "expect.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- elements ---------------------------------------------------------------------------- */

static const ifl_expect_element elements[] = {
    {"i8", 1, 'i', 0, 0},   {"u8", 1, 'u', 0, 0},   {"i16", 2, 'i', 0, 0},  {"u16", 2, 'u', 0, 0},
    {"i32", 4, 'i', 0, 0},  {"u32", 4, 'u', 0, 0},  {"i64", 8, 'i', 0, 0},  {"u64", 8, 'u', 0, 0},
    {"f16", 2, 'f', 5, 10}, {"bf16", 2, 'f', 8, 7}, {"f32", 4, 'f', 8, 23}, {"f64", 8, 'f', 11, 52},
};

const ifl_expect_element *ifl_expect_element_find(const char *word)
{
    size_t length = strcspn(word, "x:");
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (strlen(elements[i].name) == length && memcmp(elements[i].name, word, length) == 0)
            return &elements[i];
    return NULL;
}

static uint64_t bits_of(const ifl_expect_element *element, const void *at)
{
    uint64_t bits = 0;
    memcpy(&bits, at, element->bytes); /* little endian, like the GPU */
    return bits;
}

static uint64_t all_ones(const ifl_expect_element *element)
{
    return UINT64_MAX >> (64 - 8 * element->bytes);
}

/* The exact value of an IEEE format of at most 11 exponent and 52 mantissa bits. */
static double value_of(const ifl_expect_element *element, uint64_t bits)
{
    uint64_t mantissa = bits & ((UINT64_C(1) << element->mantissa_bits) - 1);
    int top = (1 << element->exponent_bits) - 1;
    int exponent = (int)(bits >> element->mantissa_bits) & top;
    double sign = bits >> (8 * element->bytes - 1) & 1 ? -1.0 : 1.0;
    if (exponent == top)
        return mantissa ? NAN : sign * INFINITY;
    if (exponent)
        mantissa |= UINT64_C(1) << element->mantissa_bits;
    else
        exponent = 1;
    return sign * ldexp((double)mantissa, exponent - top / 2 - (int)element->mantissa_bits);
}

static bool write_bits(const ifl_expect_element *element, uint64_t bits, void *to)
{
    memcpy(to, &bits, element->bytes);
    return true;
}

/* Half formats: the code whose value is exactly that of the word, found by halving, since codes without a sign
 * ascend as their values do; a value between two is refused, since the rounding would then be ours. */
static bool write_half(const ifl_expect_element *element, double value, void *to)
{
    uint64_t first = 0, last = (UINT64_C(1) << (element->mantissa_bits + element->exponent_bits)) -
                               (UINT64_C(1) << element->mantissa_bits); /* infinity */
    while (first < last) {
        const uint64_t middle = (first + last) / 2;
        if (value_of(element, middle) < fabs(value))
            first = middle + 1;
        else
            last = middle;
    }
    if (value_of(element, first) != fabs(value))
        return false;
    return write_bits(element, first | (signbit(value) ? UINT64_C(0x8000) : 0), to);
}

static bool write_float(const ifl_expect_element *element, const char *word, void *to)
{
    char *end;
    double value = strtod(word, &end);
    if (end == word || *end || isnan(value))
        return false;
    if (element->bytes == 2)
        return write_half(element, value, to);
    if (element->bytes == 8)
        return memcpy(to, &value, 8), true;
    float single = strtof(word, &end);
    return memcpy(to, &single, 4), true;
}

static bool write_integer(const ifl_expect_element *element, const char *word, void *to)
{
    char *end;
    uint64_t bits = *word == '-' ? (uint64_t)strtoll(word, &end, 10) : strtoull(word, &end, 10);
    if (end == word || *end)
        return false;
    bool negative = *word == '-';
    uint64_t rest = bits & ~all_ones(element);
    if (rest != 0 && !(negative && rest == ~all_ones(element)))
        return false;
    return write_bits(element, bits & all_ones(element), to);
}

bool ifl_expect_element_write(const ifl_expect_element *element, const char *word, void *to)
{
    if (strncmp(word, "0x", 2) == 0) {
        char *end;
        uint64_t bits = strtoull(word, &end, 16);
        return *end == 0 && (bits & ~all_ones(element)) == 0 && write_bits(element, bits, to);
    }
    return element->kind == 'f' ? write_float(element, word, to) : write_integer(element, word, to);
}

/* A word after "~": VALUE, VALUE@RELATIVE or VALUE@!ABSOLUTE. */
static bool near_enough(const ifl_expect_element *element, const char *word, const void *at)
{
    char *end;
    double wanted = strtod(word, &end);
    double got = value_of(element, bits_of(element, at));
    double allowed = 1e-6 * fabs(wanted);
    if (*end == '@')
        allowed = end[1] == '!' ? strtod(end + 2, NULL) : strtod(end + 1, NULL) * fabs(wanted);
    if (isinf(wanted))
        return got == wanted;
    return fabs(got - wanted) <= allowed;
}

bool ifl_expect_element_matches(const ifl_expect_element *element, const char *expected,
                                const void *at)
{
    if (strcmp(expected, "?") == 0)
        return true;
    if (element->kind == 'f' && strcmp(expected, "nan") == 0)
        return isnan(value_of(element, bits_of(element, at)));
    if (element->kind == 'f' && *expected == '~')
        return near_enough(element, expected + 1, at);
    uint64_t wanted = 0;
    return ifl_expect_element_write(element, expected, &wanted) &&
           memcmp(&wanted, at, element->bytes) == 0;
}

void ifl_expect_element_print(const ifl_expect_element *element, const void *at, char *to,
                              size_t size)
{
    uint64_t bits = bits_of(element, at);
    int digits = (int)element->bytes * 2;
    int shift = 64 - 8 * (int)element->bytes;
    if (element->kind == 'f')
        snprintf(to, size, "0x%0*" PRIx64 " (%.9g)", digits, bits, value_of(element, bits));
    else if (element->kind == 'i')
        snprintf(to, size, "0x%0*" PRIx64 " (%" PRId64 ")", digits, bits,
                 (int64_t)(bits << shift) >> shift);
    else
        snprintf(to, size, "0x%0*" PRIx64 " (%" PRIu64 ")", digits, bits, bits);
}

/* Could the word be the expectation of an element at all? */
static bool word_is_sound(const ifl_expect_element *element, const char *word)
{
    uint64_t ignored;
    char *end;
    if (strcmp(word, "?") == 0 || (element->kind == 'f' && strcmp(word, "nan") == 0))
        return true;
    if (element->kind == 'f' && *word == '~')
        return strtod(word + 1, &end), end != word + 1 && (*end == 0 || *end == '@');
    return ifl_expect_element_write(element, word, &ignored);
}

/* ---- the file ---------------------------------------------------------------------------- */

static bool complain(ifl_expect_file *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool complain(ifl_expect_file *file, int line, const char *format, ...)
{
    char what[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(file->message, sizeof file->message, "%.80s:%d: %s", file->path, line, what);
    return false;
}

static bool out_of_memory(ifl_expect_file *file)
{
    return complain(file, 0, "no memory");
}

static bool grow(void *array, size_t count, size_t size)
{
    void **at = array;
    void *more = realloc(*at, (count + 1) * size);
    if (more)
        *at = more;
    return more != NULL;
}

static bool push_word(char ***words, size_t *count, const char *word, size_t length)
{
    char *copy = strndup(word, length);
    if (!copy || !grow(words, *count, sizeof **words))
        return free(copy), false;
    (*words)[(*count)++] = copy;
    return true;
}

static void free_words(char **words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(words[i]);
    free(words);
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* If `at` begins with `word`, returns what follows it, else NULL. */
static const char *after(const char *at, const char *word)
{
    size_t length = strlen(word);
    return strncmp(at, word, length) == 0 ? skip_blanks(at + length) : NULL;
}

/* ---- "// launch:" ------------------------------------------------------------------------ */

static char **option_of(ifl_expect_launch *launch, const char *word, size_t length)
{
    if (length != 2 || word[0] != '-')
        return NULL;
    switch (word[1]) {
    case 'k':
        return &launch->kernel;
    case 'g':
        return &launch->grid;
    case 'b':
        return &launch->block;
    case 's':
        return &launch->shared;
    default:
        return NULL;
    }
}

static bool launch_words(ifl_expect_file *file, ifl_expect_launch *launch, const char *at)
{
    char **option = NULL;
    for (at = skip_blanks(at); *at; at = skip_blanks(at)) {
        size_t length = strcspn(at, " \t");
        if (option) {
            free(*option);
            *option = strndup(at, length);
            if (!*option)
                return out_of_memory(file);
            option = NULL;
        } else if (!(option = option_of(launch, at, length))) {
            if (*at == '-' && !isdigit((unsigned char)at[1]))
                return complain(file, launch->line, "unknown option %.*s", (int)length, at);
            if (!push_word(&launch->args, &launch->arg_count, at, length))
                return out_of_memory(file);
        }
        at += length;
    }
    return option ? complain(file, launch->line, "an option without a value") : true;
}

static bool read_launch(ifl_expect_file *file, int line, const char *at)
{
    if (!grow(&file->launches, file->launch_count, sizeof *file->launches))
        return out_of_memory(file);
    ifl_expect_launch *launch = &file->launches[file->launch_count++];
    *launch = (ifl_expect_launch){.line = line};
    return launch_words(file, launch, at);
}

/* ---- "// expect:" ------------------------------------------------------------------------ */

/* Expands V*N and A..B; other words stand for themselves. */
static bool push_values(ifl_expectation *e, const char *word, size_t length)
{
    char text[80], one[32];
    snprintf(text, sizeof text, "%.*s", (int)length, word);
    char *star = strchr(text, '*'), *dots = strstr(text, "..");
    if (star) {
        *star = 0;
        for (long n = strtol(star + 1, NULL, 10); n > 0; n--)
            if (!push_word(&e->values, &e->value_count, text, strlen(text)))
                return false;
        return true;
    }
    if (!dots)
        return push_word(&e->values, &e->value_count, text, strlen(text));
    for (long v = strtol(text, NULL, 10); v <= strtol(dots + 2, NULL, 10); v++) {
        snprintf(one, sizeof one, "%ld", v);
        if (!push_word(&e->values, &e->value_count, one, strlen(one)))
            return false;
    }
    return true;
}

const char *ifl_expect_argument(const ifl_expect_launch *launch, size_t index)
{
    static const char structure[] = "struct:";
    for (size_t i = 0; i < launch->arg_count; i++) {
        const char *at = launch->args[i];
        const bool has_members = strncmp(at, structure, strlen(structure)) == 0;
        at += has_members ? strlen(structure) : 0;
        for (; index > 0 && has_members && strchr(at, ','); index--)
            at = strchr(at, ',') + 1;
        if (index-- == 0)
            return at;
    }
    return "";
}

static bool read_values(ifl_expect_file *file, const ifl_expect_launch *launch, ifl_expectation *e,
                        const char *at)
{
    const char *word = ifl_expect_argument(launch, e->argument);
    const ifl_expect_element *element = ifl_expect_element_find(word);
    if (!element || !strchr(word, 'x'))
        return complain(file, e->line, "argument %zu is not a buffer", e->argument);
    for (at = skip_blanks(at); *at; at = skip_blanks(at)) {
        size_t length = strcspn(at, " \t");
        if (length >= 80 || !push_values(e, at, length))
            return out_of_memory(file);
        at += length;
    }
    for (size_t i = 0; i < e->value_count; i++)
        if (!word_is_sound(element, e->values[i]))
            return complain(file, e->line, "%s is not a value of type %s", e->values[i],
                            element->name);
    return e->value_count ? true : complain(file, e->line, "no values");
}

static bool read_buffer(ifl_expect_file *file, const ifl_expect_launch *launch, ifl_expectation *e,
                        const char *at)
{
    int used = 0;
    e->kind = IFL_EXPECT_BUFFER;
    if (sscanf(at, "%zu[%zu] =%n", &e->argument, &e->element, &used) != 2 || used == 0)
        return complain(file, e->line, "wanted argN[I] = VALUE ...");
    return read_values(file, launch, e, at + used);
}

/* The text between quotes, with \n \t \" and \\. */
static bool read_quoted(ifl_expect_file *file, ifl_expectation *e, ifl_expect_kind kind,
                        const char *at)
{
    e->kind = kind;
    e->name = calloc(1, strlen(at) + 1);
    if (!e->name)
        return out_of_memory(file);
    if (*at++ != '"')
        return complain(file, e->line, "wanted a text in quotes");
    for (char *to = e->name; *at && *at != '"'; at++) {
        if (*at == '\\' && at[1])
            at++, *to++ = (char)(*at == 'n' ? '\n' : *at == 't' ? '\t' : *at);
        else
            *to++ = *at;
    }
    return *at == '"' ? true : complain(file, e->line, "a text without its closing quote");
}

/* The line that ends in "// @name", 0 when there is none. */
static uint32_t line_of_mark(const ifl_expect_file *file, const char *name, size_t length)
{
    uint32_t line = 1;
    for (const char *at = file->text; *at; line++) {
        size_t width = strcspn(at, "\n");
        if (width > length + 4 && memcmp(at + width - length, name, length) == 0 &&
            memcmp(at + width - length - 4, "// @", 4) == 0)
            return line;
        at += width + (at[width] == '\n');
    }
    return 0;
}

static bool read_line_number(ifl_expect_file *file, ifl_expectation *e, const char **at)
{
    size_t length = strcspn(*at, " \t");
    if (**at == '@')
        e->ptx_line = line_of_mark(file, *at + 1, length - 1);
    else
        e->ptx_line = (uint32_t)strtoul(*at, NULL, 10);
    if (e->ptx_line == 0)
        return complain(file, e->line, "no line %.*s", (int)length, *at);
    *at = skip_blanks(*at + length);
    return true;
}

static bool read_counter(ifl_expect_file *file, ifl_expectation *e, ifl_expect_kind kind,
                         const char *at)
{
    size_t length = strcspn(at, " \t=");
    const char *value = after(skip_blanks(at + length), "=");
    char *end;
    e->kind = kind;
    e->name = strndup(at, length);
    if (!e->name)
        return out_of_memory(file);
    if (!value || !isdigit((unsigned char)*value))
        return complain(file, e->line, "wanted NAME = COUNT");
    e->count = strtoull(value, &end, 0);
    return *end ? complain(file, e->line, "%s is not a count", value) : true;
}

static bool read_word(ifl_expect_file *file, ifl_expectation *e, ifl_expect_kind kind,
                      const char *at)
{
    e->kind = kind;
    e->name = strdup(at);
    return e->name ? true : out_of_memory(file);
}

static bool read_line(ifl_expect_file *file, ifl_expectation *e, const char *at)
{
    const char *rest;
    if (!read_line_number(file, e, &at))
        return false;
    if ((rest = after(at, "pattern =")))
        return read_word(file, e, IFL_EXPECT_LINE_PATTERN, rest);
    return read_counter(file, e, IFL_EXPECT_LINE_COUNTER, at);
}

static bool known_status(const char *word)
{
    static const char *const words[] = {"ok",        "finding",     "usage",
                                        "bad input", "unsupported", "no memory"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

static bool read_status(ifl_expect_file *file, ifl_expectation *e, const char *at)
{
    return known_status(at) ? read_word(file, e, IFL_EXPECT_STATUS, at)
                            : complain(file, e->line, "%s is not a status", at);
}

static bool read_expectation(ifl_expect_file *file, int line, const char *at)
{
    const char *rest;
    if (file->launch_count == 0)
        return complain(file, line, "an expectation before the first launch");
    ifl_expect_launch *launch = &file->launches[file->launch_count - 1];
    if (!grow(&launch->expectations, launch->expectation_count, sizeof *launch->expectations))
        return out_of_memory(file);
    ifl_expectation *e = &launch->expectations[launch->expectation_count++];
    *e = (ifl_expectation){.line = line};
    if ((rest = after(at, "line ")))
        return read_line(file, e, rest);
    if ((rest = after(at, "status =")))
        return read_status(file, e, rest);
    if ((rest = after(at, "error contains ")))
        return read_quoted(file, e, IFL_EXPECT_ERROR, rest);
    if ((rest = after(at, "print contains ")))
        return read_quoted(file, e, IFL_EXPECT_PRINT, rest);
    if (strncmp(at, "arg", 3) == 0)
        return read_buffer(file, launch, e, at + 3);
    return read_counter(file, e, IFL_EXPECT_COUNTER, at);
}

/* ---- reading ----------------------------------------------------------------------------- */

static bool read_comment(ifl_expect_file *file, int number, char *line)
{
    const char *rest, *at = after(skip_blanks(line), "//");
    if (!at)
        return true;
    for (size_t n = strlen(line); n && isspace((unsigned char)line[n - 1]); n--)
        line[n - 1] = 0;
    if ((rest = after(at, "launch:")))
        return read_launch(file, number, rest);
    if ((rest = after(at, "expect:")))
        return read_expectation(file, number, rest);
    return true;
}

static bool read_text(ifl_expect_file *file)
{
    FILE *in = fopen(file->path, "rb");
    if (!in)
        return complain(file, 0, "cannot be opened");
    bool sized = fseek(in, 0, SEEK_END) == 0;
    long bytes = sized ? ftell(in) : -1;
    rewind(in);
    file->text = bytes >= 0 ? calloc(1, (size_t)bytes + 1) : NULL;
    if (file->text)
        file->bytes = fread(file->text, 1, (size_t)bytes, in);
    fclose(in);
    return file->text && file->bytes == (size_t)bytes ? true : complain(file, 0, "cannot be read");
}

static bool read_comments(ifl_expect_file *file)
{
    int number = 1;
    for (const char *at = file->text; *at; number++) {
        size_t width = strcspn(at, "\n");
        char *line = strndup(at, width);
        bool good = line ? read_comment(file, number, line) : out_of_memory(file);
        free(line);
        if (!good)
            return false;
        at += width + (at[width] == '\n');
    }
    return file->launch_count ? true : complain(file, number, "there is no launch in it");
}

bool ifl_expect_read(const char *path, ifl_expect_file *out)
{
    *out = (ifl_expect_file){.path = path};
    return read_text(out) && read_comments(out);
}

static void free_launch(ifl_expect_launch *launch)
{
    for (size_t i = 0; i < launch->expectation_count; i++) {
        free(launch->expectations[i].name);
        free_words(launch->expectations[i].values, launch->expectations[i].value_count);
    }
    free(launch->expectations);
    free_words(launch->args, launch->arg_count);
    free(launch->kernel);
    free(launch->grid);
    free(launch->block);
    free(launch->shared);
}

void ifl_expect_free(ifl_expect_file *file)
{
    for (size_t i = 0; i < file->launch_count; i++)
        free_launch(&file->launches[i]);
    free(file->launches);
    free(file->text);
}

const char *ifl_expect_status(const ifl_expect_launch *launch)
{
    for (size_t i = 0; i < launch->expectation_count; i++)
        if (launch->expectations[i].kind == IFL_EXPECT_STATUS)
            return launch->expectations[i].name;
    return "ok";
}
