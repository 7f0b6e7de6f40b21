/* SPDX-License-Identifier: Apache-2.0
 * The recurrence of tail.cu for every element, bit for bit. */
#include "lab_reference.h"

#include <math.h>

LAB_REFERENCE(tail)
{
    const long long rounds = lab_integer(run, 1);
    const float *x = lab_data(run, 2);
    float *y = lab_data(run, 3);
    for (size_t i = 0; i < lab_count(run, 3); i++) {
        y[i] = x[i];
        for (long long r = 0; r < rounds; r++)
            y[i] = fmaf(y[i], 0.998f, 0.001f);
    }
}
