/* SPDX-License-Identifier: Apache-2.0
 * What all versions of register_passes.cu leave in px, py and sum, bit for bit: the same fused
 * multiply-adds in the same order. */
#include "lab_reference.h"

#include <math.h>

enum { RADIUS = 8, LEAD = 32 };

typedef struct weights {
    float first[RADIUS + 1], second[RADIUS + 1];
} weights;

/* second: 2 (-1)^(k+1) (r!)^2 / (k^2 (r-k)! (r+k)!), first: k / 2 of it. */
static weights make_weights(void)
{
    weights w = {{0}, {0}};
    double sum = 0;
    for (int k = 1; k <= RADIUS; k++) {
        double ratio = 1;
        for (int j = 1; j <= k; j++)
            ratio *= (double)(RADIUS - k + j) / (RADIUS + j);
        const double weight = (k % 2 ? 2 : -2) * ratio / (k * k);
        w.first[k] = (float)(weight * k / 2);
        w.second[k] = (float)weight;
        sum += weight;
    }
    w.second[0] = (float)(-2 * sum);
    return w;
}

static float first(const weights *w, const float *at, ptrdiff_t apart)
{
    float sum = 0;
    for (ptrdiff_t k = 1; k <= RADIUS; k++)
        sum = fmaf(w->first[k], at[k * apart] - at[-k * apart], sum);
    return sum;
}

static float second(const weights *w, const float *at, ptrdiff_t apart)
{
    float sum = w->second[0] * at[0];
    for (ptrdiff_t k = 1; k <= RADIUS; k++)
        sum = fmaf(w->second[k], at[-k * apart] + at[k * apart], sum);
    return sum;
}

typedef struct arrays {
    ptrdiff_t nx, ny, nz, pitch, plane;
    weights w;
    const float *p;
    float *px, *py, *sum;
} arrays;

static void first_pass(const arrays *a, ptrdiff_t at)
{
    a->px[at] = first(&a->w, a->p + at, 1);
    a->py[at] = first(&a->w, a->p + at, a->pitch);
}

static void rest(const arrays *a, ptrdiff_t at)
{
    float sum = 0.75f * second(&a->w, a->p + at, 1);
    sum = fmaf(0.5f, second(&a->w, a->p + at, a->pitch), sum);
    sum = fmaf(0.625f, second(&a->w, a->p + at, a->plane), sum);
    sum = fmaf(0.25f, first(&a->w, a->px + at, a->pitch), sum);
    sum = fmaf(-0.375f, first(&a->w, a->px + at, a->plane), sum);
    a->sum[at] = fmaf(0.125f, first(&a->w, a->py + at, a->plane), sum);
}

static void for_each_cell(const arrays *a, void (*work)(const arrays *a, ptrdiff_t at))
{
#pragma omp parallel for
    for (ptrdiff_t z = 0; z < a->nz; z++)
        for (ptrdiff_t y = 0; y < a->ny; y++)
            for (ptrdiff_t x = 0; x < a->nx; x++)
                work(a, (z + RADIUS) * a->plane + (y + RADIUS) * a->pitch + x + LEAD);
}

LAB_REFERENCE(register_passes)
{
    arrays a = {.nx = lab_integer(run, 0), .ny = lab_integer(run, 1), .nz = lab_integer(run, 2)};
    a.pitch = a.nx + 2 * LEAD;
    a.plane = a.pitch * (a.ny + 2 * RADIUS);
    a.w = make_weights();
    a.p = lab_data(run, 3);
    a.px = lab_data(run, 4);
    a.py = lab_data(run, 5);
    a.sum = lab_data(run, 6);
    for_each_cell(&a, first_pass);
    for_each_cell(&a, rest);
}
