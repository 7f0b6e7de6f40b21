/* SPDX-License-Identifier: Apache-2.0
 * Conditions of graphs (cudaGraphConditionalHandleCreate): a word of the GPU's memory each, whose
 * address is the handle, so that kernels set it by a store (cudaGraphSetConditional). The lock of
 * state.h is held. */
#ifndef IFL_STANDIN_CONDITION_H
#define IFL_STANDIN_CONDITION_H

#include "standin/op.h"

/* `resets`: it has the value `initial` whenever its graph is launched. */
ifl_cuda_error ifl_condition_new(ifl_session *session, uint64_t *handle, uint32_t initial,
                                 bool resets);
/* For a node; false: there is no such condition, or another node has it. */
bool ifl_condition_take(uint64_t handle, ifl_op_condition *of);
/* No node has it after all. */
void ifl_condition_leave(uint64_t handle);
/* The body that its value chooses now; NULL: none. */
struct ifl_graph *ifl_condition_body(ifl_session *session, const ifl_op_condition *of);
/* What gives it its value when its graph is launched. */
ifl_op ifl_condition_default(const ifl_op_condition *of);

#endif
