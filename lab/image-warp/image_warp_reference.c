/* SPDX-License-Identifier: Apache-2.0 */
#include "lab_reference.h"

#include <math.h>

static long long inside(long long at, long long n)
{
    return at < 0 ? 0 : at >= n ? n - 1 : at;
}

LAB_REFERENCE(image_warp)
{
    const long long n = lab_integer(run, 0);
    const float c = (float)lab_real(run, 1), s = (float)lab_real(run, 2), *image = lab_data(run, 3);
    const float middle = 0.5f * (float)(n - 1);
    float *out = lab_data(run, 4);
    for (long long row = 0; row < n; row++)
        for (long long column = 0; column < n; column++) {
            const float x = (float)column - middle, y = (float)row - middle;
            const float at_x = fmaf(c, x, fmaf(-s, y, middle)),
                        at_y = fmaf(s, x, fmaf(c, y, middle));
            const long long left = (long long)floorf(at_x), top = (long long)floorf(at_y);
            const double wx = at_x - floorf(at_x), wy = at_y - floorf(at_y);
            const float *above = image + inside(top, n) * n,
                        *below = image + inside(top + 1, n) * n;
            const long long x0 = inside(left, n), x1 = inside(left + 1, n);
            out[row * n + column] = (float)((1 - wy) * ((1 - wx) * above[x0] + wx * above[x1]) +
                                            wy * ((1 - wx) * below[x0] + wx * below[x1]));
        }
}
