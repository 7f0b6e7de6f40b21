/* SPDX-License-Identifier: Apache-2.0
 * Products on tensor memory (tests/tensor/products.ptx, and its machine code) against sums over
 * matrices that are laid out here by the formulas of PTX ISA 9.0: "Canonical Layouts" of shared
 * memory, "Data Path Layout Organization", "Scale factor layout", "Sparse Matrices"; that each part
 * of the columns has a copy of metadata, and of a, is CUTLASS's (tmem_e_frg_ws,
 * TmemAllocMode::Duplicated). All values are small numbers, whose sums are exact in any order. */
#include "inflight.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { LANES = 128, COLUMNS = 512, BLOCKS = 2, IMAGE_BYTES = 65536, B_AT = 32768 };
enum { HELD_AT = 256, METADATA_AT = 320, SCALES_A_AT = 384, SCALES_B_AT = 416 };
/* The numbers of `which` in products.ptx. */
enum {
    F16,
    F16_HELD,
    TF32,
    TF32_HELD,
    F8F6F4,
    F8F6F4_HELD,
    I8,
    I8_HELD,
    F16_SPARSE,
    TF32_SPARSE,
    F8F6F4_SPARSE,
    I8_SPARSE,
    MXF8F6F4,
    MXF8F6F4_HELD,
    MXF4,
    MXF4_HELD,
    NVF4,
    NVF4_HELD,
    MXF8F6F4_SPARSE,
    MXF4_SPARSE,
    NVF4_SPARSE,
    F16_MASKED,
    F16_WS,
    F16_WS_ZEROS,
    F16_WS_SPARSE,
    F8F6F4_WS_SPARSE,
    F16_WS_HELD,
    F16_WS_SHIFTED,
    TF32_WS_SPARSE,
    F16_SPARSE_HELD,
    IN_UPPER_HALVES = 256 /* d, a and metadata begin at lane 16 */
};
enum { SHIFT = 5 };

/* An element: bits of the exponent and the mantissa (0, 0: an integer), how many bits it takes in
 * shared memory, how many of them a piece of 16 bytes holds, its code in the descriptor. */
typedef struct format {
    const char *name;
    unsigned exponent, mantissa, bits, stored, each, code;
} format;

static const format half = {"f16", 5, 10, 16, 16, 8, 0}, bfloat = {"bf16", 8, 7, 16, 16, 8, 1},
                    tf32 = {"tf32", 8, 23, 32, 32, 4, 2}, e4m3 = {"e4m3", 4, 3, 8, 8, 16, 0},
                    e5m2 = {"e5m2", 5, 2, 8, 8, 16, 1}, e2m3 = {"e2m3", 2, 3, 6, 6, 16, 3},
                    e3m2 = {"e3m2", 3, 2, 6, 6, 16, 4}, e2m1 = {"e2m1", 2, 1, 4, 4, 16, 5},
                    four = {"e2m1 packed", 2, 1, 4, 4, 32, 1}, u8 = {"u8", 0, 0, 8, 8, 16, 0},
                    s8 = {"s8", 0, 0, 8, 8, 16, 1};

/* PTX's modes of swizzle: none, 128 bytes of 32, 128, 64, 32. */
typedef enum mode { NONE = 0, HALVES = 1, BYTES_128 = 2, BYTES_64 = 4, BYTES_32 = 6 } mode;

typedef struct config {
    unsigned which, m, n;
    const format *a, *b;
    mode a_mode, b_mode;
    bool a_across, b_across, negates_a, negates_b, accumulates, to_half, ue4m3, is_deep, is_upper;
    unsigned selector, scale_a_id, scale_b_id;
} config;

/* ---- what is multiplied ---------------------------------------------------------------------- */

static uint32_t seed;

static uint32_t next_random(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed >> 8;
}

/* A number that the format holds, as its bits. */
static uint32_t encode(const format *f, double value)
{
    if (!f->exponent)
        return (uint32_t)(int)value & 0xff;
    const uint32_t sign = (uint32_t)(value < 0) << (f->exponent + f->mantissa);
    const int bias = (1 << (f->exponent - 1)) - 1;
    double size = fabs(value);
    int exponent = 0;
    if (size == 0)
        return sign;
    frexp(size, &exponent);
    exponent--;
    if (exponent < 1 - bias)
        return sign | (uint32_t)ldexp(size, bias - 1 + (int)f->mantissa);
    return sign | (uint32_t)(exponent + bias) << f->mantissa |
           (uint32_t)ldexp(size - ldexp(1, exponent), (int)f->mantissa - exponent);
}

static double random_value(const format *f)
{
    static const double fours[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    const uint32_t r = next_random();
    if (f == &u8)
        return r % 256;
    if (f == &s8)
        return (int)(r % 256) - 128;
    if (f->bits == 4)
        return fours[r % 8] * (r & 8 ? -1 : 1);
    return (int)(r % 15) - 7;
}

typedef struct data {
    config c;
    bool is_sparse, is_held, is_scaled, is_four, is_ws;
    bool is_half;                                /* 64 rows are 16 lanes of each quarter */
    unsigned blocks, k, stored_k, scales, shift; /* columns of b before the product's first */
    double a[256][128], b[256][128];             /* rows of a as they are meant, columns of b */
    double stored[256][128];                     /* of a sparse a what is there */
    unsigned met[256][128];
    double scale_a[256][6], scale_b[256][6];
    uint8_t image[BLOCKS][IMAGE_BYTES];
    uint32_t before[BLOCKS][COLUMNS][LANES], after[BLOCKS][COLUMNS][LANES];
} data;

static bool is_one_of(unsigned which, const unsigned *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == which)
            return true;
    return false;
}

