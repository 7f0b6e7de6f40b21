/* SPDX-License-Identifier: Apache-2.0 */
#include "lab_reference.h"
#include <math.h>
#include <stdlib.h>

static double product(const uint16_t *a, const uint16_t *b, long long count)
{
    double sum = 0;
    for (long long d = 0; d < count; d++)
        sum += (double)lab_from_bf16(a[d]) * lab_from_bf16(b[d]);
    return sum;
}

LAB_REFERENCE(attention)
{
    const long long length = lab_integer(run, 0), head = (long long)lab_variable(run, "head");
    const double scale = lab_real(run, 1);
    const uint16_t *q = lab_data(run, 2), *k = lab_data(run, 3), *v = lab_data(run, 4);
    uint16_t *out = lab_data(run, 5);
    const long long rows = (long long)lab_count(run, 5) / head;
    double *weight = calloc((size_t)length, sizeof *weight);
    for (long long row = 0; weight && row < rows; row++) {
        const long long first = row / length * length;
        double all = 0, most = -INFINITY;
        for (long long key = 0; key < length; key++) {
            weight[key] = scale * product(q + row * head, k + (first + key) * head, head);
            most = fmax(most, weight[key]);
        }
        for (long long key = 0; key < length; key++)
            all += weight[key] = exp2(weight[key] - most);
        for (long long d = 0; d < head; d++) {
            double sum = 0;
            for (long long key = 0; key < length; key++)
                sum += weight[key] * lab_from_bf16(v[(first + key) * head + d]);
            out[row * head + d] = lab_to_bf16((float)(sum / all));
        }
    }
    free(weight);
}
