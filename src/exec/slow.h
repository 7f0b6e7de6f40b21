/* SPDX-License-Identifier: Apache-2.0
 * The operations that are compiled once (SLOW rows of code/operation.def). */
#ifndef IFL_EXEC_SLOW_H
#define IFL_EXEC_SLOW_H

#include "code/code.h"

#define SLOW(name) extern ifl_slow ifl_slow_##name;
#include "code/operation.def"

/* Does what the lanes of `mask`, which all take part, do together. */
void ifl_exchange_run(ifl_warp *warp, const ifl_exchange *op, char *frame, uint32_t mask);
/* An operation with a member mask, for the lanes of `mask`. */
ifl_slow ifl_exchange_groups;

#endif
