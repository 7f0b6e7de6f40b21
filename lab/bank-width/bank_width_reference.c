/* SPDX-License-Identifier: Apache-2.0
 * The stencil of bank_width.cu on both fields, bit for bit, for either layout and order. */
#include "lab_reference.h"

#include <math.h>
#include <string.h>

enum { LEAD = 32, FARTHEST = 8 };

typedef struct grid {
    ptrdiff_t nx, ny, nz, radius, pitch, plane;
    ptrdiff_t field, cell; /* from a field to the other, from a cell to the next, in floats */
    float weight[FARTHEST + 1];
} grid;

/* Of the second derivative: 2 (-1)^(k+1) (r!)^2 / (k^2 (r-k)! (r+k)!); they add up to 0. */
static void set_weights(grid *g)
{
    const int radius = (int)g->radius;
    double sum = 0;
    for (int k = 1; k <= radius; k++) {
        double ratio = 1;
        for (int j = 1; j <= k; j++)
            ratio *= (double)(radius - k + j) / (radius + j);
        const double weight = (k % 2 ? 2 : -2) * ratio / (k * k);
        g->weight[k] = (float)weight;
        sum += weight;
    }
    g->weight[0] = (float)(-2 * sum);
}

static float laplacian(const grid *g, const float *p)
{
    const ptrdiff_t x = g->cell, y = g->cell * g->pitch, z = g->cell * g->plane;
    float sum = 3 * g->weight[0] * p[0];
    for (ptrdiff_t k = 1; k <= g->radius; k++) {
        const float around = p[-k * x] + p[k * x] + (p[-k * y] + p[k * y]) + (p[-k * z] + p[k * z]);
        sum = fmaf(g->weight[k], around, sum);
    }
    return sum;
}

static grid grid_of(const lab_run *run)
{
    const bool is_pair = strncmp(run->version, "pair", 4) == 0;
    grid g = {.nx = lab_integer(run, 0), .ny = lab_integer(run, 1), .nz = lab_integer(run, 2)};
    g.radius = strstr(run->version, "_16") ? 8 : 4;
    g.pitch = g.nx + 2 * LEAD;
    g.plane = g.pitch * (g.ny + 2 * g.radius);
    g.field = is_pair ? 1 : g.plane * (g.nz + 2 * g.radius);
    g.cell = is_pair ? 2 : 1;
    set_weights(&g);
    return g;
}

LAB_REFERENCE(bank_width)
{
    const grid g = grid_of(run);
    const float *in = lab_data(run, 3);
    float *out = lab_data(run, 4);
    const ptrdiff_t other = g.cell == 2 ? 1 : g.nx * g.ny * g.nz;
#pragma omp parallel for
    for (ptrdiff_t z = 0; z < g.nz; z++)
        for (ptrdiff_t y = 0; y < g.ny; y++)
            for (ptrdiff_t x = 0; x < g.nx; x++) {
                const ptrdiff_t at = (z + g.radius) * g.plane + (y + g.radius) * g.pitch + x + LEAD;
                const float p = laplacian(&g, in + at * g.cell);
                const float q = laplacian(&g, in + at * g.cell + g.field);
                float *result = out + ((z * g.ny + y) * g.nx + x) * g.cell;
                result[0] = fmaf(0.5f, q, p);
                result[other] = fmaf(-0.25f, p, q);
            }
}
