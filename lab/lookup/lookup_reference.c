/* SPDX-License-Identifier: Apache-2.0
 * What every version of lookup.cu has to leave in `results`. It adds in double, in the order of
 * the walk; the kernels add in their own type and order, hence a tolerance. Knows the order of the
 * arguments: n, m, places, data, iterations, summands, results. */
#include "lab_reference.h"

enum { N, M, PLACES, DATA, ITERATIONS, SUMMANDS, RESULTS };

static double element(const lab_run *run, bool is_double, size_t at)
{
    const void *data = lab_data(run, DATA);
    return is_double ? ((const double *)data)[at] : (double)((const float *)data)[at];
}

static double walk(const lab_run *run, bool is_double, size_t at)
{
    const int64_t *places = lab_data(run, PLACES);
    const int32_t *iterations = lab_data(run, ITERATIONS);
    const long long summands = lab_integer(run, SUMMANDS);
    int64_t place = places[at];
    double sum = 0;
    for (int32_t i = 0; i < iterations[at]; i++) {
        for (long long s = 0; s < summands; s++)
            sum += element(run, is_double, (size_t)(place + s));
        place = places[place];
    }
    return sum;
}

LAB_REFERENCE(lookup)
{
    const bool is_double = run->arguments[DATA].type[1] == '6';
    const size_t walks = (size_t)lab_integer(run, M);
    void *results = lab_data(run, RESULTS);
    for (size_t i = 0; i < walks; i++) {
        const double sum = walk(run, is_double, i);
        if (is_double)
            ((double *)results)[i] = sum;
        else
            ((float *)results)[i] = (float)sum;
    }
}
