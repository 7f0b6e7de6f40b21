/* SPDX-License-Identifier: Apache-2.0
 * See texel_format.h. */
#include "code/texel_format.h"

static const struct {
    int format;
    uint8_t of, bits;
} formats[] = {
    {0x01, IFL_TEXEL_UNSIGNED, 8}, {0x02, IFL_TEXEL_UNSIGNED, 16}, {0x03, IFL_TEXEL_UNSIGNED, 32},
    {0x08, IFL_TEXEL_SIGNED, 8},   {0x09, IFL_TEXEL_SIGNED, 16},   {0x0a, IFL_TEXEL_SIGNED, 32},
    {0x10, IFL_TEXEL_FLOAT, 16},   {0x20, IFL_TEXEL_FLOAT, 32},
};

bool ifl_texel_of_format(int format, unsigned channels, ifl_texel *texel)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].format == format) {
            *texel = (ifl_texel){formats[i].of, formats[i].bits, (uint8_t)channels};
            return channels == 1 || channels == 2 || channels == 4;
        }
    return false;
}

int ifl_format_of_texel(const ifl_texel *texel)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].of == texel->of && formats[i].bits == texel->bits)
            return formats[i].format;
    return 0;
}
