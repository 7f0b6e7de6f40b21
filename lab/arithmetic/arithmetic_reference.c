/* SPDX-License-Identifier: Apache-2.0
 * What the versions of arithmetic.cu have to compute. Literals, roots and branches to the bit; the
 * functions within the tolerance of the case, since math.h leaves their last bits open. */
#include "lab_reference.h"

#include <math.h>
#include <string.h>

enum { STEPS = 8, LANES = 32 };

static const double factor[STEPS] = {1.25, 0.71, 1.19, 0.83, 1.07, 0.93, 1.31, 0.67};
static const double term[STEPS] = {-0.375, 0.13, -0.29, 0.07, -0.11, 0.17, -0.23, 0.19};

static float literals_f64(float v)
{
    for (int k = 0; k < STEPS; k++)
        v = (float)fma(v, factor[k], term[k]);
    return v;
}

static float literals_f32(float v)
{
    for (int k = 0; k < STEPS; k++)
        v = fmaf(v, (float)factor[k], (float)term[k]);
    return v;
}

static float functions(float v)
{
    return (float)log(1.0 + exp(-(double)v) * sin(v));
}

static float roots(float v)
{
    return v / sqrtf(fmaf(v, v, 1.0f));
}

static float squares(float v)
{
    v = fmaf(v, v, -0.7f);
    v = fmaf(v, 0.9f, 0.2f);
    v = fmaf(v, v, -0.6f);
    return fmaf(v, 0.8f, 0.1f);
}

static float limits(float v)
{
    v = fmaxf(v, 0.01f) * 0.99f;
    v = fminf(v, 0.95f) + 0.02f;
    v = fmaxf(v, 0.03f) * 0.97f;
    return fminf(v, 0.93f) + 0.04f;
}

typedef float step(float v);

static step *step_of(const char *version, size_t i)
{
    static const struct {
        const char *begin;
        step *even, *odd; /* of elements, or of warps */
        size_t group;
    } steps[] = {
        {"literals_f64", literals_f64, literals_f64, 1},
        {"literals_f32", literals_f32, literals_f32, 1},
        {"functions", functions, functions, 1},
        {"intrinsics", functions, functions, 1},
        {"roots", roots, roots, 1},
        {"diverging", squares, limits, 1},
        {"grouped", squares, limits, LANES},
    };
    size_t k = 0;
    while (strncmp(version, steps[k].begin, strlen(steps[k].begin)) != 0)
        k++;
    return i / steps[k].group % 2 == 0 ? steps[k].even : steps[k].odd;
}

LAB_REFERENCE(arithmetic)
{
    const long long rounds = lab_integer(run, 0);
    const float *x = lab_data(run, 1);
    float *y = lab_data(run, 2);
    const size_t count = lab_count(run, 2);
#pragma omp parallel for
    for (size_t i = 0; i < count; i++) {
        step *const next = step_of(run->version, i);
        y[i] = x[i];
        for (long long r = 0; r < rounds; r++)
            y[i] = next(y[i]);
    }
}
