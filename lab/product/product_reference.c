/* SPDX-License-Identifier: Apache-2.0 */
#include "lab_reference.h"
#include <stdlib.h>

LAB_REFERENCE(product)
{
    const long long n = lab_integer(run, 0);
    float *a = lab_floats_of_bf16(run, 1), *b = lab_floats_of_bf16(run, 2), *c = lab_data(run, 3);
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
