/* SPDX-License-Identifier: Apache-2.0
 * Lanes of one warp that wait at two barriers of the block at once, where one of the two is for whole
 * warps. */
#ifndef IFL_EXEC_PARTED_H
#define IFL_EXEC_PARTED_H

#include "exec/warp.h"

/* Lanes come to a barrier, at which they will wait. */
void ifl_parted_arrive(ifl_warp *warp, const ifl_code *code);

#endif
