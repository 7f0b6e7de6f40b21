/* SPDX-License-Identifier: Apache-2.0
 * z = alpha * x + y for every way in which compression.cu keeps the numbers, bit for bit: one fused
 * multiply-add in the type of alpha, then one rounding to the type of z. */
#include "lab_reference.h"

#include <math.h>
#include <string.h>

enum { ALPHA = 1, X, Y, Z, TABLE };

/* The element as the kernel computes with it: every type here fits a double. */
static double element(const lab_run *run, size_t argument, size_t i)
{
    const char *type = run->arguments[argument].type;
    const void *data = lab_data(run, argument);
    if (strcmp(type, "u8") == 0)
        return element(run, TABLE, ((const uint8_t *)data)[i]);
    if (strcmp(type, "f16") == 0)
        return lab_from_f16(((const uint16_t *)data)[i]);
    return strcmp(type, "f32") == 0 ? ((const float *)data)[i] : ((const double *)data)[i];
}

static void put(const lab_run *run, size_t i, double value)
{
    const char *type = run->arguments[Z].type;
    void *data = lab_data(run, Z);
    if (strcmp(type, "f16") == 0)
        ((uint16_t *)data)[i] = lab_to_f16((float)value);
    else if (strcmp(type, "f32") == 0)
        ((float *)data)[i] = (float)value;
    else
        ((double *)data)[i] = value;
}

LAB_REFERENCE(compression)
{
    const bool in_float = strcmp(run->arguments[ALPHA].type, "f32") == 0;
    const double alpha = lab_real(run, ALPHA);
    for (size_t i = 0; i < lab_count(run, Z); i++) {
        const double x = element(run, X, i), y = element(run, Y, i);
        put(run, i, in_float ? fmaf((float)alpha, (float)x, (float)y) : fma(alpha, x, y));
    }
}
