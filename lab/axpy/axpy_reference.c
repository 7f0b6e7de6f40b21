/* SPDX-License-Identifier: Apache-2.0
 * What every version of axpy.cu has to compute, bit for bit: nvcc contracts alpha * x + y to one
 * fused multiply-add, rounded once. Knows nothing of kernels or launches. */
#include "axpy_reference.h"

#include <math.h>

void axpy_reference(size_t n, float alpha, const float *x, float *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = fmaf(alpha, x[i], y[i]);
}
