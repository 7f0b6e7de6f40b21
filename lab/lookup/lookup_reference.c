/* SPDX-License-Identifier: Apache-2.0
 * What every version of lookup.cu has to leave in `results`. It adds in double, in the order of
 * the walk; the kernels add in their own type and order, hence a tolerance. Knows the order of the
 * arguments: n, m, places, data, iterations, summands, results. */
#include "lab_reference.h"

#include <string.h>

enum { N, M, PLACES, DATA, ITERATIONS, SUMMANDS, RESULTS, ABREAST = 16 };

typedef struct table {
    const int64_t *places;
    const void *data;
    bool is_double;
    int64_t summands;
} table;

static double add_up(const table *t, int64_t place)
{
    const double *doubles = t->data;
    const float *floats = t->data;
    double sum = 0;
    for (int64_t s = place; s < place + t->summands; s++)
        sum += t->is_double ? doubles[s] : (double)floats[s];
    return sum;
}

/* `count` walks side by side: one alone would wait for each of its loads. */
static void walk(const table *t, size_t first, size_t count, const int32_t *steps, double *sum)
{
    int64_t place[ABREAST];
    bool any = true;
    memcpy(place, t->places + first, count * sizeof *place);
    for (int32_t i = 0; any; i++) {
        any = false;
        for (size_t w = 0; w < count; w++) {
            if (i >= steps[first + w])
                continue;
            any = true;
            sum[w] += add_up(t, place[w]);
            place[w] = t->places[place[w]];
        }
    }
}

static void put(const table *t, void *results, size_t index, double sum)
{
    if (t->is_double)
        ((double *)results)[index] = sum;
    else
        ((float *)results)[index] = (float)sum;
}

LAB_REFERENCE(lookup)
{
    const table t = {.places = lab_data(run, PLACES),
                     .data = lab_data(run, DATA),
                     .is_double = run->arguments[DATA].type[1] == '6',
                     .summands = lab_integer(run, SUMMANDS)};
    const int32_t *iterations = lab_data(run, ITERATIONS);
    const size_t walks = (size_t)lab_integer(run, M);
    void *results = lab_data(run, RESULTS);
#pragma omp parallel for
    for (size_t first = 0; first < walks; first += ABREAST) {
        const size_t count = walks - first < ABREAST ? walks - first : ABREAST;
        double sum[ABREAST] = {0};
        walk(&t, first, count, iterations, sum);
        for (size_t w = 0; w < count; w++)
            put(&t, results, first + w, sum[w]);
    }
}
