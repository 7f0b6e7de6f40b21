/* SPDX-License-Identifier: Apache-2.0
 * An element of a texture as the words that a fetch gives (CUDA C++ Programming Guide, "Texture Object API", cudaReadMode). */
#include "exec/texel.h"

#include "exec/lane.h"

#include <string.h>

bool ifl_texel_is_float(const ifl_texture *texture)
{
    return texture->texel.of == IFL_TEXEL_FLOAT || texture->reads_normalized;
}

static uint32_t raw_channel(const ifl_texel *texel, const uint8_t *from)
{
    uint32_t raw = 0;
    memcpy(&raw, from, texel->bits / 8);
    return raw;
}

static int32_t signed_channel(const ifl_texel *texel, uint32_t raw)
{
    return texel->bits == 8 ? (int8_t)raw : texel->bits == 16 ? (int16_t)raw : (int32_t)raw;
}

/* The full range of an integer stands for 0 to 1, or -1 to 1, where the least number is -1 as the one above it is. */
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

/* Channels that an element does not have are 0, the last is 1. */
static uint32_t missing_channel(const ifl_texture *texture, unsigned channel)
{
    return channel < IFL_TEXEL_CHANNELS - 1 ? 0 : ifl_texel_is_float(texture) ? ifl_f32_bits(1) : 1;
}

void ifl_texel_read(const ifl_texture *texture, const uint8_t *from, uint8_t wanted,
                    uint32_t to[IFL_TEXEL_CHANNELS])
{
    const ifl_texel *texel = &texture->texel;
    for (uint32_t left = wanted; left; left &= left - 1) {
        const unsigned c = (unsigned)__builtin_ctz(left);
        const uint8_t *at = from + (size_t)c * (texel->bits / 8);
        to[c] = c < texel->channels ? word_of(texture, raw_channel(texel, at))
                                    : missing_channel(texture, c);
    }
}

void ifl_texel_outside(const ifl_texture *texture, uint32_t to[IFL_TEXEL_CHANNELS])
{
    for (unsigned c = 0; c < IFL_TEXEL_CHANNELS; c++)
        to[c] = texture->is_linear ? 0 : texture->border[c];
}
