/* SPDX-License-Identifier: Apache-2.0
 * The flow graph of a PTX function (code/flow.h), and which registers its instructions read and
 * write. */
#ifndef IFL_PTX_SHAPE_H
#define IFL_PTX_SHAPE_H

#include "code/flow.h"
#include "ptx/operands.h"

/* A function with the program that it belongs to. */
typedef struct ifl_ptx_part {
    const ifl_program *program;
    const ifl_function *function;
} ifl_ptx_part;

static inline const ifl_instruction *ifl_ptx_instruction(const ifl_ptx_part *part, uint32_t index)
{
    return &part->program->instructions[part->function->first + index];
}

ifl_status ifl_ptx_flow(const ifl_ptx_part *part, ifl_arena *arena, ifl_flow *out,
                        ifl_error *error);
/* For ifl_flow_live; `part` must outlive it. */
ifl_flow_touches ifl_ptx_touches(const ifl_ptx_part *part);
/* Registers that some path reads before it writes them: one bool a register. */
ifl_status ifl_ptx_undefined(const ifl_ptx_part *part, const ifl_flow *flow, ifl_arena *arena,
                             bool **out, ifl_error *error);

#endif