#define IS(which, ...)                                                                             \
    is_one_of(which, (const unsigned[]){__VA_ARGS__},                                              \
              sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned))

static void begin(data *d, const config *c, unsigned blocks)
{
    const unsigned line[] = {16, 8, 32}; /* 32 bytes of halves, tf32, bytes */
    memset(d, 0, sizeof *d);
    d->c = *c;
    d->blocks = blocks;
    d->is_sparse = IS(c->which, F16_SPARSE, TF32_SPARSE, F8F6F4_SPARSE, I8_SPARSE, MXF8F6F4_SPARSE,
                      MXF4_SPARSE, NVF4_SPARSE, F16_WS_SPARSE, F8F6F4_WS_SPARSE, TF32_WS_SPARSE,
                      F16_SPARSE_HELD);
    d->is_held = IS(c->which, F16_HELD, TF32_HELD, F8F6F4_HELD, I8_HELD, MXF8F6F4_HELD, MXF4_HELD,
                    NVF4_HELD, F16_WS_HELD, F16_SPARSE_HELD);
    d->is_four = IS(c->which, MXF4, MXF4_HELD, NVF4, NVF4_HELD, MXF4_SPARSE, NVF4_SPARSE);
    d->is_scaled = d->is_four || IS(c->which, MXF8F6F4, MXF8F6F4_HELD, MXF8F6F4_SPARSE);
    d->is_ws = IS(c->which, F16_WS, F16_WS_ZEROS, F16_WS_SPARSE, F8F6F4_WS_SPARSE, F16_WS_HELD,
                  F16_WS_SHIFTED, TF32_WS_SPARSE);
    d->shift = c->which == F16_WS_SHIFTED ? SHIFT : 0;
    d->is_half = c->m / blocks == 64 && !d->is_ws && (blocks == 1 || d->is_sparse);
    d->scales = IS(c->which, NVF4, NVF4_HELD, NVF4_SPARSE) ? 4 : d->is_four ? 2 : 1;
    if (c->is_deep)
        d->scales = d->scales * 3 / 2;
    d->stored_k = c->is_deep   ? 96
                  : d->is_four ? 64
                               : line[c->a->bits == 16   ? 0
                                      : c->a->bits == 32 ? 1
                                                         : 2];
    d->k = d->stored_k << d->is_sparse;
}

/* Of a sparse line, the places of what is there: two of four; one of two tf32; two of four pairs. */
static void choose(data *d, unsigned row)
{
    for (unsigned i = 0; i < d->stored_k; i++) {
        if (d->c.a == &tf32) {
            d->met[row][i] = 2 * i + next_random() % 2;
        } else if (d->is_four) {
            if (i % 4 == 0) {
                const unsigned first = next_random() % 3,
                               second = first + 1 + next_random() % (3 - first);
                for (unsigned j = 0; j < 4; j++)
                    d->met[row][i + j] = i * 2 + 2 * (j < 2 ? first : second) + j % 2;
            }
        } else if (i % 2 == 0) {
            const unsigned first = next_random() % 3;
            d->met[row][i] = i * 2 + first;
            d->met[row][i + 1] = i * 2 + first + 1 + next_random() % (3 - first);
        }
    }
}

static void make_values(data *d)
{
    for (unsigned row = 0; row < d->c.m; row++) {
        if (d->is_sparse)
            choose(d, row);
        for (unsigned i = 0; i < d->stored_k; i++) {
            d->stored[row][i] = random_value(d->c.a);
            d->a[row][d->is_sparse ? d->met[row][i] : i] = d->stored[row][i];
        }
        for (unsigned s = 0; s < d->scales; s++)
            d->scale_a[row][s] =
                ldexp(1 + (d->c.ue4m3 ? next_random() % 2 / 2.0 : 0), (int)(next_random() % 4) - 2);
    }
    for (unsigned column = 0; column < d->c.n + d->shift; column++) {
        for (unsigned k = 0; k < d->k; k++)
            d->b[column][k] = random_value(d->c.b);
        for (unsigned s = 0; s < d->scales; s++)
            d->scale_b[column][s] =
                ldexp(1 + (d->c.ue4m3 ? next_random() % 2 / 2.0 : 0), (int)(next_random() % 4) - 2);
    }
}

/* ---- shared memory --------------------------------------------------------------------------- */

static unsigned swizzle_bytes(mode m)
{
    return m == NONE ? 16 : m == BYTES_32 ? 32 : m == BYTES_64 ? 64 : 128;
}

/* The pattern repeats every 1024 bytes: the number of the line of 128 bytes is combined with that
 * of the 16 (or 32) bytes in it. */
static unsigned swizzle(mode m, unsigned at)
{
    const unsigned line = at / 128 % 8;
    switch (m) {
    case BYTES_128:
        return at ^ line * 16;
    case BYTES_64:
        return at ^ line % 4 * 16;
    case BYTES_32:
        return at ^ line % 2 * 16;
    case HALVES:
        return at ^ line % 4 * 32;
    default:
        return at;
    }
}

