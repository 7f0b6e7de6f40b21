/* SPDX-License-Identifier: Apache-2.0
 * Elements of textures and arrays as CUDA says them: the driver by CUarray_format and the number of
 * channels, the runtime by cudaChannelFormatKind and the bits of each channel. */
#ifndef IFL_CODE_TEXEL_FORMAT_H
#define IFL_CODE_TEXEL_FORMAT_H

#include "code/texture.h"

/* False where it is none that arrays, textures and surfaces are served with. */
bool ifl_texel_of_format(int format, unsigned channels, ifl_texel *texel);
int ifl_format_of_texel(const ifl_texel *texel);

/* The same of the runtime. */
bool ifl_texel_of_kind(int kind, const int bits[IFL_TEXEL_CHANNELS], ifl_texel *texel);
void ifl_kind_of_texel(const ifl_texel *texel, int *kind, int bits[IFL_TEXEL_CHANNELS]);

#endif
