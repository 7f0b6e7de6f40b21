/* SPDX-License-Identifier: Apache-2.0
 * The barrier of the whole grid, as the device runtime library asks the driver for it
 * (cudaCGSynchronize; Numba's grid.sync()). Programs of nvcc have their own one instead, in memory.
 * One worker runs all blocks. */
#ifndef IFL_EXEC_GRID_BARRIER_H
#define IFL_EXEC_GRID_BARRIER_H

#include "exec/warp.h"

/* The lanes of `at` wait from now on: a fragment that goes on where `at` stands is made of them. */
void ifl_grid_barrier_wait(ifl_warp *warp, ifl_fragment *at);
/* Opens it where threads that have not ended are all there. */
void ifl_grid_barrier_check(ifl_worker *worker);
/* Blocks that have not begun are waited for: lets them begin; false where there are none. */
bool ifl_grid_barrier_widen(ifl_worker *worker);

#endif