static void put_bits(uint8_t *to, unsigned at, unsigned bits, uint32_t value)
{
    for (unsigned i = 0; i < bits; i++)
        to[(at + i) / 8] = (uint8_t)(to[(at + i) / 8] | (value >> i & 1) << (at + i) % 8);
}

/* A depth of 96 has lines of 48 bytes, of which one that passes 128 goes on in a second matrix ("Absolute
 * address mode for K dimension being 48B"). */
enum { DEEP_START = 96, DEEP_NEXT = 16384 };

static uint64_t fill_deep(uint8_t *image, unsigned start, const format *f, unsigned lines,
                          double (*values)[128], unsigned first)
{
    for (unsigned line = 0; line < lines; line++)
        for (unsigned k = 0; k < 96; k++) {
            const unsigned byte = DEEP_START + k / 2,
                           in = byte < 128 ? start + byte : start + DEEP_NEXT + byte - 128;
            put_bits(image + swizzle(BYTES_128, in + line * 128), k % 2 * 4, 4,
                     encode(f, values[first + line][k]));
        }
    return (uint64_t)(start + DEEP_START) / 16 | (uint64_t)(start + DEEP_NEXT) / 16 << 16 |
           UINT64_C(1024) / 16 << 32 | UINT64_C(1) << 46 | UINT64_C(1) << 52 |
           (uint64_t)BYTES_128 << 61;
}

/* Offsets that the descriptor has: any that leave no overlaps. */
typedef struct offsets {
    unsigned leading, stride;
} offsets;

static offsets offsets_of(mode m, bool across, unsigned lines, unsigned k_bytes, unsigned k,
                          unsigned line_bytes)
{
    const unsigned width = swizzle_bytes(m);
    (void)lines;
    if (!across)
        return m == NONE ? (offsets){128, k_bytes / 16 * 128 + 128} : (offsets){16, 8 * width};
    if (m == NONE)
        return (offsets){line_bytes / 16 * 128, 128}; /* 8 lines along k, 16 bytes of rows */
    const unsigned together = m == HALVES ? 4 : 8;
    return (offsets){k / together * together * width, together * width};
}

/* Where 16 bytes of a matrix are: `line` is a row (or column of b), `piece` along k; across, `line`
 * is along k and `piece` along rows. */
static unsigned piece_at(mode m, bool across, offsets o, unsigned line, unsigned piece)
{
    const unsigned width = swizzle_bytes(m), side = width / 16, together = m == HALVES ? 4 : 8;
    unsigned at;
    if (!across && m == NONE)
        at = line / 8 * o.stride + line % 8 * 16 + piece * o.leading;
    else if (!across)
        at = line / 8 * o.stride + line % 8 * width + piece * 16;
    else if (m == NONE)
        at = piece * o.stride + line % 8 * 16 + line / 8 * o.leading;
    else
        at = piece / side * o.leading + piece % side * 16 + line % together * width +
             line / together * o.stride;
    return swizzle(m, at);
}

static uint64_t fill_matrix(uint8_t *image, unsigned start, const format *f, mode m, bool across,
                            unsigned lines, unsigned depth, double (*values)[128], unsigned first)
{
    const unsigned k_bytes = (depth + f->each - 1) / f->each * 16;
    const offsets o = offsets_of(m, across, lines, k_bytes, depth, lines * f->bits / 8);
    for (unsigned line = 0; line < lines; line++)
        for (unsigned k = 0; k < depth; k++) {
            const unsigned along = across ? line : k;
            const unsigned at = piece_at(m, across, o, across ? k : line, along / f->each);
            put_bits(image + start + at, along % f->each * f->stored, f->stored,
                     encode(f, values[first + line][k]));
        }
    return (uint64_t)start / 16 | (uint64_t)(o.leading / 16) << 16 |
           (uint64_t)(o.stride / 16) << 32 | UINT64_C(1) << 46 | (uint64_t)m << 61;
}

/* ---- tensor memory --------------------------------------------------------------------------- */

/* Lane of a row of sums of a block, and its column. */
static void sum_at(const data *d, unsigned row, unsigned column, unsigned *lane, unsigned *at)
{
    const unsigned rows = d->c.m / d->blocks;
    *at = column;
    *lane = row;
    if (d->is_half) { /* 16 rows in each quarter of the lanes */
        *lane = row / 16 * 32 + row % 16 + (d->c.is_upper ? 16 : 0);
    } else if (d->is_ws ||
               d->blocks == 2) { /* 1/4, 1/2 or all lanes hold all rows of a part of columns */
        const unsigned parts = LANES / rows, part = d->c.n / parts;
        *lane = row + column / part * rows;
        *at = column % part;
    }
}

/* From the lane of a row to that of its copy for the next part of the columns. */
static unsigned copy_step(const data *d)
{
    return d->is_ws || (d->blocks == 2 && !d->is_half) ? d->c.m / d->blocks : LANES;
}

static void put_word(uint32_t (*words)[LANES], unsigned column, unsigned lane, unsigned at,
                     unsigned bits, uint32_t value)
{
    const uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    words[column][lane] = (words[column][lane] & ~(mask << at)) | (value & mask) << at;
}

