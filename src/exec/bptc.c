/* SPDX-License-Identifier: Apache-2.0
 * See bptc.h. A block has one to three parts with two ends each; a texel lies between the ends of
 * its part, where its index says. */
#include "exec/bptc.h"

#include <stddef.h>
#include <string.h>

enum { TEXELS = 16, ENDS = 2, MOST_PARTS = 3, COLOURS = 3 };

static const struct partition {
    uint16_t two; /* parts, a bit a texel */
    uint8_t anchor;
    uint32_t three; /* two bits a texel */
    uint8_t anchors[2];
} partitions[] = {
#include "exec/bptc_parts.def"
};

/* ---- bits, the lowest first ------------------------------------------------------------------ */

typedef struct bits {
    uint64_t word[2];
    unsigned at;
} bits;

static bits bits_of(const uint8_t *block)
{
    bits from = {.at = 0};
    memcpy(from.word, block, sizeof from.word);
    return from;
}

static uint32_t next(bits *from, unsigned count)
{
    enum { WORD = 64 };
    uint32_t value = 0;
    for (unsigned i = 0; i < count; i++, from->at++)
        value |= (uint32_t)(from->word[from->at / WORD] >> from->at % WORD & 1) << i;
    return value;
}

/* ---- parts and indices ----------------------------------------------------------------------- */

static unsigned part_of(const struct partition *p, unsigned parts, unsigned place)
{
    return parts == 1 ? 0 : parts == 2 ? p->two >> place & 1 : p->three >> 2 * place & 3;
}

/* The highest bit of an index is zero in the first texel of each part, and not stored. */
static bool is_anchor(const struct partition *p, unsigned parts, unsigned place)
{
    return !place || (parts == 2 && place == p->anchor) ||
           (parts == 3 && (place == p->anchors[0] || place == p->anchors[1]));
}

/* Leaves `from` behind all of them. */
static uint32_t index_of(bits *from, const struct partition *p, unsigned parts, unsigned place,
                         unsigned size)
{
    uint32_t found = 0;
    for (unsigned i = 0; i < TEXELS; i++) {
        const uint32_t index = next(from, size - is_anchor(p, parts, i));
        found = i == place ? index : found;
    }
    return found;
}

/* Of 64, by the size of an index. */
static int32_t weight_of(unsigned size, uint32_t index)
{
    static const uint8_t weights[][TEXELS] = {
        {0, 21, 43, 64},
        {0, 9, 18, 27, 37, 46, 55, 64},
        {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64},
    };
    return weights[size - 2][index];
}

static int32_t between(int32_t first, int32_t second, int32_t weight)
{
    enum { ALL = 64, SHIFT = 6 };
    return (first * (ALL - weight) + second * weight + ALL / 2) >> SHIFT;
}

/* ---- BC7 ------------------------------------------------------------------------------------- */

