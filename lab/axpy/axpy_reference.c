/* SPDX-License-Identifier: Apache-2.0
 * What every version of axpy.cu has to compute, bit for bit: nvcc contracts alpha * x + y to one
 * fused multiply-add, rounded once. Knows nothing of kernels or launches. */
#include "lab_reference.h"

#include <math.h>

/* Arguments: n (in vectors for some versions), alpha, x, y. */
LAB_REFERENCE(axpy)
{
    const float alpha = (float)lab_real(run, 1), *x = lab_data(run, 2);
    float *y = lab_data(run, 3);
    const size_t n = lab_count(run, 3);
#pragma omp parallel for
    for (size_t i = 0; i < n; i++)
        y[i] = fmaf(alpha, x[i], y[i]);
}
