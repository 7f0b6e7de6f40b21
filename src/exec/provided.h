/* SPDX-License-Identifier: Apache-2.0
 * The functions that CUDA gives every kernel from outside: printf, malloc, free, assert. */
#ifndef IFL_EXEC_PROVIDED_H
#define IFL_EXEC_PROVIDED_H

#include "exec/warp.h"

/* Runs one for the fragment's lanes, in ascending order; its arguments stand in the frame as for
 * any call. */
void ifl_provided_call(ifl_warp *warp, ifl_fragment *fragment, ifl_provided function);

#endif
