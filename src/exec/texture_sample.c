/* SPDX-License-Identifier: Apache-2.0
 * Coordinates -> elements -> a filtered value (CUDA C++ Programming Guide, "Texture Fetching"; faces of cubes: "Cubemap
 * Textures"). */
#include "exec/texel.h"

#include "exec/lane.h"

#include <math.h>
#include <string.h>

/* Coordinates have as many bits behind the point as the weights of a filter. */
enum { FRACTION_BITS = 8, ONE = 1 << FRACTION_BITS, OUTSIDE = -1 };

/* The elements that a coordinate of one dimension lies between; the nearest one where nothing is filtered. */
typedef struct between {
    int32_t element[2]; /* OUTSIDE: none, the border */
    uint32_t weight;    /* of the second, of ONE */
} between;

/* ---- coordinates --------------------------------------------------------------------------------- */

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
        return OUTSIDE;
    default:
        return element < 0 ? 0 : last;
    }
}

/* In elements. A whole number of widths makes no difference where the texture repeats, and is taken off before the
 * multiplication, as the guide has it. What lies far outside is all the same. */
static double scaled(const ifl_texture *t, unsigned dimension, float x)
{
    const double size = t->size[dimension], far = 2 * size + 2;
    double u = x;
    if (u != u)
        return 0;
    if (t->is_normalized) {
        if (t->mode[dimension] == IFL_OUTSIDE_WRAP && isfinite(u))
            u -= floor(u);
        else if (t->mode[dimension] == IFL_OUTSIDE_MIRROR && isfinite(u))
            u -= 2 * floor(u / 2);
        u *= size;
    }
    return u < -far ? -far : u > far ? far : u;
}

static between nearest(const ifl_texture *t, unsigned dimension, double u)
{
    const int32_t size = (int32_t)t->size[dimension];
    const int32_t element = inside(t->mode[dimension], (int32_t)floor(u), size);
    return (between){{element, element}, 0};
}

/* xB = x - 0.5, i = floor(xB), the weight is xB's fraction with 8 bits. */
static between around(const ifl_texture *t, unsigned dimension, double u)
{
    const int32_t size = (int32_t)t->size[dimension];
    const int64_t fixed = (int64_t)floor((u - 0.5) * ONE + 0.5);
    const int32_t first = (int32_t)(fixed >> FRACTION_BITS);
    return (between){
        {inside(t->mode[dimension], first, size), inside(t->mode[dimension], first + 1, size)},
        (uint32_t)fixed & (ONE - 1)};
}

/* ---- faces of cubes -------------------------------------------------------------------------------- */

typedef struct on_face {
    uint32_t face;
    float s, t; /* 0 to 1 */
} on_face;

/* The guide's table: the coordinate of the largest magnitude names the face; the others, divided by it, go from -1 to 1. */
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

/* ---- elements -------------------------------------------------------------------------------------- */

static uint64_t offset_of(const ifl_texture *t, uint32_t layer, const int32_t at[IFL_TEXTURE_RANKS])
{
    const uint64_t deep = t->is_layered || t->is_cube ? layer : (uint64_t)at[2];
    return deep * t->slice + (uint64_t)at[1] * t->pitch +
           (uint64_t)at[0] * ifl_texel_bytes(&t->texel);
}

static void read_element(const ifl_texture_view *view, uint32_t layer,
                         const int32_t at[IFL_TEXTURE_RANKS], uint8_t wanted,
                         ifl_texture_answer *answer, uint32_t to[IFL_TEXEL_CHANNELS])
{
    if (at[0] == OUTSIDE || at[1] == OUTSIDE || at[2] == OUTSIDE) {
        ifl_texel_outside(view->texture, to);
        return;
    }
    const uint64_t offset = offset_of(view->texture, layer, at);
    answer->offset[answer->count++] = offset;
    ifl_texel_read(view->texture, view->host + offset, wanted, to);
}

/* ---- filters --------------------------------------------------------------------------------------- */

