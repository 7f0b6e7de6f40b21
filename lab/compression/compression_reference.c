/* SPDX-License-Identifier: Apache-2.0
 * z = alpha * x + y for every way in which compression.cu keeps the numbers, bit for bit: one fused
 * multiply-add in the type of alpha, then one rounding to the type of z. */
#include "lab_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALPHA = 1, X, Y, Z, TABLE, PIECE = 4096 };

/* How elements are kept: `get` widens to double, which every type here fits; `put` rounds. */
typedef struct kept {
    const char *type;
    void (*get)(const void *data, size_t first, size_t count, const double *table, double *out);
    void (*put)(void *data, size_t first, size_t count, const double *values);
} kept;

static void get_f64(const void *data, size_t first, size_t count, const double *table, double *out)
{
    (void)table;
    memcpy(out, (const double *)data + first, count * sizeof *out);
}

static void get_f32(const void *data, size_t first, size_t count, const double *table, double *out)
{
    (void)table;
    for (size_t i = 0; i < count; i++)
        out[i] = ((const float *)data)[first + i];
}

static void get_f16(const void *data, size_t first, size_t count, const double *table, double *out)
{
    (void)table;
    for (size_t i = 0; i < count; i++)
        out[i] = lab_from_f16(((const uint16_t *)data)[first + i]);
}

static void get_index(const void *data, size_t first, size_t count, const double *table,
                      double *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = table[((const uint8_t *)data)[first + i]];
}

static void put_f64(void *data, size_t first, size_t count, const double *values)
{
    memcpy((double *)data + first, values, count * sizeof *values);
}

static void put_f32(void *data, size_t first, size_t count, const double *values)
{
    for (size_t i = 0; i < count; i++)
        ((float *)data)[first + i] = (float)values[i];
}

static void put_f16(void *data, size_t first, size_t count, const double *values)
{
    for (size_t i = 0; i < count; i++)
        ((uint16_t *)data)[first + i] = lab_to_f16((float)values[i]);
}

static const kept *kept_as(const lab_run *run, size_t argument)
{
    static const kept all[] = {{"f64", get_f64, put_f64},
                               {"f32", get_f32, put_f32},
                               {"f16", get_f16, put_f16},
                               {"u8", get_index, NULL}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (strcmp(all[k].type, run->arguments[argument].type) == 0)
            return &all[k];
    abort(); /* the case names a type that is not above */
}

/* z from x and y, `count` of each, in float or double; in place of y. */
static void compute(bool in_float, double alpha, size_t count, const double *x, double *y)
{
    for (size_t i = 0; i < count; i++)
        y[i] = in_float ? (double)fmaf((float)alpha, (float)x[i], (float)y[i])
                        : fma(alpha, x[i], y[i]);
}

LAB_REFERENCE(compression)
{
    const bool in_float = strcmp(run->arguments[ALPHA].type, "f32") == 0;
    const kept *of_x = kept_as(run, X), *of_y = kept_as(run, Y), *of_z = kept_as(run, Z);
    double table[256] = {0};
    if (run->argument_count > TABLE)
        kept_as(run, TABLE)->get(lab_data(run, TABLE), 0, lab_count(run, TABLE), NULL, table);
    const size_t n = lab_count(run, Z);
#pragma omp parallel for
    for (size_t first = 0; first < n; first += PIECE) {
        double x[PIECE], y[PIECE];
        const size_t count = n - first < PIECE ? n - first : PIECE;
        of_x->get(lab_data(run, X), first, count, table, x);
        of_y->get(lab_data(run, Y), first, count, table, y);
        compute(in_float, lab_real(run, ALPHA), count, x, y);
        of_z->put(lab_data(run, Z), first, count, y);
    }
}
