/* SPDX-License-Identifier: Apache-2.0
 * The recurrence of tail.cu for every element, bit for bit. It reaches a value that it keeps after
 * some 25 rounds: the kernel goes on, this need not. */
#include "lab_reference.h"

#include <math.h>

static float after(long long rounds, float value)
{
    for (long long r = 0; r < rounds; r++) {
        const float before = value;
        value = fmaf(value, 0.5f, 0.25f);
        if (value == before)
            break;
    }
    return value;
}

LAB_REFERENCE(tail)
{
    const long long rounds = lab_integer(run, 1);
    const float *x = lab_data(run, 2);
    float *y = lab_data(run, 3);
    const size_t count = lab_count(run, 3);
#pragma omp parallel for
    for (size_t i = 0; i < count; i++)
        y[i] = after(rounds, x[i]);
}
