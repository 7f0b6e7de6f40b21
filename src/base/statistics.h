/* SPDX-License-Identifier: Apache-2.0
 * Figures of measured samples. What was measured is not known here. */
#ifndef IFL_BASE_STATISTICS_H
#define IFL_BASE_STATISTICS_H

#include <stddef.h>

/* The `share` (0 to 1) quantile of `count` samples, between neighbours by distance (Hyndman and
 * Fan's type 7); NaN of none. `scratch` takes `count` values. */
double ifl_quantile(const double *samples, size_t count, double share, double *scratch);

/* The A/A noise: the same thing measured twice. Samples are dealt out in turn to two halves; the
 * difference of the halves' medians over the median of all. NaN of fewer than four. */
double ifl_noise(const double *samples, size_t count, double *scratch);

#endif
