/* SPDX-License-Identifier: Apache-2.0
 * An element of a texture as the words that a fetch gives (CUDA C++ Programming Guide, "Texture
 * Object API", cudaReadMode). */
#include "exec/texel.h"

#include "code/modifiers.h"
#include "exec/lane.h"
#include "exec/texel_block.h"

#include <math.h>
#include <string.h>

/* Of a channel of compressed elements, once it is decoded. */
enum { BLOCK_BITS = 16 };

/* Of the channel; 2 of the last one of 10, 10, 10 and 2. */
static unsigned bits_of(const ifl_texel *texel, unsigned channel)
{
    enum { LAST = 3, OF_LAST = 2 };
    return texel->form == IFL_TEXEL_PACKED && channel == LAST ? OF_LAST : texel->bits;
}

static uint32_t packed_channel(const ifl_texel *texel, unsigned channel, const uint8_t *from)
{
    uint32_t word;
    memcpy(&word, from, sizeof word);
    return word >> (channel * texel->bits) & (UINT32_MAX >> (32 - bits_of(texel, channel)));
}

static uint32_t raw_channel(const ifl_texel *texel, unsigned channel, const uint8_t *element)
{
    uint32_t word;
    uint16_t half;
    const uint8_t *from = element + (size_t)channel * (texel->bits / 8);
    if (texel->form == IFL_TEXEL_PACKED)
        return packed_channel(texel, channel, element);
    if (texel->bits == 8)
        return *from;
    memcpy(&half, from, sizeof half);
    if (texel->bits == 16)
        return half;
    memcpy(&word, from, sizeof word);
    return word;
}

static int32_t signed_channel(const ifl_texel *texel, uint32_t raw)
{
    return texel->bits == 8 ? (int8_t)raw : texel->bits == 16 ? (int16_t)raw : (int32_t)raw;
}

/* The full range of an integer stands for 0 to 1, or -1 to 1, and the least number for a little
 * less. */
static uint32_t normalized(const ifl_texel *texel, unsigned channel, uint32_t raw)
{
    const bool is_signed = texel->of == IFL_TEXEL_SIGNED;
    const unsigned bits = texel->blocks ? BLOCK_BITS : bits_of(texel, channel);
    const double most = (double)((UINT64_C(1) << (bits - is_signed)) - 1);
    const double whole = !is_signed      ? (double)raw
                         : texel->blocks ? (double)(int32_t)raw
                                         : (double)signed_channel(texel, raw);
    return ifl_f32_bits((float)(whole / most));
}

/* What an H100 makes of 0 to 255, in parts of 2^14 (tests/gpu/h100/texture_levels.txt): about the
 * curve of IEC 61966-2-1 in eight bits. */
static const uint16_t srgb[] = {
#include "exec/srgb.def"
};

static uint32_t colour(uint32_t raw)
{
    return ifl_f32_bits((float)srgb[raw & UINT8_MAX] * 0x1p-14f);
}

/* An H200 does so in all of 327,680 sums of two and 524,288 of four (tools/gpu/texture_weights.cu,
 * `pairs/srgb` and `quads/srgb`). */
float ifl_texel_colour_bound(float value)
{
    enum { GROUP = 8 };
    unsigned last = GROUP - 1;
    while (last < UINT8_MAX && (float)srgb[last] * 0x1p-14f < value)
        last += GROUP;
    return fmaxf((float)srgb[last] * 0x1p-14f, value);
}

/* Of two channels and of four the last is no colour (tests/gpu/h200/texture_formats.txt). */
bool ifl_texel_is_colour(const ifl_texture *texture, unsigned channel)
{
    return texture->is_srgb && texture->reads_normalized &&
           (channel + 1 < texture->texel.channels || texture->texel.channels % 2);
}

static uint32_t word_of(const ifl_texture *texture, unsigned channel, uint32_t raw)
{
    const ifl_texel *texel = &texture->texel;
    if (ifl_texel_is_colour(texture, channel))
        return colour(texel->blocks ? raw >> (BLOCK_BITS - 8) : raw);
    if (texel->of == IFL_TEXEL_FLOAT)
        return texel->bits == 16 ? ifl_f32_bits((float)ifl_widen(&ifl_f16, raw)) : raw;
    if (texture->reads_normalized)
        return normalized(texel, channel, raw);
    return texel->of == IFL_TEXEL_SIGNED ? (uint32_t)signed_channel(texel, raw) : raw;
}

/* Channels that an element does not have are 0, or the last of them 1. */
static uint32_t absent(const ifl_texel *texel, unsigned channel)
{
    return texel->is_opaque && channel == IFL_TEXEL_CHANNELS - 1 ? ifl_f32_bits(1) : 0;
}

