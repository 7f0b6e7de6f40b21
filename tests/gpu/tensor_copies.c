/* SPDX-License-Identifier: Apache-2.0
 * What tensor_copies.h says, written apart from the engine. */
#include "tensor_copies.h"

#include "matrix_values.h"

#include <float.h>
#include <math.h>
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

/* By CUtensorMapDataType. */
enum { S32 = 3, S64 = 5, F16, F32, F64, BF16, F32_FTZ, TF32, TF32_FTZ };
static const struct {
    unsigned bytes;
    bool is_float;
} types[] = {{1, false}, {2, false}, {4, false}, {4, false}, {8, false}, {8, false}, {2, true},
             {4, true},  {8, true},  {2, true},  {4, true},  {4, true},  {4, true}};
/* Of plain copies; those of slices have every type. */
static const int plain_types[] = {0, 1, 2, 3, 4, 5, F16, F32, F64, BF16, TF32};

/* Which types an operation has (PTX ISA 9.0, "cp.reduce.async.bulk.tensor" and "cp.reduce.async.bulk"). Sums of
 * F32_FTZ take denormals as 0. */
const char *const tensor_operation_names[] = {"copy", "add", "min", "max", "inc",
                                              "dec",  "and", "or",  "xor"};
static const struct {
    unsigned count;
    int types[8];
} reduced[] = {[TENSOR_ADD] = {8, {2, 3, 4, F16, F32, F64, BF16, F32_FTZ}},
               [TENSOR_MIN] = {6, {2, 3, 4, 5, F16, BF16}},
               [TENSOR_MAX] = {6, {2, 3, 4, 5, F16, BF16}},
               [TENSOR_INC] = {1, {2}},
               [TENSOR_DEC] = {1, {2}},
               [TENSOR_AND] = {4, {2, 3, 4, 5}},
               [TENSOR_OR] = {4, {2, 3, 4, 5}},
               [TENSOR_XOR] = {4, {2, 3, 4, 5}}};

/* What is copied as a whole: an element, or a slice of channels. */
static unsigned unit_bytes(const tensor_copy *c)
{
    return c->interleave ? 8u << c->interleave : c->element_bytes;
}

static unsigned steps(const tensor_copy *c, unsigned i)
{
    const unsigned stride = i || c->interleave ? c->element_stride[i] : 1;
    return c->interleave && i + 2 == c->rank ? 1 : (c->box[i] + stride - 1) / stride;
}

/* A swizzled row takes the pattern's width in shared memory: 32, 64 or 128 bytes; of slices it has its own. */
static unsigned pitch_of(const tensor_copy *c, unsigned row)
{
    const unsigned bytes = row * unit_bytes(c),
                   width = c->swizzle && !c->interleave ? 16u << c->swizzle : 0;
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
    const int unit = dimension || c->interleave ? 1 : 16 / (int)c->element_bytes;
    const int place = coordinate / unit * unit;
    return c->is_store && place < 0 ? 0 : place;
}

/* The dimension that pixels go along first. */
static unsigned first_of_image(const tensor_copy *c)
{
    return c->interleave ? 0 : 1;
}

static void set_coordinates(tensor_copy *c, source *s)
{
    for (unsigned i = 0; i < c->rank; i++)
        c->coordinates[i] =
            allowed(c, i, (int)pick(s, 0, (unsigned)c->size[i] + 3) - (int)pick(s, 0, 4));
    const unsigned first = first_of_image(c); /* inside of the box that pixels walk */
    for (unsigned i = 0; c->is_image && i + 2 < c->rank; i++)
        c->coordinates[first + i] =
            c->lower[i] +
            (int)pick(s, 0, (unsigned)((int)c->size[first + i] + c->upper[i] - c->lower[i] - 1));
    if (c->is_image)
        c->coordinates[c->rank - 1] = (int)pick(s, 0, (unsigned)c->size[c->rank - 1] - 1);
}

