/* SPDX-License-Identifier: Apache-2.0
 * Which block every way to a block passes last, or, against the flow, every way from it first. */
#ifndef IFL_CODE_DOMINATORS_H
#define IFL_CODE_DOMINATORS_H

#include "code/flow.h"

/* Blocks have the numbers of a depth-first search, in pre-order: a block's is above its dominator's.
 * 0 is a node in front of all roots, `block_count` as a block. */
typedef struct ifl_dominators {
    uint32_t *number;    /* by block; IFL_NO_BLOCK: no root leads there */
    uint32_t *block;     /* by number, as the next one */
    uint32_t *dominator; /* a number: immediate; 0: none */
    uint32_t count;      /* of numbers */
} ifl_dominators;

/* Against the flow the roots are the blocks that leave the function. Else they are the first one,
 * those of `reached` that none of `reached` leads to, and one of each circle that is left then.
 * Everything is taken from the arena. */
ifl_status ifl_flow_dominators(const ifl_flow *flow, const ifl_flow_before *before,
                               const bool *reached, bool is_backward, ifl_arena *arena,
                               ifl_dominators *out, ifl_error *error);

#endif
