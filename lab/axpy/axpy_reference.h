/* SPDX-License-Identifier: Apache-2.0
 * The axpy that every version has to equal. */
#ifndef LAB_AXPY_REFERENCE_H
#define LAB_AXPY_REFERENCE_H

#include <stddef.h>

/* y[i] = alpha * x[i] + y[i], rounded once, for i below n; x and y do not overlap. */
void axpy_reference(size_t n, float alpha, const float *x, float *y);

#endif
