/* SPDX-License-Identifier: Apache-2.0 */
#include "lab_reference.h"
#include <math.h>

/* e4m3: a sign, four bits of exponent (bias 7), three of fraction; no infinities. */
static double from_fp8(unsigned bits)
{
    const int exponent = bits >> 3 & 15, fraction = bits & 7;
    const double value =
        exponent ? ldexp(1 + fraction / 8.0, exponent - 7) : ldexp(fraction / 8.0, -6);
    return bits & 0x80 ? -value : value;
}

LAB_REFERENCE(quantised)
{
    const long long columns = lab_integer(run, 0), rows = (long long)lab_count(run, 4);
    const bool has_four_bits = lab_variable(run, "bits") == 4;
    const uint8_t *w = lab_data(run, 1);
    const float *scale = lab_data(run, 2);
    const uint16_t *x = lab_data(run, 3);
    float *y = lab_data(run, 4);
#pragma omp parallel for
    for (long long row = 0; row < rows; row++) {
        double sum = 0;
        for (long long c = 0; c < columns; c++) {
            const long long at = row * columns + c;
            const double weight = has_four_bits
                                      ? ((w[at / 2] >> at % 2 * 4 & 15) - 8.0) * scale[at / 128]
                                      : from_fp8(w[at]) * scale[row];
            sum += weight * lab_from_bf16(x[c]);
        }
        y[row] = (float)sum;
    }
}
