/* SPDX-License-Identifier: Apache-2.0
 * Coordinates -> elements -> a filtered value (CUDA C++ Programming Guide, "Texture Fetching";
 * faces of cubes: "Cubemap Textures"). */
#include "exec/texel.h"

#include "exec/lane.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Coordinates have as many bits behind the point as the weights of a filter. */
enum { FRACTION_BITS = 8, ONE = 1 << FRACTION_BITS, OUTSIDE = INT32_MIN, BEHIND = OUTSIDE + 1 };

/* Elements around a place in a plane. */
enum { PLANE = 4 };

/* What every NaN of a filter becomes. */
#define NAN_BITS 0x7fffffff

/* The elements that a coordinate of one dimension lies between; the nearest one where nothing is
 * filtered. */
typedef struct between {
    int32_t element[2]; /* OUTSIDE, before the first, and BEHIND the last: none, the border */
    uint32_t weight;    /* of the second, of ONE */
} between;

/* ---- coordinates ----------------------------------------------------------------------------- */

static int32_t positive_modulo(int32_t a, int32_t n)
{
    const int32_t rest = a % n;
    return rest < 0 ? rest + n : rest;
}

static int32_t inside(uint8_t mode, int32_t element, int32_t size)
{
    const int32_t last = size - 1;
    if (element >= 0 && element <= last)
        return element;
    switch (mode) {
    case IFL_OUTSIDE_WRAP:
        return positive_modulo(element, size);
    case IFL_OUTSIDE_MIRROR: {
        const int32_t at = positive_modulo(element, 2 * size);
        return at < size ? at : 2 * size - 1 - at;
    }
    case IFL_OUTSIDE_BORDER:
        return element < 0 ? OUTSIDE : BEHIND;
    case IFL_OUTSIDE_FACE:
        return element;
    default:
        return element < 0 ? 0 : last;
    }
}

/* A normalized coordinate has 21 bits behind the point. */
static double cut(double u)
{
    return floor(u * 0x1p21) * 0x1p-21;
}

/* Denormals count as zero; of textures that repeat infinities do too. */
static double plain(const ifl_texture *t, unsigned dimension, float x)
{
    const bool repeats =
        t->mode[dimension] == IFL_OUTSIDE_WRAP || t->mode[dimension] == IFL_OUTSIDE_MIRROR;
    if (x != x || fabsf(x) < FLT_MIN || (isinf(x) && repeats && t->is_normalized))
        return 0;
    return x;
}

/* In elements. A whole number of widths makes no difference where the texture repeats, and is taken
 * off before the multiplication, as the guide has it. What lies far outside is all the same. */
static double scaled(const ifl_texture *t, unsigned dimension, float x)
{
    const double size = t->size[dimension], far = 2 * size + 2;
    double u = plain(t, dimension, x);
    if (t->is_normalized) {
        if (t->mode[dimension] == IFL_OUTSIDE_WRAP)
            u -= floor(u);
        else if (t->mode[dimension] == IFL_OUTSIDE_MIRROR)
            u -= 2 * floor(u / 2);
        u = cut(u) * size;
    }
    return u < -far ? -far : u > far ? far : u;
}

/* Of what `scaled` gives: small, so that no library needs to be called. */
static int64_t floor_of(double u)
{
    const int64_t whole = (int64_t)u;
    return whole - ((double)whole > u);
}

static between nearest(const ifl_texture *t, unsigned dimension, double u)
{
    const int32_t size = (int32_t)t->size[dimension];
    const int32_t element = inside(t->mode[dimension], (int32_t)floor_of(u), size);
    return (between){{element, element}, 0};
}

/* xB = x - 0.5, i = floor(xB), the weight is xB's fraction with 8 bits. Where both elements are the
 * edge's it has none. */
static between around(const ifl_texture *t, unsigned dimension, double u)
{
    const int32_t size = (int32_t)t->size[dimension];
    const int64_t fixed = floor_of((u - 0.5) * ONE + 0.5);
    const int32_t first = (int32_t)(fixed >> FRACTION_BITS);
    const bool is_clamped =
        t->mode[dimension] == IFL_OUTSIDE_CLAMP && (first < 0 || first >= size - 1);
    return (between){
        {inside(t->mode[dimension], first, size), inside(t->mode[dimension], first + 1, size)},
        is_clamped ? 0 : (uint32_t)fixed & (ONE - 1)};
}

