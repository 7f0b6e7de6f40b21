/* SPDX-License-Identifier: Apache-2.0
 * Quantiles and the noise between two halves of the same samples. */
#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_FOR_NOISE = 4 };

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Of every `step`th sample from `first` on. */
static double quantile(const double *samples, size_t count, size_t first, size_t step, double share,
                       double *scratch)
{
    size_t taken = 0;
    for (size_t i = first; i < count; i += step)
        scratch[taken++] = samples[i];
    if (!taken)
        return NAN;
    qsort(scratch, taken, sizeof *scratch, compare);
    const double at = share * (double)(taken - 1);
    const size_t below = (size_t)at;
    const size_t above = below + 1 < taken ? below + 1 : below;
    return scratch[below] + (at - (double)below) * (scratch[above] - scratch[below]);
}

double ifl_quantile(const double *samples, size_t count, double share, double *scratch)
{
    return quantile(samples, count, 0, 1, share, scratch);
}

double ifl_noise(const double *samples, size_t count, double *scratch)
{
    if (count < LEAST_FOR_NOISE)
        return NAN;
    const double even = quantile(samples, count, 0, 2, 0.5, scratch);
    const double odd = quantile(samples, count, 1, 2, 0.5, scratch);
    return fabs(even - odd) / quantile(samples, count, 0, 1, 0.5, scratch);
}
