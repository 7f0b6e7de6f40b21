/* SPDX-License-Identifier: Apache-2.0
 * What every version of wide_loads.cu has to compute. */
#ifndef LAB_WIDE_LOADS_REFERENCE_H
#define LAB_WIDE_LOADS_REFERENCE_H

#include <stddef.h>

/* result[pt] = the largest of 0 and small[k] + big[k * ld + pt], k below kmax, for pt below points. */
void wide_loads_reference(size_t points, size_t kmax, size_t ld, const double *small_array,
                          const double *big_array, double *result);

#endif