/* ---- faces of cubes -------------------------------------------------------------------------- */

typedef struct on_face {
    uint32_t face;
    float s, t; /* 0 to 1 */
} on_face;

/* The guide's table: the coordinate of the largest magnitude names the face; the others, divided by
 * it, go from -1 to 1. */
static on_face face_of(float x, float y, float z)
{
    const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    on_face f;
    float s, t, m;
    if (az >= ax && az >= ay) {
        f.face = z < 0 ? 5 : 4;
        s = z < 0 ? -x : x, t = -y, m = az;
    } else if (ay >= ax) {
        f.face = y < 0 ? 3 : 2;
        s = x, t = y < 0 ? -z : z, m = ay;
    } else {
        f.face = x < 0 ? 1 : 0;
        s = x < 0 ? z : -z, t = -y, m = ax;
    }
    f.s = (s / m + 1) / 2;
    f.t = (t / m + 1) / 2;
    return f;
}

/* An element beside a face's edge is one of the next face: of a direction that is folded over the
 * edge. */
static uint32_t over_edge(const ifl_texture *t, uint32_t layer, int32_t at[IFL_TEXTURE_RANKS])
{
    const uint32_t face = layer % IFL_CUBE_FACES;
    const float size = (float)t->size[0], over = 1 - 1 / size;
    float s = (2 * (float)at[0] + 1) / size - 1, r = (2 * (float)at[1] + 1) / size - 1, major = 1;
    if (fabsf(s) > 1)
        s = s < 0 ? -1 : 1, major = over;
    if (fabsf(r) > 1)
        r = r < 0 ? -1 : 1, major = over;
    const float z = face % 2 ? -major : major;
    const on_face f = face / 2 == 0   ? face_of(z, -r, face % 2 ? s : -s)
                      : face / 2 == 1 ? face_of(s, z, face % 2 ? -r : r)
                                      : face_of(face % 2 ? -s : s, -r, z);
    const int32_t last = (int32_t)t->size[0] - 1;
    at[0] = (int32_t)(f.s * size), at[1] = (int32_t)(f.t * size);
    at[0] = at[0] > last ? last : at[0];
    at[1] = at[1] > last ? last : at[1];
    return layer - face + f.face;
}

static bool is_beside(const ifl_texture *t, int32_t element)
{
    return element < 0 || element >= (int32_t)t->size[0];
}

/* ---- elements -------------------------------------------------------------------------------- */

/* Of the element, or of the block it lies in. */
static uint64_t offset_of(const ifl_texture *t, uint32_t layer, const int32_t at[IFL_TEXTURE_RANKS])
{
    const uint64_t deep = t->is_layered || t->is_cube ? layer : (uint64_t)at[2],
                   side = t->texel.blocks ? IFL_TEXEL_BLOCK_SIDE : 1;
    return deep * t->slice + (uint64_t)at[1] / side * t->pitch +
           (uint64_t)at[0] / side * ifl_texel_bytes(&t->texel);
}

static unsigned place_in_block(const int32_t at[IFL_TEXTURE_RANKS])
{
    enum { SIDE = IFL_TEXEL_BLOCK_SIDE };
    return (unsigned)(at[1] % SIDE * SIDE + at[0] % SIDE);
}

/* The border's places look up the edge's element, as an H200 counts them
 * (tests/gpu/h200/texture_counts.txt, `border`). False: there are none. */
static bool take_edge(const ifl_texture *t, int32_t at[IFL_TEXTURE_RANKS])
{
    bool is_border = false;
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS; d++) {
        if (at[d] > BEHIND)
            continue;
        at[d] = at[d] == BEHIND ? (int32_t)t->size[d] - 1 : 0;
        is_border = true;
    }
    return is_border;
}

