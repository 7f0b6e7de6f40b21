/* SPDX-License-Identifier: Apache-2.0
 * What every version of prefetch.cu has to compute, bit for bit: a thread adds up the worth of its
 * elements in their order, each worth a chain of fused multiply-adds. Knows the order of the
 * arguments: elements of a block, array, results. */
#include "lab_reference.h"

#include <math.h>

enum { ELEMENTS, ARRAY, RESULTS, POWERS = 32, ABREAST = 16 };

/* Where the processor has a fused multiply-add, a call of fma() for each would take minutes at
 * the document's size. */
#if defined __x86_64__ && defined __GLIBC__
#define WITH_FMA __attribute__((target_clones("arch=haswell", "default")))
#else
#define WITH_FMA
#endif

/* ABREAST threads' next elements, side by side: the chain of one alone would wait for itself. */
WITH_FMA static void add_worth(double *restrict results, const double *restrict elements)
{
    double sum[ABREAST];
    for (int i = 0; i < ABREAST; i++)
        sum[i] = 1;
    for (int k = 0; k < POWERS; k++)
        for (int i = 0; i < ABREAST; i++)
            sum[i] = fma(sum[i], elements[i], 1.0);
    for (int i = 0; i < ABREAST; i++)
        results[i] += sum[i];
}

LAB_REFERENCE(prefetch)
{
    const size_t elements = (size_t)lab_integer(run, ELEMENTS), threads = run->block[0];
    const double *array = lab_data(run, ARRAY);
    double *results = lab_data(run, RESULTS);
#pragma omp parallel for
    for (size_t block = 0; block < run->grid[0]; block++)
        for (size_t i = 0; i < elements; i += ABREAST)
            add_worth(results + block * threads + i % threads, array + block * elements + i);
}
