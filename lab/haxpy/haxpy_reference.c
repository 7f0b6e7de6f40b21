/* SPDX-License-Identifier: Apache-2.0
 * What every version of haxpy.cu has to compute, bit for bit: the product and sum rounded once to
 * float, then to bfloat16. Knows nothing of kernels or launches. */
#include "lab_reference.h"

#include <math.h>

static void haxpy_plain(size_t n, float alpha, const uint16_t *x, uint16_t *y)
{
#pragma omp parallel for if (n > 65536)
    for (size_t i = 0; i < n; i++)
        y[i] = lab_to_bf16(fmaf(alpha, lab_from_bf16(x[i]), lab_from_bf16(y[i])));
}

/* Arguments: n, alpha, x, y. */
LAB_REFERENCE(haxpy)
{
    haxpy_plain((size_t)lab_integer(run, 0), (float)lab_real(run, 1), lab_data(run, 2),
                lab_data(run, 3));
}

/* Arguments: first n, how far x is offset from y, elements of a slot, alpha, x, y. The layout of
 * haxpy_NAME_all. */
LAB_REFERENCE(haxpy_all)
{
    enum { OFFSETS = 128 };
    const size_t first = (size_t)lab_integer(run, 0), apart = (size_t)lab_integer(run, 1),
                 slot_elements = (size_t)lab_integer(run, 2);
    const uint16_t *x = lab_data(run, 4);
    uint16_t *y = lab_data(run, 5);
    const size_t slots = lab_count(run, 5) / slot_elements;
#pragma omp parallel for
    for (size_t slot = 0; slot < slots; slot++) {
        const size_t at = slot % OFFSETS, begin = slot * slot_elements;
        haxpy_plain(first + slot / OFFSETS, (float)lab_real(run, 3),
                    x + begin + (at + apart) % OFFSETS, y + begin + at);
    }
}
