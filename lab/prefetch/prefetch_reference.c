/* SPDX-License-Identifier: Apache-2.0
 * What every version of prefetch.cu has to compute, bit for bit: a thread adds up the worth of its
 * elements in their order, each worth a chain of fused multiply-adds. Knows the order of the
 * arguments: elements of a block, array, results. */
#include "lab_reference.h"

#include <math.h>

enum { ELEMENTS, ARRAY, RESULTS, POWERS = 32 };

static double worth(double x)
{
    double sum = 1;
    for (int k = 0; k < POWERS; k++)
        sum = fma(sum, x, 1.0);
    return sum;
}

LAB_REFERENCE(prefetch)
{
    const size_t elements = (size_t)lab_integer(run, ELEMENTS), threads = run->block[0];
    double *results = lab_data(run, RESULTS);
    for (size_t block = 0; block < run->grid[0]; block++) {
        const double *array = (const double *)lab_data(run, ARRAY) + block * elements;
        for (size_t thread = 0; thread < threads; thread++) {
            double sum = 0;
            for (size_t i = thread; i < elements; i += threads)
                sum += worth(array[i]);
            results[block * threads + thread] = sum;
        }
    }
}
