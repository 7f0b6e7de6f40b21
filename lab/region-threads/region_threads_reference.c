/* SPDX-License-Identifier: Apache-2.0
 * What every version of region_threads.cu has to leave, bit for bit: sums as a tree, then one
 * quotient a level and one fused multiply-add a value. */
#include "lab_reference.h"

#include <math.h>
#include <string.h>

enum { POINTS = 16 };

static double tree_sum(const double *values)
{
    double part[POINTS];
    memcpy(part, values, sizeof part);
    for (int step = POINTS / 2; step > 0; step /= 2)
        for (int i = 0; i < step; i++)
            part[i] += part[i + step];
    return part[0];
}

static void limit(double least, double *level)
{
    for (int i = 0; i < POINTS; i++)
        level[i] -= least;
    const double sum = tree_sum(level);
    for (int i = 0; i < POINTS; i++)
        level[i] = fmax(sum < 0 ? -level[i] : level[i], 0.0);
    const double kept = tree_sum(level);
    for (int i = 0; i < POINTS; i++)
        level[i] = fma(level[i], kept > 0 ? sum / kept : 1.0, least);
}

LAB_REFERENCE(region_threads)
{
    const long long levels = lab_integer(run, 0);
    const double least = lab_real(run, 1);
    double *q = lab_data(run, 2);
#pragma omp parallel for
    for (long long k = 0; k < levels; k++)
        limit(least, q + k * POINTS);
}
