/* SPDX-License-Identifier: Apache-2.0
 * The columns of block_size.cu, bit for bit: the kernels' roundings are written out. */
#include "lab_reference.h"

#include <math.h>

enum { LEVELS = 32, SIDES = 6 };

static float at_height(const float *wind, int level, float slope)
{
    const int low = level < LEVELS - 2 ? level : LEVELS - 2;
    return fmaf((float)(level - low) + slope, wind[low + 1] - wind[low], wind[low]);
}

/* One level of one column at one step; `u` and `v` are the step's. */
static void add_level(const float *u, const float *v, const int32_t *near, const float *slopes,
                      int level, float *sums[3])
{
    float of_u[SIDES], of_v[SIDES], weight[SIDES], all = 0, mean_u = 0, mean_v = 0, spread = 0;
    for (int e = 0; e < SIDES; e++) {
        of_u[e] = at_height(u + (size_t)near[e] * LEVELS, level, slopes[e]);
        of_v[e] = at_height(v + (size_t)near[e] * LEVELS, level, slopes[e]);
        weight[e] = 1 / (0.5f + slopes[e]);
        all += weight[e];
        mean_u = fmaf(weight[e], of_u[e], mean_u);
        mean_v = fmaf(weight[e], of_v[e], mean_v);
    }
    mean_u /= all;
    mean_v /= all;
    for (int e = 0; e < SIDES; e++) {
        const float away_u = of_u[e] - mean_u, away_v = of_v[e] - mean_v;
        spread = fmaf(weight[e], fmaf(away_u, away_u, away_v * away_v), spread);
    }
    *sums[0] += mean_u;
    *sums[1] += mean_v;
    *sums[2] += spread;
}

LAB_REFERENCE(block_size)
{
    const size_t columns = (size_t)lab_integer(run, 0), values = columns * LEVELS;
    const float *u = lab_data(run, 2), *v = lab_data(run, 3), *slopes = lab_data(run, 5);
    const int32_t *near = lab_data(run, 4);
    const size_t steps = (size_t)lab_integer(run, 1);
    float *out = lab_data(run, 6);
#pragma omp parallel for
    for (size_t c = 0; c < columns; c++)
        for (size_t t = 0; t < steps; t++)
            for (int level = 0; level < LEVELS; level++) {
                float *at = out + c * LEVELS + (size_t)level;
                add_level(u + t * values, v + t * values, near + c * SIDES, slopes + c * SIDES,
                          level, (float *[]){at, at + values, at + 2 * values});
            }
}
