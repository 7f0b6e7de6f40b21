/* SPDX-License-Identifier: Apache-2.0
 * See texel_format.h. */
#include "code/texel_format.h"

#include <string.h>

/* CUDA Driver API, CUarray_format, and CUDA Runtime API, cudaChannelFormatKind. Those with channels of
 * their own have that many, others 1, 2 or 4. */
static const struct format {
    int format, kind;
    ifl_texel texel;
} formats[] = {
    {0x01, 1, {IFL_TEXEL_UNSIGNED, 8, 0, IFL_TEXEL_PLAIN, 0, false, false}},
    {0x02, 1, {IFL_TEXEL_UNSIGNED, 16, 0, IFL_TEXEL_PLAIN, 0, false, false}},
    {0x03, 1, {IFL_TEXEL_UNSIGNED, 32, 0, IFL_TEXEL_PLAIN, 0, false, false}},
    {0x08, 0, {IFL_TEXEL_SIGNED, 8, 0, IFL_TEXEL_PLAIN, 0, false, false}},
    {0x09, 0, {IFL_TEXEL_SIGNED, 16, 0, IFL_TEXEL_PLAIN, 0, false, false}},
    {0x0a, 0, {IFL_TEXEL_SIGNED, 32, 0, IFL_TEXEL_PLAIN, 0, false, false}},
    {0x10, 2, {IFL_TEXEL_FLOAT, 16, 0, IFL_TEXEL_PLAIN, 0, false, false}},
    {0x20, 2, {IFL_TEXEL_FLOAT, 32, 0, IFL_TEXEL_PLAIN, 0, false, false}},
    {0xc0, 5, {IFL_TEXEL_UNSIGNED, 8, 1, IFL_TEXEL_FRACTIONS, 0, false, false}},
    {0xc1, 6, {IFL_TEXEL_UNSIGNED, 8, 2, IFL_TEXEL_FRACTIONS, 0, false, false}},
    {0xc2, 7, {IFL_TEXEL_UNSIGNED, 8, 4, IFL_TEXEL_FRACTIONS, 0, false, false}},
    {0xc3, 8, {IFL_TEXEL_UNSIGNED, 16, 1, IFL_TEXEL_FRACTIONS, 0, false, false}},
    {0xc4, 9, {IFL_TEXEL_UNSIGNED, 16, 2, IFL_TEXEL_FRACTIONS, 0, false, false}},
    {0xc5, 10, {IFL_TEXEL_UNSIGNED, 16, 4, IFL_TEXEL_FRACTIONS, 0, false, false}},
    {0xc6, 11, {IFL_TEXEL_SIGNED, 8, 1, IFL_TEXEL_FRACTIONS, 0, false, false}},
    {0xc7, 12, {IFL_TEXEL_SIGNED, 8, 2, IFL_TEXEL_FRACTIONS, 0, false, false}},
    {0xc8, 13, {IFL_TEXEL_SIGNED, 8, 4, IFL_TEXEL_FRACTIONS, 0, false, false}},
    {0xc9, 14, {IFL_TEXEL_SIGNED, 16, 1, IFL_TEXEL_FRACTIONS, 0, false, false}},
    {0xca, 15, {IFL_TEXEL_SIGNED, 16, 2, IFL_TEXEL_FRACTIONS, 0, false, false}},
    {0xcb, 16, {IFL_TEXEL_SIGNED, 16, 4, IFL_TEXEL_FRACTIONS, 0, false, false}},
    {0x50, 31, {IFL_TEXEL_UNSIGNED, 10, 4, IFL_TEXEL_PACKED, 0, false, false}},
    {0xb0, 4, {IFL_TEXEL_UNSIGNED, 8, 3, IFL_TEXEL_PLANES, 0, false, false}},
    {0x91, 17, {IFL_TEXEL_UNSIGNED, 8, 4, IFL_TEXEL_FRACTIONS, 1, false, false}},
    {0x92, 18, {IFL_TEXEL_UNSIGNED, 8, 4, IFL_TEXEL_FRACTIONS, 1, true, false}},
    {0x93, 19, {IFL_TEXEL_UNSIGNED, 8, 4, IFL_TEXEL_FRACTIONS, 2, false, false}},
    {0x94, 20, {IFL_TEXEL_UNSIGNED, 8, 4, IFL_TEXEL_FRACTIONS, 2, true, false}},
    {0x95, 21, {IFL_TEXEL_UNSIGNED, 8, 4, IFL_TEXEL_FRACTIONS, 3, false, false}},
    {0x96, 22, {IFL_TEXEL_UNSIGNED, 8, 4, IFL_TEXEL_FRACTIONS, 3, true, false}},
    {0x97, 23, {IFL_TEXEL_UNSIGNED, 8, 1, IFL_TEXEL_FRACTIONS, 4, false, true}},
    {0x98, 24, {IFL_TEXEL_SIGNED, 8, 1, IFL_TEXEL_FRACTIONS, 4, false, true}},
    {0x99, 25, {IFL_TEXEL_UNSIGNED, 8, 2, IFL_TEXEL_FRACTIONS, 5, false, true}},
    {0x9a, 26, {IFL_TEXEL_SIGNED, 8, 2, IFL_TEXEL_FRACTIONS, 5, false, true}},
    {0x9b, 27, {IFL_TEXEL_FLOAT, 16, 3, IFL_TEXEL_UNSIGNED_FLOAT, 6, false, true}},
    {0x9c, 28, {IFL_TEXEL_FLOAT, 16, 3, IFL_TEXEL_PLAIN, 6, false, true}},
    {0x9d, 29, {IFL_TEXEL_UNSIGNED, 8, 4, IFL_TEXEL_FRACTIONS, 7, false, false}},
    {0x9e, 30, {IFL_TEXEL_UNSIGNED, 8, 4, IFL_TEXEL_FRACTIONS, 7, true, false}},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static const struct format *row_of(const ifl_texel *texel)
{
    for (size_t i = 0; i < FORMATS; i++) {
        const ifl_texel *row = &formats[i].texel;
        if (row->of == texel->of && row->bits == texel->bits && row->form == texel->form &&
            (!row->channels || row->channels == texel->channels) && row->blocks == texel->blocks &&
            row->is_colour == texel->is_colour)
            return &formats[i];
    }
    return NULL;
}

static bool has_channels(const struct format *row, unsigned channels, ifl_texel *texel)
{
    *texel = row->texel;
    texel->channels = (uint8_t)channels;
    return row->texel.channels ? channels == row->texel.channels
                               : channels == 1 || channels == 2 || channels == 4;
}

bool ifl_texel_of_format(int format, unsigned channels, ifl_texel *texel)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i].format == format)
            return has_channels(&formats[i], channels, texel);
    return false;
}

