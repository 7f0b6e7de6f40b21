/* SPDX-License-Identifier: Apache-2.0
 * See against_compare.h. */
#include "check/against_compare.h"

#include <math.h>
#include <string.h>

/* ---- elements -------------------------------------------------------------------------------- */

static double of_f16(const void *at)
{
    uint16_t bits;
    memcpy(&bits, at, sizeof bits);
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double sign = bits >> 15 ? -1 : 1;
    if (exponent == 31)
        return fraction ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

static double of_bf16(const void *at)
{
    uint16_t high;
    float value;
    memcpy(&high, at, sizeof high);
    const uint32_t bits = (uint32_t)high << 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double of_f32(const void *at)
{
    float value;
    memcpy(&value, at, sizeof value);
    return value;
}

static double of_f64(const void *at)
{
    double value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Sums in another order differ by about the square root of their length in units of the last place;
 * these leave room for some thousand terms. */
static const struct {
    const char *type;
    size_t bytes;
    double tolerance;
    double (*read)(const void *at);
} types[] = {{"f16", 2, 1e-2, of_f16},
             {"bf16", 2, 5e-2, of_bf16},
             {"f32", 4, 1e-5, of_f32},
             {"f64", 8, 1e-12, of_f64}};

static int find_type(const char *type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].type, type) == 0)
            return (int)i;
    return -1;
}

double ifl_tolerance_of(const char *type, double given)
{
    const int t = find_type(type);
    return t < 0 ? 0 : given > 0 ? given : types[t].tolerance;
}

/* ---- buffers --------------------------------------------------------------------------------- */

static double mean_of(const ifl_task_argument *a, int type)
{
    double sum = 0;
    size_t count = 0;
    for (size_t at = 0; at + types[type].bytes <= a->bytes; at += types[type].bytes) {
        const double value = fabs(types[type].read((const char *)a->after + at));
        if (isfinite(value)) {
            sum += value;
            count++;
        }
    }
    return count ? sum / (double)count : 0;
}

/* How far off, over what is allowed; 0: equal. Numbers that are not finite must be the same. */
static double excess(double found, double expected, double allowed)
{
    if (isnan(expected) || isinf(expected))
        return (isnan(expected) && isnan(found)) || found == expected ? 0 : INFINITY;
    if (!isfinite(found))
        return INFINITY;
    return fabs(found - expected) <= allowed
               ? 0
               : fabs(found - expected) / (allowed > 0 ? allowed : 1e-300);
}

static void note(ifl_difference *out, const ifl_task_argument *a, const char *found, size_t at,
                 size_t bytes, bool is_worse)
{
    out->is_found = true;
    out->different++;
    out->untouched += memcmp(found + at, (const char *)a->before + at, bytes) == 0;
    if (is_worse)
        out->element = at / bytes;
}

static void compare_floats(const ifl_task_argument *a, int type, const char *found,
                           double tolerance, ifl_difference *out)
{
    const double mean = mean_of(a, type);
    double worst = 0;
    for (size_t at = 0; at + types[type].bytes <= a->bytes; at += types[type].bytes) {
        const double f = types[type].read(found + at),
                     e = types[type].read((const char *)a->after + at);
        const double off = excess(f, e, tolerance * (fabs(e) + mean));
        out->elements++;
        if (off <= 0)
            continue;
        note(out, a, found, at, types[type].bytes, off > worst);
        if (off > worst) {
            worst = off;
            out->found = f;
            out->expected = e;
        }
    }
}

/* "u32" has 4 bytes; plain bytes 1. */
static size_t bytes_of(const char *type)
{
    static const struct {
        const char *type;
        size_t bytes;
    } integers[] = {{"i16", 2}, {"u16", 2}, {"i32", 4}, {"u32", 4}, {"i64", 8}, {"u64", 8}};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        if (strcmp(integers[i].type, type) == 0)
            return integers[i].bytes;
    return 1;
}

static double integer_at(const void *from, size_t bytes, bool is_signed)
{
    uint64_t value = 0;
    memcpy(&value, from, bytes);
    if (is_signed && bytes < 8 && value >> (8 * bytes - 1))
        value |= ~UINT64_C(0) << 8 * bytes;
    return is_signed ? (double)(int64_t)value : (double)value;
}

static void compare_integers(const ifl_task_argument *a, const char *found, ifl_difference *out)
{
    const size_t bytes = bytes_of(a->type);
    for (size_t at = 0; at + bytes <= a->bytes; at += bytes) {
        const char *expected = (const char *)a->after + at;
        out->elements++;
        if (memcmp(found + at, expected, bytes) == 0)
            continue;
        if (!out->is_found) {
            out->found = integer_at(found + at, bytes, a->type[0] == 'i');
            out->expected = integer_at(expected, bytes, a->type[0] == 'i');
        }
        note(out, a, found, at, bytes, !out->is_found);
    }
}

void ifl_against_compare(const ifl_task_argument *argument, const void *found, double tolerance,
                         ifl_difference *out)
{
    const int type = find_type(argument->type);
    *out = (ifl_difference){.tolerance = tolerance};
    if (type >= 0 && argument->is_output)
        compare_floats(argument, type, found, tolerance, out);
    else
        compare_integers(argument, found, out);
}
