/* SPDX-License-Identifier: Apache-2.0
 * Elements of arrays as the driver says them: CUarray_format and the number of channels. */
#ifndef IFL_STANDIN_DRIVER_TEXEL_H
#define IFL_STANDIN_DRIVER_TEXEL_H

#include "standin/array.h"

/* False where it is none that arrays, textures and surfaces are served with. */
bool ifl_texel_of_format(int format, unsigned channels, ifl_texel *texel);
int ifl_format_of_texel(const ifl_texel *texel);

#endif
