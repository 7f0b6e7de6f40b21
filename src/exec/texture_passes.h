/* SPDX-License-Identifier: Apache-2.0
 * What the lanes of an instruction of textures or surfaces touch, and how observers are told of it:
 * in requests, and in the passes that the texture unit makes of them. */
#ifndef IFL_EXEC_TEXTURE_PASSES_H
#define IFL_EXEC_TEXTURE_PASSES_H

#include "exec/texel.h"
#include "exec/warp.h"

enum { IFL_TEXTURE_QUAD = 4 };

/* Addresses of elements, of one or two levels of detail. */
typedef struct ifl_touched {
    uint32_t asked;  /* lanes that ask, of places outside of everything too */
    uint8_t crossed; /* of each quad: lanes 0 and 2 are taken together, and 1 and 3 */
    uint8_t count[2][IFL_WARP_LANES];
    uint64_t address[2][IFL_WARP_LANES][IFL_MOST_TEXELS];
} ifl_touched;

/* Elements at offsets from texture->address. */
void ifl_touched_note(ifl_touched *to, const ifl_texture *texture, unsigned level, uint32_t lane,
                      const uint64_t *offset, uint32_t count);
/* Of code->extra, an ifl_texture_op; so many bytes of each element are moved. */
void ifl_touched_tell(ifl_warp *warp, const ifl_code *code, const ifl_texture *texture,
                      uint32_t bytes, const ifl_touched *touched);

#endif
