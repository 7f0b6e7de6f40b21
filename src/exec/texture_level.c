/* SPDX-License-Identifier: Apache-2.0
 * Levels of detail: which of them is meant. Bounds, rounding and the length of derivatives are those
 * of an H100 (tests/gpu/h100/texture_levels.txt); no document has them. */
#include "exec/texel.h"

#include <math.h>

enum { ONE = 1 << IFL_LEVEL_BITS };

static int32_t fixed(float value, float least, float most)
{
    const double kept = value != value  ? 0
                        : value < least ? least
                        : value > most  ? most
                                        : (double)value;
    return (int32_t)(kept * ONE);
}

/* Bits behind the point are cut off before anything is added. Of bounds that cross each other the
 * lower one counts. */
uint32_t ifl_texture_level_of(const ifl_texture *texture, float level)
{
    const float far = 64, bias = 16;
    const int32_t least = fixed(texture->least_level, 0, far),
                  most = fixed(texture->most_level, 0, far), last = texture->smaller * ONE;
    int32_t at = fixed(level, -far, far) + fixed(texture->level_bias, -bias, bias - 1.0f / ONE);
    at = at > most ? most : at;
    at = at < least ? least : at;
    return (uint32_t)(at > last ? last : at);
}

/* About the length of a vector: of its largest component 1, of the second 11/32, of the least
 * 1/4. */
static double length_of(const double v[IFL_TEXTURE_RANKS])
{
    double most = 0, second = 0, least = 0;
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS; d++) {
        const double x = fabs(v[d]);
        if (x > most)
            least = second, second = most, most = x;
        else if (x > second)
            least = second, second = x;
        else if (x > least)
            least = x;
    }
    return most + second * 11 / 32 + least / 4;
}

/* How many elements a step on the screen is wide: the largest of both directions, and of 11/16 of
 * both diagonals. */
float ifl_texture_gradient_level(const ifl_texture *texture, float gradient[2][IFL_TEXTURE_RANKS])
{
    double way[4][IFL_TEXTURE_RANKS], wide = 0;
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS; d++) {
        const double scale = texture->is_normalized ? texture->size[d] : 1,
                     x = (double)gradient[0][d] * scale, y = (double)gradient[1][d] * scale;
        way[0][d] = x, way[1][d] = y;
        way[2][d] = (x + y) * 11 / 16, way[3][d] = (x - y) * 11 / 16;
    }
    for (unsigned i = 0; i < 4; i++) {
        const double length = length_of(way[i]);
        wide = length > wide ? length : wide;
    }
    return (float)(log2(wide) + 0.5 / ONE);
}

ifl_texture ifl_texture_at_level(const ifl_texture *texture, uint32_t level)
{
    ifl_texture at = *texture;
    if (!level || level > texture->smaller)
        return at;
    const ifl_texture_level *of = &texture->level[level - 1];
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS; d++)
        at.size[d] = of->size[d];
    at.address += of->offset;
    at.bytes -= of->offset;
    at.pitch = of->pitch;
    at.slice = of->slice;
    return at;
}
