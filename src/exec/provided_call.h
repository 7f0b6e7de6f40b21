/* SPDX-License-Identifier: Apache-2.0
 * What the functions that CUDA gives every kernel share (provided_calls.c, nested_calls.c,
 * graph_calls.c): one lane's call of one of them. */
#ifndef IFL_EXEC_PROVIDED_CALL_H
#define IFL_EXEC_PROVIDED_CALL_H

#include "exec/provided.h"

/* One lane's call: its arguments stand one after the other, as the function's declaration places
 * them. */
typedef struct ifl_provided_lane {
    ifl_warp *warp;
    const ifl_code *code;
    const ifl_frame *frame;
    uint32_t lane;
    bool is_machine, returns_pair;
} ifl_provided_lane;

/* Where machine code has the first word of the arguments, and the result. */
enum { IFL_PROVIDED_FIRST_REGISTER = 4 };

/* A register of the lane, of machine code. */
uint32_t *ifl_provided_register(const ifl_provided_lane *call, uint32_t index);
/* An argument of at most 8 bytes; machine code has each in an even register and what follows it. */
uint64_t ifl_provided_argument(const ifl_provided_lane *call, uint32_t index);
/* A structure of words that is an argument. */
void ifl_provided_words(const ifl_provided_lane *call, uint32_t index, uint32_t *to,
                        uint32_t count);
void ifl_provided_result(const ifl_provided_lane *call, uint64_t value);

/* ---- nested_calls.c: kernels that launch kernels --------------------------------------------- */

void ifl_nested_parameters(const ifl_provided_lane *call);
void ifl_nested_launch(const ifl_provided_lane *call);
void ifl_nested_create(const ifl_provided_lane *call);
void ifl_nested_ignore(const ifl_provided_lane *call);
void ifl_nested_get_error(const ifl_provided_lane *call);
void ifl_nested_set_error(const ifl_provided_lane *call);
void ifl_nested_device(const ifl_provided_lane *call);
void ifl_nested_devices(const ifl_provided_lane *call);
/* What the engine does not know: of the GPU, its limits, and kernels. */
void ifl_nested_refuse(const ifl_provided_lane *call);

/* ---- graph_calls.c: kernels that launch and change graphs ------------------------------------ */

void ifl_graph_call_launch(const ifl_provided_lane *call);
void ifl_graph_call_param(const ifl_provided_lane *call);
void ifl_graph_call_enabled(const ifl_provided_lane *call);
void ifl_graph_call_grid(const ifl_provided_lane *call);
void ifl_graph_call_apply(const ifl_provided_lane *call);

#endif
