/* SPDX-License-Identifier: Apache-2.0
 * What every version of transpose.cu has to leave: the transposed matrix, bit for bit. */
#include "lab_reference.h"

LAB_REFERENCE(transpose)
{
    const size_t n = (size_t)lab_integer(run, 0);
    const double *in = lab_data(run, 1);
    double *out = lab_data(run, 2);
#pragma omp parallel for
    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++)
            out[x * n + y] = in[y * n + x];
}