static void fill_held(data *d, unsigned block)
{
    const unsigned rows = d->c.m / d->blocks;
    const bool has_bytes = d->c.a->bits < 8 && !d->is_four; /* of 4 bits in the middle of one */
    const unsigned bits = has_bytes ? 8 : d->c.a->bits,
                   above = has_bytes && d->c.a->bits == 4 ? 2 : 0;
    for (unsigned row = 0; row < rows; row++)
        for (unsigned k = 0; k < d->stored_k; k++) {
            const uint32_t value = encode(d->c.a, d->stored[block * rows + row][k]) << above;
            unsigned lane, column;
            sum_at(d, row, 0, &lane, &column);
            for (; lane < LANES; lane += copy_step(d)) /* parts have a copy each */
                put_word(d->before[block], HELD_AT + k * bits / 32, lane, k * bits % 32, bits,
                         value);
        }
}

static void fill_metadata(data *d, unsigned block)
{
    const unsigned rows = d->c.m / d->blocks;
    for (unsigned row = 0; row < rows; row++)
        for (unsigned i = 0; i < d->stored_k; i++) {
            const unsigned met = d->met[block * rows + row][i];
            unsigned bit, width = 2, value;
            if (d->c.a == &tf32)
                bit = 4 * i, width = 4, value = met % 2 ? 0xe : 0x4;
            else if (d->is_four)
                bit = i / 4 * 4 + i / 2 % 2 * 2, value = met % 8 / 2;
            else
                bit = 2 * i, value = met % 4;
            unsigned lane, column, at = bit % 32;
            sum_at(d, row, 0, &lane, &column);
            column = bit / 32;
            if (d->c.a->bits >= 16) { /* 16 bits a row: eight rows, the second half along k, ... */
                lane = lane - row % 16 + row % 8 + bit / 16 * 8;
                column = d->c.selector;
                at = row / 8 % 2 * 16 + bit % 16;
            }
            for (; lane < LANES; lane += copy_step(d))
                put_word(d->before[block], METADATA_AT + column, lane, at, width, value);
        }
}

static uint32_t scale_bits(const data *d, double scale)
{
    static const format ue4m3 = {"", 4, 3, 8, 8, 0, 0};
    int exponent;
    frexp(scale, &exponent);
    return d->c.ue4m3 ? encode(&ue4m3, scale) : (uint32_t)(exponent - 1 + 127);
}

/* Each quarter of the lanes has a copy. A line's next word is behind those of all lines, of which
 * there are 128, or a multiple of that (CUTLASS 4, tmem_sf_frg). */
static void fill_scales(data *d, unsigned block)
{
    const unsigned rows = d->c.m / d->blocks, parts = LANES / rows,
                   b_step = (d->c.n + 127) / 128 * 4 / parts;
    for (unsigned quarter = 0; quarter < 4; quarter++)
        for (unsigned s = 0; s < d->scales; s++) {
            const unsigned a_byte = d->c.scale_a_id + s, b_byte = d->c.scale_b_id + s;
            for (unsigned row = 0; row < rows; row++)
                put_word(d->before[block], SCALES_A_AT + row / 32 + a_byte / 4 * 4,
                         quarter * 32 + row % 32, a_byte % 4 * 8, 8,
                         scale_bits(d, d->scale_a[block * rows + row][s]));
            const unsigned part = d->c.n / parts, first = quarter / (4 / parts) * part;
            for (unsigned column = 0; column < part; column++)
                put_word(d->before[block], SCALES_B_AT + column / 32 + b_byte / 4 * b_step,
                         quarter * 32 + column % 32, b_byte % 4 * 8, 8,
                         scale_bits(d, d->scale_b[first + column][s]));
        }
}

