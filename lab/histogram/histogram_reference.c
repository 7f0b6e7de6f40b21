/* SPDX-License-Identifier: Apache-2.0 */
#include "lab_reference.h"

LAB_REFERENCE(histogram)
{
    const long long n = lab_integer(run, 0);
    const uint16_t *numbers = lab_data(run, 1);
    uint32_t *counts = lab_data(run, 2);
    for (long long i = 0; i < n; i++)
        counts[numbers[i]]++;
}
