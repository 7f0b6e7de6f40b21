/* SPDX-License-Identifier: Apache-2.0
 * Which registers of a function may hold different values in the lanes of a warp that execute
 * together. Knows programs only. */
#ifndef IFL_PTX_VARYING_H
#define IFL_PTX_VARYING_H

#include "ptx/shape.h"

/* One bool a register. A register that is written in several places varies if it is written where
 * only some lanes of a warp may come. */
ifl_status ifl_ptx_varying(const ifl_ptx_part *part, const ifl_flow *flow, ifl_arena *arena,
                           bool **out, ifl_error *error);

#endif
