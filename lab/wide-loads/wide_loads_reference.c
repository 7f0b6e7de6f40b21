/* SPDX-License-Identifier: Apache-2.0
 * What every version of wide_loads.cu has to compute, bit for bit: one rounded addition, then
 * comparisons. Knows nothing of kernels or launches. */
#include "wide_loads_reference.h"

void wide_loads_reference(size_t points, size_t kmax, size_t ld, const double *small_array,
                          const double *big_array, double *result)
{
    for (size_t pt = 0; pt < points; pt++)
        result[pt] = 0;
    for (size_t k = 0; k < kmax; k++)
        for (size_t pt = 0; pt < points; pt++) {
            const double sum = small_array[k] + big_array[k * ld + pt];
            if (sum > result[pt])
                result[pt] = sum;
        }
}
