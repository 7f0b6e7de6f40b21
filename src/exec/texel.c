/* SPDX-License-Identifier: Apache-2.0
 * An element of a texture as the words that a fetch gives (CUDA C++ Programming Guide, "Texture
 * Object API", cudaReadMode). */
#include "exec/texel.h"

#include "exec/lane.h"

#include <math.h>
#include <string.h>

static uint32_t raw_channel(const ifl_texel *texel, const uint8_t *from)
{
    uint32_t word;
    uint16_t half;
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

/* The full range of an integer stands for 0 to 1, or -1 to 1, where the least number is -1 as the
 * one above it is. */
static uint32_t normalized(const ifl_texel *texel, uint32_t raw)
{
    const bool is_signed = texel->of == IFL_TEXEL_SIGNED;
    const double most = (double)((UINT64_C(1) << (texel->bits - is_signed)) - 1);
    const double value = (is_signed ? (double)signed_channel(texel, raw) : (double)raw) / most;
    return ifl_f32_bits((float)(value < -1 ? -1 : value));
}

static uint32_t word_of(const ifl_texture *texture, uint32_t raw)
{
    const ifl_texel *texel = &texture->texel;
    if (texel->of == IFL_TEXEL_FLOAT)
        return texel->bits == 16 ? ifl_f32_bits((float)ifl_widen(&ifl_f16, raw)) : raw;
    if (texture->reads_normalized)
        return normalized(texel, raw);
    return texel->of == IFL_TEXEL_SIGNED ? (uint32_t)signed_channel(texel, raw) : raw;
}

/* Channels that an element does not have are 0. */
void ifl_texel_read(const ifl_texture *texture, const uint8_t *from, uint8_t wanted,
                    uint32_t to[IFL_TEXEL_CHANNELS])
{
    const ifl_texel *texel = &texture->texel;
    if (wanted == 1 && texel->bits == 32) { /* the most common by far */
        to[0] = raw_channel(texel, from);
        return;
    }
    for (uint32_t left = wanted; left; left &= left - 1) {
        const unsigned c = (unsigned)__builtin_ctz(left);
        const uint8_t *at = from + (size_t)c * (texel->bits / 8);
        to[c] = c < texel->channels ? word_of(texture, raw_channel(texel, at)) : 0;
    }
}

/* A border has what an element can have: of fractions the nearest that there is, of integers the
 * lower bits. */
static uint32_t border_word(const ifl_texture *texture, uint32_t border)
{
    const ifl_texel *texel = &texture->texel;
    if (texel->of == IFL_TEXEL_FLOAT)
        return border;
    if (!texture->reads_normalized)
        return word_of(texture, border & (UINT32_MAX >> (32 - texel->bits)));
    const bool is_signed = texel->of == IFL_TEXEL_SIGNED;
    const double most = (double)((UINT64_C(1) << (texel->bits - is_signed)) - 1),
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
        to[c] = is_there ? border_word(texture, texture->border[c]) : 0;
    }
}
