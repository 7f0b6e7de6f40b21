/* SPDX-License-Identifier: Apache-2.0
 * Functions of the driver that ask textures for values by derivatives (texture_calls.c). */
#ifndef IFL_EXEC_TEXTURE_CALLS_H
#define IFL_EXEC_TEXTURE_CALLS_H

#include "exec/warp.h"

/* Runs one for the fragment's lanes. */
void ifl_texture_call(ifl_warp *warp, const ifl_fragment *fragment, ifl_provided function);

#endif