/* Of each element around a place: the product of its weights by dimension. */
static void weigh(const between *b, unsigned rank, double *weight)
{
    weight[0] = 1;
    for (unsigned d = 0; d < rank; d++) {
        const double second = (double)b[d].weight / ONE;
        for (unsigned corner = 0; corner < 1u << d; corner++) {
            weight[corner + (1u << d)] = weight[corner] * second;
            weight[corner] *= 1 - second;
        }
    }
}

/* The weighted sum of the elements around a place, by dimension: (1 - a) * first + a * second, with weights of 8 bits. The
 * guide gives the weights and the formula; the sum is made in double precision and rounded once, which is not yet held
 * against hardware. */
static float blend(const float *value, const double *weight, unsigned count)
{
    double sum = 0;
    for (unsigned i = 0; i < count; i++)
        if (weight[i] != 0)
            sum += weight[i] * value[i];
    return (float)sum;
}

static void corner_of(const between *b, unsigned rank, unsigned corner,
                      int32_t at[IFL_TEXTURE_RANKS])
{
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS; d++)
        at[d] = d < rank ? b[d].element[corner >> d & 1] : 0;
}

static void filter(const ifl_texture_view *view, uint32_t layer, const between *b, uint8_t wanted,
                   ifl_texture_answer *answer)
{
    const unsigned rank = view->texture->rank, count = 1u << rank;
    uint32_t words[IFL_MOST_TEXELS][IFL_TEXEL_CHANNELS];
    double weight[IFL_MOST_TEXELS];
    weigh(b, rank, weight);
    for (unsigned corner = 0; corner < count; corner++) {
        int32_t at[IFL_TEXTURE_RANKS];
        corner_of(b, rank, corner, at);
        read_element(view, layer, at, wanted, answer, words[corner]);
    }
    for (unsigned c = 0; c < IFL_TEXEL_CHANNELS; c++) {
        float value[IFL_MOST_TEXELS];
        if (!(wanted >> c & 1))
            continue;
        for (unsigned corner = 0; corner < count; corner++)
            value[corner] = ifl_bits_f32(words[corner][c]);
        answer->channel[c] = ifl_f32_bits(blend(value, weight, count));
    }
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
        read_element(view, layer, at, (uint8_t)(1u << channel), answer, words);
        answer->channel[i] = words[channel];
    }
}

/* ---- the three ways to ask --------------------------------------------------------------------------- */

/* Layers past the last are the last. */
static uint32_t layer_of(uint32_t layer, uint32_t layers)
{
    return layer < layers ? layer : layers - 1;
}

/* By number; outside of the texture there are zeros. */
static void fetch(const ifl_texture_view *view, const ifl_texture_query *q,
                  ifl_texture_answer *answer)
{
    const ifl_texture *t = view->texture;
    int32_t at[IFL_TEXTURE_RANKS] = {0};
    bool is_inside = true;
    for (unsigned d = 0; d < q->op->rank; d++) {
        at[d] = (int32_t)q->at[d];
        is_inside = is_inside && q->at[d] < t->size[d];
    }
    if (is_inside)
        read_element(view, layer_of(q->layer, t->layers), at, q->op->wanted, answer,
                     answer->channel);
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
    read_element(view, layer, place, wanted, answer, answer->channel);
}

static void sample(const ifl_texture_view *view, const ifl_texture_query *q,
                   ifl_texture_answer *answer)
{
    const ifl_texture *t = view->texture;
    const bool is_gather = q->op->use == IFL_TEXTURE_GATHER, is_between = t->filters || is_gather;
    float at[IFL_TEXTURE_RANKS];
    between b[IFL_TEXTURE_RANKS];
    uint32_t layer = t->is_layered ? q->layer : 0;
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS; d++)
        at[d] = d < q->op->rank ? ifl_bits_f32(q->at[d]) : 0;
    layer = t->is_cube ? turn_to_face(t, layer, at) : layer_of(layer, t->layers);
    for (unsigned d = 0; d < IFL_TEXTURE_RANKS; d++) {
        const double u = scaled(t, d, at[d]);
        b[d] = is_between ? around(t, d, u) : nearest(t, d, u);
    }
    if (is_gather)
        gather(view, layer, b, q->op->channel, answer);
    else if (t->filters)
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
