/* SPDX-License-Identifier: Apache-2.0
 * Functions of the driver that ask textures for values by derivatives (texture_calls.c). */
#ifndef IFL_EXEC_TEXTURE_CALLS_H
#define IFL_EXEC_TEXTURE_CALLS_H

#include "exec/warp.h"

/* Runs one for the fragment's lanes. */
void ifl_texture_call(ifl_warp *warp, const ifl_fragment *fragment, ifl_provided function);

/* texture_request.c: what code->extra, an ifl_texture_op, asks for the lanes of `mask`, each by
 * itself: the function samples once for each lane of four (20 launches of
 * tools/gpu/texture_gradients.cu on an H200). The site of a code that calls it is one of texture loads
 * (sass/sass_lower_site.c). */
ifl_reason ifl_texture_ask_alone(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask);

#endif