static void read_element(const ifl_texture_view *view, uint32_t layer,
                         int32_t at[IFL_TEXTURE_RANKS], uint8_t wanted, ifl_texture_answer *answer,
                         uint32_t to[IFL_TEXEL_CHANNELS])
{
    if (take_edge(view->texture, at)) {
        answer->offset[answer->count++] = offset_of(view->texture, layer, at);
        ifl_texel_outside(view->texture, to);
        return;
    }
    if (view->texture->mode[0] == IFL_OUTSIDE_FACE &&
        (is_beside(view->texture, at[0]) || is_beside(view->texture, at[1])))
        layer = over_edge(view->texture, layer, at);
    const uint64_t offset = offset_of(view->texture, layer, at);
    answer->offset[answer->count++] = offset;
    ifl_texel_read(view->texture, view->host + offset, place_in_block(at), wanted, to);
}

/* What is not filtered: the least number of a signed fraction is -1, as the one above it is. */
static void read_alone(const ifl_texture_view *view, uint32_t layer, int32_t at[IFL_TEXTURE_RANKS],
                       uint8_t wanted, ifl_texture_answer *answer, uint32_t to[IFL_TEXEL_CHANNELS])
{
    read_element(view, layer, at, wanted, answer, to);
    if (!view->texture->reads_normalized || view->texture->texel.of != IFL_TEXEL_SIGNED)
        return;
    for (uint32_t left = wanted; left; left &= left - 1) {
        const unsigned c = (unsigned)__builtin_ctz(left);
        to[c] = ifl_bits_f32(to[c]) < -1 ? ifl_f32_bits(-1) : to[c];
    }
}

/* ---- filters --------------------------------------------------------------------------------- */

/* The weights of the eight elements around a place, `all` in sum. It is split between two slices,
 * the weight of a slice between its columns, that of a column between its rows; a half goes to the
 * first slice and the second column, and with that to the second row, else to the first. */
static void weigh(const between *b, unsigned rank, int32_t all, int32_t *weight)
{
    const int32_t x = (int32_t)b[0].weight, y = rank > 1 ? (int32_t)b[1].weight : 0,
                  z = rank > 2 ? (int32_t)b[2].weight : 0,
                  behind = (all * z + ONE / 2 - 1) >> FRACTION_BITS;
    for (unsigned slice = 0; slice < 2; slice++) {
        const int32_t whole = slice ? behind : all - behind,
                      second = (whole * x + ONE / 2) >> FRACTION_BITS, first = whole - second,
                      below = (second * y + ONE / 2) >> FRACTION_BITS,
                      above = (first * (ONE - y) + ONE / 2) >> FRACTION_BITS;
        weight[4 * slice] = above;
        weight[4 * slice + 1] = second - below;
        weight[4 * slice + 2] = first - above;
        weight[4 * slice + 3] = below;
    }
}

/* What is summed up: fractions as whole numbers of `full`, floats with so many bits behind the
 * point. */
typedef struct blending {
    double full;     /* what a result's whole numbers are parts of; 0: floats */
    double step;     /* what an element's are parts of */
    int bits, least; /* least exponent of a result's last bit */
    int kept;        /* bits of elements behind the first one of the largest */
    int repeated;    /* an element's bits, repeated to 16; 0: a whole number of `step` is taken */
    bool is_byte;    /* signed: the sum is widened, not the elements */
    bool is_colour;  /* of sRGB */
} blending;

static blending blending_of(const ifl_texture *t, unsigned channel)
{
    enum { LAST = 3 }; /* of 2 bits, which fit into 16 eight times */
    const bool is_packed = t->texel.form == IFL_TEXEL_PACKED && channel < LAST;
    if (ifl_texel_is_colour(t, channel))
        return (blending){.bits = 10, .least = -24, .kept = 7, .is_colour = true};
    if (t->texel.of == IFL_TEXEL_FLOAT)
        return t->texel.bits == 16 ? (blending){.bits = 10, .least = -24, .kept = 14}
                                   : (blending){.bits = 23, .least = -149, .kept = 27};
    if (t->texel.of == IFL_TEXEL_SIGNED)
        return t->texel.bits == 8 && !t->texel.blocks
                   ? (blending){.full = 32767, .step = 127, .is_byte = true}
                   : (blending){.full = 32767, .step = 32767};
    return (blending){.full = 65535, .step = 65535, .repeated = is_packed ? 10 : 0};
}

