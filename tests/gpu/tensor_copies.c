/* SPDX-License-Identifier: Apache-2.0
 * What tensor_copies.h says, written apart from the engine. */
#include "tensor_copies.h"

#include "matrix_values.h"

#include <string.h>

/* ---- random ones ----------------------------------------------------------------------------- */

typedef struct source {
    uint64_t state;
} source;

static unsigned pick(source *s, unsigned from, unsigned to)
{
    s->state = matrix_random(s->state + 1);
    return from + (unsigned)(s->state >> 20) % (to - from + 1);
}

/* U8 U16 U32 S32 U64 S64 F16 F32 F64 BF16, TF32. */
enum { TF32 = 11 };
static const struct {
    int type;
    unsigned bytes;
    bool is_float, adds;
} types[] = {{0, 1, false, false}, {1, 2, false, false}, {2, 4, false, true},   {3, 4, false, true},
             {4, 8, false, true},  {5, 8, false, false}, {6, 2, true, false},   {7, 4, true, false},
             {8, 8, true, false},  {9, 2, true, false},  {TF32, 4, true, false}};

static unsigned steps(const tensor_copy *c, unsigned i)
{
    const unsigned stride = i ? c->element_stride[i] : 1;
    return (c->box[i] + stride - 1) / stride;
}

/* A swizzled row takes the pattern's width in shared memory: 32, 64 or 128 bytes. */
static unsigned pitch_of(const tensor_copy *c, unsigned row)
{
    const unsigned bytes = row * c->element_bytes, width = c->swizzle ? 16u << c->swizzle : 0;
    return bytes > width ? bytes : width;
}

static void set_box(tensor_copy *c, source *s, unsigned row)
{
    unsigned room = c->pitch = pitch_of(c, row);
    c->box[0] = row;
    c->bytes = row * c->element_bytes;
    for (unsigned i = 1; i < c->rank; i++) {
        unsigned most = TENSOR_SHARED_BYTES / room;
        most = most > 12 ? 12 : most;
        c->box[i] = most ? pick(s, 1, most) : 1;
        c->bytes *= steps(c, i);
        room *= steps(c, i);
    }
}

static void set_image(tensor_copy *c, source *s, unsigned row)
{
    c->channels = row;
    for (unsigned i = 0; i + 2 < c->rank; i++) {
        c->lower[i] = -(int)pick(s, 0, 2);
        c->upper[i] = (int)pick(s, 0, 2) - 2;
        c->offsets[i] = pick(s, 0, 3);
    }
    c->pixels = pick(s, 1, 24);
    c->bytes = row * c->element_bytes * c->pixels;
    c->pitch = pitch_of(c, row);
}

static void set_sizes(tensor_copy *c, source *s)
{
    uint64_t stride = 0;
    for (unsigned i = 0; i < c->rank; i++) {
        c->size[i] = pick(s, i ? 3 : 1, i ? 8 : 48);
        c->element_stride[i] = i && !c->is_store && pick(s, 0, 3) == 0 ? pick(s, 1, 3) : 1;
        stride = i ? stride * c->size[i] : c->size[i] * c->element_bytes;
        stride = (stride + 15) / 16 * 16 + 16 * pick(s, 0, 1);
        if (i + 1 < c->rank)
            c->stride[i] = stride;
    }
}

/* An H200 takes an innermost coordinate that is a multiple of 16 bytes and, where it stores, none
 * below 0. */
static int allowed(const tensor_copy *c, unsigned dimension, int coordinate)
{
    const int unit = dimension ? 1 : 16 / (int)c->element_bytes;
    const int place = coordinate / unit * unit;
    return c->is_store && place < 0 ? 0 : place;
}

static void set_coordinates(tensor_copy *c, source *s)
{
    for (unsigned i = 0; i < c->rank; i++)
        c->coordinates[i] =
            allowed(c, i, (int)pick(s, 0, (unsigned)c->size[i] + 3) - (int)pick(s, 0, 4));
    for (unsigned i = 1; c->is_image && i + 1 < c->rank;
         i++) /* inside of the box that pixels walk */
        c->coordinates[i] =
            c->lower[i - 1] +
            (int)pick(s, 0, (unsigned)((int)c->size[i] + c->upper[i - 1] - c->lower[i - 1] - 1));
    if (c->is_image)
        c->coordinates[c->rank - 1] = (int)pick(s, 0, (unsigned)c->size[c->rank - 1] - 1);
}

