/* SPDX-License-Identifier: Apache-2.0 */
#include "lab_reference.h"
#include <math.h>
#include <stdlib.h>

enum { MOST_HEAD = 256 };

typedef struct sizes {
    long long length, head;
    double scale;
} sizes;

static double product(const float *a, const float *b, long long count)
{
    double sum = 0;
    for (long long d = 0; d < count; d++)
        sum += (double)a[d] * b[d];
    return sum;
}

/* A query with its head's keys and values. */
static void attend(const sizes *s, const float *q, const float *k, const float *v, uint16_t *out)
{
    double sum[MOST_HEAD] = {0}, all = 0, most = -INFINITY;
    double *weight = malloc((size_t)s->length * sizeof *weight);
    if (!weight)
        return;
    for (long long key = 0; key < s->length; key++) {
        weight[key] = s->scale * product(q, k + key * s->head, s->head);
        most = fmax(most, weight[key]);
    }
    for (long long key = 0; key < s->length; key++) {
        weight[key] = exp2(weight[key] - most);
        all += weight[key];
        for (long long d = 0; d < s->head; d++)
            sum[d] += weight[key] * v[key * s->head + d];
    }
    for (long long d = 0; d < s->head; d++)
        out[d] = lab_to_bf16((float)(sum[d] / all));
    free(weight);
}

LAB_REFERENCE(attention)
{
    const sizes s = {lab_integer(run, 0), (long long)lab_variable(run, "head"), lab_real(run, 1)};
    float *q = lab_floats_of_bf16(run, 2), *k = lab_floats_of_bf16(run, 3),
          *v = lab_floats_of_bf16(run, 4);
    uint16_t *out = lab_data(run, 5);
    const long long rows = (long long)lab_count(run, 5) / s.head;
    const bool has_room = q && k && v && s.head <= MOST_HEAD;
#pragma omp parallel for
    for (long long row = 0; row < (has_room ? rows : 0); row++) {
        const long long first = row / s.length * s.length * s.head;
        attend(&s, q + row * s.head, k + first, v + first, out + row * s.head);
    }
    free(q), free(k), free(v);
}