/* The sum of infinities and NaNs; false: there are none among what has a weight. */
static bool blend_specials(const float *value, const int32_t *weight, unsigned count, float *sum)
{
    bool is_special = false;
    *sum = 0;
    for (unsigned i = 0; i < count; i++)
        if (weight[i] && !isfinite(value[i])) {
            is_special = true;
            *sum += value[i];
        }
    if (*sum != *sum)
        *sum = ifl_bits_f32(NAN_BITS);
    return is_special;
}

/* A normal power of two. */
static double power_of_two(int exponent)
{
    enum { BIAS = 1023, MANTISSA = 52 };
    const uint64_t bits = (uint64_t)(exponent + BIAS) << MANTISSA;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* To the nearest, halves away from zero: a number of `bits` bits behind the first, the last not
 * below 2^least. */
static float rounded(int64_t sum, int exponent, const blending *how)
{
    const uint64_t magnitude = (uint64_t)(sum < 0 ? -sum : sum);
    const int length = 64 - __builtin_clzll(magnitude | 1);
    int cut = length - 1 - how->bits;
    cut = cut < how->least - exponent ? how->least - exponent : cut;
    cut = cut < 0 ? 0 : cut > 62 ? 62 : cut;
    const uint64_t half = cut ? UINT64_C(1) << (cut - 1) : 0,
                   kept = (magnitude + half) >> cut << cut;
    const float result = (float)((double)kept * power_of_two(exponent));
    const float flushed = fabsf(result) < FLT_MIN ? 0 : result;
    return sum < 0 ? -flushed : flushed;
}

/* A float as its parts. */
enum { FLOAT_MANTISSA = 23, FLOAT_BIAS = 127, FLOAT_EXPONENTS = 0xff };

/* 0: a zero or a denormal, which counts as one. */
static int exponent_of(float value)
{
    return (int)(ifl_f32_bits(value) >> FLOAT_MANTISSA & FLOAT_EXPONENTS);
}

/* In units of 2^(most - bits of the mantissa - shift), what is below cut off. */
static int64_t whole_part(float value, int most, int shift)
{
    const uint32_t one = UINT32_C(1) << FLOAT_MANTISSA, bits = ifl_f32_bits(value);
    const int exponent = exponent_of(value), up = shift - (most - exponent);
    const int64_t mantissa = (bits & (one - 1)) | one;
    const int64_t magnitude = !exponent || up < -FLOAT_MANTISSA ? 0
                              : up < 0                          ? mantissa >> -up
                                                                : mantissa << up;
    return bits >> 31 ? -magnitude : magnitude;
}

/* Of elements that are all zero or denormal, and of those whose sum is zero: negative if all
 * are. */
static float zero_of(const float *value, const int32_t *weight, unsigned count)
{
    bool is_negative = true;
    for (unsigned i = 0; i < count; i++)
        is_negative = is_negative && (!weight[i] || signbit(value[i]));
    return is_negative ? -0.0f : 0.0f;
}

/* The exponent of the largest element that has a weight; 0: none counts. */
static int most_exponent(const float *value, const int32_t *weight, unsigned count,
                         const blending *how)
{
    int most = 0;
    for (unsigned i = 0; i < count; i++) {
        const float bound = how->is_colour ? ifl_texel_colour_bound(value[i]) : value[i];
        const int exponent = weight[i] ? exponent_of(bound) : 0;
        most = exponent > most ? exponent : most;
    }
    return most;
}

/* The elements of a plane: brought to the exponent of the largest, with so many bits behind the
 * first, what is below cut off. */
static int64_t sum_of_plane(const float *value, const int32_t *weight, unsigned count, int exponent,
                            int bits)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += weight[i] * whole_part(value[i], exponent, bits - FLOAT_MANTISSA);
    return sum;
}

/* The weighted sum of the elements around a place: products of whole numbers, rounded once. Held
 * against an H200 (tests/gpu/h200/textures.txt) and an H100. Floats of a plane, which are those of
 * a slice and of a level of detail, are brought to one exponent; denormals count as zero. */
