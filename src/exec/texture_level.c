/* SPDX-License-Identifier: Apache-2.0
 * Levels of detail: which of them is meant. Bounds and rounding are those of an H100
 * (tests/gpu/h100/texture_levels.txt), the length of derivatives is an H200's; no document has them. */
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

/* ---- derivatives ----------------------------------------------------------------------------- */

/* Lengths have ten bits; what is below is cut off. An H200 has it so in all of 98,304 places whose
 * derivatives lie along an axis each, or of which there is one (tools/gpu/texture_footprints.cu,
 * `levels`); where both are oblique one in 600 is off by a part of 256 or two. */
enum { LENGTH_BITS = 10 };

static double unit_of(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, exponent - LENGTH_BITS);
}

static double cut_off(double x)
{
    const double unit = unit_of(x);
    return trunc(x / unit) * unit;
}

/* 11/8 of it, to the nearest part of 8. */
static double eleven_eighths(double x)
{
    const double unit = unit_of(x);
    return cut_off(floor(11 * fabs(x) / unit / 8 + 0.5) * unit);
}

/* What the smaller has below the last bit of the larger is cut off. */
static double sum_of(double x, double y)
{
    const double large = x > y ? x : y, small = x > y ? y : x, unit = unit_of(large);
    return cut_off(large + floor(small / unit) * unit);
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
    return most > 0 ? sum_of(most, sum_of(eleven_eighths(second) / 4, least / 4)) : 0;
}

/* The directions of x and y of the screen, in elements. */
typedef struct ways {
    double x[IFL_TEXTURE_RANKS], y[IFL_TEXTURE_RANKS];
} ways;

/* How many elements a step on the screen is wide: the larger of both directions. */
static double width_of(ways *w)
{
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS; d++)
        w->x[d] = cut_off(w->x[d]), w->y[d] = cut_off(w->y[d]);
    return fmax(length_of(w->x), length_of(w->y));
}

/* The same of 11/16 of both diagonals. */
static double diagonal_of(const ways *w)
{
    double sum[IFL_TEXTURE_RANKS], difference[IFL_TEXTURE_RANKS];
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS; d++) {
        sum[d] = eleven_eighths(cut_off(w->x[d] + w->y[d])) / 2;
        difference[d] = eleven_eighths(cut_off(w->x[d] - w->y[d])) / 2;
    }
    return fmax(length_of(sum), length_of(difference));
}

/* A logarithm of the eight bits behind the first, to a part of 256: exact powers of two have whole
 * ones, and no other number the next one's. */
static float level_of_width(double width)
{
    const double middle = 0.47; /* of what a step of the eight bits covers */
    int exponent;
    if (!(width > 0))
        return -INFINITY;
    const double step = floor((2 * frexp(width, &exponent) - 1) * ONE),
                 part = step > 0 ? floor(log2(1 + (step + middle) / ONE) * ONE + 0.5) : 0;
    return (float)(exponent - 1 + fmin(part, ONE - 1) / ONE);
}

float ifl_texture_gradient_level(const ifl_texture *texture, float gradient[2][IFL_TEXTURE_RANKS])
{
    ways w;
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS; d++) {
        const double scale = texture->is_normalized ? texture->size[d] : 1;
        w.x[d] = (double)gradient[0][d] * scale, w.y[d] = (double)gradient[1][d] * scale;
    }
    const double width = width_of(&w);
    return level_of_width(fmax(width, diagonal_of(&w)));
}

/* ---- derivatives of directions --------------------------------------------------------------- */

/* The axis of the face that a direction meets (CUDA C++ Programming Guide, "Cubemap Textures"). */
static unsigned axis_of(const double v[IFL_TEXTURE_RANKS])
{
    const double x = fabs(v[0]), y = fabs(v[1]), z = fabs(v[2]);
    return z >= x && z >= y ? 2 : y >= x ? 1 : 0;
}

typedef enum met { SAME_FACE, NEXT_FACE, OPPOSITE_FACE } met;

/* From where one direction meets the cube to where another does, on the plane of the first one's
 * face: the next face is unfolded. */
static met move_on_face(const double from[IFL_TEXTURE_RANKS], const double to[IFL_TEXTURE_RANKS],
                        double half, double moved[IFL_TEXTURE_RANKS])
{
    const unsigned own = axis_of(from), axis = axis_of(to);
    const double side = from[own] < 0 ? -1 : 1, major = fabs(to[axis]);
    double at[IFL_TEXTURE_RANKS];
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS; d++)
        at[d] = to[d] / major;
    if (axis != own)
        at[axis] = copysign(2 - side * at[own], at[axis]);
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS; d++)
        moved[d] = d == own ? 0 : (at[d] - from[d] / fabs(from[own])) * half;
    return axis != own ? NEXT_FACE : at[own] * side < 0 ? OPPOSITE_FACE : SAME_FACE;
}

/* Across an edge no diagonal counts, and to the opposite face it is as far as can be. So an H200 has
 * it in 32,768 places, seven in a hundred off by a part of 256 or two, all of them at edges. */
float ifl_texture_cube_level(const ifl_texture *texture, const float direction[IFL_TEXTURE_RANKS],
                             float gradient[2][IFL_TEXTURE_RANKS])
{
    double at[IFL_TEXTURE_RANKS], beside[2][IFL_TEXTURE_RANKS];
    ways w;
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS; d++) {
        at[d] = (double)direction[d];
        for (unsigned by = 0; by < 2; by++)
            beside[by][d] = (double)(direction[d] + gradient[by][d]);
    }
    const double half = texture->size[0] / 2.0;
    const met x = move_on_face(at, beside[0], half, w.x),
              y = move_on_face(at, beside[1], half, w.y);
    if (x == OPPOSITE_FACE || y == OPPOSITE_FACE)
        return INFINITY;
    const double width = width_of(&w);
    return level_of_width(x == SAME_FACE && y == SAME_FACE ? fmax(width, diagonal_of(&w)) : width);
}

/* ---- levels ---------------------------------------------------------------------------------- */

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
