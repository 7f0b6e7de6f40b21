/* SPDX-License-Identifier: Apache-2.0
 * Functions of the driver that ask textures for values by derivatives (texture_calls.c). */
#ifndef IFL_EXEC_TEXTURE_CALLS_H
#define IFL_EXEC_TEXTURE_CALLS_H

#include "exec/warp.h"

bool ifl_texture_calls_have(ifl_provided function);
/* Runs one for the fragment's lanes. */
void ifl_texture_call(ifl_warp *warp, const ifl_fragment *fragment, ifl_provided function);

/* texture_request.c: what code->extra, an ifl_texture_op, asks for the lanes of `mask`. Observers are
 * told nothing, as the site of the code is none of a texture. */
ifl_reason ifl_texture_ask_unseen(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask);

#endif