static float blend_floats(const float *value, const int32_t *weight, unsigned count, unsigned plane,
                          const blending *how)
{
    enum { MORE_BITS = 20 };
    const int most = most_exponent(value, weight, count, how), last = most - how->kept - MORE_BITS;
    int64_t sum = 0;
    float special;
    if (most == FLOAT_EXPONENTS && blend_specials(value, weight, count, &special))
        return special;
    for (unsigned first = 0; most && first < count; first += plane) {
        const int own = most_exponent(value + first, weight + first, plane, how),
                  at = own - how->kept;
        if (!own || at < last - (how->kept + FRACTION_BITS))
            continue;
        const int64_t part = sum_of_plane(value + first, weight + first, plane, own, how->kept);
        sum += at < last ? part >> (last - at) : part * (INT64_C(1) << (at - last));
    }
    if (!sum)
        return zero_of(value, weight, count);
    return rounded(sum, last - FLOAT_BIAS - FRACTION_BITS, how);
}

/* Held against an H200 (tests/gpu/h200/texture_formats.txt). */
static int64_t whole_element(float value, const blending *how)
{
    enum { WIDTH = 16 };
    if (!how->repeated)
        return lrint(value * how->step);
    const int64_t whole = lrint((double)value * ((1 << how->repeated) - 1));
    return whole << (WIDTH - how->repeated) | whole >> (2 * how->repeated - WIDTH);
}

/* Parts of 127 * 256 to parts of 32,767: 15 bits and a sign, whose upper bits are repeated below, of
 * what a sixteenth has. An H200 does so with all of 327,680 sums of two bytes
 * (tools/gpu/texture_weights.cu, `pairs/s8x1`). */
static int64_t widened_byte(int64_t sum)
{
    enum { CUT = 4, TOP = 8, LAST = 3, HALF = 1 << (LAST - 1) };
    const int64_t kept = sum >> CUT;
    return sum + ((kept + (kept >> TOP) + HALF) >> LAST);
}

static float blend(const float *value, const int32_t *weight, unsigned count, unsigned plane,
                   const blending *how)
{
    int64_t sum = 0;
    if (how->full == 0)
        return blend_floats(value, weight, count, plane, how);
    for (unsigned i = 0; i < count; i++)
        sum += weight[i] * whole_element(value[i], how);
    const double whole = how->is_byte ? (double)widened_byte(sum)
                                      : floor((double)sum * how->full / (how->step * ONE) + 0.5);
    return (float)(whole < -how->full ? -1 : whole / how->full);
}

/* A GPU does not fetch elements that have none in a dimension. */
static bool has_weight(const between *b, unsigned rank, unsigned corner)
{
    for (unsigned d = 0; d < rank; d++)
        if (corner >> d & 1 && !b[d].weight)
            return false;
    return true;
}

static void corner_of(const between *b, unsigned rank, unsigned corner,
                      int32_t at[IFL_TEXTURE_RANKS])
{
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS; d++)
        at[d] = d < rank ? b[d].element[corner >> d & 1] : 0;
}

/* Those of one dimension are read at row 0 of a plane, whose border is close. */
static unsigned rank_of(const ifl_texture *t)
{
    return t->rank < 2 && !t->is_layered ? 2 : t->rank;
}

/* Three faces meet in a corner of a cube: what a fourth element would weigh is split between the
 * others, and the rest goes to the one of the face that is looked at. */
static void split_corner(const ifl_texture *t, const between *b, int32_t *weight)
{
    for (unsigned corner = 0; corner < PLANE; corner++)
        if (is_beside(t, b[0].element[corner & 1]) && is_beside(t, b[1].element[corner >> 1])) {
            const int32_t third = (weight[corner] + 1) / 3; /* to the nearest */
            weight[corner ^ 1] += third;
            weight[corner ^ 2] += third;
            weight[corner ^ 3] += weight[corner] - 2 * third;
            weight[corner] = 0;
        }
}

