/* SPDX-License-Identifier: Apache-2.0
 * See texel_block.h. Formats: Khronos Data Format Specification, "S3TC Compressed Texture Image
 * Formats" and "RGTC Compressed Texture Image Formats". */
#include "exec/texel_block.h"

#include "exec/bptc.h"

#include <string.h>

/* ---- colours: two ends of 5, 6 and 5 bits, two bits a texel ----------------------------------- */

static int32_t widened(int32_t value, unsigned size)
{
    enum { WIDE = 8 };
    return value << (WIDE - size) | value >> (2 * size - WIDE);
}

static uint32_t between5(int32_t a, int32_t b, unsigned code, bool is_parted)
{
    const int32_t sum = !is_parted ? (a + b) * 33 : code == 2 ? (2 * a + b) * 22 : (a + 2 * b) * 22;
    return (uint32_t)(code == 0 ? widened(a, 5) : code == 1 ? widened(b, 5) : sum >> 3);
}

static uint32_t between6(int32_t a, int32_t b, unsigned code, bool is_parted)
{
    const int32_t first = widened(code == 3 ? b : a, 6), second = widened(code == 3 ? a : b, 6),
                  apart = second - first;
    if (code < 2)
        return (uint32_t)(code ? widened(b, 6) : widened(a, 6));
    return (uint32_t)((256 * first + apart / 4 + 128 + apart * (is_parted ? 80 : 128)) >> 8);
}

static void read_colours(const uint8_t *block, unsigned place, bool has_holes, uint32_t raw[4])
{
    uint16_t end[2];
    uint32_t codes;
    memcpy(end, block, sizeof end);
    memcpy(&codes, block + sizeof end, sizeof codes);
    const unsigned code = codes >> 2 * place & 3;
    const bool is_parted = !has_holes || end[0] > end[1];
    if (!is_parted && code == 3) {
        memset(raw, 0, 4 * sizeof *raw);
        return;
    }
    raw[0] = between5(end[0] >> 11, end[1] >> 11, code, is_parted);
    raw[1] = between6(end[0] >> 5 & 63, end[1] >> 5 & 63, code, is_parted);
    raw[2] = between5(end[0] & 31, end[1] & 31, code, is_parted);
    raw[3] = UINT8_MAX;
}

/* ---- one channel: two ends of 8 bits, three bits a texel -------------------------------------- */

static uint64_t word_of(const uint8_t *block)
{
    uint64_t word;
    memcpy(&word, block, sizeof word);
    return word;
}

/* To 16 bits, of a signed one to 15 and a sign: its bits are repeated. */
static int32_t wide_end(int32_t end, bool is_signed)
{
    enum { UNSIGNED = 257, SIGNED = 258, TOP = 6 };
    if (!is_signed)
        return end * UNSIGNED;
    return end * SIGNED + (end < 0 ? -(-end >> TOP) : end >> TOP);
}

/* How far from an end codes of 2 and more are, about in parts of 257: so an H200 has it for each of
 * 65,536 pairs of ends (tools/gpu/texture_blocks.cu, `ends`). Of six texels between the ends, and of
 * four. */
static const struct step {
    uint8_t from, far; /* the end, the way to the other */
} steps[2][6] = {
    {{0, 36}, {0, 72}, {1, 144}, {0, 144}, {1, 72}, {1, 36}},
    {{0, 48}, {0, 96}, {1, 96}, {1, 48}, {0, 0}, {0, 0}},
};

enum { ENDS_BITS = 16, CODE_BITS = 3, CODES = 7 };

/* Of signed ends the least counts as the one above it, in a comparison too. */
static uint32_t read_channel(const uint8_t *block, unsigned place, bool is_signed)
{
    enum { LEAST = 6, MOST = 7 };
    int32_t end[2];
    const unsigned code = word_of(block) >> (ENDS_BITS + CODE_BITS * place) & CODES;
    for (unsigned i = 0; i < 2; i++)
        end[i] = !is_signed                     ? block[i]
                 : (int8_t)block[i] < -INT8_MAX ? -INT8_MAX
                                                : (int8_t)block[i];
    const bool has_limits = end[0] <= end[1];
    if (code < 2)
        return (uint32_t)wide_end(end[code], is_signed);
    if (has_limits && code >= LEAST)
        return (uint32_t)(code == MOST ? (is_signed ? INT16_MAX : UINT16_MAX)
                                       : (is_signed ? -INT16_MAX : 0));
    const struct step s = steps[has_limits][code - 2];
    return (uint32_t)(wide_end(end[s.from], is_signed) + (end[!s.from] - end[s.from]) * s.far);
}

/* The same of 8 bits, rounded; the way of a texel is told in finer parts. */
static uint32_t read_alpha(const uint8_t *block, unsigned place)
{
    enum { FINER = 8, SHIFT = 11, HALF = 1 << (SHIFT - 1), LEAST = 6, UNIT_7 = 36, UNIT_5 = 48 };
    const unsigned code = word_of(block) >> (ENDS_BITS + CODE_BITS * place) & CODES;
    const bool has_limits = block[0] <= block[1];
    if (code < 2)
        return block[code];
    if (has_limits && code >= LEAST)
        return code == LEAST ? 0 : UINT8_MAX;
    const struct step s = steps[has_limits][code - 2];
    const int32_t far = s.far * FINER + s.far / (has_limits ? UNIT_5 : UNIT_7);
    return (uint32_t)(block[s.from] + (((block[!s.from] - block[s.from]) * far + HALF) >> SHIFT));
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void widen_bytes(uint32_t *raw, unsigned count)
{
    enum { REPEATED = 257 };
    for (unsigned c = 0; c < count; c++)
        raw[c] *= REPEATED;
}

void ifl_texel_block_read(const ifl_texel *texel, const uint8_t *block, unsigned place,
                          uint32_t raw[IFL_TEXEL_CHANNELS])
{
    enum {
        BC1 = 1,
        BC2,
        BC3,
        BC4,
        BC5,
        BC6H,
        HALF = 8,
        ALPHA = 3,
        NIBBLE = 4,
        NIBBLES = 15,
        TO_BYTE = 17
    };
    const bool is_signed = texel->of == IFL_TEXEL_SIGNED;
    switch (texel->blocks) {
    case BC1:
        read_colours(block, place, true, raw);
        break;
    case BC2:
        read_colours(block + HALF, place, false, raw);
        raw[ALPHA] = (uint32_t)(word_of(block) >> NIBBLE * place & NIBBLES) * TO_BYTE;
        break;
    case BC3:
        read_colours(block + HALF, place, false, raw);
        raw[ALPHA] = read_alpha(block, place);
        break;
    case BC4:
    case BC5:
        raw[0] = read_channel(block, place, is_signed);
        raw[1] = texel->blocks == BC5 ? read_channel(block + HALF, place, is_signed) : 0;
        return;
    case BC6H:
        ifl_bc6h_read(block, place, texel->form == IFL_TEXEL_PLAIN, raw);
        return;
    default:
        ifl_bc7_read(block, place, raw);
    }
    widen_bytes(raw, IFL_TEXEL_CHANNELS);
}