void tensor_copy_make(uint32_t index, tensor_copy *c)
{
    source s = {.state = (uint64_t)index << 32};
    memset(c, 0, sizeof *c);
    const unsigned kind = pick(&s, 0, 9), t = pick(&s, 0, sizeof types / sizeof *types - 1);
    c->is_store = kind >= 7;
    c->adds = kind == 9 && types[t].adds;
    c->is_image = kind >= 4 && kind < 7;
    c->type = types[t].type;
    c->element_bytes = types[t].bytes;
    c->rank = pick(&s, c->is_image ? 3 : 1, TENSOR_RANKS);
    c->swizzle = (int)pick(&s, 0, 3);
    c->fill = types[t].is_float && !c->is_store && pick(&s, 0, 3) == 0;
    set_sizes(c, &s);
    const unsigned most = c->swizzle ? 16u << c->swizzle : 256, unit = 16 / c->element_bytes;
    const unsigned row = unit * pick(&s, 1, most / 16 < 8 ? most / 16 : 8);
    if (c->is_image)
        set_image(c, &s, row);
    else
        set_box(c, &s, row);
    set_coordinates(c, &s);
}

/* ---- what they come to ----------------------------------------------------------------------- */

static uint32_t swizzled(int swizzle, uint32_t at)
{
    static const uint32_t bits[] = {0, 1, 3, 7};
    return at ^ (at >> 7 & bits[swizzle]) << 4;
}

static void fill(const tensor_copy *c, uint8_t *to)
{
    for (unsigned i = 0; i < c->element_bytes; i++)
        to[i] = !c->fill ? 0 : i % 2 ? 0x7f : 0xf7; /* an H200 */
}

/* Sums of integers. */
static void add(const tensor_copy *c, uint8_t *to, const uint8_t *from)
{
    uint64_t a = 0, b = 0;
    memcpy(&a, to, c->element_bytes);
    memcpy(&b, from, c->element_bytes);
    a += b;
    memcpy(to, &a, c->element_bytes);
}

/* To the nearest of 10 bits, ties to even; NaNs as an H200 has them. */
static void round_tf32(uint8_t *to)
{
    uint32_t bits;
    memcpy(&bits, to, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000)
        bits = 0x7fffffff;
    else if ((bits & 0x7fffffff) < 0x7f800000)
        bits += 0xfff + (bits >> 13 & 1);
    bits &= 0xffffe000;
    memcpy(to, &bits, sizeof bits);
}

/* What is stored ends at a multiple of 16 bytes (an H200). */
static int64_t limit(const tensor_copy *c, unsigned dimension)
{
    const int64_t unit = c->is_store && !dimension ? 16 / c->element_bytes : 1;
    return ((int64_t)c->size[dimension] + unit - 1) / unit * unit;
}

static void one(const tensor_copy *c, const int64_t *at, uint32_t place, uint8_t *shared,
                uint8_t *global)
{
    uint64_t offset = (uint64_t)at[0] * c->element_bytes;
    bool inside = true;
    shared += swizzled(c->swizzle, place);
    for (unsigned i = 0; i < c->rank; i++) {
        inside &= at[i] >= 0 && at[i] < limit(c, i);
        offset += i ? (uint64_t)at[i] * c->stride[i - 1] : 0;
    }
    if (!inside && !c->is_store)
        fill(c, shared);
    else if (inside && c->adds)
        add(c, global + offset, shared);
    else if (inside)
        memcpy(c->is_store ? global + offset : shared, c->is_store ? shared : global + offset,
               c->element_bytes);
    if (inside && !c->is_store && c->type == TF32)
        round_tf32(shared);
}

static void do_tile(const tensor_copy *c, uint8_t *shared, uint8_t *global)
{
    uint32_t count = c->bytes / c->element_bytes;
    for (uint32_t e = 0; e < count; e++) {
        int64_t at[TENSOR_RANKS];
        uint32_t rest = e;
        for (unsigned i = 0; i < c->rank; i++) {
            at[i] =
                c->coordinates[i] + (int64_t)(rest % steps(c, i)) * (i ? c->element_stride[i] : 1);
            rest /= steps(c, i);
        }
        one(c, at, e / c->box[0] * c->pitch + e % c->box[0] * c->element_bytes, shared, global);
    }
}

static void do_image(const tensor_copy *c, uint8_t *shared, uint8_t *global)
{
    int64_t pixel[TENSOR_RANKS];
    for (unsigned i = 0; i < c->rank; i++)
        pixel[i] = c->coordinates[i];
    for (unsigned p = 0; p < c->pixels; p++) {
        for (unsigned channel = 0; channel < c->channels; channel++) {
            int64_t at[TENSOR_RANKS];
            for (unsigned i = 0; i < c->rank; i++)
                at[i] = pixel[i] + (i == 0 ? channel : i + 1 < c->rank ? c->offsets[i - 1] : 0);
            one(c, at, p * c->pitch + channel * c->element_bytes, shared, global);
        }
        unsigned i = 1;
        for (; i + 1 < c->rank; i++) {
            pixel[i] += c->element_stride[i];
            if (pixel[i] < (int64_t)c->size[i] + c->upper[i - 1])
                break;
            pixel[i] = c->lower[i - 1];
        }
        pixel[c->rank - 1] += i + 1 == c->rank ? c->element_stride[i] : 0;
    }
}

void tensor_copy_do(const tensor_copy *c, uint8_t *shared, uint8_t *global)
{
    (c->is_image ? do_image : do_tile)(c, shared, global);
}