static void make_plain(source *s, tensor_copy *c)
{
    const unsigned kind = pick(s, 0, 9),
                   t = pick(s, 0, sizeof plain_types / sizeof *plain_types - 1);
    const bool adds = t >= 2 && t <= 4;
    c->is_store = kind >= 7;
    c->operation = kind == 9 && adds ? TENSOR_ADD : TENSOR_COPY;
    c->is_image = kind >= 4 && kind < 7;
    c->type = plain_types[t];
    c->rank = pick(s, c->is_image ? 3 : 1, TENSOR_RANKS);
    c->swizzle = (int)pick(s, 0, 3);
}

static void make_reduction(source *s, tensor_copy *c)
{
    c->is_store = true;
    c->operation = (tensor_operation)pick(s, TENSOR_ADD, TENSOR_XOR);
    c->type = reduced[c->operation].types[pick(s, 0, reduced[c->operation].count - 1)];
    c->rank = pick(s, 1, TENSOR_RANKS);
    c->swizzle = (int)pick(s, 0, 3);
}

static void make_slices(source *s, tensor_copy *c)
{
    const unsigned kind = pick(s, 0, 9);
    c->is_store = kind >= 7;
    c->is_image = kind >= 4 && kind < 7;
    c->type = (int)pick(s, 0, sizeof types / sizeof *types - 1);
    c->rank = pick(s, 3, TENSOR_RANKS);
    c->interleave = (int)pick(s, 1, 2);
    c->swizzle = c->interleave == 2 ? 1 : (int)pick(s, 0, 3);
}

static void make_wide_slices(source *s, tensor_copy *c)
{
    static const int swizzles[] = {0, 2, 3};
    make_slices(s, c);
    c->interleave = 2;
    c->swizzle = swizzles[pick(s, 0, 2)];
}

/* Slices of a row; the sizes and strides of their tensor are multiples of a slice. */
static unsigned set_slices(tensor_copy *c, source *s)
{
    c->size[0] = pick(s, 3, 12);
    c->element_stride[0] = !c->is_store && pick(s, 0, 3) == 0 ? pick(s, 1, 3) : 1;
    for (unsigned i = 0; i + 1 < c->rank; i++)
        c->stride[i] = (i ? c->stride[i - 1] * c->size[i] : c->size[0] * unit_bytes(c)) +
                       unit_bytes(c) * pick(s, 0, 1);
    return pick(s, 1, 12);
}

static void set_slice_box(tensor_copy *c, source *s, unsigned row)
{
    set_box(c, s, row);
    c->pitch = steps(c, 0) * unit_bytes(c);
    c->bytes = c->pitch;
    for (unsigned i = 1; i < c->rank; i++)
        c->bytes *= steps(c, i);
}

static void set_slice_image(tensor_copy *c, source *s)
{
    set_image(c, s, unit_bytes(c) / c->element_bytes);
    c->bytes = unit_bytes(c) * c->pixels;
    c->pitch = unit_bytes(c);
    c->element_stride[0] = 1 + c->element_stride[0] % 2;
}

void tensor_copy_make(tensor_family family, uint32_t index, tensor_copy *c)
{
    static void (*const make[])(source *, tensor_copy *) = {make_plain, make_slices, make_reduction,
                                                            make_wide_slices};
    source s = {.state = (uint64_t)index << 32 | (uint64_t)family << 16};
    memset(c, 0, sizeof *c);
    make[family](&s, c);
    c->element_bytes = types[c->type].bytes;
    c->fill = types[c->type].is_float && !c->is_store && pick(&s, 0, 3) == 0;
    set_sizes(c, &s);
    const unsigned most = c->swizzle ? 16u << c->swizzle : 256, unit = 16 / c->element_bytes;
    const unsigned row =
        c->interleave ? set_slices(c, &s) : unit * pick(&s, 1, most / 16 < 8 ? most / 16 : 8);
    if (c->interleave)
        c->is_image ? set_slice_image(c, &s) : set_slice_box(c, &s, row);
    else
        c->is_image ? set_image(c, &s, row) : set_box(c, &s, row);
    set_coordinates(c, &s);
}

/* ---- what they come to ----------------------------------------------------------------------- */

static uint32_t swizzled(int swizzle, uint32_t at)
{
    static const uint32_t bits[] = {0, 1, 3, 7};
    return at ^ (at >> 7 & bits[swizzle]) << 4;
}