/* Elements, of one or two levels, with their weights: ONE in all. */
typedef struct weighted {
    unsigned count, plane; /* elements; of one plane */
    int32_t weight[2 * IFL_MOST_TEXELS];
    float value[IFL_TEXEL_CHANNELS][2 * IFL_MOST_TEXELS];
} weighted;

static void add_element(weighted *to, const uint32_t words[IFL_TEXEL_CHANNELS], uint8_t wanted)
{
    for (unsigned left = wanted; left; left &= left - 1) {
        const unsigned c = (unsigned)__builtin_ctz(left);
        to->value[c][to->count] = ifl_bits_f32(words[c]);
    }
    to->count++;
}

static void add_elements(const ifl_texture_view *view, uint32_t layer, const between *b,
                         int32_t all, uint8_t wanted, ifl_texture_answer *answer, weighted *to)
{
    const unsigned rank = rank_of(view->texture), count = 1u << rank, first = to->count;
    weigh(b, rank, all, to->weight + first);
    to->plane = count < PLANE ? count : PLANE;
    if (view->texture->mode[0] == IFL_OUTSIDE_FACE)
        split_corner(view->texture, b, to->weight + first);
    for (unsigned corner = 0; corner < count; corner++) {
        int32_t at[IFL_TEXTURE_RANKS];
        uint32_t words[IFL_TEXEL_CHANNELS];
        corner_of(b, rank, corner, at);
        const uint32_t touched = answer->count;
        read_element(view, layer, at, wanted, answer, words);
        if (!has_weight(b, rank, corner))
            answer->count = touched;
        add_element(to, words, wanted);
    }
}

static void blend_all(const ifl_texture *t, const weighted *of, uint8_t wanted,
                      uint32_t channel[IFL_TEXEL_CHANNELS])
{
    for (unsigned left = wanted; left; left &= left - 1) {
        const unsigned c = (unsigned)__builtin_ctz(left);
        const blending how = blending_of(t, c);
        channel[c] = ifl_f32_bits(blend(of->value[c], of->weight, of->count, of->plane, &how));
    }
}

static void filter(const ifl_texture_view *view, uint32_t layer, const between *b, uint8_t wanted,
                   ifl_texture_answer *answer)
{
    weighted all;
    all.count = 0;
    add_elements(view, layer, b, ONE, wanted, answer, &all);
    blend_all(view->texture, &all, wanted, answer->channel);
}

/* PTX ISA, tld4: the elements counter-clockwise from the lower left. */
static void gather(const ifl_texture_view *view, uint32_t layer, const between *b, uint8_t channel,
                   ifl_texture_answer *answer)
{
    static const uint8_t corners[IFL_TEXEL_CHANNELS] = {2, 3, 1, 0};
    for (unsigned i = 0; i < IFL_TEXEL_CHANNELS; i++) {
        uint32_t words[IFL_TEXEL_CHANNELS];
        int32_t at[IFL_TEXTURE_RANKS];
        corner_of(b, 2, corners[i], at);
        read_alone(view, layer, at, (uint8_t)(1u << channel), answer, words);
        answer->channel[i] = words[channel];
    }
}

/* ---- the three ways to ask ------------------------------------------------------------------- */

/* Layers past the last are the last. */
static uint32_t layer_of(uint32_t layer, uint32_t layers)
{
    return layer < layers ? layer : layers - 1;
}

/* By number; outside of the texture there are zeros, or the edge. */
static void fetch(const ifl_texture_view *view, const ifl_texture_query *q,
                  ifl_texture_answer *answer)
{
    const ifl_texture *t = view->texture;
    int32_t at[IFL_TEXTURE_RANKS] = {0};
    bool is_inside = true;
    for (unsigned d = 0; d < q->op->rank; d++) {
        const uint32_t place = q->at[d] + (uint32_t)q->offset[d];
        at[d] = (int32_t)place;
        if (q->op->clamp == IFL_SURFACE_CLAMP)
            at[d] = inside(IFL_OUTSIDE_CLAMP, at[d], (int32_t)t->size[d]);
        is_inside = is_inside && (uint32_t)at[d] < t->size[d];
    }
    if (is_inside)
        read_alone(view, layer_of(q->layer, t->layers), at, q->op->wanted, answer, answer->channel);
}

