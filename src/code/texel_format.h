/* SPDX-License-Identifier: Apache-2.0
 * Elements of textures and arrays as CUDA's driver says them: CUarray_format and the number of
 * channels. */
#ifndef IFL_CODE_TEXEL_FORMAT_H
#define IFL_CODE_TEXEL_FORMAT_H

#include "code/texture.h"

/* False where it is none that arrays, textures and surfaces are served with. */
bool ifl_texel_of_format(int format, unsigned channels, ifl_texel *texel);
int ifl_format_of_texel(const ifl_texel *texel);

#endif
