/* SPDX-License-Identifier: Apache-2.0
 * BC7 and BC6H: blocks of 16 bytes, of 4 by 4 texels (Khronos Data Format Specification, "BPTC
 * Compressed Texture Image Formats"). Knows no textures. */
#ifndef IFL_EXEC_BPTC_H
#define IFL_EXEC_BPTC_H

#include <stdbool.h>
#include <stdint.h>

enum { IFL_BPTC_CHANNELS = 4 };

/* Of the texel `place` of 16, by row: channels of 0 to 255. */
void ifl_bc7_read(const uint8_t *block, unsigned place, uint32_t to[IFL_BPTC_CHANNELS]);
/* Bits of halves; of the last channel those of 1. */
void ifl_bc6h_read(const uint8_t *block, unsigned place, bool is_signed,
                   uint32_t to[IFL_BPTC_CHANNELS]);

#endif
