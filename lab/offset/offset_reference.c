/* SPDX-License-Identifier: Apache-2.0
 * One time step of offset.cu, bit for bit: the sums of each distance are added in the same order,
 * and then one fused multiply-add a distance. */
#include "lab_reference.h"

#include <math.h>

enum { RADIUS = 4, WIDTH = 64, HEIGHT = 16 };

static const float weight[RADIUS + 1] = {-205.0f / 72, 8.0f / 5, -1.0f / 5, 8.0f / 315,
                                         -1.0f / 560};

static float laplacian(const float *p, ptrdiff_t pitch, ptrdiff_t plane)
{
    float sum = 3 * weight[0] * p[0];
    for (ptrdiff_t k = 1; k <= RADIUS; k++) {
        float around = p[-k] + p[k];
        around += p[-k * pitch] + p[k * pitch];
        around += p[-k * plane] + p[k * plane];
        sum = fmaf(weight[k], around, sum);
    }
    return sum;
}

LAB_REFERENCE(offset)
{
    const ptrdiff_t pitch = lab_integer(run, 0), plane = pitch * lab_integer(run, 1);
    const ptrdiff_t planes = lab_integer(run, 2);
    const float *p = lab_data(run, 3), *velocity = lab_data(run, 4);
    float *wave = lab_data(run, 5);
    const ptrdiff_t nx = (ptrdiff_t)run->grid[0] * WIDTH, ny = (ptrdiff_t)run->grid[1] * HEIGHT;
#pragma omp parallel for
    for (ptrdiff_t z = RADIUS; z < planes + RADIUS; z++)
        for (ptrdiff_t y = RADIUS; y < ny + RADIUS; y++)
            for (ptrdiff_t x = RADIUS; x < nx + RADIUS; x++) {
                const ptrdiff_t at = z * plane + y * pitch + x;
                const float sum = laplacian(p + at, pitch, plane);
                wave[at] = fmaf(velocity[at], sum, fmaf(2.0f, p[at], -wave[at]));
            }
}
