/* SPDX-License-Identifier: Apache-2.0 */
#include "lab_reference.h"
#include <stdlib.h>

static float *as_floats(const lab_run *run, size_t argument)
{
    const uint16_t *from = lab_data(run, argument);
    const size_t count = lab_count(run, argument);
    float *to = malloc(count * sizeof *to);
    for (size_t i = 0; to && i < count; i++)
        to[i] = lab_from_bf16(from[i]);
    return to;
}

LAB_REFERENCE(product)
{
    const long long n = lab_integer(run, 0);
    float *a = as_floats(run, 1), *b = as_floats(run, 2), *c = lab_data(run, 3);
#pragma omp parallel for
    for (long long row = 0; row < (a && b ? n : 0); row++)
        for (long long column = 0; column < n; column++) {
            double sum = 0;
            for (long long k = 0; k < n; k++)
                sum += (double)a[row * n + k] * b[column * n + k];
            c[row * n + column] = (float)sum;
        }
    free(a), free(b);
}
