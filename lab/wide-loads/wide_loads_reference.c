/* SPDX-License-Identifier: Apache-2.0
 * What every version of wide_loads.cu has to compute, bit for bit: one rounded addition, then
 * comparisons. Knows nothing of kernels or launches. */
#include "lab_reference.h"

#include <string.h>

enum { PIECE = 1024 };

/* result[pt] = the largest of 0 and small[k] + big[k * ld + pt], k below kmax, for pt below points.
 * Arguments: points, kmax, ld, small, big, result. */
LAB_REFERENCE(wide_loads)
{
    const size_t points = (size_t)lab_integer(run, 0), kmax = (size_t)lab_integer(run, 1),
                 ld = (size_t)lab_integer(run, 2);
    const double *small_array = lab_data(run, 3), *big_array = lab_data(run, 4);
    double *result = lab_data(run, 5);
#pragma omp parallel for
    for (size_t first = 0; first < points; first += PIECE) {
        const size_t end = points - first < PIECE ? points : first + PIECE;
        memset(result + first, 0, (end - first) * sizeof *result);
        for (size_t k = 0; k < kmax; k++)
            for (size_t pt = first; pt < end; pt++) {
                const double sum = small_array[k] + big_array[k * ld + pt];
                result[pt] = sum > result[pt] ? sum : result[pt];
            }
    }
}
