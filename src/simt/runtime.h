/* SPDX-License-Identifier: Apache-2.0
 * The functions that CUDA gives every kernel from outside: printf, malloc, free, assert. */
#ifndef IFL_SIMT_RUNTIME_H
#define IFL_SIMT_RUNTIME_H

#include "simt/warp.h"

/* Is there such a function? */
bool ifl_runtime_has(const char *name);
/* Runs it for the fragment's lanes, in ascending order; its arguments stand in the frame as for any call. */
void ifl_runtime_call(ifl_warp *warp, ifl_fragment *fragment, const ifl_function *function);

#endif