static void fill(const tensor_copy *c, uint8_t *to, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = !c->fill ? 0 : i % 2 ? 0x7f : 0xf7; /* an H200 */
}

/* ---- reductions of one element ----------------------------------------------------------------- */

/* A float of 16 bits: so many of its fraction. */
static double of_half(uint16_t bits, int fraction)
{
    const int exponent_bits = 15 - fraction, bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = bits >> fraction & ((1 << exponent_bits) - 1),
              significand = bits & ((1 << fraction) - 1);
    const double sign = bits >> 15 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1)
        return significand ? NAN : sign * INFINITY;
    return sign * ldexp(significand + (exponent ? 1 << fraction : 0),
                        (exponent ? exponent : 1) - bias - fraction);
}

/* To the nearest, ties to even; a NaN is 0x7fff. */
static uint16_t to_half(double value, int fraction)
{
    const int exponent_bits = 15 - fraction, bias = (1 << (exponent_bits - 1)) - 1;
    const uint16_t sign = signbit(value) ? 0x8000 : 0,
                   infinity = (uint16_t)(((1 << exponent_bits) - 1) << fraction);
    int exponent;
    if (value != value)
        return 0x7fff;
    if (isinf(value))
        return sign | infinity;
    frexp(value, &exponent);
    if (exponent - 1 < 1 - bias)
        exponent = 2 - bias;
    const double units = nearbyint(ldexp(fabs(value), fraction - (exponent - 1)));
    const uint32_t bits = (uint32_t)units + ((uint32_t)(exponent - 2 + bias) << fraction);
    return value == 0 ? sign : sign | (bits > infinity ? infinity : (uint16_t)bits);
}

/* Of numbers and NaNs the number; of two NaNs 0x7fff; -0 is below 0. */
static uint16_t half_extreme(const tensor_copy *c, uint16_t a, uint16_t b, int fraction)
{
    const double x = of_half(a, fraction), y = of_half(b, fraction);
    if (x != x || y != y)
        return x == x ? a : y == y ? b : 0x7fff;
    const bool a_below = x < y || (x == y && a > b);
    return (c->operation == TENSOR_MIN) == a_below ? a : b;
}

static uint16_t half_reduced(const tensor_copy *c, uint16_t a, uint16_t b)
{
    const int fraction = c->type == BF16 ? 7 : 10;
    return c->operation == TENSOR_ADD
               ? to_half(of_half(a, fraction) + of_half(b, fraction), fraction)
               : half_extreme(c, a, b, fraction);
}

static float flushed(float x)
{
    return fabsf(x) < FLT_MIN ? copysignf(0, x) : x;
}

static uint32_t sum_f32(uint32_t a, uint32_t b, bool flushes)
{
    float x, y;
    memcpy(&x, &a, sizeof x), memcpy(&y, &b, sizeof y);
    if (flushes)
        x = flushed(x), y = flushed(y);
    x += y;
    if (flushes)
        x = flushed(x);
    memcpy(&a, &x, sizeof a);
    return x == x ? a : 0x7fffffff;
}

static uint64_t sum_f64(uint64_t a, uint64_t b)
{
    double x, y;
    memcpy(&x, &a, sizeof x), memcpy(&y, &b, sizeof y);
    x += y;
    memcpy(&a, &x, sizeof a);
    return a;
}

static uint64_t integer_reduced(const tensor_copy *c, uint64_t a, uint64_t b)
{
    const bool a_below = c->type == S32   ? (int32_t)a < (int32_t)b
                         : c->type == S64 ? (int64_t)a < (int64_t)b
                                          : a < b;
    const uint64_t results[] = {[TENSOR_ADD] = a + b,
                                [TENSOR_MIN] = a_below ? a : b,
                                [TENSOR_MAX] = a_below ? b : a,
                                [TENSOR_INC] = a >= b ? 0 : a + 1,
                                [TENSOR_DEC] = a == 0 || a > b ? b : a - 1,
                                [TENSOR_AND] = a & b,
                                [TENSOR_OR] = a | b,
                                [TENSOR_XOR] = a ^ b};
    return results[c->operation];
}