static uint32_t sum_bits(const data *d, double value)
{
    float f = (float)value;
    uint32_t bits;
    if (d->c.a == &u8 || d->c.a == &s8)
        return (uint32_t)(int32_t)value;
    if (d->c.to_half)
        return encode(&half, value);
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static double old_value(unsigned block, unsigned lane, unsigned column)
{
    return (int)((block * 7 + lane * 3 + column * 5) % 33) * 8 - 128;
}

static void fill_before(data *d, unsigned block)
{
    for (unsigned column = 0; column < COLUMNS; column++)
        for (unsigned lane = 0; lane < LANES; lane++)
            d->before[block][column][lane] = sum_bits(d, old_value(block, lane, column));
    if (d->is_held)
        fill_held(d, block);
    if (d->is_sparse)
        fill_metadata(d, block);
    if (d->is_scaled)
        fill_scales(d, block);
}

/* ---- what must come out ---------------------------------------------------------------------- */

static double product_of(const data *d, unsigned row, unsigned column)
{
    const double sign = (d->c.negates_a ? -1 : 1) * (d->c.negates_b ? -1 : 1);
    double sum = 0;
    for (unsigned k = 0; k < d->k; k++) {
        double scale = sign;
        if (d->is_scaled)
            scale *=
                d->scale_a[row][k * d->scales / d->k] * d->scale_b[column][k * d->scales / d->k];
        sum += scale * d->a[row][k] * d->b[column + d->shift][k];
    }
    return sum;
}

/* Of b's columns with zeros: five that are used and three zeros take turns. A part of the columns
 * begins in one of the spans, after so many of its columns, at the latest with its last. */
static void choose_zeros(const data *d, bool is_zero[256])
{
    static const struct {
        bool zeros;
        unsigned after;
    } starts[] = {{false, 1}, {true, 2 /* 9, of three */}, {true, 2}, {false, 0}};
    const unsigned parts = LANES / d->c.m;
    for (unsigned part = 0, column = 0; part < parts; part++) {
        bool zeros = starts[part].zeros;
        unsigned left = (zeros ? 3 : 5) - starts[part].after;
        for (unsigned i = 0; i < d->c.n / parts; i++) {
            if (!left) {
                zeros = !zeros;
                left = zeros ? 3 : 5;
            }
            left--;
            is_zero[column++] = zeros;
        }
    }
}

static bool is_masked(const data *d, unsigned lane)
{
    return d->c.which == F16_MASKED && (lane == 0 || lane == 2 || lane == 127);
}

static unsigned check(const data *d, const char *name)
{
    static uint32_t wanted[COLUMNS][LANES];
    bool is_zero[256] = {false};
    unsigned wrong = 0;
    if (d->c.which == F16_WS_ZEROS)
        choose_zeros(d, is_zero);
    for (unsigned block = 0; block < d->blocks; block++) {
        const unsigned rows = d->c.m / d->blocks;
        memcpy(wanted, d->before[block], sizeof wanted);
        for (unsigned row = 0; row < rows; row++)
            for (unsigned column = 0; column < d->c.n; column++) {
                unsigned lane, at;
                sum_at(d, row, column, &lane, &at);
                const double old = d->c.accumulates ? old_value(block, lane, at) *
                                                          (d->c.which == F16_MASKED ? 0.125 : 1)
                                                    : 0;
                const double sum = is_zero[column] ? 0 : product_of(d, block * rows + row, column);
                if (!is_masked(d, lane))
                    wanted[at][lane] = sum_bits(d, old + sum);
            }
        for (unsigned column = 0; column < COLUMNS; column++)
            for (unsigned lane = 0; lane < LANES; lane++)
                if (d->after[block][column][lane] != wanted[column][lane] && wrong++ < 4)
                    printf("%s %u, %ux%u of %s and %s (modes %u %u), block %u: lane %u, column %u: "
                           "0x%08x, wanted 0x%08x\n",
                           name, d->c.which, d->c.m, d->c.n, d->c.a->name, d->c.b->name,
                           d->c.a_mode, d->c.b_mode, block, lane, column,
                           d->after[block][column][lane], wanted[column][lane]);
    }
    return wrong;
}

/* ---- running --------------------------------------------------------------------------------- */

static uint32_t description_of(const data *d)
{
    const config *c = &d->c;
    const uint32_t common = (uint32_t)d->is_sparse << 2 | c->a->code << 7 | c->b->code << 10 |
                            (uint32_t)c->negates_a << 13 | (uint32_t)c->negates_b << 14 |
                            (uint32_t)c->a_across << 15 | (uint32_t)c->b_across << 16 |
                            c->n / 8 << 17;
    if (d->is_scaled)
        return common | c->scale_b_id << 4 | (uint32_t)!c->ue4m3 << 23 | c->m / 128 << 27 |
               c->scale_a_id << 29 | (uint32_t)c->is_deep << 31;
    const uint32_t type = c->a == &u8 || c->a == &s8 ? 2 : !c->to_half;
    return common | c->selector | type << 4 | c->m / 16 << 24;
}

static void set(ifl_launch *launch, const char *key, const char *format_, ...)
{
    char text[64];
    ifl_error error = {0};
    va_list list;
    va_start(list, format_);
    vsnprintf(text, sizeof text, format_, list);
    va_end(list);
    if (ifl_launch_set(launch, key, text, &error) != IFL_OK)
        fail_msg("%s = %s: %s", key, text, error.text);
}

static void copy_in(ifl_launch *launch, size_t argument, const void *from, size_t count)
{
    void *to = NULL;
    size_t bytes;
    ifl_error error = {0};
    if (ifl_launch_buffer(launch, argument, &to, &bytes, &error) != IFL_OK || bytes < count)
        fail_msg("argument %zu: %s", argument, error.text);
    memcpy(to, from, count);
}

/* Multiply-adds over what the SMs of the blocks do in a cycle: 4,096 of halves, half of tf32, twice of bytes and four times of
 * floats of four bits, six of sm_103 (src/arch/fact.def); 64 rows take as long as 128. */
static void check_time(const ifl_profile *profile, const char *gpu, const data *d)
{
    const bool is_103 = strcmp(gpu, "b300") == 0;
    const double sms = d->blocks, hz = is_103 ? 2032e6 : 1965e6;
    const double rate = d->is_four           ? (is_103 ? 6 : 4)
                        : d->c.a->bits == 32 ? 0.5
                        : d->c.a->bits == 16 ? 1
                                             : 2;
    const unsigned rows = d->is_half ? 2 * d->c.m : d->c.m;
    const double wanted = (double)rows * d->c.n * d->stored_k / (4096 * rate) / sms / hz * 1e6;
    ifl_model model;
    ifl_device *device;
    ifl_error error = {0};
    if (ifl_device_open(gpu, &device, &error) != IFL_OK ||
        ifl_profile_model(profile, device, &model, &error) != IFL_OK)
        fail_msg("%s: %s", gpu, error.text);
    ifl_device_close(device);
    if (fabs(model.term_us[IFL_TERM_TENSOR] - wanted) > 1e-3 * wanted)
        fail_msg("%s: product %u keeps the tensor cores for %g us, wanted %g", gpu, d->c.which,
                 model.term_us[IFL_TERM_TENSOR], wanted);
}

static unsigned run(const ifl_module *module, const char *gpu, data *d, uint64_t a, uint64_t b)
{
    ifl_launch *launch;
    ifl_profile *profile = NULL;
    ifl_error error = {0};
    if (ifl_launch_new(module, d->blocks == 2 ? "pair" : "product", &launch, &error) != IFL_OK)
        fail_msg("%s", error.text);
    set(launch, "grid", "%u", d->blocks);
    set(launch, "block", "128");
    set(launch, "shared", "%u", IMAGE_BYTES);
    set(launch, "arg", "u8x%u=zero", d->blocks * IMAGE_BYTES);
    set(launch, "arg", "u32x%u=zero", d->blocks * COLUMNS * LANES);
    set(launch, "arg", "u32x%u=zero", d->blocks * COLUMNS * LANES);
    set(launch, "arg", "u32:%u", IMAGE_BYTES / 4);
    set(launch, "arg", "u32:%u", d->c.which | (d->c.is_upper ? IN_UPPER_HALVES : 0));
    set(launch, "arg", "u64:%llu", (unsigned long long)a);
    set(launch, "arg", "u64:%llu", (unsigned long long)b);
    set(launch, "arg", "u32:%u", description_of(d));
    set(launch, "arg", "u32:%u", (unsigned)d->c.accumulates);
    if (gpu)
        set(launch, "gpu", "%s", gpu);
    copy_in(launch, 0, d->image, (size_t)d->blocks * IMAGE_BYTES);
    copy_in(launch, 1, d->before, d->blocks * sizeof d->before[0]);
    if (ifl_launch_run(launch, NULL, &profile, &error) != IFL_OK)
        fail_msg("%s: product %u: %s", gpu ? gpu : "PTX", d->c.which, error.text);
    check_time(profile, gpu ? gpu : "b200", d);
    void *after = NULL;
    size_t bytes;
    assert_int_equal(ifl_launch_buffer(launch, 2, &after, &bytes, &error), IFL_OK);
    memcpy(d->after, after, d->blocks * sizeof d->after[0]);
    ifl_profile_free(profile);
    ifl_launch_free(launch);
    return check(d, gpu ? "machine code" : "PTX");
}

static unsigned try(const ifl_module *module, const char *gpu, const config *c, unsigned blocks)
{
    static data d;
    seed = c->which * 977 + c->m * 31 + c->n;
    begin(&d, c, blocks);
    make_values(&d);
    uint64_t a = 0, b = 0;
    for (unsigned block = 0; block < blocks; block++) {
        fill_before(&d, block);
        if (c->is_deep) {
            a = d.is_held ? UINT64_C(1) << 52 /* tells products.ptx of b's */
                          : fill_deep(d.image[block], 0, c->a, c->m / blocks, d.stored,
                                      block * c->m / blocks);
            b = fill_deep(d.image[block], B_AT, c->b, c->n / blocks, d.b, block * c->n / blocks);
            continue;
        }
        if (!d.is_held)
            a = fill_matrix(d.image[block], 0, c->a, c->a_mode, c->a_across, c->m / blocks,
                            d.stored_k, d.stored, block * c->m / blocks);
        b = fill_matrix(d.image[block], B_AT, c->b, c->b_mode, c->b_across, c->n / blocks + d.shift,
                        d.k, d.b, block * c->n / blocks);
    }
    return run(module, gpu, &d, a, b);
}

static const config configs[] = {
    {F16, 128, 64, &half, &half, NONE, NONE, .accumulates = true},
    {F16, 64, 24, &half, &half, NONE, NONE, .a_across = false},
    {F16, 128, 256, &bfloat, &bfloat, BYTES_128, BYTES_128, .accumulates = true},
    {F16, 128, 32, &half, &bfloat, BYTES_64, BYTES_32, .negates_a = true},
    {F16, 64, 64, &half, &half, BYTES_32, BYTES_64, .to_half = true, .accumulates = true},
    {F16, 128, 64, &half, &half, BYTES_128, BYTES_128, .a_across = true, .b_across = true},
    {F16, 128, 64, &half, &half, BYTES_64, BYTES_32, .a_across = true, .b_across = true},
    {F16, 128, 32, &half, &half, NONE, NONE, .a_across = true, .b_across = true},
    {F16_HELD, 128, 64, &half, &half, NONE, BYTES_128, .accumulates = true},
    {F16_HELD, 64, 64, &bfloat, &bfloat, NONE, BYTES_128, .negates_b = true},
    {TF32, 128, 64, &tf32, &tf32, BYTES_128, BYTES_64, .accumulates = true},
    {TF32, 64, 32, &tf32, &tf32, HALVES, HALVES, .a_across = true, .b_across = true},
    {TF32_HELD, 128, 32, &tf32, &tf32, NONE, NONE, .a_across = false},
    {F8F6F4, 128, 64, &e4m3, &e5m2, BYTES_128, BYTES_128, .accumulates = true},
    {F8F6F4, 128, 64, &e2m3, &e3m2, BYTES_32, BYTES_64, .negates_a = true, .negates_b = true},
    {F8F6F4, 64, 32, &e2m1, &e4m3, NONE, BYTES_128, .a_across = false},
    {F8F6F4, 128, 128, &e5m2, &e4m3, BYTES_128, BYTES_128, .a_across = true, .b_across = true},
    {F8F6F4_HELD, 128, 64, &e4m3, &e2m1, NONE, BYTES_128, .accumulates = true},
    {I8, 128, 64, &s8, &u8, BYTES_128, BYTES_64, .accumulates = true},
    {I8, 64, 48, &u8, &s8, NONE, NONE, .a_across = false},
    {I8_HELD, 128, 32, &s8, &s8, NONE, BYTES_32, .accumulates = true},
    {F16_SPARSE, 128, 64, &half, &half, NONE, BYTES_64, .accumulates = true},
    {F16_SPARSE, 128, 64, &bfloat, &bfloat, BYTES_128, BYTES_128, .selector = 1},
    {TF32_SPARSE, 128, 32, &tf32, &tf32, BYTES_128, NONE, .selector = 1, .accumulates = true},
    {F8F6F4_SPARSE, 128, 64, &e4m3, &e2m3, BYTES_128, BYTES_128, .accumulates = true},
    {I8_SPARSE, 128, 64, &s8, &s8, BYTES_128, BYTES_128, .accumulates = true},
    {MXF8F6F4, 128, 64, &e4m3, &e4m3, BYTES_128, BYTES_128, .scale_a_id = 1, .scale_b_id = 3,
     .accumulates = true},
    {MXF8F6F4, 128, 64, &e2m1, &e3m2, BYTES_128, BYTES_32, .a_across = false},
    {MXF8F6F4_HELD, 128, 32, &e5m2, &e4m3, NONE, BYTES_128, .scale_b_id = 2},
    {MXF4, 128, 64, &four, &four, BYTES_128, BYTES_64, .scale_a_id = 2, .accumulates = true},
    {MXF4_HELD, 128, 64, &four, &four, NONE, BYTES_128, .scale_b_id = 2},
    {NVF4, 128, 128, &four, &four, BYTES_128, BYTES_128, .ue4m3 = true, .accumulates = true},
    {NVF4_HELD, 128, 64, &four, &four, NONE, BYTES_32, .ue4m3 = true, .negates_a = true},
    {MXF8F6F4_SPARSE, 128, 64, &e4m3, &e5m2, BYTES_128, BYTES_128, .accumulates = true},
    {MXF4_SPARSE, 128, 64, &four, &four, BYTES_128, BYTES_128, .accumulates = true},
    {NVF4_SPARSE, 128, 64, &four, &four, BYTES_128, BYTES_128, .ue4m3 = true},
    {F16_MASKED, 128, 64, &half, &half, NONE, NONE, .accumulates = true},
    {F16_WS, 32, 128, &half, &half, NONE, NONE, .accumulates = true},
    {F16_WS, 64, 64, &half, &half, BYTES_128, BYTES_128, .a_across = false},
    {F16_WS_ZEROS, 32, 128, &half, &half, NONE, NONE, .accumulates = true},
    {F16_WS_ZEROS, 64, 256, &half, &half, BYTES_128, BYTES_128, .a_across = false},
    {F16_WS_ZEROS, 128, 64, &half, &half, BYTES_64, NONE, .accumulates = true},
    {F16_WS_SPARSE, 128, 128, &half, &half, BYTES_64, BYTES_128, .selector = 1,
     .accumulates = true},
    {F8F6F4_WS_SPARSE, 128, 64, &e4m3, &e5m2, BYTES_32, BYTES_128, .a_across = false},
    {F16_WS_SPARSE, 64, 128, &half, &half, BYTES_64, BYTES_128, .selector = 1, .accumulates = true},
    {F16_WS_SPARSE, 32, 64, &bfloat, &bfloat, NONE, BYTES_64, .selector = 0},
    {F8F6F4_WS_SPARSE, 64, 64, &e4m3, &e5m2, BYTES_32, BYTES_128, .accumulates = true},
    {F8F6F4_WS_SPARSE, 32, 128, &e2m3, &e4m3, BYTES_32, BYTES_128, .a_across = false},
    {TF32_WS_SPARSE, 64, 64, &tf32, &tf32, NONE, BYTES_64, .selector = 1},
    {TF32_WS_SPARSE, 32, 128, &tf32, &tf32, BYTES_32, NONE, .accumulates = true},
    {F16_WS_HELD, 128, 64, &half, &half, NONE, BYTES_128, .accumulates = true},
    {F16_WS_HELD, 64, 128, &half, &half, NONE, BYTES_32, .negates_a = true},
    {F16_WS_HELD, 32, 256, &bfloat, &bfloat, NONE, NONE, .accumulates = true},
    {F16_WS_SHIFTED, 128, 64, &half, &half, NONE, NONE, .accumulates = true},
    {F16_WS_SHIFTED, 64, 128, &half, &half, BYTES_64, BYTES_128, .a_across = false},
    {F16_WS_SHIFTED, 32, 64, &half, &bfloat, BYTES_64, BYTES_32, .accumulates = true},
    {F16_SPARSE, 64, 64, &half, &half, NONE, BYTES_64, .selector = 1, .accumulates = true},
    {F16_SPARSE, 64, 24, &half, &half, NONE, NONE, .is_upper = true},
    {TF32_SPARSE, 64, 32, &tf32, &tf32, BYTES_128, NONE, .accumulates = true},
    {I8_SPARSE, 64, 64, &s8, &u8, BYTES_128, BYTES_128, .is_upper = true, .accumulates = true},
    {F16_HELD, 64, 64, &half, &half, NONE, BYTES_128, .is_upper = true},
    {F16_SPARSE_HELD, 64, 64, &half, &half, NONE, BYTES_64, .is_upper = true, .selector = 1},
    {F16_SPARSE_HELD, 128, 64, &half, &half, NONE, BYTES_64, .accumulates = true},
    {F8F6F4_HELD, 128, 64, &e2m3, &e5m2, NONE, BYTES_128, .accumulates = true},
    {F8F6F4_HELD, 64, 32, &e2m1, &e3m2, NONE, NONE, .negates_b = true},
    {MXF8F6F4_HELD, 128, 32, &e3m2, &e2m1, NONE, BYTES_128, .scale_a_id = 3},
};

static const config pairs[] = {
    {F16, 256, 128, &half, &half, BYTES_128, BYTES_128, .accumulates = true},
    {F16, 128, 64, &bfloat, &bfloat, NONE, BYTES_64, .accumulates = true},
    {F16_HELD, 128, 64, &half, &half, NONE, BYTES_64, .a_across = false},
    {F16_HELD, 256, 64, &half, &half, NONE, BYTES_64, .accumulates = true},
    {F8F6F4, 256, 64, &e4m3, &e5m2, BYTES_128, BYTES_128, .a_across = false},
    {F16_SPARSE, 256, 64, &half, &half, NONE, BYTES_64, .accumulates = true},
    {F16_SPARSE, 128, 64, &half, &half, NONE, BYTES_64, .selector = 1, .accumulates = true},
    {TF32_SPARSE, 128, 32, &tf32, &tf32, BYTES_64, NONE, .is_upper = true},
    {F8F6F4_SPARSE, 128, 128, &e5m2, &e4m3, BYTES_64, BYTES_128, .is_upper = true},
    {MXF8F6F4, 256, 128, &e4m3, &e4m3, BYTES_128, BYTES_128, .accumulates = true},
    {NVF4, 256, 128, &four, &four, BYTES_128, BYTES_128, .ue4m3 = true},
};

/* Of sm_103. */
static const config deep[] = {
    {NVF4, 128, 64, &four, &four, .ue4m3 = true, .accumulates = true, .is_deep = true},
    {NVF4, 128, 128, &four, &four, .ue4m3 = true, .scale_a_id = 2, .is_deep = true},
    {NVF4, 128, 48, &four, &four, .scale_b_id = 2, .accumulates = true, .is_deep = true},
    {MXF4, 128, 64, &four, &four, .scale_a_id = 1, .scale_b_id = 3, .is_deep = true},
    {MXF4, 128, 128, &four, &four, .scale_a_id = 2, .negates_b = true, .is_deep = true},
    {NVF4_HELD, 128, 64, &four, &four, .ue4m3 = true, .accumulates = true, .is_deep = true},
    {MXF4_HELD, 128, 128, &four, &four, .scale_a_id = 1, .is_deep = true},
};

static const config deep_pairs[] = {
    {NVF4, 256, 256, &four, &four, .ue4m3 = true, .scale_b_id = 2, .is_deep = true},
    {NVF4, 256, 128, &four, &four, .ue4m3 = true, .accumulates = true, .is_deep = true},
    {NVF4_HELD, 256, 64, &four, &four, .ue4m3 = true, .scale_a_id = 2, .is_deep = true},
};

static ifl_module *open_module(const char *path)
{
    ifl_module *module = NULL;
    ifl_error error = {0};
    if (ifl_module_open(path, NULL, &module, &error) != IFL_OK)
        fail_msg("%s: %s", path, error.text);
    return module;
}

static void try_deep(const char *path, const char *gpu)
{
    unsigned wrong = 0;
    ifl_module *module = open_module(path);
    for (size_t i = 0; i < sizeof deep / sizeof *deep; i++)
        wrong += try(module, gpu, &deep[i], 1);
    for (size_t i = 0; i < sizeof deep_pairs / sizeof *deep_pairs; i++)
        wrong += try(module, gpu, &deep_pairs[i], 2);
    ifl_module_close(module);
    assert_int_equal(wrong, 0);
}

static void try_all(const char *file, const char *gpu)
{
    char path[512];
    unsigned wrong = 0;
    snprintf(path, sizeof path, "tests/tensor/%s", file);
    ifl_module *module = open_module(path);
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++)
        wrong += try(module, gpu, &configs[i], 1);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        wrong += try(module, gpu, &pairs[i], 2);
    ifl_module_close(module);
    assert_int_equal(wrong, 0);
}

static void test_ptx(void **state)
{
    (void)state;
    try_all("products.ptx", NULL);
}

static void test_machine_code(void **state)
{
    (void)state;
    try_all("products.sm_100.cubin", "b200");
}

/* products.ptx for another target. */
static void test_deep_ptx(void **state)
{
    static char text[1 << 16];
    char path[] = "/tmp/products.XXXXXX";
    (void)state;
    FILE *from = fopen("tests/tensor/products.ptx", "rb");
    assert_non_null(from);
    text[fread(text, 1, sizeof text - 1, from)] = 0;
    fclose(from);
    char *target = strstr(text, "sm_100a");
    assert_non_null(target);
    memcpy(target, "sm_103a", strlen("sm_103a"));
    const int to = mkstemp(path);
    assert_true(to >= 0 && write(to, text, strlen(text)) == (ssize_t)strlen(text));
    close(to);
    try_deep(path, NULL);
    unlink(path);
}

static void test_deep_machine_code(void **state)
{
    (void)state;
    try_deep("tests/tensor/products.sm_103.cubin", "b300");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ptx), cmocka_unit_test(test_deep_ptx),
                                       cmocka_unit_test(test_deep_machine_code),
                                       cmocka_unit_test(test_machine_code)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