void ifl_texel_read(const ifl_texture *texture, const uint8_t *from, unsigned place, uint8_t wanted,
                    uint32_t to[IFL_TEXEL_CHANNELS])
{
    const ifl_texel *texel = &texture->texel;
    uint32_t block[IFL_TEXEL_CHANNELS];
    if (wanted == 1 && texel->bits == 32) { /* the most common by far */
        to[0] = raw_channel(texel, 0, from);
        return;
    }
    if (texel->blocks)
        ifl_texel_block_read(texel, from, place, block);
    for (uint32_t left = wanted; left; left &= left - 1) {
        const unsigned c = (unsigned)__builtin_ctz(left);
        const uint32_t raw = c >= texel->channels ? 0
                             : texel->blocks      ? block[c]
                                                  : raw_channel(texel, c, from);
        to[c] = c < texel->channels ? word_of(texture, c, raw) : absent(texel, c);
    }
}

/* The colour that comes closest, of two the lighter one. */
static uint32_t nearest_colour(float value)
{
    uint32_t best = 0;
    for (uint32_t raw = 1; raw <= UINT8_MAX; raw++)
        if (fabsf(ifl_bits_f32(colour(raw)) - value) <= fabsf(ifl_bits_f32(colour(best)) - value))
            best = raw;
    return colour(best);
}

/* Of BC4 and BC5 an H200 has 16 (tools/gpu/texture_blocks.cu, `outside`). */
static unsigned border_bits(const ifl_texel *texel, unsigned channel)
{
    enum { BC4 = 4, BC5 = 5 };
    return texel->blocks == BC4 || texel->blocks == BC5 ? BLOCK_BITS : bits_of(texel, channel);
}

/* A border has what an element can have: of fractions the nearest that there is, of integers the
 * lower bits. */
static uint32_t border_word(const ifl_texture *texture, unsigned channel, uint32_t border)
{
    const ifl_texel *texel = &texture->texel;
    if (texel->of == IFL_TEXEL_FLOAT)
        return border;
    if (!texture->reads_normalized)
        return word_of(texture, channel, border & (UINT32_MAX >> (32 - texel->bits)));
    if (ifl_texel_is_colour(texture, channel))
        return nearest_colour(ifl_bits_f32(border));
    const bool is_signed = texel->of == IFL_TEXEL_SIGNED;
    const double most = (double)((UINT64_C(1) << (border_bits(texel, channel) - is_signed)) - 1),
                 value = ifl_bits_f32(border),
                 whole = floor((value > 1            ? 1
                                : value < -is_signed ? -is_signed
                                                     : value) *
                                   most +
                               0.5);
    return ifl_f32_bits((float)(whole / most));
}

void ifl_texel_outside(const ifl_texture *texture, uint32_t to[IFL_TEXEL_CHANNELS])
{
    for (unsigned c = 0; c < IFL_TEXEL_CHANNELS; c++) {
        const bool is_there = c < texture->texel.channels && !texture->is_linear;
        to[c] = is_there ? border_word(texture, c, texture->border[c]) : absent(&texture->texel, c);
    }
}

/* ---- stores by format ------------------------------------------------------------------------ */

static uint32_t half_of(float value)
{
    enum { NAN_OF_HALVES = 0x7e00 };
    return value != value ? NAN_OF_HALVES : ifl_narrow(&ifl_f16, value, IFL_ROUND_RZ, false);
}

/* PTX ISA, sust.p. As an H100 does it, floats are cut off and integers that do not fit become the
 * nearest that do (tests/gpu/h100/texture_levels.txt). */
static uint32_t channel_word(const ifl_texel *texel, uint32_t word)
{
    const bool is_signed = texel->of == IFL_TEXEL_SIGNED;
    const int64_t value = is_signed ? (int64_t)(int32_t)word : (int64_t)word,
                  most = (INT64_C(1) << (texel->bits - is_signed)) - 1,
                  least = is_signed ? -most - 1 : 0;
    if (texel->of == IFL_TEXEL_FLOAT)
        return texel->bits == 16 ? half_of(ifl_bits_f32(word)) : word;
    return (uint32_t)(value < least ? least : value > most ? most : value);
}

void ifl_texel_write(const ifl_texel *texel, const uint32_t *words, unsigned count, uint8_t *to)
{
    for (unsigned c = 0; c < texel->channels; c++, to += texel->bits / 8) {
        const uint32_t word = c < count ? channel_word(texel, words[c]) : 0;
        memcpy(to, &word, texel->bits / 8); /* the lower bytes */
    }
}
