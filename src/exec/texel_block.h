/* SPDX-License-Identifier: Apache-2.0
 * Texels of blocks of 4 by 4, BC1 to BC7, as an H200 decodes them. */
#ifndef IFL_EXEC_TEXEL_BLOCK_H
#define IFL_EXEC_TEXEL_BLOCK_H

#include "code/texture.h"

/* Of the texel `place` of 16, by row: channels of 16 bits, of signed ones with their sign extended. */
void ifl_texel_block_read(const ifl_texel *texel, const uint8_t *block, unsigned place,
                          uint32_t raw[IFL_TEXEL_CHANNELS]);

#endif