int ifl_format_of_texel(const ifl_texel *texel)
{
    const struct format *row = row_of(texel);
    return row ? row->format : 0;
}

/* As cudaCreateChannelDesc has them: the channels that are there come first. */
static void bits_of_channels(const ifl_texel *texel, int bits[IFL_TEXEL_CHANNELS])
{
    static const int packed[IFL_TEXEL_CHANNELS] = {10, 10, 10, 2};
    for (unsigned c = 0; c < IFL_TEXEL_CHANNELS; c++)
        bits[c] = c >= texel->channels              ? 0
                  : texel->form == IFL_TEXEL_PACKED ? packed[c]
                                                    : texel->bits;
}

bool ifl_texel_of_kind(int kind, const int bits[IFL_TEXEL_CHANNELS], ifl_texel *texel)
{
    unsigned channels = 0;
    int wanted[IFL_TEXEL_CHANNELS];
    while (channels < IFL_TEXEL_CHANNELS && bits[channels])
        channels++;
    for (size_t i = 0; i < FORMATS; i++) {
        if (formats[i].kind != kind || !has_channels(&formats[i], channels, texel))
            continue;
        bits_of_channels(texel, wanted);
        if (memcmp(wanted, bits, sizeof wanted) == 0)
            return true;
    }
    return false;
}

void ifl_kind_of_texel(const ifl_texel *texel, int *kind, int bits[IFL_TEXEL_CHANNELS])
{
    const struct format *row = row_of(texel);
    *kind = row ? row->kind : 0;
    bits_of_channels(texel, bits);
}