static void reduce(const tensor_copy *c, uint8_t *to, const uint8_t *from)
{
    uint64_t a = 0, b = 0;
    memcpy(&a, to, c->element_bytes);
    memcpy(&b, from, c->element_bytes);
    a = c->type == F16 || c->type == BF16      ? half_reduced(c, (uint16_t)a, (uint16_t)b)
        : c->type == F32 || c->type == F32_FTZ ? sum_f32((uint32_t)a, (uint32_t)b, c->type != F32)
        : c->type == F64                       ? sum_f64(a, b)
                                               : integer_reduced(c, a, b);
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
    const int64_t unit = c->is_store && !dimension && !c->interleave ? 16 / c->element_bytes : 1;
    return ((int64_t)c->size[dimension] + unit - 1) / unit * unit;
}

/* Bytes that the swizzle keeps together: an element, or 16 bytes of a slice. */
static void move(const tensor_copy *c, uint8_t *shared, uint8_t *global, unsigned bytes)
{
    const bool is_tf32 = c->type == TF32 || c->type == TF32_FTZ;
    for (unsigned i = 0; i < bytes && c->operation; i += c->element_bytes)
        reduce(c, global + i, shared + i);
    if (!c->operation)
        memcpy(c->is_store ? global : shared, c->is_store ? shared : global, bytes);
    for (unsigned i = 0; i < bytes && is_tf32 && !c->is_store; i += c->element_bytes)
        round_tf32(shared + i);
}

static void one(const tensor_copy *c, const int64_t *at, uint32_t place, uint8_t *shared,
                uint8_t *global)
{
    const unsigned unit = unit_bytes(c), piece = unit > 16 ? 16 : unit;
    uint64_t offset = (uint64_t)at[0] * unit;
    bool inside = true;
    for (unsigned i = 0; i < c->rank; i++) {
        inside &= at[i] >= 0 && at[i] < limit(c, i);
        offset += i ? (uint64_t)at[i] * c->stride[i - 1] : 0;
    }
    for (unsigned i = 0; i < unit; i += piece) {
        uint8_t *to = shared + swizzled(c->swizzle, place + i);
        if (inside)
            move(c, to, global + offset + i, piece);
        else if (!c->is_store)
            fill(c, to, piece);
    }
}

static void do_tile(const tensor_copy *c, uint8_t *shared, uint8_t *global)
{
    const uint32_t count = c->bytes / unit_bytes(c), row = steps(c, 0);
    for (uint32_t e = 0; e < count; e++) {
        int64_t at[TENSOR_RANKS];
        uint32_t rest = e;
        for (unsigned i = 0; i < c->rank; i++) {
            const int64_t stride = i || c->interleave ? c->element_stride[i] : 1;
            at[i] = c->coordinates[i] + (int64_t)(rest % steps(c, i)) * stride;
            rest /= steps(c, i);
        }
        one(c, at, e / row * c->pitch + e % row * unit_bytes(c), shared, global);
    }
}

static void do_image(const tensor_copy *c, uint8_t *shared, uint8_t *global)
{
    const unsigned first = first_of_image(c), channels = c->interleave ? 1 : c->channels;
    int64_t pixel[TENSOR_RANKS];
    for (unsigned i = 0; i < c->rank; i++)
        pixel[i] = c->coordinates[i];
    for (unsigned p = 0; p < c->pixels; p++) {
        for (unsigned channel = 0; channel < channels; channel++) {
            int64_t at[TENSOR_RANKS];
            memcpy(at, pixel, sizeof at);
            at[0] += channel;
            for (unsigned i = 0; i + 2 < c->rank; i++)
                at[first + i] += c->offsets[i];
            one(c, at, p * c->pitch + channel * unit_bytes(c), shared, global);
        }
        unsigned i = 0;
        for (; i + 2 < c->rank; i++) {
            pixel[first + i] += c->element_stride[first + i];
            if (pixel[first + i] < (int64_t)c->size[first + i] + c->upper[i])
                break;
            pixel[first + i] = c->lower[i];
        }
        pixel[c->rank - 1] += i + 2 == c->rank ? c->element_stride[c->rank - 1] : 0;
    }
}

void tensor_copy_do(const tensor_copy *c, uint8_t *shared, uint8_t *global)
{
    (c->is_image ? do_image : do_tile)(c, shared, global);
}
