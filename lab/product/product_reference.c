/* SPDX-License-Identifier: Apache-2.0 */
#include "lab_reference.h"

LAB_REFERENCE(product)
{
    const long long n = lab_integer(run, 0);
    const uint16_t *a = lab_data(run, 1), *b = lab_data(run, 2);
    float *c = lab_data(run, 3);
#pragma omp parallel for
    for (long long row = 0; row < n; row++)
        for (long long column = 0; column < n; column++) {
            double sum = 0;
            for (long long k = 0; k < n; k++)
                sum += (double)lab_from_bf16(a[row * n + k]) * lab_from_bf16(b[column * n + k]);
            c[row * n + column] = (float)sum;
        }
}