static const struct mode7 {
    uint8_t parts, partition, rotation, selection; /* bits of all but the first */
    uint8_t colour, alpha, own_last, shared_last;  /* a last bit of each end, of both of a part */
    uint8_t index, second;
} modes7[] = {
    {3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0}, {3, 6, 0, 0, 5, 0, 0, 0, 2, 0},
    {2, 6, 0, 0, 7, 0, 1, 0, 2, 0}, {1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
    {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0},
};

typedef uint8_t ends7[MOST_PARTS][ENDS][IFL_BPTC_CHANNELS];

/* To eight bits, the highest of which are repeated. */
static uint8_t widened(uint32_t value, unsigned size)
{
    enum { WIDE = 8 };
    value <<= WIDE - size;
    return (uint8_t)(value | value >> size);
}

/* By channel, in it by part. */
static void read_ends7(const struct mode7 *m, bits *from, ends7 ends)
{
    uint32_t last[MOST_PARTS][ENDS];
    const bool has_last = m->own_last || m->shared_last;
    for (unsigned c = 0; c < IFL_BPTC_CHANNELS; c++)
        for (unsigned i = 0; i < m->parts * ENDS; i++)
            ends[i / ENDS][i % ENDS][c] = (uint8_t)next(from, c < COLOURS ? m->colour : m->alpha);
    for (unsigned i = 0; has_last && i < m->parts * ENDS; i++)
        last[i / ENDS][i % ENDS] = m->own_last || !(i % ENDS) ? next(from, 1) : last[i / ENDS][0];
    for (unsigned i = 0; i < m->parts * ENDS; i++)
        for (unsigned c = 0; c < IFL_BPTC_CHANNELS; c++) {
            uint8_t *end = &ends[i / ENDS][i % ENDS][c];
            const unsigned size = c < COLOURS ? m->colour : m->alpha;
            const uint32_t low = has_last ? last[i / ENDS][i % ENDS] : 0;
            *end = size ? widened((uint32_t)*end << has_last | low, size + has_last) : UINT8_MAX;
        }
}

/* A block of no mode is zero. */
void ifl_bc7_read(const uint8_t *block, unsigned place, uint32_t to[IFL_BPTC_CHANNELS])
{
    enum { MODES = sizeof modes7 / sizeof *modes7, ALPHA = 3 };
    ends7 ends;
    bits from = bits_of(block);
    const unsigned mode = (unsigned)__builtin_ctz(*block | 1u << MODES);
    memset(to, 0, IFL_BPTC_CHANNELS * sizeof *to);
    if (mode == MODES)
        return;
    const struct mode7 *m = &modes7[mode];
    next(&from, mode + 1);
    const struct partition *p = &partitions[next(&from, m->partition)];
    const uint32_t rotation = next(&from, m->rotation), selection = next(&from, m->selection);
    read_ends7(m, &from, ends);
    const unsigned part = part_of(p, m->parts, place);
    int32_t weight = weight_of(m->index, index_of(&from, p, m->parts, place, m->index)),
            other =
                m->second ? weight_of(m->second, index_of(&from, p, 1, place, m->second)) : weight;
    if (selection) {
        const int32_t kept = weight;
        weight = other, other = kept;
    }
    for (unsigned c = 0; c < IFL_BPTC_CHANNELS; c++)
        to[c] = (uint32_t)between(ends[part][0][c], ends[part][1][c], c == ALPHA ? other : weight);
    if (rotation) {
        const uint32_t kept = to[ALPHA];
        to[ALPHA] = to[rotation - 1], to[rotation - 1] = kept;
    }
}

/* ---- BC6H ------------------------------------------------------------------------------------ */

enum { R0, G0, B0, R1, G1, B1, R2, G2, B2, R3, G3, B3, VALUES };
enum { MOST_PIECES = 24 };

typedef struct piece {
    uint8_t of, low, count;
} piece;

#define ONE(of, bit)                                                                               \
    {                                                                                              \
        of, bit, 1                                                                                 \
    }
#define LOW(of, count)                                                                             \
    {                                                                                              \
        of, 0, count                                                                               \
    }
#define DOWN(of, low, count)                                                                       \
    {                                                                                              \
        of, low, count                                                                             \
    }
static const struct mode6 {
    uint8_t mode;
    bool is_parted, is_relative;
    uint8_t size, others[COLOURS];
    piece pieces[MOST_PIECES];
} modes6[] = {
#include "exec/bc6h_modes.def"
};

static const struct mode6 *mode6_of(const uint8_t *block)
{
    const unsigned mode = (*block & 3) < 2 ? *block & 3 : *block & 31;
    for (size_t i = 0; i < sizeof modes6 / sizeof *modes6; i++)
        if (modes6[i].mode == mode)
            return &modes6[i];
    return NULL;
}

/* Of several bits above the lowest the highest comes first. */
static void read_pieces(const struct mode6 *m, bits *from, int32_t value[VALUES])
{
    memset(value, 0, VALUES * sizeof *value);
    for (const piece *p = m->pieces; p < m->pieces + MOST_PIECES && p->count; p++)
        for (unsigned i = 0; i < p->count; i++)
            value[p->of] |= (int32_t)next(from, 1) << (p->low ? p->low + p->count - 1 - i : i);
}

static int32_t extended(int32_t value, unsigned size)
{
    const int32_t half = INT32_C(1) << (size - 1);
    return (value ^ half) - half;
}

/* What is relative to the first end wraps around at an end's size. */
static void find_ends6(const struct mode6 *m, bool is_signed, int32_t value[VALUES])
{
    const int32_t mask = (INT32_C(1) << m->size) - 1;
    for (unsigned i = COLOURS; i < VALUES; i++) {
        const unsigned c = i % COLOURS;
        if (m->is_relative)
            value[i] = (value[c] + extended(value[i], m->others[c])) & mask;
    }
    for (unsigned i = 0; is_signed && i < VALUES; i++)
        value[i] = extended(value[i], m->size);
}

/* An end's bits stand for the whole range. */
static int32_t whole_range(int32_t x, int size, bool is_signed)
{
    enum { WIDE = 16, HALF = 0x4000, UP = 15 };
    const int32_t most = is_signed ? (INT32_C(1) << (size - 1)) - 1 : (INT32_C(1) << size) - 1;
    const int32_t magnitude = x < 0 ? -x : x;
    if (size >= WIDE - !is_signed || !x)
        return x;
    const int32_t wide = magnitude >= most ? (is_signed ? INT16_MAX : UINT16_MAX)
                                           : ((magnitude << UP) + HALF) >> (size - 1);
    return x < 0 ? -wide : wide;
}

/* 31 of 64 of it are the bits of a half, of signed ones 31 of 32 of the magnitude's. */
static uint32_t half_bits(int32_t x, bool is_signed)
{
    enum { PART = 31, OF_SIGNED = 5, OF_ALL = 6, SIGN = 0x8000 };
    if (!is_signed)
        return (uint32_t)(x * PART) >> OF_ALL;
    return x < 0 ? (uint32_t)(-x * PART) >> OF_SIGNED | SIGN : (uint32_t)(x * PART) >> OF_SIGNED;
}

void ifl_bc6h_read(const uint8_t *block, unsigned place, bool is_signed,
                   uint32_t to[IFL_BPTC_CHANNELS])
{
    enum { PARTITION = 5, OF_PARTS = 3, OF_ONE = 4, HALF_ONE = 0x3c00 };
    int32_t value[VALUES];
    bits from = bits_of(block);
    const struct mode6 *m = mode6_of(block);
    memset(to, 0, COLOURS * sizeof *to);
    to[COLOURS] = HALF_ONE;
    if (!m)
        return;
    next(&from, m->mode < 2 ? 2 : 5);
    read_pieces(m, &from, value);
    find_ends6(m, is_signed, value);
    const struct partition *p = &partitions[m->is_parted ? next(&from, PARTITION) : 0];
    const unsigned parts = m->is_parted ? 2 : 1, size = m->is_parted ? OF_PARTS : OF_ONE,
                   first = part_of(p, parts, place) * ENDS * COLOURS;
    const int32_t weight = weight_of(size, index_of(&from, p, parts, place, size));
    for (unsigned c = 0; c < COLOURS; c++)
        to[c] =
            half_bits(between(whole_range(value[first + c], m->size, is_signed),
                              whole_range(value[first + COLOURS + c], m->size, is_signed), weight),
                      is_signed);
}