/* Of a cube the place on a face, and the face's layer. */
static uint32_t turn_to_face(const ifl_texture *t, uint32_t layer, float at[IFL_TEXTURE_RANKS])
{
    const on_face f = face_of(at[0], at[1], at[2]);
    at[0] = f.s, at[1] = f.t, at[2] = 0;
    return layer_of(layer, t->layers / IFL_CUBE_FACES) * IFL_CUBE_FACES + f.face;
}

static void read_nearest(const ifl_texture_view *view, uint32_t layer, const between *b,
                         uint8_t wanted, ifl_texture_answer *answer)
{
    int32_t place[IFL_TEXTURE_RANKS];
    corner_of(b, view->texture->rank, 0, place);
    read_alone(view, layer, place, wanted, answer, answer->channel);
}

/* Where coordinates lead: the elements of each dimension, and the layer. */
static uint32_t find_place(const ifl_texture *t, const ifl_texture_query *q,
                           between b[IFL_TEXTURE_RANKS])
{
    const bool is_between = t->filters || q->op->use == IFL_TEXTURE_GATHER;
    float at[IFL_TEXTURE_RANKS];
    const unsigned used = t->rank < 2 ? 2 : t->rank; /* as gathers and filters look at them */
    uint32_t layer = t->is_layered ? q->layer : 0;
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS; d++)
        at[d] = d < q->op->rank ? ifl_bits_f32(q->at[d]) : 0;
    layer = t->is_cube ? turn_to_face(t, layer, at) : layer_of(layer, t->layers);
    memset(b, 0, IFL_TEXTURE_RANKS * sizeof *b);
    for (unsigned d = 0; d < used; d++) {
        const double u = scaled(t, d, at[d]) + q->offset[d];
        b[d] = is_between ? around(t, d, u) : nearest(t, d, u);
    }
    return layer;
}

void ifl_texture_find_place(const ifl_texture *texture, const ifl_texture_query *query,
                            float place[IFL_TEXTURE_RANKS])
{
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS; d++)
        place[d] = d < query->op->rank ? ifl_bits_f32(query->at[d]) : 0;
    if (texture->is_cube)
        turn_to_face(texture, 0, place);
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS && texture->is_normalized; d++)
        place[d] *= (float)texture->size[d];
}

static void sample(const ifl_texture_view *view, const ifl_texture_query *q,
                   ifl_texture_answer *answer)
{
    between b[IFL_TEXTURE_RANKS];
    const uint32_t layer = find_place(view->texture, q, b);
    if (q->op->use == IFL_TEXTURE_GATHER)
        gather(view, layer, b, q->op->channel, answer);
    else if (view->texture->filters)
        filter(view, layer, b, q->op->wanted, answer);
    else
        read_nearest(view, layer, b, q->op->wanted, answer);
}

void ifl_texture_ask(const ifl_texture_view *view, const ifl_texture_query *query,
                     ifl_texture_answer *answer)
{
    answer->count = 0;
    memset(answer->channel, 0, sizeof answer->channel);
    if (query->op->use == IFL_TEXTURE_FETCH)
        fetch(view, query, answer);
    else
        sample(view, query, answer);
}

void ifl_texture_ask_between(const ifl_texture_view view[2], uint32_t weight,
                             const ifl_texture_query *query, ifl_texture_answer answer[2])
{
    const uint8_t wanted = query->op->wanted;
    weighted all;
    all.count = 0;
    for (unsigned i = 0; i < 2; i++) {
        const int32_t part = i ? (int32_t)weight : ONE - (int32_t)weight;
        between b[IFL_TEXTURE_RANKS];
        const uint32_t layer = find_place(view[i].texture, query, b);
        answer[i].count = 0;
        if (view[i].texture->filters) {
            add_elements(&view[i], layer, b, part, wanted, &answer[i], &all);
            continue;
        }
        read_nearest(&view[i], layer, b, wanted, &answer[i]);
        all.weight[all.count] = part;
        all.plane = 1;
        add_element(&all, answer[i].channel, wanted);
    }
    blend_all(view->texture, &all, wanted, answer->channel);
}
