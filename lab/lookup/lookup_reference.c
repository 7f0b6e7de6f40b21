/* SPDX-License-Identifier: Apache-2.0
 * What every version of lookup.cu has to leave in `results`. It adds in double, in the order of
 * the walk; the kernels add in their own type and order, hence a tolerance. Walks meet, so the sum
 * of a place is kept when it is known. Knows the order of the arguments: n, m, places, data,
 * iterations, summands, results. */
#include "lab_reference.h"

#include <stdlib.h>

enum { N, M, PLACES, DATA, ITERATIONS, SUMMANDS, RESULTS };

typedef struct table {
    const int64_t *places;
    const void *data;
    bool is_double;
    int64_t summands;
    double *sums; /* of the places, 0: not known yet; NULL: no memory to keep them */
} table;

static double add_up(const table *t, int64_t place)
{
    double sum = 0;
    for (int64_t s = place; s < place + t->summands; s++)
        sum += t->is_double ? ((const double *)t->data)[s] : (double)((const float *)t->data)[s];
    return sum;
}

static double sum_of(const table *t, int64_t place)
{
    if (!t->sums)
        return add_up(t, place);
    if (t->sums[place] == 0)
        t->sums[place] = add_up(t, place);
    return t->sums[place];
}

static double walk(const table *t, int64_t place, int32_t steps)
{
    double sum = 0;
    for (int32_t i = 0; i < steps; i++) {
        sum += sum_of(t, place);
        place = t->places[place];
    }
    return sum;
}

LAB_REFERENCE(lookup)
{
    const table t = {.places = lab_data(run, PLACES),
                     .data = lab_data(run, DATA),
                     .is_double = run->arguments[DATA].type[1] == '6',
                     .summands = lab_integer(run, SUMMANDS),
                     .sums = calloc((size_t)lab_integer(run, N), sizeof(double))};
    const int32_t *iterations = lab_data(run, ITERATIONS);
    const size_t walks = (size_t)lab_integer(run, M);
    void *results = lab_data(run, RESULTS);
    for (size_t i = 0; i < walks; i++) {
        const double sum = walk(&t, t.places[i], iterations[i]);
        if (t.is_double)
            ((double *)results)[i] = sum;
        else
            ((float *)results)[i] = (float)sum;
    }
    free(t.sums);
}
